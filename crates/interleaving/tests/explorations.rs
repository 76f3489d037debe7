//! The explicit and the symbolic exploration agree with each other and with brute force, whatever is reduced.

use hardbop_interleaving::{Exploration, InterleavingEngine, Reductions};
use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Answer, Budget, Engine, Evidence, Limit, Outcome, Question, Silent, Trace, Verdict,
};
use hardbop_testkit::{Knobs, Oracle, generate};
use std::ops::Range;

const MOST_THREADS: u32 = 4;

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn ask(engine: &dyn Engine, machine: &Machine) -> Outcome {
    let question = Question::assertions(machine);
    let budget = Budget {
        threads: Some(MOST_THREADS),
        ..Budget::unlimited()
    };
    engine.check(machine, &question, &budget, &mut Silent)
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

/// Generated programs with what the symbolic exploration says of them; those with recursion left out.
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

/// How many configurations the explicit exploration visits, and whether it reaches the only assertion's failure.
fn visited(text: &str, reductions: Reductions) -> (u64, bool) {
    let machine = machine(text);
    let outcome = ask(&engine(Exploration::Explicit, reductions), &machine);
    let counts = outcome.statistics.iter();
    let count = counts.filter(|(name, _)| name == "configurations");
    let is_reached = matches!(outcome.answers[0].verdict, Verdict::Found(_));
    (count.map(|&(_, count)| count).sum(), is_reached)
}

const NONE: Reductions = Reductions {
    partial_order: false,
    symmetry: false,
};

#[test]
fn threads_that_share_nothing_are_taken_one_after_the_other() {
    let thread = |name: &str| {
        let body = format!("{name} := !{name}; {name} := !{name}; {name} := !{name};");
        format!("decl {name} := 0; thread t{name} begin void main() begin {body} end end ")
    };
    let text = ["a", "b", "c"].map(thread).concat()
        + "thread last begin void main() begin assert(!a | a); end end";
    let (reduced, _) = visited(&text, Reductions::ALL);
    let (all, _) = visited(&text, NONE);
    assert!(all == 5 * 5 * 5 * 3 && reduced < 20, "{reduced} of {all}");
}

#[test]
fn identical_threads_are_not_told_apart() {
    let text = "decl int<3> n := 0;
         thread t(4) begin void main() begin n := n + 1; n := n + 2; assert(n > 0); end end";
    let symmetry = Reductions {
        symmetry: true,
        ..NONE
    };
    let ((some, reached), (all, also)) = (visited(text, symmetry), visited(text, NONE));
    assert!(reached == also && some * 4 < all, "{some} of {all}");
}

#[test]
fn a_thread_that_runs_for_ever_on_its_own_does_not_keep_others_out() {
    let text = "thread busy begin void main() begin decl x; while (1) do x := !x; od end end
         thread late begin void main() begin skip; assert(0); end end";
    assert!(visited(text, Reductions::ALL).1);
}

#[test]
fn a_step_waits_for_one_that_another_thread_takes_much_later() {
    // Only if `g := 1` happens between the two reads, long after the reader's first step, does the assertion fail.
    let text = "decl g := 0;
         thread reader begin void main() begin decl x; x := g; if (!x) then assert(!g); fi end end
         thread writer begin void main() begin decl y; y := 0; y := !y; y := !y; g := 1; end end";
    assert!(visited(text, Reductions::ALL).1);
}

#[test]
fn what_happens_inside_an_atomic_block_is_seen_before_and_after_only() {
    let text = |inside: &str| {
        format!(
            "decl a := 0; decl seen := 0;
             thread one begin void main() begin {inside} a := 1; a := 0; atomic_end; end end
             thread two begin void main() begin decl x; x := a; assert(!x); end end"
        )
    };
    let (_, holds) = visited(&text("atomic_begin;"), Reductions::ALL);
    let waits = text("atomic_begin;").replace("a := 1;", "a := 1; assume(seen);");
    let (_, fails) = visited(&waits, Reductions::ALL);
    assert!(!holds && fails);
}

#[test]
fn what_others_do_before_an_atomic_block_is_not_put_off() {
    let reader = "decl x; x := a; if (!x) then assert(!a); fi";
    let satabs = format!(
        "decl a := 0;
         thread one begin void main() begin atomic_begin; a := 1; atomic_end; end end
         thread two begin void main() begin {reader} end end"
    );
    let getafix = format!(
        "decl atomic; decl a;
         void init() begin atomic := 0; a := 0; end
         void thread1() begin atomic := 1; a := 1; atomic := 0; end
         void main() begin {reader} end"
    );
    assert!(visited(&satabs, Reductions::ALL).1);
    assert!(visited(&getafix, Reductions::ALL).1);
}

#[test]
fn reductions_change_no_verdict() {
    let mut decided = 0;
    for (seed, machine, _) in programs(150..200) {
        let threads = MOST_THREADS + u32::from(machine.init.is_some());
        let truth = ask(
            &Oracle {
                max_threads: threads as usize,
                ..Oracle::default()
            },
            &machine,
        );
        for (partial_order, symmetry) in
            [(false, false), (false, true), (true, false), (true, true)]
        {
            let reductions = Reductions {
                partial_order,
                symmetry,
            };
            let found = ask(&engine(Exploration::Explicit, reductions), &machine);
            for (truth, found) in truth.answers.iter().zip(&found.answers) {
                let (truth, found) = (&truth.verdict, &found.verdict);
                let agree = match truth {
                    Verdict::Found(_) => matches!(found, Verdict::Found(_)),
                    Verdict::Excluded => truth == found,
                    _ => continue,
                };
                let text = machine.source.text();
                assert!(agree, "seed {seed}, {reductions:?}: {found:?}\n{text}");
                decided += 1;
            }
        }
    }
    assert!(decided > 300, "{decided} verdicts");
}
