//! Files that are a part of a system and cannot be read alone.
//!
//! Mucke's examples keep the types and the transition relation in one file and what is asked in
//! others, which are loaded after it. Alone such a file has one error for every use of every name.
//! A file that defines no type and uses one is taken for a fragment, and one message says what it
//! needs.

use super::Checker;
use crate::ast::{Ident, Item};
use hardbop_syntax::Diagnostic;
use hardbop_syntax::codes::calculus as codes;
use std::collections::BTreeSet;

/// Names that are listed before the rest becomes a number.
const MAX_NAMES: usize = 12;

/// Types that files about programs use. (`State` is a name that many systems have.)
const PROGRAM_TYPES: [&str; 5] = ["Module", "PC", "Variable", "Label", "Line"];

/// Relations that such files use.
const PROGRAM_RELATIONS: [&str; 4] = ["ProgramInt", "IntoCall", "AtEntry", "Target"];

/// Names that nothing defines, in order of their uses.
#[derive(Default)]
pub(super) struct Missing {
    pub types: Vec<Ident>,
    pub relations: Vec<Ident>,
}

impl Checker<'_> {
    /// Replaces all messages by one if the file is a fragment.
    pub(super) fn report_fragment(&mut self) {
        let defines_type = |item: &Item| matches!(item, Item::Enum { .. } | Item::Class { .. });
        let Some(first) = self.missing.types.first() else {
            return;
        };
        if self.ast.items.iter().any(defines_type) {
            return;
        }
        let lists = [
            ("type", &self.missing.types),
            ("relation", &self.missing.relations),
        ];
        let lists: Vec<String> = lists
            .iter()
            .filter_map(|(what, of)| self.list(what, of))
            .collect();
        let message = format!(
            "this is a part of a system: it uses {}, which nothing here defines",
            lists.join(" and ")
        );
        let mut types = self.missing.types.iter();
        let mut relations = self.missing.relations.iter();
        let is_about_program = types.any(|ty| PROGRAM_TYPES.contains(&self.text(*ty)))
            || relations.any(|name| PROGRAM_RELATIONS.contains(&self.text(*name)));
        let help = if is_about_program {
            "if it is about a program, `--program FILE` gives it one"
        } else {
            "load it after the file that defines what is missing: `load base; load part;`"
        };
        let diagnostic = Diagnostic::new(codes::UNKNOWN_TYPE, first.span, message);
        self.diagnostics = vec![diagnostic.help(help)];
    }

    /// "the types `A` and `B`"; nothing for no names.
    fn list(&self, what: &str, of: &[Ident]) -> Option<String> {
        let mut seen = BTreeSet::new();
        let new = of.iter().filter(|ident| seen.insert(ident.name));
        let mut names: Vec<String> = new
            .map(|ident| format!("`{}`", self.text(*ident)))
            .collect();
        if names.len() > MAX_NAMES {
            let rest = names.split_off(MAX_NAMES - 1).len();
            names.push(format!("{rest} others"));
        }
        let last = names.pop()?;
        if names.is_empty() {
            return Some(format!("the {what} {last}"));
        }
        Some(format!("the {what}s {} and {last}", names.join(", ")))
    }
}
