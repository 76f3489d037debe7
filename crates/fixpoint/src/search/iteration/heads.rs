//! Iterates the heads of a nested group: a value, everything inside with that value, the next
//! value, until two are equal.

use super::{Ended, Frame, Head, Iteration, Memory, Watch};
use crate::encoding::term::PredicateId;
use crate::limits::Stop;
use crate::search::groups::GroupId;
use hardbop_bdd::Bdd;
use hardbop_formula::RelationId;

impl Iteration<'_> {
    /// Goes on with the heads of a nested group.
    pub(super) fn continue_heads(&mut self) -> Result<(), Stop> {
        let Some(Frame::Heads {
            group,
            asked,
            heads,
            results,
        }) = self.frames.last()
        else {
            return Ok(());
        };
        let id = *group;
        if let Some(&head) = heads.get(results.len()) {
            return self.start_head(id, head);
        }
        let (asked, heads, results) = (asked.clone(), heads.clone(), results.clone());
        for (head, value) in heads.iter().zip(results) {
            self.evaluator.values[head.index()] = value;
        }
        // Members are listed what is read first, as far as there is no cycle; abbreviations have
        // none among themselves.
        let short: Vec<PredicateId> = asked
            .into_iter()
            .filter(|asked| !self.model.predicate(*asked).is_fixed_point)
            .collect();
        for component in self.dependencies.components(&short) {
            for predicate in component {
                let value = self.body(predicate)?;
                self.evaluator.values[predicate.index()] = value;
            }
        }
        self.frames.pop();
        Ok(())
    }

    fn start_head(&mut self, id: GroupId, head: PredicateId) -> Result<(), Stop> {
        let inputs = self.inputs(id);
        let memory = self.memory.get(&(id, Some(head)));
        if let Some(memory) = memory.filter(|memory| memory.inputs == inputs && self.is_warm) {
            let value = memory.outputs[0];
            self.end_head(value);
            return Ok(());
        }
        let is_warm = self.is_warm && self.can_only_grow(id, head, &inputs)?;
        let last = self
            .memory
            .get(&(id, Some(head)))
            .map(|memory| memory.outputs[0]);
        let value = last.filter(|_| is_warm).unwrap_or(Bdd::FALSE);
        self.efforts[head.index()].evaluations += 1;
        self.frames.push(Frame::Head(Head {
            group: id,
            relation: head,
            value,
            round: 0,
            kept: (value, 0),
            is_inside_done: false,
        }));
        Ok(())
    }

    fn end_head(&mut self, value: Bdd) {
        if let Some(Frame::Heads { results, .. }) = self.frames.last_mut() {
            results.push(value);
        }
    }

    /// One half of a round of a head: what is inside, or its body.
    pub(super) fn continue_head(&mut self, watch: Option<Watch>) -> Result<Ended, Stop> {
        let Some(Frame::Head(frame)) = self.frames.last_mut() else {
            return Ok(Ended::Finished);
        };
        let (id, head, old) = (frame.group, frame.relation, frame.value);
        if !frame.is_inside_done {
            frame.is_inside_done = true;
            self.evaluator.values[head.index()] = old;
            let groups = self.groups.inside(&self.dependencies, id, head).to_vec();
            self.frames.push(Frame::Sequence { groups, next: 0 });
            return Ok(Ended::Finished);
        }
        self.collect_if_due();
        self.count_round()?;
        let value = self.body(head)?;
        self.efforts[head.index()].rounds += 1;
        let Some(Frame::Head(frame)) = self.frames.last_mut() else {
            return Ok(Ended::Finished);
        };
        frame.round += 1;
        frame.value = value;
        frame.is_inside_done = false;
        let (round, (kept, kept_at)) = (frame.round, frame.kept);
        if value == old {
            self.frames.pop();
            let inputs = self.inputs(id);
            let outputs = vec![value];
            self.memory
                .insert((id, Some(head)), Memory { inputs, outputs });
            self.end_head(value);
            return Ok(Ended::Finished);
        }
        if value == kept {
            return Err(Stop::Diverges {
                relation: RelationId(head.0),
                round,
                period: round - kept_at,
            });
        }
        if round.is_power_of_two() {
            frame.kept = (value, round);
        }
        let news = self.retry(|this| this.evaluator.manager.diff(value, old))?;
        let depth = self.depth();
        self.report(head, depth, round, news, value);
        if let Some(watch) = watch.filter(|watch| watch.group == id) {
            self.evaluator.values[head.index()] = value;
            if self.body(watch.condition)?.is_true() {
                return Ok(Ended::Watched);
            }
        }
        Ok(Ended::Finished)
    }
}
