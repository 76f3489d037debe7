//! A block: all paths from one cut point to the next ones, as one circuit.
//!
//! States are joined where paths meet, so the circuit has the size of the graph, not of its paths.
//! Every way of taking inputs and choices is one path, so at most one path is taken in a model.
//! A block ends at cut points of the same procedure and at entries of called procedures. What a
//! callee does is arbitrary in the circuit; the facts about its exit become assumptions of a query.

use crate::cuts::{Cuts, leads_on};
use hardbop_machine::analysis::QuickMap;
use hardbop_machine::bits::{BitGraph, BitId, BitNode, BitView};
use hardbop_machine::expr::Leaf;
use hardbop_machine::{
    Action, EdgeId, ExprArena, ExprId, GlobalId, InputId, NodeId, ProcId, Variable,
};
use hardbop_sat::{Circuit, Lit, Solver};
use std::collections::BTreeMap;

/// A state of a procedure, now and when it was entered, bit by bit.
#[derive(Clone)]
pub(crate) struct Frame {
    pub procedure: ProcId,
    now: Vec<Lit>,
    entry: Vec<Lit>,
}

/// Where a block ends.
pub(crate) struct End {
    /// The cut point.
    pub node: NodeId,
    /// Whether a run ends there.
    pub reached: Lit,
    /// Index of its state among the frames.
    pub frame: usize,
}

/// A call within a block.
pub(crate) struct CallSite {
    pub callee: ProcId,
    /// Whether the run goes through the call.
    pub returns: Lit,
    /// Index of the callee's state at its exit among the frames.
    pub frame: usize,
}

/// The circuit of a block.
pub(crate) struct Block<'i> {
    pub circuit: Circuit<'i>,
    pub ends: Vec<End>,
    pub calls: Vec<CallSite>,
    /// The first is the start.
    frames: Vec<Frame>,
    known: Vec<QuickMap<BitId, Lit>>,
}

/// The ways that reach a node: conditions and states.
type Ways = Vec<(Lit, Vec<Lit>)>;

/// The frame of the start.
pub(crate) const START: usize = 0;

impl<'i> Block<'i> {
    fn empty(interrupt: &'i dyn Fn() -> bool) -> Self {
        let mut solver = Solver::new();
        solver.set_interrupt(interrupt);
        Self {
            circuit: Circuit::new(solver),
            ends: Vec::new(),
            calls: Vec::new(),
            frames: Vec::new(),
            known: Vec::new(),
        }
    }

    /// The block that consists of the initial states.
    pub fn initial(view: &BitView<'_>, main: ProcId, interrupt: &'i dyn Fn() -> bool) -> Self {
        let mut block = Self::empty(interrupt);
        let machine = view.machine();
        let mut now = block.arbitrary(view, main);
        for (index, global) in machine.globals.iter().enumerate() {
            let bits = view.bits_of(main, Variable::Global(GlobalId::new(index)));
            for (bit, place) in bits.enumerate() {
                if let Some(value) = global.initial {
                    now[place as usize] = block.circuit.constant(value >> bit & 1 == 1);
                }
            }
        }
        let frame = block.frame(Frame {
            procedure: main,
            entry: now.clone(),
            now,
        });
        block.ends.push(End {
            node: machine.procedure(main).entry,
            reached: block.circuit.constant(true),
            frame,
        });
        block
    }

    /// The block that starts at a cut point.
    pub fn new(
        view: &mut BitView<'_>,
        cuts: &Cuts,
        start: NodeId,
        interrupt: &'i dyn Fn() -> bool,
    ) -> Self {
        let mut block = Self::empty(interrupt);
        let machine = view.machine();
        let procedure = machine.procedure_of(start);
        let now = block.arbitrary(view, procedure);
        let entry = if start == machine.procedure(procedure).entry && !cuts_a_cycle(view, start) {
            now.clone()
        } else {
            block.entry_of(view, procedure, &now)
        };
        let frame = Frame {
            procedure,
            now: now.clone(),
            entry: entry.clone(),
        };
        block.frame(frame);
        let mut pending: BTreeMap<u32, (NodeId, Ways)> = BTreeMap::new();
        let mut ends: BTreeMap<NodeId, Ways> = BTreeMap::new();
        let mut at = Some((start, block.circuit.constant(true), now));
        while let Some((node, reached, now)) = at.take() {
            for (id, chosen) in block.choices(view, node) {
                let reached = block.circuit.and(reached, chosen);
                let Some((condition, after)) = block.take(view, id, reached, &now) else {
                    continue;
                };
                let to = machine.edge(id).to;
                if cuts.contains(to) {
                    ends.entry(to).or_default().push((condition, after));
                } else {
                    let position = machine.node_order().position(to);
                    let ways = pending.entry(position).or_insert_with(|| (to, Vec::new()));
                    ways.1.push((condition, after));
                }
            }
            if let Some((_, (node, ways))) = pending.pop_first() {
                let (reached, now) = block.join(ways);
                at = Some((node, reached, now));
            }
        }
        for (node, ways) in ends {
            let (reached, now) = block.join(ways);
            let entry = entry.clone();
            let frame = block.frame(Frame {
                procedure,
                now,
                entry,
            });
            block.ends.push(End {
                node,
                reached,
                frame,
            });
        }
        block
    }

    fn frame(&mut self, frame: Frame) -> usize {
        self.frames.push(frame);
        self.known.push(QuickMap::default());
        self.frames.len() - 1
    }

    fn arbitrary(&mut self, view: &BitView<'_>, procedure: ProcId) -> Vec<Lit> {
        let count = view.layout().local_bits(procedure).end;
        (0..count).map(|_| self.circuit.input()).collect()
    }

    /// An arbitrary entry state; globals that the procedure never modifies are as they are now.
    fn entry_of(&mut self, view: &BitView<'_>, procedure: ProcId, now: &[Lit]) -> Vec<Lit> {
        let mut entry = self.arbitrary(view, procedure);
        let machine = view.machine();
        for global in (0..machine.globals.len()).map(GlobalId::new) {
            if !machine.effects().modifies(procedure, global) {
                for place in view.bits_of(procedure, Variable::Global(global)) {
                    entry[place as usize] = now[place as usize];
                }
            }
        }
        entry
    }

    /// The edges of a node, each with the condition that the run takes it. At most one of these
    /// holds: where paths meet, one state is chosen by the condition of its path.
    fn choices(&mut self, view: &mut BitView<'_>, node: NodeId) -> Vec<(EdgeId, Lit)> {
        let machine = view.machine();
        let edges: Vec<EdgeId> = machine.edges_from(node).collect();
        let mut rest = self.circuit.constant(true);
        if let [a, b] = *edges
            && machine.edge(a).inputs.is_empty()
            && machine.edge(b).inputs.is_empty()
        {
            let (first, second) = (view.edge(a).guard, view.edge(b).guard);
            if view.graph_mut().not(first) == second {
                return vec![(a, rest), (b, rest)];
            }
        }
        let mut choices = Vec::with_capacity(edges.len());
        for (index, &edge) in edges.iter().enumerate() {
            if index + 1 == edges.len() {
                choices.push((edge, rest));
            } else {
                let here = self.circuit.input();
                choices.push((edge, self.circuit.and(rest, here)));
                rest = self.circuit.and(rest, !here);
            }
        }
        choices
    }

    fn join(&mut self, mut ways: Ways) -> (Lit, Vec<Lit>) {
        let (mut reached, mut now) = ways
            .pop()
            .expect("a node is pending once a way leads there");
        for (condition, other) in ways {
            for (bit, other) in now.iter_mut().zip(other) {
                *bit = self.circuit.ite(condition, other, *bit);
            }
            reached = self.circuit.or(reached, condition);
        }
        (reached, now)
    }

    /// Takes an edge: the condition under which it is taken, and the state after it, of a call
    /// after its return. `None` if it cannot be taken or leads nowhere.
    fn take(
        &mut self,
        view: &mut BitView<'_>,
        id: EdgeId,
        reached: Lit,
        now: &[Lit],
    ) -> Option<(Lit, Vec<Lit>)> {
        let machine = view.machine();
        let edge = machine.edge(id);
        let procedure = machine.procedure_of(edge.from);
        let bits = view.edge(id);
        let mut taking = Taking {
            now,
            next: now.to_vec(),
            inputs: BTreeMap::new(),
            known: QuickMap::default(),
        };
        let guard = taking.literal(&mut self.circuit, view, procedure, bits.guard);
        let mut condition = self.circuit.and(reached, guard);
        if self.circuit.as_constant(condition) == Some(false) {
            return None;
        }
        for write in &bits.assignments {
            let value = taking.literal(&mut self.circuit, view, procedure, write.value);
            let place = view.bits_of(procedure, write.variable).start + u32::from(write.bit);
            taking.next[place as usize] = value;
        }
        let constrain = taking.literal(&mut self.circuit, view, procedure, bits.constrain);
        condition = self.circuit.and(condition, constrain);
        if let Action::Call { callee, .. } = edge.action {
            let mut entered = self.arbitrary(view, callee);
            let globals = view.layout().global_bits().end as usize;
            entered[..globals].copy_from_slice(&now[..globals]);
            for write in &bits.arguments {
                let value = taking.literal(&mut self.circuit, view, procedure, write.value);
                let place = view.bits_of(callee, write.variable).start + u32::from(write.bit);
                entered[place as usize] = value;
            }
            let mut left = self.arbitrary(view, callee);
            for global in (0..machine.globals.len()).map(GlobalId::new) {
                if !machine.effects().modifies(callee, global) {
                    for place in view.bits_of(callee, Variable::Global(global)) {
                        left[place as usize] = entered[place as usize];
                    }
                }
            }
            let mut after = now.to_vec();
            after[..globals].copy_from_slice(&left[..globals]);
            for result in &bits.results {
                let from = view.bits_of(callee, Variable::Local(result.result)).start;
                let to = view.bits_of(procedure, result.target).start;
                let bit = u32::from(result.bit);
                after[(to + bit) as usize] = left[(from + bit) as usize];
            }
            let entry_frame = self.frame(Frame {
                procedure: callee,
                now: entered.clone(),
                entry: entered.clone(),
            });
            self.ends.push(End {
                node: machine.procedure(callee).entry,
                reached: condition,
                frame: entry_frame,
            });
            let exit_frame = self.frame(Frame {
                procedure: callee,
                now: left,
                entry: entered,
            });
            let returns = self.circuit.input();
            self.calls.push(CallSite {
                callee,
                returns,
                frame: exit_frame,
            });
            let condition = self.circuit.and(condition, returns);
            return Some((condition, after));
        }
        leads_on(edge).then_some((condition, taking.next))
    }

    /// The literal of a formula about the state of a frame.
    pub fn formula(&mut self, view: &BitView<'_>, frame: usize, root: BitId) -> Lit {
        let Self {
            circuit,
            frames,
            known,
            ..
        } = self;
        let state = &frames[frame];
        let place = |variable, bit: u8| {
            (view.bits_of(state.procedure, variable).start + u32::from(bit)) as usize
        };
        literal(
            circuit,
            view.graph(),
            root,
            &mut known[frame],
            |_, leaf| match leaf {
                BitNode::Var(variable, bit) => state.now[place(variable, bit)],
                BitNode::Next(variable, bit) => state.entry[place(variable, bit)],
                _ => unreachable!("a fact has no choices"),
            },
        )
    }

    /// The value of an expression in the state of a frame, in the last model.
    pub fn value(
        &mut self,
        view: &BitView<'_>,
        frame: usize,
        exprs: &ExprArena,
        root: ExprId,
    ) -> u64 {
        let solver = self.circuit.solver();
        let state = &self.frames[frame];
        exprs.eval(root, &mut |leaf| {
            let (bits, variable) = match leaf {
                Leaf::Var(variable) => (&state.now, variable),
                Leaf::Next(variable) => (&state.entry, variable),
                Leaf::Input(_) => unreachable!("a fact has no choices"),
            };
            let places = view.bits_of(state.procedure, variable);
            places.enumerate().fold(0, |value, (bit, place)| {
                let is_set = solver.value(bits[place as usize]) == Some(true);
                value | u64::from(is_set) << bit
            })
        })
    }

    /// Whether a literal is true in the last model.
    pub fn is_true(&mut self, lit: Lit) -> bool {
        self.circuit.solver().value(lit) == Some(true)
    }
}

/// Whether an edge leads back to the entry of its procedure.
fn cuts_a_cycle(view: &BitView<'_>, entry: NodeId) -> bool {
    view.machine().node_order().is_loop_head(entry)
}

/// The literals of one edge.
struct Taking<'n> {
    now: &'n [Lit],
    next: Vec<Lit>,
    inputs: BTreeMap<(InputId, u8), Lit>,
    known: QuickMap<BitId, Lit>,
}

impl Taking<'_> {
    fn literal(
        &mut self,
        circuit: &mut Circuit<'_>,
        view: &BitView<'_>,
        procedure: ProcId,
        root: BitId,
    ) -> Lit {
        let place =
            |variable, bit: u8| (view.bits_of(procedure, variable).start + u32::from(bit)) as usize;
        let (now, next, inputs) = (self.now, &self.next, &mut self.inputs);
        literal(
            circuit,
            view.graph(),
            root,
            &mut self.known,
            |circuit, leaf| match leaf {
                BitNode::Var(variable, bit) => now[place(variable, bit)],
                BitNode::Next(variable, bit) => next[place(variable, bit)],
                BitNode::Input(input, bit) => *inputs
                    .entry((input, bit))
                    .or_insert_with(|| circuit.input()),
                _ => unreachable!("the others are no leaves"),
            },
        )
    }
}

/// The literal of a formula; leaves come from the caller.
fn literal<'i>(
    circuit: &mut Circuit<'i>,
    graph: &BitGraph,
    root: BitId,
    known: &mut QuickMap<BitId, Lit>,
    mut leaf: impl FnMut(&mut Circuit<'i>, BitNode) -> Lit,
) -> Lit {
    let mut pending = vec![root];
    while let Some(&id) = pending.last() {
        if known.contains_key(&id) {
            pending.pop();
            continue;
        }
        let node = graph.get(id);
        let open: Vec<BitId> = node
            .operands()
            .filter(|op| !known.contains_key(op))
            .collect();
        if !open.is_empty() {
            pending.extend(open);
            continue;
        }
        pending.pop();
        let lit = match node {
            BitNode::Const(value) => circuit.constant(value),
            BitNode::Not(a) => !known[&a],
            BitNode::And(a, b) => circuit.and(known[&a], known[&b]),
            BitNode::Or(a, b) => circuit.or(known[&a], known[&b]),
            BitNode::Xor(a, b) => circuit.xor(known[&a], known[&b]),
            BitNode::Ite(c, a, b) => circuit.ite(known[&c], known[&a], known[&b]),
            leaf_node => leaf(circuit, leaf_node),
        };
        known.insert(id, lit);
    }
    known[&root]
}
