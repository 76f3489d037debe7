//! On-the-fly search for fair cycles in recursive programs (VERA, section 4, Figures 3 and 4).
//!
//! A depth-first search makes the state graph and its strongly connected components together, and
//! stops at the first component with a cycle and something fair in it. Cycles may lead through
//! entries of callees that never return: then the stack grows from round to round. A call's
//! summaries are links of the calling state; those found while that state is still on the path are
//! followed when the search comes back to it. So programs without recursion take a single pass.
//!
//! A summary that is found later is a link from a state that is done with. VERA collects such links
//! and searches again after each pass, which can take quadratic time. Here the search goes on from
//! where they lead until the graph has twice as many links as before, or is complete, and only then
//! looks at all components again. All passes together cost no more than a few times the last one,
//! and a cycle is found before the graph has grown to a few times what had to be known of it.

pub(crate) mod components;
pub(crate) mod graph;

use crate::encoding::step::Decision;
use crate::search::exploration::{Advance, Cursor, Exploration, Starts, StateId, Successor};
use crate::search::watch::{Stopped, Watch};
use components::{Components, Seen};
use graph::{Graph, LinkId, NO_LINK};
use hardbop_machine::{GlobalId, Variable};

/// A state on the path of the search.
struct Visit {
    state: StateId,
    /// The link that was followed last.
    link: LinkId,
    /// Where its steps are being made, unless all have been.
    cursor: Option<Cursor>,
}

/// A search for fair cycles.
pub(crate) struct CycleSearch<'e, 's> {
    pub(crate) exploration: &'e mut Exploration<'s>,
    state_variable: GlobalId,
    accepting: &'e [bool],
    /// The states and links that have been made.
    pub(crate) graph: Graph,
    /// Initial states.
    pub(crate) starts: Vec<StateId>,
    /// How often the components were computed anew.
    pub(crate) passes: u64,
    components: Components,
    path: Vec<Visit>,
    on_path: Vec<bool>,
    decisions: Vec<Decision>,
    /// Where links lead whose source is no longer on the path.
    late: Vec<StateId>,
    is_late: bool,
}

impl<'e, 's> CycleSearch<'e, 's> {
    /// A search that finds the automaton's state in a global; `accepting` has its accepting values.
    pub(crate) fn new(
        exploration: &'e mut Exploration<'s>,
        state_variable: GlobalId,
        accepting: &'e [bool],
    ) -> Self {
        Self {
            exploration,
            state_variable,
            accepting,
            graph: Graph::default(),
            starts: Vec::new(),
            passes: 0,
            components: Components::default(),
            path: Vec::new(),
            on_path: Vec::new(),
            decisions: Vec::new(),
            late: Vec::new(),
            is_late: false,
        }
    }

    /// Searches until a fair component is found or everything has been seen; gives the states of
    /// the component.
    pub(crate) fn run(&mut self, watch: &mut Watch<'_>) -> Result<Option<Vec<StateId>>, Stopped> {
        watch.stops_early = false;
        let mut starts = Starts::default();
        self.passes = 1;
        while let Some(state) = self.exploration.next_start(&mut starts)? {
            self.note_states();
            self.graph.begin(state);
            self.starts.push(state);
            watch.meet(self.exploration, state)?;
            if let Some(found) = self.search_from(state, watch)? {
                return Ok(Some(found));
            }
        }
        while self.is_late || self.graph.has_new_fairness {
            let enough = 2 * self.graph.link_count();
            while self.graph.link_count() < enough
                && let Some(state) = self.late.pop()
            {
                if let Some(found) = self.search_from(state, watch)? {
                    return Ok(Some(found));
                }
            }
            if let Some(found) = self.pass(watch)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Computes all components anew, going on with the exploration where there is more.
    fn pass(&mut self, watch: &mut Watch<'_>) -> Result<Option<Vec<StateId>>, Stopped> {
        self.passes += 1;
        self.is_late = false;
        self.graph.has_new_fairness = false;
        self.late.clear();
        self.components = Components::default();
        for index in 0..self.starts.len() {
            if let Some(found) = self.search_from(self.starts[index], watch)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn search_from(
        &mut self,
        start: StateId,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<StateId>>, Stopped> {
        if self.components.seen(start) != Seen::Unvisited {
            return Ok(None);
        }
        self.visit(start, false);
        while let Some(top) = self.path.last_mut() {
            if let Some(link) = self.graph.next_link(top.state, top.link) {
                top.link = link;
                let is_fair = self.graph.is_fair(link);
                let to = self.graph.link(link).to;
                match self.components.seen(to) {
                    Seen::Unvisited => self.visit(to, is_fair),
                    Seen::Closed => {}
                    Seen::Open => {
                        if let Some(component) = self.components.close_cycle(to, is_fair) {
                            return Ok(Some(component.to_vec()));
                        }
                    }
                }
                let extra = bytes(&self.graph, &self.components, &self.path);
                watch.tick(self.exploration, extra)?;
                continue;
            }
            let Some(cursor) = &mut top.cursor else {
                self.leave();
                continue;
            };
            match self.exploration.advance(cursor, &mut self.decisions)? {
                Advance::Successor(successor) => {
                    self.note(&successor);
                    if successor.is_new {
                        watch.meet(self.exploration, successor.state)?;
                    }
                }
                Advance::Pending => {
                    let extra = bytes(&self.graph, &self.components, &self.path);
                    watch.look(self.exploration, extra)?;
                }
                Advance::Done => {
                    top.cursor = None;
                    self.graph.set_expanded(top.state);
                }
            }
        }
        Ok(None)
    }

    /// Puts a state on the path.
    fn visit(&mut self, state: StateId, entered_fairly: bool) {
        let is_fair = self.graph.accepts(state);
        self.components.open(state, is_fair, entered_fairly);
        let is_expanded = self.graph.is_expanded(state);
        let cursor = (!is_expanded).then(|| self.exploration.cursor(state, &self.decisions, false));
        self.path.push(Visit {
            state,
            link: NO_LINK,
            cursor,
        });
        if self.on_path.len() <= state as usize {
            self.on_path.resize(state as usize + 1, false);
        }
        self.on_path[state as usize] = true;
    }

    fn leave(&mut self) {
        if let Some(visit) = self.path.pop() {
            self.on_path[visit.state as usize] = false;
            self.components.leave(visit.state);
        }
    }

    /// Takes note of a link, which may be one of a state that is waiting for its callee, or of one
    /// that is done with.
    fn note(&mut self, successor: &Successor) {
        self.note_states();
        self.graph.add_link(successor);
        let from = successor.derivation.from as usize;
        if !self.on_path.get(from).copied().unwrap_or(false) {
            self.is_late = true;
            self.late.push(successor.state);
        }
    }

    /// Takes note of states that the exploration has made.
    fn note_states(&mut self) {
        while self.graph.state_count() < self.exploration.len() {
            let state = self.graph.state_count() as StateId;
            let accepts = self.accepts(state);
            self.graph.add_state(accepts);
        }
    }

    /// Whether the automaton accepts in a state. Its state is never undetermined, and dead only
    /// where no step leads on.
    fn accepts(&self, state: StateId) -> bool {
        let root = self.exploration.root_of(state);
        let procedure = self.exploration.roots()[root as usize].invocation.procedure;
        let layout = self.exploration.statics().layouts.of(procedure);
        let place = layout.place(Variable::Global(self.state_variable));
        place.is_some_and(|place| {
            let value = place.read(self.exploration.known_words(state));
            self.accepting[value as usize]
        })
    }

    /// Bytes of the tables of the search.
    pub(crate) fn bytes(&self) -> usize {
        bytes(&self.graph, &self.components, &self.path)
    }
}

fn bytes(graph: &Graph, components: &Components, path: &Vec<Visit>) -> usize {
    graph.bytes() + components.bytes() + path.capacity() * size_of::<Visit>()
}
