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
use crate::explicit::visited::Visited;
use crate::explicit::witness::Witness;
use crate::runs::Runs;
use crate::search::Search;
use crate::space::Space;
use hardbop_bdd::Manager;
use hardbop_machine::cast::Cast;
use hardbop_machine::inlined::NotInlined;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{
    Answer, Budget, Engine, Event, Limit, Outcome, Progress, Query, Target, Trace, Verdict,
};
use hardbop_symbolic::{limit_reached, node_limit};
use std::collections::BTreeSet;

/// Explores all interleavings of threads without recursion.
#[derive(Clone, Copy, Debug)]
pub struct InterleavingEngine {
    /// At most so many threads, `init` aside, are started in all; a negative answer that would need more is none.
    pub threads: u32,
    /// How configurations are explored.
    pub exploration: Exploration,
    /// What the explicit exploration may leave out.
    pub reductions: Reductions,
    /// Whether any run will do, however many context switches and steps it has.
    pub any_run: bool,
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
            threads: 8,
            exploration: Exploration::Auto,
            reductions: Reductions::ALL,
            any_run: false,
        }
    }
}

impl Engine for InterleavingEngine {
    fn name(&self) -> &'static str {
        "interleaving"
    }

    fn check(
        &self,
        machine: &Machine,
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let cast = match Cast::new(
            machine,
            self.threads
                .saturating_add(u32::from(machine.init.is_some())),
        ) {
            Ok(cast) => cast,
            Err(why) => return Outcome::unknown(self.name(), query, &unsupported(machine, why)),
        };
        let space = Space::new(machine, &cast);
        let mut inquiry = Inquiry {
            runs: Runs {
                machine,
                cast: &cast,
                space: &space,
            },
            budget,
            engine: self,
            targets: &query.targets,
            standings: vec![Standing::Open(Limit::States); query.targets.len()],
            outcome: Outcome::new(self.name(), Vec::new()),
        };
        inquiry.answer(progress);
        inquiry.finish()
    }
}

/// What is known of a target.
#[derive(Clone, Debug)]
enum Standing {
    /// Nothing yet; what stopped the searches so far.
    Open(Limit),
    /// A complete search has not reached it. Why there is no certificate yet.
    Excluded(Limit),
    /// All that will be known.
    Settled(Verdict),
}

/// A question on its way to an answer.
struct Inquiry<'q> {
    runs: Runs<'q>,
    budget: &'q Budget<'q>,
    engine: &'q InterleavingEngine,
    targets: &'q [Target],
    standings: Vec<Standing>,
    outcome: Outcome,
}

impl<'q> Inquiry<'q> {
    fn answer(&mut self, progress: &mut dyn Progress) {
        let exploration = self.engine.exploration;
        if exploration != Exploration::Symbolic {
            let reductions = self.engine.reductions;
            progress.event(Event::Phase("explicit search"));
            self.explore_explicitly(reductions, progress);
            let excluded = |standing: &Standing| matches!(standing, Standing::Excluded(_));
            if reductions.partial_order && self.standings.iter().any(excluded) {
                progress.event(Event::Phase("proof"));
                let unreduced = Reductions {
                    partial_order: false,
                    ..reductions
                };
                self.explore_explicitly(unreduced, progress);
            }
        }
        if exploration != Exploration::Explicit && !self.is_settled() {
            progress.event(Event::Phase("symbolic search"));
            self.explore_symbolically(progress);
        }
    }

    fn is_settled(&self) -> bool {
        let settled = |standing: &Standing| matches!(standing, Standing::Settled(_));
        self.standings.iter().all(settled)
    }

    /// The targets of which something is still to be found out, by their place in the question.
    fn unsettled(&self) -> Vec<usize> {
        let standings = self.standings.iter().enumerate();
        let left = standings.filter(|(_, standing)| !matches!(standing, Standing::Settled(_)));
        left.map(|(index, _)| index).collect()
    }

    fn nodes(&self, targets: &[usize]) -> BTreeSet<NodeId> {
        targets.iter().map(|&i| self.targets[i].node).collect()
    }

    /// Looks for what is not settled, one configuration at a time. What is reached gets its run from this search, or a better one from an
    /// ordered search. What a complete search has not reached is excluded; if it took all steps of all threads, the
    /// configurations are the proof.
    fn explore_explicitly(&mut self, reductions: Reductions, progress: &mut dyn Progress) {
        let left = self.unsettled();
        let (machine, cast) = (self.runs.machine, self.runs.cast);
        let mut search = ReducedSearch::new(machine, cast, &self.nodes(&left), reductions);
        let end = search.run(&self.allowance());
        let name = if reductions.partial_order {
            self.count("reduced-expansions", search.reduced);
            "configurations"
        } else {
            "all-configurations"
        };
        self.count(name, search.visited.len());
        let (reached, missed): (Vec<usize>, Vec<usize>) = left
            .into_iter()
            .partition(|&index| search.visited.has_reached(self.targets[index].node));
        if !reached.is_empty() {
            self.take_runs(&reached, &mut search.visited, progress);
        }
        let proof = match end {
            Err(why) => Err(why),
            Ok(()) if search.missed_thread => {
                let why = Limit::Threads;
                for &index in &missed {
                    let why = why.clone();
                    self.standings[index] = Standing::Settled(Verdict::Unknown { why });
                }
                return;
            }
            Ok(()) if missed.is_empty() => return,
            Ok(()) if reductions.partial_order => Ok(Limit::States),
            Ok(()) => match self.prove(&missed, &search.visited) {
                Ok(()) => return,
                Err(why) => Ok(why),
            },
        };
        for index in missed {
            let standing = &mut self.standings[index];
            match (&proof, &standing) {
                (Ok(why), _) => *standing = Standing::Excluded(why.clone()),
                (Err(why), Standing::Open(_)) => *standing = Standing::Open(why.clone()),
                (Err(why), _) => *standing = Standing::Excluded(why.clone()),
            }
        }
    }

    /// Settles what a search has reached.
    fn take_runs(
        &mut self,
        reached: &[usize],
        visited: &mut Visited<'_>,
        progress: &mut dyn Progress,
    ) {
        let mut ordered = None;
        if !self.engine.any_run {
            progress.event(Event::Phase("shortest runs"));
            let (machine, cast) = (self.runs.machine, self.runs.cast);
            let mut search = OrderedSearch::new(machine, cast, &self.nodes(reached));
            // Whatever stops this search, runs that are not the best are known.
            let _ = search.run(&self.allowance());
            self.count("ordered-configurations", search.visited.len());
            ordered = Some(search.visited);
        }
        for &index in reached {
            let target = &self.targets[index];
            let best = ordered.as_mut().and_then(|best| self.trace(best, target));
            let run = match best {
                Some(Ok(trace)) => Some(Ok(trace)),
                _ => self.trace(visited, target),
            };
            let verdict = match run {
                Some(Ok(trace)) => Verdict::Reachable { trace },
                Some(Err(why)) => Verdict::Unknown { why },
                None => continue,
            };
            self.standings[index] = Standing::Settled(verdict);
        }
    }

    /// What the explicit exploration may spend.
    fn allowance(&self) -> Allowance<'q> {
        let is_all = self.engine.exploration == Exploration::Explicit;
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

    /// Writes the configurations of a complete search without partial-order reduction down, as proof that none of them is at these targets.
    fn prove(&mut self, excluded: &[usize], visited: &Visited<'_>) -> Result<(), Limit> {
        let Runs {
            machine,
            cast,
            space,
        } = self.runs;
        let interrupt = || self.budget.interrupt.check().is_some();
        let mut manager = Manager::new(node_limit(self.budget)).with_interrupt(&interrupt);
        let fields = Fields {
            machine,
            cast,
            space,
            globals: &visited.transitions.stepper.globals,
        };
        let relations = relations(&mut manager, visited, fields)
            .map_err(|why| limit_reached(why, self.budget))?;
        let targets = excluded.iter().map(|&i| self.targets[i].clone()).collect();
        let certificate = written(machine, space, &manager, targets, relations);
        self.outcome.certificates.push(certificate);
        self.count("peak-bdd-nodes", manager.peak());
        for &index in excluded {
            self.standings[index] = Standing::Settled(Verdict::Unreachable);
        }
        Ok(())
    }

    /// The run to a target that a search has reached.
    fn trace(&self, visited: &mut Visited<'_>, target: &Target) -> Option<Result<Trace, Limit>> {
        let path = visited.path_to(target.node)?;
        let mut witness = Witness {
            runs: &self.runs,
            transitions: &mut visited.transitions,
        };
        Some(witness.run_of(&path, target))
    }

    /// Looks for what is not settled in sets of configurations. What an explicit search has excluded is looked for as well: for the proof.
    fn explore_symbolically(&mut self, progress: &mut dyn Progress) {
        let left = self.unsettled();
        let budget = self.budget;
        let interrupt = || budget.interrupt.check().is_some();
        let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        let Runs {
            machine,
            cast,
            space,
        } = self.runs;
        let mut search = Search::new(machine, cast, space, manager, self.nodes(&left));
        let end = search.run();
        progress.event(Event::Phase("evidence"));
        let mut missed = Vec::new();
        for index in left {
            let target = &self.targets[index];
            let Some(hit) = search.hit(target.node) else {
                missed.push(index);
                continue;
            };
            let run = self.runs.run_to(&mut search, hit, target);
            let verdict = match run.map_err(|why| limit_reached(why, budget)) {
                Ok(Ok(trace)) => Verdict::Reachable { trace },
                Ok(Err(why)) | Err(why) => Verdict::Unknown { why },
            };
            self.standings[index] = Standing::Settled(verdict);
        }
        let end = end.map_err(|why| limit_reached(why, budget));
        let is_complete = end.is_ok() && !search.missed_thread;
        let proof = match end {
            Ok(()) if search.missed_thread => Err(Limit::Threads),
            Ok(()) => {
                let targets = missed.iter().map(|&i| self.targets[i].clone()).collect();
                let made = certificate(machine, space, &mut search, targets);
                made.map_err(|why| limit_reached(why, budget)).map(Some)
            }
            Err(why) => Err(why),
        };
        for &index in &missed {
            let standing = &mut self.standings[index];
            *standing = match (&proof, &*standing) {
                (Ok(_), _) => Standing::Settled(Verdict::Unreachable),
                (Err(why), Standing::Open(_)) if !is_complete => Standing::Open(why.clone()),
                (Err(why), _) => Standing::Excluded(why.clone()),
            };
        }
        if let (Ok(Some(certificate)), false) = (proof, missed.is_empty()) {
            self.outcome.certificates.push(certificate);
        }
        self.outcome.statistics.extend(statistics(&search));
    }

    fn count(&mut self, name: &str, count: usize) {
        self.outcome
            .statistics
            .push((name.to_owned(), count as u64));
    }

    fn finish(mut self) -> Outcome {
        for (target, standing) in self.targets.iter().zip(self.standings) {
            self.outcome.answers.push(Answer {
                target: target.clone(),
                verdict: match standing {
                    Standing::Settled(verdict) => verdict,
                    Standing::Excluded(_) => Verdict::Unreachable,
                    Standing::Open(why) => Verdict::Unknown { why },
                },
            });
        }
        self.outcome
    }
}

fn unsupported(machine: &Machine, why: NotInlined) -> Limit {
    let what = match why {
        NotInlined::Recursive(procedure) => {
            let name = &machine.procedure(procedure).name;
            format!("threads with recursion ({name} may call itself)")
        }
        NotInlined::TooManyPlaces => "threads whose calls unfold to so many places".to_owned(),
        NotInlined::InitStartsThreads => "an `init` procedure that starts threads".to_owned(),
    };
    Limit::Unsupported { what }
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
