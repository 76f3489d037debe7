//! A system of constrained Horn clauses, as read.

use crate::terms::{PredicateId, Sort, TermId, Terms};

/// Clauses with their terms.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// All terms.
    pub terms: Terms,
    /// The declared predicates.
    pub predicates: Vec<Predicate>,
    /// The clauses in order of the text.
    pub clauses: Vec<Clause>,
}

/// A declared predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name as written, without quotation.
    pub name: String,
    /// The sorts of its arguments.
    pub sorts: Vec<Sort>,
}

/// A predicate with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The predicate.
    pub predicate: PredicateId,
    /// Its arguments.
    pub arguments: Vec<TermId>,
}

/// A clause: where the body and the constraint hold, so does the head; without a head they cannot
/// hold together. Its variables are all those that occur, for all values.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The predicates of the body.
    pub body: Vec<Atom>,
    /// The constraint, a conjunction.
    pub constraint: Vec<TermId>,
    /// The head.
    pub head: Option<Atom>,
    /// Where the command begins that it comes from, in bytes.
    pub offset: u32,
}

impl Clause {
    /// All its terms.
    pub fn roots(&self) -> Vec<TermId> {
        let atoms = self.body.iter().chain(&self.head);
        let arguments = atoms.flat_map(|atom| atom.arguments.iter().copied());
        arguments.chain(self.constraint.iter().copied()).collect()
    }
}
