//! The inductive frames as a forward certificate.
//!
//! The relation at a point is the conjunction of its clauses. Inside blocks it is the strongest
//! postcondition from the point before, or the weakest precondition of the points behind
//! ([`crate::encoding::points`]). Both satisfy the checker's conditions: an edge to a node of the
//! first kind by definition, an edge from a node of the second likewise, and an edge into a point
//! because the block was shown to lead into its frame.

use crate::encoding::cubes::StateLit;
use crate::encoding::points::NodeRole;
use crate::evidence::formulas::{FALSE, FormulaTable, TRUE};
use crate::search::reachability::Reachability;
use hardbop_machine::bits::{BitEdge, BitId, BitNode, BitView};
use hardbop_machine::{
    Action, EdgeId, GlobalId, InputId, LocalId, Machine, NodeId, ProcId, Variable,
};
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{Bit, Certificate, Direction, Formula, NodeRelation};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The certificate whose relations are the frames above a level.
pub(crate) fn certificate(
    search: &Reachability<'_, '_, '_>,
    level: usize,
    targets: Vec<Target>,
) -> Certificate {
    let machine = search.machine;
    let mut writer = Writing {
        search,
        machine,
        view: BitView::new(machine),
        table: FormulaTable::new(),
        relations: vec![FALSE; machine.nodes.len()],
    };
    let order = machine.node_order().nodes();
    for &node in order {
        if search.points.roles[node.index()] == NodeRole::Point {
            writer.relations[node.index()] = writer.frame(node, level);
        }
    }
    let mut into: FxHashMap<NodeId, EdgeId> = FxHashMap::default();
    for edge in machine.edge_ids() {
        if search.slice.has_way_to(machine.edge(edge).from) {
            into.insert(machine.edge(edge).to, edge);
        }
    }
    for &node in order {
        if search.points.roles[node.index()] == NodeRole::After {
            writer.relations[node.index()] = writer.after(into[&node]);
        }
    }
    for &node in order.iter().rev() {
        if search.points.roles[node.index()] == NodeRole::Before {
            writer.relations[node.index()] = writer.before(node);
        }
    }
    let relations = writer.relations.iter().enumerate();
    let relations = relations.filter(|&(_, &relation)| relation != FALSE);
    let relations = relations
        .map(|(index, &relation)| NodeRelation::new(machine, NodeId::new(index), relation))
        .collect();
    Certificate::new(
        machine,
        Direction::Forward,
        targets,
        writer.table.formulas,
        relations,
    )
}

struct Writing<'w, 'm> {
    search: &'w Reachability<'m, 'w, 'w>,
    machine: &'m Machine,
    view: BitView<'m>,
    table: FormulaTable,
    relations: Vec<u32>,
}

/// A bit of a choice with a value.
type ChosenBit = ((InputId, u8), bool);

impl Writing<'_, '_> {
    /// The clauses of a point above a level.
    fn frame(&mut self, node: NodeId, level: usize) -> u32 {
        let procedure = self.machine.procedure_of(node);
        let mut clauses = Vec::new();
        for lemma in self.search.lemmas.at(node) {
            if lemma.level <= level {
                continue;
            }
            let literals: Vec<u32> = lemma
                .cube
                .iter()
                .map(|&lit| self.denied(procedure, lit))
                .collect();
            clauses.push(self.table.or(&literals));
        }
        if self.search.points.is_first(self.machine, node) {
            // What clauses elsewhere say about the entry is about this state.
            for bit in self.entry_bits(procedure) {
                let (variable, position) = self.variable_of(procedure, bit);
                let entry = self.table.entry(variable, position);
                let now = self.table.now(variable, position);
                clauses.push(self.table.equal(entry, now));
            }
        }
        self.table.and(&clauses)
    }

    /// The bits at the entry that clauses of a procedure mention.
    fn entry_bits(&self, procedure: ProcId) -> BTreeSet<u32> {
        let nodes = self.machine.procedure(procedure).node_ids();
        let lemmas = nodes.flat_map(|node| self.search.lemmas.at(node));
        let literals = lemmas.flat_map(|lemma| &lemma.cube);
        literals
            .filter(|lit| lit.is_entry())
            .map(|lit| lit.bit())
            .collect()
    }

    fn denied(&mut self, procedure: ProcId, lit: StateLit) -> u32 {
        let (variable, bit) = self.variable_of(procedure, lit.bit());
        let formula = if lit.is_entry() {
            self.table.entry(variable, bit)
        } else {
            self.table.now(variable, bit)
        };
        if lit.value() {
            self.table.not(formula)
        } else {
            formula
        }
    }

    /// The variable that a bit of a frame belongs to.
    fn variable_of(&self, procedure: ProcId, bit: u32) -> (Variable, u32) {
        let layout = self.view.layout();
        let start = |variable: Variable| layout.bits_of(procedure, variable).start;
        let is_global = layout.global_bits().contains(&bit);
        // Starts ascend, so the last one up to the bit is meant.
        let count = if is_global {
            self.machine.globals.len()
        } else {
            self.machine.procedure(procedure).locals.len()
        };
        let named = |index: usize| {
            if is_global {
                Variable::Global(GlobalId::new(index))
            } else {
                Variable::Local(LocalId::new(index))
            }
        };
        let (mut low, mut high) = (0, count);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if start(named(middle)) <= bit {
                low = middle;
            } else {
                high = middle;
            }
        }
        (named(low), bit - start(named(low)))
    }

    fn is_relevant(&self, procedure: ProcId, variable: Variable) -> bool {
        self.search.slice.relevant(procedure, variable)
    }

    /// Whether a formula of an edge has relevant variables only.
    fn is_about_relevant(&self, procedure: ProcId, formula: BitId) -> bool {
        let graph = self.view.graph();
        graph
            .cone([formula])
            .into_iter()
            .all(|id| match graph.get(id) {
                BitNode::Var(variable, _) | BitNode::Next(variable, _) => {
                    self.is_relevant(procedure, variable)
                }
                _ => true,
            })
    }

    /// The strongest postcondition of an edge.
    fn after(&mut self, id: EdgeId) -> u32 {
        let edge = self.machine.edge(id);
        let before = self.relations[edge.from.index()];
        if before == FALSE {
            return FALSE;
        }
        let procedure = self.machine.procedure_of(edge.from);
        let mut copies: FxHashMap<InputId, Variable> = FxHashMap::default();
        if let Action::Assign { assignments, .. } = &edge.action {
            for &(variable, value) in assignments {
                if let hardbop_machine::Expr::Input(input, _) = *self.machine.exprs.get(value)
                    && self.is_relevant(procedure, variable)
                {
                    copies.entry(input).or_insert(variable);
                }
            }
        }
        let mut bits = self.view.edge(id);
        // On edges that lead nowhere, conditions may be about variables that frames leave out.
        bits.assignments
            .retain(|write| self.is_about_relevant(procedure, write.value));
        for condition in [&mut bits.guard, &mut bits.constrain] {
            if !self.is_about_relevant(procedure, *condition) {
                *condition = BitId::TRUE;
            }
        }
        let mut cases = Vec::new();
        for chosen in self.choices(&bits, &copies) {
            let mut parts = vec![before];
            let assigned: Vec<_> = bits
                .assignments
                .iter()
                .filter(|write| self.search.slice.relevant(procedure, write.variable))
                .collect();
            let mut roots = vec![bits.guard, bits.constrain];
            roots.extend(assigned.iter().map(|write| write.value));
            roots.extend(bits.arguments.iter().map(|write| write.value));
            let mut leaf = |table: &mut FormulaTable, leaf: BitNode| match leaf {
                BitNode::Var(variable, bit) | BitNode::Next(variable, bit) => {
                    table.now(variable, bit.into())
                }
                BitNode::Input(input, bit) => match copies.get(&input) {
                    Some(&variable) => table.now(variable, bit.into()),
                    None => u32::from(value(&chosen, input, bit)),
                },
                _ => FALSE,
            };
            let values = self.table.of_edge(self.view.graph(), &roots, &mut leaf);
            parts.extend(&values[..2]);
            for (write, &formula) in assigned.iter().zip(&values[2..]) {
                let now = self.table.now(write.variable, write.bit.into());
                parts.push(self.table.equal(now, formula));
            }
            if let Action::Call {
                callee, targets, ..
            } = &edge.action
            {
                let arguments = bits
                    .arguments
                    .iter()
                    .map(|write| (write.variable, write.bit));
                let arguments = arguments.zip(values[2 + assigned.len()..].iter().copied());
                let arguments: FxHashMap<(Variable, u8), u32> = arguments.collect();
                parts.push(self.summary(*callee, targets, &arguments));
            }
            cases.push(self.table.and(&parts));
        }
        self.table.or(&cases)
    }

    /// The summary of a callee as seen after the call.
    fn summary(
        &mut self,
        callee: ProcId,
        targets: &[Option<Variable>],
        arguments: &FxHashMap<(Variable, u8), u32>,
    ) -> u32 {
        let procedure = self.machine.procedure(callee);
        let results = procedure.results().zip(targets);
        let results: FxHashMap<LocalId, Option<Variable>> =
            results.map(|(result, &target)| (result, target)).collect();
        let exit = self.relations[procedure.exit.index()];
        self.table.substitute(exit, &mut |table, leaf| match leaf {
            Formula::Now(Bit { variable, bit }) => match variable {
                Variable::Local(local) => match results.get(local).copied().flatten() {
                    Some(target) => table.now(target, *bit),
                    None => TRUE,
                },
                Variable::Global(_) => table.now(*variable, *bit),
            },
            Formula::Entry(Bit { variable, bit }) => {
                let argument = arguments.get(&(*variable, *bit as u8)).copied();
                argument.unwrap_or_else(|| table.now(*variable, *bit))
            }
            _ => FALSE,
        })
    }

    /// The weakest precondition of all edges that leave a node.
    fn before(&mut self, node: NodeId) -> u32 {
        let mut parts = Vec::new();
        for id in self.machine.edges_from(node) {
            let behind = self.relations[self.machine.edge(id).to.index()];
            if behind == TRUE {
                continue;
            }
            let bits = self.view.edge(id);
            let none = FxHashMap::default();
            for chosen in self.choices(&bits, &none) {
                let mut roots: Vec<_> = bits.assignments.iter().map(|write| write.value).collect();
                let writes = bits
                    .assignments
                    .iter()
                    .map(|write| (write.variable, write.bit));
                let writes: Vec<(Variable, u8)> = writes.collect();
                let mut leaf = |table: &mut FormulaTable, leaf: BitNode| match leaf {
                    BitNode::Var(variable, bit) => table.now(variable, bit.into()),
                    BitNode::Input(input, bit) => u32::from(value(&chosen, input, bit)),
                    _ => FALSE,
                };
                let values = self.table.of_edge(self.view.graph(), &roots, &mut leaf);
                let after: FxHashMap<(Variable, u8), u32> =
                    writes.into_iter().zip(values).collect();
                let mut leaf = |table: &mut FormulaTable, leaf: BitNode| match leaf {
                    BitNode::Var(variable, bit) => table.now(variable, bit.into()),
                    BitNode::Next(variable, bit) => {
                        let written = after.get(&(variable, bit)).copied();
                        written.unwrap_or_else(|| table.now(variable, bit.into()))
                    }
                    BitNode::Input(input, bit) => u32::from(value(&chosen, input, bit)),
                    _ => FALSE,
                };
                roots = vec![bits.guard, bits.constrain];
                let values = self.table.of_edge(self.view.graph(), &roots, &mut leaf);
                let taken = self.table.and(&values);
                let target = self
                    .table
                    .substitute(behind, &mut |table, leaf| match leaf {
                        Formula::Now(Bit { variable, bit }) => {
                            let written = after.get(&(*variable, *bit as u8)).copied();
                            written.unwrap_or_else(|| table.now(*variable, *bit))
                        }
                        Formula::Entry(Bit { variable, bit }) => table.entry(*variable, *bit),
                        _ => FALSE,
                    });
                let denied = self.table.not(taken);
                parts.push(self.table.or(&[denied, target]));
            }
        }
        self.table.and(&parts)
    }

    /// All values of the choices of an edge that no variable keeps.
    fn choices(
        &self,
        edge: &BitEdge,
        copies: &FxHashMap<InputId, Variable>,
    ) -> Vec<Vec<ChosenBit>> {
        let mut open: Vec<(InputId, u8)> = Vec::new();
        for id in self.view.graph().cone(edge.formulas()) {
            if let BitNode::Input(input, bit) = self.view.graph().get(id)
                && !copies.contains_key(&input)
            {
                open.push((input, bit));
            }
        }
        let mut all: Vec<Vec<ChosenBit>> = vec![Vec::new()];
        for bit in open {
            let longer = all.iter().flat_map(|chosen| {
                [false, true].map(|value| {
                    let mut chosen = chosen.clone();
                    chosen.push((bit, value));
                    chosen
                })
            });
            all = longer.collect();
        }
        all
    }
}

fn value(chosen: &[ChosenBit], input: InputId, bit: u8) -> bool {
    chosen
        .iter()
        .any(|&(chosen, value)| chosen == (input, bit) && value)
}
