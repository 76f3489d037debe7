//! The option that says how much of a trace is shown; several commands have it.

use clap::ValueEnum;
use hardbop_machine::Machine;
use hardbop_outcome::Evidence;
use hardbop_report::{TraceLevel, TraceOptions, lasso_text, thread_lasso_text, trace_text};

/// How traces are shown.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct TraceArguments {
    /// How much of a trace is shown
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub trace: Level,
    /// Write completed calls out, showing at most N steps [default: calls are folded]
    #[arg(long, value_name = "N")]
    pub expand: Option<usize>,
}

/// How much of a trace is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Every step, with the variables that it changes.
    #[default]
    Compact,
    /// Every step, with the values of all variables in scope.
    Full,
    /// Calls and returns only.
    Calls,
    /// Nothing.
    None,
}

impl TraceArguments {
    /// A run as the user wants to see it, indented below the line that announces it; an error says
    /// why it is not a run.
    pub fn shown(&self, machine: &Machine, evidence: &Evidence) -> Result<String, String> {
        let Some(options) = self.options() else {
            return Ok(String::new());
        };
        let shown = match evidence {
            Evidence::Run(trace) => {
                trace_text(machine, trace, &options).map_err(|error| error.to_string())
            }
            Evidence::Lasso(lasso) => {
                lasso_text(machine, lasso, &options).map_err(|error| error.to_string())
            }
            Evidence::ThreadLasso(lasso) => {
                thread_lasso_text(machine, lasso, &options).map_err(|error| error.to_string())
            }
        };
        Ok(indented(&shown?))
    }

    /// How many steps a report shows where calls are written out; nothing if it shows no runs.
    pub fn most_steps(&self) -> Option<u64> {
        (self.trace != Level::None).then(|| self.expand.map_or(0, |most| most as u64))
    }

    /// Nothing if nothing is to be shown.
    fn options(&self) -> Option<TraceOptions> {
        let level = match self.trace {
            Level::Compact => TraceLevel::Compact,
            Level::Full => TraceLevel::Full,
            Level::Calls => TraceLevel::Calls,
            Level::None => return None,
        };
        let default = TraceOptions::default();
        Some(TraceOptions {
            level,
            expand: self.expand.is_some(),
            max_lines: self.expand.unwrap_or(default.max_lines),
            ..default
        })
    }
}

fn indented(text: &str) -> String {
    text.lines().flat_map(|line| ["  ", line, "\n"]).collect()
}
