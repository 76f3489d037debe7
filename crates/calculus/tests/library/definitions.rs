//! Reaching definitions as formulas agree with a walk over stacks of places.

use crate::support::{codes, problem};
use hardbop_calculus::Algorithm;
use hardbop_machine::analysis::variables::each_write;
use hardbop_machine::{Action, EdgeId, Machine, NodeId, Variable, from_text};
use hardbop_testkit::{Knobs, generate};
use std::collections::BTreeSet;

/// The stack, with the place where the variable was last written; per frame for a local.
type Stack = Vec<(NodeId, Option<NodeId>)>;

/// Deeper stacks are not walked.
const DEEPEST: usize = 5;

struct Walk<'m> {
    machine: &'m Machine,
    variable: Variable,
    /// The procedure whose local it is.
    owner: Option<hardbop_machine::ProcId>,
    found: BTreeSet<(NodeId, NodeId)>,
    is_cut: bool,
}

impl Walk<'_> {
    fn run(&mut self) {
        let start = self.machine.procedure(self.machine.threads[0].entry).entry;
        let mut pending: Vec<Stack> = vec![vec![(start, None)]];
        let mut seen: BTreeSet<Stack> = pending.iter().cloned().collect();
        while let Some(stack) = pending.pop() {
            let &(node, last) = stack.last().expect("a stack has a frame");
            if let Some(definition) = last {
                self.found.insert((node, definition));
            }
            for next in self.steps(&stack) {
                if seen.insert(next.clone()) {
                    pending.push(next);
                }
            }
        }
    }

    fn steps(&mut self, stack: &Stack) -> Vec<Stack> {
        let machine = self.machine;
        let &(node, last) = stack.last().expect("a stack has a frame");
        let mut all = Vec::new();
        for id in machine.edges_from(node) {
            let edge = machine.edge(id);
            let mut next = stack.clone();
            match edge.action {
                Action::EndThread => continue,
                Action::Call { callee, .. } => {
                    if stack.len() == DEEPEST {
                        self.is_cut = true;
                        continue;
                    }
                    let entry = machine.procedure(callee).entry;
                    let carried = last.filter(|_| self.owner.is_none());
                    next.push((entry, carried));
                }
                _ => {
                    let top = next.last_mut().expect("a stack has a frame");
                    *top = (edge.to, self.after(id, last));
                }
            }
            all.push(next);
        }
        let procedure = machine.procedure_of(node);
        if machine.procedure(procedure).exit == node && stack.len() > 1 {
            let caller = stack[stack.len() - 2];
            for id in machine.edges_from(caller.0) {
                let edge = machine.edge(id);
                if matches!(edge.action, Action::Call { callee, .. } if callee == procedure) {
                    let carried = if self.owner.is_none() { last } else { caller.1 };
                    let mut next = stack.clone();
                    next.pop();
                    let top = next.last_mut().expect("the caller is there");
                    *top = (edge.to, self.after(id, carried));
                    all.push(next);
                }
            }
        }
        all
    }

    /// Where the variable was last written after a step.
    fn after(&self, edge: EdgeId, last: Option<NodeId>) -> Option<NodeId> {
        let from = self.machine.edge(edge).from;
        let is_here = self
            .owner
            .is_none_or(|owner| owner == self.machine.procedure_of(from));
        let mut writes = false;
        each_write(self.machine, edge, |written| {
            writes |= written == self.variable;
        });
        if writes && is_here { Some(from) } else { last }
    }
}

#[test]
fn definitions_reach_the_places_to_which_stacks_of_places_carry_them() {
    let knobs = [Knobs::sequential(), Knobs::recursive(), Knobs::tiny()];
    let algorithm = Algorithm::built_in("reaching-definitions").expect("a name");
    let (mut compared, mut recursive) = (0, 0);
    for (seed, knobs) in (0..45).zip(knobs.iter().cycle()) {
        let text = generate(seed, knobs);
        let machine = from_text("test.bp", &text).expect("a program");
        let (program, checked) = problem(&machine, &algorithm);
        let system = checked.system.as_ref().expect("it has no errors");
        let found = codes(system, "Reaching");
        let globals = (0..machine.globals.len()).map(hardbop_machine::GlobalId::new);
        let main = machine.threads[0].entry;
        let globals = globals.map(|id| (main, Variable::Global(id), None));
        let locals = machine.procedure_ids().flat_map(|id| {
            let locals = machine.procedure(id).local_ids();
            locals.map(move |local| (id, Variable::Local(local), Some(id)))
        });
        for (procedure, variable, owner) in globals.chain(locals) {
            let mut walk = Walk {
                machine: &machine,
                variable,
                owner,
                found: BTreeSet::new(),
                is_cut: false,
            };
            walk.run();
            let code = program.variable(procedure, variable);
            let here = found.iter().filter(|tuple| tuple[2] == code);
            let node = |m: u64, p: u64| program.node(m, p).expect("a place of the program");
            let here: BTreeSet<(NodeId, NodeId)> = here
                .map(|tuple| (node(tuple[0], tuple[1]), node(tuple[3], tuple[4])))
                .collect();
            let name = machine.name_of(procedure, variable);
            assert!(walk.found.is_subset(&here), "{name} in\n{text}");
            if walk.is_cut {
                recursive += here.len();
            } else {
                assert_eq!(here, walk.found, "{name} in\n{text}");
                compared += here.len();
            }
        }
    }
    assert!(
        compared > 1000 && recursive > 100,
        "{compared}, {recursive}"
    );
}
