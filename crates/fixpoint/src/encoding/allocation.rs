//! Which BDD variable stands for which bit.
//!
//! Like the allocation of registers. Bits that are free in one formula at the same time *interfere*
//! and need different BDD variables. An application `R(t)` is free of charge if the bits of `t`
//! stand for the same BDD variables as the parameters of `R`: that is an *affinity*, and worth most
//! where the value of `R` changes from round to round. Bits with an affinity that do not interfere
//! are merged, the most valuable first. What is left of affinities, copies of one thing that are
//! needed at the same time, is told to [`crate::encoding::order`], which puts copies next to each other, so
//! that renaming them keeps the order.
//!
//! Interference is kept as cliques (the free bits under each quantifier, the parameters of each
//! relation), so it takes space and time linear in the formulas, and there is no start-up to wait
//! for.

use crate::encoding::dependency::Dependencies;
use crate::encoding::model::Model;
use crate::encoding::order;
use crate::encoding::partition::Partition;
use crate::encoding::term::{Argument, BitId, PredicateId, Term};
use hardbop_formula::System;
use std::collections::{BTreeMap, BTreeSet};

/// The BDD variables of all bits.
pub(crate) struct Allocation {
    levels: Vec<Option<u32>>,
    /// Per BDD variable whether it is a bit of a large enumeration.
    control: Vec<bool>,
}

/// How much it is worth that an argument shares the BDD variables of the parameter.
#[derive(Clone, Copy)]
enum Value {
    /// The relation changes while the reader is iterated.
    Changing,
    /// It is another fixed point.
    FixedPoint,
    /// It is an abbreviation.
    Abbreviation,
}

/// Two bits that would like to share a BDD variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Affinity {
    pub parameter: BitId,
    pub argument: BitId,
}

impl Allocation {
    /// Chooses BDD variables; enumerations with more than `many_values` are places and come first.
    pub(crate) fn new(
        system: &System,
        model: &Model,
        dependencies: &Dependencies,
        many_values: u64,
    ) -> Self {
        let mut classes = Classes::new(model);
        let mut apart = Vec::new();
        let mut of_fixed_points = Vec::new();
        for (value, affinity) in affinities(model, dependencies) {
            let is_merged = match value {
                Value::Changing | Value::FixedPoint => classes.merge(affinity),
                // What is renamed once must not be taken away from its neighbours for that.
                Value::Abbreviation => !classes.tears(affinity) && classes.merge(affinity),
            };
            if !is_merged {
                classes.stand_together(affinity);
                apart.push(affinity);
                if !matches!(value, Value::Abbreviation) {
                    of_fixed_points.push(affinity);
                }
            }
        }
        classes.share_copies(&of_fixed_points);
        let class_of: Vec<Option<usize>> = (0..model.bit_count())
            .map(|bit| (!classes.cliques[bit].is_empty()).then(|| classes.partition.find(bit)))
            .collect();
        let sequence = order::sequence(system, model, &class_of, &apart, many_values);
        let mut place = vec![None; model.bit_count()];
        for (level, placed) in sequence.iter().enumerate() {
            place[placed.class] = Some(level as u32);
        }
        let levels = class_of
            .iter()
            .map(|class| class.and_then(|class| place[class]));
        Self {
            levels: levels.collect(),
            control: sequence.iter().map(|placed| placed.is_control).collect(),
        }
    }

    /// The BDD variable of a bit that occurs in some formula.
    pub(crate) fn level(&self, bit: BitId) -> u32 {
        self.levels[bit.index()].expect("every bit that occurs is in a clique")
    }

    /// The BDD variable of a bit, if it occurs anywhere.
    pub(crate) fn find(&self, bit: BitId) -> Option<u32> {
        self.levels[bit.index()]
    }

    /// How many BDD variables there are.
    pub(crate) fn count(&self) -> u32 {
        self.control.len() as u32
    }

    /// Per BDD variable whether it is a bit of a large enumeration, such as a program counter, or
    /// of any that stands above such.
    pub(crate) fn control(&self) -> &[bool] {
        &self.control
    }
}

struct Classes {
    partition: Partition,
    /// Per representative, the cliques its bits are in; of other bits, some of them.
    cliques: Vec<BTreeSet<u32>>,
    /// Bits that should stand next to each other, as far as is known: representatives with the
    /// variables they are of.
    neighbours: Partition,
    variables: Vec<BTreeSet<u32>>,
}

impl Classes {
    fn new(model: &Model) -> Self {
        let mut cliques: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); model.bit_count()];
        let mut count = 0;
        let mut add = |bits: &mut dyn Iterator<Item = BitId>| {
            for bit in bits {
                cliques[bit.index()].insert(count);
            }
            count += 1;
        };
        for predicate in &model.predicates {
            add(&mut predicate.parameters.iter().copied());
            let parameters: BTreeSet<BitId> = predicate.parameters.iter().copied().collect();
            let mut seen: BTreeSet<&[BitId]> = BTreeSet::new();
            let has_some = |id| model.terms.has_quantifiers(id);
            for id in model.terms.reachable_through([predicate.body], &has_some) {
                if let Term::Exists(_, operand) = model.terms.get(id) {
                    let free = model.terms.free(*operand);
                    let is_new = seen.insert(free);
                    if is_new && !free.iter().all(|bit| parameters.contains(bit)) {
                        add(&mut free.iter().copied());
                    }
                }
            }
        }
        Self {
            partition: Partition::new(model.bit_count()),
            cliques,
            neighbours: Partition::new(model.bit_count()),
            variables: (0..model.bit_count() as u32)
                .map(|bit| BTreeSet::from([model.owner(BitId(bit)).0.0]))
                .collect(),
        }
    }

    /// Whether two bits have different neighbours that are bits of one variable: those are not
    /// copies of each other, and so will stand far apart.
    fn tears(&mut self, affinity: Affinity) -> bool {
        let a = self.neighbours.find(affinity.parameter.index());
        let b = self.neighbours.find(affinity.argument.index());
        a != b && !self.variables[a].is_disjoint(&self.variables[b])
    }

    /// Makes two bits neighbours.
    fn stand_together(&mut self, affinity: Affinity) {
        let a = self.neighbours.find(affinity.parameter.index());
        let b = self.neighbours.find(affinity.argument.index());
        if a == b || !self.variables[a].is_disjoint(&self.variables[b]) {
            return;
        }
        let (kept, dropped) = self.neighbours.join(a, b);
        // The smaller set moves, so that each variable moves a few times only.
        let mut moved = std::mem::take(&mut self.variables[dropped]);
        let all = &mut self.variables[kept];
        if all.len() < moved.len() {
            std::mem::swap(all, &mut moved);
        }
        all.extend(moved);
    }

    /// Copies of one thing that are not needed at the same time share a BDD variable: what two
    /// clauses say of it is then the same function, and found once.
    fn share_copies(&mut self, apart: &[Affinity]) {
        let mut copies: BTreeMap<usize, Vec<BitId>> = BTreeMap::new();
        for affinity in apart {
            let original = self.partition.find(affinity.parameter.index());
            let known = copies.entry(original).or_default();
            let argument = affinity.argument;
            let is_shared = known.iter().any(|&parameter| {
                self.merge(Affinity {
                    parameter,
                    argument,
                })
            });
            if !is_shared {
                known.push(argument);
            }
        }
    }

    /// Lets two bits share a BDD variable if they may.
    fn merge(&mut self, affinity: Affinity) -> bool {
        let a = self.partition.find(affinity.parameter.index());
        let b = self.partition.find(affinity.argument.index());
        if a == b {
            return true;
        }
        if intersect(&self.cliques[a], &self.cliques[b]) {
            return false;
        }
        let (kept, dropped) = self.partition.join(a, b);
        // The smaller set goes into the larger one: with many relations, sets get long.
        if (1..self.cliques[dropped].len()).contains(&self.cliques[kept].len()) {
            self.cliques.swap(kept, dropped);
        }
        let moved = self.cliques[dropped].clone();
        self.cliques[kept].extend(moved);
        self.stand_together(affinity);
        true
    }
}

fn intersect(a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> bool {
    let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
    small.iter().any(|x| large.contains(x))
}

/// All affinities, the most valuable first: applications of what changes while the reader is
/// iterated, then those of other fixed points, then those of abbreviations, which are renamed once.
fn affinities(model: &Model, dependencies: &Dependencies) -> Vec<(Value, Affinity)> {
    let everyone: Vec<PredicateId> = model.predicate_ids().collect();
    let component_of = dependencies.component_numbers(everyone.len());
    let mut by_value: [Vec<(Value, Affinity)>; 3] = Default::default();
    let mut seen = BTreeSet::new();
    let has_some = |id| model.terms.has_applications(id);
    for (reader, body) in everyone.into_iter().zip(model.bodies_for_order()) {
        for id in model.terms.reachable_through([body], &has_some) {
            let Term::Apply(read, arguments) = model.terms.get(id) else {
                continue;
            };
            let read_predicate = model.predicate(*read);
            let value = if component_of[read.index()] == component_of[reader.index()] {
                Value::Changing
            } else if read_predicate.is_fixed_point {
                Value::FixedPoint
            } else {
                Value::Abbreviation
            };
            for (&parameter, argument) in read_predicate.parameters.iter().zip(arguments) {
                if let &Argument::Bit(argument) = argument {
                    let affinity = Affinity {
                        parameter,
                        argument,
                    };
                    if seen.insert(affinity) {
                        by_value[value as usize].push((value, affinity));
                    }
                }
            }
        }
    }
    by_value.into_iter().flatten().collect()
}
