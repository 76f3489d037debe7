//! Properties of runs: what must not happen, as an automaton.
//!
//! Formulas of linear temporal logic ([`ltl`]), monitors ([`monitor`]) and files in the HOA format
//! ([`hoa`]) all become an [`Automaton`] over the [`Propositions`] of a program: labels, variables,
//! comparisons, termination. The head of [`automaton`] says what an automaton means; that of
//! [`propositions`] what a property can see. How a program is searched for a run that an automaton
//! accepts is the business of engines. Formulas of branching time ([`ctl`]) do not become automata:
//! they are about states, and stay what they are.
//!
//! A formula goes through `text` (tokens, tree, names), [`formula`] (normal form), `tableau`
//! (generalised Büchi automaton), `generalised` (one set of accepting states) and `reduce`.
//! [`evaluate`] decides formulas on words without automata.

mod automaton;
mod buchi;
mod components;
mod condition;
mod ctl;
mod ctl_text;
mod evaluate;
mod formula;
mod generalised;
mod guard;
mod hoa;
mod ltl;
mod monitor;
mod property;
mod propositions;
mod reduce;
mod tableau;
mod text;
mod translate;

pub use automaton::{Automaton, Edge, State, StateId};
pub use components::Components;
pub use ctl::{Ctl, PathFormula, Shows, StateFormula, StateId as StateFormulaId, read_ctl};
pub use guard::{Cube, Guard, Letter};
pub use hoa::{read_hoa, write_hoa};
pub use ltl::{Ltl, read_ltl};
pub use monitor::{
    Monitor, MonitorText, ProgramName, ProgramNameKind, read_monitor, read_monitor_text,
};
pub use property::{Property, PropertyErrors, PropertyText, ReadProperty, Translated};
pub use propositions::{Atom, Proposition, Propositions, View};
