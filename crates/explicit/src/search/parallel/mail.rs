//! What workers send each other, and how they find out that nothing is left to do.
//!
//! Parcels are counted from before they are posted until after their contents are unpacked, and so
//! is every worker that is not asleep. Whoever brings the count to zero knows that the search is
//! complete: no worker has work and nothing is on its way.

use crate::encoding::step::Decision;
use crate::search::exploration::{Derivation, StateId};
use hardbop_machine::EdgeId;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A parcel with this many words of states is sent off.
const FULL_WORDS: usize = 4096;
/// So is one with this many calls and exits.
const FULL_LINKS: usize = 64;
/// A parcel with this many words of states is sent to a worker that has nothing to do.
const SOME_WORDS: usize = 256;
/// How often a worker looks for mail before it falls asleep, which takes long to wake up from.
const LOOKS: usize = 2000;

/// States, calls and exits for one worker.
#[derive(Debug, Default)]
pub(crate) struct Parcel {
    /// For each state its derivation, the number of its words, and the words.
    states: Vec<u64>,
    /// Calls of roots that belong to the addressee.
    pub(crate) calls: Vec<Call>,
    /// Exits of such roots.
    pub(crate) exits: Vec<ExitCopy>,
}

/// A procedure is entered.
#[derive(Debug)]
pub(crate) struct Call {
    /// The key of the root.
    pub(crate) key: Box<[u64]>,
    /// Who waits for it; nobody for the start of the program.
    pub(crate) caller: Option<WaitingCall>,
}

/// A call that waits, with all that its return takes.
#[derive(Debug)]
pub(crate) struct WaitingCall {
    /// The caller's state.
    pub(crate) from: StateId,
    /// Its words.
    pub(crate) words: Box<[u64]>,
    /// The call edge.
    pub(crate) edge: EdgeId,
    /// What was decided to take it.
    pub(crate) decisions: Box<[Decision]>,
}

/// A state at the exit of its procedure.
#[derive(Debug)]
pub(crate) struct ExitCopy {
    /// The state.
    pub(crate) state: StateId,
    /// Its words.
    pub(crate) words: Box<[u64]>,
}

impl Parcel {
    /// Adds a state.
    pub(crate) fn add_state(&mut self, words: &[u64], derivation: Derivation) {
        self.states.push(derivation.packed());
        self.states.push(words.len() as u64);
        self.states.extend_from_slice(words);
    }

    /// All states with their derivations.
    pub(crate) fn states(&self) -> impl Iterator<Item = (&[u64], Derivation)> {
        let mut rest = &self.states[..];
        std::iter::from_fn(move || {
            let (&[derivation, count], after) = rest.split_first_chunk()?;
            let (words, after) = after.split_at(count as usize);
            rest = after;
            Some((words, Derivation::unpacked(derivation)))
        })
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.states.is_empty() && self.calls.is_empty() && self.exits.is_empty()
    }

    /// Whether it should be sent to someone who is asleep.
    pub(crate) fn is_worth_waking(&self) -> bool {
        self.states.len() >= SOME_WORDS || !self.calls.is_empty() || !self.exits.is_empty()
    }

    /// Whether it should be sent off.
    pub(crate) fn is_full(&self) -> bool {
        self.states.len() >= FULL_WORDS || self.calls.len() + self.exits.len() >= FULL_LINKS
    }
}

/// The mailboxes of all workers.
#[derive(Debug)]
pub(crate) struct Post {
    boxes: Vec<Mailbox>,
    /// Parcels that are not unpacked, and workers that are awake.
    busy: AtomicUsize,
    is_closed: AtomicBool,
}

#[derive(Debug, Default)]
struct Mailbox {
    parcels: Mutex<Vec<Parcel>>,
    arrival: Condvar,
    /// Looked at without a lock.
    has_mail: AtomicBool,
    is_asleep: AtomicBool,
}

impl Mailbox {
    fn parcels(&self) -> MutexGuard<'_, Vec<Parcel>> {
        self.parcels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a worker that had nothing to do wakes up to.
#[derive(Debug)]
pub(crate) enum Waking {
    /// Something to do.
    Mail(Vec<Parcel>),
    /// The search is over.
    Closed,
    /// So it is, and this worker was the last to fall asleep.
    Complete,
}

impl Post {
    /// All workers are awake, and nothing is on its way.
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            boxes: (0..workers).map(|_| Mailbox::default()).collect(),
            busy: AtomicUsize::new(workers),
            is_closed: AtomicBool::new(false),
        }
    }

    /// How many workers there are.
    pub(crate) fn workers(&self) -> usize {
        self.boxes.len()
    }

    /// Whether the search is over.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Ends the search and wakes everybody.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        for mailbox in &self.boxes {
            // With the lock held no worker is between looking and falling asleep.
            let parcels = mailbox.parcels();
            mailbox.arrival.notify_all();
            drop(parcels);
        }
    }

    /// Whether a worker would rather have a little now than much later.
    pub(crate) fn is_asleep(&self, worker: usize) -> bool {
        self.boxes[worker].is_asleep.load(Ordering::Relaxed)
    }

    /// Sends a parcel.
    pub(crate) fn send(&self, to: usize, parcel: Parcel) {
        self.busy.fetch_add(1, Ordering::AcqRel);
        let mailbox = &self.boxes[to];
        mailbox.parcels().push(parcel);
        mailbox.has_mail.store(true, Ordering::Release);
        mailbox.arrival.notify_one();
    }

    /// What has arrived, if anything has; [`Post::unpacked`] must be told when it has been dealt
    /// with.
    pub(crate) fn receive(&self, worker: usize) -> Vec<Parcel> {
        let mailbox = &self.boxes[worker];
        if !mailbox.has_mail.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut parcels = mailbox.parcels();
        mailbox.has_mail.store(false, Ordering::Release);
        std::mem::take(&mut parcels)
    }

    /// So many parcels have been dealt with.
    pub(crate) fn unpacked(&self, parcels: usize) {
        self.busy.fetch_sub(parcels, Ordering::AcqRel);
    }

    /// A worker has nothing to do, and has sent off all it had: waits for mail.
    pub(crate) fn sleep(&self, worker: usize) -> Waking {
        let mailbox = &self.boxes[worker];
        mailbox.is_asleep.store(true, Ordering::Relaxed);
        if self.busy.fetch_sub(1, Ordering::AcqRel) == 1 {
            return Waking::Complete;
        }
        for _ in 0..LOOKS {
            if mailbox.has_mail.load(Ordering::Relaxed) || self.is_closed() {
                break;
            }
            std::hint::spin_loop();
        }
        let mut parcels = mailbox.parcels();
        while parcels.is_empty() {
            if self.is_closed.load(Ordering::Acquire) {
                return Waking::Closed;
            }
            let waited = mailbox.arrival.wait(parcels);
            parcels = waited.unwrap_or_else(PoisonError::into_inner);
        }
        self.busy.fetch_add(1, Ordering::AcqRel);
        mailbox.is_asleep.store(false, Ordering::Relaxed);
        mailbox.has_mail.store(false, Ordering::Release);
        Waking::Mail(std::mem::take(&mut parcels))
    }
}
