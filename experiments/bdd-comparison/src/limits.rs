//! What happens when there is no more room: where a search stops, whether that is the same each
//! time, and what going on costs.

use crate::hardbop::Hardbop;
use crate::oxidd_package::BySubstitution;
use crate::package::{Full, Package, fingerprint};
use crate::workloads::{LARGE_CACHE, WideSearch};
use oxidd::{Manager, ManagerRef};
use std::collections::BTreeSet;

const BITS: u32 = 80;
/// The limits that are hit.
const ROOMS: [usize; 2] = [200_000, 1_000_000];
/// Where the search would end if there were room enough.
const ENOUGH: usize = 100_000;
const REPETITIONS: usize = 10;

/// Prints what this module measures.
pub fn show() {
    for room in ROOMS {
        println!("\nRoom for {room} nodes, {REPETITIONS} times:\n");
        stops::<Hardbop>(room);
        stops::<BySubstitution>(room);
        idle_collections(room);
    }
    println!("\nOne operation after another until the set has {ENOUGH} nodes:\n");
    let unlimited = work_until_done(u64::MAX);
    println!(
        "- {}: {} units of work without limits",
        Hardbop::NAME,
        unlimited.work
    );
    for slice in [10_000, 1_000] {
        let limited = work_until_done(slice);
        assert_eq!(limited.fingerprint, unlimited.fingerprint);
        println!(
            "- {}: work limit, raised by {slice} when hit: hit {} times, {} units of work, same result",
            Hardbop::NAME,
            limited.stops,
            limited.work
        );
    }
}

/// Where a search with too little room stops, first as it is and then with collecting and trying
/// again once per operation.
fn stops<P: Package>(room: usize) {
    let mut places = BTreeSet::new();
    for _ in 0..REPETITIONS {
        let mut package = P::new(3 * BITS, room, LARGE_CACHE);
        let (mut first, mut last) = (None, None);
        let mut counts = Vec::new();
        let mut search = WideSearch::new(&mut package, BITS).expect("the start is small");
        while last.is_none() {
            let assignment = search.next_assignment();
            let mut made = assignment.relation(&mut package);
            if made.is_err() {
                package.collect(&search.roots());
                made = assignment.relation(&mut package);
            }
            let (relation, step) = made.expect("a relation is small beside the room for it");
            if search.advance(&mut package, &relation, &step).is_ok() {
                counts.push(package.nodes());
                continue;
            }
            let at_stop = (search.steps, package.nodes());
            first.get_or_insert(at_stop);
            let mut roots = search.roots();
            roots.push(relation.clone());
            package.collect(&roots);
            let collected = package.nodes();
            if search.advance(&mut package, &relation, &step).is_err() {
                last = Some((search.steps, collected, package.nodes()));
            }
        }
        places.insert((first, last, counts));
    }
    println!(
        "- {}: {} different sequences of node counts",
        P::NAME,
        places.len()
    );
    let places: BTreeSet<_> = places
        .into_iter()
        .map(|(first, last, _)| (first, last))
        .collect();
    for (first, last) in places {
        let (Some((step, nodes)), Some((last, collected, full))) = (first, last) else {
            unreachable!("the search goes on until it has stopped");
        };
        println!(
            "  - full at step {step} with {nodes} nodes; with collection at step {last}, {collected} nodes after collecting, {full} when full again"
        );
    }
}

/// How often `gc` with shared access, at once after the manager was full, finds the background
/// collector at work and does nothing.
fn idle_collections(room: usize) {
    let mut idle = 0;
    for _ in 0..REPETITIONS {
        let mut package = BySubstitution::new(3 * BITS, room, LARGE_CACHE);
        let mut search = WideSearch::new(&mut package, BITS).expect("the start is small");
        while let Ok((relation, step)) = search.next_assignment().relation(&mut package)
            && search.advance(&mut package, &relation, &step).is_ok()
        {}
        let freed = package.manager.with_manager_shared(|manager| manager.gc());
        idle += u32::from(freed == 0);
    }
    println!(
        "- OxiDD: `gc` with shared access at once after that: freed nothing in {idle} of {REPETITIONS} runs"
    );
}

struct Resumed {
    work: u64,
    stops: u32,
    fingerprint: u64,
}

/// Goes on after each stop by raising the limit.
fn work_until_done(slice: u64) -> Resumed {
    let mut package = Hardbop::new(3 * BITS, usize::MAX, 0);
    let mut search = WideSearch::new(&mut package, BITS).expect("there is room");
    let before = package.manager.work();
    let mut building = 0;
    let mut stops = 0;
    while package.size(&search.states) < ENOUGH {
        let building_from = package.manager.work();
        let made = search.next_assignment().relation(&mut package);
        let (relation, step) = made.expect("there is no limit yet");
        building += package.manager.work() - building_from;
        let raise = |package: &mut Hardbop| {
            let limit = package.manager.work().saturating_add(slice);
            package.manager.set_work_limit(limit);
        };
        raise(&mut package);
        while let Err(Full) = search.advance(&mut package, &relation, &step) {
            stops += 1;
            raise(&mut package);
        }
        package.manager.set_work_limit(u64::MAX);
    }
    Resumed {
        work: package.manager.work() - before - building,
        stops,
        fingerprint: fingerprint(&package, &search.states),
    }
}
