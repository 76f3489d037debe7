//! From a question to a validated answer.

use crate::cross_check::compare;
use crate::engines::EngineName;
use crate::fault::Fault;
use crate::judge::{Validation, validate};
use crate::options::Options;
use crate::plan::{Planned, plan};
use crate::turns::{Contestant, End, Participant, Until, take_turns};
use crate::vacuity;
use hardbop_machine::Machine;
use hardbop_outcome::{
    Budget, Conflict, Engine, Event, Limit, Outcome, Progress, Question, Statistics, Steady,
    Subject, Verdict,
};
use hardbop_transform::Transform;
use hardbop_transform::domains::{Reduced, reduce};
use hardbop_transform::hide::Tracking;
use std::num::NonZeroUsize;

/// Which engines answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Those that the plan names, in turns.
    #[default]
    Auto,
    /// One.
    Engine(EngineName),
    /// All that take the question, compared with each other.
    CrossCheck,
}

/// How questions are answered.
#[derive(Clone, Debug)]
pub struct Portfolio {
    /// Which engines answer.
    pub choice: Choice,
    /// What single engines are told.
    pub options: Options,
    /// How many engines search at the same time.
    pub jobs: NonZeroUsize,
    /// Whether answers are validated.
    pub validation: Validation,
}

impl Default for Portfolio {
    fn default() -> Self {
        Self {
            choice: Choice::default(),
            options: Options::default(),
            jobs: NonZeroUsize::MIN,
            validation: Validation::default(),
        }
    }
}

/// An engine, set up, with its turns.
type PlannedEngine = (Planned, Box<dyn Engine>);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Nothing that may be used obeys every part of the question and every option.
    #[error("{0}")]
    Usage(String),
    /// A fault of hardbop itself.
    #[error("internal error: {0}")]
    Fault(#[from] Fault),
}

impl Portfolio {
    /// Answers a question, with every run replayed and every certificate checked, and assertions
    /// marked that are never reached.
    pub fn check(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Outcome, Refused> {
        let mut outcome = self.answer(machine, question, budget, progress)?;
        if self.validation == Validation::Full {
            progress.event(Event::Phase("vacuity"));
            vacuity::mark(machine, &mut outcome, budget)?;
        }
        Ok(outcome)
    }

    /// Answers a question, with every run replayed and every certificate checked.
    pub(crate) fn answer(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Outcome, Refused> {
        let reduced = self.reduced(machine, question);
        let (searched, asked) = match &reduced {
            Some(reduced) => (reduced.machine(), reduced.question()),
            None => (machine, question),
        };
        let engines = self.engines(searched, asked, budget)?;
        let contestants = prepared(&engines, searched, asked, budget)?;
        if question.asked().is_empty() {
            return Ok(Outcome::new(contestants[0].name, Vec::new()));
        }
        let participants = self.search(&contestants, asked, budget, progress);
        drop(contestants);
        for participant in &participants {
            if let End::Panicked = participant.end {
                return Err(Fault::of_engine(participant.name, "it panicked").into());
            }
        }
        if self.choice == Choice::CrossCheck {
            compare(machine, question, &participants, &self.options)?;
        }
        let mut outcome = joined(asked, participants).map_err(Fault::from)?;
        if let Some(reduced) = &reduced {
            outcome = reduced.outcome_back(machine, outcome);
        }
        if self.validation == Validation::Full {
            progress.event(Event::Engine("validation"));
        }
        match self.validation {
            Validation::Full => validate(machine, question, &mut outcome, budget.interrupt)?,
            Validation::None => contradictions(&outcome)?,
        }
        Ok(outcome)
    }

    /// The machine with smaller integers, if that is asked instead: about places of sequential
    /// programs, unless all values count, an algorithm of the calculus looks at them, or engines
    /// are to be compared, which is done with nothing in between.
    fn reduced(&self, machine: &Machine, question: &Question) -> Option<Reduced> {
        let is_about_places = matches!(question.subject, Subject::Reach(_));
        let wants_all = self.options.track == Some(Tracking::All)
            || self.options.algorithm.is_some()
            || self.options.relations.is_some()
            || self.choice == Choice::CrossCheck;
        if !is_about_places || wants_all || !machine.is_sequential() {
            return None;
        }
        reduce(machine, question)
    }

    /// The engines that may answer: those that the choice names and that obey every option.
    fn engines(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
    ) -> Result<Vec<PlannedEngine>, Refused> {
        let given = self.options.given(budget);
        let all = || EngineName::ALL.map(Planned::plain).to_vec();
        let obeys = |engine: EngineName| given.iter().all(|o| o.engines().contains(&engine));
        let candidates = match self.choice {
            Choice::Engine(name) => vec![Planned::plain(name)],
            Choice::CrossCheck => all(),
            Choice::Auto => {
                let planned = plan(machine, question, self.jobs.get());
                // An option that only engines outside of the plan know asks for them.
                if planned.iter().any(|planned| obeys(planned.name)) {
                    planned
                } else {
                    all()
                }
            }
        };
        if let Choice::Engine(name) = self.choice
            && let Some(option) = given.iter().find(|o| !o.engines().contains(&name))
        {
            let others = option.engines().iter().map(|engine| engine.as_str());
            let others = others.collect::<Vec<_>>().join(", ");
            return Err(Refused::Usage(format!(
                "{option} has no effect on engine {name}; it is an option of {others}"
            )));
        }
        let obedient = candidates.into_iter().filter(|planned| obeys(planned.name));
        let engines = obedient.map(|planned| (planned, planned.engine(&self.options)));
        let engines: Vec<_> = engines.collect();
        if engines.is_empty() {
            let options = given.iter().map(|option| option.as_str());
            let options = options.collect::<Vec<_>>().join(" and ");
            return Err(Refused::Usage(format!(
                "no engine obeys {options} together"
            )));
        }
        Ok(engines)
    }

    fn search(
        &self,
        contestants: &[Contestant<'_>],
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Vec<Participant> {
        if let [only] = contestants {
            // There is no other engine to take turns with: no thread is needed.
            let interrupt = &Steady::new(budget.interrupt);
            let budget = Budget {
                interrupt,
                ..*budget
            };
            progress.event(Event::Engine(only.name));
            let outcome = only.begin(|search| search.search(&budget, progress));
            return vec![Participant {
                name: only.name,
                looks: 0,
                end: End::Done(Box::new(outcome)),
            }];
        }
        let jobs = self.jobs.get();
        let is_enough = |all: &[Participant]| {
            let panicked = all.iter().any(|one| matches!(one.end, End::Panicked));
            panicked || is_answered(question, all)
        };
        let until = match self.choice {
            Choice::CrossCheck => Until::All,
            Choice::Auto | Choice::Engine(_) => Until::Enough(&is_enough),
        };
        take_turns(contestants, question, budget, jobs, progress, &until)
    }
}

/// The searches of those engines that take the question.
fn prepared<'e>(
    engines: &'e [PlannedEngine],
    machine: &'e Machine,
    question: &'e Question,
    limits: &Budget<'_>,
) -> Result<Vec<Contestant<'e>>, Refused> {
    let mut contestants = Vec::new();
    let mut declined = Vec::new();
    for (planned, engine) in engines {
        match engine.prepare(machine, question, limits) {
            Ok(search) => contestants.push(planned.contestant(engine.name(), search)),
            Err(why) => {
                let name = planned.name;
                declined.push(format!("engine {name} does not support {}", why.what));
            }
        }
    }
    if contestants.is_empty() {
        return Err(Refused::Usage(declined.join("; ")));
    }
    Ok(contestants)
}

/// Whether between them those who have ended answer every item.
fn is_answered(question: &Question, participants: &[Participant]) -> bool {
    let outcomes: Vec<&Outcome> = participants
        .iter()
        .filter_map(Participant::outcome)
        .collect();
    let is_known = |item: usize| {
        let mut answers = outcomes
            .iter()
            .filter_map(|outcome| outcome.answers.get(item));
        answers.any(|answer| !answer.verdict.is_unknown())
    };
    (0..question.asked().len()).all(is_known)
}

/// One outcome of all: each item by the first who knows, and an alarm if two contradict each other.
/// What others spent is in the statistics.
fn joined(question: &Question, participants: Vec<Participant>) -> Result<Outcome, Conflict> {
    let is_alone = participants.len() == 1;
    let shares: Vec<(String, u64)> = participants
        .iter()
        .filter(|one| one.looks > 0)
        .map(|one| (format!("turns-of-{}", one.name), one.looks))
        .collect();
    let mut outcomes = participants.into_iter().filter_map(|one| match one.end {
        End::Done(outcome) => Some(*outcome),
        End::Stopped | End::Panicked => None,
    });
    let Some(first) = outcomes.next() else {
        return Ok(Outcome::unknown("auto", question, &Limit::Interrupted));
    };
    let mut joined = outcomes.try_fold(first, Outcome::join)?;
    if !is_alone {
        joined.statistics.join(Statistics::sums(shares));
    }
    Ok(joined)
}

/// An engine that contradicts itself is at fault even without validation.
fn contradictions(outcome: &Outcome) -> Result<(), Fault> {
    for answer in &outcome.answers {
        if let Verdict::Unknown(Limit::Contradiction { what }) = &answer.verdict {
            return Err(Fault::of_engine(&outcome.engine, what));
        }
    }
    Ok(())
}
