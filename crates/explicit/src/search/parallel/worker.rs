//! One worker: its states, its roots, and what it does with them.
//!
//! It takes the oldest of its states that are not done with, makes their successors, and hands each
//! to its owner. (Depth first, half of the few states on the path would be the other one's, and
//! both would wait most of the time.)

mod links;

use super::Shared;
use super::directory::Listing;
use super::mail::{Parcel, WaitingCall, Waking};
use crate::encoding::moves::{Moves, Sealed, node_of, root_of};
use crate::encoding::step::{Decision, Fired, Statics, next_leaf};
use crate::encoding::table::{StateTable, hash, reserve};
use crate::search::exploration::{Derivation, Full, MAX_STATES, StateId};
use hardbop_machine::{EdgeId, NodeId};
use links::OwnRoot;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// How many transitions pass between two signs of life.
const PATIENCE: u64 = 4096;
/// After this many successors or attempts a state waits until these have been looked at: it may
/// have 2^64 of them.
const PORTION: usize = 64;
const TRIES: usize = 4096;
/// So many states wait before the youngest ones are taken first.
const MANY: usize = 1 << 14;

/// A state whose successors have not all been made.
struct Pending {
    /// Its number among this worker's states.
    state: u32,
    edge: u32,
    /// The way to take the edge that comes next.
    decisions: Option<Box<[Decision]>>,
}

/// A worker.
pub(crate) struct Worker<'w, 's> {
    number: usize,
    shared: &'w Shared,
    moves: Moves<'s>,
    /// Its states.
    pub(crate) states: StateTable,
    /// How each was first derived.
    pub(crate) derivations: Vec<Derivation>,
    /// The keys of its roots.
    pub(crate) keys: StateTable,
    /// Its roots.
    pub(crate) roots: Vec<OwnRoot>,
    directory: Vec<Arc<Listing>>,
    queue: VecDeque<Pending>,
    fresh: Vec<u32>,
    outgoing: Vec<Parcel>,
    /// Initial states that have not been made: only the first worker makes them.
    starts: Option<Vec<Decision>>,
    /// Targets with the first state of this worker there.
    pub(crate) found: BTreeMap<NodeId, Option<StateId>>,
    /// Successors made, known ones included.
    pub(crate) transitions: u64,
    /// Pairs of a root and an exit.
    pub(crate) summaries: u64,
    /// Bytes of copies of callers and exits.
    copied: usize,
}

impl<'w, 's> Worker<'w, 's> {
    /// A worker without any state.
    pub(crate) fn new(
        number: usize,
        statics: Statics<'s>,
        shared: &'w Shared,
        nodes: &BTreeSet<NodeId>,
    ) -> Self {
        let outgoing = (0..shared.post.workers()).map(|_| Parcel::default());
        Self {
            number,
            shared,
            moves: Moves::new(statics),
            states: StateTable::default(),
            derivations: Vec::new(),
            keys: StateTable::default(),
            roots: Vec::new(),
            directory: Vec::new(),
            queue: VecDeque::new(),
            fresh: Vec::new(),
            outgoing: outgoing.collect(),
            starts: (number == 0).then(Vec::new),
            found: nodes.iter().map(|&node| (node, None)).collect(),
            transitions: 0,
            summaries: 0,
            copied: 0,
        }
    }

    /// Works until the search is over.
    pub(crate) fn run(mut self) -> Self {
        let _alarm = Alarm(self.shared);
        if let Err(full) = self.work() {
            self.shared.full(full);
        }
        self
    }

    fn work(&mut self) -> Result<(), Full> {
        let post = &self.shared.post;
        while !post.is_closed() {
            self.unpack(post.receive(self.number))?;
            if let Some(pending) = self.next() {
                self.expand(pending)?;
                self.send(false);
                continue;
            }
            if self.start()? {
                continue;
            }
            self.send(true);
            self.sign_of_life();
            match post.sleep(self.number) {
                Waking::Mail(parcels) => self.unpack(parcels)?,
                Waking::Closed => break,
                Waking::Complete => {
                    self.shared.end(Ok(()));
                    break;
                }
            }
        }
        Ok(())
    }

    fn unpack(&mut self, parcels: Vec<Parcel>) -> Result<(), Full> {
        let count = parcels.len();
        for parcel in parcels {
            for (words, derivation) in parcel.states() {
                let (state, is_new) = self.states.insert_hashed(words, hash(words)).ok_or(Full)?;
                if is_new {
                    self.admit(state, derivation)?;
                }
            }
            for call in parcel.calls {
                self.enter(call)?;
            }
            for exit in parcel.exits {
                self.exit(exit)?;
            }
            self.queue_fresh(None);
        }
        if count > 0 {
            self.shared.post.unpacked(count);
        }
        Ok(())
    }

    /// Sends parcels: full ones, those for workers that have nothing to do, or all.
    fn send(&mut self, all: bool) {
        for (to, parcel) in self.outgoing.iter_mut().enumerate() {
            let post = &self.shared.post;
            if !parcel.is_empty()
                && (all || parcel.is_full() || parcel.is_worth_waking() && post.is_asleep(to))
            {
                post.send(to, std::mem::take(parcel));
            }
        }
    }

    /// Makes the next initial state; whether there was one.
    fn start(&mut self) -> Result<bool, Full> {
        let statics = self.moves.statics;
        let (Some(decisions), Some(thread)) = (&mut self.starts, statics.machine.threads.first())
        else {
            return Ok(false);
        };
        let main = thread.entry;
        while let Fired::Needs(split) = self.moves.stepper.start(statics, main, decisions) {
            decisions.push(Decision::first(split));
        }
        if !next_leaf(decisions, 0) {
            self.starts = None;
        }
        self.moves.seal_entry(main, true);
        self.post_call(None)?;
        self.queue_fresh(None);
        self.send(false);
        self.sign_of_life();
        Ok(true)
    }

    /// Makes successors of a state.
    fn expand(&mut self, pending: Pending) -> Result<(), Full> {
        let Pending {
            state,
            edge: mut next,
            decisions,
        } = pending;
        let words = self.states.get(state);
        let (root, node) = (root_of(words), node_of(words));
        let machine = self.moves.statics.machine;
        let procedure = machine.procedure_of(node);
        if node == machine.procedure(procedure).exit {
            if self.moves.statics.layouts.is_called(procedure) {
                self.post_exit(state, root)?;
                self.queue_fresh(None);
            }
            return Ok(());
        }
        self.look_up(root);
        let mut decisions = decisions.map_or_else(Vec::new, Vec::from);
        let (mut made, mut tries) = (0, 0);
        let end = machine.node(node).edges.end;
        while next < end && made < PORTION && tries < TRIES {
            tries += 1;
            let edge = EdgeId(next);
            let from = Sealed {
                words: self.states.get(state),
                of: &self.directory[root as usize].invocation,
            };
            if decisions.is_empty()
                && let Some(fired) = self.moves.fire_known(from, edge)
            {
                next += 1;
                if fired {
                    made += 1;
                    self.tick();
                    self.route(Derivation::edge(self.id(state)?, edge))?;
                }
                continue;
            }
            match self.moves.fire(from, edge, &decisions) {
                Fired::Needs(split) => {
                    decisions.push(Decision::first(split));
                    continue;
                }
                Fired::Disabled => {}
                Fired::Taken => {
                    made += 1;
                    if let Some(callee) = self.moves.statics.callee(edge) {
                        let caller = WaitingCall {
                            from: self.id(state)?,
                            words: from.words.into(),
                            edge,
                            decisions: decisions.as_slice().into(),
                        };
                        self.moves.seal_entry(callee, false);
                        self.tick();
                        self.post_call(Some(caller))?;
                    } else {
                        self.moves.seal_next(from, edge);
                        self.tick();
                        self.route(Derivation::edge(self.id(state)?, edge))?;
                    }
                }
            }
            if !next_leaf(&mut decisions, 0) {
                next += 1;
            }
        }
        if tries == TRIES {
            self.sign_of_life();
        }
        let rest = (next < end).then(|| Pending {
            state,
            edge: next,
            decisions: (!decisions.is_empty()).then(|| decisions.into()),
        });
        self.queue_fresh(rest);
        Ok(())
    }

    /// The state whose turn it is: the oldest one, so that there is enough to do for everybody; the
    /// youngest one where that would take too much memory.
    fn next(&mut self) -> Option<Pending> {
        if self.queue.len() < MANY {
            self.queue.pop_front()
        } else {
            self.queue.pop_back()
        }
    }

    /// Puts new states into the queue, behind what is left of the state that they come from.
    fn queue_fresh(&mut self, rest: Option<Pending>) {
        self.queue.extend(rest);
        let machine = self.moves.statics.machine;
        for state in self.fresh.drain(..) {
            let node = machine.node(node_of(self.states.get(state)));
            self.queue.push_back(Pending {
                state,
                edge: node.edges.start,
                decisions: None,
            });
        }
    }

    /// Hands the state that was sealed last to its owner.
    fn route(&mut self, derivation: Derivation) -> Result<(), Full> {
        let words = self.moves.words();
        let hash = hash(words);
        let owner = self.owner(hash);
        if owner != self.number {
            self.outgoing[owner].add_state(words, derivation);
            return Ok(());
        }
        let (state, is_new) = self.states.insert_hashed(words, hash).ok_or(Full)?;
        if is_new {
            self.admit(state, derivation)?;
        }
        Ok(())
    }

    /// A state of this worker is new.
    fn admit(&mut self, state: u32, derivation: Derivation) -> Result<(), Full> {
        let id = self.id(state)?;
        reserve(&mut self.derivations, 1);
        self.derivations.push(derivation);
        self.fresh.push(state);
        let node = node_of(self.states.get(state));
        if let Some(slot @ None) = self.found.get_mut(&node) {
            *slot = Some(id);
            self.shared.meet(node);
        }
        self.shared.count_state();
        Ok(())
    }

    /// Makes sure that a root is on the list.
    fn look_up(&mut self, root: u32) {
        if self.directory.len() <= root as usize {
            self.shared.directory.update(&mut self.directory);
        }
    }

    /// The worker that something belongs to; the table and its tags use other bits of the hash.
    fn owner(&self, hash: u64) -> usize {
        ((hash >> 48 & 0xff) as usize * self.shared.post.workers()) >> 8
    }

    /// The number of one of this worker's states among all.
    fn id(&self, state: u32) -> Result<StateId, Full> {
        let id = u64::from(state) * self.shared.post.workers() as u64 + self.number as u64;
        let id = StateId::try_from(id).ok().filter(|&id| id < MAX_STATES);
        id.ok_or(Full)
    }

    fn tick(&mut self) {
        self.transitions += 1;
        if self.transitions.is_multiple_of(PATIENCE) {
            self.sign_of_life();
        }
    }

    fn sign_of_life(&self) {
        let states = self.states.len() as u64;
        self.shared.heard(self.number, states, self.bytes());
    }

    /// Bytes of all tables.
    pub(crate) fn bytes(&self) -> usize {
        self.states.bytes()
            + self.keys.bytes()
            + self.derivations.capacity() * size_of::<Derivation>()
            + self.roots.capacity() * size_of::<OwnRoot>()
            + self.queue.capacity() * size_of::<Pending>()
            + self.copied
    }
}

/// A worker that panics must not leave the others waiting for it.
struct Alarm<'w>(&'w Shared);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(Ok(()));
        }
    }
}
