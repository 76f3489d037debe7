//! From the command line to questions: places, properties of runs, bounds, and which run is wanted.
//!
//! All questions are read before the first is asked, so that a mistake in the last one is reported
//! at once. Only the automaton of a formula waits for its turn: making it can take all the time.

use crate::competition::Property;
use crate::console::Console;
use crate::exit::Failure;
use crate::input;
use crate::targets::{TargetArguments, find_label};
use hardbop_automata::{PropertyErrors, PropertyText, ReadProperty};
use hardbop_machine::Machine;
use hardbop_outcome::{Asked, Bound, Question, Target, WantedRun};

/// More contexts, rounds or threads than anyone can explore.
pub const MANY: i64 = 1000;

/// What to ask.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct QuestionArguments {
    #[command(flatten)]
    targets: TargetArguments,
    /// Check a property file of the competition on software verification: unreach-call or
    /// no-overflow
    #[arg(long, value_name = "FILE.prp", help_heading = "Questions")]
    pub property: Option<String>,
    #[command(flatten)]
    properties: PropertyArguments,
    #[command(flatten)]
    bound: BoundArguments,
    /// Report the first counterexample found instead of a short one
    #[arg(long, help_heading = "Questions")]
    any_run: bool,
    /// Always compute shortest counterexamples
    #[arg(long, conflicts_with = "any_run", help_heading = "Questions")]
    shortest: bool,
}

/// What `--terminates-always` asks.
fn every_run_ends() -> PropertyText {
    let formula = "F (terminated | failed)".to_owned();
    PropertyText::Ltl { formula }
}

/// Questions about whole runs.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Properties")]
pub struct PropertyArguments {
    /// Check a formula of linear temporal logic, LTL (may be repeated)
    #[arg(long, value_name = "FORMULA")]
    ltl: Vec<String>,
    /// Check a formula of branching-time logic, CTL (may be repeated)
    #[arg(long, value_name = "FORMULA")]
    ctl: Vec<String>,
    /// Check a monitor: no execution may enter its target states, or visit its accepting states
    /// infinitely often (may be repeated)
    #[arg(long, value_name = "FILE.mon")]
    monitor: Vec<String>,
    /// Check an automaton that accepts the forbidden executions, in the HOA format (may be
    /// repeated)
    #[arg(long, value_name = "FILE.hoa")]
    hoa: Vec<String>,
    /// Search for an execution that visits a label infinitely often (may be repeated)
    #[arg(long, value_name = "LABEL")]
    fair: Vec<String>,
    /// Search for an execution that never ends
    #[arg(long)]
    nonterminating: bool,
    /// Search for an execution that ends
    #[arg(long)]
    terminates: bool,
    /// Check that every execution ends: `main` returns, or an assertion fails
    #[arg(long)]
    terminates_always: bool,
}

/// How far to look.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Bounds")]
pub struct BoundArguments {
    /// Explore only executions with at most K context switches, fewest switches first [default: no
    /// bound]
    #[arg(long, value_name = "K", group = "bound", visible_alias = "contexts-up-to",
          value_parser = clap::value_parser!(u32).range(..=MANY))]
    contexts: Option<u32>,
    /// Explore only round-robin schedules of at most R rounds [default: no bound]
    #[arg(long, value_name = "R", group = "bound",
          value_parser = clap::value_parser!(u32).range(1..=MANY))]
    rounds: Option<u32>,
    /// Explore only executions of at most N steps, by unrolling, to find bugs [default: no bound]
    #[arg(long, value_name = "N", group = "bound")]
    bmc: Option<u32>,
}

impl BoundArguments {
    /// The bound, if there is one.
    pub fn bound(self) -> Option<Bound> {
        let rounds = self.rounds.map(Bound::Rounds);
        let steps = self.bmc.map(Bound::Steps);
        let switches = self.contexts.map(Bound::ContextSwitches);
        switches.or(rounds).or(steps)
    }
}

impl PropertyArguments {
    /// What is asked, in a fixed order; files are read.
    pub fn texts(&self, machine: &Machine) -> Result<Vec<PropertyText>, Failure> {
        let mut texts = Vec::new();
        for formula in &self.ltl {
            let formula = formula.clone();
            texts.push(PropertyText::Ltl { formula });
        }
        for formula in &self.ctl {
            let formula = formula.clone();
            texts.push(PropertyText::Ctl { formula });
        }
        for file in &self.monitor {
            let (file, text) = (file.clone(), input::read_text(file)?);
            texts.push(PropertyText::Monitor { file, text });
        }
        for file in &self.hoa {
            let (file, text) = (file.clone(), input::read_text(file)?);
            texts.push(PropertyText::Hoa { file, text });
        }
        for label in &self.fair {
            find_label(machine, label)?;
            let label = label.clone();
            texts.push(PropertyText::Fair { label });
        }
        texts.extend(self.nonterminating.then_some(PropertyText::Nonterminating));
        texts.extend(self.terminates.then_some(PropertyText::Terminates));
        texts.extend(self.terminates_always.then(every_run_ends));
        Ok(texts)
    }
}

impl PropertyArguments {
    /// Whether any property is named.
    pub fn is_empty(&self) -> bool {
        let lists = [&self.ltl, &self.ctl, &self.monitor, &self.hoa, &self.fair];
        let flags = [self.nonterminating, self.terminates, self.terminates_always];
        lists.iter().all(|list| list.is_empty()) && flags == [false; 3]
    }
}

/// Reads a property; what is wrong with it is reported.
pub fn read_property(
    console: &mut Console,
    machine: &Machine,
    text: PropertyText,
) -> Result<Question, Failure> {
    let read = ReadProperty::read(machine, text).and_then(ReadProperty::translate);
    let read = read.map_err(|errors| reported(console, &errors))?;
    Ok(Question::translated(read))
}

fn reported(console: &mut Console, errors: &PropertyErrors) -> Failure {
    console.diagnostics(&errors.text, &errors.diagnostics);
    Failure::Reported
}

/// A question that has been read.
pub struct ReadQuestion {
    subject: ReadSubject,
    bound: Option<Bound>,
    wanted: WantedRun,
}

enum ReadSubject {
    Places(Vec<Target>),
    Property(Box<ReadProperty>),
}

impl ReadQuestion {
    /// Whether a negative answer comes with a certificate.
    pub fn has_certificates(&self) -> bool {
        matches!(self.subject, ReadSubject::Places(_)) && self.bound.is_none()
    }

    /// Whether there may be a certificate: also of a safety property, if it holds.
    pub fn may_be_certified(&self) -> bool {
        match &self.subject {
            ReadSubject::Places(_) => self.bound.is_none(),
            ReadSubject::Property(property) => {
                let is_ctl = matches!(property.text(), PropertyText::Ctl { .. });
                self.bound.is_none() && !is_ctl
            }
        }
    }

    /// Whether there is nothing to ask.
    pub fn is_empty(&self) -> bool {
        matches!(&self.subject, ReadSubject::Places(targets) if targets.is_empty())
    }

    /// The items that it asks about.
    pub fn asked(&self) -> Vec<Asked> {
        match &self.subject {
            ReadSubject::Places(targets) => targets.iter().cloned().map(Asked::Target).collect(),
            ReadSubject::Property(property) => vec![Asked::Property(property.text().clone())],
        }
    }

    /// Makes it ready to be asked.
    pub fn prepare(self, console: &mut Console) -> Result<Question, Failure> {
        let question = match self.subject {
            ReadSubject::Places(targets) => Question::reach(targets),
            ReadSubject::Property(property) => {
                let property = property.translate();
                Question::translated(property.map_err(|errors| reported(console, &errors))?)
            }
        };
        Ok(question.within(self.bound).wanting(self.wanted))
    }
}

impl QuestionArguments {
    /// The questions: one about all places, and one for each property. Without any, the assertions
    /// of the program are asked about.
    pub fn questions(
        &self,
        console: &mut Console,
        machine: &Machine,
        property: Option<&Property>,
    ) -> Result<Vec<ReadQuestion>, Failure> {
        let mut subjects = Vec::new();
        let mut texts = self.properties.texts(machine)?;
        match property {
            Some(Property::Termination) => texts.push(every_run_ends()),
            Some(property) => subjects.push(ReadSubject::Places(property.targets(machine))),
            None => {}
        }
        let is_asked = property.is_some() || !texts.is_empty();
        if !self.targets.is_empty() || !is_asked {
            subjects.push(ReadSubject::Places(self.targets.or_assertions(machine)?));
        }
        for text in texts {
            let property = ReadProperty::read(machine, text);
            let property = property.map_err(|errors| reported(console, &errors))?;
            subjects.push(ReadSubject::Property(Box::new(property)));
        }
        let wanted = match (self.any_run, self.shortest) {
            (true, _) => WantedRun::Any,
            (_, true) => WantedRun::Shortest,
            _ => WantedRun::Short,
        };
        let bound = self.bound.bound();
        let question = |subject| ReadQuestion {
            subject,
            bound,
            wanted,
        };
        Ok(subjects.into_iter().map(question).collect())
    }
}
