//! Certificates that bound loops and recursion: what is accepted is true, and a bound that is too
//! low is rejected.

use super::{machine, validate};
use crate::{Condition, Rejected};
use hardbop_evidence::certificate::{LoopBound, NestingBound, UnrollingBounds};
use hardbop_evidence::{Certificate, Target};
use hardbop_machine::{Machine, NodeId, ProcId};
use hardbop_outcome::{Budget, Engine, Question, engine::Silent};
use hardbop_testkit::{Knobs, TabulationEngine, generate};

fn loop_bound(head: u32, repetitions: u32) -> LoopBound {
    let (head, line) = (NodeId(head), 0);
    LoopBound {
        head,
        line,
        repetitions,
    }
}

/// The first node of the text that is on a cycle as a head, and so on: every node is listed.
fn every_node(machine: &Machine, repetitions: u32, frames: u32) -> UnrollingBounds {
    UnrollingBounds {
        loops: machine
            .node_ids()
            .map(|node| loop_bound(node.0, repetitions))
            .collect(),
        procedures: machine
            .procedure_ids()
            .map(|procedure| NestingBound { procedure, frames })
            .collect(),
    }
}

fn check(machine: &Machine, bounds: UnrollingBounds) -> Result<u64, Rejected> {
    let certificate = Certificate::unrolled(machine, Target::assertions(machine), bounds);
    validate(machine, &certificate).map(|accepted| accepted.obligations)
}

fn condition(result: Result<u64, Rejected>) -> Option<Condition> {
    match result {
        Err(Rejected::Broken(broken)) => Some(broken.condition),
        _ => None,
    }
}

/// Repeats its loop as often as `n` says, at most three times.
const LOOP: &str = "decl int<3> n; decl int<3> i := 0;
void main() begin assume(n < 4); while (i < n) do i := i + 1; od assert(i <= 3); end";

/// The inner loop is repeated twice in each of three repetitions of the outer one.
const NESTED: &str = "decl int<3> i := 0, j, k := 0;
void main() begin
  while (i < 3) do j := 0; while (j < 2) do j := j + 1; k := k + 1; od i := i + 1; od
  assert(k = 6);
end";

/// Four frames of `f`.
const RECURSION: &str = "decl int<3> depth := 0;
void f(int<2> n) begin depth := depth + 1; if (n != 0) then f(n - 1); fi end
void main() begin decl int<2> n; f(n); assert(depth <= 4 & depth != 0); end";

#[test]
fn bounds_that_suffice_are_accepted_and_lower_ones_are_not() {
    for (text, repetitions, frames) in [(LOOP, 3, 1), (NESTED, 3, 1), (RECURSION, 0, 4)] {
        let machine = machine(text);
        for extra in 0..3 {
            let bounds = every_node(&machine, repetitions + extra, frames + extra);
            assert_eq!(check(&machine, bounds), Ok(1), "{text}");
        }
        let lower = match repetitions {
            0 => every_node(&machine, 0, frames - 1),
            _ => every_node(&machine, repetitions - 1, frames),
        };
        let found = condition(check(&machine, lower));
        assert_eq!(found, Some(Condition::BoundIsKept), "{text}");
    }
}

#[test]
fn each_loop_has_a_bound_of_its_own_that_begins_anew_when_it_is_entered() {
    let machine = machine(NESTED);
    let bounds = every_node(&machine, 3, 1);
    let mut tight = 0;
    for (index, one) in bounds.loops.iter().enumerate() {
        for repetitions in [1, 2] {
            let mut lower = bounds.clone();
            lower.loops[index].repetitions = repetitions;
            if let Err(why) = check(&machine, lower) {
                let text = why.to_string();
                assert!(text.contains("a run goes beyond a bound: now i="), "{text}");
                tight += 1;
                assert!(one.head.index() < machine.nodes.len());
            }
        }
    }
    // The outer loop needs three repetitions, the inner one two.
    assert_eq!(tight, 3);
}

#[test]
fn a_run_within_the_bounds_to_a_target_is_found() {
    let machine = machine("decl g; void main() begin while (g) do g := *; od assert(g); end");
    let found = condition(check(&machine, every_node(&machine, 0, 1)));
    // Depending on the model either is shown first; with room for the loop only the target is left.
    assert!(matches!(
        found,
        Some(Condition::BoundIsKept | Condition::RunKeepsOff)
    ));
    let machine = super::machine("decl g; void main() begin assert(g); end");
    let found = condition(check(&machine, every_node(&machine, 0, 1)));
    assert_eq!(found, Some(Condition::RunKeepsOff));
}

#[test]
fn what_comes_after_the_targets_needs_no_bound_to_be_kept() {
    let machine = machine(
        "decl g := 1; void main() begin assert(g); f(); while (1) do skip; od end
         void f() begin f(); end",
    );
    assert_eq!(check(&machine, every_node(&machine, 0, 1)), Ok(1));
}

#[test]
fn what_is_no_list_of_bounds_of_the_machine_is_malformed() {
    let machine = machine(NESTED);
    let good = every_node(&machine, 3, 1);
    let mut wrong: Vec<(UnrollingBounds, &str)> = Vec::new();
    let mut add = |change: &dyn Fn(&mut UnrollingBounds), why: &'static str| {
        let mut bounds = good.clone();
        change(&mut bounds);
        wrong.push((bounds, why));
    };
    add(&|b| b.loops.clear(), "is on a cycle");
    add(
        &|b| b.loops.push(loop_bound(0, 3)),
        "lists the loop of node 0 twice",
    );
    add(&|b| b.loops.push(loop_bound(99, 3)), "a loop has node 99");
    let nesting = |procedure| NestingBound {
        procedure: ProcId(procedure),
        frames: 1,
    };
    add(
        &|b| b.procedures.push(nesting(0)),
        "lists procedure 0 twice",
    );
    add(
        &|b| b.procedures.push(nesting(7)),
        "procedure 7 does not exist",
    );
    for (bounds, why) in wrong {
        let text = check(&machine, bounds).unwrap_err().to_string();
        assert!(text.contains(why), "{text}");
    }
    let mut certificate = Certificate::unrolled(&machine, Vec::new(), good);
    certificate
        .formulas
        .push(hardbop_evidence::certificate::Formula::Constant(true));
    let text = validate(&machine, &certificate).unwrap_err().to_string();
    assert!(text.contains("it has relations"), "{text}");
    certificate.formulas.clear();
    certificate.bounds = None;
    let text = validate(&machine, &certificate).unwrap_err().to_string();
    assert!(text.contains("it has no bounds"), "{text}");
}

#[test]
fn whatever_is_accepted_is_true() {
    let (mut accepted, mut rejected) = (0, 0);
    let presets = [
        Knobs::tiny(),
        Knobs::sequential(),
        Knobs::recursive(),
        Knobs::integers(),
    ];
    for (preset, knobs) in presets.iter().enumerate() {
        for seed in 0..60 {
            let machine = machine(&generate(seed, knobs));
            let question = Question::every_target(&machine);
            let outcome =
                TabulationEngine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
            for answer in &outcome.answers {
                let Some(target) = answer.target() else {
                    continue;
                };
                for repetitions in 0..3 {
                    let bounds = every_node(&machine, repetitions, repetitions + 1);
                    let certificate = Certificate::unrolled(&machine, vec![target.clone()], bounds);
                    let is_accepted = validate(&machine, &certificate).is_ok();
                    assert!(
                        !(is_accepted && answer.verdict.is_yes()),
                        "preset {preset}, seed {seed}: {target}"
                    );
                    *(if is_accepted {
                        &mut accepted
                    } else {
                        &mut rejected
                    }) += 1;
                }
            }
        }
    }
    assert!(
        accepted > 300 && rejected > 300,
        "{accepted} and {rejected}"
    );
}
