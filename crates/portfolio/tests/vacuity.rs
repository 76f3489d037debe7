//! Assertions that hold because no run gets to them: marked only if the obvious search finds no way
//! to them, and in sequential programs whenever it finds none.

use hardbop_machine::Machine;
use hardbop_outcome::{
    Answer, Budget, Engine, NeverInterrupted, Question, Silent, Target, TargetKind,
};
use hardbop_portfolio::Portfolio;
use hardbop_testkit::{Knobs, Oracle, TabulationEngine, generate};

fn check(machine: &Machine) -> Vec<Answer> {
    let budget = Budget {
        interrupt: &NeverInterrupted,
        ..Budget::unlimited()
    };
    let question = Question::assertions(machine);
    let outcome = Portfolio::default().check(machine, &question, &budget, &mut Silent);
    outcome.expect("there is an answer").answers
}

/// Whether a statement that leads to the failure of an assertion is reached, if that is known.
fn is_reached(machine: &Machine, assertion: &Target) -> Option<bool> {
    let edges = machine
        .edges
        .iter()
        .filter(|edge| edge.to == assertion.node);
    let targets = edges.map(|edge| Target::new(machine, edge.from, TargetKind::Line));
    let question = Question::reach(targets.collect());
    let budget = Budget {
        states: Some(50_000),
        ..Budget::unlimited()
    };
    let outcome = if machine.is_sequential() {
        TabulationEngine.check(machine, &question, &budget, &mut Silent)
    } else {
        Oracle::default().check(machine, &question, &budget, &mut Silent)
    };
    if outcome.answers.iter().any(|a| a.verdict.is_yes()) {
        return Some(true);
    }
    let all_excluded = |a: &Answer| a.verdict.is_no_for_all_runs();
    outcome.answers.iter().all(all_excluded).then_some(false)
}

#[test]
fn an_assertion_is_vacuous_if_and_only_if_it_is_never_reached() {
    let mut counts = [0, 0];
    let mut missed = 0;
    for (name, knobs) in Knobs::presets() {
        for seed in 0..20 {
            let text = generate(seed, &knobs);
            let machine = hardbop_machine::from_text("random.bp", &text).expect("it is valid");
            for answer in check(&machine) {
                let Some(target) = answer.target() else {
                    continue;
                };
                if !answer.verdict.is_no_for_all_runs() {
                    assert!(!answer.vacuous, "{name} {seed}: {target}\n{text}");
                    continue;
                }
                if let Some(is_reached) = is_reached(&machine, target) {
                    // The search for marks is short: it may miss some among recursive threads.
                    let is_missed = !answer.vacuous && !machine.is_sequential();
                    assert!(
                        answer.vacuous != is_reached || !is_reached && is_missed,
                        "{name} {seed}: {target}\n{text}"
                    );
                    missed += usize::from(!is_reached && is_missed);
                    counts[usize::from(is_reached)] += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 25), "{counts:?}");
    assert!(missed < 10, "{missed} marks are missing");
}
