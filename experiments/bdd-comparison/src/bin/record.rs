//! Records what engines ask of the BDD package: `record FOLDER [PROGRAM.bp…]` writes one trace for
//! each workload below, and for each program given.
//!
//! The limit on nodes makes a trace of a search that is too large end in the middle; the operation
//! that ran out is not part of it.

use hardbop_bdd::take_traces;
use hardbop_calculus::decide_threads;
use hardbop_calculus::threads::ThreadBound;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Engine, Question, Silent};
use hardbop_summary::SummaryEngine;
use std::path::Path;

/// Where a search is cut off.
const NODES: u64 = 3 << 20;

/// Sequential programs, by family and size, for the search by summaries.
const PROGRAMS: [(&str, u32); 4] = [
    ("driver-safe", 40),
    ("driver-safe", 80),
    ("terminator-safe", 3),
    ("tn-safe", 800),
];

/// The driver of Qadeer and Wu with adders and stoppers, and context switches, for the formula of
/// bounded context switching.
const BLUETOOTH: [(u32, u32, u32); 2] = [(1, 2, 4), (2, 2, 4)];

fn machine(name: &str, text: &str) -> Machine {
    from_text(name, text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

fn by_summaries(machine: &Machine, budget: &Budget<'_>) {
    let labels = Question::every_target(machine);
    let engine = SummaryEngine::default();
    engine.check(machine, &labels, budget, &mut Silent);
}

/// Writes the longest of the traces since the last time: an engine may have made more managers.
fn write(folder: &Path, name: &str) {
    let traces = take_traces();
    let longest = traces.iter().max_by_key(|trace| trace.len());
    let trace = longest.expect("every engine here makes a manager");
    let path = folder.join(format!("{name}.trace"));
    std::fs::write(&path, trace).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("{}: {} operations", path.display(), trace.lines().count());
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: record FOLDER [PROGRAM.bp…]");
        std::process::exit(2);
    };
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).expect("the folder for traces can be made");
    let budget = Budget {
        nodes: Some(NODES),
        ..Budget::unlimited()
    };
    for (family, size) in PROGRAMS {
        let name = format!("{family}-{size}");
        let instance = hardbop_families::find(family)
            .expect("a family")
            .generate(size, 1);
        by_summaries(&machine(&name, &instance.text), &budget);
        write(folder, &name);
    }
    for (adders, stoppers, switches) in BLUETOOTH {
        let name = format!("bluetooth-{adders}-{stoppers}-{switches}");
        let machine = machine(&name, &hardbop_families::bluetooth(adders, stoppers));
        let targets = Question::assertions(&machine).nodes();
        let _ = decide_threads(&machine, &targets, ThreadBound::Contexts(switches), &budget);
        write(folder, &name);
    }
    for path in arguments {
        let path = Path::new(&path);
        let name = path.file_stem().expect("a file").to_string_lossy();
        let text = std::fs::read_to_string(path).expect("the program can be read");
        by_summaries(&machine(&name, &text), &budget);
        write(folder, &name);
    }
}
