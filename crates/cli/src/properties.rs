//! Questions about whole runs, and the judgement of runs that answer them.
//!
//! Each question becomes an automaton of the runs that are looked for. A run that was found, by an engine just now or long ago, is not believed:
//! it is replayed, and the property evaluated on its states, a formula by the definition of the logic. `check` and `replay`
//! share this judge.

pub mod json;

use crate::console::Console;
use crate::exit::Failure;
use crate::targets::find_label;
use hardbop_automata::{Automaton, Letter, Ltl, View, read_hoa, read_ltl, read_monitor};
use hardbop_explicit::{Evidence, PropertyEngine, PropertyVerdict};
use hardbop_interpreter::{
    Configuration, LassoError, observe_lasso, observe_thread_lasso, observe_thread_trace,
    observe_trace, replay,
};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Budget, Lasso, Limit, Progress, ThreadLasso, Trace};
use hardbop_syntax::{Diagnostic, Source};
use hardbop_testkit::RunOracle;
use hardbop_testkit::run_oracle::{RunVerdict, letter_of};
use serde::{Deserialize, Serialize};

/// The property is evaluated on runs of up to so many states; longer ones are only replayed.
const MAX_OBSERVED: usize = 1_000_000;

/// The monitor that sees `main` return.
const ENDS: &str = "monitor Ends begin
  state running initial;
  state ended target;
  from running: on terminated goto ended;
end";

/// What can be asked about runs, with all the text that it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Asked {
    /// Does every run satisfy a formula?
    Ltl {
        /// The formula.
        formula: String,
    },
    /// Does no run do what a monitor looks for?
    Monitor {
        /// The name of its file.
        file: String,
        /// What the file says.
        text: String,
    },
    /// Does no run do what an automaton in the HOA format accepts?
    Hoa {
        /// The name of its file.
        file: String,
        /// What the file says.
        text: String,
    },
    /// Is there a run that visits a label again and again?
    Fair {
        /// The label.
        label: String,
    },
    /// Is there a run that never ends?
    Nonterminating,
    /// Is there a run that ends?
    Terminates,
}

/// A question that has been read, with its automaton.
pub struct Question {
    /// What was asked.
    pub asked: Asked,
    /// In words.
    pub text: String,
    /// Whether a run is asked for; otherwise a property should hold.
    pub asks_for_run: bool,
    /// Accepts the runs that are looked for.
    automaton: Automaton,
    formula: Option<Ltl>,
}

/// An answer.
pub struct Answered {
    /// Who answered.
    pub engine: &'static str,
    /// The verdict.
    pub verdict: RunsVerdict,
    /// Counters of work.
    pub statistics: Vec<(String, u64)>,
}

/// Whether there is a run of the kind that is looked for.
pub enum RunsVerdict {
    /// There is none: everything was explored.
    Excluded,
    /// There is one.
    Found(FoundRun),
    /// Not known.
    Unknown(Limit),
}

/// A run that was found.
#[derive(Clone, Debug)]
pub enum FoundRun {
    /// An infinite one of a sequential program.
    Lasso(Lasso),
    /// An infinite one of several threads.
    Threads(ThreadLasso),
    /// A finite one that makes the automaton enter a target state.
    Trace(Trace),
}

/// What is known of a run that was given as evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is what was looked for.
    Confirmed,
    /// It is a run, but has too many states to evaluate the property on each.
    TooLong,
}

impl Question {
    /// Reads a question; what is wrong with it is reported.
    pub fn read(console: &mut Console, machine: &Machine, asked: Asked) -> Result<Self, Failure> {
        match &asked {
            Asked::Ltl { formula } => {
                let (text, words) = (formula.clone(), formula.clone());
                Self::formula(console, machine, asked, &text, words, false)
            }
            Asked::Monitor { file, text } => {
                let source = Source::new(file, text.as_str());
                let monitor = reported(console, &source, read_monitor(&source, machine))?;
                Ok(Self {
                    text: format!("monitor {}", monitor.name),
                    asks_for_run: false,
                    formula: None,
                    automaton: monitor.automaton,
                    asked,
                })
            }
            Asked::Hoa { file, text } => {
                let source = Source::new(file, text.as_str());
                let automaton = reported(console, &source, read_hoa(&source, machine))?;
                Ok(Self {
                    text: format!("automaton {file}"),
                    asks_for_run: false,
                    formula: None,
                    automaton,
                    asked,
                })
            }
            Asked::Fair { label } => {
                find_label(machine, label)?;
                let violated = format!("F G !at({label})");
                let words = format!("label {label}, again and again");
                Self::formula(console, machine, asked, &violated, words, true)
            }
            Asked::Nonterminating => {
                let words = "a run that never ends".to_owned();
                Self::formula(
                    console,
                    machine,
                    asked,
                    "F (terminated | failed)",
                    words,
                    true,
                )
            }
            Asked::Terminates => {
                // A matter of reaching a state, and that search follows returns at once.
                let source = Source::new("--terminates", ENDS);
                let monitor = reported(console, &source, read_monitor(&source, machine))?;
                Ok(Self {
                    text: "a run that ends".to_owned(),
                    asks_for_run: true,
                    formula: None,
                    automaton: monitor.automaton,
                    asked,
                })
            }
        }
    }

    /// A formula whose violations are looked for.
    fn formula(
        console: &mut Console,
        machine: &Machine,
        asked: Asked,
        text: &str,
        words: String,
        asks_for_run: bool,
    ) -> Result<Self, Failure> {
        let source = Source::new("--ltl", text);
        let formula = reported(console, &source, read_ltl(&source, machine))?;
        Ok(Self {
            asked,
            text: words,
            asks_for_run,
            automaton: formula.violations(),
            formula: Some(formula),
        })
    }

    /// Looks for a run: the explicit engine does for sequential programs, a search over whole configurations for threads.
    pub fn answer(
        &self,
        engine: PropertyEngine,
        machine: &Machine,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Answered {
        if machine.is_sequential() {
            let answer = engine.check(machine, &self.automaton, budget, progress);
            let verdict = match answer.verdict {
                PropertyVerdict::Excluded => RunsVerdict::Excluded,
                PropertyVerdict::Unknown(why) => RunsVerdict::Unknown(why),
                PropertyVerdict::Found(Evidence::Lasso(lasso)) => {
                    RunsVerdict::Found(FoundRun::Lasso(lasso))
                }
                PropertyVerdict::Found(Evidence::Trace(trace)) => {
                    RunsVerdict::Found(FoundRun::Trace(trace))
                }
            };
            return Answered {
                engine: "explicit",
                verdict,
                statistics: answer.statistics,
            };
        }
        let search = RunOracle::default();
        let (verdict, statistics) = search.check(machine, &self.automaton, budget, progress);
        let verdict = match verdict {
            RunVerdict::Excluded => RunsVerdict::Excluded,
            RunVerdict::Unknown(why) => RunsVerdict::Unknown(why),
            RunVerdict::Lasso(lasso) => RunsVerdict::Found(FoundRun::Threads(lasso)),
            RunVerdict::Trace(trace) => RunsVerdict::Found(FoundRun::Trace(trace)),
        };
        Answered {
            engine: "oracle",
            verdict,
            statistics,
        }
    }

    /// Judges a run that should be what was looked for; an error says why it is not.
    pub fn judge(&self, machine: &Machine, run: &FoundRun) -> Result<Judgement, String> {
        let no_run = |error: &dyn std::fmt::Display| format!("its run is none: {error}");
        let violates = |stem: &[Letter], cycle: &[Letter]| match &self.formula {
            Some(formula) => !formula.holds_on_lasso(stem, cycle),
            None => self.automaton.accepts(stem, cycle),
        };
        let is_sequential = machine.is_sequential();
        let letter = |now: &Configuration, terminated| {
            if is_sequential {
                self.letter(machine, now, terminated)
            } else {
                letter_of(machine, &self.automaton.propositions, now)
            }
        };
        let is_it = match run {
            FoundRun::Lasso(lasso) => match observe_lasso(machine, lasso, MAX_OBSERVED, letter) {
                Ok(word) => violates(&word.stem, &word.cycle),
                Err(LassoError::TooLong { .. }) => return Ok(Judgement::TooLong),
                Err(error) => return Err(no_run(&error)),
            },
            FoundRun::Threads(lasso) => {
                let word = observe_thread_lasso(machine, lasso, |now| letter(now, false));
                let word = word.map_err(|error| no_run(&error))?;
                violates(&word.stem, &word.cycle)
            }
            FoundRun::Trace(trace) => {
                replay(machine, trace).map_err(|error| no_run(&error))?;
                let letters = if is_sequential {
                    observe_trace(machine, trace, MAX_OBSERVED, letter)
                } else {
                    observe_thread_trace(machine, trace, MAX_OBSERVED, |now| letter(now, false))
                };
                match letters {
                    Ok(letters) => self.automaton.enters_target(&letters).is_some(),
                    Err(LassoError::TooLong { .. }) => return Ok(Judgement::TooLong),
                    Err(error) => return Err(no_run(&error)),
                }
            }
        };
        if is_it {
            Ok(Judgement::Confirmed)
        } else if self.asks_for_run {
            Err("its run is not what was asked for".to_owned())
        } else {
            Err("its run does not violate the property".to_owned())
        }
    }

    /// What the property sees of a state of a sequential program.
    fn letter(&self, machine: &Machine, now: &Configuration, terminated: bool) -> Letter {
        let node = now.top(0).map_or(NodeId(0), |top| top.node);
        let read = |variable| now.read(machine, 0, variable);
        let view = View { node, terminated };
        let propositions = &self.automaton.propositions;
        propositions.letter(machine, view, Letter::MAX, read)
    }
}

fn reported<T>(
    console: &mut Console,
    source: &Source,
    read: Result<T, Vec<Diagnostic>>,
) -> Result<T, Failure> {
    read.map_err(|diagnostics| {
        console.diagnostics(source, &diagnostics);
        Failure::Reported
    })
}
