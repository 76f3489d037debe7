//! All configurations, in order of context switches and then of steps.
//!
//! A *layer* holds what is reached with one number of contexts, a *ring* of it what takes one
//! number of steps in all. Within a layer only the thread that has the turn moves; what a layer has
//! found, given to each other thread, is the start of the next. A set of configurations belongs to
//! a [`Turn`] and a place of the thread that has it, so that control is explicit where the work is,
//! and symbolic for everybody who waits. Because every configuration is kept only in the first
//! layer and ring that reaches it, the way back from any target has the fewest context switches,
//! and of those the fewest steps.
//!
//! The scheduler's rules are the interpreter's: `init` runs alone; while the Getafix flag is set
//! the turn is not passed on; a thread inside an atomic block keeps the others from stepping as
//! long as it can step itself.

use crate::exact::encoding::moves::{Effect, Move, Moves};
use crate::exact::encoding::space::{Space, now};
use crate::exact::search::schedule::turn_after;
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, NodeId, Storage};
use hardbop_outcome::certificate::Turn;
use hardbop_symbolic::image;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A turn, by number, and the place of the thread that has it.
pub(crate) type Key = (u32, u32);

/// What takes the same number of steps.
pub(crate) type Ring = BTreeMap<Key, Bdd>;

/// Where a target was first reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// The layer.
    pub(crate) layer: usize,
    /// The ring.
    pub(crate) ring: usize,
    /// The turn and place.
    pub(crate) key: Key,
    /// A configuration among those found.
    pub(crate) found: Bdd,
}

/// A search and all that it has found.
pub(crate) struct Search<'m, 'i> {
    machine: &'m Machine,
    cast: &'m Cast,
    space: &'m Space,
    /// Holds all sets.
    pub(crate) manager: Manager<'i>,
    /// The steps.
    pub(crate) moves: Moves<'m>,
    turns: Vec<Turn>,
    turn_numbers: HashMap<Turn, u32>,
    visited: BTreeMap<Key, Bdd>,
    layers: Vec<Vec<Ring>>,
    can_step: Vec<Option<Bdd>>,
    wanted: BTreeSet<NodeId>,
    hits: BTreeMap<NodeId, Hit>,
    /// Whether a thread was not started for want of room.
    pub(crate) missed_thread: bool,
    collect_at: usize,
}

/// Garbage is first collected when there are this many BDD nodes.
const FIRST_COLLECTION: usize = 1 << 20;

impl<'m, 'i> Search<'m, 'i> {
    /// A search for some nodes that has not begun.
    pub(crate) fn new(
        machine: &'m Machine,
        cast: &'m Cast,
        space: &'m Space,
        manager: Manager<'i>,
        wanted: BTreeSet<NodeId>,
    ) -> Self {
        Self {
            machine,
            cast,
            space,
            manager,
            moves: Moves::new(machine, cast, space),
            turns: Vec::new(),
            turn_numbers: HashMap::new(),
            visited: BTreeMap::new(),
            layers: Vec::new(),
            can_step: vec![None; cast.len() as usize],
            wanted,
            hits: BTreeMap::new(),
            missed_thread: false,
            collect_at: FIRST_COLLECTION,
        }
    }

    /// Explores until every wanted node is reached or nothing new is left.
    pub(crate) fn run(&mut self) -> Result<(), Exhausted> {
        let mut seeds = vec![self.initial()?];
        while seeds.iter().any(|ring| !ring.is_empty()) && !self.is_done() {
            self.explore_layer(seeds)?;
            seeds = self.pass_turn()?;
        }
        Ok(())
    }

    /// Whether every wanted node has been reached, with nothing cheaper to come.
    ///
    /// `init` belongs to no context: a run that ends in it has no more switches than one that ends
    /// in the context after it.
    fn is_done(&self) -> bool {
        let is_final = |hit: &Hit| {
            let rings_after_init = self.layers.get(1).map_or(0, Vec::len);
            !self.cast.has_init || hit.layer > 0 || rings_after_init > hit.ring
        };
        self.hits.len() == self.wanted.len() && self.hits.values().all(is_final)
    }

    /// Where a node was first reached.
    pub(crate) fn hit(&self, node: NodeId) -> Option<Hit> {
        self.hits.get(&node).copied()
    }

    /// A turn.
    pub(crate) fn turn(&self, number: u32) -> &Turn {
        &self.turns[number as usize]
    }

    /// The sets of all turns and places.
    pub(crate) fn visited(&self) -> &BTreeMap<Key, Bdd> {
        &self.visited
    }

    /// The layers, each a list of rings.
    pub(crate) fn layers(&self) -> &[Vec<Ring>] {
        &self.layers
    }

    fn number(&mut self, turn: Turn) -> u32 {
        if let Some(&number) = self.turn_numbers.get(&turn) {
            return number;
        }
        let number = self.turns.len() as u32;
        self.turns.push(turn.clone());
        self.turn_numbers.insert(turn, number);
        number
    }

    /// The initial configurations. Whoever runs may have the first turn.
    fn initial(&mut self) -> Result<Ring, Exhausted> {
        let manager = &mut self.manager;
        let shared = self.moves.initial_globals(manager, 0, Storage::Shared)?;
        let first = if self.cast.has_init {
            0..1
        } else {
            self.cast.instances()
        };
        let mut ring = Ring::new();
        for thread in first {
            let rest = if self.cast.has_init {
                self.moves
                    .initial_globals(&mut self.manager, thread, Storage::PerThread)?
            } else {
                self.moves
                    .instances_start(&mut self.manager, Some(thread))?
            };
            let set = self.manager.and(shared, rest)?;
            let turn = self.number(Turn {
                thread,
                started: self.cast.started_first(),
                atomic: Vec::new(),
            });
            if let Some(entry) = self.cast.member(thread).entry_place(self.machine) {
                ring.insert((turn, entry), set);
            }
        }
        Ok(ring)
    }

    /// Explores what the threads can do from the seeds without passing the turn on.
    fn explore_layer(&mut self, mut seeds: Vec<Ring>) -> Result<(), Exhausted> {
        self.layers.push(Vec::new());
        let layer = self.layers.len() - 1;
        let mut ring = 0;
        let mut reached = Ring::new();
        while (ring < seeds.len() || !reached.is_empty()) && !self.is_done() {
            self.layers[layer].push(std::mem::take(&mut reached));
            for (key, set) in seeds.get_mut(ring).map(std::mem::take).unwrap_or_default() {
                let new = self.add(key, set)?;
                self.insert(layer, ring, key, new)?;
                self.note(layer, ring, key, new, None);
            }
            let sets: Vec<(Key, Bdd)> = self.layers[layer][ring].clone().into_iter().collect();
            for (key, set) in sets {
                self.advance(layer, ring, key, set, &mut reached)?;
                self.collect_if_due(&seeds, &reached);
            }
            ring += 1;
        }
        // What was found last is part of the layer, too.
        if !reached.is_empty() {
            self.layers[layer].push(reached);
        }
        Ok(())
    }

    fn insert(&mut self, layer: usize, ring: usize, key: Key, new: Bdd) -> Result<(), Exhausted> {
        if new.is_false() {
            return Ok(());
        }
        let ring = &mut self.layers[layer][ring];
        let known = ring.get(&key).copied().unwrap_or(Bdd::FALSE);
        let both = self.manager.or(known, new)?;
        ring.insert(key, both);
        Ok(())
    }

    /// Adds to what is visited; gives what is new.
    fn add(&mut self, key: Key, set: Bdd) -> Result<Bdd, Exhausted> {
        let known = self.visited.get(&key).copied().unwrap_or(Bdd::FALSE);
        let new = self.manager.diff(set, known)?;
        if !new.is_false() {
            let both = self.manager.or(known, new)?;
            self.visited.insert(key, both);
        }
        Ok(new)
    }

    /// Remembers the first configurations that reach a wanted node.
    fn note(&mut self, layer: usize, ring: usize, key: Key, found: Bdd, started: Option<NodeId>) {
        if found.is_false() {
            return;
        }
        let turn = &self.turns[key.0 as usize];
        let inlined = &self.cast.member(turn.thread).inlined;
        let here = inlined.locate(self.machine, key.1).map(|(_, node)| node);
        let instances_began = self.cast.has_init && turn.thread == 0 && key.1 == 0;
        let instances = self.cast.instances().filter(|_| instances_began);
        let entries = instances.filter_map(|thread| {
            let entry = self.cast.member(thread).entry?;
            Some(self.machine.procedure(entry).entry)
        });
        for node in here.into_iter().chain(started).chain(entries) {
            let hit = Hit {
                layer,
                ring,
                key,
                found,
            };
            if self.wanted.contains(&node) {
                let first = self.hits.entry(node).or_insert(hit);
                let is_cheaper = ring < first.ring && layer == 1 && first.layer == 0;
                if is_cheaper && self.cast.has_init {
                    *first = hit;
                }
            }
        }
    }

    /// Takes all steps of the thread that has the turn.
    fn advance(
        &mut self,
        layer: usize,
        ring: usize,
        key: Key,
        set: Bdd,
        reached: &mut Ring,
    ) -> Result<(), Exhausted> {
        let turn = self.turns[key.0 as usize].clone();
        let permission = self.permission(&turn)?;
        let set = self.manager.and(set, permission)?;
        if set.is_false() {
            return Ok(());
        }
        let manager = &mut self.manager;
        let moves = self.moves.from(manager, turn.thread, key.1, turn.started)?;
        for step in &*moves {
            let image = image(&mut self.manager, set, &step.parts)?;
            if image.is_false() {
                continue;
            }
            let Some(after) = self.turn_after(&turn, step) else {
                self.missed_thread = true;
                continue;
            };
            let key = (self.number(after), step.to);
            let new = self.add(key, image)?;
            if new.is_false() {
                continue;
            }
            let known = reached.get(&key).copied().unwrap_or(Bdd::FALSE);
            let both = self.manager.or(known, new)?;
            reached.insert(key, both);
            let started = match step.effect {
                Effect::Start(node) => Some(node),
                _ => None,
            };
            self.note(layer, ring + 1, key, new, started);
        }
        Ok(())
    }

    /// Whose turn it is after a step; no thread's if the step needs a thread too many.
    pub(crate) fn turn_after(&self, turn: &Turn, step: &Move) -> Option<Turn> {
        turn_after(self.cast, turn, step.effect)
    }

    /// Where the thread that has the turn may step, as far as atomic blocks of others go.
    pub(crate) fn permission(&mut self, turn: &Turn) -> Result<Bdd, Exhausted> {
        match turn.atomic.last() {
            Some(&holder) if holder != turn.thread => {
                let blocked = !self.can_step(holder)?;
                // Where the flag is set it is this thread's, and the holder may not step anyway.
                let flag = self.flag()?.unwrap_or(Bdd::FALSE);
                self.manager.or(blocked, flag)
            }
            _ => Ok(Bdd::TRUE),
        }
    }

    /// Where a thread can take some step, whatever its place.
    fn can_step(&mut self, thread: u32) -> Result<Bdd, Exhausted> {
        if let Some(known) = self.can_step[thread as usize] {
            return Ok(known);
        }
        let mut any = Bdd::FALSE;
        for place in 1..self.cast.member(thread).inlined.place_count() {
            let here = self.moves.at(&mut self.manager, thread, place)?;
            let can = self.moves.can_step(&mut self.manager, thread, place)?;
            let both = self.manager.and(here, can)?;
            any = self.manager.or(any, both)?;
        }
        self.can_step[thread as usize] = Some(any);
        Ok(any)
    }

    /// The Getafix flag, if the program has one.
    fn flag(&mut self) -> Result<Option<Bdd>, Exhausted> {
        let Some(flag) = self.machine.atomic_flag else {
            return Ok(None);
        };
        let bit = self.space.global(self.machine, 0, flag, 0);
        self.manager.variable(now(bit)).map(Some)
    }

    /// Where the turn may be passed on by a thread at a place.
    pub(crate) fn may_pass(&mut self, thread: u32, place: u32) -> Result<Bdd, Exhausted> {
        if self.cast.has_init && thread == 0 {
            return Ok(Bdd::constant(place == 0));
        }
        Ok(self.flag()?.map_or(Bdd::TRUE, |flag| !flag))
    }

    /// What the last layer has found, given to every other thread: the seeds of the next, by ring.
    fn pass_turn(&mut self) -> Result<Vec<Ring>, Exhausted> {
        let rings = self.layers.last().cloned().unwrap_or_default();
        let mut seeds = Vec::with_capacity(rings.len());
        for ring in rings {
            let mut whole: BTreeMap<u32, Bdd> = BTreeMap::new();
            for ((turn, place), set) in ring {
                let thread = self.turns[turn as usize].thread;
                let may_pass = self.may_pass(thread, place)?;
                let here = self.moves.at(&mut self.manager, thread, place)?;
                let passed = self.manager.and_all(vec![set, may_pass, here])?;
                let known = whole.get(&turn).copied().unwrap_or(Bdd::FALSE);
                let both = self.manager.or(known, passed)?;
                whole.insert(turn, both);
            }
            let mut seed = Ring::new();
            for (turn, set) in whole {
                let turn = self.turns[turn as usize].clone();
                for thread in u32::from(self.cast.has_init)..turn.started {
                    if thread == turn.thread {
                        continue;
                    }
                    let other = self.number(Turn {
                        thread,
                        ..turn.clone()
                    });
                    self.split_by_place(thread, other, set, &mut seed)?;
                }
            }
            seeds.push(seed);
        }
        Ok(seeds)
    }

    /// Splits a set by the place of a thread; configurations in which it has ended are left out.
    fn split_by_place(
        &mut self,
        thread: u32,
        turn: u32,
        set: Bdd,
        seed: &mut Ring,
    ) -> Result<(), Exhausted> {
        let bits = self.cast.member(thread).inlined.place_bits();
        let mut pending = vec![(set, bits, 0)];
        while let Some((set, undecided, place)) = pending.pop() {
            if set.is_false() {
                continue;
            }
            let Some(bit) = undecided.checked_sub(1) else {
                if place != 0 {
                    let known = seed.get(&(turn, place)).copied().unwrap_or(Bdd::FALSE);
                    let visited = self.visited.get(&(turn, place)).copied();
                    let places = (0..bits).map(|bit| self.space.place(thread, bit));
                    let places: Vec<u32> = places.collect();
                    let free = self.moves.forget(&mut self.manager, set, places)?;
                    let new = self.manager.diff(free, visited.unwrap_or(Bdd::FALSE))?;
                    let both = self.manager.or(known, new)?;
                    if !both.is_false() {
                        seed.insert((turn, place), both);
                    }
                }
                continue;
            };
            let literal = now(self.space.place(thread, bit));
            let literal = self.manager.variable(literal)?;
            let high = self.manager.and(set, literal)?;
            let low = self.manager.and(set, !literal)?;
            pending.push((high, bit, place | 1 << bit));
            pending.push((low, bit, place));
        }
        Ok(())
    }

    fn collect_if_due(&mut self, seeds: &[Ring], reached: &Ring) {
        if self.manager.node_count() < self.collect_at {
            return;
        }
        let rings = self.layers.iter().flatten().chain(seeds).chain([reached]);
        let sets = rings.flat_map(|ring| ring.values().copied());
        let hits = self.hits.values().map(|hit| hit.found);
        let visited = self.visited.values().copied();
        let enabled = self.can_step.iter().flatten().copied();
        let roots = sets.chain(hits).chain(visited).chain(enabled);
        let roots: Vec<Bdd> = roots.chain(self.moves.roots()).collect();
        self.manager.collect(roots);
        self.collect_at = FIRST_COLLECTION.max(2 * self.manager.node_count());
    }
}
