//! Which values of an integer can be told apart.
//!
//! Integers that are copied into each other, choices included, form a *class*. What a class is
//! compared with and assigned cuts its values into intervals. An integer that is computed with, or
//! compared with another one, keeps its domain, and so does its class.

use hardbop_machine::analysis::VariableIndex;
use hardbop_machine::{
    Action, BinaryOp, EdgeId, Expr, ExprId, InputId, Machine, ProcId, ThreadStart, Type, Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// The intervals of a class, by their lowest values; the first is 0.
pub(super) type Starts = Vec<u64>;

/// What an integer expression is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// A variable, before or after the step.
    Variable(Variable),
    /// A choice of the edge.
    Input(InputId),
}

/// The classes of a machine that have a smaller domain than their type.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    variables: VariableIndex,
    /// Where the choices of each edge start.
    inputs: Vec<u32>,
    /// Per variable and choice its class, if that is reduced.
    class_of: Vec<Option<u32>>,
    starts: Vec<Starts>,
}

impl Classes {
    pub fn new(machine: &Machine) -> Self {
        let variables = VariableIndex::new(machine);
        let mut next = variables.count() as u32;
        let mut inputs = Vec::with_capacity(machine.edges.len());
        for edge in &machine.edges {
            inputs.push(next);
            next += edge.inputs.len() as u32;
        }
        let mut finder = Finder {
            machine,
            variables: &variables,
            inputs: &inputs,
            parents: (0..next).collect(),
            cuts: vec![BTreeSet::new(); next as usize],
            is_whole: vec![false; next as usize],
            types: vec![Type::Bool; next as usize],
        };
        finder.find();
        let (class_of, starts) = finder.finish();
        Self {
            variables,
            inputs,
            class_of,
            starts,
        }
    }

    /// Whether no domain is smaller than its type.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The intervals of a variable, if its domain is reduced.
    pub fn of_variable(&self, procedure: ProcId, variable: Variable) -> Option<&Starts> {
        let class = self.class_of[self.variables.index(procedure, variable)]?;
        Some(&self.starts[class as usize])
    }

    /// The intervals of a choice.
    pub fn of_input(&self, edge: EdgeId, input: InputId) -> Option<&Starts> {
        let index = self.inputs[edge.index()] as usize + input.index();
        Some(&self.starts[self.class_of[index]? as usize])
    }
}

/// What an expression is read from, if it is a single integer.
pub(super) fn leaf_of(expr: &Expr) -> Option<Leaf> {
    match *expr {
        Expr::Var(variable, Type::Int(_)) | Expr::Next(variable, Type::Int(_)) => {
            Some(Leaf::Variable(variable))
        }
        Expr::Input(input, Type::Int(_)) => Some(Leaf::Input(input)),
        _ => None,
    }
}

/// Where a comparison of an integer with a constant cuts its values: it says whether the integer is
/// at least some number, or in between two.
pub(super) fn cuts_of(op: BinaryOp, constant: u64, is_left: bool, most: u64) -> Option<Vec<u64>> {
    let above = constant.checked_add(1).filter(|&above| above <= most);
    Some(match (op, is_left) {
        (BinaryOp::Equal | BinaryOp::NotEqual, _) => {
            std::iter::once(constant).chain(above).collect()
        }
        // The constant stands on the left: `c < x` is `x >= c + 1`.
        (BinaryOp::Less, true) | (BinaryOp::LessEqual, false) => above.into_iter().collect(),
        (BinaryOp::Less, false) | (BinaryOp::LessEqual, true) => vec![constant],
        _ => return None,
    })
}

struct Finder<'f> {
    machine: &'f Machine,
    variables: &'f VariableIndex,
    inputs: &'f [u32],
    parents: Vec<u32>,
    cuts: Vec<BTreeSet<u64>>,
    /// Classes that keep their domain.
    is_whole: Vec<bool>,
    types: Vec<Type>,
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Context {
    edge: EdgeId,
    procedure: ProcId,
}

impl Finder<'_> {
    fn find(&mut self) {
        let machine = self.machine;
        for (index, global) in machine.globals.iter().enumerate() {
            self.types[index] = global.ty;
            self.cuts[index].extend(global.initial);
        }
        for id in machine.procedure_ids() {
            for local in machine.procedure(id).local_ids() {
                let variable = Variable::Local(local);
                let index = self.variables.index(id, variable);
                self.types[index] = machine.type_of(id, variable);
            }
        }
        for edge in machine.edge_ids() {
            for (number, &ty) in machine.edge(edge).inputs.iter().enumerate() {
                self.types[self.inputs[edge.index()] as usize + number] = ty;
            }
        }
        for edge in machine.edge_ids() {
            self.edge(edge);
        }
    }

    fn edge(&mut self, id: EdgeId) {
        let machine = self.machine;
        let edge = machine.edge(id);
        let context = Context {
            edge: id,
            procedure: machine.procedure_of(edge.from),
        };
        if let Some(guard) = edge.guard {
            self.looked_at(context, guard);
        }
        let local = |owner, id| self.variables.index(owner, Variable::Local(id)) as u32;
        let mut flows: Vec<(u32, ExprId)> = Vec::new();
        match &edge.action {
            Action::Skip
            | Action::EndThread
            | Action::AtomicBegin
            | Action::AtomicEnd
            | Action::StartThread(ThreadStart::Node(_)) => {}
            Action::Print(values) => {
                for &value in values {
                    self.computed(context, value);
                }
            }
            Action::Assign {
                assignments,
                constrain,
            } => {
                if let Some(root) = *constrain {
                    self.looked_at(context, root);
                }
                for &(target, value) in assignments {
                    let target = self.variables.index(context.procedure, target) as u32;
                    flows.push((target, value));
                }
            }
            Action::Return(values) => {
                let results = machine.procedure(context.procedure).results();
                let results = results.map(|result| local(context.procedure, result));
                flows.extend(results.zip(values.iter().copied()));
            }
            Action::Call {
                callee, arguments, ..
            }
            | Action::StartThread(ThreadStart::Procedure { callee, arguments }) => {
                let parameters = machine.procedure(*callee).parameters();
                let parameters = parameters.map(|parameter| local(*callee, parameter));
                flows.extend(parameters.zip(arguments.iter().copied()));
                if let Action::Call { targets, .. } = &edge.action {
                    let results = machine.procedure(*callee).results();
                    let results: Vec<u32> = results.map(|result| local(*callee, result)).collect();
                    for (target, result) in targets.iter().zip(results) {
                        if let Some(target) = *target {
                            let target = self.variables.index(context.procedure, target);
                            self.join(target as u32, result);
                        }
                    }
                }
            }
        }
        for (target, value) in flows {
            self.flow(context, target, value);
        }
    }

    /// The value of an expression is given to a variable.
    fn flow(&mut self, context: Context, target: u32, value: ExprId) {
        let machine = self.machine;
        let mut pending = vec![value];
        while let Some(id) = pending.pop() {
            let expr = machine.exprs.get(id);
            if let Some(leaf) = leaf_of(expr) {
                let leaf = self.index(context, leaf);
                self.join(target, leaf);
                continue;
            }
            match *expr {
                Expr::Const(constant, Type::Int(_)) => {
                    let class = self.class(target);
                    self.cuts[class].insert(constant);
                }
                Expr::Ite(condition, a, b, Type::Int(_)) => {
                    self.looked_at(context, condition);
                    pending.extend([a, b]);
                }
                _ if expr.ty() == Type::Bool => self.looked_at(context, id),
                _ => {
                    let class = self.class(target);
                    self.is_whole[class] = true;
                    self.computed(context, id);
                }
            }
        }
    }

    /// A condition: comparisons with constants cut, all else keeps domains whole.
    fn looked_at(&mut self, context: Context, root: ExprId) {
        let machine = self.machine;
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let expr = machine.exprs.get(id);
            if expr.ty() != Type::Bool {
                self.computed(context, id);
                continue;
            }
            match compared(machine, expr) {
                Some((leaf, cuts)) => {
                    let leaf = self.index(context, leaf);
                    let class = self.class(leaf);
                    self.cuts[class].extend(cuts);
                }
                None => pending.extend(expr.operands()),
            }
        }
    }

    /// An expression of which every value counts.
    fn computed(&mut self, context: Context, root: ExprId) {
        let machine = self.machine;
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let expr = machine.exprs.get(id);
            if let Some(leaf) = leaf_of(expr) {
                let index = self.index(context, leaf);
                let class = self.class(index);
                self.is_whole[class] = true;
            } else if let Some((leaf, cuts)) = compared(machine, expr) {
                let index = self.index(context, leaf);
                let class = self.class(index);
                self.cuts[class].extend(cuts);
            } else {
                pending.extend(expr.operands());
            }
        }
    }

    fn index(&self, context: Context, leaf: Leaf) -> u32 {
        match leaf {
            Leaf::Variable(variable) => self.variables.index(context.procedure, variable) as u32,
            Leaf::Input(input) => self.inputs[context.edge.index()] + input.0,
        }
    }

    fn class(&mut self, member: u32) -> usize {
        let mut class = member as usize;
        while self.parents[class] as usize != class {
            let above = self.parents[class] as usize;
            self.parents[class] = self.parents[above];
            class = above;
        }
        class
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.class(one), self.class(other));
        if one == other {
            return;
        }
        let (kept, gone) = (one.min(other), one.max(other));
        self.parents[gone] = kept as u32;
        let cuts = std::mem::take(&mut self.cuts[gone]);
        self.cuts[kept].extend(cuts);
        self.is_whole[kept] |= self.is_whole[gone] || self.types[kept] != self.types[gone];
    }

    fn finish(mut self) -> (Vec<Option<u32>>, Vec<Starts>) {
        let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
        let mut starts: Vec<Starts> = Vec::new();
        let mut class_of = vec![None; self.parents.len()];
        for (member, number) in (0..).zip(&mut class_of) {
            let class = self.class(member);
            let Type::Int(_) = self.types[class] else {
                continue;
            };
            if self.is_whole[class] {
                continue;
            }
            let mut cuts = std::mem::take(&mut self.cuts[class]);
            cuts.insert(0);
            if bits_for(cuts.len()) < self.types[class].width() || numbers.contains_key(&class) {
                *number = Some(*numbers.entry(class).or_insert_with(|| {
                    starts.push(cuts.into_iter().collect());
                    starts.len() as u32 - 1
                }));
            } else {
                self.is_whole[class] = true;
            }
        }
        (class_of, starts)
    }
}

/// How many bits tell this many values apart; at least one.
pub(super) fn bits_for(values: usize) -> u32 {
    (values.max(2) - 1).ilog2() + 1
}

/// The integer that a comparison compares with a constant, and where that cuts its values.
fn compared(machine: &Machine, expr: &Expr) -> Option<(Leaf, Vec<u64>)> {
    let Expr::Binary(op, a, b, Type::Bool) = *expr else {
        return None;
    };
    let (left, right) = (machine.exprs.get(a), machine.exprs.get(b));
    match (leaf_of(left), leaf_of(right), *left, *right) {
        (Some(leaf), _, _, Expr::Const(constant, ty)) => {
            Some((leaf, cuts_of(op, constant, false, ty.max_value())?))
        }
        (_, Some(leaf), Expr::Const(constant, ty), _) => {
            Some((leaf, cuts_of(op, constant, true, ty.max_value())?))
        }
        _ => None,
    }
}
