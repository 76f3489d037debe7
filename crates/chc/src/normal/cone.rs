//! What cannot matter: predicates without a derivation, and those from which no query follows.

use super::Rule;

/// What became of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is part of the rules.
    Kept,
    /// No rule leads to it, so a model may say `false`.
    Underivable,
    /// It leads to no query, so a model may say `true`.
    Irrelevant,
    /// It was inlined.
    Inlined,
}

/// Drops rules that cannot matter.
pub fn reduce(rules: &mut Vec<Rule>, fates: &mut [Fate]) {
    let mut derivable = vec![false; fates.len()];
    let mut relevant = vec![false; fates.len()];
    loop {
        let mut changed = false;
        for rule in rules.iter() {
            if let Some(head) = rule.head_predicate()
                && !derivable[head.index()]
                && rule
                    .body
                    .iter()
                    .all(|atom| derivable[atom.predicate.index()])
            {
                derivable[head.index()] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    rules.retain(|rule| {
        rule.body
            .iter()
            .all(|atom| derivable[atom.predicate.index()])
    });
    loop {
        let mut changed = false;
        for rule in rules.iter() {
            if rule
                .head_predicate()
                .is_none_or(|head| relevant[head.index()])
            {
                for atom in &rule.body {
                    changed |= !std::mem::replace(&mut relevant[atom.predicate.index()], true);
                }
            }
        }
        if !changed {
            break;
        }
    }
    rules.retain(|rule| {
        rule.head_predicate()
            .is_none_or(|head| relevant[head.index()])
    });
    for (index, fate) in fates.iter_mut().enumerate() {
        if *fate == Fate::Kept {
            *fate = match (derivable[index], relevant[index]) {
                (false, _) => Fate::Underivable,
                (true, false) => Fate::Irrelevant,
                (true, true) => Fate::Kept,
            };
        }
    }
}
