//! Which BDD variable stands for which bit of a configuration.
//!
//! The shared globals come first, then thread by thread its place, its own globals and its row of
//! locals: what one thread does touches the shared part and its own block.

use hardbop_machine::cast::Cast;
use hardbop_machine::{GlobalId, Machine, Storage, Variable};
use hardbop_outcome::certificate::{Bit, Formula, ThreadBit, ThreadPart};

/// The bits of a configuration, numbered.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// Per global where its bits start: among all bits if it is shared, else after the start of a
    /// thread's own globals.
    global_start: Vec<u32>,
    blocks: Vec<Block>,
    /// What each bit is.
    meaning: Vec<Formula>,
}

/// Where the bits of a thread start.
#[derive(Clone, Copy, Debug)]
struct Block {
    place: u32,
    own: u32,
    row: u32,
}

impl Space {
    /// The bits of a program's threads.
    pub(crate) fn new(machine: &Machine, cast: &Cast) -> Self {
        let mut meaning = Vec::new();
        let mut global_start = vec![0; machine.globals.len()];
        let mut own_bits = Vec::new();
        for (index, global) in machine.globals.iter().enumerate() {
            let id = GlobalId::new(index);
            match global.storage {
                Storage::Shared => {
                    global_start[index] = meaning.len() as u32;
                    meaning.extend((0..global.ty.width()).map(|bit| {
                        let variable = Variable::Global(id);
                        Formula::Now(Bit { variable, bit })
                    }));
                }
                Storage::PerThread => {
                    global_start[index] = own_bits.len() as u32;
                    own_bits.extend((0..global.ty.width()).map(|bit| (ThreadPart::Own(id), bit)));
                }
            }
        }
        let mut blocks = Vec::new();
        for thread in 0..cast.len() {
            let inlined = &cast.member(thread).inlined;
            let mut push = |bits: &[(ThreadPart, u32)]| {
                let start = meaning.len() as u32;
                meaning.extend(
                    bits.iter()
                        .map(|&(part, bit)| Formula::Thread(ThreadBit { thread, part, bit })),
                );
                start
            };
            let numbered = |part, count| (0..count).map(|bit| (part, bit)).collect::<Vec<_>>();
            blocks.push(Block {
                place: push(&numbered(ThreadPart::Place, inlined.place_bits())),
                own: push(&own_bits),
                row: push(&numbered(ThreadPart::Row, inlined.row_bits())),
            });
        }
        Self {
            global_start,
            blocks,
            meaning,
        }
    }

    /// What a bit is, as a leaf of a certificate.
    pub(crate) fn meaning(&self, bit: u32) -> Formula {
        self.meaning[bit as usize].clone()
    }

    /// A bit of a global as a thread sees it.
    pub(crate) fn global(&self, machine: &Machine, thread: u32, id: GlobalId, bit: u32) -> u32 {
        let start = self.global_start[id.index()];
        match machine.global(id).storage {
            Storage::Shared => start + bit,
            Storage::PerThread => self.blocks[thread as usize].own + start + bit,
        }
    }

    /// A bit of a thread's place.
    pub(crate) fn place(&self, thread: u32, bit: u32) -> u32 {
        self.blocks[thread as usize].place + bit
    }

    /// A bit of a thread's row of locals.
    pub(crate) fn row(&self, thread: u32, bit: u32) -> u32 {
        self.blocks[thread as usize].row + bit
    }
}
