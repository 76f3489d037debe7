//! One value for every error and warning: a code, a sentence that makes sense alone, places in the
//! source, help.
//!
//! Rendering with source excerpts happens in the `report` crate; this crate only says what is wrong
//! and where.

use crate::codes::Code;
use crate::shown::shown_line;
use crate::source::Span;

/// How bad it is. Only programs without errors become a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is taken, but probably does not mean what its author thinks.
    Warning,
    /// The program is rejected.
    Error,
}

/// A place in the source with what to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
}

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code, `HB0xx`.
    pub code: Code,
    /// Error or warning; follows from the code.
    pub severity: Severity,
    /// One sentence that makes sense without the excerpt.
    pub message: String,
    /// The place it is about.
    pub primary: Label,
    /// Other places that explain it, such as an earlier declaration.
    pub secondary: Vec<Label>,
    /// What to do, where there is one obvious fix.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic with the severity that belongs to its code.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: shown_line(&message.into()).into_owned(),
            primary: Label {
                span,
                text: String::new(),
            },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// Says something at the primary place.
    #[must_use]
    pub fn at(mut self, text: impl Into<String>) -> Self {
        self.primary.text = shown_line(&text.into()).into_owned();
        self
    }

    /// Points to another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        let text = shown_line(&text.into()).into_owned();
        self.secondary.push(Label { span, text });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(shown_line(&text.into()).into_owned());
        self
    }

    /// Whether this rejects the program.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether any of the diagnostics rejects the program.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
