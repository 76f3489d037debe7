//! What the user lets a command spend.

use crate::address_space;
use crate::interrupt::Patience;
use crate::questions::MANY;
use hardbop_outcome::{Budget, Limit};
use std::time::Duration;

/// What the whole process may spend, whatever it does.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub struct TimeAndMemory {
    /// Stop after this many seconds [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,
    /// Stop when the process uses this much memory [default: no limit]
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
}

impl TimeAndMemory {
    /// The limit on memory. A limit on the address space is one, too.
    pub fn bytes(&self) -> Option<u64> {
        let share = address_space::share();
        self.asked_bytes().into_iter().chain(share).min()
    }

    /// Whether the limit on memory is that on the address space.
    pub fn is_address_space_first(&self) -> bool {
        self.bytes() != self.asked_bytes()
    }

    fn asked_bytes(&self) -> Option<u64> {
        self.memory
            .map(|megabytes| megabytes.saturating_mul(1 << 20))
    }

    /// A limit that was reached, named by its option.
    pub fn in_words(&self, limit: &Limit) -> String {
        match (limit, self.time, self.memory) {
            (Limit::Time, Some(time), _) => {
                format!("--time {} was reached", time.as_secs_f64())
            }
            (Limit::Memory, ..) if self.is_address_space_first() => address_space::in_words(),
            (Limit::Memory, _, Some(megabytes)) => format!("--memory {megabytes} was reached"),
            _ => limit.to_string(),
        }
    }
}

/// What an engine may spend.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    #[command(flatten)]
    /// Those of the whole process.
    pub process: TimeAndMemory,
    /// Stop after this many states, configurations or rounds [default: no limit]
    #[arg(long, value_name = "N")]
    pub states: Option<u64>,
    /// Stop after this many BDD nodes [default: no limit]
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Maximum number of threads that a program may start [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MANY))]
    pub threads: Option<u32>,
    /// Maximum stack depth in searches over whole stacks [default: 64]
    #[arg(long, value_name = "N")]
    pub stack: Option<u32>,
}

impl Limits {
    /// The limits as an engine hears of them.
    pub fn budget<'a>(&self, patience: &'a Patience) -> Budget<'a> {
        Budget {
            states: self.states,
            nodes: self.nodes,
            memory: self.process.bytes(),
            threads: self.threads,
            stack: self.stack,
            interrupt: patience,
        }
    }
}

/// A number of seconds, as in `0.5`.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}
