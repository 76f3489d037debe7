//! Brute force: whole configurations, stacks included, each with the state of the automaton; for
//! programs whose stack is bounded.

use crate::accepting::FairGraph;
use hardbop_automata::{Automaton, Letter, StateId, View};
use hardbop_interpreter::{
    Configuration, Move, Valuations, initial, initial_slots, step_slots, take,
};
use hardbop_machine::Machine;
use hardbop_machine::ir::NodeKind;
use std::collections::HashMap;

/// A configuration (once the run has ended, the last one), whether it has ended, and the state of
/// the automaton.
type Place = (Configuration, bool, StateId);

/// The letter of a configuration.
pub fn letter(
    machine: &Machine,
    automaton: &Automaton,
    now: &Configuration,
    terminated: bool,
) -> Letter {
    let node = now.top(0).expect("the run has not ended before").node;
    let view = View { node, terminated };
    let read = |variable| now.read(machine, 0, variable);
    automaton
        .propositions
        .letter(machine, view, Letter::MAX, read)
}

struct Search<'a> {
    machine: &'a Machine,
    automaton: &'a Automaton,
    graph: FairGraph,
    numbers: HashMap<Place, usize>,
    places: Vec<Place>,
}

/// Whether some run is accepted; nothing if there are more than `limit` places or `deepest` frames.
pub fn accepts(
    machine: &Machine,
    automaton: &Automaton,
    limit: usize,
    deepest: usize,
) -> Option<bool> {
    let mut search = Search {
        machine,
        automaton,
        graph: FairGraph::default(),
        numbers: HashMap::new(),
        places: Vec::new(),
    };
    let slots = initial_slots(machine);
    for values in Valuations::new(slots.iter().map(|slot| slot.ty(machine))) {
        let start = initial(machine, &values);
        for state in automaton.first(letter(machine, automaton, &start, false)) {
            search.place((start.clone(), false, state));
        }
    }
    let mut next = 0;
    while next < search.places.len() {
        search.expand(next);
        let (configuration, _, _) = &search.places[next];
        if search.places.len() > limit || configuration.threads[0].stack.len() > deepest {
            return None;
        }
        next += 1;
    }
    let mut states = search.places.iter().map(|place| place.2);
    let is_target = states.any(|state| automaton.state(state).target);
    Some(is_target || search.graph.has_fair_cycle())
}

impl Search<'_> {
    fn place(&mut self, place: Place) -> usize {
        if let Some(&number) = self.numbers.get(&place) {
            return number;
        }
        let number = self.graph.add(self.automaton.state(place.2).accepting);
        self.numbers.insert(place.clone(), number);
        self.places.push(place);
        number
    }

    fn follow(&mut self, from: usize, to: &Configuration, ended: bool) {
        let read = letter(self.machine, self.automaton, to, ended);
        let states: Vec<StateId> = self.automaton.after(self.places[from].2, read).collect();
        for state in states {
            let number = self.place((to.clone(), ended, state));
            self.graph.edges[from].push((number, false));
        }
    }

    fn expand(&mut self, from: usize) {
        let machine = self.machine;
        let (now, ended, _) = self.places[from].clone();
        let node = now.top(0).expect("places have a frame").node;
        if ended || machine.node(node).kind == NodeKind::Failure {
            self.follow(from, &now, ended);
            return;
        }
        let mut moves = Vec::new();
        if machine.procedure(machine.procedure_of(node)).exit == node {
            moves.push(Move::Return);
        }
        for edge in machine.edges_from(node) {
            let inputs = Valuations::new(machine.edge(edge).inputs.iter().copied());
            moves.extend(inputs.map(|inputs| Move::Edge { edge, inputs }));
        }
        for step in moves {
            let slots = step_slots(machine, &now, 0, &step);
            for chosen in Valuations::new(slots.iter().map(|slot| slot.ty(machine))) {
                let mut after = now.clone();
                if take(machine, &mut after, 0, &step, &chosen).is_err() {
                    continue;
                }
                match after.top(0) {
                    Some(_) => self.follow(from, &after, false),
                    None => self.follow(from, &now, true),
                }
            }
        }
    }
}
