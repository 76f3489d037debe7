//! What an answer consists of: a definition for every predicate, or a derivation of a contradiction.

use crate::terms::{PredicateId, TermId, VarId};

/// A definition for every predicate, in the order of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The definitions.
    pub definitions: Vec<Interpretation>,
}

/// The definition of one predicate: a formula over parameters, without quantifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpretation {
    /// The parameters.
    pub parameters: Vec<VarId>,
    /// The formula.
    pub formula: TermId,
}

/// A derivation: each step follows from a clause and earlier steps, and the last is a contradiction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    /// The steps.
    pub steps: Vec<Inference>,
}

/// One use of a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inference {
    /// The clause, an index into the system.
    pub clause: usize,
    /// Values of its variables; those that are not listed are zero.
    pub values: Vec<(VarId, u64)>,
    /// For each predicate of its body an earlier step.
    pub premises: Vec<usize>,
    /// The fact that follows; nothing for a contradiction.
    pub fact: Option<(PredicateId, Vec<u64>)>,
}
