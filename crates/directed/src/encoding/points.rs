//! Which nodes have frames, and the blocks between them.
//!
//! A *point* is a node with a frame of clauses: entries, exits, loop heads, targets, and nodes where
//! several edges meet. A *block* is a path from one point to the next, and one query to the solver.
//! The nodes inside blocks have no frame, and the certificate still needs a relation there. So a
//! node is inside a block only if its relation can be written without quantifiers, in one of two
//! ways:
//!
//! - *after* its predecessor: the strongest postcondition of the edge that leads to it. That has no
//!   quantifier if what the edge overwrites does not occur before, and its choices are copied or few;
//! - *before* its successors: the weakest precondition of all edges that leave it, if these are no
//!   calls and have few choices.
//!
//! A level is gained at loop heads and callees' entries; a block with a recursive call takes the
//! summary from the level below. So what a block at a level depends on at the same level is
//! acyclic.

use hardbop_machine::analysis::Slice;
use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::{Action, EdgeId, Expr, Machine, NodeId, Variable};

/// Choices that an edge inside a block may have, in bits, besides those that are copied.
pub(crate) const FEW_CHOICES: u32 = 2;
/// Edges in a block.
const LONGEST_BLOCK: usize = 24;

/// What a node is to the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeRole {
    /// No path of the control-flow graph leads here.
    Unreached,
    /// It has a frame.
    Point,
    /// Inside blocks; its relation follows from the one before.
    After,
    /// Inside blocks; its relation follows from those behind it.
    Before,
}

/// A path between two points.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub source: NodeId,
    pub target: NodeId,
    /// Its edges. Calls are completed, but for the last if the block enters a callee.
    pub edges: Vec<EdgeId>,
    pub enters: bool,
    /// How many levels below its target its source is.
    pub drop: usize,
    /// Exits of the callees of its completed calls, with how many levels below the target they are.
    pub calls: Vec<(NodeId, usize)>,
}

/// Points and blocks of a machine.
#[derive(Debug)]
pub(crate) struct Points {
    pub roles: Vec<NodeRole>,
    pub blocks: Vec<Block>,
    /// By node.
    pub incoming: Vec<Vec<usize>>,
    pub outgoing: Vec<Vec<usize>>,
    /// Blocks that use the summary at this exit.
    pub users: Vec<Vec<usize>>,
}

/// Whether the node after a completed call comes next in the block, or the callee.
fn is_step(machine: &Machine, edge: EdgeId) -> bool {
    !matches!(machine.edge(edge).action, Action::EndThread)
}

impl Points {
    /// Whether a node is an entry to which no edge of its own procedure leads.
    pub fn is_first(&self, machine: &Machine, node: NodeId) -> bool {
        let procedure = machine.procedure_of(node);
        let mut incoming = self.incoming[node.index()].iter();
        machine.procedure(procedure).entry == node
            && incoming.all(|&block| self.blocks[block].enters)
    }

    pub fn new(machine: &Machine, slice: &Slice, targets: &[NodeId]) -> Self {
        let count = machine.nodes.len();
        let mut into: Vec<Vec<EdgeId>> = vec![Vec::new(); count];
        for edge in machine.edge_ids() {
            if slice.has_way_to(machine.edge(edge).from) && is_step(machine, edge) {
                into[machine.edge(edge).to.index()].push(edge);
            }
        }
        let mut is_special = vec![false; count];
        for procedure in &machine.procedures {
            is_special[procedure.entry.index()] = true;
            is_special[procedure.exit.index()] = true;
        }
        for target in targets {
            is_special[target.index()] = true;
        }
        for node in machine.node_ids() {
            let is_head = machine.node_order().is_loop_head(node);
            if is_head || into[node.index()].len() != 1 {
                is_special[node.index()] = true;
            }
        }
        let order = machine.node_order().nodes();
        // Whether the relation could be written from behind.
        let mut may_be_before = vec![false; count];
        for &node in order.iter().rev() {
            let mut edges = machine.edges_from(node);
            may_be_before[node.index()] = !is_special[node.index()]
                && edges.all(|edge| {
                    let to = machine.edge(edge).to.index();
                    is_plain(machine, edge) && (is_special[to] || may_be_before[to])
                });
        }
        let mut points = Self {
            roles: vec![NodeRole::Unreached; count],
            blocks: Vec::new(),
            incoming: vec![Vec::new(); count],
            outgoing: vec![Vec::new(); count],
            users: vec![Vec::new(); count],
        };
        let mut depth = vec![0; count];
        for &node in order {
            let index = node.index();
            if !slice.has_way_to(node) {
                continue;
            }
            points.roles[index] = NodeRole::Point;
            if is_special[index] {
                continue;
            }
            let edge = into[index][0];
            let from = machine.edge(edge).from;
            depth[index] = depth[from.index()] + 1;
            let before = points.roles[from.index()];
            if depth[index] >= LONGEST_BLOCK && before != NodeRole::Before {
                depth[index] = 0;
                continue;
            }
            let chain = points.chain(machine, &into, from);
            points.roles[index] = if before == NodeRole::Before {
                NodeRole::Before
            } else if is_invertible(machine, slice, &chain, edge) {
                NodeRole::After
            } else if may_be_before[index] && before == NodeRole::Point {
                NodeRole::Before
            } else {
                depth[index] = 0;
                NodeRole::Point
            };
        }
        points.find_blocks(machine, slice);
        points
    }

    /// The edges from the point before a node to it, last first.
    fn chain(
        &self,
        machine: &Machine,
        into: &[Vec<EdgeId>],
        mut node: NodeId,
    ) -> (NodeId, Vec<EdgeId>) {
        let mut edges = Vec::new();
        while self.roles[node.index()] == NodeRole::After {
            let edge = into[node.index()][0];
            edges.push(edge);
            node = machine.edge(edge).from;
        }
        (node, edges)
    }

    fn find_blocks(&mut self, machine: &Machine, slice: &Slice) {
        for source in machine.node_ids() {
            if self.roles[source.index()] != NodeRole::Point {
                continue;
            }
            let mut pending: Vec<Vec<EdgeId>> =
                machine.edges_from(source).map(|edge| vec![edge]).collect();
            while let Some(edges) = pending.pop() {
                let last = edges[edges.len() - 1];
                if !is_step(machine, last) {
                    continue;
                }
                let edge = machine.edge(last);
                if let Action::Call { callee, .. } = edge.action {
                    let entry = machine.procedure(callee).entry;
                    self.add(machine, source, entry, &edges, true);
                    // A callee that does not end is passed by nobody.
                    if !slice.has_way_to(machine.procedure(callee).exit) {
                        continue;
                    }
                }
                if self.roles[edge.to.index()] == NodeRole::Point {
                    self.add(machine, source, edge.to, &edges, false);
                } else if self.roles[edge.to.index()] != NodeRole::Unreached {
                    for next in machine.edges_from(edge.to) {
                        let mut longer = edges.clone();
                        longer.push(next);
                        pending.push(longer);
                    }
                }
            }
        }
    }

    fn add(
        &mut self,
        machine: &Machine,
        source: NodeId,
        target: NodeId,
        edges: &[EdgeId],
        enters: bool,
    ) {
        let procedure = machine.procedure_of(source);
        let component = machine.calls().component_of(procedure);
        let is_recursive = machine.calls().is_recursive(procedure);
        let number = self.blocks.len();
        let is_head = machine.node_order().is_loop_head(target);
        let drop = usize::from(enters || is_head);
        let mut calls = Vec::new();
        let completed = edges.len() - usize::from(enters);
        for &edge in &edges[..completed] {
            if let Action::Call { callee, .. } = machine.edge(edge).action {
                let exit = machine.procedure(callee).exit;
                let is_same = is_recursive && machine.calls().component_of(callee) == component;
                // Never above the source: what it takes to get there may use the same summary.
                calls.push((exit, drop.max(usize::from(is_same))));
                if !self.users[exit.index()].contains(&number) {
                    self.users[exit.index()].push(number);
                }
            }
        }
        self.incoming[target.index()].push(number);
        self.outgoing[source.index()].push(number);
        self.blocks.push(Block {
            source,
            target,
            edges: edges.to_vec(),
            enters,
            drop,
            calls,
        });
    }
}

/// The bits of an edge's choices that no variable keeps.
fn open_choices(machine: &Machine, slice: &Slice, id: EdgeId) -> u32 {
    let edge = machine.edge(id);
    let procedure = machine.procedure_of(edge.from);
    let mut widths: Vec<u32> = edge.inputs.iter().map(|ty| ty.width()).collect();
    if let Action::Assign { assignments, .. } = &edge.action {
        for &(variable, value) in assignments {
            if let Expr::Input(input, _) = *machine.exprs.get(value)
                && slice.relevant(procedure, variable)
                && machine.liveness().is_live(edge.to, variable)
            {
                widths[input.index()] = 0;
            }
        }
    }
    widths.iter().sum()
}

/// Whether the weakest precondition of an edge has no quantifier.
fn is_plain(machine: &Machine, id: EdgeId) -> bool {
    let edge = machine.edge(id);
    let bits: u32 = edge.inputs.iter().map(|ty| ty.width()).sum();
    let is_simple = !matches!(
        edge.action,
        Action::Call { .. } | Action::EndThread | Action::StartThread(_)
    );
    is_simple && bits <= FEW_CHOICES
}

/// Whether the strongest postcondition of an edge has no quantifier, at the end of a chain of
/// edges from a point.
fn is_invertible(
    machine: &Machine,
    slice: &Slice,
    (point, chain): &(NodeId, Vec<EdgeId>),
    id: EdgeId,
) -> bool {
    let edge = machine.edge(id);
    let procedure = machine.procedure_of(edge.from);
    if open_choices(machine, slice, id) > FEW_CHOICES {
        return false;
    }
    let mut written: Vec<Variable> = Vec::new();
    each_write(machine, id, |variable| written.push(variable));
    match &edge.action {
        Action::Call {
            callee, targets, ..
        } => {
            let effects = machine.effects();
            let ids = (0..machine.globals.len()).map(hardbop_machine::GlobalId::new);
            let modified: Vec<Variable> = ids
                .filter(|&global| effects.modifies(*callee, global))
                .map(Variable::Global)
                .filter(|&global| slice.relevant(procedure, global))
                .collect();
            // The summary mentions their values at the call, which are gone after it.
            let entry = machine.procedure(*callee).entry;
            if modified
                .iter()
                .any(|&global| machine.liveness().is_live(entry, global))
            {
                return false;
            }
            written.extend(modified);
            // A result that is thrown away would be quantified.
            let is_kept = |target: &Option<Variable>| {
                target.is_some_and(|target| slice.relevant(procedure, target))
            };
            if !targets.iter().all(is_kept) {
                return false;
            }
        }
        Action::EndThread | Action::StartThread(_) => return false,
        _ => {}
    }
    written.retain(|&variable| slice.relevant(procedure, variable));
    let mut is_free = true;
    let mut exclude = |variable: Variable| is_free &= !written.contains(&variable);
    each_read(machine, id, &mut exclude);
    for &earlier in chain {
        each_read(machine, earlier, &mut exclude);
        each_write(machine, earlier, &mut exclude);
        if let Action::Call { callee, .. } = machine.edge(earlier).action {
            for (index, _) in machine.globals.iter().enumerate() {
                let global = hardbop_machine::GlobalId::new(index);
                if machine.effects().modifies(callee, global) {
                    exclude(Variable::Global(global));
                }
            }
        }
    }
    is_free
        && !written
            .iter()
            .any(|&variable| machine.liveness().is_live(*point, variable))
}
