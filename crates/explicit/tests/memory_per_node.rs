//! What a node of a long program costs, from its text to a replayable run or a certificate.
//!
//! Bytes are counted in the allocator as they are asked for, so the figures are the same on every
//! machine. The bounds are at most a tenth above what was measured when they were written down.

use cap::Cap;
use hardbop_explicit::ExplicitEngine;
use hardbop_machine::{Edge, Node, from_text};
use hardbop_outcome::{Budget, Engine, Question, Silent, Step};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Equal procedures: all that can be shared is shared.
const SIZE: u32 = 1600;

/// Bytes per node: when a program is loaded, the most while it is loaded, and the most until there
/// is evidence. Figures of one program after another are never below those of the first.
fn bytes_per_node(family: &str, is_reachable: bool) -> [usize; 3] {
    let family = hardbop_families::find(family).expect("a family of the table");
    let text = family.generate(SIZE, 0).text;
    let before = ALLOCATOR.allocated();
    let machine = from_text("tn.bp", &text).expect("families make programs");
    let nodes = machine.nodes.len();
    let per_node = |bytes: usize| (bytes - before) / nodes;
    let loaded = per_node(ALLOCATOR.allocated());
    let loading = per_node(ALLOCATOR.max_allocated());
    let question = Question::label(&machine, "reach");
    let engine = ExplicitEngine::default();
    let outcome = engine.search(&machine, &question, &Budget::unlimited(), &mut Silent);
    assert_eq!(outcome.answers[0].verdict.is_found(), is_reachable);
    assert_eq!(outcome.certificates.is_empty(), is_reachable);
    [loaded, loading, per_node(ALLOCATOR.max_allocated())]
}

#[test]
fn a_node_of_a_long_program_costs_few_hundred_bytes_at_the_peak() {
    let [loaded, loading, with_run] = bytes_per_node("tn", true);
    assert!(loaded <= 165, "{loaded} bytes when it is loaded");
    assert!(loading <= 290, "{loading} bytes while it is loaded");
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
