//! Clauses that are written down instead of solved, for files in DIMACS format.

use crate::lit::{Lit, Var};
use crate::tseitin::Clauses;
use std::fmt::Write;

/// A formula in conjunctive normal form.
#[derive(Clone, Debug, Default)]
pub struct Cnf {
    variables: u32,
    clauses: Vec<Box<[Lit]>>,
}

impl Clauses for Cnf {
    const IS_EAGER: bool = true;

    fn new_var(&mut self) -> Var {
        self.variables += 1;
        Var(self.variables - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clauses.push(clause.into());
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Cnf {
    /// The number by which a file calls a literal: that of its variable, from 1 on, negative if it
    /// is negated.
    pub fn number(lit: Lit) -> i64 {
        let number = i64::from(lit.var().0) + 1;
        if lit.is_negative() { -number } else { number }
    }

    /// The text of a file, after these lines of comment.
    pub fn dimacs(&self, comments: &[String]) -> String {
        let mut text = String::new();
        for comment in comments {
            text.push_str("c ");
            // A comment is one line whatever stands in it.
            text.extend(
                comment
                    .chars()
                    .map(|c| if c.is_control() { ' ' } else { c }),
            );
            text.push('\n');
        }
        let _ = writeln!(text, "p cnf {} {}", self.variables, self.clauses.len());
        for clause in &self.clauses {
            for &lit in clause {
                let _ = write!(text, "{} ", Self::number(lit));
            }
            text.push_str("0\n");
        }
        text
    }
}
