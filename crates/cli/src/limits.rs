//! What the user lets an engine spend.

use crate::interrupt::Patience;
use hardbop_outcome::Budget;
use std::time::Duration;

/// What may be spent.
#[derive(Debug, clap::Args)]
pub struct Limits {
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,
    /// Give up after this many states
    #[arg(long, value_name = "N")]
    pub states: Option<u64>,
    /// Give up after this many BDD nodes
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Give up beyond this much memory
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
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
            interrupt: patience,
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}
