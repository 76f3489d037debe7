//! The game on whole configurations, up to some depth of the stack.
//!
//! Deeper stacks are given to one player, and then to the other: if the same one wins both times,
//! the bound did not matter.

use crate::parity::Game;
use crate::places::{Fate, fate, is_eves, is_exit, priority};
use hardbop_brute_force::{Bounds, initial_configurations, successors};
use hardbop_interpreter::Configuration;
use hardbop_machine::Machine;
use std::collections::HashMap;

const MOST: usize = 4_000;

/// Whether Eve wins from each initial configuration; nothing if it depends on the bound, or there
/// are too many configurations.
pub fn winners(machine: &Machine, stack: usize) -> Option<Vec<bool>> {
    let lower = with_deep_stacks_for(machine, stack, false)?;
    let upper = with_deep_stacks_for(machine, stack, true)?;
    (lower == upper).then_some(lower)
}

fn with_deep_stacks_for(machine: &Machine, stack: usize, eve: bool) -> Option<Vec<bool>> {
    let bounds = Bounds { stack, threads: 1 };
    let mut game = Game::default();
    // Nobody can move where the other one has won.
    let deep = game.add(!eve, 0);
    let mut known: HashMap<Configuration, usize> = HashMap::new();
    let mut states: Vec<Configuration> = Vec::new();
    let mut number = |state: Configuration, states: &mut Vec<Configuration>, game: &mut Game| {
        *known.entry(state.clone()).or_insert_with(|| {
            let node = state.threads[0].stack.last().map(|frame| frame.node);
            states.push(state);
            match node {
                Some(node) => game.add(is_eves(machine, node), priority(machine, node)),
                None => game.add(true, 0),
            }
        })
    };
    let initial = initial_configurations(machine).ok()?;
    let initial: Vec<usize> = initial
        .into_iter()
        .map(|state| number(state, &mut states, &mut game))
        .collect();
    let mut next = 0;
    while next < states.len() {
        if states.len() > MOST {
            return None;
        }
        let now = states[next].clone();
        let at = next + 1;
        next += 1;
        let stack = &now.threads[0].stack;
        let node = stack.last().expect("ends are not left").node;
        let ends = stack.len() == 1 && is_exit(machine, node);
        match fate(machine, node) {
            Fate::Fails => game.is_eves[at] = true,
            Fate::Ends => game.moves[at].push(at),
            Fate::GoesOn if ends => game.moves[at].push(at),
            Fate::GoesOn => {
                let mut missed = None;
                for successor in successors(machine, &now, bounds, &mut missed).ok()? {
                    let to = number(successor.to, &mut states, &mut game);
                    game.moves[at].push(to);
                }
                if missed.is_some() {
                    game.moves[at].push(deep);
                }
            }
        }
    }
    let won = game.won_by_eve();
    Some(initial.iter().map(|&at| won[at]).collect())
}
