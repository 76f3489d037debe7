//! Where output goes. Results are written to standard output, everything about them to standard
//! error.
//!
//! A reader that goes away (`hardbop … | head`) is not an error: the rest of the output is dropped
//! and the command ends with the exit code it would have had. Any other trouble with standard
//! output, such as a full disk, is reported at the end.

use crate::faults::{self, Disturbed};
use crate::progress;
use crate::watchdog;
use clap::ValueEnum;
use hardbop_report::diagnostics::{self, Colour};
use hardbop_syntax::{Diagnostic, Source};
use std::io::{self, ErrorKind, IsTerminal, Write};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColourChoice {
    /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How errors and warnings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// With an excerpt of the source, for people.
    #[default]
    Human,
    /// One JSON object per line, for editors and scripts.
    Json,
}

/// Narrower lines are not worth the name.
const NARROWEST: usize = 20;

/// The standard streams with the user's wishes about them.
pub struct Console {
    out: Box<dyn Write + Send>,
    colour: ColourChoice,
    format: MessageFormat,
    quiet: bool,
    trouble: Option<io::Error>,
}

impl Console {
    /// The standard streams of the process.
    pub fn new(colour: ColourChoice, format: MessageFormat, quiet: bool) -> Self {
        Self {
            out: Box::new(io::BufWriter::new(Disturbed(io::stdout()))),
            colour,
            format,
            quiet,
            trouble: None,
        }
    }

    /// Writes a result to standard output.
    pub fn print(&mut self, text: &str) {
        watchdog::result_begins();
        if self.trouble.is_none() {
            self.trouble = self.out.write_all(text.as_bytes()).err();
        }
    }

    /// Makes everything printed so far visible, as before a question to the user.
    pub fn flush(&mut self) {
        if self.trouble.is_none() {
            self.trouble = self.out.flush().err();
        }
    }

    /// Flushes, and says what has gone wrong with standard output, if anything has. A closed pipe
    /// is fine.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush();
        if let Some(summary) = faults::summary() {
            let _ = io::stderr().write_all(summary.as_bytes());
        }
        match self.trouble {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes errors and warnings to standard error.
    pub fn diagnostics(&mut self, source: &Source, diagnostics: &[Diagnostic]) {
        let text = self.rendered(source, diagnostics, is_coloured(self.colour, &io::stderr()));
        self.write_to_stderr(&text);
    }

    /// Writes errors and warnings to standard output: for the command whose result they are.
    pub fn print_diagnostics(&mut self, source: &Source, diagnostics: &[Diagnostic]) {
        let text = self.rendered(source, diagnostics, is_coloured(self.colour, &io::stdout()));
        self.print(&text);
    }

    /// Writes something about a result to standard error: it must not mix with JSON.
    pub fn print_about(&mut self, text: &str) {
        self.write_to_stderr(text);
    }

    /// Says something that is not an error.
    pub fn note(&mut self, text: &str) {
        if !self.quiet {
            self.write_to_stderr(&message(self.format, "note", text));
        }
    }

    /// Says what went wrong.
    pub fn error(&mut self, text: &str) {
        self.write_to_stderr(&message(self.format, "error", text));
    }

    /// Whether results are coloured.
    pub fn colour(&self) -> Colour {
        if is_coloured(self.colour, &io::stdout()) {
            Colour::Ansi
        } else {
            Colour::Plain
        }
    }

    /// How wide a line of a result may be: `COLUMNS`, or what the terminal says. Nothing for a
    /// pipe or a file.
    pub fn width() -> Option<usize> {
        let told = std::env::var("COLUMNS").ok();
        let told = told.and_then(|columns| columns.parse().ok());
        let told = told.filter(|&columns: &usize| columns >= NARROWEST);
        told.or_else(|| {
            let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
            Some(usize::from(width.0).max(NARROWEST))
        })
    }

    /// Whether only results and errors are wanted.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// How errors and warnings are written.
    pub fn format(&self) -> MessageFormat {
        self.format
    }

    fn rendered(&self, source: &Source, diagnostics: &[Diagnostic], coloured: bool) -> String {
        let shown: Vec<Diagnostic> = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_error() || !self.quiet)
            .cloned()
            .collect();
        let colour = if coloured {
            Colour::Ansi
        } else {
            Colour::Plain
        };
        match self.format {
            MessageFormat::Human => diagnostics::render(source, &shown, colour),
            MessageFormat::Json => diagnostics::json_lines(source, &shown),
        }
    }

    /// Results come first where both streams go to the same place. An error cannot be reported if
    /// standard error is closed.
    fn write_to_stderr(&mut self, text: &str) {
        self.flush();
        let _ = Disturbed(io::stderr()).write_all(text.as_bytes());
    }
}

/// Speaks for a command that is being ended, whose own console holds nothing back.
pub fn speak_for_command(format: MessageFormat, result: &str, why: &str) {
    progress::clear_live_line();
    // Nothing can be done about a stream that is closed.
    let _ = io::stdout().write_all(result.as_bytes());
    let _ = io::stdout().flush();
    let why = message(
        format,
        "error",
        &format!("{why} before the command finished"),
    );
    let _ = io::stderr().write_all(why.as_bytes());
}

/// What is said about no place in a program.
pub fn message(format: MessageFormat, severity: &str, text: &str) -> String {
    match format {
        MessageFormat::Human => format!("{severity}: {text}\n"),
        MessageFormat::Json => {
            let line = serde_json::json!({ "severity": severity, "message": text });
            format!("{line}\n")
        }
    }
}

fn is_coloured(choice: ColourChoice, stream: &impl IsTerminal) -> bool {
    match choice {
        ColourChoice::Always => true,
        ColourChoice::Never => false,
        ColourChoice::Auto => {
            let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            !no_colour && !is_dumb && stream.is_terminal()
        }
    }
}
