//! Pointers to `void`: they point to what was converted into one somewhere, whatever its type.
//!
//! Their objects are numbered like those of other pointers, so a conversion is a case
//! split that gives the same object its other number. A pointer that is converted back must point
//! to an object of that type, which is asserted: C could not use it otherwise.

use crate::pointers::number_of;
use crate::terms::{self, Term};
use crate::types::Type;
use crate::unit::Unit;
use hardbop_syntax::ast::BinaryOp;
use hardbop_syntax::{Check, Span};
use std::rc::Rc;

impl Unit<'_> {
    /// A pointer converted from one type to another, one of which is `void`.
    pub fn with_other_type(&mut self, term: &Term, from: &Type, to: &Type, span: Span) -> Term {
        let is_shared = term.reads(&|id| self.is_shared(id));
        let term = if is_shared {
            self.spill(term)
        } else {
            self.once(term)
        };
        let class = self.pointers.class(from);
        let (shift, sort, targets) = (class.index_bits(), class.sort(), class.targets.clone());
        if *to == Type::Void {
            let known = &mut self.pointers.class(to).targets;
            let count = known.len();
            for target in &targets {
                if !known.contains(target) {
                    known.push(target.clone());
                }
            }
            let is_new = known.len() > count;
            self.pointers.has_changed |= is_new;
        }
        let class = self.pointers.class(to);
        let (own_shift, own_sort, own) = (class.index_bits(), class.sort(), class.targets.clone());
        let null = terms::constant(0, own_sort, span);
        if term.sort != sort {
            // Something was found out since; there will be another pass.
            return null;
        }
        let mut value = Rc::clone(&null);
        let none = terms::constant(0, sort, span);
        let mut is_right = terms::compare(BinaryOp::Equal, false, &term, &none);
        for (number, target) in targets.iter().enumerate() {
            let Some(position) = own.iter().position(|known| known == target) else {
                continue;
            };
            let chosen = number_of(&term, shift);
            let wanted = terms::constant(number as u64 + 1, sort, span);
            let is_it = terms::compare(BinaryOp::Equal, false, &chosen, &wanted);
            let base = terms::constant((position as u64 + 1) << own_shift, own_sort, span);
            let other = if target.length.is_some() && shift > 0 && own_shift > 0 {
                let index = terms::resize(&terms::resize(&term, shift, false), own_shift, false);
                let index = terms::resize(&index, own_sort.width(), false);
                terms::binary(BinaryOp::Or, false, &base, &index)
            } else {
                base
            };
            value = terms::conditional(&is_it, &other, &value);
            is_right = terms::or(&is_right, &is_it);
        }
        let claim = self.claim_about(Check::Memory, span, "has the type of its object", span);
        if *from == Type::Void && targets.iter().any(|target| !own.contains(target)) {
            self.check(&is_right, claim, span);
        }
        value
    }
}
