//! What a search that stops early may say: never more than it knows.

use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::certificate::Direction;
use hardbop_outcome::{
    Budget, Engine, Evidence, Limit, NeverInterrupted, Outcome, Question, Silent, Support, Verdict,
    WantedRun,
};
use hardbop_testkit::{Knobs, generate};
use hardbop_threads::InterleavingEngine;

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn ask(engine: InterleavingEngine, machine: &Machine, states: Option<u64>) -> Outcome {
    let budget = Budget {
        states,
        nodes: Some(1 << 18),
        ..Budget::unlimited()
    };
    let question = Question::assertions(machine);
    engine.check(machine, &question, &budget, &mut Silent)
}

/// Replays runs and checks certificates; per target whether it is reached, if that is known.
fn judged(machine: &Machine, outcome: &Outcome) -> Vec<Option<bool>> {
    for certificate in &outcome.certificates {
        hardbop_checker::validate(machine, certificate, &NeverInterrupted)
            .unwrap_or_else(|rejected| panic!("{rejected}\n{}", machine.source.text()));
    }
    let answers = outcome.answers.iter().map(|answer| match &answer.verdict {
        Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
            replay(machine, trace).unwrap_or_else(|error| panic!("{error}"));
            Some(true)
        }
        Verdict::No(_) => Some(false),
        _ => None,
    });
    answers.collect()
}

#[test]
fn a_run_that_the_interpreter_cannot_judge_is_unknown() {
    // Whether `a` is blocked inside its atomic block depends on 2^32 choices, which the interpreter
    // does not try.
    let machine = machine(
        "decl int<32> g := 0; decl in := 0;
         thread a begin void main() begin
           atomic_begin; in := 1; assume(* * g = 1); atomic_end;
         end end
         thread b begin void main() begin assume(in); assert(0); end end",
    );
    let outcome = ask(InterleavingEngine::default(), &machine, Some(10_000));
    let verdict = &outcome.answers[0].verdict;
    let is_honest = matches!(verdict, Verdict::Unknown(Limit::Declined { what })
        if what.contains("replayed"));
    assert!(is_honest, "{verdict:?}");
}

/// Two threads that keep each other out by an atomic block around a statement.
fn two_with_an_atomic(statement: &str) -> Machine {
    machine(&format!(
        "decl g, c := 0;
         thread t(2) begin void main() begin
           atomic_begin; assert(!c); c := 1; {statement} c := 0; atomic_end;
         end end"
    ))
}

#[test]
fn choices_that_do_not_decide_whether_a_step_can_be_taken_need_not_be_tried() {
    let machine = two_with_an_atomic("g := * < * <-> (* ? 3 : 0) * * + * != *;");
    let outcome = ask(InterleavingEngine::default(), &machine, None);
    assert_eq!(outcome.certificates.len(), 1);
    assert_eq!(judged(&machine, &outcome), [Some(false)]);
}

#[test]
fn there_is_no_certificate_where_choices_that_decide_are_too_many_to_be_tried() {
    let machine = two_with_an_atomic("assume(* * * != 15 & * != 3);");
    let outcome = ask(InterleavingEngine::default(), &machine, None);
    assert!(outcome.certificates.is_empty());
    assert_eq!(judged(&machine, &outcome), [Some(false)]);
    let why = outcome.answers[0].verdict.why_uncertified();
    assert!(why.is_some_and(|why| why.contains("8 bits")), "{why:?}");
}

#[test]
fn what_was_reached_is_violated_even_if_no_best_run_is_found() {
    let machine = machine(include_str!("../../../../examples/bluetooth-2-1.bp"));
    for states in [5000, 9000] {
        let outcome = ask(InterleavingEngine::default(), &machine, Some(states));
        assert!(outcome.certificates.is_empty(), "{states}");
        assert_eq!(judged(&machine, &outcome), [Some(true)], "{states}");
    }
}

#[test]
fn any_run_spares_the_search_for_the_best() {
    let machine = machine(include_str!("../../../../examples/bluetooth-2-1.bp"));
    let question = Question::assertions(&machine).wanting(WantedRun::Any);
    let engine = InterleavingEngine::default();
    let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
    let counts = &outcome.statistics;
    let ordered = counts.get("ordered-configurations");
    assert_eq!(ordered, None, "{counts:?}");
    assert_eq!(judged(&machine, &outcome), [Some(true)]);
}

#[test]
fn nine_threads_whose_invariant_is_too_large_have_a_proof_by_stacks() {
    // All may wait inside their atomic blocks, in any order, and a certificate of whole
    // configurations has to list these orders.
    let machine = machine(
        "decl l := 0; decl c := 0;
         thread t(9) begin void main() begin
           while (*) do
             atomic_begin; assume(!l); l := 1; atomic_end;
             assert(!c); c := 1; c := 0; l := 0;
           od
         end end",
    );
    let outcome = ask(InterleavingEngine::default(), &machine, None);
    assert_eq!(judged(&machine, &outcome), [Some(false)]);
    let directions = outcome.certificates.iter().map(|proof| proof.direction);
    assert_eq!(directions.collect::<Vec<_>>(), [Direction::Stacks]);
}

#[test]
fn nine_threads_that_share_little_have_a_small_certificate() {
    let thread = |number: usize| {
        format!(
            "thread t{number} begin void main() begin
               decl a, b, c; a := *; b := *; c := a & b; b := a | c; a := b ? c : a; c := !a;
               if (a) then g := 1; else g := 0; fi
               assert(!a | !c);
             end end "
        )
    };
    let threads: String = (0..9).map(thread).collect();
    let machine = machine(&format!("decl g := 0; {threads}"));
    let outcome = ask(InterleavingEngine::default(), &machine, None);
    assert_eq!(judged(&machine, &outcome), [Some(false); 9]);
    let sizes = outcome.certificates.iter().map(|c| c.formulas.len());
    let formulas: usize = sizes.sum();
    assert!((1..1000).contains(&formulas), "{formulas} formulas");
}

#[test]
fn views_of_two_threads_prove_mutual_exclusion() {
    let machine = machine(
        "decl l := 0; decl c := 0;
         thread t(6) begin void main() begin
           decl ok;
           while (*) do
             ok, l := !l, 1;
             if (ok) then assert(!c); c := 1; c := 0; l := 0; fi
           od
         end end",
    );
    let outcome = ask(InterleavingEngine::default(), &machine, Some(50));
    assert_eq!(judged(&machine, &outcome), [Some(false)]);
    assert_eq!(outcome.certificates.len(), 1);
}

/// How many generated programs are tried: 2,000 take some minutes.
fn programs() -> u64 {
    let wanted = std::env::var("HARDBOP_PROGRAMS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(150)
}

#[test]
fn no_limit_on_states_makes_an_engine_contradict_itself() {
    let mut decided = 0;
    for seed in 0..programs() {
        let knobs = match seed % 3 {
            0 => Knobs::concurrent(),
            1 => Knobs::relay(),
            _ => Knobs::everything(),
        };
        let text = generate(seed, &knobs);
        let machine = machine(&text);
        let all = judged(
            &machine,
            &ask(InterleavingEngine::default(), &machine, None),
        );
        for states in [5, 20, 60, 200] {
            let engine = InterleavingEngine::default();
            let some = judged(&machine, &ask(engine, &machine, Some(states)));
            for (all, some) in all.iter().zip(&some) {
                let agree = some.is_none() || all.is_none() || some == all;
                assert!(agree, "seed {seed}, {states} states:\n{text}");
                decided += usize::from(some.is_some());
            }
        }
    }
    assert!(decided > 100, "{decided} verdicts");
}

#[test]
fn more_threads_are_tried_if_there_is_no_limit() {
    let text = "decl int<4> started := 0;
        void main() begin
          start_thread w(); start_thread w(); start_thread w(); start_thread w();
          start_thread w(); start_thread w(); start_thread w(); start_thread w();
          assert(T);
        end
        void w() begin skip; end";
    let machine = from_text("test.bp", text).expect("it is a program");
    let question = Question::assertions(&machine);
    let verdict = |threads| {
        let budget = Budget {
            threads,
            ..Budget::unlimited()
        };
        let engine = InterleavingEngine::default();
        let outcome = engine.check(&machine, &question, &budget, &mut Silent);
        outcome.answers[0].verdict.clone()
    };
    assert_eq!(verdict(Some(8)), Verdict::Unknown(Limit::Threads));
    assert!(verdict(None).is_no());
}
