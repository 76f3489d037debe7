//! The C compiler of the system: makes programs of texts and runs them, within limits.

use crate::subprocess::{self, Captured, Failed, Limits};
use crate::temporary::TemporaryFolder;
use hardbop_outcome::Limit;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The compiler.
pub const COMPILER: &str = "cc";
/// Signed overflow wraps around and `char` is signed, as in hardbop.
const OPTIONS: [&str; 6] = ["-std=gnu11", "-O0", "-g0", "-fwrapv", "-fsigned-char", "-w"];

const COMPILE: Limits = Limits {
    time: Duration::from_mins(2),
    memory: 2 << 30,
    output: 16 << 20,
    has_small_address_space: false,
};

/// What became of a text.
pub enum Compiled {
    /// A program, in this file.
    Program(PathBuf),
    /// The compiler says what is wrong.
    Refused(String),
    /// The compiler itself has crashed.
    Crashed,
}

/// Compiles a text with these options and those that all programs need.
pub fn compile(
    folder: &TemporaryFolder,
    text: &str,
    options: &[&str],
    exceeded: impl Fn() -> Option<Limit>,
) -> Result<Compiled, Failed> {
    let (file, program) = (folder.path("program.c"), folder.path("program"));
    std::fs::write(&file, text).map_err(Failed::System)?;
    let mut command = Command::new(COMPILER);
    command
        .args(OPTIONS)
        .args(options)
        .arg("-o")
        .arg(&program)
        .arg(&file);
    let built = subprocess::run(command, Vec::new(), &COMPILE, exceeded)?;
    if built.status.success() {
        return Ok(Compiled::Program(program));
    }
    let said = String::from_utf8_lossy(&built.stderr);
    if said.contains("internal compiler error") {
        return Ok(Compiled::Crashed);
    }
    let line = said
        .lines()
        .find(|line| line.contains("error") || line.contains("cannot find"));
    Ok(Compiled::Refused(line.unwrap_or("it fails").to_owned()))
}

/// Runs a program that was compiled.
pub fn execute(
    program: &Path,
    arguments: &[&str],
    time: Duration,
    exceeded: impl Fn() -> Option<Limit>,
) -> Result<Captured, Failed> {
    let limits = Limits {
        time,
        memory: 1 << 30,
        output: 64 << 20,
        has_small_address_space: false,
    };
    let mut command = Command::new(program);
    command.args(arguments);
    subprocess::run(command, Vec::new(), &limits, exceeded)
}
