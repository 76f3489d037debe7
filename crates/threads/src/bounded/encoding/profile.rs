//! Profiles: what is told apart explicitly about the contexts in which a thread, or an invocation
//! of a procedure, has run.
//!
//! Of a program without thread starts and atomic blocks a profile says only *how many* contexts
//! there were. Otherwise it also says where each context left the thread and which threads it
//! started. One more thing may matter: while some thread waits inside an atomic block, another one
//! may go on only as long as the first is blocked. Whether it is depends on its private state,
//! which a relation of another thread knows nothing of; but as a *predicate over the shared
//! globals* there are only a few different ones, so the predicate in force, the [`WatchId`] of the
//! context, is explicit too.

use std::collections::HashMap;

/// A predicate over the shared globals: some thread that waits inside an atomic block is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct WatchId(pub u32);

/// A kind of frame; see [`crate::bounded::encoding::scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ScopeId(pub u32);

/// A sequence of contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ProfileId(pub u32);

/// How a thread is left where another one takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Leave {
    /// Outside atomic blocks, or at its end.
    Free,
    /// Blocked inside an atomic block, as long as the predicate holds.
    Holding(WatchId),
}

/// One context, or the part of it that belongs to an invocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Stretch {
    watch: Option<WatchId>,
    starts: Vec<ScopeId>,
    leave: Option<Leave>,
}

/// All profiles met so far.
#[derive(Default)]
pub(crate) struct Profiles {
    table: Vec<Vec<Stretch>>,
    ids: HashMap<Vec<Stretch>, ProfileId>,
}

impl Profiles {
    fn id(&mut self, stretches: Vec<Stretch>) -> ProfileId {
        let next = ProfileId(self.table.len() as u32);
        if let Some(&known) = self.ids.get(&stretches) {
            return known;
        }
        self.table.push(stretches.clone());
        self.ids.insert(stretches, next);
        next
    }

    fn get(&self, id: ProfileId) -> &[Stretch] {
        &self.table[id.0 as usize]
    }

    /// The beginning of a context.
    pub(crate) fn first(&mut self, watch: Option<WatchId>) -> ProfileId {
        self.id(vec![open(watch)])
    }

    /// A further context begins after one that was left.
    pub(crate) fn resumed(&mut self, left: ProfileId, watch: Option<WatchId>) -> ProfileId {
        let mut stretches = self.get(left).to_vec();
        stretches.push(open(watch));
        self.id(stretches)
    }

    /// The last context is left.
    pub(crate) fn left(&mut self, id: ProfileId, leave: Leave) -> ProfileId {
        self.change_last(id, |last| last.leave = Some(leave))
    }

    /// A thread is started.
    pub(crate) fn started(&mut self, id: ProfileId, scope: ScopeId) -> ProfileId {
        self.change_last(id, |last| last.starts.push(scope))
    }

    /// The beginning of the last context: what it has done so far forgotten.
    pub(crate) fn reopened(&mut self, id: ProfileId) -> ProfileId {
        self.change_last(id, |last| {
            last.starts.clear();
            last.leave = None;
        })
    }

    fn change_last(&mut self, id: ProfileId, change: impl Fn(&mut Stretch)) -> ProfileId {
        let mut stretches = self.get(id).to_vec();
        stretches.iter_mut().last().map(change);
        self.id(stretches)
    }

    /// The profile before the last thread of the last context was started.
    pub(crate) fn before_start(&mut self, id: ProfileId) -> Option<ProfileId> {
        self.recent_starts(id).last()?;
        Some(self.change_last(id, |last| {
            last.starts.pop();
        }))
    }

    /// The profile before the last context, with the way it was left, if nothing was started since.
    pub(crate) fn before_switch(&mut self, id: ProfileId) -> Option<(ProfileId, Leave)> {
        let stretches = self.get(id);
        let (last, before) = stretches.split_last()?;
        let leave = before.last()?.leave?;
        if !last.starts.is_empty() {
            return None;
        }
        let left = self.id(before.to_vec());
        Some((self.change_last(left, |last| last.leave = None), leave))
    }

    /// A profile continued by that of a call which began in its last context.
    pub(crate) fn joined(&mut self, outer: ProfileId, inner: ProfileId) -> Option<ProfileId> {
        let (before, after) = (self.get(outer), self.get(inner));
        let (last, first) = (before.last()?, after.first()?);
        if last.watch != first.watch {
            return None;
        }
        let mut stretches = before[..before.len() - 1].to_vec();
        let starts = last.starts.iter().chain(&first.starts);
        stretches.push(Stretch {
            watch: last.watch,
            starts: starts.copied().collect(),
            leave: first.leave,
        });
        stretches.extend_from_slice(&after[1..]);
        Some(self.id(stretches))
    }

    /// How many contexts have ended.
    pub(crate) fn interruptions(&self, id: ProfileId) -> u32 {
        self.get(id).len() as u32 - 1
    }

    /// What is watched in the last context.
    pub(crate) fn watch(&self, id: ProfileId) -> Option<WatchId> {
        self.get(id).last().and_then(|last| last.watch)
    }

    /// The threads started, in order.
    pub(crate) fn starts(&self, id: ProfileId) -> Vec<ScopeId> {
        let stretches = self.get(id).iter();
        stretches.flat_map(|s| s.starts.iter().copied()).collect()
    }

    /// The threads started in the last context.
    pub(crate) fn recent_starts(&self, id: ProfileId) -> &[ScopeId] {
        self.get(id).last().map_or(&[], |last| &last.starts)
    }

    /// How many threads were started.
    pub(crate) fn start_count(&self, id: ProfileId) -> u32 {
        self.get(id).iter().map(|s| s.starts.len() as u32).sum()
    }
}

fn open(watch: Option<WatchId>) -> Stretch {
    Stretch {
        watch,
        starts: Vec::new(),
        leave: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_is_interrupted_twice_adds_two_contexts_to_its_caller() {
        let mut profiles = Profiles::default();
        let one = profiles.first(None);
        let left = profiles.left(one, Leave::Free);
        let two = profiles.resumed(left, None);
        let left = profiles.left(two, Leave::Free);
        let three = profiles.resumed(left, None);
        assert_eq!(profiles.joined(two, one), Some(two));
        let four = profiles.joined(two, three).unwrap();
        assert_eq!(profiles.interruptions(four), 3);
        assert_eq!(profiles.joined(three, two), Some(four));
    }

    #[test]
    fn starts_are_kept_in_order_and_watches_must_agree() {
        let mut profiles = Profiles::default();
        let quiet = profiles.first(None);
        let watched = profiles.first(Some(WatchId(0)));
        assert_eq!(profiles.joined(quiet, watched), None);
        let (a, b) = (ScopeId(1), ScopeId(2));
        let first = profiles.started(quiet, a);
        let second = profiles.started(quiet, b);
        let both = profiles.joined(first, second).unwrap();
        assert_eq!(profiles.starts(both), [a, b]);
        assert_eq!(profiles.reopened(both), quiet);
    }
}
