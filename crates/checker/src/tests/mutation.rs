//! Certificates of random machines are accepted, and damaged ones exactly if enumeration says that
//! they still hold.

use super::reference::Reference;
use super::validate;
use crate::Rejected;
use hardbop_evidence::certificate::{Bit, Direction, Formula};
use hardbop_machine::Machine;
use hardbop_outcome::{
    Budget, Certificate, Engine, NeverInterrupted, Question, Silent, Target, Verdict,
};
use hardbop_testkit::random::Random;
use hardbop_testkit::{Knobs, Oracle, generate};

/// Frames of more bits take the enumeration too long.
const MOST_BITS: u32 = 4;

fn random_machine(seed: u64, knobs: &Knobs) -> Machine {
    let text = generate(seed, knobs);
    hardbop_machine::from_text("random.bp", &text).expect("generated programs are good")
}

fn questions(machine: &Machine) -> Vec<Target> {
    let mut targets = Target::assertions(machine);
    targets.extend(Target::labels(machine, "TARGET"));
    targets
}

/// Damages one thing.
fn mutate(random: &mut Random, certificate: &mut Certificate) {
    let count = certificate.formulas.len();
    let nodes = certificate.nodes.len();
    if nodes == 0 || count == 0 {
        return;
    }
    let earlier = |random: &mut Random, index: usize| random.below(index) as u32;
    match random.below(10) {
        0 => {
            certificate.nodes.remove(random.below(nodes));
        }
        1 => {
            let (a, b) = (random.below(nodes), random.below(nodes));
            if certificate.nodes[a].procedure == certificate.nodes[b].procedure {
                certificate.nodes[a].relation = certificate.nodes[b].relation;
            }
        }
        2 => {
            let node = random.below(nodes);
            certificate.nodes[node].to_exit = None;
        }
        3 => {
            // A whole relation becomes its negation, or a constant.
            let node = random.below(nodes);
            certificate.formulas.push(if random.percent(50) {
                Formula::Not(certificate.nodes[node].relation)
            } else {
                Formula::Constant(random.percent(50))
            });
            certificate.nodes[node].relation = count as u32;
        }
        4 => {
            let node = random.below(nodes);
            if let Some(to_exit) = &mut certificate.nodes[node].to_exit {
                certificate.formulas.push(Formula::Not(*to_exit));
                *to_exit = count as u32;
            }
        }
        _ => {
            let index = random.below(count);
            let formula = &mut certificate.formulas[index];
            *formula = match formula.clone() {
                Formula::Constant(value) => Formula::Constant(!value),
                leaf @ (Formula::Entry(_)
                | Formula::Now(_)
                | Formula::Exit(_)
                | Formula::Thread(_)) => {
                    if random.percent(50) {
                        Formula::Constant(random.percent(50))
                    } else {
                        swapped(leaf)
                    }
                }
                Formula::Not(_) => Formula::Not(earlier(random, index)),
                Formula::And(operands) | Formula::Or(operands) if operands.is_empty() => {
                    Formula::Constant(random.percent(50))
                }
                Formula::And(mut operands) => {
                    operands.remove(random.below(operands.len()));
                    Formula::And(operands)
                }
                Formula::Or(mut operands) => {
                    let position = random.below(operands.len());
                    if random.percent(50) {
                        operands.remove(position);
                    } else {
                        operands[position] = earlier(random, index);
                    }
                    Formula::Or(operands)
                }
                Formula::Ite(c, a, b) => Formula::Ite(c, b, a),
            };
        }
    }
}

/// The same bit at another moment.
fn swapped(leaf: Formula) -> Formula {
    let now = |bit: Bit| Formula::Now(bit);
    match leaf {
        Formula::Entry(bit) | Formula::Exit(bit) => now(bit),
        Formula::Now(bit) => Formula::Entry(bit),
        other => other,
    }
}

/// Damages the least certificates of random machines; gives how many were accepted and rejected.
fn compare(direction: Direction, knobs: &Knobs, seeds: std::ops::Range<u64>) -> [u32; 2] {
    let mut counts = [0, 0];
    for seed in seeds {
        let machine = random_machine(seed, knobs);
        let Some(reference) = Reference::new(&machine, MOST_BITS) else {
            continue;
        };
        let targets = questions(&machine);
        let Some(facts) = reference.least(direction, &targets) else {
            continue;
        };
        let certificate = reference.certificate(direction, targets, &facts);
        assert!(reference.accepts(&certificate));
        validate(&machine, &certificate).unwrap_or_else(|rejected| {
            panic!("seed {seed}: {rejected}\n{}", machine.source.text())
        });
        let mut random = Random::new(seed);
        for round in 0..8 {
            let mut damaged = certificate.clone();
            mutate(&mut random, &mut damaged);
            let answer = validate(&machine, &damaged);
            if let Err(Rejected::Malformed { .. }) = answer {
                continue;
            }
            let expected = reference.accepts(&damaged);
            let text = machine.source.text();
            assert_eq!(
                answer.is_ok(),
                expected,
                "seed {seed}, round {round}: {answer:?}\n{text}"
            );
            counts[usize::from(answer.is_err())] += 1;
        }
    }
    counts
}

#[test]
fn forward_certificates_are_judged_as_enumeration_judges_them() {
    let tiny = compare(Direction::Forward, &Knobs::tiny(), 0..60);
    let recursive = compare(Direction::Forward, &Knobs::recursive(), 0..60);
    assert!(tiny.iter().all(|&count| count > 25), "{tiny:?}");
    assert!(recursive.iter().all(|&count| count > 10), "{recursive:?}");
}

#[test]
fn backward_certificates_are_judged_as_enumeration_judges_them() {
    let tiny = compare(Direction::Backward, &Knobs::tiny(), 0..60);
    let recursive = compare(Direction::Backward, &Knobs::recursive(), 0..60);
    assert!(tiny.iter().all(|&count| count > 25), "{tiny:?}");
    assert!(recursive.iter().all(|&count| count > 10), "{recursive:?}");
}

/// The least solution exists exactly if no target is reachable: the conditions are sound, and
/// complete too.
#[test]
fn both_directions_have_a_certificate_exactly_if_the_oracle_reaches_no_target() {
    let oracle = Oracle::default();
    let mut counts = [0, 0];
    for (seed, knobs) in
        (0..50).flat_map(|seed| [Knobs::tiny(), Knobs::recursive()].map(|knobs| (seed, knobs)))
    {
        let machine = random_machine(seed, &knobs);
        let Some(reference) = Reference::new(&machine, MOST_BITS) else {
            continue;
        };
        let targets = questions(&machine);
        let question = Question::reach(targets.clone());
        let outcome = oracle.check(&machine, &question, &Budget::unlimited(), &mut Silent);
        let is_reachable = |verdict: &Verdict| matches!(verdict, Verdict::Yes(_));
        let answers = || outcome.answers.iter().map(|answer| &answer.verdict);
        let is_reached = answers().any(is_reachable);
        if !is_reached && answers().any(|verdict| !verdict.is_no_for_all_runs()) {
            continue;
        }
        for direction in [Direction::Forward, Direction::Backward] {
            let facts = reference.least(direction, &targets);
            let text = machine.source.text();
            assert_eq!(
                facts.is_none(),
                is_reached,
                "seed {seed} {direction:?}\n{text}"
            );
        }
        counts[usize::from(is_reached)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

#[test]
fn certificates_of_the_oracle_are_accepted() {
    let oracle = Oracle {
        with_certificate: true,
        max_configurations: 3_000,
        ..Oracle::default()
    };
    let mut accepted = 0;
    for (name, knobs) in Knobs::presets() {
        for seed in 0..25 {
            let machine = random_machine(seed, &knobs);
            let question = Question::reach(questions(&machine));
            let outcome = oracle.check(&machine, &question, &Budget::unlimited(), &mut Silent);
            let Some(certificate) = outcome.certificates.first() else {
                continue;
            };
            let answer = crate::validate(&machine, certificate, &NeverInterrupted);
            let text = machine.source.text();
            assert!(answer.is_ok(), "{name} {seed}: {answer:?}\n{text}");
            accepted += 1;
        }
    }
    assert!(accepted > 20, "{accepted}");
}
