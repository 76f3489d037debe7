//! The recursions behind the operations: on the topmost variable, with the computed table in
//! between.
//!
//! Each is in two parts. The first knows constants and looks into the computed table; it is small
//! and stands wherever the operation is asked for, since more than half of all calls end there. The
//! second takes one step, for operands in order of which the table knows nothing.

use crate::cache::{Key, Place};
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
pub(crate) const FIRST_PLAN: u32 = 5;

/// Operands that commute have one order.
#[inline]
fn ordered(f: Bdd, g: Bdd) -> Pair {
    if f.0 < g.0 { (f, g) } else { (g, f) }
}

impl Manager<'_> {
    #[inline]
    pub(crate) fn conjoin(&mut self, f: Bdd, g: Bdd) -> Answer {
        let (f, g) = ordered(f, g);
        // Constants have the smallest handles.
        if f.is_constant() {
            return Ok(if f.is_true() { g } else { f });
        }
        if f.regular() == g.regular() {
            return Ok(if f == g { f } else { Bdd::FALSE });
        }
        match self.cache.get(Key::new(AND, f, g)) {
            Ok(known) => Ok(known),
            Err(place) => self.conjoin_step(f, g, place),
        }
    }

    #[inline(never)]
    fn conjoin_step(&mut self, f: Bdd, g: Bdd, place: Place) -> Answer {
        self.spend()?;
        let level = self.level(f).min(self.level(g));
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let low = self.conjoin(f0, g0)?;
        let high = self.conjoin(f1, g1)?;
        let result = self.make(level, low, high)?;
        self.cache.put(place, Key::new(AND, f, g), result);
        Ok(result)
    }

    #[inline]
    pub(crate) fn differ(&mut self, f: Bdd, g: Bdd) -> Answer {
        let complement = f.is_complemented() != g.is_complemented();
        let (f, g) = ordered(f.regular(), g.regular());
        if f == g {
            return Ok(Bdd::FALSE.complement_if(complement));
        }
        if f.is_true() {
            return Ok((!g).complement_if(complement));
        }
        let result = match self.cache.get(Key::new(XOR, f, g)) {
            Ok(known) => known,
            Err(place) => self.differ_step(f, g, place)?,
        };
        Ok(result.complement_if(complement))
    }

    #[inline(never)]
    fn differ_step(&mut self, f: Bdd, g: Bdd, place: Place) -> Answer {
        self.spend()?;
        let level = self.level(f).min(self.level(g));
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let low = self.differ(f0, g0)?;
        let high = self.differ(f1, g1)?;
        let result = self.make(level, low, high)?;
        self.cache.put(place, Key::new(XOR, f, g), result);
        Ok(result)
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
        let place = match self.cache.get(key) {
            Ok(known) => return Ok(known),
            Err(place) => place,
        };
        self.spend()?;
        let level = self.level(c).min(self.level(f)).min(self.level(g));
        let (c0, c1) = self.cofactors(c, level);
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let low = self.choose(c0, f0, g0)?;
        let high = self.choose(c1, f1, g1)?;
        let result = self.make(level, low, high)?;
        self.cache.put(place, key, result);
        Ok(result)
    }

    pub(crate) fn image(&mut self, f: Bdd, g: Bdd, plan: &Plan) -> Answer {
        self.image_at(self.top((f, g)), (f, g), plan)
    }

    /// The image of operands of which at least one depends on this level and none on one above it.
    // Left to itself the compiler makes this a call again, for 4 % more instructions in tiny images.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn image_at(&mut self, level: u32, (f, g): Pair, plan: &Plan) -> Answer {
        let (f, g) = ordered(f, g);
        if f.is_false() || f == !g {
            return Ok(Bdd::FALSE);
        }
        if level > plan.last() {
            return self.conjoin(f, g);
        }
        let f = if f == g { Bdd::TRUE } else { f };
        match self.cache.get(plan.key(f, g)) {
            Ok(known) => Ok(known),
            Err(place) => self.image_step(level, (f, g), place, plan),
        }
    }

    #[inline(never)]
    fn image_step(&mut self, level: u32, (f, g): Pair, place: Place, plan: &Plan) -> Answer {
        self.spend()?;
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let (zero, one) = ((f0, g0), (f1, g1));
        let (below_zero, below_one) = (self.top(zero), self.top(one));
        let is_quantified = plan.quantifies(level);
        let copied = if below_zero == below_one && plan.quantifies(below_zero) != is_quantified {
            self.copied(below_zero, zero, one)
        } else {
            None
        };
        let result = if let Some((zero, one)) = copied {
            let low = self.image(zero.0, zero.1, plan)?;
            let high = self.image(one.0, one.1, plan)?;
            let kept = if is_quantified { below_zero } else { level };
            self.make_renamed(kept, low, high, plan)?
        } else {
            let low = self.image_at(below_zero, zero, plan)?;
            if is_quantified && low.is_true() {
                low
            } else {
                let high = self.image_at(below_one, one, plan)?;
                if is_quantified {
                    !self.conjoin(!low, !high)?
                } else {
                    self.make_renamed(level, low, high, plan)?
                }
            }
        };
        self.cache.put(place, plan.key(f, g), result);
        Ok(result)
    }

    /// The first level that one of the two depends on.
    #[inline]
    fn top(&self, (f, g): Pair) -> u32 {
        self.level(f).min(self.level(g))
    }

    /// The node of a variable that may stand below some that the operands depend on.
    #[inline]
    fn make_renamed(&mut self, level: u32, low: Bdd, high: Bdd, plan: &Plan) -> Answer {
        let renamed = plan.renamed(level);
        if plan.keeps_order() || renamed < self.top((low, high)) {
            return self.make(renamed, low, high);
        }
        let variable = self.make(renamed, Bdd::FALSE, Bdd::TRUE)?;
        self.choose(variable, high, low)
    }

    /// Whether the next variable is a copy of the one that the two pairs are the cofactors of: it
    /// is 0 where something satisfies both of the first pair, and 1 for the second. Gives what is
    /// left of the pairs. What a step of a program leaves alone has such a copy, and quantifying one
    /// of the two only means that the other takes its place. So it counts only if the plan
    /// quantifies one of them. (The constant's level is never quantified: the caller has seen that
    /// exactly one of the two is, and if it is the upper one, a constant has no copy.)
    #[inline]
    fn copied(&self, copy: u32, zero: Pair, one: Pair) -> Option<(Pair, Pair)> {
        if copy == TERMINAL_LEVEL {
            return None;
        }
        let ((f00, f01), (g00, g01)) = (self.cofactors(zero.0, copy), self.cofactors(zero.1, copy));
        let ((f10, f11), (g10, g11)) = (self.cofactors(one.0, copy), self.cofactors(one.1, copy));
        let is_copy = (f01.is_false() || g01.is_false()) && (f10.is_false() || g10.is_false());
        is_copy.then_some(((f00, g00), (f11, g11)))
    }
}
