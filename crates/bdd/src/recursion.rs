//! The recursions behind the operations: on the topmost variable, with the computed table in
//! between.

use crate::cache::Key;
use crate::manager::{Bdd, Exhausted, Manager};
use crate::plan::Plan;
use crate::table::TERMINAL_LEVEL;

pub(crate) type Answer = Result<Bdd, Exhausted>;

/// The operands of a product.
type Pair = (Bdd, Bdd);

const AND: u32 = 1;
const XOR: u32 = 2;
pub(crate) const CONSTRAIN: u32 = 3;
pub(crate) const RESTRICT: u32 = 4;
/// Plans are numbered from here.
const FIRST_PLAN: u32 = 5;

impl Manager<'_> {
    pub(crate) fn conjoin(&mut self, f: Bdd, g: Bdd) -> Answer {
        if f == g || g.is_true() {
            return Ok(f);
        }
        if f.is_true() {
            return Ok(g);
        }
        if f.is_false() || g.is_false() || f == !g {
            return Ok(Bdd::FALSE);
        }
        let (f, g) = if f.0 < g.0 { (f, g) } else { (g, f) };
        let key = Key::new(AND, f, g);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.spend()?;
        let level = self.level(f).min(self.level(g));
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let low = self.conjoin(f0, g0)?;
        let high = self.conjoin(f1, g1)?;
        let result = self.make(level, low, high)?;
        self.cache.put(key, result);
        Ok(result)
    }

    pub(crate) fn differ(&mut self, f: Bdd, g: Bdd) -> Answer {
        let complement = f.is_complemented() != g.is_complemented();
        let (f, g) = (f.regular(), g.regular());
        if f == g {
            return Ok(Bdd::FALSE.complement_if(complement));
        }
        if f.is_true() {
            return Ok((!g).complement_if(complement));
        }
        if g.is_true() {
            return Ok((!f).complement_if(complement));
        }
        let (f, g) = if f.0 < g.0 { (f, g) } else { (g, f) };
        let key = Key::new(XOR, f, g);
        if let Some(known) = self.cache.get(key) {
            return Ok(known.complement_if(complement));
        }
        self.spend()?;
        let level = self.level(f).min(self.level(g));
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let low = self.differ(f0, g0)?;
        let high = self.differ(f1, g1)?;
        let result = self.make(level, low, high)?;
        self.cache.put(key, result);
        Ok(result.complement_if(complement))
    }

    pub(crate) fn choose(&mut self, c: Bdd, f: Bdd, g: Bdd) -> Answer {
        if c.is_true() || f == g {
            return Ok(f);
        }
        if c.is_false() {
            return Ok(g);
        }
        if f.is_true() || f == c {
            return Ok(!self.conjoin(!c, !g)?);
        }
        if f.is_false() || f == !c {
            return self.conjoin(!c, g);
        }
        if g.is_true() || g == !c {
            return Ok(!self.conjoin(c, !f)?);
        }
        if g.is_false() || g == c {
            return self.conjoin(c, f);
        }
        let key = Key::if_then_else(c, f, g);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.spend()?;
        let level = self.level(c).min(self.level(f)).min(self.level(g));
        let (c0, c1) = self.cofactors(c, level);
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let low = self.choose(c0, f0, g0)?;
        let high = self.choose(c1, f1, g1)?;
        let result = self.make(level, low, high)?;
        self.cache.put(key, result);
        Ok(result)
    }

    pub(crate) fn image(&mut self, f: Bdd, g: Bdd, plan: &Plan) -> Answer {
        if f.is_false() || g.is_false() || f == !g {
            return Ok(Bdd::FALSE);
        }
        let (f, g) = if f == g { (f, Bdd::TRUE) } else { (f, g) };
        let (f, g) = if f.0 < g.0 { (f, g) } else { (g, f) };
        let level = self.level(f).min(self.level(g));
        if level > plan.last() {
            return self.conjoin(f, g);
        }
        let key = Key::new(FIRST_PLAN + plan.number(), f, g);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.spend()?;
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let (zero, one) = ((f0, g0), (f1, g1));
        let is_quantified = plan.quantifies(level);
        let result = match self.copied(zero, one, plan, is_quantified) {
            Some((copy, zero, one)) => {
                let low = self.image(zero.0, zero.1, plan)?;
                let high = self.image(one.0, one.1, plan)?;
                let kept = if is_quantified { copy } else { level };
                self.make_renamed(plan.renamed(kept), low, high)?
            }
            _ => {
                let low = self.image(f0, g0, plan)?;
                if is_quantified && low.is_true() {
                    low
                } else {
                    let high = self.image(f1, g1, plan)?;
                    if is_quantified {
                        !self.conjoin(!low, !high)?
                    } else {
                        self.make_renamed(plan.renamed(level), low, high)?
                    }
                }
            }
        };
        self.cache.put(key, result);
        Ok(result)
    }

    /// The node of a variable that may stand below some that the operands depend on.
    #[inline]
    fn make_renamed(&mut self, renamed: u32, low: Bdd, high: Bdd) -> Answer {
        if renamed < self.level(low) && renamed < self.level(high) {
            return self.make(renamed, low, high);
        }
        let variable = self.make(renamed, Bdd::FALSE, Bdd::TRUE)?;
        self.choose(variable, high, low)
    }

    /// Whether the next variable is a copy of the one that the two pairs are the cofactors of: it
    /// is 0 where something satisfies both of the first pair, and 1 for the second. Gives the copy,
    /// and what is left of the pairs. What a step of a program leaves alone has such a copy, and
    /// quantifying one of the two only means that the other takes its place. So it counts only if
    /// the plan quantifies one of them.
    #[inline]
    fn copied(
        &self,
        zero: Pair,
        one: Pair,
        plan: &Plan,
        is_quantified: bool,
    ) -> Option<(u32, Pair, Pair)> {
        let top = |(f, g): Pair| self.level(f).min(self.level(g));
        let copy = top(zero);
        if copy != top(one) || copy == TERMINAL_LEVEL || plan.quantifies(copy) == is_quantified {
            return None;
        }
        let ((f00, f01), (g00, g01)) = (self.cofactors(zero.0, copy), self.cofactors(zero.1, copy));
        let ((f10, f11), (g10, g11)) = (self.cofactors(one.0, copy), self.cofactors(one.1, copy));
        let is_copy = (f01.is_false() || g01.is_false()) && (f10.is_false() || g10.is_false());
        is_copy.then_some((copy, (f00, g00), (f11, g11)))
    }
}
