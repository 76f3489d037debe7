//! Reachability on several cores: the same states, summaries and verdicts as the [sequential
//! search](crate::search::depth_first).
//!
//! Every state belongs to one [worker](worker), by its hash, and so does every root. A worker has
//! tables of its own, which no other worker looks into; what it finds for another one it posts
//! ([`mail`]), many states at a time. A call is posted to the owner of the callee's root and an
//! exit likewise, with their words: the owner pairs each call with each exit exactly once,
//! whichever comes first. So no lock is taken for a state, and each core has half of the tables in
//! its cache. (Tables behind locks would pass from core to core at almost every step.)
//!
//! The set of states is a least fixed point, so a search that sees everything has the same counts
//! and the same certificate whoever was faster. Which run leads to a target depends on that; that
//! there is one does not. Derivations are well-founded as ever: a state is sent with the numbers of
//! states that were in their tables before. The calling thread only watches: it asks for limits and
//! hears of targets.

mod directory;
mod gather;
mod mail;
mod worker;

use crate::encoding::step::Statics;
use crate::search::exploration::{Exploration, Full, StateId};
use crate::search::watch::Stopped;
use directory::Directory;
use hardbop_machine::NodeId;
use hardbop_outcome::{Budget, Event, Limit, Progress};
use mail::Post;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use worker::Worker;

/// How many pulses pass between two reports.
const REPORT: u64 = 64;

/// What a search on several cores came to.
pub(crate) struct ParallelSearch<'s> {
    /// All states, as if one core had made them.
    pub(crate) exploration: Exploration<'s>,
    /// For each target that was met a state there.
    pub(crate) found: BTreeMap<NodeId, StateId>,
    /// Why the search ended before it had seen everything, if it did.
    pub(crate) ended: Result<(), Stopped>,
    /// Bytes of all tables during the search.
    pub(crate) bytes: usize,
}

/// Searches with this many workers until all nodes have been met or everything has been seen.
pub(crate) fn parallel<'s>(
    statics: Statics<'s>,
    jobs: NonZeroUsize,
    nodes: &BTreeSet<NodeId>,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
) -> ParallelSearch<'s> {
    let shared = Shared {
        post: Post::new(jobs.get()),
        directory: Directory::default(),
        room: budget.states.map(AtomicU64::new),
        news: Mutex::new(News::new(jobs.get(), nodes)),
        pulse: Condvar::new(),
    };
    let (ended, workers) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.get())
            .map(|number| {
                let worker = Worker::new(number, statics, &shared, nodes);
                scope.spawn(move || worker.run())
            })
            .collect();
        let ended = shared.supervise(budget, progress);
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        (ended, threads.into_iter().map(join).collect::<Vec<_>>())
    });
    gather::gather(statics, &shared.directory, workers, ended)
}

/// What workers and supervisor share.
struct Shared {
    post: Post,
    directory: Directory,
    /// There may be this many states more.
    room: Option<AtomicU64>,
    news: Mutex<News>,
    /// There is news.
    pulse: Condvar,
}

/// What workers let the supervisor know.
struct News {
    /// Targets that have not been met.
    open: BTreeSet<NodeId>,
    /// States and bytes of each worker when it was last heard of.
    sizes: Vec<(u64, usize)>,
    /// How often workers were heard of.
    pulses: u64,
    /// Why the search is over.
    ended: Option<Result<(), Stopped>>,
}

impl News {
    fn new(jobs: usize, nodes: &BTreeSet<NodeId>) -> Self {
        Self {
            open: nodes.clone(),
            sizes: vec![(0, 0); jobs],
            pulses: 0,
            ended: None,
        }
    }

    fn states(&self) -> u64 {
        self.sizes.iter().map(|(states, _)| states).sum()
    }
}

impl Shared {
    fn news(&self) -> MutexGuard<'_, News> {
        // News stays meaningful when a worker panics, and the panic is passed on when it is joined.
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the search; the first reason counts.
    fn end(&self, why: Result<(), Stopped>) {
        self.news().ended.get_or_insert(why);
        self.pulse.notify_all();
        self.post.close();
    }

    /// A worker has met a target for the first time.
    fn meet(&self, node: NodeId) {
        let mut news = self.news();
        news.open.remove(&node);
        let is_settled = news.open.is_empty();
        drop(news);
        if is_settled {
            self.end(Err(Stopped::Settled));
        }
    }

    /// There is one state more.
    fn count_state(&self) {
        let Some(room) = &self.room else {
            return;
        };
        let less = |room: u64| room.checked_sub(1);
        if room
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_err()
        {
            self.end(Err(Stopped::Limit(Limit::States)));
        }
    }

    /// A worker is alive and has this many states and bytes.
    fn heard(&self, worker: usize, states: u64, bytes: usize) {
        let mut news = self.news();
        news.sizes[worker] = (states, bytes);
        news.pulses += 1;
        drop(news);
        self.pulse.notify_all();
    }

    /// A number is too large.
    fn full(&self, _: Full) {
        self.end(Err(Stopped::Limit(Limit::Memory)));
    }

    /// Looks at the limits whenever a worker is heard of, until the search is over.
    fn supervise(&self, budget: &Budget<'_>, progress: &mut dyn Progress) -> Result<(), Stopped> {
        let mut news = self.news();
        let mut seen = 0;
        loop {
            if let Some(why) = &news.ended {
                return why.clone();
            }
            if news.pulses == seen {
                let waited = self.pulse.wait(news);
                news = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            if news.pulses / REPORT != seen / REPORT {
                progress.event(Event::Count("states", news.states()));
            }
            seen = news.pulses;
            let bytes: usize = news.sizes.iter().map(|(_, bytes)| bytes).sum();
            let is_too_large = budget.memory.is_some_and(|memory| bytes as u64 > memory);
            let limit = budget
                .interrupt
                .check()
                .or(is_too_large.then_some(Limit::Memory));
            if let Some(limit) = limit {
                drop(news);
                self.end(Err(Stopped::Limit(limit)));
                news = self.news();
            }
        }
    }
}
