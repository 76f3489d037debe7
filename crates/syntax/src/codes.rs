//! The stable codes of all errors and warnings.

use crate::diagnostic::Severity;

/// A code, `HB0xx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub u16);

impl Code {
    /// Error or warning.
    pub fn severity(self) -> Severity {
        Severity::Error
    }
}
