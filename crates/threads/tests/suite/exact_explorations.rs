//! The explicit and the symbolic exploration agree with each other and with brute force, whatever
//! is reduced.

use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Answer, Budget, Engine, Evidence, Limit, Outcome, Question, Silent, Trace, Verdict,
};
use hardbop_testkit::{Knobs, generate};
use hardbop_threads::{Exploration, InterleavingEngine, Reductions};
use std::ops::Range;

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn ask(engine: &dyn Engine, machine: &Machine) -> Outcome {
    let question = Question::assertions(machine);
    engine.check(machine, &question, &Budget::unlimited(), &mut Silent)
}

fn engine(exploration: Exploration, reductions: Reductions) -> InterleavingEngine {
    InterleavingEngine {
        exploration,
        reductions,
    }
}

/// Context switches and steps of a run.
fn cost(machine: &Machine, trace: &Trace) -> (usize, u128) {
    let replayed = replay(machine, trace).unwrap_or_else(|error| panic!("{error}"));
    let is_context = |thread: u32| machine.init.is_none() || thread != 0;
    let contexts = trace.segments.iter().filter(|s| is_context(s.thread));
    (contexts.count().saturating_sub(1), replayed.flat_steps)
}

fn is_unsupported(answer: &Answer) -> bool {
    let unsupported = |why: &Limit| matches!(why, Limit::Declined { .. });
    matches!(&answer.verdict, Verdict::Unknown(why) if unsupported(why))
}

/// Generated programs with what the symbolic exploration says of them; those with recursion left
/// out.
fn programs(seeds: Range<u64>) -> impl Iterator<Item = (u64, Machine, Outcome)> {
    let symbolic = engine(Exploration::Symbolic, Reductions::ALL);
    let presets = [Knobs::concurrent(), Knobs::relay(), Knobs::everything()];
    let texts = presets.into_iter().flat_map(move |knobs| {
        let texts = seeds
            .clone()
            .map(move |seed| (seed, generate(seed, &knobs)));
        texts.collect::<Vec<_>>()
    });
    texts.filter_map(move |(seed, text)| {
        let machine = machine(&text);
        let outcome = ask(&symbolic, &machine);
        let is_taken = !outcome.answers.iter().any(is_unsupported);
        is_taken.then_some((seed, machine, outcome))
    })
}

#[test]
fn explicit_and_symbolic_runs_have_the_same_switches_and_steps() {
    let (mut runs, mut proofs) = (0, 0);
    for (seed, machine, symbolic) in programs(0..100) {
        let explicit = ask(&engine(Exploration::Explicit, Reductions::ALL), &machine);
        for (one, other) in symbolic.answers.iter().zip(&explicit.answers) {
            let text = machine.source.text();
            if let (Verdict::Found(Evidence::Run(one)), Verdict::Found(Evidence::Run(other))) =
                (&one.verdict, &other.verdict)
            {
                let costs = (cost(&machine, one), cost(&machine, other));
                assert_eq!(costs.0, costs.1, "seed {seed}\n{text}");
                runs += 1;
            } else {
                assert_eq!(one.verdict, other.verdict, "seed {seed}\n{text}");
                proofs += 1;
            }
        }
    }
    assert!(runs > 50 && proofs > 50, "{runs} runs, {proofs} proofs");
}
