//! The table of replayed traces: hardbop, `OxiDD`, and CUDD if it is there.
//!
//! CUDD is a C library, so a program of its own replays the trace (`cudd/replay.c`); the environment
//! variable `CUDD_REPLAY` names it.

use crate::hardbop::Hardbop;
use crate::milliseconds;
use crate::oxidd_package::BySubstitution;
use crate::package::Answer;
use crate::trace::Trace;
use crate::workloads::{LARGE_CACHE, Run, SMALL_CACHE};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Every measurement is the least of this many.
const REPETITIONS: usize = 3;

fn read(path: &str) -> Result<Trace, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    Trace::read(&text).map_err(|line| format!("{path}: not a line of a trace: {line}"))
}

/// The packages in turn, so that a disturbance of the machine meets all of them.
pub fn compare(paths: &[String]) -> ExitCode {
    println!("| trace | operations | hardbop-bdd ms | nodes | OxiDD | nodes | CUDD | nodes |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for path in paths {
        match row(path) {
            Ok(row) => println!("{row}"),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn row(path: &str) -> Result<String, String> {
    let trace = read(path)?;
    let (mut ours, mut oxidd, mut cudd): (Best, Best, Best) = Default::default();
    for _ in 0..REPETITIONS {
        ours.take(Some(finished(trace.replay::<Hardbop>(0))?));
        // What is best for OxiDD depends on the trace, so both are tried.
        for cache in [SMALL_CACHE, LARGE_CACHE] {
            oxidd.take(Some(finished(trace.replay::<BySubstitution>(cache))?));
        }
        cudd.take(by_cudd(path)?);
    }
    let digest = ours.digest;
    if oxidd.digest != digest || cudd.digest.is_some_and(|cudd| Some(cudd) != digest) {
        return Err(format!("{path}: the packages differ"));
    }
    let time = milliseconds(ours.time);
    let ratio = |best: &Best| match best.digest {
        Some(_) => format!("1 : {:.2} | {}", milliseconds(best.time) / time, best.nodes),
        None => "not built |".to_owned(),
    };
    let name = std::path::Path::new(path).file_stem();
    Ok(format!(
        "| {} | {} | {time:.0} | {} | {} | {} |",
        name.unwrap_or_default().to_string_lossy(),
        trace.len(),
        ours.nodes,
        ratio(&oxidd),
        ratio(&cudd),
    ))
}

/// The least time of some runs.
struct Best {
    time: Duration,
    digest: Option<u64>,
    nodes: String,
}

impl Default for Best {
    fn default() -> Self {
        Self {
            time: Duration::MAX,
            digest: None,
            nodes: String::new(),
        }
    }
}

impl Best {
    fn take(&mut self, run: Option<Run>) {
        if let Some(run) = run {
            self.time = self.time.min(run.time);
            self.digest = Some(run.digest);
            self.nodes = run.note;
        }
    }
}

fn finished(run: Answer<Run>) -> Result<Run, String> {
    run.map_err(|_| "a package is full".to_owned())
}

fn by_cudd(path: &str) -> Result<Option<Run>, String> {
    let Some(program) = std::env::var_os("CUDD_REPLAY") else {
        return Ok(None);
    };
    let output = Command::new(program).arg(path).output();
    let output = output.map_err(|error| format!("CUDD_REPLAY: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text.split_whitespace().flat_map(str::parse).collect();
    match numbers[..] {
        [microseconds, nodes, digest] => Ok(Some(Run {
            time: Duration::from_micros(microseconds),
            digest,
            note: nodes.to_string(),
        })),
        _ => Err(format!(
            "CUDD_REPLAY: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// One trace on one package once, for a profiler.
pub fn one(path: &str, package: &str) -> ExitCode {
    let run = read(path).and_then(|trace| match package {
        "hardbop" => finished(trace.replay::<Hardbop>(0)),
        "oxidd" => finished(trace.replay::<BySubstitution>(LARGE_CACHE)),
        _ => Err(format!("{package}: not a package that replays traces")),
    });
    match run {
        Ok(run) => {
            println!("{:.0} ms, {} nodes", milliseconds(run.time), run.note);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
