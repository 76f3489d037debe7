//! A run of threads from the steps that each of them takes: the interpreter takes them and writes them down.

use crate::transform::NoWayBack;
use hardbop_interpreter::configuration::{initial, initial_slots};
use hardbop_interpreter::step::step_slots;
use hardbop_interpreter::{Move, Recorder, Slot, fold};
use hardbop_machine::Machine;
use hardbop_outcome::{Target, Trace};

/// A step of a thread.
pub(crate) struct ThreadStep {
    pub thread: u32,
    pub action: Move,
    /// The locals of the frame that a call makes.
    pub frame: Vec<u64>,
}

/// The first values of a thread.
#[derive(Clone, Default)]
pub(crate) struct Start {
    pub globals: Vec<u64>,
    pub locals: Vec<u64>,
}

/// What the first configuration leaves open.
pub(crate) struct Beginning {
    /// The shared globals.
    pub globals: Vec<u64>,
    /// Per thread.
    pub threads: Vec<Start>,
}

impl Beginning {
    /// The first value of a variable that is not determined; 0 for a thread that never ran.
    fn value(&self, slot: Slot) -> u64 {
        let start = |thread: u32| self.threads.get(thread as usize);
        let value = match slot {
            Slot::Shared(id) => self.globals.get(id.index()),
            Slot::Own { thread, global } => start(thread).and_then(|s| s.globals.get(global.index())),
            Slot::Local { thread, local, .. } => {
                start(thread).and_then(|s| s.locals.get(local.index()))
            }
        };
        value.copied().unwrap_or(0)
    }

    /// Has the interpreter take the steps one after the other.
    pub fn record(
        &self,
        machine: &Machine,
        steps: impl Iterator<Item = ThreadStep>,
        target: Option<Target>,
    ) -> Result<Trace, NoWayBack> {
        let first = initial_slots(machine);
        let first: Vec<u64> = first.iter().map(|&slot| self.value(slot)).collect();
        let mut recorder = Recorder::new(machine, initial(machine, &first));
        for step in steps {
            let slots = step_slots(machine, recorder.configuration(), step.thread, &step.action);
            let chosen = slots.iter().map(|&slot| match slot {
                Slot::Local { thread, local, .. } if thread == step.thread => {
                    step.frame.get(local.index()).copied().unwrap_or(0)
                }
                slot => self.value(slot),
            });
            let chosen: Vec<u64> = chosen.collect();
            let taken = recorder.step(step.thread, step.action.clone(), &chosen);
            taken.map_err(|error| {
                let (thread, action) = (step.thread, &step.action);
                NoWayBack::NotARun(format!("thread {thread} cannot do {action:?}: {error}"))
            })?;
        }
        let (mut trace, _) = recorder.finish();
        trace.target = target;
        fold(machine, &trace).map_err(|error| NoWayBack::NotARun(error.to_string()))
    }
}
