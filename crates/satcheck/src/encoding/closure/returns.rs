//! Calls that come back: what holds after a call, and where symbols of the callee arrive.

use super::{Closure, News};
use crate::encoding::blocks::Argument;
use crate::encoding::evaluate::Trouble;
use crate::encoding::terms::{HopKind, TermId};
use hardbop_bdd::Bdd;
use hardbop_machine::{EdgeId, NodeId, Variable};
use std::collections::BTreeSet;

impl Closure<'_, '_> {
    /// Adds the hops of a call that returns from an exit.
    pub(super) fn come_back(
        &mut self,
        caller: TermId,
        call: u32,
        exit: TermId,
    ) -> Result<(), Trouble> {
        let call = self.terms.get(caller).hops[call as usize].clone();
        let machine = self.blocks.machine;
        let to = machine.edge(call.edge).to;
        if self.blocks.is_behind(to) {
            return Ok(());
        }
        let instance = self.terms.get(caller).instance;
        let mut values = self.values_after(caller, call.edge, exit);
        self.note_arrivals(caller, &values, machine.edge(call.edge).from);
        let choices = self.choices(caller, call.edge, Some(&call.choices));
        // A result that the callee does not track is arbitrary, but the same whenever its target is
        // read.
        let edge = self.evaluator.edge(call.edge);
        let is_result = |argument: &Argument| {
            let mut results = edge.results.iter();
            results.any(|r| r.target == argument.variable && r.bit == argument.bit)
        };
        let unknown = self.blocks.arguments(to).iter().zip(&mut values);
        let unknown = unknown.filter(|(argument, value)| value.is_none() && is_result(argument));
        for (number, (_, value)) in (choices.next_hidden..).zip(unknown) {
            *value = Some(self.manager.variable(number)?);
        }
        let successors = self.successors(instance, to, None, call.condition, values, &choices)?;
        for (condition, values) in successors {
            let to = self.make(instance, to, values);
            let kind = HopKind::Return(exit);
            let hop = self.add_hop(caller, call.edge, kind, condition, to, &call.choices);
            if self.terms.get(caller).expanded {
                self.news.push(News::Returned(caller, hop));
            }
        }
        Ok(())
    }

    /// The arguments after a call: locals of the caller, globals and results of the exit.
    fn values_after(&mut self, caller: TermId, edge: EdgeId, exit: TermId) -> Vec<Option<Bdd>> {
        let to = self.blocks.machine.edge(edge).to;
        let before = self.frame(caller);
        let after = self.frame(exit);
        let callee = self.terms.instance(self.terms.get(exit).instance).procedure;
        let results = &self.evaluator.edge(edge).results;
        let arguments = self.blocks.arguments(to).iter();
        let values = arguments.map(|argument| {
            let result = results
                .iter()
                .find(|r| r.target == argument.variable && r.bit == argument.bit);
            match (result, argument.variable) {
                (Some(result), _) => {
                    let bits = self
                        .blocks
                        .layout
                        .bits_of(callee, Variable::Local(result.result));
                    after[(bits.start + u32::from(result.bit)) as usize]
                }
                (None, Variable::Global(id)) if self.blocks.concerns(callee, id) => {
                    after[argument.slot as usize]
                }
                (None, _) => before[argument.slot as usize],
            }
        });
        values.collect()
    }

    /// Notes where symbols came into the caller's instance that its term did not know.
    fn note_arrivals(&mut self, caller: TermId, values: &[Option<Bdd>], node: NodeId) {
        let instance = self.terms.get(caller).instance;
        let known = &self.terms.get(caller).values;
        let new = values
            .iter()
            .flatten()
            .filter(|value| !value.is_constant() && !known.contains(&Some(**value)));
        let mut arrived: BTreeSet<u32> = BTreeSet::new();
        for &value in new {
            arrived.extend(self.manager.support(value));
        }
        if arrived.is_empty() {
            return;
        }
        for &value in known.iter().flatten() {
            for variable in self.manager.support(value) {
                arrived.remove(&variable);
            }
        }
        let position = self.blocks.machine.node_order().position(node);
        for variable in arrived {
            if self.symbols.origin(variable).is_some() {
                let noted = self
                    .arrivals
                    .entry((instance, variable))
                    .or_insert(position);
                *noted = position.max(*noted);
            }
        }
    }
}
