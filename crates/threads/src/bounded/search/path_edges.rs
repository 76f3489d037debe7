//! Path edges of threads: from the state in which a procedure was entered, over the boundaries at
//! which the thread was interrupted meanwhile, to the current state.
//!
//! This is the paper's `Reach` (section 5.1) cut in two. There every tuple carries all boundaries
//! of the whole run. But what an invocation does depends only on the state it was entered in and on
//! what the shared globals were when *its own* contexts began. So the path edges here, one relation
//! per scope, profile and node, mention only boundaries inside the invocation: interruption i ends
//! a context with `Boundary(2i - 1)` and begins the next with `Boundary(2i)`. They are true of
//! every thread that runs the code, in whichever context and schedule, and are never computed
//! twice; which invocations there are in which history of a thread is
//! [`crate::bounded::search::entries`]' business.
//!
//! Only states that some run reaches are computed: a thread resumes only with globals that a
//! schedule has brought about.

use crate::bounded::encoding::columns::{Column, Columns};
use crate::bounded::encoding::moves::Moves;
use crate::bounded::encoding::profile::{ProfileId, Profiles, ScopeId, WatchId};
use crate::bounded::encoding::scopes::{Kind, Scopes, started_by};
use crate::bounded::search::calls::{Summary, Waiting};
use hardbop_bdd::{Bdd, Exhausted, Roots};
use hardbop_machine::analysis::SwitchPoints;
use hardbop_machine::{Action, EdgeId, NodeId, ProcId};
use std::collections::{HashMap, VecDeque};

/// Where a path edge ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// The kind of its frame.
    pub(crate) scope: ScopeId,
    /// The contexts so far.
    pub(crate) profile: ProfileId,
    /// The node; [`PathEdges::ended`] if the thread has ended.
    pub(crate) node: NodeId,
}

/// A relation with the order in which it grew.
#[derive(Clone, Debug)]
pub(crate) struct Growing {
    /// All of it.
    pub(crate) total: Bdd,
    /// What has not been looked at yet.
    pub(crate) news: Bdd,
    /// What was reached by a step of the last context: only there a thread is left, since a context
    /// without steps is none.
    pub(crate) stepped: Bdd,
    /// Portions with the time at which they were looked at: whatever they follow from was looked at
    /// before.
    pub(crate) rings: Vec<(u64, Bdd)>,
}

impl Roots for Growing {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        [self.total, self.news, self.stepped].each_root(keep);
        self.rings.each_root(keep);
    }
}

impl Growing {
    /// The empty relation.
    pub(crate) fn empty() -> Self {
        Self {
            total: Bdd::FALSE,
            news: Bdd::FALSE,
            stepped: Bdd::FALSE,
            rings: Vec::new(),
        }
    }
}

/// How far a single thread may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How many threads it may start.
    pub(crate) starts: u32,
    /// How often it may be interrupted.
    pub(crate) interruptions: u32,
}

/// All path edges.
pub(crate) struct PathEdges {
    /// The kinds of frames.
    pub(crate) scopes: Scopes,
    /// The sequences of contexts.
    pub(crate) profiles: Profiles,
    /// Where threads are left.
    pub(crate) switch_points: SwitchPoints,
    /// Per watch: where, over the shared globals now, the watched thread is blocked.
    pub(crate) watches: Vec<Bdd>,
    places: Vec<(Place, Growing)>,
    index: HashMap<Place, usize>,
    families: HashMap<(ScopeId, ProfileId), Vec<usize>>,
    scope_profiles: HashMap<ScopeId, Vec<ProfileId>>,
    /// Per node the places there, and those whose last context has last started a thread there.
    by_node: HashMap<NodeId, Vec<Place>>,
    queue: VecDeque<usize>,
    pub(crate) waiting: Vec<Vec<Waiting>>,
    pub(crate) summaries: Vec<Vec<Summary>>,
    ended: NodeId,
    pub(crate) limits: Limits,
    clock: u64,
    /// Whether a thread was not started because there would have been too many.
    pub(crate) is_short_of_threads: bool,
    collect_at: usize,
}

const FIRST_COLLECTION: usize = 1 << 18;

impl PathEdges {
    /// None yet.
    pub(crate) fn new(columns: &Columns<'_>, limits: Limits) -> Self {
        let machine = columns.machine();
        Self {
            switch_points: SwitchPoints::new(machine),
            scopes: Scopes::default(),
            profiles: Profiles::default(),
            watches: Vec::new(),
            places: Vec::new(),
            index: HashMap::new(),
            families: HashMap::new(),
            scope_profiles: HashMap::new(),
            by_node: HashMap::new(),
            queue: VecDeque::new(),
            waiting: vec![Vec::new(); machine.procedures.len()],
            summaries: vec![Vec::new(); machine.procedures.len()],
            ended: NodeId(machine.nodes.len() as u32),
            limits,
            clock: 0,
            is_short_of_threads: false,
            collect_at: FIRST_COLLECTION,
        }
    }

    /// Stands for the node of a thread that has ended.
    pub(crate) fn ended(&self) -> NodeId {
        self.ended
    }

    /// All places with their relations, in order of discovery.
    pub(crate) fn places(&self) -> &[(Place, Growing)] {
        &self.places
    }

    /// The places at a node, and those whose last context has last started a thread there, in
    /// order of discovery.
    pub(crate) fn places_at(&self, node: NodeId) -> &[Place] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Where the thread begins that the last context has started last.
    fn last_start(&self, place: Place) -> Option<NodeId> {
        let started = self.profiles.recent_starts(place.profile).last()?;
        Some(self.scopes.get(*started).start)
    }

    /// The relation of a place.
    pub(crate) fn get(&self, place: Place) -> Option<&Growing> {
        self.index.get(&place).map(|&at| &self.places[at].1)
    }

    /// The places of a scope and profile, in order of discovery, with what steps of the last
    /// context have reached.
    pub(crate) fn places_of(&self, scope: ScopeId, profile: ProfileId) -> Vec<(Place, Bdd)> {
        let family = self.families.get(&(scope, profile));
        let numbers = family.into_iter().flatten();
        numbers
            .map(|&at| (self.places[at].0, self.places[at].1.stepped))
            .collect()
    }

    /// The profiles with which invocations of a scope have run, in order of discovery.
    pub(crate) fn profiles_of(&self, scope: ScopeId) -> Vec<ProfileId> {
        self.scope_profiles.get(&scope).cloned().unwrap_or_default()
    }

    /// Whether no thread can have these contexts.
    pub(crate) fn exceeds_limits(&self, profile: ProfileId) -> bool {
        self.profiles.interruptions(profile) > self.limits.interruptions
            || self.profiles.start_count(profile) > self.limits.starts
    }

    /// The calls of procedures that wait.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        self.waiting.iter().flatten()
    }

    /// The number of a watch.
    pub(crate) fn watch(&mut self, blocked: Bdd) -> WatchId {
        let known = self.watches.iter().position(|&known| known == blocked);
        let number = known.unwrap_or(self.watches.len());
        if number == self.watches.len() {
            self.watches.push(blocked);
        }
        WatchId(number as u32)
    }

    /// Adds path edges to a place that steps have led to.
    pub(crate) fn add(
        &mut self,
        moves: &mut Moves<'_, '_>,
        place: Place,
        relation: Bdd,
    ) -> Result<(), Exhausted> {
        self.add_initial(moves, place, relation)?;
        if let Some(&at) = self.index.get(&place) {
            let stepped = &mut self.places[at].1.stepped;
            *stepped = moves.manager.or(*stepped, relation)?;
        }
        Ok(())
    }

    /// Adds path edges to a place with which a context begins.
    pub(crate) fn add_initial(
        &mut self,
        moves: &mut Moves<'_, '_>,
        place: Place,
        relation: Bdd,
    ) -> Result<(), Exhausted> {
        if relation.is_false() {
            return Ok(());
        }
        let next = self.places.len();
        let at = *self.index.entry(place).or_insert(next);
        if at == next {
            self.places.push((place, Growing::empty()));
            let family = self.families.entry((place.scope, place.profile));
            let family = family.or_default();
            if family.is_empty() {
                let profiles = self.scope_profiles.entry(place.scope).or_default();
                profiles.push(place.profile);
            }
            family.push(at);
            self.by_node.entry(place.node).or_default().push(place);
            if let Some(start) = self.last_start(place).filter(|&start| start != place.node) {
                self.by_node.entry(start).or_default().push(place);
            }
        }
        let growing = &mut self.places[at].1;
        let new = moves.manager.diff(relation, growing.total)?;
        if new.is_false() {
            return Ok(());
        }
        // Both or none: news that are noted and not queued would be lost when the visit is tried
        // again.
        let news = moves.manager.or(growing.news, new)?;
        let total = moves.manager.or(growing.total, new)?;
        let was_idle = growing.news.is_false();
        (growing.news, growing.total) = (news, total);
        if was_idle {
            self.queue.push_back(at);
        }
        Ok(())
    }

    /// Follows all news to the end. `kept` are the BDDs that others need.
    pub(crate) fn run(
        &mut self,
        moves: &mut Moves<'_, '_>,
        kept: &dyn Roots,
    ) -> Result<(), Exhausted> {
        while let Some(at) = self.queue.pop_front() {
            if moves.manager.node_count() > self.collect_at {
                self.collect(moves, kept);
            }
            let (place, growing) = &mut self.places[at];
            let (place, news) = (*place, std::mem::replace(&mut growing.news, Bdd::FALSE));
            self.clock += 1;
            growing.rings.push((self.clock, news));
            match self.visit(moves, place, news) {
                // Garbage may have been in the way; what the visit has done so far does no harm
                // when it is done again.
                Err(Exhausted::Nodes) => {
                    self.collect(moves, kept);
                    self.visit(moves, place, news)?;
                }
                visited => visited?,
            }
        }
        Ok(())
    }

    fn collect(&mut self, moves: &mut Moves<'_, '_>, kept: &dyn Roots) {
        let places: Vec<&Growing> = self.places.iter().map(|(_, growing)| growing).collect();
        let roots: [&dyn Roots; 5] = [
            &kept,
            &self.watches,
            &places,
            &self.waiting,
            &self.summaries,
        ];
        moves.collect(&roots);
        self.collect_at = FIRST_COLLECTION.max(2 * moves.manager.node_count());
    }

    /// The states, of those given, from which the thread may step: where another one waits inside
    /// an atomic block, it must be blocked, unless this thread is inside a block itself or holds
    /// the flag.
    pub(crate) fn permitted(
        &self,
        moves: &mut Moves<'_, '_>,
        profile: ProfileId,
        states: Bdd,
    ) -> Result<Bdd, Exhausted> {
        let Some(watch) = self.profiles.watch(profile) else {
            return Ok(states);
        };
        let mut allowed = self.watches[watch.0 as usize];
        if let Some(inside) = moves.columns.inside() {
            let inside = moves.literal(moves.at(inside, Column::Now), true)?;
            allowed = moves.manager.or(allowed, inside)?;
        }
        let raised = flag_is_raised(moves)?;
        allowed = moves.manager.or(allowed, raised)?;
        moves.manager.and(states, allowed)
    }

    fn visit(
        &mut self,
        moves: &mut Moves<'_, '_>,
        place: Place,
        news: Bdd,
    ) -> Result<(), Exhausted> {
        if place.node == self.ended {
            return Ok(());
        }
        let machine = moves.columns.machine();
        let news = self.permitted(moves, place.profile, news)?;
        if news.is_false() {
            return Ok(());
        }
        let procedure = machine.procedure_of(place.node);
        if machine.procedure(procedure).exit == place.node {
            if let Kind::Called(procedure) = self.scopes.get(place.scope).kind {
                return self.returned(moves, procedure, place.profile, news);
            }
            return Ok(());
        }
        for edge in machine.edges_from(place.node) {
            let to = machine.edge(edge).to;
            match &machine.edge(edge).action {
                Action::Call { callee, .. } => self.called(moves, place, edge, *callee, news)?,
                Action::StartThread(_) => self.start(moves, place, edge, news)?,
                Action::EndThread => {
                    let made = moves.step(edge)?;
                    let all = moves.columns.locals(procedure);
                    let all: Vec<_> = all.collect();
                    let actions = moves.quantify(&all, Column::Now);
                    let after = moves.product(news, made.relation, actions)?;
                    let node = self.ended;
                    self.add(moves, Place { node, ..place }, after)?;
                }
                _ => {
                    let made = moves.step(edge)?;
                    let after = moves.manager.relprod(news, made.relation, &made.plan)?;
                    self.add(moves, Place { node: to, ..place }, after)?;
                }
            }
        }
        Ok(())
    }

    fn start(
        &mut self,
        moves: &mut Moves<'_, '_>,
        place: Place,
        edge: EdgeId,
        news: Bdd,
    ) -> Result<(), Exhausted> {
        let machine = moves.columns.machine();
        let Some(kind) = started_by(machine, edge) else {
            return Ok(());
        };
        let count = self.profiles.start_count(place.profile);
        let started = self.scopes.id(&moves.columns, kind);
        let scope = self.scopes.get(started).clone();
        let made = moves.start(edge, &scope, count)?;
        let after = moves.manager.relprod(news, made.relation, &made.plan)?;
        if count >= self.limits.starts {
            self.is_short_of_threads |= !after.is_false();
            return Ok(());
        }
        let after_start = Place {
            profile: self.profiles.started(place.profile, started),
            node: machine.edge(edge).to,
            ..place
        };
        self.add(moves, after_start, after)
    }

    /// Actions on the columns of started threads: number from 1 to the new number, or quantified.
    pub(crate) fn given_actions(
        &self,
        moves: &Moves<'_, '_>,
        profile: ProfileId,
        number: impl Fn(u32) -> Option<u32>,
    ) -> Vec<(u32, u32)> {
        let mut actions = Vec::new();
        for (at, scope) in (1..).zip(self.profiles.starts(profile)) {
            let slots = given_slots(moves, self.scopes.get(scope).given.as_slice());
            actions.extend(match number(at) {
                None => moves.quantify(&slots, Column::Given(at)),
                Some(new) if new == at => continue,
                Some(new) => moves.rename(&slots, Column::Given(at), Column::Given(new)),
            });
        }
        actions
    }
}

/// What a started thread is given: per-thread globals and first values of locals.
pub(crate) fn given_slots(moves: &Moves<'_, '_>, locals: &[u32]) -> Vec<u32> {
    let mut slots = moves.inherited();
    slots.extend(locals);
    slots
}

/// Where the Getafix flag is 1, over the shared globals now.
pub(crate) fn flag_is_raised(moves: &mut Moves<'_, '_>) -> Result<Bdd, Exhausted> {
    let Some(flag) = moves.columns.machine().atomic_flag else {
        return Ok(Bdd::FALSE);
    };
    let variable = hardbop_machine::Variable::Global(flag);
    let mut result = Bdd::TRUE;
    for (bit, slot) in (0..).zip(moves.columns.bits_of(ProcId(0), variable)) {
        let literal = moves.literal(moves.at(slot, Column::Now), bit == 0)?;
        result = moves.manager.and(result, literal)?;
    }
    Ok(result)
}
