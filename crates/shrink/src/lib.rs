//! Makes a failing program small: delta debugging (Zeller, Hildebrandt) on the syntax tree.
//!
//! Every way to make a program smaller is an [`Edit`] of the tree. The edits of one kind are tried
//! in large chunks first and then in ever smaller ones; a candidate is repaired (jumps and calls
//! that lead nowhere are dropped), printed, and kept if it is lighter, is still a valid program and
//! still fails. Every kept candidate weighs less than the one before, so shrinking ends.

mod candidates;
mod edit;
mod repair;
mod tree;
mod weight;

use edit::Edit;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Ast, Source, format, parse};
use weight::weight;

/// The smallest program that could be found for which `still_fails`, starting from one for which it
/// does.
///
/// Only valid programs are asked about. If the given text is not valid, it is returned as it is.
pub fn shrink(text: &str, still_fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut shrinker = Shrinker {
        best: text.to_owned(),
        still_fails,
    };
    if valid_tree(text).is_none() {
        return shrinker.best;
    }
    shrinker.try_layout();
    loop {
        let before = weight(&shrinker.best);
        for list in candidates::ALL {
            shrinker.try_edits(list);
        }
        if weight(&shrinker.best) >= before {
            shrinker.try_layout();
            return shrinker.best;
        }
    }
}

struct Shrinker<'a> {
    best: String,
    still_fails: &'a mut dyn FnMut(&str) -> bool,
}

impl Shrinker<'_> {
    /// Tries the usual layout without comments and without the blank lines that removed parts leave
    /// behind.
    fn try_layout(&mut self) {
        let lines = self.best.lines().filter(|line| !line.trim().is_empty());
        let dense = lines.collect::<Vec<_>>().join("\n");
        let Some((ast, source)) = valid_tree(&dense) else {
            return;
        };
        let text = print(ast, &source);
        if (self.still_fails)(&text) {
            self.best = text;
        }
    }

    /// Tries all edits of one kind, many at once and then fewer and fewer.
    fn try_edits(&mut self, list: fn(&Ast) -> Vec<Edit>) {
        let Some((mut ast, mut source)) = valid_tree(&self.best) else {
            return;
        };
        let mut edits = list(&ast);
        let mut chunk = edits.len();
        while chunk > 0 {
            let mut start = 0;
            while start < edits.len() {
                let end = (start + chunk).min(edits.len());
                if self.try_chunk(&ast, &source, &edits[start..end]) {
                    // The edits that are left have new names in the new tree; those tried before
                    // failed already.
                    let Some(next) = valid_tree(&self.best) else {
                        return;
                    };
                    (ast, source) = next;
                    edits = list(&ast);
                } else {
                    start = end;
                }
            }
            chunk = if chunk == 1 {
                0
            } else {
                chunk.min(edits.len()).div_ceil(2)
            };
        }
    }

    fn try_chunk(&mut self, ast: &Ast, source: &Source, edits: &[Edit]) -> bool {
        let mut candidate = ast.clone();
        // From the last to the first, so that positions in lists stay right.
        for edit in edits.iter().rev() {
            edit.apply(&mut candidate);
        }
        repair::repair(&mut candidate);
        let text = print(candidate, source);
        let is_better = weight(&text) < weight(&self.best)
            && valid_tree(&text).is_some()
            && (self.still_fails)(&text);
        if is_better {
            self.best = text;
        }
        is_better
    }
}

fn print(mut ast: Ast, source: &Source) -> String {
    ast.comments.clear();
    format::format(&ast, source)
}

/// The tree of a text that is a program.
fn valid_tree(text: &str) -> Option<(Ast, Source)> {
    let source = Source::new("candidate.bp", text);
    let parsed = parse(&source);
    if has_errors(&parsed.diagnostics) {
        return None;
    }
    let checked = hardbop_program::check(parsed.ast, &source, None);
    let is_valid = !has_errors(&checked.diagnostics);
    let program = checked.program.filter(|_| is_valid)?;
    Some((program.ast, source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_families::{Knobs, generate};
    use hardbop_syntax::ast::StmtKind;

    /// A property that looks at the statements of a program.
    fn of_tree(text: &str, holds: impl Fn(&Ast, &StmtKind) -> bool) -> bool {
        let Some((ast, _)) = valid_tree(text) else {
            panic!("only valid programs are asked about:\n{text}");
        };
        let ids = tree::statements(&ast);
        ids.into_iter().any(|id| holds(&ast, &ast.stmt(id).kind))
    }

    fn calls_in_loop(text: &str) -> bool {
        of_tree(text, |ast, kind| match kind {
            StmtKind::While { body, .. } => tree::statements_in(ast, body)
                .into_iter()
                .any(|id| matches!(ast.stmt(id).kind, StmtKind::Call { .. })),
            _ => false,
        })
    }

    fn long_program(least: usize, property: fn(&str) -> bool) -> String {
        let knobs = Knobs {
            procedures: 8,
            statements: 12,
            ..Knobs::everything()
        };
        let mut programs = (0..1000).map(|seed| generate(seed, &knobs));
        let is_fitting = |text: &String| text.lines().count() >= least && property(text);
        programs
            .find(is_fitting)
            .expect("some long program has the property")
    }

    #[test]
    fn a_long_program_becomes_a_handful_of_lines() {
        let text = long_program(200, calls_in_loop);
        let small = shrink(&text, &mut calls_in_loop);
        assert!(calls_in_loop(&small), "{small}");
        let lines = small.lines().filter(|line| !line.is_empty());
        assert!(lines.count() <= 10, "{small}");
    }

    #[test]
    fn expressions_become_small_too() {
        fn constrains(text: &str) -> bool {
            text.contains("constrain") && text.contains("assert(")
        }
        let text = long_program(100, constrains);
        let small = shrink(&text, &mut constrains);
        assert!(small.lines().count() <= 8, "{small}");
        assert!(weight(&small) <= 40, "{} {small}", weight(&small));
    }

    #[test]
    fn a_variable_goes_with_all_its_uses() {
        let text = "decl a, b;\nvoid f(p, q) begin decl c; c, b := p, q & a; assert(!c); end\n\
                    bool g(x) begin return x; end\n\
                    void main() begin decl y; y := g(a); f(y, b); dead y, a; end\n";
        let small = shrink(text, &mut |text| {
            text.contains("f(") && text.contains("main")
        });
        assert_eq!(
            small, "void f() begin\nend\n\nvoid main() begin\nend\n",
            "{small}"
        );
    }

    #[test]
    fn a_program_in_which_everything_matters_stays() {
        let text = "void main() begin\n  assert 0;\nend\n";
        assert_eq!(shrink(text, &mut |text| text.contains("assert")), text);
    }

    #[test]
    fn text_that_is_no_program_is_left_alone() {
        assert_eq!(shrink("void main(", &mut |_| true), "void main(");
    }
}
