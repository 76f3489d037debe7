//! Text to syntax tree.
//!
//! The first box of the data flow: [`parse`] turns the text of a `.bp` or `.gp` file into an
//! [`ast::Ast`] and a list of [`Diagnostic`]s. **Parsing never fails**: whatever the input, there
//! is a tree and, where the text is not a program, at least one error. Nothing here recurses on the
//! shape of the input, so nesting is limited by memory only.

pub mod ast;
pub mod chunks;
pub mod claims;
pub mod codes;
pub mod diagnostic;
pub mod format;
pub mod index;
mod lexer;
pub mod list;
mod names;
pub mod notation;
mod parser;
mod places;
mod shown;
pub mod source;
pub mod suggest;
mod token;

pub use ast::Ast;
pub use claims::{Check, Claim};
pub use codes::Code;
pub use diagnostic::{Diagnostic, Severity};
pub use list::List;
pub use notation::{Notation, ValueNames};
pub use parser::{Parsed, parse, parse_as};
pub use shown::{shown_line, shown_name};
pub use source::{Source, Span};
