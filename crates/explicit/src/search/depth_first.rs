//! Depth-first search (VERA, Figure 2) with a stack of its own.
//!
//! Successors are made one at a time, so a step that splits an integer into 2^64 cases costs
//! nothing until they are looked at, and the search stops as soon as every target has been seen. A
//! state leaves the stack with its last successor, not after it: a straight run of a million steps
//! needs no stack.

use crate::encoding::step::Decision;
use crate::encoding::table::reserve;
use crate::search::exploration::{Advance, Cursor, Exploration, Starts, StateId};
use crate::search::watch::{Stopped, Watch};

/// Searches until the watch is content or everything has been seen.
pub(crate) fn depth_first(
    exploration: &mut Exploration<'_>,
    watch: &mut Watch<'_>,
) -> Result<(), Stopped> {
    let mut starts = Starts::default();
    while let Some(state) = exploration.next_start(&mut starts)? {
        watch.meet(exploration, state)?;
        search_from(exploration, watch, state)?;
    }
    Ok(())
}

fn search_from(
    exploration: &mut Exploration<'_>,
    watch: &mut Watch<'_>,
    start: StateId,
) -> Result<(), Stopped> {
    let mut decisions: Vec<Decision> = Vec::new();
    let mut path = vec![exploration.cursor(start, &decisions, false)];
    while let Some(cursor) = path.last_mut() {
        match exploration.advance(cursor, &mut decisions)? {
            Advance::Successor(successor) => {
                let is_spent = cursor.is_spent();
                watch.tick(exploration, path.capacity() * size_of::<Cursor>())?;
                if is_spent {
                    path.pop();
                }
                if successor.is_new {
                    watch.meet(exploration, successor.state)?;
                    reserve(&mut path, 1);
                    path.push(exploration.cursor(successor.state, &decisions, false));
                }
            }
            Advance::Pending => watch.look(exploration, path.capacity() * size_of::<Cursor>())?,
            Advance::Done => {
                path.pop();
            }
        }
    }
    Ok(())
}
