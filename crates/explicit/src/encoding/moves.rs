//! Moves between sealed states, without any table: what an edge, a call or a return makes of the
//! words of a state.
//!
//! A search owns tables of states and hands their words in ([`Sealed`]); the words of the state
//! after the move are left in [`Moves::words`], ready to be looked up. So the sequential
//! exploration and the workers of the [parallel](crate::search::parallel) one take the same steps.

mod known;

use crate::encoding::frame::{Frame, Sealer, Shape, set_bits};
use crate::encoding::step::{Decision, Fired, Statics, Stepper};
use hardbop_machine::{EdgeId, NodeId, ProcId};

/// What the states of one invocation of a procedure have in common.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    /// The procedure.
    pub(crate) procedure: ProcId,
    /// Undetermined bits of the entry state that states below say something about.
    pub(crate) homes: Box<[u32]>,
}

impl Invocation {
    /// The shape of its states.
    pub(crate) fn shape<'a>(&'a self, statics: &Statics<'a>) -> Shape<'a> {
        let layout = statics.layouts.of(self.procedure);
        Shape {
            words: layout.words(),
            homes: &self.homes,
            starts: layout.starts(),
        }
    }
}

/// A sealed state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sealed<'w> {
    /// Its words: the header, which has the root and the node, then the variables.
    pub(crate) words: &'w [u64],
    /// The invocation it belongs to.
    pub(crate) of: &'w Invocation,
}

impl<'w> Sealed<'w> {
    /// The number of the root.
    pub(crate) fn root(self) -> u32 {
        root_of(self.words)
    }

    fn variables(self) -> &'w [u64] {
        &self.words[1..]
    }
}

/// The first word of a state.
pub(crate) fn header(root: u32, node: NodeId) -> u64 {
    u64::from(root) << 32 | u64::from(node.0)
}

/// The root in the first word of a state.
pub(crate) fn root_of(words: &[u64]) -> u32 {
    (words[0] >> 32) as u32
}

/// The node in the first word of a state.
pub(crate) fn node_of(words: &[u64]) -> NodeId {
    NodeId(words[0] as u32)
}

/// Makes moves.
pub(crate) struct Moves<'s> {
    /// What never changes.
    pub(crate) statics: Statics<'s>,
    /// The states around the last move.
    pub(crate) stepper: Stepper,
    sealer: Sealer,
    stack: Vec<u64>,
}

impl<'s> Moves<'s> {
    /// No move has been made.
    pub(crate) fn new(statics: Statics<'s>) -> Self {
        Self {
            statics,
            stepper: Stepper::default(),
            sealer: Sealer::default(),
            stack: Vec::new(),
        }
    }

    /// What was sealed last.
    pub(crate) fn words(&self) -> &[u64] {
        &self.sealer.words
    }

    /// Takes an edge with [`Stepper::fire`].
    pub(crate) fn fire(&mut self, from: Sealed<'_>, edge: EdgeId, decisions: &[Decision]) -> Fired {
        let shape = from.of.shape(&self.statics);
        self.stepper
            .fire(self.statics, from.variables(), shape, edge, decisions)
    }

    /// After a call was fired: returns from an exit, and seals the state after it.
    pub(crate) fn return_from(&mut self, from: Sealed<'_>, edge: EdgeId, exit: Sealed<'_>) {
        self.stepper.return_from(
            self.statics,
            edge,
            from.of.shape(&self.statics),
            exit.variables(),
            exit.of.shape(&self.statics),
        );
        self.seal_next(from, edge);
    }

    /// Seals [`Stepper::next`], where an edge leads from a state.
    pub(crate) fn seal_next(&mut self, from: Sealed<'_>, edge: EdgeId) {
        let to = self.statics.machine.edge(edge).to;
        self.sealer.words.clear();
        self.sealer.words.push(header(from.root(), to));
        let live = self.statics.layouts.live(from.of.procedure, to);
        let shape = from.of.shape(&self.statics);
        let Stepper {
            next,
            blocks,
            symbols,
            ..
        } = &self.stepper;
        next.seal(shape, live, *symbols, blocks, &mut self.sealer);
    }

    /// Seals [`Stepper::entry`] as the key of a root.
    pub(crate) fn seal_entry(&mut self, procedure: ProcId, is_initial: bool) {
        let node = self.statics.machine.procedure(procedure).entry;
        self.sealer.words.clear();
        let head = header(u32::from(is_initial), NodeId(procedure.0));
        self.sealer.words.push(head);
        let layout = self.statics.layouts.of(procedure);
        let shape = Shape {
            words: layout.words(),
            homes: &[],
            starts: layout.starts(),
        };
        let live = self.statics.layouts.live(procedure, node);
        let Stepper { entry, symbols, .. } = &self.stepper;
        entry.seal(shape, live, *symbols, &entry.blocks, &mut self.sealer);
    }

    /// Seals [`Stepper::entry`] as the first state below a new root; gives what the states below it
    /// have in common.
    pub(crate) fn seal_first(&mut self, root: u32, procedure: ProcId) -> Invocation {
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
            starts: layout.starts(),
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
        self.sealer.words.push(header(root, node));
        let blocks = &self.stepper.entry.blocks;
        first.seal(shape, live, self.stepper.symbols, blocks, &mut self.sealer);
        Invocation {
            procedure,
            homes: homes.into(),
        }
    }

    /// Makes [`Stepper::entry`] from the sealed key of a root, as another worker sent it.
    pub(crate) fn open_entry(&mut self, key: &[u64]) -> ProcId {
        let procedure = ProcId(key[0] as u32);
        let layout = self.statics.layouts.of(procedure);
        let shape = Shape {
            words: layout.words(),
            homes: &[],
            starts: layout.starts(),
        };
        let mut entry = Frame::default();
        self.stepper.symbols = entry.open(&key[1..], shape, 0);
        self.stepper.entry = entry;
        procedure
    }
}
