//! What kind of file was given instead of the one that a command reads.
//!
//! Asked only about a text that cannot be read: a wrong kind of file has an error in every line,
//! and one sentence helps more. What the text looks like counts before what its name ends in.

use crate::exit::Failure;
use hardbop_syntax::ast::Form;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Source, parse_as};
use std::path::Path;

/// The kinds of files that hardbop reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A program with procedures.
    Program,
    /// A program of guarded blocks.
    GuardedBlocks,
    /// A fixed-point system.
    System,
    /// A monitor.
    Monitor,
    /// An automaton in the HOA format.
    Automaton,
    /// A trace, a certificate or an outcome.
    Json,
}

impl FileKind {
    /// What a file is, if that can be told.
    fn of(source: &Source) -> Option<Self> {
        let is_program = |form| !has_errors(&parse_as(source, form).diagnostics);
        let text = source.text().trim_start();
        if text.starts_with("HOA:") {
            return Some(FileKind::Automaton);
        }
        if text.starts_with(['{', '[']) && serde_json::from_str::<serde_json::Value>(text).is_ok() {
            return Some(FileKind::Json);
        }
        if is_program(Form::Procedures) {
            return Some(FileKind::Program);
        }
        if is_program(Form::GuardedBlocks) {
            return Some(FileKind::GuardedBlocks);
        }
        // A text without anything in it is nothing.
        let system = hardbop_formula::load_text(source).system;
        if system.is_some_and(|system| !system.relations.is_empty()) {
            return Some(FileKind::System);
        }
        let extension = Path::new(source.name()).extension()?.to_str()?;
        Some(match extension.to_ascii_lowercase().as_str() {
            "bp" => FileKind::Program,
            "gp" => FileKind::GuardedBlocks,
            "mu" => FileKind::System,
            "mon" => FileKind::Monitor,
            "hoa" => FileKind::Automaton,
            "json" => FileKind::Json,
            _ => return None,
        })
    }

    /// The kind in words.
    fn name(self) -> &'static str {
        match self {
            FileKind::Program => "a Boolean program",
            FileKind::GuardedBlocks => "a program of guarded blocks",
            FileKind::System => "a fixed-point system",
            FileKind::Monitor => "a monitor",
            FileKind::Automaton => "an automaton in the HOA format",
            FileKind::Json => "JSON",
        }
    }

    /// The command that reads such a file.
    fn command(self, file: &str) -> String {
        match self {
            FileKind::Program => format!("`hardbop check {file}`"),
            FileKind::GuardedBlocks => format!("`hardbop check {file} --guarded`"),
            FileKind::System => format!("`hardbop solve {file}`"),
            FileKind::Monitor => format!("`hardbop check PROGRAM --monitor {file}`"),
            FileKind::Automaton => format!("`hardbop check PROGRAM --hoa {file}`"),
            FileKind::Json => format!(
                "`hardbop replay PROGRAM {file}` for a run, `hardbop validate PROGRAM {file}` for a \
                 certificate"
            ),
        }
    }
}

/// An error in one sentence if a file that cannot be read is of another kind than `wanted`.
pub fn refuse_other(source: &Source, wanted: FileKind) -> Result<(), Failure> {
    match FileKind::of(source) {
        Some(kind) if kind != wanted => {
            let file = source.name();
            let (is, not, command) = (kind.name(), wanted.name(), kind.command(file));
            let why = format!("{file} is {is}, not {not}; try {command}");
            Err(Failure::BadInput(why))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str, text: &str) -> Option<FileKind> {
        FileKind::of(&Source::new(name, text))
    }

    #[test]
    fn the_text_counts_before_the_name_and_the_name_before_nothing() {
        let program = "void main() begin skip; end";
        let system = "mu bool R(bool x) x | R(!x); exists bool x. R(x);";
        assert_eq!(kind("a.mu", program), Some(FileKind::Program));
        assert_eq!(kind("a.bp", "A: skip;"), Some(FileKind::GuardedBlocks));
        assert_eq!(kind("a.bp", system), Some(FileKind::System));
        assert_eq!(kind("a", "HOA: v1"), Some(FileKind::Automaton));
        assert_eq!(kind("a", "{\"hardbop-trace\": 1}"), Some(FileKind::Json));
        assert_eq!(kind("a.MU", "neither"), Some(FileKind::System));
        assert_eq!(kind("a.mon", "neither"), Some(FileKind::Monitor));
        assert_eq!(kind("<stdin>", "neither"), None);
        assert_eq!(kind("<stdin>", "// nothing"), None);
    }
}
