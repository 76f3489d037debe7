//! The option that says how much of a trace is shown; several commands have it.

use clap::ValueEnum;
use hardbop_interpreter::{LassoError, ReplayError};
use hardbop_machine::Machine;
use hardbop_outcome::{Lasso, ThreadLasso, Trace};
use hardbop_report::trace_text::{
    TraceLevel, TraceOptions, lasso_text, thread_lasso_text, trace_text,
};

/// How traces are shown.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct TraceArguments {
    /// How much of a trace is shown
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub trace: Level,
    /// Write completed calls out, showing at most N steps
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
    /// A trace as the user wants to see it, indented below the line that announces it.
    pub fn shown(&self, machine: &Machine, trace: &Trace) -> Result<String, ReplayError> {
        let options = self.options();
        options.map_or(Ok(String::new()), |options| {
            Ok(indented(&trace_text(machine, trace, &options)?))
        })
    }

    /// The same for an infinite run.
    pub fn shown_lasso(&self, machine: &Machine, lasso: &Lasso) -> Result<String, LassoError> {
        let options = self.options();
        options.map_or(Ok(String::new()), |options| {
            Ok(indented(&lasso_text(machine, lasso, &options)?))
        })
    }

    /// The same for an infinite run of threads.
    pub fn shown_thread_lasso(
        &self,
        machine: &Machine,
        lasso: &ThreadLasso,
    ) -> Result<String, LassoError> {
        let options = self.options();
        options.map_or(Ok(String::new()), |options| {
            Ok(indented(&thread_lasso_text(machine, lasso, &options)?))
        })
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
