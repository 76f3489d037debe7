//! Solving a problem with threads: which targets are reached within the bound.

use super::{ThreadBound, ThreadProblem};
use crate::algorithm::answer;
use crate::engine::limit;
use crate::evidence::node_limit;
use hardbop_fixpoint::{Limits, Options, Solver, Until};
use hardbop_formula::System;
use hardbop_formula::system::RelationId;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Budget, Limit, Query};

/// What the formula says.
#[derive(Clone, Debug)]
pub struct Decided {
    /// For each target whether it is reached.
    pub is_reached: Vec<bool>,
    /// Work counters.
    pub statistics: Vec<(String, u64)>,
}

/// Solves the formula of a bound for the targets of a query.
pub fn decide(
    machine: &Machine,
    query: &Query,
    bound: ThreadBound,
    budget: &Budget<'_>,
) -> Result<Decided, Limit> {
    if let Some(what) = super::unsupported(machine) {
        let what = what.to_owned();
        return Err(Limit::Unsupported { what });
    }
    let targets: Vec<NodeId> = query.targets.iter().map(|target| target.node).collect();
    let problem = ThreadProblem::new(machine, &targets, bound);
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
    if some && targets.len() > 1 {
        // One target ended the search; for the others it has to go on.
        let value = solver.value(reachable).map_err(stopped)?;
        let parameters = &system.relation(reachable).parameters;
        for (&node, is_reached) in targets.iter().zip(&mut is_reached) {
            let layout = &problem.program.layout;
            let module = crate::layout::Layout::module(machine.procedure_of(node));
            let mut set = Vec::new();
            for (&parameter, code) in parameters.iter().zip([module, layout.pc(node)]) {
                let bits = system.variable(parameter).bits;
                // The most significant bit comes first.
                let is_set = |place: &u32| code >> (bits - 1 - place) & 1 == 1;
                let places = (0..bits).filter(is_set);
                set.extend(places.map(|place| solver.level(parameter, place)));
            }
            *is_reached = solver.manager().eval(value, |level| set.contains(&level));
        }
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
        statistics: counters
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec(),
    })
}

fn relation(system: &System, name: &str) -> RelationId {
    system.find(name).expect("the formula defines it")
}
