//! What the user lets an engine spend.

use crate::exit::Failure;
use crate::interrupt::Patience;
use crate::questions::MANY;
use hardbop_outcome::Budget;
use std::time::Duration;

/// What may be spent.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,
    /// Give up after this many states, configurations or rounds
    #[arg(long, value_name = "N")]
    pub states: Option<u64>,
    /// Give up after this many BDD nodes
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Give up when the whole process uses this much memory
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
    /// Let a program start at most N threads in all [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MANY))]
    pub threads: Option<u32>,
    /// Let stacks grow to N frames in searches over whole stacks [default: 64]
    #[arg(long, value_name = "N")]
    pub stack: Option<u32>,
}

impl Limits {
    /// The limits as an engine hears of them.
    pub fn budget<'a>(&self, patience: &'a Patience) -> Budget<'a> {
        Budget {
            states: self.states,
            nodes: self.nodes,
            memory: self
                .memory
                .map(|megabytes| megabytes.saturating_mul(1 << 20)),
            threads: self.threads,
            stack: self.stack,
            interrupt: patience,
        }
    }
}

impl Limits {
    /// For commands that have no states or nodes to count.
    pub fn only_time_and_memory(&self, command: &str) -> Result<(), Failure> {
        let given = [
            ("--states", self.states.is_some()),
            ("--nodes", self.nodes.is_some()),
            ("--threads", self.threads.is_some()),
            ("--stack", self.stack.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Failure::BadInput(format!(
                "{option} has no effect on {command}"
            ))),
            None => Ok(()),
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}
