//! The second condition: every step of the thread that has the turn leads into the relation of the
//! turn after it.

use super::InterleavedChecker;
use super::world::{Moment, Scope, thread_bit, variable_bit};
use crate::rejected::{Condition, Rejected};
use hardbop_evidence::certificate::{MOST_CHOICE_BITS, ThreadPart, Turn};
use hardbop_machine::analysis::variables::deciding_inputs;
use hardbop_machine::bits::BitEdge;
use hardbop_machine::{
    Action, EdgeId, GlobalId, InputId, LocalId, NodeId, Storage, ThreadStart, Variable,
};
use hardbop_sat::Lit;

impl InterleavedChecker<'_, '_, '_> {
    /// Checks all steps from a place.
    pub(super) fn steps_from(
        &mut self,
        turn: &Turn,
        relation: u32,
        place: u32,
    ) -> Result<(), Rejected> {
        let cast = self.cast;
        let inlined = &cast.member(turn.thread).inlined;
        let Some((number, node)) = inlined.locate(self.machine, place) else {
            return Ok(());
        };
        self.world.begin();
        self.world.set_place(Moment::Before, turn.thread, place);
        let before = self.world.formula(relation, Moment::Before);
        let never = self.world.constant(false);
        if before == never {
            // The thread is never there, so all steps from there are in order.
            return self.require(Condition::StepIsReached, node, &[before], never);
        }
        let permitted = self.permission(turn)?;
        let premises = [before, permitted];
        let scope = Scope {
            thread: turn.thread,
            frame: &inlined.frames()[number as usize],
        };
        if self.machine.procedure(scope.frame.procedure).exit == node {
            return self.check_return(turn, scope, node, premises);
        }
        for edge in self.machine.edges_from(node) {
            self.check_edge(turn, number, edge, premises)?;
        }
        Ok(())
    }

    fn check_edge(
        &mut self,
        turn: &Turn,
        number: u32,
        id: EdgeId,
        premises: [Lit; 2],
    ) -> Result<(), Rejected> {
        let cast = self.cast;
        let inlined = &cast.member(turn.thread).inlined;
        let scope = Scope {
            thread: turn.thread,
            frame: &inlined.frames()[number as usize],
        };
        let edge = self.machine.edge(id);
        self.world.begin_step();
        let bits = self.world.edge(id);
        let taken = self.take(scope, &bits);
        let mut after = turn.clone();
        let mut to = inlined.place(self.machine, number, edge.to);
        let is_inside = turn.atomic.contains(&turn.thread);
        let mut stays_inside = is_inside;
        match &edge.action {
            Action::Call { .. } => {
                let callee = inlined.callee(number, id);
                let callee = callee.expect("every call in a frame has a frame");
                let frame = &inlined.frames()[callee as usize];
                let entry = self.machine.procedure(frame.procedure).entry;
                self.new_frame(scope, &bits, Scope { frame, ..scope });
                to = inlined.place(self.machine, callee, entry);
            }
            Action::StartThread(start) => {
                after.started += 1;
                if turn.started < self.cast.len() {
                    self.start(scope, &bits, start, turn.started);
                }
            }
            Action::EndThread => {
                to = 0;
                stays_inside = false;
                self.end(turn, &mut after);
            }
            Action::AtomicBegin => stays_inside = true,
            Action::AtomicEnd => stays_inside = false,
            _ => {}
        }
        self.world.set_place(Moment::After, turn.thread, to);
        move_last(&mut after.atomic, turn.thread, stays_inside);
        let inside = self.relation(&after, Moment::After);
        let premises = [premises[0], premises[1], taken];
        self.require(Condition::StepIsReached, edge.from, &premises, inside)
    }

    /// The return at the exit of a frame, or the end of the thread.
    fn check_return(
        &mut self,
        turn: &Turn,
        scope: Scope<'_>,
        node: NodeId,
        premises: [Lit; 2],
    ) -> Result<(), Rejected> {
        self.world.begin_step();
        let mut after = turn.clone();
        let mut stays_inside = turn.atomic.contains(&turn.thread);
        let cast = self.cast;
        let inlined = &cast.member(turn.thread).inlined;
        let to = match scope.frame.caller {
            None => {
                stays_inside = false;
                self.end(turn, &mut after);
                0
            }
            Some((caller, call)) => {
                let outer = Scope {
                    frame: &inlined.frames()[caller as usize],
                    ..scope
                };
                for result in self.world.edge(call).results {
                    let bit = u32::from(result.bit);
                    let local = Variable::Local(result.result);
                    let value = variable_bit(self.machine, scope, local, bit);
                    let value = self.world.state.literal(Moment::Before, value);
                    let target = variable_bit(self.machine, outer, result.target, bit);
                    self.world.state.set(Moment::After, target, value);
                }
                inlined.place(self.machine, caller, self.machine.edge(call).to)
            }
        };
        self.world.set_place(Moment::After, turn.thread, to);
        move_last(&mut after.atomic, turn.thread, stays_inside);
        let inside = self.relation(&after, Moment::After);
        self.require(Condition::StepIsReached, node, &premises, inside)
    }

    /// Assigns what an edge assigns; gives the condition under which it can be taken.
    fn take(&mut self, scope: Scope<'_>, edge: &BitEdge) -> Lit {
        let guard = self.world.edge_formula(scope, edge.guard);
        for write in &edge.assignments {
            let value = self.world.edge_formula(scope, write.value);
            let bit = variable_bit(self.machine, scope, write.variable, u32::from(write.bit));
            self.world.state.set(Moment::After, bit, value);
        }
        // It may speak of the state after the step, which is known only now.
        let constrain = self.world.edge_formula(scope, edge.constrain);
        self.world.state.circuit.and(guard, constrain)
    }

    /// The locals of a new frame: parameters as passed, the others arbitrary.
    fn new_frame(&mut self, scope: Scope<'_>, edge: &BitEdge, new: Scope<'_>) {
        for bit in new.frame.bits() {
            let bit = thread_bit(new.thread, ThreadPart::Row, bit);
            self.world.state.set_arbitrary(bit);
        }
        for argument in &edge.arguments {
            let value = self.world.edge_formula(scope, argument.value);
            let bit = u32::from(argument.bit);
            let bit = variable_bit(self.machine, new, argument.variable, bit);
            self.world.state.set(Moment::After, bit, value);
        }
    }

    /// Another thread starts with a copy of this one's globals, and with its frame if it starts at
    /// a node.
    fn start(&mut self, scope: Scope<'_>, edge: &BitEdge, start: &ThreadStart, thread: u32) {
        let cast = self.cast;
        let inlined = &cast.member(thread).inlined;
        let node = match *start {
            ThreadStart::Node(node) => node,
            ThreadStart::Procedure { callee, .. } => self.machine.procedure(callee).entry,
        };
        let root = inlined.root(self.machine.procedure_of(node));
        let root = root.expect("every procedure that a thread may begin in is a root");
        let frame = &inlined.frames()[root as usize];
        let new = Scope { thread, frame };
        self.new_frame(scope, edge, new);
        let place = inlined.place(self.machine, root, node);
        self.world.set_place(Moment::After, thread, place);
        let mut copied: Vec<(Variable, u32)> = Vec::new();
        for (index, global) in self.machine.globals.iter().enumerate() {
            if global.storage == Storage::PerThread {
                copied.push((Variable::Global(GlobalId::new(index)), global.ty.width()));
            }
        }
        if let ThreadStart::Node(_) = start {
            let locals = &self.machine.procedure(frame.procedure).locals;
            let locals = locals.iter().enumerate();
            copied
                .extend(locals.map(|(index, local)| {
                    (Variable::Local(LocalId::new(index)), local.ty.width())
                }));
        }
        for (variable, width) in copied {
            for bit in 0..width {
                let original = variable_bit(self.machine, scope, variable, bit);
                let value = self.world.state.literal(Moment::Before, original);
                let copy = variable_bit(self.machine, new, variable, bit);
                self.world.state.set(Moment::After, copy, value);
            }
        }
    }

    /// The thread ends. If it is `init`, all others start; whatever is arbitrary about them is.
    fn end(&mut self, turn: &Turn, after: &mut Turn) {
        if !self.cast.has_init || turn.thread != 0 {
            return;
        }
        after.started = self.cast.initial;
        for thread in self.cast.instances() {
            let parts = 0..self.cast.member(thread).inlined.row_bits();
            for bit in parts {
                let bit = thread_bit(thread, ThreadPart::Row, bit);
                self.world.state.set_arbitrary(bit);
            }
            self.world.start_declared(Moment::After, thread);
        }
    }

    /// Whether atomic blocks of others permit a step; true where that is not easily said.
    fn permission(&mut self, turn: &Turn) -> Result<Lit, Rejected> {
        let holder = match turn.atomic.last() {
            Some(&holder) if holder != turn.thread => holder,
            _ => return Ok(self.world.constant(true)),
        };
        let mut can_step = Vec::new();
        for place in 1..self.cast.member(holder).inlined.place_count() {
            self.ask()?;
            let enabled = self.enabled(holder, place);
            if enabled != self.world.constant(false) {
                let here = self.world.at(holder, place);
                can_step.push(self.world.state.circuit.and(here, enabled));
            }
        }
        let blocked = !self.world.state.circuit.any(can_step);
        Ok(match self.world.flag() {
            Some(flag) => self.world.state.circuit.or(blocked, flag),
            None => blocked,
        })
    }

    /// Where a thread can take a step from a place, except by edges with many choices that decide on it.
    fn enabled(&mut self, thread: u32, place: u32) -> Lit {
        let cast = self.cast;
        let inlined = &cast.member(thread).inlined;
        let Some((number, node)) = inlined.locate(self.machine, place) else {
            return self.world.constant(false);
        };
        let frame = &inlined.frames()[number as usize];
        if self.machine.procedure(frame.procedure).exit == node {
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
                    self.world.set_choice(input, bit, choices >> index & 1 == 1);
                }
                ways.push(self.take(Scope { thread, frame }, &bits));
            }
        }
        self.world.begin_step();
        self.world.state.circuit.any(ways)
    }
}

/// Whoever steps inside an atomic block is the last to have done so.
fn move_last(atomic: &mut Vec<u32>, thread: u32, stays_inside: bool) {
    atomic.retain(|&other| other != thread);
    if stays_inside {
        atomic.push(thread);
    }
}
