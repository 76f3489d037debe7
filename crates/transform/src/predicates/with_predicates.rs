//! Abstraction, search, trial, refinement: one wrapper over any engine for places.
//!
//! The engine is asked about the machine over predicates, at first none. What it excludes there is
//! excluded, with a certificate of the original. What it reaches is tried: along the very path
//! ([`Paths`]), and where that cannot be taken, on other ways through the same calls
//! ([`Windows`]). Failing that, the path gives new predicates, the nearest that are not known yet.
//! Where there are none, clauses may have been too short, and longer ones are looked for; in the end
//! the engine gives up. So it does where the engine it asks has no answer: predicates are for
//! programs that other engines find too wide, and those are at work elsewhere.

use super::path::{Paths, Tried};
use super::refinement::{Candidates, Spurious};
use super::{Abstraction, NARROW, Workshop};
use crate::hide::window::{Tried as TriedWindow, Windows};
use crate::hide::{Precision, Visible};
use crate::literals::run_writer::PathStep;
use crate::transform::Transform;
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Budget, Declined, Engine, Event, Ledger, Limit, Outcome, Prepared, Progress, Question, Verdict,
    WantedRun,
};
use std::rc::Rc;

/// Questions about predicates.
const ROUNDS: usize = 200;
/// Runs that are tried after each of them.
const TRIALS: usize = 16;
/// With more predicates a search is hopeless.
const MOST_PREDICATES: usize = 400;
/// How much harder than at first clauses are looked for.
const MOST_EFFORT: u64 = 64;

/// BDD nodes within which the first engine answers before the second is asked.
const NODES: u64 = 1 << 16;
/// States within which the second answers before the first goes on.
const STATES: u64 = 1 << 17;

/// An engine, asked about predicates.
pub struct WithPredicates {
    /// Asked about machines over predicates.
    pub engine: Box<dyn Engine>,
    /// Asked where that takes many nodes: what is left of a program without its words is often
    /// a state that few choices lead to, and diagrams of it are large for no reason.
    pub second: Option<Box<dyn Engine>>,
    /// Variables of at most this many bits are kept as they are.
    pub widest: u32,
}

impl WithPredicates {
    /// The engine, asked about predicates in place of words.
    pub fn new(engine: Box<dyn Engine>) -> Self {
        Self {
            engine,
            second: None,
            widest: NARROW,
        }
    }

    /// The same, with an engine to be asked where the first takes many nodes.
    #[must_use]
    pub fn with_second(self, second: Box<dyn Engine>) -> Self {
        Self {
            second: Some(second),
            ..self
        }
    }
}

impl Engine for WithPredicates {
    fn name(&self) -> &'static str {
        "predicates"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        takes(machine, question)?;
        Ok(Prepared::new(move |budget, progress| {
            self.search(machine, question, budget, progress)
        }))
    }
}

/// Declines what the search does not obey.
fn takes(machine: &Machine, question: &Question) -> Result<(), Declined> {
    takes_only_sequential_reachability(machine, question)?;
    if question.wanted == WantedRun::Shortest {
        return Declined::because("a demand for shortest runs");
    }
    Ok(())
}

impl WithPredicates {
    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let mut refinement = Refinement {
            engines: self,
            machine,
            question,
            budget,
            ledger: Ledger::new(machine, question),
            workshop: Workshop::new(machine, self.widest),
        };
        let why = refinement.run(progress);
        let mut ledger = refinement.ledger;
        let predicates = refinement.workshop.predicates.count() as u64;
        ledger.statistics.raise("predicates", predicates);
        let questions = refinement.workshop.clauses.questions;
        ledger.statistics.add("predicate-solver-calls", questions);
        ledger.outcome(self.name(), &why)
    }
}

struct Refinement<'r> {
    engines: &'r WithPredicates,
    machine: &'r Machine,
    question: &'r Question,
    budget: &'r Budget<'r>,
    ledger: Ledger<'r>,
    workshop: Workshop<'r>,
}

impl Refinement<'_> {
    /// Asks about more and more predicates; says why the rest is open.
    fn run(&mut self, progress: &mut dyn Progress) -> Limit {
        let interrupted = |budget: &Budget<'_>| {
            let limit = budget.interrupt.check();
            limit.unwrap_or(Limit::Interrupted)
        };
        let gives_up = |what: &str| Limit::Declined {
            what: format!("this program: {what}"),
        };
        for _ in 0..ROUNDS {
            let open = self.question.about(self.ledger.open_targets());
            let made = self.workshop.abstraction(&open, self.budget.interrupt);
            let Ok(abstraction) = made else {
                return interrupted(self.budget);
            };
            let predicates = self.workshop.predicates.count();
            progress.event(Event::Count("predicates", predicates as u64));
            let mut outcome = self.ask(&abstraction, progress);
            // Shortest among the runs of another machine.
            outcome.statistics.remove("shortest-runs");
            let statistics = &mut self.ledger.statistics;
            statistics.join(std::mem::take(&mut outcome.statistics));
            statistics.add("predicate-rounds", 1);
            self.exclude(&abstraction, &outcome);
            let paths = self.try_runs(&abstraction, &outcome);
            if self.ledger.is_decided() || self.budget.interrupt.check().is_some() {
                return interrupted(self.budget);
            }
            if paths.is_empty() {
                // The search had no answer, or none that comes back.
                let answers = outcome.answers.into_iter();
                let mut limits = answers.filter_map(|answer| match answer.verdict {
                    Verdict::Unknown(limit) => Some(limit),
                    _ => None,
                });
                let nothing = || gives_up("what was found about predicates does not come back");
                return limits.next().unwrap_or_else(nothing);
            }
            let mut is_new = false;
            for candidates in paths {
                is_new |= self.refine(&candidates);
            }
            if !is_new {
                if self.workshop.clauses.effort >= MOST_EFFORT {
                    return gives_up("no predicate was found that rules a run out");
                }
                self.workshop.clauses.try_harder();
            }
            if self.workshop.predicates.count() > MOST_PREDICATES {
                return gives_up("it takes too many predicates");
            }
        }
        gives_up("it takes too many rounds of refinement")
    }

    /// Asks about the machine over predicates.
    fn ask(&self, abstraction: &Abstraction, progress: &mut dyn Progress) -> Outcome {
        let (machine, question) = (abstraction.machine(), abstraction.question());
        let (budget, engine) = (self.budget, self.engines.engine.as_ref());
        let Some(second) = &self.engines.second else {
            return engine.check(machine, question, budget, progress);
        };
        if budget.nodes.is_some_and(|nodes| nodes <= NODES) {
            return engine.check(machine, question, budget, progress);
        }
        let small = Budget {
            nodes: Some(NODES),
            ..*budget
        };
        let mut outcome = engine.check(machine, question, &small, progress);
        let small = Budget {
            states: Some(budget.states.map_or(STATES, |states| states.min(STATES))),
            ..*budget
        };
        for (engine, budget) in [(second.as_ref(), &small), (engine, budget)] {
            let open = outcome.open_part(question);
            if open.targets().is_empty() || budget.interrupt.check().is_some() {
                break;
            }
            let given = engine.check(machine, &open, budget, progress);
            outcome.fill(given);
        }
        outcome
    }

    /// What is excluded with predicates is excluded.
    fn exclude(&mut self, abstraction: &Abstraction, outcome: &Outcome) {
        for certificate in &outcome.certificates {
            let back = abstraction.certificate_back(self.machine, certificate.clone());
            if let Ok(certificate) = back {
                self.ledger.exclude(certificate);
            }
        }
    }

    /// Tries the runs that were found; of those that cannot be taken, what may be predicates.
    fn try_runs(&mut self, abstraction: &Abstraction, outcome: &Outcome) -> Vec<Candidates> {
        let budget = self.budget;
        let interrupt = || budget.interrupt.check().is_some();
        let mut failed = Vec::new();
        for answer in &outcome.answers {
            let Some(trace) = answer.verdict.trace() else {
                continue;
            };
            let Some(target) = abstraction.targets().target_of(trace) else {
                continue;
            };
            if failed.len() >= TRIALS || !self.ledger.is_open(target.node) {
                continue;
            }
            let Some(path) = abstraction.path(self.machine, trace) else {
                continue;
            };
            match Paths::new(self.machine, &[target.node]).try_path(&path, &interrupt) {
                Tried::Taken(run) => self.ledger.reach(target.node, &run, false),
                Tried::Interrupted => break,
                Tried::Impossible(core) => {
                    if !self.try_window(target.node, &path, &interrupt) {
                        let spurious = Spurious {
                            machine: self.machine,
                            effects: self.workshop.machine.effects(),
                            formulas: &mut self.workshop.formulas,
                            path: &path,
                            fixed: &abstraction.interface.fixed,
                        };
                        failed.push(spurious.candidates(&core));
                    }
                }
            }
        }
        failed
    }

    /// Tries other ways through the same calls.
    fn try_window(
        &mut self,
        node: NodeId,
        path: &[PathStep],
        interrupt: &dyn Fn() -> bool,
    ) -> bool {
        let machine = self.machine;
        let slice = Rc::new(Slice::new(machine, &[node]));
        let all = Visible::such_that(machine, |_, _| true);
        let precision = Precision::new(machine, Rc::clone(&slice), &all);
        match Windows::new(machine, slice).try_path(path, &precision, interrupt) {
            TriedWindow::Taken(run) => {
                self.ledger.reach(node, &run, false);
                true
            }
            TriedWindow::Impossible(_) | TriedWindow::Interrupted => false,
        }
    }

    /// Adds the nearest candidates that are not known yet; false if there are none.
    fn refine(&mut self, candidates: &Candidates) -> bool {
        for found in candidates.values() {
            let mut is_new = false;
            for &(procedure, formula) in found {
                let formulas = &self.workshop.formulas;
                is_new |= self.workshop.predicates.add(formulas, procedure, formula);
            }
            if is_new {
                return true;
            }
        }
        false
    }
}
