//! Facts at cut points as a forward certificate, which has a relation at every node.
//!
//! At a cut point the relation is the conjunction of its facts, case by case. At every other node
//! that a block passes it is the weakest precondition of the relations after it: along every edge,
//! whenever the edge can be taken, the relation at its end holds of the state after it. Such edges
//! are no calls and have few choices, which are tried one by one, so no quantifier is needed. With
//! these relations the conditions of steps hold by construction between cut points, and the
//! condition at a cut point is the one that the analysis has refuted for the whole block.
//!
//! At an entry the current values are those at the entry. That is a conjunct of the relation there,
//! for the variables whose entry values are mentioned anywhere in the procedure.

use crate::analysis::{Analysis, Case};
use crate::cuts::choice_bits;
use crate::needed::Needed;
use hardbop_machine::analysis::QuickMap;
use hardbop_machine::bits::{BitGraph, BitId, BitNode};
use hardbop_machine::{EdgeId, InputId, Machine, NodeId, ProcId, Variable};
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{Bit, Certificate, Direction, Formula, NodeRelation};
use std::collections::{BTreeMap, BTreeSet};

/// Formulas of a certificate in all; larger ones would take longer to check than to find.
const MOST_FORMULAS: usize = 1_000_000;

/// The certificate, or `None` if it would be too large.
pub(crate) fn certificate(
    analysis: &mut Analysis<'_, '_>,
    needed: &Needed,
    targets: Vec<Target>,
) -> Option<Certificate> {
    let machine = analysis.machine;
    let mut relations: BTreeMap<NodeId, BitId> = BTreeMap::new();
    let cases: Vec<Case> = analysis.elements.keys().copied().collect();
    let reached: BTreeSet<NodeId> = cases.iter().map(|case| case.0).collect();
    for &node in &reached {
        let relation = at_cut(analysis, needed, node);
        relations.insert(node, relation);
    }
    add_equal_entries(analysis, &mut relations);
    let passed = passed(analysis, &reached);
    let order = machine.node_order();
    let mut between: Vec<NodeId> = passed.into_iter().collect();
    between.sort_by_key(|&node| std::cmp::Reverse(order.position(node)));
    for node in between {
        let mut relation = BitId::TRUE;
        for edge in machine.edges_from(node) {
            let before = before_edge(analysis, &relations, edge);
            relation = analysis.view.graph_mut().and(relation, before);
        }
        relations.insert(node, relation);
        if analysis.view.graph().len() > MOST_FORMULAS {
            return None;
        }
    }
    Some(written(machine, analysis.view.graph(), &relations, targets))
}

/// The relation at a cut point.
fn at_cut(analysis: &mut Analysis<'_, '_>, needed: &Needed, node: NodeId) -> BitId {
    let mut relation = BitId::TRUE;
    for case in analysis.cases(node) {
        let mut facts = BitId::constant(analysis.is_reached(case));
        for &fact in needed.get(&case).into_iter().flatten() {
            let fact = analysis.bit(fact);
            facts = analysis.view.graph_mut().and(facts, fact);
        }
        let mut here = BitId::TRUE;
        for condition in analysis.conditions(case) {
            let condition = analysis.bit(condition);
            here = analysis.view.graph_mut().and(here, condition);
        }
        let graph = analysis.view.graph_mut();
        let elsewhere = graph.not(here);
        let implied = graph.or(elsewhere, facts);
        relation = graph.and(relation, implied);
    }
    relation
}

/// Adds to the relations at entries that nothing has changed yet.
fn add_equal_entries(analysis: &mut Analysis<'_, '_>, relations: &mut BTreeMap<NodeId, BitId>) {
    let machine = analysis.machine;
    let mut mentioned: BTreeMap<ProcId, BTreeSet<(Variable, u8)>> = BTreeMap::new();
    let graph = analysis.view.graph();
    for (&node, &relation) in &*relations {
        let of_procedure = mentioned.entry(machine.procedure_of(node)).or_default();
        for id in graph.cone([relation]) {
            if let BitNode::Next(variable, bit) = graph.get(id) {
                of_procedure.insert((variable, bit));
            }
        }
    }
    for (procedure, bits) in mentioned {
        let entry = machine.procedure(procedure).entry;
        if machine.node_order().is_loop_head(entry) {
            continue;
        }
        let Some(relation) = relations.get_mut(&entry) else {
            continue;
        };
        let graph = analysis.view.graph_mut();
        for (variable, bit) in bits {
            let now = graph.leaf(BitNode::Var(variable, bit));
            let entered = graph.leaf(BitNode::Next(variable, bit));
            let differs = graph.xor(now, entered);
            let equal = graph.not(differs);
            *relation = graph.and(*relation, equal);
        }
    }
}

/// The nodes between cut points that some block passes.
fn passed(analysis: &Analysis<'_, '_>, reached: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let machine = analysis.machine;
    let mut passed = BTreeSet::new();
    let mut pending: Vec<NodeId> = reached.iter().copied().collect();
    while let Some(node) = pending.pop() {
        for edge in machine.edges_from(node) {
            let to = machine.edge(edge).to;
            if !analysis.cuts.contains(to) && passed.insert(to) {
                pending.push(to);
            }
        }
    }
    passed
}

/// The weakest precondition of the relation at the end of an edge that is not a call.
fn before_edge(
    analysis: &mut Analysis<'_, '_>,
    relations: &BTreeMap<NodeId, BitId>,
    id: EdgeId,
) -> BitId {
    let machine = analysis.machine;
    let edge = machine.edge(id);
    if !crate::cuts::leads_on(edge) {
        return BitId::TRUE;
    }
    let after = relations.get(&edge.to).copied().unwrap_or(BitId::FALSE);
    let bits = analysis.view.edge(id);
    let choices = choice_bits(machine, id);
    let values = bits.assignments.iter();
    let values: QuickMap<(Variable, u8), BitId> = values
        .map(|write| ((write.variable, write.bit), write.value))
        .collect();
    let graph = analysis.view.graph_mut();
    let constrain = substituted(graph, bits.constrain, |graph, leaf| match leaf {
        BitNode::Next(variable, bit) => Some(next_value(graph, &values, variable, bit)),
        _ => None,
    });
    let after = substituted(graph, after, |graph, leaf| match leaf {
        BitNode::Var(variable, bit) => Some(next_value(graph, &values, variable, bit)),
        _ => None,
    });
    let taken = graph.and(bits.guard, constrain);
    let not_taken = graph.not(taken);
    let always = graph.or(not_taken, after);
    let mut all = BitId::TRUE;
    for case in 0..1_u32 << choices {
        let in_case = substituted(graph, always, |_, leaf| match leaf {
            BitNode::Input(input, bit) => Some(choice(&bits, case, input, bit)),
            _ => None,
        });
        all = graph.and(all, in_case);
    }
    all
}

fn choice(bits: &hardbop_machine::bits::BitEdge, case: u32, input: InputId, bit: u8) -> BitId {
    BitId::constant(case >> bits.input_index(input, bit) & 1 == 1)
}

/// The value of a bit after an edge.
fn next_value(
    graph: &mut BitGraph,
    values: &QuickMap<(Variable, u8), BitId>,
    variable: Variable,
    bit: u8,
) -> BitId {
    match values.get(&(variable, bit)) {
        Some(&value) => value,
        None => graph.leaf(BitNode::Var(variable, bit)),
    }
}

/// A formula with other formulas in place of some leaves.
fn substituted(
    graph: &mut BitGraph,
    root: BitId,
    mut leaf: impl FnMut(&mut BitGraph, BitNode) -> Option<BitId>,
) -> BitId {
    let mut known: QuickMap<BitId, BitId> = QuickMap::default();
    for id in graph.cone([root]) {
        let new = match graph.get(id) {
            BitNode::Not(a) => graph.not(known[&a]),
            BitNode::And(a, b) => graph.and(known[&a], known[&b]),
            BitNode::Or(a, b) => graph.or(known[&a], known[&b]),
            BitNode::Xor(a, b) => graph.xor(known[&a], known[&b]),
            BitNode::Ite(c, a, b) => graph.ite(known[&c], known[&a], known[&b]),
            node => leaf(graph, node).unwrap_or(id),
        };
        known.insert(id, new);
    }
    known[&root]
}

/// The relations as formulas of a certificate.
fn written(
    machine: &Machine,
    graph: &BitGraph,
    relations: &BTreeMap<NodeId, BitId>,
    targets: Vec<Target>,
) -> Certificate {
    let mut formulas: Vec<Formula> = Vec::new();
    let mut known: QuickMap<BitId, u32> = QuickMap::default();
    let push = |formulas: &mut Vec<Formula>, formula| {
        formulas.push(formula);
        formulas.len() as u32 - 1
    };
    // Operands have smaller ids than their users.
    for id in graph.cone(relations.values().copied()) {
        let formula = match graph.get(id) {
            BitNode::Const(value) => Formula::Constant(value),
            BitNode::Var(variable, bit) => Formula::Now(Bit {
                variable,
                bit: u32::from(bit),
            }),
            BitNode::Next(variable, bit) => Formula::Entry(Bit {
                variable,
                bit: u32::from(bit),
            }),
            BitNode::Input(..) => unreachable!("choices are replaced by their values"),
            BitNode::Not(a) => Formula::Not(known[&a]),
            BitNode::And(a, b) => Formula::And(vec![known[&a], known[&b]]),
            BitNode::Or(a, b) => Formula::Or(vec![known[&a], known[&b]]),
            BitNode::Xor(a, b) => {
                let not_b = push(&mut formulas, Formula::Not(known[&b]));
                Formula::Ite(known[&a], not_b, known[&b])
            }
            BitNode::Ite(c, a, b) => Formula::Ite(known[&c], known[&a], known[&b]),
        };
        let index = push(&mut formulas, formula);
        known.insert(id, index);
    }
    let relations = relations
        .iter()
        .filter(|(_, relation)| **relation != BitId::FALSE);
    let nodes =
        relations.map(|(&node, relation)| NodeRelation::new(machine, node, known[relation]));
    let nodes = nodes.collect();
    Certificate::new(machine, Direction::Forward, targets, formulas, nodes)
}
