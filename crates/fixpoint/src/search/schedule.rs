//! In which order the parts of a conjunction meet, and when quantified variables leave.
//!
//! A variable is quantified as soon as no part that is still to come speaks of it. Parts that do
//! not change (constant during an iteration) and whose variables are all among those of another
//! such part are conjoined with it once and for all: that never widens anything. Where several
//! parts change, a constant one that speaks of a small share of the variables of a changing one
//! restricts that one before it meets anything else: of a summary only what ends at an exit meets
//! the callers. The rest is greedy: next comes the part that leaves the fewest variables behind. A
//! *leader*, the part that carries the news of a round, goes first, because it is usually small.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is known of a part before its value is.
pub(crate) struct Part {
    /// Its BDD variables, in order.
    pub support: Rc<[u32]>,
    /// Whether it may change from round to round.
    pub is_dynamic: bool,
}

/// Parts that are conjoined once and for all, and what can be quantified in them. Or a part that
/// changes, and after it those that restrict it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    pub parts: Vec<usize>,
    /// Variables that only this cluster speaks of.
    pub private: Vec<u32>,
    pub is_dynamic: bool,
    pub support: BTreeSet<u32>,
}

/// One conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    pub cluster: usize,
    /// What is quantified after it.
    pub quantified: Vec<u32>,
}

/// The parts in clusters. A dynamic part is the first of a cluster of its own.
pub(crate) fn clusters(parts: &[Part], quantified: &[u32]) -> Vec<Cluster> {
    let mut by_size: Vec<usize> = (0..parts.len()).collect();
    by_size.sort_by_key(|&at| (std::cmp::Reverse(parts[at].support.len()), at));
    let several_change = parts.iter().filter(|part| part.is_dynamic).count() > 1;
    let mut list: Vec<Cluster> = Vec::new();
    for at in by_size {
        let part = &parts[at];
        let fits = |cluster: &Cluster| part.support.iter().all(|v| cluster.support.contains(v));
        let restricts = |cluster: &Cluster| {
            let is_small = 2 * part.support.len() <= cluster.support.len();
            several_change && cluster.is_dynamic && is_small && fits(cluster)
        };
        let host = if part.is_dynamic {
            None
        } else {
            let restricted = list.iter().position(restricts);
            restricted.or_else(|| list.iter().position(|c| !c.is_dynamic && fits(c)))
        };
        let host = host.map(|place| &mut list[place]);
        match host {
            Some(cluster) => cluster.parts.push(at),
            None => list.push(Cluster {
                parts: vec![at],
                private: Vec::new(),
                is_dynamic: part.is_dynamic,
                support: part.support.iter().copied().collect(),
            }),
        }
    }
    list.sort_by_key(|cluster| cluster.parts[0]);
    for &variable in quantified {
        let mut users = list.iter_mut().filter(|c| c.support.contains(&variable));
        if let Some(only) = users.next()
            && users.next().is_none()
            && !only.is_dynamic
        {
            only.private.push(variable);
            only.support.remove(&variable);
        }
    }
    list
}

/// The order of the clusters.
pub(crate) fn stages(
    clusters: &[Cluster],
    quantified: &[u32],
    leader: Option<usize>,
) -> Vec<Stage> {
    let mut left: Vec<usize> = (0..clusters.len()).collect();
    let mut stages: Vec<Stage> = Vec::with_capacity(clusters.len());
    // How many of those that are left speak of a variable.
    let mut users: BTreeMap<u32, usize> = BTreeMap::new();
    for &variable in clusters.iter().flat_map(|cluster| &cluster.support) {
        *users.entry(variable).or_default() += 1;
    }
    let mut support: BTreeSet<u32> = BTreeSet::new();
    while !left.is_empty() {
        let leaves =
            |variable: &u32| users[variable] == 1 && quantified.binary_search(variable).is_ok();
        // How many variables there are more after a cluster than before it.
        let growth = |at: usize| {
            let new = |variable: &&u32| !support.contains(variable) && !leaves(variable);
            let gone = |variable: &&u32| support.contains(variable) && leaves(variable);
            let variables = &clusters[at].support;
            let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
            count(variables.iter().filter(new).count())
                - count(variables.iter().filter(gone).count())
        };
        let leads = |&at: &usize| Some(at) == leader && stages.is_empty();
        let place = left.iter().position(leads).unwrap_or_else(|| {
            // Without a leader something that changes goes first, so that what does not change
            // restricts it.
            let is_late = |at: usize| stages.is_empty() && !clusters[at].is_dynamic;
            let cost = |place: &usize| (is_late(left[*place]), growth(left[*place]), left[*place]);
            (0..left.len()).min_by_key(cost).unwrap_or_default()
        });
        let cluster = left.remove(place);
        let variables = &clusters[cluster].support;
        let gone: Vec<u32> = variables.iter().copied().filter(leaves).collect();
        support.extend(variables);
        for variable in &gone {
            support.remove(variable);
        }
        for variable in variables {
            if let Some(count) = users.get_mut(variable) {
                *count -= 1;
            }
        }
        stages.push(Stage {
            cluster,
            quantified: gone,
        });
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(support: &[u32], is_dynamic: bool) -> Part {
        Part {
            support: support.into(),
            is_dynamic,
        }
    }

    #[test]
    fn what_does_not_widen_a_constant_part_is_conjoined_with_it_once() {
        let parts = [
            part(&[1, 2], true),
            part(&[1], false),
            part(&[1, 2, 3], false),
        ];
        let clusters = clusters(&parts, &[1]);
        let members: Vec<&[usize]> = clusters.iter().map(|c| &c.parts[..]).collect();
        assert_eq!(members, [&[0][..], &[2, 1]]);
    }

    #[test]
    fn a_small_constant_part_restricts_a_changing_one_before_two_of_them_meet() {
        let parts = [
            part(&[1], false),
            part(&[1, 2, 3, 4], false),
            part(&[1, 2], true),
            part(&[3, 4], true),
        ];
        let clusters = clusters(&parts, &[1]);
        let members: Vec<&[usize]> = clusters.iter().map(|c| &c.parts[..]).collect();
        assert_eq!(members, [&[1][..], &[2, 0], &[3]]);
    }

    #[test]
    fn variables_leave_as_soon_as_nobody_needs_them() {
        // R(1) & S(1,2) & T(2,3) & U(3,4), all of 1, 2 and 3 quantified.
        let parts = [
            part(&[3, 4], false),
            part(&[1], true),
            part(&[2, 3], false),
            part(&[1, 2], false),
        ];
        let quantified = [1, 2, 3];
        let clusters = clusters(&parts, &quantified);
        let leader = clusters.iter().position(|c| c.is_dynamic);
        let stages = stages(&clusters, &quantified, leader);
        let order: Vec<usize> = stages
            .iter()
            .map(|s| clusters[s.cluster].parts[0])
            .collect();
        assert_eq!(order, [1, 3, 2, 0]);
        let gone: Vec<&[u32]> = stages.iter().map(|s| &s.quantified[..]).collect();
        assert_eq!(gone, [&[][..], &[1], &[2], &[3]]);
    }

    #[test]
    fn a_variable_of_one_constant_part_is_quantified_before_the_iteration() {
        let parts = [part(&[1], true), part(&[1, 7], false)];
        let clusters = clusters(&parts, &[1, 7]);
        assert_eq!(clusters[1].private, [7]);
        assert_eq!(stages(&clusters, &[1, 7], Some(0))[1].quantified, [1]);
    }
}
