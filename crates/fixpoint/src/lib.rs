//! Solves systems of least and greatest fixed points over BDDs.
//!
//! A [`System`](hardbop_formula::System) becomes terms over bits ([`encoding`]: `model`, `term`,
//! `scope`); `dependency` says who reads whom, `allocation` and `order` which BDD variable stands
//! for which bit. In [`search`], `groups` says what is solved together, `program` and `schedule` how
//! a body is evaluated, `iteration` is the operational semantics of section 3 of the Getafix paper
//! and `semi_naive` what makes positive systems fast. [`evidence`] reads tuples off a value and
//! explains. [`Solver`] is the way in.
//!
//! **The same values as nested evaluation, whatever the strategy**, for systems that are not
//! monotone too; one whose iteration does not end is recognised. **Limits are values** ([`Stop`]).

/// Predicates over bits, and the BDD variables of the bits.
mod encoding {
    pub(crate) mod allocation;
    pub(crate) mod dependency;
    pub(crate) mod instances;
    pub(crate) mod meeting;
    pub(crate) mod model;
    pub(crate) mod opening;
    mod order;
    mod partition;
    mod scope;
    pub(crate) mod term;
}

/// Values of predicates, group by group.
mod search {
    pub(crate) mod evaluator;
    mod gates;
    pub(crate) mod groups;
    pub(crate) mod iteration;
    mod plans;
    mod portion;
    pub(crate) mod product;
    pub(crate) mod program;
    pub(crate) mod schedule;
    pub(crate) mod semi_naive;
}

/// What people see of values and of the way to them.
mod evidence {
    pub(crate) mod explain;
    pub(crate) mod natural;
    pub(crate) mod path;
    pub(crate) mod rounds;
    pub(crate) mod tuples;
}

mod limits;
mod solver;

pub use evidence::natural::Natural;
pub use evidence::path::PathLine;
pub use evidence::rounds::{Observer, Round};
pub use evidence::tuples::Binding;
pub use limits::{Limits, Stop};
pub use solver::{Options, Places, Proof, RelationStatistics, Solver, Statistics, Strategy, Until};
