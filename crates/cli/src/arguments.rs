//! The command line: global options and the list of commands. The options of each command are in
//! its file.

use crate::commands::{
    analyze, check, completions, coverage, explain, export, fmt, generate, graph, lab, lsp, parse,
    relations, replay, schema, sequentialize, simulate, solve, validate,
};
use crate::console::{ColourChoice, MessageFormat, message};
use crate::exit::Exit;
use clap::{Parser, Subcommand};
use std::io::Write;

const EXAMPLES: &str = "\
Examples:
  hardbop check lock.bp                      can an assertion fail?
  hardbop check lock.bp --reach ERROR        is label ERROR reachable?
  hardbop check lock.bp --json > out.json    the same, for scripts
  hardbop replay lock.bp out.json            replay the counterexample
  hardbop explain HB021                      explain an error message

Exit codes: 0 holds or unreachable, 1 violated or reachable, 2 bad input or usage,
3 unknown (a limit was reached), 4 internal error or rejected evidence.";

/// A model checker for recursive Boolean programs
#[derive(Debug, Parser)]
#[command(name = "hardbop", version, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    pub general: General,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct General {
    /// When to use colours; `NO_COLOR` is respected
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "General"
    )]
    pub color: ColourChoice,
    /// Format of errors, warnings and notes
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        help_heading = "General"
    )]
    pub message_format: MessageFormat,
    /// Suppress warnings and notes
    #[arg(short, long, global = true, help_heading = "General")]
    pub quiet: bool,
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
    Export(export::Arguments),
    Replay(replay::Arguments),
    Sequentialize(sequentialize::Arguments),
    Validate(validate::Arguments),
    Analyze(analyze::Arguments),
    Graph(graph::Arguments),
    Generate(generate::Arguments),
    #[command(hide = true)]
    Bench(lab::Arguments),
    #[command(hide = true)]
    Soak(lab::Arguments),
    Explain(explain::Arguments),
    Lsp(lsp::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
    Man(completions::ManArguments),
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, CommandFactory};
    use std::collections::BTreeMap;

    /// Headings whose options are known; others may have a separate heading.
    const KNOWN: [(&str, &[&str]); 5] = [
        ("General", &["color", "message-format", "quiet"]),
        (
            "Questions",
            &[
                "reach",
                "reach-line",
                "assert",
                "property",
                "any-run",
                "shortest",
            ],
        ),
        ("Bounds", &["contexts", "rounds", "bmc"]),
        ("Engines", &["engine", "cross-check", "jobs", "without"]),
        (
            "Limits",
            &[
                "time", "memory", "states", "nodes", "threads", "stack", "timeout",
            ],
        ),
    ];

    /// Options that ask for something more if they are there.
    const NO_DEFAULT: &[&str] = &[
        "reach",
        "reach-line",
        "assert",
        "property",
        "c",
        "proofs",
        "ltl",
        "ctl",
        "monitor",
        "hoa",
        "fair",
        "certificate",
        "save",
        "from",
        "against",
        "json",
        "page",
        "output",
        "csv",
        "program",
        "expect",
        "peer",
        "compare",
        "bluetooth",
        "procedure",
        "html",
        "sarif",
        "witness",
        "junit",
        "out",
        "only",
    ];

    fn options() -> Vec<(String, Arg)> {
        let mut command = Arguments::command();
        command.build();
        let commands = command.get_subcommands();
        let options = commands.flat_map(|command| {
            let name = command.get_name().to_owned();
            let options = command
                .get_arguments()
                .filter(|arg| arg.get_long().is_some());
            options.map(move |arg| (name.clone(), arg.clone()))
        });
        options.filter(|(command, _)| command != "help").collect()
    }

    #[test]
    fn an_option_stands_under_its_heading_in_every_command() {
        let mut headings: BTreeMap<String, (String, Option<String>)> = BTreeMap::new();
        for (command, arg) in options() {
            let option = arg.get_long().unwrap_or_default().to_owned();
            let heading = arg.get_help_heading().map(str::to_owned);
            for (known, members) in KNOWN {
                let stands_there = heading.as_deref() == Some(known);
                // What `simulate` calls so are other things.
                let is_own = command == "simulate" && !stands_there;
                let belongs = members.contains(&option.as_str());
                assert!(stands_there == belongs || is_own, "{command} --{option}");
            }
            if option != "reach" {
                let place = (command.clone(), heading.clone());
                let (other, first) = headings.entry(option.clone()).or_insert(place);
                assert_eq!(*first, heading, "--{option} of {command} and {other}");
            }
        }
        assert!(headings.len() > 40);
    }

    #[test]
    fn the_help_has_every_default() {
        for (command, arg) in options() {
            let option = arg.get_long().unwrap_or_default().to_owned();
            let takes_value = arg.get_action().takes_values();
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let says = !arg.get_default_values().is_empty() || help.contains("[default: ");
            let is_known = NO_DEFAULT.contains(&option.as_str()) || arg.is_required_set();
            assert!(
                !takes_value || says || is_known,
                "{command} --{option}: {help}"
            );
        }
    }
}
