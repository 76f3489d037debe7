//! Which BDD variables bits get.

mod support;

use hardbop_fixpoint::{Limits, Options, Solver};
use hardbop_formula::{Bits, Hint, HintKind, RelationId, RelationKind, VariableId};
use support::builder::Builder;

fn levels(solver: &Solver<'_>, variable: VariableId, bits: u32) -> Vec<u32> {
    (0..bits).map(|bit| solver.level(variable, bit)).collect()
}

/// Two parameters of four bits each, in no relation to each other.
fn pair(kind: HintKind) -> (Builder, [VariableId; 2]) {
    let mut builder = Builder::default();
    let [a, b] = ["a", "b"].map(|name| builder.variable(name, 16));
    let both = builder.relation("Both", RelationKind::Definition, &[a, b]);
    let (is_one, is_two) = (builder.is(a, 1), builder.is(b, 2));
    let body = builder.and(&[is_one, is_two]);
    builder.define(both, body);
    let bits = |variable| Bits {
        variable,
        range: 0..4,
    };
    builder.system.relations[0].hints.push(Hint {
        left: bits(a),
        kind,
        right: bits(b),
    });
    (builder, [a, b])
}

#[test]
fn wishes_of_the_text_are_met() {
    let place = |kind| {
        let (builder, [a, b]) = pair(kind);
        let solver = Solver::new(&builder.system, &Options::default(), &Limits::default());
        (levels(&solver, a, 4), levels(&solver, b, 4))
    };
    let (a, b) = place(HintKind::Above);
    assert!(a.iter().max() < b.iter().min(), "{a:?} {b:?}");
    let (a, b) = place(HintKind::Below);
    assert!(b.iter().max() < a.iter().min(), "{a:?} {b:?}");
    let (a, b) = place(HintKind::Interleaved);
    assert!((0..4).all(|at| a[at].abs_diff(b[at]) == 1), "{a:?} {b:?}");
    let (a, b) = place(HintKind::Apart);
    assert!(
        a.iter().max() < b.iter().min() || b.iter().max() < a.iter().min(),
        "{a:?} {b:?}"
    );
}

#[test]
fn a_wish_for_one_above_the_other_wins_over_their_being_equal() {
    let (mut builder, [a, b]) = pair(HintKind::Above);
    let equal = builder.equal(a, b);
    builder.define(RelationId(0), equal);
    let solver = Solver::new(&builder.system, &Options::default(), &Limits::default());
    let (a, b) = (levels(&solver, a, 4), levels(&solver, b, 4));
    assert!(a.iter().max() < b.iter().min(), "{a:?} {b:?}");
}

#[test]
fn wishes_that_contradict_each_other_are_no_error() {
    let (mut builder, [a, b]) = pair(HintKind::Above);
    let mut opposite = builder.system.relations[0].hints[0].clone();
    opposite.kind = HintKind::Below;
    builder.system.relations[0].hints.push(opposite);
    let solver = Solver::new(&builder.system, &Options::default(), &Limits::default());
    let mut all = levels(&solver, a, 4);
    all.extend(levels(&solver, b, 4));
    all.sort_unstable();
    assert_eq!(all, (0..8).collect::<Vec<u32>>());
}

#[test]
fn arguments_that_are_not_needed_at_the_same_time_take_the_place_of_the_parameters() {
    // P(a) = exists b. Q(b);  Q(c) = c = 3 | c = 0: all three variables share two BDD variables.
    let mut builder = Builder::default();
    let [a, c] = ["a", "c"].map(|name| builder.variable(name, 4));
    builder.relation("P", RelationKind::Definition, &[a]);
    let q = builder.relation("Q", RelationKind::Definition, &[c]);
    let b = builder.variable("b", 4);
    let applied = builder.apply(q, &[b]);
    let body = builder.exists(&[b], applied);
    builder.define(RelationId(0), body);
    let (is_three, is_zero) = (builder.is(c, 3), builder.is(c, 0));
    let body = builder.or(&[is_three, is_zero]);
    builder.define(q, body);
    let solver = Solver::new(&builder.system, &Options::default(), &Limits::default());
    assert_eq!(levels(&solver, b, 2), levels(&solver, c, 2));
}

#[test]
fn copies_of_a_state_stand_next_to_each_other() {
    let mut builder = Builder::default();
    let s = builder.variable("s", 64);
    let reach = builder.relation("Reach", RelationKind::Least, &[s]);
    let t = builder.variable("t", 64);
    let (reached, step) = (builder.apply(reach, &[t]), builder.successor(t, s));
    let both = builder.and(&[reached, step]);
    let body = builder.exists(&[t], both);
    builder.define(reach, body);
    let solver = Solver::new(&builder.system, &Options::default(), &Limits::default());
    let (s, t) = (levels(&solver, s, 6), levels(&solver, t, 6));
    assert!((0..6).all(|at| s[at].abs_diff(t[at]) == 1), "{s:?} {t:?}");
    assert!(s.is_sorted(), "the most significant bit comes first");
}

#[test]
fn copies_that_are_not_needed_at_the_same_time_share_their_variables() {
    // Two clauses, each with a copy of its own of what came before.
    let mut builder = Builder::default();
    let s = builder.variable("s", 64);
    let reach = builder.relation("Reach", RelationKind::Least, &[s]);
    let [t, u] = ["t", "u"].map(|name| builder.variable(name, 64));
    let steps = [builder.successor(t, s), builder.successor(s, u)];
    let clauses = [(t, steps[0]), (u, steps[1])].map(|(copy, step)| {
        let reached = builder.apply(reach, &[copy]);
        let both = builder.and(&[reached, step]);
        builder.exists(&[copy], both)
    });
    let body = builder.or(&clauses);
    builder.define(reach, body);
    let solver = Solver::new(&builder.system, &Options::default(), &Limits::default());
    assert_eq!(levels(&solver, t, 6), levels(&solver, u, 6));
    assert_ne!(levels(&solver, s, 6), levels(&solver, t, 6));
}

#[test]
fn an_abbreviation_of_bits_in_another_order_is_an_instance_with_the_same_value() {
    // Step(a, b) of 8 bits each, said of both orders of x and y where each is in its own place.
    let mut builder = Builder::default();
    let [a, b] = ["a", "b"].map(|name| builder.variable(name, 256));
    let step = builder.relation("Step", RelationKind::Definition, &[a, b]);
    let body = builder.successor(a, b);
    builder.define(step, body);
    let [x, y] = ["x", "y"].map(|name| builder.variable(name, 256));
    let both = builder.relation("Both", RelationKind::Definition, &[x, y]);
    let (there, back) = (builder.apply(step, &[x, y]), builder.apply(step, &[y, x]));
    let either = builder.or(&[there, back]);
    builder.define(both, either);
    let mut solver = Solver::new(&builder.system, &Options::default(), &Limits::default());
    let plan = solver.explain();
    assert!(plan.contains("Step of others"), "{plan}");
    // 255 steps in each direction, none in both.
    assert_eq!(solver.count(both).expect("no limits").to_string(), "510");
}
