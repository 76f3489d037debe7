//! Properties of runs: the product of configurations and an automaton.
//!
//! A *place* is a configuration with the state of the automaton after reading it. Places are found
//! breadth first. A target state ends the search; otherwise a strongly connected component with an
//! accepting place has a run that goes on for ever and is accepted. When all threads have ended, or
//! an assertion has failed, the run stays where it is; where everybody is blocked there is none. No
//! fairness is assumed: a thread that could go on may be left waiting for ever.
//!
//! Undetermined values and exchanged threads make no difference. A configuration stands for
//! several; whatever it leads to, each of those has a predecessor among them, so going back round a
//! loop of places often enough comes to a configuration that was there before.

use crate::exact::search::allowance::Allowance;
use crate::exact::search::letters::Letters;
use crate::exact::search::transitions::{Memory, Row, Transitions};
use crate::exact::search::visited::{NO_PARENT, Visited};
use hardbop_automata::{Automaton, Components, Letter, StateId};
use hardbop_machine::Machine;
use hardbop_machine::cast::Cast;
use hardbop_outcome::Limit;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// A run that an automaton accepts, as configurations.
#[derive(Debug)]
pub(crate) enum Accepted {
    /// It is finite: the last configuration makes the automaton enter a target state.
    Target(Vec<Row>),
    /// It goes to the first configuration of a loop and then round it. Without a loop it stays at
    /// its end.
    Lasso {
        /// Up to the head of the loop, the head included.
        stem: Vec<Row>,
        /// From the head back to it, without the first head; empty if the run stays.
        cycle: Vec<Row>,
    },
}

/// A search and what it has found.
pub(crate) struct Product<'m> {
    /// The configurations.
    pub(crate) visited: Visited<'m>,
    letters: Letters<'m>,
    automaton: &'m Automaton,
    /// The letter of each configuration.
    read: Vec<Letter>,
    /// The configurations after one step, once they are known.
    after: Vec<Option<Box<[u32]>>>,
    /// Whether the run stays at a configuration.
    stays: Vec<bool>,
    numbers: HashMap<(u32, StateId), u32>,
    places: Vec<(u32, StateId)>,
    parents: Vec<u32>,
    links: Vec<Vec<u32>>,
    /// Whether a thread was not started for want of room.
    pub(crate) missed_thread: bool,
}

/// Bytes of a place besides its links.
const BYTES_OF_PLACE: usize = 64;

impl<'m> Product<'m> {
    /// A search that has not begun.
    pub(crate) fn new(machine: &'m Machine, cast: &'m Cast, automaton: &'m Automaton) -> Self {
        Self {
            visited: Visited::new(machine, cast, &BTreeSet::new(), Memory::Flag, true),
            letters: Letters {
                machine,
                propositions: &automaton.propositions,
            },
            automaton,
            read: Vec::new(),
            after: Vec::new(),
            stays: Vec::new(),
            numbers: HashMap::new(),
            places: Vec::new(),
            parents: Vec::new(),
            links: Vec::new(),
            missed_thread: false,
        }
    }

    /// How many places there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// What configurations were split by.
    pub(crate) fn letters(&self) -> Letters<'m> {
        self.letters
    }

    /// Explores all places, or as many as it takes to find a run that the automaton accepts.
    pub(crate) fn run(&mut self, allowance: &Allowance<'_>) -> Result<Option<Accepted>, Limit> {
        let initial = self.visited.transitions.initial();
        for start in self.add_all(initial)? {
            for state in self.automaton.first(self.read[start as usize]) {
                self.place(start, state, NO_PARENT);
            }
        }
        let (mut next, mut links) = (0, 0);
        while next < self.places.len() {
            let (configuration, state) = self.places[next];
            if self.automaton.state(state).target {
                return Ok(Some(Accepted::Target(self.path_to(next as u32))));
            }
            let bytes =
                self.visited.bytes() + (4 * links + BYTES_OF_PLACE * self.places.len()) as u64;
            if let Some(limit) = allowance.is_spent(next, bytes, &self.visited) {
                return Err(limit);
            }
            if self.places.len() as u64 > allowance.configurations {
                return Err(Limit::States);
            }
            self.expand(configuration)?;
            let after = self.after[configuration as usize].take();
            for &to in after.iter().flat_map(|after| after.iter()) {
                for state in self.automaton.after(state, self.read[to as usize]) {
                    let to = self.place(to, state, next as u32);
                    self.links[next].push(to);
                }
            }
            links += self.links[next].len();
            self.after[configuration as usize] = after;
            next += 1;
        }
        Ok(self.accepting_cycle())
    }

    /// The numbers of the parts of a configuration that the property tells apart.
    fn add_all(&mut self, row: Row) -> Result<Vec<u32>, Limit> {
        let mut numbers = Vec::new();
        for part in self.letters.split(&mut self.visited.transitions, row)? {
            let (id, is_new) = self.visited.insert(part, NO_PARENT);
            if is_new {
                let (transitions, row) = (&self.visited.transitions, self.visited.get(id));
                // Nothing that it reads is missing any more.
                self.read
                    .push(self.letters.read(transitions, row).unwrap_or_default());
                self.stays.push(self.letters.has_ended(transitions, row));
                self.after.push(None);
            }
            numbers.push(id);
        }
        Ok(numbers)
    }

    fn place(&mut self, configuration: u32, state: StateId, parent: u32) -> u32 {
        let next = self.places.len() as u32;
        let number = *self.numbers.entry((configuration, state)).or_insert(next);
        if number == next {
            self.places.push((configuration, state));
            self.parents.push(parent);
            self.links.push(Vec::new());
        }
        number
    }

    /// Finds what a configuration leads to.
    fn expand(&mut self, id: u32) -> Result<(), Limit> {
        if self.after[id as usize].is_some() {
            return Ok(());
        }
        let mut after = Vec::new();
        if self.stays[id as usize] {
            after.push(id);
        } else {
            let row = self.visited.get(id).to_vec();
            let threads: Vec<u32> = Transitions::running(&row).collect();
            for thread in threads {
                for transition in self.visited.transitions.of_thread(&row, thread)? {
                    match transition.after {
                        Some(row) => after.extend(self.add_all(row)?),
                        None => self.missed_thread = true,
                    }
                }
            }
            after.sort_unstable();
            after.dedup();
        }
        self.after[id as usize] = Some(after.into());
        Ok(())
    }

    fn row(&self, place: u32) -> Row {
        let (configuration, _) = self.places[place as usize];
        self.visited.get(configuration).to_vec()
    }

    /// The configurations on the way to a place; one at which the run stays is there once.
    fn path_to(&self, place: u32) -> Vec<Row> {
        let mut path = vec![self.row(place)];
        let mut now = place;
        while self.parents[now as usize] != NO_PARENT {
            let before = self.parents[now as usize];
            let (configuration, _) = self.places[before as usize];
            if !self.stays[configuration as usize] {
                path.push(self.row(before));
            }
            now = before;
        }
        path.reverse();
        path
    }

    /// A run that visits an accepting place again and again.
    fn accepting_cycle(&self) -> Option<Accepted> {
        let components = Components::new(&self.links);
        let is_head = |&place: &usize| {
            let (_, state) = self.places[place];
            self.automaton.state(state).accepting && components.on_cycle(place)
        };
        let head = (0..self.places.len()).find(is_head)? as u32;
        let stem = self.path_to(head);
        let (configuration, _) = self.places[head as usize];
        if self.stays[configuration as usize] {
            return Some(Accepted::Lasso {
                stem,
                cycle: Vec::new(),
            });
        }
        let cycle = self.way_back(head, &components)?;
        Some(Accepted::Lasso { stem, cycle })
    }

    /// A shortest way from a place back to it.
    fn way_back(&self, head: u32, components: &Components) -> Option<Vec<Row>> {
        let mut came_from: HashMap<u32, u32> = HashMap::new();
        let mut queue = VecDeque::from([head]);
        while let Some(place) = queue.pop_front() {
            for &to in &self.links[place as usize] {
                if components.of[to as usize] != components.of[head as usize] {
                    continue;
                }
                if to == head {
                    let (mut way, mut now) = (vec![self.row(head)], place);
                    while now != head {
                        way.push(self.row(now));
                        now = came_from[&now];
                    }
                    way.reverse();
                    return Some(way);
                }
                came_from.entry(to).or_insert_with(|| {
                    queue.push_back(to);
                    place
                });
            }
        }
        None
    }
}
