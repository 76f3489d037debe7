//! Shortest runs: of those with the fewest context switches, one with the fewest steps.
//!
//! The relations of the search say which boundaries fit together, not how long it takes from one to
//! the next; so a run that is read off them has the fewest switches, but may take detours. It is,
//! however, a bound: whatever is shorter has no more switches and fewer steps, and there are only
//! finitely many such runs, recursion or not. They are searched here one configuration at a time,
//! in order of switches and then of steps, with the interpreter's own steps. If the target is met,
//! that run is shortest; if everything below the bound has been seen, the first run was. If neither
//! happens within the limits, the first run is kept, and the statistics count it as not proven
//! shortest.

use crate::bounded::depth::Depth;
use crate::bounded::engine::instances;
use crate::bounded::evidence::packing::{Packing, State};
use hardbop_interpreter::{
    Configuration, Move, Recorder, Slot, Valuations, fold, initial, initial_slots, replay,
    schedulable, step_slots, take, valuation_bits,
};
use hardbop_machine::{Action, Machine, NodeId, Variable};
use hardbop_outcome::{Budget, Evidence, Outcome, Support, Target, Trace, Verdict};
use std::collections::BTreeMap;

/// Makes the runs of an outcome shortest.
pub(crate) fn shorten(machine: &Machine, depth: Depth, budget: &Budget<'_>, outcome: &mut Outcome) {
    let mut wanted = Vec::new();
    for (index, answer) in outcome.answers.iter().enumerate() {
        if let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &answer.verdict
            && let Some(target) = answer.target()
            && let Some(cost) = cost_of(machine, trace)
        {
            wanted.push(Wanted {
                index,
                target: target.clone(),
                cost,
                found: None,
            });
        }
    }
    if wanted.is_empty() {
        return;
    }
    let mut search = Search::new(machine, depth, budget, wanted);
    let unproven = match search.run() {
        Ok(()) => 0,
        Err(GaveUp) => search.wanted.len(),
    };
    let proven = search.proven.len();
    for wanted in std::mem::take(&mut search.proven) {
        let shorter = wanted
            .found
            .and_then(|node| search.trace(node, &wanted.target));
        if let Some(trace) = shorter {
            outcome.answers[wanted.index].verdict =
                Verdict::Yes(Support::Evidence(Evidence::Run(trace)));
        }
    }
    let counts = [
        ("shortest runs", proven),
        ("runs not proven shortest", unproven),
        ("configurations for shortest runs", search.nodes.len()),
    ];
    for (name, count) in counts {
        outcome.statistics.add(name, count as u64);
    }
}

/// Context switches and steps, the former more important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    switches: u64,
    steps: u128,
}

/// The cost of a run.
fn cost_of(machine: &Machine, trace: &Trace) -> Option<Cost> {
    let replayed = replay(machine, trace).ok()?;
    let contexts = trace.segments.iter().filter(|segment| {
        let is_init = machine.init.is_some() && segment.thread == 0;
        !is_init && !segment.steps.is_empty()
    });
    Some(Cost {
        switches: (contexts.count() as u64).saturating_sub(1),
        steps: replayed.flat_steps,
    })
}

/// A target with the cost of the run that is known.
struct Wanted {
    index: usize,
    target: Target,
    cost: Cost,
    /// Where a shorter run ends.
    found: Option<u32>,
}

/// More configurations or choices than allowed.
struct GaveUp;

/// A state and how it is reached.
struct Node {
    cost: Cost,
    arrival: Option<Arrival>,
    is_settled: bool,
}

#[derive(Clone)]
struct Arrival {
    from: u32,
    thread: u32,
    step: Move,
    chosen: Vec<u64>,
}

struct Search<'s> {
    machine: &'s Machine,
    budget: &'s Budget<'s>,
    depth: Depth,
    threads: usize,
    nodes: Vec<Node>,
    states: Packing,
    queue: BTreeMap<Cost, Vec<u32>>,
    wanted: Vec<Wanted>,
    proven: Vec<Wanted>,
}

/// Bytes of a state besides its configuration: how it is reached.
const BYTES_OF_NODE: u64 = 200;

/// Bytes that may be spent unless the budget says otherwise.
const MOST_BYTES: u64 = 1 << 30;

/// More bits of choices at one step than these are not tried one by one.
const MOST_CHOICE_BITS: u64 = 10;

impl<'s> Search<'s> {
    fn new(
        machine: &'s Machine,
        depth: Depth,
        budget: &'s Budget<'s>,
        wanted: Vec<Wanted>,
    ) -> Self {
        let threads = budget.threads().max(instances(machine)) + u32::from(machine.init.is_some());
        Self {
            machine,
            budget,
            depth,
            threads: threads as usize,
            nodes: Vec::new(),
            states: Packing::new(threads as usize),
            queue: BTreeMap::new(),
            wanted,
            proven: Vec::new(),
        }
    }

    /// Goes on until every run is known to be shortest.
    fn run(&mut self) -> Result<(), GaveUp> {
        let nothing = Cost {
            switches: 0,
            steps: 0,
        };
        for values in self.valuations(&initial_slots(self.machine))? {
            let state = State {
                configuration: initial(self.machine, &values),
                last: None,
                round: 1,
            };
            self.offer(state, nothing, None)?;
        }
        while let Some((cost, nodes)) = self.queue.pop_first() {
            self.settle_wanted(|wanted| wanted.cost <= cost);
            for node in nodes {
                if self.wanted.is_empty() {
                    return Ok(());
                }
                let is_current = self.nodes[node as usize].cost == cost;
                if is_current && !self.nodes[node as usize].is_settled {
                    self.expand(node, cost)?;
                }
            }
        }
        self.settle_wanted(|_| true);
        Ok(())
    }

    /// Moves those that need no further search to the proven ones.
    fn settle_wanted(&mut self, is_proven: impl Fn(&Wanted) -> bool) {
        let wanted = std::mem::take(&mut self.wanted);
        let (proven, left): (Vec<Wanted>, Vec<Wanted>) = wanted.into_iter().partition(is_proven);
        self.proven.extend(proven);
        self.wanted = left;
    }

    /// All values of some variables, 0 for those that are never read.
    fn valuations(&self, slots: &[Slot]) -> Result<Vec<Vec<u64>>, GaveUp> {
        let is_read = |slot: &Slot| match *slot {
            Slot::Local {
                procedure, local, ..
            } => {
                let entry = self.machine.procedure(procedure).entry;
                self.machine
                    .liveness()
                    .is_live(entry, Variable::Local(local))
            }
            Slot::Shared(_) | Slot::Own { .. } => true,
        };
        let types = slots.iter().filter(|slot| is_read(slot));
        let types: Vec<_> = types.map(|slot| slot.ty(self.machine)).collect();
        if valuation_bits(types.iter().copied()) > MOST_CHOICE_BITS {
            return Err(GaveUp);
        }
        let valuations = Valuations::new(types).map(|values| {
            let mut values = values.into_iter();
            let all = slots.iter().map(|slot| {
                let value = is_read(slot).then(|| values.next());
                value.flatten().unwrap_or(0)
            });
            all.collect()
        });
        Ok(valuations.collect())
    }

    fn expand(&mut self, node: u32, cost: Cost) -> Result<(), GaveUp> {
        self.nodes[node as usize].is_settled = true;
        let state = self.states.get(node);
        for wanted in &mut self.wanted {
            if state.configuration.is_at(wanted.target.node) {
                wanted.found = Some(node);
            }
        }
        self.settle_wanted(|wanted| wanted.found.is_some());
        let turns = schedulable(self.machine, &state.configuration).map_err(|_| GaveUp)?;
        for thread in turns {
            let Some(at) = state.configuration.top(thread).map(|top| top.node) else {
                continue;
            };
            let Some((after, round)) = self.cost_after(&state, cost, thread) else {
                continue;
            };
            let exit = self.machine.procedure(self.machine.procedure_of(at)).exit;
            if at == exit {
                self.take_all(node, &state, thread, &Move::Return, (after, round))?;
                continue;
            }
            for edge in self.machine.edges_from(at) {
                let types = self.machine.edge(edge).inputs.iter().copied();
                if valuation_bits(types.clone()) > MOST_CHOICE_BITS {
                    return Err(GaveUp);
                }
                for inputs in Valuations::new(types) {
                    let step = Move::Edge { edge, inputs };
                    self.take_all(node, &state, thread, &step, (after, round))?;
                }
            }
        }
        Ok(())
    }

    /// The cost and the round after a step of a thread; nothing if no run that is wanted has it.
    fn cost_after(&self, state: &State, cost: Cost, thread: u32) -> Option<(Cost, u32)> {
        let is_switch = state.last.is_some_and(|last| last != thread);
        let comes_round = state.last.is_some_and(|last| thread < last);
        let after = Cost {
            switches: cost.switches + u64::from(is_switch),
            steps: cost.steps + 1,
        };
        let round = match self.depth.rounds() {
            None => 1,
            Some(rounds) => {
                let round = state.round + u32::from(comes_round);
                if round > rounds {
                    return None;
                }
                round
            }
        };
        let is_of_use = self.wanted.iter().any(|wanted| after < wanted.cost);
        is_of_use.then_some((after, round))
    }

    /// Takes a step, if it can be taken, with all values of uninitialised variables.
    fn take_all(
        &mut self,
        from: u32,
        state: &State,
        thread: u32,
        step: &Move,
        (cost, round): (Cost, u32),
    ) -> Result<(), GaveUp> {
        let slots = step_slots(self.machine, &state.configuration, thread, step);
        for chosen in self.valuations(&slots)? {
            let mut configuration = state.configuration.clone();
            if take(self.machine, &mut configuration, thread, step, &chosen).is_err() {
                return Ok(());
            }
            if configuration.threads.len() > self.threads {
                return Ok(());
            }
            self.forget_dead(&mut configuration, thread);
            let last = (!state.configuration.in_init).then_some(thread);
            let arrival = Arrival {
                from,
                thread,
                step: step.clone(),
                chosen,
            };
            let state = State {
                configuration,
                last,
                round,
            };
            self.offer(state, cost, Some(arrival))?;
        }
        Ok(())
    }

    /// Makes equal what differs only in locals that are never read.
    fn forget_dead(&self, configuration: &mut Configuration, thread: u32) {
        let stack = &mut configuration.threads[thread as usize].stack;
        for frame in stack.iter_mut().rev().take(2) {
            let goes_on_at: NodeId = match frame.waiting {
                None => frame.node,
                Some(call) => self.machine.edge(call).to,
            };
            let targets = frame.waiting.map(|call| &self.machine.edge(call).action);
            let procedure = self.machine.procedure_of(frame.node);
            for local in self.machine.procedure(procedure).local_ids() {
                let variable = Variable::Local(local);
                let is_overwritten = matches!(targets, Some(Action::Call { targets, .. })
                    if targets.contains(&Some(variable)));
                if is_overwritten || !self.machine.liveness().is_live(goes_on_at, variable) {
                    frame.locals[local.index()] = 0;
                }
            }
        }
    }

    fn offer(&mut self, state: State, cost: Cost, arrival: Option<Arrival>) -> Result<(), GaveUp> {
        let number = self.states.number(state);
        match self.nodes.get_mut(number as usize) {
            Some(node) if node.cost <= cost => return Ok(()),
            Some(node) => (node.cost, node.arrival) = (cost, arrival),
            None => {
                self.check_limits()?;
                self.nodes.push(Node {
                    cost,
                    arrival,
                    is_settled: false,
                });
            }
        }
        self.queue.entry(cost).or_default().push(number);
        Ok(())
    }

    fn check_limits(&self) -> Result<(), GaveUp> {
        let count = self.states.len() as u64;
        let bytes = self.states.bytes() + BYTES_OF_NODE * count;
        let is_due = count.is_multiple_of(4096);
        if self.budget.states.is_some_and(|most| count > most)
            || bytes > self.budget.memory.unwrap_or(MOST_BYTES)
            || is_due && self.budget.interrupt.check().is_some()
        {
            return Err(GaveUp);
        }
        Ok(())
    }

    /// The run to a state.
    fn trace(&self, node: u32, target: &Target) -> Option<Trace> {
        let mut arrivals = Vec::new();
        let mut first = node;
        while let Some(arrival) = &self.nodes[first as usize].arrival {
            arrivals.push(arrival);
            first = arrival.from;
        }
        let start = self.states.get(first).configuration;
        let mut recorder = Recorder::new(self.machine, start);
        for arrival in arrivals.into_iter().rev() {
            let step = arrival.step.clone();
            recorder.step(arrival.thread, step, &arrival.chosen).ok()?;
        }
        let trace = Trace {
            target: Some(target.clone()),
            ..recorder.finish().0
        };
        fold(self.machine, &trace).ok()
    }
}
