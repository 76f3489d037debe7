//! Who reads whom, with which sign, and what therefore belongs together (strongly connected
//! components).

use crate::encoding::model::Model;
use crate::encoding::term::{PredicateId, Term, TermId};
use std::collections::BTreeMap;

/// How a value moves with one of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Sign {
    /// It grows with it.
    Positive,
    /// It shrinks when the other grows.
    Negative,
    /// Either may happen.
    Mixed,
}

impl Sign {
    /// The sign of a dependency through another.
    pub(crate) fn through(self, inner: Sign) -> Sign {
        match (self, inner) {
            (Sign::Mixed, _) | (_, Sign::Mixed) => Sign::Mixed,
            (a, b) if a == b => Sign::Positive,
            _ => Sign::Negative,
        }
    }

    /// The sign of two dependencies at once.
    pub(crate) fn together(self, other: Sign) -> Sign {
        if self == other { self } else { Sign::Mixed }
    }
}

/// What each predicate reads, directly.
pub(crate) struct Dependencies {
    reads: Vec<Vec<(PredicateId, Sign)>>,
}

impl Dependencies {
    pub(crate) fn new(model: &Model) -> Self {
        let reads = model.predicates.iter().map(|p| reads(model, p.body));
        Self {
            reads: reads.collect(),
        }
    }

    /// What a predicate reads, in order of their numbers.
    pub(crate) fn reads(&self, predicate: PredicateId) -> &[(PredicateId, Sign)] {
        &self.reads[predicate.index()]
    }

    /// Per predicate the number of its component among all.
    pub(crate) fn component_numbers(&self, predicates: usize) -> Vec<usize> {
        let everyone: Vec<PredicateId> = (0..predicates as u32).map(PredicateId).collect();
        let mut component_of = vec![0; predicates];
        for (number, component) in self.components(&everyone).iter().enumerate() {
            for member in component {
                component_of[member.index()] = number;
            }
        }
        component_of
    }

    /// The components among these predicates, dependencies that leave the set ignored; what is read
    /// comes first. Members of a component are in the order in which they are finished, so that
    /// most reads within it point backwards.
    pub(crate) fn components(&self, among: &[PredicateId]) -> Vec<Vec<PredicateId>> {
        Tarjan::new(self, among).run()
    }
}

fn reads(model: &Model, body: TermId) -> Vec<(PredicateId, Sign)> {
    let mut found: BTreeMap<PredicateId, Sign> = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut pending = vec![(body, Sign::Positive)];
    while let Some((id, sign)) = pending.pop() {
        if !model.terms.has_applications(id) || !seen.insert((id, sign)) {
            continue;
        }
        match model.terms.get(id) {
            Term::Apply(predicate, _) => {
                let entry = found.entry(*predicate).or_insert(sign);
                *entry = entry.together(sign);
            }
            Term::Not(a) => pending.push((*a, sign.through(Sign::Negative))),
            Term::Iff(a, b) | Term::Cofactor(_, a, b) => {
                pending.extend([(*a, Sign::Mixed), (*b, Sign::Mixed)]);
            }
            Term::Ite(c, a, b) => pending.extend([(*c, Sign::Mixed), (*a, sign), (*b, sign)]),
            term => term.each_operand(|operand| pending.push((operand, sign))),
        }
    }
    found.into_iter().collect()
}

/// Tarjan's algorithm with its own stack.
struct Tarjan<'a> {
    dependencies: &'a Dependencies,
    among: &'a [PredicateId],
    number: BTreeMap<PredicateId, Numbers>,
    open: Vec<PredicateId>,
    next: u32,
    components: Vec<Vec<PredicateId>>,
}

struct Numbers {
    order: u32,
    low: u32,
    is_open: bool,
}

impl<'a> Tarjan<'a> {
    fn new(dependencies: &'a Dependencies, among: &'a [PredicateId]) -> Self {
        Self {
            dependencies,
            among,
            number: BTreeMap::new(),
            open: Vec::new(),
            next: 0,
            components: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<Vec<PredicateId>> {
        let members: std::collections::BTreeSet<PredicateId> = self.among.iter().copied().collect();
        for &start in self.among {
            if self.number.contains_key(&start) {
                continue;
            }
            let mut path = vec![(start, 0)];
            self.enter(start);
            while let Some((at, read)) = path.last_mut() {
                let at = *at;
                if let Some(&(next, _)) = self.dependencies.reads(at).get(*read) {
                    *read += 1;
                    if !members.contains(&next) {
                        continue;
                    }
                    match self.number.get(&next) {
                        None => {
                            self.enter(next);
                            path.push((next, 0));
                        }
                        Some(known) if known.is_open => {
                            let order = known.order;
                            self.lower(at, order);
                        }
                        Some(_) => {}
                    }
                } else {
                    path.pop();
                    let low = self.leave(at);
                    if let Some(&(above, _)) = path.last() {
                        self.lower(above, low);
                    }
                }
            }
        }
        self.components
    }

    fn enter(&mut self, at: PredicateId) {
        let numbers = Numbers {
            order: self.next,
            low: self.next,
            is_open: true,
        };
        self.next += 1;
        self.number.insert(at, numbers);
        self.open.push(at);
    }

    fn lower(&mut self, at: PredicateId, low: u32) {
        if let Some(numbers) = self.number.get_mut(&at) {
            numbers.low = numbers.low.min(low);
        }
    }

    /// Closes a component if this is its first predicate; says how low it reaches.
    fn leave(&mut self, at: PredicateId) -> u32 {
        let numbers = &self.number[&at];
        let low = numbers.low;
        if numbers.order == low {
            let place = self.open.iter().rposition(|&open| open == at);
            let mut component = self
                .open
                .split_off(place.expect("an open predicate is listed"));
            component.reverse();
            for member in &component {
                if let Some(numbers) = self.number.get_mut(member) {
                    numbers.is_open = false;
                }
            }
            self.components.push(component);
        }
        low
    }
}
