//! The data of a control point: a literal for every bit of the globals, of the running frame, and
//! of the frames that wait.
//!
//! Several ways lead to one control point. Their states become one, bit by bit
//! `if taken then this else that`; frames that wait are shared between states, and those that two
//! states share need no merging.

use hardbop_sat::{Circuit, Lit};
use hardbop_transform::literals::frames::merge_bits;
use std::rc::Rc;

/// A frame that waits for a call to come back: index into [`WaitingFrames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WaitingFrame(u32);

/// The data of a control point.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Bits of globals and of the running procedure's locals, as
    /// [`hardbop_machine::bits::BitLayout`] numbers them.
    pub(crate) bits: Rc<[Lit]>,
    /// The caller's frame.
    pub(crate) waiting: Option<WaitingFrame>,
}

/// The frames that wait, in all states.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitingFrames {
    /// Bits of locals, and the frame below. Frames are never freed: clauses speak of their literals
    /// anyway.
    frames: Vec<(Rc<[Lit]>, Option<WaitingFrame>)>,
}

impl WaitingFrames {
    /// A frame that waits on top of another.
    pub(crate) fn push(&mut self, locals: Rc<[Lit]>, below: Option<WaitingFrame>) -> WaitingFrame {
        self.frames.push((locals, below));
        WaitingFrame((self.frames.len() - 1) as u32)
    }

    /// The bits of its locals, and the frame below it.
    pub(crate) fn get(&self, frame: WaitingFrame) -> (&Rc<[Lit]>, Option<WaitingFrame>) {
        let (locals, below) = &self.frames[frame.0 as usize];
        (locals, *below)
    }

    /// `first` where the condition holds, else `second`; both belong to the same control point.
    pub(crate) fn merge(
        &mut self,
        circuit: &mut Circuit<'_>,
        condition: Lit,
        first: &State,
        second: &State,
    ) -> State {
        let mut differing = Vec::new();
        let (mut a, mut b) = (first.waiting, second.waiting);
        while a != b
            && let (Some(from_first), Some(from_second)) = (a, b)
        {
            differing.push((from_first, from_second));
            a = self.get(from_first).1;
            b = self.get(from_second).1;
        }
        let mut below = a;
        for (from_first, from_second) in differing.into_iter().rev() {
            let (a, b) = (self.get(from_first).0, self.get(from_second).0);
            let locals = merge_shared(circuit, condition, a, b);
            below = Some(self.push(locals, below));
        }
        State {
            bits: merge_shared(circuit, condition, &first.bits, &second.bits),
            waiting: below,
        }
    }
}

fn merge_shared(
    circuit: &mut Circuit<'_>,
    condition: Lit,
    first: &Rc<[Lit]>,
    second: &Rc<[Lit]>,
) -> Rc<[Lit]> {
    if first == second {
        return Rc::clone(first);
    }
    merge_bits(circuit, condition, first, second).into()
}
