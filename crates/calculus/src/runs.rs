//! Reading a run off the rounds of a summary relation. (The paper had no counterexamples.)
//!
//! From a path edge at the target we go back: one that appeared in some round came from path edges of the round before, over an edge, over a
//! call with a path edge at the callee's exit, or from a call that entered the module. Rounds strictly fall, so this ends. Where a
//! round takes many internal steps at once, as in the optimized algorithm, they are found by a search back within the round ([`crate::chains`]).
//! Every step is checked against the machine's own edges: rounds that are not those of a summary algorithm lead nowhere, never to a wrong run.

use crate::chains::InternalStep;
use crate::layout::Layout;
use crate::rings::{Point, Rings, Side, StateValues};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::analysis::{CallGraph, Table, order::predecessors};
use hardbop_machine::bits::BitView;
use hardbop_machine::{Action, EdgeId, LocalId, Machine, NodeId, ProcId, Variable};
use hardbop_outcome::{CompletedCall, Decision, Skeleton};
use hardbop_symbolic::Plans;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Why no run came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRun {
    /// A limit.
    Exhausted(Exhausted),
    /// The rounds do not lead back to the start.
    Broken,
}

impl From<Exhausted> for NoRun {
    fn from(why: Exhausted) -> Self {
        NoRun::Exhausted(why)
    }
}

/// The conditions of an edge, from the parts of a reader that they need.
macro_rules! conditions {
    ($reader:ident, $edge:expr, $bits:expr) => {
        $crate::edges::EdgeConditions {
            machine: $reader.machine,
            layout: $reader.layout,
            rings: &$reader.rings,
            numbers: $reader.view.layout(),
            graph: $reader.view.graph(),
            bits: $bits,
            edge: $edge,
        }
    };
}
pub(crate) use conditions;

/// A step back.
pub(crate) struct Back {
    pub decision: Decision,
    pub before: Point,
}

/// Reads runs.
pub struct Reader<'r, 'm, 'i> {
    pub(crate) machine: &'m Machine,
    pub(crate) layout: &'r Layout,
    pub(crate) view: BitView<'m>,
    pub(crate) rings: Rings<'r>,
    pub(crate) manager: Manager<'i>,
    pub(crate) plans: Plans,
    pub(crate) internal_steps: HashMap<EdgeId, InternalStep>,
    pub(crate) incoming: Table<EdgeId>,
    calls: CallGraph,
    requests: Vec<Point>,
    known: HashMap<Point, usize>,
}

impl<'r, 'm, 'i> Reader<'r, 'm, 'i> {
    /// A reader of some rounds.
    pub fn new(
        machine: &'m Machine,
        layout: &'r Layout,
        rings: Rings<'r>,
        manager: Manager<'i>,
    ) -> Self {
        Self {
            machine,
            layout,
            view: BitView::new(machine),
            rings,
            manager,
            plans: Plans::default(),
            internal_steps: HashMap::new(),
            incoming: predecessors(machine),
            calls: CallGraph::new(machine),
            requests: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// The rounds and the manager that their copies are in.
    pub(crate) fn parts(&mut self) -> (&mut Rings<'r>, &mut Manager<'i>) {
        (&mut self.rings, &mut self.manager)
    }

    /// Whether some round has a path edge that ends at a node.
    pub(crate) fn is_reached(&self, node: NodeId) -> bool {
        self.rings.first_round_at(node).is_some()
    }

    /// A run to a node; nothing if no round has a path edge there.
    pub fn run_to(&mut self, target: NodeId) -> Result<Option<Skeleton>, NoRun> {
        let Some(round) = self.rings.first_round_at(target) else {
            return Ok(None);
        };
        self.requests.clear();
        self.known.clear();
        let edges = self
            .rings
            .at(&mut self.manager, target, round, Side::First)?;
        let chosen = self.pick(edges).ok_or(NoRun::Broken)?;
        let mut skeleton = self.spine(self.point(target, &chosen, Side::First))?;
        skeleton.calls = Rc::new(self.complete_requests()?);
        Ok(Some(skeleton))
    }

    /// The steps from the start to a path edge, completed calls left open.
    fn spine(&mut self, target: Point) -> Result<Skeleton, NoRun> {
        let mut skeleton = Skeleton::default();
        let mut point = target;
        loop {
            let entry = self.back_to_entry(point, &mut skeleton.steps)?;
            if self.is_start(&entry) {
                skeleton.start = self.words(&entry);
                break;
            }
            let locals = self.first_locals(&entry);
            let (edge, inputs, caller) = self.caller_of(&entry)?;
            skeleton.steps.push(Decision::Enter {
                edge,
                inputs,
                locals,
            });
            point = caller;
        }
        skeleton.steps.reverse();
        Ok(skeleton)
    }

    /// Works off the requests; new ones may come up meanwhile.
    fn complete_requests(&mut self) -> Result<Vec<CompletedCall>, NoRun> {
        let mut calls = Vec::new();
        while calls.len() < self.requests.len() {
            let exit = self.requests[calls.len()].clone();
            let procedure = self.machine.procedure_of(exit.node);
            let mut steps = Vec::new();
            let entry = self.back_to_entry(exit, &mut steps)?;
            steps.reverse();
            calls.push(CompletedCall {
                procedure,
                locals: self.first_locals(&entry),
                steps,
            });
        }
        Ok(calls)
    }

    /// Goes back within an invocation until its entry; appends the steps, last first.
    fn back_to_entry(
        &mut self,
        mut point: Point,
        steps: &mut Vec<Decision>,
    ) -> Result<Point, NoRun> {
        let mut known = self.rings.last_round();
        while !self.is_entry(&point) {
            let round = known.and_then(|known| self.rings.round_of(&point, known));
            let round = round.ok_or(NoRun::Broken)?;
            // What comes before it was there a round before.
            known = round.checked_sub(1);
            let chain = match self.back(&point, round)? {
                Some(back) => vec![back],
                None => self.back_within_round(&point, round)?,
            };
            point = match chain.last() {
                Some(earliest) => earliest.before.clone(),
                None => return Err(NoRun::Broken),
            };
            steps.extend(chain.into_iter().map(|back| back.decision));
        }
        Ok(point)
    }

    /// One step back within the invocation, to a round before the given one.
    pub(crate) fn back(&mut self, point: &Point, round: usize) -> Result<Option<Back>, NoRun> {
        let Some(earlier) = round.checked_sub(1) else {
            return Ok(None);
        };
        for edge in self.incoming.row(point.node.index()).to_vec() {
            let back = match self.machine.edge(edge).action {
                Action::Call { callee, .. } => self.back_over(point, edge, callee, earlier)?,
                Action::StartThread(_) | Action::EndThread => None,
                _ => self.back_along(point, edge, earlier)?,
            };
            if back.is_some() {
                return Ok(back);
            }
        }
        Ok(None)
    }

    /// Back along an edge that is no call, to a path edge of a round.
    fn back_along(
        &mut self,
        point: &Point,
        edge: EdgeId,
        round: usize,
    ) -> Result<Option<Back>, Exhausted> {
        let from = self.machine.edge(edge).from;
        let ring = self.rings.at(&mut self.manager, from, round, Side::First)?;
        let ring = self.with_entry(ring, &point.entry)?;
        if ring.is_false() {
            return Ok(None);
        }
        let bits = self.view.edge(edge);
        let conditions = conditions!(self, edge, &bits).before(&mut self.manager, &point.now)?;
        let both = self.conjunction(ring, conditions)?;
        let chosen = self.pick(both);
        Ok(chosen.map(|chosen| Back {
            decision: Decision::Edge {
                edge,
                inputs: self.inputs(edge, &chosen),
            },
            before: self.point(from, &chosen, Side::First),
        }))
    }

    /// Back over a call, to a path edge of the caller and one at the callee's exit, both of a round.
    fn back_over(
        &mut self,
        point: &Point,
        edge: EdgeId,
        callee: ProcId,
        round: usize,
    ) -> Result<Option<Back>, Exhausted> {
        let from = self.machine.edge(edge).from;
        let exit = self.machine.procedure(callee).exit;
        let ring = self.rings.at(&mut self.manager, from, round, Side::First)?;
        let caller = self.with_entry(ring, &point.entry)?;
        let summary = self
            .rings
            .at(&mut self.manager, exit, round, Side::Second)?;
        if caller.is_false() || summary.is_false() {
            return Ok(None);
        }
        let bits = self.view.edge(edge);
        let returned = conditions!(self, edge, &bits).returned(&mut self.manager, &point.now)?;
        let entering = conditions!(self, edge, &bits).entering(&mut self.manager)?;
        let caller = self.conjunction(caller, returned.clone())?;
        let summary = self.conjunction(summary, returned)?;
        let caller = self.conjunction(caller, entering)?;
        let both = self.manager.and(caller, summary)?;
        let Some(chosen) = self.pick(both) else {
            return Ok(None);
        };
        let request = self.point(exit, &chosen, Side::Second);
        Ok(Some(Back {
            decision: Decision::Call {
                edge,
                inputs: self.inputs(edge, &chosen),
                call: self.request(request),
            },
            before: self.point(from, &chosen, Side::First),
        }))
    }

    fn request(&mut self, exit: Point) -> usize {
        let next = self.requests.len();
        let index = *self.known.entry(exit.clone()).or_insert(next);
        if index == next {
            self.requests.push(exit);
        }
        index
    }

    /// A call that entered a module with the values of an entry.
    fn caller_of(&mut self, entry: &Point) -> Result<(EdgeId, Vec<u64>, Point), NoRun> {
        let callee = self.machine.procedure_of(entry.node);
        let last = self.rings.last_round().ok_or(NoRun::Broken)?;
        let round = self.rings.round_of(entry, last).ok_or(NoRun::Broken)?;
        let earlier = round.checked_sub(1).ok_or(NoRun::Broken)?;
        let sites: Vec<EdgeId> = self.calls.calls_of(callee).iter().map(|s| s.edge).collect();
        for edge in sites {
            let from = self.machine.edge(edge).from;
            let ring = self
                .rings
                .at(&mut self.manager, from, earlier, Side::First)?;
            if ring.is_false() {
                continue;
            }
            let bits = self.view.edge(edge);
            let entered = conditions!(self, edge, &bits).entered(&mut self.manager, &entry.now)?;
            let both = self.conjunction(ring, entered)?;
            if let Some(chosen) = self.pick(both) {
                let caller = self.point(from, &chosen, Side::First);
                return Ok((edge, self.inputs(edge, &chosen), caller));
            }
        }
        Err(NoRun::Broken)
    }

    /// Whether a path edge is at the entry of its module, with the values that came in.
    fn is_entry(&self, point: &Point) -> bool {
        let procedure = self
            .machine
            .procedure(self.machine.procedure_of(point.node));
        if procedure.entry != point.node {
            return false;
        }
        let bits = self.layout.bits(self.machine.procedure_of(point.node));
        let mut passed = bits.filter(|((variable, _), _)| {
            let is_passed = match variable {
                Variable::Global(_) => true,
                Variable::Local(local) => local.0 < procedure.parameter_count,
            };
            is_passed && self.layout.matters(self.machine, point.node, *variable)
        });
        passed.all(|(_, field)| {
            let slot = self.rings.slot(field);
            point.entry[slot] == point.now[slot]
        })
    }

    /// Whether an entry is one of the program's start.
    fn is_start(&self, entry: &Point) -> bool {
        let main = self.machine.threads.first().map(|thread| thread.entry);
        let has_initial_values = || {
            let mut globals = self.layout.global_bits().iter();
            globals.all(|&(variable, bit)| {
                let Variable::Global(id) = variable else {
                    return true;
                };
                let Some(initial) = self.machine.global(id).initial else {
                    return true;
                };
                let procedure = self.machine.procedure_of(entry.node);
                let field = self.layout.field(procedure, variable, bit);
                let value = field.map(|field| entry.now[self.rings.slot(field)]);
                !self.layout.matters(self.machine, entry.node, variable)
                    || value == Some(initial >> bit & 1 == 1)
            })
        };
        main == Some(self.machine.procedure_of(entry.node)) && has_initial_values()
    }

    /// The path edges of a relation that start with these values.
    pub(crate) fn with_entry(&mut self, ring: Bdd, entry: &StateValues) -> Result<Bdd, Exhausted> {
        let variables = (0..entry.len()).map(|slot| {
            let variable = self.rings.entry_variable(slot, Side::First);
            (variable, entry[slot])
        });
        let values: BTreeMap<u32, bool> = variables.collect();
        self.with_values(ring, &values)
    }

    pub(crate) fn with_values(
        &mut self,
        relation: Bdd,
        values: &BTreeMap<u32, bool>,
    ) -> Result<Bdd, Exhausted> {
        let mut cube = Bdd::TRUE;
        for (&variable, &value) in values.iter().rev() {
            let positive = self.manager.variable(variable)?;
            let literal = if value { positive } else { !positive };
            cube = self.manager.and(cube, literal)?;
        }
        self.manager.and(relation, cube)
    }

    fn conjunction(&mut self, first: Bdd, others: Vec<Bdd>) -> Result<Bdd, Exhausted> {
        let mut both = first;
        for other in others {
            both = self.manager.and(both, other)?;
        }
        Ok(both)
    }

    pub(crate) fn pick(&self, relation: Bdd) -> Option<BTreeMap<u32, bool>> {
        let chosen = self.manager.pick(relation)?;
        Some(chosen.into_iter().collect())
    }

    /// The path edge at a node that some chosen values contain; what was left open is 0.
    pub(crate) fn point(&self, node: NodeId, chosen: &BTreeMap<u32, bool>, side: Side) -> Point {
        let value = |variable: u32| chosen.get(&variable).copied().unwrap_or(false);
        let slots = 0..self.rings.slot_count();
        let entry = slots
            .clone()
            .map(|slot| value(self.rings.entry_variable(slot, side)));
        let now = slots.map(|slot| value(self.rings.now_variable(slot, side)));
        Point {
            node,
            entry: entry.collect(),
            now: now.collect(),
        }
    }

    /// Values of an edge's choices; what was left open is 0.
    pub(crate) fn inputs(&self, edge: EdgeId, chosen: &BTreeMap<u32, bool>) -> Vec<u64> {
        let mut variable = self.rings.first_choice();
        let types = self.machine.edge(edge).inputs.iter();
        types
            .map(|ty| {
                let mut word = 0;
                for bit in 0..ty.width() {
                    let value = chosen.get(&variable).copied().unwrap_or(false);
                    word |= u64::from(value) << bit;
                    variable += 1;
                }
                word
            })
            .collect()
    }

    /// The current values of a path edge as words.
    fn words(&self, point: &Point) -> Vec<(Variable, u64)> {
        let procedure = self.machine.procedure_of(point.node);
        let mut words: BTreeMap<Variable, u64> = BTreeMap::new();
        for ((variable, bit), field) in self.layout.bits(procedure) {
            if self.layout.matters(self.machine, point.node, variable) {
                let value = point.now[self.rings.slot(field)];
                *words.entry(variable).or_default() |= u64::from(value) << bit;
            }
        }
        words.into_iter().collect()
    }

    /// The first values of locals that are no parameters.
    fn first_locals(&self, entry: &Point) -> Vec<(LocalId, u64)> {
        let procedure = self.machine.procedure_of(entry.node);
        let parameters = self.machine.procedure(procedure).parameter_count;
        let locals = self.words(entry).into_iter();
        locals
            .filter_map(|(variable, value)| match variable {
                Variable::Local(local) if local.0 >= parameters => Some((local, value)),
                _ => None,
            })
            .collect()
    }
}
