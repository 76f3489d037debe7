//! How many context switches does it take? Brute force over whole configurations.
//!
//! The definition, made to run: configurations with the thread that stepped last, explored in order of the number of
//! switches (a step of the same thread costs nothing, a step of another one costs 1), with the interpreter's own steps.
//! `init` runs before all contexts and counts for nothing. Bounded engines are tested against it.

use crate::oracle::{MAX_CHOICE_BITS, too_many_choices};
use hardbop_interpreter::choices::valuation_bits;
use hardbop_interpreter::configuration::{initial, initial_slots};
use hardbop_interpreter::scheduler::schedulable;
use hardbop_interpreter::step::step_slots;
use hardbop_interpreter::{Configuration, Move, Slot, Valuations, take};
use hardbop_machine::Machine;
use hardbop_outcome::{Limit, Target};
use std::collections::{HashSet, VecDeque};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Context switches.
    Switches,
    /// Rounds of a round-robin schedule after the first: turns that go to a thread with a smaller number.
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
    /// The first bound, other than that on the cost, that was hit: then something cheaper may have been missed.
    pub missed: Option<Limit>,
}

/// A configuration and the thread that stepped last.
type State = (Configuration, Option<u32>);

struct Search<'a> {
    machine: &'a Machine,
    bounds: ContextOracle,
    known: HashSet<State>,
    /// States to expand at this cost, and at the next.
    pending: VecDeque<State>,
    later: VecDeque<State>,
    missed: Option<Limit>,
}

impl ContextOracle {
    /// The least cost of each target.
    pub fn least_costs(&self, machine: &Machine, targets: &[Target]) -> LeastCosts {
        let mut search = Search {
            machine,
            bounds: *self,
            known: HashSet::new(),
            pending: VecDeque::new(),
            later: VecDeque::new(),
            missed: None,
        };
        let mut reached = vec![None; targets.len()];
        if let Err(limit) = search.run(targets, &mut reached) {
            search.missed.get_or_insert(limit);
        }
        LeastCosts {
            reached,
            missed: search.missed,
        }
    }
}

impl Search<'_> {
    fn run(&mut self, targets: &[Target], reached: &mut [Option<u32>]) -> Result<(), Limit> {
        for values in self.valuations(&initial_slots(self.machine))? {
            self.pending
                .push_back((initial(self.machine, &values), None));
        }
        for cost in 0..=self.bounds.max_cost {
            while let Some(state) = self.pending.pop_front() {
                if self.known.contains(&state) {
                    continue;
                }
                if self.known.len() >= self.bounds.max_configurations {
                    return Err(Limit::States);
                }
                self.known.insert(state.clone());
                for (target, reached) in targets.iter().zip(reached.iter_mut()) {
                    if reached.is_none() && state.0.is_at(target.node) {
                        *reached = Some(cost);
                    }
                }
                self.expand(&state)?;
            }
            self.pending = std::mem::take(&mut self.later);
        }
        Ok(())
    }

    fn valuations(&self, slots: &[Slot]) -> Result<Valuations, Limit> {
        let types: Vec<_> = slots.iter().map(|slot| slot.ty(self.machine)).collect();
        if valuation_bits(types.iter().copied()) > MAX_CHOICE_BITS {
            return Err(too_many_choices());
        }
        Ok(Valuations::new(types))
    }

    fn expand(&mut self, (configuration, last): &State) -> Result<(), Limit> {
        let machine = self.machine;
        let turns = schedulable(machine, configuration).map_err(|_| too_many_choices())?;
        for thread in turns {
            let Some(top) = configuration.top(thread) else {
                continue;
            };
            let is_free = configuration.in_init
                || match (last, self.bounds.cost) {
                    (None, _) => true,
                    (Some(last), Cost::Switches) => *last == thread,
                    (Some(last), Cost::Rounds) => *last <= thread,
                };
            if machine.procedure(machine.procedure_of(top.node)).exit == top.node {
                self.take_all(configuration, thread, &Move::Return, is_free)?;
                continue;
            }
            for edge in machine.edges_from(top.node) {
                let types = machine.edge(edge).inputs.iter().copied();
                if valuation_bits(types.clone()) > MAX_CHOICE_BITS {
                    return Err(too_many_choices());
                }
                for inputs in Valuations::new(types) {
                    self.take_all(configuration, thread, &Move::Edge { edge, inputs }, is_free)?;
                }
            }
        }
        Ok(())
    }

    fn take_all(
        &mut self,
        before: &Configuration,
        thread: u32,
        step: &Move,
        is_free: bool,
    ) -> Result<(), Limit> {
        let machine = self.machine;
        for chosen in self.valuations(&step_slots(machine, before, thread, step))? {
            let mut after = before.clone();
            if take(machine, &mut after, thread, step, &chosen).is_err() {
                return Ok(());
            }
            let threads = after.threads.len() - usize::from(machine.init.is_some());
            if after.threads[thread as usize].stack.len() > self.bounds.max_stack {
                self.missed.get_or_insert(Limit::StackDepth);
                return Ok(());
            }
            if threads > self.bounds.max_threads {
                self.missed.get_or_insert(Limit::Threads);
                return Ok(());
            }
            let state = (after, (!before.in_init).then_some(thread));
            if !self.known.contains(&state) {
                let queue = if is_free {
                    &mut self.pending
                } else {
                    &mut self.later
                };
                queue.push_back(state);
            }
        }
        Ok(())
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
