//! Interpreter and oracles agree on many generated programs.
//!
//! Random runs never reach what the oracle calls unreachable; every trace of an oracle replays; the
//! two oracles say the same about sequential programs; and what is near the start is found by
//! random runs too, so that the first of these is no empty promise. A program on which something
//! fails is shrunk before it is shown.

mod seeds;

use hardbop_interpreter::{End, RandomChooser, replay, simulate};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Engine, Evidence, Question, Silent, Support, Target, Verdict};
use hardbop_testkit::{Knobs, Oracle, TabulationEngine, generate, shrink};
use seeds::seeds;

/// A target that is so few steps away should be met by random runs now and then.
const NEAR: u64 = 12;
const TRIES: u64 = 8;

#[derive(Default)]
struct Totals {
    programs: u64,
    reachable: u64,
    unreachable: u64,
    unknown: u64,
    compared: u64,
    near: u64,
    near_met: u64,
}

fn every_target(machine: &Machine) -> Question {
    let mut targets = Target::assertions(machine);
    targets.extend(Target::labels(machine, "TARGET"));
    Question::reach(targets)
}

fn ask(engine: &dyn Engine, machine: &Machine, question: &Question) -> Vec<Verdict> {
    let budget = Budget {
        states: Some(20_000),
        ..Budget::unlimited()
    };
    let outcome = engine.check(machine, question, &budget, &mut Silent);
    outcome
        .answers
        .into_iter()
        .map(|answer| answer.verdict)
        .collect()
}

/// Replays the trace of a verdict; gives its length.
fn replayed(machine: &Machine, target: &Target, verdict: &Verdict) -> Result<Option<u64>, String> {
    let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = verdict else {
        return Ok(None);
    };
    let replayed = replay(machine, trace).map_err(|why| format!("{target}: {why}"))?;
    if !replayed.last.is_at(target.node) {
        return Err(format!("the trace does not end at {target}"));
    }
    Ok(Some(replayed.hierarchical_steps))
}

/// Random runs towards a target: whether one met it.
fn is_met(machine: &Machine, target: &Target, verdict: &Verdict) -> Result<bool, String> {
    let mut met = false;
    for seed in 0..TRIES {
        let run = simulate(machine, &mut RandomChooser::new(seed), 60, Some(target));
        let again = replay(machine, &run.trace);
        let again = again.map_err(|why| format!("a random run does not replay: {why}"))?;
        if again.last != run.last {
            return Err("a random run replays to another state".to_owned());
        }
        met |= run.end == End::Target;
    }
    if met && verdict.is_no_for_all_runs() {
        return Err(format!("a random run meets {target}, which is unreachable"));
    }
    Ok(met)
}

fn examine(text: &str, totals: &mut Totals) -> Result<(), String> {
    let machine = from_text("generated.bp", text).map_err(|errors| format!("{errors:#?}"))?;
    let question = every_target(&machine);
    let bounded = Oracle {
        max_stack: 5,
        max_configurations: 4000,
        ..Oracle::default()
    };
    let verdicts = ask(&bounded, &machine, &question);
    totals.programs += 1;
    for (target, verdict) in question.targets().iter().zip(&verdicts) {
        let length = replayed(&machine, target, verdict)?;
        let is_met = is_met(&machine, target, verdict)?;
        if length.is_some_and(|length| length <= NEAR) {
            totals.near += 1;
            totals.near_met += u64::from(is_met);
        }
        match verdict {
            Verdict::Yes(_) => totals.reachable += 1,
            Verdict::Unknown(_) | Verdict::No(Support::UpTo(_)) => totals.unknown += 1,
            Verdict::No(_) => totals.unreachable += 1,
        }
    }
    if !machine.is_sequential() {
        return Ok(());
    }
    let tabulated = ask(&TabulationEngine, &machine, &question);
    for (target, (verdict, other)) in question
        .targets()
        .iter()
        .zip(verdicts.iter().zip(&tabulated))
    {
        replayed(&machine, target, other)?;
        let is_unknown = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(_));
        let is_reachable = |verdict: &Verdict| matches!(verdict, Verdict::Yes(_));
        if is_unknown(verdict) || is_unknown(other) {
            continue;
        }
        totals.compared += 1;
        if is_reachable(verdict) != is_reachable(other) {
            return Err(format!("the oracles disagree about {target}"));
        }
    }
    Ok(())
}

/// Examines programs; unless a person chose them, at least this many percent of the targets must be
/// known.
fn agree(knobs: &Knobs, usual: u64, known_percent: u64) {
    let (seeds, by_hand) = seeds(usual);
    let mut totals = Totals::default();
    for seed in seeds {
        let text = generate(seed, knobs);
        if let Err(why) = examine(&text, &mut totals) {
            let mut fails = |text: &str| examine(text, &mut Totals::default()).is_err();
            let small = shrink(&text, &mut fails);
            panic!("seed {seed}: {why}\nshrunk:\n{small}\nwhole:\n{text}");
        }
    }
    if by_hand {
        return;
    }
    assert_eq!(totals.programs, usual);
    let known = totals.reachable + totals.unreachable;
    let unknown = totals.unknown;
    assert!(
        known * 100 >= (known + unknown) * known_percent,
        "known {known}, unknown {unknown}"
    );
    let reachable_percent = totals.reachable * 100 / known;
    assert!(
        (25..=75).contains(&reachable_percent),
        "{reachable_percent}% are reachable"
    );
    let [met, near] = [totals.near_met, totals.near];
    assert!(
        near > usual / 20 && met * 2 > near,
        "random runs met {met} of {near} near targets"
    );
    if knobs.threads == 0 {
        assert!(totals.compared > usual, "compared {}", totals.compared);
    }
}

#[test]
fn on_tiny_programs() {
    agree(&Knobs::tiny(), 5000, 97);
}

#[test]
fn on_sequential_programs() {
    agree(&Knobs::sequential(), 2500, 90);
}

#[test]
fn on_recursive_programs() {
    agree(&Knobs::recursive(), 1000, 40);
}

#[test]
fn on_programs_with_integers() {
    agree(&Knobs::integers(), 1500, 90);
}

#[test]
fn on_concurrent_programs() {
    agree(&Knobs::concurrent(), 500, 70);
}

#[test]
fn on_programs_with_everything() {
    agree(&Knobs::everything(), 150, 40);
}
