//! Which verdicts are listed, in which order, and their summary.

use clap::ValueEnum;
use hardbop_outcome::{Answer, Target, Verdict, VerdictWord};

/// A kind of verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Only {
    /// Violated assertions and properties, reachable places.
    Violated,
    /// What could not be decided.
    Unknown,
    /// What holds, and places that are unreachable.
    Holds,
}

impl Only {
    fn of(answer: &Answer) -> Self {
        match answer.verdict {
            Verdict::Yes(_) => Only::Violated,
            Verdict::Unknown(_) => Only::Unknown,
            Verdict::No(_) => Only::Holds,
        }
    }
}

/// The answers that are listed, the gravest first.
pub fn sorted<'a>(answers: &'a [Answer], only: &[Only]) -> Vec<&'a Answer> {
    let wanted = |kind| only.is_empty() || only.contains(&kind);
    let listed = answers.iter().filter(|answer| wanted(Only::of(answer)));
    let mut listed: Vec<&Answer> = listed.collect();
    listed.sort_by_key(|answer| Only::of(answer));
    listed
}

/// How many answers there are of each kind, if there are several.
pub fn summary(answers: &[Answer]) -> Option<String> {
    if answers.len() < 2 {
        return None;
    }
    let words: Vec<VerdictWord> = answers.iter().map(Answer::word).collect();
    let all = |kinds: &[VerdictWord]| words.iter().all(|word| kinds.contains(word));
    let (what, found, excluded) = if answers.iter().all(is_about_assertion) {
        ("assertions", "violated", ["holds", "hold"])
    } else if all(&[
        VerdictWord::Reachable,
        VerdictWord::Unreachable,
        VerdictWord::Unknown,
    ]) {
        ("places", "reachable", ["unreachable"; 2])
    } else {
        ("places", "reached", ["not reached"; 2])
    };
    let count = |kind| answers.iter().filter(|a| Only::of(a) == kind).count();
    let holds = excluded[usize::from(count(Only::Holds) > 1)];
    let parts = [
        (count(Only::Violated), found),
        (count(Only::Holds), holds),
        (count(Only::Unknown), "unknown"),
    ];
    let total = answers.len();
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts = parts
        .enumerate()
        .map(|(number, (count, word))| match number {
            0 if count == total => format!("all {total} {what} {word}"),
            0 => format!("{count} of {total} {what} {word}"),
            _ => format!("{count} {word}"),
        });
    Some(parts.collect::<Vec<_>>().join(", "))
}

fn is_about_assertion(answer: &Answer) -> bool {
    answer.target().is_some_and(Target::is_assertion)
}
