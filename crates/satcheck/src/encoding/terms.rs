//! Function terms, the instances of procedures that they belong to, and the graph between them.
//!
//! A function term ⟨b, u⟩ (section 3) is a block head with a BDD for each argument. Here it has a
//! third part: the *instance* of the procedure that it belongs to, which is the procedure with the
//! arguments that it was entered with. The paper inlines calls, so that each call string has its
//! own copy of the callee. An instance is shared by all calls that enter the procedure with the
//! same arguments: what happens between entry and exit does not depend on who waits for the return.
//!
//! A [`Hop`] is one disjunct of the right-hand side of a term's equation.

use hardbop_bdd::Bdd;
use hardbop_machine::{EdgeId, NodeId, ProcId};
use std::collections::HashMap;

/// A function term: an index into [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TermId(pub u32);

/// An instance of a procedure: an index into [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct InstanceId(pub u32);

impl TermId {
    /// As an index into a table, one entry per term.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl InstanceId {
    /// As an index into a table, one entry per instance.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The values of a block's arguments; nothing for one that is arbitrary.
pub(crate) type Values = Box<[Option<Bdd>]>;

/// A function term.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// The instance it belongs to.
    pub(crate) instance: InstanceId,
    /// The block head.
    pub(crate) node: NodeId,
    /// The values of the block's arguments.
    pub(crate) values: Values,
    /// What can happen next; complete once the term is expanded, but for returns.
    pub(crate) hops: Vec<Hop>,
    /// Whether it has been expanded.
    pub(crate) expanded: bool,
}

/// What a hop does besides its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HopKind {
    /// Goes along a chain of edges.
    Step,
    /// Enters an instance; leads to its entry.
    Call(InstanceId),
    /// Calls an instance and comes back from this exit of it.
    Return(TermId),
}

/// One way on from a function term.
#[derive(Clone, Debug)]
pub(crate) struct Hop {
    /// The first edge.
    pub(crate) edge: EdgeId,
    /// What it does.
    pub(crate) kind: HopKind,
    /// Where it can be taken, over symbols.
    pub(crate) condition: Bdd,
    /// Where it leads.
    pub(crate) to: TermId,
    /// Choices that are symbols, by their number on the chain.
    pub(crate) choices: Vec<(u32, u32)>,
}

/// An instance of a procedure.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// The procedure.
    pub(crate) procedure: ProcId,
    /// The term at its entry.
    pub(crate) entry: TermId,
    /// Terms at its exit found so far.
    pub(crate) exits: Vec<TermId>,
    /// Terms that call it, with the number of the hop.
    pub(crate) callers: Vec<(TermId, u32)>,
    /// How many calls within a component of the call graph lead to it, at least.
    pub(crate) depth: u32,
}

/// All terms and instances.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    table: Vec<Term>,
    instances: Vec<Instance>,
    by_parts: HashMap<(InstanceId, NodeId, Values), TermId>,
    by_entry: HashMap<(ProcId, Values), InstanceId>,
}

impl Terms {
    /// A term.
    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.table[id.index()]
    }

    /// A term, to be changed.
    pub(crate) fn get_mut(&mut self, id: TermId) -> &mut Term {
        &mut self.table[id.index()]
    }

    /// How many terms there are.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// All terms.
    pub(crate) fn ids(&self) -> impl Iterator<Item = TermId> + use<> {
        (0..self.table.len() as u32).map(TermId)
    }

    /// How many instances there are.
    pub(crate) fn instance_count(&self) -> usize {
        self.instances.len()
    }

    /// An instance.
    pub(crate) fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id.index()]
    }

    /// An instance, to be changed.
    pub(crate) fn instance_mut(&mut self, id: InstanceId) -> &mut Instance {
        &mut self.instances[id.index()]
    }

    /// The term with these parts, and whether it is new.
    pub(crate) fn term(
        &mut self,
        instance: InstanceId,
        node: NodeId,
        values: Values,
    ) -> (TermId, bool) {
        let next = TermId(self.table.len() as u32);
        let key = (instance, node, values);
        if let Some(&known) = self.by_parts.get(&key) {
            return (known, false);
        }
        self.table.push(Term {
            instance,
            node,
            values: key.2.clone(),
            hops: Vec::new(),
            expanded: false,
        });
        self.by_parts.insert(key, next);
        (next, true)
    }

    /// The instance of a procedure with these values at its entry, and whether it is new.
    pub(crate) fn enter(
        &mut self,
        procedure: ProcId,
        entry: NodeId,
        values: Values,
        depth: u32,
    ) -> (InstanceId, bool) {
        let key = (procedure, values);
        if let Some(&known) = self.by_entry.get(&key) {
            let instance = &mut self.instances[known.index()];
            instance.depth = instance.depth.min(depth);
            return (known, false);
        }
        let id = InstanceId(self.instances.len() as u32);
        self.instances.push(Instance {
            procedure,
            entry: TermId(self.table.len() as u32),
            exits: Vec::new(),
            callers: Vec::new(),
            depth,
        });
        self.term(id, entry, key.1.clone());
        self.by_entry.insert(key, id);
        (id, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(values: &[bool]) -> Values {
        values.iter().map(|&v| Some(Bdd::constant(v))).collect()
    }

    #[test]
    fn a_term_is_its_instance_node_and_values() {
        let mut terms = Terms::default();
        let (first, _) = terms.enter(ProcId(0), NodeId(0), values(&[]), 0);
        let (second, _) = terms.enter(ProcId(1), NodeId(7), values(&[]), 0);
        let known = terms.term(first, NodeId(3), values(&[true, false]));
        assert!(known.1);
        let again = terms.term(first, NodeId(3), values(&[true, false]));
        assert_eq!(again, (known.0, false));
        let others = [
            terms.term(second, NodeId(3), values(&[true, false])),
            terms.term(first, NodeId(4), values(&[true, false])),
            terms.term(first, NodeId(3), values(&[true, true])),
            terms.term(first, NodeId(3), [Some(Bdd::TRUE), None].into()),
        ];
        for (number, other) in others.into_iter().enumerate() {
            assert!(other.1 && other.0 != known.0, "{number}");
        }
        assert_eq!(terms.len(), 7);
    }

    #[test]
    fn calls_with_equal_arguments_share_an_instance_at_the_smallest_depth() {
        let mut terms = Terms::default();
        let deep = terms.enter(ProcId(1), NodeId(5), values(&[true]), 3);
        let shallow = terms.enter(ProcId(1), NodeId(5), values(&[true]), 1);
        assert_eq!(shallow, (deep.0, false));
        assert_eq!(terms.instance(deep.0).depth, 1);
        terms.enter(ProcId(1), NodeId(5), values(&[true]), 2);
        assert_eq!(terms.instance(deep.0).depth, 1);
        let other = terms.enter(ProcId(1), NodeId(5), values(&[false]), 1);
        assert!(other.1);
        let entry = terms.get(terms.instance(other.0).entry);
        assert_eq!((entry.instance, entry.node), (other.0, NodeId(5)));
    }
}
