//! `hardbop lsp`: the language server on standard input and output. What it does is in the crate
//! `hardbop_lsp`; this is its door to files, the clock and memory.

use crate::c_programs::{self, Unread};
use crate::exit::{Exit, Failure};
use crate::input;
use crate::memory;
use crate::panic;
use crate::subprocess::Limits;
use hardbop_lsp::{End, Outside, serve_streams};
use hardbop_outcome::{Interrupt, Limit};
use hardbop_syntax::source::DataModel;
use std::io::{BufReader, stdin, stdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Start the language server on standard input and output, for editors
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Accepted for compatibility; standard input and output are always used
    #[arg(long, hide = true)]
    stdio: bool,
    /// Stop a check when the server uses this much memory
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 4096,
        help_heading = "Limits"
    )]
    memory: usize,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    panic::report_only();
    let outside = Arc::new(World {
        memory: arguments.memory.saturating_mul(1 << 20),
    });
    match serve_streams(BufReader::new(stdin()), stdout(), outside) {
        Ok(End::Orderly) => Ok(Exit::Fine),
        Ok(End::Abrupt) => Ok(Exit::Found),
        Err(error) => Err(Failure::BadInput(format!(
            "the editor violates the protocol: {error}"
        ))),
    }
}

/// How long the preprocessor may take: the editor waits.
const PREPROCESSING: Duration = Duration::from_secs(10);
/// How much it may write, in bytes.
const LONGEST_TEXT: u64 = 128 << 20;

struct World {
    memory: usize,
}

impl Outside for World {
    fn read(&self, path: &str) -> Result<String, String> {
        let read = input::read_text(path);
        read.map_err(|failure| failure.message().unwrap_or_default().to_owned())
    }

    fn preprocess(&self, path: &str, text: &str) -> Result<Option<Arc<str>>, String> {
        let limits = Limits {
            time: PREPROCESSING,
            memory: self.memory.saturating_sub(memory::allocated()) as u64,
            output: LONGEST_TEXT,
            has_small_address_space: true,
        };
        let model = DataModel::default();
        let found = c_programs::preprocess_within(path, text, model, &limits, || None);
        found.map_err(|unread| match unread {
            Unread::Refused(why) | Unread::Memory(why) => why,
            Unread::Limit(limit) => format!("cannot preprocess {path}: {limit}"),
        })
    }

    fn limit(&self, seconds: u32) -> Box<dyn Interrupt + Send> {
        Box::new(Deadline {
            time: Instant::now() + Duration::from_secs(seconds.into()),
            memory: self.memory,
        })
    }
}

/// Unlike the limits of other commands it leaves signals alone: an editor ends its server by one.
struct Deadline {
    time: Instant,
    memory: usize,
}

impl Interrupt for Deadline {
    fn check(&self) -> Option<Limit> {
        if memory::exceeds(self.memory) {
            return Some(Limit::Memory);
        }
        (Instant::now() >= self.time).then_some(Limit::Time)
    }
}
