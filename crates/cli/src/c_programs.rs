//! C programs: the options that say how they are read, and the preprocessor, which is run where a
//! text has directives.

use crate::exit::Failure;
use crate::input::STDIN;
use crate::interrupt::Patience;
use crate::small_headers::SmallHeaders;
use crate::subprocess::{self, Failed, Limits};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hardbop_outcome::Limit;
use hardbop_syntax::Source;
use hardbop_syntax::source::{CReading, DataModel};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

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

/// What the preprocessor may spend where the user sets no smaller limit.
const LIMITS: Limits = Limits {
    time: Duration::from_mins(1),
    memory: 2 << 30,
    output: 512 << 20,
    has_small_address_space: true,
};

/// The text after `cc -E`; `None` if there is no such command. It runs within the limits of the
/// process.
pub fn preprocess(file: &str, text: &str, model: DataModel) -> Result<Option<Arc<str>>, Failure> {
    let patience = Patience::of_process();
    let left = patience.memory_left();
    let left = left.and_then(|left| u64::try_from(left).ok());
    let limits = Limits {
        memory: left.unwrap_or(LIMITS.memory),
        ..LIMITS
    };
    let ran = preprocess_within(file, text, model, &limits, || patience.exceeded());
    ran.map_err(|failed| match failed {
        Unread::Limit(limit) => Failure::Limit(limit),
        // The memory of the compiler counts as the command's own.
        Unread::Memory(_) if left.is_some() => Failure::Limit(Limit::Memory),
        Unread::Refused(why) | Unread::Memory(why) => Failure::BadInput(why),
    })
}

/// Why there is no preprocessed text.
#[derive(Debug)]
pub enum Unread {
    /// The preprocessor complains, or exceeds one of its limits.
    Refused(String),
    /// The preprocessor exceeds its limit on memory.
    Memory(String),
    /// hardbop itself has to stop.
    Limit(Limit),
}

/// The same within limits of the caller.
pub fn preprocess_within(
    file: &str,
    text: &str,
    model: DataModel,
    limits: &Limits,
    exceeded: impl Fn() -> Option<Limit>,
) -> Result<Option<Arc<str>>, Unread> {
    let folder = match file {
        STDIN => None,
        file => Path::new(file).parent(),
    };
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let mut command = Command::new(COMPILER);
    command.args(["-E", "-x", "c", "-iquote"]);
    command.arg(folder.unwrap_or(Path::new(".")));
    let is_small = model == DataModel::Ilp32;
    let _headers = is_small.then(|| SmallHeaders::for_command(&mut command));
    command.arg("-");
    let failed = |why: &str| format!("cannot preprocess {file}: {why}");
    let input = text.as_bytes().to_vec();
    let output = match subprocess::run(command, input, limits, exceeded) {
        Ok(output) => output,
        Err(Failed::NotFound) => return Ok(None),
        Err(Failed::Interrupted(limit)) => return Err(Unread::Limit(limit)),
        Err(why @ Failed::Memory(_)) => {
            return Err(Unread::Memory(failed(&format!("`cc -E`: {why}"))));
        }
        Err(why) => return Err(Unread::Refused(failed(&format!("`cc -E`: {why}")))),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().find(|line| line.contains("error"));
        let line = line.unwrap_or("`cc -E` failed").replace("<stdin>", file);
        return Err(Unread::Refused(failed(&line)));
    }
    let text = String::from_utf8(output.stdout);
    let text = text.map_err(|error| Unread::Refused(failed(&error.to_string())))?;
    Ok(Some(text.into()))
}
