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
use crate::scouts::Scouting;
use hardbop_bdd::{Bdd, Manager};
use hardbop_fixpoint::{Limits, Options, Solver, Until};
use hardbop_formula::System;
use hardbop_formula::system::FormulaId;
use hardbop_machine::{Machine, NodeId, ProcId};
use hardbop_outcome::{Answer, Budget, Certificate, Limit, Query, Target, Verdict, digest};
use hardbop_symbolic::{limit_reached, node_limit};

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
    /// Whether scouts are sent.
    pub scouting: Scouting,
    algorithm: &'q Algorithm,
    pub(crate) effort: Effort,
}

/// What the solver has done in all runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub scouts: u64,
    runs: u64,
    rounds: u64,
    work: u64,
    variables: u64,
    peak: u64,
    summary: u64,
}

/// What is known of some targets.
#[derive(Default)]
pub(crate) struct Found {
    /// Nothing for those that are open.
    pub verdicts: Vec<Option<Verdict>>,
    pub certificates: Vec<Certificate>,
}

impl Found {
    /// Those that are open.
    pub fn open(&self, targets: &[Target]) -> Vec<Target> {
        let pairs = targets.iter().zip(&self.verdicts);
        let open = pairs.filter(|(_, verdict)| verdict.is_none());
        open.map(|(target, _)| target.clone()).collect()
    }

    /// Adds what was found about those that were open.
    pub fn add(&mut self, later: Found) {
        let open = self.verdicts.iter_mut().filter(|verdict| verdict.is_none());
        for (verdict, found) in open.zip(later.verdicts) {
            *verdict = found;
        }
        self.certificates.extend(later.certificates);
    }
}

impl<'q> Question<'q> {
    /// Nothing is asked yet.
    pub fn new(
        machine: &'q Machine,
        algorithm: &'q Algorithm,
        budget: &'q Budget<'q>,
        scouting: Scouting,
    ) -> Self {
        Self {
            machine,
            budget,
            scouting,
            algorithm,
            effort: Effort::default(),
        }
    }

    /// Work counters of everything asked so far.
    pub fn statistics(&self) -> Vec<(String, u64)> {
        let effort = &self.effort;
        [
            ("scouts", effort.scouts),
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
        let mut found = self.scouted(&query.targets)?;
        let open = found.open(&query.targets);
        if !open.is_empty() {
            let reached = self.search(&open, &open);
            found.add(reached.or_else(|why| given_up(&found, &open, why))?);
        }
        let open = found.open(&query.targets);
        if !open.is_empty() {
            // Something was reached and ended the search: the rest is found by a search that nothing ends.
            let rest = self.search(&open, &[]);
            found.add(rest.or_else(|why| given_up(&found, &open, why))?);
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
        self.solve(&program, targets, &Limits::default(), true)
    }

    /// Solves until a target of the program is reached, or until the end.
    ///
    /// Without `reads_runs` those that are reached stay open: the program is one that allows more than the real one.
    pub(crate) fn solve(
        &mut self,
        program: &Program<'_>,
        targets: &[Target],
        tighter: &Limits<'_>,
        reads_runs: bool,
    ) -> Result<Found, Limit> {
        let (system, query) = self.system(program)?;
        let edges = PathEdges::find(&system, query)
            .expect("an algorithm that gives evidence has a relation of path edges");
        let interrupt = || self.budget.interrupt.check().is_some();
        let options = Options {
            keep_rounds: true,
            ..Options::default()
        };
        let limits = Limits {
            work: tighter.work,
            ..self.limits(&interrupt)
        };
        let mut solver = Solver::new(&system, &options, &limits);
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
        let manager = Manager::new(node_limit(self.budget)).with_interrupt(&interrupt);
        let mut reader = Reader::new(machine, layout, rings, manager);
        let program_digest = digest::of(machine);
        let mut found = Found::default();
        for target in targets {
            if !reads_runs {
                let is_reached = reader.is_reached(target.node);
                let unreachable = (!is_reached).then_some(Verdict::Unreachable);
                found.verdicts.push(unreachable);
                continue;
            }
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
            let certificate = certificate.map_err(|why| limit_reached(why, self.budget))?;
            found.certificates.push(certificate);
        }
        Ok(found)
    }

    fn program(&self, asked: &[NodeId], targets: &[NodeId]) -> Program<'q> {
        Program::new(self.machine, self.entry(), asked, targets)
    }

    /// Where the program starts.
    pub(crate) fn entry(&self) -> ProcId {
        let entry = self.machine.threads.first().map(|thread| thread.entry);
        entry.expect("a sequential machine has a thread")
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
            nodes: Some(node_limit(self.budget)),
            rounds: self.budget.states,
            work: None,
            interrupt: Some(interrupt),
        }
    }

    fn no_run(&self, why: NoRun) -> Limit {
        match why {
            NoRun::Exhausted(why) => limit_reached(why, self.budget),
            NoRun::Broken => {
                panic!("the rounds of an entry-forward algorithm lead back to the start")
            }
        }
    }
}

/// A limit leaves those open that are still open; what has been found out before stays. If that is nothing, the limit is the answer.
fn given_up(found: &Found, open: &[Target], why: Limit) -> Result<Found, Limit> {
    if found.verdicts.len() == open.len() {
        return Err(why);
    }
    Ok(Found {
        verdicts: vec![Some(Verdict::Unknown { why }); open.len()],
        certificates: Vec::new(),
    })
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
