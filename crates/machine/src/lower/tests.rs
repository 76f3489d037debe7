//! What each statement becomes. The listings have one line per edge: node, what it does, where it
//! leads.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use crate::from_text;
use crate::ids::NodeId;
use crate::ir::{Action, NodeKind, Storage, ThreadStart};
use crate::machine::Machine;
use crate::text::edge_text;
use expect_test::{Expect, expect};
use std::fmt::Write;

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn listing(machine: &Machine) -> String {
    let mut text = String::new();
    for procedure in &machine.procedures {
        let first = procedure.nodes.start;
        let place = |node: NodeId| node.0 - first;
        writeln!(text, "{} from {}", procedure.name, place(procedure.entry)).unwrap();
        for node in procedure.node_ids() {
            let kind = match machine.node(node).kind {
                NodeKind::Statement => "",
                NodeKind::Internal => " (internal)",
                NodeKind::Exit => " (exit)",
                NodeKind::Failure => " (failure)",
                NodeKind::OutOfRange => " (out of range)",
            };
            let line = machine.line_of(node);
            writeln!(text, "  {}{kind} line {line}", place(node)).unwrap();
            for id in machine.edges_from(node) {
                let edge = machine.edge(id);
                let what = edge_text(machine, id);
                writeln!(text, "    {what} -> {}", place(edge.to)).unwrap();
            }
        }
    }
    text
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&listing(&machine(text)));
}

#[test]
fn branches_and_loops_take_one_step_per_condition() {
    check(
        "decl a, b;
         void main() begin
           if (a) then
             skip;
           elsif (b) then
             a := b;
           else
             while (*) do
               b := !b;
             od
           fi
         end",
        &expect![[r#"
            main from 0
              0 line 3
                assume(a) -> 1
                assume(!a) -> 2
              1 line 4
                skip -> 6
              2 line 5
                assume(b) -> 3
                assume(!b) -> 4
              3 line 6
                a := b -> 6
              4 line 8
                skip -> 5
                skip -> 6
              5 line 9
                b := !b -> 4
              6 (exit) line 12
        "#]],
    );
}

#[test]
fn assertions_have_a_failure_right_behind_them() {
    check(
        "decl a;
         void main() begin
           assert(a);
           assume(a);
           abortif a;
           assert(*);
         end",
        &expect![[r#"
            main from 0
              0 line 3
                assume(a) -> 2
                assume(!a) -> 1
              1 (failure) line 3
              2 line 4
                assume(a) -> 3
              3 line 5
                assume(!a) -> 4
              4 line 6
                skip -> 6
                skip -> 5
              5 (failure) line 6
              6 (exit) line 7
        "#]],
    );
}

#[test]
fn calls_return_and_results() {
    check(
        "decl g;
         bool<2> f(x, int<3> k) begin
           if (k > 2) then return x, !x; fi
         end
         void main() begin
           decl y := g;
           y, _ := f(*, 5);
           f(g, 1);
           return;
         end",
        &expect![[r#"
            f from 0
              0 line 3
                assume(2 < k) -> 1
                assume(!(2 < k)) -> 2
              1 line 3
                return x, !x -> 3
              2 (internal) line 4
                return *, * -> 3
              3 (exit) line 4
            main from 0
              0 (internal) line 6
                y := g -> 1
              1 line 7
                y, _ := call f(*, 5) -> 2
              2 line 8
                call f(g, 1) -> 3
              3 line 9
                return -> 4
              4 (exit) line 10
        "#]],
    );
}

#[test]
fn labels_before_the_end_of_a_block_get_a_node() {
    check(
        "void main() begin
           goto L, M;
           if (*) then
             skip;
             L:
           fi
           M:
         end",
        &expect![[r#"
            main from 0
              0 line 2
                skip -> 3
                skip -> 4
              1 line 3
                skip -> 2
                skip -> 4
              2 line 4
                skip -> 3
              3 line 5
                skip -> 4
              4 line 7
                skip -> 5
              5 (exit) line 8
        "#]],
    );
}

#[test]
fn enforce_holds_before_and_after_every_step() {
    check(
        "decl a, b;
         void f() begin
           enforce a & !b;
           a, b := *, *;
           f();
           skip;
         end
         void main() begin
           f();
         end",
        &expect![[r#"
            f from 0
              0 (internal) line 3
                assume(a & !b) -> 1
              1 line 4
                assume(a & !b); a, b := *, * constrain 'a & !'b -> 2
              2 line 5
                assume(a & !b); call f() -> 3
              3 (internal) line 5
                assume(a & !b) -> 4
              4 line 6
                assume(a & !b) -> 5
              5 (exit) line 7
            main from 0
              0 line 9
                call f() -> 1
              1 (exit) line 10
        "#]],
    );
}

#[test]
fn choices_and_constrain() {
    check(
        "decl a, b;
         decl int<2> n;
         void main() begin
           a := schoose[a, b];
           a, _ := * , b constrain 'a != a;
           _ := b;
           dead b, n;
           n := a ? n + 1 : *;
           print(a <-> b, n >= 2);
         end",
        &expect![[r#"
            main from 0
              0 line 4
                a := a | !b & * -> 1
              1 line 5
                a := * constrain 'a != a -> 2
              2 line 6
                skip -> 3
              3 line 7
                b, n := *, * -> 4
              4 line 8
                n := a ? n + 1 : * -> 5
              5 line 9
                print(a = b, 2 <= n) -> 6
              6 (exit) line 10
        "#]],
    );
}

#[test]
fn a_node_at_the_end_is_made_only_if_something_leads_there() {
    let machine = machine("bool main() begin return T; end");
    let kinds: Vec<_> = machine.nodes.iter().map(|node| node.kind).collect();
    assert_eq!(kinds, [NodeKind::Statement, NodeKind::Exit]);
}

#[test]
fn an_empty_body_goes_straight_to_the_exit() {
    let machine = machine("void main() begin end");
    let main = &machine.procedures[0];
    assert_eq!(main.entry, main.exit);
    assert!(machine.edges.is_empty());
}

#[test]
fn every_choice_is_an_input_of_its_own_and_both_ways_have_their_own() {
    let machine = machine("decl a, b; void main() begin if (a & * | b & *) then skip; fi end");
    let entry = machine.procedures[0].entry;
    let inputs: Vec<usize> = machine
        .edges_from(entry)
        .map(|edge| machine.edge(edge).inputs.len())
        .collect();
    assert_eq!(inputs, [2, 2]);
}

#[test]
fn threads_start_by_async_labels_and_by_start_thread() {
    let machine = machine(
        "void t(x) begin end_thread; end
         void main() begin
           ASYNC_1: t(T);
           start_thread goto L;
           atomic_begin;
           L: skip;
           atomic_end;
         end",
    );
    let actions: Vec<&Action> = machine.edges.iter().map(|edge| &edge.action).collect();
    assert_eq!(actions[0], &Action::EndThread);
    assert!(matches!(
        actions[1],
        Action::StartThread(ThreadStart::Procedure { callee, arguments })
            if callee.0 == 0 && arguments.len() == 1
    ));
    let label = machine
        .labels
        .iter()
        .find(|label| label.name == "L")
        .unwrap();
    assert_eq!(
        actions[2],
        &Action::StartThread(ThreadStart::Node(label.node))
    );
    assert_eq!(actions[3], &Action::AtomicBegin);
    assert_eq!(actions[5], &Action::AtomicEnd);
}

#[test]
fn thread_blocks_have_variables_per_thread_and_qualified_names() {
    let machine = machine(
        "decl shared := 1;
         thread adder(2) begin
           decl mine;
           void main() begin mine := shared; end
         end",
    );
    assert_eq!(machine.globals[0].storage, Storage::Shared);
    assert_eq!(machine.globals[0].initial, Some(1));
    assert_eq!(machine.globals[1].storage, Storage::PerThread);
    assert_eq!(machine.procedures[0].name, "adder.main");
    assert_eq!(machine.threads[0].instances, 2);
}

#[test]
fn guarded_blocks_are_one_procedure() {
    let text = "var x, y;\nA: x := true; goto B;\nB: assert x; x := x & y; goto B or C;\nC:\n";
    let machine = from_text("leino.gp", text).unwrap_or_else(|d| panic!("{d:#?}"));
    expect![[r#"
        main from 0
          0 line 2
            x := 1 -> 1
          1 line 2
            skip -> 2
          2 line 3
            assume(x) -> 4
            assume(!x) -> 3
          3 (failure) line 3
          4 line 3
            x := x & y -> 5
          5 line 3
            skip -> 2
            skip -> 6
          6 line 4
            return -> 7
          7 (exit) line 4
    "#]]
    .assert_eq(&listing(&machine));
}

#[test]
fn deep_nesting_is_lowered_without_recursion() {
    let depth = 100_000;
    let mut text = String::from("decl a; void main() begin ");
    text.push_str(&"if (a) then while (a) do ".repeat(depth));
    text.push_str("a := ");
    text.push_str(&"!(".repeat(depth));
    text.push('a');
    text.push_str(&")".repeat(depth));
    text.push(';');
    text.push_str(&" od fi".repeat(depth));
    text.push_str(" end");
    let machine = machine(&text);
    assert_eq!(machine.nodes.len(), 2 * depth + 2);
}

#[test]
fn nodes_are_in_order_of_the_text_and_edges_in_order_of_nodes() {
    let machine = machine(
        "decl a;
         void main() begin
           while (a) do
             if (*) then assert(a); else goto L; fi
           od
           L: a := *;
         end",
    );
    let starts: Vec<u32> = machine.nodes.iter().map(|node| node.span.start).collect();
    assert!(starts.is_sorted());
    assert!(machine.edges.is_sorted_by_key(|edge| edge.from));
    for node in machine.node_ids() {
        assert!(
            machine
                .edges_from(node)
                .all(|e| machine.edge(e).from == node)
        );
    }
}
