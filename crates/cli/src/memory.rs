//! How much memory the whole process has allocated, counted by its allocator.
//!
//! Engines estimate what their tables take, but none estimates the sum. Counting costs two atomic
//! additions per allocation; `--memory` then holds for the whole process.

use cap::Cap;
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that are allocated now.
pub fn allocated() -> usize {
    ALLOCATOR.allocated()
}
