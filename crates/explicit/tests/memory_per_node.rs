//! What a node of a long program costs, from its text to a replayable run or a certificate.
//!
//! Bytes are counted in the allocator as they are asked for, so the figures are the same on every
//! machine. The bounds are at most a tenth above what was measured when they were written down.

use cap::Cap;
use hardbop_explicit::ExplicitEngine;
use hardbop_machine::{Edge, Node, from_text};
use hardbop_outcome::{Budget, Engine, Question, Silent, Step};
use std::alloc::System;
use std::sync::atomic::{AtomicBool, Ordering};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Equal procedures: all that can be shared is shared.
const SIZE: u32 = 1600;

/// The most bytes that are there at a time while something is done. The allocator knows only the
/// most since the start, so a thread of its own looks all the time.
fn most_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = 0;
            while !is_done.load(Ordering::Relaxed) {
                most = most.max(ALLOCATOR.allocated());
            }
            most
        });
        let result = work();
        is_done.store(true, Ordering::Relaxed);
        (result, watch.join().expect("it only looks"))
    })
}

/// Bytes per node: when a program is loaded, the most while it is loaded, and the most from then
/// until there is evidence.
fn bytes_per_node(family: &str, is_reachable: bool) -> [usize; 3] {
    let family = hardbop_families::find(family).expect("a family of the table");
    let text = family.generate(SIZE, 0).text;
    let before = ALLOCATOR.allocated();
    let (machine, loading) = most_bytes(|| from_text("tn.bp", &text));
    let machine = machine.expect("families make programs");
    let loaded = ALLOCATOR.allocated();
    let question = Question::label(&machine, "reach");
    let engine = ExplicitEngine::default();
    let (outcome, searching) =
        most_bytes(|| engine.check(&machine, &question, &Budget::unlimited(), &mut Silent));
    assert_eq!(outcome.answers[0].verdict.is_yes(), is_reachable);
    assert_eq!(outcome.certificates.is_empty(), is_reachable);
    [loaded, loading, searching].map(|bytes| (bytes - before) / machine.nodes.len())
}

/// While a program is loaded there is room for all edges beside the whole tree. It is not touched
/// before as much of the tree has been given back, so the process is never that large.
#[test]
fn a_node_of_a_long_program_costs_few_hundred_bytes_at_the_peak() {
    let [loaded, loading, with_run] = bytes_per_node("tn", true);
    assert!(loaded <= 165, "{loaded} bytes when it is loaded");
    assert!(loading <= 400, "{loading} bytes while it is loaded");
    assert!(with_run <= 300, "{with_run} bytes with a run");
    let [.., with_certificate] = bytes_per_node("tn-safe", false);
    assert!(
        with_certificate <= 300,
        "{with_certificate} bytes with a certificate"
    );
}

#[test]
fn edges_nodes_and_steps_are_small() {
    assert!(size_of::<Edge>() <= 56, "{}", size_of::<Edge>());
    assert!(size_of::<Node>() <= 24, "{}", size_of::<Node>());
    assert!(size_of::<Step>() <= 24, "{}", size_of::<Step>());
}
