//! Formulas of edges as BDDs.

use crate::encoding::space::{Copy, Space};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::analysis::Slice;
use hardbop_machine::bits::{BitEdge, BitGraph, BitId, BitNode};
use hardbop_machine::{EdgeId, ProcId, Variable};
use hardbop_symbolic::Encoder;
use std::collections::HashMap;

/// Turns the formulas of one edge into BDDs. A variable that is not relevant is read only where no
/// target can be reached any more; there it is a choice of the edge.
pub(crate) struct EdgeEncoder<'e> {
    /// Where variables live.
    pub(crate) space: &'e Space,
    /// The procedure of the edge.
    pub(crate) procedure: ProcId,
    /// Which variables are relevant.
    pub(crate) slice: &'e Slice,
    /// The edge, and its formulas.
    pub(crate) id: EdgeId,
    pub(crate) edge: &'e BitEdge,
    /// Relevant bits that the edge assigns: only these have another value afterwards.
    pub(crate) assigned: &'e dyn Fn(Variable) -> bool,
    /// Choices made for irrelevant variables so far, after those of the edge itself.
    hidden: HashMap<(Variable, u8, bool), u32>,
    encoder: Encoder,
}

impl<'e> EdgeEncoder<'e> {
    /// An encoder for one edge.
    pub(crate) fn new(
        space: &'e Space,
        procedure: ProcId,
        slice: &'e Slice,
        (id, edge): (EdgeId, &'e BitEdge),
        assigned: &'e dyn Fn(Variable) -> bool,
    ) -> Self {
        Self {
            space,
            procedure,
            slice,
            id,
            edge,
            assigned,
            hidden: HashMap::new(),
            encoder: Encoder::default(),
        }
    }

    /// The BDD of a formula.
    pub(crate) fn encode(
        &mut self,
        manager: &mut Manager<'_>,
        graph: &BitGraph,
        root: BitId,
    ) -> Result<Bdd, Exhausted> {
        // The encoder asks for leaves while this one remembers what it has hidden.
        let mut encoder = std::mem::take(&mut self.encoder);
        let result = encoder.encode(manager, graph, root, |leaf| match leaf {
            BitNode::Var(variable, bit) => self.before(variable, bit),
            BitNode::Next(variable, bit) => self.after(variable, bit),
            BitNode::Input(input, bit) => {
                let number = self.edge.input_index(input, bit);
                self.space.choice(self.id, number)
            }
            _ => unreachable!("only leaves that are not constants are asked for"),
        });
        self.encoder = encoder;
        result
    }

    fn before(&mut self, variable: Variable, bit: u8) -> u32 {
        if self.slice.relevant(self.procedure, variable) {
            let slot = self.space.slot(self.procedure, variable, bit);
            self.space.variable(slot, Copy::Now)
        } else {
            self.hidden_choice(variable, bit, false)
        }
    }

    fn after(&mut self, variable: Variable, bit: u8) -> u32 {
        if !(self.assigned)(variable) {
            return self.before(variable, bit);
        }
        if self.slice.relevant(self.procedure, variable) {
            let slot = self.space.slot(self.procedure, variable, bit);
            self.space.variable(slot, Copy::Next)
        } else {
            self.hidden_choice(variable, bit, true)
        }
    }

    fn hidden_choice(&mut self, variable: Variable, bit: u8, after: bool) -> u32 {
        let next = self.edge.input_bits() + self.hidden.len() as u32;
        let number = *self.hidden.entry((variable, bit, after)).or_insert(next);
        self.space.choice(self.id, number)
    }
}
