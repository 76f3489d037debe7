//! A program that has been read, and the questions that can be asked about it.

use crate::inquiry::Inquiry;
use hardbop_automata::{PropertyErrors, PropertyText, ReadProperty};
use hardbop_machine::{Machine, lower};
use hardbop_outcome::{Evidence, Question, Target};
use hardbop_program::Dialect;
use hardbop_report::diagnostics::{Colour, render};
use hardbop_report::{TraceOptions, TraceTexts};
use hardbop_syntax::ast::Form;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Diagnostic, Source};

/// A program to ask about.
#[derive(Clone, Debug)]
pub struct Model {
    machine: Machine,
    /// What is odd about the program without being wrong.
    pub warnings: Vec<Diagnostic>,
}

/// What is wrong with a program: all errors, not just the first.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{text}")]
pub struct Errors {
    /// The errors with excerpts of the source, as the command shows them.
    pub text: String,
    /// One by one.
    pub diagnostics: Vec<Diagnostic>,
}

/// The program has no such place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file} has no {what}")]
pub struct NoSuchPlace {
    file: String,
    what: String,
}

/// Evidence that is not a run of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a run of the program: {0}")]
pub struct NotARun(String);

impl Model {
    /// Reads a program. A name that ends in `.gp` means Leino's guarded blocks, one in `.c` or `.i`
    /// C without directives.
    pub fn parse(name: &str, text: &str) -> Result<Self, Errors> {
        let source = Source::new(name, text);
        let parsed = hardbop_c::parse_any(&source);
        let mut diagnostics = parsed.diagnostics;
        let dialect = (parsed.ast.form == Form::C).then_some(Dialect::Sequential);
        let checked = hardbop_program::check(parsed.ast, &source, dialect);
        diagnostics.extend(checked.diagnostics);
        match checked.program {
            Some(program) if !has_errors(&diagnostics) => Ok(Self {
                machine: lower(program, &source),
                warnings: diagnostics,
            }),
            _ => Err(Errors {
                text: render(&source, &diagnostics, Colour::Plain),
                diagnostics,
            }),
        }
    }

    /// The program as engines see it.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Can an assertion fail? Each is answered.
    pub fn assertions(&self) -> Inquiry<'_> {
        self.ask(Question::assertions(&self.machine))
    }

    /// Can a label be reached: `LABEL` in any procedure, or `PROCEDURE:LABEL`?
    pub fn label(&self, label: &str) -> Result<Inquiry<'_>, NoSuchPlace> {
        self.places(
            Target::labels(&self.machine, label),
            format!("label {label}"),
        )
    }

    /// Can a statement on a line be reached?
    pub fn line(&self, line: u32) -> Result<Inquiry<'_>, NoSuchPlace> {
        let what = format!("statement that starts on line {line}");
        self.places(Target::on_line(&self.machine, line), what)
    }

    fn places(&self, targets: Vec<Target>, what: String) -> Result<Inquiry<'_>, NoSuchPlace> {
        if targets.is_empty() {
            let file = self.machine.source.name().to_owned();
            return Err(NoSuchPlace { file, what });
        }
        Ok(self.ask(Question::reach(targets)))
    }

    /// Does every run satisfy a formula of linear temporal logic?
    pub fn ltl(&self, formula: &str) -> Result<Inquiry<'_>, PropertyErrors> {
        let formula = formula.to_owned();
        self.property(PropertyText::Ltl { formula })
    }

    /// Does every state in which a run begins satisfy a formula of branching time?
    pub fn ctl(&self, formula: &str) -> Result<Inquiry<'_>, PropertyErrors> {
        let formula = formula.to_owned();
        self.property(PropertyText::Ctl { formula })
    }

    /// Does a property of runs hold, or is there a run as asked for?
    pub fn property(&self, text: PropertyText) -> Result<Inquiry<'_>, PropertyErrors> {
        let property = ReadProperty::read(&self.machine, text)?.translate()?;
        Ok(self.ask(Question::translated(property)))
    }

    /// Any question.
    pub fn ask(&self, question: Question) -> Inquiry<'_> {
        Inquiry::new(&self.machine, question)
    }

    /// A run as text: every step with the variables that it changes.
    pub fn text_of(&self, run: &Evidence) -> Result<String, NotARun> {
        let texts = TraceTexts::new(&self.machine, TraceOptions::default());
        texts.text(run, None).map_err(NotARun)
    }
}
