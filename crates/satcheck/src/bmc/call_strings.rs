//! Stacks without data: the call edges that wait, from the first frame to the last.
//!
//! A string is its number; it remembers the string below it, so that pushing and popping cost one
//! lookup however deep it is.

use hardbop_machine::EdgeId;
use std::collections::HashMap;

/// A call string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CallString(u32);

impl CallString {
    /// No call waits: the first procedure runs.
    pub(crate) const EMPTY: Self = Self(0);
}

/// The call strings met so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallStrings {
    /// Of every string but the empty one: the string below and the call on top.
    parts: Vec<(CallString, EdgeId)>,
    known: HashMap<(CallString, EdgeId), CallString>,
}

impl CallStrings {
    /// One more call waits.
    pub(crate) fn push(&mut self, below: CallString, call: EdgeId) -> CallString {
        let parts = &mut self.parts;
        *self.known.entry((below, call)).or_insert_with(|| {
            parts.push((below, call));
            CallString(parts.len() as u32)
        })
    }

    /// The string below the call that waits on top, and that call; nothing if none waits.
    pub(crate) fn pop(&self, string: CallString) -> Option<(CallString, EdgeId)> {
        let number = (string.0 as usize).checked_sub(1)?;
        Some(self.parts[number])
    }

    /// How many strings there are, the empty one included.
    pub(crate) fn count(&self) -> usize {
        self.parts.len() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_are_one_and_pops_undo_pushes() {
        let mut strings = CallStrings::default();
        let one = strings.push(CallString::EMPTY, EdgeId(7));
        let two = strings.push(one, EdgeId(7));
        assert_ne!(one, two);
        assert_eq!(strings.push(CallString::EMPTY, EdgeId(7)), one);
        assert_eq!(strings.pop(two), Some((one, EdgeId(7))));
        assert_eq!(strings.pop(one), Some((CallString::EMPTY, EdgeId(7))));
        assert_eq!(strings.pop(CallString::EMPTY), None);
        assert_eq!(strings.count(), 3);
    }
}
