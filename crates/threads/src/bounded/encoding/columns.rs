//! Which BDD variable stands for what.
//!
//! A relation speaks of several copies of the variables, its *columns*: the state in which the
//! running procedure was entered, the current one, the shared globals at the ends and beginnings of
//! contexts (the `g_i` of the Getafix paper, section 5.1), and what a started thread was given.
//! Locals of different procedures share numbers, as they never meet. All copies of one bit stand
//! together: most of them are equal most of the time. Bits stand in the order of their first use.

use hardbop_machine::analysis::Analyses;
use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::bits::BitLayout;
use hardbop_machine::{Action, GlobalId, Machine, NodeId, ProcId, Storage, Variable};

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
}

/// A bit that a procedure sees: numbers of [`BitLayout`], and one more for being inside an atomic
/// block.
pub(crate) type Slot = u32;

/// The places of all bits in the order of BDD variables.
pub(crate) struct Columns<'m> {
    machine: &'m Machine,
    layout: BitLayout,
    analyses: Analyses,
    shared: Vec<Slot>,
    own: Vec<Slot>,
    inside: Option<Slot>,
    stride: u32,
    /// Per slot its place among all.
    ranks: Vec<u32>,
    first_choice: u32,
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
        let stride = 4 + (contexts + 2).max(threads + 2);
        let slots = layout.frame_bits() + 1;
        let ranks = ranks_by_first_use(machine, &layout, slots);
        Self {
            machine,
            layout,
            analyses: Analyses::new(machine),
            shared,
            own,
            inside,
            stride,
            ranks,
            first_choice: slots * stride,
        }
    }

    /// The machine.
    pub(crate) fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// What is known about it.
    pub(crate) fn analyses(&self) -> &Analyses {
        &self.analyses
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
        let locals = self.analyses.liveness.live_at(node);
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
            Column::Now => last - 1,
            Column::Next => last,
        };
        debug_assert!(place <= last);
        self.ranks[slot as usize] * self.stride + place
    }

    /// The BDD variable of a bit of an edge's choices.
    pub(crate) fn choice(&self, number: u32) -> u32 {
        self.first_choice + number
    }
}

/// Numbers slots in the order in which the program, read from its start, uses them: what is used
/// together stands together.
fn ranks_by_first_use(machine: &Machine, layout: &BitLayout, slots: u32) -> Vec<u32> {
    let mut ranks: Vec<Option<u32>> = vec![None; slots as usize];
    let mut next = 0;
    let mut number = |slot: Slot| {
        ranks[slot as usize].get_or_insert_with(|| {
            next += 1;
            next - 1
        });
    };
    for edge in machine.edge_ids() {
        let procedure = machine.procedure_of(machine.edge(edge).from);
        let mut visit = |variable| layout.bits_of(procedure, variable).for_each(&mut number);
        each_write(machine, edge, &mut visit);
        each_read(machine, edge, &mut visit);
    }
    (0..slots).for_each(&mut number);
    ranks.into_iter().flatten().collect()
}
