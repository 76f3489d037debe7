//! What the assertions of a program claim, in the words of the program.
//!
//! Checks that C leaves to the programmer have no statement of their own, and a macro may state
//! several assertions whose text is that of one call. So each assertion says what it is about, and
//! those that would read the same are told apart by the text behind the macro.

use crate::terms::Term;
use crate::unit::Unit;
use hardbop_syntax::ast::{ExprId, StmtId, StmtKind};
use hardbop_syntax::{Check, Claim, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longer texts of operands are cut.
const MAX_OPERAND: usize = 40;

/// An assertion that the text states.
pub struct Stated {
    stmt: StmtId,
    span: Span,
    /// What it is behind the preprocessor.
    expanded: String,
}

impl Unit<'_> {
    /// Asserts a condition that the text does not state.
    pub fn claim(&mut self, condition: ExprId, claim: Claim, span: Span) {
        self.push(StmtKind::Assert(condition), span);
        let stmt = StmtId(self.ast.stmts.len() as u32 - 1);
        self.ast.claims.insert(stmt, Arc::new(claim));
    }

    /// Asserts a condition that the text states; `expanded` is its text behind the preprocessor.
    pub fn state(&mut self, condition: ExprId, check: Check, expanded: String, span: Span) {
        self.claim(condition, Claim { check, text: None }, span);
        let stmt = StmtId(self.ast.stmts.len() as u32 - 1);
        self.stated.push(Stated {
            stmt,
            span,
            expanded,
        });
    }

    /// That something holds of an operand, which is named by its text.
    pub fn claim_about(&self, check: Check, operand: Span, what: &str, whole: Span) -> Claim {
        let text = self.source_text.get(operand.range()).unwrap_or("");
        let text = if text.trim().is_empty() {
            self.source_text.get(whole.range()).unwrap_or("")
        } else {
            text
        };
        let text = one_line(without_parentheses(text));
        let text = match what.strip_prefix(':') {
            Some(what) => format!("{text}:{what}"),
            None => format!("{text} {what}"),
        };
        Claim {
            check,
            text: Some(text),
        }
    }

    /// The text behind the preprocessor on one line, cut if it is long.
    pub fn expanded(&self, span: lang_c::span::Span) -> String {
        one_line(without_parentheses(
            self.text.get(span.start..span.end).unwrap_or(""),
        ))
    }

    /// Gives assertions of one macro call different names.
    pub fn tell_apart(&mut self) {
        let mut calls: BTreeMap<Span, Vec<&Stated>> = BTreeMap::new();
        for stated in &self.stated {
            calls.entry(stated.span).or_default().push(stated);
        }
        for (span, several) in calls.into_iter().filter(|(_, all)| all.len() > 1) {
            let call = one_line(self.source_text.get(span.range()).unwrap_or(""));
            for stated in several {
                if let Some(claim) = self.ast.claims.get_mut(&stated.stmt) {
                    let text = format!("{call}: {}", stated.expanded);
                    Arc::make_mut(claim).text = Some(text);
                }
            }
        }
    }

    /// The notation of a term: that of what it is made of.
    pub fn notation_of(&self, term: &Term) -> hardbop_syntax::Notation {
        crate::notations::of_term(self, term)
    }
}

/// A text without parentheses around all of it, as macros put them around their arguments.
fn without_parentheses(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inner) = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        // In `(a) + (b)` the first parenthesis is closed before the end.
        let mut open = 0i32;
        let is_whole = inner.bytes().all(|byte| {
            open += i32::from(byte == b'(') - i32::from(byte == b')');
            open >= 0
        });
        if !is_whole {
            break;
        }
        text = inner.trim();
    }
    text
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= MAX_OPERAND {
        return line;
    }
    let cut: String = line.chars().take(MAX_OPERAND - 1).collect();
    format!("{}…", cut.trim_end())
}
