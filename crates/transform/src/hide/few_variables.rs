//! Few variables first: one wrapper over any engine for places.
//!
//! The engine is asked about the machine with all variables but a few hidden, at first those of
//! [`Visible::nearest_conditions`] and constants. What it excludes there is excluded, with a
//! certificate of the original that speaks of few variables. What it reaches is tried: the run it
//! gives is taken in the original, as it is or on another way through the same calls ([`Windows`]).
//! The engine is asked about the rest with more variables: at first those of the next of
//! [`Levels`], then those that say why runs could not be taken, and where nothing does, the next
//! level again. That is counterexample-guided refinement (Clarke, Grumberg, Jha, Lu and Veith, CAV
//! 2000) on variables. The second level comes first because cores name one variable at a time: a
//! driver of 100 procedures takes 2 questions so, and more than 24 with cores alone.
//!
//! What is not settled so, because the engine or the trials run out, is left to the engine on the
//! whole machine. So nothing is lost but the time, which the limits below keep short.

use super::window::{Tried, Windows, flatten};
use super::{Hidden, Levels, Precision, hide};
use crate::transform::Transform;
use hardbop_interpreter::replay;
use hardbop_machine::analysis::{CallGraph, ModRef};
use hardbop_machine::{Machine, ProcId, Variable};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Budget, Declined, Engine, Ledger, Limit, Outcome, Progress, Question, WantedRun,
};

/// States and BDD nodes for a question about few variables: one that needs more sees too much.
const STATES: u64 = 1 << 16;
const NODES: u64 = 1 << 18;
/// Questions about few variables.
const ROUNDS: usize = 24;
/// So many of them go by levels in any case: they settle what does not need to be tried.
const FIRST_LEVELS: usize = 2;
/// Runs that are tried after each of them.
const TRIALS: usize = 16;
/// A run of more steps is not tried.
const STEPS: usize = 20_000;

/// An engine, asked about few variables first.
pub struct FewVariables {
    /// Asked about few variables, and in the end about all.
    pub engine: Box<dyn Engine>,
}

impl Engine for FewVariables {
    fn name(&self) -> &'static str {
        "few-variables"
    }

    fn takes(&self, machine: &Machine, question: &Question) -> Result<(), Declined> {
        takes_only_sequential_reachability(machine, question)?;
        self.engine.takes(machine, question)
    }

    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        // A run through few variables need not be shortest.
        if question.wanted == WantedRun::Shortest {
            return self.engine.search(machine, question, budget, progress);
        }
        let mut refinement = Refinement {
            engine: self.engine.as_ref(),
            machine,
            question,
            budget,
            ledger: Ledger::new(machine, question),
        };
        refinement.run(progress);
        refinement.finish(progress)
    }
}

struct Refinement<'r> {
    engine: &'r dyn Engine,
    machine: &'r Machine,
    question: &'r Question,
    budget: &'r Budget<'r>,
    ledger: Ledger<'r>,
}

impl Refinement<'_> {
    /// Asks about few variables, then about more: level by level, and then what trials of runs say
    /// is missing.
    fn run(&mut self, progress: &mut dyn Progress) {
        let machine = self.machine;
        let nodes = self.ledger.open_nodes();
        let calls = CallGraph::new(machine);
        let effects = ModRef::new(machine, &calls);
        let mut levels = Levels::new(machine, &calls, &effects);
        let mut next = levels.next(&nodes);
        let Some(first) = &next else {
            return;
        };
        let mut precision = Precision::of(machine, &nodes, first);
        let mut windows = Windows::new(machine, &precision);
        let mut missing = Vec::new();
        for round in 0..ROUNDS {
            let last = precision.clone();
            if let Some(level) = next.take() {
                precision = Precision::of(machine, &nodes, &level);
            }
            if precision.is_exact() {
                return;
            }
            let open = self.question.about(self.ledger.open_targets());
            let hidden = hide(machine, &open, precision.tracked().clone());
            let outcome = self.ask(&hidden, progress);
            self.ledger
                .count("few-variables-questions", 1, |a, b| a + b);
            self.exclude(&hidden, &outcome);
            let found_missing = self.try_runs(&hidden, &outcome, &mut windows, &precision);
            if self.ledger.is_decided() || self.budget.interrupt.check().is_some() {
                return;
            }
            let saw_too_much = outcome.answers.iter().any(|a| a.verdict.is_unknown());
            if saw_too_much {
                // What was missing before is all that can be said.
                levels.end();
                precision = last;
            } else {
                missing = found_missing;
                if round + 1 < FIRST_LEVELS {
                    next = levels.next(&self.ledger.open_nodes());
                }
            }
            if next.is_none() {
                let seen = precision.tracked_count();
                precision.track_each(&std::mem::take(&mut missing));
                if precision.tracked_count() == seen {
                    next = levels.next(&self.ledger.open_nodes());
                    if next.is_none() {
                        return;
                    }
                }
            }
        }
    }

    fn ask(&self, hidden: &Hidden, progress: &mut dyn Progress) -> Outcome {
        let least = |own: Option<u64>, limit: u64| Some(own.map_or(limit, |own| own.min(limit)));
        let budget = Budget {
            states: least(self.budget.states, STATES),
            nodes: least(self.budget.nodes, NODES),
            ..*self.budget
        };
        let question = hidden.question();
        self.engine
            .check(hidden.machine(), question, &budget, progress)
    }

    /// What is excluded with few variables is excluded.
    fn exclude(&mut self, hidden: &Hidden, outcome: &Outcome) {
        for certificate in &outcome.certificates {
            if let Ok(certificate) = hidden.certificate_back(self.machine, certificate.clone()) {
                self.ledger.exclude(certificate);
            }
        }
    }

    /// Tries the runs that were found; gives the variables that say why some cannot be taken.
    fn try_runs(
        &mut self,
        hidden: &Hidden,
        outcome: &Outcome,
        windows: &mut Windows<'_>,
        precision: &Precision,
    ) -> Vec<(ProcId, Variable)> {
        let budget = self.budget;
        let interrupt = || budget.interrupt.check().is_some();
        let mut missing = Vec::new();
        let mut failed = 0;
        for answer in &outcome.answers {
            let (Some(trace), Some(target)) = (answer.verdict.trace(), answer.target()) else {
                continue;
            };
            if failed >= TRIALS || !self.ledger.is_open(target.node) {
                continue;
            }
            let Some(run) = hidden.decisions(self.machine, trace) else {
                continue;
            };
            let candidate = hidden.candidate(self.machine, trace);
            if candidate.is_ok_and(|trace| replay(self.machine, &trace).is_ok()) {
                self.ledger.reach(target.node, &run, false);
                continue;
            }
            failed += 1;
            let Some(path) = flatten(&run, STEPS) else {
                continue;
            };
            match windows.try_path(&path, precision, &interrupt) {
                Tried::Taken(run) => self.ledger.reach(target.node, &run, false),
                Tried::Impossible(reasons) => missing.extend(reasons),
                Tried::Interrupted => break,
            }
        }
        missing
    }

    /// The rest is asked about the whole machine.
    fn finish(self, progress: &mut dyn Progress) -> Outcome {
        let open = self.ledger.open_targets();
        let mut outcome = self.ledger.outcome(self.engine.name(), &Limit::Interrupted);
        if open.is_empty() {
            return outcome;
        }
        let question = self.question.about(open);
        let other = self
            .engine
            .search(self.machine, &question, self.budget, progress);
        let mut answers = other.answers.into_iter();
        for answer in &mut outcome.answers {
            let is_open = answer
                .target()
                .is_some_and(|t| question.targets().contains(t));
            if is_open && let Some(given) = answers.next() {
                *answer = given;
            }
        }
        outcome.certificates.extend(other.certificates);
        outcome.statistics.extend(other.statistics);
        outcome
    }
}
