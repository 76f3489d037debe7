//! A model checker for recursive Boolean programs: parse a program, ask a question, get a validated
//! answer.
//!
//! ```
//! use hardbop::Model;
//!
//! let model = Model::parse(
//!     "lock.bp",
//!     "decl held := 0;
//!      void main() begin take(); take(); end
//!      void take() begin assert(!held); held := 1; end",
//! )?;
//! let outcome = model.assertions().answer()?;
//! for answer in &outcome.answers {
//!     println!("{} {}", answer.word(), answer.asked);
//!     if let Some(run) = answer.verdict.evidence() {
//!         println!("{}", model.text_of(run)?);
//!     }
//! }
//! # assert!(outcome.answers[0].verdict.is_yes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every answer has been validated: the interpreter has replayed its run, or an independent checker
//! has validated its certificate. If a question could not be decided within the limits, the verdict
//! is [`Verdict::Unknown`].
//!
//! [`Inquiry`] sets the engine, bounds and limits. By default, the best engines for the question
//! take turns, and the same question gives the same answer on every machine.

mod inquiry;
mod model;

pub use hardbop_automata::{Property, PropertyErrors, PropertyText};
pub use hardbop_machine::Machine;
pub use hardbop_outcome::{
    Answer, Asked, Bound, Certificate, Evidence, Interrupt, Lasso, Limit, Outcome, Progress,
    Question, Support, Target, ThreadLasso, Trace, Verdict, VerdictWord,
};
pub use hardbop_portfolio::{EngineName, Fault, Options, Refused};
pub use hardbop_syntax::Diagnostic;
pub use inquiry::Inquiry;
pub use model::{Errors, Model, NoSuchPlace, NotARun};
