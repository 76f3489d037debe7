//! All runs within the bounds, written out as one circuit.
//!
//! A *moment* of a frame is a node with the repetitions of the loops around it. The walk visits the
//! moments of a frame in the order of their [time](super::loops), and a callee's moments right
//! after the call, so it visits a moment after all steps that lead there. Each moment has a
//! *path*, a list of literals, and a literal for every bit of the variables that its procedure sees.
//!
//! **The circuit has all runs.** Claim: for every run within the bounds there are values of the
//! circuit's inputs with which the path of each moment of the run holds, and the literals of that
//! moment have the values of the variables. It is true at the start, where all bits without an
//! initial value are inputs. A step takes one edge with some choices, which are new inputs. Where
//! several edges may be taken, new inputs say which; they are left out only where no two of the
//! guards can hold together. So what is added to the path holds, for the edge that the run takes and
//! no other. Where ways meet, the path of the way that is taken holds, and those of the others do
//! not: each of them has a literal that differs from the run at the moment where it left the run.
//! So [`Walk::join`] chooses the state of the way that is taken. A step whose guard or path is the
//! constant `false` is in no run.

use super::Bounded;
use super::ways::Ways;
use crate::memo::Memo;
use crate::rejected::{Condition, Rejected, Witness, WitnessState};
use crate::translate::{Leaves, edge_formula};
use hardbop_evidence::Limit;
use hardbop_evidence::certificate::Formula;
use hardbop_machine::bits::{BitEdge, BitNode, BitView};
use hardbop_machine::{Action, EdgeId, GlobalId, InputId, Machine, NodeId, ProcId, Variable};
use hardbop_sat::{Lit, Model, Prover, ProvingCircuit};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A literal for every bit that a procedure sees.
type Bits = Rc<[Lit]>;
/// Literals that all hold, oldest first.
type Path = Rc<[Lit]>;

/// A path of more literals is shortened to one.
const LONGEST_PATH: usize = 128;

/// Something that no run may do.
pub(crate) struct Forbidden {
    pub literal: Lit,
    pub condition: Condition,
    pub node: NodeId,
    pub edge: Option<EdgeId>,
    state: Bits,
}

/// A moment that some steps lead to.
struct Ahead {
    node: NodeId,
    repeated: Vec<u32>,
    arriving: Vec<(Path, Bits)>,
}

/// A frame on the stack.
struct Active {
    procedure: ProcId,
    ahead: BTreeMap<Vec<u32>, Ahead>,
    /// Calls that are to be entered: the edge, where it starts, and the state there and in the
    /// callee.
    calls: Vec<Entering>,
    /// The call that this frame is for.
    for_call: Option<Rc<Waiting>>,
    /// Path and state at the exit.
    at_exit: Option<(Path, Bits)>,
}

struct Waiting {
    edge: EdgeId,
    repeated: Vec<u32>,
    state: Bits,
}

struct Entering {
    waiting: Waiting,
    callee: ProcId,
    path: Path,
    state: Bits,
}

/// The walk.
pub(crate) struct Walk<'w, 'i> {
    machine: &'w Machine,
    bounded: &'w Bounded,
    ways: &'w Ways,
    targets: &'w BTreeSet<NodeId>,
    is_over: &'i dyn Fn() -> bool,
    pub circuit: ProvingCircuit<'i>,
    pub forbidden: Vec<Forbidden>,
    view: BitView<'w>,
    edges: Vec<Option<Rc<BitEdge>>>,
    memo: Memo,
    on_stack: Vec<u32>,
}

impl<'w, 'i> Walk<'w, 'i> {
    pub fn new(
        machine: &'w Machine,
        bounded: &'w Bounded,
        ways: &'w Ways,
        targets: &'w BTreeSet<NodeId>,
        is_over: &'i dyn Fn() -> bool,
    ) -> Self {
        Self {
            machine,
            bounded,
            ways,
            targets,
            is_over,
            circuit: ProvingCircuit::new(Prover::new(is_over)),
            forbidden: Vec::new(),
            view: BitView::new(machine),
            edges: vec![None; machine.edges.len()],
            memo: Memo::default(),
            on_stack: vec![0; machine.procedures.len()],
        }
    }

    /// Writes out all runs that begin with a procedure.
    pub fn from(&mut self, main: ProcId) -> Result<(), Rejected> {
        let entry = self.machine.procedure(main).entry;
        if !self.ways.keeps(entry) {
            return Ok(());
        }
        let state = self.initial_state(main);
        let mut stack = vec![self.activate(main, Rc::from([]), state, None)];
        while let Some(active) = stack.last_mut() {
            if let Some(entering) = active.calls.pop() {
                let Entering {
                    waiting,
                    callee,
                    path,
                    state,
                } = entering;
                let entered = self.activate(callee, path, state, Some(Rc::new(waiting)));
                stack.push(entered);
                continue;
            }
            if let Some((_, ahead)) = active.ahead.pop_first() {
                if (self.is_over)() {
                    return Err(Rejected::Interrupted(Limit::Interrupted));
                }
                self.visit(active, ahead);
                continue;
            }
            let Some(done) = stack.pop() else { break };
            self.on_stack[done.procedure.index()] -= 1;
            if let (Some(caller), Some(call), Some((path, state))) =
                (stack.last_mut(), done.for_call, done.at_exit)
            {
                self.leave(caller, &call, path, &state);
            }
        }
        Ok(())
    }

    fn initial_state(&mut self, main: ProcId) -> Bits {
        let count = self.view.layout().local_bits(main).end;
        let mut bits: Vec<Lit> = (0..count).map(|_| self.circuit.input()).collect();
        for (index, global) in self.machine.globals.iter().enumerate() {
            if let Some(value) = global.initial {
                let range = self
                    .view
                    .bits_of(main, Variable::Global(GlobalId::new(index)));
                for (bit, number) in range.enumerate() {
                    bits[number as usize] = self.circuit.constant(value >> bit & 1 == 1);
                }
            }
        }
        bits.into()
    }

    fn activate(
        &mut self,
        procedure: ProcId,
        path: Path,
        state: Bits,
        for_call: Option<Rc<Waiting>>,
    ) -> Active {
        self.on_stack[procedure.index()] += 1;
        let node = self.machine.procedure(procedure).entry;
        let repeated = self.bounded.loops.at_start(node);
        let time = self.bounded.loops.time(node, &repeated);
        let ahead = Ahead {
            node,
            repeated,
            arriving: vec![(path, state)],
        };
        Active {
            procedure,
            ahead: BTreeMap::from([(time, ahead)]),
            calls: Vec::new(),
            for_call,
            at_exit: None,
        }
    }

    /// Takes all steps from a moment.
    fn visit(&mut self, active: &mut Active, ahead: Ahead) {
        let Ahead {
            node,
            repeated,
            arriving,
        } = ahead;
        let (path, state) = self.join(arriving);
        if self.targets.contains(&node) {
            self.forbid(Condition::RunKeepsOff, node, None, &path, &state);
        }
        if node == self.machine.procedure(active.procedure).exit {
            active.at_exit = Some((path, state));
            return;
        }
        let mut steps = Vec::new();
        for id in self.machine.edges_from(node) {
            if self.ways.keeps_edge(self.machine, id) {
                let (guard, after) = self.fire(active.procedure, id, &state);
                let guards = self.circuit.conjuncts(guard);
                if self.extended(&path, &guards).is_some() {
                    steps.push((id, guards, after));
                }
            }
        }
        let may_overlap = steps.iter().enumerate().any(|(number, (_, guards, _))| {
            let mut others = steps[..number].iter();
            others.any(|(_, other, _)| !exclude_each_other(guards, other))
        });
        let mut not_taken = Vec::new();
        let count = steps.len();
        for (number, (id, guards, after)) in steps.into_iter().enumerate() {
            let mut more: Vec<Lit> = not_taken.clone();
            if may_overlap && number + 1 < count {
                let is_taken = self.circuit.input();
                more.push(is_taken);
                not_taken.push(!is_taken);
            }
            more.extend(guards);
            if let Some(path) = self.extended(&path, &more) {
                self.step(active, id, &repeated, &state, path, after);
            }
        }
    }

    /// An edge from a state: when it can be taken, and the state after it or in the callee.
    fn fire(&mut self, procedure: ProcId, id: EdgeId, before: &Bits) -> (Lit, Bits) {
        let edge = if let Some(known) = &self.edges[id.index()] {
            Rc::clone(known)
        } else {
            let translated = Rc::new(self.view.edge(id));
            self.edges[id.index()] = Some(Rc::clone(&translated));
            translated
        };
        self.memo.clear();
        let mut leaves = StateLeaves {
            circuit: &mut self.circuit,
            view: &self.view,
            procedure,
            before,
            after: before,
            inputs: BTreeMap::new(),
        };
        let graph = self.view.graph();
        let guard = edge_formula(&mut self.memo, graph, edge.guard, &mut leaves);
        if leaves.circuit.as_constant(guard) == Some(false) {
            return (guard, Rc::clone(before));
        }
        let (owner, writes, mut after) = match self.machine.edge(id).action {
            Action::Call { callee, .. } => {
                let globals = self.view.layout().global_bits().end;
                let count = self.view.layout().local_bits(callee).end;
                let mut entry = before[..globals as usize].to_vec();
                entry.extend((globals..count).map(|_| leaves.circuit.input()));
                (callee, &edge.arguments, entry)
            }
            _ => (procedure, &edge.assignments, before.to_vec()),
        };
        for write in writes {
            let value = edge_formula(&mut self.memo, graph, write.value, &mut leaves);
            let first = self.view.bits_of(owner, write.variable).start;
            after[(first + u32::from(write.bit)) as usize] = value;
        }
        let after: Bits = after.into();
        // Only an assignment has a condition on the state after it, which is known only now.
        leaves.after = &after;
        let constrain = edge_formula(&mut self.memo, graph, edge.constrain, &mut leaves);
        (self.circuit.and(guard, constrain), after)
    }

    fn step(
        &mut self,
        active: &mut Active,
        id: EdgeId,
        repeated: &[u32],
        before: &Bits,
        path: Path,
        after: Bits,
    ) {
        let Action::Call { callee, .. } = self.machine.edge(id).action else {
            self.arrive(active, id, repeated, path, after);
            return;
        };
        if self.on_stack[callee.index()] >= self.bounded.frames[callee.index()] {
            let node = self.machine.edge(id).from;
            self.forbid(Condition::BoundIsKept, node, Some(id), &path, before);
            return;
        }
        active.calls.push(Entering {
            waiting: Waiting {
                edge: id,
                repeated: repeated.to_vec(),
                state: Rc::clone(before),
            },
            callee,
            path,
            state: after,
        });
    }

    /// Leads to the end of an edge, unless a bound forbids it.
    fn arrive(
        &mut self,
        active: &mut Active,
        id: EdgeId,
        repeated: &[u32],
        path: Path,
        state: Bits,
    ) {
        let edge = self.machine.edge(id);
        let (from, to) = (edge.from, edge.to);
        let loops = &self.bounded.loops;
        let repeated = loops.after(from, repeated, to);
        if let Some(head) = loops.repeated(from, to) {
            let times = repeated.last().copied().unwrap_or(0);
            let most = self.bounded.repetitions.get(&head).copied().unwrap_or(0);
            if times > most {
                self.forbid(Condition::BoundIsKept, from, Some(id), &path, &state);
                return;
            }
        }
        let time = loops.time(to, &repeated);
        let ahead = active.ahead.entry(time).or_insert_with(|| Ahead {
            node: to,
            repeated,
            arriving: Vec::new(),
        });
        ahead.arriving.push((path, state));
    }

    /// Returns from a call: the locals of the caller, the globals and results of the callee.
    fn leave(&mut self, caller: &mut Active, call: &Waiting, path: Path, exit: &Bits) {
        if !self.ways.keeps(self.machine.edge(call.edge).to) {
            return;
        }
        let Action::Call { callee, .. } = self.machine.edge(call.edge).action else {
            return;
        };
        let globals = self.view.layout().global_bits().end as usize;
        let mut state = call.state.to_vec();
        state[..globals].copy_from_slice(&exit[..globals]);
        let edge = self.edges[call.edge.index()].clone();
        for result in edge.iter().flat_map(|edge| &edge.results) {
            let to = self.view.bits_of(caller.procedure, result.target).start;
            let from = self
                .view
                .bits_of(callee, Variable::Local(result.result))
                .start;
            let bit = u32::from(result.bit);
            state[(to + bit) as usize] = exit[(from + bit) as usize];
        }
        self.arrive(caller, call.edge, &call.repeated, path, state.into());
    }

    fn forbid(
        &mut self,
        condition: Condition,
        node: NodeId,
        edge: Option<EdgeId>,
        path: &[Lit],
        state: &Bits,
    ) {
        let literal = self.circuit.all(path.iter().copied());
        self.forbidden.push(Forbidden {
            literal,
            condition,
            node,
            edge,
            state: Rc::clone(state),
        });
    }

    /// A path with more literals; `None` if they cannot all hold.
    fn extended(&mut self, path: &[Lit], more: &[Lit]) -> Option<Path> {
        let mut longer = path.to_vec();
        for &lit in more {
            if self.circuit.as_constant(lit) == Some(false) || longer.contains(&!lit) {
                return None;
            }
            if self.circuit.as_constant(lit).is_none() && !longer.contains(&lit) {
                longer.push(lit);
            }
        }
        if longer.len() > LONGEST_PATH {
            let all = self.circuit.all(longer);
            longer = vec![all];
        }
        Some(longer.into())
    }

    /// One path and one state for several. Two paths of which one holds become what they share and
    /// the disjunction of the rest; neighbours in the order of paths that share most come first.
    fn join(&mut self, mut arriving: Vec<(Path, Bits)>) -> (Path, Bits) {
        arriving.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut shared: Vec<usize> = arriving
            .windows(2)
            .map(|pair| shared_literals(&pair[0].0, &pair[1].0))
            .collect();
        while let Some(most) = shared.iter().copied().max() {
            let at = shared.iter().rposition(|&count| count == most).unwrap_or(0);
            shared.remove(at);
            let (path, state) = arriving.remove(at + 1);
            let (earlier, other) = &mut arriving[at];
            let first = self.circuit.all(earlier[most..].iter().copied());
            let second = self.circuit.all(path[most..].iter().copied());
            let either = self.circuit.or(first, second);
            let mut joined = path[..most].to_vec();
            if self.circuit.as_constant(either) != Some(true) {
                joined.push(either);
            }
            *earlier = joined.into();
            if *other != state {
                let pairs = other.iter().zip(state.iter());
                *other = pairs
                    .map(|(&a, &b)| self.circuit.ite(first, a, b))
                    .collect();
            }
            // What is shared with the neighbours may be less than before, never more.
            if at > 0 {
                shared[at - 1] = shared_literals(&arriving[at - 1].0, &arriving[at].0);
            }
            if let Some(next) = arriving.get(at + 1) {
                shared[at] = shared_literals(&arriving[at].0, &next.0);
            }
        }
        arriving
            .pop()
            .unwrap_or_else(|| (Rc::from([]), Rc::from([])))
    }

    /// The values of the variables where something forbidden happens.
    pub fn witness(&self, model: &Model, shown: &Forbidden) -> Witness {
        let procedure = self.machine.procedure_of(shown.node);
        let globals = (0..self.machine.globals.len()).map(|i| Variable::Global(GlobalId::new(i)));
        let locals = self.machine.procedure(procedure).local_ids();
        let variables = globals.chain(locals.map(Variable::Local));
        let values = variables.map(|variable| {
            let range = self.view.bits_of(procedure, variable);
            let bits = (0..).zip(range);
            let value = bits.fold(0, |value, (bit, number)| {
                let is_set = model.value(shown.state[number as usize]);
                value | u64::from(is_set) << bit
            });
            (self.machine.name_of(procedure, variable).to_owned(), value)
        });
        let now = WitnessState {
            moment: "now",
            values: values.collect(),
        };
        Witness { states: vec![now] }
    }
}

/// How many literals two paths share from the start.
fn shared_literals(a: &[Lit], b: &[Lit]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Whether two conjunctions are known not to hold together.
fn exclude_each_other(a: &[Lit], b: &[Lit]) -> bool {
    a.iter().any(|&lit| b.contains(&!lit))
}

/// The leaves of an edge's formulas in a state.
struct StateLeaves<'l, 'w, 'i> {
    circuit: &'l mut ProvingCircuit<'i>,
    view: &'l BitView<'w>,
    procedure: ProcId,
    before: &'l [Lit],
    after: &'l [Lit],
    inputs: BTreeMap<(InputId, u8), Lit>,
}

impl<'i> Leaves<'i> for StateLeaves<'_, '_, 'i> {
    fn circuit(&mut self) -> &mut ProvingCircuit<'i> {
        self.circuit
    }

    fn of_edge(&mut self, leaf: BitNode) -> Lit {
        let at = |state: &[Lit], variable, bit| {
            let first = self.view.bits_of(self.procedure, variable).start;
            state[(first + u32::from(bit)) as usize]
        };
        match leaf {
            BitNode::Var(variable, bit) => at(self.before, variable, bit),
            BitNode::Next(variable, bit) => at(self.after, variable, bit),
            BitNode::Input(input, bit) => {
                let circuit = &mut *self.circuit;
                let known = self.inputs.entry((input, bit));
                *known.or_insert_with(|| circuit.input())
            }
            _ => unreachable!("only leaves that are no constants are asked for"),
        }
    }

    fn of_certificate(&mut self, _leaf: &Formula) -> Lit {
        unreachable!("an unrolled certificate has no formulas")
    }
}
