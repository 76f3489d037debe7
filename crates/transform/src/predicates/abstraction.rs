//! The abstract machine, edge by edge.
//!
//! Nodes and edges are those of the original; behind a call there may be one step more, in which
//! the caller learns from the callee's predicates what becomes of its own.

use super::clauses::{Clauses, Stopped};
use super::formulas::Formulas;
use super::interface::{Interface, Predicates};
use super::steps::{Returned, StepFormulas};
use super::writing::{Moment, Writing};
use crate::correspondence::Correspondence;
use crate::draft::{Draft, DraftEdge, DraftProcedure, assign};
use hardbop_machine::analysis::ModRef;
use hardbop_machine::{Action, EdgeId, Expr, ExprArena, ExprId, Machine, ProcId, Variable};
use hardbop_outcome::Interrupt;

/// Edges between two looks at the interrupt.
const EDGES: usize = 256;

/// What the machine is made from.
pub(super) struct Making<'a> {
    pub machine: &'a Machine,
    pub effects: &'a ModRef,
    pub formulas: &'a mut Formulas,
    pub clauses: &'a mut Clauses,
    pub predicates: &'a Predicates,
    pub interface: &'a Interface,
    pub interrupt: &'a dyn Interrupt,
}

impl Making<'_> {
    /// The machine over the variables of the interface.
    pub(super) fn machine(mut self) -> Result<(Machine, Correspondence), Stopped> {
        let machine = self.machine;
        let mut draft = Draft::of(machine);
        draft.globals.clone_from(&self.interface.types);
        draft.exprs = ExprArena::default();
        draft.flag = None;
        for id in machine.procedure_ids() {
            let frame = &self.interface.frames[id.index()];
            let procedure = &mut draft.procedures[id.index()];
            procedure.locals.clone_from(&frame.types);
            procedure.parameter_count = frame.parameter_count;
            procedure.result_count = frame.result_count;
            let edges = std::mem::take(&mut procedure.edges);
            for (edge, number) in edges.into_iter().zip(machine.procedure(id).edge_ids()) {
                if number.index().is_multiple_of(EDGES) && self.interrupt.check().is_some() {
                    return Err(Stopped);
                }
                let procedure = &mut draft.procedures[id.index()];
                match edge.action {
                    Action::Call { .. } => {
                        self.call(&mut draft.exprs, procedure, number, edge)?;
                    }
                    _ => self.step(&mut draft.exprs, procedure, number, edge)?,
                }
            }
        }
        let (machine, back, _) = draft.finish();
        Ok((machine, back))
    }

    /// An edge that is not a call.
    fn step(
        &mut self,
        exprs: &mut ExprArena,
        procedure: &mut DraftProcedure,
        id: EdgeId,
        mut edge: DraftEdge,
    ) -> Result<(), Stopped> {
        let owner = self.owner(id);
        let step = StepFormulas::of(self.machine, self.formulas, id);
        let scope = self.scope(owner);
        let mut after: Vec<(Variable, ExprId)> = Vec::new();
        for (&variable, &value) in &step.values {
            let kept = self.interface.kept(owner, variable);
            after.extend(kept.map(|kept| (kept, value)));
        }
        for &(predicate, variable) in &scope {
            if step.changes(self.formulas, predicate) {
                after.push((variable, step.before(self.formulas, predicate)));
            }
        }
        let ends = matches!(edge.action, Action::EndThread);
        if edge.to == procedure.exit && !ends {
            for (predicate, copy) in self.copies(owner) {
                after.push((copy, step.before(self.formulas, predicate)));
            }
        }
        let mut writing = Writing::new(self, exprs, owner, Moment::Step, scope);
        let assignments = writing.values(&after);
        (edge.guard, edge.inputs) = writing.finish(&step.conditions)?;
        if !ends {
            edge.action = match assignments[..] {
                [] => Action::Skip,
                _ => assign(assignments),
            };
        }
        procedure.edges.push(edge);
        Ok(())
    }

    fn call(
        &mut self,
        exprs: &mut ExprArena,
        procedure: &mut DraftProcedure,
        id: EdgeId,
        mut edge: DraftEdge,
    ) -> Result<(), Stopped> {
        let owner = self.owner(id);
        let step = StepFormulas::of(self.machine, self.formulas, id);
        let effects = self.effects;
        let returned = Returned::new(self.machine, effects, id, &step);
        let returned = returned.expect("the edge is a call");
        let callee = returned.callee;
        let interface = self.interface;
        let frame = &interface.frames[callee.index()];
        // What is passed, in the order of the callee's parameters.
        let mut passed = Vec::new();
        for (&parameter, &value) in &step.values {
            let kept = interface.kept(callee, parameter);
            passed.extend(kept.map(|kept| (kept, value)));
        }
        for &predicate in &frame.passed {
            let variable = Variable::Local(frame.holds[&predicate]);
            passed.push((variable, step.before(self.formulas, predicate)));
        }
        let scope = self.scope(owner);
        let mut writing = Writing::new(self, exprs, owner, Moment::Step, scope);
        let arguments = writing.values(&passed);
        let arguments = arguments.into_iter().map(|(_, value)| value);
        let arguments: Vec<ExprId> = arguments.collect();
        (edge.guard, edge.inputs) = writing.finish(&step.conditions)?;
        let mut targets = Vec::new();
        for result in self.machine.procedure(callee).results() {
            if interface.kept(callee, Variable::Local(result)).is_some() {
                let mut given = returned.targets.iter();
                let target = given.find(|(_, given)| **given == result);
                targets.push(target.and_then(|(&target, _)| interface.kept(owner, target)));
            }
        }
        let scratch = &interface.frames[owner.index()].scratch[..frame.exported.len()];
        targets.extend(scratch.iter().map(|&local| Some(Variable::Local(local))));
        edge.action = Action::Call {
            callee,
            arguments: arguments.into(),
            targets: targets.into(),
        };
        self.behind(exprs, procedure, owner, &returned, &mut edge)?;
        procedure.edges.push(edge);
        Ok(())
    }

    /// The step behind a call, if there is something to do.
    fn behind(
        &mut self,
        exprs: &mut ExprArena,
        procedure: &mut DraftProcedure,
        owner: ProcId,
        returned: &Returned<'_>,
        edge: &mut DraftEdge,
    ) -> Result<(), Stopped> {
        let interface = self.interface;
        let frame = &interface.frames[owner.index()];
        let callee = &interface.frames[returned.callee.index()];
        let mut scope = Vec::new();
        let mut after = Vec::new();
        for (predicate, variable) in self.scope(owner) {
            let is_global = matches!(variable, Variable::Global(_));
            let now = if is_global {
                returned.globals_at_exit(self.formulas, predicate)
            } else {
                predicate
            };
            scope.push((now, variable));
            if self.changes(returned, predicate, is_global) {
                after.push((variable, returned.after(self.formulas, predicate)));
            }
        }
        for (&predicate, &scratch) in callee.exported.iter().zip(&frame.scratch) {
            let at_exit = returned.callee_at_exit(self.formulas, predicate);
            scope.push((at_exit, Variable::Local(scratch)));
            after.push((Variable::Local(scratch), self.formulas.truth(false)));
        }
        if edge.to == procedure.exit {
            for (predicate, copy) in self.copies(owner) {
                after.push((copy, returned.after(self.formulas, predicate)));
            }
        }
        if after.is_empty() {
            return Ok(());
        }
        let mut writing = Writing::new(self, exprs, owner, Moment::Behind(returned), scope);
        let assignments = writing.values(&after);
        let (guard, inputs) = writing.finish(&returned.call.conditions)?;
        let place = procedure.node(edge.span);
        procedure.edges.push(DraftEdge {
            inputs,
            ..DraftEdge::silent(place, edge.to, guard, assign(assignments), edge.span)
        });
        edge.to = place;
        Ok(())
    }

    /// Whether a return can change a predicate of the caller, where those over globals are already
    /// those of the callee's end.
    fn changes(&self, returned: &Returned<'_>, predicate: ExprId, is_global: bool) -> bool {
        let mut leaves = self.formulas.leaves(predicate).iter();
        leaves.any(|&leaf| match self.formulas.get(leaf) {
            Expr::Var(variable, _) if returned.targets.contains_key(&variable) => true,
            Expr::Var(Variable::Global(id), _) => {
                !is_global && self.effects.modifies(returned.callee, id)
            }
            _ => false,
        })
    }

    fn owner(&self, id: EdgeId) -> ProcId {
        self.machine.procedure_of(self.machine.edge(id).from)
    }

    /// The predicates that a procedure sees, with their variables.
    fn scope(&self, procedure: ProcId) -> Vec<(ExprId, Variable)> {
        let interface = self.interface;
        let globals = self.predicates.global.iter();
        let globals = globals.map(|p| (*p, Variable::Global(interface.holds[p])));
        let frame = &interface.frames[procedure.index()];
        let locals = self.predicates.local[procedure.index()].iter();
        let locals = locals.map(|p| (*p, Variable::Local(frame.holds[p])));
        globals.chain(locals).collect()
    }

    /// The predicates that are copied at the exit of a procedure.
    fn copies(&self, procedure: ProcId) -> Vec<(ExprId, Variable)> {
        let copies = self.interface.frames[procedure.index()].copies.iter();
        copies
            .map(|(&predicate, &copy)| (predicate, Variable::Local(copy)))
            .collect()
    }
}
