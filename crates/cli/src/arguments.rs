//! The command line: global options and the list of commands. Each command's own options stand in
//! its file.

use crate::commands::{
    analyze, bench, check, coverage, explain, fmt, generate, graph, lsp, parse, relations, replay,
    schema, sequentialize, simulate, solve, validate,
};
use crate::console::{ColourChoice, MessageFormat, message};
use crate::exit::Exit;
use clap::{Parser, Subcommand};
use std::io::Write;

const EXAMPLES: &str = "\
Examples:
  hardbop check lock.bp                      can an assertion fail?
  hardbop check lock.bp --reach ERROR        can label ERROR be reached?
  hardbop check lock.bp --json > out.json    the same for scripts
  hardbop replay lock.bp out.json            go through the run that was found
  hardbop explain HB021                      what an error message means

Exit codes: 0 holds or unreachable, 1 violated or reachable, 2 bad input or usage,
3 unknown (a limit was hit), 4 internal error or rejected evidence.";

/// A model checker for recursive Boolean programs
#[derive(Debug, Parser)]
#[command(name = "hardbop", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// Colours in the output; `NO_COLOR` is respected
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColourChoice,
    /// How errors, warnings and notes are written
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    pub message_format: MessageFormat,
    /// No warnings and notes
    #[arg(short, long, global = true)]
    pub quiet: bool,
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Check(Box<check::Arguments>),
    Coverage(coverage::Arguments),
    Parse(parse::Arguments),
    Fmt(fmt::Arguments),
    Simulate(simulate::Arguments),
    Solve(solve::Arguments),
    Relations(relations::Arguments),
    Replay(replay::Arguments),
    Sequentialize(sequentialize::Arguments),
    Validate(validate::Arguments),
    Analyze(analyze::Arguments),
    Graph(graph::Arguments),
    Generate(generate::Arguments),
    Bench(bench::Arguments),
    Explain(explain::Arguments),
    Lsp(lsp::Arguments),
    Schema(schema::Arguments),
}

/// Ends the process with help, the version, or what is wrong with the command line. Only what is
/// wrong has a form for scripts, and whether that is wanted has to be read from the words.
pub fn refuse(error: &clap::Error) -> ! {
    let words: Vec<_> = std::env::args_os().collect();
    let pairs = words.windows(2);
    let mut pairs = pairs.filter(|pair| pair[0] == "--message-format" && pair[1] == "json");
    let is_json = pairs.next().is_some() || words.iter().any(|w| w == "--message-format=json");
    if !is_json || !error.use_stderr() {
        error.exit();
    }
    let text = error.render().to_string();
    let text = text.trim_start_matches("error:").trim();
    // Nothing can be done about a stream that is closed.
    let line = message(MessageFormat::Json, "error", text);
    let _ = std::io::stderr().write_all(line.as_bytes());
    std::process::exit(Exit::BadInput.code().into());
}
