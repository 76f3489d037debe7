//! One number for every variable of a machine, and which variables a step reads and writes.
//!
//! What other steps do on behalf of an edge is not counted here: a call reads its arguments and
//! writes its targets; the effect of the callee is [`crate::analysis::ModRef`]'s business.

use crate::ids::{EdgeId, ExprId, GlobalId, InputId, LocalId, ProcId, Variable};
use crate::ir::{Action, Storage, ThreadStart};
use crate::machine::Machine;
use crate::{Expr, ExprArena};

/// Numbers all variables: the globals first, then the locals of each procedure.
#[derive(Clone, Debug)]
pub struct VariableIndex {
    global_count: usize,
    local_starts: Vec<u32>,
}

impl VariableIndex {
    /// Numbers the variables of a machine.
    pub fn new(machine: &Machine) -> Self {
        let global_count = machine.globals.len();
        let mut next = global_count as u32;
        let mut local_starts = vec![next];
        for procedure in &machine.procedures {
            next += procedure.locals.len() as u32;
            local_starts.push(next);
        }
        Self {
            global_count,
            local_starts,
        }
    }

    /// How many variables there are.
    pub fn count(&self) -> usize {
        self.local_starts[self.local_starts.len() - 1] as usize
    }

    /// The number of a variable as seen from a procedure.
    pub fn index(&self, procedure: ProcId, variable: Variable) -> usize {
        match variable {
            Variable::Global(id) => id.index(),
            Variable::Local(id) => self.local_starts[procedure.index()] as usize + id.index(),
        }
    }

    /// The number of a variable among those that one procedure sees: globals first, then its own
    /// locals.
    pub(crate) fn frame_index(&self, variable: Variable) -> usize {
        match variable {
            Variable::Global(id) => id.index(),
            Variable::Local(id) => self.global_count + id.index(),
        }
    }
}

/// The choices on which it depends whether an edge can be taken: those of its guard and, if what is
/// written has to meet a `constrain`, all.
pub fn deciding_inputs(machine: &Machine, edge: EdgeId) -> Vec<InputId> {
    let edge = machine.edge(edge);
    if let Action::Assign {
        constrain: Some(_), ..
    } = edge.action
    {
        return (0..edge.inputs.len()).map(InputId::new).collect();
    }
    let mut inputs = Vec::new();
    if let Some(guard) = edge.guard {
        machine.exprs.visit(guard, |expr| {
            if let Expr::Input(input, _) = *expr {
                inputs.push(input);
            }
        });
    }
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}

/// Calls `visit` for each variable whose value before the step an expression asks for.
/// [`Expr::Next`] is not counted.
pub fn each_variable_before(exprs: &ExprArena, root: ExprId, mut visit: impl FnMut(Variable)) {
    exprs.visit(root, |expr| {
        if let Expr::Var(variable, _) = *expr {
            visit(variable);
        }
    });
}

/// Calls `visit` for each variable that a step reads, in no useful order and possibly more than
/// once.
///
/// `constrain` reads the old value of a variable that it mentions with a tick but that is not
/// assigned. `print` reads what it shows, so that traces can show it. Starting a thread at a node
/// reads the whole frame, which is copied, and starting any thread reads the globals of the thread,
/// which are copied too.
pub fn each_read(machine: &Machine, edge: EdgeId, mut visit: impl FnMut(Variable)) {
    let edge = machine.edge(edge);
    let exprs = &machine.exprs;
    let guard = edge.guard.as_slice();
    let values: &[ExprId] = match &edge.action {
        Action::Print(values) | Action::Return(values) => values,
        Action::Call { arguments, .. }
        | Action::StartThread(ThreadStart::Procedure { arguments, .. }) => arguments,
        _ => &[],
    };
    for &root in guard.iter().chain(values) {
        each_variable_before(exprs, root, &mut visit);
    }
    match &edge.action {
        Action::Assign {
            assignments,
            constrain,
        } => {
            for &(_, value) in assignments {
                each_variable_before(exprs, value, &mut visit);
            }
            if let Some(root) = *constrain {
                exprs.visit(root, |expr| match *expr {
                    Expr::Var(variable, _) => visit(variable),
                    Expr::Next(variable, _) if !assignments.iter().any(|a| a.0 == variable) => {
                        visit(variable);
                    }
                    _ => {}
                });
            }
        }
        Action::StartThread(start) => {
            per_thread_globals(machine).for_each(|id| visit(Variable::Global(id)));
            if let ThreadStart::Node(_) = start {
                let procedure = machine.procedure(machine.procedure_of(edge.from));
                procedure
                    .local_ids()
                    .for_each(|id| visit(Variable::Local(id)));
            }
        }
        _ => {}
    }
}

/// Calls `visit` for each variable that a step writes; for a call, its targets.
pub fn each_write(machine: &Machine, edge: EdgeId, mut visit: impl FnMut(Variable)) {
    let edge = machine.edge(edge);
    match &edge.action {
        Action::Assign { assignments, .. } => assignments.iter().for_each(|&(v, _)| visit(v)),
        Action::Call { targets, .. } => targets.iter().flatten().for_each(|&v| visit(v)),
        Action::Return(_) => machine
            .procedure(machine.procedure_of(edge.from))
            .results()
            .for_each(|id: LocalId| visit(Variable::Local(id))),
        _ => {}
    }
}

/// The globals of which every thread has its own copy.
pub(crate) fn per_thread_globals(machine: &Machine) -> impl Iterator<Item = GlobalId> + '_ {
    let globals = machine.globals.iter().enumerate();
    globals
        .filter(|(_, global)| global.storage == Storage::PerThread)
        .map(|(index, _)| GlobalId::new(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_builder::{Builder, assign};
    use crate::{BinaryOp, Type};

    #[test]
    fn constrain_reads_the_old_value_only_of_variables_that_are_not_assigned() {
        let mut b = Builder::new();
        let (x, y) = (b.global("x", None), b.global("y", None));
        let main = b.procedure("main", &[], &[], 0, 2);
        let value = b.constant(1);
        let next_x = b.expr(Expr::Next(x, Type::Bool));
        let next_y = b.expr(Expr::Next(y, Type::Bool));
        let c = b.binary(BinaryOp::And, next_x, next_y);
        let action = Action::Assign {
            assignments: vec![(x, value)].into(),
            constrain: Some(c),
        };
        b.edge(main.at(0), main.at(1), None, action);
        let machine = b.finish(main.id);
        let mut reads = Vec::new();
        each_read(&machine, EdgeId(0), |v| reads.push(v));
        assert_eq!(reads, [y]);
        let mut writes = Vec::new();
        each_write(&machine, EdgeId(0), |v| writes.push(v));
        assert_eq!(writes, [x]);
    }

    #[test]
    fn locals_of_different_procedures_have_different_numbers() {
        let mut b = Builder::new();
        let g = b.global("g", None);
        let main = b.procedure("main", &["a"], &["b"], 0, 2);
        let value = b.constant(1);
        b.edge(main.at(0), main.at(1), None, assign(&[(g, value)]));
        let other = b.procedure("other", &["c"], &[], 1, 1);
        let machine = b.finish(main.id);
        let index = VariableIndex::new(&machine);
        let first = Variable::Local(LocalId(0));
        assert_eq!(index.index(main.id, first), 1);
        assert_eq!(index.index(other.id, first), 3);
        assert_eq!(index.frame_index(first), 1);
        assert_eq!(index.count(), 5);
    }
}
