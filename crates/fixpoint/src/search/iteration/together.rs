//! Solves a positive group: all members at once, by what is new.
//!
//! A round visits each member that has news. What it gains is announced to all readers right away,
//! so members later in the round use it already. A watched condition is one more reader.

use super::{Ended, Iteration, Memory};
use crate::encoding::term::PredicateId;
use crate::limits::Stop;
use crate::search::groups::GroupId;
use crate::search::portion;
use crate::search::semi_naive::DifferenceBody;
use hardbop_bdd::Bdd;
use std::collections::BTreeSet;

impl Iteration<'_> {
    /// Solves a positive group.
    pub(super) fn together(
        &mut self,
        id: GroupId,
        condition: Option<PredicateId>,
    ) -> Result<Ended, Stop> {
        let inputs = self.inputs(id);
        let members = self.groups.get(id).members.clone();
        if let Some(memory) = self.memory.get(&(id, None))
            && memory.inputs == inputs
        {
            for (member, &value) in members.iter().zip(&memory.outputs) {
                self.evaluator.values[member.index()] = value;
            }
            return Ok(Ended::Finished);
        }
        let is_warm = self.is_warm && self.can_only_grow(id, members[0], &inputs)?;
        for (at, member) in members.iter().enumerate() {
            let last = self
                .memory
                .get(&(id, None))
                .map(|memory| memory.outputs[at]);
            let start = last.filter(|_| is_warm).unwrap_or(Bdd::FALSE);
            self.evaluator.values[member.index()] = start;
            self.efforts[member.index()].evaluations += 1;
        }
        self.prepare(id, &members, condition);
        let ended = self.iterate(id, &members, condition)?;
        if ended == Ended::Finished {
            let outputs = members
                .iter()
                .map(|m| self.evaluator.values[m.index()])
                .collect();
            self.memory.insert((id, None), Memory { inputs, outputs });
            self.finish(&members);
        }
        // Values inside the bodies are made again when the group is next evaluated.
        for body in self.differences.get_mut(&id).into_iter().flatten() {
            body.forget();
        }
        Ok(ended)
    }

    fn prepare(&mut self, id: GroupId, members: &[PredicateId], condition: Option<PredicateId>) {
        let readers: Vec<PredicateId> = members.iter().copied().chain(condition).collect();
        self.pending = vec![Vec::new(); readers.len()];
        let known = self.differences.get(&id).into_iter().flatten();
        if known.map(|body| body.predicate).eq(readers.iter().copied()) {
            return;
        }
        let inside: BTreeSet<PredicateId> = members.iter().copied().collect();
        let bodies = readers.into_iter().map(|reader| {
            let program = &self.evaluator.bodies[reader.index()].program;
            DifferenceBody::new(program, reader, &inside)
        });
        let bodies: Vec<DifferenceBody> = bodies.collect();
        self.differences.insert(id, bodies);
    }

    fn iterate(
        &mut self,
        id: GroupId,
        members: &[PredicateId],
        condition: Option<PredicateId>,
    ) -> Result<Ended, Stop> {
        // A member that reads itself is closed before the others see what it has gained: they are
        // visited less often, with more at a time. A condition wants to be looked at after each step.
        let closes = members.len() > 1 && condition.is_none();
        let mut round = 0;
        loop {
            round += 1;
            self.count_round()?;
            for (at, &member) in members.iter().enumerate() {
                if self.evaluator.values[member.index()].is_true() {
                    // Nothing can be added.
                    self.pending[at].clear();
                }
                if round > 1 && self.pending[at].is_empty() {
                    continue;
                }
                let gained = self.visit(id, at, round == 1)?;
                self.efforts[member.index()].rounds += 1;
                self.add(id, member, gained, round)?;
                while closes && self.pending[at].iter().any(|(source, _)| *source == member) {
                    self.count_round()?;
                    let gained = self.visit(id, at, false)?;
                    self.efforts[member.index()].rounds += 1;
                    self.add(id, member, gained, round)?;
                }
            }
            if condition.is_some() && (round == 1 || !self.pending[members.len()].is_empty()) {
                let holds = self.visit(id, members.len(), round == 1)?;
                if holds.is_true() {
                    return Ok(Ended::Watched);
                }
            }
            if self.pending[..members.len()].iter().all(Vec::is_empty) {
                return Ok(Ended::Finished);
            }
        }
    }

    /// What a reader gains by its news, or by that part of it that goes first.
    fn visit(&mut self, id: GroupId, at: usize, is_first: bool) -> Result<Bdd, Stop> {
        self.collect_if_due();
        let reader = self.differences[&id][at].predicate;
        let members = self.groups.get(id).members.len();
        let (gained, rest) = self.effort(reader, |this| {
            let bodies = this
                .differences
                .get_mut(&id)
                .expect("the group is prepared");
            if is_first {
                return Ok((bodies[at].start(&mut this.evaluator)?, Vec::new()));
            }
            if at >= members {
                // A condition that is watched for is looked at with everything.
                let gained = bodies[at].visit(&mut this.evaluator, &this.pending[at])?;
                return Ok((gained, Vec::new()));
            }
            let mut firsts = Vec::new();
            let mut rests = Vec::new();
            for &(source, news) in &this.pending[at] {
                let manager = &mut this.evaluator.manager;
                let (first, rest) = portion::split(manager, &this.control, this.large_news, news)?;
                firsts.push((source, first));
                if !rest.is_false() {
                    rests.push((source, rest));
                }
            }
            Ok((bodies[at].visit(&mut this.evaluator, &firsts)?, rests))
        })?;
        self.pending[at] = rest;
        Ok(gained)
    }

    /// Adds to the value of a member.
    fn add(
        &mut self,
        id: GroupId,
        member: PredicateId,
        gained: Bdd,
        round: u64,
    ) -> Result<(), Stop> {
        self.held = vec![gained];
        let old = self.evaluator.values[member.index()];
        let (news, value) = self.effort(member, |this| {
            let manager = &mut this.evaluator.manager;
            let news = manager.diff(gained, old)?;
            Ok((news, manager.or(news, old)?))
        })?;
        self.held.clear();
        if news.is_false() {
            return Ok(());
        }
        self.evaluator.values[member.index()] = value;
        self.held = vec![news];
        let readers = self.differences[&id].iter().map(|body| body.predicate);
        let readers: Vec<PredicateId> = readers.collect();
        for (at, reader) in readers.into_iter().enumerate() {
            let reads = self.dependencies.reads(reader);
            if reads.iter().any(|&(read, _)| read == member) {
                self.announce(at, member, news)?;
            }
        }
        self.held.clear();
        let depth = self.depth();
        self.report(member, depth, round, news, value);
        Ok(())
    }

    fn announce(&mut self, at: usize, source: PredicateId, news: Bdd) -> Result<(), Stop> {
        let known = self.pending[at]
            .iter()
            .position(|&(known, _)| known == source);
        match known {
            Some(place) => {
                let old = self.pending[at][place].1;
                let all = self.retry(|this| this.evaluator.manager.or(old, news))?;
                self.pending[at][place].1 = all;
            }
            None => self.pending[at].push((source, news)),
        }
        Ok(())
    }
}
