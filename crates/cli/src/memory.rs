//! How much memory the whole process uses.
//!
//! Engines estimate what their tables take, but none estimates the sum, so the allocator counts
//! (`main.rs`). What it adds itself, a third with many small pieces, only the system knows: the
//! watchdog asks it.

use crate::process_status;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Asks the allocator.
static ALLOCATED: OnceLock<fn() -> usize> = OnceLock::new();

/// Resident bytes as last seen.
static RESIDENT: AtomicUsize = AtomicUsize::new(0);

/// A limit below this is about what a search allocates: the code alone may take as much.
const SMALL: usize = 32 << 20;

/// Sets how to ask the allocator; the first one given is kept.
pub fn count_with(allocated: fn() -> usize) {
    ALLOCATED.get_or_init(|| allocated);
}

/// Allocated bytes; 0 if they are not counted.
pub fn allocated() -> usize {
    ALLOCATED.get().map_or(0, |allocated| allocated())
}

/// Asks the system, where there is `/proc`.
pub fn look() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = process_status::memory(&status).map_or(0, |memory| memory.resident_kib);
    let bytes = usize::try_from(kib << 10).unwrap_or(usize::MAX);
    RESIDENT.store(bytes, Ordering::Relaxed);
}

/// What is allocated now.
pub fn megabytes() -> usize {
    allocated() >> 20
}

/// Whether more is allocated, or was resident when last seen.
pub fn exceeds(limit: usize) -> bool {
    allocated() > limit || limit >= SMALL && RESIDENT.load(Ordering::Relaxed) > limit
}
