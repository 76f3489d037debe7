//! Abbreviations that are defined by themselves.
//!
//! A relation without `mu` or `nu` stands for its body. It may lead to itself by way of a fixed
//! point (the usual way to split a `mu` into readable parts), but a circle of abbreviations alone
//! defines nothing. A depth-first walk over abbreviations finds the circles; each relation is
//! entered once.

use super::Checker;
use crate::system::{RelationId, RelationKind};
use hardbop_syntax::Diagnostic;
use hardbop_syntax::codes::calculus as codes;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// More circles are not reported.
const MAX_CIRCLES: usize = 100;
/// Longer circles are not written out.
const MAX_SHOWN: usize = 8;

impl Checker<'_> {
    pub(super) fn report_circular(&mut self) {
        let relations = &self.heads.relations;
        let is_abbreviation =
            |id: RelationId| relations[id.0 as usize].kind == RelationKind::Definition;
        let mut visits = vec![Visit::New; relations.len()];
        let mut circles = Vec::new();
        for root in (0..relations.len() as u32).map(RelationId) {
            if visits[root.0 as usize] != Visit::New || !is_abbreviation(root) {
                continue;
            }
            visits[root.0 as usize] = Visit::Open;
            let mut path = vec![(root, 0)];
            while let Some((id, next)) = path.last_mut() {
                let Some(&used) = relations[id.0 as usize].uses.get(*next) else {
                    visits[id.0 as usize] = Visit::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match visits[used.0 as usize] {
                    _ if !is_abbreviation(used) => {}
                    Visit::New => {
                        visits[used.0 as usize] = Visit::Open;
                        path.push((used, 0));
                    }
                    Visit::Open if circles.len() < MAX_CIRCLES => {
                        let start = path.iter().position(|&(id, _)| id == used);
                        let circle = path[start.unwrap_or(0)..].iter().map(|&(id, _)| id);
                        circles.push(circle.collect::<Vec<RelationId>>());
                    }
                    Visit::Open | Visit::Done => {}
                }
            }
        }
        for circle in circles {
            self.report_circle(&circle);
        }
    }

    fn report_circle(&mut self, circle: &[RelationId]) {
        let name = |id: &RelationId| self.heads.get(*id).name;
        let text = |id: &RelationId| format!("`{}`", self.text(name(id)));
        let first = &circle[0];
        let message = match circle {
            [_] => format!("{} is defined by itself", text(first)),
            _ => {
                let mut way: Vec<String> = circle[1..].iter().take(MAX_SHOWN).map(text).collect();
                if circle.len() > MAX_SHOWN + 1 {
                    way.push("…".to_owned());
                }
                let way = way.join(", ");
                format!("{} is defined by itself, by way of {way}", text(first))
            }
        };
        let diagnostic = Diagnostic::new(codes::CIRCULAR_DEFINITION, name(first).span, message);
        let help =
            "say `mu bool` for the least relation that satisfies it, `nu bool` for the greatest";
        self.diagnostics.push(diagnostic.help(help));
    }
}
