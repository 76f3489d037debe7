//! Cubes: conjunctions of literals over the bits of a frame, at its entry and now.

use hardbop_machine::analysis::Slice;
use hardbop_machine::bits::BitLayout;
use hardbop_machine::{GlobalId, Machine, NodeId, Variable};

/// A bit of a frame with a value: now, or when the procedure was entered. Bits are numbered as in
/// [`BitLayout`]. Ordered by bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StateLit(u32);

impl StateLit {
    pub fn new(bit: u32, is_entry: bool, value: bool) -> Self {
        Self(bit << 2 | u32::from(is_entry) << 1 | u32::from(value))
    }

    pub fn bit(self) -> u32 {
        self.0 >> 2
    }

    pub fn is_entry(self) -> bool {
        self.0 & 2 != 0
    }

    pub fn value(self) -> bool {
        self.0 & 1 != 0
    }

    pub fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// Ascending, each bit at most once.
pub(crate) type Cube = Vec<StateLit>;

/// Whether all literals of the first are in the second.
pub(crate) fn is_part(small: &[StateLit], large: &[StateLit]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|lit| rest.any(|other| other == lit))
}

/// Whether some state is in both.
pub(crate) fn are_compatible(a: &[StateLit], b: &[StateLit]) -> bool {
    a.iter()
        .all(|lit| b.binary_search(&lit.opposite()).is_err())
}

/// The bits that frames at a node are about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    /// Bits of live variables, now.
    pub now: Vec<u32>,
    /// Bits at the entry of the procedure, of globals and parameters that were live there. Globals
    /// that the procedure does not modify are left out if they are live now. Nothing at an entry to
    /// which no edge leads: there nothing has changed yet.
    pub entry: Vec<u32>,
}

impl Vocabulary {
    pub fn new(
        machine: &Machine,
        slice: &Slice,
        layout: &BitLayout,
        node: NodeId,
        is_first: bool,
    ) -> Self {
        let procedure = machine.procedure_of(node);
        let entry_node = machine.procedure(procedure).entry;
        let mut vocabulary = Self::default();
        for variable in machine.liveness().live_at(node) {
            if slice.relevant(procedure, variable) {
                vocabulary.now.extend(layout.bits_of(procedure, variable));
            }
        }
        vocabulary.now.sort_unstable();
        if is_first {
            return vocabulary;
        }
        let parameters = machine.procedure(procedure).parameter_count;
        for variable in machine.liveness().live_at(entry_node) {
            let may_differ = match variable {
                Variable::Global(global) => {
                    machine.effects().modifies(procedure, global)
                        || !machine.liveness().is_live(node, variable)
                }
                Variable::Local(local) => local.0 < parameters,
            };
            if may_differ && slice.relevant(procedure, variable) {
                vocabulary.entry.extend(layout.bits_of(procedure, variable));
            }
        }
        vocabulary.entry.sort_unstable();
        vocabulary
    }
}

/// A cube at an entry, where a procedure just begins: as literals of the current state. `None` if
/// it wants something to have changed.
pub(crate) fn at_start(cube: &[StateLit]) -> Option<Cube> {
    let now = cube
        .iter()
        .map(|lit| StateLit::new(lit.bit(), false, lit.value()));
    let mut now: Cube = now.collect();
    now.sort_unstable();
    now.dedup();
    now.windows(2)
        .all(|pair| pair[0].bit() != pair[1].bit())
        .then_some(now)
}

/// The bits of the globals with an initial value, as literals.
pub(crate) fn initial_cube(machine: &Machine, layout: &BitLayout) -> Cube {
    let mut cube = Vec::new();
    for (index, global) in machine.globals.iter().enumerate() {
        let variable = Variable::Global(GlobalId::new(index));
        let Some(value) = global.initial else {
            continue;
        };
        for (position, bit) in layout
            .bits_of(hardbop_machine::ProcId(0), variable)
            .enumerate()
        {
            cube.push(StateLit::new(bit, false, value >> position & 1 == 1));
        }
    }
    cube
}
