//! What of a relation can matter in a conjunction, judged by its control bits alone (a semi-join,
//! in the words of databases).
//!
//! In `R(u, x) & Call(x, y) & …` only those tuples of `R` matter whose `x` is at a call. If `R`
//! changes from round to round, renaming all of its news to `x` and conjoining it with `Call`, to
//! find that nothing is at a call, is most of the work. So an application gets a *gate*: the other
//! parts, projected to the bits of large enumerations (program counters) that the application
//! speaks of. The gate is over the parameters of the relation, and what does not pass it is dropped
//! before anything is renamed. A gate that nothing can pass closes the others of the same
//! conjunction.

use crate::encoding::allocation::Allocation;
use crate::search::evaluator::Evaluator;
use crate::search::program::{Application, Program, Step};
use hardbop_bdd::{Bdd, Exhausted};
use std::collections::BTreeMap;

/// The gate of an application among the parts of a conjunction, if some of them can be one.
pub(crate) fn gate_of(
    program: &Program,
    allocation: &Allocation,
    parts: &[usize],
    part: usize,
    application: &Application,
) -> Option<Step> {
    let is_control = |level: u32| allocation.control()[level as usize];
    let back: BTreeMap<u32, u32> = application.renamed.iter().map(|&(p, a)| (a, p)).collect();
    let arguments = program.support[part].iter();
    let kept: Vec<(u32, u32)> = arguments
        .map(|&argument| (argument, back.get(&argument).copied().unwrap_or(argument)))
        .filter(|&(argument, parameter)| is_control(argument) && is_control(parameter))
        .collect();
    let is_kept = |level: &u32| kept.iter().any(|(argument, _)| argument == level);
    let can_be_one = |&&other: &&usize| {
        let support = &program.support[other];
        if program.is_dynamic[other] {
            // What changes has to be cheap to look at.
            !support.is_empty() && support.iter().all(is_kept)
        } else {
            support.iter().any(is_kept)
        }
    };
    let others = parts.iter().filter(|&&other| other != part);
    let parts: Vec<usize> = others.filter(can_be_one).copied().collect();
    (!parts.is_empty()).then_some(Step::Gate { parts, kept })
}

impl Evaluator<'_> {
    /// The value of a gate; `value` gives that of a part.
    pub(crate) fn gate(
        &mut self,
        at: usize,
        step: usize,
        value: &dyn Fn(&Self, usize) -> Bdd,
    ) -> Result<Bdd, Exhausted> {
        let mut gate = Bdd::TRUE;
        let Step::Gate { parts, kept } = &self.bodies[at].program.steps[step] else {
            return Ok(gate);
        };
        let (parts, kept) = (parts.clone(), kept.clone());
        for part in parts {
            let support = self.bodies[at].program.support[part].clone();
            let is_kept = |level: &u32| kept.iter().any(|(argument, _)| argument == level);
            let gone: Vec<u32> = support.iter().copied().filter(|l| !is_kept(l)).collect();
            let renamed: Vec<(u32, u32)> = kept
                .iter()
                .copied()
                .filter(|(argument, parameter)| argument != parameter && support.contains(argument))
                .collect();
            let value = value(self, part);
            let plan = self.plans.get(&mut self.manager, &gone, &renamed);
            let projected = self.manager.project(value, &plan)?;
            gate = self.manager.and(gate, projected)?;
        }
        Ok(gate)
    }
}
