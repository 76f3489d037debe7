//! Generalised cofactors: functions that agree with `f` where `g` holds, and are often smaller.
//!
//! Both are the operators of Coudert, Berthet and Madre; elsewhere they differ, and a formula of
//! the calculus can tell (`exists s. f(s, t) cofactor g(s)` is the image of `g`, which `assume` is
//! not). Where `g` never holds both are false, as in Mucke's own package. Values depend on the
//! order of the variables.

use crate::cache::Key;
use crate::manager::{Bdd, Exhausted, Manager};
use crate::record::Operation;
use crate::recursion::{CONSTRAIN, RESTRICT};

impl Manager<'_> {
    /// `f` at the point nearest to each point at which `g` holds (Mucke's `cofactor`).
    pub fn constrain(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        let result = self.generalised(f, g, CONSTRAIN)?;
        self.record(&Operation::Constrain(f, g), result);
        Ok(result)
    }

    /// The same with the variables of `g` that `f` does not have quantified on the way, so that the
    /// result has only variables of `f` (Mucke's `assume`).
    pub fn restrict(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        let result = self.generalised(f, g, RESTRICT)?;
        self.record(&Operation::Restrict(f, g), result);
        Ok(result)
    }

    fn generalised(&mut self, f: Bdd, g: Bdd, operation: u32) -> Result<Bdd, Exhausted> {
        if g.is_false() {
            return Ok(Bdd::FALSE);
        }
        if g.is_true() || f.is_true() || f.is_false() {
            return Ok(f);
        }
        let key = Key::new(operation, f, g);
        let place = match self.cache.get(key) {
            Ok(known) => return Ok(known),
            Err(place) => place,
        };
        self.spend()?;
        let level = self.level(f).min(self.level(g));
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let result = if operation == RESTRICT && level < self.level(f) {
            let neither = self.conjoin(!g0, !g1)?;
            self.generalised(f, !neither, operation)?
        } else if g0.is_false() {
            self.generalised(f1, g1, operation)?
        } else if g1.is_false() {
            self.generalised(f0, g0, operation)?
        } else {
            let low = self.generalised(f0, g0, operation)?;
            let high = self.generalised(f1, g1, operation)?;
            self.make(level, low, high)?
        };
        self.cache.put(place, key, result);
        Ok(result)
    }
}
