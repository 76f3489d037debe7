//! Properties of runs: the product engine agrees with brute force over whole configurations, and
//! what it finds is such a run.

use hardbop_automata::{Letter, Property, PropertyText};
use hardbop_interpreter::{
    Configuration, letter_of_threads, observe_thread_lasso, observe_thread_trace, replay,
};
use hardbop_machine::{Machine, Type, from_text};
use hardbop_outcome::{
    Budget, Engine, Evidence, Limit, Outcome, Question, Silent, Support, Verdict,
};
use hardbop_testkit::{Bounds, Knobs, RunOracle, generate};
use hardbop_threads::InterleavingEngine;

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn property(machine: &Machine, text: PropertyText) -> Property {
    Property::read(machine, text).unwrap_or_else(|errors| panic!("{:?}", errors.diagnostics))
}

fn ltl(formula: &str) -> PropertyText {
    let formula = formula.to_owned();
    PropertyText::Ltl { formula }
}

fn ask(machine: &Machine, property: &Property, budget: &Budget<'_>) -> Outcome {
    let question = Question::property(property.clone());
    InterleavingEngine::default().check(machine, &question, budget, &mut Silent)
}

/// Whether there is a run that the property describes, if that is known. Such a run is replayed,
/// and the property evaluated on it.
fn found(machine: &Machine, property: &Property, outcome: &Outcome) -> Option<bool> {
    let see = |now: &Configuration| -> Letter {
        letter_of_threads(machine, &property.automaton.propositions, now)
    };
    let text = machine.source.text();
    match &outcome.answers[0].verdict {
        Verdict::No(_) => Some(false),
        Verdict::Yes(Support::Evidence(Evidence::ThreadLasso(lasso))) => {
            let word = observe_thread_lasso(machine, lasso, see)
                .unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(
                property.describes(&word.stem, &word.cycle),
                "{}\n{text}",
                property.text
            );
            Some(true)
        }
        Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
            replay(machine, trace).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let letters = observe_thread_trace(machine, trace, 10_000, see);
            let letters = letters.unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(
                property.automaton.enters_target(&letters).is_some(),
                "{}\n{text}",
                property.text
            );
            Some(true)
        }
        Verdict::Unknown(_) => None,
        other @ Verdict::Yes(_) => panic!("{other:?}"),
    }
}

/// Formulas about a variable and about how runs end.
fn formulas(machine: &Machine) -> Vec<PropertyText> {
    let mut texts = vec![
        ltl("F (terminated | failed)"),
        PropertyText::Nonterminating,
        PropertyText::Terminates,
    ];
    let mut globals = machine.globals.iter();
    if let Some(global) = globals.find(|global| global.ty == Type::Bool) {
        let name = &global.name;
        texts.extend([
            ltl(&format!("G F var({name})")),
            ltl(&format!("F G !var({name})")),
            ltl(&format!("G (var({name}) -> X F !var({name}))")),
            ltl(&format!("X X var({name}) | F terminated")),
        ]);
    }
    texts
}

#[test]
fn generated_threads_are_judged_as_by_brute_force() {
    let bounds = Bounds {
        stack: 8,
        threads: 6,
    };
    let oracle = RunOracle { bounds };
    let (mut some, mut none) = (0, 0);
    for knobs in [Knobs::concurrent(), Knobs::relay(), Knobs::everything()] {
        for seed in 0..40 {
            let text = generate(seed, &knobs);
            let machine = machine(&text);
            for asked in formulas(&machine) {
                let property = property(&machine, asked);
                let budget = Budget {
                    states: Some(4000),
                    threads: Some(6),
                    ..Budget::unlimited()
                };
                let expected = oracle.check(&machine, &property.automaton, &budget, &mut Silent);
                let expected = match expected.0 {
                    Verdict::No(_) => false,
                    Verdict::Unknown(_) => continue,
                    Verdict::Yes(_) => true,
                };
                let outcome = ask(&machine, &property, &budget);
                let Some(here) = found(&machine, &property, &outcome) else {
                    continue;
                };
                assert_eq!(here, expected, "seed {seed}: {}\n{text}", property.text);
                some += usize::from(here);
                none += usize::from(!here);
            }
        }
    }
    assert!(some > 100 && none > 100, "{some} found, {none} excluded");
}

#[test]
fn a_loop_whose_values_are_left_open_is_closed() {
    // `x` may be anything in every round; threads of one kind are exchanged on the way.
    let machine = machine(
        "decl g := 0; decl h := 0;
         thread t(3) begin void main() begin
           decl x; AGAIN: x := *; if (x) then g := !g; h := x ^ g; else g := h; fi goto AGAIN;
         end end",
    );
    for (formula, expected) in [
        ("F G !var(g)", true),
        ("G F var(g)", true),
        ("G (var(g) | !var(g))", false),
    ] {
        let property = property(&machine, ltl(formula));
        let outcome = ask(&machine, &property, &Budget::unlimited());
        assert_eq!(
            found(&machine, &property, &outcome),
            Some(expected),
            "{formula}"
        );
    }
}

#[test]
fn runs_end_where_all_threads_do_and_not_where_they_wait() {
    let text = |last: &str| {
        format!(
            "decl g := 0;
             thread a begin void main() begin g := 1; end end
             thread b begin void main() begin {last} end end"
        )
    };
    let cases = [
        ("assume(g);", PropertyText::Terminates, true),
        ("assume(!g & g);", PropertyText::Terminates, false),
        ("assume(!g & g);", PropertyText::Nonterminating, false),
        ("L: goto L;", PropertyText::Nonterminating, true),
        ("assert(!g);", ltl("G !failed"), true),
    ];
    for (last, asked, expected) in cases {
        let machine = machine(&text(last));
        let property = property(&machine, asked);
        let outcome = ask(&machine, &property, &Budget::unlimited());
        assert_eq!(
            found(&machine, &property, &outcome),
            Some(expected),
            "{last}"
        );
    }
}

#[test]
fn limits_and_recursion_are_answers() {
    let counting = machine(
        "decl int<8> n := 0;
         thread t(2) begin void main() begin while (1) do n := n + 1; od end end",
    );
    let asked = property(&counting, ltl("F terminated"));
    let budget = Budget {
        states: Some(10),
        ..Budget::unlimited()
    };
    let outcome = ask(&counting, &asked, &budget);
    assert_eq!(outcome.answers[0].verdict, Verdict::Unknown(Limit::States));
    let recursive =
        machine("thread t(2) begin void main() begin f(); end end void f() begin f(); end");
    let asked = property(&recursive, ltl("F terminated"));
    let outcome = ask(&recursive, &asked, &Budget::unlimited());
    let declined = matches!(
        outcome.answers[0].verdict,
        Verdict::Unknown(Limit::Declined { .. })
    );
    assert!(declined, "{outcome:?}");
}
