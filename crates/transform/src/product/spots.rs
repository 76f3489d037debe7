//! A procedure of the product while it is being made: edges between places with a meaning.

use crate::draft::{DraftEdge, DraftProcedure, Place};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Machine, NodeId, ProcId};
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

/// A procedure that is being made.
pub struct Spots<'m> {
    original: &'m Machine,
    places: BTreeMap<Spot, Place>,
    procedure: DraftProcedure,
}

impl<'m> Spots<'m> {
    /// A procedure of the product that has only an exit.
    pub fn new(original: &'m Machine, id: ProcId) -> Self {
        let procedure = DraftProcedure::with_interface_of(original, id);
        Self {
            original,
            places: BTreeMap::from([(Spot::Exit, procedure.exit)]),
            procedure,
        }
    }

    /// Whether there is such a place yet.
    pub fn has(&self, spot: Spot) -> bool {
        self.places.contains_key(&spot)
    }

    /// The place, made if it is not there.
    pub fn place(&mut self, spot: Spot) -> Place {
        let procedure = &mut self.procedure;
        let span = spot.span(self.original);
        *self.places.entry(spot).or_insert_with(|| {
            let place = procedure.node(span);
            if spot == Spot::Target {
                // A certificate names it, as it names statements of a program.
                procedure.nodes[place].kind = NodeKind::Statement;
            }
            place
        })
    }

    /// Adds an edge.
    pub fn add(&mut self, edge: DraftEdge) {
        self.procedure.edges.push(edge);
    }

    /// The procedure, and where in it a target state has been entered.
    pub fn finish(mut self, entry: Spot) -> (DraftProcedure, Option<Place>) {
        self.procedure.entry = self.place(entry);
        (self.procedure, self.places.get(&Spot::Target).copied())
    }
}
