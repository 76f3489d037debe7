//! The search: levels, obligations, lemmas and facts.
//!
//! Property-directed reachability (A. Bradley, *SAT-based model checking without unrolling*, VMCAI
//! 2011; N. Eén, A. Mishchenko, R. Brayton, FMCAD 2011) with procedures as in GPDR (K. Hoder, N.
//! Bjørner, SAT 2012) and Spacer (A. Komuravelli, A. Gurfinkel, S. Chaki, CAV 2014): the frame at an
//! exit is what a call *may* do, facts are what it *must* be able to do.
//!
//! Frames relate the state at the entry of the procedure to the current one, and a callee's entry
//! has a frame too: which states it is called with. An obligation there continues in the callers,
//! so summaries are learned for calls that happen. Only where nothing is passed to a procedure does
//! a fact need no call.
//!
//! **A level without lemmas of its own is a proof.** Its frames equal those of the next level, and
//! every lemma was shown to follow, over each block, from the frames at the same level or the one
//! below. **A run is a chain of models**: see [`crate::search::reached`].

use crate::encoding::cubes::{
    Cube, StateLit, Vocabulary, are_compatible, at_start, initial_cube, is_part,
};
use crate::encoding::points::{NodeRole, Points};
use crate::encoding::query::BlockQuery;
use crate::search::frames::{Lemma, Lemmas};
use crate::search::obligations::{Obligation, Obligations, Purpose};
use crate::search::reached::{Arrival, Fact, Reached};
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Machine, NodeId, Variable};
use hardbop_outcome::{Budget, Event, Limit, Progress};
use hardbop_transform::literals::frames::Frames;
use std::rc::Rc;

/// Questions to the solver between two looks at the interrupt.
const QUESTIONS_PER_LOOK: u64 = 32;
/// Bytes that an obligation, a lemma or a reached state takes, roughly.
const BYTES_PER_CUBE: u64 = 600;

/// What is counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub questions: u64,
    pub obligations: u64,
    pub lemmas: u64,
    pub levels: u64,
}

/// How a search for all targets at a level ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A run reaches the target: the number of the last state.
    Run { target: NodeId, last: usize },
    /// No run reaches any open target; the frames at this level are inductive.
    Invariant { level: usize },
}

/// A search.
pub(crate) struct Reachability<'m, 'i, 'b> {
    pub machine: &'m Machine,
    pub slice: Rc<Slice>,
    pub frames: Frames<'m>,
    pub vocabularies: Vec<Vocabulary>,
    pub points: Points,
    pub lemmas: Lemmas,
    pub(super) queries: Vec<Option<BlockQuery<'i>>>,
    /// By exit node.
    pub(super) facts: Vec<Vec<Fact>>,
    pub reached: Vec<Reached>,
    /// By entry node.
    reached_entries: Vec<Vec<usize>>,
    pub(super) obligations: Obligations,
    main_entry: NodeId,
    initial: Cube,
    level: usize,
    pub counts: Counts,
    pub(super) budget: &'b Budget<'b>,
    pub(super) interrupt: &'i dyn Fn() -> bool,
}

impl<'m, 'i, 'b> Reachability<'m, 'i, 'b> {
    pub fn new(
        machine: &'m Machine,
        main_entry: NodeId,
        targets: &[NodeId],
        budget: &'b Budget<'b>,
        interrupt: &'i dyn Fn() -> bool,
    ) -> Self {
        // The frame at an entry has to cover every call, so what decides about calls counts as well.
        let mut ends = targets.to_vec();
        ends.extend(machine.procedures.iter().map(|procedure| procedure.entry));
        let slice = Rc::new(Slice::new(machine, &ends));
        let frames = Frames::new(machine, Rc::clone(&slice));
        let points = Points::new(machine, &slice, targets);
        let mut vocabularies = vec![Vocabulary::default(); machine.nodes.len()];
        for node in machine.node_ids() {
            if points.roles[node.index()] == NodeRole::Point {
                let layout = frames.layout();
                let is_first = points.is_first(machine, node);
                vocabularies[node.index()] =
                    Vocabulary::new(machine, &slice, layout, node, is_first);
            }
        }
        let initial = initial_cube(machine, frames.layout());
        let count = machine.nodes.len();
        Self {
            machine,
            slice,
            frames,
            vocabularies,
            queries: (0..points.blocks.len()).map(|_| None).collect(),
            points,
            lemmas: Lemmas::new(count),
            facts: vec![Vec::new(); count],
            reached: Vec::new(),
            reached_entries: vec![Vec::new(); count],
            obligations: Obligations::default(),
            main_entry,
            initial,
            level: 0,
            counts: Counts::default(),
            budget,
            interrupt,
        }
    }

    /// Searches until a run reaches one of the targets or none can.
    pub fn run(&mut self, targets: &[NodeId], progress: &mut dyn Progress) -> Result<Found, Limit> {
        loop {
            progress.event(Event::Count("levels", self.level as u64));
            self.counts.levels = self.counts.levels.max(self.level as u64);
            self.obligations.clear();
            for &target in targets.iter().rev() {
                self.add(Obligation {
                    node: target,
                    cube: Cube::new(),
                    level: self.level,
                    purpose: Purpose::Target,
                    is_free: false,
                    is_reached: false,
                });
            }
            while let Some(number) = self.obligations.take(self.level) {
                self.check_limits()?;
                if let Some((target, last)) = self.discharge(number)? {
                    return Ok(Found::Run { target, last });
                }
            }
            if let Some(level) = self.propagate()? {
                return Ok(Found::Invariant { level });
            }
            self.level += 1;
        }
    }

    pub(super) fn add(&mut self, obligation: Obligation) -> usize {
        self.counts.obligations += 1;
        self.obligations.add(obligation)
    }

    /// Works on an obligation; gives the target and the last state if a run is found.
    fn discharge(&mut self, number: usize) -> Result<Option<(NodeId, usize)>, Limit> {
        let obligation = self.obligations.get(number);
        if obligation.is_reached {
            return Ok(None);
        }
        let (node, cube, level) = (obligation.node, obligation.cube.clone(), obligation.level);
        if let Some(reached) = self.start(number) {
            return self.reach(number, reached);
        }
        if let Some(excluded) = self.lemmas.excluded_up_to(node, &cube)
            && excluded >= level
        {
            self.obligations.put_back(number, excluded + 1);
            return Ok(None);
        }
        match self.attempt(node, &cube, level, true, None)? {
            Err((block, model)) => {
                self.obligations.put_back(number, level);
                self.extend(number, block, model)?;
            }
            Ok(core) => {
                let core = self.generalize(node, core, level)?;
                let level = self.push(node, core, level)?;
                self.obligations.put_back(number, level + 1);
            }
        }
        Ok(None)
    }

    /// The state of a run that begins in the cube of an obligation at an entry, or has been seen
    /// there.
    fn start(&self, number: usize) -> Option<Reached> {
        let obligation = self.obligations.get(number);
        let node = obligation.node;
        let cube = &obligation.cube;
        let procedure = self.machine.procedure(self.machine.procedure_of(node));
        if node != procedure.entry {
            return None;
        }
        let known = self.reached_entries[node.index()].iter();
        let mut known = known.map(|&index| &self.reached[index]);
        if let Some(known) = known.find(|known| is_part(cube, &known.state)) {
            return Some(known.clone());
        }
        let cube = &at_start(cube)?;
        let begins = node == self.main_entry && are_compatible(cube, &self.initial);
        let is_free = obligation.is_free && cube.iter().all(|&lit| self.is_own(node, lit));
        if !begins && !is_free {
            return None;
        }
        let value = |bit: u32| {
            let is_set = StateLit::new(bit, false, true);
            let is_initial = begins && self.initial.binary_search(&is_set).is_ok();
            is_initial || cube.binary_search(&is_set).is_ok()
        };
        let vocabulary = &self.vocabularies[node.index()];
        let now = vocabulary
            .now
            .iter()
            .map(|&bit| StateLit::new(bit, false, value(bit)));
        let entry = vocabulary
            .entry
            .iter()
            .map(|&bit| StateLit::new(bit, true, value(bit)));
        let mut state: Cube = now.chain(entry).collect();
        state.sort_unstable();
        Some(Reached {
            node,
            state,
            by: Arrival::Start,
        })
    }

    /// Whether a bit at an entry belongs to a local that is no parameter.
    fn is_own(&self, entry: NodeId, lit: StateLit) -> bool {
        let procedure = self.machine.procedure_of(entry);
        let count = self.machine.procedure(procedure).parameter_count;
        let locals = self.machine.procedure(procedure).local_ids();
        let own = locals.filter(|local| local.0 >= count).map(Variable::Local);
        let layout = self.frames.layout();
        own.into_iter()
            .any(|own| layout.bits_of(procedure, own).contains(&lit.bit()))
    }

    /// A run reaches an obligation; so it reaches those that came from it.
    fn reach(
        &mut self,
        mut number: usize,
        mut reached: Reached,
    ) -> Result<Option<(NodeId, usize)>, Limit> {
        loop {
            let last = self.reached.len();
            let node = reached.node;
            if !is_part(&self.obligations.get(number).cube, &reached.state) {
                let what = "a run does not arrive where the solver has found it".to_owned();
                return Err(Limit::Contradiction { what });
            }
            // A fact may begin where no run calls the procedure.
            let is_called = matches!(reached.by, Arrival::Block { .. })
                || self.is_initial(node, &reached.state);
            let entry = self
                .machine
                .procedure(self.machine.procedure_of(node))
                .entry;
            if node == entry && is_called {
                self.reached_entries[node.index()].push(last);
            }
            self.reached.push(reached);
            self.obligations.set_reached(number);
            match self.obligations.get(number).purpose.clone() {
                Purpose::Target => return Ok(Some((node, last))),
                Purpose::Fact => {
                    self.add_fact(node, last);
                    return Ok(None);
                }
                Purpose::Predecessor { parent, way } => {
                    if self.obligations.get(parent).is_reached {
                        return Ok(None);
                    }
                    reached = self.forward(&way, last)?;
                    number = parent;
                }
            }
        }
    }

    /// The first state of the procedure in which a state is reached.
    pub fn frame_start(&self, mut index: usize) -> usize {
        while let Arrival::Block {
            from,
            enters: false,
            ..
        } = &self.reached[index].by
        {
            index = *from;
        }
        index
    }

    fn add_fact(&mut self, exit: NodeId, last: usize) {
        let start = &self.reached[self.frame_start(last)];
        let now = start.state.iter().filter(|lit| !lit.is_entry());
        let passed = now.filter(|&&lit| !self.is_own(start.node, lit));
        let mut cube: Cube = passed
            .map(|lit| StateLit::new(lit.bit(), true, lit.value()))
            .collect();
        let end = self.reached[last].state.iter();
        cube.extend(end.filter(|lit| !lit.is_entry()));
        cube.sort_unstable();
        for &block in &self.points.users[exit.index()] {
            let calls = &self.points.blocks[block].calls;
            if let Some(query) = &mut self.queries[block] {
                for (call, _) in calls.iter().enumerate().filter(|(_, call)| call.0 == exit) {
                    query.add_fact(call, &cube);
                }
            }
        }
        let fact = Fact {
            cube,
            reached: last,
        };
        self.facts[exit.index()].push(fact);
    }

    /// Adds a lemma to the highest level at which it is shown without further help.
    fn push(&mut self, node: NodeId, mut cube: Cube, mut level: usize) -> Result<usize, Limit> {
        while level < self.level {
            match self.attempt(node, &cube, level + 1, true, Some(MOST_CONFLICTS))? {
                Ok(core) => cube = core,
                Err(_) => break,
            }
            level += 1;
        }
        self.add_lemma(node, cube, level);
        Ok(level)
    }

    fn add_lemma(&mut self, node: NodeId, cube: Cube, level: usize) {
        self.counts.lemmas += 1;
        for &block in &self.points.outgoing[node.index()] {
            if let Some(query) = &mut self.queries[block] {
                query.exclude_source(&cube, level);
            }
        }
        for &block in &self.points.users[node.index()] {
            let calls = &self.points.blocks[block].calls;
            if let Some(query) = &mut self.queries[block] {
                for (call, _) in calls.iter().enumerate().filter(|(_, call)| call.0 == node) {
                    query.exclude_call(call, &cube, level);
                }
            }
        }
        self.lemmas.add(node, Lemma { cube, level });
    }

    /// Moves lemmas to the next level where they hold there, too. Gives a level that equals the
    /// next one.
    fn propagate(&mut self) -> Result<Option<usize>, Limit> {
        for level in 0..=self.level {
            for &node in self.machine.node_order().nodes() {
                let lemmas = self.lemmas.at(node).iter();
                let due: Vec<Cube> = lemmas
                    .filter(|lemma| lemma.level == level)
                    .map(|lemma| lemma.cube.clone())
                    .collect();
                for cube in due {
                    self.check_limits()?;
                    let above = level + 1;
                    if self
                        .lemmas
                        .excluded_up_to(node, &cube)
                        .is_some_and(|up| up >= above)
                    {
                        continue;
                    }
                    let limit = Some(MOST_CONFLICTS);
                    if let Ok(core) = self.attempt(node, &cube, above, true, limit)? {
                        self.add_lemma(node, core, above);
                    }
                }
            }
            if self.lemmas.is_fixpoint(level) {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// A core may have lost what tells it from the initial states.
    pub(super) fn without_initial(&self, node: NodeId, core: Cube, cube: &Cube) -> Cube {
        let mut core = core;
        for &lit in cube {
            if !self.is_initial(node, &core) {
                break;
            }
            if let Err(index) = core.binary_search(&lit) {
                core.insert(index, lit);
            }
        }
        core
    }

    /// Whether a cube at a node has initial states.
    pub(super) fn is_initial(&self, node: NodeId, cube: &Cube) -> bool {
        let starts = || at_start(cube).is_some_and(|cube| are_compatible(&cube, &self.initial));
        node == self.main_entry && starts()
    }

    /// How many facts are known.
    pub fn fact_count(&self) -> u64 {
        self.facts.iter().map(Vec::len).sum::<usize>() as u64
    }

    pub(super) fn check_limits(&mut self) -> Result<(), Limit> {
        if self.counts.questions.is_multiple_of(QUESTIONS_PER_LOOK)
            && let Some(why) = self.budget.interrupt.check()
        {
            return Err(why);
        }
        let states = self.counts.obligations;
        if self.budget.states.is_some_and(|limit| states > limit) {
            return Err(Limit::States);
        }
        let cubes = self.obligations.count() + self.lemmas.count() + self.reached.len();
        let bytes = cubes as u64 * BYTES_PER_CUBE;
        if self.budget.memory.is_some_and(|limit| bytes > limit) {
            return Err(Limit::Memory);
        }
        Ok(())
    }
}

/// Conflicts in a question whose answer is welcome, not needed.
pub(super) const MOST_CONFLICTS: u64 = 1000;
