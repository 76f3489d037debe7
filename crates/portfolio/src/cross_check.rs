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
use hardbop_outcome::{Bound, Budget, Outcome, Question, Silent, Subject};
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
            if let Some(conflict) = one.conflict(other) {
                let what = conflict.to_string();
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
    one.conflict(&other).is_some()
}
