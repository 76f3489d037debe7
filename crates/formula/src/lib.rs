//! The `.mu` language (Mucke's input language, after section 3 of the Getafix paper): relations
//! over finite types, defined by formulas and by least and greatest fixed points.
//!
//! [`load`] turns a text and the files it loads into a tree with diagnostics, and a tree without
//! errors into a [`System`], in which types are gone: everything is bits. Solvers see only the
//! system. [`display`] writes systems as text again.

pub mod ast;
pub mod builder;
mod check;
pub mod display;
mod lexer;
pub mod loading;
mod parser;
pub mod sources;
pub mod system;
mod token;

pub use builder::FormulaBuilder;
pub use loading::{Checked, Loader, load, load_text};
pub use sources::Sources;
pub use system::System;
