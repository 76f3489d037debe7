//! The formula decides, another engine gives the evidence: what comes of it if they agree, if there
//! is no evidence, and if they contradict each other.

use hardbop_calculus::{Algorithm, CalculusEngine};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Answer, Budget, Declined, Engine, Limit, Outcome, Prepared, Question, Silent, Verdict,
};
use hardbop_summary::SummaryEngine;
use std::sync::Arc;

/// One round of the optimized algorithm takes all internal steps, those behind a return included.
const BEHIND_A_RETURN: &str = "
decl g0;
decl g1;
void main() begin
  f1();
  g1 := 0;
  assert g1;
  if (g1) then assert !g1; fi
end
void f1() begin
  enforce g0;
  g1 := 1;
end
";

const ALGORITHMS: [&str; 3] = ["entry-forward", "entry-forward-split", "entry-forward-opt"];

/// Says the same of every target.
struct Says(Verdict);

impl Engine for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn prepare<'a>(
        &'a self,
        _machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        Ok(Prepared::new(move |_, _| {
            Outcome::same(self.name(), question, &self.0)
        }))
    }
}

fn machine() -> Machine {
    from_text("test.bp", BEHIND_A_RETURN).expect("a program")
}

/// The answers about both assertions: the first one fails, the second one holds.
fn ask(algorithm: Algorithm, evidence: impl Engine + 'static) -> Vec<Answer> {
    let engine = CalculusEngine {
        algorithm: Some(algorithm),
        relations: None,
        evidence: Arc::new(evidence),
    };
    let machine = machine();
    let question = Question::assertions(&machine);
    let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
    outcome.answers
}

fn built_in(name: &str) -> Algorithm {
    Algorithm::built_in(name).expect("the name of an algorithm")
}

#[test]
fn what_the_formula_reaches_has_a_run_that_replays() {
    for name in ALGORITHMS {
        let answers = ask(built_in(name), SummaryEngine::default());
        let trace = answers[0].verdict.trace().expect("the assertion fails");
        let replayed = hardbop_interpreter::replay(&machine(), trace);
        assert!(replayed.is_ok(), "{name}: {replayed:?}");
        assert!(answers[1].verdict.is_no_for_all_runs(), "{name}");
        assert_eq!(answers[1].verdict, Verdict::CERTIFIED, "{name}");
    }
}

#[test]
fn without_evidence_the_formula_excludes_and_the_answer_says_why_there_is_no_proof() {
    for name in ALGORITHMS {
        let unknown = Verdict::Unknown(Limit::States);
        let answers = ask(built_in(name), Says(unknown.clone()));
        assert_eq!(answers[0].verdict, unknown, "{name}: nothing to show");
        assert!(answers[1].verdict.is_no_for_all_runs(), "{name}");
        assert!(answers[1].verdict.why_uncertified().is_some(), "{name}");
    }
}

#[test]
fn evidence_against_an_algorithm_is_a_fault_of_its_author() {
    let contradicted = ask(built_in("entry-forward"), Says(Verdict::NO));
    let why = &contradicted[0].verdict;
    let is_internal = matches!(why, Verdict::Unknown(Limit::Contradiction { .. }));
    assert!(is_internal, "{why:?}");
    assert!(contradicted[1].verdict.is_no_for_all_runs());
    // An algorithm of somebody who takes everything for reachable.
    let own = Algorithm::own("mine.mu", "( 1 );\n", Vec::new());
    let found = ask(own, SummaryEngine::default());
    assert!(found[0].verdict.is_yes(), "{:?}", found[0].verdict);
    let Verdict::Unknown(Limit::Declined { what }) = &found[1].verdict else {
        panic!("{:?}", found[1].verdict);
    };
    assert!(what.contains("`mine.mu` says that"), "{what}");
}
