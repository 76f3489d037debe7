//! Calls and exits: the owner of a root pairs each call of it with each of its exits, once.

use super::Worker;
use crate::encoding::moves::{Sealed, root_of};
use crate::encoding::table::hash;
use crate::search::exploration::{Derivation, Full};
use crate::search::parallel::directory::Listing;
use crate::search::parallel::mail::{Call, ExitCopy, WaitingCall};

/// A root that belongs to this worker.
pub(crate) struct OwnRoot {
    /// The words of its first state.
    pub(crate) first: Box<[u64]>,
    callers: Vec<WaitingCall>,
    exits: Vec<ExitCopy>,
}

impl Worker<'_, '_> {
    /// Hands a call of the entry that was sealed last to the owner of its root.
    pub(super) fn post_call(&mut self, caller: Option<WaitingCall>) -> Result<(), Full> {
        let key = self.moves.words();
        let owner = self.owner(hash(key));
        let call = Call {
            key: key.into(),
            caller,
        };
        if owner == self.number {
            return self.enter(call);
        }
        self.outgoing[owner].calls.push(call);
        Ok(())
    }

    /// Hands an exit to the owner of its root.
    pub(super) fn post_exit(&mut self, state: u32, root: u32) -> Result<(), Full> {
        self.look_up(root);
        let exit = ExitCopy {
            state: self.id(state)?,
            words: self.states.get(state).into(),
        };
        let owner = self.directory[root as usize].owner;
        if owner == self.number {
            return self.exit(exit);
        }
        self.outgoing[owner].exits.push(exit);
        Ok(())
    }

    /// A root of this worker is called: the caller goes on from all exits that are known, and will
    /// from those to come.
    pub(super) fn enter(&mut self, call: Call) -> Result<(), Full> {
        let (index, is_new) = self.keys.insert(&call.key).ok_or(Full)?;
        let index = index as usize;
        if is_new {
            let procedure = self.moves.open_entry(&call.key);
            let (moves, owner) = (&mut self.moves, self.number);
            self.shared.directory.add(|number| Listing {
                invocation: moves.seal_first(number, procedure),
                owner,
                index,
            });
            self.roots.push(OwnRoot {
                first: self.moves.words().into(),
                callers: Vec::new(),
                exits: Vec::new(),
            });
            let start = || Derivation::START;
            let derivation = call.caller.as_ref();
            let derivation = derivation.map_or_else(start, |c| Derivation::edge(c.from, c.edge));
            self.route(derivation)?;
        }
        let Some(caller) = call.caller else {
            return Ok(());
        };
        self.copied += (caller.words.len() + caller.decisions.len()) * size_of::<u64>();
        self.copied += size_of::<WaitingCall>();
        let exits = std::mem::take(&mut self.roots[index].exits);
        let mut exits_so_far = exits.iter();
        let returned = exits_so_far.try_for_each(|exit| self.return_to(&caller, exit));
        self.roots[index].exits = exits;
        self.roots[index].callers.push(caller);
        returned
    }

    /// A root of this worker has a new exit: all callers that are known go on.
    pub(super) fn exit(&mut self, exit: ExitCopy) -> Result<(), Full> {
        let root = root_of(&exit.words);
        self.look_up(root);
        let index = self.directory[root as usize].index;
        self.summaries += 1;
        self.copied += exit.words.len() * size_of::<u64>() + size_of::<ExitCopy>();
        let callers = std::mem::take(&mut self.roots[index].callers);
        let mut callers_so_far = callers.iter();
        let returned = callers_so_far.try_for_each(|caller| self.return_to(caller, &exit));
        self.roots[index].callers = callers;
        self.roots[index].exits.push(exit);
        returned
    }

    /// A call returns from an exit.
    fn return_to(&mut self, caller: &WaitingCall, exit: &ExitCopy) -> Result<(), Full> {
        self.look_up(root_of(&caller.words));
        self.look_up(root_of(&exit.words));
        let sealed = |words| Sealed {
            words,
            of: &self.directory[root_of(words) as usize].invocation,
        };
        let (from, callee) = (sealed(&caller.words), sealed(&exit.words));
        if !self.moves.return_known(from, caller.edge, callee) {
            self.moves.fire(from, caller.edge, &caller.decisions);
            self.moves.return_from(from, caller.edge, callee);
        }
        self.tick();
        self.route(Derivation::exit(caller.from, exit.state))
    }
}
