//! What an edge does to a relation: transfer functions (Bebop, Table 3) as a short list of
//! relational products ([`hardbop_symbolic::Part`]), without the variables that do not matter where
//! the edge leads.

use crate::encoding::edge_encoder::EdgeEncoder;
use crate::encoding::interface::{Interface, Interfaces, ScopedBit, in_scope};
use crate::encoding::space::{Copy, Space};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::analysis::Slice;
use hardbop_machine::bits::{BitEdge, BitGraph, BitView};
use hardbop_machine::{EdgeId, Machine, ProcId, Variable};
use hardbop_symbolic::{Draft, Part, Plans};
use std::collections::BTreeSet;

/// The machine, its variables and interfaces: everything that compiling its edges needs.
#[derive(Clone, Copy)]
pub(crate) struct Compiler<'c> {
    /// The machine.
    pub(crate) machine: &'c Machine,
    /// Where variables live.
    pub(crate) space: &'c Space,
    /// What procedures look like from outside.
    pub(crate) interfaces: &'c Interfaces<'c>,
    /// Which variables are relevant.
    pub(crate) slice: &'c Slice,
}

impl Compiler<'_> {
    /// The procedure of an edge.
    pub(crate) fn procedure_of(&self, edge: EdgeId) -> ProcId {
        self.machine.procedure_of(self.machine.edge(edge).from)
    }

    /// The initial values of the globals that the first procedure sees, in the copies that are
    /// asked for.
    pub(crate) fn initial_values(
        &self,
        manager: &mut Manager<'_>,
        copy_of: impl Fn(&Interface, &ScopedBit) -> Option<Copy>,
    ) -> Result<Bdd, Exhausted> {
        let interface = self.interfaces.of(self.machine.threads[0].entry);
        let mut initial = Bdd::TRUE;
        for bit in &interface.scope {
            let Variable::Global(global) = bit.variable else {
                continue;
            };
            let value = self.machine.global(global).initial;
            if let (Some(value), Some(copy)) = (value, copy_of(interface, bit)) {
                let variable = manager.variable(self.number(bit, copy))?;
                let is_set = value >> bit.bit & 1 == 1;
                let literal = if is_set { variable } else { !variable };
                initial = manager.and(initial, literal)?;
            }
        }
        Ok(initial)
    }

    /// A relation where some bits have the same value in `Outer` and `Now`.
    pub(crate) fn with_outer_equal_to_now(
        &self,
        manager: &mut Manager<'_>,
        relation: Bdd,
        bits: impl DoubleEndedIterator<Item = ScopedBit>,
    ) -> Result<Bdd, Exhausted> {
        let mut relation = relation;
        for bit in bits.rev() {
            let outer = manager.variable(self.number(&bit, Copy::Outer))?;
            let now = manager.variable(self.number(&bit, Copy::Now))?;
            let same = manager.iff(outer, now)?;
            relation = manager.and(relation, same)?;
        }
        Ok(relation)
    }

    /// The BDD variable of a bit.
    pub(crate) fn number(&self, bit: &ScopedBit, copy: Copy) -> u32 {
        self.space.variable(bit.slot, copy)
    }

    /// The transfer function of an edge that is not a call.
    pub(crate) fn step(
        &self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        view: &mut BitView<'_>,
        edge: EdgeId,
    ) -> Result<Vec<Part>, Exhausted> {
        let procedure = self.procedure_of(edge);
        let to = self.machine.edge(edge).to;
        let bits = view.edge(edge);
        let live = |bit: &ScopedBit| self.interfaces.matters_at(procedure, to, bit);
        let conjuncts = self.effects(manager, view.graph(), edge, &bits, &live)?;
        let mut draft = Draft::new();
        draft.conjoin_all(manager, plans, conjuncts, &|v| self.space.is_choice(v))?;
        let scope = &self.interfaces.of(procedure).scope;
        let from = self.machine.edge(edge).from;
        let mut concerned = self.interfaces.present_at(procedure, from);
        for assignment in &bits.assignments {
            concerned.extend(in_scope(scope, assignment.variable));
        }
        concerned.sort_unstable_by_key(|bit| (bit.variable, bit.bit));
        concerned.dedup();
        let assigned: BTreeSet<_> = bits
            .assignments
            .iter()
            .map(|a| (a.variable, a.bit))
            .collect();
        for &bit in &concerned {
            let now = self.number(bit, Copy::Now);
            let is_assigned = assigned.contains(&(bit.variable, bit.bit));
            if is_assigned || !live(bit) {
                draft.quantify.insert(now);
            }
            if is_assigned {
                let next = self.number(bit, Copy::Next);
                if live(bit) {
                    draft.rename.push((next, now));
                } else {
                    draft.quantify.insert(next);
                }
            }
        }
        // A variable that cannot occur in the relation need not be quantified: keeps plans few and
        // small.
        self.drop_absent(edge, &concerned, &mut draft);
        Ok(draft.finish(manager, plans, &|v| self.space.is_choice(v)))
    }

    /// Removes quantifications of variables that are neither in the relation before the edge nor in
    /// a conjunct.
    fn drop_absent(&self, edge: EdgeId, concerned: &[&ScopedBit], draft: &mut Draft) {
        let procedure = self.procedure_of(edge);
        let from = self.machine.edge(edge).from;
        for &bit in concerned {
            if self.interfaces.matters_at(procedure, from, bit) {
                continue;
            }
            let now = self.number(bit, Copy::Now);
            if !draft.mentions(now) {
                draft.quantify.remove(&now);
            }
        }
        let unused_next: Vec<u32> = concerned
            .iter()
            .map(|bit| self.number(bit, Copy::Next))
            .filter(|next| draft.quantify.contains(next) && !draft.mentions(*next))
            .collect();
        for next in unused_next {
            draft.quantify.remove(&next);
        }
    }

    /// Guard, assigned values (of the bits that are wanted) and constrain.
    pub(crate) fn effects(
        &self,
        manager: &mut Manager<'_>,
        graph: &BitGraph,
        edge: EdgeId,
        bits: &BitEdge,
        wanted: &dyn Fn(&ScopedBit) -> bool,
    ) -> Result<Vec<Bdd>, Exhausted> {
        let procedure = self.procedure_of(edge);
        let assigned = |variable: Variable| bits.assignments.iter().any(|a| a.variable == variable);
        let mut encoder =
            EdgeEncoder::new(self.space, procedure, self.slice, (edge, bits), &assigned);
        let mut conjuncts = vec![encoder.encode(manager, graph, bits.guard)?];
        let constrain = encoder.encode(manager, graph, bits.constrain)?;
        let constrained = manager.support(constrain);
        for assignment in &bits.assignments {
            let variable = assignment.variable;
            if !self.slice.relevant(procedure, variable) {
                continue;
            }
            let slot = self.space.slot(procedure, variable, assignment.bit);
            let bit = ScopedBit {
                variable,
                bit: assignment.bit,
                slot,
            };
            let next = self.number(&bit, Copy::Next);
            if wanted(&bit) || constrained.contains(&next) {
                let value = encoder.encode(manager, graph, assignment.value)?;
                let next = manager.variable(next)?;
                conjuncts.push(manager.iff(next, value)?);
            }
        }
        conjuncts.push(constrain);
        Ok(conjuncts)
    }
}
