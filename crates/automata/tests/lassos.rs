//! The whole way: a run of a program as a lasso, replayed and observed, judged by formulas and
//! automata.

use hardbop_automata::{Automaton, Letter, Propositions, View, read_ltl, read_monitor};
use hardbop_interpreter::{Configuration, ObservedLasso, RandomChooser, observe_lasso, simulate};
use hardbop_machine::Machine;
use hardbop_outcome::Lasso;
use hardbop_syntax::Source;

fn machine(text: &str) -> Machine {
    hardbop_machine::from_text("test.bp", text).expect("the test program is valid")
}

/// The letters of the only run of a program, of which the steps from `head` to `steps` are the
/// loop.
fn letters(
    machine: &Machine,
    propositions: &Propositions,
    steps: u64,
    head: usize,
) -> ObservedLasso<Letter> {
    let trace = simulate(machine, &mut RandomChooser::new(1), steps, None).trace;
    let lasso = Lasso::from_trace(&trace, head);
    let observe = |configuration: &Configuration, terminated| {
        let node = configuration
            .top(0)
            .expect("the last state has a frame")
            .node;
        let view = View { node, terminated };
        let read = |variable| configuration.read(machine, 0, variable);
        propositions.letter(machine, view, Letter::MAX, read)
    };
    observe_lasso(machine, &lasso, 1000, observe).expect("the lasso is one")
}

/// Whether a formula holds on a run; the automaton of its violations must agree.
fn holds(machine: &Machine, formula: &str, steps: u64, head: usize) -> bool {
    let ltl = read_ltl(&Source::new("formula", formula), machine).unwrap();
    let word = letters(machine, &ltl.propositions, steps, head);
    let holds = ltl.holds_on_lasso(&word.stem, &word.cycle);
    assert_eq!(ltl.violations().accepts(&word.stem, &word.cycle), !holds);
    holds
}

#[test]
fn formulas_are_judged_on_an_infinite_run_with_a_growing_stack() {
    let machine = machine(
        "decl g := 0;
void main() begin
  down(1);
end
void down(x) begin
  g := !g;
  HERE: g := !g;
  down(x);
end",
    );
    // main calls `down`; each round is three steps and leaves a frame behind.
    let holds = |formula| holds(&machine, formula, 4, 1);
    assert!(holds("G F at(HERE) & F G in(down) & !g"));
    assert!(holds("G (g -> at(HERE)) & G (at(HERE) -> X !g)"));
    assert!(holds("F G down:x & !down:x"));
    assert!(!holds("F G g"));
    assert!(!holds("F terminated"));
}

#[test]
fn finite_runs_go_on_for_ever_in_their_last_state() {
    let machine = machine("decl g := 0;\nvoid main() begin\n  g := 1;\nend");
    let holds = |formula| holds(&machine, formula, 10, 10);
    assert!(holds("F G (terminated & g)"));
    assert!(holds("!g & X g & X X terminated & X !terminated"));
    assert!(!holds("G F !g"));
    assert!(!holds("F failed"));
}

#[test]
fn failed_runs_stay_where_they_failed() {
    let machine = machine("decl g := 0;\nvoid main() begin\n  assert(g);\nend");
    let holds = |formula| holds(&machine, formula, 10, 10);
    assert!(holds("F G failed & G !terminated"));
}

fn example_monitor(name: &str, text: &str) -> Automaton {
    let program = include_str!("../../../examples/double-lock.bp");
    let source = Source::new(name, text);
    match read_monitor(&source, &machine(program)) {
        Ok(monitor) => monitor.automaton,
        Err(diagnostics) => panic!("{name}: {diagnostics:?}"),
    }
}

#[test]
fn the_example_monitors_fit_their_program() {
    let double = example_monitor(
        "double-lock.mon",
        include_str!("../../../examples/double-lock.mon"),
    );
    assert!(double.has_targets());
    let released = example_monitor(
        "lock-released.mon",
        include_str!("../../../examples/lock-released.mon"),
    );
    assert!(!released.has_targets());
    // Acquired, returned, acquired again; the propositions are numbered in order of the text.
    let (acquiring, releasing, elsewhere) = (1, 1 << 2, 0);
    assert!(double.accepts(&[acquiring, elsewhere], &[acquiring, elsewhere]));
    let in_turn = [acquiring, elsewhere, releasing, elsewhere];
    assert!(!double.accepts(&[], &in_turn));
}
