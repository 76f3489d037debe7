//! Variables and literals of a solver.

use std::ops::Not;

/// A variable of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub(crate) u32);

impl Var {
    /// As an index into a table of the caller's, one entry per variable.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that holds where the variable is true.
    pub fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }
}

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// The variable.
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether it is the negation of its variable.
    pub(crate) fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// As an index into a table with one entry per literal.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Its negation if `condition` holds, else itself.
    #[must_use]
    pub fn negated_if(self, condition: bool) -> Self {
        Self(self.0 ^ u32::from(condition))
    }
}

impl Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        self.negated_if(true)
    }
}
