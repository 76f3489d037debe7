//! Steps of one procedure invocation: what an edge makes of a state, split by split.
//!
//! A step of a state with undetermined bits may need some of them. [`Stepper::fire`] then answers
//! [`Fired::Needs`] a symbol; its caller decides the symbol either way and fires again
//! ([`next_leaf`] enumerates the ways). When nothing is needed any more, the state after the step
//! is in [`Stepper::next`], or the state in which the callee is entered in [`Stepper::entry`]. The
//! splits of one state cover it exactly, so no run is lost and none is invented. Without laziness
//! every live bit of the state after a step is needed, which is the enumeration of VERA.

use crate::encoding::blocks::{Block, Blocks, learn, mask};
use crate::encoding::code::{Code, Effect, Program};
use crate::encoding::frame::{Frame, Shape, set_bits};
use crate::encoding::layout::{Layouts, Place};
use crate::encoding::partial::{Notes, Origin, Partial, Scene, Sum};
use crate::encoding::words::Runs;
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId, Variable};
use std::cell::{OnceCell, RefCell};

/// What a step may need to have decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// A bit, by its symbol.
    Bit(u32),
    /// Which part of its interval a word lies in.
    Values {
        /// The first symbol of the word.
        first: u32,
        /// How many bits it has.
        width: u32,
        /// The first value of the lower part: that of the interval, unless all values are there.
        from: u64,
        /// The last value of the lower part.
        last: u64,
    },
}

/// A split and which way it was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    split: Split,
    value: bool,
}

impl Decision {
    /// The first way to decide.
    pub(crate) fn first(split: Split) -> Self {
        Self {
            split,
            value: false,
        }
    }
}

/// Goes on to the next leaf of the tree of decisions, depth first, `false` before `true`; whether
/// there is one. The decisions are the last entries of a stack that may be shared, from `base` on.
pub(crate) fn next_leaf(decisions: &mut Vec<Decision>, base: usize) -> bool {
    while decisions.len() > base {
        match decisions.last_mut() {
            Some(last) if !last.value => {
                last.value = true;
                return true;
            }
            _ => decisions.pop(),
        };
    }
    false
}

/// What became of an attempt to take an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fired {
    /// It cannot be taken.
    Disabled,
    /// This must be decided first.
    Needs(Split),
    /// It was taken.
    Taken,
}

/// What never changes during a search.
#[derive(Clone, Copy)]
pub(crate) struct Statics<'s> {
    /// The machine.
    pub(crate) machine: &'s Machine,
    /// Its layouts.
    pub(crate) layouts: &'s Layouts,
    /// Its code.
    pub(crate) program: &'s Program,
    /// Whether bits stay undetermined until a step needs them.
    pub(crate) lazy: bool,
}

impl Statics<'_> {
    /// The procedure that an edge calls, if it is a call.
    pub(crate) fn callee(self, edge: EdgeId) -> Option<ProcId> {
        match self.machine.edge(edge).action {
            Action::Call { callee, .. } => Some(callee),
            _ => None,
        }
    }
}

/// Takes steps; holds the states around the last one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stepper {
    /// The state before the step, with the decisions made.
    pub(crate) now: Frame,
    /// The state after the step or the return.
    pub(crate) next: Frame,
    /// The state in which the callee is entered.
    pub(crate) entry: Frame,
    /// The choices of the edge, one word each.
    pub(crate) inputs: Frame,
    /// The callee's state at its exit.
    pub(crate) exit: Frame,
    /// How many symbols there are in all of these; those of the state before come first.
    pub(crate) symbols: u32,
    /// What is known of words.
    pub(crate) blocks: Blocks,
    /// How the words of the state before share symbols.
    runs: OnceCell<Runs>,
    /// What the values of this step say of words.
    notes: RefCell<Notes>,
    /// For each symbol its decided value.
    decided: Vec<Option<bool>>,
    /// For each symbol of the exit state what it is called in the caller.
    renamed: Vec<u32>,
    stack: Vec<Partial>,
}

impl Stepper {
    /// The decided value of a symbol.
    pub(crate) fn decided(&self, symbol: u32) -> Option<bool> {
        self.decided.get(symbol as usize).copied().flatten()
    }

    fn begin_decisions(&mut self, decisions: &[Decision]) {
        self.decided.clear();
        if !decisions.is_empty() {
            self.decided.resize(self.symbols as usize, None);
        }
        self.blocks.loosen_all(&mut self.decided);
        for &Decision { split, value } in decisions {
            match split {
                Split::Bit(symbol) => self.learn(symbol, value),
                Split::Values {
                    first,
                    width,
                    from,
                    last,
                } => {
                    let decided = &mut self.decided;
                    self.blocks
                        .cut((first, width), (from, last), value, decided);
                }
            }
        }
    }

    /// Decides all words of which something is known: as the bits that have been decided say, or
    /// somehow.
    pub(crate) fn choose(&mut self) {
        self.blocks.choose(&mut self.decided);
    }

    /// Decides a symbol from outside.
    pub(crate) fn learn(&mut self, symbol: u32, value: bool) {
        learn(&mut self.decided, symbol, value);
    }

    /// Takes an edge from a sealed state with the given decisions.
    pub(crate) fn fire(
        &mut self,
        statics: Statics<'_>,
        sealed: &[u64],
        shape: Shape<'_>,
        edge: EdgeId,
        decisions: &[Decision],
    ) -> Fired {
        let code = statics.program.edge(edge);
        self.symbols = self.now.open(sealed, shape, 0);
        self.blocks.copy(&self.now.blocks);
        self.runs = OnceCell::new();
        self.notes.get_mut().clear();
        self.inputs.reset(code.inputs.len());
        for (word, &width) in code.inputs.iter().enumerate() {
            let (word, shift) = (word as u32, 0);
            let place = Place { word, shift, width };
            self.symbols = self.inputs.set_fresh(place, self.symbols);
        }
        self.begin_decisions(decisions);
        let decided = &self.decided;
        let value_of = |symbol: u32| decided.get(symbol as usize).copied().flatten();
        self.now.decide(value_of);
        self.inputs.decide(value_of);
        if let Some(guard) = &code.guard {
            match self.holds(statics, &shape, guard) {
                Fired::Taken => {}
                other => return other,
            }
        }
        match &code.effect {
            Effect::Halt => Fired::Disabled,
            Effect::Move { writes, constrain } => {
                self.next.copy_words(&self.now, shape.all_words());
                for (place, value) in writes {
                    if let Some(split) = self.assign(statics, &shape, *place, value, false) {
                        return Fired::Needs(split);
                    }
                }
                if let Some(constrain) = constrain {
                    match self.holds(statics, &shape, constrain) {
                        Fired::Taken => {}
                        other => return other,
                    }
                }
                let edge = statics.machine.edge(edge);
                let procedure = statics.machine.procedure_of(edge.from);
                self.ready(statics, procedure, edge.to)
            }
            Effect::Call { arguments, .. } => match statics.callee(edge) {
                Some(callee) => self.enter(statics, &shape, edge, callee, arguments),
                None => Fired::Disabled,
            },
        }
    }

    /// Without laziness a state is complete only when every live bit is known.
    fn ready(&self, statics: Statics<'_>, procedure: ProcId, node: NodeId) -> Fired {
        if statics.lazy {
            return Fired::Taken;
        }
        let live = statics.layouts.live(procedure, node);
        let open = self.next.some_symbol(live);
        open.map_or(Fired::Taken, |symbol| Fired::Needs(Split::Bit(symbol)))
    }

    /// Makes the callee's entry state: globals and arguments, and new symbols for what has not been
    /// set.
    fn enter(
        &mut self,
        statics: Statics<'_>,
        shape: &Shape<'_>,
        edge: EdgeId,
        callee: ProcId,
        arguments: &[(Place, Code)],
    ) -> Fired {
        let from = statics.machine.edge(edge).from;
        let procedure = statics.machine.procedure_of(from);
        let (here, there) = (statics.layouts.of(procedure), statics.layouts.of(callee));
        let known_here = statics.layouts.live(procedure, from);
        let entry_node = statics.machine.procedure(callee).entry;
        let live = statics.layouts.live(callee, entry_node);
        self.entry.reset(there.words());
        for (place, at) in here.shared_with(there) {
            if place.read(known_here) != 0 {
                let (value, unknown) =
                    (place.read(&self.now.values), place.read(&self.now.unknown));
                let symbols = &self.now.symbols;
                let first = place.first_bit();
                self.entry
                    .set_partial(at, value, unknown, |bit| symbols[(first + bit) as usize]);
            } else if at.read(live) != 0 {
                self.symbols = self.entry.set_fresh(at, self.symbols);
            }
        }
        for (place, value) in arguments {
            if let Some(split) = self.assign(statics, shape, *place, value, true) {
                return Fired::Needs(split);
            }
        }
        self.entry.blocks.copy(&self.blocks);
        self.entry.blocks.pin();
        self.freeze(statics, shape, callee);
        let declared = statics.machine.procedure(callee);
        let uninitialised = declared.local_ids().skip(declared.parameter_count as usize);
        for local in uninitialised {
            let place = there.local(local);
            if place.read(live) != 0 {
                self.symbols = self.entry.set_fresh(place, self.symbols);
            }
        }
        self.entered(statics, live)
    }

    /// Freezes open words of the entry that are copied in part here: the callee does not see it.
    fn freeze(&mut self, statics: Statics<'_>, shape: &Shape<'_>, callee: ProcId) {
        let entry_node = statics.machine.procedure(callee).entry;
        let live = statics.layouts.live(callee, entry_node);
        let starts = statics.layouts.of(callee).starts();
        let unknown = self.entry.unknown.iter().zip(live).map(|(u, l)| u & l);
        let mut words = unknown.clone().zip(starts);
        if !words.any(|(word, starts)| word & (word << 1) & !starts != 0) {
            return;
        }
        let unknown: Vec<u64> = unknown.collect();
        let scene = self.scene(statics, shape);
        let bits: Vec<u32> = set_bits(&unknown).collect();
        let mut frozen = Vec::new();
        // Bits of one variable stand beside each other.
        let words = bits.chunk_by(|&a, &b| {
            a + 1 == b && starts[(b / u64::BITS) as usize] >> (b % u64::BITS) & 1 == 0
        });
        for word in words.filter(|word| word.len() > 1) {
            let symbols = word.iter().map(|&bit| self.entry.symbols[bit as usize]);
            let (first, width) = (self.entry.symbols[word[0] as usize], word.len() as u32);
            let is_run = symbols
                .clone()
                .enumerate()
                .all(|(i, s)| s == first + i as u32);
            let is_listed = scene.blocks.of(first).is_some();
            if !(is_listed || is_run && scene.is_free(first, width)) {
                frozen.extend(symbols);
            }
        }
        self.entry.blocks.frozen.extend(frozen);
    }

    /// Puts the decisions into the entry state. Without laziness it is complete only when every
    /// live bit is known.
    fn entered(&mut self, statics: Statics<'_>, live: &[u64]) -> Fired {
        let decided = &self.decided;
        self.entry
            .decide(|symbol| decided.get(symbol as usize).copied().flatten());
        match self.entry.some_symbol(live) {
            Some(symbol) if !statics.lazy => Fired::Needs(Split::Bit(symbol)),
            _ => Fired::Taken,
        }
    }

    /// Makes the initial state of the program's first procedure, with the given decisions.
    pub(crate) fn start(
        &mut self,
        statics: Statics<'_>,
        main: ProcId,
        decisions: &[Decision],
    ) -> Fired {
        let layout = statics.layouts.of(main);
        let live = statics
            .layouts
            .live(main, statics.machine.procedure(main).entry);
        self.blocks.clear();
        self.entry.blocks.clear();
        self.symbols = 0;
        self.begin_decisions(decisions);
        self.entry.reset(layout.words());
        for (variable, place) in layout.variables() {
            let initial = match variable {
                Variable::Global(id) => statics.machine.global(id).initial,
                Variable::Local(_) => None,
            };
            match initial {
                Some(value) => self.entry.set(place, value),
                None if place.read(live) != 0 => {
                    self.symbols = self.entry.set_fresh(place, self.symbols);
                }
                None => {}
            }
        }
        self.entered(statics, live)
    }

    /// After a call was fired from a state of shape `shape`: the state after the return from a
    /// sealed exit state, in [`Stepper::next`].
    ///
    /// What the callee assumed of its entry is learnt about the caller's state: a split in the
    /// callee is one in the caller.
    pub(crate) fn return_from(
        &mut self,
        statics: Statics<'_>,
        edge: EdgeId,
        shape: Shape<'_>,
        exit: &[u64],
        exit_shape: Shape<'_>,
    ) {
        let (Effect::Call { targets, .. }, Some(callee)) =
            (&statics.program.edge(edge).effect, statics.callee(edge))
        else {
            return;
        };
        let exit_symbols = self.exit.open(exit, exit_shape, 0);
        self.renamed.clear();
        self.renamed.resize(exit_symbols as usize, u32::MAX);
        for (index, &home) in exit_shape.homes.iter().enumerate() {
            let symbol = self.entry.symbols[home as usize];
            let bit = exit_shape.entry_bit(index);
            let (word, shift) = ((bit / u64::BITS) as usize, bit % u64::BITS);
            if self.exit.unknown[word] >> shift & 1 == 1 {
                self.renamed[self.exit.symbols[bit as usize] as usize] = symbol;
            } else {
                self.learn(symbol, self.exit.values[word] >> shift & 1 == 1);
            }
        }
        let first_new = self.symbols;
        for name in &mut self.renamed {
            if *name == u32::MAX {
                *name = self.symbols;
                self.symbols += 1;
            }
        }
        if !(self.blocks.blocks.is_empty() && self.exit.blocks.blocks.is_empty()) {
            self.learn_blocks(first_new);
        }
        self.next.copy_words(&self.now, shape.all_words());
        let decided = &self.decided;
        self.next
            .decide(|symbol| decided.get(symbol as usize).copied().flatten());
        let procedure = statics
            .machine
            .procedure_of(statics.machine.edge(edge).from);
        let (here, there) = (statics.layouts.of(procedure), statics.layouts.of(callee));
        for (to, from) in here.shared_with(there).chain(targets.iter().copied()) {
            let (value, unknown) = (from.read(&self.exit.values), from.read(&self.exit.unknown));
            let (symbols, renamed) = (&self.exit.symbols, &self.renamed);
            let first = from.first_bit();
            self.next.set_partial(to, value, unknown, |bit| {
                renamed[symbols[(first + bit) as usize] as usize]
            });
        }
    }

    /// What a symbol of the exit state is called in the caller, after [`Stepper::return_from`].
    pub(crate) fn renamed(&self, symbol: u32) -> u32 {
        self.renamed[symbol as usize]
    }

    /// Learns what the exit state says of words. Those that came from here have names here; a
    /// family that has one of these joins theirs.
    fn learn_blocks(&mut self, first_new: u32) {
        self.blocks.settle(&mut self.decided);
        let exit = &self.exit.blocks;
        for base in exit.blocks.iter().filter(|block| block.base == block.first) {
            let family = exit.blocks.iter().filter(|block| block.base == base.first);
            let name = |block: &Block| self.renamed[block.first as usize];
            let known = family.clone().find(|block| name(block) < first_new);
            let known = known.unwrap_or(base);
            let (first, width) = (name(known), known.width);
            let values = base.values.plus(known.offset, width);
            self.blocks.set(first, width, values);
            for block in family.filter(|block| block.first != known.first) {
                if name(block) >= first_new {
                    let offset = block.offset.wrapping_sub(known.offset) & mask(width);
                    self.blocks.relate(name(block), width, first, offset);
                }
            }
        }
    }

    fn scene<'a>(&'a self, statics: Statics<'_>, shape: &'a Shape<'a>) -> Scene<'a> {
        Scene {
            now: &self.now,
            next: &self.next,
            inputs: &self.inputs,
            blocks: &self.blocks,
            runs: &self.runs,
            notes: &self.notes,
            shape,
            symbols: self.symbols,
            lazy: statics.lazy,
        }
    }

    fn holds(&mut self, statics: Statics<'_>, shape: &Shape<'_>, condition: &Code) -> Fired {
        let scene = Scene {
            now: &self.now,
            next: &self.next,
            inputs: &self.inputs,
            blocks: &self.blocks,
            runs: &self.runs,
            notes: &self.notes,
            shape,
            symbols: self.symbols,
            lazy: statics.lazy,
        };
        let result = scene.eval(statics.program, condition, &mut self.stack);
        if result.unknown != 0 {
            Fired::Needs(scene.need(result.origin, 0))
        } else if result.value == 1 {
            Fired::Taken
        } else {
            Fired::Disabled
        }
    }

    /// Assigns to a place of the next state or of the entry; gives what must be decided first, if
    /// anything.
    fn assign(
        &mut self,
        statics: Statics<'_>,
        shape: &Shape<'_>,
        place: Place,
        value: &Code,
        is_argument: bool,
    ) -> Option<Split> {
        let scene = Scene {
            now: &self.now,
            next: &self.now,
            inputs: &self.inputs,
            blocks: &self.blocks,
            runs: &self.runs,
            notes: &self.notes,
            shape,
            symbols: self.symbols,
            lazy: statics.lazy,
        };
        let result = scene.eval(statics.program, value, &mut self.stack);
        let target = if is_argument {
            &mut self.entry
        } else {
            &mut self.next
        };
        let (source, first) = match result.origin {
            _ if result.unknown == 0 => {
                target.set(place, result.value);
                return None;
            }
            Origin::Needs(symbol) => return Some(Split::Bit(symbol)),
            Origin::Cuts(_) => return Some(self.scene(statics, shape).need(result.origin, 0)),
            Origin::Sum(sum) => return self.assign_sum(place, result, sum, is_argument),
            Origin::Input(first) => (&self.inputs, first),
            Origin::Now(first) | Origin::Next(first) => (&self.now, first),
        };
        let symbols = &source.symbols;
        target.set_partial(place, result.value, result.unknown, |bit| {
            symbols[(first + bit) as usize]
        });
        None
    }

    /// Assigns a sum of a word: a new word that is related to it.
    fn assign_sum(
        &mut self,
        place: Place,
        result: Partial,
        sum: u32,
        is_argument: bool,
    ) -> Option<Split> {
        let Sum { base, offset } = self.notes.get_mut().sum(sum);
        let width = result.unknown.count_ones();
        if let Some(split) = self.blocks.need_for_sum(base, width) {
            return Some(split);
        }
        let target = if is_argument {
            &mut self.entry
        } else {
            &mut self.next
        };
        // Another value of this step may be a part of the same word.
        let has_part = target.unknown.iter().enumerate().any(|(word, &unknown)| {
            set_bits(&[unknown]).any(|bit| {
                let bit = word * u64::BITS as usize + bit as usize;
                let symbol = target.symbols[bit];
                (base..base + width).contains(&symbol)
                    && target
                        .symbols
                        .get(bit - (symbol - base) as usize..)
                        .is_none_or(|run| {
                            (0..width).any(|i| run.get(i as usize) != Some(&(base + i)))
                        })
            })
        });
        if has_part {
            return Some(self.blocks.need(base));
        }
        let first = self.symbols;
        self.symbols += width;
        self.blocks.relate(first, width, base, offset);
        target.set_partial(place, result.value, result.unknown, |bit| first + bit);
        None
    }
}
