//! Every program of the corpus of other tools' tests becomes a machine.
//!
//! The corpus is not part of the project; where its folder is missing, this test says so and
//! passes.
#![allow(clippy::print_stderr, reason = "says why nothing was tested")]

use std::path::{Path, PathBuf};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");

/// Programs that are rejected, by the end of their path, each with the code and the reason.
const REJECTED: &[(&str, &str)] = &[];

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder can be listed");
            pending.extend(entries.map(|entry| entry.expect("an entry can be read").path()));
        } else if path.extension().is_some_and(|e| e == "bp") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn all_programs_of_other_tools_become_machines() {
    let folder = Path::new(CORPUS);
    if !folder.is_dir() {
        eprintln!("skipped: there is no corpus at {CORPUS}");
        return;
    }
    let programs = programs(folder);
    assert!(programs.len() >= 100, "only {} programs", programs.len());
    let mut failures = Vec::new();
    for path in programs {
        let name = path.to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("the corpus is text");
        let rejected = REJECTED.iter().find(|(end, _)| name.ends_with(end));
        let errors = match hardbop_machine::from_text(&name, &text) {
            Ok(_) => Vec::new(),
            Err(diagnostics) => diagnostics,
        };
        let errors: Vec<_> = errors.iter().filter(|d| d.is_error()).collect();
        let codes: Vec<String> = errors.iter().map(|d| d.code.to_string()).collect();
        match rejected {
            None if errors.is_empty() => {}
            Some((_, code)) if codes.iter().any(|c| c == code) => {}
            _ => failures.push(format!("{name}: {codes:?} {:?}", errors.first())),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
