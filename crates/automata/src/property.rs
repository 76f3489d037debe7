//! A question about whole runs that has been read: its words, its automaton, and its judge.
//!
//! Each question becomes an automaton of the runs that are looked for. A formula is also kept as
//! it is, so that a run can be judged by the definition of the logic and not by the automaton
//! that found it.

use crate::automaton::Automaton;
use crate::ctl::{Ctl, read_ctl};
use crate::guard::Letter;
use crate::hoa::read_hoa;
use crate::ltl::{Ltl, ParsedLtl, parse_ltl};
use crate::monitor::read_monitor;
use hardbop_machine::Machine;
use hardbop_syntax::{Diagnostic, Source, Span, codes};
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
    /// Does every state in which a run begins satisfy a formula of branching time?
    Ctl {
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

/// A property whose text has been read. Several are read, and all their errors reported, before
/// the first of them is translated.
#[derive(Clone, Debug)]
pub struct ReadProperty {
    text: PropertyText,
    source: Source,
    meaning: Meaning,
}

/// Which runs are looked for.
#[derive(Clone, Debug)]
enum Meaning {
    Violations(ParsedLtl),
    Automaton(Automaton),
    States(Ctl),
}

/// A property that is ready to be asked about.
#[derive(Clone, Debug)]
pub enum Translated {
    /// It is about runs.
    Runs(Box<Property>),
    /// It is about states, in branching time.
    States(Box<Ctl>),
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
            PropertyText::Ltl { .. }
            | PropertyText::Ctl { .. }
            | PropertyText::Monitor { .. }
            | PropertyText::Hoa { .. } => false,
            PropertyText::Fair { .. } | PropertyText::Nonterminating | PropertyText::Terminates => {
                true
            }
        }
    }
}

impl std::fmt::Display for PropertyText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PropertyText::Ltl { formula } | PropertyText::Ctl { formula } => {
                write!(f, "{formula}")
            }
            PropertyText::Monitor { file, .. } => write!(f, "monitor {file}"),
            PropertyText::Hoa { file, .. } => write!(f, "automaton {file}"),
            PropertyText::Fair { label } => write!(f, "label {label}, again and again"),
            PropertyText::Nonterminating => write!(f, "a run that never ends"),
            PropertyText::Terminates => write!(f, "a run that ends"),
        }
    }
}

impl ReadProperty {
    /// Reads a property of a program's runs.
    pub fn read(machine: &Machine, text: PropertyText) -> Result<Self, PropertyErrors> {
        let (source, meaning) = match &text {
            PropertyText::Ltl { formula } => violating(machine, formula.clone()),
            PropertyText::Fair { label } => violating(machine, format!("F G !at({label})")),
            PropertyText::Nonterminating => {
                violating(machine, "F (terminated | failed)".to_owned())
            }
            PropertyText::Ctl { formula } => {
                let source = Source::new("--ctl", formula.as_str());
                let formula = read_ctl(&source, machine);
                (source, formula.map(Meaning::States))
            }
            PropertyText::Monitor { file, text } => monitored(machine, Source::new(file, text)),
            // A matter of reaching a state, and that search follows returns at once.
            PropertyText::Terminates => monitored(machine, Source::new("--terminates", ENDS)),
            PropertyText::Hoa { file, text } => {
                let source = Source::new(file, text.as_str());
                let automaton = read_hoa(&source, machine);
                (source, automaton.map(Meaning::Automaton))
            }
        };
        match meaning {
            Ok(meaning) => Ok(Self {
                text,
                source,
                meaning,
            }),
            Err(errors) => Err(PropertyErrors::of(source, errors)),
        }
    }

    /// The question.
    pub fn text(&self) -> &PropertyText {
        &self.text
    }

    /// Makes the automaton of a formula, which can take long.
    pub fn translate(self) -> Result<Translated, PropertyErrors> {
        let (automaton, formula) = match self.meaning {
            Meaning::States(formula) => return Ok(Translated::States(Box::new(formula))),
            Meaning::Automaton(automaton) => (automaton, None),
            Meaning::Violations(formula) => {
                let formula = formula.translate();
                let formula = formula.map_err(|e| PropertyErrors::of(self.source, e))?;
                (formula.violations(), Some(formula))
            }
        };
        Ok(Translated::Runs(Box::new(Property {
            text: self.text,
            automaton,
            formula,
        })))
    }
}

/// The runs that violate a formula.
fn violating(machine: &Machine, formula: String) -> (Source, Result<Meaning, Vec<Diagnostic>>) {
    let source = Source::new("--ltl", formula);
    let formula = parse_ltl(&source, machine);
    (source, formula.map(Meaning::Violations))
}

fn monitored(machine: &Machine, source: Source) -> (Source, Result<Meaning, Vec<Diagnostic>>) {
    let monitor = read_monitor(&source, machine);
    let automaton = monitor.map(|monitor| Meaning::Automaton(monitor.automaton));
    (source, automaton)
}

impl Property {
    /// Reads a property of a program's runs; a formula of branching time is not one.
    pub fn read(machine: &Machine, text: PropertyText) -> Result<Self, PropertyErrors> {
        match ReadProperty::read(machine, text)?.translate()? {
            Translated::Runs(property) => Ok(*property),
            Translated::States(ctl) => {
                let message = "a formula of branching time is about states, not about runs";
                let source = Source::new("--ctl", ctl.text.to_string());
                let span = Span::new(0, source.text().len() as u32);
                let diagnostic = Diagnostic::new(codes::PROPERTY_TEMPORAL, span, message);
                Err(PropertyErrors::of(source, vec![diagnostic]))
            }
        }
    }

    /// The runs that violate a formula, for a question with a text of its own.
    pub(crate) fn violating(text: PropertyText, formula: Ltl) -> Self {
        Self {
            text,
            automaton: formula.violations(),
            formula: Some(formula),
        }
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
