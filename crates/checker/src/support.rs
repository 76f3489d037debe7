//! Which variables a formula reads in the current state.
//!
//! A step that writes none of them leaves the formula as true or false as it was. So where the same
//! formula stands at both ends of such an edge, the conditions hold by form, and no circuit is
//! built: a proof that rests on three variables is checked at the cost of the steps that touch
//! them. (A global that its procedure never assigns is the same bit at entry, now and at the exit;
//! no step of the procedure writes it.)

use hardbop_evidence::certificate::Formula;
use hardbop_machine::analysis::variables::each_write;
use hardbop_machine::{Action, EdgeId, Machine, Variable};
use std::collections::{BTreeSet, HashMap};

/// The variables of formulas, each worked out once.
pub(crate) struct Supports<'a> {
    formulas: &'a [Formula],
    known: HashMap<u32, BTreeSet<Variable>>,
    /// Per formula the last root it was visited for.
    visited_for: Vec<Option<u32>>,
}

impl<'a> Supports<'a> {
    pub fn new(formulas: &'a [Formula]) -> Self {
        Self {
            formulas,
            known: HashMap::new(),
            visited_for: vec![None; formulas.len()],
        }
    }

    /// Whether a step is not a call and writes nothing that a formula reads in the current state.
    pub fn is_untouched(&mut self, machine: &Machine, edge: EdgeId, formula: u32) -> bool {
        if matches!(machine.edge(edge).action, Action::Call { .. }) {
            return false;
        }
        let read = self.of(formula);
        let mut is_untouched = true;
        each_write(machine, edge, |variable| {
            is_untouched &= !read.contains(&variable);
        });
        is_untouched
    }

    fn of(&mut self, root: u32) -> &BTreeSet<Variable> {
        let (formulas, visited_for) = (self.formulas, &mut self.visited_for);
        self.known.entry(root).or_insert_with(|| {
            let mut read = BTreeSet::new();
            let mut pending = vec![root];
            while let Some(index) = pending.pop() {
                if visited_for[index as usize].replace(root) == Some(root) {
                    continue;
                }
                match &formulas[index as usize] {
                    Formula::Now(bit) => {
                        read.insert(bit.variable);
                    }
                    Formula::Not(a) => pending.push(*a),
                    Formula::And(operands) | Formula::Or(operands) => pending.extend(operands),
                    Formula::Ite(c, a, b) => pending.extend([c, a, b]),
                    // A step changes neither constants nor what was or will be.
                    _ => {}
                }
            }
            read
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_evidence::certificate::Bit;
    use hardbop_machine::GlobalId;

    #[test]
    fn a_step_touches_a_formula_by_writing_what_it_reads_now() {
        let text = "decl g, h; void main() begin g := h; h := g; skip; f(); end void f() begin end";
        let machine = hardbop_machine::from_text("t.bp", text).unwrap();
        let bit = |index| Bit {
            variable: Variable::Global(GlobalId(index)),
            bit: 0,
        };
        let formulas = [
            Formula::Now(bit(0)),
            Formula::Entry(bit(1)),
            Formula::And(vec![0, 1]),
            Formula::Not(2),
        ];
        let mut supports = Supports::new(&formulas);
        let main = machine.procedures[0].edge_ids();
        let untouched: Vec<bool> = main
            .map(|edge| supports.is_untouched(&machine, edge, 3))
            .collect();
        assert_eq!(untouched[..4], [false, true, true, false]);
    }
}
