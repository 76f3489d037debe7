//! From a question to a validated answer.

use crate::cross_check::compare;
use crate::engines::EngineName;
use crate::fault::Fault;
use crate::judge::{Validation, validate};
use crate::options::Options;
use crate::pipeline::{Circumstances, Pass, Pipeline};
use crate::plan::{Planned, plan};
use crate::prefixes::{PrefixId, Prefixes};
use crate::turns::{Contestant, End, Participant, Until, take_turns};
use crate::vacuity;
use hardbop_machine::Machine;
use hardbop_outcome::{
    Budget, Conflict, Engine, Event, Limit, Outcome, Prepared, Progress, Question, Statistics,
    Steady, Verdict,
};
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

/// A pipeline of a plan, with its turns.
struct PlannedPipeline {
    planned: Planned,
    pipeline: Pipeline,
    /// What its machine passes have made.
    at: PrefixId,
    /// Its engine in the loops of the other passes, set up.
    engine: Box<dyn Engine>,
}

/// A pipeline of a plan, for readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanLine {
    /// The passes and the engine.
    pub pipeline: Pipeline,
    /// The passes that change nothing about this program.
    pub idle: Vec<Pass>,
}

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
        let mut prefixes = Prefixes::new(machine, question);
        let pipelines = self.pipelines(&mut prefixes, machine, question, budget)?;
        let contestants = prepared(&pipelines, &prefixes, budget)?;
        if question.asked().is_empty() {
            return Ok(Outcome::new(contestants[0].name, Vec::new()));
        }
        let participants = self.search(&contestants, question, budget, progress);
        drop(contestants);
        for participant in &participants {
            if let End::Panicked = participant.end {
                return Err(Fault::of_engine(participant.name, "it panicked").into());
            }
        }
        if self.choice == Choice::CrossCheck {
            compare(machine, question, &participants, &self.options)?;
        }
        let mut outcome = joined(question, participants).map_err(Fault::from)?;
        if self.validation == Validation::Full {
            progress.event(Event::Engine("validation"));
        }
        match self.validation {
            Validation::Full => validate(machine, question, &mut outcome, budget.interrupt)?,
            Validation::None => contradictions(&outcome)?,
        }
        Ok(outcome)
    }

    /// The pipelines that would answer a question.
    pub fn plan(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
    ) -> Result<Vec<PlanLine>, Refused> {
        let mut prefixes = Prefixes::new(machine, question);
        let pipelines = self.pipelines(&mut prefixes, machine, question, budget)?;
        let taken = prepared(&pipelines, &prefixes, budget)?;
        let is_taken = |name: &str| taken.iter().any(|contestant| contestant.name == name);
        let idle = prefixes.idle();
        let lines = pipelines.iter().map(|planned| &planned.pipeline);
        let lines = lines.filter(|pipeline| is_taken(pipeline.name.as_str()));
        let lines = lines.map(|pipeline| PlanLine {
            pipeline: pipeline.clone(),
            idle: idle
                .iter()
                .copied()
                .filter(|pass| pipeline.passes().contains(pass))
                .collect(),
        });
        Ok(lines.collect())
    }

    /// The pipelines that may answer: of the engines that the choice names and that obey every
    /// option, without the passes that are switched off.
    fn pipelines(
        &self,
        prefixes: &mut Prefixes<'_>,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
    ) -> Result<Vec<PlannedPipeline>, Refused> {
        let circumstances = Circumstances {
            machine,
            question,
            options: &self.options,
            compares: self.choice == Choice::CrossCheck,
        };
        let without = &self.options.without;
        let first = circumstances.first_passes();
        let is_used = |pass: &Pass| !without.contains(pass);
        let at = prefixes.make(first.iter().copied().filter(is_used), budget);
        let (searched, asked) = prefixes.at(at.unwrap_or(None));
        let engines = self.engines(searched, asked, budget)?;
        let mut known = first;
        let (mut pipelines, mut refused) = (Vec::new(), Vec::new());
        for planned in engines {
            let name = planned.name;
            let mut passes = circumstances.passes(name);
            known.extend(&passes);
            if name
                .is_made_by()
                .is_some_and(|pass| without.contains(&pass))
            {
                refused.push(format!("engine {name} is nothing without its pass"));
                continue;
            }
            passes.retain(is_used);
            let pipeline = match Pipeline::new(name, passes, question) {
                Ok(pipeline) => pipeline,
                Err(broken) => {
                    refused.push(format!("engine {name}: {broken}"));
                    continue;
                }
            };
            match prefixes.make(pipeline.machine_passes(), budget) {
                Ok(at) => pipelines.push(PlannedPipeline {
                    planned,
                    engine: pipeline.engine(&self.options),
                    pipeline,
                    at,
                }),
                Err(why) => refused.push(format!("engine {name} does not support {}", why.what)),
            }
        }
        if let Some(pass) = without.iter().find(|pass| !known.contains(pass)) {
            return Err(Refused::Usage(format!(
                "--without {pass} has no effect: no pipeline for this question has that pass"
            )));
        }
        if pipelines.is_empty() {
            return Err(Refused::Usage(refused.join("; ")));
        }
        Ok(pipelines)
    }

    /// The engines that may answer: those that the choice names and that obey every option.
    fn engines(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
    ) -> Result<Vec<Planned>, Refused> {
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
        let engines: Vec<_> = obedient.collect();
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

/// The searches of those pipelines whose engines take the question.
fn prepared<'e>(
    pipelines: &'e [PlannedPipeline],
    prefixes: &'e Prefixes<'_>,
    limits: &Budget<'_>,
) -> Result<Vec<Contestant<'e>>, Refused> {
    let mut contestants = Vec::new();
    let mut declined = Vec::new();
    for one in pipelines {
        let (machine, question) = prefixes.at(one.at);
        let name = one.planned.name;
        match one.engine.prepare(machine, question, limits) {
            Ok(search) => {
                let search = Prepared::new(move |budget, progress| {
                    let outcome = search.search(budget, progress);
                    let mut back = prefixes.outcome_back(one.at, outcome);
                    name.as_str().clone_into(&mut back.engine);
                    back
                });
                contestants.push(one.planned.contestant(name.as_str(), search));
            }
            Err(why) => declined.push(format!("engine {name} does not support {}", why.what)),
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
