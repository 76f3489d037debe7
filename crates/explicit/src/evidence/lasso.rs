//! From a fair component to a run that goes round in it for ever.
//!
//! The loop is a shortest cycle through something fair, the stem a shortest way to it, in the graph
//! as far as it is known. States of the graph have undetermined bits, so the loop leads from a
//! *set* of states back to it. It is read backwards, like every run ([`crate::evidence::runs`]), round after
//! round, until the values at its head have been there before: every state of the set has a
//! predecessor in the set, and there are finitely many. The rounds in between are a loop of the
//! program.

use crate::evidence::runs::{FairStep, RunReader, Values};
use crate::search::cycles::CycleSearch;
use crate::search::cycles::graph::{Graph, LinkId, NO_LINK};
use crate::search::exploration::StateId;
use hardbop_outcome::{Decision, Skeleton};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// A loop that takes more rounds than this to come back to its first values is not written down.
const MAX_ROUNDS: usize = 1 << 12;

/// A link of a stem or a loop.
#[derive(Clone, Copy, Debug)]
struct Hop {
    link: LinkId,
    /// Whether the completed call that it is must pass a fair state.
    exit_is_fair: bool,
}

/// Reads a run that goes round in a fair component: its decisions, and the number of the first one
/// that belongs to the loop. Nothing if the loop is too long to be written down.
pub(crate) fn read_lasso(
    search: &mut CycleSearch<'_, '_>,
    component: &[StateId],
) -> Option<(Skeleton, usize)> {
    let CycleSearch {
        exploration,
        graph,
        starts,
        ..
    } = search;
    let mut cycle = fair_cycle(graph, component)?;
    let mut is_on_cycle = vec![false; graph.state_count()];
    for hop in &cycle {
        is_on_cycle[graph.link(hop.link).to as usize] = true;
    }
    let stem = shortest(graph, starts, &|_| true, &|state| {
        is_on_cycle[state as usize]
    });
    let stem = match starts.iter().find(|&&state| is_on_cycle[state as usize]) {
        Some(_) => Vec::new(),
        None => stem?,
    };
    let head = match stem.last() {
        Some(&link) => graph.link(link).to,
        None => *starts.iter().find(|&&state| is_on_cycle[state as usize])?,
    };
    let first = cycle
        .iter()
        .position(|hop| graph.link(hop.link).derivation.from == head)?;
    cycle.rotate_left(first);
    let stem: Vec<Hop> = stem.into_iter().map(plain).collect();
    let start = stem
        .first()
        .map_or(head, |hop| graph.link(hop.link).derivation.from);

    let graph: &Graph = graph;
    let fair_steps = |state: StateId| {
        let way = graph.fair_way(state)?;
        (way.link != NO_LINK).then(|| FairStep {
            derivation: graph.link(way.link).derivation,
            from_is_fair: way.from_is_fair,
            exit_is_fair: way.exit_is_fair,
        })
    };
    let mut reader = RunReader::with_fair_steps(exploration, &fair_steps);
    let (rounds, values) = repeating_rounds(&mut reader, graph, &cycle, head)?;
    let (mut steps, values) = read_back(&mut reader, graph, &stem, values)?;
    let stem_length = steps.len();
    steps.extend(rounds);
    let mut run = [Skeleton {
        start: reader.start(start, &values),
        steps: steps.into(),
        calls: Rc::default(),
    }];
    reader.finish(&mut run)?;
    let [run] = run;
    Some((run, stem_length))
}

fn plain(link: LinkId) -> Hop {
    Hop {
        link,
        exit_is_fair: false,
    }
}

/// A cycle in a component through something fair.
fn fair_cycle(graph: &Graph, component: &[StateId]) -> Option<Vec<Hop>> {
    let mut is_member = vec![false; graph.state_count()];
    for &state in component {
        is_member[state as usize] = true;
    }
    let inside = |state: StateId| is_member[state as usize];
    if let Some(&fair) = component.iter().find(|&&state| graph.accepts(state)) {
        let cycle = shortest(graph, &[fair], &inside, &|state| state == fair)?;
        return Some(cycle.into_iter().map(plain).collect());
    }
    let links = component.iter().flat_map(|&state| graph.links_from(state));
    let mut links = links.filter(|&link| inside(graph.link(link).to));
    let summary = links.find(|&link| graph.is_fair(link))?;
    let (from, to) = (graph.link(summary).derivation.from, graph.link(summary).to);
    let mut cycle = vec![Hop {
        link: summary,
        exit_is_fair: true,
    }];
    if to != from {
        let back = shortest(graph, &[to], &inside, &|state| state == from)?;
        cycle.extend(back.into_iter().map(plain));
    }
    Some(cycle)
}

/// A shortest way of at least one link from one of some states through allowed ones to a goal.
fn shortest(
    graph: &Graph,
    sources: &[StateId],
    is_allowed: &dyn Fn(StateId) -> bool,
    is_goal: &dyn Fn(StateId) -> bool,
) -> Option<Vec<LinkId>> {
    let mut came_by: Vec<LinkId> = vec![NO_LINK; graph.state_count()];
    let mut is_met = vec![false; graph.state_count()];
    let mut queue: VecDeque<StateId> = sources.iter().copied().collect();
    for &source in sources {
        is_met[source as usize] = true;
    }
    while let Some(state) = queue.pop_front() {
        for link in graph.links_from(state) {
            let to = graph.link(link).to;
            if is_goal(to) {
                let back = std::iter::successors(Some(link), |&link| {
                    let before = came_by[graph.link(link).derivation.from as usize];
                    (before != NO_LINK).then_some(before)
                });
                let mut way: Vec<LinkId> = back.collect();
                way.reverse();
                return Some(way);
            }
            if is_allowed(to) && !std::mem::replace(&mut is_met[to as usize], true) {
                came_by[to as usize] = link;
                queue.push_back(to);
            }
        }
    }
    None
}

/// Reads some hops backwards from the values after the last one; gives the decisions in order and
/// the values before the first.
fn read_back(
    reader: &mut RunReader<'_, '_>,
    graph: &Graph,
    hops: &[Hop],
    mut values: Values,
) -> Option<(Vec<Decision>, Values)> {
    let mut steps = Vec::with_capacity(hops.len());
    for hop in hops.iter().rev() {
        let link = graph.link(hop.link);
        let (decision, before) =
            reader.step_back(link.derivation, link.to, &values, hop.exit_is_fair)?;
        steps.push(decision);
        values = before;
    }
    steps.reverse();
    Some((steps, values))
}

/// As many rounds of a loop as it takes to come back to the same values; also gives these values.
fn repeating_rounds(
    reader: &mut RunReader<'_, '_>,
    graph: &Graph,
    cycle: &[Hop],
    head: StateId,
) -> Option<(Vec<Decision>, Values)> {
    let mut values = reader.some_values(head);
    let mut met: HashMap<Values, usize> = HashMap::new();
    let mut rounds: Vec<Vec<Decision>> = Vec::new();
    while rounds.len() < MAX_ROUNDS {
        if let Some(&last) = met.get(&values) {
            // The rounds were read last one first.
            let rounds = rounds.drain(last..).rev().flatten();
            return Some((rounds.collect(), values));
        }
        met.insert(values.clone(), rounds.len());
        let (steps, before) = read_back(reader, graph, cycle, values)?;
        rounds.push(steps);
        values = before;
    }
    None
}
