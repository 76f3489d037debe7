//! From a file name to a program: reading, parsing, checking, lowering, and telling the user what
//! is wrong on the way.

use crate::c_programs::{self, CArguments};
use crate::commands::check::horn;
use crate::console::Console;
use crate::exit::Failure;
use crate::kinds::{self, FileKind};
use crate::usage::Usage;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hardbop_machine::Machine;
use hardbop_program::{Dialect, Program};
use hardbop_syntax::ast::Form;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::source::NotText;
use hardbop_syntax::{Diagnostic, Parsed, Source};
use std::fs::File;
use std::io::Read;
use std::thread::ScopedJoinHandle;

/// The file name that means standard input.
pub const STDIN: &str = "-";
/// Offsets in a source are 32 bits wide.
const MAX_BYTES: u64 = u32::MAX as u64;

/// Which program, and how it is read.
#[derive(Clone, Debug, clap::Args)]
pub struct ProgramArguments {
    /// The program (`.bp`, `.gp` for guarded blocks, `.c` for C); `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    #[command(flatten)]
    /// How files are read.
    pub reading: Reading,
}

/// How a program is read.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Reading {
    /// Dialect of concurrent programs [default: detected from the program]
    #[arg(long, value_parser = dialects())]
    pub dialect: Option<Dialect>,
    /// Read the file as guarded blocks, whatever its extension
    #[arg(long)]
    pub guarded: bool,
    #[command(flatten)]
    /// How C is read.
    pub c: CArguments,
}

fn dialects() -> impl TypedValueParser<Value = Dialect> {
    let find = |name: String| {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
    };
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::name))
        .map(move |name| find(name).expect("only names of dialects are possible values"))
}

/// A program that has been read, with its errors and warnings in order of discovery.
pub struct Checked {
    /// The text.
    pub source: Source,
    /// The checked program, if there are no errors.
    pub program: Option<Program>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads and checks a program, without telling the user anything yet.
pub fn check(file: &str, reading: &Reading, usage: &mut Usage) -> Result<Checked, Failure> {
    let source = read_program(file, reading)?;
    usage.end_phase("read");
    let parsed = parse(&source, reading);
    usage.end_phase("parse");
    refuse_other_kinds(&source, &parsed, reading)?;
    let mut diagnostics = parsed.diagnostics;
    let dialect = match parsed.ast.form {
        Form::C => Some(Dialect::Sequential),
        _ => reading.dialect,
    };
    let checked = hardbop_program::check(parsed.ast, &source, dialect);
    usage.end_phase("check");
    diagnostics.extend(checked.diagnostics);
    let program = checked.program.filter(|_| !has_errors(&diagnostics));
    Ok(Checked {
        source,
        program,
        diagnostics,
    })
}

/// The machine of a program. Errors and warnings are shown.
pub fn load(console: &mut Console, arguments: &ProgramArguments) -> Result<Machine, Failure> {
    load_watched(console, arguments, &mut Usage::start())
}

/// The same, with the time of each phase.
///
/// It runs on a separate thread: the tree's memory is free for other threads, such as those of the
/// engines, only when the thread that has taken it has ended.
pub fn load_watched(
    console: &mut Console,
    arguments: &ProgramArguments,
    usage: &mut Usage,
) -> Result<Machine, Failure> {
    let mut load = || load_here(console, arguments, usage);
    let loaded = std::thread::scope(|scope| {
        let loader = std::thread::Builder::new().spawn_scoped(scope, &mut load);
        loader.ok().map(ScopedJoinHandle::join)
    });
    match loaded {
        Some(Ok(loaded)) => loaded,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        // The system has no more threads.
        None => load(),
    }
}

fn load_here(
    console: &mut Console,
    arguments: &ProgramArguments,
    usage: &mut Usage,
) -> Result<Machine, Failure> {
    let checked = check(&arguments.file, &arguments.reading, usage)?;
    console.diagnostics(&checked.source, &checked.diagnostics);
    let program = checked.program.ok_or(Failure::Reported)?;
    let machine = hardbop_machine::lower(program, &checked.source);
    usage.end_phase("lower");
    Ok(machine)
}

/// An error if a text that cannot be parsed is not a program at all.
pub fn refuse_other_kinds(
    source: &Source,
    parsed: &Parsed,
    reading: &Reading,
) -> Result<(), Failure> {
    if !has_errors(&parsed.diagnostics) {
        return Ok(());
    }
    if parsed.ast.form == Form::C {
        return Ok(());
    }
    let is_guarded = reading.guarded || parsed.ast.form == Form::GuardedBlocks;
    let wanted = if is_guarded {
        FileKind::GuardedBlocks
    } else {
        FileKind::Program
    };
    kinds::refuse_other(source, wanted)
}

/// Parses a source in the form that its name or the user says.
pub fn parse(source: &Source, reading: &Reading) -> Parsed {
    if reading.guarded {
        hardbop_syntax::parse_as(source, Form::GuardedBlocks)
    } else {
        hardbop_c::parse_any(source)
    }
}

/// An error if a file has Horn clauses, which only `check` reads.
pub fn refuse_clauses(file: &str) -> Result<(), Failure> {
    if horn::is_one(file) {
        let why = format!("{file} has Horn clauses, which only `hardbop check` reads");
        return Err(Failure::BadInput(why));
    }
    Ok(())
}

/// Reads the text of a program, and everything that has to be known to parse it.
pub fn read_program(file: &str, reading: &Reading) -> Result<Source, Failure> {
    refuse_clauses(file)?;
    let source = read_source(file)?;
    if source.c_reading().is_some() && (reading.guarded || reading.dialect.is_some()) {
        let why = "`--guarded` and `--dialect` do not apply to C programs";
        return Err(Failure::BadInput(why.to_owned()));
    }
    c_programs::prepare(file, source, &reading.c)
}

/// Reads a source text, from standard input if the name is `-`.
pub fn read_source(file: &str) -> Result<Source, Failure> {
    let (name, bytes) = if file == STDIN {
        ("<stdin>", read_all(std::io::stdin().lock(), 0))
    } else {
        (file, read_file(file))
    };
    let bytes = bytes.map_err(|why| cannot_read(name, &why))?;
    Source::from_bytes(name, bytes).map_err(|why| cannot_read(name, &why.to_string()))
}

/// Reads a text that is not a program, such as a trace.
pub fn read_text(file: &str) -> Result<String, Failure> {
    read_source(file).map(|source| source.text().to_owned())
}

fn cannot_read(name: &str, why: &str) -> Failure {
    Failure::BadInput(format!("cannot read {name}: {why}"))
}

fn read_file(file: &str) -> Result<Vec<u8>, String> {
    let open = || -> std::io::Result<(File, std::fs::Metadata)> {
        let opened = File::open(file)?;
        let metadata = opened.metadata()?;
        Ok((opened, metadata))
    };
    let (opened, metadata) = open().map_err(|error| plain_words(&error))?;
    if metadata.is_dir() {
        return Err("it is a directory".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        // Refused before gigabytes are read.
        let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        return Err(NotText::TooLarge { size }.to_string());
    }
    read_all(opened, metadata.len())
}

/// All bytes, but not many more than are supported: standard input may be endless. With room for
/// those that are expected, they are not copied while they are read.
fn read_all(reader: impl Read, expected: u64) -> Result<Vec<u8>, String> {
    let room = usize::try_from(expected).unwrap_or_default();
    let mut bytes = Vec::with_capacity(room);
    let read = reader.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| plain_words(&error))?;
    Ok(bytes)
}

/// An error of the operating system without its number.
pub fn plain_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut characters = words.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => text,
    }
}
