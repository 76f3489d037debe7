//! Four ways to the same answer: the paper's formulas, the direct engine, sequentialization and
//! brute force over schedules agree on what is reached with this many context switches, and in so
//! many rounds, on generated programs whose threads wait for each other.
//!
//! `HARDBOP_SEED=1000 HARDBOP_PROGRAMS=2000 cargo test --release -p hardbop-transform --test four_ways -- --nocapture`
//! runs any other seeds, and prints what was compared.

#[path = "../../testkit/tests/seeds/mod.rs"]
mod seeds;

use hardbop_calculus::decide_threads;
use hardbop_calculus::threads::ThreadBound;
use hardbop_interpreter::replay;
use hardbop_machine::{Machine, NodeId, from_text};
use hardbop_outcome::{
    Bound, Budget, Engine, Evidence, Limit, Question, Silent, Support, Trace, Verdict, WantedRun,
};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::{ContextOracle, Cost, Knobs, generate, shrink};
use hardbop_threads::BoundedEngine;
use hardbop_transform::Through;
use seeds::seeds;

/// The most context switches, and the most rounds.
const SWITCHES: u32 = 4;
const ROUNDS: u32 = 3;

/// The most threads, those that are started included.
const THREADS: usize = 3;

/// What has been compared.
#[derive(Clone, Debug, Default)]
struct Tally {
    programs: u64,
    /// Targets by the least number of context switches, and those that are not reached.
    least: [u64; SWITCHES as usize + 2],
    /// Answers of each about context switches and about rounds.
    direct: [u64; 2],
    formula: [u64; 2],
    sequential: u64,
    oracle: [u64; 2],
}

/// What a program's targets are known to cost so far; `None` for more than was looked at.
struct Known {
    least: Vec<Option<u32>>,
    /// Whether `None` means that there is nothing.
    is_exact: bool,
}

fn limited() -> Budget<'static> {
    Budget {
        nodes: Some(1 << 18),
        threads: Some(THREADS as u32),
        ..Budget::unlimited()
    }
}

/// What brute force finds.
fn brute_force(machine: &Machine, question: &Question, cost: Cost, max_cost: u32) -> Known {
    let oracle = ContextOracle {
        cost,
        max_cost,
        max_threads: THREADS,
        max_configurations: 10_000,
        ..ContextOracle::default()
    };
    let found = oracle.least_costs(machine, question.targets());
    Known {
        least: found.reached,
        is_exact: found.missed.is_none(),
    }
}

/// Whether each target is reached; nothing where the engine says that it cannot tell.
type Answers = Vec<Option<bool>>;

/// What the direct engine finds; its runs are replayed.
fn direct(machine: &Machine, question: &Question, bound: Bound) -> Result<Vec<Verdict>, String> {
    let question = question.clone().within(bound);
    let outcome = BoundedEngine.check(machine, &question, &limited(), &mut Silent);
    let verdicts = outcome.answers.into_iter().map(|answer| answer.verdict);
    let verdicts: Vec<Verdict> = verdicts.collect();
    for verdict in &verdicts {
        if let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = verdict {
            replay(machine, trace).map_err(|error| format!("the direct engine's run: {error}"))?;
        }
    }
    Ok(verdicts)
}

/// The verdicts as answers; anything but a limit is a mistake.
fn answers(verdicts: &[Verdict]) -> Result<Answers, String> {
    let answers = verdicts.iter().map(|verdict| match verdict {
        Verdict::Yes(_) => Ok(Some(true)),
        Verdict::No(_) => Ok(Some(false)),
        Verdict::Unknown(Limit::Nodes | Limit::Threads) => Ok(None),
        other @ Verdict::Unknown(_) => Err(format!("{other:?}")),
    });
    answers.collect()
}

/// What the formula says.
fn formula(machine: &Machine, question: &Question, bound: ThreadBound) -> Result<Answers, String> {
    let nodes: Vec<NodeId> = question.targets().iter().map(|t| t.node).collect();
    match decide_threads(machine, &nodes, bound, &limited()) {
        Ok(decided) => {
            let is_known = |&is_reached: &bool| is_reached || !decided.is_short_of_threads;
            let answers = decided.is_reached.iter();
            let answers = answers.map(|&is_reached| Some(is_reached).filter(is_known));
            Ok(answers.collect())
        }
        Err(Limit::Nodes) => Ok(vec![None; question.targets().len()]),
        Err(other) => Err(format!("the formula: {other}")),
    }
}

/// What the sequential program says; its runs are translated back and replayed.
fn sequential(machine: &Machine, question: &Question, rounds: u32) -> Result<Answers, String> {
    let engine = Through::sequentialized(Box::new(SummaryEngine::default()));
    let question = question.clone().within(Bound::Rounds(rounds));
    let question = question.wanting(WantedRun::Any);
    let outcome = engine.check(machine, &question, &limited(), &mut Silent);
    for answer in &outcome.answers {
        if let Verdict::Yes(Support::Evidence(Evidence::Run(run))) = &answer.verdict {
            replay(machine, run).map_err(|error| format!("the sequential run: {error}"))?;
        }
    }
    let verdicts: Vec<Verdict> = outcome.answers.into_iter().map(|a| a.verdict).collect();
    answers(&verdicts)
}

/// Context switches of a run.
fn switches(machine: &Machine, trace: &Trace) -> u32 {
    let segments = trace.segments.iter().filter(|s| !s.steps.is_empty());
    let segments = segments.filter(|s| machine.init.is_none() || s.thread != 0);
    (segments.count() as u32).saturating_sub(1)
}

/// Holds answers for a bound against what is known; counts those that are settled.
fn compare(
    who: &str,
    question: &Question,
    answers: &[Option<bool>],
    known: &Known,
    bound: u32,
) -> Result<u64, String> {
    let mut settled = 0;
    for (at, &answer) in answers.iter().enumerate() {
        let expected = known.least[at].is_some_and(|least| least <= bound);
        let is_wrong = match answer {
            Some(true) => !expected && known.is_exact,
            Some(false) => expected,
            None => false,
        };
        if is_wrong {
            let (target, least) = (&question.targets()[at], known.least[at]);
            return Err(format!(
                "{who} says {answer:?} of {target} with {bound}; it takes {least:?}"
            ));
        }
        settled += u64::from(answer.is_some() && (expected || known.is_exact));
    }
    Ok(settled)
}

/// What the direct engine knows, for comparisons where brute force gave up.
fn by_direct(machine: &Machine, question: &Question) -> Result<Known, String> {
    let verdicts = direct(machine, question, Bound::ContextSwitches(SWITCHES))?;
    let is_exact = answers(&verdicts)?.iter().all(Option::is_some);
    let least = verdicts.iter().map(|verdict| match verdict {
        Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => Some(switches(machine, trace)),
        _ => None,
    });
    Ok(Known {
        least: least.collect(),
        is_exact,
    })
}

/// Asks all four about a program.
fn agree(seed: u64, machine: &Machine, tally: &mut Tally) -> Result<(), String> {
    let question = Question::every_target(machine);
    // Each of these is part of the bounds, so that over many programs all bounds occur.
    let (fewer, rounds) = (
        (seed % u64::from(SWITCHES)) as u32,
        1 + (seed % u64::from(ROUNDS)) as u32,
    );
    let truth = brute_force(machine, &question, Cost::Switches, SWITCHES);
    let known = by_direct(machine, &question)?;
    for (at, (&found, &expected)) in known.least.iter().zip(&truth.least).enumerate() {
        let is_more = expected.is_some_and(|least| found.is_none_or(|found| found > least));
        let is_less =
            truth.is_exact && found.is_some_and(|found| expected.is_none_or(|least| found < least));
        if is_less || is_more && known.is_exact {
            let target = &question.targets()[at];
            return Err(format!(
                "the direct engine: {target} with {found:?}, not {expected:?}"
            ));
        }
        if let Some(least) = expected {
            tally.least[least as usize] += 1;
        } else if truth.is_exact {
            tally.least[SWITCHES as usize + 1] += 1;
        }
        tally.direct[0] += 1;
        tally.oracle[0] += u64::from(expected.is_some() || truth.is_exact);
    }
    for bound in [fewer, SWITCHES] {
        let said = formula(machine, &question, ThreadBound::Contexts(bound))?;
        compare("the formula", &question, &said, &truth, bound)?;
        tally.formula[0] += compare(
            "the formula (by the direct engine)",
            &question,
            &said,
            &known,
            bound,
        )?;
    }
    let truth = brute_force(machine, &question, Cost::Rounds, rounds - 1);
    let found = answers(&direct(machine, &question, Bound::Rounds(rounds))?)?;
    tally.direct[1] += found.iter().flatten().count() as u64;
    tally.oracle[1] += compare(
        "the direct engine, rounds",
        &question,
        &found,
        &truth,
        rounds - 1,
    )?;
    let known = Known {
        least: found
            .iter()
            .map(|found| found.filter(|&is| is).map(|_| 0))
            .collect(),
        is_exact: found.iter().all(Option::is_some),
    };
    let said = formula(machine, &question, ThreadBound::Rounds(rounds))?;
    compare(
        "the formula of rounds",
        &question,
        &said,
        &truth,
        rounds - 1,
    )?;
    tally.formula[1] += compare(
        "the formula of rounds (by the direct engine)",
        &question,
        &said,
        &known,
        0,
    )?;
    let said = sequential(machine, &question, rounds)?;
    compare("sequentialization", &question, &said, &truth, rounds - 1)?;
    tally.sequential += compare(
        "sequentialization (by the direct engine)",
        &question,
        &said,
        &known,
        0,
    )?;
    tally.programs += 1;
    Ok(())
}

/// Runs all seeds of a preset; a program on which two disagree is made small first.
fn all_agree(knobs: &Knobs, usual: u64) -> (Tally, bool) {
    let (seeds, by_hand) = seeds(usual);
    let mut tally = Tally::default();
    for seed in seeds {
        let text = generate(seed, knobs);
        let check = |text: &str, tally: &mut Tally| -> Option<String> {
            let machine = from_text("generated.bp", text).ok()?;
            agree(seed, &machine, tally).err()
        };
        if let Some(what) = check(&text, &mut tally) {
            let small = shrink(&text, &mut |candidate| {
                check(candidate, &mut Tally::default()).is_some()
            });
            let what_small = check(&small, &mut Tally::default());
            panic!("seed {seed}: {what}\n{text}\nshrunk ({what_small:?}):\n{small}");
        }
    }
    (tally, by_hand)
}

#[test]
fn threads_that_wait_for_each_other() {
    let (tally, by_hand) = all_agree(&Knobs::relay(), 30);
    #[allow(
        clippy::print_stdout,
        reason = "shown to a person who asks for other seeds"
    )]
    {
        println!("{tally:?}");
    }
    // Programs in which it makes a difference how often threads take turns, or all of this would
    // compare little.
    let interplay = &tally.least[1..=SWITCHES as usize];
    assert!(
        by_hand || interplay.iter().all(|&count| count > 5),
        "{tally:?}"
    );
}
