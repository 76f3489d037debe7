//! Steps and returns that need no undetermined bit, on the words of their states as they are.
//!
//! Nothing is opened and nothing is split: a step copies the words, writes what it assigns and
//! masks what is dead. Most steps of most programs are of this kind.

use super::{Moves, Sealed, header};
use crate::encoding::code::Effect;
use hardbop_machine::EdgeId;

impl Moves<'_> {
    /// Takes an edge that asks for no choice and no undetermined bit, on the words of its state as
    /// they are, and seals the state after it; nothing if this edge and state are not so simple.
    pub(crate) fn fire_known(&mut self, from: Sealed<'_>, edge: EdgeId) -> Option<bool> {
        let code = self.statics.program.edge(edge);
        let Effect::Move { writes, constrain } = &code.effect else {
            return None;
        };
        let all = from.of.shape(&self.statics).all_words();
        if code.asks_inputs {
            return None;
        }
        let (now, unknown) = from.variables().split_at(all);
        if unknown.iter().zip(&code.reads).any(|(u, r)| u & r != 0) {
            return None;
        }
        // What is said of undetermined bits at the end stays true if all of them stay: otherwise
        // the first bit of a class might go, and another would have to take its place.
        if unknown.len() > all {
            let to = self.statics.machine.edge(edge).to;
            let live = self.statics.layouts.live(from.of.procedure, to);
            if unknown.iter().zip(live).any(|(u, l)| u & !l != 0)
                || writes.iter().any(|(place, _)| place.read(unknown) != 0)
            {
                return None;
            }
        }
        let (program, stack) = (self.statics.program, &mut self.stack);
        if let Some(guard) = &code.guard
            && program.eval(guard, now, now, stack) == 0
        {
            return Some(false);
        }
        let to = self.statics.machine.edge(edge).to;
        let words = &mut self.sealer.words;
        words.clear();
        words.push(header(from.root(), to));
        words.extend_from_slice(from.variables());
        for (place, value) in writes {
            let value = program.eval(value, now, now, stack);
            place.write(&mut words[1..], value);
        }
        if let Some(constrain) = constrain
            && program.eval(constrain, now, &words[1..], stack) == 0
        {
            return Some(false);
        }
        let live = self.statics.layouts.live(from.of.procedure, to);
        let (values, unknown) = words[1..].split_at_mut(all);
        keep_live(values, live);
        if unknown.len() == all {
            for (place, _) in writes {
                place.write(unknown, 0);
            }
            keep_live(unknown, live);
            if unknown.iter().all(|&word| word == 0) {
                words.truncate(all + 1);
            }
        }
        Some(true)
    }

    /// A return between states without undetermined bits, on their words as they are; whether it is
    /// so simple.
    pub(crate) fn return_known(
        &mut self,
        from: Sealed<'_>,
        edge: EdgeId,
        exit: Sealed<'_>,
    ) -> bool {
        let (caller, callee) = (from.variables(), exit.variables());
        let all = from.of.shape(&self.statics).all_words();
        let exit_words = exit.of.shape(&self.statics).words;
        if caller.len() != all || callee.len() != exit_words || !exit.of.homes.is_empty() {
            return false;
        }
        let Effect::Call { targets, .. } = &self.statics.program.edge(edge).effect else {
            return false;
        };
        let to = self.statics.machine.edge(edge).to;
        let words = &mut self.sealer.words;
        words.clear();
        words.push(header(from.root(), to));
        words.extend_from_slice(caller);
        let here = self.statics.layouts.of(from.of.procedure);
        let there = self.statics.layouts.of(exit.of.procedure);
        for (to, result) in here.shared_with(there).chain(targets.iter().copied()) {
            to.write(&mut words[1..], result.read(callee));
        }
        let live = self.statics.layouts.live(from.of.procedure, to);
        keep_live(&mut words[1..], live);
        true
    }
}

/// Clears the bits of dead variables; what follows the variables stays.
fn keep_live(words: &mut [u64], live: &[u64]) {
    for (word, live) in words.iter_mut().zip(live) {
        *word &= live;
    }
}
