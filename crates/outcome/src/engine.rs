//! The one interface of everything that answers questions.

use crate::budget::{Budget, Limit};
use crate::outcome::Outcome;
use crate::question::Question;
use hardbop_machine::Machine;

/// A decision procedure.
pub trait Engine: Send + Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// Prepares the search for every item of a question, or says which part of program, question
    /// or limits the engine does not obey. The search keeps what was computed to find that
    /// out.
    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined>;

    /// Answers, or says that the question is not for this engine.
    fn check(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        match self.prepare(machine, question, budget) {
            Ok(prepared) => prepared.search(budget, progress),
            Err(declined) => declined.outcome(self.name(), question),
        }
    }
}

/// A search that is ready to begin.
pub struct Prepared<'a> {
    search: Box<SearchFunction<'a>>,
}

type SearchFunction<'a> = dyn FnOnce(&Budget<'_>, &mut dyn Progress) -> Outcome + Send + 'a;

impl<'a> Prepared<'a> {
    /// The search that a function makes.
    pub fn new(search: impl FnOnce(&Budget<'_>, &mut dyn Progress) -> Outcome + Send + 'a) -> Self {
        Self {
            search: Box::new(search),
        }
    }

    /// Searches, and answers every item of the question in order.
    pub fn search(self, budget: &Budget<'_>, progress: &mut dyn Progress) -> Outcome {
        (self.search)(budget, progress)
    }
}

/// Why an engine does not take a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declined {
    /// What it does not take: "concurrent programs".
    pub what: String,
}

impl Declined {
    /// An engine does not take this.
    pub fn because<T>(what: impl Into<String>) -> Result<T, Self> {
        Err(Self { what: what.into() })
    }

    /// The outcome of a question that an engine has declined.
    pub fn outcome(self, engine: &str, question: &Question) -> Outcome {
        let why = Limit::Declined { what: self.what };
        Outcome::unknown(engine, question, &why)
    }
}

/// What an engine for places in sequential programs, without a bound, does not take.
pub fn takes_only_sequential_reachability(
    machine: &Machine,
    question: &Question,
) -> Result<(), Declined> {
    takes_only_reachability(question)?;
    if !machine.is_sequential() || machine.threads.is_empty() {
        return Declined::because("concurrent programs");
    }
    takes_no_bound(question)
}

/// What an engine for places does not take.
pub fn takes_only_reachability(question: &Question) -> Result<(), Declined> {
    if question.as_property().is_some() {
        return Declined::because("properties of runs");
    }
    takes_no_branching(question)
}

/// What an engine that knows nothing of branching time does not take.
pub fn takes_no_branching(question: &Question) -> Result<(), Declined> {
    match question.as_branching() {
        None => Ok(()),
        Some(_) => Declined::because("formulas of branching time"),
    }
}

/// What an engine that looks at all runs does not take.
pub fn takes_no_bound(question: &Question) -> Result<(), Declined> {
    match question.bound {
        None => Ok(()),
        Some(bound) => Declined::because(format!("a bound of {bound}")),
    }
}

/// What an engine that takes every program for threads does not take: a property of a sequential
/// program that looks at `main` after its end.
pub fn takes_for_a_thread(machine: &Machine, question: &Question) -> Result<(), Declined> {
    let propositions = question.as_property().map(|p| &p.automaton.propositions);
    if machine.is_sequential()
        && propositions.is_some_and(|all| all.may_see_main_after_its_end(machine))
    {
        return Declined::because(
            "properties of sequential programs that speak of locals or of where they are",
        );
    }
    Ok(())
}

/// Something an engine says while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// An engine begins or goes on.
    Engine(&'a str),
    /// A phase begins.
    Phase(&'a str),
    /// A counter has reached a value.
    Count(&'a str, u64),
}

/// Hears what an engine says while it runs.
pub trait Progress: Send {
    /// Called now and then.
    fn event(&mut self, event: Event<'_>);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn event(&mut self, _event: Event<'_>) {}
}
