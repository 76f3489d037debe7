//! The state graph of a machine, made on the fly (VERA, section 3).
//!
//! A *state* here is VERA's pair of an entry state and a current state. Entry states are numbered: each is the [`Root`] of a
//! search of its own, which knows the calls that wait for it (`VisitedCalls`) and the exits found so far (`VisitedExits`). A state is its root, its
//! node and its packed variables; it also says what it assumes of undetermined bits at the root, so that one root
//! serves all callers that leave these bits open.
//!
//! [`Exploration::advance`] makes the successors of a state one by one: edges, entries of callees, returns. In which order states
//! are advanced is a search's business ([`crate::depth_first`], [`crate::breadth_first`]). Each state remembers what it was first
//! derived from; first derivations are well-founded, since a summary is older than the state it leads to.

mod derivation;
mod known;
mod repeat;

pub use derivation::{Derivation, NO_STATE, Via};

use crate::code::Effect;
use crate::frame::{Frame, Sealer, Shape, set_bits};
use crate::step::{Decision, Fired, Statics, Stepper, next_leaf};
use crate::table::{StateTable, reserve};
use derivation::EXIT_FLAG;
use hardbop_machine::{EdgeId, NodeId, ProcId};

/// The number of a state, in order of discovery.
pub type StateId = u32;

/// An entry state and what is known about its procedure when entered so.
#[derive(Clone, Debug)]
pub struct Root {
    /// The procedure.
    pub procedure: ProcId,
    /// Undetermined bits of the entry state that states below say something about.
    pub homes: Box<[u32]>,
    /// The state in which the procedure is just entered.
    pub entry: StateId,
    /// Calls that wait.
    pub callers: Vec<Caller>,
    /// States at the exit.
    pub exits: Vec<StateId>,
}

/// A call that waits for its callee.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The caller's state.
    pub from: StateId,
    /// The call edge.
    pub edge: EdgeId,
    /// What was decided to take it.
    pub decisions: Box<[Decision]>,
}

/// How far the initial states have been made.
#[derive(Clone, Debug, Default)]
pub struct Starts {
    decisions: Vec<Decision>,
    is_done: bool,
}

/// How far a state has been advanced.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    /// The state.
    pub state: StateId,
    edge: u32,
    /// Callers served at an exit; at a call one more than the exits taken.
    stage: u32,
    /// Where this state's decisions begin on the shared stack.
    base: u32,
    /// Its calls wait already.
    again: bool,
}

/// A successor.
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    /// The state.
    pub state: StateId,
    /// Whether it was not known before.
    pub is_new: bool,
    /// How it was derived this time.
    pub derivation: Derivation,
    /// The root that it enters, if it is a callee's entry.
    pub enters: bool,
}

/// What [`Exploration::advance`] came to.
#[derive(Clone, Copy, Debug)]
pub enum Advance {
    /// A successor.
    Successor(Successor),
    /// Many ways to take an edge were tried in vain, and there are more.
    Pending,
    /// There are no more successors.
    Done,
}

/// So many ways to take an edge are tried before others have a say.
const TRIES: u32 = 4096;

/// There are more states than numbers for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The part of the state graph that has been made.
pub struct Exploration<'s> {
    statics: Statics<'s>,
    states: StateTable,
    entries: StateTable,
    roots: Vec<Root>,
    derivations: Vec<Derivation>,
    /// Successors made, known ones included.
    pub transitions: u64,
    /// Pairs of a root and an exit.
    pub summaries: u64,
    waiting: u64,
    stepper: Stepper,
    sealer: Sealer,
    stack: Vec<u64>,
}

impl<'s> Exploration<'s> {
    /// Nothing has been made yet.
    pub fn new(statics: Statics<'s>) -> Self {
        Self {
            statics,
            states: StateTable::default(),
            entries: StateTable::default(),
            roots: Vec::new(),
            derivations: Vec::new(),
            transitions: 0,
            summaries: 0,
            waiting: 0,
            stepper: Stepper::default(),
            sealer: Sealer::default(),
            stack: Vec::new(),
        }
    }

    /// What never changes.
    pub fn statics(&self) -> Statics<'s> {
        self.statics
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether nothing has been made yet.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// All roots.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// The root of a state.
    pub fn root_of(&self, state: StateId) -> u32 {
        (self.states.get(state)[0] >> 32) as u32
    }

    /// The node of a state.
    pub fn node_of(&self, state: StateId) -> NodeId {
        NodeId(self.states.get(state)[0] as u32)
    }

    /// The shape of states below a root.
    pub fn shape(&self, root: u32) -> Shape<'_> {
        shape(&self.statics, &self.roots[root as usize])
    }

    /// How a state was first derived.
    pub fn derivation(&self, state: StateId) -> Derivation {
        self.derivations[state as usize]
    }

    /// Opens a state; its symbols are numbered from 0.
    pub fn open(&self, state: StateId, frame: &mut Frame) -> u32 {
        let shape = self.shape(self.root_of(state));
        frame.open(&self.states.get(state)[1..], shape, 0)
    }

    /// Whether no bit of a state is undetermined.
    pub fn is_known(&self, state: StateId) -> bool {
        let all = self.shape(self.root_of(state)).all_words();
        self.states.get(state).len() == all + 1
    }

    /// The words of a state without undetermined bits.
    pub fn known_words(&self, state: StateId) -> &[u64] {
        &self.states.get(state)[1..]
    }

    /// Opens the state in which a root was entered.
    pub fn open_entry(&self, root: u32, frame: &mut Frame) {
        let shape = without_homes(self.shape(root));
        frame.open(&self.entries.get(root)[1..], shape, 0);
    }

    /// Bytes of all tables.
    pub fn bytes(&self) -> usize {
        self.states.bytes()
            + self.entries.bytes()
            + self.derivations.capacity() * size_of::<Derivation>()
            + self.roots.capacity() * size_of::<Root>()
            + self.waiting as usize * size_of::<Caller>()
            + self.summaries as usize * size_of::<StateId>()
    }

    /// Makes the next initial state, if there is one.
    pub fn next_start(&mut self, starts: &mut Starts) -> Result<Option<StateId>, Full> {
        let Some(thread) = self.statics.machine.threads.first() else {
            return Ok(None);
        };
        if starts.is_done {
            return Ok(None);
        }
        let main = thread.entry;
        let decisions = &mut starts.decisions;
        while let Fired::Needs(symbol) = self.stepper.start(self.statics, main, decisions) {
            decisions.push(Decision {
                symbol,
                value: false,
            });
        }
        starts.is_done = !next_leaf(decisions, 0);
        let (root, _) = self.enter(main, true, Derivation::START)?;
        Ok(Some(self.roots[root as usize].entry))
    }

    /// A state of which no successor has been made; `decisions` is the shared stack that [`Exploration::advance`] will be given.
    pub fn cursor(&self, state: StateId, decisions: &[Decision], again: bool) -> Cursor {
        let node = self.statics.machine.node(self.node_of(state));
        Cursor {
            state,
            edge: node.edges.start,
            stage: 0,
            base: decisions.len() as u32,
            again,
        }
    }

    /// Makes the next successor of a state.
    pub fn advance(
        &mut self,
        cursor: &mut Cursor,
        decisions: &mut Vec<Decision>,
    ) -> Result<Advance, Full> {
        let found = |successor| Ok(Advance::Successor(successor));
        let node = self.node_of(cursor.state);
        let machine = self.statics.machine;
        let procedure = machine.procedure(machine.procedure_of(node));
        if node == procedure.exit {
            let served = self.serve_callers(cursor)?;
            return Ok(served.map_or(Advance::Done, Advance::Successor));
        }
        let end = machine.node(node).edges.end;
        for _ in 0..TRIES {
            if cursor.edge >= end {
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
            if let Some(fired) = self.fire_known(cursor.state, edge) {
                cursor.edge += 1;
                if fired {
                    return found(self.add(Derivation::edge(cursor.state, edge))?);
                }
                continue;
            }
            match self.fire(cursor.state, edge, &decisions[cursor.base as usize..]) {
                Fired::Needs(symbol) => decisions.push(Decision {
                    symbol,
                    value: false,
                }),
                Fired::Disabled => cursor.next_leaf(decisions),
                Fired::Taken => {
                    if let Effect::Call { callee, .. } = self.statics.program.edge(edge).effect {
                        return found(self.call(cursor, edge, callee, decisions)?);
                    }
                    cursor.next_leaf(decisions);
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
            && self.statics.layouts.is_called(self.roots[root].procedure)
        {
            self.roots[root].exits.push(cursor.state);
            self.summaries += 1;
        }
        let index = cursor.stage as usize;
        if cursor.again || index >= self.roots[root].callers.len() {
            return Ok(None);
        }
        cursor.stage += 1;
        self.return_to(root, index, cursor.state).map(Some)
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
        let Effect::Call { callee, .. } = self.statics.program.edge(edge).effect else {
            return Ok(None);
        };
        let root = self
            .enter(callee, false, Derivation::edge(cursor.state, edge))?
            .0;
        let Some(&exit) = self.roots[root as usize]
            .exits
            .get(cursor.stage as usize - 1)
        else {
            return Ok(None);
        };
        cursor.stage += 1;
        self.return_from(cursor.state, edge, exit);
        self.add(Derivation::exit(cursor.state, exit)).map(Some)
    }

    /// Enters a callee. A root that was known has exits, perhaps; a new one will serve this caller when it gets there.
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
            self.roots[root as usize].callers.push(Caller {
                from: cursor.state,
                edge,
                decisions: decisions[cursor.base as usize..].into(),
            });
            self.waiting += 1;
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
    fn return_to(&mut self, root: usize, index: usize, exit: StateId) -> Result<Successor, Full> {
        let caller = &self.roots[root].callers[index];
        let (from, edge) = (caller.from, caller.edge);
        let is_done = self.return_known(from, edge, exit);
        if !is_done {
            let decisions = std::mem::take(&mut self.roots[root].callers[index].decisions);
            self.fire(from, edge, &decisions);
            self.roots[root].callers[index].decisions = decisions;
            self.return_from(from, edge, exit);
        }
        self.add(Derivation::exit(from, exit))
    }

    /// Takes an edge with [`Stepper::fire`].
    pub fn fire(&mut self, state: StateId, edge: EdgeId, decisions: &[Decision]) -> Fired {
        let sealed = self.states.get(state);
        let shape = shape(&self.statics, &self.roots[(sealed[0] >> 32) as usize]);
        self.stepper
            .fire(self.statics, &sealed[1..], shape, edge, decisions)
    }

    /// After a call was fired: returns from an exit, and seals the state after it.
    pub fn return_from(&mut self, from: StateId, edge: EdgeId, exit: StateId) {
        let (caller, callee) = (self.states.get(from), self.states.get(exit));
        let of = |sealed: &[u64]| &self.roots[(sealed[0] >> 32) as usize];
        self.stepper.return_from(
            self.statics,
            edge,
            shape(&self.statics, of(caller)),
            &callee[1..],
            shape(&self.statics, of(callee)),
        );
        self.seal_next(from, edge);
    }

    /// Seals [`Stepper::next`], where an edge leads from a state.
    pub fn seal_next(&mut self, from: StateId, edge: EdgeId) {
        let root_id = self.root_of(from);
        let root = &self.roots[root_id as usize];
        let to = self.statics.machine.edge(edge).to;
        self.sealer.words.clear();
        self.sealer
            .words
            .push(u64::from(root_id) << 32 | u64::from(to.0));
        let live = self.statics.layouts.live(root.procedure, to);
        let shape = shape(&self.statics, root);
        self.stepper
            .next
            .seal(shape, live, self.stepper.symbols, &mut self.sealer);
    }

    /// Seals [`Stepper::entry`] as the key of a root.
    pub fn seal_entry(&mut self, procedure: ProcId, is_initial: bool) {
        let node = self.statics.machine.procedure(procedure).entry;
        self.sealer.words.clear();
        let header = u64::from(is_initial) << 32 | u64::from(procedure.0);
        self.sealer.words.push(header);
        let shape = Shape {
            words: self.statics.layouts.of(procedure).words(),
            homes: &[],
        };
        let live = self.statics.layouts.live(procedure, node);
        self.stepper
            .entry
            .seal(shape, live, self.stepper.symbols, &mut self.sealer);
    }

    /// The root of [`Stepper::entry`], and whether it is new; then its first state is made.
    fn enter(
        &mut self,
        procedure: ProcId,
        is_initial: bool,
        derivation: Derivation,
    ) -> Result<(u32, bool), Full> {
        self.seal_entry(procedure, is_initial);
        let (root, is_new) = self.entries.insert(&self.sealer.words).ok_or(Full)?;
        if !is_new {
            return Ok((root, false));
        }
        let layout = self.statics.layouts.of(procedure);
        let node = self.statics.machine.procedure(procedure).entry;
        let live = self.statics.layouts.live(procedure, node);
        let mut homes = Vec::new();
        let mut met = Vec::new();
        if self.statics.layouts.is_called(procedure) {
            let unknown = self.stepper.entry.unknown.iter().zip(live);
            let unknown: Vec<u64> = unknown.map(|(unknown, live)| unknown & live).collect();
            for bit in set_bits(&unknown).filter(|&bit| layout.is_entry_bit(bit)) {
                let symbol = self.stepper.entry.symbols[bit as usize];
                if !met.contains(&symbol) {
                    met.push(symbol);
                    homes.push(bit);
                }
            }
        }
        let shape = Shape {
            words: layout.words(),
            homes: &homes,
        };
        let mut first = self.stepper.entry.clone();
        let all = shape.all_words();
        first.values.resize(all, 0);
        first.unknown.resize(all, 0);
        first.symbols.resize(all * u64::BITS as usize, 0);
        for (index, &symbol) in met.iter().enumerate() {
            let bit = shape.entry_bit(index) as usize;
            first.unknown[bit / 64] |= 1 << (bit % 64);
            first.symbols[bit] = symbol;
        }
        self.sealer.words.clear();
        let header = u64::from(root) << 32 | u64::from(node.0);
        self.sealer.words.push(header);
        first.seal(shape, live, self.stepper.symbols, &mut self.sealer);
        let (entry, _) = self.states.insert(&self.sealer.words).ok_or(Full)?;
        reserve(&mut self.derivations, 1);
        self.derivations.push(derivation);
        self.roots.push(Root {
            procedure,
            homes: homes.into(),
            entry,
            callers: Vec::new(),
            exits: Vec::new(),
        });
        Ok((root, true))
    }

    /// Adds the state that was sealed last.
    fn add(&mut self, derivation: Derivation) -> Result<Successor, Full> {
        self.transitions += 1;
        let (state, is_new) = self.states.insert(&self.sealer.words).ok_or(Full)?;
        if state & EXIT_FLAG != 0 {
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
    pub fn stepper(&mut self) -> &mut Stepper {
        &mut self.stepper
    }
}

impl Cursor {
    /// Goes on to the next way to take the edge, or to the next edge.
    fn next_leaf(&mut self, decisions: &mut Vec<Decision>) {
        self.stage = 0;
        if !next_leaf(decisions, self.base as usize) {
            self.edge += 1;
        }
    }
}

fn shape<'r>(statics: &Statics<'_>, root: &'r Root) -> Shape<'r> {
    Shape {
        words: statics.layouts.of(root.procedure).words(),
        homes: &root.homes,
    }
}

fn without_homes(shape: Shape<'_>) -> Shape<'static> {
    Shape {
        words: shape.words,
        homes: &[],
    }
}
