//! Calls: from the caller's relation into the callee, and with the callee's summary back (`Lift` in
//! Bebop, section 3.1).
//!
//! A call is made in three moves. *Prepare* evaluates the guard and puts the arguments into the
//! `Argument` copies; the result is kept, so that a summary found later needs no second evaluation.
//! *Enter* projects it to the callee's inputs. *Leave* joins it with the callee's summary, which
//! for that purpose has its inputs in `Now` and `Argument` and its outputs in `Next`. Globals that
//! the callee does not touch stay in the caller's relation and pass by the call untouched.

use crate::encoding::edge_encoder::EdgeEncoder;
use crate::encoding::interface::{Interface, ScopedBit, in_scope};
use crate::encoding::space::{Copy, Slot};
use crate::encoding::transfer::Compiler;
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan};
use hardbop_machine::bits::BitView;
use hardbop_machine::{Action, EdgeId, NodeId, ProcId, Variable};
use hardbop_symbolic::{Draft, Part, Plans, QUANTIFY};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A compiled call edge.
#[derive(Clone, Debug)]
pub(crate) struct CallMoves {
    /// The procedure that is called.
    pub(crate) callee: ProcId,
    /// From the relation at the call to the prepared relation.
    pub(crate) prepare: Vec<Part>,
    /// From the prepared relation to the callee's inputs.
    pub(crate) enter: Rc<Plan>,
    /// From the product of the prepared relation and the summary to the relation after the call.
    pub(crate) leave: Rc<Plan>,
}

/// How the results of a call reach the caller's variables: pairs of result slot and target slot.
pub(crate) type ResultMoves = Vec<(Slot, Slot)>;

impl Compiler<'_> {
    /// Compiles a call edge.
    pub(crate) fn call(
        &self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        view: &mut BitView<'_>,
        edge: EdgeId,
    ) -> Result<CallMoves, Exhausted> {
        let caller = self.procedure_of(edge);
        let to = self.machine.edge(edge).to;
        let callee = self.callee(edge);
        let inside = self.interfaces.of(callee);
        let present = self.present_at_call(caller, self.machine.edge(edge).from, inside);
        let live = |bit: &ScopedBit| self.interfaces.matters_at(caller, to, bit);
        let reads: BTreeSet<Slot> = global_inputs(inside).collect();
        let results = self.result_moves(view, edge);
        let mut targets: BTreeSet<Slot> = results.iter().map(|&(_, target)| target).collect();
        targets.extend(self.lost_targets(view, edge));
        let overwritten = |bit: &ScopedBit| targets.contains(&bit.slot) || inside.changes(bit.slot);

        let conjuncts = self.arguments(manager, view, edge)?;
        let mut draft = Draft::new();
        draft.conjoin_all(manager, plans, conjuncts, &|v| self.space.is_choice(v))?;
        for &bit in &present {
            let wanted_after = live(bit) && !overwritten(bit);
            if !wanted_after && !reads.contains(&bit.slot) {
                draft.quantify.insert(self.number(bit, Copy::Now));
            }
        }
        let prepare = draft.finish(manager, plans, &|v| self.space.is_choice(v));

        let enter = self.enter_plan(manager, plans, caller, inside, &reads, &present);
        let mut actions = Vec::new();
        for &bit in &present {
            let now = self.number(bit, Copy::Now);
            if overwritten(bit) || !live(bit) {
                actions.push((now, QUANTIFY));
            }
        }
        for bit in parameters(inside) {
            actions.push((self.number(bit, Copy::Argument), QUANTIFY));
        }
        for bit in &inside.global_outputs {
            let next = self.number(bit, Copy::Next);
            let wanted = self.in_scope(caller, bit.slot).is_some_and(live);
            if wanted && !targets.contains(&bit.slot) {
                actions.push((next, self.number(bit, Copy::Now)));
            } else {
                actions.push((next, QUANTIFY));
            }
        }
        for bit in &inside.results {
            let next = self.number(bit, Copy::Next);
            let target = results.iter().find(|&&(result, _)| result == bit.slot);
            let target = target.and_then(|&(_, target)| self.in_scope(caller, target));
            match target.filter(|own| live(own)) {
                Some(own) => actions.push((next, self.number(own, Copy::Now))),
                None => actions.push((next, QUANTIFY)),
            }
        }
        let leave = plans.get(manager, actions);
        Ok(CallMoves {
            callee,
            prepare,
            enter,
            leave,
        })
    }

    /// The procedure that a call edge calls.
    pub(crate) fn callee(&self, edge: EdgeId) -> ProcId {
        match self.machine.edge(edge).action {
            Action::Call { callee, .. } => callee,
            _ => unreachable!("only asked of call edges"),
        }
    }

    /// The relevant bit of a procedure's scope at a slot.
    pub(crate) fn in_scope(&self, procedure: ProcId, slot: Slot) -> Option<&ScopedBit> {
        let scope = &self.interfaces.of(procedure).scope;
        scope.iter().find(|bit| bit.slot == slot)
    }

    /// The caller's bits of which the relation at a call speaks, or the callee's summary.
    fn present_at_call(&self, caller: ProcId, from: NodeId, inside: &Interface) -> Vec<&ScopedBit> {
        let scope = &self.interfaces.of(caller).scope;
        let mut present = self.interfaces.present_at(caller, from);
        for input in inside.inputs() {
            if let Variable::Global(_) = input.variable {
                present.extend(in_scope(scope, input.variable));
            }
        }
        present.sort_unstable_by_key(|bit| (bit.variable, bit.bit));
        present.dedup();
        present
    }

    /// The moves from results to relevant targets.
    pub(crate) fn result_moves(&self, view: &mut BitView<'_>, edge: EdgeId) -> ResultMoves {
        let caller = self.procedure_of(edge);
        let callee = self.callee(edge);
        let bits = view.edge(edge);
        let visible = bits.results.iter().filter(|r| {
            let result = Variable::Local(r.result);
            self.slice.relevant(caller, r.target) && self.slice.relevant(callee, result)
        });
        let slot = |procedure, variable, bit| self.space.slot(procedure, variable, bit);
        visible
            .map(|r| {
                let result = slot(callee, Variable::Local(r.result), r.bit);
                (result, slot(caller, r.target, r.bit))
            })
            .collect()
    }

    /// Slots of relevant variables that the call assigns although its result is irrelevant, which
    /// happens where no target can be reached any more: their value becomes arbitrary.
    pub(crate) fn lost_targets(&self, view: &mut BitView<'_>, edge: EdgeId) -> Vec<Slot> {
        let caller = self.procedure_of(edge);
        let callee = self.callee(edge);
        let bits = view.edge(edge);
        let lost = bits.results.iter().filter(|r| {
            let result = Variable::Local(r.result);
            self.slice.relevant(caller, r.target) && !self.slice.relevant(callee, result)
        });
        lost.map(|r| self.space.slot(caller, r.target, r.bit))
            .collect()
    }

    /// The guard and, for each parameter that matters, "this argument has that value".
    pub(crate) fn arguments(
        &self,
        manager: &mut Manager<'_>,
        view: &mut BitView<'_>,
        edge: EdgeId,
    ) -> Result<Vec<Bdd>, Exhausted> {
        let caller = self.procedure_of(edge);
        let callee = self.callee(edge);
        let inside = self.interfaces.of(callee);
        let bits = view.edge(edge);
        let nothing_assigned = |_: Variable| false;
        let mut encoder = EdgeEncoder::new(
            self.space,
            caller,
            self.slice,
            (edge, &bits),
            &nothing_assigned,
        );
        let mut conjuncts = vec![encoder.encode(manager, view.graph(), bits.guard)?];
        for argument in &bits.arguments {
            let slot = self.space.slot(callee, argument.variable, argument.bit);
            if !parameters(inside).any(|bit| bit.slot == slot) {
                continue;
            }
            let value = encoder.encode(manager, view.graph(), argument.value)?;
            let variable = manager.variable(self.space.variable(slot, Copy::Argument))?;
            conjuncts.push(manager.iff(variable, value)?);
        }
        Ok(conjuncts)
    }

    fn enter_plan(
        &self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        caller: ProcId,
        inside: &Interface,
        reads: &BTreeSet<Slot>,
        present: &[&ScopedBit],
    ) -> Rc<Plan> {
        let outside = self.interfaces.of(caller);
        let mut actions = Vec::new();
        for bit in &outside.changing_inputs {
            actions.push((self.number(bit, Copy::Outer), QUANTIFY));
        }
        for &bit in present {
            if !reads.contains(&bit.slot) {
                actions.push((self.number(bit, Copy::Now), QUANTIFY));
            }
        }
        for bit in &inside.changing_inputs {
            let from = match bit.variable {
                Variable::Global(_) => Copy::Now,
                Variable::Local(_) => Copy::Argument,
            };
            actions.push((self.number(bit, from), self.number(bit, Copy::Outer)));
        }
        for bit in &inside.steady_inputs {
            if let Variable::Local(_) = bit.variable {
                actions.push((
                    self.number(bit, Copy::Argument),
                    self.number(bit, Copy::Now),
                ));
            }
        }
        plans.get(manager, actions)
    }

    /// From the relation at a procedure's exit to its summary: inputs in `Now` and `Argument`,
    /// outputs in `Next`.
    pub(crate) fn summary_plan(
        &self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        procedure: ProcId,
    ) -> Rc<Plan> {
        let interface = self.interfaces.of(procedure);
        let mut actions = Vec::new();
        for bit in &interface.changing_inputs {
            let to = match bit.variable {
                Variable::Global(_) => Copy::Now,
                Variable::Local(_) => Copy::Argument,
            };
            actions.push((self.number(bit, Copy::Outer), self.number(bit, to)));
        }
        for bit in &interface.scope {
            let now = self.number(bit, Copy::Now);
            let is_output = interface.outputs().any(|output| output.slot == bit.slot);
            let is_steady = interface.is_steady(bit.slot);
            match bit.variable {
                _ if is_output => actions.push((now, self.number(bit, Copy::Next))),
                Variable::Global(_) if is_steady => {}
                Variable::Local(_) if is_steady => {
                    actions.push((now, self.number(bit, Copy::Argument)));
                }
                _ => actions.push((now, QUANTIFY)),
            }
        }
        plans.get(manager, actions)
    }
}

/// Slots of the globals among a procedure's inputs.
pub(crate) fn global_inputs(interface: &Interface) -> impl Iterator<Item = Slot> + '_ {
    interface
        .inputs()
        .filter(|bit| matches!(bit.variable, Variable::Global(_)))
        .map(|bit| bit.slot)
}

/// The parameters among a procedure's inputs.
pub(crate) fn parameters(interface: &Interface) -> impl Iterator<Item = &ScopedBit> {
    interface
        .inputs()
        .filter(|bit| matches!(bit.variable, Variable::Local(_)))
}
