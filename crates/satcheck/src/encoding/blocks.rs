//! The blocks of a machine: where function terms stand, and what their arguments are.
//!
//! Leino's programs (section 1.0) are blocks of statements with a `goto` at the end; the machine
//! has one node per statement. A *block head* is a node where control can come from, or go to, more
//! than one place: joins, branches, calls, ends of calls, targets. Between heads every node has one
//! way in and one way out, so an edge that leaves a head determines the whole [`Blocks::chain`] of
//! edges up to the next head, and only heads need function terms. The arguments of a block's
//! function are the bits that are live at its head and relevant (Figure 3: "varying numbers of
//! variables on entry"); equal arguments then mean equal futures, and terms that differ
//! in dead values are one.

use hardbop_machine::analysis::order::predecessors;
use hardbop_machine::analysis::variables::each_read;
use hardbop_machine::analysis::{BitSet, CallGraph, NodeOrder, Slice};
use hardbop_machine::bits::BitLayout;
use hardbop_machine::{Action, EdgeId, GlobalId, Machine, NodeId, ProcId, Variable};

/// One bit of a variable as seen from a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    /// The variable.
    pub(crate) variable: Variable,
    /// Its bit, from the lowest.
    pub(crate) bit: u8,
    /// The number of the bit in the frame ([`BitLayout`]).
    pub(crate) slot: u32,
}

/// What is known of a machine and a question before any state is looked at.
pub(crate) struct Blocks<'m> {
    /// The machine.
    pub(crate) machine: &'m Machine,
    /// Numbers of bits.
    pub(crate) layout: BitLayout,
    slice: Slice,
    heads: BitSet,
    /// See [`Blocks::is_behind`].
    behind: BitSet,
    /// Per node the arguments of its function; empty unless it is a head.
    arguments: Vec<Vec<Argument>>,
    /// Procedures that no run enters twice.
    once: BitSet,
}

impl<'m> Blocks<'m> {
    /// Finds the blocks for a question with these targets. Linear, apart from the size of the live
    /// sets.
    pub(crate) fn new(machine: &'m Machine, targets: &[NodeId]) -> Self {
        let slice = Slice::new(machine, targets);
        let heads = heads(machine, machine.node_order(), targets);
        let once = procedures_entered_once(machine, machine.calls(), machine.node_order());
        let behind = behind(machine, &slice);
        let mut blocks = Self {
            machine,
            layout: BitLayout::new(machine),
            slice,
            heads,
            behind,
            arguments: Vec::new(),
            once,
        };
        let mut arguments = vec![Vec::new(); machine.nodes.len()];
        for node in blocks.heads.iter().map(NodeId::new) {
            arguments[node.index()] = blocks.arguments_at(node);
        }
        blocks.arguments = arguments;
        blocks
    }

    /// Whether no way leads from a node to a target, nor to anything that has to be known of states
    /// before one: no function term is needed there, and an invariant may say anything.
    pub(crate) fn is_behind(&self, node: NodeId) -> bool {
        self.behind.contains(node.index())
    }

    /// The nodes behind all targets.
    pub(crate) fn behind(&self) -> impl Iterator<Item = NodeId> {
        self.behind.iter().map(NodeId::new)
    }

    /// Whether function terms stand at the node.
    pub(crate) fn is_head(&self, node: NodeId) -> bool {
        self.heads.contains(node.index())
    }

    /// How many block heads the procedures have that may run.
    pub(crate) fn head_count(&self) -> usize {
        let heads = self.heads.iter().map(NodeId::new);
        heads
            .filter(|&node| {
                self.machine
                    .calls()
                    .is_reachable(self.machine.procedure_of(node))
            })
            .count()
    }

    /// How many arguments the functions of all these blocks have together.
    pub(crate) fn argument_count(&self) -> usize {
        let heads = self.heads.iter().map(NodeId::new);
        heads
            .filter(|&node| {
                self.machine
                    .calls()
                    .is_reachable(self.machine.procedure_of(node))
            })
            .map(|node| self.arguments(node).len())
            .sum()
    }

    /// The arguments of the function of a head.
    pub(crate) fn arguments(&self, node: NodeId) -> &[Argument] {
        &self.arguments[node.index()]
    }

    /// The relevant bits that are live at any node.
    pub(crate) fn arguments_at(&self, node: NodeId) -> Vec<Argument> {
        let procedure = self.machine.procedure_of(node);
        let live = self.machine.liveness().live_at(node);
        let live = live.filter(|&variable| self.counts(procedure, variable));
        live.flat_map(|variable| {
            let slots = self.layout.bits_of(procedure, variable);
            (0..).zip(slots).map(move |(bit, slot)| Argument {
                variable,
                bit,
                slot,
            })
        })
        .collect()
    }

    /// Whether the value of a variable matters at a node.
    pub(crate) fn matters(&self, node: NodeId, variable: Variable) -> bool {
        self.machine.liveness().is_live(node, variable)
            && self.counts(self.machine.procedure_of(node), variable)
    }

    /// Whether a procedure, or anything it calls, reads or writes a global. One that it does not is
    /// no argument of its blocks: the value passes around it, from before a call to after it, and
    /// calls that differ in it share an instance.
    pub(crate) fn concerns(&self, procedure: ProcId, global: GlobalId) -> bool {
        self.machine.effects().modifies(procedure, global)
            || self.machine.effects().references(procedure, global)
    }

    /// Whether a variable is relevant, and the procedure has to do with it.
    fn counts(&self, procedure: ProcId, variable: Variable) -> bool {
        let concerns = match variable {
            Variable::Global(id) => self.concerns(procedure, id),
            Variable::Local(_) => true,
        };
        concerns && self.slice.relevant(procedure, variable)
    }

    /// Whether no run enters the procedure twice, so that a choice made in it can be one symbol for
    /// the whole run.
    pub(crate) fn is_entered_once(&self, procedure: ProcId) -> bool {
        self.once.contains(procedure.index())
    }

    /// Whether some run may come back to where it was: by a loop or by recursion.
    pub(crate) fn has_cycles(&self) -> bool {
        let may_run = |&id: &ProcId| self.machine.calls().is_reachable(id);
        let mut procedures = self.machine.procedure_ids().filter(may_run);
        procedures.any(|id| {
            let mut nodes = self.machine.procedure(id).node_ids();
            self.machine.calls().is_recursive(id)
                || nodes.any(|node| self.machine.node_order().is_loop_head(node))
        })
    }

    /// The edges from a head, starting with this one, up to the next head.
    pub(crate) fn chain(&self, first: EdgeId) -> Vec<EdgeId> {
        let mut chain = vec![first];
        let mut node = self.machine.edge(first).to;
        while !self.is_head(node) {
            chain.extend(self.machine.edges_from(node));
            node = self.machine.edge(chain[chain.len() - 1]).to;
        }
        chain
    }

    /// Whether taking the edge ends the program, so that it leads nowhere.
    pub(crate) fn leads_nowhere(&self, edge: EdgeId) -> bool {
        self.machine.edge(edge).action == Action::EndThread
    }

    /// The most bits of choices that any chain has, with bits that it reads but that no argument
    /// tells.
    pub(crate) fn most_choices(&self) -> u32 {
        let heads = self.heads.iter().map(NodeId::new);
        let first_edges = heads.flat_map(|node| self.machine.edges_from(node));
        let counts = first_edges.map(|first| {
            let chain = self.chain(first);
            chain.iter().map(|&edge| self.choices_on(edge)).sum()
        });
        counts.max().unwrap_or(0)
    }

    fn choices_on(&self, id: EdgeId) -> u32 {
        let edge = self.machine.edge(id);
        let procedure = self.machine.procedure_of(edge.from);
        let mut count: u32 = edge.inputs.iter().map(|ty| ty.width()).sum();
        each_read(self.machine, id, |variable| {
            count += self.machine.type_of(procedure, variable).width();
        });
        if let Action::Call {
            callee, targets, ..
        } = &edge.action
        {
            let locals = self.layout.local_bits(*callee);
            count += locals.end - locals.start;
            let targets = targets.iter().flatten();
            count += targets
                .map(|&target| self.machine.type_of(procedure, target).width())
                .sum::<u32>();
        }
        count
    }
}

/// Nodes without a way to a target from which control leads only to others like them: through steps,
/// into procedures that are called from there, and back to all callers. What is said of such nodes
/// is then inductive whatever it says. A node that calls a procedure which leads to a target from
/// elsewhere is not among them, since the invariant of the procedure has to hold for that call too.
fn behind(machine: &Machine, slice: &Slice) -> BitSet {
    let mut behind = BitSet::new(machine.nodes.len());
    for node in machine.node_ids() {
        if slice.has_way_to(node) && !slice.keeps_node(node) {
            behind.insert(node.index());
        }
    }
    // Who relies on a node to be behind.
    let mut users: Vec<Vec<NodeId>> = vec![Vec::new(); machine.nodes.len()];
    for edge in &machine.edges {
        if edge.action == Action::EndThread {
            continue;
        }
        users[edge.to.index()].push(edge.from);
        if let Action::Call { callee, .. } = edge.action {
            let callee = machine.procedure(callee);
            users[callee.entry.index()].push(edge.from);
            users[edge.to.index()].push(callee.exit);
        }
    }
    let mut pending: Vec<NodeId> = machine.node_ids().collect();
    pending.retain(|node| !behind.contains(node.index()));
    while let Some(node) = pending.pop() {
        for user in std::mem::take(&mut users[node.index()]) {
            if behind.contains(user.index()) {
                behind.remove(user.index());
                pending.push(user);
            }
        }
    }
    behind
}

/// Nodes with several ways in or out, calls, the nodes after them, entries, exits, loop heads and
/// targets.
fn heads(machine: &Machine, order: &NodeOrder, targets: &[NodeId]) -> BitSet {
    let incoming = predecessors(machine);
    let mut heads = BitSet::new(machine.nodes.len());
    for procedure in &machine.procedures {
        heads.insert(procedure.entry.index());
        heads.insert(procedure.exit.index());
    }
    for target in targets {
        heads.insert(target.index());
    }
    for node in machine.node_ids() {
        let mut out = machine.edges_from(node);
        let passes = match (out.next(), out.next()) {
            (Some(only), None) => !matches!(
                machine.edge(only).action,
                Action::Call { .. } | Action::EndThread
            ),
            _ => false,
        };
        let is_entered_plainly = match incoming.row(node.index()) {
            [only] => !matches!(machine.edge(*only).action, Action::Call { .. }),
            _ => false,
        };
        if !passes || !is_entered_plainly || order.is_loop_head(node) {
            heads.insert(node.index());
        }
    }
    heads
}

/// The first procedure, and every procedure with a single call site outside of loops in one of
/// these.
fn procedures_entered_once(machine: &Machine, calls: &CallGraph, order: &NodeOrder) -> BitSet {
    let mut once = BitSet::new(machine.procedures.len());
    let Some(main) = machine.threads.first().map(|thread| thread.entry) else {
        return once;
    };
    let cyclic = nodes_on_cycles(machine, order);
    let callers_first: Vec<ProcId> = calls.bottom_up().collect();
    for &procedure in callers_first.iter().rev() {
        let is_once = match calls.calls_of(procedure) {
            [] => procedure == main,
            [site] => {
                procedure != main
                    && once.contains(site.caller.index())
                    && !cyclic.contains(machine.edge(site.edge).from.index())
            }
            _ => false,
        };
        if is_once && !calls.is_recursive(procedure) {
            once.insert(procedure.index());
        }
    }
    once
}

/// Nodes from which control can come back to them within the procedure, or a superset: every node
/// at or behind the first loop head of its procedure that some edge leads back over.
fn nodes_on_cycles(machine: &Machine, order: &NodeOrder) -> BitSet {
    let mut cyclic = BitSet::new(machine.nodes.len());
    // A cycle lies within the positions between the end and the start of one of its back edges, or
    // of overlapping ones.
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for edge in &machine.edges {
        let (from, to) = (order.position(edge.from), order.position(edge.to));
        if from >= to && edge.action != Action::EndThread {
            spans.push((to, from));
        }
    }
    spans.sort_unstable();
    let mut covered = 0;
    for (first, last) in spans {
        for position in first.max(covered)..=last {
            cyclic.insert(order.nodes()[position as usize].index());
        }
        covered = covered.max(last + 1);
    }
    cyclic
}
