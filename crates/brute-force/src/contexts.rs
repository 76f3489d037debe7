//! How many context switches does it take? Brute force over whole configurations.
//!
//! The definition, made to run: configurations with the thread that stepped last, explored in order
//! of the number of switches (a step of the same thread costs nothing, a step of another one costs
//! 1), with the interpreter's own steps. `init` runs before all contexts and counts for nothing.
//! Bounded engines are tested against it.

use crate::steps::{Bounds, Successor, initial_configurations, successors};
use hardbop_interpreter::{Configuration, Recorder};
use hardbop_machine::Machine;
use hardbop_outcome::{
    Answer, Budget, Interrupt, Limit, NeverInterrupted, Outcome, Question, Support, Target, Trace,
    Verdict,
};
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

/// How many configurations are looked at between two questions for limits.
const PATIENCE: usize = 1024;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Context switches.
    Switches,
    /// Rounds of a round-robin schedule after the first: turns that go to a thread with a smaller
    /// number.
    Rounds,
}

/// The brute-force search with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextOracle {
    /// What is counted.
    pub cost: Cost,
    /// Nothing that costs more is explored.
    pub max_cost: u32,
    /// The largest number of frames of one thread.
    pub max_stack: usize,
    /// The largest number of threads, `init` not counted.
    pub max_threads: usize,
    /// The largest number of configurations.
    pub max_configurations: usize,
}

impl Default for ContextOracle {
    fn default() -> Self {
        Self {
            cost: Cost::Switches,
            max_cost: 4,
            max_stack: 5,
            max_threads: 4,
            max_configurations: 20_000,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastCosts {
    /// Per target the least cost with which it was reached.
    pub reached: Vec<Option<u32>>,
    /// The first bound, other than that on the cost, that was hit: then something cheaper may have
    /// been missed.
    pub missed: Option<Limit>,
}

/// A configuration and the thread that stepped last.
type State = (Configuration, Option<u32>);

/// How a state was first reached: from which one, and by which step.
type Parent = Option<(usize, Successor)>;

struct Search<'a> {
    machine: &'a Machine,
    bounds: ContextOracle,
    known: HashSet<Rc<State>>,
    /// All states that were expanded, with the way back.
    states: Vec<(Rc<State>, Parent)>,
    /// States to expand at this cost, and at the next.
    pending: VecDeque<(State, Parent)>,
    later: VecDeque<(State, Parent)>,
    missed: Option<Limit>,
}

impl ContextOracle {
    /// The least cost of each target.
    pub fn least_costs(&self, machine: &Machine, targets: &[Target]) -> LeastCosts {
        let (search, reached) = self.explore(machine, targets, &NeverInterrupted);
        let costs = reached.into_iter().map(|found| Some(found?.0));
        LeastCosts {
            reached: costs.collect(),
            missed: search.missed,
        }
    }

    /// Answers a bounded question, with runs of the least cost.
    pub fn answer(&self, machine: &Machine, question: &Question, budget: &Budget<'_>) -> Outcome {
        let targets = question.targets();
        let (search, reached) = self.explore(machine, targets, budget.interrupt);
        let answers = targets.iter().zip(reached).map(|(target, found)| {
            let verdict = match (found, &search.missed, question.bound) {
                (Some((_, state)), ..) => Verdict::run(search.trace(state, target)),
                (None, Some(why), _) => Verdict::Unknown(why.clone()),
                (None, None, Some(bound)) => Verdict::No(Support::UpTo(bound)),
                (None, None, None) => Verdict::NO,
            };
            Answer::new(target.clone(), verdict)
        });
        let mut outcome = Outcome::new("brute-force", answers.collect());
        outcome
            .statistics
            .add("configurations", search.states.len() as u64);
        outcome
    }

    /// Explores; gives for each target the least cost and the first state that is at it.
    fn explore<'a>(
        &self,
        machine: &'a Machine,
        targets: &[Target],
        interrupt: &dyn Interrupt,
    ) -> (Search<'a>, Vec<Option<(u32, usize)>>) {
        let mut search = Search {
            machine,
            bounds: *self,
            known: HashSet::new(),
            states: Vec::new(),
            pending: VecDeque::new(),
            later: VecDeque::new(),
            missed: None,
        };
        let mut reached = vec![None; targets.len()];
        if let Err(limit) = search.run(targets, &mut reached, interrupt) {
            search.missed.get_or_insert(limit);
        }
        (search, reached)
    }
}

impl Search<'_> {
    fn run(
        &mut self,
        targets: &[Target],
        reached: &mut [Option<(u32, usize)>],
        interrupt: &dyn Interrupt,
    ) -> Result<(), Limit> {
        for configuration in initial_configurations(self.machine)? {
            self.pending.push_back(((configuration, None), None));
        }
        for cost in 0..=self.bounds.max_cost {
            while let Some((state, parent)) = self.pending.pop_front() {
                if self.known.contains(&state) {
                    continue;
                }
                let number = self.states.len();
                if number >= self.bounds.max_configurations {
                    return Err(Limit::States);
                }
                if number.is_multiple_of(PATIENCE)
                    && let Some(limit) = interrupt.check()
                {
                    return Err(limit);
                }
                let state = Rc::new(state);
                self.known.insert(Rc::clone(&state));
                self.states.push((Rc::clone(&state), parent));
                for (target, reached) in targets.iter().zip(reached.iter_mut()) {
                    if reached.is_none() && state.0.is_at(target.node) {
                        *reached = Some((cost, number));
                    }
                }
                self.expand(number, &state)?;
            }
            self.pending = std::mem::take(&mut self.later);
        }
        Ok(())
    }

    fn expand(&mut self, number: usize, state: &State) -> Result<(), Limit> {
        let (now, last) = state;
        let bounds = Bounds {
            stack: self.bounds.max_stack,
            threads: self.bounds.max_threads,
        };
        for next in successors(self.machine, now, bounds, &mut self.missed)? {
            let is_free = now.in_init
                || match (last, self.bounds.cost) {
                    (None, _) => true,
                    (Some(last), Cost::Switches) => *last == next.thread,
                    (Some(last), Cost::Rounds) => *last <= next.thread,
                };
            let state = (next.to.clone(), (!now.in_init).then_some(next.thread));
            if !self.known.contains(&state) {
                let queue = if is_free {
                    &mut self.pending
                } else {
                    &mut self.later
                };
                queue.push_back((state, Some((number, next))));
            }
        }
        Ok(())
    }

    /// The steps from an initial configuration to a state.
    fn trace(&self, state: usize, target: &Target) -> Trace {
        let mut steps = Vec::new();
        let mut first = state;
        while let Some((before, step)) = &self.states[first].1 {
            steps.push(step);
            first = *before;
        }
        let mut recorder = Recorder::new(self.machine, self.states[first].0.0.clone());
        for step in steps.into_iter().rev() {
            recorder
                .step(step.thread, step.step.clone(), &step.chosen)
                .expect("the search has taken the same step");
        }
        Trace {
            target: Some(target.clone()),
            ..recorder.finish().0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(text: &str, cost: Cost) -> Option<u32> {
        let machine = hardbop_machine::from_text("test.bp", text).expect("the program is valid");
        let oracle = ContextOracle {
            cost,
            ..ContextOracle::default()
        };
        let found = oracle.least_costs(&machine, &Target::labels(&machine, "L"));
        assert_eq!(found.missed, None);
        found.reached[0]
    }

    #[test]
    fn taking_turns_costs_switches_and_rounds() {
        let text = "decl a := 0, b := 0;
             thread one begin void main() begin assume(b); a := 1; assume(!b); L: skip; end end
             thread two begin void main() begin b := 1; assume(a); b := 0; end end";
        assert_eq!(least(text, Cost::Switches), Some(3));
        assert_eq!(least(text, Cost::Rounds), Some(2));
    }

    #[test]
    fn that_the_first_thread_takes_over_from_init_is_no_switch() {
        let text = "decl a; void init() begin a := 0; end
             void main() begin assume(!a); L: skip; end";
        assert_eq!(least(text, Cost::Switches), Some(0));
    }
}
