//! What is known when the command is ended in the middle of its questions.

use hardbop_outcome::{Answer, Asked, Limit, Outcome, Verdict};
use std::sync::{Mutex, PoisonError};

/// The answers so far, and what is still open.
static KNOWN: Mutex<Option<(Outcome, Vec<Asked>)>> = Mutex::new(None);

/// Some questions have been answered, others follow.
pub fn keep(answered: &Outcome, open: Vec<Asked>) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known = Some((answered.clone(), open));
}

/// All answers, those left open being unknown; and again what was left open.
pub fn all(limit: &Limit) -> (Outcome, Vec<Asked>) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.take();
    let (mut outcome, open) = known.unwrap_or_else(|| (Outcome::new("", Vec::new()), Vec::new()));
    let unknown = |asked: &Asked| Answer::to(asked.clone(), Verdict::Unknown(limit.clone()));
    outcome.answers.extend(open.iter().map(unknown));
    (outcome, open)
}
