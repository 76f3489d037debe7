//! The portfolio on generated programs: everyone agrees, answers are validated, and the same
//! question gives the same answer.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Bound, Budget, Engine, Outcome, Question, Silent, Verdict};
use hardbop_portfolio::{Choice, Portfolio};
use hardbop_testkit::{Knobs, TabulationEngine, generate};
use std::num::NonZeroUsize;

fn machine(seed: u64, knobs: &Knobs) -> Machine {
    let text = generate(seed, knobs);
    from_text("generated.bp", &text).expect("generated programs are valid")
}

fn answer(portfolio: &Portfolio, machine: &Machine, question: &Question) -> Outcome {
    let outcome = portfolio.check(machine, question, &Budget::unlimited(), &mut Silent);
    outcome.unwrap_or_else(|refused| panic!("{refused}\n{}", machine.source.text()))
}

#[test]
fn the_default_decides_what_tabulation_decides() {
    let (mut found, mut excluded) = (0, 0);
    for knobs in [Knobs::tiny(), Knobs::recursive(), Knobs::integers()] {
        for seed in 0..60 {
            let machine = machine(seed, &knobs);
            let question = Question::every_target(&machine);
            let outcome = answer(&Portfolio::default(), &machine, &question);
            let budget = Budget {
                states: Some(20_000),
                ..Budget::unlimited()
            };
            let tabulated = TabulationEngine.check(&machine, &question, &budget, &mut Silent);
            for (one, other) in outcome.answers.iter().zip(&tabulated.answers) {
                match (&one.verdict, &other.verdict) {
                    (_, Verdict::Unknown(_)) => {}
                    (Verdict::Yes(_), Verdict::Yes(_)) => found += 1,
                    (Verdict::No(_), Verdict::No(_)) => excluded += 1,
                    (one, other) => panic!("{one:?} and {other:?}: {}", machine.source.text()),
                }
            }
        }
    }
    assert!(found > 150 && excluded > 150, "{found} and {excluded}");
}

#[test]
fn everyone_agrees_with_everyone_about_sequential_programs() {
    let portfolio = Portfolio {
        choice: Choice::CrossCheck,
        ..Portfolio::default()
    };
    for seed in 100..160 {
        let machine = machine(seed, &Knobs::sequential());
        answer(&portfolio, &machine, &Question::every_target(&machine));
    }
}

#[test]
fn everyone_agrees_with_everyone_about_threads_and_bounds() {
    let portfolio = Portfolio {
        choice: Choice::CrossCheck,
        ..Portfolio::default()
    };
    for seed in 0..24 {
        let machine = machine(seed, &Knobs::concurrent());
        let question = Question::every_target(&machine);
        if question.targets().is_empty() || machine.threads.is_empty() {
            continue;
        }
        for bound in [Bound::ContextSwitches(1), Bound::Rounds(2)] {
            answer(&portfolio, &machine, &question.clone().within(bound));
        }
    }
}

#[test]
fn the_same_question_gives_the_same_outcome_and_jobs_the_same_verdicts() {
    let family = hardbop_families::find("terminator").expect("a family of the table");
    let text = family.generate(1, 1).text;
    let machine = from_text("terminator.bp", &text).expect("families are valid");
    let question = Question::assertions(&machine);
    let first = answer(&Portfolio::default(), &machine, &question);
    assert_eq!(answer(&Portfolio::default(), &machine, &question), first);
    let two = Portfolio {
        jobs: NonZeroUsize::new(2).expect("two is not zero"),
        ..Portfolio::default()
    };
    let words = |outcome: &Outcome| -> Vec<String> {
        let answers = outcome.answers.iter();
        answers.map(|answer| answer.word().to_string()).collect()
    };
    assert_eq!(words(&answer(&two, &machine, &question)), words(&first));
}
