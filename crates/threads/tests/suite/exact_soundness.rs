//! The checker is no rubber stamp: damaged certificates, and certificates of other programs, are
//! rejected.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::Outcome;
use hardbop_outcome::certificate::Formula;
use hardbop_outcome::{Budget, Certificate, Engine, NeverInterrupted, Question, Silent, Target};
use hardbop_testkit::{Knobs, Oracle, generate};
use hardbop_threads::InterleavingEngine;

const PETERSON: &str = include_str!("../../../../examples/peterson.bp");

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn check(engine: &dyn Engine, machine: &Machine) -> Outcome {
    let question = Question::assertions(machine);
    engine.check(machine, &question, &Budget::unlimited(), &mut Silent)
}

fn is_accepted(machine: &Machine, certificate: &Certificate) -> bool {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted).is_ok()
}

/// The certificate of Peterson's algorithm, which holds.
fn peterson() -> (Machine, Certificate) {
    let machine = machine(PETERSON);
    let outcome = check(&InterleavingEngine::default(), &machine);
    let certificate = outcome.certificates.into_iter().next();
    (machine, certificate.expect("mutual exclusion holds"))
}

#[test]
fn the_certificate_of_peterson_is_accepted() {
    let (machine, certificate) = peterson();
    assert!(is_accepted(&machine, &certificate));
}

#[test]
fn a_certificate_without_one_of_its_turns_is_rejected() {
    let (machine, certificate) = peterson();
    for turn in 0..certificate.turns.len() {
        let mut damaged = certificate.clone();
        damaged.turns.remove(turn);
        assert!(!is_accepted(&machine, &damaged), "turn {turn}");
    }
}

#[test]
fn a_certificate_that_says_nothing_is_rejected() {
    let (machine, mut certificate) = peterson();
    let everything = certificate.formulas.len() as u32;
    certificate.formulas.push(Formula::Constant(true));
    for turn in &mut certificate.turns {
        turn.relation = everything;
    }
    assert!(!is_accepted(&machine, &certificate));
}

#[test]
fn a_relation_with_the_branches_of_its_root_exchanged_is_rejected() {
    let (machine, certificate) = peterson();
    for turn in 0..certificate.turns.len() {
        let mut damaged = certificate.clone();
        let root = damaged.turns[turn].relation as usize;
        let Formula::Ite(c, a, b) = damaged.formulas[root] else {
            panic!("the relation of a turn is a decision");
        };
        damaged.formulas[root] = Formula::Ite(c, b, a);
        assert!(!is_accepted(&machine, &damaged), "turn {turn}");
    }
}

/// The same program with every assertion turned round; nodes and edges keep their numbers.
fn with_assertions_negated(text: &str) -> String {
    let mut parts = text.split("assert(");
    let mut negated = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (condition, rest) = part.split_once(';').expect("an assertion ends somewhere");
        negated += &["assert(!(", condition, ");", rest].concat();
    }
    negated
}

#[test]
fn a_certificate_of_another_program_proves_nothing_that_is_false() {
    let (mut rejected, mut accepted) = (0, 0);
    for seed in 0..150 {
        let text = generate(seed, &Knobs::concurrent());
        let original = machine(&text);
        let Ok(other) = from_text("test.bp", &with_assertions_negated(&text)) else {
            continue;
        };
        let truth = check(&Oracle::default(), &other);
        for mut certificate in check(&InterleavingEngine::default(), &original).certificates {
            other.digest().clone_into(&mut certificate.program);
            for target in &mut certificate.targets {
                *target = Target::new(&other, target.node, target.kind.clone());
            }
            let is_reachable = truth.answers.iter().any(|answer| {
                let target = answer.target().expect("places were asked for");
                answer.verdict.is_yes() && certificate.targets.contains(target)
            });
            if is_accepted(&other, &certificate) {
                assert!(!is_reachable, "seed {seed}:\n{text}");
                accepted += 1;
            } else {
                rejected += 1;
            }
        }
    }
    assert!(
        rejected > 5 && accepted > 0,
        "{rejected} rejected, {accepted} accepted"
    );
}
