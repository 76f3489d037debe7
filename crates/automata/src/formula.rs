//! Formulas of linear temporal logic, in negation normal form and shared: equal formulas have equal
//! ids. Those of [`crate::ctl`] have path quantifiers too.
//!
//! Next, until and release are the temporal operators that are stored; the others are defined by
//! them. Negation is pushed to the propositions as the formula is made, with the dual of every
//! formula remembered, so that `<->` costs no more than its operands. The constructors apply the
//! equivalences that make automata smaller (Somenzi and Bloem, "Efficient Büchi automata from LTL
//! formulas"): `F a | F b` is `F (a | b)`, `F G F a` is `G F a`, and so on. Operands have smaller
//! ids than their users, so a loop over the table is a walk bottom-up, and nothing recurses.

use hardbop_program::id;
use std::collections::HashMap;

id! {
    /// A formula: index into its [`Formulas`].
    FormulaId
}

/// A formula whose operands are in the same table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Formula {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// A proposition or its negation.
    Literal {
        /// Which proposition.
        proposition: u32,
        /// Whether it has to hold.
        positive: bool,
    },
    /// All of these, at least two, in order of their ids.
    And(Box<[FormulaId]>),
    /// Some of these, at least two, in order of their ids.
    Or(Box<[FormulaId]>),
    /// At the next position.
    Next(FormulaId),
    /// The second at some position, and until then the first.
    Until(FormulaId, FormulaId),
    /// The second up to and including the position where the first holds, or for ever.
    Release(FormulaId, FormulaId),
    /// On some run from here; only in branching time.
    Exists(FormulaId),
    /// On all runs from here; only in branching time.
    Forall(FormulaId),
}

impl Formula {
    /// Its operands.
    pub(crate) fn operands(&self) -> Vec<FormulaId> {
        match self {
            Formula::True | Formula::False | Formula::Literal { .. } => Vec::new(),
            Formula::And(operands) | Formula::Or(operands) => operands.to_vec(),
            Formula::Next(operand) | Formula::Exists(operand) | Formula::Forall(operand) => {
                vec![*operand]
            }
            Formula::Until(a, b) | Formula::Release(a, b) => vec![*a, *b],
        }
    }
}

/// A table of formulas.
#[derive(Clone, Debug)]
pub(crate) struct Formulas {
    table: Vec<Formula>,
    ids: HashMap<Formula, FormulaId>,
    duals: Vec<Option<FormulaId>>,
}

impl Default for Formulas {
    fn default() -> Self {
        let mut formulas = Self {
            table: Vec::new(),
            ids: HashMap::new(),
            duals: Vec::new(),
        };
        formulas.intern(Formula::True);
        formulas.intern(Formula::False);
        formulas
    }
}

impl Formulas {
    /// The formula that holds everywhere.
    pub(crate) const TRUE: FormulaId = FormulaId(0);
    /// The formula that holds nowhere.
    pub(crate) const FALSE: FormulaId = FormulaId(1);

    /// A formula.
    pub(crate) fn get(&self, id: FormulaId) -> &Formula {
        &self.table[id.index()]
    }

    /// How many formulas there are.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    fn intern(&mut self, formula: Formula) -> FormulaId {
        if let Some(&id) = self.ids.get(&formula) {
            return id;
        }
        let id = FormulaId::new(self.table.len());
        self.table.push(formula.clone());
        self.duals.push(None);
        self.ids.insert(formula, id);
        id
    }

    /// `true` or `false`.
    pub(crate) fn constant(value: bool) -> FormulaId {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// A proposition.
    pub(crate) fn proposition(&mut self, proposition: u32) -> FormulaId {
        self.intern(Formula::Literal {
            proposition,
            positive: true,
        })
    }

    /// The negation.
    pub(crate) fn not(&mut self, root: FormulaId) -> FormulaId {
        let mut pending = vec![root];
        while let Some(&id) = pending.last() {
            if self.duals[id.index()].is_some() {
                pending.pop();
                continue;
            }
            let formula = self.get(id).clone();
            let operands = formula.operands();
            let missing: Vec<FormulaId> = operands
                .iter()
                .copied()
                .filter(|operand| self.duals[operand.index()].is_none())
                .collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            pending.pop();
            let duals: Vec<FormulaId> = operands
                .iter()
                .map(|operand| self.duals[operand.index()].expect("none is missing"))
                .collect();
            let dual = match formula {
                Formula::True => Self::FALSE,
                Formula::False => Self::TRUE,
                Formula::Literal {
                    proposition,
                    positive,
                } => self.intern(Formula::Literal {
                    proposition,
                    positive: !positive,
                }),
                Formula::And(_) => self.or(duals),
                Formula::Or(_) => self.and(duals),
                Formula::Next(_) => self.next(duals[0]),
                Formula::Exists(_) => self.forall(duals[0]),
                Formula::Forall(_) => self.exists(duals[0]),
                Formula::Until(..) => self.release(duals[0], duals[1]),
                Formula::Release(..) => self.until(duals[0], duals[1]),
            };
            self.duals[id.index()] = Some(dual);
        }
        self.duals[root.index()].expect("the loop ends when the root has its dual")
    }

    /// All of some formulas.
    pub(crate) fn and(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.connective(operands, true)
    }

    /// Some of some formulas.
    pub(crate) fn or(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.connective(operands, false)
    }

    /// A conjunction, or dually a disjunction: flat, without repetitions, with its `G`s (dually its
    /// `F`s) made one.
    fn connective(
        &mut self,
        operands: impl IntoIterator<Item = FormulaId>,
        is_and: bool,
    ) -> FormulaId {
        let (unit, zero) = if is_and {
            (Self::TRUE, Self::FALSE)
        } else {
            (Self::FALSE, Self::TRUE)
        };
        let mut flat: Vec<FormulaId> = Vec::new();
        for operand in operands {
            match self.get(operand) {
                Formula::And(inner) if is_and => flat.extend_from_slice(inner),
                Formula::Or(inner) if !is_and => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        self.join_invariants(&mut flat, is_and);
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|&operand| operand != unit);
        let contradicts = |operand: &FormulaId| {
            self.duals[operand.index()].is_some_and(|dual| flat.binary_search(&dual).is_ok())
        };
        if flat.binary_search(&zero).is_ok() || flat.iter().any(contradicts) {
            return zero;
        }
        let redundant: Vec<bool> = flat
            .iter()
            .map(|&operand| self.is_absorbed(operand, &flat, is_and))
            .collect();
        let mut kept = redundant.iter();
        flat.retain(|_| !kept.next().copied().unwrap_or(false));
        match flat.as_slice() {
            [] => unit,
            [one] => *one,
            _ if is_and => self.intern(Formula::And(flat.into())),
            _ => self.intern(Formula::Or(flat.into())),
        }
    }

    /// `a & (a | b)` is `a`, `b & (a U b)` is `b`, and dually.
    fn is_absorbed(&self, operand: FormulaId, flat: &[FormulaId], is_and: bool) -> bool {
        let has = |id: &FormulaId| flat.binary_search(id).is_ok();
        match self.get(operand) {
            Formula::Or(inner) if is_and => inner.iter().any(has),
            Formula::And(inner) if !is_and => inner.iter().any(has),
            Formula::Until(_, goal) if is_and => has(goal),
            Formula::Release(_, kept) if !is_and => has(kept),
            _ => false,
        }
    }

    /// In a conjunction `G a & G b` becomes `G (a & b)` and `F G a & F G b` becomes `F G (a & b)`;
    /// dually in a disjunction.
    fn join_invariants(&mut self, flat: &mut Vec<FormulaId>, is_and: bool) {
        let mut plain = Vec::new();
        let mut stable = Vec::new();
        for &operand in flat.iter() {
            if let Some(inner) = self.invariant(operand, is_and) {
                plain.push((operand, inner));
            } else if let Some(inner) = self.invariant(operand, !is_and)
                && let Some(inner) = self.invariant(inner, is_and)
            {
                stable.push((operand, inner));
            }
        }
        for (group, is_stable) in [(plain, false), (stable, true)] {
            if group.len() < 2 {
                continue;
            }
            flat.retain(|operand| group.iter().all(|(joined, _)| joined != operand));
            let inner: Vec<FormulaId> = group.iter().map(|&(_, inner)| inner).collect();
            let joined = self.connective(inner, is_and);
            let joined = self.for_ever(joined, is_and);
            flat.push(if is_stable {
                self.for_ever(joined, !is_and)
            } else {
                joined
            });
        }
    }

    /// What `G` (or else `F`) stands before in this formula.
    fn invariant(&self, id: FormulaId, globally: bool) -> Option<FormulaId> {
        match *self.get(id) {
            Formula::Release(Self::FALSE, inner) if globally => Some(inner),
            Formula::Until(Self::TRUE, inner) if !globally => Some(inner),
            _ => None,
        }
    }

    fn for_ever(&mut self, inner: FormulaId, globally: bool) -> FormulaId {
        if globally {
            self.globally(inner)
        } else {
            self.finally(inner)
        }
    }

    /// `X a`.
    pub(crate) fn next(&mut self, operand: FormulaId) -> FormulaId {
        match operand {
            Self::TRUE | Self::FALSE => operand,
            _ => self.intern(Formula::Next(operand)),
        }
    }

    /// `E a`. What holds at the runs of a state does not depend on the run if it is a constant.
    pub(crate) fn exists(&mut self, path: FormulaId) -> FormulaId {
        match path {
            Self::TRUE | Self::FALSE => path,
            _ => self.intern(Formula::Exists(path)),
        }
    }

    /// `A a`.
    pub(crate) fn forall(&mut self, path: FormulaId) -> FormulaId {
        match path {
            Self::TRUE | Self::FALSE => path,
            _ => self.intern(Formula::Forall(path)),
        }
    }

    /// `F a`.
    pub(crate) fn finally(&mut self, operand: FormulaId) -> FormulaId {
        self.until(Self::TRUE, operand)
    }

    /// `G a`.
    pub(crate) fn globally(&mut self, operand: FormulaId) -> FormulaId {
        self.release(Self::FALSE, operand)
    }

    /// `a U b`.
    pub(crate) fn until(&mut self, kept: FormulaId, goal: FormulaId) -> FormulaId {
        self.fixed_point(kept, goal, true)
    }

    /// `a R b`.
    pub(crate) fn release(&mut self, releasing: FormulaId, kept: FormulaId) -> FormulaId {
        self.fixed_point(releasing, kept, false)
    }

    /// `a U b`, or dually `a R b`.
    fn fixed_point(
        &mut self,
        mut first: FormulaId,
        mut second: FormulaId,
        is_until: bool,
    ) -> FormulaId {
        let (unit, zero) = if is_until {
            (Self::TRUE, Self::FALSE)
        } else {
            (Self::FALSE, Self::TRUE)
        };
        // How many `X` have been taken out: X a U X b is X (a U b), and F X b is X F b.
        let mut delay = 0;
        let result = loop {
            if second == Self::TRUE || second == Self::FALSE || first == zero || first == second {
                break second;
            }
            match (self.get(first), self.get(second)) {
                (&Formula::Next(a), &Formula::Next(b)) => (first, second) = (a, b),
                (_, &Formula::Next(b)) if first == unit => second = b,
                (_, &Formula::Until(a, b)) if is_until && (a == first || first == unit) => {
                    // a U (a U b) is a U b; F (a U b) is F b.
                    second = b;
                    continue;
                }
                (_, &Formula::Release(a, b)) if !is_until && (a == first || first == unit) => {
                    second = b;
                    continue;
                }
                _ if first == unit && self.is_recurrence(second, is_until) => break second,
                _ if is_until => break self.intern(Formula::Until(first, second)),
                _ => break self.intern(Formula::Release(first, second)),
            }
            delay += 1;
        };
        (0..delay).fold(result, |inner, _| self.next(inner))
    }

    /// Whether this is `G F a` (or else `F G a`), which `F` (or else `G`) does not change.
    fn is_recurrence(&self, id: FormulaId, globally: bool) -> bool {
        let inner = self.invariant(id, globally);
        inner.is_some_and(|inner| self.invariant(inner, !globally).is_some())
    }

    /// `a W b`: `a` until `b`, or for ever.
    pub(crate) fn weak_until(&mut self, kept: FormulaId, goal: FormulaId) -> FormulaId {
        let either = self.or([kept, goal]);
        self.release(goal, either)
    }

    /// `a M b`: `b` up to and including a position where `a` holds, which there must be.
    pub(crate) fn strong_release(&mut self, releasing: FormulaId, kept: FormulaId) -> FormulaId {
        let both = self.and([releasing, kept]);
        self.until(kept, both)
    }

    /// `a -> b`.
    pub(crate) fn implies(&mut self, left: FormulaId, right: FormulaId) -> FormulaId {
        let not = self.not(left);
        self.or([not, right])
    }

    /// `a <-> b`.
    pub(crate) fn equivalent(&mut self, left: FormulaId, right: FormulaId) -> FormulaId {
        let (not_left, not_right) = (self.not(left), self.not(right));
        let both = self.and([left, right]);
        let neither = self.and([not_left, not_right]);
        self.or([both, neither])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_is_its_own_inverse_and_reaches_the_propositions() {
        let mut formulas = Formulas::default();
        let (p, q) = (formulas.proposition(0), formulas.proposition(1));
        let until = formulas.until(p, q);
        let next = formulas.next(until);
        let root = formulas.globally(next);
        let not = formulas.not(root);
        assert_ne!(root, not);
        assert_eq!(formulas.not(not), root);
        let both = formulas.and([root, not]);
        assert_eq!(both, Formulas::FALSE);
    }

    #[test]
    fn equivalent_spellings_are_one_formula() {
        let mut f = Formulas::default();
        let (p, q) = (f.proposition(0), f.proposition(1));
        let (finally_p, finally_q) = (f.finally(p), f.finally(q));
        assert_eq!(f.finally(finally_p), finally_p);
        let infinitely = f.globally(finally_p);
        assert_eq!(f.finally(infinitely), infinitely);
        let either = f.or([p, q]);
        let finally_either = f.finally(either);
        assert_eq!(f.or([finally_p, finally_q]), finally_either);
        let infinitely_q = f.globally(finally_q);
        let infinitely_either = f.globally(finally_either);
        assert_eq!(f.or([infinitely, infinitely_q]), infinitely_either);
        let until = f.until(p, q);
        assert_eq!(f.until(p, until), until);
        assert_eq!(f.and([q, until]), q);
    }

    #[test]
    fn a_long_chain_of_operators_needs_no_stack() {
        let mut formulas = Formulas::default();
        let p = formulas.proposition(0);
        let mut chain = p;
        for _ in 0..200_000 {
            chain = formulas.next(chain);
        }
        let finally = formulas.finally(chain);
        let not = formulas.not(finally);
        assert_eq!(formulas.not(not), finally);
    }
}
