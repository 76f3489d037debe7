//! Values of fixed points round by round, for paths.
//!
//! Values are found by whatever is fastest, and in no particular order. A path needs to know in
//! which round a tuple came in. So the rounds of the relations on a path are made again: all
//! relations of a component at once, each from the values of the round before.
//!
//! Where least and greatest fixed points depend on each other, the one that is asked for first is
//! the outermost: it is iterated alone, and what depends on it is a fixed point of its own for each
//! of its values. A [`Block`] is what is iterated together, with the values of what stands around
//! it.
//!
//! Everything here is about predicates, which are least fixed points: a greatest one is the
//! complement of a predicate ([`crate::encoding::model`]).

use super::Trouble;
use crate::encoding::dependency::Sign;
use crate::encoding::term::PredicateId;
use crate::limits::Stop;
use crate::search::iteration::Iteration;
use hardbop_bdd::Bdd;
use std::collections::{BTreeMap, BTreeSet};

/// How many fixed points may stand inside each other.
const MAX_NESTING: usize = 32;

/// Values that are given from outside.
pub(super) type Given = BTreeMap<PredicateId, Bdd>;

/// Fixed points that are iterated together.
pub(super) struct Block {
    pub members: Vec<PredicateId>,
    /// The values of fixed points around it that it depends on.
    around: Given,
    /// Per round the values of the members; nothing before the first.
    pub rounds: Vec<Vec<Bdd>>,
    is_complete: bool,
}

impl Block {
    /// The value of a member after a round.
    pub(super) fn value(&self, member: PredicateId, round: usize) -> Option<Bdd> {
        let at = self.members.iter().position(|&known| known == member)?;
        Some(self.rounds[round][at])
    }

    /// The values of all members after a round.
    pub(super) fn values(&self, round: usize) -> impl Iterator<Item = (PredicateId, Bdd)> {
        let values = self.rounds[round].iter().copied();
        self.members.iter().copied().zip(values)
    }

    pub(super) fn last(&self) -> usize {
        self.rounds.len() - 1
    }
}

/// All blocks that were needed so far.
pub(super) struct Rounds<'s, 'a> {
    pub iteration: &'s mut Iteration<'a>,
    pub blocks: Vec<Block>,
    known: BTreeMap<(PredicateId, Given), usize>,
    /// Per fixed point the fixed points it reads, through abbreviations.
    reads: BTreeMap<PredicateId, Vec<(PredicateId, Sign)>>,
    /// Final values.
    finals: Given,
    /// How many values the iteration keeps for others.
    answers: usize,
}

impl<'s, 'a> Rounds<'s, 'a> {
    pub(super) fn new(iteration: &'s mut Iteration<'a>) -> Self {
        let answers = iteration.answers.len();
        Self {
            iteration,
            blocks: Vec::new(),
            known: BTreeMap::new(),
            reads: BTreeMap::new(),
            finals: BTreeMap::new(),
            answers,
        }
    }

    /// The final value of a predicate that is asked for first.
    pub(super) fn final_value(&mut self, predicate: PredicateId) -> Result<Bdd, Stop> {
        if let Some(&known) = self.finals.get(&predicate) {
            return Ok(known);
        }
        self.iteration.run(predicate)?;
        let value = self.iteration.evaluator.values[predicate.index()];
        self.iteration.answers.push(value);
        self.finals.insert(predicate, value);
        Ok(value)
    }

    /// The fixed points that a predicate reads, through abbreviations.
    pub(super) fn reads(&mut self, predicate: PredicateId) -> Vec<(PredicateId, Sign)> {
        if let Some(known) = self.reads.get(&predicate) {
            return known.clone();
        }
        let mut found: BTreeMap<PredicateId, Sign> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut pending = vec![(predicate, Sign::Positive)];
        while let Some((reader, outer)) = pending.pop() {
            for &(read, sign) in self.iteration.dependencies.reads(reader) {
                let sign = outer.through(sign);
                if self.iteration.model.predicate(read).is_fixed_point {
                    let entry = found.entry(read).or_insert(sign);
                    *entry = entry.together(sign);
                } else if seen.insert((read, sign)) {
                    pending.push((read, sign));
                }
            }
        }
        let found: Vec<(PredicateId, Sign)> = found.into_iter().collect();
        self.reads.insert(predicate, found.clone());
        found
    }

    /// The fixed points that a predicate depends on, as far as one gets without passing given ones;
    /// these are among them.
    pub(super) fn reached(&mut self, from: PredicateId, given: &Given) -> BTreeSet<PredicateId> {
        let mut seen = BTreeSet::new();
        let mut pending = vec![from];
        while let Some(at) = pending.pop() {
            for (read, _) in self.reads(at) {
                if seen.insert(read) && !given.contains_key(&read) {
                    pending.push(read);
                }
            }
        }
        seen
    }

    /// The block of a fixed point inside others whose values are given.
    pub(super) fn block(&mut self, of: PredicateId, given: &Given) -> Result<usize, Trouble> {
        let reached = self.reached(of, given);
        let around = given.iter().filter(|(read, _)| reached.contains(read));
        let around: Given = around.map(|(&read, &value)| (read, value)).collect();
        if let Some(&known) = self.known.get(&(of, around.clone())) {
            return Ok(known);
        }
        let members = self.members(of, &reached, &around)?;
        let number = self.blocks.len();
        for &member in &members {
            self.known.insert((member, around.clone()), number);
        }
        self.blocks.push(Block {
            rounds: vec![vec![Bdd::FALSE; members.len()]],
            members,
            around,
            is_complete: false,
        });
        Ok(number)
    }

    /// What is iterated together with a fixed point: its component if all of it grows together.
    fn members(
        &mut self,
        of: PredicateId,
        reached: &BTreeSet<PredicateId>,
        around: &Given,
    ) -> Result<Vec<PredicateId>, Trouble> {
        if !reached.contains(&of) {
            return Ok(vec![of]);
        }
        let mut component = vec![of];
        for &other in reached {
            let is_inside = other != of && !around.contains_key(&other);
            if is_inside && self.reached(other, around).contains(&of) {
                component.push(other);
            }
        }
        let mut grows_together = true;
        for &reader in &component {
            for (read, sign) in self.reads(reader) {
                if !component.contains(&read) {
                    continue;
                }
                let model = &self.iteration.model;
                let (reader, read) = (model.predicate(reader), model.predicate(read));
                let is_same = reader.is_complemented == read.is_complemented;
                if sign == Sign::Mixed || (sign == Sign::Positive) != is_same {
                    let why = format!(
                        "`{}` depends on its own negation, through `{}`, so its rounds prove nothing",
                        read.name, reader.name
                    );
                    return Err(Trouble::Refused(why));
                }
                grows_together &= is_same;
            }
        }
        Ok(if grows_together { component } else { vec![of] })
    }

    /// Makes one more round of a block; whether it changed anything.
    pub(super) fn advance(&mut self, number: usize, depth: usize) -> Result<bool, Trouble> {
        let block = &self.blocks[number];
        if block.is_complete {
            return Ok(false);
        }
        let last = block.last();
        let mut given = block.around.clone();
        given.extend(block.values(last));
        let members = block.members.clone();
        self.iteration.count_round()?;
        let mut next = Vec::with_capacity(members.len());
        for member in members {
            let value = self.body(member, &given, depth)?;
            self.iteration.answers.push(value);
            next.push(value);
        }
        let block = &mut self.blocks[number];
        block.is_complete = next == block.rounds[last];
        let has_changed = !block.is_complete;
        if has_changed {
            block.rounds.push(next);
        }
        Ok(has_changed)
    }

    /// Makes all rounds of a block.
    pub(super) fn complete(&mut self, number: usize, depth: usize) -> Result<(), Trouble> {
        while self.advance(number, depth)? {}
        Ok(())
    }

    /// The value of a fixed point inside others whose values are given.
    pub(super) fn value(
        &mut self,
        of: PredicateId,
        given: &Given,
        depth: usize,
    ) -> Result<Bdd, Trouble> {
        if let Some(&value) = given.get(&of) {
            return Ok(value);
        }
        let reached = self.reached(of, given);
        if given.keys().all(|read| !reached.contains(read)) {
            return Ok(self.final_value(of)?);
        }
        if depth > MAX_NESTING {
            let why = format!("more than {MAX_NESTING} fixed points stand inside each other");
            return Err(Trouble::Refused(why));
        }
        let block = self.block(of, given)?;
        self.complete(block, depth + 1)?;
        let block = &self.blocks[block];
        let value = block.value(of, block.last());
        Ok(value.expect("a fixed point is a member of its block"))
    }

    /// The value of a predicate's body, some fixed points being given.
    pub(super) fn body(
        &mut self,
        predicate: PredicateId,
        given: &Given,
        depth: usize,
    ) -> Result<Bdd, Trouble> {
        let mut values: Given = BTreeMap::new();
        for (read, _) in self.reads(predicate) {
            let value = self.value(read, given, depth)?;
            values.insert(read, value);
        }
        // Abbreviations between the body and its fixed points, what is read first.
        let mut between = BTreeSet::new();
        let mut pending = vec![predicate];
        while let Some(reader) = pending.pop() {
            for &(read, _) in self.iteration.dependencies.reads(reader) {
                let is_fixed_point = self.iteration.model.predicate(read).is_fixed_point;
                if !is_fixed_point && between.insert(read) {
                    pending.push(read);
                }
            }
        }
        let mut moving = Vec::new();
        let between: Vec<PredicateId> = between.into_iter().collect();
        for id in self.iteration.dependencies.components(&between).concat() {
            let reached = self.reached(id, given);
            if given.keys().any(|read| reached.contains(read)) {
                moving.push(id);
            } else {
                let value = self.final_value(id)?;
                values.insert(id, value);
            }
        }
        self.iteration.held_apart(|iteration| {
            for (read, value) in values {
                iteration.evaluator.values[read.index()] = value;
            }
            for id in moving {
                let value = iteration.retry(|this| this.evaluator.body(id))?;
                iteration.evaluator.values[id.index()] = value;
            }
            Ok(iteration.retry(|this| this.evaluator.body(predicate))?)
        })
    }
}

impl Drop for Rounds<'_, '_> {
    fn drop(&mut self) {
        self.iteration.answers.truncate(self.answers);
    }
}
