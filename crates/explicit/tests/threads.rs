//! Properties of several threads: the search over whole configurations agrees with the explicit
//! engine where there is one thread, and with the reachability oracle about labels where there are
//! more; what it finds replays, and the property is violated on it.

use hardbop_automata::{Letter, Ltl, Property, PropertyText, read_ltl};
use hardbop_explicit::ExplicitEngine;
use hardbop_interpreter::{Configuration, letter_of_threads, observe_thread_lasso, replay};
use hardbop_machine::{Machine, Type, from_text};
use hardbop_outcome::{Budget, Engine, Evidence, Limit, Question, Silent, Support, Verdict};
use hardbop_syntax::Source;
use hardbop_testkit::{Bounds, Knobs, Oracle, RunOracle, generate};

fn ltl(machine: &Machine, formula: &str) -> Ltl {
    match read_ltl(&Source::new("formula", formula), machine) {
        Ok(ltl) => ltl,
        Err(errors) => panic!("{formula}: {errors:?}"),
    }
}

fn budget(states: u64) -> Budget<'static> {
    Budget {
        states: Some(states),
        ..Budget::unlimited()
    }
}

/// Whether all runs satisfy a formula; nothing if the limits do not suffice. A counterexample is
/// checked.
fn holds(machine: &Machine, formula: &str) -> Option<bool> {
    let formula = ltl(machine, formula);
    let automaton = formula.violations();
    let bounds = Bounds {
        stack: 8,
        threads: 6,
    };
    let search = RunOracle { bounds };
    match search
        .check(machine, &automaton, &budget(5000), &mut Silent)
        .0
    {
        Verdict::No(_) => Some(true),
        Verdict::Unknown(_) => None,
        Verdict::Yes(Support::Evidence(Evidence::ThreadLasso(lasso))) => {
            replay(machine, &lasso.run).expect("the run replays");
            let see = |now: &Configuration| -> Letter {
                letter_of_threads(machine, &automaton.propositions, now)
            };
            let word = observe_thread_lasso(machine, &lasso, see).expect("the lasso closes");
            assert!(!formula.holds_on_lasso(&word.stem, &word.cycle));
            Some(false)
        }
        other @ Verdict::Yes(_) => panic!("the automata of formulas have no targets: {other:?}"),
    }
}

#[test]
fn one_thread_is_judged_as_by_the_explicit_engine() {
    let (mut compared, mut violated) = (0, 0);
    for knobs in [Knobs::tiny(), Knobs::sequential()] {
        for seed in 0..60 {
            let text = generate(seed, &knobs);
            let machine = from_text("generated.bp", &text).expect("generated programs are valid");
            let globals = machine.globals.iter();
            let mut names = globals.filter(|global| global.ty == Type::Bool);
            let Some(name) = names.next().map(|global| global.name.as_str()) else {
                continue;
            };
            let formulas = [
                format!("G F var({name})"),
                format!("F G !var({name})"),
                format!("G (var({name}) -> X F !var({name}))"),
                "F (terminated | failed)".to_owned(),
                format!("X X var({name}) | F terminated"),
            ];
            for formula in &formulas {
                let Some(here) = holds(&machine, formula) else {
                    continue;
                };
                let text_of_formula = PropertyText::Ltl {
                    formula: formula.clone(),
                };
                let property = Property::read(&machine, text_of_formula).expect("it was read");
                let question = Question::property(property);
                let (engine, budget) = (ExplicitEngine::default(), Budget::unlimited());
                let outcome = engine.check(&machine, &question, &budget, &mut Silent);
                let there = match &outcome.answers[0].verdict {
                    Verdict::No(_) => true,
                    Verdict::Yes(_) => false,
                    other @ Verdict::Unknown(_) => panic!("{other:?}"),
                };
                assert_eq!(here, there, "{formula}\n{text}");
                compared += 1;
                violated += usize::from(!here);
            }
        }
    }
    assert!(compared > 200, "{compared}");
    assert!(violated > 50 && compared - violated > 50, "{violated}");
}

#[test]
fn labels_of_several_threads_are_reached_as_the_oracle_says() {
    let (mut reached, mut excluded) = (0, 0);
    for seed in 0..60 {
        let text = generate(seed, &Knobs::concurrent());
        let machine = from_text("generated.bp", &text).expect("generated programs are valid");
        for label in machine.labels.iter().take(2) {
            let question = Question::label(&machine, &label.name);
            let oracle = Oracle {
                max_stack: 8,
                ..Oracle::default()
            };
            let outcome = oracle.check(&machine, &question, &budget(5000), &mut Silent);
            let is = |wanted: fn(&Verdict) -> bool| {
                outcome.answers.iter().any(|answer| wanted(&answer.verdict))
            };
            let is_unknown = is(|verdict| matches!(verdict, Verdict::Unknown(_)));
            let is_reached = is(|verdict| matches!(verdict, Verdict::Yes(_)));
            let formula = format!("G !at({})", label.name);
            let Some(holds) = holds(&machine, &formula) else {
                continue;
            };
            // A run must go on for ever or end: a label may be reached only by runs that are
            // blocked afterwards.
            if holds {
                excluded += 1;
            } else {
                assert!(is_reached || is_unknown, "{formula}\n{text}");
                reached += 1;
            }
        }
    }
    assert!(reached > 15 && excluded > 5, "{reached} {excluded}");
}

const PETERSON: &str = "decl flag0 := 0, flag1 := 0, turn := 0;
thread zero begin
  void main() begin
    AGAIN: flag0 := 1;
    turn := 1;
    WANT: while (flag1 & turn) do skip; od
    CRITICAL0: skip;
    flag0 := 0;
    goto AGAIN;
  end
end
thread one begin
  void main() begin
    AGAIN: flag1 := 1;
    turn := 0;
    while (flag0 & !turn) do skip; od
    CRITICAL1: skip;
    flag1 := 0;
    goto AGAIN;
  end
end";

#[test]
fn mutual_exclusion_holds_and_progress_needs_a_fair_scheduler() {
    let machine = from_text("peterson.bp", PETERSON).expect("the program is valid");
    let verdict = |formula: &str| holds(&machine, formula).expect("it is small");
    assert!(verdict("G !(at(CRITICAL0) & at(CRITICAL1))"));
    assert!(verdict("G !terminated"));
    // The other thread may run all the time, so nobody comes anywhere without fairness.
    assert!(!verdict("G F at(CRITICAL0)"));
    assert!(!verdict("G (at(WANT) -> F at(CRITICAL0))"));
    // Nor does a wrong claim hold because there are two threads to choose from.
    assert!(!verdict("G !at(CRITICAL1)"));
}

#[test]
fn a_thread_that_ends_leaves_the_others_running() {
    let text = "decl g := 0;
        thread a begin void main() begin g := 1; end end
        thread b begin void main() begin AGAIN: skip; if (*) then goto AGAIN; fi end end";
    let machine = from_text("ending.bp", text).expect("the program is valid");
    let verdict = |formula: &str| holds(&machine, formula).expect("it is small");
    assert!(verdict("F terminated -> F g"));
    assert!(!verdict("F terminated"));
    assert!(!verdict("F g"));
    assert!(verdict("G (terminated -> G (terminated & g & !at(AGAIN)))"));
}

#[test]
fn limits_are_said() {
    let machine = from_text("peterson.bp", PETERSON).expect("the program is valid");
    let automaton = ltl(&machine, "G !terminated").violations();
    let (verdict, counters) =
        RunOracle::default().check(&machine, &automaton, &budget(10), &mut Silent);
    assert!(
        matches!(verdict, Verdict::Unknown(Limit::States)),
        "{verdict:?}"
    );
    assert!(counters.get("states") > Some(10), "it says how far it came");
}
