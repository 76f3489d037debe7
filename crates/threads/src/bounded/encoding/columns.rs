//! Which BDD variable stands for what.
//!
//! A relation speaks of several copies of the variables, its *columns*: the state in which the
//! running procedure was entered, the current one, the shared globals at the ends and beginnings of
//! contexts (the `g_i` of the Getafix paper, section 5.1), and what a started thread was given.
//! Locals of different procedures share numbers, as they never meet. All copies of one bit stand
//! together: most of them are equal most of the time. Variables stand in the order of their first
//! use, the bits of integers that meet are interleaved ([`Words`]), and a choice that meets an
//! integer stands beside it. Other choices come last.

use hardbop_machine::analysis::VariableIndex;
use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::bits::BitLayout;
use hardbop_machine::{
    Action, EdgeId, GlobalId, LocalId, Machine, NodeId, ProcId, Storage, Variable,
};
use hardbop_symbolic::{Words, choices_beside_integers};
use std::collections::BTreeMap;

/// A copy of the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Column {
    /// At the entry of the running procedure.
    Entry,
    /// At the entry of the procedure that it calls.
    Callee,
    /// Shared globals where one context ends and another begins.
    Boundary(u32),
    /// What a thread was given when it was started (number 0: this thread itself, then those it has
    /// started).
    Given(u32),
    /// Now.
    Now,
    /// After the step.
    Next,
    /// A choice that meets the variable.
    Choice,
}

/// A bit that a procedure sees: numbers of [`BitLayout`], and one more for being inside an atomic
/// block.
pub(crate) type Slot = u32;

/// The places of all bits in the order of BDD variables.
pub(crate) struct Columns<'m> {
    machine: &'m Machine,
    layout: BitLayout,
    shared: Vec<Slot>,
    own: Vec<Slot>,
    inside: Option<Slot>,
    stride: u32,
    /// Per slot its place among all.
    ranks: Vec<u32>,
    first_choice: u32,
    /// Per edge with choices that stand beside a variable all its choices.
    choices: BTreeMap<EdgeId, Vec<u32>>,
}

impl<'m> Columns<'m> {
    /// Columns for runs of this many contexts and threads.
    pub(crate) fn new(machine: &'m Machine, contexts: u32, threads: u32) -> Self {
        let layout = BitLayout::new(machine);
        let bits_of = |storage| -> Vec<Slot> {
            let ids = (0..machine.globals.len()).map(GlobalId::new);
            let ids = ids.filter(|&id| machine.global(id).storage == storage);
            ids.flat_map(|id| layout.bits_of(ProcId(0), Variable::Global(id)))
                .collect()
        };
        let (shared, mut own) = (bits_of(Storage::Shared), bits_of(Storage::PerThread));
        let has_blocks = |action: &Action| matches!(action, Action::AtomicBegin);
        let has_blocks = machine.edges.iter().any(|edge| has_blocks(&edge.action));
        let inside = has_blocks.then(|| layout.frame_bits());
        own.extend(inside);
        let stride = 5 + (contexts + 2).max(threads + 2);
        let slots = layout.frame_bits() + 1;
        let ranks = ranks_by_first_use(machine, &layout, slots);
        let mut columns = Self {
            machine,
            layout,
            shared,
            own,
            inside,
            stride,
            ranks,
            first_choice: slots * stride,
            choices: BTreeMap::new(),
        };
        let beside = |procedure, variable, bit| {
            let slot = columns.slot(procedure, variable, bit);
            columns.variable(slot, Column::Choice)
        };
        columns.choices = choices_beside_integers(machine, columns.first_choice, beside);
        columns
    }

    /// The machine.
    pub(crate) fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// The bits of the shared globals.
    pub(crate) fn shared(&self) -> &[Slot] {
        &self.shared
    }

    /// The bits of the per-thread globals, being inside an atomic block included.
    pub(crate) fn own(&self) -> &[Slot] {
        &self.own
    }

    /// The bit that says whether the thread is inside an atomic block, if there are such blocks.
    pub(crate) fn inside(&self) -> Option<Slot> {
        self.inside
    }

    /// A bit of a variable as seen from a procedure.
    pub(crate) fn slot(&self, procedure: ProcId, variable: Variable, bit: u8) -> Slot {
        self.layout.bits_of(procedure, variable).start + u32::from(bit)
    }

    /// All bits of a variable.
    pub(crate) fn bits_of(&self, procedure: ProcId, variable: Variable) -> std::ops::Range<Slot> {
        self.layout.bits_of(procedure, variable)
    }

    /// The bits of all locals of a procedure.
    pub(crate) fn locals(&self, procedure: ProcId) -> std::ops::Range<Slot> {
        self.layout.local_bits(procedure)
    }

    /// The bits of the parameters of a procedure.
    pub(crate) fn parameters(&self, procedure: ProcId) -> Vec<Slot> {
        let parameters = self.machine.procedure(procedure).parameters();
        parameters
            .flat_map(|id| self.bits_of(procedure, Variable::Local(id)))
            .collect()
    }

    /// The bits of the locals whose value matters at a node.
    pub(crate) fn live_locals(&self, node: NodeId) -> Vec<Slot> {
        let procedure = self.machine.procedure_of(node);
        let locals = self.machine.liveness().live_at(node);
        locals
            .filter(|variable| matches!(variable, Variable::Local(_)))
            .flat_map(|variable| self.bits_of(procedure, variable))
            .collect()
    }

    /// The bits of the locals whose value does not matter at a node.
    pub(crate) fn dead_locals(&self, node: NodeId) -> Vec<Slot> {
        let live = self.live_locals(node);
        let all = self.locals(self.machine.procedure_of(node));
        all.filter(|slot| !live.contains(slot)).collect()
    }

    /// The BDD variable of a bit in a column.
    pub(crate) fn variable(&self, slot: Slot, column: Column) -> u32 {
        let last = self.stride - 1;
        let place = match column {
            Column::Entry => 0,
            Column::Callee => 1,
            Column::Boundary(number) | Column::Given(number) => 2 + number,
            Column::Now => last - 2,
            Column::Next => last - 1,
            Column::Choice => last,
        };
        debug_assert!(place <= last);
        self.ranks[slot as usize] * self.stride + place
    }

    /// The BDD variable of a bit of an edge's choices.
    pub(crate) fn choice(&self, edge: EdgeId, number: u32) -> u32 {
        match self.choices.get(&edge) {
            Some(choices) => choices[number as usize],
            None => self.first_choice + number,
        }
    }
}

/// Numbers slots in the order in which the program, read from its start, uses them: what is used
/// together stands together.
fn ranks_by_first_use(machine: &Machine, layout: &BitLayout, slots: u32) -> Vec<u32> {
    let variables = VariableIndex::new(machine);
    let mut bits = Vec::with_capacity(variables.count() + 1);
    let globals = (0..machine.globals.len()).map(GlobalId::new);
    bits.extend(globals.map(|id| layout.bits_of(ProcId(0), Variable::Global(id))));
    for procedure in machine.procedure_ids() {
        let locals = (0..machine.procedure(procedure).locals.len()).map(LocalId::new);
        bits.extend(locals.map(|id| layout.bits_of(procedure, Variable::Local(id))));
    }
    // Being inside an atomic block.
    bits.push(slots - 1..slots);
    let mut words = Words::new(bits);
    words.join_those_that_meet(machine, |procedure, variable| {
        Some(variables.index(procedure, variable))
    });
    let mut is_used = vec![false; words.len()];
    let mut order = Vec::with_capacity(words.len());
    for edge in machine.edge_ids() {
        let procedure = machine.procedure_of(machine.edge(edge).from);
        let mut visit = |variable| {
            let word = variables.index(procedure, variable);
            if !std::mem::replace(&mut is_used[word], true) {
                order.push(word);
            }
        };
        each_write(machine, edge, &mut visit);
        each_read(machine, edge, &mut visit);
    }
    order.extend((0..words.len()).filter(|&word| !is_used[word]));
    let mut ranks = vec![0; slots as usize];
    let mut slots = words.blocks(&order);
    for block in &mut slots {
        // The bits of an integer that meets no other one take fewer nodes from the lowest on.
        if block.windows(2).all(|bits| bits[0] == bits[1] + 1) {
            block.reverse();
        }
    }
    for (rank, slot) in (0..).zip(slots.concat()) {
        ranks[slot as usize] = rank;
    }
    ranks
}
