//! Places at which nothing happens, joined with the place that follows.
//!
//! An algorithm that is asked whether places are reached does not mind how many steps that takes.
//! Where every step from a node leads to one other place and changes nothing that matters there, a
//! run that comes to the node comes to that place with the same state, whatever else it may do: the
//! two get one program counter, and the step goes. With few variables tracked most assignments are
//! such steps.
//!
//! A node that is asked about keeps its own program counter, and so does the entry of a procedure,
//! since states in which a module is entered are told by it.

use hardbop_machine::analysis::NodeOrder;
use hardbop_machine::{Action, Edge, EdgeId, Expr, Machine, NodeId, UnaryOp, Variable};

/// What a layout knows of steps and states.
pub(super) struct Rules<'r> {
    /// Nodes that stay as they are.
    pub asked: &'r [NodeId],
    /// Whether a run can take an edge.
    pub can_be_taken: &'r dyn Fn(EdgeId) -> bool,
    /// Whether the value of a variable at a node can matter.
    pub matters: &'r dyn Fn(NodeId, Variable) -> bool,
}

/// Per node the place that it is joined with, which may be itself. Linear.
pub(super) fn joined_places(
    machine: &Machine,
    order: &NodeOrder,
    rules: &Rules<'_>,
) -> Vec<NodeId> {
    let mut places: Vec<NodeId> = machine.node_ids().collect();
    let mut is_fixed = vec![false; places.len()];
    let entries = machine.procedures.iter().map(|procedure| procedure.entry);
    for node in entries.chain(rules.asked.iter().copied()) {
        is_fixed[node.index()] = true;
    }
    // What follows is known first, save along back edges.
    for &node in order.nodes().iter().rev() {
        if !is_fixed[node.index()]
            && let Some(place) = only_place_after(machine, rules, &places, node)
        {
            places[node.index()] = place;
        }
    }
    // A back edge leads to a node that may itself have been joined afterwards.
    for &node in order.nodes() {
        places[node.index()] = last(&places, node);
    }
    places
}

/// Where the places lead that nodes were joined with so far.
fn last(places: &[NodeId], mut node: NodeId) -> NodeId {
    while places[node.index()] != node {
        node = places[node.index()];
    }
    node
}

/// The one place to which all steps from a node lead without changing anything that matters there.
/// Steps back to the node itself do not count.
fn only_place_after(
    machine: &Machine,
    rules: &Rules<'_>,
    places: &[NodeId],
    node: NodeId,
) -> Option<NodeId> {
    let mut only = None;
    for id in machine.edges_from(node) {
        if !(rules.can_be_taken)(id) {
            continue;
        }
        let edge = machine.edge(id);
        let place = last(places, edge.to);
        if !is_free(machine, edge) || !is_silent(machine, rules, edge, place) {
            return None;
        }
        if place != node && *only.get_or_insert(place) != place {
            return None;
        }
    }
    only
}

/// Whether the guard of an edge never stops a run: there is none, or it is a choice.
fn is_free(machine: &Machine, edge: &Edge) -> bool {
    let Some(guard) = edge.guard else {
        return true;
    };
    let choice = match machine.exprs.get(guard) {
        Expr::Unary(UnaryOp::Not, operand) => machine.exprs.get(*operand),
        guard => guard,
    };
    matches!(choice, Expr::Input(..))
}

/// Whether an edge changes nothing that matters at a place.
fn is_silent(machine: &Machine, rules: &Rules<'_>, edge: &Edge, place: NodeId) -> bool {
    let matters = |variable: Variable| (rules.matters)(place, variable);
    match &edge.action {
        Action::Skip | Action::Print(_) => true,
        Action::Assign {
            assignments,
            constrain: None,
        } => !assignments.iter().any(|&(variable, _)| matters(variable)),
        Action::Return(_) => {
            let procedure = machine.procedure(machine.procedure_of(edge.from));
            !procedure.results().map(Variable::Local).any(matters)
        }
        _ => false,
    }
}
