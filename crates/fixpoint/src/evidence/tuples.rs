//! Tuples of a relation: how many there are, and one of them in the words of the text.

use crate::evidence::natural::Natural;
use hardbop_bdd::{Bdd, Manager};
use hardbop_formula::{Bits, Leaf, System, Values, VariableId};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// The value of one leaf of a variable, such as `s.pc = 3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The variable and the way to the leaf.
    pub place: String,
    /// The value as it is written.
    pub value: String,
    /// The code of the value.
    pub code: u64,
    /// The enumeration that it is a value of; none for a Boolean.
    pub enumeration: Option<Arc<str>>,
}

impl std::fmt::Display for Binding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {}", self.place, self.value)
    }
}

/// The values of variables whose bits are given.
pub(crate) fn bindings(
    system: &System,
    variables: &[VariableId],
    bit: impl Fn(VariableId, u32) -> bool,
) -> Vec<Binding> {
    let all = |&variable: &VariableId| Bits {
        variable,
        range: 0..system.variable(variable).bits,
    };
    let variables = variables.iter().map(all);
    variables
        .flat_map(|all| bindings_within(system, &all, &bit))
        .collect()
}

/// The values of those leaves of a variable that have a bit in a range.
pub(crate) fn bindings_within(
    system: &System,
    part: &Bits,
    bit: impl Fn(VariableId, u32) -> bool,
) -> Vec<Binding> {
    let declared = system.variable(part.variable);
    let is_meant =
        |leaf: &&Leaf| leaf.bits.start < part.range.end && part.range.start < leaf.bits.end;
    let leaves = declared.leaves.iter().filter(is_meant);
    let binding = |leaf: &Leaf| {
        let bits = leaf.bits.clone();
        let code = bits.fold(0u64, |code, at| {
            (code << 1) | u64::from(bit(part.variable, at))
        });
        Binding {
            place: format!("{}{}", declared.name, leaf.path),
            value: value(leaf, code),
            code,
            enumeration: leaf.enumeration.clone(),
        }
    };
    leaves.map(binding).collect()
}

fn value(leaf: &Leaf, code: u64) -> String {
    match &leaf.values {
        Values::Boolean => code.to_string(),
        Values::Numbers { first, .. } => first.saturating_add(code).to_string(),
        Values::Names(names) => match names.get(code as usize) {
            Some(name) => name.clone(),
            None => code.to_string(),
        },
    }
}

/// Assignments of these BDD variables (in order) that satisfy a function of them, each as the set of
/// variables that are true; no more than `most`.
pub(crate) fn assignments(
    manager: &Manager<'_>,
    f: Bdd,
    variables: &[u32],
    most: usize,
) -> Vec<HashSet<u32>> {
    let mut found = Vec::new();
    let mut pending = vec![(f, 0, HashSet::new())];
    while let Some((g, at, set)) = pending.pop() {
        if g.is_false() || found.len() == most {
            continue;
        }
        let Some(&variable) = variables.get(at) else {
            found.push(set);
            continue;
        };
        let (low, high) = match manager.branch(g) {
            Some((top, low, high)) if top == variable => (low, high),
            _ => (g, g),
        };
        let mut with = set.clone();
        with.insert(variable);
        pending.push((high, at + 1, with));
        pending.push((low, at + 1, set));
    }
    found
}

/// How many assignments of these BDD variables (in order) satisfy a function of them.
pub(crate) fn count(manager: &Manager<'_>, f: Bdd, variables: &[u32]) -> Natural {
    let place: BTreeMap<u32, usize> = variables.iter().copied().zip(0..).collect();
    let place_of = |g: Bdd| {
        manager
            .branch(g)
            .map_or(variables.len(), |(v, ..)| place[&v])
    };
    // Per function, the number of assignments of the variables from its topmost on.
    let mut known: BTreeMap<Bdd, Natural> = BTreeMap::new();
    known.insert(Bdd::TRUE, Natural::one());
    known.insert(Bdd::FALSE, Natural::default());
    let mut pending = vec![f];
    while let Some(&g) = pending.last() {
        if known.contains_key(&g) {
            pending.pop();
            continue;
        }
        let Some((_, low, high)) = manager.branch(g) else {
            pending.pop();
            continue;
        };
        match (known.get(&low), known.get(&high)) {
            (Some(a), Some(b)) => {
                let skipped = |h: Bdd| (place_of(h) - place_of(g) - 1) as u32;
                let sum = a.shifted(skipped(low)).plus(&b.shifted(skipped(high)));
                known.insert(g, sum);
                pending.pop();
            }
            (a, b) => {
                let missing = [a.is_none().then_some(low), b.is_none().then_some(high)];
                pending.extend(missing.into_iter().flatten());
            }
        }
    }
    known[&f].shifted(place_of(f) as u32)
}
