//! Branching time on recursive programs: CTL, by Walukiewicz's game with claims about returns.
//!
//! A formula is about configurations, whole stacks included, and there are infinitely many. But a
//! formula sees of what lies below the running frame only *what holds at the return*: for each way
//! to return, which parts of the formula hold there. Walukiewicz ("Pushdown processes: games and
//! model checking", 1996) makes a finite game of that: at a call one player claims a set of pairs,
//! a state at the exit and a formula that holds once the call has returned from there; the other
//! player either doubts one of the pairs and jumps over the call, or goes in and holds the first to
//! the claim.
//!
//! [`encoding`] has the states of single frames and the formula with its notion of a run.
//! [`search`] explores the states and solves the game one formula after the other: once the operands
//! of an operator are decided, what has to be claimed about the operator itself is a set of exits,
//! of which one or all have to hold. CTL does not nest fixed points, so each operator is one fixed
//! point over such sets. [`evidence`] writes a winning strategy down, and checks one: that is the
//! part that has to be trusted.

mod engine;

/// States of single frames, and what a formula means for them.
mod encoding {
    pub(crate) mod formulas;
    pub(crate) mod states;
}

/// Which states there are, and which claims win.
mod search {
    pub(crate) mod graph;
    pub(crate) mod solver;
}

/// Strategies, written and judged.
mod evidence {
    pub(crate) mod check;
    pub(crate) mod path;
    pub(crate) mod strategy;
}

pub use engine::BranchingEngine;
pub use evidence::check::{StrategyError, check_strategy};
