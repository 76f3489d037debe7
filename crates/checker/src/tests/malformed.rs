//! What is not a certificate of the machine is turned away with a reason, and never with a panic.

use super::{certificate, global, local, machine, validate};
use expect_test::{Expect, expect};
use hardbop_evidence::certificate::{Bit, Direction, Formula};
use hardbop_evidence::{Certificate, Target, TargetKind};
use hardbop_machine::{NodeId, ProcId};

const PROGRAM: &str = "decl g;
bool main(a) begin
  decl b;
  L: assert(true);
  return a;
end
";

/// A good certificate is changed; what is said about it?
fn check(direction: Direction, change: impl Fn(&mut Certificate), expected: &Expect) {
    let machine = machine(PROGRAM);
    let formulas = vec![Formula::Constant(direction == Direction::Forward)];
    let failure = machine.assertions[0].failure;
    let mut changed = certificate(&machine, direction, formulas, |node| {
        (node != failure).then_some((0, None))
    });
    if direction == Direction::Backward {
        changed.targets.clear();
    }
    validate(&machine, &changed).expect("it was good before the change");
    change(&mut changed);
    let rejected = validate(&machine, &changed).expect_err("the change made it bad");
    // A sentence per line keeps the expected text in one place of the macro.
    expected.assert_eq(
        &format!("{rejected}\n")
            .replace(": ", ":\n")
            .replace("; ", ";\n"),
    );
}

/// Uses a formula at the first node.
fn used(formula: Formula) -> impl Fn(&mut Certificate) {
    move |certificate| {
        certificate.formulas.push(formula.clone());
        certificate.nodes[0].relation = certificate.formulas.len() as u32 - 1;
    }
}

/// Uses a formula as `to_exit` of the first node.
fn used_to_exit(formula: Formula) -> impl Fn(&mut Certificate) {
    move |certificate| {
        certificate.formulas.push(formula.clone());
        certificate.nodes[0].to_exit = Some(certificate.formulas.len() as u32 - 1);
    }
}

#[test]
fn other_versions_and_programs_are_refused() {
    check(
        Direction::Forward,
        |c| c.version = 7,
        &expect![[r#"
        the certificate is malformed:
        it has version 7, but only version 1 is known
    "#]],
    );
    check(
        Direction::Forward,
        |c| c.program = "0123456789abcdef".to_owned(),
        &expect![[r#"
            the certificate is malformed:
            it is for another program (0123456789abcdef, and this one is 8ed06acece27829b)
        "#]],
    );
}

#[test]
fn targets_must_be_what_they_are_called() {
    let machine = machine(PROGRAM);
    let assertion = Target::assertions(&machine).remove(0);
    let label = Target::labels(&machine, "L").remove(0);
    let statement = Target::on_line(&machine, 4).remove(0);
    let check = |target: Target, expected: &Expect| {
        let change = |certificate: &mut Certificate| certificate.targets = vec![target.clone()];
        check(Direction::Forward, change, expected);
    };
    let at = |node| Target {
        node: NodeId(node),
        ..assertion.clone()
    };
    check(
        at(99),
        &expect![[r#"
        the certificate is malformed:
        a target is node 99, which does not exist
    "#]],
    );
    check(
        at(0),
        &expect![[r#"
        the certificate is malformed:
        node 0 is not what it is called, 4:6 main:
        assert(true)
    "#]],
    );
    let kind = TargetKind::Label {
        label: "M".to_owned(),
    };
    check(
        Target { kind, ..label },
        &expect![[r#"
        the certificate is malformed:
        node 0 is not what it is called, 4:6 main:
        label M
    "#]],
    );
    let moved = Target {
        line: 77,
        ..statement
    };
    check(
        moved,
        &expect![[r#"
        the certificate is malformed:
        node 0 is not what it is called, 77:6 main:
        statement assert(true)
    "#]],
    );
    let renamed = Target {
        text: "assert(false)".to_owned(),
        ..assertion.clone()
    };
    check(
        renamed,
        &expect![[r#"
        the certificate is malformed:
        node 1 is not what it is called, 4:6 main:
        assert(false)
    "#]],
    );
}

#[test]
fn indices_must_exist() {
    let forward = Direction::Forward;
    check(
        forward,
        used(Formula::Not(1)),
        &expect![[r#"
        the certificate is malformed:
        formula 1 has an operand that does not come before it
    "#]],
    );
    check(
        forward,
        used(Formula::And(vec![0, 9])),
        &expect![[r#"
        the certificate is malformed:
        formula 1 has an operand that does not come before it
    "#]],
    );
    check(
        forward,
        used(Formula::Or(vec![u32::MAX])),
        &expect![[r#"
        the certificate is malformed:
        formula 1 has an operand that does not come before it
    "#]],
    );
    check(
        forward,
        used(Formula::Ite(0, 0, 1)),
        &expect![[r#"
        the certificate is malformed:
        formula 1 has an operand that does not come before it
    "#]],
    );
    check(
        forward,
        |c| c.nodes[1].relation = 5,
        &expect![[r#"
        the certificate is malformed:
        node 2 names formula 5, which does not exist
    "#]],
    );
    check(
        forward,
        |c| c.nodes[1].node = NodeId(u32::MAX),
        &expect![[r#"
            the certificate is malformed:
            it lists node 4294967295, which does not exist
        "#]],
    );
    check(
        forward,
        |c| c.nodes[1].procedure = ProcId(3),
        &expect![[r#"
            the certificate is malformed:
            node 2 belongs to procedure 0, not to 3
        "#]],
    );
}

#[test]
fn nodes_are_listed_once_and_in_order() {
    let twice = |c: &mut Certificate| c.nodes[1] = c.nodes[0].clone();
    check(
        Direction::Forward,
        twice,
        &expect![[r#"
        the certificate is malformed:
        it lists node 0 twice
    "#]],
    );
    check(
        Direction::Forward,
        |c| c.nodes.swap(0, 1),
        &expect![[r#"
        the certificate is malformed:
        node 0 is listed out of order
    "#]],
    );
}

#[test]
fn formulas_name_only_bits_that_exist() {
    let forward = Direction::Forward;
    check(
        forward,
        used(Formula::Now(global(1))),
        &expect![[r#"
        the certificate is malformed:
        formula 1, used at node 0 of procedure main, names global 1, which does not exist
    "#]],
    );
    check(
        forward,
        used(Formula::Entry(local(3))),
        &expect![[r#"
        the certificate is malformed:
        formula 1, used at node 0 of procedure main, names local 3, which does not exist
    "#]],
    );
    let high = Bit {
        bit: 1,
        ..global(0)
    };
    check(
        forward,
        used(Formula::Now(high)),
        &expect![[r#"
        the certificate is malformed:
        formula 1, used at node 0 of procedure main, names bit 1 of g, whose width is 1
    "#]],
    );
}

#[test]
fn formulas_speak_only_of_moments_that_make_sense() {
    let (forward, backward) = (Direction::Forward, Direction::Backward);
    check(
        forward,
        used(Formula::Exit(global(0))),
        &expect![[r#"
        the certificate is malformed:
        formula 1, used at node 0 of procedure main, speaks of the exit, which only `to_exit` does
    "#]],
    );
    check(
        forward,
        |c| c.nodes[0].to_exit = Some(0),
        &expect![[r#"
        the certificate is malformed:
        node 0 has a `to_exit`, which only backward certificates have
    "#]],
    );
    check(
        backward,
        used(Formula::Entry(global(0))),
        &expect![[r#"
        the certificate is malformed:
        formula 1, used at node 0 of procedure main, speaks of the entry, which only forward relations do
    "#]],
    );
    check(
        backward,
        used(Formula::Exit(global(0))),
        &expect![[r#"
        the certificate is malformed:
        formula 1, used at node 0 of procedure main, speaks of the exit, which only `to_exit` does
    "#]],
    );
    check(
        backward,
        used_to_exit(Formula::Entry(global(0))),
        &expect![[r#"
            the certificate is malformed:
            formula 1, used at node 0 of procedure main, speaks of the entry, which only forward relations do
        "#]],
    );
    check(
        backward,
        used_to_exit(Formula::Exit(local(0))),
        &expect![[r#"
            the certificate is malformed:
            formula 1, used at node 0 of procedure main, names a at the exit, which is neither a global nor a result
        "#]],
    );
}
