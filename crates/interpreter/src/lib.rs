//! The semantics of a machine, made to run: small steps on configurations with a real stack.
//!
//! Everything here follows the text of [`hardbop_machine::ir`] line by line and shares nothing with
//! any engine, so that it can judge them all. [`configuration`] is a state of the whole program,
//! [`fire()`] evaluates one edge, [`step`] takes it, [`scheduler`] says whose turn it may be,
//! [`choices`] enumerates what is not determined. On top of these stand [`mod@simulate`] (random or
//! interactive runs), [`mod@replay`] (is this trace a run of this program?), [`walk`] (a trace step
//! by step, folded or expanded), [`mod@fold`] (a flat trace made hierarchical) and [`lasso`] and
//! [`thread_lasso`] (is this an infinite run?).

mod choices;
mod configuration;
mod fire;
mod fold;
mod lasso;
mod letters;
mod reads;
mod record;
mod replay;
mod run_table;
mod scheduler;
mod simulate;
mod start;
mod step;
#[cfg(test)]
mod test_programs;
mod thread_lasso;
mod walk;

pub use choices::{TooManyChoices, Valuations, valuation_bits};
pub use configuration::{Configuration, Frame, Origin, Slot, ThreadState, initial, initial_slots};
pub use fire::fire;
pub use fold::fold;
pub use lasso::{
    Ending, LassoError, ObservedLasso, Part, ReplayedLasso, observe_lasso, observe_trace,
    replay_lasso,
};
pub use letters::{letter_of_state, letter_of_threads};
pub use record::Recorder;
pub use replay::{Fault, Place, ReplayError, Replayed, replay};
pub use scheduler::schedulable;
pub use simulate::{
    Chooser, Course, End, RandomChooser, Simulation, StepOption, simulate, simulate_course,
};
pub use step::{Effect, Move, StepError, returned, step_slots, take};
pub use thread_lasso::{
    has_ended, observe_thread_lasso, observe_thread_trace, replay_thread_lasso,
};
pub use walk::{Walk, Walked, WalkedKind};
