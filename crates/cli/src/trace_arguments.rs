//! The option that says how much of a trace is shown; several commands have it.

use crate::console::Console;
use clap::ValueEnum;
use hardbop_machine::Machine;
use hardbop_outcome::{Asked, Evidence};
use hardbop_report::{TraceLevel, TraceOptions, TraceTexts};

/// How traces are shown.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct TraceArguments {
    /// How much of a trace to show
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub trace: Level,
    /// Expand completed calls, showing at most N steps [default: calls are collapsed]
    #[arg(long, value_name = "N")]
    pub expand: Option<usize>,
}

/// How much of a trace is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Every step, with the values that it changes.
    #[default]
    Compact,
    /// Every step, with the values of all variables in scope.
    Full,
    /// Calls and returns only.
    Calls,
    /// No trace.
    None,
}

impl TraceArguments {
    /// How runs of a program are shown; `None` if they are not shown.
    pub fn texts<'a>(&self, console: &Console, machine: &'a Machine) -> Option<TraceTexts<'a>> {
        let level = match self.trace {
            Level::Compact => TraceLevel::Compact,
            Level::Full => TraceLevel::Full,
            Level::Calls => TraceLevel::Calls,
            Level::None => return None,
        };
        let default = TraceOptions::default();
        let options = TraceOptions {
            level,
            expand: self.expand.is_some(),
            max_lines: self.expand.unwrap_or(default.max_lines),
            width: Console::width().map_or(default.width, |width| width.saturating_sub(INDENT)),
            colour: console.colour(),
        };
        Some(TraceTexts::new(machine, options))
    }

    /// How many steps a report shows if calls are expanded; `None` if it shows no runs.
    pub fn most_steps(&self) -> Option<u64> {
        (self.trace != Level::None).then(|| self.expand.map_or(0, |most| most as u64))
    }
}

/// Runs are below the line that announces them.
const INDENT: usize = 2;

/// A run as the user wants to see it; an error says why it is not a run.
pub fn shown(
    texts: Option<&TraceTexts<'_>>,
    evidence: &Evidence,
    asked: Option<&Asked>,
) -> Result<String, String> {
    let Some(texts) = texts else {
        return Ok(String::new());
    };
    let text = texts.text(evidence, asked)?;
    let lines = text.lines().map(|line| format!("{:INDENT$}{line}\n", ""));
    Ok(lines.collect())
}
