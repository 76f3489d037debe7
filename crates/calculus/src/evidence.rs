//! Solving a problem, and what is made of the solution: answers with runs and certificates.
//!
//! Early termination (appendix) makes one run of the solver answer "is some target reachable?". With several targets, one of them reached and
//! others not, a second run without targets, which ends only when everything is explored, answers for all of the others at once.

use crate::algorithm::{Algorithm, answer};
use crate::certify::forward_certificate;
use crate::engine::limit;
use crate::path_edges::PathEdges;
use crate::problem::Program;
use crate::rings::Rings;
use crate::runs::{NoRun, Reader};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_fixpoint::{Limits, Options, Solver, Stop, Until};
use hardbop_formula::System;
use hardbop_formula::system::FormulaId;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Answer, Budget, Certificate, Limit, Query, Target, Verdict, digest};

/// Without a limit in the budget: some 2 GB of BDD nodes.
const DEFAULT_NODES: u64 = 50_000_000;
/// What a BDD node costs with its share of the tables.
const BYTES_PER_NODE: u64 = 40;

/// Answers with their evidence.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// One per target.
    pub list: Vec<Answer>,
    /// For what is unreachable.
    pub certificates: Vec<Certificate>,
    /// Work counters.
    pub statistics: Vec<(String, u64)>,
}

/// A program and an algorithm to ask.
pub struct Question<'q> {
    /// The program.
    pub machine: &'q Machine,
    /// The limits.
    pub budget: &'q Budget<'q>,
    algorithm: &'q Algorithm,
    effort: Effort,
}

/// What the solver has done in all runs.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    runs: u64,
    rounds: u64,
    work: u64,
    variables: u64,
    peak: u64,
    summary: u64,
}

/// The answers of one run of the solver.
#[derive(Default)]
struct Found {
    verdicts: Vec<Option<Verdict>>,
    certificates: Vec<Certificate>,
}

impl<'q> Question<'q> {
    /// Nothing is asked yet.
    pub fn new(machine: &'q Machine, algorithm: &'q Algorithm, budget: &'q Budget<'q>) -> Self {
        Self {
            machine,
            budget,
            algorithm,
            effort: Effort::default(),
        }
    }

    /// Work counters of everything asked so far.
    pub fn statistics(&self) -> Vec<(String, u64)> {
        let effort = &self.effort;
        [
            ("solver-runs", effort.runs),
            ("rounds", effort.rounds),
            ("bdd-work", effort.work),
            ("bdd-variables", effort.variables),
            ("bdd-peak", effort.peak),
            ("summary-nodes", effort.summary),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    /// What the algorithm says to "can one of these nodes be reached?".
    pub fn holds(&mut self, targets: &[NodeId]) -> Result<bool, Limit> {
        let program = self.program(targets, targets);
        let (system, query) = self.system(&program)?;
        let interrupt = || self.budget.interrupt.check().is_some();
        let mut solver = Solver::new(&system, &Options::default(), &self.limits(&interrupt));
        let answer = solver.query(query);
        self.effort.add(&solver, 0);
        answer.map_err(|why| limit(&why, &system, self.budget))
    }

    /// Answers every target with evidence, by an algorithm that gives it.
    pub fn decide(&mut self, query: &Query) -> Result<Answers, Limit> {
        let mut found = self.search(&query.targets, &query.targets)?;
        if found.verdicts.iter().any(Option::is_none) {
            // Something was reached and ended the search: the rest is found by a search that nothing ends.
            let verdicts = found.verdicts.iter();
            let open: Vec<Target> = verdicts
                .zip(&query.targets)
                .filter(|(verdict, _)| verdict.is_none())
                .map(|(_, target)| target.clone())
                .collect();
            // A limit leaves those open that are still open; what has been reached stays reached.
            let rest = self.search(&open, &[]).unwrap_or_else(|why| Found {
                verdicts: vec![Some(Verdict::Unknown { why }); open.len()],
                certificates: Vec::new(),
            });
            let mut later = rest.verdicts.into_iter();
            for verdict in found
                .verdicts
                .iter_mut()
                .filter(|verdict| verdict.is_none())
            {
                *verdict = later.next().flatten();
            }
            found.certificates.extend(rest.certificates);
        }
        let answers = query.targets.iter().zip(found.verdicts);
        let answers = answers.map(|(target, verdict)| Answer {
            target: target.clone(),
            verdict: verdict.expect("a search that nothing ends decides every target"),
        });
        Ok(Answers {
            list: answers.collect(),
            certificates: found.certificates,
            statistics: self.statistics(),
        })
    }

    /// Solves until one of `goals` is reached, and says what that means for `targets`: nothing yet for those that were not reached, if
    /// one was.
    fn search(&mut self, targets: &[Target], goals: &[Target]) -> Result<Found, Limit> {
        let goals: Vec<NodeId> = goals.iter().map(|target| target.node).collect();
        let asked: Vec<NodeId> = targets.iter().map(|target| target.node).collect();
        let program = self.program(&asked, &goals);
        let (system, query) = self.system(&program)?;
        let edges = PathEdges::find(&system, query)
            .expect("an algorithm that gives evidence has a relation of path edges");
        let interrupt = || self.budget.interrupt.check().is_some();
        let options = Options {
            keep_rounds: true,
            ..Options::default()
        };
        let mut solver = Solver::new(&system, &options, &self.limits(&interrupt));
        let solved = solver.solve_until(edges.relation, query);
        let size = match solved {
            Ok(Until::True(value) | Until::False(value)) => solver.manager().size(value),
            Err(_) => 0,
        };
        self.effort.add(&solver, size as u64);
        let is_complete = match solved {
            Ok(Until::True(_)) => false,
            Ok(Until::False(_)) => true,
            Err(why) => return Err(limit(&why, &system, self.budget)),
        };
        let rounds: Vec<Bdd> = solver
            .rings(edges.relation)
            .iter()
            .map(|ring| ring.value)
            .collect();
        let level = |(variable, bit)| Some(solver.level(variable, bit));
        let (machine, layout) = (self.machine, &program.layout);
        let rings = Rings::new(machine, layout, &edges, solver.manager(), rounds, level);
        let manager = Manager::new(self.node_limit()).with_interrupt(&interrupt);
        let mut reader = Reader::new(machine, layout, rings, manager);
        let program_digest = digest::of(machine);
        let mut found = Found::default();
        for target in targets {
            let skeleton = reader.run_to(target.node).map_err(|why| self.no_run(why))?;
            found.verdicts.push(match skeleton {
                None if is_complete => Some(Verdict::Unreachable),
                None => None,
                Some(skeleton) => {
                    let trace = skeleton.trace(machine, &program_digest, Some(target.clone()));
                    // More different completed calls than can be written down.
                    Some(
                        trace.map_or(Verdict::Unknown { why: Limit::Memory }, |trace| {
                            Verdict::Reachable { trace }
                        }),
                    )
                }
            });
        }
        let pairs = targets.iter().zip(&found.verdicts);
        let excluded = pairs.filter(|(_, verdict)| **verdict == Some(Verdict::Unreachable));
        let excluded: Vec<Target> = excluded.map(|(target, _)| target.clone()).collect();
        if !excluded.is_empty() {
            let (rings, manager) = reader.parts();
            let certificate = forward_certificate(machine, layout, rings, manager, excluded);
            let certificate = certificate.map_err(|why| self.exhausted(why))?;
            found.certificates.push(certificate);
        }
        Ok(found)
    }

    fn program(&self, asked: &[NodeId], targets: &[NodeId]) -> Program<'q> {
        let entry = self.machine.threads.first().map(|thread| thread.entry);
        let entry = entry.expect("a sequential machine has a thread");
        Program::new(self.machine, entry, asked, targets)
    }

    /// The problem as a system, with the formula that is the answer: the last query.
    fn system(&self, program: &Program<'_>) -> Result<(System, FormulaId), Limit> {
        let unusable = |what: &str| Limit::Unsupported {
            what: format!("`{}` for an algorithm: {what}", self.algorithm.name),
        };
        let checked = program.system(self.algorithm);
        let message = checked
            .diagnostics
            .first()
            .map(|first| first.message.as_str());
        let system = checked
            .system
            .ok_or_else(|| unusable(message.unwrap_or("it has errors")))?;
        let query = answer(&system).ok_or_else(|| unusable("it asks nothing"))?;
        Ok((system, query))
    }

    fn limits<'l>(&self, interrupt: &'l dyn Fn() -> bool) -> Limits<'l> {
        Limits {
            nodes: Some(self.node_limit()),
            rounds: self.budget.states,
            interrupt: Some(interrupt),
        }
    }

    fn node_limit(&self) -> usize {
        node_limit(self.budget)
    }

    fn no_run(&self, why: NoRun) -> Limit {
        match why {
            NoRun::Exhausted(why) => self.exhausted(why),
            NoRun::Broken => {
                panic!("the rounds of an entry-forward algorithm lead back to the start")
            }
        }
    }

    fn exhausted(&self, why: Exhausted) -> Limit {
        let system = System::default();
        limit(&Stop::from(why), &system, self.budget)
    }
}

/// How many BDD nodes the solver may have.
pub(crate) fn node_limit(budget: &Budget<'_>) -> usize {
    let by_memory = budget.memory.map(|bytes| bytes / BYTES_PER_NODE);
    let nodes = budget.nodes.or(by_memory).unwrap_or(DEFAULT_NODES);
    usize::try_from(nodes).unwrap_or(usize::MAX)
}

impl Effort {
    fn add(&mut self, solver: &Solver<'_>, summary: u64) {
        let statistics = solver.statistics();
        self.runs += 1;
        self.rounds += statistics
            .relations
            .iter()
            .map(|relation| relation.rounds)
            .sum::<u64>();
        self.work += statistics.work;
        self.variables = self.variables.max(u64::from(statistics.variables));
        self.peak = self.peak.max(statistics.peak as u64);
        self.summary = self.summary.max(summary);
    }
}
