//! "Did you mean" for the names of a program.

use hardbop_syntax::ast::Symbol;
use hardbop_syntax::{Ast, suggest};

pub(crate) use suggest::did_you_mean;

/// The candidate nearest to a name, if it is near enough to be a slip of the pen.
pub(crate) fn nearest(
    ast: &Ast,
    wanted: Symbol,
    candidates: impl Iterator<Item = Symbol>,
) -> Option<&str> {
    suggest::nearest(ast.text(wanted), candidates.map(|symbol| ast.text(symbol)))
}

/// The word of the language that looks like a call and is near enough: `asert(x)`.
pub(crate) fn nearest_keyword(ast: &Ast, wanted: Symbol) -> Option<&'static str> {
    let words = ["assert", "assume", "constrain", "print"];
    suggest::nearest(ast.text(wanted), words.into_iter())
}
