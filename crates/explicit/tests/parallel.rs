//! Several cores give the answers that one gives: the same verdicts, and where everything was seen
//! the same counts and certificates.

use hardbop_explicit::{ExplicitEngine, Search};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Budget, Engine, Evidence, Interrupt, Limit, Outcome, Question, Silent, Support, Verdict,
};
use hardbop_testkit::generator::{Knobs, generate};
use std::num::NonZeroUsize;

fn engine(jobs: usize, lazy: bool) -> ExplicitEngine {
    ExplicitEngine {
        search: Search::Dfs,
        lazy,
        jobs: NonZeroUsize::new(jobs).expect("there is a worker"),
    }
}

fn check(machine: &Machine, question: &Question, jobs: usize, lazy: bool) -> Outcome {
    let budget = Budget::unlimited();
    engine(jobs, lazy).check(machine, question, &budget, &mut Silent)
}

/// States, entries and summaries. (Transitions count what is made, and one core makes some returns
/// twice.)
fn counts(outcome: &Outcome) -> [(&str, u64); 3] {
    ["states", "entries", "summaries"].map(|name| {
        let count = outcome.statistics.get(name).expect("they are counted");
        (name, count)
    })
}

/// Asks everything that can be asked about a program; gives how many targets could be reached and
/// how many could not.
fn compare(text: &str, jobs: usize, lazy: bool) -> (usize, usize) {
    let machine = from_text("generated.bp", text).expect("generated programs are valid");
    let question = Question::every_target(&machine);
    let alone = check(&machine, &question, 1, lazy);
    let together = check(&machine, &question, jobs, lazy);
    let (mut reached, mut excluded) = (0, 0);
    for (one, other) in alone.answers.iter().zip(&together.answers) {
        assert_eq!(one.asked, other.asked);
        match (&one.verdict, &other.verdict) {
            (Verdict::Yes(_), Verdict::Yes(Support::Evidence(Evidence::Run(trace)))) => {
                hardbop_interpreter::replay(&machine, trace)
                    .unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(trace.target.as_ref(), other.target());
                reached += 1;
            }
            (Verdict::No(_), Verdict::No(_)) => excluded += 1,
            (one, other) => panic!("{one:?} and {other:?} in\n{text}"),
        }
    }
    if excluded > 0 {
        // Everything was seen.
        assert_eq!(counts(&alone), counts(&together), "{text}");
        assert_eq!(alone.certificates, together.certificates, "{text}");
    }
    (reached, excluded)
}

#[test]
fn two_workers_agree_with_one_on_generated_programs() {
    let presets = [
        (Knobs::tiny(), 1000),
        (Knobs::sequential(), 600),
        (Knobs::recursive(), 600),
        (Knobs::integers(), 300),
    ];
    let (mut reached, mut excluded) = (0, 0);
    for (knobs, seeds) in &presets {
        for seed in 0..*seeds {
            let (more, less) = compare(&generate(seed, knobs), 2, true);
            reached += more;
            excluded += less;
        }
    }
    assert!(reached > 2000 && excluded > 2000, "{reached} {excluded}");
}

#[test]
fn so_do_three_and_so_they_do_with_all_values_enumerated() {
    for seed in 0..100 {
        compare(&generate(seed, &Knobs::recursive()), 3, true);
        compare(&generate(seed, &Knobs::tiny()), 3, false);
    }
}

#[test]
fn families_with_many_states_have_the_same_counts() {
    for (name, size) in [
        ("counters-safe", 6),
        ("uninitialised-safe", 8),
        ("doubling-safe", 60),
    ] {
        let family = hardbop_families::find(name).expect("a family of the table");
        let (_, excluded) = compare(&family.generate(size, 0).text, 2, true);
        assert!(excluded > 0, "{name}");
    }
}

#[test]
fn a_split_into_very_many_cases_does_not_keep_the_target_from_being_found() {
    let text = "decl int<64> n, m; void main() begin m := n + 1; if (m > 1) then HIT: skip; fi end";
    let machine = from_text("wide.bp", text).expect("the program is valid");
    // There are 2^64 states to come: who meets the target has to end the search.
    let most = 1 << 20;
    let budget = Budget {
        states: Some(most),
        ..Budget::unlimited()
    };
    let question = Question::label(&machine, "HIT");
    let outcome = engine(2, true).check(&machine, &question, &budget, &mut Silent);
    let verdict = &outcome.answers[0].verdict;
    assert!(matches!(verdict, Verdict::Yes(_)), "{verdict:?}");
    let visited = outcome
        .statistics
        .get("states")
        .expect("states are counted");
    assert!(visited < most, "the search went on: {visited} states");
}

struct Stop;

impl Interrupt for Stop {
    fn check(&self) -> Option<Limit> {
        Some(Limit::Time)
    }
}

#[test]
fn every_limit_ends_all_workers() {
    let endless =
        "decl int<40> n; void main() begin n := 0; while (*) do n := n + 1; od assert(n = n); end";
    // No square is 3 modulo 2^40: all values of x are tried in vain.
    let in_vain = "decl int<40> x; void main() begin assume(x * x = 3); assert(0); end";
    let limits = [
        (Limit::States, Some(1000), None),
        (Limit::Memory, None, Some(1 << 20)),
        (Limit::Time, None, None),
    ];
    for text in [endless, in_vain] {
        let machine = from_text("limits.bp", text).expect("the program is valid");
        for (why, states, memory) in limits.clone() {
            if text == in_vain && why != Limit::Time {
                continue;
            }
            let budget = Budget {
                states,
                memory,
                interrupt: if why == Limit::Time {
                    &Stop
                } else {
                    Budget::unlimited().interrupt
                },
                ..Budget::unlimited()
            };
            let question = Question::assertions(&machine);
            let outcome = engine(2, true).check(&machine, &question, &budget, &mut Silent);
            assert_eq!(outcome.answers[0].verdict, Verdict::Unknown(why));
            let visited = outcome
                .statistics
                .get("states")
                .expect("states are counted");
            assert!(states.is_none_or(|states| visited > states && visited < states + 10));
        }
    }
}
