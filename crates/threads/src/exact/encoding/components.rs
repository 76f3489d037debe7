//! The parts of a configuration, each stored once and known by its number.
//!
//! What a program does in a million configurations is put together from a few thousand states of
//! single threads and of the shared variables (Holzmann's *collapse* compression). So a
//! configuration is a short row of numbers: one for the shared variables, one for the schedule, one
//! per thread. A step of a thread looks at two of them, so it is computed once for all
//! configurations that agree on these two, and identical threads are exchanged by exchanging
//! numbers.

use crate::exact::search::evaluate::Value;
use crate::tables::Numbering;
use hardbop_machine::cast::Cast;
use hardbop_machine::inlined::Inlined;
use hardbop_machine::{GlobalId, Machine, Storage};
use std::sync::Arc;

/// The values of the shared globals, in the machine's order.
pub(crate) type Shared = Box<[Value]>;

/// The state of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Local {
    /// Where it is; 0 if it does not run.
    pub(crate) place: u32,
    /// Its own globals, in the machine's order.
    pub(crate) own: Vec<Value>,
    /// The locals of its frames, the first frame's first. Those of dead variables are undetermined.
    pub(crate) row: Vec<Value>,
}

impl Local {
    /// A thread that has ended or has not been started.
    pub(crate) fn absent() -> Self {
        Self {
            place: ABSENT,
            own: Vec::new(),
            row: Vec::new(),
        }
    }
}

/// The place, and the number, of a thread that does not run.
pub(crate) const ABSENT: u32 = 0;

/// Where globals lie: among the shared ones, or among a thread's own.
#[derive(Clone, Debug)]
pub(crate) struct GlobalIndex {
    position: Vec<usize>,
    /// The shared globals.
    pub(crate) shared: Vec<GlobalId>,
    /// The others.
    pub(crate) own: Vec<GlobalId>,
}

impl GlobalIndex {
    /// The globals of a machine.
    pub(crate) fn new(machine: &Machine) -> Self {
        let mut index = Self {
            position: Vec::new(),
            shared: Vec::new(),
            own: Vec::new(),
        };
        for (number, global) in machine.globals.iter().enumerate() {
            let list = match global.storage {
                Storage::Shared => &mut index.shared,
                Storage::PerThread => &mut index.own,
            };
            index.position.push(list.len());
            list.push(GlobalId::new(number));
        }
        index
    }

    /// The position of a global in its list.
    pub(crate) fn position(&self, id: GlobalId) -> usize {
        self.position[id.index()]
    }

    /// The values with which some globals start.
    pub(crate) fn initial(machine: &Machine, list: &[GlobalId]) -> Vec<Value> {
        list.iter().map(|&id| machine.global(id).initial).collect()
    }
}

/// Threads that run the same code and so share their tables.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// Their frames and places.
    pub(crate) inlined: Arc<Inlined>,
    /// Per frame where its locals start in [`Local::row`].
    pub(crate) row_starts: Vec<usize>,
    /// The states that have been met.
    pub(crate) locals: Numbering<Local>,
}

impl Kind {
    fn new(machine: &Machine, inlined: &Arc<Inlined>) -> Self {
        let mut row_starts: Vec<usize> = Vec::new();
        for frame in inlined.frames() {
            row_starts.push(frame.caller.map_or(0, |(caller, _)| {
                let procedure = inlined.frames()[caller as usize].procedure;
                row_starts[caller as usize] + machine.procedure(procedure).locals.len()
            }));
        }
        let mut locals = Numbering::default();
        locals.number(Local::absent());
        Self {
            inlined: Arc::clone(inlined),
            row_starts,
            locals,
        }
    }

    /// The kinds of a cast, and of which kind each thread is.
    pub(crate) fn of_cast(machine: &Machine, cast: &Cast) -> (Vec<Kind>, Vec<usize>) {
        let mut kinds: Vec<Kind> = Vec::new();
        let mut kind_of = Vec::new();
        for thread in 0..cast.len() {
            let inlined = &cast.member(thread).inlined;
            // Threads of one kind stand side by side in the cast.
            if !kinds
                .last()
                .is_some_and(|kind| Arc::ptr_eq(&kind.inlined, inlined))
            {
                kinds.push(Kind::new(machine, inlined));
            }
            kind_of.push(kinds.len() - 1);
        }
        (kinds, kind_of)
    }
}
