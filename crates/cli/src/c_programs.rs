//! C programs: the options that say how they are read, and the preprocessor, which is run where a
//! text has directives.

use crate::exit::Failure;
use crate::input::{STDIN, plain_words};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hardbop_syntax::Source;
use hardbop_syntax::source::{CReading, DataModel};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The preprocessor.
const COMPILER: &str = "cc";

/// How a C program is read.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CArguments {
    /// Data model of a C program: `long` and pointers have 32 or 64 bits [default: lp64]
    #[arg(long, value_parser = data_models())]
    pub data_model: Option<DataModel>,
    /// Check signed arithmetic of a C program for overflow; without this option it wraps around
    #[arg(long)]
    pub overflow_checks: bool,
}

fn data_models() -> impl TypedValueParser<Value = DataModel> {
    PossibleValuesParser::new(["ilp32", "lp64"]).map(|name| match name.as_str() {
        "ilp32" => DataModel::Ilp32,
        _ => DataModel::Lp64,
    })
}

impl CArguments {
    /// Whether any of these options is given.
    pub fn are_given(&self) -> bool {
        self.data_model.is_some() || self.overflow_checks
    }
}

/// A source that is C, with everything that has to be known to parse it; other sources stay what
/// they are, and options about C are an error there.
pub fn prepare(file: &str, source: Source, arguments: &CArguments) -> Result<Source, Failure> {
    if source.c_reading().is_none() {
        if arguments.are_given() {
            let why = "`--data-model` and `--overflow-checks` are about C programs (`.c` or `.i`)";
            return Err(Failure::BadInput(why.to_owned()));
        }
        return Ok(source);
    }
    let data_model = arguments.data_model.unwrap_or_default();
    let preprocessed = if hardbop_c::needs_preprocessor(source.text()) {
        preprocess(file, source.text(), data_model)?
    } else {
        None
    };
    Ok(source.as_c(CReading {
        data_model,
        overflow_checks: arguments.overflow_checks,
        preprocessed,
    }))
}

/// The text after `cc -E`; `None` if there is no such command.
pub fn preprocess(file: &str, text: &str, model: DataModel) -> Result<Option<Arc<str>>, Failure> {
    let folder = match file {
        STDIN => None,
        file => Path::new(file).parent(),
    };
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let mut command = Command::new(COMPILER);
    command.args(["-E", "-x", "c", "-iquote"]);
    command.arg(folder.unwrap_or(Path::new(".")));
    if model == DataModel::Ilp32 {
        command.arg("-m32");
    }
    command
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let failed = |why: &str| Failure::BadInput(format!("cannot preprocess {file}: {why}"));
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&plain_words(&error))),
    };
    let input = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // A compiler that gives up early closes its end; what it says then is what counts.
        scope.spawn(|| input.map(|mut input| input.write_all(text.as_bytes())));
        child.wait_with_output()
    });
    let output = output.map_err(|error| failed(&plain_words(&error)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().find(|line| line.contains("error"));
        let line = line.unwrap_or("`cc -E` failed").replace("<stdin>", file);
        return Err(failed(&line));
    }
    let text = String::from_utf8(output.stdout).map_err(|error| failed(&error.to_string()))?;
    Ok(Some(text.into()))
}
