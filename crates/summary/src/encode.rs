//! Formulae of edges as BDDs.

use crate::space::{Copy, Space};
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan, PlanBuilder};
use hardbop_machine::bits::{BitEdge, BitGraph, BitId, BitNode};
use hardbop_machine::{Machine, ProcId, Variable};
use std::collections::HashMap;
use std::rc::Rc;

/// Plans, each kept once: equal plans share what the BDD manager remembers, so that procedures of the same shape are
/// explored at the cost of one.
#[derive(Default)]
pub struct Plans {
    known: HashMap<Vec<(u32, u32)>, Rc<Plan>>,
}

/// What a plan does with a variable: quantify it, or rename it.
pub const QUANTIFY: u32 = u32::MAX;

impl Plans {
    /// The plan with these actions: pairs of a variable and its new name or [`QUANTIFY`].
    pub fn get(&mut self, manager: &mut Manager<'_>, mut actions: Vec<(u32, u32)>) -> Rc<Plan> {
        actions.sort_unstable();
        actions.dedup();
        let plan = self.known.entry(actions).or_insert_with_key(|actions| {
            let mut builder = PlanBuilder::new();
            for &(variable, action) in actions {
                if action == QUANTIFY {
                    builder.quantify(variable);
                } else {
                    builder.rename(variable, action);
                }
            }
            Rc::new(builder.build(manager))
        });
        Rc::clone(plan)
    }
}

/// Turns the formulae of one edge into BDDs. A variable that is not visible becomes a choice of the edge.
pub struct EdgeEncoder<'e> {
    /// The machine.
    pub machine: &'e Machine,
    /// Where variables live.
    pub space: &'e Space,
    /// The procedure of the edge.
    pub procedure: ProcId,
    /// Which variables are visible.
    pub visible: &'e dyn Fn(ProcId, Variable) -> bool,
    /// The edge's formulae.
    pub edge: &'e BitEdge,
    /// Visible bits that the edge assigns: only these have another value afterwards.
    pub assigned: &'e dyn Fn(Variable) -> bool,
    /// Choices made for invisible variables so far, after those of the edge itself.
    hidden: HashMap<(Variable, u8, bool), u32>,
    /// Formulae encoded so far. Most edges have few: those are found fastest by looking at each.
    values: Vec<(BitId, Bdd)>,
    many_values: HashMap<BitId, Bdd>,
}

/// So many formulae are looked through one by one.
const SMALL: usize = 16;

impl<'e> EdgeEncoder<'e> {
    /// An encoder for one edge.
    pub fn new(
        machine: &'e Machine,
        space: &'e Space,
        procedure: ProcId,
        visible: &'e dyn Fn(ProcId, Variable) -> bool,
        edge: &'e BitEdge,
        assigned: &'e dyn Fn(Variable) -> bool,
    ) -> Self {
        Self {
            machine,
            space,
            procedure,
            visible,
            edge,
            assigned,
            hidden: HashMap::new(),
            values: Vec::new(),
            many_values: HashMap::new(),
        }
    }

    /// The BDD of a formula.
    pub fn encode(
        &mut self,
        manager: &mut Manager<'_>,
        graph: &BitGraph,
        root: BitId,
    ) -> Result<Bdd, Exhausted> {
        let mut pending = vec![root];
        while let Some(&id) = pending.last() {
            if self.known(id).is_some() {
                pending.pop();
                continue;
            }
            let node = graph.get(id);
            let missing = pending.len();
            pending.extend(node.operands().filter(|&a| self.known(a).is_none()));
            if pending.len() > missing {
                continue;
            }
            let of = |a: BitId| self.known(a).unwrap_or(Bdd::TRUE);
            let value = match node {
                BitNode::Const(value) => Bdd::constant(value),
                BitNode::Var(variable, bit) => {
                    let number = self.before(variable, bit);
                    manager.variable(number)?
                }
                BitNode::Next(variable, bit) => {
                    let number = self.after(variable, bit);
                    manager.variable(number)?
                }
                BitNode::Input(input, bit) => {
                    let number = self.edge.input_index(input, bit);
                    manager.variable(self.space.choice(number))?
                }
                BitNode::Not(a) => !of(a),
                BitNode::And(a, b) => manager.and(of(a), of(b))?,
                BitNode::Or(a, b) => manager.or(of(a), of(b))?,
                BitNode::Xor(a, b) => manager.xor(of(a), of(b))?,
                BitNode::Ite(c, a, b) => manager.ite(of(c), of(a), of(b))?,
            };
            self.values.push((id, value));
            if self.values.len() > SMALL {
                self.many_values.extend(self.values.drain(..));
            }
            pending.pop();
        }
        Ok(self.known(root).unwrap_or(Bdd::TRUE))
    }

    /// The BDD of a formula that has been encoded.
    fn known(&self, id: BitId) -> Option<Bdd> {
        let recent = self.values.iter().find(|(known, _)| *known == id);
        let recent = recent.map(|&(_, value)| value);
        recent.or_else(|| self.many_values.get(&id).copied())
    }

    fn before(&mut self, variable: Variable, bit: u8) -> u32 {
        if (self.visible)(self.procedure, variable) {
            let slot = self.space.slot(self.machine, self.procedure, variable, bit);
            self.space.variable(slot, Copy::Now)
        } else {
            self.hidden_choice(variable, bit, false)
        }
    }

    fn after(&mut self, variable: Variable, bit: u8) -> u32 {
        if !(self.assigned)(variable) {
            return self.before(variable, bit);
        }
        if (self.visible)(self.procedure, variable) {
            let slot = self.space.slot(self.machine, self.procedure, variable, bit);
            self.space.variable(slot, Copy::Next)
        } else {
            self.hidden_choice(variable, bit, true)
        }
    }

    fn hidden_choice(&mut self, variable: Variable, bit: u8, after: bool) -> u32 {
        let next = self.edge.input_bits() + self.hidden.len() as u32;
        let number = *self.hidden.entry((variable, bit, after)).or_insert(next);
        self.space.choice(number)
    }
}
