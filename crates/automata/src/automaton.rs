//! The one form that formulas, monitors and HOA files come to: a Büchi automaton that reads the
//! states of a run.
//!
//! **What it means.** The automaton reads a run of the program, one letter per state, beginning
//! with the initial state: an edge may be taken if its guard holds in the state that is read. It
//! describes what must *not* happen. Either it has *target* states: the program is wrong if some
//! run makes it enter one. Or it has *accepting* states: the program is wrong if some infinite run
//! has a run of the automaton that visits accepting states again and again. For a formula φ it is
//! the automaton of ¬φ, so that in all cases a search for a run of *program × automaton* is a
//! search for a counterexample.
//!
//! **The product.** A product state pairs a state of the program with the state of the automaton
//! *after reading it*. So the initial ones are those of [`Automaton::first`] for the letter of the
//! program's initial state, and a step of the program to a state with some letter goes along with
//! [`Automaton::after`] for that letter. A target is found in the very state that it is about.
//! Automaton states without a successor for the letter end the product run: nothing is concluded
//! from it.

use crate::buchi::Buchi;
use crate::guard::{Guard, Letter};
use crate::propositions::Propositions;
use hardbop_program::id;
use std::ops::Range;

id! {
    /// A state of an automaton: index into [`Automaton::states`].
    StateId
}

/// A Büchi automaton, or a monitor with target states, over the propositions of one program.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What its guards speak of.
    pub propositions: Propositions,
    /// Its states.
    pub states: Vec<State>,
    /// Its edges, by source.
    pub edges: Vec<Edge>,
    /// Where it starts, before it has read anything.
    pub initial: Vec<StateId>,
}

/// A state of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// What it is called.
    pub name: String,
    /// Whether an infinite run that visits such states again and again is accepted.
    pub accepting: bool,
    /// Whether entering it is an error.
    pub target: bool,
    /// The edges that leave it: indices into [`Automaton::edges`].
    pub edges: Range<u32>,
    /// The propositions that the guards of these edges speak of.
    pub mentions: Letter,
}

/// An edge of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// When it may be taken.
    pub guard: Guard,
    /// Where it leads.
    pub to: StateId,
}

impl Automaton {
    /// An automaton from a graph; `describe` gives the name of each state and whether it is a
    /// target.
    pub(crate) fn from_buchi(
        buchi: Buchi,
        propositions: Propositions,
        describe: impl Fn(usize) -> (String, bool),
    ) -> Self {
        let mut automaton = Self {
            propositions,
            states: Vec::with_capacity(buchi.len()),
            edges: Vec::new(),
            initial: buchi.initial.iter().map(|&state| StateId(state)).collect(),
        };
        let states = buchi.edges.into_iter().zip(buchi.accepting);
        for (index, (edges, accepting)) in states.enumerate() {
            let first = automaton.edges.len() as u32;
            let mentions = edges.values().fold(0, |all, guard| all | guard.support());
            automaton
                .edges
                .extend(edges.into_iter().map(|(to, guard)| Edge {
                    guard,
                    to: StateId(to),
                }));
            let (name, target) = describe(index);
            automaton.states.push(State {
                name,
                accepting,
                target,
                edges: first..automaton.edges.len() as u32,
                mentions,
            });
        }
        automaton
    }

    /// A state.
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.index()]
    }

    /// The edges that leave a state.
    pub fn edges_of(&self, id: StateId) -> &[Edge] {
        let range = &self.state(id).edges;
        &self.edges[range.start as usize..range.end as usize]
    }

    /// Whether it looks for states that must not be entered, and not for infinite runs.
    pub fn has_targets(&self) -> bool {
        self.states.iter().any(|state| state.target)
    }

    /// Whether an infinite run is accepted as soon as it enters an accepting state, whatever
    /// follows: the automaton of a safety property. A run that ends there by blocking is not
    /// accepted all the same.
    pub fn is_settled_on_acceptance(&self) -> bool {
        let stays = |(index, state): (usize, &State)| {
            let id = StateId(index as u32);
            let is_loop = |edge: &Edge| edge.to == id && edge.guard == Guard::always();
            !state.accepting || self.edges_of(id).iter().any(is_loop)
        };
        self.states.iter().enumerate().all(stays) && self.states.iter().any(|s| s.accepting)
    }

    /// The states after reading the letter of the program's initial state, in order and each once.
    pub fn first(&self, letter: Letter) -> Vec<StateId> {
        let initial = self.initial.iter();
        let mut states: Vec<StateId> = initial
            .flat_map(|&state| self.after(state, letter))
            .collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    /// The states after reading a letter in a state. Only propositions that the state
    /// [mentions](State::mentions) matter.
    pub fn after(&self, state: StateId, letter: Letter) -> impl Iterator<Item = StateId> + '_ {
        let edges = self.edges_of(state).iter();
        edges
            .filter(move |edge| edge.guard.holds(letter))
            .map(|edge| edge.to)
    }

    /// The position at which a finite run can make the automaton enter a target state, if it can:
    /// the least.
    pub fn enters_target(&self, letters: &[Letter]) -> Option<usize> {
        let mut states: Vec<StateId> = self.initial.clone();
        letters.iter().position(|&letter| {
            states = states
                .iter()
                .flat_map(|&state| self.after(state, letter))
                .collect();
            states.sort_unstable();
            states.dedup();
            states.iter().any(|&state| self.state(state).target)
        })
    }

    /// Whether the infinite word `stem` `cycle` `cycle` … is one that must not be: it enters a
    /// target, or is accepted.
    ///
    /// # Panics
    /// If the cycle is empty.
    pub fn accepts(&self, stem: &[Letter], cycle: &[Letter]) -> bool {
        let mut graph = Buchi::default();
        for state in &self.states {
            graph.add_state(state.accepting || state.target);
        }
        for (from, state) in self.states.iter().enumerate() {
            if state.target {
                // A target has done its work: what follows does not matter.
                graph.edges[from].insert(from as u32, Guard::always());
                continue;
            }
            for edge in self.edges_of(StateId::new(from)) {
                graph.edges[from].insert(edge.to.0, edge.guard.clone());
            }
        }
        graph.initial = self.initial.iter().map(|state| state.0).collect();
        graph.accepts(stem, cycle)
    }
}
