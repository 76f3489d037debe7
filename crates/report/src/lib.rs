//! What a person reads: diagnostics, traces, graphs, tables.
//!
//! The last box of the data flow before the command line. Everything here turns a value into a
//! `String`; nothing is printed, so that every text can be tested.

pub mod coverage;
pub mod diagnostics;
pub mod document;
mod html;
mod invariants;
mod junit;
mod sarif;
mod svg;
mod trace_text;
mod witness;

pub use document::{Document, DocumentOptions};
pub use html::{Page, html};
pub use junit::junit;
pub use sarif::sarif;
pub use svg::{TooLarge, svg};
pub use trace_text::{Painter, TraceLevel, TraceOptions, TraceTexts};
pub use witness::{Task, correctness_witness, violation_witness};
