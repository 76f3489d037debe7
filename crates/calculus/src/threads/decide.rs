//! Solving a problem with threads: which targets are reached within the bound.

use super::{ThreadBound, ThreadProblem};
use crate::algorithm::answer;
use crate::engine::limit;
use crate::layout::Layout;
use hardbop_bdd::Bdd;
use hardbop_fixpoint::{Limits, Options, Solver, Until};
use hardbop_formula::System;
use hardbop_formula::system::{RelationId, VariableId};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Budget, Limit, Query};
use hardbop_symbolic::node_limit;

/// What the formula says.
#[derive(Clone, Debug)]
pub struct Decided {
    /// For each target whether it is reached.
    pub is_reached: Vec<bool>,
    /// Whether more threads may be started than there may be: then what is not reached may be reached with more.
    pub is_short_of_threads: bool,
    /// Work counters.
    pub statistics: Vec<(String, u64)>,
}

/// Solves the formula of a bound for the targets of a query, with at most so many threads.
pub fn decide(
    machine: &Machine,
    query: &Query,
    bound: ThreadBound,
    threads: u32,
    budget: &Budget<'_>,
) -> Result<Decided, Limit> {
    let threads = super::fixed(machine, threads).map_err(|what| Limit::Unsupported { what })?;
    let targets: Vec<NodeId> = query.targets.iter().map(|target| target.node).collect();
    let problem = ThreadProblem::new(&threads, &targets, bound);
    let checked = problem.program.system(&problem.algorithm);
    let system = checked
        .system
        .expect("hardbop's own formulas are well-formed");
    let question = answer(&system).expect("the formula asks whether a target is reached");
    let reach = relation(&system, "Reach");
    let reachable = relation(&system, "Reachable");
    let interrupt = || budget.interrupt.check().is_some();
    let limits = Limits {
        nodes: Some(node_limit(budget)),
        rounds: budget.states,
        interrupt: Some(&interrupt),
        ..Limits::default()
    };
    let stopped = |why| limit(&why, &system, budget);
    let mut solver = Solver::new(&system, &Options::default(), &limits);
    let until = solver.solve_until(reach, question).map_err(stopped)?;
    let (some, value) = match until {
        Until::True(value) => (true, value),
        Until::False(value) => (false, value),
    };
    let mut size = solver.manager().size(value);
    let mut is_reached = vec![some; targets.len()];
    let mut is_short_of_threads = false;
    let has_open_targets = !some || targets.len() > 1;
    if has_open_targets && (some || !threads.overflows.is_empty()) {
        // One target ended the search, and for the others it has to go on; or it says nothing of the number of threads.
        let value = solver.value(reachable).map_err(stopped)?;
        let places = Places {
            machine: &threads.machine,
            layout: &problem.program.layout,
            system: &system,
            parameters: &system.relation(reachable).parameters,
            value,
        };
        for (&node, is_reached) in targets.iter().zip(&mut is_reached) {
            *is_reached = places.contain(&solver, threads.standing_for(node));
        }
        is_short_of_threads = places.contain(&solver, &threads.overflows);
        let final_value = solver.value(reach).map_err(stopped)?;
        size = solver.manager().size(final_value);
    }
    let statistics = solver.statistics();
    let rounds = statistics.relations.iter().map(|relation| relation.rounds);
    let counters = [
        ("rounds", rounds.sum()),
        ("bdd-work", statistics.work),
        ("bdd-variables", u64::from(statistics.variables)),
        ("bdd-peak", statistics.peak as u64),
        ("reach-nodes", size as u64),
    ];
    Ok(Decided {
        is_reached,
        is_short_of_threads,
        statistics: counters
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec(),
    })
}

/// The places that are reached, solved.
struct Places<'p> {
    machine: &'p Machine,
    layout: &'p Layout,
    system: &'p System,
    /// Module and program counter.
    parameters: &'p [VariableId],
    value: Bdd,
}

impl Places<'_> {
    /// Whether one of some nodes is among them.
    fn contain(&self, solver: &Solver<'_>, nodes: &[NodeId]) -> bool {
        let contains = |&node: &NodeId| {
            let module = self.layout.module(self.machine.procedure_of(node));
            let mut set = Vec::new();
            for (&parameter, code) in self.parameters.iter().zip([module, self.layout.pc(node)]) {
                let bits = self.system.variable(parameter).bits;
                // The most significant bit comes first.
                let is_set = |place: &u32| code >> (bits - 1 - place) & 1 == 1;
                let places = (0..bits).filter(is_set);
                set.extend(places.map(|place| solver.level(parameter, place)));
            }
            solver
                .manager()
                .eval(self.value, |level| set.contains(&level))
        };
        nodes.iter().any(contains)
    }
}

fn relation(system: &System, name: &str) -> RelationId {
    system.find(name).expect("the formula defines it")
}
