//! Reads off which places a solved algorithm has reached.
//!
//! An algorithm that defines `Reachable(Module m, PC p)` says in one evaluation which places are
//! reached, so that many targets cost as much as one. Any other algorithm is asked about each.

use crate::encoding::layout::Layout;
use hardbop_bdd::Bdd;
use hardbop_fixpoint::Solver;
use hardbop_formula::{RelationId, System, VariableId};
use hardbop_machine::{Machine, NodeId};

/// The relation of places of an algorithm, if it has one: two parameters, module and counter.
pub(crate) fn relation_of_places(system: &System) -> Option<RelationId> {
    let relation = system.find("Reachable")?;
    (system.relation(relation).parameters.len() == 2).then_some(relation)
}

/// The places that are reached, solved.
pub(crate) struct Places<'p> {
    pub machine: &'p Machine,
    pub layout: &'p Layout,
    pub system: &'p System,
    /// Module and program counter.
    pub parameters: &'p [VariableId],
    pub value: Bdd,
}

impl Places<'_> {
    /// Whether one of some nodes is among them.
    pub(crate) fn contain(&self, solver: &Solver<'_>, nodes: &[NodeId]) -> bool {
        let contains = |&node: &NodeId| {
            let module = self.layout.module(self.machine.procedure_of(node));
            let mut set = Vec::new();
            for (&parameter, code) in self.parameters.iter().zip([module, self.layout.pc(node)]) {
                let bits = self.system.variable(parameter).bits;
                // The most significant bit comes first.
                let is_set = |place: &u32| code >> (bits - 1 - place) & 1 == 1;
                let places = (0..bits).filter(is_set);
                set.extend(places.map(|place| solver.level(parameter, place)));
            }
            solver
                .manager()
                .eval(self.value, |level| set.contains(&level))
        };
        nodes.iter().any(contains)
    }
}
