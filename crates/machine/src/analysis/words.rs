//! Which integers meet in an operation.
//!
//! A relation between two integers is small as BDD if their bits are interleaved, and has 2^n nodes
//! if all n bits of one stand before those of the other (`x = y` is the simplest example). Integers
//! that are copied, added or compared with each other should therefore stand together, bit by bit;
//! those that are only compared with constants need not. A choice that is copied into an integer or
//! added to it should stand beside it as well.

use crate::ids::{EdgeId, ExprId, InputId, ProcId, Variable};
use crate::ir::{Action, ThreadStart};
use crate::machine::Machine;
use crate::{Expr, Type};

/// A variable as seen from a procedure.
pub type Word = (ProcId, Variable);

/// What meets in one operation.
#[derive(Clone, Debug, Default)]
pub struct Meeting {
    /// Integer variables, each once.
    pub words: Vec<Word>,
    /// Integer choices.
    pub inputs: Vec<InputId>,
}

/// For each choice of an edge an integer variable that it meets and that is as wide; no variable is
/// given to two choices, and none to a Boolean.
pub fn beside_inputs(machine: &Machine, edge: EdgeId) -> Vec<Option<Word>> {
    let inputs = &machine.edge(edge).inputs;
    let mut beside = vec![None; inputs.len()];
    if inputs.iter().all(|&ty| ty == Type::Bool) {
        return beside;
    }
    each_meeting(machine, edge, |meeting| {
        for input in meeting.inputs.iter().map(|input| input.index()) {
            let is_free = |word: &&Word| {
                !beside.contains(&Some(**word)) && machine.type_of(word.0, word.1) == inputs[input]
            };
            if beside[input].is_none() {
                beside[input] = meeting.words.iter().find(is_free).copied();
            }
        }
    });
    beside
}

/// Calls `meet` with the integers of each operation of an edge: the operands of a comparison, what
/// is assigned with what it is computed from, arguments with parameters, and results with targets.
pub fn each_meeting(machine: &Machine, edge: EdgeId, mut meet: impl FnMut(&Meeting)) {
    let edge = machine.edge(edge);
    let procedure = machine.procedure_of(edge.from);
    let mut roots: Vec<ExprId> = edge.guard.into_iter().collect();
    let mut flows: Vec<(Word, ExprId)> = Vec::new();
    match &edge.action {
        Action::Assign {
            assignments,
            constrain,
        } => {
            roots.extend(constrain);
            let written = assignments.iter();
            flows.extend(written.map(|&(target, value)| ((procedure, target), value)));
        }
        Action::Return(values) => {
            let results = machine.procedure(procedure).results();
            let results = results.map(|result| (procedure, Variable::Local(result)));
            flows.extend(results.zip(values.iter().copied()));
        }
        Action::Call {
            callee, arguments, ..
        }
        | Action::StartThread(ThreadStart::Procedure { callee, arguments }) => {
            let parameters = machine.procedure(*callee).parameters();
            let parameters = parameters.map(|parameter| (*callee, Variable::Local(parameter)));
            flows.extend(parameters.zip(arguments.iter().copied()));
            if let Action::Call { targets, .. } = &edge.action {
                let results = machine.procedure(*callee).results();
                for (&target, result) in targets.iter().zip(results) {
                    let result = (*callee, Variable::Local(result));
                    if let Some(target) = target
                        && is_word(machine, procedure, target)
                    {
                        meet(&Meeting {
                            words: vec![(procedure, target), result],
                            inputs: Vec::new(),
                        });
                    }
                }
            }
        }
        _ => {}
    }
    let mut met = Meeting::default();
    for (target, value) in flows {
        let target = Some(target).filter(|&(owner, target)| is_word(machine, owner, target));
        met.words.extend(target);
        add_operands(machine, procedure, value, &mut met);
        report(&mut met, &mut meet);
        roots.push(value);
    }
    // Comparisons, wherever they stand.
    for root in roots {
        machine.exprs.visit(root, |expr| {
            if let Expr::Binary(_, left, right, Type::Bool) = *expr {
                add_operands(machine, procedure, left, &mut met);
                add_operands(machine, procedure, right, &mut met);
                report(&mut met, &mut meet);
            }
        });
    }
}

/// Passes on what has met, if anything, and forgets it.
fn report(met: &mut Meeting, meet: &mut impl FnMut(&Meeting)) {
    met.words.sort_unstable();
    met.words.dedup();
    if met.words.len() + met.inputs.len() > 1 {
        meet(met);
    }
    met.words.clear();
    met.inputs.clear();
}

/// The integers from which the value of an expression is computed; those that only decide which of
/// two values it is do not count, nor does anything in an expression that is a Boolean.
fn add_operands(machine: &Machine, procedure: ProcId, root: ExprId, found: &mut Meeting) {
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        let expr = machine.exprs.get(id);
        if expr.ty() == Type::Bool {
            continue;
        }
        match *expr {
            Expr::Var(variable, _) | Expr::Next(variable, _) => {
                found.words.push((procedure, variable));
            }
            Expr::Input(input, _) => found.inputs.push(input),
            _ => pending.extend(expr.operands()),
        }
    }
}

fn is_word(machine: &Machine, procedure: ProcId, variable: Variable) -> bool {
    machine.type_of(procedure, variable) != Type::Bool
}
