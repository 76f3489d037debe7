//! The state graph of a machine, made on the fly (VERA, section 3).
//!
//! A *state* here is VERA's pair of an entry state and a current state. Entry states are numbered:
//! each is the [`Root`] of a search of its own, which knows the calls that wait for it
//! (`VisitedCalls`) and the exits found so far (`VisitedExits`). A state is its root, its node and
//! its packed variables; it also says what it assumes of undetermined bits at the root, so that one
//! root serves all callers that leave these bits open.
//!
//! [`Exploration::advance`] makes the successors of a state one by one: edges, entries of callees,
//! returns. In which order states are advanced is a search's business ([`crate::search::depth_first`],
//! [`crate::search::breadth_first`]). Each state remembers what it was first derived from; first
//! derivations are well-founded, since a summary is older than the state it leads to.

mod chains;
mod derivation;
mod repeat;

pub(crate) use chains::{Chain, Chains};
pub(crate) use derivation::{Derivation, MAX_STATES, NO_STATE, Via};

use crate::encoding::frame::{Frame, Shape};
use crate::encoding::moves::{Invocation, Moves, Sealed, node_of, root_of};
use crate::encoding::step::{Decision, Fired, Statics, Stepper, next_leaf};
use crate::encoding::table::{StateTable, reserve};
use crate::encoding::tail::Kind;
use hardbop_machine::{EdgeId, NodeId, ProcId};

/// The number of a state, in order of discovery.
pub(crate) type StateId = u32;

/// An entry state and what is known about its procedure when entered so.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    /// The procedure, and what states below have in common.
    pub(crate) invocation: Invocation,
    /// The state in which the procedure is just entered.
    pub(crate) entry: StateId,
    /// Calls that wait.
    pub(crate) callers: Chain,
    /// States at the exit.
    pub(crate) exits: Chain,
}

/// A call that waits for its callee.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The caller's state.
    pub(crate) from: StateId,
    /// The call edge.
    pub(crate) edge: EdgeId,
    /// What was decided to take it.
    pub(crate) decisions: Box<[Decision]>,
}

/// How far the initial states have been made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    decisions: Vec<Decision>,
    is_done: bool,
}

/// How far a state has been advanced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    /// The state.
    pub(crate) state: StateId,
    edge: u32,
    /// The edge after its last one.
    end: u32,
    /// At an exit 0, or the number of the last caller served and one; at a call 1 before any exit
    /// is taken, then the number of the last one and two.
    stage: u32,
    /// Where this state's decisions begin on the shared stack.
    base: u32,
    /// Ways to take the current edge that have been found.
    found: u8,
    /// Edges that wait until all others have been taken, by their distance from the first.
    parked: u16,
    /// Its calls wait already.
    again: bool,
}

/// A successor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    /// The state.
    pub(crate) state: StateId,
    /// Whether it was not known before.
    pub(crate) is_new: bool,
    /// How it was derived this time.
    pub(crate) derivation: Derivation,
    /// The root that it enters, if it is a callee's entry.
    pub(crate) enters: bool,
}

/// What [`Exploration::advance`] came to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Advance {
    /// A successor.
    Successor(Successor),
    /// Many ways to take an edge were tried in vain, and there are more.
    Pending,
    /// There are no more successors.
    Done,
}

/// So many ways to take an edge are tried before others have a say.
const TRIES: u32 = 4096;

/// An edge that can be taken in more ways than this is put off until the other edges of its node
/// have been taken: a comparison of two open words has as many ways as there are values, and
/// what is behind the other branch should not have to wait for all of them. Its first ways are
/// taken again then.
const WAYS: u8 = 4;

/// There is room for this many states of each node from the start. A long program with few
/// variables has no more, and its tables are never copied.
const STATES_PER_NODE: usize = 3;

/// There are more states than numbers for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// What a search of another kind has made.
pub(crate) struct Parts {
    /// All states.
    pub(crate) states: StateTable,
    /// The keys of all roots.
    pub(crate) entries: StateTable,
    /// All roots.
    pub(crate) roots: Vec<Root>,
    /// For each state how it was first derived.
    pub(crate) derivations: Vec<Derivation>,
    /// Successors made, known ones included.
    pub(crate) transitions: u64,
    /// Pairs of a root and an exit.
    pub(crate) summaries: u64,
}

/// The part of the state graph that has been made.
pub(crate) struct Exploration<'s> {
    moves: Moves<'s>,
    states: StateTable,
    entries: StateTable,
    roots: Vec<Root>,
    derivations: Vec<Derivation>,
    /// Successors made, known ones included.
    pub(crate) transitions: u64,
    /// Pairs of a root and an exit.
    pub(crate) summaries: u64,
    callers: Chains<Caller>,
    exits: Chains<StateId>,
}

impl<'s> Exploration<'s> {
    /// Nothing has been made yet.
    pub(crate) fn new(statics: Statics<'s>) -> Self {
        let room = STATES_PER_NODE * statics.machine.nodes.len();
        Self {
            moves: Moves::new(statics),
            states: StateTable::with_room(room),
            entries: StateTable::default(),
            roots: Vec::new(),
            derivations: Vec::with_capacity(room),
            transitions: 0,
            summaries: 0,
            callers: Chains::default(),
            exits: Chains::default(),
        }
    }

    /// All that another search has made, to be read.
    pub(crate) fn from_parts(statics: Statics<'s>, parts: Parts) -> Self {
        Self {
            states: parts.states,
            entries: parts.entries,
            roots: parts.roots,
            derivations: parts.derivations,
            transitions: parts.transitions,
            summaries: parts.summaries,
            ..Self::new(statics)
        }
    }

    /// How states were derived is forgotten: no run will be read any more.
    pub(crate) fn forget_derivations(&mut self) {
        self.derivations = Vec::new();
    }

    /// No more states will be made; those that are there can be read. Who waits and which exits
    /// there are is forgotten.
    pub(crate) fn close(&mut self) {
        self.states.close();
        self.entries.close();
        self.derivations.shrink_to_fit();
        (self.callers, self.exits) = (Chains::default(), Chains::default());
    }

    /// What never changes.
    pub(crate) fn statics(&self) -> Statics<'s> {
        self.moves.statics
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// All roots.
    pub(crate) fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// The root of a state.
    pub(crate) fn root_of(&self, state: StateId) -> u32 {
        root_of(self.states.get(state))
    }

    /// The node of a state.
    pub(crate) fn node_of(&self, state: StateId) -> NodeId {
        node_of(self.states.get(state))
    }

    /// The shape of states below a root.
    pub(crate) fn shape(&self, root: u32) -> Shape<'_> {
        self.roots[root as usize]
            .invocation
            .shape(&self.moves.statics)
    }

    /// How a state was first derived.
    pub(crate) fn derivation(&self, state: StateId) -> Derivation {
        self.derivations[state as usize]
    }

    /// Opens a state; its symbols are numbered from 0.
    pub(crate) fn open(&self, state: StateId, frame: &mut Frame) -> u32 {
        let shape = self.shape(self.root_of(state));
        frame.open(&self.states.get(state)[1..], shape, 0)
    }

    /// Whether no bit of a state is undetermined.
    pub(crate) fn is_known(&self, state: StateId) -> bool {
        let all = self.shape(self.root_of(state)).all_words();
        self.states.get(state).len() == all + 1
    }

    /// Whether something is known of open words of a state as a whole.
    pub(crate) fn has_blocks(&self, state: StateId) -> bool {
        let all = self.shape(self.root_of(state)).all_words();
        let tail = self.states.get(state).get(2 * all + 1..);
        let mut tail = tail.unwrap_or_default().iter();
        tail.any(|&word| Kind::of(word) != Kind::Link)
    }

    /// The words of a state without undetermined bits.
    pub(crate) fn known_words(&self, state: StateId) -> &[u64] {
        &self.states.get(state)[1..]
    }

    /// Opens the state in which a root was entered.
    pub(crate) fn open_entry(&self, root: u32, frame: &mut Frame) {
        let shape = without_homes(self.shape(root));
        frame.open(&self.entries.get(root)[1..], shape, 0);
    }

    /// Bytes of all tables.
    pub(crate) fn bytes(&self) -> usize {
        self.states.bytes()
            + self.entries.bytes()
            + self.derivations.len() * size_of::<Derivation>()
            + self.roots.len() * size_of::<Root>()
            + self.callers.bytes()
            + self.exits.bytes()
    }

    /// Makes the next initial state, if there is one.
    pub(crate) fn next_start(&mut self, starts: &mut Starts) -> Result<Option<StateId>, Full> {
        let Some(thread) = self.statics().machine.threads.first() else {
            return Ok(None);
        };
        if starts.is_done {
            return Ok(None);
        }
        let main = thread.entry;
        let decisions = &mut starts.decisions;
        while let Fired::Needs(split) = self.moves.stepper.start(self.statics(), main, decisions) {
            decisions.push(Decision::first(split));
        }
        starts.is_done = !next_leaf(decisions, 0);
        let (root, _) = self.enter(main, true, Derivation::START)?;
        Ok(Some(self.roots[root as usize].entry))
    }

    /// A state of which no successor has been made; `decisions` is the shared stack that
    /// [`Exploration::advance`] will be given.
    pub(crate) fn cursor(&self, state: StateId, decisions: &[Decision], again: bool) -> Cursor {
        let node = self.statics().machine.node(self.node_of(state));
        Cursor {
            state,
            edge: node.edges.start,
            end: node.edges.end,
            stage: 0,
            base: decisions.len() as u32,
            found: 0,
            parked: 0,
            again,
        }
    }

    /// Makes the next successor of a state.
    pub(crate) fn advance(
        &mut self,
        cursor: &mut Cursor,
        decisions: &mut Vec<Decision>,
    ) -> Result<Advance, Full> {
        let found = |successor| Ok(Advance::Successor(successor));
        let node = self.node_of(cursor.state);
        let machine = self.statics().machine;
        let procedure = machine.procedure(machine.procedure_of(node));
        if node == procedure.exit {
            let served = self.serve_callers(cursor)?;
            return Ok(served.map_or(Advance::Done, Advance::Successor));
        }
        for _ in 0..TRIES {
            if cursor.edge >= cursor.end && !cursor.unpark(machine.node(node).edges.start) {
                return Ok(Advance::Done);
            }
            let edge = EdgeId(cursor.edge);
            if cursor.stage > 0 {
                if let Some(successor) = self.take_summary(cursor, edge, decisions)? {
                    return found(successor);
                }
                cursor.next_leaf(decisions);
                continue;
            }
            let from = sealed(&self.states, &self.roots, cursor.state);
            if let Some(fired) = self.moves.fire_known(from, edge) {
                cursor.edge += 1;
                if fired {
                    // The state need not wait for an edge that cannot be taken.
                    if self.statics().program.decides(edge) {
                        cursor.edge = cursor.end;
                    }
                    return found(self.add(Derivation::edge(cursor.state, edge))?);
                }
                continue;
            }
            match self.fire(cursor.state, edge, &decisions[cursor.base as usize..]) {
                Fired::Needs(split) => decisions.push(Decision::first(split)),
                Fired::Disabled => cursor.next_leaf(decisions),
                Fired::Taken => {
                    if let Some(callee) = self.statics().callee(edge) {
                        return found(self.call(cursor, edge, callee, decisions)?);
                    }
                    cursor.next_leaf(decisions);
                    if cursor.edge == edge.0 {
                        cursor.park(machine.node(node).edges.start, decisions);
                    } else {
                        cursor.found = 0;
                    }
                    self.seal_next(cursor.state, edge);
                    return found(self.add(Derivation::edge(cursor.state, edge))?);
                }
            }
        }
        Ok(Advance::Pending)
    }

    /// At an exit: the next caller goes on.
    fn serve_callers(&mut self, cursor: &mut Cursor) -> Result<Option<Successor>, Full> {
        let root = self.root_of(cursor.state) as usize;
        if cursor.stage == 0
            && !cursor.again
            && self
                .statics()
                .layouts
                .is_called(self.roots[root].invocation.procedure)
        {
            let exits = &mut self.roots[root].exits;
            self.exits.push(exits, cursor.state).ok_or(Full)?;
            self.summaries += 1;
        }
        if cursor.again {
            return Ok(None);
        }
        let served = cursor.stage.checked_sub(1);
        let Some(caller) = self.callers.after(self.roots[root].callers, served) else {
            return Ok(None);
        };
        cursor.stage = caller + 1;
        self.return_to(caller, cursor.state).map(Some)
    }

    /// At a call of a root that was known: the next of its exits.
    fn take_summary(
        &mut self,
        cursor: &mut Cursor,
        edge: EdgeId,
        decisions: &[Decision],
    ) -> Result<Option<Successor>, Full> {
        let decisions = &decisions[cursor.base as usize..];
        // The callee's entry is remade: another state may have been advanced since.
        self.fire(cursor.state, edge, decisions);
        let Some(callee) = self.statics().callee(edge) else {
            return Ok(None);
        };
        let root = self
            .enter(callee, false, Derivation::edge(cursor.state, edge))?
            .0;
        let taken = cursor.stage.checked_sub(2);
        let exits = self.roots[root as usize].exits;
        let Some(next) = self.exits.after(exits, taken) else {
            return Ok(None);
        };
        cursor.stage = next + 2;
        let exit = *self.exits.get(next);
        self.return_from(cursor.state, edge, exit);
        self.add(Derivation::exit(cursor.state, exit)).map(Some)
    }

    /// Enters a callee. A root that was known has exits, perhaps; a new one will serve this caller
    /// when it gets there.
    fn call(
        &mut self,
        cursor: &mut Cursor,
        edge: EdgeId,
        callee: ProcId,
        decisions: &mut Vec<Decision>,
    ) -> Result<Successor, Full> {
        let derivation = Derivation::edge(cursor.state, edge);
        let (root, is_new) = self.enter(callee, false, derivation)?;
        self.transitions += 1;
        if !cursor.again {
            let callers = &mut self.roots[root as usize].callers;
            let caller = Caller {
                from: cursor.state,
                edge,
                decisions: decisions[cursor.base as usize..].into(),
            };
            self.callers.push(callers, caller).ok_or(Full)?;
        }
        if is_new {
            cursor.next_leaf(decisions);
        } else {
            cursor.stage = 1;
        }
        Ok(Successor {
            state: self.roots[root as usize].entry,
            is_new,
            derivation,
            enters: true,
        })
    }

    /// Continues a waiting call from an exit.
    fn return_to(&mut self, number: u32, exit: StateId) -> Result<Successor, Full> {
        let caller = self.callers.get(number);
        let (from, edge) = (caller.from, caller.edge);
        let (caller, callee) = (
            sealed(&self.states, &self.roots, from),
            sealed(&self.states, &self.roots, exit),
        );
        let is_done = self.moves.return_known(caller, edge, callee);
        if !is_done {
            let decisions = std::mem::take(&mut self.callers.get_mut(number).decisions);
            self.fire(from, edge, &decisions);
            self.callers.get_mut(number).decisions = decisions;
            self.return_from(from, edge, exit);
        }
        self.add(Derivation::exit(from, exit))
    }

    /// Takes an edge with [`Stepper::fire`].
    pub(crate) fn fire(&mut self, state: StateId, edge: EdgeId, decisions: &[Decision]) -> Fired {
        let from = sealed(&self.states, &self.roots, state);
        self.moves.fire(from, edge, decisions)
    }

    /// After a call was fired: returns from an exit, and seals the state after it.
    pub(crate) fn return_from(&mut self, from: StateId, edge: EdgeId, exit: StateId) {
        let caller = sealed(&self.states, &self.roots, from);
        let callee = sealed(&self.states, &self.roots, exit);
        self.moves.return_from(caller, edge, callee);
    }

    /// Seals [`Stepper::next`], where an edge leads from a state.
    fn seal_next(&mut self, from: StateId, edge: EdgeId) {
        let from = sealed(&self.states, &self.roots, from);
        self.moves.seal_next(from, edge);
    }

    /// The root of [`Stepper::entry`], and whether it is new; then its first state is made.
    fn enter(
        &mut self,
        procedure: ProcId,
        is_initial: bool,
        derivation: Derivation,
    ) -> Result<(u32, bool), Full> {
        self.moves.seal_entry(procedure, is_initial);
        let (root, is_new) = self.entries.insert(self.moves.words()).ok_or(Full)?;
        if !is_new {
            return Ok((root, false));
        }
        let invocation = self.moves.seal_first(root, procedure);
        let (entry, _) = self.states.insert(self.moves.words()).ok_or(Full)?;
        reserve(&mut self.derivations, 1);
        self.derivations.push(derivation);
        reserve(&mut self.roots, 1);
        self.roots.push(Root {
            invocation,
            entry,
            callers: Chain::default(),
            exits: Chain::default(),
        });
        Ok((root, true))
    }

    /// Adds the state that was sealed last.
    fn add(&mut self, derivation: Derivation) -> Result<Successor, Full> {
        self.transitions += 1;
        let (state, is_new) = self.states.insert(self.moves.words()).ok_or(Full)?;
        if state >= MAX_STATES {
            return Err(Full);
        }
        if is_new {
            reserve(&mut self.derivations, 1);
            self.derivations.push(derivation);
        }
        Ok(Successor {
            state,
            is_new,
            derivation,
            enters: false,
        })
    }

    /// The states around the last step.
    pub(crate) fn stepper(&mut self) -> &mut Stepper {
        &mut self.moves.stepper
    }
}

impl Cursor {
    /// Whether all edges have been taken. An exit is never spent: more callers may come.
    pub(crate) fn is_spent(&self) -> bool {
        self.stage == 0 && self.edge >= self.end && self.parked == 0
    }

    /// Puts the edge that was just taken off, if there have been many ways to take it and there are
    /// more.
    fn park(&mut self, first: u32, decisions: &mut Vec<Decision>) {
        self.found = self.found.saturating_add(1);
        let distance = self.edge - first;
        if self.found == WAYS && distance < u16::BITS && self.edge + 1 < self.end {
            self.parked |= 1 << distance;
            decisions.truncate(self.base as usize);
            self.edge += 1;
            self.found = 0;
        }
    }

    /// Takes up an edge that was put off; whether there is one.
    fn unpark(&mut self, first: u32) -> bool {
        if self.parked == 0 {
            return false;
        }
        self.edge = first + self.parked.trailing_zeros();
        self.end = self.edge + 1;
        self.parked &= self.parked - 1;
        self.found = 0;
        true
    }

    /// Goes on to the next way to take the edge, or to the next edge.
    fn next_leaf(&mut self, decisions: &mut Vec<Decision>) {
        self.stage = 0;
        if !next_leaf(decisions, self.base as usize) {
            self.edge += 1;
        }
    }
}

/// A state with its invocation.
fn sealed<'w>(states: &'w StateTable, roots: &'w [Root], state: StateId) -> Sealed<'w> {
    let words = states.get(state);
    Sealed {
        words,
        of: &roots[root_of(words) as usize].invocation,
    }
}

fn without_homes(shape: Shape<'_>) -> Shape<'static> {
    Shape {
        words: shape.words,
        homes: &[],
        starts: &[],
    }
}
