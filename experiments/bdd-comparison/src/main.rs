//! Runs the same workloads on hardbop's BDD package and on `OxiDD`, and prints how many times
//! longer each takes.
//!
//! Without arguments: all workloads that are made here, as tables. `replay TRACE…`: what `record` has
//! recorded. With a workload and a package (`wide-80 oxidd`): that
//! alone, once, for a profiler that counts instructions.

mod hardbop;
mod limits;
mod oxidd_package;
mod package;
mod program;
mod replays;
mod trace;
mod workloads;

use hardbop::Hardbop;
use oxidd_package::{ByEquality, BySubstitution};
use package::{Answer, Package};
use std::process::ExitCode;
use std::time::Duration;
use workloads::{
    LARGE_CACHE, Run, SMALL_CACHE, collections, queens, start_up, tiny_images, wide_images,
};

/// Every measurement is the least of this many.
const REPETITIONS: usize = 5;

#[derive(Clone, Copy)]
enum Workload {
    StartUp {
        cache: usize,
    },
    Tiny {
        bits: u32,
        constraints: u32,
        cache: usize,
    },
    Wide {
        bits: u32,
        cache: usize,
    },
    Collections {
        bits: u32,
    },
    Queens {
        size: u32,
    },
}

use Workload::{Collections, Queens, StartUp, Tiny, Wide};

#[rustfmt::skip]
const WORKLOADS: [(&str, Workload); 14] = [
    ("start-small-cache", StartUp { cache: SMALL_CACHE }),
    ("start-large-cache", StartUp { cache: LARGE_CACHE }),
    ("tiny-4", Tiny { bits: 4, constraints: 1, cache: SMALL_CACHE }),
    ("tiny-8", Tiny { bits: 8, constraints: 1, cache: SMALL_CACHE }),
    ("tiny-13", Tiny { bits: 13, constraints: 1, cache: SMALL_CACHE }),
    ("small-8", Tiny { bits: 8, constraints: 3, cache: SMALL_CACHE }),
    ("small-13", Tiny { bits: 13, constraints: 3, cache: SMALL_CACHE }),
    ("small-13-large-cache", Tiny { bits: 13, constraints: 3, cache: LARGE_CACHE }),
    ("wide-60", Wide { bits: 60, cache: LARGE_CACHE }),
    ("wide-80", Wide { bits: 80, cache: LARGE_CACHE }),
    ("wide-100", Wide { bits: 100, cache: LARGE_CACHE }),
    ("wide-80-small-cache", Wide { bits: 80, cache: SMALL_CACHE }),
    ("collections-80", Collections { bits: 80 }),
    ("queens-9", Queens { size: 9 }),
];

/// The size of the set of states at which wide searches end.
const ENOUGH: usize = 200_000;

fn run<P: Package>(workload: Workload) -> Run {
    let run: Answer<Run> = match workload {
        StartUp { cache } => start_up::<P>(cache),
        Tiny {
            bits,
            constraints,
            cache,
        } => tiny_images::<P>(bits, constraints, cache),
        Wide { bits, cache } => wide_images::<P>(bits, ENOUGH, cache),
        Collections { bits } => collections::<P>(bits, ENOUGH),
        Queens { size } => queens::<P>(size),
    };
    run.expect("the workloads fit into the room that they ask for")
}

type Runner = fn(Workload) -> Run;

const PACKAGES: [(&str, &str, Runner); 3] = [
    ("hardbop", Hardbop::NAME, run::<Hardbop>),
    ("oxidd", BySubstitution::NAME, run::<BySubstitution>),
    ("oxidd-equality", ByEquality::NAME, run::<ByEquality>),
];

/// For tables.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// All packages in turn, so that a disturbance of the machine meets all of them.
fn compare(name: &str, workload: Workload) {
    let mut best = [Duration::MAX; PACKAGES.len()];
    let mut first: Option<(u64, String)> = None;
    for _ in 0..REPETITIONS {
        for (best, (_, package, runner)) in best.iter_mut().zip(PACKAGES) {
            let run = runner(workload);
            *best = run.time.min(*best);
            let (digest, _) = first.get_or_insert((run.digest, run.note));
            assert_eq!(*digest, run.digest, "{package} differs on {name}");
        }
    }
    let ours = milliseconds(best[0]);
    let note = first.map_or(String::new(), |(_, note)| note);
    print!("| {name} | {note} | {ours:.3} |");
    for time in &best[1..] {
        print!(" 1 : {:.2} |", milliseconds(*time) / ours);
    }
    println!();
}

fn everything() {
    print!("| workload | size | {} ms |", PACKAGES[0].1);
    for (_, package, _) in &PACKAGES[1..] {
        print!(" {package} |");
    }
    println!("\n| --- | --- | --- | --- | --- |");
    for (name, workload) in WORKLOADS {
        compare(name, workload);
    }
    limits::show();
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => everything(),
        [limits] if limits == "limits" => limits::show(),
        [replay, traces @ ..] if replay == "replay" => return replays::compare(traces),
        [workload, package] => {
            if workload.ends_with(".trace") {
                return replays::one(workload, package);
            }
            let workload = WORKLOADS.iter().find(|(name, _)| name == workload);
            let runner = PACKAGES.iter().find(|(name, _, _)| name == package);
            let (Some((_, workload)), Some((_, _, runner))) = (workload, runner) else {
                return usage();
            };
            let run = runner(*workload);
            println!("{:.3} ms, {}", milliseconds(run.time), run.note);
        }
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: bdd-comparison [limits | replay TRACE… | TRACE|WORKLOAD hardbop|oxidd|oxidd-equality]"
    );
    ExitCode::FAILURE
}
