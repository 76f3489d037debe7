//! What an algorithm says: for each target, whether it is reached.
//!
//! Early termination (appendix) makes one run of the solver answer "is some target reached?". With
//! several targets, of which one is reached, a second run without targets, which ends only when
//! everything is explored, answers for all of them at once.

use crate::encoding::places::{Places, relation_of_places};
use crate::encoding::problem::Program;
use crate::encoding::threads::{ThreadBound, ThreadProblem, fixed};
use crate::engine::limit;
use crate::search::algorithm::{Algorithm, answer};
use hardbop_fixpoint::{Limits, Options, Places as PlaceRules, Solver, Until};
use hardbop_formula::{FormulaId, System};
use hardbop_machine::{Machine, NodeId, ProcId};
use hardbop_outcome::{Budget, Limit};
use hardbop_symbolic::node_limit;

/// In programs with threads, types with more values than this are treated as places.
const FEW_PROGRAM_COUNTERS: u64 = 4;

/// A program and an algorithm to ask.
pub(crate) struct Decision<'q> {
    /// The program.
    pub machine: &'q Machine,
    /// The limits.
    pub budget: &'q Budget<'q>,
    algorithm: &'q Algorithm,
    pub(crate) effort: Effort,
}

/// What the solver has done in all runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    runs: u64,
    rounds: u64,
    work: u64,
    variables: u64,
    peak: u64,
    summary: u64,
}

impl<'q> Decision<'q> {
    /// Nothing is asked yet.
    pub(crate) fn new(
        machine: &'q Machine,
        algorithm: &'q Algorithm,
        budget: &'q Budget<'q>,
    ) -> Self {
        Self {
            machine,
            budget,
            algorithm,
            effort: Effort::default(),
        }
    }

    /// Work counters of everything asked so far.
    pub(crate) fn statistics(&self) -> Vec<(String, u64)> {
        self.effort.statistics()
    }

    /// For each node whether it is reached.
    pub(crate) fn reached(&mut self, nodes: &[NodeId]) -> Result<Vec<bool>, Limit> {
        let is_reached = self.holds(nodes)?;
        if !is_reached || nodes.len() < 2 {
            return Ok(vec![is_reached; nodes.len()]);
        }
        let program = self.program(nodes, &[]);
        match self.places(&program, nodes)? {
            Some(reached) => Ok(reached),
            None => nodes.iter().map(|&node| self.holds(&[node])).collect(),
        }
    }

    /// What the algorithm says to "can one of these nodes be reached?".
    fn holds(&mut self, nodes: &[NodeId]) -> Result<bool, Limit> {
        let program = self.program(nodes, nodes);
        let (system, question) = self.system(&program)?;
        let interrupt = || self.budget.interrupt.check().is_some();
        let limits = limits(self.budget, &interrupt);
        let mut solver = Solver::new(&system, &Options::default(), &limits);
        let answer = solver.query(question);
        self.effort.add(&solver, 0);
        answer.map_err(|why| limit(&why, &system, self.budget))
    }

    /// For each node whether it is among the places that the algorithm reaches in a program;
    /// nothing if it does not say.
    fn places(
        &mut self,
        program: &Program<'_>,
        nodes: &[NodeId],
    ) -> Result<Option<Vec<bool>>, Limit> {
        let (system, _) = self.system(program)?;
        let Some(relation) = relation_of_places(&system) else {
            return Ok(None);
        };
        let interrupt = || self.budget.interrupt.check().is_some();
        let limits = limits(self.budget, &interrupt);
        let mut solver = Solver::new(&system, &Options::default(), &limits);
        let value = solver.value(relation);
        let size = value
            .as_ref()
            .map_or(0, |&value| solver.manager().size(value));
        self.effort.add(&solver, size as u64);
        let places = Places {
            machine: self.machine,
            layout: &program.layout,
            system: &system,
            parameters: &system.relation(relation).parameters,
            value: value.map_err(|why| limit(&why, &system, self.budget))?,
        };
        let nodes = nodes.iter();
        Ok(Some(
            nodes
                .map(|&node| places.contain(&solver, &[node]))
                .collect(),
        ))
    }

    fn program(&self, asked: &[NodeId], targets: &[NodeId]) -> Program<'q> {
        Program::new(self.machine, self.entry(), asked, targets)
    }

    /// Where the program starts.
    fn entry(&self) -> ProcId {
        let entry = self.machine.threads.first().map(|thread| thread.entry);
        entry.expect("a sequential machine has a thread")
    }

    /// The problem as a system, with the formula that is the answer: the last query.
    fn system(&self, program: &Program<'_>) -> Result<(System, FormulaId), Limit> {
        let unusable = |what: &str| Limit::Declined {
            what: format!("`{}` for an algorithm: {what}", self.algorithm.name),
        };
        let checked = program.system(self.algorithm);
        let first = checked.diagnostics.first();
        let message = first.map_or("it has errors", |first| first.message.as_str());
        let system = checked.system.ok_or_else(|| unusable(message))?;
        let question = answer(&system).ok_or_else(|| unusable("it asks nothing"))?;
        Ok((system, question))
    }
}

/// What the formula for threads says.
#[derive(Clone, Debug)]
pub struct Decided {
    /// For each node whether it is reached.
    pub is_reached: Vec<bool>,
    /// Whether more threads may be started than there may be: then what is not reached may be
    /// reached with more.
    pub is_short_of_threads: bool,
    /// Work counters.
    pub statistics: Vec<(String, u64)>,
}

/// Solves the formula of a bound for some nodes of a program with threads.
pub fn decide_threads(
    machine: &Machine,
    nodes: &[NodeId],
    bound: ThreadBound,
    budget: &Budget<'_>,
) -> Result<Decided, Limit> {
    let threads = fixed(machine, budget.threads()).map_err(|what| Limit::Declined { what })?;
    let problem = ThreadProblem::new(&threads, nodes, bound);
    let checked = problem.program.system(&problem.algorithm);
    let well_formed = "hardbop's own formulas are well-formed";
    let system = checked.system.expect(well_formed);
    let question = answer(&system).expect(well_formed);
    let reach = system.find("Reach").expect(well_formed);
    let reachable = relation_of_places(&system).expect(well_formed);
    let interrupt = || budget.interrupt.check().is_some();
    let limits = limits(budget, &interrupt);
    let stopped = |why| limit(&why, &system, budget);
    // Threads are short: few program counters make a place all the same.
    let places = PlaceRules {
        many_values: FEW_PROGRAM_COUNTERS,
        ..PlaceRules::default()
    };
    let options = Options {
        places,
        ..Options::default()
    };
    let mut solver = Solver::new(&system, &options, &limits);
    let until = solver.solve_until(reach, question).map_err(stopped)?;
    let (some, mut value) = match until {
        Until::True(value) => (true, value),
        Until::False(value) => (false, value),
    };
    let mut is_reached = vec![some; nodes.len()];
    let mut is_short_of_threads = false;
    let has_open_targets = !some || nodes.len() > 1;
    if has_open_targets && (some || !threads.overflows.is_empty()) {
        // One target ended the search, and for the others it has to go on; or it says nothing of
        // the number of threads.
        let places = Places {
            machine: &threads.machine,
            layout: &problem.program.layout,
            system: &system,
            parameters: &system.relation(reachable).parameters,
            value: solver.value(reachable).map_err(stopped)?,
        };
        for (&node, is_reached) in nodes.iter().zip(&mut is_reached) {
            *is_reached = places.contain(&solver, threads.standing_for(node));
        }
        is_short_of_threads = places.contain(&solver, &threads.overflows);
        value = solver.value(reach).map_err(stopped)?;
    }
    let mut effort = Effort::default();
    effort.add(&solver, solver.manager().size(value) as u64);
    Ok(Decided {
        is_reached,
        is_short_of_threads,
        statistics: effort.statistics(),
    })
}

fn limits<'l>(budget: &Budget<'_>, interrupt: &'l dyn Fn() -> bool) -> Limits<'l> {
    Limits {
        nodes: Some(node_limit(budget)),
        rounds: budget.states,
        interrupt: Some(interrupt),
    }
}

impl Effort {
    fn add(&mut self, solver: &Solver<'_>, summary: u64) {
        let statistics = solver.statistics();
        let relations = statistics.relations.iter();
        self.runs += 1;
        self.rounds += relations.map(|relation| relation.rounds).sum::<u64>();
        self.work += statistics.work;
        self.variables = self.variables.max(u64::from(statistics.variables));
        self.peak = self.peak.max(statistics.peak as u64);
        self.summary = self.summary.max(summary);
    }

    fn statistics(&self) -> Vec<(String, u64)> {
        [
            ("solver-runs", self.runs),
            ("rounds", self.rounds),
            ("bdd-work", self.work),
            ("bdd-variables", self.variables),
            ("bdd-peak", self.peak),
            ("reached-nodes", self.summary),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }
}
