//! Takes steps and writes them down as a flat trace that replays.

use crate::configuration::Configuration;
use crate::replay::{ReplayError, replay};
use crate::step::{Effect, Move, StepError, take};
use hardbop_evidence::trace::{ThreadOrigin, VERSION};
use hardbop_evidence::{Segment, Step, Trace};
use hardbop_machine::{Action, Machine};

/// A run being made and written down: `Enter` and `Leave` steps, one segment per uninterrupted
/// stretch of a thread.
#[derive(Clone, Debug)]
pub struct Recorder<'a> {
    machine: &'a Machine,
    configuration: Configuration,
    trace: Trace,
}

impl<'a> Recorder<'a> {
    /// A run that starts in this initial configuration.
    pub fn new(machine: &'a Machine, initial: Configuration) -> Self {
        let trace = Trace {
            version: VERSION,
            program: machine.digest().to_owned(),
            target: None,
            globals: initial.shared.clone(),
            threads: Vec::new(),
            runs: Vec::new(),
            segments: Vec::new(),
        };
        let mut recorder = Self {
            machine,
            configuration: initial,
            trace,
        };
        recorder.record_origins();
        recorder
    }

    /// A run that goes on where a trace of the machine ends.
    pub fn resume(machine: &'a Machine, trace: &Trace) -> Result<Self, ReplayError> {
        let configuration = replay(machine, trace)?.last;
        let trace = Trace {
            target: None,
            ..trace.clone()
        };
        Ok(Self {
            machine,
            configuration,
            trace,
        })
    }

    /// The machine that runs.
    pub fn machine(&self) -> &'a Machine {
        self.machine
    }

    /// The state after the last step.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Takes a step; see [`take`].
    pub fn step(&mut self, thread: u32, step: Move, chosen: &[u64]) -> Result<Effect, StepError> {
        let effect = take(self.machine, &mut self.configuration, thread, &step, chosen)?;
        self.record_origins();
        let step = match step {
            Move::Return => Step::Leave,
            Move::Edge { edge, inputs } => match self.machine.edge(edge).action {
                Action::Call { .. } => {
                    let frame = self.configuration.top(thread);
                    Step::Enter {
                        edge,
                        inputs: inputs.into(),
                        locals: frame.map_or_else(Vec::new, |f| f.locals.clone()).into(),
                    }
                }
                _ => Step::Edge {
                    edge,
                    inputs: inputs.into(),
                },
            },
        };
        match self.trace.segments.last_mut() {
            Some(segment) if segment.thread == thread => segment.steps.push(step),
            _ => self.trace.segments.push(Segment {
                thread,
                steps: vec![step],
            }),
        }
        Ok(effect)
    }

    /// The trace, without target, and the state it ends in.
    pub fn finish(self) -> (Trace, Configuration) {
        (self.trace, self.configuration)
    }

    /// Writes down the initial values of threads that are new.
    fn record_origins(&mut self) {
        let known = self.trace.threads.len();
        let new = self.configuration.threads[known..].iter();
        self.trace.threads.extend(new.map(|thread| {
            ThreadOrigin {
                globals: thread.own.clone(),
                locals: thread
                    .stack
                    .first()
                    .map_or_else(Vec::new, |frame| frame.locals.clone()),
            }
        }));
    }
}
