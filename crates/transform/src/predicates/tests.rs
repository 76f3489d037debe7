//! Formulas, weakest preconditions, clauses and whole programs.
