//! Invariants that relate few threads at a time.
//!
//! A *view* is what a configuration looks like if one sees the shared variables, the schedule, and
//! one or two of its threads. The search computes views that are closed: wherever views of the same
//! shared variables fit together to one thread more, every step of such a group leads to views that
//! are there too (Abdulla, Haziza and Holík, *All for the Price of Few*, with groups of two and
//! three; views of one thread are thread-modular reasoning). Every configuration of every run then
//! consists of views, so what is in no view is not reachable, and the conjunction of the views of
//! all groups is an invariant that grows with the square of the number of threads where the
//! configurations grow exponentially.
//!
//! Threads that are in no view are unknown: one of them inside an atomic block may be blocked.
//! Everything that will be read has a value here, for if the same state were part of two different
//! views the conjunction would allow what no group was looked at for.

use crate::exact::search::allowance::Allowance;
use crate::exact::search::steps::TooManyCases;
use crate::exact::search::transitions::{Memory, Row, SHARED, THREADS, TURN, Transitions};
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, NodeId, Variable};
use hardbop_outcome::Limit;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A thread and its state.
pub(crate) type Seen = (u32, u32);

/// The shared variables and the schedule.
type Scenery = (u32, u32);

/// Views of a number of threads, in order of the threads.
pub(crate) struct Views<'m> {
    machine: &'m Machine,
    cast: &'m Cast,
    /// The steps of groups.
    pub(crate) transitions: Transitions<'m>,
    /// How many threads a view shows.
    size: usize,
    known: BTreeMap<Scenery, BTreeSet<Vec<Seen>>>,
    /// The states of single threads that are part of a view.
    parts: HashMap<Scenery, BTreeSet<Seen>>,
    pending: Vec<(Scenery, Vec<Seen>)>,
    /// The wanted nodes that no view has reached.
    pub(crate) excluded: BTreeSet<NodeId>,
}

/// More groups than these are not worth looking at: then configurations are explored.
const MOST_GROUPS: usize = 400_000;

impl<'m> Views<'m> {
    /// Nothing is computed yet.
    pub(crate) fn new(
        machine: &'m Machine,
        cast: &'m Cast,
        size: usize,
        wanted: &BTreeSet<NodeId>,
    ) -> Self {
        Self {
            machine,
            cast,
            transitions: Transitions::new(machine, cast, Memory::Flag, false),
            size,
            known: BTreeMap::new(),
            parts: HashMap::new(),
            pending: Vec::new(),
            excluded: wanted.clone(),
        }
    }

    /// The views, by the numbers of shared variables and schedule.
    pub(crate) fn known(&self) -> impl Iterator<Item = (Scenery, &BTreeSet<Vec<Seen>>)> + '_ {
        self.known.iter().map(|(&scenery, views)| (scenery, views))
    }

    /// All groups of threads that views show.
    pub(crate) fn groups(&self) -> Vec<Vec<u32>> {
        let everybody: Vec<u32> = (0..self.cast.len()).collect();
        subsets(&everybody, self.size)
    }

    /// How many views there are.
    pub(crate) fn len(&self) -> usize {
        self.known.values().map(BTreeSet::len).sum()
    }

    /// Closes the views under the steps of groups. Stops early once every wanted node is in a view,
    /// or with an error if that would take too long or a thread more than there is room for.
    pub(crate) fn run(&mut self, allowance: &Allowance<'_>) -> Result<(), Limit> {
        if self.cast.len() as usize <= self.size {
            return Err(Limit::Threads);
        }
        let initial = self.transitions.initial();
        for members in self.groups() {
            self.add_all(initial.clone(), &members)?;
        }
        let mut groups = 0;
        while let Some((scenery, view)) = self.pending.pop() {
            if self.excluded.is_empty() {
                return Ok(());
            }
            for other in self.candidates(scenery, &view) {
                let mut group = view.clone();
                group.push(other);
                group.sort_unstable();
                if !self.is_consistent(scenery, &group) {
                    continue;
                }
                groups += 1;
                if groups > MOST_GROUPS {
                    return Err(Limit::States);
                }
                if groups.is_multiple_of(1024)
                    && let Some(limit) = allowance.interrupt.check()
                {
                    return Err(limit);
                }
                self.step(scenery, &group)?;
            }
        }
        Ok(())
    }

    /// The states of threads that a view does not show.
    fn candidates(&self, scenery: Scenery, view: &[Seen]) -> Vec<Seen> {
        let parts = self.parts.get(&scenery);
        let parts = parts.into_iter().flatten().copied();
        let is_other = |&(thread, _): &Seen| view.iter().all(|&(shown, _)| shown != thread);
        parts.filter(is_other).collect()
    }

    /// Whether every part of a group with one thread less is a view.
    fn is_consistent(&self, scenery: Scenery, group: &[Seen]) -> bool {
        let Some(views) = self.known.get(&scenery) else {
            return false;
        };
        (0..group.len()).all(|left_out| views.contains(&without(group, left_out)))
    }

    /// Takes all steps of a group whose other threads are not known.
    fn step(&mut self, (shared, turn): Scenery, group: &[Seen]) -> Result<(), Limit> {
        let mut row: Row = vec![0; self.transitions.width()];
        (row[SHARED], row[TURN]) = (shared, turn);
        let members: Vec<u32> = group.iter().map(|&(thread, _)| thread).collect();
        for &(thread, local) in group {
            row[THREADS + thread as usize] = local;
        }
        for &thread in &members {
            let is_member = |other| members.contains(&other);
            for transition in self.transitions.of_thread_among(&row, thread, is_member)? {
                let after = transition.after.ok_or(Limit::Threads)?;
                self.add_all(after, &members)?;
            }
        }
        Ok(())
    }

    /// Adds all views of some threads of a configuration.
    fn add_all(&mut self, row: Row, members: &[u32]) -> Result<(), TooManyCases> {
        let parts = self.transitions.split(row, |transitions, row| {
            undetermined(self.machine, transitions, row, members)
        })?;
        for row in parts {
            let scenery = (row[SHARED], row[TURN]);
            let group: Vec<Seen> = members
                .iter()
                .map(|&thread| (thread, row[THREADS + thread as usize]))
                .collect();
            for &thread in members {
                if let Some(node) = self.transitions.node(&row, thread) {
                    self.excluded.remove(&node);
                }
            }
            for view in subsets(&group, self.size) {
                if self.known.entry(scenery).or_default().insert(view.clone()) {
                    let parts = self.parts.entry(scenery).or_default();
                    parts.extend(view.iter().copied());
                    self.pending.push((scenery, view));
                }
            }
        }
        Ok(())
    }
}

/// A variable that will be read and has no value yet.
fn undetermined(
    machine: &Machine,
    transitions: &Transitions<'_>,
    row: &[u32],
    members: &[u32],
) -> Option<(u32, Variable)> {
    let stepper = &transitions.stepper;
    let open = |thread: u32, variable: Variable| {
        let is_open = transitions.value(row, thread, variable).is_none();
        is_open.then_some((thread, variable))
    };
    for &id in &stepper.globals.shared {
        if let Some(found) = open(members[0], Variable::Global(id)) {
            return Some(found);
        }
    }
    for &thread in members {
        let Some(node) = transitions.node(row, thread) else {
            continue;
        };
        let procedure = machine.procedure(machine.procedure_of(node));
        let locals = procedure.local_ids().map(Variable::Local);
        let live = locals.filter(|&variable| stepper.machine.liveness().is_live(node, variable));
        let own = stepper.globals.own.iter().map(|&id| Variable::Global(id));
        if let Some(found) = live.chain(own).find_map(|variable| open(thread, variable)) {
            return Some(found);
        }
    }
    None
}

fn without(group: &[Seen], left_out: usize) -> Vec<Seen> {
    let mut part = group.to_vec();
    part.remove(left_out);
    part
}

/// All parts of a list with one or two members.
fn subsets<T: Copy>(list: &[T], size: usize) -> Vec<Vec<T>> {
    if size == 1 {
        return list.iter().map(|&one| vec![one]).collect();
    }
    let pairs = list.iter().enumerate();
    let pairs = pairs.flat_map(|(at, &one)| list[at + 1..].iter().map(move |&two| vec![one, two]));
    pairs.collect()
}
