//! The semantics of a machine, made to run: small steps on configurations with a real stack.
//!
//! Everything here follows the text of [`hardbop_machine::ir`] line by line and shares nothing with
//! any engine, so that it can judge them all. [`configuration`] is a state of the whole program,
//! [`fire`] evaluates one edge, [`step`] takes it, [`scheduler`] says whose turn it may be,
//! [`choices`] enumerates what is not determined. On top of these stand [`mod@simulate`] (random or
//! interactive runs), [`mod@replay`] (is this trace a run of this program?), [`walk`] (a trace step
//! by step, folded or expanded), [`mod@fold`] (a flat trace made hierarchical) and [`lasso`] and
//! [`thread_lasso`] (is this an infinite run?).

pub mod choices;
pub mod configuration;
pub mod fire;
pub mod fold;
pub mod lasso;
mod letters;
pub mod record;
pub mod replay;
pub mod run_table;
pub mod scheduler;
pub mod simulate;
mod start;
pub mod step;
#[cfg(test)]
mod test_programs;
pub mod thread_lasso;
pub mod walk;

pub use choices::{TooManyChoices, Valuations};
pub use configuration::{Configuration, Frame, Origin, Slot, ThreadState};
pub use fold::fold;
pub use lasso::{
    Ending, LassoError, ObservedLasso, ReplayedLasso, observe_lasso, observe_trace, replay_lasso,
};
pub use letters::{letter_of_state, letter_of_threads};
pub use record::Recorder;
pub use replay::{Fault, Place, ReplayError, Replayed, replay, replay_of};
pub use simulate::{Chooser, End, RandomChooser, Simulation, StepOption, simulate};
pub use step::{Effect, Move, StepError, take};
pub use thread_lasso::{observe_thread_lasso, observe_thread_trace, replay_thread_lasso};
pub use walk::{Walk, Walked, WalkedKind};
