//! A question with options for answering it.

use hardbop_machine::Machine;
use hardbop_outcome::{
    Bound, Budget, Interrupt, NeverInterrupted, Outcome, Progress, Question, Silent, WantedRun,
};
use hardbop_portfolio::{Choice, EngineName, Options, Portfolio, Refused};
use std::num::NonZeroUsize;

/// A question that is about to be answered.
///
/// ```
/// use hardbop::{Bound, EngineName, Model};
///
/// let model = Model::parse(
///     "race.bp",
///     "decl g := 0;
///      thread a begin void main() begin assume(g); assert(0); end end
///      thread b begin void main() begin g := 1; end end",
/// )?;
/// let within = |switches| {
///     let asked = model.assertions().within(Bound::ContextSwitches(switches));
///     asked.engine(EngineName::Concurrent).answer()
/// };
/// assert!(!within(0)?.answers[0].verdict.is_yes());
/// assert!(within(1)?.answers[0].verdict.is_yes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is asked before `answer`"]
pub struct Inquiry<'m> {
    machine: &'m Machine,
    question: Question,
    portfolio: Portfolio,
    budget: Budget<'m>,
}

impl<'m> Inquiry<'m> {
    pub(crate) fn new(machine: &'m Machine, question: Question) -> Self {
        Self {
            machine,
            question,
            portfolio: Portfolio::default(),
            budget: Budget {
                interrupt: &NeverInterrupted,
                ..Budget::unlimited()
            },
        }
    }

    /// Explores only runs within a bound.
    pub fn within(mut self, bound: Bound) -> Self {
        self.question = self.question.within(bound);
        self
    }

    /// Always computes shortest runs.
    pub fn shortest(mut self) -> Self {
        self.question = self.question.wanting(WantedRun::Shortest);
        self
    }

    /// Takes the first run that is found.
    pub fn any_run(mut self) -> Self {
        self.question = self.question.wanting(WantedRun::Any);
        self
    }

    /// Uses one engine.
    pub fn engine(mut self, engine: EngineName) -> Self {
        self.portfolio.choice = Choice::Engine(engine);
        self
    }

    /// Runs every engine that supports the question; contradicting answers are a
    /// [`hardbop_portfolio::Fault`].
    pub fn cross_check(mut self) -> Self {
        self.portfolio.choice = Choice::CrossCheck;
        self
    }

    /// Sets options of single engines.
    pub fn options(mut self, options: Options) -> Self {
        self.portfolio.options = options;
        self
    }

    /// Lets this many engines search at the same time.
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.portfolio.jobs = jobs;
        self
    }

    /// Stops after this many states.
    pub fn states(mut self, states: u64) -> Self {
        self.budget.states = Some(states);
        self
    }

    /// Stops after this many BDD nodes.
    pub fn nodes(mut self, nodes: u64) -> Self {
        self.budget.nodes = Some(nodes);
        self
    }

    /// Maximum number of threads that a program may start.
    pub fn threads(mut self, threads: u32) -> Self {
        self.budget.threads = Some(threads);
        self
    }

    /// Polled regularly to decide whether to stop; use it for a clock or a flag.
    pub fn interrupted_by(mut self, interrupt: &'m dyn Interrupt) -> Self {
        self.budget.interrupt = interrupt;
        self
    }

    /// Answers. Every run has been replayed and every certificate checked.
    pub fn answer(&self) -> Result<Outcome, Refused> {
        self.answer_with(&mut Silent)
    }

    /// The same, with a listener for progress.
    pub fn answer_with(&self, progress: &mut dyn Progress) -> Result<Outcome, Refused> {
        let (machine, question) = (self.machine, &self.question);
        self.portfolio
            .check(machine, question, &self.budget, progress)
    }
}
