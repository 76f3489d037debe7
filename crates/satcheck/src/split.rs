//! The trade-off between symbolic and explicit arguments (section 4).
//!
//! Equation (12) as printed conjoins `¬e ∧ b(…, false, …)` with `e ∧ b(…, true, …)`, which is false whatever `b` is. What holds, by cases on
//! the value of `e`, is
//!
//! ```text
//! b(E0, e, E1)  =  (¬e ⇒ b(E0, false, E1)) ∧ (e ⇒ b(E0, true, E1))
//! ```
//!
//! or, read as the disjunction of the ways in which execution can go wrong (which is how [`crate::equations`] writes it),
//! `¬b(E0, e, E1) = (¬e ∧ ¬b(E0, false, E1)) ∨ (e ∧ ¬b(E0, true, E1))`. So an argument can be made explicit wherever a term
//! is about to be made: instead of one hop to ⟨b, (E0, e, E1)⟩ under a condition `c` there are two, to ⟨b, (E0, false, E1)⟩ under `c ∧ ¬e` and
//! to ⟨b, (E0, true, E1)⟩ under `c ∧ e`. Several arguments are split one after the other, and a combination whose condition is already false
//! as a BDD is left out, which the paper's equation, applied to one argument at a time, would not notice.
//!
//! Some splits are not a matter of taste: without them the closure need not end. [`crate::closure`] says which.

use hardbop_bdd::{Bdd, Exhausted, Manager};

/// Which arguments are made explicit besides those that have to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// None.
    Never,
    /// All.
    Always,
    /// Those with more BDD nodes than this.
    Nodes(u32),
    /// At the head of a loop all, if any of them is large; elsewhere none.
    ///
    /// Chosen by experiment. Terms some of whose arguments are symbolic and some explicit are the most numerous kind: which ones are large changes
    /// from one way around a loop to the next, and the same states come back in ever new mixtures. So it is all or none.
    #[default]
    Auto,
}

/// More nodes than this make an argument large.
const LARGE: usize = 200;

impl Split {
    /// The places of arguments that are made explicit at a head.
    pub fn places(
        self,
        manager: &Manager<'_>,
        values: &[Option<Bdd>],
        is_loop_head: bool,
    ) -> Vec<usize> {
        let is_larger =
            |value: &Option<Bdd>, size| value.is_some_and(|value| manager.is_larger(value, size));
        let all = match self {
            Split::Never | Split::Nodes(_) => false,
            Split::Always => true,
            Split::Auto => is_loop_head && values.iter().any(|value| is_larger(value, LARGE)),
        };
        let chosen = values.iter().enumerate().filter(|(_, value)| match self {
            Split::Nodes(limit) => is_larger(value, limit as usize),
            Split::Never | Split::Always | Split::Auto => all,
        });
        chosen.map(|(place, _)| place).collect()
    }
}

/// A condition and the values that hold under it.
pub type Case = (Bdd, Vec<Option<Bdd>>);

/// All cases of the values at some places of a list, each with the part of the condition under which it is the case.
///
/// `allowed` is how many cases there may be at most; more than that give nothing.
pub fn cases(
    manager: &mut Manager<'_>,
    condition: Bdd,
    values: Vec<Option<Bdd>>,
    places: &[usize],
    allowed: usize,
) -> Result<Option<Vec<Case>>, Exhausted> {
    let mut cases = vec![(condition, values)];
    for &place in places {
        let mut finer = Vec::with_capacity(cases.len());
        for (condition, values) in cases {
            let Some(value) = values[place] else {
                finer.push((condition, values));
                continue;
            };
            for truth in [false, true] {
                let under = if truth { value } else { !value };
                let under = manager.and(condition, under)?;
                if !under.is_false() {
                    let mut values = values.clone();
                    values[place] = Some(Bdd::constant(truth));
                    finer.push((under, values));
                }
            }
        }
        if finer.len() > allowed {
            return Ok(None);
        }
        cases = finer;
    }
    Ok(Some(cases))
}
