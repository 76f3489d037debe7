//! What engines on BDDs share and no single one owns.
//!
//! [`Encoder`] turns the formulas of an edge ([`hardbop_machine::bits`]) into BDDs over whatever
//! variables the engine has given to their leaves. A [`Draft`] collects the conjuncts of a step and
//! decides when each variable is quantified; what comes out, a list of [`Part`]s, is applied to a
//! set to get its [`image`]. [`Plans`] keeps equal plans once. [`FormulaWriter`] writes the BDDs of
//! a finished search into a certificate. [`node_limit`] says what a budget means for BDDs.

mod encode;
mod formulas;
mod limits;
mod parts;
mod plans;
mod words;

pub use encode::Encoder;
pub use formulas::FormulaWriter;
pub use limits::{limit_reached, node_limit};
pub use parts::{Draft, Part, image};
pub use plans::{Plans, QUANTIFY};
pub use words::{Words, choices_beside_integers};
