//! Configurations one by one.
//!
//! [`components`] numbers the parts of configurations, [`evaluate`], [`firing`] and [`steps`] compute what one thread does (values that nobody asks for
//! stay undetermined), [`transitions`] what becomes of the whole, and [`configurations`] stores it. Two searches use them: [`reduced`] decides
//! what is reachable, with as few configurations as [`independence`] of steps and symmetry of threads allow; [`ordered`] finds the
//! run with the fewest context switches, and the shortest of those, to what the first has found. [`witness`] makes a run of
//! configurations with undetermined values one with values.
//!
//! With partial-order reduction what has been visited is no invariant: configurations are missing in between. So once a target is known
//! to be unreachable the search is made again without it, and [`invariant`] makes sets of BDDs of all configurations, interchanged
//! threads included: the certificate.

pub mod bits;
pub mod components;
pub mod configurations;
pub mod evaluate;
mod firing;
pub mod independence;
pub mod invariant;
pub mod ordered;
pub mod reduced;
pub mod steps;
pub mod transitions;
pub mod witness;

use hardbop_outcome::{Interrupt, Limit};
use steps::TooManyCases;
use transitions::Transitions;

/// What a search may spend.
#[derive(Clone, Copy)]
pub struct Allowance<'a> {
    /// The largest number of configurations.
    pub configurations: u64,
    /// Bytes of the tables.
    pub memory: Option<u64>,
    /// Asked every few thousand configurations.
    pub interrupt: &'a dyn Interrupt,
}

/// How many configurations are expanded between two questions whether to go on.
const PATIENCE: usize = 1024;

/// Bytes of a thread's steps from one state, on the average.
const BYTES_OF_STEPS: u64 = 200;

impl Allowance<'_> {
    /// Why a search must stop that has expanded so many of its configurations, and whose tables have so many bytes.
    fn is_spent(
        &self,
        expanded: usize,
        configurations: usize,
        bytes: u64,
        transitions: &Transitions<'_>,
    ) -> Option<Limit> {
        if configurations as u64 > self.configurations || configurations >= u32::MAX as usize / 2 {
            return Some(Limit::States);
        }
        let bytes = bytes + transitions.stepper.len() as u64 * BYTES_OF_STEPS;
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

/// Whether some thread of a configuration is at a place of a set, given per kind.
fn find_wanted<T: Copy>(
    transitions: &Transitions<'_>,
    row: &[u32],
    wanted: &[Vec<Option<T>>],
    mut found: impl FnMut(T),
) {
    for thread in Transitions::running(row) {
        let kind = transitions.stepper.kind_of[thread as usize];
        let place = transitions.place(row, thread);
        if let Some(target) = wanted[kind][place as usize] {
            found(target);
        }
    }
}
