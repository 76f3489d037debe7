//! Running out is an answer of its own, never a wrong one.

use hardbop_machine::from_text;
use hardbop_outcome::{Budget, Engine, Interrupt, Limit, Question, Silent, Verdict};
use hardbop_satcheck::SatEngine;

const FAILS: &str = "decl g, h; void main() begin f(); assert(!g | h); end void f() begin if (*) then g, h := 1, !h; f(); fi end";
const HOLDS: &str = "decl g, h; void main() begin g := h; f(); assert(g = h); end void f() begin if (*) then g, h := h, g; f(); fi end";

/// Calls itself with another argument each time, and goes wrong at the bottom.
const COUNTS_DOWN: &str = "decl bad := 0; void main() begin f(9); assert(!bad); end
  void f(int<4> n) begin if (n > 0) then f(n - 1); else bad := 1; fi end";

fn verdict(text: &str, engine: SatEngine, budget: &Budget<'_>) -> Verdict {
    let machine = from_text("limits.bp", text).unwrap();
    let question = Question::assertions(&machine);
    let mut outcome = engine.check(&machine, &question, budget, &mut Silent);
    outcome.answers.remove(0).verdict
}

/// Asks with every limit from 1 to `most`: the answer is unknown for this reason or right, and
/// right at the end.
fn answers_with_enough(why: &Limit, most: u64, budget: impl Fn(u64) -> Budget<'static>) {
    for (text, fails) in [(FAILS, true), (HOLDS, false)] {
        let mut is_answered = false;
        for limit in 1..most {
            match verdict(text, SatEngine::default(), &budget(limit)) {
                Verdict::Unknown(found) => assert_eq!(found, *why),
                Verdict::Yes(_) => {
                    assert!(fails, "with {limit}");
                    is_answered = true;
                }
                Verdict::No(_) => {
                    assert!(!fails, "with {limit}");
                    is_answered = true;
                }
            }
        }
        assert!(is_answered, "{text}");
    }
}

#[test]
fn too_few_nodes_give_unknown_and_enough_give_the_verdict() {
    answers_with_enough(&Limit::Nodes, 200, |nodes| Budget {
        nodes: Some(nodes),
        ..Budget::unlimited()
    });
}

#[test]
fn too_few_terms_give_unknown_and_enough_give_the_verdict() {
    answers_with_enough(&Limit::States, 60, |states| Budget {
        states: Some(states),
        ..Budget::unlimited()
    });
}

#[test]
fn recursion_beyond_the_bound_is_unknown_unless_it_is_not_needed() {
    let with_depth = |text, inline_depth| {
        let engine = SatEngine {
            inline_depth,
            ..SatEngine::default()
        };
        verdict(text, engine, &Budget::unlimited())
    };
    let unknown = Verdict::Unknown(Limit::StackDepth);
    assert_eq!(with_depth(COUNTS_DOWN, 8), unknown);
    assert!(matches!(with_depth(COUNTS_DOWN, 9), Verdict::Yes(_)));
    // Deeper calls are instances that are there already.
    assert!(with_depth(HOLDS, 1).is_no_for_all_runs());
    // The guard of the call is false at the second level, which only the solver sees.
    let symbolic = "decl bad := 0; decl k; void main() begin f(k); assert(!bad); end
      void f(p) begin decl q; if (p & !k) then q := p ^ k; f(!q); bad := 1; fi end";
    assert!(with_depth(symbolic, 1).is_no_for_all_runs());
}

struct Stop;

impl Interrupt for Stop {
    fn check(&self) -> Option<Limit> {
        Some(Limit::Time)
    }
}

#[test]
fn an_interrupt_is_the_reason() {
    let budget = Budget {
        interrupt: &Stop,
        ..Budget::unlimited()
    };
    let unknown = Verdict::Unknown(Limit::Time);
    assert_eq!(verdict(HOLDS, SatEngine::default(), &budget), unknown);
}
