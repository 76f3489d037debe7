//! What a search of configurations one by one may spend.

use crate::exact::search::steps::TooManyCases;
use crate::exact::search::visited::Visited;
use hardbop_outcome::{Interrupt, Limit};

/// What a search may spend.
#[derive(Clone, Copy)]
pub(crate) struct Allowance<'a> {
    /// The largest number of configurations.
    pub(crate) configurations: u64,
    /// Bytes of the tables.
    pub(crate) memory: Option<u64>,
    /// Asked every few thousand configurations.
    pub(crate) interrupt: &'a dyn Interrupt,
}

/// How many configurations are expanded between two questions whether to go on.
const PATIENCE: usize = 1024;

/// Bytes of a thread's steps from one state, on the average.
const BYTES_OF_STEPS: u64 = 200;

impl Allowance<'_> {
    /// Why a search must stop that has expanded this many of its configurations, and whose tables
    /// have this many bytes.
    pub(crate) fn is_spent(
        &self,
        expanded: usize,
        bytes: u64,
        visited: &Visited<'_>,
    ) -> Option<Limit> {
        let configurations = visited.len();
        if configurations as u64 > self.configurations || configurations >= u32::MAX as usize / 2 {
            return Some(Limit::States);
        }
        let bytes = bytes + visited.transitions.stepper.len() as u64 * BYTES_OF_STEPS;
        if self.memory.is_some_and(|most| bytes > most) {
            return Some(Limit::Memory);
        }
        if expanded.is_multiple_of(PATIENCE) {
            return self.interrupt.check();
        }
        None
    }
}

impl From<TooManyCases> for Limit {
    fn from(_: TooManyCases) -> Self {
        Limit::Declined {
            what: "steps with thousands of cases".to_owned(),
        }
    }
}
