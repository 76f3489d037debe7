//! Counterexamples of C programs that do not rely on signed overflow, where there are any.
//!
//! Where a run passes an overflow, the same place is asked about in the program that asserts that
//! nothing overflows, with as much work as the first question took. The run that is found there is
//! made again on the original program and replayed like any other; otherwise the first one stays,
//! and reports say what it relies on.

use crate::interrupt;
use hardbop_interpreter::replay;
use hardbop_machine::Machine;
use hardbop_outcome::{
    Answer, Budget, Evidence, Outcome, Question, Silent, Support, Target, Trace, Verdict,
};
use hardbop_portfolio::{FewLooks, Portfolio};
use hardbop_report::document::OverflowChecks;

/// Looks at the limits that every second question may take.
const FEWEST_LOOKS: u64 = 500;

/// Replaces runs that pass an overflow by others, as far as they are found.
pub fn prefer(
    machine: &Machine,
    portfolio: &Portfolio,
    question: &Question,
    budget: &Budget<'_>,
    outcome: &mut Outcome,
) {
    let mut found = outcome.answers.iter().filter(|a| run_of(a).is_some());
    if found.next().is_none() {
        return;
    }
    let Some(checks) = OverflowChecks::new(machine) else {
        return;
    };
    let relies = |answer: &Answer| {
        let (target, trace) = run_of(answer)?;
        checks.first_overflow(machine, trace)?;
        Some((target.clone(), checks.counterpart(target)?))
    };
    let asked: Vec<(Target, Target)> = outcome.answers.iter().filter_map(relies).collect();
    if asked.is_empty() {
        return;
    }
    let others = asked.iter().map(|(_, other)| other.clone()).collect();
    let question = Question::reach(others)
        .within(question.bound)
        .wanting(question.wanted);
    let budget = Budget {
        interrupt: &FewLooks::new(budget.interrupt, interrupt::looks().max(FEWEST_LOOKS)),
        ..*budget
    };
    // Whatever goes wrong here, the first run stays.
    let Ok(better) = portfolio.check(checks.machine(), &question, &budget, &mut Silent) else {
        return;
    };
    for answer in &better.answers {
        let Some((other, trace)) = run_of(answer) else {
            continue;
        };
        let Some((target, _)) = asked.iter().find(|(_, asked)| asked == other) else {
            continue;
        };
        let Some(run) = checks.on_original(machine, trace, target) else {
            continue;
        };
        let mut same = outcome.answers.iter_mut();
        if let Some(answer) = same.find(|answer| answer.target() == Some(target))
            && replay(machine, &run).is_ok()
        {
            answer.verdict = Verdict::run(run);
        }
    }
}

/// The place and the run to it, of an answer that has one.
fn run_of(answer: &Answer) -> Option<(&Target, &Trace)> {
    match (answer.target(), &answer.verdict) {
        (Some(target), Verdict::Yes(Support::Evidence(Evidence::Run(trace)))) => {
            Some((target, trace))
        }
        _ => None,
    }
}
