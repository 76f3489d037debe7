//! Checks refutations by unit propagation, and shares nothing with the solver that finds them.
//!
//! A clause follows *by reverse unit propagation* (RUP) if assuming that all its literals are false
//! and then drawing only the conclusions that single clauses force ends in a contradiction. Every
//! clause that a solver learns from a conflict is of this kind, given those it learnt before
//! (Goldberg and Novikov 2003). So the learnt clauses, in order, are a proof, and [`Propagation`]
//! checks it: [`Propagation::learn`] takes a clause only if it follows.
//!
//! Why that is sound: a literal becomes true only as an assumption, or because all other literals
//! of a clause are false; so in every model of the clauses in which the assumptions hold, it is
//! true. Which literals of a clause are watched decides only whether a conclusion is *found*. Two
//! literals of each clause are, as in solvers, and never two false ones while another is not.
//!
//! Deletions are not followed: they make a proof cheaper to check, never more or less right.

use crate::lit::{Lit, Var};

/// Clauses, and what follows from them.
#[derive(Default)]
pub(crate) struct Propagation {
    /// All clauses, one after the other.
    literals: Vec<Lit>,
    /// Where they end.
    ends: Vec<u32>,
    /// Per literal the clauses that watch it: visited when it becomes false.
    watches: Vec<Vec<Watch>>,
    /// Per literal whether it is true.
    is_true: Vec<bool>,
    /// Literals in the order in which they became true.
    trail: Vec<Lit>,
    /// How many of them have been propagated.
    propagated: usize,
    variables: u32,
    /// The clauses alone are contradictory.
    is_contradictory: bool,
}

/// A clause that watches a literal.
#[derive(Clone, Copy)]
struct Watch {
    start: u32,
    end: u32,
    /// Some literal of the clause: where it is true, there is nothing to look for.
    other: Lit,
}

impl Propagation {
    /// Forgets everything but the memory it has.
    pub(crate) fn clear(&mut self) {
        self.literals.clear();
        self.ends.clear();
        let used = 2 * self.variables as usize;
        self.watches[..used].iter_mut().for_each(Vec::clear);
        self.is_true.clear();
        self.trail.clear();
        self.propagated = 0;
        self.variables = 0;
        self.is_contradictory = false;
    }

    pub(crate) fn new_var(&mut self) -> Var {
        let var = Var(self.variables);
        self.variables += 1;
        self.is_true.extend([false; 2]);
        if self.watches.len() < self.is_true.len() {
            self.watches.extend([Vec::new(), Vec::new()]);
        }
        var
    }

    pub(crate) fn variable_count(&self) -> u32 {
        self.variables
    }

    pub(crate) fn clause_count(&self) -> usize {
        self.ends.len()
    }

    /// A clause; its literals may have another order than when it was added.
    pub(crate) fn clause(&self, index: usize) -> &[Lit] {
        let start = index.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.literals[start as usize..self.ends[index] as usize]
    }

    fn is_false(&self, lit: Lit) -> bool {
        self.is_true[(!lit).index()]
    }

    fn assign(&mut self, lit: Lit) {
        self.is_true[lit.index()] = true;
        self.trail.push(lit);
    }

    /// Adds a clause that is to hold.
    pub(crate) fn add(&mut self, clause: &[Lit]) {
        let start = self.literals.len();
        self.literals.extend_from_slice(clause);
        self.drop_duplicates(start);
        let end = self.literals.len();
        let offset =
            |at: usize| u32::try_from(at).expect("fewer than 2^32 literals in all clauses");
        self.ends.push(offset(end));
        // Between calls only what follows from the clauses alone is true.
        let mut open = start;
        for at in start..end {
            let lit = self.literals[at];
            if self.is_true[lit.index()] {
                return;
            }
            if !self.is_false(lit) {
                self.literals.swap(open, at);
                open += 1;
            }
        }
        match open - start {
            0 => self.is_contradictory = true,
            1 => self.assign(self.literals[start]),
            _ => {
                let [first, second] = [self.literals[start], self.literals[start + 1]];
                for (lit, other) in [(first, second), (second, first)] {
                    self.watches[lit.index()].push(Watch {
                        start: offset(start),
                        end: offset(end),
                        other,
                    });
                }
            }
        }
    }

    /// A literal that is there twice would be watched twice, and the clause not seen to be unit.
    fn drop_duplicates(&mut self, start: usize) {
        let clause = &mut self.literals[start..];
        clause.sort_unstable();
        let mut distinct = 0;
        for at in 0..clause.len() {
            if distinct == 0 || clause[distinct - 1] != clause[at] {
                clause[distinct] = clause[at];
                distinct += 1;
            }
        }
        self.literals.truncate(start + distinct);
    }

    /// Adds a clause if it follows; else gives false.
    #[must_use]
    pub(crate) fn learn(&mut self, clause: &[Lit]) -> bool {
        let follows = self.refutes(clause.iter().map(|&lit| !lit));
        if follows {
            self.add(clause);
        }
        follows
    }

    /// Whether propagation alone shows that the assumptions cannot hold together.
    pub(crate) fn refutes(&mut self, assumptions: impl IntoIterator<Item = Lit>) -> bool {
        if self.is_contradictory || !self.propagate() {
            self.is_contradictory = true;
            return true;
        }
        let certain = self.trail.len();
        let mut is_consistent = true;
        for lit in assumptions {
            if self.is_false(lit) {
                is_consistent = false;
                break;
            }
            if !self.is_true[lit.index()] {
                self.assign(lit);
            }
        }
        is_consistent = is_consistent && self.propagate();
        for lit in self.trail.drain(certain..) {
            self.is_true[lit.index()] = false;
        }
        self.propagated = certain;
        !is_consistent
    }

    /// Draws all conclusions; false if they contradict each other.
    fn propagate(&mut self) -> bool {
        while let Some(&lit) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let mut watches = std::mem::take(&mut self.watches[(!lit).index()]);
            let mut is_consistent = true;
            watches
                .retain_mut(|watch| !is_consistent || self.visit(watch, !lit, &mut is_consistent));
            self.watches[(!lit).index()] = watches;
            if !is_consistent {
                return false;
            }
        }
        true
    }

    /// Looks at a clause one of whose watched literals became false. Gives whether it still
    /// watches it.
    fn visit(&mut self, watch: &mut Watch, falsified: Lit, is_consistent: &mut bool) -> bool {
        if self.is_true[watch.other.index()] {
            return true;
        }
        let clause = &mut self.literals[watch.start as usize..watch.end as usize];
        if clause[0] == falsified {
            clause.swap(0, 1);
        }
        let first = clause[0];
        watch.other = first;
        if self.is_true[first.index()] {
            return true;
        }
        let is_true = &self.is_true;
        if let Some(at) = clause[2..].iter().position(|&lit| !is_true[(!lit).index()]) {
            clause.swap(1, at + 2);
            let watched = clause[1];
            self.watches[watched.index()].push(*watch);
            return false;
        }
        if self.is_false(first) {
            *is_consistent = false;
        } else {
            self.assign(first);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_variables(count: usize) -> (Propagation, Vec<Lit>) {
        let mut propagation = Propagation::default();
        let lits = (0..count).map(|_| propagation.new_var().positive());
        let lits = lits.collect();
        (propagation, lits)
    }

    #[test]
    fn a_clause_is_learnt_only_if_propagation_shows_it() {
        let (mut propagation, lits) = with_variables(3);
        let [a, b, c] = [lits[0], lits[1], lits[2]];
        for clause in [[a, b], [!a, c], [!b, c]] {
            propagation.add(&clause);
        }
        assert!(!propagation.learn(&[a]), "it does not follow");
        assert!(!propagation.refutes([!a]), "and was not added");
        assert!(propagation.learn(&[c]));
        assert!(propagation.refutes([!c]));
        assert!(!propagation.learn(&[]), "there are models");
    }

    #[test]
    fn what_follows_only_by_cases_needs_a_step_in_between() {
        let (mut propagation, lits) = with_variables(2);
        let [a, b] = [lits[0], lits[1]];
        for clause in [[a, b], [a, !b], [!a, b], [!a, !b]] {
            propagation.add(&clause);
        }
        assert!(!propagation.refutes([]));
        assert!(propagation.learn(&[a]));
        assert!(propagation.refutes([]));
        propagation.clear();
        let var = propagation.new_var().positive();
        assert!(!propagation.refutes([var]), "nothing is left");
    }

    #[test]
    fn assumptions_leave_no_trace() {
        let (mut propagation, lits) = with_variables(4);
        propagation.add(&[!lits[0], lits[1]]);
        propagation.add(&[!lits[1], lits[2], lits[3]]);
        assert!(propagation.refutes([lits[0], !lits[2], !lits[3]]));
        assert!(!propagation.refutes([lits[0], !lits[2]]));
        assert!(!propagation.refutes([lits[0], !lits[3]]));
        assert!(propagation.refutes([lits[3], !lits[3]]));
        assert!(!propagation.refutes([lits[3]]));
    }
}
