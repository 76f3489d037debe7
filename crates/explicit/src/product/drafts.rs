//! A procedure of the product while it is being made: edges between named places, put in order at the end.

use super::{Origin, Product};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Edge, EdgeId, Machine, Node, NodeId, ProcId, Procedure};
use hardbop_syntax::Span;
use std::collections::BTreeMap;

/// A place of a procedure of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// A node of the program, its state read.
    At(NodeId),
    /// A node at which a call or a return has just arrived, its state not read yet.
    Before(NodeId),
    /// The run has ended in this node.
    Ended(NodeId),
    /// Before everything.
    Start,
    /// A target state of the automaton has been entered.
    Target,
    /// The end of the procedure.
    Exit,
}

impl Spot {
    /// The text that a place stands for.
    pub fn span(self, original: &Machine) -> Span {
        match self {
            Spot::At(node) | Spot::Before(node) | Spot::Ended(node) => original.node(node).span,
            Spot::Start | Spot::Target | Spot::Exit => Span::new(0, 0),
        }
    }
}

/// Where an edge leads, the edge, and what it is in the program.
type DraftEdge = (Spot, Edge, Origin);

/// A procedure that is being made.
#[derive(Default)]
pub struct Draft {
    numbers: BTreeMap<Spot, usize>,
    /// In order of their numbers.
    spots: Vec<(Spot, Vec<DraftEdge>)>,
}

impl Draft {
    /// Makes sure that a place is there; whether it is new.
    pub fn place(&mut self, spot: Spot) -> bool {
        let next = self.spots.len();
        let number = *self.numbers.entry(spot).or_insert(next);
        if number == next {
            self.spots.push((spot, Vec::new()));
        }
        number == next
    }

    /// Adds an edge; its ends are set by [`Draft::finish`].
    pub fn add(&mut self, from: Spot, to: Spot, edge: Edge, origin: Origin) {
        self.place(from);
        if to != Spot::Exit {
            self.place(to);
        }
        let number = self.numbers[&from];
        self.spots[number].1.push((to, edge, origin));
    }

    /// Appends the procedure to the product.
    pub fn finish(mut self, original: &Machine, id: ProcId, entry: Spot, product: &mut Product) {
        // An entry that no step leaves is there all the same, and the exit comes last.
        if entry != Spot::Exit {
            self.place(entry);
        }
        self.place(Spot::Exit);
        let machine = &mut product.machine;
        let procedure = ProcId::new(machine.procedures.len());
        let first_node = machine.nodes.len() as u32;
        let first_edge = machine.edges.len() as u32;
        let numbers = &self.numbers;
        let node_of = |spot: Spot| NodeId(first_node + numbers[&spot] as u32);
        for (spot, edges) in self.spots {
            let start = machine.edges.len() as u32;
            for (to, edge, origin) in edges {
                machine.edges.push(Edge {
                    from: node_of(spot),
                    to: node_of(to),
                    ..edge
                });
                product.origins.push(origin);
            }
            if spot == Spot::Target {
                product.targets.push(node_of(spot));
            }
            machine.nodes.push(Node {
                procedure,
                edges: start..machine.edges.len() as u32,
                kind: if spot == Spot::Exit {
                    NodeKind::Exit
                } else {
                    NodeKind::Internal
                },
                span: spot.span(original),
            });
        }
        debug_assert_eq!(
            product.origins.len(),
            EdgeId::new(machine.edges.len()).index()
        );
        let declared = original.procedure(id);
        machine.procedures.push(Procedure {
            name: declared.name.clone(),
            locals: declared.locals.clone(),
            parameter_count: declared.parameter_count,
            result_count: declared.result_count,
            entry: node_of(entry),
            exit: node_of(Spot::Exit),
            nodes: first_node..machine.nodes.len() as u32,
            edges: first_edge..machine.edges.len() as u32,
            span: declared.span,
        });
        product.procedures.push(id);
    }
}
