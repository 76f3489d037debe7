//! An automaton in the HOA format, for tools such as Spot to compare with or to draw.

use crate::automaton::Automaton;
use crate::guard::{Cube, Guard};
use std::fmt::Write as _;

/// An automaton as a file in the HOA format. Target states are written as accepting ones that are
/// never left, and one without an initial state gets a state with no way on.
pub fn write_hoa(automaton: &Automaton) -> String {
    let is_empty = automaton.initial.is_empty();
    let count = automaton.states.len() + usize::from(is_empty);
    let mut text = format!("HOA: v1\nStates: {count}\n");
    // Writing to a string cannot fail; the results are not looked at.
    for state in &automaton.initial {
        _ = writeln!(text, "Start: {}", state.0);
    }
    if is_empty {
        _ = writeln!(text, "Start: {}", automaton.states.len());
    }
    let propositions = automaton.propositions.list();
    _ = write!(text, "AP: {}", propositions.len());
    for proposition in propositions {
        _ = write!(text, " \"{}\"", proposition.text);
    }
    text.push_str("\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n");
    for (index, state) in automaton.states.iter().enumerate() {
        let name = state.name.replace(['\\', '"'], "'");
        let accepting = if state.accepting || state.target {
            " {0}"
        } else {
            ""
        };
        _ = writeln!(text, "State: {index} \"{name}\"{accepting}");
        if state.target {
            _ = writeln!(text, "[t] {index}");
            continue;
        }
        for edge in &automaton.edges[state.edges.start as usize..state.edges.end as usize] {
            _ = writeln!(text, "[{}] {}", label(&edge.guard), edge.to.0);
        }
    }
    if is_empty {
        _ = writeln!(text, "State: {}", automaton.states.len());
    }
    text.push_str("--END--\n");
    text
}

fn label(guard: &Guard) -> String {
    if guard.is_never() {
        return "f".to_owned();
    }
    let cubes: Vec<String> = guard
        .cubes()
        .iter()
        .map(|&cube| conjunction(cube))
        .collect();
    cubes.join(" | ")
}

fn conjunction(cube: Cube) -> String {
    let literals: Vec<String> = (0..u64::BITS)
        .filter(|&proposition| cube.support() >> proposition & 1 == 1)
        .map(|proposition| match cube.positive >> proposition & 1 {
            1 => proposition.to_string(),
            _ => format!("!{proposition}"),
        })
        .collect();
    if literals.is_empty() {
        return "t".to_owned();
    }
    literals.join("&")
}
