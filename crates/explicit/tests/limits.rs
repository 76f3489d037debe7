//! Running out is an answer of its own, never a wrong one.

use hardbop_automata::{Property, PropertyText};
use hardbop_explicit::{ExplicitEngine, Search};
use hardbop_machine::from_text;
use hardbop_outcome::{
    Budget, Engine, Event, Interrupt, Limit, Progress, Question, Silent, Verdict,
};
use std::num::NonZeroUsize;

const FAILS: &str = "decl int<4> n; void main() begin n := 0; f(); assert(n < 12); end
    void f() begin if (*) then n := n + 1; f(); fi end";
const HOLDS: &str = "decl int<4> n; void main() begin n := 0; f(); assert(n <= 12); end
    void f() begin if (n < 12 & *) then n := n + 1; f(); fi end";

struct Stop(Limit);

impl Interrupt for Stop {
    fn check(&self) -> Option<Limit> {
        Some(self.0.clone())
    }
}

const SEARCHES: [Search; 2] = [Search::Dfs, Search::Bfs];

fn verdict(text: &str, search: Search, lazy: bool, budget: &Budget<'_>) -> Verdict {
    let machine = from_text("limits.bp", text).expect("the program is valid");
    let question = Question::assertions(&machine);
    let engine = ExplicitEngine {
        search,
        lazy,
        ..ExplicitEngine::default()
    };
    let mut outcome = engine.check(&machine, &question, budget, &mut Silent);
    outcome.answers.remove(0).verdict
}

#[test]
fn too_few_states_give_unknown_and_enough_give_the_verdict() {
    for search in SEARCHES {
        let mut answered = [false; 2];
        for states in (1..400).step_by(3) {
            let budget = Budget {
                states: Some(states),
                ..Budget::unlimited()
            };
            for (program, text) in [FAILS, HOLDS].into_iter().enumerate() {
                match verdict(text, search, true, &budget) {
                    Verdict::Unknown(why) => assert_eq!(why, Limit::States),
                    Verdict::Yes(_) if text == FAILS => answered[program] = true,
                    Verdict::No(_) if text == HOLDS => answered[program] = true,
                    other => panic!("{search:?} with {states} states: {other:?}"),
                }
            }
        }
        assert_eq!(answered, [true; 2], "{search:?} never answers");
    }
}

#[test]
fn memory_is_counted() {
    let text =
        "decl int<40> n; void main() begin n := 0; while (*) do n := n + 1; od assert(n = n); end";
    for search in SEARCHES {
        let budget = Budget {
            memory: Some(1 << 20),
            ..Budget::unlimited()
        };
        let verdict = verdict(text, search, true, &budget);
        assert_eq!(verdict, Verdict::Unknown(Limit::Memory));
    }
}

#[test]
fn an_interrupt_is_heard_while_a_split_finds_nothing() {
    // No square is 3 modulo 2^40, so all values of x are tried in vain in one step.
    let text = "decl int<40> x; void main() begin assume(x * x = 3); assert(0); end";
    let stop = Stop(Limit::Time);
    let budget = Budget {
        interrupt: &stop,
        ..Budget::unlimited()
    };
    for search in SEARCHES {
        let verdict = verdict(text, search, true, &budget);
        assert_eq!(verdict, Verdict::Unknown(Limit::Time));
    }
}

#[test]
fn initial_states_that_are_enumerated_hear_of_limits_too() {
    let text = "decl int<40> x; void main() begin x := x + 1; assert(x = x); end";
    let stop = Stop(Limit::Interrupted);
    let budget = Budget {
        interrupt: &stop,
        ..Budget::unlimited()
    };
    for search in SEARCHES {
        let verdict = verdict(text, search, false, &budget);
        let why = Limit::Interrupted;
        assert_eq!(verdict, Verdict::Unknown(why));
    }
}

/// Counts what an engine says.
#[derive(Default)]
struct Heard {
    counts: Vec<u64>,
}

impl Progress for Heard {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Count("states", count) = event {
            self.counts.push(count);
        }
    }
}

#[test]
fn long_searches_say_how_far_they_have_come() {
    let text = "decl int<40> n, m;
        void main() begin
          n, m := 0, 0;
          while (*) do if (*) then n := n + 1; else m := m + 1; fi od
          assert(n = n);
        end";
    let machine = from_text("long.bp", text).expect("the program is valid");
    let budget = Budget {
        states: Some(300_000),
        ..Budget::unlimited()
    };
    let is_growing = |heard: &Heard| {
        let counts = &heard.counts;
        !counts.is_empty() && counts.is_sorted() && counts.iter().all(|&count| count <= 300_002)
    };
    for jobs in [1, 2] {
        let mut heard = Heard::default();
        let engine = ExplicitEngine {
            jobs: NonZeroUsize::new(jobs).expect("there is a worker"),
            ..ExplicitEngine::default()
        };
        engine.check(
            &machine,
            &Question::assertions(&machine),
            &budget,
            &mut heard,
        );
        assert!(is_growing(&heard), "{jobs} jobs: {:?}", heard.counts);
    }
    let formula = PropertyText::Ltl {
        formula: "G n != 1099511627775".to_owned(),
    };
    let property = Property::read(&machine, formula).expect("the formula is valid");
    let mut heard = Heard::default();
    let engine = ExplicitEngine::default();
    let outcome = engine.check(&machine, &Question::property(property), &budget, &mut heard);
    let unknown = Verdict::Unknown(Limit::States);
    assert_eq!(outcome.answers[0].verdict, unknown);
    assert!(is_growing(&heard), "{:?}", heard.counts);
}

#[test]
fn programs_with_threads_are_not_taken() {
    let text = "decl g; thread a begin void main() begin g := 1; end end
        thread b begin void main() begin assert(g); end end";
    let verdict = verdict(text, Search::Dfs, true, &Budget::unlimited());
    assert!(matches!(verdict, Verdict::Unknown(Limit::Declined { .. })));
}
