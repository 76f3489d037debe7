//! The states that the program reaches, with their steps: path edges and summaries, one by one.
//!
//! A state is reached from the entries of its procedure, and a call returns only from the exits
//! that its own entry reaches. What a state can do does not depend on its entry, so each is there
//! once; pairs of entry and state decide only what is reached.

use crate::encoding::states::{Space, State, Step};
use hardbop_machine::EdgeId;
use hardbop_outcome::{Budget, Event, Limit, Progress};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A state: index into [`Graph::states`].
pub(crate) type StateId = u32;

/// How many pairs are looked at between two questions for limits.
const PATIENCE: usize = 1024;

/// States, and where their steps lead.
#[derive(Default)]
pub(crate) struct Graph {
    /// All states.
    pub states: Vec<State>,
    /// By state, in the order of the steps.
    pub links: Vec<Vec<Link>>,
    /// By state: whether it is an exit.
    pub is_exit: Vec<bool>,
    /// Where the program starts.
    pub initial: Vec<StateId>,
    /// Pairs of an entry and a state that it reaches.
    pub pairs: usize,
    ids: HashMap<State, StateId>,
    is_expanded: Vec<bool>,
    bytes: usize,
}

/// Where a step leads.
#[derive(Clone, Debug)]
pub(crate) enum Link {
    /// Within the frame.
    To(StateId),
    /// Into a callee and back.
    Call {
        /// The call.
        edge: EdgeId,
        /// The first state of the callee.
        entry: StateId,
        /// The exits that it reaches, each with the state after the return; in order.
        returns: BTreeMap<StateId, StateId>,
    },
}

/// What the exploration remembers of an entry.
#[derive(Default)]
struct Entry {
    exits: Vec<StateId>,
    /// Who calls it: the entry of the caller, the state, the number of the link.
    callers: Vec<(StateId, StateId, usize)>,
}

impl Graph {
    /// Explores from the start.
    pub(crate) fn explore(
        space: &Space<'_>,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Self, Limit> {
        let mut graph = Self::default();
        let mut reached: HashSet<(StateId, StateId)> = HashSet::new();
        let mut pending: Vec<(StateId, StateId)> = Vec::new();
        let mut entries: HashMap<StateId, Entry> = HashMap::new();
        for state in space.initial()? {
            let id = graph.number(space, state);
            graph.initial.push(id);
            pending.push((id, id));
        }
        graph.initial.sort_unstable();
        graph.initial.dedup();
        while let Some(pair) = pending.pop() {
            if !reached.insert(pair) {
                continue;
            }
            graph.pairs += 1;
            if graph.pairs.is_multiple_of(PATIENCE) {
                progress.event(Event::Count("states", graph.states.len() as u64));
                if let Some(limit) = budget.interrupt.check() {
                    return Err(limit);
                }
                let bytes = (graph.bytes + 32 * graph.pairs) as u64;
                if budget.memory.is_some_and(|memory| bytes > memory) {
                    return Err(Limit::Memory);
                }
            }
            let (root, state) = pair;
            graph.expand(space, state)?;
            if graph.is_exit[state as usize] {
                let entry = entries.entry(root).or_default();
                entry.exits.push(state);
                for (caller_root, caller, link) in entry.callers.clone() {
                    let after = graph.come_back(space, caller, link, state);
                    pending.push((caller_root, after));
                }
            }
            for number in (0..graph.links[state as usize].len()).rev() {
                match graph.links[state as usize][number] {
                    Link::To(to) => pending.push((root, to)),
                    Link::Call { entry: callee, .. } => {
                        let entry = entries.entry(callee).or_default();
                        entry.callers.push((root, state, number));
                        for exit in entry.exits.clone() {
                            let after = graph.come_back(space, state, number, exit);
                            pending.push((root, after));
                        }
                        pending.push((callee, callee));
                    }
                }
            }
            if budget
                .states
                .is_some_and(|states| graph.states.len() as u64 > states)
            {
                return Err(Limit::States);
            }
        }
        Ok(graph)
    }

    /// Finds the steps of a state that is reached for the first time.
    fn expand(&mut self, space: &Space<'_>, state: StateId) -> Result<(), Limit> {
        if std::mem::replace(&mut self.is_expanded[state as usize], true) {
            return Ok(());
        }
        for step in space.steps(&self.states[state as usize])? {
            let link = match step {
                Step::To(to) => Link::To(self.number(space, to)),
                Step::Call { edge, entry } => Link::Call {
                    edge,
                    entry: self.number(space, entry),
                    returns: BTreeMap::new(),
                },
            };
            self.links[state as usize].push(link);
            self.bytes += size_of::<Link>() + 8;
        }
        Ok(())
    }

    fn number(&mut self, space: &Space<'_>, state: State) -> StateId {
        if let Some(&id) = self.ids.get(&state) {
            return id;
        }
        let id = self.states.len() as StateId;
        self.is_exit.push(space.is_exit(&state));
        self.bytes += 2 * (8 * state.values.len() + size_of::<State>()) + 64;
        self.ids.insert(state.clone(), id);
        self.states.push(state);
        self.links.push(Vec::new());
        self.is_expanded.push(false);
        id
    }

    /// The state after a call that returns from an exit.
    fn come_back(
        &mut self,
        space: &Space<'_>,
        caller: StateId,
        link: usize,
        exit: StateId,
    ) -> StateId {
        let Link::Call { edge, returns, .. } = &self.links[caller as usize][link] else {
            unreachable!("only calls wait for a return");
        };
        if let Some(&after) = returns.get(&exit) {
            return after;
        }
        let after = space.returned(
            &self.states[caller as usize],
            *edge,
            &self.states[exit as usize],
        );
        let after = self.number(space, after);
        if let Link::Call { returns, .. } = &mut self.links[caller as usize][link] {
            returns.insert(exit, after);
        }
        self.bytes += 16;
        after
    }
}
