//! Steps of a thread of a view, and of a thread beside it.

use super::StacksChecker;
use crate::interleaved::world::{Moment, thread_bit};
use crate::rejected::{Condition, Rejected};
use hardbop_evidence::certificate::{MOST_CHOICE_BITS, ThreadPart, View, Waiting};
use hardbop_machine::analysis::variables::deciding_inputs;
use hardbop_machine::{Action, EdgeId, InputId, NodeId, ProcId, Storage, Variable};
use hardbop_sat::Lit;

/// A thread that steps.
#[derive(Clone, Copy)]
struct Stepper {
    seat: u32,
    /// The procedure in which the thread starts.
    entry: ProcId,
    init: bool,
}

/// What a thread may do at a node.
#[derive(Clone, Copy)]
enum Deed {
    /// Take an edge.
    Edge(EdgeId),
    /// Return to a frame that waits on this call.
    Return(EdgeId),
    /// Return from the first frame.
    End,
}

impl StacksChecker<'_, '_, '_> {
    /// Checks all steps of the threads of a view. Of those with the same entry only the first need
    /// step, because the relation is closed under exchange.
    pub(super) fn own_steps(&mut self, view: &View, relation: u32) -> Result<(), Rejected> {
        let size = view.threads.len();
        for seat in 0..size {
            let entry = view.threads[seat];
            if seat > 0 && view.threads[seat - 1] == entry {
                continue;
            }
            let stepper = Stepper {
                seat: seat as u32,
                entry,
                init: view.init,
            };
            let others: Vec<(u32, ProcId)> = (0..size)
                .filter(|&other| other != seat)
                .map(|other| (other as u32, view.threads[other]))
                .collect();
            for node in self.nodes(entry) {
                self.begin_at(stepper.seat, node);
                let before = self.here(view, relation);
                if before == self.world.constant(false) {
                    continue;
                }
                let permitted = self.permission(stepper, &others)?;
                let premises = [before, permitted];
                for deed in self.deeds(stepper, node) {
                    self.world.begin_step();
                    let taken = self.perform(stepper, deed, &others);
                    let all = [&premises[..], &taken].concat();
                    let edge = edge_of(deed);
                    if let Some(call) = self.call(edge) {
                        let waiting = Waiting {
                            thread: entry,
                            init: view.init,
                            call,
                        };
                        let record = self.callers.get(&waiting).copied();
                        let seats = [
                            (stepper.seat, Moment::After),
                            (stepper.seat, Moment::Before),
                        ];
                        let recorded = self.world.formula(record, &seats, Moment::Before);
                        let condition = Condition::CallerIsRecorded;
                        self.require(condition, node, edge, &all, recorded)?;
                    }
                    let after: Vec<(u32, Moment)> =
                        (0..size as u32).map(|seat| (seat, Moment::After)).collect();
                    let inside = self.world.formula(Some(relation), &after, Moment::After);
                    self.require(Condition::StepIsReached, node, edge, &all, inside)?;
                }
            }
        }
        Ok(())
    }

    /// Checks all steps of a thread that a view does not have.
    pub(super) fn steps_of_others(&mut self, view: &View, relation: u32) -> Result<(), Rejected> {
        let size = view.threads.len();
        let entries: Vec<(ProcId, u64)> = self.threads.counts.clone().into_iter().collect();
        for (entry, count) in entries {
            let same = view.threads.iter().filter(|&&thread| thread == entry);
            if same.count() as u64 >= count {
                continue;
            }
            let stepper = Stepper {
                seat: size as u32,
                entry,
                init: false,
            };
            let others: Vec<(u32, ProcId)> = (0..).zip(view.threads.iter().copied()).collect();
            for node in self.nodes(entry) {
                let mut deeds = self.deeds(stepper, node);
                deeds.retain(|&deed| self.is_felt(deed));
                if deeds.is_empty() {
                    continue;
                }
                self.begin_at(stepper.seat, node);
                let mut premises = vec![self.here(view, relation)];
                for absent in 0..size {
                    premises.push(self.beside(view, stepper, absent));
                }
                if premises.contains(&self.world.constant(false)) {
                    continue;
                }
                premises.push(self.permission(stepper, &others)?);
                for deed in deeds {
                    self.world.begin_step();
                    let taken = self.perform(stepper, deed, &others);
                    let all = [&premises[..], &taken].concat();
                    let after: Vec<(u32, Moment)> =
                        (0..size as u32).map(|seat| (seat, Moment::After)).collect();
                    let inside = self.world.formula(Some(relation), &after, Moment::After);
                    let condition = Condition::OtherStepIsReached;
                    self.require(condition, node, edge_of(deed), &all, inside)?;
                }
            }
        }
        Ok(())
    }

    /// What is known of the threads of a view but one, and of the stepper.
    fn beside(&mut self, view: &View, stepper: Stepper, absent: usize) -> Lit {
        let mut threads: Vec<(ProcId, u32)> = view.threads.iter().copied().zip(0..).collect();
        threads.remove(absent);
        threads.push((stepper.entry, stepper.seat));
        threads.sort_unstable();
        let seating: Vec<(u32, Moment)> = threads
            .iter()
            .map(|&(_, seat)| (seat, Moment::Before))
            .collect();
        let view = View {
            threads: threads.into_iter().map(|(entry, _)| entry).collect(),
            init: false,
        };
        self.relation(&view, &seating, Moment::Before)
    }

    /// All nodes where a thread may be.
    fn nodes(&mut self, entry: ProcId) -> Vec<NodeId> {
        let machine = self.machine;
        let procedures = self.procedures(entry).into_iter();
        procedures
            .flat_map(|procedure| machine.procedure(procedure).node_ids())
            .collect()
    }

    fn begin_at(&mut self, seat: u32, node: NodeId) {
        self.world.begin();
        let place = ThreadPart::Place;
        self.world
            .set_number(Moment::Before, seat, place, node.0 + 1);
    }

    /// What a thread may do at a node.
    fn deeds(&self, stepper: Stepper, node: NodeId) -> Vec<Deed> {
        let procedure = self.machine.procedure_of(node);
        if self.machine.procedure(procedure).exit != node {
            return self.machine.edges_from(node).map(Deed::Edge).collect();
        }
        let is_waiting = |waiting: &&Waiting| {
            let call = &self.machine.edge(waiting.call).action;
            waiting.thread == stepper.entry
                && waiting.init == stepper.init
                && matches!(call, Action::Call { callee, .. } if *callee == procedure)
        };
        let waiting = self.callers.keys().filter(is_waiting);
        let mut deeds: Vec<Deed> = waiting.map(|waiting| Deed::Return(waiting.call)).collect();
        if procedure == stepper.entry {
            deeds.push(Deed::End);
        }
        deeds
    }

    /// Whether other threads can tell that a thread has done this.
    fn is_felt(&self, deed: Deed) -> bool {
        if self.has_atomic_blocks || self.machine.atomic_flag.is_some() {
            return true;
        }
        let is_shared = |variable: Variable| match variable {
            Variable::Global(id) => self.machine.global(id).storage == Storage::Shared,
            Variable::Local(_) => false,
        };
        match deed {
            Deed::End => false,
            Deed::Edge(edge) => match &self.machine.edge(edge).action {
                Action::Assign { assignments, .. } => {
                    assignments.iter().any(|&(v, _)| is_shared(v))
                }
                _ => false,
            },
            Deed::Return(call) => match &self.machine.edge(call).action {
                Action::Call { targets, .. } => targets.iter().flatten().any(|&v| is_shared(v)),
                _ => false,
            },
        }
    }

    /// Does it; gives the premises under which it can be done.
    fn perform(&mut self, stepper: Stepper, deed: Deed, others: &[(u32, ProcId)]) -> Vec<Lit> {
        let seat = stepper.seat;
        let mut stays = self.world.bit(Moment::Before, seat, ThreadPart::Inside, 0);
        let no = self.world.constant(false);
        let yes = self.world.constant(true);
        let mut premises = Vec::new();
        let place = match deed {
            Deed::Edge(id) => {
                let edge = self.machine.edge(id);
                let bits = self.world.edge(id);
                premises.push(self.world.take(seat, &bits));
                match &edge.action {
                    Action::Call { callee, .. } => {
                        self.world.enter(seat, id, &bits);
                        self.machine.procedure(*callee).entry.0 + 1
                    }
                    Action::EndThread => {
                        stays = no;
                        0
                    }
                    Action::AtomicBegin => {
                        stays = yes;
                        edge.to.0 + 1
                    }
                    Action::AtomicEnd => {
                        stays = no;
                        edge.to.0 + 1
                    }
                    _ => edge.to.0 + 1,
                }
            }
            Deed::Return(call) => {
                let edge = self.machine.edge(call);
                let waiting = Waiting {
                    thread: stepper.entry,
                    init: stepper.init,
                    call,
                };
                let record = self.callers.get(&waiting).copied();
                // The frame that waits has a seat that no thread has.
                let frame = u32::MAX;
                let seats = [(seat, Moment::Before), (frame, Moment::Before)];
                premises.push(self.world.formula(record, &seats, Moment::Before));
                let from = edge.from.0 + 1;
                premises.push(self.world.is_number(seat, ThreadPart::Caller, from));
                let bits = self.world.edge(call);
                self.world.leave(seat, frame, &bits);
                edge.to.0 + 1
            }
            Deed::End => {
                premises.push(self.world.is_number(seat, ThreadPart::Caller, 0));
                stays = no;
                0
            }
        };
        let after = Moment::After;
        self.world.set_number(after, seat, ThreadPart::Place, place);
        if self.has_atomic_blocks {
            self.move_last(seat, stays, others);
        }
        if self.machine.atomic_flag.is_some() {
            let stepped = ThreadPart::Stepped;
            self.world.set_bit(after, seat, stepped, 0, yes);
            for &(other, _) in others {
                self.world.set_bit(after, other, stepped, 0, no);
            }
        }
        premises
    }

    /// A thread inside an atomic block that steps is the last to have done so. If the last leaves,
    /// any other inside may be the last.
    fn move_last(&mut self, seat: u32, stays: Lit, others: &[(u32, ProcId)]) {
        let (before, after) = (Moment::Before, Moment::After);
        let was_last = self.world.bit(before, seat, ThreadPart::Last, 0);
        self.world
            .set_bit(after, seat, ThreadPart::Inside, 0, stays);
        self.world.set_bit(after, seat, ThreadPart::Last, 0, stays);
        for &(other, _) in others {
            let inside = self.world.bit(before, other, ThreadPart::Inside, 0);
            let last = self.world.bit(before, other, ThreadPart::Last, 0);
            let bit = thread_bit(other, ThreadPart::Last, 0);
            self.world.state.set_arbitrary(bit);
            let any = self.world.state.literal(after, bit);
            let circuit = &mut self.world.state.circuit;
            let heir = circuit.and(any, inside);
            let kept = circuit.ite(was_last, heir, last);
            let last = circuit.and(kept, !stays);
            self.world.state.set(after, bit, last);
        }
    }

    /// Whether atomic blocks and the flag permit a step; true where that is not known.
    fn permission(&mut self, stepper: Stepper, others: &[(u32, ProcId)]) -> Result<Lit, Rejected> {
        let flag = self.world.flag();
        let mut all = Vec::new();
        if let Some(flag) = flag.filter(|_| !stepper.init) {
            let stepped = ThreadPart::Stepped;
            let stepped = self.world.bit(Moment::Before, stepper.seat, stepped, 0);
            all.push(self.world.state.circuit.or(!flag, stepped));
        }
        if self.has_atomic_blocks {
            for &(other, entry) in others {
                let last = self.world.bit(Moment::Before, other, ThreadPart::Last, 0);
                let blocked = self.blocked(other, entry)?;
                let circuit = &mut self.world.state.circuit;
                let free = circuit.or(!last, blocked);
                all.push(match flag {
                    Some(flag) => circuit.or(free, flag),
                    None => free,
                });
            }
        }
        Ok(self.world.state.circuit.all(all))
    }

    /// Where a thread cannot step, and where that is not easily said.
    fn blocked(&mut self, seat: u32, entry: ProcId) -> Result<Lit, Rejected> {
        let mut ways = Vec::new();
        for node in self.nodes(entry) {
            self.ask()?;
            let enabled = self.enabled(seat, node);
            if enabled != self.world.constant(false) {
                let here = self.world.is_number(seat, ThreadPart::Place, node.0 + 1);
                ways.push(self.world.state.circuit.and(here, enabled));
            }
        }
        Ok(!self.world.state.circuit.any(ways))
    }

    /// Where a thread can take a step from a node, except by edges with many choices that decide on
    /// it.
    fn enabled(&mut self, seat: u32, node: NodeId) -> Lit {
        let procedure = self.machine.procedure_of(node);
        if self.machine.procedure(procedure).exit == node {
            return self.world.constant(true);
        }
        let mut ways = Vec::new();
        for id in self.machine.edges_from(node) {
            let bits = self.world.edge(id);
            let inputs = deciding_inputs(self.machine, id).into_iter();
            let deciding: Vec<(InputId, u8)> = inputs
                .flat_map(|input| {
                    let width = self.machine.edge(id).inputs[input.index()].width();
                    (0..width as u8).map(move |bit| (input, bit))
                })
                .collect();
            if deciding.len() > MOST_CHOICE_BITS as usize {
                continue;
            }
            for choices in 0..1u64 << deciding.len() {
                self.world.begin_step();
                for (index, &(input, bit)) in deciding.iter().enumerate() {
                    let value = self.world.constant(choices >> index & 1 == 1);
                    self.world.state.set_choice(input, bit, value);
                }
                ways.push(self.world.take(seat, &bits));
            }
        }
        self.world.begin_step();
        self.world.state.circuit.any(ways)
    }

    /// The edge, if it is a call.
    fn call(&self, edge: Option<EdgeId>) -> Option<EdgeId> {
        edge.filter(|&edge| matches!(self.machine.edge(edge).action, Action::Call { .. }))
    }
}

/// The edge that is taken.
fn edge_of(deed: Deed) -> Option<EdgeId> {
    match deed {
        Deed::Edge(edge) => Some(edge),
        Deed::Return(_) | Deed::End => None,
    }
}
