//! Properties of runs of several threads: the product of whole configurations and an automaton,
//! searched breadth first.
//!
//! Like [`crate::configurations`] it takes the interpreter's own steps, in every interleaving, so
//! threads may be started, atomic and recursive up to a bound. A *place* is a configuration with
//! the state of the automaton after reading it. A target state ends the search; otherwise the
//! strongly connected components of all places are looked at, and a cycle through an accepting one
//! is an infinite run. When all threads have ended, or an assertion has failed, the run stays where
//! it is. No fairness is assumed: a thread that could go on may be left waiting for ever.

use crate::steps::{Bounds, initial_configurations, successors};
use hardbop_automata::{Automaton, Components, Letter, StateId};
use hardbop_interpreter::{Configuration, Move, Recorder, letter_of_threads};
use hardbop_machine::Machine;
use hardbop_machine::ir::NodeKind;
use hardbop_outcome::lasso::VERSION;
use hardbop_outcome::{
    Budget, Event, Evidence, Limit, Progress, Statistics, Support, ThreadLasso, Verdict,
};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// How many places are looked at between two questions for limits.
const PATIENCE: usize = 1024;

/// The search with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOracle {
    /// How large configurations may get.
    pub bounds: Bounds,
}

impl Default for RunOracle {
    fn default() -> Self {
        Self {
            bounds: Bounds {
                stack: 64,
                threads: 16,
            },
        }
    }
}

/// A step of some thread; none where the run stays.
struct Hop {
    step: Option<(u32, Move, Vec<u64>)>,
    to: u32,
}

struct Configurations<'a> {
    machine: &'a Machine,
    automaton: &'a Automaton,
    bounds: Bounds,
    numbers: HashMap<Rc<Configuration>, u32>,
    list: Vec<Rc<Configuration>>,
    letters: Vec<Letter>,
    hops: Vec<Option<Rc<[Hop]>>>,
    bytes: usize,
}

/// Where a place was reached from, and by which hop.
type Parent = Option<(u32, u32)>;

struct Search<'a> {
    configurations: Configurations<'a>,
    numbers: HashMap<(u32, StateId), u32>,
    places: Vec<(u32, StateId)>,
    parents: Vec<Parent>,
    /// For each place where its hops lead: the next place and the hop.
    links: Vec<Vec<(u32, u32)>>,
}

impl RunOracle {
    /// Searches the runs of a machine for one that an automaton accepts; also gives counters of
    /// work.
    pub fn check(
        self,
        machine: &Machine,
        automaton: &Automaton,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> (Verdict, Statistics) {
        let mut search = Search {
            configurations: Configurations {
                machine,
                automaton,
                bounds: self.bounds,
                numbers: HashMap::new(),
                list: Vec::new(),
                letters: Vec::new(),
                hops: Vec::new(),
                bytes: 0,
            },
            numbers: HashMap::new(),
            places: Vec::new(),
            parents: Vec::new(),
            links: Vec::new(),
        };
        let verdict = match search.explore(budget, progress) {
            Err(why) => Verdict::Unknown(why),
            Ok(Some(target)) => Verdict::run(search.run_to(target).finish().0),
            Ok(None) => match search.cycle() {
                Some(lasso) => Verdict::Yes(Support::Evidence(Evidence::ThreadLasso(lasso))),
                None => Verdict::NO,
            },
        };
        let links: usize = search.links.iter().map(Vec::len).sum();
        let counters = [
            ("states", search.places.len()),
            ("configurations", search.configurations.list.len()),
            ("transitions", links),
        ];
        let counters = counters.map(|(name, count)| (name, count as u64));
        (verdict, Statistics::sums(counters))
    }
}

impl Search<'_> {
    /// Makes all places; gives the first one where a target state has been entered.
    fn explore(
        &mut self,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Option<u32>, Limit> {
        let automaton = self.configurations.automaton;
        for start in self.configurations.initial()? {
            let letter = self.configurations.letters[start as usize];
            for state in automaton.first(letter) {
                self.add(start, state, None);
            }
        }
        let mut next = 0;
        while next < self.places.len() {
            let (configuration, state) = self.places[next];
            if automaton.state(state).target {
                return Ok(Some(next as u32));
            }
            if next.is_multiple_of(PATIENCE) {
                progress.event(Event::Count("states", self.places.len() as u64));
                if let Some(limit) = budget.interrupt.check() {
                    return Err(limit);
                }
                let bytes = self.configurations.bytes + self.places.len() * BYTES_PER_PLACE;
                if budget.memory.is_some_and(|memory| bytes as u64 > memory) {
                    return Err(Limit::Memory);
                }
            }
            let hops = self.configurations.hops(configuration)?;
            for (number, hop) in hops.iter().enumerate() {
                let letter = self.configurations.letters[hop.to as usize];
                for after in automaton.after(state, letter) {
                    let parent = (next as u32, number as u32);
                    let to = self.add(hop.to, after, Some(parent));
                    self.links[next].push((to, number as u32));
                }
            }
            if budget
                .states
                .is_some_and(|states| self.places.len() as u64 > states)
            {
                return Err(Limit::States);
            }
            next += 1;
        }
        Ok(None)
    }

    fn add(&mut self, configuration: u32, state: StateId, parent: Parent) -> u32 {
        let next = self.places.len() as u32;
        let number = *self.numbers.entry((configuration, state)).or_insert(next);
        if number == next {
            self.places.push((configuration, state));
            self.parents.push(parent);
            self.links.push(Vec::new());
        }
        number
    }

    /// An infinite run through an accepting place.
    fn cycle(&self) -> Option<ThreadLasso> {
        let successors: Vec<Vec<u32>> = self
            .links
            .iter()
            .map(|links| links.iter().map(|&(to, _)| to).collect())
            .collect();
        let components = Components::new(&successors);
        let automaton = self.configurations.automaton;
        let head = (0..self.places.len()).find(|&place| {
            automaton.state(self.places[place].1).accepting && components.on_cycle(place)
        })?;
        let back = self.way_back(head as u32, &components)?;
        let mut run = self.run_to(head as u32);
        let mut steps_before = 0;
        let mut place = head as u32;
        while let Some((before, hop)) = self.parents[place as usize] {
            steps_before += u64::from(self.hop(before, hop).step.is_some());
            place = before;
        }
        for (from, hop) in back {
            self.take(&mut run, from, hop);
        }
        Some(ThreadLasso {
            version: VERSION,
            property: None,
            stem: steps_before,
            run: run.finish().0,
        })
    }

    /// A shortest way from a place back to it, as hops with the places they start from.
    fn way_back(&self, head: u32, components: &Components) -> Option<Vec<(u32, u32)>> {
        let mut came_from: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut queue = VecDeque::from([head]);
        while let Some(place) = queue.pop_front() {
            for &(to, hop) in &self.links[place as usize] {
                if components.of[to as usize] != components.of[head as usize] {
                    continue;
                }
                if to == head {
                    let mut way = vec![(place, hop)];
                    while way[way.len() - 1].0 != head {
                        way.push(came_from[&way[way.len() - 1].0]);
                    }
                    way.reverse();
                    return Some(way);
                }
                if let std::collections::hash_map::Entry::Vacant(slot) = came_from.entry(to) {
                    slot.insert((place, hop));
                    queue.push_back(to);
                }
            }
        }
        None
    }

    fn hop(&self, place: u32, hop: u32) -> &Hop {
        let (configuration, _) = self.places[place as usize];
        let hops = self.configurations.hops[configuration as usize].as_ref();
        &hops.expect("the place was explored")[hop as usize]
    }

    /// The run from the start to a place.
    fn run_to(&self, place: u32) -> Recorder<'_> {
        let mut way = Vec::new();
        let mut first = place;
        while let Some((before, hop)) = self.parents[first as usize] {
            way.push((before, hop));
            first = before;
        }
        let (configuration, _) = self.places[first as usize];
        let start = Configuration::clone(&self.configurations.list[configuration as usize]);
        let mut run = Recorder::new(self.configurations.machine, start);
        for (from, hop) in way.into_iter().rev() {
            self.take(&mut run, from, hop);
        }
        run
    }

    fn take(&self, run: &mut Recorder<'_>, place: u32, hop: u32) {
        if let Some((thread, step, chosen)) = &self.hop(place, hop).step {
            run.step(*thread, step.clone(), chosen)
                .expect("the search has taken the same step");
        }
    }
}

/// What a place costs besides its configuration.
const BYTES_PER_PLACE: usize = 64;

impl Configurations<'_> {
    fn add(&mut self, configuration: Configuration) -> u32 {
        if let Some(&number) = self.numbers.get(&configuration) {
            return number;
        }
        let number = self.list.len() as u32;
        let letter = letter_of_threads(self.machine, &self.automaton.propositions, &configuration);
        let frames = configuration.threads.iter().map(|t| &t.stack);
        let frames = frames.flatten().map(|frame| 64 + 8 * frame.locals.len());
        let globals = 8 * configuration.shared.len() * (1 + configuration.threads.len());
        self.bytes += 128 + globals + frames.sum::<usize>();
        let configuration = Rc::new(configuration);
        self.numbers.insert(Rc::clone(&configuration), number);
        self.list.push(configuration);
        self.letters.push(letter);
        self.hops.push(None);
        number
    }

    fn initial(&mut self) -> Result<Vec<u32>, Limit> {
        let starts = initial_configurations(self.machine)?.into_iter();
        Ok(starts.map(|start| self.add(start)).collect())
    }

    /// All steps from a configuration.
    fn hops(&mut self, number: u32) -> Result<Rc<[Hop]>, Limit> {
        if let Some(hops) = &self.hops[number as usize] {
            return Ok(Rc::clone(hops));
        }
        let now = Rc::clone(&self.list[number as usize]);
        let mut hops = Vec::new();
        if self.has_ended(&now) {
            hops.push(Hop {
                step: None,
                to: number,
            });
        } else {
            let mut missed = None;
            for next in successors(self.machine, &now, self.bounds, &mut missed)? {
                let step = Some((next.thread, next.step, next.chosen));
                let to = self.add(next.to);
                hops.push(Hop { step, to });
            }
            if let Some(limit) = missed {
                return Err(limit);
            }
        }
        self.bytes += hops.len() * size_of::<Hop>();
        let hops: Rc<[Hop]> = hops.into();
        self.hops[number as usize] = Some(Rc::clone(&hops));
        Ok(hops)
    }

    /// Whether all threads have ended, or an assertion has failed.
    fn has_ended(&self, now: &Configuration) -> bool {
        let tops = now.threads.iter().filter_map(|t| t.stack.last());
        let mut kinds = tops.map(|top| self.machine.node(top.node).kind).peekable();
        kinds.peek().is_none() || kinds.any(NodeKind::is_failure)
    }
}
