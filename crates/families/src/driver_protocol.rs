//! The fixed part of a generated driver: its globals, the lock and request operations with their
//! assertions, and the operating system's loop.
//!
//! The property is the pair that SLAM checked first: a lock alternates between acquired and
//! released, and a request is completed at most once and not marked pending afterwards.

use crate::source_text::SourceText;

/// The lock's state; only `AcquireLock` and `ReleaseLock` write it.
pub(crate) const LOCK_HELD: &str = "{lock==HELD}";
/// The request's state; only `CompleteRequest` and the main loop write it.
pub(crate) const COMPLETED: &str = "{irp==COMPLETED}";
/// Written by `MarkPending` and the main loop.
pub(crate) const PENDING: &str = "{irp==PENDING}";
/// The device's state: no property speaks of it, every routine may change it.
pub(crate) const DEVICE_STATE: [&str; 4] = [
    "{dev->started}",
    "{dev->removing}",
    "{dev->power==D0}",
    "{queue==EMPTY}",
];

/// State of the lock, as the generator knows it at a place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// Nobody holds it.
    Free,
    /// The driver holds it.
    Held,
}

impl Lock {
    /// The call that leaves this state.
    pub(crate) fn leave(self) -> &'static str {
        match self {
            Lock::Free => "AcquireLock();",
            Lock::Held => "ReleaseLock();",
        }
    }

    /// The call that comes back to this state.
    pub(crate) fn come_back(self) -> &'static str {
        match self {
            Lock::Free => Lock::Held.leave(),
            Lock::Held => Lock::Free.leave(),
        }
    }

    /// An assertion that the lock is in this state.
    pub(crate) fn assertion(self) -> String {
        match self {
            Lock::Free => format!("assert(!{LOCK_HELD});"),
            Lock::Held => format!("assert({LOCK_HELD});"),
        }
    }
}

/// Globals, `main` (which calls `entry` for request after request), and the operations.
pub(crate) fn write(text: &mut SourceText, entry: &str) {
    text.fmt(format_args!("decl {LOCK_HELD}, {COMPLETED}, {PENDING};"));
    text.fmt(format_args!("decl {};", DEVICE_STATE.join(", ")));

    text.procedure(format_args!("void main()"));
    text.fmt(format_args!("{LOCK_HELD} := 0;"));
    text.open(format_args!("while (*) do"));
    text.fmt(format_args!("{COMPLETED}, {PENDING} := 0, 0;"));
    text.fmt(format_args!("_, _ := {entry}(*, *);"));
    text.line(&Lock::Free.assertion());
    text.close("od");
    text.close("end");

    text.procedure(format_args!("void AcquireLock()"));
    text.line(&Lock::Free.assertion());
    text.fmt(format_args!("{LOCK_HELD} := 1;"));
    text.close("end");

    text.procedure(format_args!("void ReleaseLock()"));
    text.line(&Lock::Held.assertion());
    text.fmt(format_args!("{LOCK_HELD} := 0;"));
    text.close("end");

    text.procedure(format_args!("void CompleteRequest()"));
    text.fmt(format_args!("assert(!{COMPLETED});"));
    text.fmt(format_args!("{COMPLETED}, {PENDING} := 1, 0;"));
    text.close("end");

    text.procedure(format_args!("void MarkPending()"));
    text.fmt(format_args!("assert(!{COMPLETED});"));
    text.fmt(format_args!("{PENDING} := 1;"));
    text.close("end");
}
