//! Few variables first: one wrapper over any engine for places.
//!
//! The engine is asked about the machine with all variables but a few hidden, at first those of [`Visible::nearest_conditions`] and constants. What it
//! excludes there is excluded, with a certificate of the original that speaks of few variables. What it reaches is tried: the run it
//! gives is taken in the original, as it is or on another way through the same calls ([`Windows`]). If that cannot be, the variables
//! that say why are visible from then on, and the engine is asked about the rest again. This is counterexample-guided refinement
//! (Clarke, Grumberg, Jha, Lu and Veith, CAV 2000) on variables instead of predicates.
//!
//! What is not settled so, because the engine or the trials run out, is left to the engine on the whole machine. So nothing is lost but
//! the time, which the limits below keep short.

use super::window::{Tried, Windows, flatten};
use super::{Hidden, Levels, Precision, hide};
use crate::transform::Transform;
use hardbop_interpreter::replay;
use hardbop_machine::analysis::{CallGraph, ModRef};
use hardbop_machine::{Machine, NodeId, ProcId, Variable};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Answer, Budget, Declined, Engine, Ledger, Limit, Outcome, Progress, Question, Verdict, WantedRun,
};

/// States and BDD nodes for a question about few variables: one that needs more sees too much.
const STATES: u64 = 1 << 16;
const NODES: u64 = 1 << 18;
/// Questions about few variables.
const ROUNDS: usize = 24;
/// Runs that are tried after each of them.
const TRIALS: usize = 16;
/// A run of more steps is not tried.
const STEPS: usize = 20_000;

/// An engine, asked about few variables first.
pub struct FewVariables<'e> {
    /// Asked about few variables, and in the end about all.
    pub engine: &'e dyn Engine,
}

impl Engine for FewVariables<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
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
            engine: self.engine,
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
    /// Asks about few variables, then about more, as long as that settles something or says what is missing.
    fn run(&mut self, progress: &mut dyn Progress) {
        let machine = self.machine;
        let nodes = self.ledger.open_nodes();
        let calls = CallGraph::new(machine);
        let effects = ModRef::new(machine, &calls);
        let mut levels = Levels::new(machine, &calls, &effects);
        let Some(first) = levels.next(&nodes) else {
            return;
        };
        let mut precision = Precision::of(machine, &nodes, &first);
        let mut windows = Windows::new(machine, &precision);
        for _ in 0..ROUNDS {
            if self.ledger.is_decided() || precision.is_exact() {
                return;
            }
            let open = self.question.about(self.ledger.open_targets());
            let hidden = hide(machine, &open, precision.tracked().clone());
            let outcome = self.ask(&hidden, progress);
            self.ledger.count("few-variables-questions", 1, |a, b| a + b);
            let before = (self.ledger.open_nodes().len(), precision.tracked_count());
            if self.exclude(&hidden, &outcome) == Settled::Interrupted {
                return;
            }
            self.try_runs(&hidden, &outcome, &mut windows, &mut precision);
            let open = self.ledger.open_nodes();
            if (open.len(), precision.tracked_count()) == before {
                // Nothing says what is missing: see what flows into what is seen.
                let Some(more) = levels.next(&open) else {
                    return;
                };
                let more = Precision::of(machine, &nodes, &more);
                let variables = self.variables().filter(|&(p, v)| more.tracks(p, v));
                precision.track_each(&variables.collect::<Vec<_>>());
                if precision.tracked_count() == before.1 {
                    return;
                }
            }
        }
    }

    /// All variables of the machine.
    fn variables(&self) -> impl Iterator<Item = (ProcId, Variable)> + '_ {
        let machine = self.machine;
        let globals = (0..machine.globals.len()).map(hardbop_machine::GlobalId::new);
        let globals = globals.map(|id| (ProcId(0), Variable::Global(id)));
        let locals = machine.procedure_ids().flat_map(|procedure| {
            let locals = machine.procedure(procedure).local_ids();
            locals.map(move |id| (procedure, Variable::Local(id)))
        });
        globals.chain(locals)
    }

    fn ask(&self, hidden: &Hidden, progress: &mut dyn Progress) -> Outcome {
        let least = |own: Option<u64>, limit: u64| Some(own.map_or(limit, |own| own.min(limit)));
        let budget = Budget {
            states: least(self.budget.states, STATES),
            nodes: least(self.budget.nodes, NODES),
            ..*self.budget
        };
        let question = hidden.question();
        self.engine.check(hidden.machine(), question, &budget, progress)
    }

    /// What is excluded with few variables is excluded.
    fn exclude(&mut self, hidden: &Hidden, outcome: &Outcome) -> Settled {
        for certificate in &outcome.certificates {
            if let Ok(certificate) = hidden.certificate_back(self.machine, certificate.clone()) {
                self.ledger.exclude(certificate);
            }
        }
        let is_over = |answer: &Answer| match &answer.verdict {
            Verdict::Unknown(Limit::Time | Limit::Interrupted | Limit::Memory) => true,
            Verdict::Unknown(_) | Verdict::Found(_) | Verdict::Excluded => false,
            Verdict::ExcludedUpTo(_) => false,
        };
        match outcome.answers.iter().any(is_over) || self.budget.interrupt.check().is_some() {
            true => Settled::Interrupted,
            false => Settled::AsFarAsPossible,
        }
    }

    /// Tries the runs that were found; what says why they cannot be taken is tracked from now on.
    fn try_runs(
        &mut self,
        hidden: &Hidden,
        outcome: &Outcome,
        windows: &mut Windows<'_>,
        precision: &mut Precision,
    ) {
        let budget = self.budget;
        let interrupt = || budget.interrupt.check().is_some();
        let mut failed = 0;
        let seen = precision.clone();
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
            let Some(path) = flatten(&run, STEPS) else {
                failed += 1;
                continue;
            };
            match windows.try_path(&path, &seen, &interrupt) {
                Tried::Taken(run) => self.ledger.reach(target.node, &run, false),
                Tried::Impossible(reasons) => {
                    failed += 1;
                    precision.track_each(&reasons);
                }
                Tried::Interrupted => return,
            }
        }
    }

    /// The rest is asked about the whole machine.
    fn finish(self, progress: &mut dyn Progress) -> Outcome {
        let rest: Vec<NodeId> = self.ledger.open_nodes();
        let open = self.ledger.open_targets();
        let mut outcome = self.ledger.outcome(self.engine.name(), &Limit::Interrupted);
        if rest.is_empty() {
            return outcome;
        }
        let question = self.question.about(open);
        let other = self.engine.search(self.machine, &question, self.budget, progress);
        let mut answers = other.answers.into_iter();
        for answer in &mut outcome.answers {
            let is_open = answer.target().is_some_and(|t| question.targets().contains(t));
            if is_open && let Some(given) = answers.next() {
                *answer = given;
            }
        }
        outcome.certificates.extend(other.certificates);
        outcome.statistics.extend(other.statistics);
        outcome
    }
}

/// What a question about few variables has brought.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Settled {
    AsFarAsPossible,
    Interrupted,
}
