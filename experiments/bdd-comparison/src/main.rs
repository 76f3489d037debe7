//! Runs the same workloads on hardbop's BDD package and on `OxiDD`, and prints how many times longer each takes.
//!
//! Without arguments: everything, as tables. With a workload and a package (`wide-80 oxidd`): that alone, once, for a profiler that
//! counts instructions.

mod hardbop;
mod limits;
mod oxidd_package;
mod package;
mod program;
mod workloads;

use hardbop::Hardbop;
use oxidd_package::{ByEquality, BySubstitution};
use package::{Answer, Package};
use std::time::Duration;
use workloads::{LARGE_CACHE, Run, SMALL_CACHE, start_up, tiny_images, wide_images};

/// Every measurement is the least of this many.
const REPETITIONS: usize = 5;

#[derive(Clone, Copy)]
enum Workload {
    StartUp { cache: usize },
    Tiny { bits: u32 },
    Wide { bits: u32, enough: usize },
}

const WORKLOADS: [(&str, Workload); 8] = [
    ("start-small-cache", Workload::StartUp { cache: SMALL_CACHE }),
    ("start-large-cache", Workload::StartUp { cache: LARGE_CACHE }),
    ("tiny-4", Workload::Tiny { bits: 4 }),
    ("tiny-8", Workload::Tiny { bits: 8 }),
    ("tiny-13", Workload::Tiny { bits: 13 }),
    ("wide-60", Workload::Wide { bits: 60, enough: 100_000 }),
    ("wide-80", Workload::Wide { bits: 80, enough: 100_000 }),
    ("wide-100", Workload::Wide { bits: 100, enough: 100_000 }),
];

fn run<P: Package>(workload: Workload) -> Run {
    let run: Answer<Run> = match workload {
        Workload::StartUp { cache } => start_up::<P>(cache),
        Workload::Tiny { bits } => tiny_images::<P>(bits),
        Workload::Wide { bits, enough } => wide_images::<P>(bits, enough),
    };
    run.expect("the workloads fit into the room that they ask for")
}

type Runner = fn(Workload) -> Run;

const PACKAGES: [(&str, &str, Runner); 3] = [
    ("hardbop", Hardbop::NAME, run::<Hardbop>),
    ("oxidd", BySubstitution::NAME, run::<BySubstitution>),
    ("oxidd-equality", ByEquality::NAME, run::<ByEquality>),
];

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// All packages in turn, so that a disturbance of the machine meets all of them.
fn compare(name: &str, workload: Workload) {
    let mut best = [Duration::MAX; PACKAGES.len()];
    let mut first: Option<Run> = None;
    for _ in 0..REPETITIONS {
        for (best, (_, package, runner)) in best.iter_mut().zip(PACKAGES) {
            let run = runner(workload);
            *best = run.time.min(*best);
            let first = first.get_or_insert(run_like(&run));
            assert_eq!(first.digest, run.digest, "{package} differs on {name}");
        }
    }
    let ours = milliseconds(best[0]);
    print!("| {name} | {ours:.3} ms |");
    for time in &best[1..] {
        let theirs = milliseconds(*time);
        print!(" {theirs:.3} ms | 1 : {:.2} |", theirs / ours);
    }
    println!(" {} |", first.map_or(String::new(), |run| run.note));
}

fn run_like(run: &Run) -> Run {
    Run { time: run.time, digest: run.digest, note: run.note.clone() }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => {
            for (name, workload) in WORKLOADS {
                compare(name, workload);
            }
            limits::show();
        }
        _ => {}
    }
}
