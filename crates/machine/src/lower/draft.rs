//! One procedure while it is built: nodes are numbered as they come up, jumps go to names.
//!
//! [`Draft::place`] resolves the jumps, renumbers the nodes in order of the text and adds all of
//! it to what has been [`Placed`]. The buffers are kept for the next procedure.

use crate::ids::{NodeId, ProcId};
use crate::ir::{Action, Assertion, Edge, Label, Node, NodeKind, ThreadStart};
use hardbop_syntax::ast::Symbol;
use hardbop_syntax::{Span, shown_name};
use std::collections::HashMap;
use std::ops::Range;

/// A procedure that is being built. Its node ids are its own.
#[derive(Default)]
pub(super) struct Draft {
    nodes: Vec<(NodeKind, Span)>,
    edges: Vec<Edge>,
    labels: HashMap<Symbol, (Span, NodeId)>,
    label_places: Vec<Label>,
    jumps: Vec<(usize, Symbol)>,
    assertions: Vec<Assertion>,
}

/// What will be the machine's, procedure by procedure.
#[derive(Default)]
pub(super) struct Placed {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub labels: Vec<Label>,
    pub assertions: Vec<Assertion>,
}

/// How many statements have been read, and how many there are.
#[derive(Clone, Copy)]
pub(super) struct Progress {
    pub read: usize,
    pub all: usize,
}

/// Where a procedure came to lie.
pub(super) struct Place {
    pub entry: NodeId,
    pub exit: NodeId,
    pub nodes: Range<u32>,
    pub edges: Range<u32>,
}

/// The exit of the procedure being built.
pub(super) const EXIT: NodeId = NodeId(0);

impl Draft {
    /// Starts over with an exit.
    pub fn begin(&mut self, end: Span) {
        self.nodes.clear();
        self.nodes.push((NodeKind::Exit, end));
        self.edges.clear();
        self.labels = HashMap::new();
        self.label_places.clear();
        self.jumps.clear();
        self.assertions.clear();
    }

    /// A new node.
    pub fn node(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let id = NodeId::new(self.nodes.len());
        self.nodes.push((kind, span));
        id
    }

    /// The place of a node.
    pub fn span(&self, node: NodeId) -> Span {
        self.nodes[node.index()].1
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The edges from a number on.
    pub fn edges_since(&mut self, first: usize) -> &mut [Edge] {
        &mut self.edges[first..]
    }

    /// A new edge.
    pub fn edge(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    /// Names a node.
    pub fn label(&mut self, symbol: Symbol, name: &str, node: NodeId, span: Span) {
        // Jumps lead to the first of several places.
        let first = self.labels.entry(symbol).or_insert((span, node));
        *first = (*first).min((span, node));
        let name = shown_name(name).into_owned();
        let before = self.label_places.iter().rev();
        if (before.take_while(|label| label.node == node)).any(|label| label.name == name) {
            return;
        }
        self.label_places.push(Label { name, node, span });
    }

    /// Makes the last edge lead to a label, or start its thread there.
    pub(crate) fn jump_to(&mut self, label: Symbol) {
        self.jumps.push((self.edges.len() - 1, label));
    }

    /// Records an assertion.
    pub fn assertion(&mut self, assertion: Assertion) {
        self.assertions.push(assertion);
    }

    /// Whether any edge leads to a node.
    fn is_used(&self, node: NodeId) -> bool {
        self.edges.iter().any(|edge| edge.to == node)
    }

    fn resolve_jumps(&mut self) {
        for &(edge, label) in &self.jumps {
            let (_, target) = self.labels[&label];
            let edge = &mut self.edges[edge];
            match &mut edge.action {
                Action::StartThread(ThreadStart::Node(start)) => *start = target,
                _ => edge.to = target,
            }
        }
    }

    /// The nodes in order of the text: a failure or an inner step right after its statement, the
    /// exit last. A step at the closing `end` that nothing leads to is left out.
    fn order(&self, entry: NodeId) -> Vec<NodeId> {
        let end = self.span(EXIT);
        let is_kept = |&id: &NodeId| {
            let (kind, span) = self.nodes[id.index()];
            kind != NodeKind::Internal || span != end || id == entry || self.is_used(id)
        };
        let others = (1..self.nodes.len()).map(NodeId::new);
        let mut order: Vec<NodeId> = others.filter(is_kept).collect();
        order.sort_by_key(|&id| {
            let (kind, span) = self.nodes[id.index()];
            (span.start, kind != NodeKind::Statement)
        });
        order.push(EXIT);
        order
    }

    /// Adds the procedure to those that have been placed.
    pub fn place(
        &mut self,
        procedure: ProcId,
        entry: NodeId,
        progress: Progress,
        placed: &mut Placed,
    ) -> Place {
        self.resolve_jumps();
        let order = self.order(entry);
        make_room(&mut placed.nodes, order.len(), progress);
        make_room(&mut placed.edges, self.edges.len(), progress);
        let first_node = placed.nodes.len() as u32;
        let mut renumbered = vec![NodeId(u32::MAX); self.nodes.len()];
        for (&old, new) in order.iter().zip(first_node..) {
            renumbered[old.index()] = NodeId(new);
        }
        let new_id = |old: NodeId| renumbered[old.index()];

        // An edge out of a node that was left out has nowhere to start.
        self.edges.retain(|edge| new_id(edge.from).0 != u32::MAX);
        for edge in &mut self.edges {
            edge.from = new_id(edge.from);
            edge.to = new_id(edge.to);
            if let Action::StartThread(ThreadStart::Node(start)) = &mut edge.action {
                *start = new_id(*start);
            }
        }
        self.edges.sort_by_key(|edge| edge.from);

        let first_edge = placed.edges.len() as u32;
        let mut next = 0;
        for (&old, new) in order.iter().zip(first_node..) {
            let begin = next;
            let is_from_here = |edge: &Edge| edge.from == NodeId(new);
            while self.edges.get(next).is_some_and(is_from_here) {
                next += 1;
            }
            let (kind, span) = self.nodes[old.index()];
            placed.nodes.push(Node {
                procedure,
                edges: first_edge + begin as u32..first_edge + next as u32,
                kind,
                span,
            });
        }
        placed.edges.append(&mut self.edges);

        self.label_places
            .sort_by_key(|label| (new_id(label.node), label.span));
        placed
            .labels
            .extend(self.label_places.drain(..).map(|label| Label {
                node: renumbered[label.node.index()],
                ..label
            }));
        // The initial values of locals come up after the body.
        self.assertions
            .sort_by_key(|assertion| assertion.span.start);
        placed
            .assertions
            .extend(self.assertions.drain(..).map(|assertion| Assertion {
                node: renumbered[assertion.node.index()],
                failure: renumbered[assertion.failure.index()],
                ..assertion
            }));
        Place {
            entry: renumbered[entry.index()],
            exit: renumbered[EXIT.index()],
            nodes: first_node..placed.nodes.len() as u32,
            edges: first_edge..placed.edges.len() as u32,
        }
    }
}

/// More room than this many times what is needed now is not made at once.
const MOST_ROOM: usize = 64;

/// Makes room for some more items, and for all that the statements to come will need if they are
/// like those that have been read. So a long list is hardly ever copied while it grows. Room that
/// is not used in the end has never been touched.
fn make_room<T>(items: &mut Vec<T>, more: usize, progress: Progress) {
    let needed = items.len() + more;
    if needed > items.capacity() {
        let all = needed * progress.all / progress.read.max(1);
        let room = (all + all / 16).clamp(needed, MOST_ROOM * needed);
        items.reserve_exact(room - items.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often a list is copied that gets so many items for each of some statements.
    fn copies(counts: &[usize]) -> usize {
        let (mut items, mut copies) = (Vec::new(), 0);
        for (at, &count) in counts.iter().enumerate() {
            let before = items.capacity();
            let progress = Progress {
                read: at + 1,
                all: counts.len(),
            };
            make_room(&mut items, count, progress);
            copies += usize::from(before != items.capacity() && at > 0);
            items.extend(std::iter::repeat_n((), count).map(|()| at));
        }
        copies
    }

    #[test]
    fn a_long_list_is_seldom_copied_while_it_grows() {
        assert_eq!(copies(&[3; 60]), 0);
        assert!(copies(&vec![3; 100_000]) <= 2);
        let uneven: Vec<usize> = (0..100_000).map(|at| at % 7).collect();
        assert!(copies(&uneven) <= 4);
        let growing: Vec<usize> = (0..1000).collect();
        assert!(copies(&growing) <= 40);
    }

    #[test]
    fn one_statement_that_needs_much_does_not_speak_for_all() {
        let mut items: Vec<u8> = Vec::new();
        let progress = Progress {
            read: 1,
            all: 1_000_000,
        };
        make_room(&mut items, 1000, progress);
        assert_eq!(items.capacity(), MOST_ROOM * 1000);
    }
}
