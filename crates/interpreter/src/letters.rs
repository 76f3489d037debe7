//! What a property sees of a configuration.

use crate::configuration::Configuration;
use hardbop_automata::{Letter, Propositions, View};
use hardbop_machine::{Machine, NodeId, Variable};

/// What a property sees of a state of a sequential program. `terminated` says that `main` has
/// returned.
pub fn letter_of_state(
    machine: &Machine,
    propositions: &Propositions,
    now: &Configuration,
    terminated: bool,
) -> Letter {
    let node = now.top(0).map_or(NodeId(0), |top| top.node);
    let view = View { node, terminated };
    let read = |variable| now.read(machine, 0, variable);
    propositions.letter(machine, view, Letter::MAX, read)
}

/// What a property sees of a configuration of several threads.
pub fn letter_of_threads(
    machine: &Machine,
    propositions: &Propositions,
    now: &Configuration,
) -> Letter {
    let threads = 0..now.threads.len() as u32;
    let running: Vec<(u32, NodeId)> = threads
        .filter_map(|thread| Some((thread, now.top(thread)?.node)))
        .collect();
    let nodes: Vec<NodeId> = running.iter().map(|&(_, node)| node).collect();
    propositions.letter_of_threads(machine, &nodes, |place, variable| match (place, variable) {
        (Some(place), _) => now.read(machine, running[place].0, variable),
        (None, Variable::Global(id)) => now.shared[id.index()],
        (None, Variable::Local(_)) => 0,
    })
}
