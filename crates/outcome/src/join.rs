//! Joining what several searches know of one question.
//!
//! There is one operation for answers and one for outcomes. Of two answers the better supported one
//! stays. Two that contradict each other are a [`Conflict`], which is a fault of one of the
//! searches and never an answer.

use crate::answer::{Answer, Verdict};
use crate::budget::Limit;
use crate::outcome::Outcome;
use crate::question::Question;
use crate::support::Support;

/// Two searches contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The engine of the first answer.
    pub one: String,
    /// The first answer, in words.
    pub says: String,
    /// The engine of the second answer.
    pub other: String,
    /// The second, in words.
    pub contradicts: String,
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { one, says, .. } = self;
        let (other, contradicts) = (&self.other, &self.contradicts);
        write!(
            f,
            "engine {one} says {says}, engine {other} says {contradicts}"
        )
    }
}

impl std::error::Error for Conflict {}

impl Answer {
    /// The better supported of two answers to one item, the first if both are as good. A verdict is
    /// better than none, and best with its evidence; a limit says more than that an engine declined
    /// or was stopped; an engine that contradicts itself is always heard.
    #[must_use]
    fn better(self, other: Self) -> Self {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }

    fn rank(&self) -> u32 {
        match &self.verdict {
            Verdict::Unknown(Limit::Declined { .. }) => 0,
            Verdict::Unknown(Limit::Interrupted) => 1,
            Verdict::Unknown(Limit::Contradiction { .. }) => 5,
            Verdict::Unknown(_) => 2,
            Verdict::Yes(Support::Uncertified(Some(_)))
            | Verdict::No(Support::Uncertified(Some(_))) => 3,
            Verdict::Yes(_) | Verdict::No(_) => 4,
        }
    }
}

impl Outcome {
    /// What two outcomes of one question contradict each other in.
    pub fn conflict(&self, other: &Self) -> Option<Conflict> {
        let mut pairs = self.answers.iter().zip(&other.answers);
        let (one, contrary) = pairs.find(|(a, b)| a.verdict.contradicts(&b.verdict))?;
        Some(Conflict {
            one: self.engine.clone(),
            says: format!("{} of {}", one.word(), one.asked),
            other: other.engine.clone(),
            contradicts: contrary.word().to_string(),
        })
    }

    /// Whether it has a verdict on something.
    pub fn knows(&self) -> bool {
        self.answers.iter().any(|a| !a.verdict.is_unknown())
    }

    /// The question about those targets that are left open and still of interest.
    pub fn open_part(&self, question: &Question) -> Question {
        if question.one_is_enough && self.answers.iter().any(|a| a.verdict.is_yes()) {
            return question.about(Vec::new());
        }
        let open = self.answers.iter().filter(|a| a.verdict.is_unknown());
        question.about(open.filter_map(|answer| answer.target().cloned()).collect())
    }

    /// Adds the answers to what was open; they are those to [`Outcome::open_part`].
    pub fn fill(&mut self, given: Self) {
        let open = self.answers.iter_mut().filter(|a| a.verdict.is_unknown());
        for (answer, given) in open.zip(given.answers) {
            *answer = given;
        }
        self.certificates.extend(given.certificates);
        self.statistics.join(given.statistics);
    }

    /// What both know of one question. The engine that knows something is named first, and only
    /// those are named whose answers are part of it.
    pub fn join(self, other: Self) -> Result<Self, Conflict> {
        if let Some(conflict) = self.conflict(&other) {
            return Err(conflict);
        }
        let (mut known, other) = if other.knows() && !self.knows() {
            (other, self)
        } else {
            (self, other)
        };
        let mut adds = false;
        let answers = std::mem::take(&mut known.answers).into_iter();
        known.answers = answers
            .zip(other.answers)
            .map(|(one, other)| {
                adds |= !other.verdict.is_unknown() && other.rank() > one.rank();
                one.better(other)
            })
            .collect();
        if adds {
            known.engine = format!("{}, {}", known.engine, other.engine);
            known.certificates.extend(other.certificates);
            known.statistics.join_as(&other.engine, other.statistics);
        }
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Bound;
    use crate::question::Asked;
    use hardbop_automata::PropertyText;

    fn outcome(engine: &str, verdicts: &[Verdict]) -> Outcome {
        let asked = |number: usize| {
            Asked::Property(PropertyText::Ltl {
                formula: format!("G p{number}"),
            })
        };
        let answers = verdicts.iter().enumerate();
        let answers = answers.map(|(number, verdict)| Answer::to(asked(number), verdict.clone()));
        Outcome::new(engine, answers.collect())
    }

    fn yes() -> Verdict {
        Verdict::Yes(Support::Uncertified(Some("it is believed".to_owned())))
    }

    fn unknown() -> Verdict {
        Verdict::Unknown(Limit::Time)
    }

    #[test]
    fn a_yes_and_a_no_of_one_item_are_a_conflict_whatever_supports_them() {
        let noes = [
            Verdict::NO,
            Verdict::CERTIFIED,
            Verdict::up_to(Bound::Rounds(1)),
            Verdict::uncertified("it is large"),
        ];
        for no in noes {
            let (one, other) = (outcome("a", &[yes()]), outcome("b", &[no]));
            let conflict = one.clone().join(other.clone()).expect_err("they conflict");
            assert_eq!(
                conflict.to_string(),
                "engine a says VIOLATED of G p0, engine b says HOLDS"
            );
            assert!(other.join(one).is_err());
        }
    }

    #[test]
    fn a_join_has_the_better_answer_of_each_item_and_names_whom_it_is_from() {
        let declined = Verdict::Unknown(Limit::Declined {
            what: "threads".to_owned(),
        });
        let one = outcome("a", &[unknown(), yes(), declined.clone()]);
        let other = outcome("b", &[Verdict::NO, unknown(), unknown()]);
        let joined = one.clone().join(other).expect("they agree");
        let verdicts: Vec<&Verdict> = joined.answers.iter().map(|a| &a.verdict).collect();
        assert_eq!(verdicts, [&Verdict::NO, &yes(), &unknown()]);
        assert_eq!(joined.engine, "a, b");
        let nothing = outcome("c", &[declined.clone(), declined, unknown()]);
        let joined = nothing.join(one).expect("they agree");
        assert_eq!(joined.engine, "a");
    }
}
