//! `hardbop schema`: what the JSON that commands print looks like.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use clap::ValueEnum;
use hardbop_report::document;

/// Print the JSON schema of the `--json` output of a command
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Arguments {
    /// The command
    #[arg(value_enum, default_value_t)]
    form: Form,
}

/// A form of output.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Form {
    /// `hardbop check --json`
    #[default]
    Check,
    /// `hardbop replay --json`
    Replay,
    /// `hardbop coverage --json`
    Coverage,
    /// A line of `--message-format json`
    Messages,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: Arguments) -> Result<Exit, Failure> {
    let schema = match arguments.form {
        Form::Check => document::check_schema(),
        Form::Replay => document::replay_schema(),
        Form::Coverage => document::coverage_schema(),
        Form::Messages => document::message_schema(),
    };
    let text = serde_json::to_string_pretty(&schema);
    let text = text.map_err(|error| Failure::Internal(format!("internal error: {error}")))?;
    console.print(&format!("{text}\n"));
    Ok(Exit::Fine)
}
