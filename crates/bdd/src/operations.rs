//! The operations as callers see them.

use crate::manager::{Bdd, Exhausted, Manager};
use crate::plan::Plan;
use crate::record::Operation;
use crate::recursion::Answer;

impl Manager<'_> {
    /// Conjunction.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Answer {
        let result = self.conjoin(f, g)?;
        self.record(&Operation::And(f, g), result);
        Ok(result)
    }

    /// Disjunction.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Answer {
        Ok(!self.and(!f, !g)?)
    }

    /// `f` and not `g`.
    pub fn diff(&mut self, f: Bdd, g: Bdd) -> Answer {
        self.and(f, !g)
    }

    /// Exclusive or.
    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Answer {
        let result = self.differ(f, g)?;
        self.record(&Operation::Xor(f, g), result);
        Ok(result)
    }

    /// Equivalence.
    pub fn iff(&mut self, f: Bdd, g: Bdd) -> Answer {
        Ok(!self.xor(f, g)?)
    }

    /// `if c then f else g`.
    pub fn ite(&mut self, c: Bdd, f: Bdd, g: Bdd) -> Answer {
        let result = self.choose(c, f, g)?;
        self.record(&Operation::Ite(c, f, g), result);
        Ok(result)
    }

    /// Conjunction of `f` and `g`, then quantification, then renaming, as the plan says, in one
    /// pass.
    pub fn relprod(&mut self, f: Bdd, g: Bdd, plan: &Plan) -> Answer {
        let result = self.image(f, g, plan)?;
        self.record(&Operation::Relprod(plan.number(), f, g), result);
        Ok(result)
    }

    /// Quantification and renaming of one function, as the plan says.
    pub fn project(&mut self, f: Bdd, plan: &Plan) -> Answer {
        self.relprod(f, Bdd::TRUE, plan)
    }

    /// Conjunction of many, small ones first.
    pub fn and_all(&mut self, mut parts: Vec<Bdd>) -> Answer {
        while parts.len() > 1 {
            let mut next = Vec::with_capacity(parts.len().div_ceil(2));
            for pair in parts.chunks(2) {
                next.push(match *pair {
                    [f, g] => self.and(f, g)?,
                    _ => pair[0],
                });
            }
            parts = next;
        }
        Ok(parts.pop().unwrap_or(Bdd::TRUE))
    }

    /// Conjunction of many, from the bottom to the top: what stands below is not looked at again if
    /// the variables of the next are all above it, as in a step of a program, whose parts speak of
    /// one variable each.
    pub fn and_upwards(&mut self, mut parts: Vec<Bdd>) -> Answer {
        parts.sort_by_key(|&part| std::cmp::Reverse(self.level(part)));
        let mut product = Bdd::TRUE;
        for part in parts {
            product = self.and(part, product)?;
        }
        Ok(product)
    }

    /// Whether every assignment that satisfies `f` satisfies `g`.
    pub fn implies(&mut self, f: Bdd, g: Bdd) -> Result<bool, Exhausted> {
        Ok(self.and(f, !g)?.is_false())
    }
}
