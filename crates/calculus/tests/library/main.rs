//! The analyses that are files of formulas agree with the analyses of `machine`, and with brute
//! force, on generated programs.

mod definitions;
#[path = "../support/mod.rs"]
mod support;

use hardbop_calculus::Algorithm;
use hardbop_machine::analysis::constants::Value;
use hardbop_machine::{GlobalId, Machine, NodeId, ProcId, Type, Variable, from_text};
use hardbop_testkit::{Knobs, generate};
use std::collections::BTreeSet;
use support::{codes, explore, problem, tuples};

fn programs(
    seeds: std::ops::Range<u64>,
    knobs: &[Knobs],
) -> impl Iterator<Item = (String, Machine)> {
    let all = seeds.zip(knobs.iter().cycle());
    all.map(|(seed, knobs)| {
        let text = generate(seed, knobs);
        let machine = from_text("test.bp", &text).expect("a program");
        (text, machine)
    })
}

fn analysis(name: &str) -> Algorithm {
    Algorithm::built_in(name).expect("the name of an analysis")
}

fn variables(machine: &Machine, procedure: ProcId) -> Vec<Variable> {
    let globals = (0..machine.globals.len()).map(|id| Variable::Global(GlobalId::new(id)));
    let locals = machine.procedure(procedure).local_ids();
    globals.chain(locals.map(Variable::Local)).collect()
}

/// The places and variables of a relation `R(Module m, PC p, Variable v)`.
fn places(machine: &Machine, name: &str, relation: &str) -> BTreeSet<(NodeId, u64)> {
    let (program, checked) = problem(machine, &analysis(name));
    let system = checked.system.as_ref().expect("it has no errors");
    let tuples = codes(system, relation).into_iter();
    tuples
        .map(|tuple| {
            let node = program
                .node(tuple[0], tuple[1])
                .expect("a place of the program");
            (node, tuple[2])
        })
        .collect()
}

#[test]
fn live_variables_are_those_of_the_built_in_analysis() {
    let knobs = [Knobs::recursive(), Knobs::sequential(), Knobs::integers()];
    let mut live = 0;
    for (text, machine) in programs(0..60, &knobs) {
        let found = places(&machine, "live-variables", "Live");
        let (program, _) = problem(&machine, &analysis("live-variables"));
        let built_in = machine.liveness();
        for node in machine.node_ids() {
            let procedure = machine.procedure_of(node);
            for variable in variables(&machine, procedure) {
                let code = program.variable(procedure, variable);
                let expected = built_in.is_live(node, variable);
                let name = machine.name_of(procedure, variable);
                let line = machine.line_of(node);
                assert_eq!(
                    found.contains(&(node, code)),
                    expected,
                    "{name} at {line} of\n{text}"
                );
                live += usize::from(expected);
            }
        }
    }
    assert!(live > 1000, "{live}");
}

#[test]
fn a_variable_is_read_without_a_value_if_it_is_live_where_it_begins() {
    let knobs = [Knobs::recursive(), Knobs::sequential()];
    let mut reads = 0;
    for (text, machine) in programs(100..160, &knobs) {
        let found = places(&machine, "uninitialised-variables", "Uninitialised");
        let found: BTreeSet<u64> = found.into_iter().map(|(_, variable)| variable).collect();
        let (program, _) = problem(&machine, &analysis("uninitialised-variables"));
        let mut expected = BTreeSet::new();
        for id in machine.procedure_ids() {
            let procedure = machine.procedure(id);
            let declared = procedure
                .local_ids()
                .skip(procedure.parameter_count as usize);
            let declared = declared.filter(|&local| !procedure.results().any(|r| r == local));
            for local in declared.map(Variable::Local) {
                if machine.liveness().is_live(procedure.entry, local) {
                    expected.insert(program.variable(id, local));
                }
            }
        }
        let main = machine.threads[0].entry;
        for (id, global) in machine.globals.iter().enumerate() {
            let variable = Variable::Global(GlobalId::new(id));
            let is_live = machine
                .liveness()
                .is_live(machine.procedure(main).entry, variable);
            if global.initial.is_none() && is_live {
                expected.insert(program.variable(main, variable));
            }
        }
        assert_eq!(found, expected, "{text}");
        reads += found.len();
    }
    assert!(reads > 20, "{reads}");
}

#[test]
fn what_is_only_written_is_read_by_no_step() {
    use hardbop_machine::analysis::variables::{each_read, each_write};
    let mut counts = [0, 0];
    for (text, machine) in programs(200..240, &[Knobs::recursive(), Knobs::sequential()]) {
        let (program, checked) = problem(&machine, &analysis("unused-variables"));
        let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
        let mut all = BTreeSet::new();
        for id in machine.procedure_ids() {
            all.extend(
                variables(&machine, id)
                    .iter()
                    .map(|&v| program.variable(id, v)),
            );
            let results = machine.procedure(id).results().map(Variable::Local);
            read.extend(results.map(|v| program.variable(id, v)));
        }
        for edge in machine.edge_ids() {
            let procedure = machine.procedure_of(machine.edge(edge).from);
            each_read(&machine, edge, |v| {
                read.insert(program.variable(procedure, v));
            });
            each_write(&machine, edge, |v| {
                written.insert(program.variable(procedure, v));
            });
        }
        let system = checked.system.as_ref().expect("it has no errors");
        let found = |relation| -> BTreeSet<u64> {
            codes(system, relation)
                .into_iter()
                .map(|tuple| tuple[0])
                .collect()
        };
        let unread: BTreeSet<u64> = all.difference(&read).copied().collect();
        let (only, unused) = unread.into_iter().partition(|v| written.contains(v));
        assert_eq!(found("OnlyWritten"), only, "{text}");
        assert_eq!(found("Unused"), unused, "{text}");
        counts[0] += only.len();
        counts[1] += unused.len();
    }
    assert!(counts[0] > 5 && counts[1] > 5, "{counts:?}");
}

/// With full relations the states that are reached are those of the interpreter, value by value.
#[test]
fn the_states_of_full_relations_are_those_of_runs() {
    let (mut states, mut compared) = (0, 0);
    for (text, machine) in programs(300..340, &[Knobs::tiny(), Knobs::sequential()]) {
        let Some(graph) = explore(&machine) else {
            continue;
        };
        let mut expected = BTreeSet::new();
        for state in &graph.states {
            if let Some(top) = state.top(0) {
                expected.insert((top.node, state.globals(&machine, 0), top.locals.clone()));
            }
        }
        let (program, checked) = problem(&machine, &analysis("constants"));
        let system = checked.system.as_ref().expect("it has no errors");
        let globals = machine.globals.len();
        let found: BTreeSet<_> = tuples(system, "Reached")
            .iter()
            .map(|tuple| {
                let node = program.node(tuple[0].code, tuple[1].code).expect("a place");
                let values: Vec<u64> = tuple[2..].iter().map(|b| b.code).collect();
                let locals = machine.procedure(machine.procedure_of(node)).locals.len();
                let shared = values[values.len() - globals.max(1)..].to_vec();
                (node, shared[..globals].to_vec(), values[..locals].to_vec())
            })
            .collect();
        assert_eq!(found, expected, "{text}");
        states += found.len();
        compared += 1;
    }
    assert!(
        compared > 20 && states > 1000,
        "{compared} programs, {states} states"
    );
}

#[test]
fn constants_are_exact_and_contain_the_built_in_ones() {
    let (mut known, mut more) = (0, 0);
    for (text, machine) in programs(400..440, &[Knobs::tiny(), Knobs::sequential()]) {
        let Some(graph) = explore(&machine) else {
            continue;
        };
        let zero = places(&machine, "constants", "AlwaysZero");
        let one = places(&machine, "constants", "NeverZero");
        let (program, _) = problem(&machine, &analysis("constants"));
        let built_in = machine.constants();
        for node in machine.node_ids() {
            let procedure = machine.procedure_of(node);
            for variable in variables(&machine, procedure) {
                let at_node = graph
                    .states
                    .iter()
                    .filter(|state| state.top(0).is_some_and(|top| top.node == node));
                let values: BTreeSet<u64> = at_node
                    .map(|state| state.read(&machine, 0, variable))
                    .collect();
                let pair = (node, program.variable(procedure, variable));
                assert_eq!(machine.type_of(procedure, variable), Type::Bool);
                assert_eq!(
                    zero.contains(&pair),
                    values == BTreeSet::from([0]),
                    "{text}"
                );
                assert_eq!(one.contains(&pair), values == BTreeSet::from([1]), "{text}");
                if let Value::Const(value) = built_in.value(node, variable) {
                    assert!(values.iter().all(|&v| v == value), "{text}");
                    known += 1;
                } else {
                    more += usize::from(values.len() == 1);
                }
            }
        }
    }
    assert!(known > 100 && more > 20, "{known} built in, {more} besides");
}

#[test]
fn a_program_may_and_must_end_as_brute_force_says() {
    let mut seen = BTreeSet::new();
    for (text, machine) in programs(500..580, &[Knobs::tiny(), Knobs::sequential()]) {
        let Some(graph) = explore(&machine) else {
            continue;
        };
        let exit = machine.procedure(machine.threads[0].entry).exit;
        let is_end = |at: &usize| {
            let stack = &graph.states[*at].threads[0].stack;
            stack.len() == 1 && stack[0].node == exit
        };
        let may = (0..graph.states.len()).any(|at| is_end(&at));
        // Without a cycle, taking away states without successors takes away all of them.
        let mut left: Vec<usize> = graph.steps.iter().map(Vec::len).collect();
        let mut before = vec![Vec::new(); left.len()];
        for (from, steps) in graph.steps.iter().enumerate() {
            for &to in steps {
                before[to].push(from);
            }
        }
        let mut ends: Vec<usize> = (0..left.len()).filter(|&at| left[at] == 0).collect();
        let mut removed = 0;
        while let Some(at) = ends.pop() {
            removed += 1;
            for &from in &before[at] {
                left[from] -= 1;
                if left[from] == 0 {
                    ends.push(from);
                }
            }
        }
        let must = removed == left.len();
        assert_eq!(first_query(&machine, "may-terminate"), may, "{text}");
        assert_eq!(first_query(&machine, "must-terminate"), must, "{text}");
        seen.insert((may, must));
    }
    assert!(seen.len() >= 3, "{seen:?}");
}

fn first_query(machine: &Machine, name: &str) -> bool {
    use hardbop_formula::ActionKind;
    let (_, checked) = problem(machine, &analysis(name));
    let system = checked.system.as_ref().expect("it has no errors");
    let query = system.actions.iter().find_map(|action| match action.kind {
        ActionKind::Query(formula) => Some(formula),
        _ => None,
    });
    let limits = hardbop_fixpoint::Limits::default();
    let mut solver =
        hardbop_fixpoint::Solver::new(system, &hardbop_fixpoint::Options::default(), &limits);
    let value = solver.query(query.expect("it asks something"));
    value.expect("nothing limits the solver")
}
