//! The BDD variable of each bit: first the shared globals, then seat by seat a thread.
//! Every bit has two variables, the second for its value after a step. Choices come last.

use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::{GlobalId, LocalId, Machine, NodeId, Storage, Variable};
use hardbop_outcome::certificate::{Bit, Formula, ThreadBit, ThreadPart};
use std::collections::BTreeMap;
use std::ops::Range;

/// What a frame remembers of its entry. The parameters it always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Also where the caller waits, and all globals.
    pub is_long: bool,
}

/// The variables of a search.
#[derive(Clone, Debug)]
pub(crate) struct Seats {
    shared: Vec<Bit>,
    shared_of: BTreeMap<(GlobalId, u32), u32>,
    block: Vec<(ThreadPart, u32)>,
    block_of: BTreeMap<(ThreadPart, u32), u32>,
    count: u32,
    place_bits: u32,
}

impl Seats {
    /// The variables for some threads at a time.
    pub(crate) fn new(machine: &Machine, memory: Memory, atomic: bool, count: u32) -> Self {
        let place_bits = 32 - (machine.nodes.len() as u32).leading_zeros();
        let mut shared = Vec::new();
        let mut block: Vec<(ThreadPart, u32)> = Vec::new();
        block.extend((0..place_bits).map(|bit| (ThreadPart::Place, bit)));
        if atomic {
            block.extend([(ThreadPart::Inside, 0), (ThreadPart::Last, 0)]);
        }
        if machine.atomic_flag.is_some() {
            block.push((ThreadPart::Stepped, 0));
        }
        if memory.is_long {
            block.extend((0..place_bits).map(|bit| (ThreadPart::Caller, bit)));
        }
        for (index, global) in machine.globals.iter().enumerate() {
            let id = GlobalId::new(index);
            let variable = Variable::Global(id);
            for bit in 0..global.ty.width() {
                match global.storage {
                    Storage::Shared => shared.push(Bit { variable, bit }),
                    Storage::PerThread => block.push((ThreadPart::Own(id), bit)),
                }
                if memory.is_long {
                    block.push((ThreadPart::Entry(variable), bit));
                }
            }
        }
        // Locals of different procedures share their variables.
        let mut widths: Vec<(u32, u32)> = Vec::new();
        for procedure in &machine.procedures {
            for (index, local) in procedure.locals.iter().enumerate() {
                if widths.len() <= index {
                    widths.push((0, 0));
                }
                let width = local.ty.width();
                widths[index].0 = widths[index].0.max(width);
                if index < procedure.parameter_count as usize {
                    widths[index].1 = widths[index].1.max(width);
                }
            }
        }
        for (index, (width, entry)) in widths.into_iter().enumerate() {
            let id = LocalId::new(index);
            for bit in 0..width {
                block.push((ThreadPart::Local(id), bit));
                if bit < entry {
                    block.push((ThreadPart::Entry(Variable::Local(id)), bit));
                }
            }
        }
        let global = |bit: &Bit| match bit.variable {
            Variable::Global(id) => (id, bit.bit),
            Variable::Local(_) => unreachable!("only globals are shared"),
        };
        Self {
            shared_of: shared.iter().map(global).zip(0..).collect(),
            block_of: block.iter().copied().zip(0..).collect(),
            shared,
            block,
            count,
            place_bits,
        }
    }

    /// The variable of a bit of a thread; `None` if the bit is not kept.
    pub(crate) fn thread(&self, seat: u32, part: ThreadPart, bit: u32) -> Option<u32> {
        let index = self.block_of.get(&(part, bit))?;
        Some(self.first(seat) + 2 * index)
    }

    /// The variable of a bit as the top frame of a thread sees it.
    pub(crate) fn variable(&self, machine: &Machine, seat: u32, place: Bit) -> u32 {
        let Bit { variable, bit } = place;
        let found = match variable {
            Variable::Global(id) => match machine.global(id).storage {
                Storage::Shared => self.shared_of.get(&(id, bit)).map(|index| 2 * index),
                Storage::PerThread => self.thread(seat, ThreadPart::Own(id), bit),
            },
            Variable::Local(id) => self.thread(seat, ThreadPart::Local(id), bit),
        };
        found.expect("every bit of a variable is kept")
    }

    /// The variables of a seat whose parts are of some kind.
    pub(crate) fn parts(&self, seat: u32, is_meant: impl Fn(ThreadPart) -> bool) -> Vec<u32> {
        let first = self.first(seat);
        let meant = (0..).zip(&self.block).filter(|(_, bit)| is_meant(bit.0));
        meant.map(|(index, _)| first + 2 * index).collect()
    }

    /// All seats.
    pub(crate) fn all(&self) -> Range<u32> {
        0..self.count
    }

    /// The bits of every thread.
    pub(crate) fn block(&self) -> &[(ThreadPart, u32)] {
        &self.block
    }

    /// The variables of the shared globals.
    pub(crate) fn shared(&self) -> Vec<u32> {
        (0..self.shared.len() as u32)
            .map(|index| 2 * index)
            .collect()
    }

    /// The first variable of a seat.
    fn first(&self, seat: u32) -> u32 {
        2 * (self.shared.len() as u32 + seat * self.block.len() as u32)
    }

    /// The variable of a choice's bit.
    pub(crate) fn choice(&self, index: u32) -> u32 {
        self.first(self.count) + index
    }

    /// Whether a variable is that of a choice.
    pub(crate) fn is_choice(&self, variable: u32) -> bool {
        variable >= self.first(self.count)
    }

    /// Renamings that move one seat to another.
    pub(crate) fn moved(&self, from: u32, to: u32) -> Vec<(u32, u32)> {
        let (from, to) = (self.first(from), self.first(to));
        let bits = 0..2 * self.block.len() as u32;
        bits.map(|bit| (from + bit, to + bit)).collect()
    }

    /// A place or a caller is this.
    pub(crate) fn number(
        &self,
        manager: &mut Manager<'_>,
        seat: u32,
        part: ThreadPart,
        number: u32,
    ) -> Result<Bdd, Exhausted> {
        let mut all = Bdd::TRUE;
        for bit in (0..self.place_bits).rev() {
            if let Some(variable) = self.thread(seat, part, bit) {
                let literal = manager.variable(variable)?;
                let is_set = number >> bit & 1 == 1;
                all = manager.and(all, if is_set { literal } else { !literal })?;
            }
        }
        Ok(all)
    }

    /// A thread is at a node.
    pub(crate) fn at(
        &self,
        manager: &mut Manager<'_>,
        seat: u32,
        node: NodeId,
    ) -> Result<Bdd, Exhausted> {
        self.number(manager, seat, ThreadPart::Place, node.0 + 1)
    }

    /// What a variable is, as a leaf of a view's relation.
    pub(crate) fn meaning(&self, variable: u32) -> Formula {
        let index = variable / 2;
        match index.checked_sub(self.shared.len() as u32) {
            None => Formula::Now(self.shared[index as usize]),
            Some(index) => {
                let size = self.block.len() as u32;
                let (part, bit) = self.block[(index % size) as usize];
                let thread = index / size;
                Formula::Thread(ThreadBit { thread, part, bit })
            }
        }
    }

    /// What a variable is, as a leaf of a caller's relation: at seat 0 the frame that was called is
    /// before, the one that waits after the step.
    pub(crate) fn meaning_of_caller(&self, variable: u32) -> Formula {
        let thread = variable % 2;
        match self.meaning(variable) {
            Formula::Thread(bit) => Formula::Thread(ThreadBit { thread, ..bit }),
            other => other,
        }
    }
}
