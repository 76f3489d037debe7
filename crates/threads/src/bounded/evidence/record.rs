//! Writes the run of the whole program down: the interpreter takes the steps of the threads in the
//! order of the schedule.

use crate::bounded::encoding::columns::Column;
use crate::bounded::evidence::tuples::{Unwinder, Values};
use crate::bounded::evidence::unwind::{Deed, ThreadRun};
use crate::bounded::search::levels::Search;
use crate::written::written;
use hardbop_interpreter::{Move, Recorder, Slot, initial, initial_slots, step_slots};
use hardbop_machine::{Machine, ProcId, Variable};
use hardbop_outcome::{Limit, Target, Trace};

/// The runs of all threads that take part, and when they run.
pub(crate) struct Runs {
    /// The thread of each context.
    pub(crate) contexts: Vec<usize>,
    /// The runs of the threads, in order of their start; nothing for those that take no part.
    pub(crate) threads: Vec<Option<ThreadRun>>,
    /// The run of `init`.
    pub(crate) init: Option<ThreadRun>,
    /// The shared globals at the start.
    pub(crate) start: Values,
}

impl Search<'_, '_> {
    /// Takes the steps of all threads in the order of the schedule, as far as they can be taken,
    /// and writes them down.
    pub(crate) fn assemble(&mut self, runs: &Runs, target: &Target) -> Result<Trace, Limit> {
        let machine = self.moves.columns.machine();
        let init_count = usize::from(machine.init.is_some());
        let run_of = |thread: u32| -> Option<&ThreadRun> {
            match (thread as usize).checked_sub(init_count) {
                None => runs.init.as_ref(),
                Some(number) => runs.threads.get(number)?.as_ref(),
            }
        };
        let unwinder = Unwinder {
            moves: &mut self.moves,
            path_edges: &mut self.path_edges,
            entries: &self.entries,
            incoming: &self.incoming,
            interrupt: self.limits.interrupt,
        };
        let of_slot = |slot: Slot| -> u64 {
            let word = |values: &Values, procedure, variable, column| {
                unwinder.word(procedure, variable, values, column)
            };
            match slot {
                Slot::Shared(global) => word(
                    &runs.start,
                    ProcId(0),
                    Variable::Global(global),
                    Column::Boundary(0),
                ),
                Slot::Own { thread, global } => run_of(thread).map_or(0, |run| {
                    word(&run.start, ProcId(0), Variable::Global(global), Column::Now)
                }),
                Slot::Local {
                    thread,
                    procedure,
                    local,
                } => run_of(thread).map_or(0, |run| {
                    word(&run.start, procedure, Variable::Local(local), Column::Now)
                }),
            }
        };
        let start: Vec<u64> = initial_slots(machine).into_iter().map(of_slot).collect();
        let mut recorder = Recorder::new(machine, initial(machine, &start));
        let mut rest: Vec<std::slice::Iter<'_, Deed>> = Vec::new();
        let mut goes_on = true;
        if let Some(init) = &runs.init {
            goes_on = take_steps(machine, &mut recorder, 0, &mut init.deeds.iter(), &of_slot);
        }
        for run in &runs.threads {
            rest.push(run.as_ref().map_or([].iter(), |run| run.deeds.iter()));
        }
        for &thread in &runs.contexts {
            let number = (thread + init_count) as u32;
            goes_on = goes_on
                && runs.threads[thread].is_some()
                && take_steps(machine, &mut recorder, number, &mut rest[thread], &of_slot);
        }
        written(recorder, Some(target))
    }
}

/// Takes the steps of a thread up to its next interruption; whether all could be taken.
fn take_steps(
    machine: &Machine,
    recorder: &mut Recorder<'_>,
    thread: u32,
    deeds: &mut std::slice::Iter<'_, Deed>,
    of_slot: &dyn Fn(Slot) -> u64,
) -> bool {
    for deed in deeds {
        let (step, locals) = match deed {
            Deed::Switch => return true,
            Deed::Return => (Move::Return, &[][..]),
            Deed::Edge {
                edge,
                inputs,
                locals,
            } => {
                let (edge, inputs) = (*edge, inputs.clone());
                (Move::Edge { edge, inputs }, locals.as_slice())
            }
        };
        let slots = step_slots(machine, recorder.configuration(), thread, &step);
        let chosen = slots.into_iter().map(|slot| match slot {
            Slot::Local {
                thread: new, local, ..
            } if new == thread => locals.get(local.index()).copied().unwrap_or(0),
            slot => of_slot(slot),
        });
        let chosen: Vec<u64> = chosen.collect();
        if recorder.step(thread, step, &chosen).is_err() {
            return false;
        }
    }
    true
}
