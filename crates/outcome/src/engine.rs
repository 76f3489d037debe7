//! The one interface of all engines.

use crate::budget::Budget;
use crate::outcome::Outcome;
use crate::query::Query;
use hardbop_machine::Machine;

/// A decision procedure for reachability queries.
pub trait Engine {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// Answers every target of the query, in order.
    fn check(
        &self,
        machine: &Machine,
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome;
}

/// Something an engine says while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A phase begins.
    Phase(&'a str),
    /// A counter has reached a value.
    Count(&'a str, u64),
}

/// Hears what an engine says while it runs.
pub trait Progress {
    /// Called now and then.
    fn event(&mut self, event: Event<'_>);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn event(&mut self, _event: Event<'_>) {}
}
