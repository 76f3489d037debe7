//! Smaller integers: values that the program cannot tell apart become one.
//!
//! Most integers of real programs are states, flags and error codes: they are copied, chosen freely
//! and compared with constants. If all that is ever asked of `x` is `x = 3` and `x < 10`, it has
//! four kinds of values, `0..3`, `3`, `4..10` and those from 10 on, and two bits say which. Nodes,
//! edges and variables keep their ids; types, constants and comparisons change. Numbers that a type
//! has beyond the last interval stand for the last one too, so that a free choice needs no
//! condition.
//!
//! **Sound and exact.** [`classes`] puts integers that are copied into each other in one class, and
//! cuts the values of a class at every constant that one of them is compared with, given or starts
//! with. Let `i` map a value to the number of its interval. Copies, choices and comparisons commute
//! with `i` (a class in which anything else happens, as arithmetic or a comparison of two
//! variables, keeps its domain), so every step of the original is one of the new machine with `i`
//! applied before and after it. Conversely `i` has an inverse on the lowest values of the intervals:
//! every constant that is assigned is one of them, so a run of the new machine, with each number
//! replaced by the lowest value of its interval, is one of the original. This is how runs go back,
//! completed calls included. A certificate goes back with "the bit of `i(x)`" spelled out: it is
//! inductive since steps commute with `i`. Recursion changes nothing in the argument, which is about
//! single steps.
//!
//! **Left out: comparisons of two variables.** A run needs only a few values then as well, but which
//! of them stands for a value depends on all others that are stored, those in the frames below
//! included, of which recursion makes any number. So there is no `i` that is a function of one
//! value, and a certificate about the few values has no bits that could be spelled out.
//!
//! **Left out: certificates of threads.** Their rows of locals are numbered by the widths of all
//! locals of a stack, and what a bit of a row belongs to depends on the place of the thread.

mod back;
mod classes;

use crate::transform::{NoWayBack, TargetMap, Transform};
use classes::{Classes, Leaf, Starts, bits_for, leaf_of};
use hardbop_machine::{
    Action, BinaryOp, EdgeId, Expr, ExprArena, ExprId, GlobalId, InputId, LocalId, Machine,
    MachineParts, ProcId, ThreadStart, Type, UnaryOp, Variable,
};
use hardbop_outcome::{Certificate, Question, Trace};
use std::sync::Arc;

/// A machine with smaller integers.
#[derive(Clone, Debug)]
pub struct Reduced {
    machine: Machine,
    targets: TargetMap,
    classes: Classes,
}

/// Reduces the domains of integers; nothing if none gets smaller.
pub fn reduce(machine: &Machine, question: &Question) -> Option<Reduced> {
    let classes = Classes::new(machine);
    if classes.is_empty() {
        return None;
    }
    let mut reduced = MachineParts {
        exprs: ExprArena::default(),
        ..machine.parts().clone()
    };
    for (index, global) in reduced.globals.iter_mut().enumerate() {
        let variable = Variable::Global(GlobalId::new(index));
        if let Some(starts) = classes.of_variable(ProcId(0), variable) {
            global.ty = type_of(starts);
            global.initial = global.initial.map(|value| number_of(starts, value));
        }
    }
    for (index, procedure) in reduced.procedures.iter_mut().enumerate() {
        for (number, local) in Arc::make_mut(&mut procedure.locals).iter_mut().enumerate() {
            let variable = Variable::Local(LocalId::new(number));
            if let Some(starts) = classes.of_variable(ProcId::new(index), variable) {
                local.ty = type_of(starts);
            }
        }
    }
    for id in machine.edge_ids() {
        let edge = &mut reduced.edges[id.index()];
        let mut rewriting = Rewriting {
            machine,
            classes: &classes,
            edge: id,
            procedure: machine.procedure_of(edge.from),
            exprs: &mut reduced.exprs,
        };
        edge.guard = edge.guard.map(|guard| rewriting.expression(guard, None));
        rewriting.action(&mut edge.action);
        for (number, ty) in edge.inputs.iter_mut().enumerate() {
            let input = InputId::new(number);
            if let Some(starts) = classes.of_input(id, input) {
                *ty = type_of(starts);
            }
        }
    }
    Some(Reduced {
        machine: Machine::new(reduced),
        targets: TargetMap::unchanged(question),
        classes,
    })
}

fn type_of(starts: &Starts) -> Type {
    Type::Int(bits_for(starts.len()) as u8)
}

/// The number of the interval of a value.
fn number_of(starts: &Starts, value: u64) -> u64 {
    starts.partition_point(|&start| start <= value) as u64 - 1
}

/// One edge while its expressions are written anew.
struct Rewriting<'r> {
    machine: &'r Machine,
    classes: &'r Classes,
    edge: EdgeId,
    procedure: ProcId,
    exprs: &'r mut ExprArena,
}

impl<'r> Rewriting<'r> {
    fn action(&mut self, action: &mut Action) {
        let machine = self.machine;
        let of_local =
            |classes: &'r Classes, owner, id| classes.of_variable(owner, Variable::Local(id));
        match action {
            Action::Skip
            | Action::EndThread
            | Action::AtomicBegin
            | Action::AtomicEnd
            | Action::StartThread(ThreadStart::Node(_)) => {}
            Action::Print(values) => {
                for value in values.iter_mut() {
                    *value = self.expression(*value, None);
                }
            }
            Action::Assign {
                assignments,
                constrain,
            } => {
                *constrain = constrain.map(|root| self.expression(root, None));
                for (target, value) in assignments.iter_mut() {
                    let starts = self.classes.of_variable(self.procedure, *target);
                    *value = self.expression(*value, starts);
                }
            }
            Action::Return(values) => {
                let results = machine.procedure(self.procedure).results();
                for (result, value) in results.zip(values.iter_mut()) {
                    let starts = of_local(self.classes, self.procedure, result);
                    *value = self.expression(*value, starts);
                }
            }
            Action::Call {
                callee, arguments, ..
            }
            | Action::StartThread(ThreadStart::Procedure { callee, arguments }) => {
                let parameters = machine.procedure(*callee).parameters();
                for (parameter, value) in parameters.zip(arguments.iter_mut()) {
                    let starts = of_local(self.classes, *callee, parameter);
                    *value = self.expression(*value, starts);
                }
            }
        }
    }

    /// The intervals of an integer that is read.
    fn starts(&self, leaf: Leaf) -> Option<&'r Starts> {
        match leaf {
            Leaf::Variable(variable) => self.classes.of_variable(self.procedure, variable),
            Leaf::Input(input) => self.classes.of_input(self.edge, input),
        }
    }

    /// The expression anew. If its value is given to a variable with a reduced domain, it is the
    /// number of an interval.
    fn expression(&mut self, root: ExprId, given_to: Option<&'r Starts>) -> ExprId {
        enum Visit<'v> {
            Open(ExprId, Option<&'v Starts>),
            Close(ExprId, Option<&'v Starts>),
        }
        let machine = self.machine;
        let mut done: Vec<ExprId> = Vec::new();
        let mut pending = vec![Visit::Open(root, given_to)];
        while let Some(visit) = pending.pop() {
            let (id, given_to) = match visit {
                Visit::Open(id, given_to) => {
                    pending.push(Visit::Close(id, given_to));
                    let expr = machine.exprs.get(id);
                    let passes_on = |operand: &ExprId| matches!(*expr, Expr::Ite(condition, ..) if condition != *operand);
                    let operands = expr.operands().rev();
                    pending.extend(operands.map(|operand| {
                        Visit::Open(operand, given_to.filter(|_| passes_on(&operand)))
                    }));
                    continue;
                }
                Visit::Close(id, given_to) => (id, given_to),
            };
            let expr = *machine.exprs.get(id);
            let operands = done.split_off(done.len() - expr.operands().count());
            let new = self.node(expr, &operands, given_to);
            done.push(new);
        }
        done.pop().expect("the root was visited")
    }

    /// One node of an expression, with its operands anew.
    fn node(&mut self, expr: Expr, operands: &[ExprId], given_to: Option<&'r Starts>) -> ExprId {
        if let Some(comparison) = self.comparison(expr, operands) {
            return comparison;
        }
        let reduced = leaf_of(&expr).and_then(|leaf| self.starts(leaf));
        let new = match (expr, operands, reduced) {
            (Expr::Var(variable, _), _, Some(starts)) => Expr::Var(variable, type_of(starts)),
            (Expr::Next(variable, _), _, Some(starts)) => Expr::Next(variable, type_of(starts)),
            (Expr::Input(input, _), _, Some(starts)) => Expr::Input(input, type_of(starts)),
            (Expr::Const(value, Type::Int(_)), ..) if given_to.is_some() => {
                let starts = given_to.expect("it was looked at");
                Expr::Const(number_of(starts, value), type_of(starts))
            }
            (Expr::Ite(_, _, _, ty), &[c, a, b], _) => {
                Expr::Ite(c, a, b, given_to.map_or(ty, type_of))
            }
            (Expr::Unary(op, _), &[a], _) => Expr::Unary(op, a),
            (Expr::Binary(op, _, _, ty), &[a, b], _) => Expr::Binary(op, a, b, ty),
            (leaf, ..) => leaf,
        };
        self.exprs.add(new)
    }

    /// A comparison of an integer with a reduced domain, which is with a constant.
    fn comparison(&mut self, expr: Expr, operands: &[ExprId]) -> Option<ExprId> {
        let Expr::Binary(op, a, b, Type::Bool) = expr else {
            return None;
        };
        let (left, right) = (self.machine.exprs.get(a), self.machine.exprs.get(b));
        let (leaf, constant, is_left) = match (leaf_of(left), leaf_of(right), left, right) {
            (Some(leaf), _, _, &Expr::Const(constant, _)) => (leaf, constant, false),
            (_, Some(leaf), &Expr::Const(constant, _), _) => (leaf, constant, true),
            _ => return None,
        };
        let starts = self.starts(leaf)?;
        let number = operands[usize::from(is_left)];
        // The first interval from some value on, which is a cut; past the last there is none.
        let from = |value: Option<u64>| value.and_then(|value| starts.binary_search(&value).ok());
        let above = constant.checked_add(1);
        Some(match (op, is_left) {
            (BinaryOp::Less, false) => self.is_below(starts, number, from(Some(constant))),
            (BinaryOp::LessEqual, false) => self.is_below(starts, number, from(above)),
            (BinaryOp::Less, true) => {
                let below = self.is_below(starts, number, from(above));
                self.not(below)
            }
            (BinaryOp::LessEqual, true) => {
                let below = self.is_below(starts, number, from(Some(constant)));
                self.not(below)
            }
            (BinaryOp::Equal | BinaryOp::NotEqual, _) => {
                let low = self.is_below(starts, number, from(Some(constant)));
                let low = self.not(low);
                let high = self.is_below(starts, number, from(above));
                let both = Expr::Binary(BinaryOp::And, low, high, Type::Bool);
                let equal = self.exprs.add(both);
                if op == BinaryOp::Equal {
                    equal
                } else {
                    self.not(equal)
                }
            }
            _ => return None,
        })
    }

    /// Whether the number of an interval is below another, or is any number.
    fn is_below(&mut self, starts: &Starts, number: ExprId, bound: Option<usize>) -> ExprId {
        let Some(bound) = bound else {
            return self.exprs.add(Expr::Const(1, Type::Bool));
        };
        let bound = self.exprs.add(Expr::Const(bound as u64, type_of(starts)));
        self.exprs
            .add(Expr::Binary(BinaryOp::Less, number, bound, Type::Bool))
    }

    fn not(&mut self, operand: ExprId) -> ExprId {
        self.exprs.add(Expr::Unary(UnaryOp::Not, operand))
    }
}

impl Transform for Reduced {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn targets(&self) -> &TargetMap {
        &self.targets
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        Ok(back::run(&self.classes, original, trace))
    }

    fn certificate_back(
        &self,
        original: &Machine,
        certificate: Certificate,
    ) -> Result<Certificate, NoWayBack> {
        back::certificate(&self.classes, original, certificate)
    }
}
