//! What the closure shares, makes explicit and puts off.

use super::*;
use hardbop_machine::{Machine, from_text};

fn machine(text: &str) -> Machine {
    from_text("t.bp", text).unwrap()
}

/// The closure for all assertions, completed up to a depth of recursion.
fn closure(machine: &Machine, depth: u32) -> Closure<'_, '_> {
    let mut targets: Vec<NodeId> = machine.assertions.iter().map(|a| a.failure).collect();
    targets.sort_unstable();
    let blocks = Blocks::new(machine, &targets);
    let manager = Manager::new(1 << 16);
    let mut closure = Closure::new(blocks, manager, Split::Auto, 300, depth).unwrap();
    complete(&mut closure);
    closure
}

fn complete(closure: &mut Closure<'_, '_>) {
    while let Some(id) = closure.pending.pop_front() {
        closure.expand(id).unwrap();
    }
}

fn instances(closure: &Closure<'_, '_>) -> impl Iterator<Item = InstanceId> + use<> {
    (0..closure.terms.instance_count() as u32).map(InstanceId)
}

fn instances_of(closure: &Closure<'_, '_>, name: &str) -> usize {
    let procedures = instances(closure);
    let procedures = procedures.map(|id| closure.terms.instance(id).procedure);
    procedures
        .filter(|&p| closure.blocks.machine.procedure(p).name == name)
        .count()
}

#[test]
fn calls_share_an_instance_unless_they_differ_in_what_the_callee_touches() {
    let machine = machine(
        "decl g, h; void main() begin g, h := 0, 0; f(); h := 1; f(); g := 1; f(); assert(g & h); end
         void f() begin if (g) then skip; fi end",
    );
    let closure = closure(&machine, 1);
    assert_eq!(instances_of(&closure, "f"), 2);
    // What passes around the calls is there after them.
    let assertion = machine.assertions[0].failure;
    assert!(
        closure
            .terms
            .ids()
            .all(|id| closure.terms.get(id).node != assertion)
    );
}

#[test]
fn a_choice_that_only_decides_a_branch_is_no_symbol() {
    let branch = "decl g; void main() begin g := 0; if (*) then g := 1; fi assert(!g); end";
    let machine_ = machine(branch);
    assert_eq!(closure(&machine_, 1).symbols.len(), 0);
    let flow = "decl g; void main() begin g := *; if (g) then skip; fi assert(!g); end";
    let machine_ = machine(flow);
    assert_eq!(closure(&machine_, 1).symbols.len(), 1);
}

#[test]
fn a_choice_in_a_procedure_that_runs_twice_is_made_explicit() {
    let machine = machine(
        "decl g; void main() begin f(); f(); assert(!g); end void f() begin g := *; if (g) then skip; fi end",
    );
    let closure = closure(&machine, 1);
    assert_eq!(closure.symbols.len(), 0);
    let exits = instances(&closure);
    let exits = exits.map(|id| closure.terms.instance(id).exits.len()).max();
    assert_eq!(exits, Some(2));
}

#[test]
fn recursion_with_new_arguments_waits_for_the_bound() {
    let machine = machine(
        "decl bad := 0; void main() begin f(9); assert(!bad); end
         void f(int<4> n) begin if (n > 0) then f(n - 1); else bad := 1; fi end",
    );
    let mut closure = closure(&machine, 2);
    assert_eq!(closure.postponed.len(), 1);
    assert_eq!(instances_of(&closure, "f"), 4);
    closure.deepen(20);
    complete(&mut closure);
    assert!(closure.postponed.is_empty());
    assert_eq!(instances_of(&closure, "f"), 10);
}
