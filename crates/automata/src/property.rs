//! A question about whole runs that has been read: its words, its automaton, and its judge.
//!
//! Each question becomes an automaton of the runs that are looked for. A formula is also kept as
//! it is, so that a run can be judged by the definition of the logic and not by the automaton
//! that found it.

use crate::automaton::Automaton;
use crate::guard::Letter;
use crate::hoa::read_hoa;
use crate::ltl::{Ltl, read_ltl};
use crate::monitor::read_monitor;
use hardbop_machine::Machine;
use hardbop_syntax::{Diagnostic, Source};
use serde::{Deserialize, Serialize};

/// The monitor that sees `main` return.
const ENDS: &str = "monitor Ends begin
  state running initial;
  state ended target;
  from running: on terminated goto ended;
end";

/// What can be asked about runs, with all the text that it takes: a run can be judged again
/// without the files and options of the time when it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum PropertyText {
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

/// A property of one program's runs.
#[derive(Clone, Debug)]
pub struct Property {
    /// The question.
    pub text: PropertyText,
    /// Accepts the runs that are looked for.
    pub automaton: Automaton,
    formula: Option<Ltl>,
}

/// What is wrong with the text of a property.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .diagnostics.first().map_or("the property cannot be read", |first| &first.message))]
pub struct PropertyErrors {
    /// The text.
    pub text: Source,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

impl PropertyText {
    /// Whether a run is asked for; otherwise a property should hold.
    pub fn asks_for_run(&self) -> bool {
        match self {
            PropertyText::Ltl { .. } | PropertyText::Monitor { .. } | PropertyText::Hoa { .. } => {
                false
            }
            PropertyText::Fair { .. } | PropertyText::Nonterminating | PropertyText::Terminates => {
                true
            }
        }
    }
}

impl std::fmt::Display for PropertyText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PropertyText::Ltl { formula } => write!(f, "{formula}"),
            PropertyText::Monitor { file, .. } => write!(f, "monitor {file}"),
            PropertyText::Hoa { file, .. } => write!(f, "automaton {file}"),
            PropertyText::Fair { label } => write!(f, "label {label}, again and again"),
            PropertyText::Nonterminating => write!(f, "a run that never ends"),
            PropertyText::Terminates => write!(f, "a run that ends"),
        }
    }
}

impl Property {
    /// Reads a property of a program's runs.
    pub fn read(machine: &Machine, text: PropertyText) -> Result<Self, PropertyErrors> {
        match &text {
            PropertyText::Ltl { formula } => Self::violating(machine, formula.clone(), text),
            PropertyText::Fair { label } => {
                Self::violating(machine, format!("F G !at({label})"), text)
            }
            PropertyText::Nonterminating => {
                Self::violating(machine, "F (terminated | failed)".to_owned(), text)
            }
            PropertyText::Monitor {
                file,
                text: monitor,
            } => {
                let source = Source::new(file, monitor.as_str());
                Self::monitored(machine, source, text)
            }
            // A matter of reaching a state, and that search follows returns at once.
            PropertyText::Terminates => {
                Self::monitored(machine, Source::new("--terminates", ENDS), text)
            }
            PropertyText::Hoa {
                file,
                text: automaton,
            } => {
                let source = Source::new(file, automaton.as_str());
                let automaton = read_hoa(&source, machine);
                let automaton = automaton.map_err(|errors| PropertyErrors::of(source, errors))?;
                Ok(Self {
                    text,
                    automaton,
                    formula: None,
                })
            }
        }
    }

    /// The runs that violate a formula.
    fn violating(
        machine: &Machine,
        formula: String,
        text: PropertyText,
    ) -> Result<Self, PropertyErrors> {
        let source = Source::new("--ltl", formula);
        let formula = read_ltl(&source, machine);
        let formula = formula.map_err(|errors| PropertyErrors::of(source, errors))?;
        Ok(Self {
            text,
            automaton: formula.violations(),
            formula: Some(formula),
        })
    }

    fn monitored(
        machine: &Machine,
        source: Source,
        text: PropertyText,
    ) -> Result<Self, PropertyErrors> {
        let monitor = read_monitor(&source, machine);
        let monitor = monitor.map_err(|errors| PropertyErrors::of(source, errors))?;
        Ok(Self {
            text,
            automaton: monitor.automaton,
            formula: None,
        })
    }

    /// Whether the infinite word `stem` `cycle` `cycle` … is one that is looked for: a formula by
    /// the definition of the logic, anything else by its automaton.
    ///
    /// # Panics
    /// If the cycle is empty.
    pub fn describes(&self, stem: &[Letter], cycle: &[Letter]) -> bool {
        match &self.formula {
            Some(formula) => !formula.holds_on_lasso(stem, cycle),
            None => self.automaton.accepts(stem, cycle),
        }
    }
}

impl PropertyErrors {
    fn of(text: Source, diagnostics: Vec<Diagnostic>) -> Self {
        Self { text, diagnostics }
    }
}
