//! Few variables first: one wrapper over any engine for places.
//!
//! The engine is asked about the machine with all variables but a few hidden, at first those of the
//! second of [`Levels`]. What it excludes there is excluded, with a certificate of the original
//! that speaks of few variables. What it reaches is tried: the run it gives is taken in the
//! original, as it is or on another way through the same calls ([`Windows`]). The engine is asked
//! about the rest with more variables: those that say why runs could not be taken, and where
//! nothing does, the next level. That is counterexample-guided refinement (Clarke, Grumberg, Jha,
//! Lu and Veith, CAV 2000) on variables. Only where the second level shows too much does it begin
//! with the first: there runs to nearly all targets would be found and tried, and cores name few
//! variables at a time. A driver of 100 procedures took more than 24 questions that way.
//!
//! Many programs are small, or rest on all their variables. So the first question is about the
//! whole machine, within a small budget. What is not settled in the end, because the engine or the
//! trials run out, is left to the engine on the whole machine. So nothing is lost but the time,
//! which the limits below keep short.

use super::window::{Tried, Windows, flatten};
use super::{Hidden, Levels, Precision, Visible, hide};
use crate::transform::Transform;
use hardbop_interpreter::replay;
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Machine, ProcId, Variable};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Budget, Declined, Engine, Ledger, Limit, Outcome, Prepared, Progress, Question, WantedRun,
};
use std::rc::Rc;

/// With at most this many bits in a state there is nothing to leave out.
const FEW_BITS: u32 = 12;
/// States and BDD nodes for the first question about all variables: small programs take no more.
const FIRST_STATES: u64 = 1 << 14;
const FIRST_NODES: u64 = 1 << 11;
/// The same for a question about few variables: one that needs more sees too much. There are fewer
/// states where fewer variables can still be tried.
const STATES: u64 = 1 << 14;
const SECOND_LEVEL_STATES: u64 = 1 << 11;
const NODES: u64 = 1 << 18;
/// Each may make this many states for each node of the program: going over a large program once is
/// not too much.
const STATES_PER_NODE: u64 = 4;
/// Questions about few variables.
const ROUNDS: usize = 24;
/// Runs that are tried after each of them.
const TRIALS: usize = 16;
/// A run of more steps is not tried.
const STEPS: usize = 20_000;

/// Which variables an engine is asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracking {
    /// At first few, then more as they turn out to be needed.
    #[default]
    Needed,
    /// All.
    All,
}

/// An engine, asked about few variables first.
pub struct FewVariables {
    /// Asked about few variables, and in the end about all.
    pub engine: Box<dyn Engine>,
    /// Whether the first question is about all variables, within a small budget; the only one if
    /// there are few of them.
    pub tries_all: bool,
}

impl Engine for FewVariables {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        let whole = self.engine.prepare(machine, question, limits)?;
        // An execution through few variables need not be shortest.
        let is_hidden = question.wanted != WantedRun::Shortest
            && takes_only_sequential_reachability(machine, question).is_ok()
            && !(self.tries_all && bits_of_state(machine) <= FEW_BITS);
        if !is_hidden {
            return Ok(whole);
        }
        Ok(Prepared::new(move |budget, progress| {
            self.search(whole, machine, question, budget, progress)
        }))
    }
}

impl FewVariables {
    fn search(
        &self,
        whole: Prepared<'_>,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let engine = self.engine.as_ref();
        let mut known = if self.tries_all {
            let budget = limited(budget, machine, FIRST_STATES, FIRST_NODES);
            whole.search(&budget, progress)
        } else {
            Outcome::unknown(engine.name(), question, &Limit::Interrupted)
        };
        let open = known.open_part(question);
        if !open.targets().is_empty() {
            let mut refinement = Refinement {
                engine,
                machine,
                question: &open,
                budget,
                ledger: Ledger::new(machine, &open),
            };
            refinement.run(progress);
            let few = refinement
                .ledger
                .outcome(engine.name(), &Limit::Interrupted);
            known.fill(few);
        }
        let open = known.open_part(question);
        if !open.targets().is_empty() {
            known.fill(engine.check(machine, &open, budget, progress));
        }
        known
    }
}

/// How many bits the globals and the locals of one procedure have at most.
fn bits_of_state(machine: &Machine) -> u32 {
    let globals: u32 = machine.globals.iter().map(|g| g.ty.width()).sum();
    let locals = machine.procedures.iter().map(|procedure| {
        let widths = procedure.locals.iter().map(|local| local.ty.width());
        widths.sum::<u32>()
    });
    globals.saturating_add(locals.max().unwrap_or(0))
}

/// A budget with limits on states and BDD nodes.
fn limited<'b>(budget: &Budget<'b>, machine: &Machine, states: u64, nodes: u64) -> Budget<'b> {
    let states = states.max(STATES_PER_NODE * machine.nodes.len() as u64);
    let least = |own: Option<u64>, limit: u64| Some(own.map_or(limit, |own| own.min(limit)));
    Budget {
        states: least(budget.states, states),
        nodes: least(budget.nodes, nodes),
        ..*budget
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
        let mut levels = Levels::new(machine);
        let slice = Rc::new(Slice::new(machine, &nodes));
        let precision_of = |level: &Visible| Precision::new(machine, Rc::clone(&slice), level);
        let Some(first) = levels.next(&nodes) else {
            return;
        };
        let second = levels.next(&nodes);
        let mut precision = precision_of(second.as_ref().unwrap_or(&first));
        let mut fallback = second.is_some().then(|| precision_of(&first));
        let mut windows = Windows::new(machine, Rc::clone(&slice));
        for _ in 0..ROUNDS {
            if precision.is_exact() {
                return;
            }
            let open = self.question.about(self.ledger.open_targets());
            let hidden = hide(machine, &open, precision.tracked().clone());
            let states = match fallback {
                Some(_) => SECOND_LEVEL_STATES,
                None => STATES,
            };
            let mut outcome = self.ask(&hidden, states, progress);
            // Shortest among the runs of another machine.
            outcome.statistics.remove("shortest-runs");
            let statistics = &mut self.ledger.statistics;
            statistics.join(std::mem::take(&mut outcome.statistics));
            statistics.add("few-variables-questions", 1);
            self.exclude(&hidden, &outcome);
            let missing = self.try_runs(&hidden, &outcome, &mut windows, &precision);
            if self.ledger.is_decided() || self.budget.interrupt.check().is_some() {
                return;
            }
            if outcome.answers.iter().any(|a| a.verdict.is_unknown()) {
                // It saw too much.
                let Some(first) = fallback.take() else {
                    return;
                };
                levels.end();
                precision = first;
                continue;
            }
            let seen = precision.tracked().count();
            precision.track_each(&missing);
            if precision.tracked().count() == seen {
                let Some(level) = levels.next(&self.ledger.open_nodes()) else {
                    return;
                };
                precision = precision_of(&level);
            }
        }
    }

    fn ask(&self, hidden: &Hidden, states: u64, progress: &mut dyn Progress) -> Outcome {
        let budget = limited(self.budget, self.machine, states, NODES);
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
            let candidate = run.trace(self.machine, Some(target.clone()));
            if candidate.is_some_and(|trace| replay(self.machine, &trace).is_ok()) {
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
}
