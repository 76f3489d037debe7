//! Facts about words: affine equalities modulo 2^w, bounds, orders and tested conditions, as
//! inductive invariants of a sequential machine.
//!
//! [`cuts`] chooses the nodes where facts are computed, [`block`] encodes what happens between
//! them, [`templates`] and [`affine`] say what a fact may be, and [`analysis`] keeps those that are
//! inductive. If they exclude a target, [`needed`] picks the ones that the proof uses, and
//! [`certificate`] writes them as an ordinary forward certificate. Nothing here is trusted: a
//! mistake in the analysis can cost an answer but not make a wrong one.
//!
//! [`Lemmas`] are the facts for other engines and for people. The engine never reaches a target; it only proves.

mod affine;
mod analysis;
mod block;
mod certificate;
mod cuts;
mod engine;
mod lemmas;
mod needed;
mod templates;
mod terms;
mod text;

pub use engine::FactsEngine;
pub use lemmas::Lemmas;
