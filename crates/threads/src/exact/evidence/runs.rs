//! A run with all its values, taken by the interpreter and written down as a replayable trace.
//!
//! The interpreter needs only to be told what is not determined: choices, and the first values of
//! variables.

use crate::exact::encoding::components::{GlobalIndex, Kind};
use crate::written::written;
use hardbop_interpreter::{
    Configuration, Move, Recorder, Slot, initial, initial_slots, step_slots,
};
use hardbop_machine::{EdgeId, Machine};
use hardbop_outcome::{Limit, Target, Trace};

/// A configuration in which everything has a value.
#[derive(Clone)]
pub(crate) struct Concrete {
    /// The shared globals.
    pub(crate) shared: Vec<u64>,
    /// The threads.
    pub(crate) threads: Vec<ConcreteThread>,
}

/// A thread in which everything has a value.
#[derive(Clone)]
pub(crate) struct ConcreteThread {
    /// Where it is; 0 if it does not run.
    pub(crate) place: u32,
    /// Its own globals.
    pub(crate) own: Vec<u64>,
    /// The locals of its frames.
    pub(crate) row: Vec<u64>,
}

/// A step that was taken.
pub(crate) struct Taken {
    /// By whom.
    pub(crate) thread: u32,
    /// The edge; none for a return.
    pub(crate) edge: Option<EdgeId>,
    /// Its choices.
    pub(crate) inputs: Vec<u64>,
    /// The configuration after it.
    pub(crate) after: Concrete,
}

/// Steps with all their values.
pub(crate) struct ConcreteRun<'r> {
    /// The machine.
    pub(crate) machine: &'r Machine,
    /// Where its globals lie.
    pub(crate) globals: &'r GlobalIndex,
    /// The kinds of its threads.
    pub(crate) kinds: &'r [Kind],
    /// Per thread its kind.
    pub(crate) kind_of: &'r [usize],
    /// The configuration before the first step.
    pub(crate) first: Concrete,
    /// The steps.
    pub(crate) steps: Vec<Taken>,
}

impl<'r> ConcreteRun<'r> {
    /// The run to a target, or why it cannot be written down.
    pub(crate) fn trace(&self, target: Option<&Target>) -> Result<Trace, Limit> {
        written(self.recorded(self.steps.len(), |_, _| ()), target)
    }

    /// Has the interpreter take the first steps, as far as they can be taken; `see` is shown the
    /// configuration after each, with the number of steps before it, and the first one.
    pub(crate) fn recorded(
        &self,
        steps: usize,
        mut see: impl FnMut(usize, &Configuration),
    ) -> Recorder<'r> {
        let machine = self.machine;
        let values: Vec<u64> = initial_slots(machine)
            .into_iter()
            .map(|slot| self.value(&self.first, slot, None))
            .collect();
        let mut recorder = Recorder::new(machine, initial(machine, &values));
        see(0, recorder.configuration());
        let mut before = &self.first;
        for (number, taken) in (1..).zip(&self.steps[..steps]) {
            let thread = taken.thread as usize;
            let step = match taken.edge {
                None => Move::Return,
                Some(edge) => Move::Edge {
                    edge,
                    inputs: taken.inputs.clone(),
                },
            };
            let inlined = &self.kinds[self.kind_of[thread]].inlined;
            let frame = inlined.locate(machine, before.threads[thread].place);
            let call = frame.map(|(frame, _)| frame).zip(taken.edge);
            let is_own =
                |slot: Slot| matches!(slot, Slot::Local { thread, .. } if thread == taken.thread);
            let chosen: Vec<u64> =
                step_slots(machine, recorder.configuration(), taken.thread, &step)
                    .into_iter()
                    .map(|slot| self.value(&taken.after, slot, call.filter(|_| is_own(slot))))
                    .collect();
            if recorder.step(taken.thread, step, &chosen).is_err() {
                break;
            }
            see(number, recorder.configuration());
            before = &taken.after;
        }
        recorder
    }

    /// The value that a configuration gives to a variable which is not determined; anything if the
    /// variable does not matter.
    fn value(&self, now: &Concrete, slot: Slot, call: Option<(u32, EdgeId)>) -> u64 {
        let value = match slot {
            Slot::Shared(id) => now.shared.get(self.globals.position(id)),
            Slot::Own { thread, global } => {
                let own = &now.threads[thread as usize].own;
                own.get(self.globals.position(global))
            }
            Slot::Local {
                thread,
                procedure,
                local,
            } => {
                let kind = &self.kinds[self.kind_of[thread as usize]];
                let callee = call.and_then(|(frame, edge)| kind.inlined.callee(frame, edge));
                let frame = callee.or_else(|| kind.inlined.root(procedure));
                let start = kind.row_starts[frame.unwrap_or_default() as usize];
                now.threads[thread as usize].row.get(start + local.index())
            }
        };
        value.copied().unwrap_or(0)
    }
}
