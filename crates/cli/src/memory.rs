//! How much memory the whole process uses.
//!
//! Engines estimate what their tables take, but none estimates the sum. Counting in the allocator
//! costs two atomic additions per allocation, so anyone can ask at any time. What the allocator
//! itself adds, a third with many small pieces, only the system knows: the watchdog asks it.

use cap::Cap;
use hardbop_bench::process_status;
use mimalloc::MiMalloc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[global_allocator]
static ALLOCATOR: Cap<MiMalloc> = Cap::new(MiMalloc, usize::MAX);

/// Resident bytes as last seen.
static RESIDENT: AtomicUsize = AtomicUsize::new(0);

/// A limit below this is about what a search allocates: the code alone may take as much.
const SMALL: usize = 32 << 20;

/// Asks the system, where there is `/proc`.
pub fn look() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = process_status::memory(&status).map_or(0, |memory| memory.resident_kib);
    let bytes = usize::try_from(kib << 10).unwrap_or(usize::MAX);
    RESIDENT.store(bytes, Ordering::Relaxed);
}

/// What is allocated now.
pub fn megabytes() -> usize {
    ALLOCATOR.allocated() >> 20
}

/// Whether more is allocated, or was resident when last seen.
pub fn exceeds(limit: usize) -> bool {
    ALLOCATOR.allocated() > limit || limit >= SMALL && RESIDENT.load(Ordering::Relaxed) > limit
}
