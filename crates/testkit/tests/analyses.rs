//! What the analyses claim, against what programs do.
//!
//! Engines leave out what the analyses call dead, constant, untouched or irrelevant; here each of
//! those claims is held against the interpreter's own runs of random programs. Claims about single
//! states are checked state by state ([`explore`]). Claims that something does not matter are
//! checked by changing it in the machine, everywhere at once, and asking an oracle again. Each test
//! counts what it has checked, so that an analysis that claims nothing does not pass.

mod seeds;

use hardbop_interpreter::{
    Configuration, Move, RandomChooser, Valuations, Walk, initial, initial_slots, schedulable,
    simulate, step_slots, take, valuation_bits,
};
use hardbop_machine::analysis::Slice;
use hardbop_machine::analysis::constants::Value;
use hardbop_machine::{
    Action, EdgeId, Expr, ExprId, GlobalId, InputId, Machine, MachineParts, NodeId, ProcId,
    Storage, Type, Variable, from_text,
};
use hardbop_outcome::{Budget, Engine, Question, Silent, Target, Verdict};
use hardbop_testkit::{Knobs, Oracle, TabulationEngine, generate};
use hardbop_transform::split::split_edges;
use seeds::seeds;
use std::collections::HashSet;

/// Configurations of one program that are looked at.
const MOST_CONFIGURATIONS: usize = 300;
/// More choices than these bits are not tried one by one.
const MOST_CHOICE_BITS: u64 = 10;

fn machine(seed: u64, knobs: &Knobs) -> Machine {
    let text = generate(seed, knobs);
    from_text("generated.bp", &text).unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"))
}

/// Calls `test` with this many programs, every fifth of them concurrent.
fn for_each_program(usual: u64, mut test: impl FnMut(u64, &Machine)) {
    let presets = [
        Knobs::tiny(),
        Knobs::recursive(),
        Knobs::sequential(),
        Knobs::integers(),
        Knobs::concurrent(),
    ];
    for seed in seeds(usual).0 {
        test(
            seed,
            &machine(seed, &presets[seed as usize % presets.len()]),
        );
    }
}

/// Globals, then the locals of a procedure.
fn variables(machine: &Machine, procedure: ProcId) -> Vec<Variable> {
    let globals = (0..machine.globals.len()).map(|index| Variable::Global(GlobalId::new(index)));
    let locals = machine.procedure(procedure).local_ids();
    globals.chain(locals.map(Variable::Local)).collect()
}

fn few_choices(types: &[Type]) -> bool {
    valuation_bits(types.iter().copied()) <= MOST_CHOICE_BITS
}

/// Breadth-first through the configurations of a machine, as far as the bounds allow: all that is
/// seen can be reached. `step` hears each edge that is taken, with the configuration before and
/// after.
fn explore(
    machine: &Machine,
    mut state: impl FnMut(&Configuration),
    mut step: impl FnMut(u32, &Configuration, &Move, &[u64], &Configuration),
) {
    let types: Vec<Type> = initial_slots(machine)
        .iter()
        .map(|slot| slot.ty(machine))
        .collect();
    let mut known: HashSet<Configuration> = HashSet::new();
    let mut pending: Vec<Configuration> = Valuations::new(types)
        .take(MOST_CONFIGURATIONS / 4)
        .map(|values| initial(machine, &values))
        .collect();
    while !pending.is_empty() && known.len() < MOST_CONFIGURATIONS {
        for configuration in std::mem::take(&mut pending) {
            if known.len() >= MOST_CONFIGURATIONS || !known.insert(configuration.clone()) {
                continue;
            }
            state(&configuration);
            for thread in schedulable(machine, &configuration).unwrap_or_default() {
                for (moved, chosen, next) in steps(machine, &configuration, thread) {
                    step(thread, &configuration, &moved, &chosen, &next);
                    if next.threads.len() <= 4 && next.threads.iter().all(|t| t.stack.len() <= 5) {
                        pending.push(next);
                    }
                }
            }
        }
    }
}

/// All steps of a thread, with the values chosen for uninitialised variables.
fn steps(
    machine: &Machine,
    before: &Configuration,
    thread: u32,
) -> Vec<(Move, Vec<u64>, Configuration)> {
    let Some(top) = before.top(thread) else {
        return Vec::new();
    };
    let mut moves = Vec::new();
    if machine.procedure(machine.procedure_of(top.node)).exit == top.node {
        moves.push(Move::Return);
    }
    for edge in machine.edges_from(top.node) {
        let types = &machine.edge(edge).inputs;
        if few_choices(types) {
            let valuations = Valuations::new(types.iter().copied());
            moves.extend(valuations.map(|inputs| Move::Edge { edge, inputs }));
        }
    }
    let mut taken = Vec::new();
    for moved in moves {
        let slots = step_slots(machine, before, thread, &moved);
        let types: Vec<Type> = slots.iter().map(|slot| slot.ty(machine)).collect();
        for chosen in Valuations::new(types).take(8) {
            let mut after = before.clone();
            if take(machine, &mut after, thread, &moved, &chosen).is_ok() {
                taken.push((moved.clone(), chosen, after));
            }
        }
    }
    taken
}

/// Every assertion and the label `TARGET`.
fn question(machine: &Machine) -> Vec<Target> {
    let mut targets = Target::assertions(machine);
    targets.extend(Target::labels(machine, "TARGET"));
    targets
}

/// Which targets can be reached; nothing where that is not known.
fn verdicts(machine: &Machine, targets: Vec<Target>) -> Vec<Option<bool>> {
    let question = Question::reach(targets);
    let budget = Budget {
        states: Some(3000),
        ..Budget::unlimited()
    };
    let ask = |engine: &dyn Engine| engine.check(machine, &question, &budget, &mut Silent);
    let outcome = if machine.is_sequential() {
        ask(&TabulationEngine)
    } else {
        ask(&Oracle {
            max_configurations: 1500,
            ..Oracle::default()
        })
    };
    let known = outcome.answers.iter().map(|answer| match answer.verdict {
        Verdict::Yes(_) => Some(true),
        Verdict::No(_) => Some(false),
        Verdict::Unknown(_) => None,
    });
    known.collect()
}

/// Asserts that the same targets can be reached; how many verdicts both machines have.
fn assert_same_verdicts(
    seed: u64,
    original: &[Option<bool>],
    changed: &[Option<bool>],
    claim: &str,
) -> usize {
    let both = original.iter().zip(changed);
    let known: Vec<(bool, bool)> = both.filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    for (target, (before, after)) in known.iter().enumerate() {
        assert_eq!(before, after, "seed {seed}, known target {target}: {claim}");
    }
    known.len()
}

/// A new choice of an edge, as an expression.
fn fresh_choice(machine: &mut MachineParts, edge: EdgeId, ty: Type) -> ExprId {
    let inputs = &mut machine.edges[edge.index()].inputs;
    let input = InputId::new(inputs.len());
    *inputs = inputs.iter().copied().chain([ty]).collect();
    machine.exprs.add(Expr::Input(input, ty))
}

#[test]
fn values_of_dead_variables_do_not_matter() {
    let (mut forgotten, mut compared, mut reached) = (0, 0, 0);
    for_each_program(700, |seed, machine| {
        let live = machine.liveness();
        let targets = question(machine);
        let original = verdicts(machine, targets.clone());
        // After every step all that is dead gets arbitrary values.
        let split = split_edges(machine, &Question::reach(Vec::new()), |_| true);
        let mut changed = split.machine.parts().clone();
        for id in machine.edge_ids() {
            let Some(middle) = split.middles[id.index()] else {
                continue;
            };
            let to = machine.edge(id).to;
            let procedure = machine.procedure_of(to);
            let second = EdgeId(changed.node(middle).edges.start);
            let mut assignments = Vec::new();
            for variable in variables(machine, procedure) {
                if !live.is_live(to, variable) {
                    let ty = machine.type_of(procedure, variable);
                    let value = fresh_choice(&mut changed, second, ty);
                    assignments.push((variable, value));
                }
            }
            forgotten += assignments.len();
            changed.edges[second.index()].action = Action::Assign {
                assignments: assignments.into(),
                constrain: None,
            };
        }
        let moved = targets.into_iter().map(|target| Target {
            node: split.nodes[target.node.index()],
            ..target
        });
        let after = verdicts(&Machine::new(changed), moved.collect());
        compared += assert_same_verdicts(seed, &original, &after, "a dead variable matters");
        reached += original
            .iter()
            .filter(|verdict| **verdict == Some(true))
            .count();
    });
    assert!(
        seeds(1).1 || (forgotten > 3000 && compared > 500 && reached > 100),
        "{forgotten} {compared} {reached}"
    );
}

#[test]
fn constants_have_their_values_and_what_is_unreached_is_not_reached() {
    let (mut constant, mut untaken) = (0, 0);
    for_each_program(1200, |seed, machine| {
        let constants = machine.constants();
        let never = machine
            .edge_ids()
            .filter(|&edge| !constants.may_take(machine, edge));
        untaken += never.count();
        let at = |configuration: &Configuration| {
            for thread in 0..configuration.threads.len() as u32 {
                let Some(frame) = configuration.top(thread) else {
                    continue;
                };
                let node = frame.node;
                assert!(
                    constants.is_reached(node),
                    "seed {seed}: {node:?} is reached"
                );
                for variable in variables(machine, machine.procedure_of(node)) {
                    if let Value::Const(value) = constants.value(node, variable) {
                        let real = configuration.read(machine, thread, variable);
                        assert_eq!(value, real, "seed {seed}: {variable:?} at {node:?}");
                        constant += 1;
                    }
                }
            }
        };
        explore(machine, at, |_, _, moved, _, _| {
            if let Move::Edge { edge, .. } = moved {
                assert!(
                    constants.may_take(machine, *edge),
                    "seed {seed}: {edge:?} is taken"
                );
            }
        });
    });
    assert!(
        seeds(1).1 || (constant > 10_000 && untaken > 100),
        "{constant} {untaken}"
    );
}

#[test]
fn a_procedure_changes_no_global_that_it_does_not_modify() {
    let mut kept = 0;
    for_each_program(1500, |seed, machine| {
        let effects = machine.effects();
        let trace = simulate(machine, &mut RandomChooser::new(seed), 150, None).trace;
        let mut walk = Walk::expanded(machine, &trace).expect("a simulation can be walked");
        // For every thread and frame the globals at its entry.
        let mut entered: Vec<Vec<(ProcId, Vec<u64>)>> = Vec::new();
        loop {
            let configuration = walk.configuration();
            entered.resize(configuration.threads.len(), Vec::new());
            for (number, thread) in configuration.threads.iter().enumerate() {
                let globals = configuration.globals(machine, number as u32);
                let open = &mut entered[number];
                open.truncate(thread.stack.len());
                for frame in &thread.stack[open.len()..] {
                    open.push((machine.procedure_of(frame.node), globals.clone()));
                }
                for (procedure, before) in open.iter() {
                    for id in (0..machine.globals.len()).map(GlobalId::new) {
                        let is_own = machine.is_sequential()
                            || machine.global(id).storage == Storage::PerThread;
                        if is_own && !effects.modifies(*procedure, id) {
                            let message = format!("seed {seed}: {id:?} in {procedure:?}");
                            assert_eq!(before[id.index()], globals[id.index()], "{message}");
                            kept += 1;
                        }
                    }
                }
            }
            match walk.next() {
                Some(step) => drop(step.expect("a simulation can be walked")),
                None => break,
            }
        }
    });
    assert!(seeds(1).1 || kept > 10_000, "{kept}");
}

#[test]
fn a_procedure_does_the_same_whatever_the_globals_that_it_does_not_read() {
    let mut compared = 0;
    for_each_program(600, |seed, machine| {
        if !machine.is_sequential() {
            return;
        }
        let effects = machine.effects();
        explore(
            machine,
            |_| {},
            |thread, before, moved, chosen, after| {
                // What a procedure does not read, its callees do not read either.
                let frames = before.threads[thread as usize].stack.iter();
                let open: Vec<ProcId> = frames
                    .map(|frame| machine.procedure_of(frame.node))
                    .collect();
                for id in (0..machine.globals.len()).map(GlobalId::new) {
                    if open
                        .iter()
                        .all(|&procedure| effects.references(procedure, id))
                    {
                        continue;
                    }
                    let mut other = before.clone();
                    other.shared[id.index()] ^= 1;
                    let taken = take(machine, &mut other, thread, moved, chosen);
                    assert!(taken.is_ok(), "seed {seed}: {moved:?} depends on {id:?}");
                    other.shared[id.index()] = after.shared[id.index()];
                    assert_eq!(&other, after, "seed {seed}: {moved:?} depends on {id:?}");
                    compared += 1;
                }
            },
        );
    });
    assert!(seeds(1).1 || compared > 5000, "{compared}");
}

/// The machine without what the slice leaves out: other edges block, other variables get arbitrary
/// values.
fn sliced(machine: &Machine, slice: &Slice) -> (Machine, usize) {
    let mut changed = machine.parts().clone();
    let mut left_out = 0;
    let never = changed.exprs.add(Expr::Const(0, Type::Bool));
    for id in machine.edge_ids() {
        if !slice.keeps_edge(id) {
            changed.edges[id.index()].guard = Some(never);
            left_out += 1;
            continue;
        }
        let edge = machine.edge(id);
        let here = machine.procedure_of(edge.from);
        let forget =
            |changed: &mut MachineParts, owner: ProcId, variable: Variable, value: &mut ExprId| {
                if !slice.relevant(owner, variable) {
                    *value = fresh_choice(changed, id, machine.type_of(owner, variable));
                    return 1;
                }
                0
            };
        let mut action = edge.action.clone();
        match &mut action {
            Action::Assign { assignments, .. } => {
                for (variable, value) in assignments.iter_mut() {
                    left_out += forget(&mut changed, here, *variable, value);
                }
            }
            Action::Return(values) => {
                for (result, value) in machine.procedure(here).results().zip(values.iter_mut()) {
                    left_out += forget(&mut changed, here, Variable::Local(result), value);
                }
            }
            Action::Call {
                callee, arguments, ..
            } => {
                let parameters = machine.procedure(*callee).parameters();
                for (parameter, value) in parameters.zip(arguments.iter_mut()) {
                    left_out += forget(&mut changed, *callee, Variable::Local(parameter), value);
                }
            }
            _ => {}
        }
        changed.edges[id.index()].action = action;
    }
    (Machine::new(changed), left_out)
}

#[test]
fn what_a_slice_leaves_out_does_not_matter() {
    let (mut left_out, mut compared, mut reached) = (0, 0, 0);
    for_each_program(600, |seed, machine| {
        for target in question(machine).into_iter().take(3) {
            let node: NodeId = target.node;
            let slice = Slice::new(machine, &[node]);
            let (changed, count) = sliced(machine, &slice);
            left_out += count;
            let original = verdicts(machine, vec![target.clone()]);
            let after = verdicts(&changed, vec![target]);
            compared +=
                assert_same_verdicts(seed, &original, &after, "the slice leaves out too much");
            reached += usize::from(original == [Some(true)]);
        }
    });
    assert!(
        seeds(1).1 || (left_out > 3000 && compared > 500 && reached > 100),
        "{left_out} {compared} {reached}"
    );
}
