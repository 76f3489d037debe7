//! A trace step by step, with the state after each: folded (a completed call is one step) or
//! expanded (the flat run).
//!
//! Both are lazy. The expanded walk keeps a stack of its own, so that the first thousand steps of a
//! run of 2^60 cost a thousand steps; the folded walk takes the effect of a completed call from the
//! table of checked runs.

use crate::configuration::Configuration;
use crate::replay::{Fault, Place, ReplayError, check_locals, check_target};
use crate::run_table::{CheckedRun, check_runs, match_call};
use crate::scheduler::may_step;
use crate::start::{check_origin, start, values_of_slots};
use crate::step::{Effect, Move, StepError, returned, step_slots, take};
use hardbop_evidence::{Step, Trace};
use hardbop_machine::{Action, EdgeId, GlobalId, Machine, NodeId, ThreadStart, Variable};

/// One step of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walked {
    /// The thread that takes it.
    pub thread: u32,
    /// How many frames lie below the running one before the step.
    pub depth: u32,
    /// Where the thread is before the step.
    pub node: NodeId,
    /// What it does.
    pub kind: WalkedKind,
    /// What the choices of its edge came out as.
    pub inputs: Vec<u64>,
    /// What has changed.
    pub effect: Effect,
    /// How many steps of the flat run this one stands for, saturating.
    pub flat_steps: u128,
}

/// What a step of a walk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkedKind {
    /// Takes an edge that is not a call.
    Edge(EdgeId),
    /// Takes a call edge, the callee's whole run and the return. Only in a folded walk.
    Call {
        /// The call edge.
        edge: EdgeId,
        /// Index into [`Trace::runs`].
        run: u32,
    },
    /// Takes a call edge; the callee's steps follow.
    Enter(EdgeId),
    /// Returns.
    Return,
}

/// Walks over a trace and checks every step. After an error it ends.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    machine: &'a Machine,
    trace: &'a Trace,
    checked: Vec<CheckedRun>,
    configuration: Configuration,
    segment: usize,
    step: usize,
    /// Completed calls that an expanded walk is inside of: run and next step.
    open: Vec<(u32, usize)>,
    /// How many more steps may be shown: a completed call that does not fit stays one step.
    room: u64,
}

impl<'a> Walk<'a> {
    /// A folded walk: a completed call is one step.
    pub fn new(machine: &'a Machine, trace: &'a Trace) -> Result<Self, ReplayError> {
        let configuration = start(machine, trace)?;
        Ok(Self {
            machine,
            trace,
            checked: check_runs(machine, trace)?,
            configuration,
            segment: 0,
            step: 0,
            open: Vec::new(),
            room: 0,
        })
    }

    /// An expanded walk: the flat run.
    pub fn expanded(machine: &'a Machine, trace: &'a Trace) -> Result<Self, ReplayError> {
        Self::expanded_within(machine, trace, u64::MAX)
    }

    /// A walk that writes completed calls out, in order, as long as it has at most this many steps;
    /// the calls that do not fit stay folded. It has more only if it has more with all calls folded.
    pub fn expanded_within(
        machine: &'a Machine,
        trace: &'a Trace,
        most: u64,
    ) -> Result<Self, ReplayError> {
        let walk = Self::new(machine, trace)?;
        let folded: usize = trace.segments.iter().map(|s| s.steps.len()).sum();
        Ok(Self {
            room: most.saturating_sub(folded as u64),
            ..walk
        })
    }

    /// The state after the last step that was walked.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// At the end of the walk: the target of the trace, if it has one, is reached.
    pub fn check_target(&self) -> Result<(), ReplayError> {
        match &self.trace.target {
            Some(target) => check_target(self.machine, target, &self.configuration),
            None => Ok(()),
        }
    }

    /// The state after the last step that was walked.
    pub(crate) fn into_configuration(self) -> Configuration {
        self.configuration
    }

    /// What the completed calls of the trace do.
    pub fn runs(&self) -> &[CheckedRun] {
        &self.checked
    }

    /// Takes the next step of the innermost open run, or its return.
    fn step_in_run(&mut self, thread: u32) -> Result<Walked, Fault> {
        let trace = self.trace;
        let (run, position) = self.open.last_mut().expect("the caller has found one");
        let Some(step) = trace.runs[*run as usize].steps.get(*position) else {
            self.open.pop();
            return self.small_step(thread, WalkedKind::Return, &Move::Return, &[]);
        };
        *position += 1;
        self.walk_step(thread, step)
    }

    fn walk_step(&mut self, thread: u32, step: &Step) -> Result<Walked, Fault> {
        let mut walked = self.take_step(thread, step)?;
        if let Step::Edge { inputs, .. } | Step::Call { inputs, .. } | Step::Enter { inputs, .. } =
            step
        {
            walked.inputs = inputs.to_vec();
        }
        Ok(walked)
    }

    fn take_step(&mut self, thread: u32, step: &Step) -> Result<Walked, Fault> {
        if let Step::Edge { edge, .. } | Step::Call { edge, .. } | Step::Enter { edge, .. } = step {
            self.check_edge(thread, *edge, matches!(step, Step::Edge { .. }))?;
        }
        let take_edge = |edge: EdgeId, inputs: &[u64]| Move::Edge {
            edge,
            inputs: inputs.to_vec(),
        };
        match step {
            Step::Edge { edge, inputs } => {
                let small = take_edge(*edge, inputs);
                let chosen = self.chosen_for_threads(thread, &small)?;
                self.small_step(thread, WalkedKind::Edge(*edge), &small, &chosen)
            }
            Step::Call { edge, inputs, run } => {
                self.match_run(thread, *edge, inputs, *run)?;
                let callee = &self.trace.runs[*run as usize];
                // The call takes the place of the folded step; its steps and the return come on top.
                match self.room.checked_sub(callee.steps.len() as u64 + 1) {
                    Some(room) => {
                        self.room = room;
                        self.open.push((*run, 0));
                        self.enter(thread, *edge, inputs, &callee.locals)
                    }
                    None => self.call(thread, *edge, *run),
                }
            }
            Step::Enter {
                edge,
                inputs,
                locals,
            } => self.enter(thread, *edge, inputs, locals),
            Step::Leave => {
                let chosen = self.chosen_for_threads(thread, &Move::Return)?;
                self.small_step(thread, WalkedKind::Return, &Move::Return, &chosen)
            }
        }
    }

    /// The edge starts where the thread is, and is a call only if the step is one.
    fn check_edge(&self, thread: u32, edge: EdgeId, plain: bool) -> Result<(), Fault> {
        let top = self.configuration.top(thread);
        let node = top.ok_or(StepError::NotRunning(thread))?.node;
        if !self.machine.node(node).edges.contains(&edge.0) {
            return Err(StepError::WrongEdge(edge).into());
        }
        let is_call = matches!(self.machine.edge(edge).action, Action::Call { .. });
        if is_call == plain {
            return Err(Fault::WrongKind);
        }
        Ok(())
    }

    /// Takes one small step.
    fn small_step(
        &mut self,
        thread: u32,
        kind: WalkedKind,
        step: &Move,
        chosen: &[u64],
    ) -> Result<Walked, Fault> {
        let before = self.before(thread)?;
        let effect = take(self.machine, &mut self.configuration, thread, step, chosen)?;
        for started in effect.started.clone() {
            check_origin(self.machine, self.trace, &self.configuration, started)?;
        }
        Ok(before.finish(kind, effect, 1))
    }

    fn before(&self, thread: u32) -> Result<Before, Fault> {
        let top = self.configuration.top(thread);
        Ok(Before {
            thread,
            node: top.ok_or(StepError::NotRunning(thread))?.node,
            depth: self.configuration.threads[thread as usize].stack.len() as u32 - 1,
        })
    }

    /// Enters a procedure whose locals have these values.
    fn enter(
        &mut self,
        thread: u32,
        edge: EdgeId,
        inputs: &[u64],
        locals: &[u64],
    ) -> Result<Walked, Fault> {
        let Action::Call { callee, .. } = self.machine.edge(edge).action else {
            return Err(Fault::WrongKind);
        };
        check_locals(self.machine, callee, locals)?;
        let (passed, chosen) =
            locals.split_at(self.machine.procedure(callee).parameter_count as usize);
        self.check_passed(thread, edge, inputs, passed)?;
        let step = Move::Edge {
            edge,
            inputs: inputs.to_vec(),
        };
        self.small_step(thread, WalkedKind::Enter(edge), &step, chosen)
    }

    /// The parameters in the trace are the arguments of the call or thread start.
    fn check_passed(
        &self,
        thread: u32,
        edge: EdgeId,
        inputs: &[u64],
        passed: &[u64],
    ) -> Result<(), Fault> {
        let read = |variable| self.configuration.read(self.machine, thread, variable);
        let fired = crate::fire::fire(self.machine, edge, inputs, read)?;
        let mut wrong = fired.arguments.iter().zip(passed).enumerate();
        let Some((index, (&value, &found))) = wrong.find(|(_, (a, b))| a != b) else {
            return Ok(());
        };
        let (Action::Call { callee, .. }
        | Action::StartThread(ThreadStart::Procedure { callee, .. })) =
            self.machine.edge(edge).action
        else {
            return Err(Fault::WrongKind);
        };
        Err(Fault::OtherEntry {
            variable: self.machine.procedure(callee).locals[index].name.clone(),
            value,
            found,
        })
    }

    /// Takes a completed call, which has been matched with its run, as one step.
    fn call(&mut self, thread: u32, edge: EdgeId, run: u32) -> Result<Walked, Fault> {
        let before = self.before(thread)?;
        let machine = self.machine;
        let callee = &self.checked[run as usize];
        let globals = (0..machine.globals.len()).map(|i| Variable::Global(GlobalId::new(i)));
        let mut writes: Vec<_> = globals.zip(callee.exit_globals.iter().copied()).collect();
        for (target, value) in returned(machine, edge, &callee.results) {
            match target {
                // A target's value replaces the one from the exit, so that each variable is written
                // once.
                Variable::Global(id) => writes[id.index()].1 = value,
                Variable::Local(_) => writes.push((target, value)),
            }
        }
        let threads = self.configuration.threads.len() as u32;
        let mut effect = Effect {
            scope: machine.procedure_of(before.node),
            changes: Vec::new(),
            printed: Vec::new(),
            started: threads..threads,
        };
        self.configuration
            .write(machine, thread, &writes, &mut effect);
        self.configuration.top_mut(thread).node = machine.edge(edge).to;
        match callee.atomic {
            Some(true) if !self.configuration.atomic.contains(&thread) => {
                self.configuration.atomic.push(thread);
            }
            Some(false) => self.configuration.atomic.retain(|&other| other != thread),
            _ => {}
        }
        self.configuration.note_step(machine, thread);
        let flat_steps = callee.flat_steps_of_call();
        Ok(before.finish(WalkedKind::Call { edge, run }, effect, flat_steps))
    }

    fn match_run(&self, thread: u32, edge: EdgeId, inputs: &[u64], run: u32) -> Result<(), Fault> {
        // Any step of the call might unblock a thread that waits inside an atomic block and so end
        // this one's turn.
        if self.configuration.another_is_atomic(thread) {
            return Err(Fault::FoldedInAtomic);
        }
        let read = |variable| self.configuration.read(self.machine, thread, variable);
        match_call(self.machine, edge, inputs, read, run, &self.trace.runs)
    }

    /// The arbitrary values of the threads that a step starts, from the trace.
    fn chosen_for_threads(&self, thread: u32, step: &Move) -> Result<Vec<u64>, Fault> {
        let slots = step_slots(self.machine, &self.configuration, thread, step);
        let started = self.configuration.threads.len() as u32;
        if let Move::Edge { edge, inputs } = step
            && let Action::StartThread(start) = &self.machine.edge(*edge).action
        {
            let origin = self.trace.threads.get(started as usize);
            let locals = &origin.ok_or(Fault::NoOrigin(started))?.locals;
            match start {
                ThreadStart::Procedure { callee, .. } => {
                    check_locals(self.machine, *callee, locals)?;
                    let count = self.machine.procedure(*callee).parameter_count as usize;
                    self.check_passed(thread, *edge, inputs, &locals[..count])?;
                }
                ThreadStart::Node(node) => {
                    let procedure = self.machine.procedure_of(*node);
                    check_locals(self.machine, procedure, locals)?;
                    let top = self.configuration.top(thread);
                    let parent = &top.ok_or(StepError::NotRunning(thread))?.locals;
                    let mut pairs = parent.iter().zip(locals).enumerate();
                    if let Some((index, (&value, &found))) = pairs.find(|(_, (a, b))| a != b) {
                        let names = &self.machine.procedure(procedure).locals;
                        return Err(Fault::OtherEntry {
                            variable: names[index].name.clone(),
                            value,
                            found,
                        });
                    }
                }
            }
        }
        values_of_slots(self.machine, self.trace, &slots)
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<Walked, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        let trace = self.trace;
        let (place, thread, step) = loop {
            let segment = trace.segments.get(self.segment)?;
            if let Some(&(run, step)) = self.open.last() {
                let step = step as u32;
                break (Place::Run { run, step }, segment.thread, None);
            }
            if let Some(step) = segment.steps.get(self.step) {
                let place = Place::Segment {
                    segment: self.segment as u32,
                    step: self.step as u32,
                };
                self.step += 1;
                break (place, segment.thread, Some(step));
            }
            self.segment += 1;
            self.step = 0;
        };
        let top = self.configuration.top(thread);
        let line = top.map(|frame| self.machine.line_of(frame.node));
        let result = match may_step(self.machine, &self.configuration, thread) {
            Ok(true) => match step {
                Some(step) => self.walk_step(thread, step),
                None => self.step_in_run(thread),
            },
            Ok(false) if top.is_none() => Err(StepError::NotRunning(thread).into()),
            Ok(false) => Err(Fault::NotItsTurn(thread)),
            Err(error) => Err(error.into()),
        };
        Some(result.map_err(|fault| {
            self.segment = trace.segments.len();
            ReplayError { place, line, fault }
        }))
    }
}

/// What is known of a step before it is taken.
struct Before {
    thread: u32,
    node: NodeId,
    depth: u32,
}

impl Before {
    fn finish(self, kind: WalkedKind, effect: Effect, flat_steps: u128) -> Walked {
        Walked {
            thread: self.thread,
            depth: self.depth,
            node: self.node,
            kind,
            inputs: Vec::new(),
            effect,
            flat_steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold;
    use crate::test_programs::{
        CONCURRENT, SEQUENTIAL, doubling, doubling_trace, machine, random_traces,
    };

    #[test]
    fn the_expanded_walk_of_a_folded_trace_is_the_flat_run() {
        for text in [SEQUENTIAL, CONCURRENT] {
            let machine = machine(text);
            for flat in random_traces(&machine, 50, 150) {
                let folded = fold(&machine, &flat).unwrap();
                let original: Vec<_> = Walk::new(&machine, &flat).unwrap().collect();
                let expanded: Vec<_> = Walk::expanded(&machine, &folded).unwrap().collect();
                assert_eq!(original, expanded);
            }
        }
    }

    #[test]
    fn calls_are_written_out_as_long_as_there_is_room() {
        let machine = doubling(60);
        let trace = doubling_trace(&machine);
        let count = |most: u64| {
            let walk = Walk::expanded_within(&machine, &trace, most).unwrap();
            let steps: Vec<Walked> = walk.map(Result::unwrap).collect();
            let flat: u128 = steps.iter().map(|step| step.flat_steps).sum();
            assert_eq!(flat, 5 * (1 << 60) - 4 + 2);
            steps.len()
        };
        assert_eq!(count(0), 1);
        for most in [4, 5, 50, 1000] {
            let steps = count(most);
            assert!(steps as u64 <= most, "{steps} of {most}");
            assert!(steps as u64 + 4 > most, "{steps} of {most}");
        }
    }

    #[test]
    fn the_first_steps_of_an_astronomic_run_are_cheap() {
        let machine = doubling(60);
        let trace = doubling_trace(&machine);
        let walk = Walk::expanded(&machine, &trace).unwrap();
        let deepest = walk.take(1000).map(|step| step.unwrap().depth).max();
        assert_eq!(deepest, Some(61));
    }
}
