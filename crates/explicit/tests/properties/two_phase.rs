//! The other way to decide fair cycles of recursive programs (VERA, section 4, the first of its
//! three ways): all summaries first, then the components of the complete graph. Concrete values
//! throughout, and states visited once per bit *b*.

use crate::accepting::FairGraph;
use hardbop_automata::{Automaton, Letter, StateId, View};
use hardbop_interpreter::{Valuations, fire, initial, initial_slots, returned};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId};
use hardbop_testkit::path_edges::State;
use std::collections::HashMap;
use std::rc::Rc;

/// Where a procedure was entered, with the automaton's state after reading the entry; the outermost
/// one ends the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Entry {
    procedure: ProcId,
    state: Rc<State>,
    automaton: StateId,
    is_outermost: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    entry: usize,
    node: NodeId,
    state: Rc<State>,
    automaton: StateId,
    /// Whether something fair was passed since the entry.
    passed: bool,
    ended: bool,
}

struct Search<'a> {
    machine: &'a Machine,
    automaton: &'a Automaton,
    graph: FairGraph,
    places: Vec<Place>,
    numbers: HashMap<Place, usize>,
    entries: HashMap<Entry, usize>,
    outermost: Vec<bool>,
    /// Per entry: calls that wait, and exits.
    callers: Vec<Vec<(usize, EdgeId)>>,
    exits: Vec<Vec<usize>>,
}

/// Whether some run is accepted; nothing if there are more than `limit` places.
pub fn accepts(machine: &Machine, automaton: &Automaton, limit: usize) -> Option<bool> {
    let mut search = Search {
        machine,
        automaton,
        graph: FairGraph::default(),
        places: Vec::new(),
        numbers: HashMap::new(),
        entries: HashMap::new(),
        outermost: Vec::new(),
        callers: Vec::new(),
        exits: Vec::new(),
    };
    let slots = initial_slots(machine);
    for values in Valuations::new(slots.iter().map(|slot| slot.ty(machine))) {
        let start = initial(machine, &values);
        let top = start.top(0)?;
        let state = State {
            globals: start.globals(machine, 0),
            locals: top.locals.clone(),
        };
        for first in automaton.first(search.letter(top.node, &state, false)) {
            search.enter(machine.procedure_of(top.node), state.clone(), first, true);
        }
    }
    let mut next = 0;
    while next < search.places.len() {
        search.expand(next);
        if search.places.len() > limit {
            return None;
        }
        next += 1;
    }
    let mut places = search.places.iter();
    let is_target = places.any(|place| automaton.state(place.automaton).target);
    Some(is_target || search.graph.has_fair_cycle())
}

impl Search<'_> {
    fn letter(&self, node: NodeId, state: &State, terminated: bool) -> Letter {
        let view = View { node, terminated };
        let read = |variable| state.read(variable);
        self.automaton
            .propositions
            .letter(self.machine, view, Letter::MAX, read)
    }

    fn is_fair(&self, state: StateId) -> bool {
        self.automaton.state(state).accepting
    }

    fn after(&self, state: StateId, letter: Letter) -> Vec<StateId> {
        self.automaton.after(state, letter).collect()
    }

    fn place(&mut self, place: Place) -> usize {
        if let Some(&number) = self.numbers.get(&place) {
            return number;
        }
        let number = self.graph.add(self.is_fair(place.automaton));
        self.numbers.insert(place.clone(), number);
        self.places.push(place);
        number
    }

    fn enter(
        &mut self,
        procedure: ProcId,
        state: State,
        automaton: StateId,
        is_outermost: bool,
    ) -> (usize, usize) {
        let state = Rc::new(state);
        let entry = Entry {
            procedure,
            state: Rc::clone(&state),
            automaton,
            is_outermost,
        };
        let next = self.callers.len();
        let entry = *self.entries.entry(entry).or_insert(next);
        if entry == next {
            self.outermost.push(is_outermost);
            self.callers.push(Vec::new());
            self.exits.push(Vec::new());
        }
        let place = Place {
            entry,
            node: self.machine.procedure(procedure).entry,
            state,
            automaton,
            passed: self.is_fair(automaton),
            ended: false,
        };
        (entry, self.place(place))
    }

    /// Goes on in the same procedure.
    fn follow(&mut self, from: usize, node: NodeId, state: State, ended: bool) {
        let origin = self.places[from].clone();
        let state = Rc::new(state);
        let letter = self.letter(node, &state, ended);
        for automaton in self.after(origin.automaton, letter) {
            let place = Place {
                node,
                state: Rc::clone(&state),
                automaton,
                passed: origin.passed || self.is_fair(automaton),
                ended,
                ..origin
            };
            let to = self.place(place);
            self.graph.edges[from].push((to, false));
        }
    }

    fn expand(&mut self, from: usize) {
        let machine = self.machine;
        let Place {
            entry,
            node,
            state,
            ended,
            ..
        } = self.places[from].clone();
        if ended || machine.node(node).kind == NodeKind::Failure {
            return self.follow(from, node, State::clone(&state), ended);
        }
        if machine.procedure(machine.procedure_of(node)).exit == node {
            if self.outermost[entry] {
                return self.follow(from, node, State::clone(&state), true);
            }
            self.exits[entry].push(from);
            for (caller, edge) in self.callers[entry].clone() {
                self.summary(caller, edge, from);
            }
            return;
        }
        for edge in machine.edges_from(node) {
            for inputs in Valuations::new(machine.edge(edge).inputs.iter().copied()) {
                let Ok(fired) = fire(machine, edge, &inputs, |variable| state.read(variable))
                else {
                    continue;
                };
                match machine.edge(edge).action {
                    Action::EndThread => self.follow(from, node, State::clone(&state), true),
                    Action::Call { callee, .. } => {
                        self.call(from, edge, callee, &fired.arguments);
                    }
                    _ => {
                        let mut after = State::clone(&state);
                        after.write(&fired.writes);
                        self.follow(from, machine.edge(edge).to, after, false);
                    }
                }
            }
        }
    }

    fn call(&mut self, from: usize, edge: EdgeId, callee: ProcId, arguments: &[u64]) {
        let declared = self.machine.procedure(callee);
        let open = declared.locals.iter().skip(arguments.len());
        for chosen in Valuations::new(open.map(|local| local.ty)) {
            let state = State {
                globals: self.places[from].state.globals.clone(),
                locals: [arguments, &chosen].concat(),
            };
            let letter = self.letter(declared.entry, &state, false);
            for automaton in self.after(self.places[from].automaton, letter) {
                let (entry, to) = self.enter(callee, state.clone(), automaton, false);
                self.graph.edges[from].push((to, false));
                self.callers[entry].push((from, edge));
                for exit in self.exits[entry].clone() {
                    self.summary(from, edge, exit);
                }
            }
        }
    }

    fn summary(&mut self, from: usize, edge: EdgeId, exit: usize) {
        let (caller, callee) = (self.places[from].clone(), self.places[exit].clone());
        let procedure = self.machine.procedure_of(callee.node);
        let results = self.machine.procedure(procedure).results();
        let results: Vec<u64> = results.map(|id| callee.state.locals[id.index()]).collect();
        let mut after = State {
            globals: callee.state.globals.clone(),
            locals: caller.state.locals.clone(),
        };
        after.write(&returned(self.machine, edge, &results));
        let node = self.machine.edge(edge).to;
        let letter = self.letter(node, &after, false);
        let state = Rc::new(after);
        for automaton in self.after(callee.automaton, letter) {
            let place = Place {
                node,
                state: Rc::clone(&state),
                automaton,
                passed: caller.passed || callee.passed || self.is_fair(automaton),
                ..caller
            };
            let to = self.place(place);
            self.graph.edges[from].push((to, callee.passed));
        }
    }
}
