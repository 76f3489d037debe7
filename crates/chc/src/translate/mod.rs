//! Rules to a machine.
//!
//! A procedure has a goal: a predicate whose tuples it returns, or for `main` the contradiction,
//! which is the failure of its only assertion. Inside it, predicates are *places*: nodes at which
//! the arguments are in registers and every other local is zero, so what an engine says about a
//! place is a formula over the arguments. A rule is a path from the place of one body predicate, its
//! *spine*, to the place of its head; the other body predicates are calls. A linear system is one
//! procedure without calls. Elsewhere the spine is a predicate that depends on the head, so that
//! loops stay loops.
//!
//! Procedures have no parameters: a fact does not depend on who asks for it.

mod expressions;
mod paths;

use crate::graph::Components;
use crate::normal::{Normal, Rule};
use crate::system::System;
use crate::terms::{PredicateId, Sort, Terms};
use hardbop_machine::ir::{Assertion, NodeKind};
use hardbop_machine::{
    Action, Edge, Expr, ExprArena, List, Local, LocalId, Machine, MachineParts, Node, NodeId,
    Notation, ProcId, Procedure, Thread, Type, Variable,
};
use hardbop_syntax::{Source, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub use paths::{EdgeRole, InputSource};

/// The machine of a system and what its parts stand for.
#[derive(Debug)]
pub struct Translation {
    /// The machine; its assertion fails exactly if the clauses have no model.
    pub machine: Machine,
    /// The places.
    pub places: Vec<PredicatePlace>,
    /// What each edge stands for.
    pub roles: Vec<EdgeRole>,
    /// The predicate that each procedure returns.
    pub goals: Vec<Option<PredicateId>>,
}

/// The place of a predicate in a procedure.
#[derive(Clone, Debug)]
pub struct PredicatePlace {
    /// The predicate.
    pub predicate: PredicateId,
    /// Its node.
    pub node: NodeId,
    /// The registers of its arguments.
    pub registers: Vec<LocalId>,
}

/// The type of a sort.
pub fn type_of(sort: Sort) -> Type {
    match sort {
        Sort::Bool => Type::Bool,
        Sort::Word(width) => Type::Int(width),
    }
}

/// A procedure in the making. Nodes are numbered from 0: the entry, then as they come.
struct Draft {
    goal: Option<PredicateId>,
    places: FxHashMap<PredicateId, u32>,
    order: Vec<PredicateId>,
    node_spans: Vec<Span>,
    edges: Vec<DraftEdge>,
    /// Registers and temporaries by sort.
    locals: Vec<Sort>,
    registers: FxHashMap<(Sort, usize), LocalId>,
    temporaries: FxHashMap<(Sort, usize), LocalId>,
    /// The node of the contradiction.
    failure: Option<u32>,
}

/// An edge in the making.
struct DraftEdge {
    from: u32,
    to: Option<u32>,
    guard: Option<hardbop_machine::ExprId>,
    action: DraftAction,
    inputs: Vec<Type>,
    span: Span,
    role: EdgeRole,
}

/// What an edge does. Locals that an arrival does not set become zero.
enum DraftAction {
    Skip,
    Arrive(Vec<(LocalId, hardbop_machine::ExprId)>),
    Set(Vec<(LocalId, hardbop_machine::ExprId)>),
    Call(PredicateId, Vec<LocalId>),
    Return(Vec<hardbop_machine::ExprId>),
}

/// Translates rules into a machine.
pub fn translate(system: &System, normal: &Normal, source: &Source) -> Translation {
    let components = Components::new(system.predicates.len(), &normal.rules);
    let mut exprs = ExprArena::default();
    let mut drafts: Vec<Draft> = Vec::new();
    let mut numbers: FxHashMap<PredicateId, usize> = FxHashMap::default();
    let mut goals = vec![None];
    let mut next = 0;
    while next < goals.len() {
        let goal = goals[next];
        next += 1;
        let mut draft = Draft::new(goal);
        let called = draft.fill(system, &normal.rules, &components, source, &mut exprs);
        drafts.push(draft);
        for predicate in called {
            numbers.entry(predicate).or_insert_with(|| {
                goals.push(Some(predicate));
                goals.len() - 1
            });
        }
    }
    assemble(system, source, drafts, &numbers, exprs, goals)
}

impl Draft {
    fn new(goal: Option<PredicateId>) -> Self {
        Self {
            goal,
            places: FxHashMap::default(),
            order: Vec::new(),
            node_spans: vec![Span::default()],
            edges: Vec::new(),
            locals: Vec::new(),
            registers: FxHashMap::default(),
            temporaries: FxHashMap::default(),
            failure: None,
        }
    }

    fn node(&mut self, span: Span) -> u32 {
        self.node_spans.push(span);
        self.node_spans.len() as u32 - 1
    }

    /// The place of a predicate; a new one is still to be filled.
    fn place(&mut self, predicate: PredicateId, span: Span) -> u32 {
        if let Some(&node) = self.places.get(&predicate) {
            return node;
        }
        let node = self.node(span);
        self.places.insert(predicate, node);
        self.order.push(predicate);
        node
    }

    fn local(&mut self, sort: Sort) -> LocalId {
        self.locals.push(sort);
        LocalId(self.locals.len() as u32 - 1)
    }

    /// The registers of a predicate's arguments.
    fn registers(&mut self, sorts: &[Sort]) -> Vec<LocalId> {
        let mut registers = Vec::new();
        for (position, &sort) in sorts.iter().enumerate() {
            let key = (sort, position);
            let register = match self.registers.get(&key) {
                Some(&register) => register,
                None => {
                    let register = self.local(sort);
                    self.registers.insert(key, register);
                    register
                }
            };
            registers.push(register);
        }
        registers
    }

    /// All rules that lead to the goal, with the places on the way. Returns what they call.
    fn fill(
        &mut self,
        system: &System,
        rules: &[Rule],
        components: &Components,
        source: &Source,
        exprs: &mut ExprArena,
    ) -> Vec<PredicateId> {
        let mut called = Vec::new();
        let end = source.text().len() as u32;
        let span_of = |rule: &Rule| {
            let start = system.clauses[rule.origins[0].clause].offset;
            let line = source.text()[start as usize..].find('\n');
            let length = line.map_or(end - start, |length| length as u32);
            Span::new(start, start + length)
        };
        if let Some(goal) = self.goal {
            self.place(goal, Span::default());
        } else {
            let queries = rules.iter().filter(|rule| rule.head.is_none());
            let span = queries.map(span_of).next().unwrap_or_default();
            self.failure = Some(self.node(span));
        }
        let mut next = 0;
        let mut target = self.goal;
        let mut is_first = self.goal.is_none();
        loop {
            if !is_first {
                let Some(&predicate) = self.order.get(next) else {
                    break;
                };
                next += 1;
                target = Some(predicate);
            }
            is_first = false;
            let of_target = |rule: &&(usize, &Rule)| rule.1.head_predicate() == target;
            let numbered: Vec<(usize, &Rule)> = rules.iter().enumerate().collect();
            for &(index, rule) in numbered.iter().filter(of_target) {
                let spine = self.spine(rule, components);
                called.extend(self.path(system, (index, rule), spine, span_of(rule), exprs));
            }
        }
        if let Some(goal) = self.goal {
            let registers = self.registers(&system.predicates[goal.index()].sorts);
            let mut values = Vec::new();
            for register in registers {
                let ty = type_of(self.locals[register.index()]);
                values.push(exprs.add(Expr::Var(Variable::Local(register), ty)));
            }
            let from = self.places[&goal];
            self.edges.push(DraftEdge {
                from,
                to: None,
                guard: None,
                action: DraftAction::Return(values),
                inputs: Vec::new(),
                span: Span::default(),
                role: EdgeRole::Between,
            });
        }
        called
    }

    /// The body predicate whose place a rule starts from.
    fn spine(&self, rule: &Rule, components: &Components) -> Option<usize> {
        let depends = |head: PredicateId| {
            let same = |predicate| components.are_equal(predicate, head);
            rule.body.iter().position(|atom| same(atom.predicate))
        };
        match self.goal {
            Some(goal) => depends(goal),
            None => {
                let by_head = rule.head_predicate().and_then(depends);
                // Otherwise the one that is furthest from the facts: most of the system is then a
                // loop of `main`.
                let highest = || {
                    let atoms = rule.body.iter().enumerate();
                    let height = |predicate| components.height(predicate);
                    let highest = atoms.max_by_key(|(_, atom)| height(atom.predicate));
                    highest.map(|(index, _)| index)
                };
                by_head.or_else(highest)
            }
        }
    }
}

/// Puts the procedures together.
fn assemble(
    system: &System,
    source: &Source,
    drafts: Vec<Draft>,
    numbers: &FxHashMap<PredicateId, usize>,
    mut exprs: ExprArena,
    goals: Vec<Option<PredicateId>>,
) -> Translation {
    let mut parts = MachineParts {
        source: source.clone(),
        globals: Vec::new(),
        procedures: Vec::new(),
        nodes: Vec::new(),
        edges: Vec::new(),
        exprs: ExprArena::default(),
        labels: Vec::new(),
        assertions: Vec::new(),
        init: None,
        threads: vec![Thread {
            name: "main".to_owned(),
            entry: ProcId(0),
            instances: 1,
        }],
        atomic_flag: None,
        value_names: Arc::default(),
    };
    let mut places = Vec::new();
    let mut roles = Vec::new();
    for (index, mut draft) in drafts.into_iter().enumerate() {
        let id = ProcId(index as u32);
        let first_node = parts.nodes.len() as u32;
        let first_edge = parts.edges.len() as u32;
        let exit = NodeId(first_node + draft.node_spans.len() as u32);
        let at = |node: u32| NodeId(first_node + node);
        let order = draft.order.clone();
        for predicate in order {
            let registers = draft.registers(&system.predicates[predicate.index()].sorts);
            places.push(PredicatePlace {
                predicate,
                node: at(draft.places[&predicate]),
                registers,
            });
        }
        draft.edges.sort_by_key(|edge| edge.from);
        let mut edges = draft.edges.into_iter().peekable();
        for (node, &span) in draft.node_spans.iter().enumerate() {
            let start = parts.edges.len() as u32;
            while let Some(edge) = edges.next_if(|edge| edge.from == node as u32) {
                let to = edge.to.map_or(exit, at);
                let action = finished(edge.action, &draft.locals, numbers, &mut exprs);
                parts.edges.push(Edge {
                    from: at(node as u32),
                    to,
                    guard: edge.guard,
                    action,
                    inputs: edge.inputs.into(),
                    span: edge.span,
                });
                roles.push(edge.role);
            }
            let is_failure = draft.failure == Some(node as u32);
            parts.nodes.push(Node {
                procedure: id,
                edges: start..parts.edges.len() as u32,
                kind: if is_failure {
                    NodeKind::Failure
                } else {
                    NodeKind::Statement
                },
                span,
            });
        }
        let end = parts.edges.len() as u32;
        parts.nodes.push(Node {
            procedure: id,
            edges: end..end,
            kind: NodeKind::Exit,
            span: Span::default(),
        });
        if let Some(failure) = draft.failure {
            parts.assertions.push(Assertion {
                node: at(0),
                failure: at(failure),
                span: draft.node_spans[failure as usize],
                claim: None,
            });
        }
        parts.procedures.push(procedure(
            system,
            &draft.locals,
            draft.goal,
            at(0),
            exit,
            first_edge..end,
        ));
    }
    parts.exprs = exprs;
    Translation {
        machine: Machine::new(parts),
        places,
        roles,
        goals,
    }
}

fn procedure(
    system: &System,
    locals: &[Sort],
    goal: Option<PredicateId>,
    entry: NodeId,
    exit: NodeId,
    edges: std::ops::Range<u32>,
) -> Procedure {
    let goal = goal.map(|goal| &system.predicates[goal.index()]);
    let results = goal.map_or(&[][..], |goal| &goal.sorts);
    let local = |name: String, sort: Sort| Local {
        name,
        ty: type_of(sort),
        notation: Notation::default(),
    };
    let named = locals.iter().enumerate();
    let named = named.map(|(index, &sort)| local(format!("r{index}"), sort));
    let returned = results.iter().enumerate();
    let returned = returned.map(|(index, &sort)| local(format!("return{}", index + 1), sort));
    Procedure {
        name: goal.map_or("main".to_owned(), |goal| goal.name.clone()),
        locals: named.chain(returned).collect(),
        parameter_count: 0,
        result_count: results.len() as u32,
        entry,
        exit,
        nodes: entry.0..exit.0 + 1,
        edges,
        span: Span::default(),
    }
}

/// The action of an edge once all locals of its procedure are known.
fn finished(
    action: DraftAction,
    locals: &[Sort],
    numbers: &FxHashMap<PredicateId, usize>,
    exprs: &mut ExprArena,
) -> Action {
    let assign = |assignments: Vec<_>| Action::Assign {
        assignments: assignments.into(),
        constrain: None,
    };
    let variable = |(local, value)| (Variable::Local(local), value);
    match action {
        DraftAction::Skip => Action::Skip,
        DraftAction::Set(values) => assign(values.into_iter().map(variable).collect()),
        DraftAction::Arrive(values) => {
            let mut all = Vec::new();
            let set: FxHashMap<LocalId, _> = values.into_iter().collect();
            for (index, &sort) in locals.iter().enumerate() {
                let local = LocalId(index as u32);
                let value = match set.get(&local) {
                    Some(&value) => value,
                    None => exprs.add(Expr::Const(0, type_of(sort))),
                };
                all.push((Variable::Local(local), value));
            }
            assign(all)
        }
        DraftAction::Call(predicate, targets) => Action::Call {
            callee: ProcId(numbers[&predicate] as u32),
            arguments: List::default(),
            targets: {
                let targets = targets
                    .into_iter()
                    .map(|local| Some(Variable::Local(local)));
                targets.collect::<Vec<_>>().into()
            },
        },
        DraftAction::Return(values) => Action::Return(values.into()),
    }
}

/// How large a term is as a tree.
fn tree_sizes(
    terms: &Terms,
    roots: &[crate::terms::TermId],
) -> FxHashMap<crate::terms::TermId, u64> {
    let mut sizes = FxHashMap::default();
    for id in terms.below(roots) {
        let mut size: u64 = 1;
        for operand in terms.operands(id) {
            size = size.saturating_add(sizes[operand]);
        }
        let is_repeated = matches!(
            terms.get(id),
            crate::terms::Term::Apply(crate::terms::Op::SignedModulo, _)
        );
        sizes.insert(
            id,
            if is_repeated {
                size.saturating_mul(6)
            } else {
                size
            },
        );
    }
    sizes
}
