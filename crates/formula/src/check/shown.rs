//! `{show …}`: what of a tuple is shown on a path to it.

use super::Checker;
use crate::ast::ShowItem;
use crate::system::Bits;

impl Checker<'_> {
    /// Adds what is shown to the relation that is being defined. In a command it adds nothing: the
    /// values of its variables are shown anyway.
    pub(super) fn add_shown(&mut self, item: &ShowItem) {
        let mut shown = self.shown.take().unwrap_or_default();
        if let Some(label) = &item.label {
            shown.label = Some(match shown.label {
                Some(before) => format!("{before} {label}"),
                None => label.clone(),
            });
        }
        for path in &item.paths {
            let Some(place) = self.place(path) else {
                continue;
            };
            let last = place.first_bit + self.types.get(place.ty).bits;
            let part = Bits {
                variable: place.variable,
                range: place.first_bit..last,
            };
            if !shown.parts.contains(&part) {
                shown.parts.push(part);
            }
        }
        self.shown = Some(shown);
    }
}
