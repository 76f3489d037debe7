//! What an algorithm says: for each target, whether it is reached.
//!
//! Early termination (appendix) makes one run of the solver answer "is some target reached?". With
//! several targets, of which one is reached, a second run without targets, which ends only when
//! everything is explored, answers for all of them at once.

use crate::encoding::layout::Extent;
use crate::encoding::places::{Places, relation_of_places};
use crate::encoding::problem::{Aim, Program};
use crate::encoding::threads::{ThreadBound, ThreadProblem, fixed};
use crate::engine::limit;
use crate::evidence::tuple_words::TupleWords;
use crate::search::actions::Actions;
use crate::search::algorithm::{Algorithm, Kind, answer};
use hardbop_fixpoint::{Limits, Options, Places as PlaceRules, Solver, Stop, Until};
use hardbop_formula::{ActionKind, Checked, FormulaId, System};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::outcome::Printed;
use hardbop_outcome::{Budget, Limit, Statistics};
use hardbop_symbolic::node_limit;
use hardbop_transform::static_threads::StaticThreads;

/// In programs with threads, types with more values than this are treated as places.
const FEW_PROGRAM_COUNTERS: u64 = 4;

/// A program and an algorithm to ask.
pub(crate) struct Decision<'q> {
    /// The program.
    pub machine: &'q Machine,
    /// The limits.
    pub budget: &'q Budget<'q>,
    pub algorithm: &'q Algorithm,
    /// How much the relations say, if that is asked for.
    pub extent: Option<Extent>,
    pub effort: Effort,
    /// What the algorithm printed when it was asked about all targets at once.
    pub printed: Vec<Printed>,
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
    /// For each node whether it is reached.
    pub(crate) fn reached(&mut self, nodes: &[NodeId]) -> Result<Vec<bool>, Limit> {
        let is_reached = self.holds(nodes, true)?;
        if !is_reached || nodes.len() < 2 {
            return Ok(vec![is_reached; nodes.len()]);
        }
        match self.places(nodes)? {
            Some(reached) => Ok(reached),
            None => nodes
                .iter()
                .map(|&node| self.holds(&[node], false))
                .collect(),
        }
    }

    /// What the algorithm says to "can one of these nodes be reached?".
    fn holds(&mut self, nodes: &[NodeId], prints: bool) -> Result<bool, Limit> {
        let (program, checked) = self.problem(nodes, nodes);
        let (system, question) = usable(&checked, self.algorithm)?;
        let interrupt = || self.budget.interrupt.check().is_some();
        let limits = limits(self.budget, &interrupt);
        let mut solver = Solver::new(system, &Options::default(), &limits);
        let stopped = |why| limit(&why, system, self.budget);
        if prints && !self.algorithm.is_built_in() {
            self.printed = printed(&program, &checked, &mut solver).map_err(stopped)?;
        }
        let answer = solver.query(question);
        self.effort.add(&solver, 0);
        answer.map_err(stopped)
    }

    /// For each node whether it is among the places that the algorithm reaches in a program
    /// without targets; nothing if it does not say.
    fn places(&mut self, nodes: &[NodeId]) -> Result<Option<Vec<bool>>, Limit> {
        let (program, checked) = self.problem(nodes, &[]);
        let (system, _) = usable(&checked, self.algorithm)?;
        let Some(relation) = relation_of_places(system) else {
            return Ok(None);
        };
        let interrupt = || self.budget.interrupt.check().is_some();
        let limits = limits(self.budget, &interrupt);
        let mut solver = Solver::new(system, &Options::default(), &limits);
        let value = solver.value(relation);
        let size = value
            .as_ref()
            .map_or(0, |&value| solver.manager().size(value));
        self.effort.add(&solver, size as u64);
        let places = Places {
            machine: self.machine,
            layout: &program.layout,
            system,
            parameters: &system.relation(relation).parameters,
            value: value.map_err(|why| limit(&why, system, self.budget))?,
        };
        let nodes = nodes.iter();
        Ok(Some(
            nodes
                .map(|&node| places.contain(&solver, &[node]))
                .collect(),
        ))
    }

    fn problem(&self, asked: &[NodeId], targets: &[NodeId]) -> (Program<'q>, Checked) {
        sequential_problem(self.machine, self.algorithm, asked, targets, self.extent)
    }
}

/// The relations of a sequential program, and the system that they make with an algorithm. If it is
/// not said how much they say, they say everything to an algorithm that looks at values of
/// variables, and only what matters to others.
pub fn sequential_problem<'m>(
    machine: &'m Machine,
    algorithm: &Algorithm,
    asked: &[NodeId],
    targets: &[NodeId],
    extent: Option<Extent>,
) -> (Program<'m>, Checked) {
    let entry = machine.threads.first().map(|thread| thread.entry);
    let entry = entry.expect("a sequential machine has a thread");
    with_extent(algorithm, extent, |extent| {
        let aim = Aim {
            asked,
            targets,
            extent,
        };
        let program = Program::new(machine, &[entry], aim, algorithm);
        let checked = program.system(algorithm);
        (program, checked)
    })
}

/// A problem with relations that say as much as the algorithm needs.
fn with_extent<P>(
    algorithm: &Algorithm,
    extent: Option<Extent>,
    problem: impl Fn(Extent) -> (P, Checked),
) -> (P, Checked) {
    if let Some(extent) = extent {
        return problem(extent);
    }
    if algorithm.kind == Kind::Analysis {
        return problem(Extent::Full);
    }
    if algorithm.speaks_of_names() {
        let (full, checked) = problem(Extent::Full);
        if checked.named.fields || checked.system.is_none() || algorithm.mentions("True") {
            return (full, checked);
        }
    }
    problem(Extent::Sliced)
}

/// The system of a problem with the formula that is the answer: the last query.
fn usable<'c>(
    checked: &'c Checked,
    algorithm: &Algorithm,
) -> Result<(&'c System, FormulaId), Limit> {
    let unusable = |what: &str| Limit::Declined {
        what: format!("`{}` as an algorithm: {what}", algorithm.name),
    };
    let first = checked.diagnostics.first();
    let message = first.map_or("it has errors", |first| first.message.as_str());
    let system = checked.system.as_ref().ok_or_else(|| unusable(message))?;
    let question = answer(system).ok_or_else(|| unusable("it asks nothing"))?;
    Ok((system, question))
}

/// What the commands of an algorithm print, and the values of all queries but the last, which is
/// the answer.
fn printed(
    program: &Program<'_>,
    checked: &Checked,
    solver: &mut Solver<'_>,
) -> Result<Vec<Printed>, Stop> {
    let Some(system) = &checked.system else {
        return Ok(Vec::new());
    };
    let actions = Actions {
        system,
        words: Some(TupleWords(program)),
        shows_all: false,
    };
    let question = answer(system);
    let mut printed = Vec::new();
    for action in &system.actions {
        let text = match action.kind {
            ActionKind::Query(formula) if Some(formula) == question => continue,
            ActionKind::Quit => break,
            // Whoever answers a question does not look at the clock.
            ActionKind::Timer(_) => "measured by `hardbop solve --program` only\n".to_owned(),
            ref kind => actions.perform(solver, kind)?,
        };
        let (source, span) = checked.sources.locate(action.span);
        let command = source.slice(span).trim().trim_end_matches(';').to_owned();
        printed.push(Printed { command, text });
    }
    Ok(printed)
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
    pub statistics: Statistics,
    /// What the user's algorithm printed.
    pub printed: Vec<Printed>,
}

/// Solves the formula of a bound for some nodes of a program with threads.
pub fn decide_threads(
    machine: &Machine,
    nodes: &[NodeId],
    bound: ThreadBound,
    budget: &Budget<'_>,
) -> Result<Decided, Limit> {
    decide_threads_by(machine, nodes, bound, None, None, budget)
}

/// The same by an algorithm that takes the place of the formula.
pub(crate) fn decide_threads_by(
    machine: &Machine,
    nodes: &[NodeId],
    bound: ThreadBound,
    own: Option<&Algorithm>,
    extent: Option<Extent>,
    budget: &Budget<'_>,
) -> Result<Decided, Limit> {
    let threads = fixed(machine, budget.threads()).map_err(|what| Limit::Declined { what })?;
    let (problem, checked) = thread_problem(&threads, nodes, bound, own, extent);
    let (system, question) = usable(&checked, &problem.algorithm)?;
    let interrupt = || budget.interrupt.check().is_some();
    let limits = limits(budget, &interrupt);
    let stopped = |why| limit(&why, system, budget);
    // Threads are short: few program counters make a place all the same.
    let places = PlaceRules {
        many_values: FEW_PROGRAM_COUNTERS,
        ..PlaceRules::default()
    };
    let options = Options {
        places,
        ..Options::default()
    };
    let mut solver = Solver::new(system, &options, &limits);
    let mut lines = Vec::new();
    // A formula of ours is looked at after each round of its one large relation.
    let is_ours = problem.algorithm.is_built_in();
    let reach = system.find("Reach").filter(|_| is_ours);
    let (some, mut value) = match reach {
        Some(reach) => match solver.solve_until(reach, question).map_err(stopped)? {
            Until::True(value) => (true, Some(value)),
            Until::False(value) => (false, Some(value)),
        },
        None => {
            lines = printed(&problem.program, &checked, &mut solver).map_err(stopped)?;
            (solver.query(question).map_err(stopped)?, None)
        }
    };
    let mut is_reached = vec![some; nodes.len()];
    let mut is_short_of_threads = false;
    let has_open_targets = !some || nodes.len() > 1;
    if has_open_targets && (some || !threads.overflows.is_empty()) {
        // One target ended the search, and for the others it has to go on; or it says nothing of
        // the number of threads.
        let reachable = relation_of_places(system).ok_or_else(|| Limit::Declined {
            what: format!(
                "`{}` for several targets or for threads that are started: it does not define \
                 `Reachable(Module m, PC p)`",
                problem.algorithm.name
            ),
        })?;
        let places = Places {
            machine: &threads.machine,
            layout: &problem.program.layout,
            system,
            parameters: &system.relation(reachable).parameters,
            value: solver.value(reachable).map_err(stopped)?,
        };
        for (&node, is_reached) in nodes.iter().zip(&mut is_reached) {
            *is_reached = places.contain(&solver, threads.standing_for(node));
        }
        is_short_of_threads = places.contain(&solver, &threads.overflows);
        if let Some(reach) = reach {
            value = Some(solver.value(reach).map_err(stopped)?);
        }
    }
    // Where the search ended early, what was found until then: the rest would only be counted.
    let size = value.map_or(0, |value| solver.manager().size(value));
    let mut effort = Effort::default();
    effort.add(&solver, size as u64);
    Ok(Decided {
        is_reached,
        is_short_of_threads,
        statistics: effort.statistics(),
        printed: lines,
    })
}

/// The relations of a program with threads, and the system that they make with the formula for a
/// bound or with a user's.
pub fn thread_problem<'m>(
    threads: &'m StaticThreads,
    targets: &[NodeId],
    bound: ThreadBound,
    own: Option<&Algorithm>,
    extent: Option<Extent>,
) -> (ThreadProblem<'m>, Checked) {
    let make = |extent| {
        let problem = ThreadProblem::new(threads, targets, bound, own, extent);
        let checked = problem.program.system(&problem.algorithm);
        (problem, checked)
    };
    match own {
        Some(own) => with_extent(own, extent, make),
        None => make(extent.unwrap_or_default()),
    }
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

    pub(crate) fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::sums([
            ("solver-runs", self.runs),
            ("rounds", self.rounds),
            ("bdd-work", self.work),
        ]);
        statistics.raise("bdd-variables", self.variables);
        statistics.raise("bdd-peak", self.peak);
        statistics.raise("reached-nodes", self.summary);
        statistics
    }
}
