//! Every engine that takes a question is asked, and the verdicts are compared.
//!
//! An engine that is much slower than the first to answer is stopped, and says nothing then.
//!
//! Two engines that contradict each other are a fault, never an answer. The program is shrunk as
//! long as the two still contradict each other, so that what is reported can be read.

use crate::engines::EngineName;
use crate::fault::Fault;
use crate::options::Options;
use crate::turns::Participant;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Bound, Budget, Outcome, Question, Silent, Subject, Verdict};
use hardbop_shrink::shrink;

/// States and nodes for each engine on a program that is being shrunk.
const SMALL: u64 = 200_000;

/// Compares everybody's verdicts with everybody else's.
pub fn compare(
    machine: &Machine,
    question: &Question,
    participants: &[Participant],
    options: &Options,
) -> Result<(), Fault> {
    let outcomes: Vec<&Outcome> = participants
        .iter()
        .filter_map(Participant::outcome)
        .collect();
    for (number, one) in outcomes.iter().enumerate() {
        for other in &outcomes[number + 1..] {
            if let Some(what) = contradiction(one, other) {
                let engines = [one, other].map(|outcome| EngineName::find(&outcome.engine));
                let reproduction = match engines {
                    [Some(one), Some(other)] => shrunk(machine, question, one, other, options),
                    _ => None,
                };
                return Err(Fault { what, reproduction });
            }
        }
    }
    Ok(())
}

/// What two outcomes of one question contradict each other in.
fn contradiction(one: &Outcome, other: &Outcome) -> Option<String> {
    let pairs = one.answers.iter().zip(&other.answers);
    let mut contradictions = pairs.filter(|(a, b)| contradict(&a.verdict, &b.verdict));
    let (a, b) = contradictions.next()?;
    Some(format!(
        "engine {} says {} of {}, engine {} says {}",
        one.engine,
        a.word(),
        a.asked,
        other.engine,
        b.word()
    ))
}

fn contradict(one: &Verdict, other: &Verdict) -> bool {
    one.is_found() && other.is_excluded() || one.is_excluded() && other.is_found()
}

/// A small program on which the two contradict each other about an assertion or a label; nothing
/// if the contradiction does not come back within the limits.
fn shrunk(
    machine: &Machine,
    question: &Question,
    one: EngineName,
    other: EngineName,
    options: &Options,
) -> Option<String> {
    let Subject::Reach(_) = question.subject else {
        return None;
    };
    let still = |text: &str| contradict_on(text, question.bound, one, other, options);
    let text = machine.source.text();
    still(text).then(|| shrink(text, &mut |candidate| still(candidate)))
}

fn contradict_on(
    text: &str,
    bound: Option<Bound>,
    one: EngineName,
    other: EngineName,
    options: &Options,
) -> bool {
    let Ok(machine) = from_text("shrunk.bp", text) else {
        return false;
    };
    let question = Question::every_target(&machine).within(bound);
    let budget = Budget {
        states: Some(SMALL),
        nodes: Some(SMALL),
        ..Budget::unlimited()
    };
    let [one, other] = [one, other].map(|name| {
        let engine = name.engine(options);
        engine.check(&machine, &question, &budget, &mut Silent)
    });
    contradiction(&one, &other).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_outcome::Limit;

    #[test]
    fn only_a_run_and_its_exclusion_contradict_each_other() {
        let trace = hardbop_outcome::Trace {
            version: 1,
            program: String::new(),
            target: None,
            globals: Vec::new(),
            threads: Vec::new(),
            runs: Vec::new(),
            segments: Vec::new(),
        };
        let found = Verdict::run(trace);
        let up_to = Verdict::ExcludedUpTo(Bound::Rounds(1));
        let unknown = Verdict::Unknown(Limit::Time);
        assert!(contradict(&found, &Verdict::Excluded));
        assert!(contradict(&up_to, &found));
        assert!(!contradict(&found, &found));
        assert!(!contradict(&found, &unknown));
        assert!(!contradict(&Verdict::Excluded, &up_to));
    }
}
