//! A run of one reading of a C program, made again on another reading of the same text.
//!
//! With checks of overflow a program has other nodes and temporaries, but it makes the same choices
//! at the same places of the text and assigns the same variables. So a run is a [`Guide`]: the
//! values of its choices by place, of the variables that start with any value by name, and the
//! assignments of the variables that the text declares. The other machine executes what its own
//! edges say with these values. Each choice is used at its place between the same assignments, and
//! every assignment has to agree; where one does not, the two runs are not the same and there is no
//! answer. So nothing is concluded from a run that has lost its way.

use super::run::Branch;
use super::written::Written;
use hardbop_interpreter::{
    Configuration, Effect, Move, Recorder, Slot, Walk, WalkedKind, fire, initial, initial_slots,
    step_slots,
};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Check, EdgeId, LocalId, Machine, Node, NodeId, Variable};
use hardbop_outcome::Trace;
use std::collections::{BTreeMap, VecDeque};

/// Longer runs are not followed.
const MOST_STEPS: u64 = 200_000;

/// Steps of the other machine for one of the run, and some more.
const STEP_FACTOR: u64 = 8;

/// What decides a run, told so that another reading of the program understands it.
pub(super) struct Guide {
    /// By the offset in the text, in order of execution.
    choices: BTreeMap<u32, VecDeque<GuidedChoice>>,
    /// What frames start with, in order, and how many assignments come before.
    frames: VecDeque<GuidedFrame>,
    globals: BTreeMap<String, u64>,
    writes: Vec<(String, u64)>,
    /// Where it ends, and how often it has been there since the last assignment.
    end: Option<(GuidedPlace, u64)>,
    steps: u64,
}

struct GuidedChoice {
    writes_before: usize,
    value: u64,
}

struct GuidedFrame {
    procedure: String,
    locals: BTreeMap<String, u64>,
}

/// Where the other machine has come to.
pub(super) struct Followed {
    /// Its run, without a target.
    pub(super) trace: Trace,
    /// The node where it ends; `None` if the program has ended.
    pub(super) node: Option<NodeId>,
}

impl Guide {
    /// What decides a run of a sequential program. `None` if it is too long.
    pub(super) fn new(machine: &Machine, written: &Written<'_>, trace: &Trace) -> Option<Self> {
        let mut walk = Walk::expanded_within(machine, trace, MOST_STEPS).ok()?;
        let start = walk.configuration().clone();
        let mut guide = Self {
            choices: BTreeMap::new(),
            frames: VecDeque::new(),
            globals: BTreeMap::new(),
            writes: Vec::new(),
            end: None,
            steps: 0,
        };
        let globals = machine.globals.iter().zip(&start.shared);
        guide.globals = globals
            .map(|(global, &v)| (global.name.clone(), v))
            .collect();
        guide.add_frame(machine, &start);
        let mut visits: Vec<(usize, NodeId)> = Vec::new();
        while let Some(step) = walk.next() {
            let step = step.ok()?;
            guide.steps += 1;
            visits.push((guide.writes.len(), step.node));
            let edge = match step.kind {
                // A call that was not written out: the run is too long.
                WalkedKind::Call { .. } => return None,
                WalkedKind::Edge(edge) | WalkedKind::Enter(edge) => Some(edge),
                WalkedKind::Return => None,
            };
            if let Some(edge) = edge {
                guide.add_choices(machine, written, edge, &step.inputs);
            }
            if let WalkedKind::Enter(_) = step.kind {
                guide.add_frame(machine, walk.configuration());
            } else {
                guide.writes.extend(declared_writes(machine, &step.effect));
            }
        }
        let end = place(machine, walk.configuration().top(0)?.node);
        let total = guide.writes.len();
        let last = visits
            .iter()
            .rev()
            .take_while(|(writes, _)| *writes == total);
        let before = last.filter(|(_, node)| is_stated(machine, *node));
        let before = before.filter(|(_, node)| place(machine, *node) == end);
        let count = before.count() as u64 + 1;
        guide.end = Some((end, count));
        Some(guide)
    }

    fn add_frame(&mut self, machine: &Machine, configuration: &Configuration) {
        let Some(frame) = configuration.top(0) else {
            return;
        };
        let procedure = machine.procedure(machine.procedure_of(frame.node));
        let locals = procedure.locals.iter().zip(&frame.locals);
        self.frames.push_back(GuidedFrame {
            procedure: procedure.name.clone(),
            locals: locals.map(|(local, &v)| (local.name.clone(), v)).collect(),
        });
    }

    fn add_choices(
        &mut self,
        machine: &Machine,
        written: &Written<'_>,
        edge: EdgeId,
        inputs: &[u64],
    ) {
        let writes_before = self.writes.len();
        let places = written.input_places(edge);
        let mut made: Vec<(u32, u64)> = places.into_iter().zip(inputs.iter().copied()).collect();
        if let Some(decided) = decided_condition(machine, written, edge) {
            made.push(decided);
        }
        for (place, value) in made {
            let choice = GuidedChoice {
                writes_before,
                value,
            };
            self.choices.entry(place).or_default().push_back(choice);
        }
    }

    /// Makes the run on another machine. It ends where the guide ends, at a failure, or where the
    /// program ends; `None` where the two do not agree.
    pub(super) fn follow(mut self, machine: &Machine, written: &Written<'_>) -> Option<Followed> {
        let start = initial_slots(machine);
        let first = self.frames.pop_front()?;
        let start = self.values(machine, &start, &first)?;
        let mut recorder = Recorder::new(machine, initial(machine, &start));
        let most = self.steps.saturating_mul(STEP_FACTOR).saturating_add(1000);
        let mut written_so_far = 0;
        let mut left = self.end.as_ref().map_or(0, |(_, count)| *count);
        for _ in 0..most {
            let top = recorder.configuration().top(0).map(|frame| frame.node);
            let Some(node) = top else { break };
            if machine.node(node).kind.is_failure() {
                break;
            }
            if written_so_far == self.writes.len()
                && is_stated(machine, node)
                && self
                    .end
                    .as_ref()
                    .is_some_and(|(end, _)| *end == place(machine, node))
            {
                left = left.saturating_sub(1);
                if left == 0 {
                    break;
                }
            }
            let procedure = machine.procedure(machine.procedure_of(node));
            let step = if procedure.exit == node {
                Move::Return
            } else {
                self.next_edge(
                    machine,
                    written,
                    recorder.configuration(),
                    node,
                    written_so_far,
                )?
            };
            let slots = step_slots(machine, recorder.configuration(), 0, &step);
            let is_call = matches!(&step, Move::Edge { edge, .. }
                if matches!(machine.edge(*edge).action, hardbop_machine::Action::Call { .. }));
            let chosen = if is_call {
                let frame = self.frames.pop_front()?;
                self.values(machine, &slots, &frame)?
            } else {
                vec![0; slots.len()]
            };
            let effect = recorder.step(0, step, &chosen).ok()?;
            if is_call {
                continue;
            }
            for write in declared_writes(machine, &effect) {
                if self.writes.get(written_so_far) != Some(&write) {
                    return None;
                }
                written_so_far += 1;
            }
        }
        let (trace, last) = recorder.finish();
        let node = last.top(0).map(|frame| frame.node);
        Some(Followed { trace, node })
    }

    /// The values of variables that start with any value. Temporaries of the other machine are
    /// assigned before they are read.
    fn values(&self, machine: &Machine, slots: &[Slot], frame: &GuidedFrame) -> Option<Vec<u64>> {
        let value = |slot: &Slot| {
            let ty = slot.ty(machine);
            let known = match *slot {
                Slot::Shared(id) | Slot::Own { global: id, .. } => {
                    self.globals.get(&machine.global(id).name)
                }
                Slot::Local {
                    procedure, local, ..
                } => {
                    let procedure = machine.procedure(procedure);
                    if procedure.name != frame.procedure {
                        return None;
                    }
                    frame.locals.get(&procedure.locals[local.index()].name)
                }
            };
            Some(ty.wrap(known.copied().unwrap_or(0)))
        };
        slots.iter().map(value).collect()
    }

    /// The edge that can be taken with the values of the guide.
    fn next_edge(
        &mut self,
        machine: &Machine,
        written: &Written<'_>,
        configuration: &Configuration,
        node: NodeId,
        writes: usize,
    ) -> Option<Move> {
        let read = |variable| configuration.read(machine, 0, variable);
        let edges: Vec<EdgeId> = machine.edges_from(node).collect();
        for &edge in &edges {
            let places = written.input_places(edge);
            let Some(inputs) = self.peeked(machine, edge, &places, writes) else {
                continue;
            };
            if fire(machine, edge, &inputs, read).is_err() {
                continue;
            }
            let condition = decided_condition(machine, written, edge);
            if let Some((place, value)) = condition
                && self.peek(place, writes, 0) != Some(value)
            {
                continue;
            }
            for place in places
                .iter()
                .chain(condition.iter().map(|(place, _)| place))
            {
                if let Some(queue) = self.choices.get_mut(place) {
                    queue.pop_front();
                }
            }
            return Some(Move::Edge { edge, inputs });
        }
        None
    }

    /// The values of the inputs of an edge.
    fn peeked(
        &mut self,
        machine: &Machine,
        edge: EdgeId,
        places: &[u32],
        writes: usize,
    ) -> Option<Vec<u64>> {
        let types = &machine.edge(edge).inputs;
        let mut inputs = Vec::with_capacity(types.len());
        for (index, (&place, ty)) in places.iter().zip(types).enumerate() {
            let earlier = places[..index].iter().filter(|&&p| p == place).count();
            inputs.push(ty.wrap(self.peek(place, writes, earlier)?));
        }
        (inputs.len() == types.len()).then_some(inputs)
    }

    /// The next value of a choice. Those that the other machine has left out are dropped.
    fn peek(&mut self, place: u32, writes: usize, index: usize) -> Option<u64> {
        let queue = self.choices.get_mut(&place)?;
        while queue
            .front()
            .is_some_and(|choice| choice.writes_before < writes)
        {
            queue.pop_front();
        }
        let choice = queue.get(index)?;
        (choice.writes_before == writes).then_some(choice.value)
    }
}

/// The place of a choice that is all of a condition, and what it is on this edge.
fn decided_condition(machine: &Machine, written: &Written<'_>, edge: EdgeId) -> Option<(u32, u64)> {
    let place = written.condition_place(edge)?;
    match (machine.edge(edge).guard, written.step(edge).1) {
        (None, Some(Branch::Condition(holds))) => Some((place, u64::from(holds))),
        _ => None,
    }
}

/// What a step assigns to variables that the text declares.
fn declared_writes(machine: &Machine, effect: &Effect) -> Vec<(String, u64)> {
    let named = effect.changes.iter().map(|&(variable, value)| {
        let name = machine.name_of(effect.scope, variable);
        let owner = match variable {
            Variable::Global(_) => "",
            Variable::Local(_) => machine.procedure(effect.scope).name.as_str(),
        };
        (
            is_declared(machine, effect, variable),
            format!("{owner}.{name}"),
            value,
        )
    });
    let declared = named.filter(|(is_declared, ..)| *is_declared);
    declared.map(|(_, name, value)| (name, value)).collect()
}

/// Whether the text declares a variable: temporaries are named after expressions, results by a word
/// of C.
fn is_declared(machine: &Machine, effect: &Effect, variable: Variable) -> bool {
    let name = machine.name_of(effect.scope, variable);
    let is_result = match variable {
        Variable::Local(LocalId(index)) => {
            let procedure = machine.procedure(effect.scope);
            index + procedure.result_count >= procedure.locals.len() as u32
        }
        Variable::Global(_) => false,
    };
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && !name.contains(['(', '?', '&', ' ']) && !is_result
}

/// A place that both readings have: procedure, offset, and whether it is before or after a
/// failure.
type GuidedPlace = (String, u32, NodeKind);

/// Whether both readings have a node: a check of overflow precedes what it checks and has the same position.
fn is_stated(machine: &Machine, node: NodeId) -> bool {
    let fails = machine.edges_from(node).map(|edge| machine.edge(edge).to);
    let mut fails = fails.filter(|&to| machine.node(to).kind.is_failure());
    !fails.any(|to| machine.check_of(to) == Check::Overflow)
}

fn place(machine: &Machine, node: NodeId) -> GuidedPlace {
    let procedure = machine.procedure(machine.procedure_of(node));
    let Node { kind, span, .. } = machine.node(node);
    (procedure.name.clone(), span.start, *kind)
}
