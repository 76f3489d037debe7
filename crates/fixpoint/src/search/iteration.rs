//! The iteration: groups one after the other, heads round by round, as an explicit stack of frames.
//!
//! This is `Evaluate` of section 3 of the Getafix paper. A head is given a value, everything inside
//! it is evaluated with that value, its body gives the next one, until two are equal. What differs
//! from the paper is only what cannot be seen in the result: a group whose inputs are what they
//! were is not evaluated again; positive groups are solved semi-naively; and if the inputs have
//! moved so that the result can only have grown, the iteration starts from the last result (for
//! alternating fixed points that is Emerson and Lei's observation, that only a change of direction
//! needs a fresh start).
//!
//! Iterations that do not end are noticed by Brent's algorithm: the value at a power of two is kept
//! and compared with the following ones, so there is one value to remember and not all of them.

mod heads;
mod together;

use crate::encoding::dependency::{Dependencies, Sign};
use crate::encoding::model::Model;
use crate::encoding::term::PredicateId;
use crate::evidence::rounds::{Observer, Round};
use crate::limits::Stop;
use crate::search::evaluator::Evaluator;
use crate::search::groups::{GroupId, Groups, InnerGroup, Shape};
use crate::search::semi_naive::DifferenceBody;
use hardbop_bdd::{Bdd, Exhausted, Roots};
use std::collections::{BTreeMap, BTreeSet};

/// The inputs and results of the last evaluation of a group, or of one head of it.
struct Memory {
    inputs: Vec<Bdd>,
    outputs: Vec<Bdd>,
}

impl Roots for Memory {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        [&self.inputs, &self.outputs].each_root(keep);
    }
}

enum Frame {
    /// Groups to evaluate in order.
    Sequence {
        groups: Vec<InnerGroup>,
        next: usize,
    },
    /// The heads of a nested group that are asked for, one after the other.
    Heads {
        group: GroupId,
        asked: Vec<PredicateId>,
        heads: Vec<PredicateId>,
        results: Vec<Bdd>,
    },
    /// One head.
    Head(Head),
}

struct Head {
    group: GroupId,
    relation: PredicateId,
    value: Bdd,
    round: u64,
    /// A value kept to compare with, and when it was.
    kept: (Bdd, u64),
    /// Whether what is inside has been evaluated for this value.
    is_inside_done: bool,
}

impl Roots for Frame {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        match self {
            Frame::Sequence { .. } => {}
            Frame::Heads { results, .. } => results.each_root(keep),
            Frame::Head(head) => [head.value, head.kept.0].each_root(keep),
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All values are final.
    Finished,
    /// The watched condition became true.
    Watched,
}

/// A condition that ends the iteration of a group early.
#[derive(Clone, Copy)]
struct Watch {
    group: GroupId,
    condition: PredicateId,
}

/// How much was done for a predicate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub rounds: u64,
    pub evaluations: u64,
    /// Steps of BDD operations.
    pub work: u64,
}

/// Garbage is collected when there are this many nodes, and then when there are twice as many as
/// were left.
const FIRST_COLLECTION: usize = 1 << 19;

/// Everything that is needed to iterate.
pub(crate) struct Iteration<'a> {
    pub model: Model,
    pub dependencies: Dependencies,
    pub groups: Groups,
    pub evaluator: Evaluator<'a>,
    pub efforts: Vec<Effort>,
    pub observer: Option<Observer<'a>>,
    /// Per BDD variable whether it is a bit of a large enumeration.
    pub control: Vec<bool>,
    /// News of more BDD nodes is propagated place by place.
    pub large_news: usize,
    /// Start from the last result where that is right.
    pub is_warm: bool,
    pub round_limit: u64,
    pub collections: u64,
    /// Values that callers have been given.
    pub answers: Vec<Bdd>,
    is_final: Vec<bool>,
    differences: BTreeMap<GroupId, Vec<DifferenceBody>>,
    memory: BTreeMap<(GroupId, Option<PredicateId>), Memory>,
    frames: Vec<Frame>,
    /// Per reader in the group at hand, what it has not seen yet.
    pending: Vec<Vec<(PredicateId, Bdd)>>,
    held: Vec<Bdd>,
    rounds: u64,
    collect_at: usize,
}

impl<'a> Iteration<'a> {
    pub(crate) fn new(
        model: Model,
        dependencies: Dependencies,
        groups: Groups,
        evaluator: Evaluator<'a>,
    ) -> Self {
        Self {
            efforts: vec![Effort::default(); model.predicates.len()],
            is_final: vec![false; model.predicates.len()],
            answers: Vec::new(),
            model,
            dependencies,
            groups,
            evaluator,
            observer: None,
            control: Vec::new(),
            large_news: usize::MAX,
            is_warm: true,
            round_limit: u64::MAX,
            collections: 0,
            differences: BTreeMap::new(),
            memory: BTreeMap::new(),
            frames: Vec::new(),
            pending: Vec::new(),
            held: Vec::new(),
            rounds: 0,
            collect_at: FIRST_COLLECTION,
        }
    }

    /// Evaluates a predicate with nothing held fixed. Its value is then in the evaluator.
    pub(crate) fn run(&mut self, asked: PredicateId) -> Result<(), Stop> {
        let groups = self.demand(&[asked]);
        self.run_groups(groups, None).map(|_| ())
    }

    /// The same, but ends as soon as the condition is true. The condition is evaluated for every
    /// round.
    pub(crate) fn run_until(
        &mut self,
        asked: PredicateId,
        condition: PredicateId,
    ) -> Result<Ended, Stop> {
        let watched = self.groups.outermost(asked);
        let mut wanted = vec![asked];
        wanted.extend(
            self.dependencies
                .reads(condition)
                .iter()
                .map(|&(read, _)| read),
        );
        // What does not wait for the watched group comes first: the condition may read it.
        let (waiting, mut groups): (Vec<InnerGroup>, Vec<InnerGroup>) = {
            let mut waits = BTreeSet::from([watched]);
            self.demand(&wanted).into_iter().partition(|group| {
                let inputs = &self.groups.get(group.group).inputs;
                let mut reads = inputs
                    .iter()
                    .map(|&(_, read, _)| self.groups.outermost(read));
                let is_waiting = group.group == watched || reads.any(|read| waits.contains(&read));
                if is_waiting {
                    waits.insert(group.group);
                }
                is_waiting
            })
        };
        groups.extend(waiting);
        // A condition that can become false again says nothing before the end.
        let members = &self.groups.get(watched).members;
        let is_lasting = self
            .dependencies
            .reads(condition)
            .iter()
            .all(|(read, sign)| *sign == Sign::Positive || !members.contains(read));
        let watch = is_lasting.then_some(Watch {
            group: watched,
            condition,
        });
        if self.run_groups(groups, watch)? == Ended::Watched {
            return Ok(Ended::Watched);
        }
        // A result that was there already has not been looked at.
        let value = self.body(condition)?;
        Ok(if value.is_true() {
            Ended::Watched
        } else {
            Ended::Finished
        })
    }

    /// Whether the final value of a predicate is known.
    pub(crate) fn is_final(&self, predicate: PredicateId) -> bool {
        self.is_final[predicate.index()]
    }

    /// The groups that the values of these predicates need, in order, with the members asked for.
    fn demand(&self, wanted: &[PredicateId]) -> Vec<InnerGroup> {
        let mut asked: BTreeMap<GroupId, BTreeSet<PredicateId>> = BTreeMap::new();
        let mut pending = wanted.to_vec();
        while let Some(predicate) = pending.pop() {
            let group = self.groups.outermost(predicate);
            let is_new = !asked.contains_key(&group);
            asked.entry(group).or_default().insert(predicate);
            if is_new {
                let inputs = &self.groups.get(group).inputs;
                pending.extend(inputs.iter().map(|&(_, read, _)| read));
            }
        }
        asked
            .into_iter()
            .map(|(group, asked)| InnerGroup {
                group,
                asked: asked.into_iter().collect(),
            })
            .collect()
    }

    fn run_groups(&mut self, groups: Vec<InnerGroup>, watch: Option<Watch>) -> Result<Ended, Stop> {
        self.frames = vec![Frame::Sequence { groups, next: 0 }];
        let result = self.work_off(watch);
        self.frames.clear();
        self.pending.clear();
        self.held.clear();
        result
    }

    fn work_off(&mut self, watch: Option<Watch>) -> Result<Ended, Stop> {
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Sequence { groups, next } => match groups.get(*next) {
                    Some(group) => {
                        let group = group.clone();
                        *next += 1;
                        if self.start_group(&group, watch)? == Ended::Watched {
                            return Ok(Ended::Watched);
                        }
                    }
                    None => {
                        self.frames.pop();
                    }
                },
                Frame::Heads { .. } => self.continue_heads()?,
                Frame::Head(_) => {
                    if self.continue_head(watch)? == Ended::Watched {
                        return Ok(Ended::Watched);
                    }
                }
            }
        }
        Ok(Ended::Finished)
    }

    fn start_group(&mut self, inner: &InnerGroup, watch: Option<Watch>) -> Result<Ended, Stop> {
        let id = inner.group;
        let group = self.groups.get(id);
        match group.shape {
            Shape::Once => {
                let only = group.members[0];
                if self.is_final[only.index()] {
                    return Ok(Ended::Finished);
                }
                let value = self.body(only)?;
                self.evaluator.values[only.index()] = value;
                self.efforts[only.index()].evaluations += 1;
                self.finish(&[only]);
            }
            Shape::Together => {
                let watch = watch.filter(|watch| watch.group == id);
                return self.together(id, watch.map(|watch| watch.condition));
            }
            Shape::Nested => {
                // Abbreviations are not iterated: what they read in the group is asked for in their
                // place.
                let members: BTreeSet<PredicateId> = group.members.iter().copied().collect();
                let mut heads = BTreeSet::new();
                let mut seen = BTreeSet::new();
                let mut pending = inner.asked.clone();
                while let Some(asked) = pending.pop() {
                    if !seen.insert(asked) {
                        continue;
                    }
                    if self.model.predicate(asked).is_fixed_point {
                        heads.insert(asked);
                    } else {
                        let reads = self.dependencies.reads(asked).iter();
                        pending
                            .extend(reads.map(|&(read, _)| read).filter(|r| members.contains(r)));
                    }
                }
                self.frames.push(Frame::Heads {
                    group: id,
                    asked: seen.into_iter().collect(),
                    heads: heads.into_iter().collect(),
                    results: Vec::new(),
                });
            }
        }
        Ok(Ended::Finished)
    }

    /// With nothing held fixed, values are final, and what was remembered to find them can go.
    fn finish(&mut self, members: &[PredicateId]) {
        if self.depth() == 0 {
            for &member in members {
                self.is_final[member.index()] = true;
                self.evaluator.forget(member);
            }
        }
    }

    /// The values of the inputs of a group.
    fn inputs(&self, id: GroupId) -> Vec<Bdd> {
        let inputs = self.groups.get(id).inputs.iter();
        inputs
            .map(|&(_, read, _)| self.evaluator.values[read.index()])
            .collect()
    }

    /// Whether the inputs have moved so that the value of a member can only have grown.
    fn can_only_grow(
        &mut self,
        id: GroupId,
        member: PredicateId,
        new: &[Bdd],
    ) -> Result<bool, Stop> {
        let head = (self.groups.get(id).shape == Shape::Nested).then_some(member);
        let Some(memory) = self.memory.get(&(id, head)) else {
            return Ok(false);
        };
        let group = self.groups.get(id);
        let mut moves = Vec::new();
        for (&(reader, _, sign), (&old, &new)) in
            group.inputs.iter().zip(memory.inputs.iter().zip(new))
        {
            if old == new {
                continue;
            }
            match group.sign(member, reader, sign) {
                Sign::Positive => moves.push((old, new)),
                Sign::Negative => moves.push((new, old)),
                Sign::Mixed => return Ok(false),
            }
        }
        self.retry(|this| {
            for &(small, large) in &moves {
                if !this.evaluator.manager.implies(small, large)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Carries out something that is done for a predicate, again after a collection if the nodes
    /// run out.
    fn effort<T>(
        &mut self,
        predicate: PredicateId,
        action: impl FnMut(&mut Self) -> Result<T, Exhausted>,
    ) -> Result<T, Stop> {
        let before = self.evaluator.manager.work();
        let result = self.retry(action);
        self.efforts[predicate.index()].work += self.evaluator.manager.work() - before;
        result
    }

    /// The value of a predicate's body.
    fn body(&mut self, predicate: PredicateId) -> Result<Bdd, Stop> {
        self.effort(predicate, |this| this.evaluator.body(predicate))
    }

    /// How many heads are being iterated around what is evaluated now.
    fn depth(&self) -> usize {
        let heads = self
            .frames
            .iter()
            .filter(|frame| matches!(frame, Frame::Head(_)));
        heads.count()
    }

    fn report(&self, predicate: PredicateId, depth: usize, round: u64, news: Bdd, value: Bdd) {
        if let Some(observer) = self.observer {
            let manager = &self.evaluator.manager;
            observer(&Round {
                relation: self.model.predicate(predicate).name.clone(),
                depth,
                round,
                news: manager.size(news),
                nodes: manager.size(value),
            });
        }
    }

    pub(crate) fn count_round(&mut self) -> Result<(), Stop> {
        self.rounds += 1;
        if self.rounds > self.round_limit {
            return Err(Stop::Rounds);
        }
        Ok(())
    }

    /// Does it again after a collection if the nodes run out.
    pub(crate) fn retry<T>(
        &mut self,
        mut action: impl FnMut(&mut Self) -> Result<T, Exhausted>,
    ) -> Result<T, Stop> {
        match action(self) {
            Err(Exhausted::Nodes) => {
                self.collect();
                Ok(action(self)?)
            }
            result => Ok(result?),
        }
    }

    /// Does something with other values of predicates, which are then what they were.
    pub(crate) fn held_apart<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.evaluator.values.clone();
        self.held.extend(&before);
        let result = action(self);
        self.evaluator.values = before;
        self.held.clear();
        result
    }

    fn collect_if_due(&mut self) {
        if self.evaluator.manager.node_count() > self.collect_at {
            self.collect();
        }
    }

    fn collect(&mut self) {
        let roots: [&dyn Roots; 8] = [
            &self.held,
            &self.answers,
            &self.evaluator.values,
            &self.evaluator.bodies,
            &self.differences,
            &self.memory,
            &self.pending,
            &self.frames,
        ];
        let manager = &mut self.evaluator.manager;
        manager.collect(&roots);
        self.collect_at = FIRST_COLLECTION.max(2 * manager.node_count());
        self.collections += 1;
    }
}
