//! Reading a run off the rings of a forward search (Bebop, section 3.2).
//!
//! From a path edge at the target we go back: a path edge that was new at some visit came from one
//! that was propagated earlier, over an edge, over a call with a path edge at the callee's exit
//! that was propagated earlier, or from a call that entered the procedure earlier. Times strictly
//! fall, so this ends, through loops and recursion alike. A call that is stepped over becomes a
//! request for a completed run of the callee, which is looked for once however often it is asked
//! for: a chain of procedures that each call the next twice has as many requests as procedures.

use crate::encoding::calls::parameters;
use crate::encoding::interface::ScopedBit;
use crate::encoding::space::{Copy, Space};
use crate::search::forward::Forward;
use crate::search::frontier::{Ring, Time};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::analysis::{Table, order::predecessors};
use hardbop_machine::{Action, EdgeId, LocalId, Machine, NodeId, ProcId, Variable};
use hardbop_outcome::{CompletedCall, Decision, Skeleton};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Why there is always a way back.
const LEAD_BACK: &str = "the rings of a search lead back to the start";

/// Values of BDD variables.
type Values = BTreeMap<u32, bool>;

/// A path edge at a node, with the time before which everything that led to it was propagated.
#[derive(Clone, Debug)]
struct Point {
    node: NodeId,
    values: Values,
    time: Time,
}

/// A completed call that some step needs: a path edge at the procedure's exit.
#[derive(Clone, Debug)]
struct Request {
    procedure: ProcId,
    exit: Point,
}

/// How a point was reached.
enum Back {
    Edge {
        edge: EdgeId,
        inputs: Vec<u64>,
        before: Point,
    },
    Over {
        edge: EdgeId,
        inputs: Vec<u64>,
        before: Point,
        request: Request,
    },
}

/// Reads runs off a search. The spine, from the start to the target, may be read off other rings
/// than the search's own: those by distance.
pub(crate) struct Reader<'r, 'm, 'i> {
    search: &'r mut Forward<'m, 'i>,
    incoming: Table<EdgeId>,
    /// Rings of the spine; the search's own if there are none.
    layers: Option<&'r [Vec<Ring>]>,
    requests: Vec<Request>,
    known: HashMap<(ProcId, Values), usize>,
    /// Conjuncts of the edges gone back along so far: loops go along the same ones again and again.
    conjuncts: HashMap<EdgeId, Rc<Conjuncts>>,
}

/// How many edges are remembered; more would cost memory and time to find them in it.
const REMEMBERED_EDGES: usize = 512;

/// How many parts of an edge are put together.
const JOINED_PARTS: usize = 8;

/// An edge that is not a call, for going back along it.
struct Conjuncts {
    /// Guard, values and constrain, a few put together at a time. All of them can be too large
    /// before the values after the step are known: the choices stand below everything.
    parts: Vec<Bdd>,
    /// The bits that matter after it, with the variable that holds each.
    after: Vec<(u32, u32)>,
}

impl<'r, 'm, 'i> Reader<'r, 'm, 'i> {
    /// A reader of the search's own rings, or of rings by distance for the spine.
    pub(crate) fn new(search: &'r mut Forward<'m, 'i>, layers: Option<&'r [Vec<Ring>]>) -> Self {
        let incoming = predecessors(search.compiler.machine);
        Self {
            search,
            incoming,
            layers,
            requests: Vec::new(),
            known: HashMap::new(),
            conjuncts: HashMap::new(),
        }
    }

    /// Runs to nodes that the search has reached. Completed calls that several of them need are
    /// read once.
    pub(crate) fn runs_to(&mut self, targets: &[NodeId]) -> Result<Vec<Skeleton>, Exhausted> {
        let mut skeletons = Vec::with_capacity(targets.len());
        for &target in targets {
            skeletons.push(self.spine(target)?);
        }
        let calls = Rc::new(self.complete_requests()?);
        for skeleton in &mut skeletons {
            skeleton.calls = Rc::clone(&calls);
        }
        Ok(skeletons)
    }

    /// The steps from the start to a node, completed calls left open.
    fn spine(&mut self, target: NodeId) -> Result<Skeleton, Exhausted> {
        let first = match self.layers {
            Some(layers) => layers[target.index()].first().copied(),
            None => self.search.node(target).rings.first().copied(),
        };
        // A target that ended the search has not been propagated: it is newer than everything that
        // was.
        let pending = Ring {
            time: Time::MAX,
            edges: self.search.node(target).pending,
        };
        let ring = first.unwrap_or(pending);
        let chosen = self.pick(ring.edges).expect(LEAD_BACK);
        let mut point = self.point(target, &chosen, ring.time);
        let mut steps = Vec::new();
        let start = loop {
            let entry = self.back_to_entry(point, self.layers.is_some(), &mut steps)?;
            if self.is_start(&entry) {
                break self.words(&entry);
            }
            let locals = self.first_locals(&entry);
            let (edge, inputs, caller) = self.caller_of(&entry)?;
            steps.push(Decision::Enter {
                edge,
                inputs: inputs.into(),
                locals: locals.into(),
            });
            point = caller;
        };
        steps.reverse();
        Ok(Skeleton {
            start,
            steps: steps.into(),
            calls: Rc::default(),
        })
    }

    /// Works off the requests; new ones may come up meanwhile.
    fn complete_requests(&mut self) -> Result<Vec<CompletedCall>, Exhausted> {
        let mut calls = Vec::new();
        while calls.len() < self.requests.len() {
            let Request { procedure, exit } = self.requests[calls.len()].clone();
            let mut steps = Vec::new();
            let entry = self.back_to_entry(exit, false, &mut steps)?;
            steps.reverse();
            calls.push(CompletedCall {
                procedure,
                locals: self.first_locals(&entry),
                steps: steps.into(),
            });
        }
        Ok(calls)
    }

    /// Goes back within a procedure until its entry; appends the steps, last first.
    fn back_to_entry(
        &mut self,
        mut point: Point,
        by_distance: bool,
        steps: &mut Vec<Decision>,
    ) -> Result<Point, Exhausted> {
        while !self.is_entry(&point) {
            match self.back(&point, by_distance)?.expect(LEAD_BACK) {
                Back::Edge {
                    edge,
                    inputs,
                    before,
                } => {
                    let inputs = inputs.into();
                    steps.push(Decision::Edge { edge, inputs });
                    point = before;
                }
                Back::Over {
                    edge,
                    inputs,
                    before,
                    request,
                } => {
                    let call = self.request(request);
                    let inputs = inputs.into();
                    steps.push(Decision::Call { edge, inputs, call });
                    point = before;
                }
            }
        }
        Ok(point)
    }

    fn request(&mut self, request: Request) -> usize {
        let key = (request.procedure, request.exit.values.clone());
        let next = self.requests.len();
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.requests.push(request);
        }
        index
    }

    /// Whether a point is where its procedure was entered: at the entry, with the values at entry
    /// the current ones.
    fn is_entry(&self, point: &Point) -> bool {
        let procedure = self.search.compiler.machine.procedure_of(point.node);
        if self.search.compiler.machine.procedure(procedure).entry != point.node {
            return false;
        }
        let interface = self.search.compiler.interfaces.of(procedure);
        if !interface.called {
            let entered = self.search.procedure(procedure).entered;
            return self.holds(entered, &point.values);
        }
        interface.changing_inputs.iter().all(|bit| {
            let value = |copy| {
                point
                    .values
                    .get(&self.search.compiler.space.variable(bit.slot, copy))
            };
            value(Copy::Outer) == value(Copy::Now)
        })
    }

    /// Whether an entry is one of the program's start.
    fn is_start(&self, entry: &Point) -> bool {
        let procedure = self.search.compiler.machine.procedure_of(entry.node);
        procedure == self.search.compiler.machine.threads[0].entry
            && self.holds(self.search.initial(), &entry.values)
    }

    fn holds(&self, relation: Bdd, values: &Values) -> bool {
        let value = |variable: u32| values.get(&variable).copied().unwrap_or(false);
        self.search.manager.eval(relation, value)
    }

    /// Rings at a node that were propagated before a time.
    fn rings(&self, node: NodeId, by_distance: bool, before: Time) -> Vec<Ring> {
        let rings = match self.layers {
            Some(layers) if by_distance => &layers[node.index()],
            _ => &self.search.node(node).rings,
        };
        let earlier = rings.iter().take_while(|ring| ring.time < before);
        earlier.copied().collect()
    }

    /// One step back within the procedure.
    fn back(&mut self, point: &Point, by_distance: bool) -> Result<Option<Back>, Exhausted> {
        let edges = self.incoming.row(point.node.index()).to_vec();
        for edge in edges {
            let found = match self.search.compiler.machine.edge(edge).action {
                Action::Call { callee, .. } => self.back_over(point, edge, callee, by_distance)?,
                _ => self.back_along(point, edge, by_distance)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn back_along(
        &mut self,
        point: &Point,
        edge: EdgeId,
        by_distance: bool,
    ) -> Result<Option<Back>, Exhausted> {
        let from = self.search.compiler.machine.edge(edge).from;
        let rings = self.rings(from, by_distance, point.time);
        if rings.is_empty() {
            return Ok(None);
        }
        let edge_conjuncts = self.conjuncts(edge)?;
        let mut fixed = self.outer_values(point);
        for &(now, held_by) in &edge_conjuncts.after {
            fixed.insert(held_by, point.values[&now]);
        }
        let cube = self.cube(&fixed)?;
        let constraint = self.constrained(cube, &edge_conjuncts.parts)?;
        for ring in rings {
            let both = self.search.manager.and(constraint, ring.edges)?;
            if let Some(chosen) = self.pick(both) {
                return Ok(Some(Back::Edge {
                    edge,
                    inputs: self.inputs(edge, &chosen),
                    before: self.point(from, &chosen, ring.time),
                }));
            }
        }
        Ok(None)
    }

    /// Known values with the parts of a step, one after the other, so that all stays small.
    fn constrained(&mut self, cube: Bdd, parts: &[Bdd]) -> Result<Bdd, Exhausted> {
        let both = |known, &part| self.search.manager.and(known, part);
        parts.iter().try_fold(cube, both)
    }

    fn conjuncts(&mut self, edge: EdgeId) -> Result<Rc<Conjuncts>, Exhausted> {
        if let Some(known) = self.conjuncts.get(&edge) {
            return Ok(Rc::clone(known));
        }
        let to = self.search.compiler.machine.edge(edge).to;
        let bits = self.search.view.edge(edge);
        let compiler = self.search.compiler;
        let procedure = compiler.procedure_of(edge);
        let (manager, view) = (&mut self.search.manager, &self.search.view);
        let parts = compiler.effects(manager, view.graph(), edge, &bits, &|bit| {
            compiler.interfaces.matters_at(procedure, to, bit)
        })?;
        let joined = parts.chunks(JOINED_PARTS);
        let joined = joined.map(|parts| self.search.manager.and_all(parts.to_vec()));
        let parts = joined.collect::<Result<Vec<Bdd>, Exhausted>>()?;
        let is_assigned = |bit: &ScopedBit| {
            let mut assigned = bits.assignments.iter();
            assigned.any(|a| a.variable == bit.variable && a.bit == bit.bit)
        };
        let space = self.search.compiler.space;
        let after = self.search.bits_at(to).map(|bit| {
            let copy = if is_assigned(bit) {
                Copy::Next
            } else {
                Copy::Now
            };
            let now = space.variable(bit.slot, Copy::Now);
            (now, space.variable(bit.slot, copy))
        });
        let made = Rc::new(Conjuncts {
            parts,
            after: after.collect(),
        });
        // Loops stay within a procedure: what was needed long ago will not be needed again.
        if self.conjuncts.len() >= REMEMBERED_EDGES {
            self.conjuncts.clear();
        }
        self.conjuncts.insert(edge, Rc::clone(&made));
        Ok(made)
    }

    fn back_over(
        &mut self,
        point: &Point,
        edge: EdgeId,
        callee: ProcId,
        by_distance: bool,
    ) -> Result<Option<Back>, Exhausted> {
        let machine = self.search.compiler.machine;
        let from = machine.edge(edge).from;
        let exit = machine.procedure(callee).exit;
        // With rings by distance all summaries are known, whenever they were found.
        let bound = if by_distance { Time::MAX } else { point.time };
        let exit_rings = self.rings(exit, false, bound);
        let rings = self.rings(from, by_distance, point.time);
        if rings.is_empty() || exit_rings.is_empty() {
            return Ok(None);
        }
        let compiler = self.search.compiler;
        let results = compiler.result_moves(&mut self.search.view, edge);
        let lost = compiler.lost_targets(&mut self.search.view, edge);
        let inside = self.search.compiler.interfaces.of(callee);
        let parts = compiler.arguments(&mut self.search.manager, &mut self.search.view, edge)?;
        let mut fixed = self.outer_values(point);
        for bit in self.search.bits_at(point.node) {
            let value = point.values[&self.search.compiler.space.variable(bit.slot, Copy::Now)];
            let result = results.iter().find(|&&(_, target)| target == bit.slot);
            let variable = match result {
                Some(&(result, _)) => self.search.compiler.space.variable(result, Copy::Next),
                None if lost.contains(&bit.slot) => continue,
                None if inside.changes(bit.slot) => {
                    self.search.compiler.space.variable(bit.slot, Copy::Next)
                }
                None => self.search.compiler.space.variable(bit.slot, Copy::Now),
            };
            fixed.insert(variable, value);
        }
        let cube = self.cube(&fixed)?;
        let constraint = self.constrained(cube, &parts)?;
        let plan = self.search.summary_plan(callee);
        for ring in rings {
            let caller = self.search.manager.and(constraint, ring.edges)?;
            if caller.is_false() {
                continue;
            }
            for exit_ring in &exit_rings {
                let summary = self.search.manager.project(exit_ring.edges, &plan)?;
                let both = self.search.manager.and(caller, summary)?;
                if let Some(chosen) = self.pick(both) {
                    return Ok(Some(Back::Over {
                        edge,
                        inputs: self.inputs(edge, &chosen),
                        before: self.point(from, &chosen, ring.time),
                        request: Request {
                            procedure: callee,
                            exit: self.exit_point(callee, &chosen, exit_ring.time),
                        },
                    }));
                }
            }
        }
        Ok(None)
    }

    /// The path edge at a callee's exit that goes with a call.
    fn exit_point(&self, callee: ProcId, chosen: &Values, time: Time) -> Point {
        let interface = self.search.compiler.interfaces.of(callee);
        let space = self.search.compiler.space;
        let value = |bit: &ScopedBit, copy| {
            *chosen
                .get(&space.variable(bit.slot, copy))
                .unwrap_or(&false)
        };
        let mut values = Values::new();
        for bit in interface.inputs() {
            let given = match bit.variable {
                Variable::Global(_) => value(bit, Copy::Now),
                Variable::Local(_) => value(bit, Copy::Argument),
            };
            let copy = if interface.is_steady(bit.slot) {
                Copy::Now
            } else {
                Copy::Outer
            };
            values.insert(space.variable(bit.slot, copy), given);
        }
        for bit in interface.outputs() {
            values.insert(space.variable(bit.slot, Copy::Now), value(bit, Copy::Next));
        }
        Point {
            node: self.search.compiler.machine.procedure(callee).exit,
            values,
            time,
        }
    }

    /// A call that entered a procedure with the values of an entry point.
    fn caller_of(&mut self, entry: &Point) -> Result<(EdgeId, Vec<u64>, Point), Exhausted> {
        let machine = self.search.compiler.machine;
        let callee = machine.procedure_of(entry.node);
        let interfaces = self.search.compiler.interfaces;
        let interface = interfaces.of(callee);
        let by_distance = self.layers.is_some();
        let mut fixed = Values::new();
        for bit in interface.inputs() {
            let value = entry.values[&self.search.compiler.space.variable(bit.slot, Copy::Now)];
            let copy = match bit.variable {
                Variable::Global(_) => Copy::Now,
                Variable::Local(_) => Copy::Argument,
            };
            fixed.insert(self.search.compiler.space.variable(bit.slot, copy), value);
        }
        debug_assert!(parameters(interface).count() <= fixed.len());
        let cube = self.cube(&fixed)?;
        let time = self.entry_time(entry, by_distance);
        for site in machine.calls().calls_of(callee) {
            let from = machine.edge(site.edge).from;
            let rings = self.rings(from, by_distance, time);
            if rings.is_empty() {
                continue;
            }
            let compiler = self.search.compiler;
            let parts =
                compiler.arguments(&mut self.search.manager, &mut self.search.view, site.edge)?;
            let constraint = self.constrained(cube, &parts)?;
            for ring in rings {
                let both = self.search.manager.and(constraint, ring.edges)?;
                if let Some(chosen) = self.pick(both) {
                    let caller = self.point(from, &chosen, ring.time);
                    return Ok((site.edge, self.inputs(site.edge, &chosen), caller));
                }
            }
        }
        unreachable!("{LEAD_BACK}")
    }

    /// When an entry was propagated, if that was before the point's time.
    fn entry_time(&self, entry: &Point, by_distance: bool) -> Time {
        let rings = self.rings(entry.node, by_distance, Time::MAX);
        let ring = rings
            .iter()
            .find(|ring| self.holds(ring.edges, &entry.values));
        ring.map_or(entry.time, |ring| ring.time)
    }

    fn outer_values(&self, point: &Point) -> Values {
        let is_outer = |variable: &u32| {
            let meaning = self.search.compiler.space.meaning(*variable);
            meaning.is_some_and(|(_, copy)| copy == Copy::Outer)
        };
        let outer = point
            .values
            .iter()
            .filter(|(variable, _)| is_outer(variable));
        outer.map(|(&variable, &value)| (variable, value)).collect()
    }

    fn cube(&mut self, values: &Values) -> Result<Bdd, Exhausted> {
        cube(&mut self.search.manager, values)
    }

    fn pick(&self, relation: Bdd) -> Option<Values> {
        let chosen = self.search.manager.pick(relation)?;
        Some(chosen.into_iter().collect())
    }

    /// The path edge at a node that some chosen values contain; what was left open is 0.
    fn point(&self, node: NodeId, chosen: &Values, time: Time) -> Point {
        let procedure = self.search.compiler.machine.procedure_of(node);
        let interface = self.search.compiler.interfaces.of(procedure);
        let space = self.search.compiler.space;
        let mut values = Values::new();
        let mut copy = |variable: u32| {
            values.insert(variable, *chosen.get(&variable).unwrap_or(&false));
        };
        for bit in self.search.bits_at(node) {
            copy(space.variable(bit.slot, Copy::Now));
        }
        if interface.called {
            for bit in &interface.changing_inputs {
                copy(space.variable(bit.slot, Copy::Outer));
            }
        }
        Point { node, values, time }
    }

    fn inputs(&self, edge: EdgeId, chosen: &Values) -> Vec<u64> {
        inputs(
            self.search.compiler.machine,
            self.search.compiler.space,
            edge,
            chosen,
        )
    }

    /// The values of a point as words.
    fn words(&self, point: &Point) -> Vec<(Variable, u64)> {
        let mut words: BTreeMap<Variable, u64> = BTreeMap::new();
        for bit in self.search.bits_at(point.node) {
            let value = point.values[&self.search.compiler.space.variable(bit.slot, Copy::Now)];
            *words.entry(bit.variable).or_default() |= u64::from(value) << bit.bit;
        }
        words.into_iter().collect()
    }

    /// The first values of locals that are not parameters.
    fn first_locals(&self, entry: &Point) -> Vec<(LocalId, u64)> {
        let procedure = self.search.compiler.machine.procedure_of(entry.node);
        let parameters = self
            .search
            .compiler
            .machine
            .procedure(procedure)
            .parameter_count;
        let locals = self.words(entry).into_iter();
        locals
            .filter_map(|(variable, value)| match variable {
                Variable::Local(local) if local.0 >= parameters => Some((local, value)),
                _ => None,
            })
            .collect()
    }
}

/// The conjunction of literals.
fn cube(manager: &mut Manager<'_>, values: &Values) -> Result<Bdd, Exhausted> {
    let mut cube = Bdd::TRUE;
    for (&variable, &value) in values.iter().rev() {
        let positive = manager.variable(variable)?;
        let literal = if value { positive } else { !positive };
        cube = manager.and(cube, literal)?;
    }
    Ok(cube)
}

/// Values of an edge's choices; what was left open is 0.
fn inputs(machine: &Machine, space: &Space, edge: EdgeId, chosen: &Values) -> Vec<u64> {
    let mut number = 0;
    let mut word = |width: u32| {
        let mut value = 0_u64;
        for bit in 0..width {
            let variable = space.choice(edge, number);
            number += 1;
            value |= u64::from(*chosen.get(&variable).unwrap_or(&false)) << bit;
        }
        value
    };
    let types = &machine.edge(edge).inputs;
    types.iter().map(|ty| word(ty.width())).collect()
}
