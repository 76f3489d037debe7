//! The language server behind `hardbop lsp`: what an editor shows about `.bp`, `.gp`, `.mu` and
//! `.mon` files while they are written.
//!
//! [`transport`] turns bytes into messages, [`server`] answers them. Each text is read once per
//! version ([`reading`]) into diagnostics and an index of its names, from which [`navigation`],
//! [`hover`] and [`rename`] answer. Diagnostics are published from a thread of their own once
//! typing pauses, and [`checks`] asks the portfolio on another one ([`background`]). **Whatever arrives, the server goes
//! on**: a message that is not one is answered by an error, and so is one that makes it panic.
//!
//! Like every library here it neither reads files nor looks at the clock: [`Outside`] does.

mod background;
mod checks;
#[cfg(test)]
mod damaged;
mod documents;
mod findings;
mod hover;
mod language;
mod lenses;
mod lines;
mod navigation;
mod program_names;
mod reading;
mod rename;
mod server;
mod transport;

pub use server::End;
pub use transport::serve_streams;

use hardbop_outcome::Interrupt;
use std::sync::Arc;

/// What the server needs of the world.
pub trait Outside: Send + Sync {
    /// The text of a file, or why there is none.
    fn read(&self, path: &str) -> Result<String, String>;

    /// A C text after the preprocessor, nothing where there is no preprocessor, or what it
    /// complains about.
    fn preprocess(&self, path: &str, text: &str) -> Result<Option<Arc<str>>, String>;

    /// Says stop after this many seconds, or when memory runs out.
    fn limit(&self, seconds: u32) -> Box<dyn Interrupt + Send>;
}
