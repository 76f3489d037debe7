//! Scouts: the algorithm solved for the program as somebody sees it who knows only a few variables.
//!
//! To a scout every other variable is arbitrary wherever it is read, so its relations hold wherever those of the program do. What the algorithm does not
//! reach in them, the program does not reach, and what was solved is a certificate of the program, a small one. Most assertions of a driver rest on two
//! or three of its variables. Targets that are left go to the next scout, which sees more; what a scout reaches says nothing.

use crate::evidence::{Found, Question};
use crate::problem::Program;
use hardbop_fixpoint::Limits;
use hardbop_machine::analysis::{CallGraph, ModRef};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Limit, Target};
use hardbop_transform::hide::Visible;

/// So many scouts are sent, one after the other.
const LEVELS: u64 = 4;
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

impl Question<'_> {
    /// What scouts find out about some targets.
    pub(crate) fn scouted(&mut self, targets: &[Target]) -> Result<Found, Limit> {
        let mut found = Found {
            verdicts: vec![None; targets.len()],
            certificates: Vec::new(),
        };
        if !self.scouting.applies_to(self.machine) {
            return Ok(found);
        }
        let machine = self.machine;
        let calls = CallGraph::new(machine);
        let effects = ModRef::new(machine, &calls);
        let nodes = |targets: &[Target]| -> Vec<NodeId> {
            let mut nodes: Vec<NodeId> = targets.iter().map(|target| target.node).collect();
            nodes.sort_unstable();
            nodes
        };
        let nearest = Visible::nearest_conditions(machine, &nodes(targets));
        let mut seen = nearest.with_constants(machine, &effects);
        for level in 0..LEVELS {
            let open = found.open(targets);
            if open.is_empty() {
                break;
            }
            if level > 0 {
                let wider = match level {
                    1 => seen.clone(),
                    _ => seen.with_sources(machine),
                };
                let wider = wider.with_controls(machine, &calls, &effects, &nodes(&open));
                // One that sees the same would find the same.
                if wider.len() == seen.len() {
                    break;
                }
                seen = wider;
            }
            let program = Program::seen(machine, self.entry(), &nodes(&open), seen.clone());
            let limits = Limits {
                work: Some(WORK),
                ..Limits::default()
            };
            self.effort.scouts += 1;
            match self.solve(&program, &open, &limits, false) {
                Ok(settled) => found.add(settled),
                Err(_) if self.budget.interrupt.check().is_none() => break,
                Err(why) => return Err(why),
            }
        }
        Ok(found)
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
    use hardbop_outcome::{Budget, NeverInterrupted, Query, Verdict};

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
    fn scouts_settle_what_rests_on_few_variables_with_small_certificates() {
        let machine = hardbop_machine::from_text("t.bp", PROGRAM).expect("a program");
        let query = Query::assertions(&machine);
        for known in BUILT_IN
            .iter()
            .filter(|known| known.name.starts_with("entry"))
        {
            let algorithm = Algorithm::built_in(known.name).expect("its own name");
            let budget = Budget::unlimited();
            let mut question = Question::new(&machine, &algorithm, &budget, Scouting::Always);
            let found = question.scouted(&query.targets).expect("no limit");
            let settled = [Some(Verdict::Unreachable), Some(Verdict::Unreachable), None];
            assert_eq!(found.verdicts, settled, "{}", known.name);
            for certificate in &found.certificates {
                hardbop_checker::validate(&machine, certificate, &NeverInterrupted)
                    .expect("a certificate of the whole program");
            }
        }
    }

    #[test]
    fn states_of_few_bits_are_not_scouted() {
        let text = "decl g; void main() begin decl a; a := g; assert(a = g); end";
        let machine = hardbop_machine::from_text("t.bp", text).expect("a program");
        let query = Query::assertions(&machine);
        let (algorithm, budget) = (Algorithm::reference(), Budget::unlimited());
        let mut question = Question::new(&machine, &algorithm, &budget, Scouting::Auto);
        let found = question.scouted(&query.targets).expect("no limit");
        assert_eq!(found.open(&query.targets), query.targets);
    }
}
