//! The answer to one item of a question: a verdict and what supports it, in text and JSON by the
//! same words.

use crate::bound::Bound;
use crate::budget::Limit;
use crate::evidence::Evidence;
use crate::question::Asked;
use crate::support::{Support, SupportWord};
use crate::target::Target;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// The answer to one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "AnswerForm", try_from = "AnswerForm")]
pub struct Answer {
    /// What was asked.
    pub asked: Asked,
    /// What was found, and what supports it.
    pub verdict: Verdict,
    /// Whether an assertion holds only because no run gets to it, as far as that is known.
    pub vacuous: bool,
}

/// Whether what was asked for happens: a place is reached, a run is as a property describes it, or
/// a formula of branching time fails. Either verdict stands on a [`Support`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It happens.
    Yes(Support),
    /// It does not.
    No(Support),
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
    /// It does not happen. There is no certificate, and none is to be expected.
    pub const NO: Self = Verdict::No(Support::Uncertified(None));

    /// It does not happen, and one of the outcome's certificates says so.
    pub const CERTIFIED: Self = Verdict::No(Support::Certificate);

    /// It happens, and this shows it.
    pub fn found(evidence: Evidence) -> Self {
        Verdict::Yes(Support::Evidence(evidence))
    }

    /// It happens in a finite run.
    pub fn run(trace: Trace) -> Self {
        Self::found(Evidence::Run(trace))
    }

    /// It does not happen within a bound.
    pub fn up_to(bound: Bound) -> Self {
        Verdict::No(Support::UpTo(bound))
    }

    /// It does not happen, but there is no certificate for this reason.
    pub fn uncertified(why: impl Into<String>) -> Self {
        Verdict::No(Support::Uncertified(Some(why.into())))
    }

    /// What it stands on.
    pub fn support(&self) -> Option<&Support> {
        match self {
            Verdict::Yes(support) | Verdict::No(support) => Some(support),
            Verdict::Unknown(_) => None,
        }
    }

    /// The evidence that comes with it.
    pub fn evidence(&self) -> Option<&Evidence> {
        self.support()?.evidence()
    }

    /// Whether its support can be one of it. Runs show that something happens, certificates and
    /// bounds say that it does not, and a strategy says itself which way it goes.
    pub fn fits_its_support(&self) -> bool {
        match self {
            Verdict::Yes(Support::Evidence(Evidence::Strategy(strategy))) => !strategy.holds,
            Verdict::No(Support::Evidence(Evidence::Strategy(strategy))) => strategy.holds,
            Verdict::Yes(Support::Uncertified(why)) => why.is_some(),
            Verdict::Yes(support) => support.evidence().is_some(),
            Verdict::No(support) => support.evidence().is_none(),
            Verdict::Unknown(_) => true,
        }
    }

    /// The finite run that was found.
    pub fn trace(&self) -> Option<&Trace> {
        self.evidence()?.run()
    }

    /// Why there is no certificate, where one is to be expected.
    pub fn why_uncertified(&self) -> Option<&str> {
        match self.support()? {
            Support::Uncertified(why) => why.as_deref(),
            _ => None,
        }
    }

    /// Whether it happens.
    pub fn is_yes(&self) -> bool {
        matches!(self, Verdict::Yes(_))
    }

    /// Whether it does not happen, as far as was asked.
    pub fn is_no(&self) -> bool {
        matches!(self, Verdict::No(_))
    }

    /// Whether it does not happen in any run, however long.
    pub fn is_no_for_all_runs(&self) -> bool {
        self.is_no() && !matches!(self.support(), Some(Support::UpTo(_)))
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Verdict::Unknown(_))
    }

    /// Whether one says that it happens and the other that it does not.
    pub fn contradicts(&self, other: &Self) -> bool {
        self.is_yes() && other.is_no() || self.is_no() && other.is_yes()
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
            (Verdict::Yes(_), false) => VerdictWord::Violated,
            (Verdict::Yes(_), true) => VerdictWord::Reachable,
            (Verdict::No(_), false) => VerdictWord::Holds,
            (Verdict::No(_), true) => VerdictWord::Unreachable,
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
    support: Option<SupportWord>,
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
        let mut form = Self {
            asked: answer.asked,
            verdict,
            support: answer.verdict.support().map(Support::word),
            up_to: None,
            why: None,
            uncertified: None,
            vacuous: answer.vacuous,
            evidence: None,
        };
        match answer.verdict {
            Verdict::Yes(support) | Verdict::No(support) => match support {
                Support::Evidence(evidence) => form.evidence = Some(evidence),
                Support::Certificate => {}
                Support::UpTo(bound) => form.up_to = Some(bound),
                Support::Uncertified(why) => form.uncertified = why,
            },
            Verdict::Unknown(limit) => form.why = Some(limit),
        }
        form
    }
}

impl TryFrom<AnswerForm> for Answer {
    type Error = String;

    fn try_from(form: AnswerForm) -> Result<Self, String> {
        let misfit = format!(
            "the answer about {} says {}, which does not fit its other members",
            form.asked, form.verdict
        );
        let support = match (form.evidence, form.up_to, form.uncertified) {
            (Some(evidence), None, None) => Support::Evidence(evidence),
            (None, Some(bound), None) => Support::UpTo(bound),
            (None, None, None) if form.support == Some(SupportWord::Certificate) => {
                Support::Certificate
            }
            (None, None, why) => Support::Uncertified(why),
            _ => return Err(misfit),
        };
        if form.support.is_some_and(|word| word != support.word()) {
            return Err(misfit);
        }
        let verdict = match (form.verdict, form.why) {
            (VerdictWord::Violated | VerdictWord::Reachable, None) => Verdict::Yes(support),
            (VerdictWord::Holds | VerdictWord::Unreachable, None) => Verdict::No(support),
            (VerdictWord::Unknown, Some(why)) if support == Support::Uncertified(None) => {
                Verdict::Unknown(why)
            }
            _ => return Err(misfit),
        };
        let answer = Self {
            vacuous: form.vacuous,
            ..Self::to(form.asked, verdict)
        };
        if answer.word() == form.verdict && answer.verdict.fits_its_support() {
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
        let bound = Verdict::up_to(Bound::Rounds(2));
        let uncertified = Verdict::uncertified("it is large");
        let cases = [
            (answer(TargetKind::Assertion, Verdict::NO), "HOLDS"),
            (answer(TargetKind::Assertion, Verdict::CERTIFIED), "HOLDS"),
            (answer(TargetKind::Assertion, uncertified), "HOLDS"),
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
        let answer = answer(TargetKind::Assertion, Verdict::NO);
        let text = serde_json::to_string(&answer).expect("answers have a JSON form");
        for word in ["VIOLATED", "UNREACHABLE", "UNKNOWN"] {
            let changed = text.replace("HOLDS", word);
            assert!(
                serde_json::from_str::<Answer>(&changed).is_err(),
                "{changed}"
            );
        }
    }

    #[test]
    fn a_support_is_refused_that_says_something_else_than_its_members() {
        let answer = answer(TargetKind::Line, Verdict::up_to(Bound::Rounds(2)));
        let text = serde_json::to_string(&answer).expect("answers have a JSON form");
        for word in ["run", "certificate", "uncertified"] {
            let changed = text.replace("\"bound\"", &format!("\"{word}\""));
            assert_ne!(changed, text);
            assert!(serde_json::from_str::<Answer>(&changed).is_err(), "{word}");
        }
        let without = text.replace("\"support\":\"bound\",", "");
        assert_eq!(serde_json::from_str::<Answer>(&without).ok(), Some(answer));
    }
}
