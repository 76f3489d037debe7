//! The roots of all workers: whoever meets a state below a root needs to know its procedure and
//! shape, and who owns it.
//!
//! Roots are numbered as they are made. A worker keeps a copy of the list and looks for more only
//! when it meets a number that is not on it.

use crate::encoding::moves::Invocation;
use std::sync::{Arc, PoisonError, RwLock};

/// What everybody may know about a root.
#[derive(Debug)]
pub(crate) struct Listing {
    /// What the states below it have in common.
    pub(crate) invocation: Invocation,
    /// The worker that it belongs to.
    pub(crate) owner: usize,
    /// Its number among that worker's roots.
    pub(crate) index: usize,
}

/// All roots by number.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    listings: RwLock<Vec<Arc<Listing>>>,
}

impl Directory {
    /// Adds a root; what is listed depends on its number.
    pub(crate) fn add(&self, listing: impl FnOnce(u32) -> Listing) {
        let mut listings = self
            .listings
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let number = listings.len() as u32;
        listings.push(Arc::new(listing(number)));
    }

    /// Appends the roots that a copy does not have.
    pub(crate) fn update(&self, copy: &mut Vec<Arc<Listing>>) {
        let listings = self.listings.read().unwrap_or_else(PoisonError::into_inner);
        copy.extend_from_slice(&listings[copy.len()..]);
    }
}
