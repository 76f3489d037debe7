//! Certificates written by hand, in both directions, and what is said about those that are wrong.

use super::{certificate, exit_of, global, is_failure, local, machine, validate};
use crate::Rejected;
use expect_test::{Expect, expect};
use hardbop_evidence::certificate::{Direction, Formula, Turn, TurnRelation};
use hardbop_evidence::{Certificate, Interrupt, Limit};
use hardbop_machine::{Machine, NodeId};
use std::sync::atomic::{AtomicU32, Ordering};

const FLIP: &str = "decl g := 0;
void main() begin
  flip();
  assert(g);
end
void flip() begin
  g := !g;
end
";

/// `main` starts with g = 0 and has g = 1 after the call; `flip` negates g.
fn forward_flip(machine: &Machine) -> Certificate {
    let formulas = vec![
        Formula::Now(global(0)),
        Formula::Not(0),
        Formula::Entry(global(0)),
        Formula::Not(2),
        Formula::Ite(0, 2, 3),
        Formula::Not(4),
    ];
    certificate(machine, Direction::Forward, formulas, |node| {
        let procedure = machine.procedure_of(node).0;
        let is_entry = machine.procedures.iter().any(|p| p.entry == node);
        match (procedure, is_entry) {
            (0, true) => Some((1, None)),
            (0, false) if is_failure(machine, node) => None,
            (0, false) => Some((0, None)),
            (_, true) => Some((4, None)),
            (_, false) => Some((5, None)),
        }
    })
}

/// The assertion fails where g = 0, so g = 0 is demanded of `flip`, which gives it from g = 1.
fn backward_flip(machine: &Machine) -> Certificate {
    let formulas = vec![
        Formula::Constant(false),
        Formula::Constant(true),
        Formula::Now(global(0)),
        Formula::Not(2),
        Formula::Exit(global(0)),
        Formula::Not(4),
        Formula::And(vec![2, 5]),
        Formula::And(vec![3, 5]),
    ];
    certificate(machine, Direction::Backward, formulas, |node| {
        let procedure = machine.procedure_of(node).0;
        let is_entry = machine.procedures.iter().any(|p| p.entry == node);
        match (procedure, is_entry) {
            (0, true) => Some((2, None)),
            (0, false) if is_failure(machine, node) => Some((1, None)),
            (0, false) if node == exit_of(machine, 0) => None,
            (0, false) => Some((3, None)),
            (_, true) => Some((0, Some(6))),
            (_, false) => Some((0, Some(7))),
        }
    })
}

#[test]
fn good_certificates_are_accepted_in_both_directions() {
    let machine = machine(FLIP);
    let forward = validate(&machine, &forward_flip(&machine)).expect("it is inductive");
    // One initial state, one target, four edges of which one is a call with two conditions.
    assert_eq!(forward.obligations, 7);
    let backward = validate(&machine, &backward_flip(&machine)).expect("it is inductive");
    assert!(backward.obligations > 7);
}

fn check_rejected(machine: &Machine, certificate: &Certificate, expected: &Expect) {
    let rejected = validate(machine, certificate).expect_err("it is wrong");
    assert!(matches!(rejected, Rejected::Broken(_)));
    // A sentence per line keeps the expected text in one place of the macro.
    expected.assert_eq(
        &format!("{rejected}\n")
            .replace(": ", ":\n")
            .replace("; ", ";\n"),
    );
}

/// Replaces the relation of a node.
fn with_relation(certificate: &Certificate, node: NodeId, relation: u32) -> Certificate {
    let mut changed = certificate.clone();
    let entry = changed.nodes.iter_mut().find(|entry| entry.node == node);
    entry.expect("the node is listed").relation = relation;
    changed
}

#[test]
fn every_forward_condition_can_fail_and_shows_a_state() {
    let machine = machine(FLIP);
    let good = forward_flip(&machine);
    let [main, flip] = [0, 1].map(|p| &machine.procedures[p]);
    let initial = with_relation(&good, main.entry, 0);
    check_rejected(
        &machine,
        &initial,
        &expect![[r#"
        procedure main, line 3 (node 0):
        an initial state is not in the relation at the entry:
        now g=0
    "#]],
    );
    let summary = with_relation(&good, flip.exit, 4);
    check_rejected(
        &machine,
        &summary,
        &expect![[r#"
        procedure main, line 3 (node 0, edge 0 to line 4, a call of flip):
        the callee's summary leads out of the relation after the call:
        now g=0;
        the callee is entered with g=0;
        the callee ends with g=0;
        after the return g=0
    "#]],
    );
    let call = with_relation(&good, flip.entry, 0);
    check_rejected(
        &machine,
        &call,
        &expect![[r#"
        procedure main, line 3 (node 0, edge 0 to line 4, a call of flip):
        a call makes a state that is not in the callee's entry relation:
        now g=0;
        the callee is entered with g=0
    "#]],
    );
    let step = with_relation(&good, main.exit, 1);
    check_rejected(
        &machine,
        &step,
        &expect![[r#"
        procedure main, line 4 (node 1, edge 1 to line 5):
        a step leads out of the relation:
        now g=1;
        then g=1
    "#]],
    );
    let mut target = good.clone();
    target.formulas.push(Formula::Constant(true));
    target.nodes.clear();
    let everywhere = machine.node_ids();
    let nodes =
        everywhere.map(|node| hardbop_evidence::certificate::NodeRelation::new(&machine, node, 6));
    target.nodes.extend(nodes);
    check_rejected(
        &machine,
        &target,
        &expect![[r#"
        procedure main, line 4 (node 2):
        the relation at a target is not empty;
        any state shows it
    "#]],
    );
}

#[test]
fn backward_conditions_that_fail_show_a_state() {
    let machine = machine(FLIP);
    let good = backward_flip(&machine);
    let [main, flip] = [0, 1].map(|p| &machine.procedures[p]);
    let node = |node| good.nodes.iter().position(|entry| entry.node == node);
    let initial = with_relation(&good, main.entry, 3);
    check_rejected(
        &machine,
        &initial,
        &expect![[r#"
        procedure main, line 3 (node 0):
        an initial state is bad:
        now g=0
    "#]],
    );
    let assertion = NodeId(main.entry.0 + 1);
    let step = with_relation(&good, assertion, 0);
    check_rejected(
        &machine,
        &step,
        &expect![[r#"
        procedure main, line 4 (node 1, edge 2 to line 4):
        a step leads to a bad state from one that is not marked as bad:
        now g=0
    "#]],
    );
    let call = with_relation(&good, main.entry, 0);
    check_rejected(
        &machine,
        &call,
        &expect![[r#"
        procedure main, line 3 (node 0, edge 0 to line 4, a call of flip):
        a call and a demanded exit of the callee lead to a bad state from one that is not marked as bad:
        now g=1;
        the callee is entered with g=1;
        the callee ends with g=0;
        after the return g=0
    "#]],
    );
    let target = with_relation(&good, machine.assertions[0].failure, 2);
    check_rejected(
        &machine,
        &target,
        &expect![[r#"
        procedure main, line 4 (node 2):
        a target has a state that is not marked as bad:
        now g=0
    "#]],
    );
    let bad_callee = with_relation(&good, flip.entry, 3);
    check_rejected(
        &machine,
        &bad_callee,
        &expect![[r#"
        procedure main, line 3 (node 0, edge 0 to line 4, a call of flip):
        a call makes a bad state of the callee from one that is not marked as bad:
        now g=0;
        the callee is entered with g=0
    "#]],
    );
    let mut undemanded = good.clone();
    undemanded.nodes[node(flip.exit).expect("listed")].to_exit = None;
    check_rejected(
        &machine,
        &undemanded,
        &expect![[r#"
        procedure main, line 3 (node 0, edge 0 to line 4, a call of flip):
        the callee can end in a state that leads to a bad one and is not demanded:
        now g=0;
        the callee ends with g=0;
        after the return g=0
    "#]],
    );
    let mut not_through = good.clone();
    not_through.nodes[node(flip.entry).expect("listed")].to_exit = None;
    check_rejected(
        &machine,
        &not_through,
        &expect![[r#"
        procedure flip, line 7 (node 4, edge 3 to line 8):
        a step leads to a demanded exit that its start is not related to:
        now g=1;
        then g=0;
        at the exit g=0
    "#]],
    );
}

#[test]
fn parameters_results_and_choices_are_named_in_a_witness() {
    let machine = machine(
        "decl int<3> n;
void main() begin
  decl x;
  x := same(*);
  n := n + 1;
  assert(x);
end
bool same(a) begin
  return a;
end
",
    );
    // Everything is reached with anything, except that `same` returns its parameter and the
    // assertion holds.
    let formulas = vec![
        Formula::Constant(true),
        Formula::Now(local(1)),
        Formula::Entry(local(0)),
        Formula::Not(2),
        Formula::Ite(1, 2, 3),
        Formula::Now(local(0)),
    ];
    let wrong = certificate(&machine, Direction::Forward, formulas, |node| {
        let main = &machine.procedures[0];
        if is_failure(&machine, node) {
            None
        } else if node == exit_of(&machine, 1) {
            Some((4, None))
        } else if node == main.entry || machine.procedure_of(node).0 == 1 {
            Some((0, None))
        } else {
            Some((5, None))
        }
    });
    check_rejected(
        &machine,
        &wrong,
        &expect![[r#"
        procedure main, line 4 (node 0, edge 0 to line 5, a call of same):
        the callee's summary leads out of the relation after the call:
        choosing *1=0;
        the callee is entered with a=0;
        the callee ends with return=0;
        after the return x=0
    "#]],
    );
}

#[test]
fn a_call_keeps_the_globals_that_the_callee_never_modifies() {
    let text = |body: &str| {
        format!(
            "decl g, h;
void main() begin
  assume(h);
  flip();
  assert(h);
end
void flip() begin
  {body}
end
"
        )
    };
    // Nothing is said about `flip`: in particular not that it keeps h.
    let forward = |machine: &Machine| {
        let formulas = vec![Formula::Constant(true), Formula::Now(global(1))];
        certificate(machine, Direction::Forward, formulas, |node| {
            let is_after = node > machine.procedures[0].entry;
            let relation = u32::from(machine.procedure_of(node).0 == 0 && is_after);
            (!is_failure(machine, node)).then_some((relation, None))
        })
    };
    let backward = |machine: &Machine| {
        let formulas = vec![
            Formula::Constant(false),
            Formula::Constant(true),
            Formula::Now(global(1)),
            Formula::Not(2),
        ];
        certificate(machine, Direction::Backward, formulas, |node| {
            let main = &machine.procedures[0];
            if is_failure(machine, node) {
                Some((1, None))
            } else if machine.procedure_of(node).0 == 1 {
                Some((0, Some(1)))
            } else {
                (node != main.entry && node != main.exit).then_some((3, None))
            }
        })
    };
    let keeps = machine(&text("g := !g;"));
    let writes = machine(&text("g, h := !g, h;"));
    for make in [&forward as &dyn Fn(&Machine) -> Certificate, &backward] {
        validate(&keeps, &make(&keeps)).expect("h cannot change");
        let rejected = validate(&writes, &make(&writes));
        assert!(matches!(rejected, Err(Rejected::Broken(_))), "{rejected:?}");
    }
}

#[test]
fn programs_with_threads_are_not_supported() {
    let machine = machine("decl g; thread a(2) begin void main() begin assert(g); end end");
    let nothing = certificate(&machine, Direction::Forward, Vec::new(), |_| None);
    let rejected = validate(&machine, &nothing).expect_err("two threads");
    expect!["certificates for programs with threads or an `init` procedure are not supported"]
        .assert_eq(&rejected.to_string());
}

/// A number of instances that is 0 in 32 bits does not make a program sequential.
#[test]
fn threads_do_not_disappear_by_overflow() {
    let machine = machine("decl g; thread a(2) begin void main() begin assert(g); end end");
    let machine = machine.changed(|parts| {
        parts.threads.push(parts.threads[0].clone());
        parts.threads[0].instances = u32::MAX;
        parts.threads[1].instances = 1;
    });
    assert_eq!(machine.instance_count(), 1 << 32);
    assert!(!machine.is_sequential());
    for direction in [Direction::Forward, Direction::Interleaved] {
        let nothing = certificate(&machine, direction, Vec::new(), |_| None);
        let rejected = validate(&machine, &nothing).expect_err("so many threads");
        assert!(
            matches!(rejected, Rejected::Unsupported { .. }),
            "{rejected}"
        );
    }
}

/// Says after some questions that memory has run out, and counts them.
struct OverAfter {
    limit: u32,
    asked: AtomicU32,
}

impl Interrupt for OverAfter {
    fn check(&self) -> Option<Limit> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        (asked >= self.limit).then_some(Limit::Memory)
    }
}

/// Wherever the interrupt says so, the answer is the limit that it names, and every condition asks.
#[test]
fn an_interrupt_leaves_the_question_open() {
    let two_threads =
        machine("decl g := 1; thread a(2) begin void main() begin assert(g); end end");
    let flip = machine(FLIP);
    let always = vec![Formula::Constant(true)];
    let mut interleaved = certificate(&two_threads, Direction::Interleaved, always, |_| None);
    interleaved.targets.clear();
    for thread in 0..2 {
        let turn = Turn {
            thread,
            started: 2,
            atomic: Vec::new(),
        };
        interleaved.turns.push(TurnRelation { turn, relation: 0 });
    }
    let certificates = [
        (&flip, forward_flip(&flip)),
        (&flip, backward_flip(&flip)),
        (&two_threads, interleaved),
    ];
    for (machine, certificate) in certificates {
        let accepted = validate(machine, &certificate).expect("it is inductive");
        for limit in 0.. {
            let over = OverAfter {
                limit,
                asked: AtomicU32::new(0),
            };
            match crate::validate(machine, &certificate, &over) {
                Ok(_) => {
                    assert!(u64::from(over.asked.into_inner()) >= accepted.obligations);
                    break;
                }
                stopped => assert_eq!(stopped, Err(Rejected::Interrupted(Limit::Memory))),
            }
        }
    }
}
