//! Small steps: a thread takes an edge or returns.
//!
//! [`take`] either changes the configuration as [`hardbop_machine::ir`] says or leaves it alone and
//! says why not. It does not ask whose turn it is; that is [`crate::scheduler`]'s question.

use crate::configuration::{Configuration, Frame, Origin, Slot, ThreadState, push_instance_slots};
use crate::fire::{Fired, fire};
use hardbop_machine::{Action, EdgeId, Machine, ProcId, ThreadStart, Type, Variable};
use std::ops::Range;

/// What a thread does in one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Takes an edge with these values of its inputs.
    Edge {
        /// The edge.
        edge: EdgeId,
        /// Values of its inputs.
        inputs: Vec<u64>,
    },
    /// Returns from the running procedure, or ends the thread if that is its last frame.
    Return,
}

/// Why a step cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// There is no such thread, or it has ended.
    #[error("thread {0} is not running")]
    NotRunning(u32),
    /// The edge starts somewhere else.
    #[error("edge {} does not start where the procedure is", .0.0)]
    WrongEdge(EdgeId),
    /// Only a procedure at its exit returns.
    #[error("a procedure that has not come to its end cannot return")]
    NotAtExit,
    /// The guard is false.
    #[error("the condition of the statement does not hold")]
    Guard,
    /// The `constrain` clause is false.
    #[error("the `constrain` clause does not hold")]
    Constrain,
    /// Too many or too few values of inputs.
    #[error("{given} choices are given where the statement has {needed}")]
    InputCount {
        /// Values given.
        given: usize,
        /// Inputs of the edge.
        needed: usize,
    },
    /// Too many or too few values of uninitialised variables.
    #[error("{given} initial values are given for {needed} variables")]
    SlotCount {
        /// Values given.
        given: usize,
        /// Variables to choose.
        needed: usize,
    },
    /// A value is not one of its type.
    #[error("{value} is not a value of type {ty}")]
    Value {
        /// The value.
        value: u64,
        /// The type.
        ty: Type,
    },
}

/// What a step has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The procedure whose locals `changes` speaks of: the one that runs after the step, or the one
    /// that ran last.
    pub scope: ProcId,
    /// The variables whose value has changed, with the new one. After a call these are the
    /// parameters of the callee.
    pub changes: Vec<(Variable, u64)>,
    /// Values of a `print`.
    pub printed: Vec<u64>,
    /// Numbers of the threads that the step has started.
    pub started: Range<u32>,
}

/// What has to be chosen for a step besides its inputs: the uninitialised locals of a new frame,
/// all that is arbitrary in the threads that start when `init` ends.
pub fn step_slots(
    machine: &Machine,
    configuration: &Configuration,
    thread: u32,
    step: &Move,
) -> Vec<Slot> {
    let started = configuration.threads.len() as u32;
    let mut slots = Vec::new();
    match step {
        Move::Edge { edge, .. } => match machine.edge(*edge).action {
            Action::Call { callee, .. } => push_uninitialised(machine, thread, callee, &mut slots),
            Action::StartThread(ThreadStart::Procedure { callee, .. }) => {
                push_uninitialised(machine, started, callee, &mut slots);
            }
            Action::EndThread if configuration.in_init && thread == 0 => {
                push_instance_slots(machine, started, &mut slots);
            }
            _ => {}
        },
        Move::Return => {
            let frames = configuration
                .threads
                .get(thread as usize)
                .map_or(0, |t| t.stack.len());
            if configuration.in_init && thread == 0 && frames == 1 {
                push_instance_slots(machine, started, &mut slots);
            }
        }
    }
    slots
}

fn push_uninitialised(machine: &Machine, thread: u32, procedure: ProcId, slots: &mut Vec<Slot>) {
    let callee = machine.procedure(procedure);
    let locals = callee
        .local_ids()
        .skip(callee.parameter_count as usize)
        .map(|local| Slot::Local {
            thread,
            procedure,
            local,
        });
    slots.extend(locals);
}

/// Takes a step. `chosen` has one value for each of [`step_slots`], in order. On an error nothing
/// is changed.
pub fn take(
    machine: &Machine,
    configuration: &mut Configuration,
    thread: u32,
    step: &Move,
    chosen: &[u64],
) -> Result<Effect, StepError> {
    let top = configuration
        .top(thread)
        .ok_or(StepError::NotRunning(thread))?;
    let procedure = machine.procedure_of(top.node);
    let fired = match step {
        Move::Return if machine.procedure(procedure).exit != top.node => {
            return Err(StepError::NotAtExit);
        }
        Move::Return => Fired::default(),
        Move::Edge { edge, inputs } => {
            if !machine.node(top.node).edges.contains(&edge.0) {
                return Err(StepError::WrongEdge(*edge));
            }
            let read = |variable| configuration.read(machine, thread, variable);
            fire(machine, *edge, inputs, read)?
        }
    };
    check_chosen(
        machine,
        &step_slots(machine, configuration, thread, step),
        chosen,
    )?;
    let threads_before = configuration.threads.len() as u32;
    let mut effect = Effect {
        scope: procedure,
        changes: Vec::new(),
        printed: Vec::new(),
        started: threads_before..threads_before,
    };
    match step {
        Move::Return => configuration.pop_frame(machine, thread, chosen, &mut effect),
        Move::Edge { edge, .. } => {
            configuration.apply(machine, thread, *edge, fired, chosen, &mut effect);
        }
    }
    configuration.note_step(machine, thread);
    effect.started.end = configuration.threads.len() as u32;
    Ok(effect)
}

fn check_chosen(machine: &Machine, slots: &[Slot], chosen: &[u64]) -> Result<(), StepError> {
    if slots.len() != chosen.len() {
        return Err(StepError::SlotCount {
            given: chosen.len(),
            needed: slots.len(),
        });
    }
    for (slot, &value) in slots.iter().zip(chosen) {
        let ty = slot.ty(machine);
        if !ty.holds(value) {
            return Err(StepError::Value { value, ty });
        }
    }
    Ok(())
}

impl Configuration {
    /// Writes variables of the running frame and notes those that change.
    pub(crate) fn write(
        &mut self,
        machine: &Machine,
        thread: u32,
        writes: &[(Variable, u64)],
        effect: &mut Effect,
    ) {
        for &(variable, value) in writes {
            if self.read(machine, thread, variable) != value {
                effect.changes.push((variable, value));
            }
            match variable {
                Variable::Global(id) => self.set_global(machine, thread, id, value),
                Variable::Local(id) => self.top_mut(thread).locals[id.index()] = value,
            }
        }
    }

    pub(crate) fn top_mut(&mut self, thread: u32) -> &mut Frame {
        let stack = &mut self.threads[thread as usize].stack;
        stack.last_mut().expect("the thread that steps is running")
    }

    /// Does what an edge does, after its conditions and the chosen values have been checked.
    fn apply(
        &mut self,
        machine: &Machine,
        thread: u32,
        edge: EdgeId,
        fired: Fired,
        chosen: &[u64],
        effect: &mut Effect,
    ) {
        effect.printed = fired.printed;
        self.write(machine, thread, &fired.writes, effect);
        let Action::Call { callee, .. } = machine.edge(edge).action else {
            self.top_mut(thread).node = machine.edge(edge).to;
            return self.apply_to_threads(machine, thread, edge, fired.arguments, chosen);
        };
        effect.scope = callee;
        let parameters = machine.procedure(callee).parameters().map(Variable::Local);
        effect.changes = parameters.zip(fired.arguments.iter().copied()).collect();
        self.top_mut(thread).waiting = Some(edge);
        let frame = new_frame(machine, callee, fired.arguments, chosen);
        self.threads[thread as usize].stack.push(frame);
    }

    /// Starting and ending threads, entering and leaving atomic blocks.
    fn apply_to_threads(
        &mut self,
        machine: &Machine,
        thread: u32,
        edge: EdgeId,
        arguments: Vec<u64>,
        chosen: &[u64],
    ) {
        match &machine.edge(edge).action {
            Action::StartThread(start) => {
                let frame = match *start {
                    ThreadStart::Node(node) => Frame {
                        node,
                        ..self.top_mut(thread).clone()
                    },
                    ThreadStart::Procedure { callee, .. } => {
                        new_frame(machine, callee, arguments, chosen)
                    }
                };
                self.threads.push(ThreadState {
                    origin: Origin::Started {
                        procedure: machine.procedure_of(frame.node),
                    },
                    own: self.threads[thread as usize].own.clone(),
                    stack: vec![frame],
                });
            }
            Action::EndThread => self.end_thread(machine, thread, chosen),
            Action::AtomicBegin if !self.atomic.contains(&thread) => self.atomic.push(thread),
            Action::AtomicEnd => self.atomic.retain(|&other| other != thread),
            _ => {}
        }
    }

    /// Returns: the waiting call's targets get the results.
    fn pop_frame(&mut self, machine: &Machine, thread: u32, chosen: &[u64], effect: &mut Effect) {
        let stack = &mut self.threads[thread as usize].stack;
        let popped = stack.pop().expect("the thread that steps is running");
        let Some(caller) = stack.last_mut() else {
            return self.end_thread(machine, thread, chosen);
        };
        let call = caller
            .waiting
            .take()
            .expect("a frame below another waits for its call");
        caller.node = machine.edge(call).to;
        effect.scope = machine.procedure_of(caller.node);
        let results = machine
            .procedure(machine.procedure_of(popped.node))
            .results();
        let results: Vec<u64> = results.map(|id| popped.locals[id.index()]).collect();
        self.write_results(machine, thread, call, &results, effect);
    }

    /// Assigns the results of a call to its targets.
    fn write_results(
        &mut self,
        machine: &Machine,
        thread: u32,
        call: EdgeId,
        results: &[u64],
        effect: &mut Effect,
    ) {
        let writes = returned(machine, call, results);
        self.write(machine, thread, &writes, effect);
    }

    /// Ends a thread; when `init` ends, all others start.
    fn end_thread(&mut self, machine: &Machine, thread: u32, chosen: &[u64]) {
        self.threads[thread as usize].stack.clear();
        self.atomic.retain(|&other| other != thread);
        if self.in_init && thread == 0 {
            self.in_init = false;
            self.start_instances(machine, &mut chosen.iter().copied());
        }
    }

    /// Keeps the books of the scheduler after a step of a thread.
    pub(crate) fn note_step(&mut self, machine: &Machine, thread: u32) {
        if let Some(place) = self.atomic.iter().position(|&other| other == thread) {
            self.atomic.remove(place);
            self.atomic.push(thread);
        }
        let init_has_ended = machine.init.is_some() && !self.in_init && thread == 0;
        self.flag_owner = machine
            .atomic_flag
            .filter(|flag| self.shared[flag.index()] == 1 && !init_has_ended)
            .map(|_| thread);
    }
}

/// What a call assigns when its callee has these results.
pub fn returned(machine: &Machine, call: EdgeId, results: &[u64]) -> Vec<(Variable, u64)> {
    let Action::Call { targets, .. } = &machine.edge(call).action else {
        return Vec::new();
    };
    let assigned = targets.iter().zip(results);
    assigned
        .filter_map(|(target, &value)| target.map(|variable| (variable, value)))
        .collect()
}

fn new_frame(machine: &Machine, callee: ProcId, arguments: Vec<u64>, chosen: &[u64]) -> Frame {
    let mut locals = arguments;
    locals.extend_from_slice(chosen);
    debug_assert_eq!(locals.len(), machine.procedure(callee).locals.len());
    Frame {
        node: machine.procedure(callee).entry,
        locals,
        waiting: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{initial, initial_slots};
    use crate::test_programs::machine;
    use hardbop_machine::GlobalId;

    /// Runs thread 0 along first edges until it ends; every input and uninitialised variable is
    /// `value`.
    fn run(machine: &Machine, value: u64) -> Configuration {
        let start = vec![value; initial_slots(machine).len()];
        let mut configuration = initial(machine, &start);
        while let Some(top) = configuration.top(0) {
            let step = match machine.edges_from(top.node).next() {
                Some(edge) => Move::Edge {
                    edge,
                    inputs: vec![value; machine.edge(edge).inputs.len()],
                },
                None => Move::Return,
            };
            let slots = step_slots(machine, &configuration, 0, &step).len();
            take(machine, &mut configuration, 0, &step, &vec![value; slots]).unwrap();
        }
        configuration
    }

    #[test]
    fn parallel_assignment_reads_before_it_writes() {
        let machine =
            machine("decl a := 0, b := 1; void main() begin a, b := b, a; a, b := b, a | b; end");
        assert_eq!(run(&machine, 0).shared, [0, 1]);
    }

    #[test]
    fn results_reach_the_targets_and_parameters_are_copies() {
        let machine = machine(
            "decl a := 1, b, c; void main() begin b, c := f(a); end
             bool<2> f(x) begin x := !x; return x, !x; end",
        );
        assert_eq!(run(&machine, 0).shared, [1, 0, 1]);
    }

    #[test]
    fn uninitialised_locals_are_chosen_at_each_call() {
        let machine =
            machine("decl g; void main() begin g := f(); end bool f() begin decl x; return x; end");
        assert_eq!(run(&machine, 0).shared, [0]);
        assert_eq!(run(&machine, 1).shared, [1]);
    }

    #[test]
    fn a_step_that_cannot_be_taken_says_why_and_changes_nothing() {
        let machine = machine("decl g := 0; void main() begin g := * constrain 'g; end");
        let before = initial(&machine, &[]);
        let mut after = before.clone();
        let edge = machine
            .edges_from(before.top(0).unwrap().node)
            .next()
            .unwrap();
        let mut attempt = |step: Move| take(&machine, &mut after, 0, &step, &[]).unwrap_err();
        let with = |inputs: &[u64]| Move::Edge {
            edge,
            inputs: inputs.to_vec(),
        };
        assert_eq!(attempt(with(&[0])), StepError::Constrain);
        assert_eq!(attempt(Move::Return), StepError::NotAtExit);
        assert!(matches!(attempt(with(&[])), StepError::InputCount { .. }));
        assert!(matches!(attempt(with(&[2])), StepError::Value { .. }));
        assert_eq!(after, before);
        take(&machine, &mut after, 0, &with(&[1]), &[]).unwrap();
        assert_eq!(after.global(&machine, 0, GlobalId(0)), 1);
    }
}
