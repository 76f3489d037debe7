//! Runs are read off the rounds of every algorithm.

use hardbop_calculus::{Algorithm, CalculusEngine};
use hardbop_outcome::{Budget, Engine, Query, Silent, Verdict};

/// Rounds of the optimized algorithm take all internal steps at once; the ones behind a return are no exception.
const BEHIND_A_RETURN: &str = "
decl g0;
decl g1;
void main() begin
  f1();
  g1 := 0;
  assert g1;
end
void f1() begin
  enforce g0;
  g1 := 1;
end
";

#[test]
fn a_run_through_a_round_of_many_steps_is_found() {
    let machine = hardbop_machine::from_text("test.bp", BEHIND_A_RETURN).expect("a program");
    let query = Query::assertions(&machine);
    for name in ["entry-forward", "entry-forward-split", "entry-forward-opt"] {
        let algorithm = Algorithm::built_in(name).expect("the name of an algorithm");
        let engine = CalculusEngine {
            algorithm,
            ..CalculusEngine::default()
        };
        let outcome = engine.check(&machine, &query, &Budget::unlimited(), &mut Silent);
        let Verdict::Reachable { trace } = &outcome.answers[0].verdict else {
            panic!("{name}: {:?}", outcome.answers[0].verdict);
        };
        let replayed = hardbop_interpreter::replay(&machine, trace);
        assert!(replayed.is_ok(), "{name}: {replayed:?}");
    }
}

#[test]
fn what_was_reached_before_a_limit_stays_reached() {
    let text = "
void main() begin
  decl a, b;
  assert a;
  b := 1;
  while (*) do f(); od
  assert b;
end
void f() begin skip; skip; skip; skip; end
";
    let machine = hardbop_machine::from_text("test.bp", text).expect("a program");
    let query = Query::assertions(&machine);
    let is_partial = |&rounds: &u64| {
        let budget = Budget {
            states: Some(rounds),
            ..Budget::unlimited()
        };
        let outcome = CalculusEngine::default().check(&machine, &query, &budget, &mut Silent);
        let verdicts = outcome.answers.iter().map(|answer| &answer.verdict);
        let verdicts: Vec<_> = verdicts.collect();
        matches!(
            verdicts[..],
            [Verdict::Reachable { .. }, Verdict::Unknown { .. }]
        )
    };
    assert!((1..40).any(|rounds| is_partial(&rounds)));
}
