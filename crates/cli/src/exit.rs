//! How a command ends: the exit codes that scripts rely on, and the failures that lead to them.

use hardbop_outcome::Limit;
use std::process::ExitCode;

/// The exit codes of all commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Holds, unreachable, or simply done.
    Fine,
    /// Violated or reachable; for `fmt --check`: files would change.
    Found,
    /// Bad input or usage.
    BadInput,
    /// A limit was hit before there was an answer.
    Unknown,
    /// An internal error, or evidence that was rejected.
    Internal,
}

impl Exit {
    /// The code as a number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Found => 1,
            Exit::BadInput => 2,
            Exit::Unknown => 3,
            Exit::Internal => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// Why a command could not do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The user can mend it; the message says how.
    BadInput(String),
    /// As before, and it has been explained already.
    Reported,
    /// A limit was reached before there was a result.
    Limit(Limit),
    /// Something that must not happen has happened, or evidence was rejected.
    Internal(String),
}

impl Failure {
    /// The exit code that goes with it.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::BadInput(_) | Failure::Reported => Exit::BadInput,
            Failure::Limit(_) => Exit::Unknown,
            Failure::Internal(_) => Exit::Internal,
        }
    }

    /// What to tell the user, if that has not been done.
    pub fn message(&self) -> Option<&str> {
        match self {
            Failure::BadInput(message) | Failure::Internal(message) => Some(message),
            Failure::Reported | Failure::Limit(_) => None,
        }
    }
}
