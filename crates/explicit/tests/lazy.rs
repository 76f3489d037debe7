//! What leaving values open is worth, in states (VERA, Figures 5 and 6).

use hardbop_explicit::{ExplicitEngine, Search};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Engine, Evidence, Outcome, Question, Silent, Support, Verdict};

fn check(machine: &Machine, question: &Question, lazy: bool, states: Option<u64>) -> Outcome {
    let engine = ExplicitEngine {
        search: Search::Dfs,
        lazy,
        ..ExplicitEngine::default()
    };
    let budget = Budget {
        states,
        ..Budget::unlimited()
    };
    engine.check(machine, question, &budget, &mut Silent)
}

fn states(outcome: &Outcome) -> u64 {
    outcome
        .statistics
        .get("states")
        .expect("states are counted")
}

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).expect("the program is valid")
}

/// Moped's quicksort as in `examples/quicksort.bp`, with integers of any width.
fn quicksort(width: u32) -> Machine {
    let text = include_str!("../../../examples/quicksort.bp");
    let largest = u64::MAX >> (64 - width);
    let text = text.replace("int<4>", &format!("int<{width}>"));
    machine(&text.replace("right < 15", &format!("right < {largest}")))
}

#[test]
fn quicksort_takes_the_same_few_states_whatever_the_width() {
    for (label, most) in [("END", 10), ("SAME_AGAIN", 100)] {
        let counts = [4, 6, 8, 10, 32, 64].map(|width| {
            let machine = quicksort(width);
            let outcome = check(&machine, &Question::label(&machine, label), true, None);
            let verdict = &outcome.answers[0].verdict;
            assert!(matches!(verdict, Verdict::Yes(_)), "{label}");
            states(&outcome)
        });
        assert!(
            counts
                .iter()
                .all(|&count| count == counts[0] && count <= most),
            "{counts:?}"
        );
    }
}

#[test]
fn many_uninitialised_variables_cost_orders_of_magnitude_less() {
    for name in ["uninitialised", "uninitialised-safe"] {
        let family = hardbop_families::find(name).expect("a family of the table");
        let machine = machine(&family.generate(8, 0).text);
        let question = Question::assertions(&machine);
        let lazy = check(&machine, &question, true, None);
        assert!(
            lazy.answers
                .iter()
                .all(|a| !matches!(a.verdict, Verdict::Unknown(_)))
        );
        let limit = 50 * states(&lazy);
        let eager = check(&machine, &question, false, Some(limit));
        assert!(
            states(&eager) > limit,
            "{name}: {} states suffice",
            states(&eager)
        );
    }
}

#[test]
fn a_copy_stays_equal_to_its_undetermined_origin() {
    let text = "decl g, h;
        void main() begin
          decl x, y, z;
          x := y; z := x;
          h := pass(z);
          assert(h = y);
          assert(g = g);
        end
        bool pass(a) begin decl b; b := a; return b; end";
    let machine = machine(text);
    let question = Question::assertions(&machine);
    let outcome = check(&machine, &question, true, None);
    assert!(
        outcome
            .answers
            .iter()
            .all(|a| a.verdict.is_no_for_all_runs())
    );
    // One state for every node but the two failures: nothing is ever decided.
    let nodes = machine.nodes.len() as u64;
    assert_eq!(states(&outcome), nodes - 2);
    assert!(states(&check(&machine, &question, false, None)) > nodes);
}

#[test]
fn what_a_callee_decides_is_decided_for_its_caller() {
    // `f` reads the global that `main` left open, so `main` knows it after the return; the run must
    // fit.
    let text = "decl g;
        void main() begin
          decl r;
          r := f();
          if (r & !g) then NEVER: skip; fi
          if (!r & g) then NEVER: skip; fi
          if (r & g) then BOTH: skip; fi
        end
        bool f() begin if (g) then return 1; fi return 0; end";
    let machine = machine(&text.replacen("NEVER", "FIRST", 1));
    let verdict = |label: &str| {
        let outcome = check(&machine, &Question::label(&machine, label), true, None);
        outcome.answers[0].verdict.clone()
    };
    assert!(verdict("FIRST").is_no_for_all_runs());
    assert!(verdict("NEVER").is_no_for_all_runs());
    let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = verdict("BOTH") else {
        panic!("both can be true");
    };
    hardbop_interpreter::replay(&machine, &trace).expect("the run replays");
    assert_eq!(trace.globals, [1]);
}
