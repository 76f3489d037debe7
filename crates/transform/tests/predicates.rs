//! Predicates pass the suite that every engine must pass, with nothing kept, with Booleans kept and
//! with small integers kept: verdicts are those of the oracles, runs replay, certificates are
//! accepted.
//!
//! `HARDBOP_SEED=1000 HARDBOP_PROGRAMS=20000 cargo test --release -p hardbop-transform --test predicates`
//! runs other programs.

#[path = "../../testkit/tests/seeds/mod.rs"]
mod seeds;

use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Certificate, Engine, NeverInterrupted, Question, Silent};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::Knobs;
use hardbop_testkit::conformance::{ConformanceConfig, ConformanceReport, conformance};
use hardbop_transform::predicates::WithPredicates;
use seeds::seeds;

/// Programs of each preset for each width.
const PROGRAMS: u64 = 250;

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

/// The suite with variables of at most this many bits kept.
fn suite(widest: u32) -> ConformanceReport {
    let engine = WithPredicates {
        widest,
        ..WithPredicates::new(Box::new(SummaryEngine::default()))
    };
    let mut config = ConformanceConfig::sequential(seeds(PROGRAMS).0);
    config.presets.push(("words", Knobs::words()));
    let report = conformance(&engine, &accept, &config);
    assert!(report.has_passed(), "{report}");
    report
}

#[test]
fn predicates_about_everything_keep_verdicts_and_evidence_comes_back() {
    let report = suite(0);
    assert!(seeds(1).1 || report.certificates > 900, "{report}");
    assert!(seeds(1).1 || report.reachable > 1_500, "{report}");
    assert!(seeds(1).1 || report.unknown < 20, "{report}");
}

#[test]
fn predicates_beside_booleans_keep_verdicts_and_evidence_comes_back() {
    let report = suite(1);
    assert!(seeds(1).1 || report.certificates > 800, "{report}");
    assert!(seeds(1).1 || report.reachable > 1_500, "{report}");
    assert!(seeds(1).1 || report.unknown < 20, "{report}");
}

#[test]
fn predicates_beside_small_integers_keep_verdicts_and_evidence_comes_back() {
    let report = suite(2);
    assert!(seeds(1).1 || report.certificates > 800, "{report}");
    assert!(seeds(1).1 || report.reachable > 1_500, "{report}");
    assert!(seeds(1).1 || report.unknown < 20, "{report}");
}

/// The verdicts on the assertions of a program, each with evidence that its judge accepts, and how
/// many predicates it took.
fn verdicts(text: &str) -> (Vec<bool>, u64) {
    let machine = from_text("t.bp", text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let question = Question::assertions(&machine);
    let engine = WithPredicates::new(Box::new(SummaryEngine::default()));
    let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
    for certificate in &outcome.certificates {
        accept(&machine, certificate).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    let verdicts = outcome.answers.iter().map(|answer| {
        assert!(!answer.verdict.is_unknown(), "{answer:?}\n{text}");
        if let Some(trace) = answer.verdict.trace() {
            replay(&machine, trace).unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
        !answer.verdict.is_yes()
    });
    let verdicts = verdicts.collect();
    let predicates = outcome.statistics.get("predicates");
    (verdicts, predicates.expect("they are counted"))
}

#[test]
fn a_counter_that_meets_another_word_takes_two_predicates() {
    let (verdicts, predicates) = verdicts(
        "void main() begin
           decl int<32> x, y;
           x := *; y := *;
           assume(x < y);
           while (x < y) do x := x + 1; od
           assert(x = y);
           assert(y - x > 3);
         end",
    );
    assert_eq!(verdicts, [true, false]);
    assert!(predicates < 8, "{predicates}");
}

#[test]
fn the_lock_of_slam_takes_one_predicate() {
    let (verdicts, predicates) = verdicts(
        "decl locked := 0;
         void lock() begin assert(!locked); locked := 1; end
         void unlock() begin assert(locked); locked := 0; end
         void main() begin
           decl int<32> n, old;
           n := *;
           old := n - 1;
           while (n != old) do
             lock();
             old := n;
             if (*) then unlock(); n := n + 1; fi
           od
           unlock();
         end",
    );
    assert_eq!(verdicts, [true, true]);
    assert!(predicates < 4, "{predicates}");
}

#[test]
fn results_say_something_about_arguments() {
    let (verdicts, _) = verdicts(
        "int<32> next(int<32> n) begin
           if (n = 4294967295) then return n; fi
           return n + 1;
         end
         void main() begin
           decl int<32> x, y;
           x := *;
           y := next(x);
           assert(y >= x);
           assert(y > x);
         end",
    );
    assert_eq!(verdicts, [true, false]);
}

#[test]
fn a_recursive_sum_stays_below_its_bound() {
    let (verdicts, _) = verdicts(
        "decl int<32> total := 0;
         void add(int<32> n) begin
           if (n > 0 & total < 1000) then total := total + 1; add(n - 1); fi
         end
         void main() begin
           decl int<32> n;
           n := *;
           add(n);
           assert(total <= 1000);
           assert(n = 0 | total = 0);
         end",
    );
    assert_eq!(verdicts, [true, false]);
}
