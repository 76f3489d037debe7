//! The `hardbop` command. What it does is in the library; here is where its memory comes from.

use cap::Cap;
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Counting costs two atomic additions per allocation, so anyone can ask at any time.
#[global_allocator]
static ALLOCATOR: Cap<MiMalloc> = Cap::new(MiMalloc, usize::MAX);

fn main() -> ExitCode {
    hardbop_cli::main(|| ALLOCATOR.allocated())
}
