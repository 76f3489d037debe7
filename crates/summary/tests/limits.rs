//! Running out is an answer of its own, never a wrong one.

use hardbop_machine::from_text;
use hardbop_outcome::{
    Budget, Engine, Evidence, Interrupt, Limit, NeverInterrupted, Question, Silent, Support,
    Verdict,
};
use hardbop_summary::SummaryEngine;

const FAILS: &str = "decl g, h; void main() begin f(); assert(!g | h); end void f() begin if (*) then g, h := 1, !h; f(); fi end";
const HOLDS: &str = "decl g, h; void main() begin g := h; f(); assert(g = h); end void f() begin if (*) then g, h := h, g; f(); fi end";

struct Stop(Limit);

impl Interrupt for Stop {
    fn check(&self) -> Option<Limit> {
        Some(self.0.clone())
    }
}

fn verdict(text: &str, nodes: Option<u64>, stop: &dyn Interrupt) -> Verdict {
    let machine = from_text("limits.bp", text).unwrap();
    let engine = SummaryEngine::default();
    let budget = Budget {
        nodes,
        interrupt: stop,
        ..Budget::unlimited()
    };
    let question = Question::assertions(&machine);
    let mut outcome = engine.check(&machine, &question, &budget, &mut Silent);
    outcome.answers.remove(0).verdict
}

#[test]
fn too_few_nodes_give_unknown_and_enough_give_the_verdict() {
    let mut answered = [false; 2];
    for nodes in 1..200 {
        for (program, text) in [FAILS, HOLDS].into_iter().enumerate() {
            match verdict(text, Some(nodes), &NeverInterrupted) {
                Verdict::Unknown(why) => assert_eq!(why, Limit::Nodes),
                Verdict::Yes(_) => {
                    assert_eq!(text, FAILS, "{nodes} nodes");
                    answered[program] = true;
                }
                Verdict::No(_) => {
                    assert_eq!(text, HOLDS, "{nodes} nodes");
                    answered[program] = true;
                }
            }
        }
    }
    assert_eq!(answered, [true; 2], "some program has no answer");
}

#[test]
fn an_interrupt_that_comes_in_time_is_the_reason() {
    // Large enough for the interrupt to be asked, which happens every few thousand steps.
    let variables: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    let swapped: Vec<String> = (0..40)
        .map(|i| format!("x{} ^ x{}", (i + 7) % 40, (i * 3) % 40))
        .collect();
    let text = format!(
        "decl {names}; void main() begin while (*) do {names} := {values}; od assert(!(x0 & x13 & !x27 & x5)); end",
        names = variables.join(", "),
        values = swapped.join(", ")
    );
    let stop = Stop(Limit::Time);
    match verdict(&text, None, &stop) {
        Verdict::Unknown(why) => assert_eq!(why, Limit::Time),
        // Found before the interrupt was asked.
        Verdict::Yes(_) => {}
        verdict @ Verdict::No(_) => {
            panic!("the assertion can fail, and there is no bound: {verdict:?}")
        }
    }
}

#[test]
fn a_search_that_makes_few_nodes_hears_the_interrupt_too() {
    let program = hardbop_families::find("tn-safe").expect("a family");
    let text = program.generate(400, 0).text;
    let machine = from_text("tn.bp", &text).unwrap();
    let stop = Stop(Limit::Time);
    let budget = Budget {
        interrupt: &stop,
        ..Budget::unlimited()
    };
    let question = Question::label(&machine, "reach");
    let outcome = SummaryEngine::default().check(&machine, &question, &budget, &mut Silent);
    assert_eq!(outcome.answers[0].verdict, Verdict::Unknown(Limit::Time));
}

#[test]
fn choices_stand_beside_the_integers_that_they_are_added_to() {
    let text = "decl int<32> x, y, z;
         void main() begin x := *; y := x + *; z := y - x; assert(z + x = y); f(* + x); end
         void f(int<32> a) begin decl int<32> b; b := a + *; assert(b != 9 | x != 3 | a != 5); end";
    let machine = from_text("test.bp", text).expect("the program is valid");
    let question = Question::every_target(&machine);
    // The sum of a word and a choice below it has 2^32 nodes.
    let budget = Budget {
        nodes: Some(200_000),
        ..Budget::unlimited()
    };
    let outcome = SummaryEngine::default().check(&machine, &question, &budget, &mut Silent);
    let verdicts: Vec<&Verdict> = outcome.answers.iter().map(|a| &a.verdict).collect();
    assert!(matches!(verdicts[0], Verdict::No(_)), "{verdicts:?}");
    let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = verdicts[1] else {
        panic!("{verdicts:?}");
    };
    hardbop_interpreter::replay(&machine, trace).expect("the run is one");
}
