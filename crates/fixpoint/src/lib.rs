//! Solves systems of least and greatest fixed points over BDDs.
//!
//! A [`System`](hardbop_formula::System) becomes terms over bits ([`model`], [`term`], [`scope`]);
//! [`dependency`] and [`groups`] say what is solved together, [`allocation`] and [`order`] which
//! BDD variable stands for which bit, [`program`] and [`schedule`] how a body is evaluated.
//! [`iteration`] is the operational semantics of section 3 of the Getafix paper, [`semi_naive`]
//! what makes positive systems fast. [`Solver`] is the way in.
//!
//! **The same values as nested evaluation, whatever the strategy**, for systems that are not
//! monotone too; one whose iteration does not end is recognised. **Limits are values** ([`Stop`]).

mod allocation;
mod dependency;
mod evaluator;
mod explain;
mod gates;
mod groups;
mod iteration;
mod limits;
mod model;
mod natural;
mod order;
mod partition;
mod plans;
mod portion;
mod product;
mod program;
mod rounds;
mod schedule;
mod scope;
mod semi_naive;
mod solver;
mod term;
mod tuples;

pub use limits::{Limits, Stop};
pub use natural::Natural;
pub use rounds::{Observer, Round};
pub use solver::{Options, Places, RelationStatistics, Solver, Statistics, Strategy, Until};
pub use tuples::Binding;
