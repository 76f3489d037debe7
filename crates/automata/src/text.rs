//! The text of properties: tokens, expressions, what their names mean.
//!
//! Formulas, the guards of monitors and the propositions of HOA files share one syntax. The parser
//! of programs does not serve: there `F` is a constant, here it is an operator, and single capital
//! letters are operators only in their place.

pub(crate) mod expressions;
pub(crate) mod lexer;
mod names;
pub(crate) mod resolve;
pub(crate) mod tree;
