//! A small table of work counters, `work.txt`: nothing gets slower unnoticed.
//!
//! Counters of work are the same on every machine, so they may be compared where times may not. A
//! counter that has moved by more than two percent fails the test, in either direction: what became
//! better is written down too. `HARDBOP_BLESS=1` writes the table anew.

use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Families with sizes, the engines to ask, and what else to say.
const RUNS: [(&str, &str, &[&str], &[&str]); 9] = [
    (
        "tn",
        "200",
        &["summary", "explicit", "sat", "calculus"],
        &["--reach", "reach"],
    ),
    (
        "tn-safe",
        "200",
        &["summary", "explicit", "sat", "calculus"],
        &["--reach", "reach"],
    ),
    ("driver", "10", &["summary", "sat", "calculus"], &[]),
    ("driver-safe", "10", &["summary", "sat", "calculus"], &[]),
    ("terminator", "2", &["summary", "sat"], &[]),
    ("bluetooth", "1", &["interleaving"], &[]),
    (
        "bluetooth",
        "1",
        &["concurrent", "calculus"],
        &["--contexts", "3"],
    ),
    ("quicksort", "4", &["explicit"], &["--nonterminating"]),
    ("mixing-safe", "8", &["sat"], &["--reach", "COLLISION"]),
];

/// Percent by which a counter may move.
const TOLERANCE: u64 = 2;

fn hardbop(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .args(arguments)
        .output();
    output.expect("the command was built for its tests").stdout
}

/// The line of one program and engine: counters with their names.
fn line(family: &str, size: &str, engine: &str, options: &[&str]) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("work-{family}-{size}.bp"));
    let file = file.to_string_lossy().into_owned();
    hardbop(&["generate", family, size, "-o", &file]);
    let mut arguments = vec![
        "check",
        &file,
        "--json",
        "--no-validate",
        "--engine",
        engine,
    ];
    arguments.extend(options);
    let document: Value = serde_json::from_slice(&hardbop(&arguments)).expect("it is JSON");
    let statistics = document["statistics"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert!(
        !statistics.is_empty(),
        "{family} {size} {engine}: {document}"
    );
    let mut line = format!("{family} {size} {engine} {}:", options.join(" "));
    for statistic in statistics {
        let name = statistic[0].as_str().unwrap_or_default().to_owned();
        write!(line, " {name} {},", statistic[1]).expect("a string takes everything");
    }
    line
}

/// Names and counters behind the colon.
fn counters(line: &str) -> Vec<(&str, u64)> {
    let behind = line.split_once(':').map_or("", |(_, behind)| behind);
    let pairs = behind.split(',').filter_map(|one| one.rsplit_once(' '));
    pairs
        .map(|(name, count)| (name.trim(), count.parse().unwrap_or(u64::MAX)))
        .collect()
}

/// What has moved too far from one line to another.
fn moved(old: &str, new: &str) -> Vec<String> {
    let (before, after) = (counters(old), counters(new));
    let names = |all: &[(&str, u64)]| -> Vec<String> {
        all.iter().map(|(name, _)| (*name).to_owned()).collect()
    };
    if names(&before) != names(&after) {
        return vec![format!("was {old}\n now {new}")];
    }
    let pairs = before.iter().zip(&after);
    let far = pairs.filter(|((_, a), (_, b))| a.abs_diff(*b) * 100 > a * TOLERANCE);
    far.map(|((name, a), (_, b))| {
        format!(
            "{}: {name} was {a}, is {b}",
            new.split(':').next().unwrap_or_default()
        )
    })
    .collect()
}

#[test]
fn no_engine_does_more_work_than_is_written_down() {
    let mut lines = Vec::new();
    for (family, size, engines, options) in RUNS {
        for engine in engines {
            lines.push(line(family, size, engine, options));
        }
    }
    let table = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/work.txt");
    if std::env::var_os("HARDBOP_BLESS").is_some() {
        std::fs::write(&table, lines.join("\n") + "\n").expect("the table can be written");
        return;
    }
    let written = std::fs::read_to_string(&table).expect("the table is there");
    let written: Vec<&str> = written.lines().collect();
    assert_eq!(
        written.len(),
        lines.len(),
        "HARDBOP_BLESS=1 writes the table anew"
    );
    let moved: Vec<String> = written
        .iter()
        .zip(&lines)
        .flat_map(|(old, new)| moved(old, new))
        .collect();
    assert!(
        moved.is_empty(),
        "HARDBOP_BLESS=1 writes down:\n{}",
        moved.join("\n")
    );
}

#[test]
fn two_percent_may_pass_and_three_may_not() {
    let of = |count: u64| format!("tn 200 summary: visits {count}, nodes at the end 5,");
    assert!(moved(&of(100), &of(102)).is_empty());
    assert_eq!(moved(&of(100), &of(103)).len(), 1);
    assert_eq!(moved(&of(100), &of(97)).len(), 1);
    assert_eq!(moved(&of(100), "tn 200 summary: visits 100,").len(), 1);
}
