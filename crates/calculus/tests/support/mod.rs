//! Relations of analyses as sets, and the configurations of small programs one by one.

use hardbop_brute_force::{Bounds, initial_configurations, successors};
use hardbop_calculus::{Algorithm, Extent, Program, sequential_problem};
use hardbop_fixpoint::{Binding, Limits, Options, Solver};
use hardbop_formula::{Checked, System};
use hardbop_interpreter::Configuration;
use hardbop_machine::Machine;
use std::collections::{BTreeSet, HashMap};

/// The program with one of hardbop's algorithms, or a text of one's own.
pub fn problem<'m>(machine: &'m Machine, algorithm: &Algorithm) -> (Program<'m>, Checked) {
    let (program, checked) = sequential_problem(machine, algorithm, &[], &[], Some(Extent::Full));
    let messages: Vec<&String> = checked.diagnostics.iter().map(|d| &d.message).collect();
    assert!(checked.system.is_some(), "{messages:?}");
    (program, checked)
}

/// All tuples of a relation.
pub fn tuples(system: &System, relation: &str) -> Vec<Vec<Binding>> {
    let mut solver = Solver::new(system, &Options::default(), &Limits::default());
    let relation = system.find(relation).expect("the relation is there");
    let found = solver.tuples(relation, 1_000_000);
    found.expect("nothing limits the solver")
}

/// The codes of all tuples of a relation.
pub fn codes(system: &System, relation: &str) -> BTreeSet<Vec<u64>> {
    let tuples = tuples(system, relation).into_iter();
    tuples
        .map(|tuple| tuple.iter().map(|binding| binding.code).collect())
        .collect()
}

/// The configurations of a program that can be reached, with the steps between them.
pub struct Graph {
    pub states: Vec<Configuration>,
    pub steps: Vec<Vec<usize>>,
    pub initial: Vec<usize>,
}

/// Explores a program; nothing if there are too many configurations or frames.
pub fn explore(machine: &Machine) -> Option<Graph> {
    const MOST: usize = 20_000;
    let bounds = Bounds {
        stack: 8,
        threads: 3,
    };
    let mut graph = Graph {
        states: Vec::new(),
        steps: Vec::new(),
        initial: Vec::new(),
    };
    let mut known: HashMap<Configuration, usize> = HashMap::new();
    let mut number = |state: Configuration, states: &mut Vec<Configuration>| {
        *known.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    for state in initial_configurations(machine).ok()? {
        let at = number(state, &mut graph.states);
        graph.initial.push(at);
    }
    let mut missed = None;
    let mut next = 0;
    while next < graph.states.len() {
        if graph.states.len() > MOST {
            return None;
        }
        let now = graph.states[next].clone();
        let mut steps = Vec::new();
        for successor in successors(machine, &now, bounds, &mut missed).ok()? {
            steps.push(number(successor.to, &mut graph.states));
        }
        graph.steps.push(steps);
        next += 1;
    }
    missed.is_none().then_some(graph)
}
