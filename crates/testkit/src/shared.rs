//! Programs of other tools, read from the folder `shared` beside the project where it is present.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A file or folder of `shared`; where it is missing, a line on the terminal says which test was
/// skipped. The test harness swallows what the print macros write in tests that pass, so the line
/// goes to standard error directly.
pub fn shared(path: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("skipped: {test}: no ../shared/{path} beside the project\n");
    // A terminal that cannot be written to does not fail the test.
    let _ = std::io::stderr().write_all(line.as_bytes());
    None
}

/// All programs below a folder of `shared`, in order.
pub fn shared_programs(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending: Vec<PathBuf> = shared(folder).into_iter().collect();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder can be listed");
            pending.extend(entries.map(|entry| entry.expect("an entry can be read").path()));
        } else if path.extension().is_some_and(|e| e == "bp" || e == "gp") {
            found.push(path);
        }
    }
    found.sort();
    found
}
