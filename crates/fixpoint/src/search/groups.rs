//! What is solved together, and in which order.
//!
//! A *group* is a strongly connected component of the predicates, in a context in which some
//! predicates are held fixed by fixed points further out. If all reads within a group are positive,
//! nested evaluation and simultaneous iteration give the same (Bekić), so it is solved
//! [`Shape::Together`]. Otherwise the relation that is asked for becomes the *head*: it is held
//! fixed, and what is left falls into smaller groups, exactly as `Evaluate` in section 3 of the
//! Getafix paper nests.

use crate::encoding::dependency::{Dependencies, Sign};
use crate::encoding::model::Model;
use crate::encoding::term::PredicateId;
use std::collections::{BTreeMap, BTreeSet};

/// Index of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupId(pub u32);

/// How a group is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One predicate that does not read itself: its body is evaluated once.
    Once,
    /// All members at once, by the news of each.
    Together,
    /// A head outside, the others inside, again for each value of the head.
    Nested,
}

pub(crate) struct Group {
    pub members: Vec<PredicateId>,
    pub shape: Shape,
    /// What members read of predicates outside the group: reader, read, sign.
    pub inputs: Vec<(PredicateId, PredicateId, Sign)>,
    /// Per member on which side of the negations it stands, if every cycle goes through an even
    /// number of them. Then the group is monotone.
    sides: Option<BTreeMap<PredicateId, bool>>,
}

/// A group in the context of a head, with those members whose values are asked for there.
#[derive(Clone, Debug)]
pub(crate) struct InnerGroup {
    pub group: GroupId,
    pub asked: Vec<PredicateId>,
}

/// All groups found so far; those inside a head are found when it is first evaluated.
pub(crate) struct Groups {
    list: Vec<Group>,
    /// Per predicate its group when nothing is held fixed.
    outermost: Vec<GroupId>,
    inner: BTreeMap<(GroupId, PredicateId), Vec<InnerGroup>>,
    /// Nest everything that is recursive: for comparison.
    is_plain: bool,
}

impl Groups {
    pub(crate) fn new(model: &Model, dependencies: &Dependencies, is_plain: bool) -> Self {
        let everyone: Vec<PredicateId> = model.predicate_ids().collect();
        let mut groups = Self {
            list: Vec::new(),
            outermost: vec![GroupId(0); everyone.len()],
            inner: BTreeMap::new(),
            is_plain,
        };
        for component in dependencies.components(&everyone) {
            let members = component.clone();
            let id = groups.add(dependencies, component);
            for member in members {
                groups.outermost[member.index()] = id;
            }
        }
        groups
    }

    pub(crate) fn get(&self, id: GroupId) -> &Group {
        &self.list[id.0 as usize]
    }

    pub(crate) fn outermost(&self, predicate: PredicateId) -> GroupId {
        self.outermost[predicate.index()]
    }

    /// What is solved, in this order, for each value of a head.
    pub(crate) fn inside(
        &mut self,
        dependencies: &Dependencies,
        group: GroupId,
        head: PredicateId,
    ) -> &[InnerGroup] {
        if !self.inner.contains_key(&(group, head)) {
            let members = &self.get(group).members;
            let rest: Vec<PredicateId> = members.iter().copied().filter(|&m| m != head).collect();
            let list = dependencies
                .components(&rest)
                .into_iter()
                .map(|component| self.inner_group(dependencies, component, &rest, head))
                .collect();
            self.inner.insert((group, head), list);
        }
        &self.inner[&(group, head)]
    }

    fn inner_group(
        &mut self,
        dependencies: &Dependencies,
        component: Vec<PredicateId>,
        rest: &[PredicateId],
        head: PredicateId,
    ) -> InnerGroup {
        let inside: BTreeSet<PredicateId> = component.iter().copied().collect();
        let readers = rest.iter().filter(|reader| !inside.contains(reader));
        let asked: BTreeSet<PredicateId> = readers
            .chain([&head])
            .flat_map(|&reader| dependencies.reads(reader))
            .map(|&(read, _)| read)
            .filter(|read| inside.contains(read))
            .collect();
        InnerGroup {
            group: self.add(dependencies, component),
            asked: asked.into_iter().collect(),
        }
    }

    fn add(&mut self, dependencies: &Dependencies, members: Vec<PredicateId>) -> GroupId {
        let inside: BTreeSet<PredicateId> = members.iter().copied().collect();
        let mut inputs = Vec::new();
        let mut internal = Vec::new();
        for &reader in &members {
            for &(read, sign) in dependencies.reads(reader) {
                if inside.contains(&read) {
                    internal.push((reader, read, sign));
                } else {
                    inputs.push((reader, read, sign));
                }
            }
        }
        let is_positive = internal.iter().all(|&(_, _, sign)| sign == Sign::Positive);
        let shape = match internal.is_empty() {
            true => Shape::Once,
            false if is_positive && !self.is_plain => Shape::Together,
            false => Shape::Nested,
        };
        let id = GroupId(self.list.len() as u32);
        self.list.push(Group {
            sides: sides(&members, &internal),
            members,
            shape,
            inputs,
        });
        id
    }
}

/// Colours the members so that negative reads are between colours, positive ones within.
fn sides(
    members: &[PredicateId],
    internal: &[(PredicateId, PredicateId, Sign)],
) -> Option<BTreeMap<PredicateId, bool>> {
    let mut neighbours: BTreeMap<PredicateId, Vec<(PredicateId, bool)>> = BTreeMap::new();
    for &(a, b, sign) in internal {
        if sign == Sign::Mixed {
            return None;
        }
        let differs = sign == Sign::Negative;
        neighbours.entry(a).or_default().push((b, differs));
        neighbours.entry(b).or_default().push((a, differs));
    }
    let mut side: BTreeMap<PredicateId, bool> = BTreeMap::new();
    for &start in members {
        if side.contains_key(&start) {
            continue;
        }
        side.insert(start, false);
        let mut pending = vec![start];
        while let Some(at) = pending.pop() {
            let here = side[&at];
            for &(next, differs) in neighbours.get(&at).map_or(&[][..], |list| list) {
                match side.get(&next) {
                    Some(&known) if known != here ^ differs => return None,
                    Some(_) => {}
                    None => {
                        side.insert(next, here ^ differs);
                        pending.push(next);
                    }
                }
            }
        }
    }
    Some(side)
}

impl Group {
    /// Whether iterating a head of it can only ever add.
    pub(crate) fn is_monotone(&self) -> bool {
        self.sides.is_some()
    }

    /// How the value of a member moves with an input.
    pub(crate) fn sign(&self, member: PredicateId, reader: PredicateId, read_as: Sign) -> Sign {
        let Some(sides) = &self.sides else {
            return Sign::Mixed;
        };
        if sides[&member] == sides[&reader] {
            read_as
        } else {
            read_as.through(Sign::Negative)
        }
    }
}
