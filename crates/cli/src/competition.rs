//! Tasks and properties as the competition on software verification writes them.
//!
//! A property file (`.prp`) says what is asked, a task file (`.yml`) names a program, its data model
//! and its properties with the verdicts that are expected. Both are read here and turned into what
//! options would say, so nothing behind knows of them. A property that is not supported is an
//! error, never an answer to another question.

mod property_file;
mod task_file;

use crate::console::Console;
use crate::exit::Failure;
use crate::input::{self, ProgramArguments};
use hardbop_machine::{Check, Machine};
use hardbop_outcome::{Outcome, Target, TargetKind};
use hardbop_syntax::source::DataModel;
use std::path::Path;

pub use property_file::Property;
use task_file::TaskFile;

/// What a command checks: the program behind a task, and the property that was asked for.
pub struct Assignment {
    /// The program with everything that has to be known to read it.
    pub program: ProgramArguments,
    /// The property.
    pub property: Option<Property>,
    /// The verdict that the task expects of the property.
    expected: Option<bool>,
}

impl Assignment {
    /// Reads the task, if the file is one, and the property file, if there is one.
    pub fn read(
        console: &mut Console,
        program: &ProgramArguments,
        property_file: Option<&str>,
    ) -> Result<Self, Failure> {
        let mut assignment = Self {
            program: program.clone(),
            property: property_file.map(Property::read).transpose()?,
            expected: None,
        };
        if is_task(&program.file) {
            let task = TaskFile::read(&program.file)?;
            assignment.follow(console, &program.file, &task, property_file)?;
        }
        if assignment.property == Some(Property::NoOverflow) {
            assignment.program.reading.c.overflow_checks = true;
        }
        Ok(assignment)
    }

    fn follow(
        &mut self,
        console: &mut Console,
        file: &str,
        task: &TaskFile,
        property_file: Option<&str>,
    ) -> Result<(), Failure> {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let beside = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let [program] = task.input_files.as_slice() else {
            let count = task.input_files.len();
            let why = format!("{file} has {count} input files; only tasks with one are supported");
            return Err(Failure::BadInput(why));
        };
        self.program.file = beside(program);
        let model = &mut self.program.reading.c.data_model;
        *model = model.or(task.data_model).or(Some(DataModel::Ilp32));
        if let Some(asked) = property_file {
            let name = Path::new(asked).file_name();
            let same = task.properties.iter();
            let mut same = same.filter(|p| Path::new(&p.file).file_name() == name);
            self.expected = same.next().and_then(|property| property.expected);
            return Ok(());
        }
        let mut refusal = None;
        let mut left_out = Vec::new();
        for property in &task.properties {
            match Property::read(&beside(&property.file)) {
                Ok(read) if self.property.is_none() => {
                    self.property = Some(read);
                    self.expected = property.expected;
                }
                Ok(_) => left_out.push(property.file.as_str()),
                Err(why) => {
                    left_out.push(property.file.as_str());
                    refusal.get_or_insert(why);
                }
            }
        }
        match (&self.property, refusal) {
            (None, Some(refusal)) => Err(refusal),
            (None, None) => Err(Failure::BadInput(format!("{file} names no property"))),
            (Some(property), _) => {
                if !left_out.is_empty() {
                    let others = left_out.join(", ");
                    console.note(&format!(
                        "checked is {property}; --property chooses another one of the task \
                         ({others})"
                    ));
                }
                Ok(())
            }
        }
    }

    /// Says whether the verdict is the one that the task expects.
    pub fn compare(&self, console: &mut Console, outcome: &Outcome) {
        let Some(expected) = self.expected else {
            return;
        };
        let is_violated = outcome.answers.iter().any(|a| a.verdict.is_yes());
        let is_proved = (outcome.answers.iter()).all(|a| a.verdict.is_no_for_all_runs());
        if !is_violated && !is_proved {
            return;
        }
        if is_violated == expected {
            console.note(&format!("the task expects another verdict: {expected}"));
        } else {
            console.note(&format!("the task expects this verdict: {expected}"));
        }
    }
}

impl Property {
    /// The places that must not be reached, which may be none.
    pub fn targets(&self, machine: &Machine) -> Vec<Target> {
        match self {
            Property::Termination => Vec::new(),
            Property::UnreachCall { function } => Target::calls(machine, function),
            Property::NoOverflow => {
                let failures = machine.assertions.iter().map(|a| a.failure);
                let overflows = failures.filter(|&f| machine.check_of(f) == Check::Overflow);
                overflows
                    .map(|failure| Target::new(machine, failure, TargetKind::Assertion))
                    .collect()
            }
        }
    }
}

/// Whether a file is a task.
fn is_task(file: &str) -> bool {
    let ending = Path::new(file).extension();
    ending.is_some_and(|ending| ending == "yml" || ending == "yaml")
}

/// The text of a file with its name in front of what is wrong with it.
fn read(file: &str) -> Result<String, Failure> {
    input::read_text(file)
}
