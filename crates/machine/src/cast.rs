//! The threads of a concurrent program, each flattened ([`crate::inlined`]).
//!
//! Threads have the numbers of the trace: `init` first if there is one, then the instances of the
//! program's threads, then those that others start, in order of their start. Of the last there may
//! be any number; room is made for as many as the bound allows.

use crate::ids::ProcId;
use crate::inlined::{Inlined, NotInlined};
use crate::ir::{Action, ThreadStart};
use crate::machine::Machine;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A thread that unfolds to more places than this is not taken.
const PLACE_LIMIT: u32 = 200_000;

/// Every thread that may ever run.
#[derive(Clone, Debug)]
pub struct Cast {
    members: Vec<Member>,
    /// How many run from the start, or from the end of `init`, `init` included.
    pub initial: u32,
    /// Whether thread 0 is `init`.
    pub has_init: bool,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its frames and places.
    pub inlined: Arc<Inlined>,
    /// The procedure it starts in; none for a thread that others start.
    pub entry: Option<ProcId>,
}

impl Cast {
    /// The threads of a machine, `most` of them at most unless there are more from the start.
    pub fn new(machine: &Machine, most: u32) -> Result<Self, NotInlined> {
        if machine.instance_count() > u64::from(PLACE_LIMIT) {
            return Err(NotInlined::TooManyPlaces);
        }
        let mut members = Vec::new();
        if let Some(init) = machine.init {
            if !startable(machine, [init]).is_empty() {
                return Err(NotInlined::InitStartsThreads);
            }
            members.push(Member::starting_in(machine, init)?);
        }
        for thread in &machine.threads {
            if thread.instances > 0 {
                let member = Member::starting_in(machine, thread.entry)?;
                members.extend((0..thread.instances).map(|_| member.clone()));
            }
        }
        let initial = members.len() as u32;
        let entries = machine.threads.iter().map(|thread| thread.entry);
        let roots = startable(machine, entries);
        if !roots.is_empty() && most > initial {
            let inlined = Arc::new(Inlined::new(machine, roots, PLACE_LIMIT)?);
            let member = Member {
                inlined,
                entry: None,
            };
            members.extend((initial..most).map(|_| member.clone()));
        }
        Ok(Self {
            members,
            initial,
            has_init: machine.init.is_some(),
        })
    }

    /// How many threads there may be.
    #[allow(
        clippy::len_without_is_empty,
        reason = "a program without threads has no use for a cast"
    )]
    pub fn len(&self) -> u32 {
        self.members.len() as u32
    }

    /// A thread.
    pub fn member(&self, thread: u32) -> &Member {
        &self.members[thread as usize]
    }

    /// How many threads have been started before anything happens.
    pub fn started_first(&self) -> u32 {
        if self.has_init { 1 } else { self.initial }
    }

    /// The threads that start when `init` ends, or at once if there is none.
    pub fn instances(&self) -> std::ops::Range<u32> {
        u32::from(self.has_init)..self.initial
    }
}

impl Member {
    fn starting_in(machine: &Machine, entry: ProcId) -> Result<Self, NotInlined> {
        Ok(Self {
            inlined: Arc::new(Inlined::new(machine, [entry], PLACE_LIMIT)?),
            entry: Some(entry),
        })
    }

    /// The place where a thread that the program declares starts.
    pub fn entry_place(&self, machine: &Machine) -> Option<u32> {
        let entry = self.entry?;
        let root = self.inlined.root(entry)?;
        Some(
            self.inlined
                .place(machine, root, machine.procedure(entry).entry),
        )
    }
}

/// The procedures in which threads may begin that these procedures start, directly or through
/// others.
fn startable(machine: &Machine, from: impl IntoIterator<Item = ProcId>) -> Vec<ProcId> {
    let mut roots = BTreeSet::new();
    let mut pending: Vec<ProcId> = from.into_iter().collect();
    let mut seen: BTreeSet<ProcId> = pending.iter().copied().collect();
    while let Some(procedure) = pending.pop() {
        for edge in machine.procedure(procedure).edge_ids() {
            let (next, starts) = match machine.edge(edge).action {
                Action::Call { callee, .. } => (callee, false),
                Action::StartThread(ThreadStart::Procedure { callee, .. }) => (callee, true),
                Action::StartThread(ThreadStart::Node(node)) => (machine.procedure_of(node), true),
                _ => continue,
            };
            if starts {
                roots.insert(next);
            }
            if seen.insert(next) {
                pending.push(next);
            }
        }
    }
    roots.into_iter().collect()
}
