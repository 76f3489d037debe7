//! The game agrees with brute force on programs without recursion, with linear time where both can
//! say it, and with hand-made programs where the stack decides. Every strategy is checked, and
//! damaged ones are rejected.

mod by_hand;
mod damage;
mod formulas;

use formulas::{quantified, quantified_by, random_atom, random_formula};
use hardbop_automata::{Ctl, Property, PropertyText};
use hardbop_branching::{BranchingEngine, check_strategy};
use hardbop_brute_force::{Bounds, holds_everywhere};
use hardbop_explicit::ExplicitEngine;
use hardbop_families::random::Random;
use hardbop_families::{Knobs, generate};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Budget, Engine, Evidence, Limit, NeverInterrupted, Question, Silent, Strategy, Support, Verdict,
};
use std::sync::Arc;

/// Larger programs are left out.
const STATES: u64 = 4_000;

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).expect("the program is valid")
}

fn ctl(machine: &Machine, formula: &str) -> Ctl {
    Ctl::read(machine, formula).unwrap_or_else(|errors| panic!("{formula}: {errors:?}"))
}

/// What the engine says about a formula; nothing if the program is too large. Its evidence is
/// judged.
fn verdict(machine: &Machine, formula: &str) -> Option<Verdict> {
    let ctl = ctl(machine, formula);
    let engine = BranchingEngine {
        runs: Arc::new(ExplicitEngine::default()),
    };
    let budget = Budget {
        states: Some(STATES),
        ..Budget::unlimited()
    };
    let question = Question::branching(ctl.clone());
    let mut outcome = engine.check(machine, &question, &budget, &mut Silent);
    let answer = outcome.answers.pop().expect("one question, one answer");
    match &answer.verdict {
        Verdict::Unknown(Limit::States) => return None,
        Verdict::Yes(Support::Evidence(Evidence::Strategy(strategy))) => {
            assert!(!strategy.holds);
            judged(machine, &ctl, strategy, formula);
        }
        Verdict::No(Support::Evidence(Evidence::Strategy(strategy))) => {
            assert!(strategy.holds);
            judged(machine, &ctl, strategy, formula);
        }
        Verdict::Yes(Support::Evidence(Evidence::Lasso(_))) => {}
        Verdict::No(_) => assert!(answer.verdict.why_uncertified().is_some()),
        other => panic!("{formula}: {other:?}"),
    }
    Some(answer.verdict)
}

fn judged(machine: &Machine, ctl: &Ctl, strategy: &Strategy, formula: &str) {
    let judged = check_strategy(machine, ctl, strategy, &NeverInterrupted);
    assert_eq!(judged, Ok(()), "{formula}\n{}", machine.source.text());
}

fn holds(machine: &Machine, formula: &str) -> Option<bool> {
    Some(!verdict(machine, formula)?.is_yes())
}

/// All configurations one by one, if there are few.
fn by_brute_force(machine: &Machine, formula: &str) -> Option<bool> {
    let budget = Budget {
        states: Some(STATES),
        ..Budget::unlimited()
    };
    let bounds = Bounds {
        stack: 6,
        threads: 1,
    };
    let formula = ctl(machine, formula);
    let (holds, _) = holds_everywhere(machine, &formula, bounds, &budget, &mut Silent);
    holds.ok()
}

fn in_linear_time(machine: &Machine, formula: &str) -> Option<bool> {
    let text = PropertyText::Ltl {
        formula: formula.to_owned(),
    };
    let property = Property::read(machine, text).expect("it is a formula");
    let budget = Budget {
        states: Some(20 * STATES),
        ..Budget::unlimited()
    };
    let question = Question::property(property);
    let outcome = ExplicitEngine::default().check(machine, &question, &budget, &mut Silent);
    match outcome.answers[0].verdict {
        Verdict::No(_) => Some(true),
        Verdict::Yes(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

/// Calls `check` with generated sequential programs.
fn each_program(
    knobs: &Knobs,
    seeds: std::ops::Range<u64>,
    mut check: impl FnMut(&mut Random, &Machine),
) {
    let mut random = Random::new(seeds.start + 1);
    for seed in seeds {
        let machine = machine(&generate(seed, knobs));
        if machine.is_sequential() {
            check(&mut random, &machine);
        }
    }
}

fn agrees_with_brute_force(knobs: &Knobs, seeds: std::ops::Range<u64>, enough: usize) {
    let (mut compared, mut held) = (0, 0);
    each_program(knobs, seeds, |random, machine| {
        for _ in 0..4 {
            let formula = random_formula(random, machine, 3);
            let formula = quantified(random, &formula);
            let Some(expected) = by_brute_force(machine, &formula) else {
                continue;
            };
            let Some(found) = holds(machine, &formula) else {
                continue;
            };
            assert_eq!(found, expected, "{formula}\n{}", machine.source.text());
            compared += 1;
            held += usize::from(found);
        }
    });
    assert!(compared >= enough, "only {compared} compared");
    assert!(
        held * 5 > compared && held * 5 < 4 * compared,
        "{held} of {compared} hold"
    );
}

#[test]
fn verdicts_are_those_of_brute_force_without_recursion() {
    let knobs = Knobs {
        recursion: 0,
        ..Knobs::sequential()
    };
    agrees_with_brute_force(&knobs, 0..250, 600);
}

#[test]
fn verdicts_are_those_of_brute_force_with_little_recursion_and_integers() {
    agrees_with_brute_force(&Knobs::tiny(), 0..150, 250);
    agrees_with_brute_force(&Knobs::integers(), 0..100, 100);
    agrees_with_brute_force(&Knobs::recursive(), 0..150, 60);
}

#[test]
fn verdicts_are_those_of_linear_time_on_recursive_programs() {
    let mut compared = 0;
    each_program(&Knobs::recursive(), 300..460, |random, machine| {
        let (p, q) = (random_atom(random, machine), random_atom(random, machine));
        // Formulas whose meaning is the same with all quantifiers `A` and without them.
        for formula in [
            format!("? G {p}"),
            format!("? F {p}"),
            format!("? X {p}"),
            format!("? ({p} U {q})"),
            format!("? ({p} R {q})"),
            format!("? ({p} W {q})"),
            format!("? G ? F {p}"),
            format!("? G ({p} -> ? F {q})"),
            format!("? G ({p} -> ? X {q})"),
        ] {
            let Some(expected) = in_linear_time(machine, &quantified_by(&formula, "")) else {
                continue;
            };
            let Some(verdict) = verdict(machine, &quantified_by(&formula, "A")) else {
                continue;
            };
            let source = machine.source.text();
            assert_eq!(!verdict.is_yes(), expected, "{formula}\n{source}");
            if verdict.is_yes() {
                let is_run = matches!(verdict, Verdict::Yes(Support::Evidence(Evidence::Lasso(_))));
                assert!(is_run, "{formula}: a run shows it\n{source}");
            }
            compared += 1;
        }
    });
    assert!(compared > 900, "only {compared} compared");
}

#[test]
fn a_formula_and_its_negation_are_opposites_where_there_is_one_start() {
    let mut compared = 0;
    each_program(&Knobs::recursive(), 500..580, |random, machine| {
        let one_start = machine.globals.iter().all(|global| global.initial.is_some())
            && machine.procedures[0].locals.is_empty()
            // With no run at all, both hold.
            && holds(machine, "false") == Some(false);
        let formula = random_formula(random, machine, 3);
        let formula = quantified(random, &formula);
        let p = random_atom(random, machine);
        for (one, other) in [
            (formula.clone(), format!("!({formula})")),
            (format!("AG {p}"), format!("EF !{p}")),
            (format!("AF {p}"), format!("EG !{p}")),
            (format!("AX {p}"), format!("EX !{p}")),
        ] {
            let (Some(a), Some(b)) = (holds(machine, &one), holds(machine, &other)) else {
                continue;
            };
            let source = machine.source.text();
            if one_start {
                assert_ne!(a, b, "{one}\n{source}");
                compared += 1;
            } else if holds(machine, "false") == Some(false) {
                assert!(!(a && b), "{one}\n{source}");
            }
        }
    });
    assert!(compared > 20, "only {compared} compared");
}
