//! Large machines and deep formulas are no problem.

use super::{certificate, global, is_failure, machine, validate};
use hardbop_evidence::certificate::{Direction, Formula};

/// `main` calls a chain of procedures, each with a loop; `g` stays true.
fn chain(length: usize) -> String {
    let mut text = "decl g := 1;\ndecl h;\nvoid main() begin p0(*); assert(g); end\n".to_owned();
    for level in 0..length {
        let call = if level + 1 < length {
            format!("p{}(!b);", level + 1)
        } else {
            "skip;".to_owned()
        };
        let body = format!(
            "void p{level}(a) begin
  decl b;
  b := a & *;
  while (b) do
    g, b := g | b, *;
  od
  if (a) then h := !h; else h := g; fi
  {call}
  g := g | h;
end
"
        );
        text.push_str(&body);
    }
    text
}

#[test]
fn tens_of_thousands_of_edges_are_checked() {
    let machine = machine(&chain(4_000));
    assert!(machine.edges.len() > 40_000);
    let formulas = vec![
        Formula::Constant(false),
        Formula::Constant(true),
        Formula::Now(global(0)),
        Formula::Not(2),
        Formula::Exit(global(0)),
        Formula::Not(4),
        Formula::And(vec![3, 5]),
    ];
    let forward = certificate(&machine, Direction::Forward, formulas.clone(), |node| {
        (!is_failure(&machine, node)).then_some((2, None))
    });
    let accepted = validate(&machine, &forward).expect("g stays true");
    assert!(accepted.obligations as usize > machine.edges.len());
    // Backward: only where g is false now can it be false later.
    let backward = certificate(&machine, Direction::Backward, formulas, |node| {
        if is_failure(&machine, node) {
            Some((1, None))
        } else if machine.procedure_of(node).0 == 0 {
            (node != machine.procedures[0].exit).then_some((3, None))
        } else {
            Some((0, Some(6)))
        }
    });
    let accepted = validate(&machine, &backward).expect("g stays true");
    assert!(accepted.obligations as usize > machine.edges.len());
}

#[test]
fn a_deep_formula_does_not_overflow_the_stack() {
    let machine = machine("decl g := 1;\nvoid main() begin g := g; assert(g); end\n");
    let mut formulas = vec![Formula::Now(global(0))];
    for depth in 0..300_000 {
        let mixed = if depth % 2 == 0 {
            Formula::Not(depth)
        } else {
            Formula::And(vec![depth, depth])
        };
        formulas.push(mixed);
    }
    let root = formulas.len() as u32 - 1;
    let deep = certificate(&machine, Direction::Forward, formulas, |node| {
        (!is_failure(&machine, node)).then_some((root, None))
    });
    validate(&machine, &deep).expect("an even number of negations");
}
