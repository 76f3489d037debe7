//! Order hints. They are wishes: one that cannot be understood gets a warning.

use super::Checker;
use super::types::TypeId;
use crate::ast::HintItem;
use crate::system::{Bits, Hint, VariableId};
use hardbop_syntax::ast::Symbol;
use hardbop_syntax::codes::calculus as codes;

impl Checker<'_> {
    /// Adds hints about variables in scope to those of the relation that is being defined.
    pub(super) fn add_hints(&mut self, hints: &[HintItem]) {
        for hint in hints {
            let left = hint.left.and_then(|left| self.bits_of(left.name));
            match (left, self.bits_of(hint.right.name)) {
                (Some(left), Some(right)) => self.hints.push(Hint {
                    left,
                    kind: hint.kind,
                    right,
                }),
                _ => self.report_hint(hint, "two variables that are known here"),
            }
        }
    }

    fn bits_of(&self, name: Symbol) -> Option<Bits> {
        let binding = self.bindings[name.0 as usize]?;
        Some(Bits {
            variable: binding.variable,
            range: 0..self.types.get(binding.ty).bits,
        })
    }

    /// Hints of a structure hold for each variable of that type.
    pub(super) fn hint_fields(&mut self, variable: VariableId, ty: TypeId) {
        let hints = self.types.get(ty).hints.iter();
        self.hints.extend(hints.map(|(left, kind, right)| {
            let bits = |range: &std::ops::Range<u32>| Bits {
                variable,
                range: range.clone(),
            };
            Hint {
                left: bits(left),
                kind: *kind,
                right: bits(right),
            }
        }));
    }

    pub(super) fn report_hint(&mut self, hint: &HintItem, wanted: &str) {
        let span = match hint.left {
            Some(left) => left.span.to(hint.right.span),
            None => hint.right.span,
        };
        let message = format!("this order hint is ignored: it does not name {wanted}");
        self.report(codes::HINT_IGNORED, span, message);
    }
}
