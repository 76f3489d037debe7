//! Open words across calls: what is left open, shared in part, moved by a constant or narrowed in one
//! procedure and read in another gives the verdicts of enumerating all values, with runs that replay
//! and certificates that are accepted.

use hardbop_explicit::ExplicitEngine;
use hardbop_machine::from_text;
use hardbop_outcome::{
    Budget, Engine, Evidence, NeverInterrupted, Outcome, Question, Silent, Support, Verdict,
};

/// Checks all assertions of a program both ways; gives which of them fail.
fn failing(text: &str) -> Vec<bool> {
    let machine = from_text("words.bp", text).expect("the program is valid");
    let question = Question::assertions(&machine);
    let check = |lazy: bool| -> Outcome {
        let engine = ExplicitEngine {
            lazy,
            ..ExplicitEngine::default()
        };
        engine.check(&machine, &question, &Budget::unlimited(), &mut Silent)
    };
    let fails = |outcome: &Outcome| -> Vec<bool> {
        let answers = outcome.answers.iter();
        let verdicts = answers.map(|answer| match &answer.verdict {
            Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
                hardbop_interpreter::replay(&machine, trace).expect("the run replays");
                true
            }
            Verdict::No(_) => false,
            other => panic!("{other:?} in\n{text}"),
        });
        verdicts.collect()
    };
    let lazy = check(true);
    for certificate in &lazy.certificates {
        let judged = hardbop_checker::validate(&machine, certificate, &NeverInterrupted);
        assert!(judged.is_ok(), "{:?} in\n{text}", judged.err());
    }
    let lazy = fails(&lazy);
    assert_eq!(lazy, fails(&check(false)), "in\n{text}");
    lazy
}

#[test]
fn a_word_that_its_caller_has_copied_in_part_is_split_by_bits() {
    let failing = failing(
        "void main() begin decl int<4> x; decl int<2> y; decl r;
           y := int<2>(x);
           r := small(x);
           assert(!r | y = 0 | y = 1 | y = 2);
           assert(r | x >= 3);
           assert(y != 3);
         end
         bool small(int<4> n) begin if (n < 3) then return 1; fi return 0; end",
    );
    assert_eq!(failing, [false, false, true]);
}

#[test]
fn a_word_with_relatives_in_its_caller_is_split_by_values() {
    let failing = failing(
        "void main() begin decl int<4> x, v; decl r;
           v := x + 3;
           r := odd(x);
           assert(r = ((v & 1) = 0));
           assert(v - x = 3);
           assert(v != 9);
         end
         bool odd(int<4> n) begin return (n & 1) = 1; end",
    );
    assert_eq!(failing, [false, false, true]);
}

#[test]
fn what_a_callee_adds_and_compares_is_known_to_its_caller() {
    let failing = failing(
        "decl int<4> g;
         void main() begin decl int<4> old, x;
           old := g;
           next(); next();
           assert(g = old + 2);
           x := old;
           bounded(x + 1);
           assert(x < 6 | x = 15);
           assert(g != 7);
           assert(g != 9);
         end
         void next() begin g := g + 1; end
         void bounded(int<4> n) begin assume(n < 7); end",
    );
    assert_eq!(failing, [false, false, true, false]);
}

#[test]
fn parameters_that_differ_by_a_constant_stay_so() {
    let failing = failing(
        "void main() begin decl int<4> x, y;
           y := pair(x, x + 1);
           assert(y = x | y = x + 2);
           assert(y != x);
           assert(signed(y) >= signed(x) | signed(x) > 5);
         end
         int<4> pair(int<4> a, int<4> b) begin decl int<4> c;
           assert(b - a = 1);
           c := b + 1;
           if (a < b) then return c; fi
           return a;
         end",
    );
    assert_eq!(failing, [false, true, false, false]);
}

#[test]
fn a_part_and_a_sum_of_a_word_in_one_step() {
    let failing = failing(
        "void main() begin decl int<4> x, s; decl int<2> low;
           low, s := int<2>(x), x + 1;
           assert(int<2>(s) = low + 1);
           s, low := s + 1, int<2>(s);
           assert(s = x + 2);
           assert(low != 2);
         end",
    );
    assert_eq!(failing, [false, false, true]);
    // The same where the word itself is not read any more.
    let gone = self::failing(
        "void main() begin decl int<4> x, s; decl int<2> low; decl int<3> z;
           low, s := int<2>(x), x + 1;
           assert(int<2>(s) = low + 1);
           z := 5;
           assert(int<3>(s) < z | low > 0);
           assert(z = 5);
         end",
    );
    assert_eq!(gone, [false, true, false]);
}
