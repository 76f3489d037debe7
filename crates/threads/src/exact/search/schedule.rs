//! What steps do to the schedule.

use hardbop_machine::cast::Cast;
use hardbop_outcome::certificate::Turn;

/// What a step does to the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// The thread enters an atomic block.
    EnterAtomic,
    /// The thread leaves an atomic block.
    LeaveAtomic,
    /// Another thread starts.
    Start,
    /// One thread more would start than there is room for.
    StartBeyond,
    /// The thread ends.
    End,
}

/// Whose turn it is after a step; no thread's if the step needs a thread too many.
pub(crate) fn turn_after(cast: &Cast, turn: &Turn, effect: Effect) -> Option<Turn> {
    let mut after = turn.clone();
    let is_inside = after.atomic.contains(&turn.thread);
    after.atomic.retain(|&thread| thread != turn.thread);
    let stays_inside = match effect {
        Effect::EnterAtomic => true,
        Effect::LeaveAtomic | Effect::End => false,
        Effect::None | Effect::Start => is_inside,
        Effect::StartBeyond => return None,
    };
    if stays_inside {
        after.atomic.push(turn.thread);
    }
    match effect {
        Effect::Start if after.started == cast.len() => return None,
        Effect::Start => after.started += 1,
        Effect::End if cast.has_init && turn.thread == 0 => after.started = cast.initial,
        _ => {}
    }
    Some(after)
}
