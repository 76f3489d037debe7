//! The engine: verdicts with their evidence.
//!
//! Two explorations share the work. The explicit one decides which targets are reachable, and finds the best runs to those that are; with
//! its reductions it visits few configurations, but what it has visited is no invariant. So where a target is not reachable, the
//! symbolic one makes the certificate. By default the explicit exploration has a limit, for programs with many variables
//! that many configurations differ in; beyond it the symbolic exploration answers alone.

use crate::certify::{certificate, written};
use crate::explicit::Allowance;
use crate::explicit::bits::Fields;
use crate::explicit::invariant::relations;
use crate::explicit::ordered::OrderedSearch;
use crate::explicit::reduced::{ReducedSearch, Reductions};
use crate::explicit::witness::Witness;
use crate::runs::Runs;
use crate::search::Search;
use crate::space::Space;
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::cast::Cast;
use hardbop_machine::inlined::NotInlined;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::budget::DEFAULT_THREADS;
use hardbop_outcome::engine::{takes_no_bound, takes_only_reachability};
use hardbop_outcome::{
    Answer, Budget, Declined, Engine, Event, Evidence, Limit, Outcome, Progress, Question, Target,
    Trace, Verdict,
};
use hardbop_symbolic::{limit_reached, node_limit};
use std::collections::{BTreeMap, BTreeSet};

/// Explores all interleavings of threads without recursion.
#[derive(Clone, Copy, Debug)]
pub struct InterleavingEngine {
    /// How configurations are explored.
    pub exploration: Exploration,
    /// What the explicit exploration may leave out.
    pub reductions: Reductions,
}

/// How configurations are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exploration {
    /// One by one up to a limit, then in sets.
    Auto,
    /// One by one; sets only for the certificate of what was not reached.
    Explicit,
    /// In sets.
    Symbolic,
}

/// [`Exploration::Auto`] explores so many configurations one by one.
const FEW_CONFIGURATIONS: u64 = 1_000_000;

/// [`Exploration::Explicit`] explores so many unless the budget says otherwise: about as many as fit an ordinary computer's memory.
const MANY_CONFIGURATIONS: u64 = 20_000_000;

impl Default for InterleavingEngine {
    fn default() -> Self {
        Self {
            exploration: Exploration::Auto,
            reductions: Reductions::ALL,
        }
    }
}

impl Engine for InterleavingEngine {
    fn name(&self) -> &'static str {
        "interleaving"
    }

    fn takes(&self, machine: &Machine, question: &Question) -> Result<(), Declined> {
        takes_only_reachability(question)?;
        takes_no_bound(question)?;
        match Cast::new(machine, DEFAULT_THREADS) {
            Ok(_) => Ok(()),
            Err(why) => Declined::because(unsupported(machine, why)),
        }
    }

    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let init = u32::from(machine.init.is_some());
        let cast = match Cast::new(machine, budget.threads().saturating_add(init)) {
            Ok(cast) => cast,
            Err(why) => {
                let what = unsupported(machine, why);
                return Outcome::unknown(self.name(), question, &Limit::Declined { what });
            }
        };
        let space = Space::new(machine, &cast);
        let mut inquiry = Inquiry {
            runs: Runs {
                machine,
                cast: &cast,
                space: &space,
            },
            budget,
            exploration: self.exploration,
            reductions: self.reductions,
            verdicts: BTreeMap::new(),
            outcome: Outcome::new(self.name(), Vec::new()),
        };
        inquiry.answer(question, progress);
        inquiry.finish(question)
    }
}

/// A question on its way to an answer.
struct Inquiry<'q> {
    runs: Runs<'q>,
    budget: &'q Budget<'q>,
    exploration: Exploration,
    reductions: Reductions,
    /// Per target, by its place in the question.
    verdicts: BTreeMap<usize, Verdict>,
    outcome: Outcome,
}

impl<'q> Inquiry<'q> {
    fn answer(&mut self, question: &Question, progress: &mut dyn Progress) {
        let is_unreachable = if self.exploration == Exploration::Symbolic {
            false
        } else {
            progress.event(Event::Phase("explicit search"));
            self.explore_explicitly(question, progress)
        };
        let left: Vec<usize> = (0..question.targets().len())
            .filter(|index| !self.verdicts.contains_key(index))
            .collect();
        if left.is_empty() {
            return;
        }
        let targets: Vec<Target> = left
            .iter()
            .map(|&i| question.targets()[i].clone())
            .collect();
        if is_unreachable {
            progress.event(Event::Phase("proof"));
            match self.prove_explicitly(targets) {
                Ok(()) => {
                    let verdicts = left.iter().map(|&index| (index, Verdict::Excluded));
                    return self.verdicts.extend(verdicts);
                }
                Err(why) if self.exploration == Exploration::Explicit => {
                    let unknown = Verdict::Unknown(why);
                    let verdicts = left.iter().map(|&index| (index, unknown.clone()));
                    return self.verdicts.extend(verdicts);
                }
                Err(_) => {}
            }
        }
        progress.event(Event::Phase("symbolic search"));
        self.explore_symbolically(question, &left, progress);
    }

    /// Finds runs to targets; whether all that have no verdict yet are unreachable.
    fn explore_explicitly(&mut self, question: &Question, progress: &mut dyn Progress) -> bool {
        let allowance = self.allowance();
        let (machine, cast) = (self.runs.machine, self.runs.cast);
        let wanted: BTreeSet<NodeId> = question
            .targets()
            .iter()
            .map(|target| target.node)
            .collect();
        let mut search = ReducedSearch::new(machine, cast, &wanted, self.reductions);
        let end = search.run(&allowance);
        self.count("configurations", search.len());
        self.count("reduced-expansions", search.reduced);
        let mut found = BTreeMap::new();
        if !search.reached.is_empty() {
            progress.event(Event::Phase("shortest runs"));
            let mut ordered = OrderedSearch::new(machine, cast, &search.reached);
            let end = ordered.run(&allowance);
            self.count("ordered-configurations", ordered.len());
            for (index, target) in question.targets().iter().enumerate() {
                if search.reached.contains(&target.node) {
                    let verdict = match (self.trace(&mut ordered, target), &end) {
                        (Some(trace), _) => Verdict::Found(Evidence::Run(trace)),
                        (None, Err(why)) => Verdict::Unknown(why.clone()),
                        (None, Ok(())) => {
                            unreachable!("what one search has reached the other reaches")
                        }
                    };
                    found.insert(index, verdict);
                }
            }
        }
        let why = match end {
            Err(why) => Some(why),
            Ok(()) if search.missed_thread => Some(Limit::Threads),
            Ok(()) => None,
        };
        for (index, target) in question.targets().iter().enumerate() {
            let is_reached = search.reached.contains(&target.node);
            if let Some(why) = why.clone().filter(|_| !is_reached) {
                found.insert(index, Verdict::Unknown(why));
            }
        }
        // What was not decided is left to the symbolic search, if that may try.
        let is_auto = self.exploration == Exploration::Auto;
        let may_retry = |verdict: &Verdict| match verdict {
            Verdict::Unknown(why) => is_auto && !matches!(why, Limit::Threads),
            _ => false,
        };
        found.retain(|_, verdict| !may_retry(verdict));
        self.verdicts.extend(found);
        why.is_none()
    }

    /// What the explicit exploration may spend.
    fn allowance(&self) -> Allowance<'q> {
        let is_all = self.exploration == Exploration::Explicit;
        let configurations = match (self.budget.states, is_all) {
            (Some(states), true) => states,
            (Some(states), false) => states.min(FEW_CONFIGURATIONS),
            (None, true) => MANY_CONFIGURATIONS,
            (None, false) => FEW_CONFIGURATIONS,
        };
        Allowance {
            configurations,
            memory: self.budget.memory,
            interrupt: self.budget.interrupt,
        }
    }

    /// Makes the certificate for targets that are known to be unreachable: all configurations, without partial-order reduction.
    fn prove_explicitly(&mut self, targets: Vec<Target>) -> Result<(), Limit> {
        let Runs {
            machine,
            cast,
            space,
        } = self.runs;
        let reductions = Reductions {
            partial_order: false,
            ..self.reductions
        };
        let wanted = targets.iter().map(|target| target.node).collect();
        let mut search = ReducedSearch::new(machine, cast, &wanted, reductions);
        let end = search.run(&self.allowance());
        self.count("proof-configurations", search.len());
        end?;
        let interrupt = || self.budget.interrupt.check().is_some();
        let mut manager = Manager::new(node_limit(self.budget)).with_interrupt(&interrupt);
        let fields = Fields {
            machine,
            cast,
            space,
            globals: &search.transitions.stepper.globals,
        };
        let relations = relations(&mut manager, &search, fields)
            .map_err(|why| limit_reached(why, self.budget))?;
        let certificate = written(machine, space, &manager, targets, relations);
        let peak = manager.peak();
        self.outcome.certificates.push(certificate);
        self.count("peak-bdd-nodes", peak);
        Ok(())
    }

    fn trace(&self, search: &mut OrderedSearch<'_>, target: &Target) -> Option<Trace> {
        let path = search.path_to(target.node)?;
        let mut witness = Witness {
            runs: &self.runs,
            transitions: &mut search.transitions,
        };
        let run = witness.run_of(&path, target).ok()?;
        Some(run.expect("the steps along a path can be taken"))
    }

    fn explore_symbolically(
        &mut self,
        question: &Question,
        left: &[usize],
        progress: &mut dyn Progress,
    ) {
        let budget = self.budget;
        let interrupt = || budget.interrupt.check().is_some();
        let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        let wanted = left
            .iter()
            .map(|&index| question.targets()[index].node)
            .collect();
        let Runs {
            machine,
            cast,
            space,
        } = self.runs;
        let mut search = Search::new(machine, cast, space, manager, wanted);
        let end = search.run();
        progress.event(Event::Phase("evidence"));
        for &index in left {
            let verdict = verdict(
                &self.runs,
                &mut search,
                &question.targets()[index],
                end,
                budget,
            );
            self.verdicts.insert(index, verdict);
        }
        let excluded = left
            .iter()
            .filter(|index| self.verdicts[index] == Verdict::Excluded);
        let excluded: Vec<Target> = excluded.map(|&i| question.targets()[i].clone()).collect();
        if !excluded.is_empty() {
            match certificate(machine, space, &mut search, excluded) {
                Ok(certificate) => self.outcome.certificates.push(certificate),
                Err(why) => self.retract(&limit_reached(why, budget)),
            }
        }
        self.outcome.statistics.extend(statistics(&search));
    }

    /// A proof that cannot be written down is none.
    fn retract(&mut self, why: &Limit) {
        for verdict in self.verdicts.values_mut() {
            if *verdict == Verdict::Excluded {
                *verdict = Verdict::Unknown(why.clone());
            }
        }
    }

    fn count(&mut self, name: &str, count: usize) {
        self.outcome
            .statistics
            .push((name.to_owned(), count as u64));
    }

    fn finish(mut self, question: &Question) -> Outcome {
        for (index, target) in question.targets().iter().enumerate() {
            let verdict = self.verdicts.remove(&index);
            let verdict = verdict.expect("one of the explorations has answered every target");
            self.outcome
                .answers
                .push(Answer::new(target.clone(), verdict));
        }
        self.outcome
    }
}

fn verdict(
    runs: &Runs<'_>,
    search: &mut Search<'_, '_>,
    target: &Target,
    end: Result<(), Exhausted>,
    budget: &Budget<'_>,
) -> Verdict {
    let unknown = |why| Verdict::Unknown(why);
    match (search.hit(target.node), end) {
        (Some(hit), _) => match runs.run_to(search, hit, target) {
            Ok(Some(trace)) => Verdict::Found(Evidence::Run(trace)),
            Ok(None) => unreachable!("every configuration that was found has a way back"),
            Err(why) => unknown(limit_reached(why, budget)),
        },
        (None, Err(why)) => unknown(limit_reached(why, budget)),
        (None, Ok(())) if search.missed_thread => unknown(Limit::Threads),
        (None, Ok(())) => Verdict::Excluded,
    }
}

fn unsupported(machine: &Machine, why: NotInlined) -> String {
    match why {
        NotInlined::Recursive(procedure) => {
            let name = &machine.procedure(procedure).name;
            format!("threads with recursion ({name} may call itself)")
        }
        NotInlined::TooManyPlaces => "threads whose calls unfold to so many places".to_owned(),
        NotInlined::InitStartsThreads => "an `init` procedure that starts threads".to_owned(),
    }
}

fn statistics(search: &Search<'_, '_>) -> Vec<(String, u64)> {
    let widest = search.visited().values();
    let widest = widest.map(|&set| search.manager.size(set)).max();
    let rings = search.layers().iter().map(Vec::len).max();
    let counts = [
        ("contexts", search.layers().len()),
        ("longest-run", rings.unwrap_or(0).saturating_sub(1)),
        ("relations", search.visited().len()),
        ("widest-relation", widest.unwrap_or(0)),
        ("peak-bdd-nodes", search.manager.peak()),
    ];
    let counts = counts.map(|(name, count)| (name.to_owned(), count as u64));
    counts.to_vec()
}
