//! Formula to generalised Büchi automaton: states are sets of formulas still to be fulfilled
//! (Couvreur, "On-the-fly verification of linear temporal logic"; the sets are those of Gerth,
//! Peled, Vardi and Wolper).
//!
//! A set of formulas is unfolded into *covers*: what has to hold now (a cube), what from the next
//! position on (a set), and which untils were put off. `a U b` is `b`, or `a` and again `a U b`
//! later, put off once more; a run that puts an until off for ever is not accepted, so there is one
//! acceptance set per until: the edges that do not put it off. Two sets with the same covers are
//! one state, which is why `G F p` needs one state here.

use crate::formula::{Formula, FormulaId, Formulas};
use crate::generalised::{Generalised, GeneralisedEdge};
use crate::guard::Cube;
use std::collections::{BTreeSet, HashMap};

/// Untils per formula: acceptance sets are bits of a word.
const MAX_UNTILS: usize = 64;

/// Sets of formulas, covers of one set and edges: larger automata are not made.
const MAX_SETS: usize = 5_000;
const MAX_COVERS: usize = 4_096;
const MAX_EDGES: usize = 400_000;

/// The automaton of a formula would be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the formula is too large to be made an automaton")]
pub(crate) struct TooLarge;

/// What a set of formulas asks for: now, from the next position on, and what it puts off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Cover {
    now: Cube,
    later: BTreeSet<FormulaId>,
    put_off: u64,
}

impl Cover {
    /// Whether every run that this cover allows is allowed by the other.
    fn is_weaker_than(&self, other: &Cover) -> bool {
        other.now.implies(self.now)
            && self.put_off & !other.put_off == 0
            && self.later.is_subset(&other.later)
    }
}

/// The generalised Büchi automaton that accepts the words of a formula.
pub(crate) fn tableau(formulas: &Formulas, root: FormulaId) -> Result<Generalised, TooLarge> {
    let untils = untils_of(formulas, root)?;
    let mut states = States::default();
    let start = BTreeSet::from([root]);
    let initial = states.state_of(formulas, &untils, start)?;
    let mut edges = Vec::new();
    let mut edge_count = 0;
    let all = u64::MAX >> (MAX_UNTILS - untils.len().max(1)) & !u64::from(untils.is_empty());
    while edges.len() < states.covers.len() {
        let covers = states.covers[edges.len()].clone();
        edge_count += covers.len();
        if edge_count > MAX_EDGES {
            return Err(TooLarge);
        }
        let mut outgoing = Vec::with_capacity(covers.len());
        for cover in covers {
            outgoing.push(GeneralisedEdge {
                guard: cover.now.into(),
                to: states.state_of(formulas, &untils, cover.later)?,
                fulfilled: all & !cover.put_off,
            });
        }
        edges.push(outgoing);
    }
    Ok(Generalised {
        edges,
        initial: vec![initial],
        sets: untils.len() as u32,
    })
}

/// States by their covers, and which state each set of formulas is.
#[derive(Default)]
struct States {
    covers: Vec<Vec<Cover>>,
    by_covers: HashMap<Vec<Cover>, u32>,
    by_set: HashMap<BTreeSet<FormulaId>, u32>,
}

impl States {
    fn state_of(
        &mut self,
        formulas: &Formulas,
        untils: &HashMap<FormulaId, u32>,
        set: BTreeSet<FormulaId>,
    ) -> Result<u32, TooLarge> {
        if let Some(&state) = self.by_set.get(&set) {
            return Ok(state);
        }
        if self.by_set.len() >= MAX_SETS {
            return Err(TooLarge);
        }
        let covers = covers_of(formulas, untils, &set)?;
        let fresh = self.covers.len() as u32;
        let state = *self.by_covers.entry(covers.clone()).or_insert(fresh);
        if state == fresh {
            self.covers.push(covers);
        }
        self.by_set.insert(set, state);
        Ok(state)
    }
}

/// The untils of a formula, numbered.
fn untils_of(formulas: &Formulas, root: FormulaId) -> Result<HashMap<FormulaId, u32>, TooLarge> {
    let mut untils = HashMap::new();
    let mut seen = vec![false; formulas.len()];
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        if let Formula::Until(..) = formulas.get(id) {
            untils.insert(id, untils.len() as u32);
        }
        pending.extend(formulas.get(id).operands());
    }
    if untils.len() > MAX_UNTILS {
        return Err(TooLarge);
    }
    Ok(untils)
}

/// A cover that is being made.
#[derive(Clone, Default)]
struct Partial {
    todo: Vec<FormulaId>,
    done: BTreeSet<FormulaId>,
    cover: Cover,
}

/// The covers of a set of formulas, none weaker than another, in order.
fn covers_of(
    formulas: &Formulas,
    untils: &HashMap<FormulaId, u32>,
    set: &BTreeSet<FormulaId>,
) -> Result<Vec<Cover>, TooLarge> {
    let mut covers: Vec<Cover> = Vec::new();
    let mut open = vec![Partial {
        todo: set.iter().copied().collect(),
        ..Partial::default()
    }];
    while let Some(mut partial) = open.pop() {
        let Some(id) = partial.todo.pop() else {
            if !covers.iter().any(|c| c.is_weaker_than(&partial.cover)) {
                covers.retain(|c| !partial.cover.is_weaker_than(c));
                covers.push(partial.cover);
            }
            if covers.len() > MAX_COVERS {
                return Err(TooLarge);
            }
            continue;
        };
        if !partial.done.insert(id) {
            open.push(partial);
            continue;
        }
        match formulas.get(id) {
            Formula::True => open.push(partial),
            Formula::False => {}
            Formula::Exists(_) | Formula::Forall(_) => {
                unreachable!("formulas of linear time are read without path quantifiers")
            }
            &Formula::Literal {
                proposition,
                positive,
            } => {
                let literal = Cube::literal(proposition, positive);
                if let Some(now) = partial.cover.now.and(literal) {
                    partial.cover.now = now;
                    open.push(partial);
                }
            }
            Formula::And(operands) => {
                partial.todo.extend_from_slice(operands);
                open.push(partial);
            }
            Formula::Or(operands) => {
                for &operand in operands {
                    let mut choice = partial.clone();
                    choice.todo.push(operand);
                    open.push(choice);
                }
            }
            &Formula::Next(operand) => {
                partial.cover.later.insert(operand);
                open.push(partial);
            }
            &Formula::Until(kept, goal) => {
                let mut fulfilled = partial.clone();
                fulfilled.todo.push(goal);
                partial.todo.push(kept);
                partial.cover.later.insert(id);
                partial.cover.put_off |= 1 << untils[&id];
                open.extend([partial, fulfilled]);
            }
            &Formula::Release(releasing, kept) => {
                let mut released = partial.clone();
                released.todo.extend([releasing, kept]);
                partial.todo.push(kept);
                partial.cover.later.insert(id);
                open.extend([released, partial]);
            }
        }
        if open.len() > MAX_COVERS {
            return Err(TooLarge);
        }
    }
    covers.sort_unstable();
    Ok(covers)
}
