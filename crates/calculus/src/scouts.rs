//! Scouts: the algorithm solved for the program with all variables but a few
//! [hidden](hardbop_transform::hide).
//!
//! The relations of that program hold wherever those of the whole one do. What the algorithm does
//! not reach in them, the program does not reach, and what was solved is a certificate of the
//! program, a small one. Most assertions of a driver rest on two or three of its variables. Targets
//! that are left go to the next scout, which sees more; what a scout reaches says nothing.

use crate::decide::Decision;
use crate::problem::Program;
use hardbop_machine::analysis::{CallGraph, ModRef};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Limit, Question};
use hardbop_transform::Transform;
use hardbop_transform::hide::{Levels, hide};

/// Steps of BDD operations for each: one that needs more sees too much.
const WORK: u64 = 2_000_000;
/// With so few bits in a state there is nothing to leave out.
const FEW_BITS: u32 = 12;

/// Whether scouts are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scouting {
    /// If states have more than a few bits.
    #[default]
    Auto,
    /// In any case.
    Always,
    /// Never: everything is solved with all variables at once.
    Never,
}

impl Scouting {
    fn applies_to(self, machine: &Machine) -> bool {
        match self {
            Scouting::Auto => bits_of_state(machine) > FEW_BITS,
            Scouting::Always => true,
            Scouting::Never => false,
        }
    }
}

impl Decision<'_> {
    /// For each node whether it is still open after scouts have been sent: what they do not reach
    /// is unreachable.
    pub(crate) fn scouted(
        &mut self,
        nodes: &[NodeId],
        scouting: Scouting,
    ) -> Result<Vec<bool>, Limit> {
        let mut is_open = vec![true; nodes.len()];
        if !scouting.applies_to(self.machine) {
            return Ok(is_open);
        }
        let machine = self.machine;
        let calls = CallGraph::new(machine);
        let effects = ModRef::new(machine, &calls);
        let mut levels = Levels::new(machine, &calls, &effects);
        loop {
            let pairs = nodes.iter().zip(&is_open);
            let mut open: Vec<NodeId> = pairs.filter(|(_, open)| **open).map(|(&n, _)| n).collect();
            open.sort_unstable();
            if open.is_empty() {
                break;
            }
            let Some(seen) = levels.next(&open) else {
                break;
            };
            let hidden = hide(machine, &Question::reach(Vec::new()), seen);
            let program = Program::new(hidden.machine(), self.entry(), &open, &[]);
            self.effort.scouts += 1;
            match self.places(&program, nodes, Some(WORK)) {
                Ok(Some(reached)) => {
                    for (is_open, is_reached) in is_open.iter_mut().zip(reached) {
                        *is_open &= is_reached;
                    }
                }
                Ok(None) => break,
                Err(_) if self.budget.interrupt.check().is_none() => break,
                Err(why) => return Err(why),
            }
        }
        Ok(is_open)
    }
}

/// How many bits the globals and the locals of one procedure have at most.
fn bits_of_state(machine: &Machine) -> u32 {
    let globals: u32 = machine.globals.iter().map(|g| g.ty.width()).sum();
    let locals = machine.procedures.iter().map(|procedure| {
        let widths = procedure.locals.iter().map(|local| local.ty.width());
        widths.sum::<u32>()
    });
    globals + locals.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{Algorithm, BUILT_IN};
    use hardbop_outcome::{Budget, Target};

    /// `lock` decides the first assertion, `own` besides it the second one; the third one fails.
    const PROGRAM: &str = "decl lock, own, a, b, c, d, e, f, g, h, i, j;
        void main() begin
          lock := 0;
          a, b, c, d := b, c, d, a & e & f & g & h & i & j;
          assert(!lock);
          take();
          if (own) then free(); fi
          if (own) then assert(!lock); fi
          if (a) then assert(!a); fi
        end
        void take() begin lock := 1; end
        void free() begin lock := 0; end";

    #[test]
    fn scouts_settle_what_rests_on_few_variables() {
        let machine = hardbop_machine::from_text("t.bp", PROGRAM).expect("a program");
        let targets = Target::assertions(&machine);
        let nodes: Vec<NodeId> = targets.iter().map(|target| target.node).collect();
        for known in BUILT_IN
            .iter()
            .filter(|known| known.name.starts_with("entry"))
        {
            let algorithm = Algorithm::built_in(known.name).expect("its own name");
            let budget = Budget::unlimited();
            let mut decision = Decision::new(&machine, &algorithm, &budget);
            let open = decision.scouted(&nodes, Scouting::Always);
            assert_eq!(open, Ok(vec![false, false, true]), "{}", known.name);
        }
    }

    #[test]
    fn states_of_few_bits_are_not_scouted() {
        let text = "decl g; void main() begin decl a; a := g; assert(a = g); end";
        let machine = hardbop_machine::from_text("t.bp", text).expect("a program");
        let node = machine.assertions[0].failure;
        let (algorithm, budget) = (Algorithm::reference(), Budget::unlimited());
        let mut decision = Decision::new(&machine, &algorithm, &budget);
        assert_eq!(decision.scouted(&[node], Scouting::Auto), Ok(vec![true]));
        assert_eq!(decision.effort.scouts, 0);
    }
}
