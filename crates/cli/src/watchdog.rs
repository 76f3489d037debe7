//! Ends a command that has gone past a limit without noticing.
//!
//! Engines ask [`Patience`] in their loops and end with what they know. Reading, parsing, lowering,
//! analyses, the translation of formulas and the replay of runs do not ask: until they are done
//! there is nothing to lose. For them the thread that has started the command polls the limits,
//! and ends the whole process when nothing has come of one. It never does so once the command has
//! begun to write its result, or while a file is being written.

use crate::exit::Exit;
use crate::interrupt::Patience;
use crate::subprocess;
use hardbop_outcome::Limit;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long a command may take to end by itself.
const GRACE: Duration = Duration::from_millis(500);
/// Between two looks. A process can fill a megabyte in a fraction of a millisecond.
const INTERVAL: Duration = Duration::from_millis(5);

/// Whether the result is being written. Code that writes a file holds it.
static HAS_SPOKEN: Mutex<bool> = Mutex::new(false);

/// The watchdog keeps still as long as this is held.
pub fn hold() -> MutexGuard<'static, bool> {
    HAS_SPOKEN.lock().expect("a panic ends the process")
}

/// The result is known: from now on the command ends by itself.
pub fn result_begins() {
    *hold() = true;
}

/// What was written so far is complete, and more is to come.
pub fn result_goes_on() {
    *hold() = false;
}

/// Waits for a command to end. If it has to be ended, `last_words` tells the user what is known.
pub fn watch(
    end: &Receiver<ExitCode>,
    patience: &Patience,
    last_words: impl Fn(&Limit) -> Exit,
) -> ExitCode {
    let mut since: Option<Instant> = None;
    loop {
        match end.recv_timeout(INTERVAL) {
            Ok(exit) => return exit,
            Err(RecvTimeoutError::Disconnected) => return Exit::Internal.into(),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let is_urgent = patience.is_memory_far_exceeded();
        let Some(limit) = patience.exceeded() else {
            since = None;
            continue;
        };
        let since = since.get_or_insert_with(Instant::now);
        if since.elapsed() >= GRACE || is_urgent {
            let has_spoken = hold();
            if !*has_spoken {
                subprocess::end_all();
                std::process::exit(last_words(&limit).code().into());
            }
        }
    }
}
