//! Every algorithm passes the suite that every engine must pass, with all runs replayed and all
//! certificates checked.

use hardbop_calculus::{Algorithm, CalculusEngine, Extent};
use hardbop_machine::Machine;
use hardbop_outcome::{Budget, Certificate, Engine, NeverInterrupted, Question, Silent, Verdict};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::conformance::{ConformanceConfig, conformance};
use hardbop_transform::hide::FewVariables;
use std::sync::Arc;

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn check(name: &str, seeds: u64) {
    let engine = engine(name);
    let report = conformance(&engine, &accept, &ConformanceConfig::sequential(0..seeds));
    assert!(report.has_passed(), "{report}");
    assert!(report.to_string().contains("0 unknown"), "{report}");
}

fn engine(name: &str) -> CalculusEngine {
    CalculusEngine {
        algorithm: Some(Algorithm::built_in(name).expect("the name of an algorithm")),
        relations: None,
        evidence: Arc::new(SummaryEngine::default()),
    }
}

#[test]
fn entry_forward_agrees_with_the_oracle_on_generated_programs() {
    check("entry-forward", 100);
}

#[test]
fn entry_forward_return_agrees_with_the_oracle_on_generated_programs() {
    check("entry-forward-return", 40);
}

#[test]
fn full_relations_give_the_same_verdicts() {
    let engine = CalculusEngine {
        relations: Some(Extent::Full),
        ..engine("entry-forward")
    };
    let report = conformance(&engine, &accept, &ConformanceConfig::sequential(0..30));
    assert!(report.has_passed(), "{report}");
}

#[test]
fn entry_forward_split_agrees_with_the_oracle_on_generated_programs() {
    check("entry-forward-split", 100);
}

#[test]
fn entry_forward_opt_agrees_with_the_oracle_on_generated_programs() {
    check("entry-forward-opt", 100);
}

#[test]
fn summary_agrees_with_the_oracle_on_generated_programs() {
    check("summary", 25);
}

#[test]
fn what_few_variables_settle_agrees_with_the_oracle_on_generated_programs() {
    for name in ["entry-forward", "entry-forward-split", "entry-forward-opt"] {
        let engine = FewVariables {
            engine: Box::new(engine(name)),
            tries_all: false,
        };
        let report = conformance(&engine, &accept, &ConformanceConfig::sequential(0..40));
        assert!(report.has_passed(), "{report}");
    }
}

#[test]
fn min_entry_exit_agrees_with_the_oracle_on_generated_programs() {
    check("min-entry-exit", 25);
}

#[test]
fn backward_agrees_with_the_oracle_on_generated_programs() {
    check("backward", 25);
}

#[test]
fn integers_that_meet_are_interleaved_with_the_choices_beside_them() {
    let text = "decl int<32> x, y;
         void main() begin
           decl int<32> z;
           x := *; y := x; x := x + 1; assert(x = y + 1);
           z := y + *; y := z - y; f(z); assert(x != 7 | z != 9);
         end
         void f(int<32> a) begin decl b; decl int<32> c; c := a; b := c = y; assert(c = a); end";
    let machine = hardbop_machine::from_text("test.bp", text).expect("the program is valid");
    let question = Question::every_target(&machine);
    let budget = Budget {
        nodes: Some(400_000),
        ..Budget::unlimited()
    };
    let outcome = engine("entry-forward-split").check(&machine, &question, &budget, &mut Silent);
    let verdicts: Vec<&Verdict> = outcome.answers.iter().map(|a| &a.verdict).collect();
    let is_found = |verdict: &&&Verdict| matches!(verdict, Verdict::Yes(_));
    assert_eq!(verdicts.iter().filter(is_found).count(), 1, "{verdicts:?}");
    let is_excluded = |verdict: &&&Verdict| matches!(verdict, Verdict::No(_));
    assert_eq!(
        verdicts.iter().filter(is_excluded).count(),
        2,
        "{verdicts:?}"
    );
}
