//! The answer to one item of a question: a verdict with its run, in text and JSON by the same
//! words.

use crate::bound::Bound;
use crate::budget::Limit;
use crate::evidence::Evidence;
use crate::question::Asked;
use crate::target::Target;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// The answer to one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "AnswerForm", try_from = "AnswerForm")]
pub struct Answer {
    /// What was asked.
    pub asked: Asked,
    /// What was found.
    pub verdict: Verdict,
    /// Why a negative answer has no certificate, where certificates are to be expected.
    pub uncertified: Option<String>,
    /// Whether an assertion holds only because no run gets to it, as far as that is known.
    pub vacuous: bool,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is such a run.
    Found(Evidence),
    /// No run does that.
    Excluded,
    /// A formula of branching time holds, and this shows it.
    Shown(Evidence),
    /// A formula of branching time fails, and nothing but the engine's word says so.
    Refuted,
    /// No run within the bound that was asked for does that.
    ExcludedUpTo(Bound),
    /// Not known.
    Unknown(Limit),
}

/// A verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum VerdictWord {
    /// An assertion or a property holds.
    Holds,
    /// It does not.
    Violated,
    /// A place cannot be reached; there is no such run.
    Unreachable,
    /// It can; there is one.
    Reachable,
    /// Not known.
    Unknown,
}

impl Verdict {
    /// A finite run was found.
    pub fn run(trace: Trace) -> Self {
        Verdict::Found(Evidence::Run(trace))
    }

    /// The evidence that comes with it.
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            Verdict::Found(evidence) | Verdict::Shown(evidence) => Some(evidence),
            Verdict::Excluded
            | Verdict::ExcludedUpTo(_)
            | Verdict::Refuted
            | Verdict::Unknown(_) => None,
        }
    }

    /// Whether its evidence is about what it says. A strategy says itself which way it goes, and
    /// nothing else shows that a formula holds.
    pub fn fits_its_evidence(&self) -> bool {
        match self {
            Verdict::Found(Evidence::Strategy(strategy)) => !strategy.holds,
            Verdict::Shown(Evidence::Strategy(strategy)) => strategy.holds,
            Verdict::Shown(_) => false,
            _ => true,
        }
    }

    /// The finite run that was found.
    pub fn trace(&self) -> Option<&Trace> {
        match self {
            Verdict::Found(evidence) => evidence.run(),
            _ => None,
        }
    }

    /// Whether a run was found, or a formula refuted.
    pub fn is_found(&self) -> bool {
        matches!(self, Verdict::Found(_) | Verdict::Refuted)
    }

    /// Whether there is no such run, as far as was asked, or a formula holds.
    pub fn is_excluded(&self) -> bool {
        matches!(
            self,
            Verdict::Excluded | Verdict::ExcludedUpTo(_) | Verdict::Shown(_)
        )
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Verdict::Unknown(_))
    }
}

impl Answer {
    /// The answer for a place.
    pub fn new(target: Target, verdict: Verdict) -> Self {
        Self::to(Asked::Target(target), verdict)
    }

    /// The answer for an item of a question.
    pub fn to(asked: Asked, verdict: Verdict) -> Self {
        Self {
            asked,
            verdict,
            uncertified: None,
            vacuous: false,
        }
    }

    /// The place, if it is about one.
    pub fn target(&self) -> Option<&Target> {
        self.asked.target()
    }

    /// The verdict in the word that fits what was asked.
    pub fn word(&self) -> VerdictWord {
        let asks_for_run = match &self.asked {
            Asked::Target(target) => !target.is_assertion(),
            Asked::Property(property) => property.asks_for_run(),
        };
        match (&self.verdict, asks_for_run) {
            (Verdict::Found(_) | Verdict::Refuted, false) => VerdictWord::Violated,
            (Verdict::Found(_) | Verdict::Refuted, true) => VerdictWord::Reachable,
            (Verdict::Excluded | Verdict::ExcludedUpTo(_) | Verdict::Shown(_), false) => {
                VerdictWord::Holds
            }
            (Verdict::Excluded | Verdict::ExcludedUpTo(_) | Verdict::Shown(_), true) => {
                VerdictWord::Unreachable
            }
            (Verdict::Unknown(_), _) => VerdictWord::Unknown,
        }
    }
}

impl std::fmt::Display for VerdictWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            VerdictWord::Holds => "HOLDS",
            VerdictWord::Violated => "VIOLATED",
            VerdictWord::Unreachable => "UNREACHABLE",
            VerdictWord::Reachable => "REACHABLE",
            VerdictWord::Unknown => "UNKNOWN",
        })
    }
}

/// The JSON form of an answer.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct AnswerForm {
    #[serde(flatten)]
    asked: Asked,
    verdict: VerdictWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    up_to: Option<Bound>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<Limit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uncertified: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    vacuous: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl From<Answer> for AnswerForm {
    fn from(answer: Answer) -> Self {
        let verdict = answer.word();
        let (mut up_to, mut why, mut evidence) = (None, None, None);
        match answer.verdict {
            Verdict::Found(found) | Verdict::Shown(found) => evidence = Some(found),
            Verdict::Excluded | Verdict::Refuted => {}
            Verdict::ExcludedUpTo(bound) => up_to = Some(bound),
            Verdict::Unknown(limit) => why = Some(limit),
        }
        Self {
            asked: answer.asked,
            verdict,
            up_to,
            why,
            uncertified: answer.uncertified,
            vacuous: answer.vacuous,
            evidence,
        }
    }
}

impl TryFrom<AnswerForm> for Answer {
    type Error = String;

    fn try_from(form: AnswerForm) -> Result<Self, String> {
        let asked = &form.asked;
        let verdict = match (form.verdict, form.evidence, form.up_to, form.why) {
            (VerdictWord::Violated | VerdictWord::Reachable, Some(evidence), None, None) => {
                Verdict::Found(evidence)
            }
            (VerdictWord::Violated, None, None, None) if form.uncertified.is_some() => {
                Verdict::Refuted
            }
            (VerdictWord::Holds, Some(evidence), None, None) => Verdict::Shown(evidence),
            (VerdictWord::Holds | VerdictWord::Unreachable, None, None, None) => Verdict::Excluded,
            (VerdictWord::Holds | VerdictWord::Unreachable, None, Some(bound), None) => {
                Verdict::ExcludedUpTo(bound)
            }
            (VerdictWord::Unknown, None, None, Some(why)) => Verdict::Unknown(why),
            (word, ..) => {
                return Err(format!(
                    "the answer about {asked} says {word}, which does not fit its other members"
                ));
            }
        };
        let answer = Self {
            uncertified: form.uncertified,
            vacuous: form.vacuous,
            ..Self::to(form.asked, verdict)
        };
        if answer.word() == form.verdict && answer.verdict.fits_its_evidence() {
            Ok(answer)
        } else {
            let (asked, word) = (&answer.asked, form.verdict);
            Err(format!("{word} is not a verdict about {asked}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::TargetKind;
    use hardbop_machine::NodeId;

    fn answer(kind: TargetKind, verdict: Verdict) -> Answer {
        let target = Target {
            node: NodeId(3),
            kind,
            procedure: "main".to_owned(),
            line: 2,
            column: 5,
            text: "assert(x)".to_owned(),
        };
        Answer::new(target, verdict)
    }

    #[test]
    fn text_and_json_have_the_same_words_and_json_reads_back() {
        let bound = Verdict::ExcludedUpTo(Bound::Rounds(2));
        let cases = [
            (answer(TargetKind::Assertion, Verdict::Excluded), "HOLDS"),
            (answer(TargetKind::Line, bound), "UNREACHABLE"),
            (
                answer(TargetKind::Line, Verdict::Unknown(Limit::Time)),
                "UNKNOWN",
            ),
        ];
        for (answer, word) in cases {
            assert_eq!(answer.word().to_string(), word);
            let text = serde_json::to_string(&answer).expect("answers have a JSON form");
            assert!(text.contains(&format!("\"verdict\":\"{word}\"")), "{text}");
            assert_eq!(serde_json::from_str::<Answer>(&text).ok(), Some(answer));
        }
    }

    #[test]
    fn a_verdict_without_its_evidence_or_in_the_wrong_word_is_refused() {
        let answer = answer(TargetKind::Assertion, Verdict::Excluded);
        let text = serde_json::to_string(&answer).expect("answers have a JSON form");
        for word in ["VIOLATED", "UNREACHABLE", "UNKNOWN"] {
            let changed = text.replace("HOLDS", word);
            assert!(
                serde_json::from_str::<Answer>(&changed).is_err(),
                "{changed}"
            );
        }
    }
}
