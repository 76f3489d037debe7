//! Where the parts of a configuration lie among the bits of [`Space`].

use crate::exact::encoding::components::GlobalIndex;
use crate::exact::encoding::space::Space;
use hardbop_machine::cast::Cast;
use hardbop_machine::{GlobalId, Machine};

/// The bits of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The first bit.
    pub(crate) first: u32,
    /// How many there are.
    pub(crate) width: u32,
}

impl Field {
    /// The bits with the values that a number gives them.
    pub(crate) fn bits(self, value: u64) -> impl Iterator<Item = (u32, bool)> {
        (0..self.width).map(move |bit| (self.first + bit, value >> bit & 1 == 1))
    }
}

/// Finds the fields of components.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'f> {
    /// The machine.
    pub(crate) machine: &'f Machine,
    /// Its threads.
    pub(crate) cast: &'f Cast,
    /// The bits of a configuration.
    pub(crate) space: &'f Space,
    /// Where globals lie.
    pub(crate) globals: &'f GlobalIndex,
}

impl Fields<'_> {
    fn global(&self, thread: u32, id: GlobalId) -> Field {
        Field {
            first: self.space.global(self.machine, thread, id, 0),
            width: self.machine.global(id).ty.width(),
        }
    }

    /// The fields of the shared variables.
    pub(crate) fn shared(&self) -> impl Iterator<Item = Field> + '_ {
        self.globals.shared.iter().map(|&id| self.global(0, id))
    }

    /// The field of a thread's place.
    pub(crate) fn place(&self, thread: u32) -> Field {
        Field {
            first: self.space.place(thread, 0),
            width: self.cast.member(thread).inlined.place_bits(),
        }
    }

    /// The fields of a thread's own globals.
    pub(crate) fn own(&self, thread: u32) -> impl Iterator<Item = Field> + '_ {
        let own = self.globals.own.iter();
        own.map(move |&id| self.global(thread, id))
    }

    /// The fields of the locals of all frames of a thread at a place, the first frame's first.
    pub(crate) fn row(&self, thread: u32, place: u32) -> Vec<Field> {
        let inlined = &self.cast.member(thread).inlined;
        let mut frames = Vec::new();
        let mut number = inlined
            .locate(self.machine, place)
            .map(|(number, _)| number);
        while let Some(frame) = number {
            let frame = &inlined.frames()[frame as usize];
            frames.push(frame);
            number = frame.caller.map(|(caller, _)| caller);
        }
        let fields = frames.into_iter().rev().flat_map(|frame| {
            let locals = self.machine.procedure(frame.procedure).local_ids();
            locals.map(|local| {
                let bits = frame.bits_of(local);
                Field {
                    first: self.space.row(thread, bits.start),
                    width: bits.end - bits.start,
                }
            })
        });
        fields.collect()
    }
}
