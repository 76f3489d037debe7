//! What an automaton may do when it reads a state at one place of the program.
//!
//! Of a letter, much is known from the place alone: labels, the running procedure, whether the run
//! has ended, and that conditions on the locals of other procedures are false. What is left of the
//! guards are conditions on variables.

use hardbop_automata::{Atom, Automaton, Cube, Letter, View};
use hardbop_machine::Machine;

/// A transition of the automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The state before, as a value of the product's variable.
    pub from: u64,
    /// The state after.
    pub to: u64,
    /// What must hold of the variables: one of these; nothing to hold if it is empty.
    pub cubes: Vec<Cube>,
}

/// All transitions at one place.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The transitions, by state before.
    pub moves: Vec<Move>,
    /// Whether every state stays what it is, whatever the variables are.
    pub is_idle: bool,
}

impl Reading {
    /// What is read in a view of the program.
    pub fn new(machine: &Machine, automaton: &Automaton, view: View) -> Self {
        let known = Known::new(machine, automaton, view);
        let mut moves = Vec::new();
        let mut is_idle = true;
        for from in 0..automaton.states.len() {
            let first = moves.len();
            known.moves(automaton, from, from as u64, &mut moves);
            let own: &[Move] = &moves[first..];
            is_idle &= matches!(own, [only] if only.to == from as u64 && only.cubes.is_empty());
        }
        Self { moves, is_idle }
    }

    /// What is read first of all, in the initial state of the program.
    pub fn first(machine: &Machine, automaton: &Automaton, view: View, unread: u64) -> Vec<Move> {
        let known = Known::new(machine, automaton, view);
        let mut moves = Vec::new();
        for state in &automaton.initial {
            known.moves(automaton, state.index(), unread, &mut moves);
        }
        moves
    }
}

/// What a place says about letters.
struct Known {
    /// The propositions that are settled.
    mask: Letter,
    /// Which of them hold.
    letter: Letter,
}

impl Known {
    fn new(machine: &Machine, automaton: &Automaton, view: View) -> Self {
        let running = machine.procedure_of(view.node);
        let propositions = &automaton.propositions;
        let mut mask = 0;
        for (index, proposition) in propositions.list().iter().enumerate() {
            let is_open = match proposition.atom {
                Atom::Condition { procedure, .. } => procedure.is_none_or(|p| p == running),
                _ => false,
            };
            if !is_open {
                mask |= 1 << index;
            }
        }
        // Conditions out of scope are false without a look at any variable.
        let letter = propositions.letter(machine, view, mask, |_| 0);
        Self { mask, letter }
    }

    fn moves(&self, automaton: &Automaton, state: usize, from: u64, moves: &mut Vec<Move>) {
        for edge in automaton.edges_of(hardbop_automata::StateId::new(state)) {
            let mut cubes: Vec<Cube> = Vec::new();
            let mut is_certain = false;
            for cube in edge.guard.cubes() {
                let fails = cube.positive & self.mask & !self.letter != 0
                    || cube.negative & self.mask & self.letter != 0;
                if fails {
                    continue;
                }
                let rest = Cube {
                    positive: cube.positive & !self.mask,
                    negative: cube.negative & !self.mask,
                };
                is_certain |= rest.support() == 0;
                cubes.push(rest);
            }
            if cubes.is_empty() {
                continue;
            }
            if is_certain {
                cubes.clear();
            }
            moves.push(Move {
                from,
                to: u64::from(edge.to.0),
                cubes,
            });
        }
    }
}
