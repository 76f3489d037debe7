//! Formulas of branching time by the textbook: all configurations, and one operator after the
//! other.
//!
//! Configurations are whole stacks, explored with the interpreter's own steps up to a bound; beyond
//! it nothing is known. When a run has ended, or an assertion has failed, it stays where it is.
//! Configurations in which no run begins, because every way from there is blocked, are taken out
//! first. Then each formula is a set of configurations, until a least and release a greatest fixed
//! point.

use crate::steps::{Bounds, initial_configurations, successors};
use hardbop_automata::{Ctl, Letter, PathFormula, StateFormula};
use hardbop_interpreter::{Configuration, letter_of_state, letter_of_threads};
use hardbop_machine::Machine;
use hardbop_machine::ir::NodeKind;
use hardbop_outcome::{Budget, Event, Limit, Progress, Statistics};
use std::collections::HashMap;

/// How many configurations are looked at between two questions for limits.
const PATIENCE: usize = 256;

/// All configurations, and which formulas hold where.
#[derive(Default)]
struct Labelling {
    /// A configuration, and whether the run has ended there.
    numbers: HashMap<(Configuration, bool), usize>,
    list: Vec<(Configuration, bool)>,
    letters: Vec<Letter>,
    after: Vec<Vec<usize>>,
    initial: Vec<usize>,
    bytes: usize,
}

/// Whether a formula holds in every configuration in which a run begins and the program may start;
/// also gives counters of work.
pub fn holds_everywhere(
    machine: &Machine,
    ctl: &Ctl,
    bounds: Bounds,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
) -> (Result<bool, Limit>, Statistics) {
    let mut labelling = Labelling::default();
    let explored = labelling.explore(machine, ctl, bounds, budget, progress);
    let steps: usize = labelling.after.iter().map(Vec::len).sum();
    let counters = [("states", labelling.list.len()), ("transitions", steps)];
    let counters = counters.map(|(name, count)| (name, count as u64));
    let judged = explored.map(|()| labelling.judge(ctl));
    (judged, Statistics::sums(counters))
}

impl Labelling {
    fn explore(
        &mut self,
        machine: &Machine,
        ctl: &Ctl,
        bounds: Bounds,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Result<(), Limit> {
        for start in initial_configurations(machine)? {
            let number = self.add(machine, ctl, start, false);
            self.initial.push(number);
        }
        let mut next = 0;
        while next < self.list.len() {
            if next.is_multiple_of(PATIENCE) {
                progress.event(Event::Count("states", self.list.len() as u64));
                if let Some(limit) = budget.interrupt.check() {
                    return Err(limit);
                }
                if budget.memory.is_some_and(|limit| self.bytes as u64 > limit) {
                    return Err(Limit::Memory);
                }
            }
            if budget
                .states
                .is_some_and(|states| self.list.len() as u64 > states)
            {
                return Err(Limit::States);
            }
            let (now, ended) = self.list[next].clone();
            let tops = now.threads.iter().filter_map(|thread| thread.stack.last());
            let mut kinds = tops.map(|top| machine.node(top.node).kind).peekable();
            let is_last = kinds.peek().is_none() || kinds.any(NodeKind::is_failure);
            let mut after = Vec::new();
            if ended || is_last {
                after.push(next);
            } else {
                let mut missed = None;
                for successor in successors(machine, &now, bounds, &mut missed)? {
                    let has_ended = successor.to.threads.iter().all(|t| t.stack.is_empty());
                    // The end of a sequential program is seen at the place where it ended.
                    after.push(if has_ended && machine.is_sequential() {
                        self.add(machine, ctl, now.clone(), true)
                    } else {
                        self.add(machine, ctl, successor.to, false)
                    });
                }
                if let Some(limit) = missed {
                    return Err(limit);
                }
            }
            after.sort_unstable();
            after.dedup();
            self.bytes += 8 * after.len();
            self.after.push(after);
            next += 1;
        }
        Ok(())
    }

    fn add(&mut self, machine: &Machine, ctl: &Ctl, now: Configuration, ended: bool) -> usize {
        let key = (now, ended);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let letter = if machine.is_sequential() {
            letter_of_state(machine, &ctl.propositions, &key.0, ended)
        } else {
            letter_of_threads(machine, &ctl.propositions, &key.0)
        };
        let frames = key.0.threads.iter().flat_map(|thread| &thread.stack);
        let frames: usize = frames.map(|frame| 64 + 8 * frame.locals.len()).sum();
        self.bytes += 2 * (256 + frames + 16 * key.0.shared.len());
        let number = self.list.len();
        self.letters.push(letter);
        self.list.push(key.clone());
        self.numbers.insert(key, number);
        number
    }

    /// Labels all configurations with all formulas.
    fn judge(&mut self, ctl: &Ctl) -> bool {
        let count = self.list.len();
        let mut live = vec![true; count];
        let mut changed = true;
        while changed {
            changed = false;
            for number in (0..count).rev() {
                if live[number] && !self.after[number].iter().any(|&after| live[after]) {
                    live[number] = false;
                    changed = true;
                }
            }
        }
        for after in &mut self.after {
            after.retain(|&number| live[number]);
        }
        let mut truth: Vec<Vec<bool>> = Vec::with_capacity(ctl.formulas.len());
        for formula in &ctl.formulas {
            let all = 0..count;
            let label = match formula {
                StateFormula::Constant(value) => vec![*value; count],
                StateFormula::Literal {
                    proposition,
                    positive,
                } => {
                    let letters = self.letters.iter();
                    letters
                        .map(|letter| (letter >> proposition & 1 == 1) == *positive)
                        .collect()
                }
                StateFormula::And(operands) => all
                    .map(|number| operands.iter().all(|&operand| truth[operand][number]))
                    .collect(),
                StateFormula::Or(operands) => all
                    .map(|number| operands.iter().any(|&operand| truth[operand][number]))
                    .collect(),
                StateFormula::Runs { all: every, path } => match *path {
                    PathFormula::Next(operand) => all
                        .map(|number| self.step(*every, number, &truth[operand]))
                        .collect(),
                    PathFormula::Until(kept, goal) => self.fixed_point(false, |number, now| {
                        truth[goal][number] || truth[kept][number] && self.step(*every, number, now)
                    }),
                    PathFormula::Release(releasing, kept) => {
                        self.fixed_point(true, |number, now| {
                            truth[kept][number]
                                && (truth[releasing][number] || self.step(*every, number, now))
                        })
                    }
                },
            };
            truth.push(label);
        }
        let mut starts = self.initial.iter().filter(|&&start| live[start]);
        starts.all(|&start| truth[ctl.root][start])
    }

    /// Whether all or some successors are in a set.
    fn step(&self, every: bool, number: usize, set: &[bool]) -> bool {
        let mut after = self.after[number].iter();
        if every {
            after.all(|&after| set[after])
        } else {
            after.any(|&after| set[after])
        }
    }

    /// Applies a monotone function until nothing changes.
    fn fixed_point(&self, from: bool, next: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let mut set = vec![from; self.list.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for number in (0..set.len()).rev() {
                let value = next(number, &set);
                changed |= value != set[number];
                set[number] = value;
            }
        }
        set
    }
}
