//! Systems whose answers are known, and what a solver offers besides values.

mod support;

use hardbop_fixpoint::{Limits, Options, Solver, Stop, Strategy, Until};
use hardbop_formula::{Action, ActionKind, FormulaId, RelationId, RelationKind, System};
use hardbop_syntax::Span;
use support::builder::Builder;

fn ask(builder: &mut Builder, kind: ActionKind) {
    let span = Span::new(0, 0);
    builder.system.actions.push(Action { kind, span });
}

/// `mu Reach(s) = s = 0 | exists t. Reach(t) & s = t + 1`: a chain of this many states, the largest
/// one asked for.
struct Chain {
    system: System,
    reach: RelationId,
    last_is_reached: FormulaId,
}

fn chain(states: u64) -> Chain {
    let mut builder = Builder::default();
    let state = builder.variable("s", states);
    let reach = builder.relation("Reach", RelationKind::Least, &[state]);
    let before = builder.variable("t", states);
    let (is_first, reached) = (builder.is(state, 0), builder.apply(reach, &[before]));
    let step = builder.successor(before, state);
    let both = builder.and(&[reached, step]);
    let image = builder.exists(&[before], both);
    let body = builder.or(&[is_first, image]);
    builder.define(reach, body);
    let asked = builder.variable("u", states);
    let (reached, is_last) = (
        builder.apply(reach, &[asked]),
        builder.is(asked, states - 1),
    );
    let both = builder.and(&[reached, is_last]);
    let last_is_reached = builder.exists(&[asked], both);
    ask(&mut builder, ActionKind::Query(last_is_reached));
    ask(&mut builder, ActionKind::Witness(last_is_reached));
    Chain {
        system: builder.system,
        reach,
        last_is_reached,
    }
}

#[test]
fn a_long_chain_takes_a_round_and_little_work_for_each_state() {
    let chain = chain(1 << 14);
    let mut solver = Solver::new(&chain.system, &Options::default(), &Limits::default());
    assert_eq!(solver.query(chain.last_is_reached), Ok(true));
    assert_eq!(
        solver.count(chain.reach).unwrap().to_string(),
        (1 << 14).to_string()
    );
    let statistics = solver.statistics();
    assert_eq!(statistics.relations[0].rounds, 1 << 14);
    // The news of a round is one state: 14 nodes in each of a handful of operations.
    assert!(statistics.work < (1 << 14) * 14 * 12, "{statistics:?}");
    assert_eq!(statistics.variables, 28, "two copies are enough");
}

#[test]
fn witnesses_satisfy_the_formula() {
    let chain = chain(100);
    let mut solver = Solver::new(&chain.system, &Options::default(), &Limits::default());
    let witness = solver.witness(chain.last_is_reached).unwrap().unwrap();
    let text: Vec<String> = witness.iter().map(ToString::to_string).collect();
    assert_eq!(text, ["u = 99"]);
}

#[test]
fn codes_without_meaning_are_not_counted() {
    let mut builder = Builder::default();
    let state = builder.variable("s", 5);
    let everything = builder.relation("All", RelationKind::Definition, &[state]);
    let body = builder.constant(true);
    builder.define(everything, body);
    let system = builder.system;
    let mut solver = Solver::new(&system, &Options::default(), &Limits::default());
    assert_eq!(solver.count(everything).unwrap().to_string(), "5");
}

#[test]
fn an_iteration_can_end_as_soon_as_a_condition_is_true() {
    for strategy in [Strategy::Fast, Strategy::Plain] {
        let mut chain = chain(64);
        let mut builder = Builder::default();
        std::mem::swap(&mut builder.system, &mut chain.system);
        let asked = builder.variable("v", 64);
        let (reached, is_ten) = (builder.apply(chain.reach, &[asked]), builder.is(asked, 10));
        let both = builder.and(&[reached, is_ten]);
        let ten_is_reached = builder.exists(&[asked], both);
        let system = builder.system;
        let options = Options {
            strategy,
            questions: vec![ten_is_reached],
            ..Options::default()
        };
        let mut solver = Solver::new(&system, &options, &Limits::default());
        let Until::True(value) = solver.solve_until(chain.reach, ten_is_reached).unwrap() else {
            panic!("state 10 is reached");
        };
        let states = solver.manager().count(value, 6);
        assert!((states - 11.0).abs() < 0.5, "{strategy:?}: {states}");
        // The value at that time is not taken for the final one.
        assert_eq!(solver.count(chain.reach).unwrap().to_string(), "64");
        let again = solver.solve_until(chain.reach, ten_is_reached).unwrap();
        assert!(matches!(again, Until::True(_)));
    }
}

#[test]
fn a_condition_that_never_becomes_true_lets_the_iteration_end() {
    let mut builder = Builder::default();
    let chain = chain(16);
    builder.system = chain.system;
    let nothing = builder.constant(false);
    let system = builder.system;
    let options = Options {
        questions: vec![nothing],
        ..Options::default()
    };
    let mut solver = Solver::new(&system, &options, &Limits::default());
    let ended = solver.solve_until(chain.reach, nothing).unwrap();
    assert!(matches!(ended, Until::False(_)), "{ended:?}");
}

#[test]
fn a_condition_that_can_become_false_again_is_looked_at_in_the_end() {
    let mut builder = Builder::default();
    let chain = chain(16);
    builder.system = chain.system;
    let asked = builder.variable("v", 16);
    let (reached, is_ten) = (builder.apply(chain.reach, &[asked]), builder.is(asked, 10));
    let both = builder.and(&[reached, is_ten]);
    let ten_is_reached = builder.exists(&[asked], both);
    let ten_is_not_reached = builder.not(ten_is_reached);
    let system = builder.system;
    let options = Options {
        questions: vec![ten_is_not_reached],
        ..Options::default()
    };
    let mut solver = Solver::new(&system, &options, &Limits::default());
    let ended = solver.solve_until(chain.reach, ten_is_not_reached);
    assert!(matches!(ended, Ok(Until::False(_))), "{ended:?}");
}

#[test]
fn limits_are_answers() {
    let chain = chain(1 << 10);
    let few_rounds = Limits {
        rounds: Some(100),
        ..Limits::default()
    };
    let mut solver = Solver::new(&chain.system, &Options::default(), &few_rounds);
    assert_eq!(solver.query(chain.last_is_reached), Err(Stop::Rounds));
    let few_nodes = Limits {
        nodes: Some(60),
        ..Limits::default()
    };
    let mut solver = Solver::new(&chain.system, &Options::default(), &few_nodes);
    assert_eq!(solver.query(chain.last_is_reached), Err(Stop::Nodes));
    let stop = || true;
    let interrupted = Limits {
        interrupt: Some(&stop),
        ..Limits::default()
    };
    let mut solver = Solver::new(&chain.system, &Options::default(), &interrupted);
    assert_eq!(solver.query(chain.last_is_reached), Err(Stop::Interrupted));
}

#[test]
fn garbage_is_collected_before_the_node_limit_is_an_answer() {
    let chain = chain(1 << 12);
    let limits = Limits {
        nodes: Some(2000),
        ..Limits::default()
    };
    let mut solver = Solver::new(&chain.system, &Options::default(), &limits);
    assert_eq!(solver.query(chain.last_is_reached), Ok(true));
    assert!(solver.statistics().collections > 0);
}

#[test]
fn a_relation_that_contradicts_itself_is_recognised() {
    // mu Liar(s) = !Liar(s) jumps between everything and nothing.
    let mut builder = Builder::default();
    let state = builder.variable("s", 2);
    let liar = builder.relation("Liar", RelationKind::Least, &[state]);
    let applied = builder.apply(liar, &[state]);
    let body = builder.not(applied);
    builder.define(liar, body);
    let system = builder.system;
    let mut solver = Solver::new(&system, &Options::default(), &Limits::default());
    let Err(Stop::Diverges {
        relation, period, ..
    }) = solver.value(liar)
    else {
        panic!("there is no fixed point");
    };
    assert_eq!((relation, period), (liar, 2));
}

/// `nu Z = Kept & exists t. Next & Seen`, `mu Seen = mark & Z | exists t. Next & Seen`,
/// `nu Kept = Z & forall t. Next -> Kept` on a chain: three fixed points in each other, the
/// innermost in the direction of the outermost.
fn three_deep(size: u64) -> (System, RelationId, RelationId) {
    let mut builder = Builder::default();
    let [z, s, k] = ["z", "s", "k"].map(|name| builder.variable(name, size));
    let all = builder.relation("Z", RelationKind::Greatest, &[z]);
    let seen = builder.relation("Seen", RelationKind::Least, &[s]);
    let kept = builder.relation("Kept", RelationKind::Greatest, &[k]);
    let image = |builder: &mut Builder, from, name: &str, relation| {
        let to = builder.variable(name, size);
        let (next, applied) = (builder.successor(from, to), builder.apply(relation, &[to]));
        let both = builder.and(&[next, applied]);
        builder.exists(&[to], both)
    };
    let (here, further) = (builder.apply(kept, &[z]), image(&mut builder, z, "t", seen));
    let body = builder.and(&[here, further]);
    builder.define(all, body);
    let (mark, inside) = (builder.is(s, size - 1), builder.apply(all, &[s]));
    let (here, further) = (
        builder.and(&[mark, inside]),
        image(&mut builder, s, "u", seen),
    );
    let body = builder.or(&[here, further]);
    builder.define(seen, body);
    let v = builder.variable("v", size);
    let (next, later) = (builder.successor(k, v), builder.apply(kept, &[v]));
    let no_next = builder.not(next);
    let step = builder.or(&[no_next, later]);
    let (here, everywhere) = (builder.apply(all, &[k]), builder.forall(&[v], step));
    let body = builder.and(&[here, everywhere]);
    builder.define(kept, body);
    (builder.system, all, kept)
}

#[test]
fn inner_fixed_points_in_the_same_direction_go_on_where_they_were() {
    let (system, all, kept) = three_deep(16);
    let rounds = |strategy| {
        let options = Options {
            strategy,
            ..Options::default()
        };
        let mut solver = Solver::new(&system, &options, &Limits::default());
        // On a chain that ends nobody sees the mark for ever.
        assert_eq!(solver.count(all).unwrap().to_string(), "0");
        let name = &system.relation(kept).name;
        let statistics = solver.statistics();
        let relation = statistics.relations.iter().find(|r| r.name == *name);
        relation.unwrap().rounds
    };
    let (fast, plain) = (rounds(Strategy::Fast), rounds(Strategy::Plain));
    assert!(fast < plain, "{fast} rounds, {plain} from scratch");
}
