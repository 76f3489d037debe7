//! The reports of a command: what was found, for other tools and for browsers, all made from one
//! value ([`Document`]).

use crate::exit::Failure;
use hardbop_machine::Machine;
use hardbop_outcome::Outcome;
use hardbop_report::{Document, DocumentOptions};

/// The version of the tool, which every report names.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The value that reports are made of. A run that does not replay is an internal error here: it
/// was judged before.
pub fn document<'a>(
    machine: &'a Machine,
    outcome: &'a Outcome,
    options: DocumentOptions<'_>,
) -> Result<Document<'a>, Failure> {
    let document = Document::new(machine, outcome, VERSION, options);
    document.map_err(|error| Failure::Internal(format!("internal error: {error}")))
}
