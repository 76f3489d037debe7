//! What an edge asks of path edges before and after it, as BDDs over the variables of [`Rings`].
//!
//! Unlike the relations that the solver gets, these keep the choices: a run has to say how they fall.

use crate::layout::Layout;
use crate::rings::{Rings, Side, StateValues};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::bits::{BitEdge, BitGraph, BitId, BitLayout, BitNode};
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId, Variable};
use hardbop_symbolic::Encoder;

/// One edge.
pub struct EdgeConditions<'e> {
    /// The machine.
    pub machine: &'e Machine,
    /// Codes and fields.
    pub layout: &'e Layout,
    /// The variables.
    pub rings: &'e Rings<'e>,
    /// Numbers of bits that have no field.
    pub numbers: &'e BitLayout,
    /// Where the edge's formulae are.
    pub graph: &'e BitGraph,
    /// The edge's formulae.
    pub bits: &'e BitEdge,
    /// The edge.
    pub edge: EdgeId,
}

impl EdgeConditions<'_> {
    fn procedure(&self) -> ProcId {
        let edge = self.machine.edge(self.edge);
        self.machine.procedure_of(edge.from)
    }

    fn is_assigned(&self, variable: Variable, bit: u8) -> bool {
        let mut assigned = self.bits.assignments.iter();
        assigned.any(|a| (a.variable, a.bit) == (variable, bit))
    }

    /// The variable of a bit before the step or, if the step writes it, after it. A bit without a field is a choice, and so is one
    /// that does not matter afterwards: path edges may have another value there than the step gives it.
    fn variable(&self, variable: Variable, bit: u8, side: Side) -> u32 {
        let to = self.machine.edge(self.edge).to;
        let is_seen = side == Side::First || self.layout.matters(self.machine, to, variable);
        match self.layout.field(self.procedure(), variable, bit) {
            Some(field) if is_seen => self.rings.now_variable(self.rings.slot(field), side),
            _ => {
                let number = self.numbers.bits_of(self.procedure(), variable).start;
                let hidden = 2 * (number + u32::from(bit)) + side as u32;
                self.rings.first_choice() + self.bits.input_bits() + hidden
            }
        }
    }

    fn leaf(&self, node: BitNode) -> u32 {
        match node {
            BitNode::Next(variable, bit) if self.is_assigned(variable, bit) => {
                self.variable(variable, bit, Side::Second)
            }
            BitNode::Var(variable, bit) | BitNode::Next(variable, bit) => {
                self.variable(variable, bit, Side::First)
            }
            BitNode::Input(input, bit) => {
                self.rings.first_choice() + self.bits.input_index(input, bit)
            }
            // Other nodes are no leaves.
            _ => 0,
        }
    }

    fn encode(
        &self,
        manager: &mut Manager<'_>,
        encoder: &mut Encoder,
        root: BitId,
    ) -> Result<Bdd, Exhausted> {
        encoder.encode(manager, self.graph, root, |node| self.leaf(node))
    }

    /// The slots of the bits that matter at a node, with the bits.
    fn bits_at(&self, node: NodeId) -> Vec<(Variable, u8, usize)> {
        let procedure = self.machine.procedure_of(node);
        let bits = self.layout.bits(procedure);
        bits.filter(|&((variable, _), _)| self.layout.matters(self.machine, node, variable))
            .map(|((variable, bit), field)| (variable, bit, self.rings.slot(field)))
            .collect()
    }

    /// For an edge that is no call: the step leads to these values, in the variables before it and its choices.
    pub fn before(
        &self,
        manager: &mut Manager<'_>,
        after: &StateValues,
    ) -> Result<Vec<Bdd>, Exhausted> {
        let mut encoder = Encoder::default();
        let mut conditions = self.conditions(manager, &mut encoder)?;
        for (variable, bit, slot) in self.bits_at(self.machine.edge(self.edge).to) {
            let value = self.value(manager, &mut encoder, variable, bit)?;
            conditions.push(if after[slot] { value } else { !value });
        }
        Ok(conditions)
    }

    /// For an edge that is no call: the relation between the values before and the values after that matter there, which are
    /// in the variables of the second side.
    pub fn relation(&self, manager: &mut Manager<'_>) -> Result<Vec<Bdd>, Exhausted> {
        let mut encoder = Encoder::default();
        let mut conditions = self.conditions(manager, &mut encoder)?;
        for (variable, bit, slot) in self.bits_at(self.machine.edge(self.edge).to) {
            let value = self.value(manager, &mut encoder, variable, bit)?;
            let after = manager.variable(self.rings.now_variable(slot, Side::Second))?;
            conditions.push(manager.iff(after, value)?);
        }
        Ok(conditions)
    }

    /// Guard and `constrain`, with what the latter speaks of after the step.
    fn conditions(
        &self,
        manager: &mut Manager<'_>,
        encoder: &mut Encoder,
    ) -> Result<Vec<Bdd>, Exhausted> {
        let mut conditions = vec![self.encode(manager, encoder, self.bits.guard)?];
        if self.bits.constrain != BitId::TRUE {
            conditions.push(self.encode(manager, encoder, self.bits.constrain)?);
            for assignment in &self.bits.assignments {
                let value = self.encode(manager, encoder, assignment.value)?;
                let after = self.variable(assignment.variable, assignment.bit, Side::Second);
                let after = manager.variable(after)?;
                conditions.push(manager.iff(after, value)?);
            }
        }
        Ok(conditions)
    }

    /// The value of a bit after the step.
    fn value(
        &self,
        manager: &mut Manager<'_>,
        encoder: &mut Encoder,
        variable: Variable,
        bit: u8,
    ) -> Result<Bdd, Exhausted> {
        let mut assigned = self.bits.assignments.iter();
        match assigned.find(|a| (a.variable, a.bit) == (variable, bit)) {
            Some(assignment) => self.encode(manager, encoder, assignment.value),
            None => manager.variable(self.variable(variable, bit, Side::First)),
        }
    }

    /// For a call: the return leads to these values, in the variables of the caller before the call (first side) and of the
    /// callee's path edge (second side).
    pub fn returned(
        &self,
        manager: &mut Manager<'_>,
        after: &StateValues,
    ) -> Result<Vec<Bdd>, Exhausted> {
        let mut conditions = Vec::new();
        let Action::Call { callee, .. } = self.machine.edge(self.edge).action else {
            return Ok(conditions);
        };
        for (variable, bit, slot) in self.bits_at(self.machine.edge(self.edge).to) {
            let mut results = self.bits.results.iter();
            let result = results.find(|result| (result.target, result.bit) == (variable, bit));
            let source = match (result, variable) {
                (Some(result), _) => {
                    let field = self
                        .layout
                        .field(callee, Variable::Local(result.result), bit);
                    // Without a field it is a result that matters for no target.
                    let Some(field) = field else {
                        continue;
                    };
                    self.rings
                        .now_variable(self.rings.slot(field), Side::Second)
                }
                (None, Variable::Global(global)) if self.layout.touches(callee, global) => {
                    self.rings.now_variable(slot, Side::Second)
                }
                // The caller's own, or a global that the callee leaves alone.
                _ => self.rings.now_variable(slot, Side::First),
            };
            let source = manager.variable(source)?;
            conditions.push(if after[slot] { source } else { !source });
        }
        Ok(conditions)
    }

    /// For a call: the callee's path edge (second side) starts where the caller (first side) enters it.
    pub fn entering(&self, manager: &mut Manager<'_>) -> Result<Vec<Bdd>, Exhausted> {
        self.passed(manager, |manager, slot, value| {
            let inside = manager.variable(self.rings.entry_variable(slot, Side::Second))?;
            manager.iff(inside, value)
        })
    }

    /// For a call: the caller enters the callee with these values.
    pub fn entered(
        &self,
        manager: &mut Manager<'_>,
        values: &StateValues,
    ) -> Result<Vec<Bdd>, Exhausted> {
        self.passed(manager, |_, slot, value| {
            Ok(if values[slot] { value } else { !value })
        })
    }

    /// The guard of a call, and a condition on each value that it passes and that matters to the callee: parameters and globals.
    fn passed(
        &self,
        manager: &mut Manager<'_>,
        mut condition: impl FnMut(&mut Manager<'_>, usize, Bdd) -> Result<Bdd, Exhausted>,
    ) -> Result<Vec<Bdd>, Exhausted> {
        let mut encoder = Encoder::default();
        let mut conditions = vec![self.encode(manager, &mut encoder, self.bits.guard)?];
        let Action::Call { callee, .. } = self.machine.edge(self.edge).action else {
            return Ok(conditions);
        };
        for (variable, bit, slot) in self.bits_at(self.machine.procedure(callee).entry) {
            let value = match variable {
                Variable::Global(_) => {
                    manager.variable(self.rings.now_variable(slot, Side::First))?
                }
                Variable::Local(_) => {
                    let mut arguments = self.bits.arguments.iter();
                    let found = arguments.find(|a| (a.variable, a.bit) == (variable, bit));
                    let Some(argument) = found else {
                        continue;
                    };
                    self.encode(manager, &mut encoder, argument.value)?
                }
            };
            conditions.push(condition(manager, slot, value)?);
        }
        Ok(conditions)
    }
}
