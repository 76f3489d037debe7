//! Reading a run off the rings of a backward search: forward, from a starting state to a target.
//!
//! A state that was new at some visit got there from a ring that was propagated earlier, nearer to
//! the target. So from a starting state we take, at each node, an edge whose other end lies in an
//! earlier ring; times strictly fall, so this ends at a target. A call is either entered, if the
//! target is reached inside, or stepped over; then the callee is asked for a completed run from the
//! same rings.

use crate::backward::Backward;
use crate::calls::parameters;
use crate::frontier::{Ring, Time};
use crate::interface::Bit;
use crate::runs::{NoRun, Values};
use crate::space::{Copy, REACHES_TARGET};
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_machine::{Action, EdgeId, LocalId, NodeId, ProcId, Variable};
use hardbop_outcome::{CompletedCall, Decision, Skeleton};
use hardbop_symbolic::QUANTIFY;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// A state at a node, with what it is on the way to.
#[derive(Clone, Debug)]
struct Point {
    node: NodeId,
    /// `Now` of all visible variables.
    values: Values,
    /// The flag, and on the way to an exit also the values wanted there.
    goal: Values,
    /// Everything on the way was propagated before.
    time: Time,
}

/// A completed call that some step needs.
#[derive(Clone, Debug)]
struct Request {
    procedure: ProcId,
    entry: Point,
}

enum Forth {
    Edge {
        edge: EdgeId,
        inputs: Vec<u64>,
        after: Point,
    },
    Over {
        edge: EdgeId,
        inputs: Vec<u64>,
        after: Point,
        request: Request,
    },
    Into {
        edge: EdgeId,
        inputs: Vec<u64>,
        entry: Point,
    },
}

/// Reads runs off a backward search.
pub struct BackReader<'r, 'm, 'i> {
    search: &'r mut Backward<'m, 'i>,
    requests: Vec<Request>,
    known: HashMap<(ProcId, Values, Values), usize>,
}

impl<'r, 'm, 'i> BackReader<'r, 'm, 'i> {
    /// A reader of a search.
    pub fn new(search: &'r mut Backward<'m, 'i>) -> Self {
        Self {
            search,
            requests: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// A run from a starting state that the search has found, and the target it ends at.
    pub fn run(&mut self) -> Result<(Skeleton, NodeId), NoRun> {
        let main = self.search.compiler.machine.threads[0].entry;
        let node = self.search.compiler.machine.procedure(main).entry;
        let mut start = None;
        // A starting state that ended the search has not been propagated: it is newer than
        // everything that was.
        let pending = Ring {
            time: Time::MAX,
            edges: self.search.node(node).pending,
        };
        let rings = self.rings(node, Time::MAX).into_iter();
        for ring in rings.chain([pending]) {
            let reaching = self.search.manager.and(ring.edges, self.search.flag())?;
            let initial = self.search.initial();
            let both = self.search.manager.and(reaching, initial)?;
            if let Some(chosen) = self.pick(both) {
                start = Some((chosen, ring.time));
                break;
            }
        }
        let (chosen, time) = start.ok_or(NoRun::Broken)?;
        let mut point = Point {
            node,
            values: self.state(main, |bit| self.now(bit), &chosen),
            goal: Values::from([(REACHES_TARGET, true)]),
            time,
        };
        let mut skeleton = Skeleton {
            start: self.words(main, &point.values),
            ..Skeleton::default()
        };
        while !self.search.targets().contains(&point.node) {
            match self.forth(&point)?.ok_or(NoRun::Broken)? {
                Forth::Into {
                    edge,
                    inputs,
                    entry,
                } => {
                    let callee = self.search.compiler.machine.procedure_of(entry.node);
                    let locals = self.first_locals(callee, &entry.values);
                    skeleton.steps.push(Decision::Enter {
                        edge,
                        inputs,
                        locals,
                    });
                    point = entry;
                }
                step => point = self.record(step, &mut skeleton.steps),
            }
        }
        let mut calls = Vec::new();
        while calls.len() < self.requests.len() {
            let Request { procedure, entry } = self.requests[calls.len()].clone();
            let locals = self.first_locals(procedure, &entry.values);
            let mut steps = Vec::new();
            let exit = self.search.compiler.machine.procedure(procedure).exit;
            let mut point = entry;
            while point.node != exit {
                let step = self.forth(&point)?.ok_or(NoRun::Broken)?;
                point = self.record(step, &mut steps);
            }
            calls.push(CompletedCall {
                procedure,
                locals,
                steps,
            });
        }
        skeleton.calls = Rc::new(calls);
        Ok((skeleton, point.node))
    }

    /// Writes down a step within the procedure.
    fn record(&mut self, step: Forth, steps: &mut Vec<Decision>) -> Point {
        match step {
            Forth::Edge {
                edge,
                inputs,
                after,
            } => {
                steps.push(Decision::Edge { edge, inputs });
                after
            }
            Forth::Over {
                edge,
                inputs,
                after,
                request,
            } => {
                let call = self.request(request);
                steps.push(Decision::Call { edge, inputs, call });
                after
            }
            Forth::Into { entry, .. } => entry,
        }
    }

    fn request(&mut self, request: Request) -> usize {
        let entry = &request.entry;
        let key = (request.procedure, entry.values.clone(), entry.goal.clone());
        let next = self.requests.len();
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.requests.push(request);
        }
        index
    }

    fn rings(&self, node: NodeId, before: Time) -> Vec<Ring> {
        let rings = self.search.node(node).rings.iter();
        rings
            .take_while(|ring| ring.time < before)
            .copied()
            .collect()
    }

    fn forth(&mut self, point: &Point) -> Result<Option<Forth>, Exhausted> {
        for edge in self.search.compiler.machine.edges_from(point.node) {
            let found = match self.search.compiler.machine.edge(edge).action {
                Action::EndThread => None,
                Action::Call { callee, .. } => self.forth_by_call(point, edge, callee)?,
                _ => self.forth_along(point, edge)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn forth_along(&mut self, point: &Point, edge: EdgeId) -> Result<Option<Forth>, Exhausted> {
        let to = self.search.compiler.machine.edge(edge).to;
        let rings = self.rings(to, point.time);
        if rings.is_empty() {
            return Ok(None);
        }
        let procedure = self.search.compiler.machine.procedure_of(point.node);
        let bits = self.search.view.edge(edge);
        let compiler = self.search.compiler;
        let (manager, view) = (&mut self.search.manager, &self.search.view);
        let mut parts = compiler.effects(manager, view.graph(), edge, &bits, &|_| true)?;
        parts.push(self.cube(&point.values)?);
        parts.push(self.cube(&point.goal)?);
        let constraint = self.search.manager.and_all(parts)?;
        if constraint.is_false() {
            return Ok(None);
        }
        let is_assigned = |bit: &Bit| {
            let mut assigned = bits.assignments.iter();
            assigned.any(|a| a.variable == bit.variable && a.bit == bit.bit)
        };
        let interfaces = self.search.compiler.interfaces;
        let moved = interfaces
            .of(procedure)
            .scope
            .iter()
            .filter(|b| is_assigned(b));
        let actions = moved.map(|bit| (self.now(bit), self.next(bit))).collect();
        let rename = self.search.plans.get(&mut self.search.manager, actions);
        for ring in rings {
            let after = self.search.manager.project(ring.edges, &rename)?;
            let both = self.search.manager.and(constraint, after)?;
            if let Some(chosen) = self.pick(both) {
                let source = |bit: &Bit| {
                    if is_assigned(bit) {
                        self.next(bit)
                    } else {
                        self.now(bit)
                    }
                };
                return Ok(Some(Forth::Edge {
                    edge,
                    inputs: self.inputs(edge, &chosen),
                    after: Point {
                        node: to,
                        values: self.state(procedure, source, &chosen),
                        goal: point.goal.clone(),
                        time: ring.time,
                    },
                }));
            }
        }
        Ok(None)
    }

    fn forth_by_call(
        &mut self,
        point: &Point,
        edge: EdgeId,
        callee: ProcId,
    ) -> Result<Option<Forth>, Exhausted> {
        let compiler = self.search.compiler;
        let mut parts =
            compiler.arguments(&mut self.search.manager, &mut self.search.view, edge)?;
        parts.push(self.cube(&point.values)?);
        let constraint = self.search.manager.and_all(parts)?;
        if constraint.is_false() {
            return Ok(None);
        }
        let entry_node = self.search.compiler.machine.procedure(callee).entry;
        let entry_rings = self.rings(entry_node, point.time);
        if point.goal.get(&REACHES_TARGET) == Some(&true) {
            for &ring in &entry_rings {
                let found = self.enter_call(point, edge, callee, constraint, ring)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        let to = self.search.compiler.machine.edge(edge).to;
        let moves = self.search.call_moves(edge)?;
        let goal = self.cube(&point.goal)?;
        for after in self.rings(to, point.time) {
            let wanted = self.search.manager.project(after.edges, &moves.want)?;
            let wanted = self.search.manager.and(wanted, goal)?;
            let wanted = self.search.manager.and(wanted, constraint)?;
            if wanted.is_false() {
                continue;
            }
            for &ring in &entry_rings {
                let summary = self.ending(callee, ring)?;
                let both = self.search.manager.and(wanted, summary)?;
                if let Some(chosen) = self.pick(both) {
                    let inputs = self.inputs(edge, &chosen);
                    let Some(request) = self.completed(callee, &chosen, ring)? else {
                        continue;
                    };
                    return Ok(Some(Forth::Over {
                        edge,
                        inputs,
                        after: self.after_call(point, edge, &chosen, after.time),
                        request,
                    }));
                }
            }
        }
        Ok(None)
    }

    /// What a ring at a callee's entry says about ending in a demanded state, in the shape of a
    /// call.
    fn ending(&mut self, callee: ProcId, ring: Ring) -> Result<Bdd, Exhausted> {
        let flag = self.search.flag();
        let plan = self.search.entry_plan(callee);
        let without = vec![(REACHES_TARGET, QUANTIFY)];
        let without = self.search.plans.get(&mut self.search.manager, without);
        let ending = self.search.manager.and(ring.edges, !flag)?;
        let ending = self.search.manager.project(ending, &plan)?;
        self.search.manager.project(ending, &without)
    }

    fn enter_call(
        &mut self,
        point: &Point,
        edge: EdgeId,
        callee: ProcId,
        constraint: Bdd,
        ring: Ring,
    ) -> Result<Option<Forth>, Exhausted> {
        let flag = self.search.flag();
        let plan = self.search.entry_plan(callee);
        let entering = self.search.manager.and(ring.edges, flag)?;
        let entering = self.search.manager.project(entering, &plan)?;
        let both = self.search.manager.and(constraint, entering)?;
        let Some(chosen) = self.pick(both) else {
            return Ok(None);
        };
        let goal = point.goal.clone();
        let entry = self.callee_entry(callee, &chosen, goal, ring)?;
        let inputs = self.inputs(edge, &chosen);
        Ok(entry.map(|entry| Forth::Into {
            edge,
            inputs,
            entry,
        }))
    }

    /// The request for a completed call that ends as chosen.
    fn completed(
        &mut self,
        callee: ProcId,
        chosen: &Values,
        ring: Ring,
    ) -> Result<Option<Request>, Exhausted> {
        let mut goal = Values::from([(REACHES_TARGET, false)]);
        for bit in self.search.compiler.interfaces.of(callee).outputs() {
            let value = chosen.get(&self.next(bit)).copied().unwrap_or(false);
            goal.insert(
                self.search.compiler.space.variable(bit.slot, Copy::Outer),
                value,
            );
        }
        let entry = self.callee_entry(callee, chosen, goal, ring)?;
        Ok(entry.map(|entry| Request {
            procedure: callee,
            entry,
        }))
    }

    /// The callee's first state: globals and arguments as chosen, other locals as its ring wants
    /// them.
    fn callee_entry(
        &mut self,
        callee: ProcId,
        chosen: &Values,
        goal: Values,
        ring: Ring,
    ) -> Result<Option<Point>, Exhausted> {
        let interfaces = self.search.compiler.interfaces;
        let interface = interfaces.of(callee);
        let mut fixed = goal.clone();
        for bit in &interface.scope {
            let is_parameter = parameters(interface).any(|input| input.slot == bit.slot);
            let source = match bit.variable {
                Variable::Global(_) => self.now(bit),
                Variable::Local(_) if is_parameter => self
                    .search
                    .compiler
                    .space
                    .variable(bit.slot, Copy::Argument),
                Variable::Local(_) => continue,
            };
            let value = chosen.get(&source).copied().unwrap_or(false);
            fixed.insert(self.now(bit), value);
        }
        let cube = self.cube(&fixed)?;
        let both = self.search.manager.and(ring.edges, cube)?;
        Ok(self.pick(both).map(|mut first| {
            first.extend(fixed);
            Point {
                node: self.search.compiler.machine.procedure(callee).entry,
                values: self.state(callee, |bit| self.now(bit), &first),
                goal,
                time: ring.time,
            }
        }))
    }

    /// The caller's state after a call that was stepped over.
    fn after_call(&mut self, point: &Point, edge: EdgeId, chosen: &Values, time: Time) -> Point {
        let caller = self.search.compiler.machine.procedure_of(point.node);
        let compiler = self.search.compiler;
        let inside = self.search.compiler.interfaces.of(compiler.callee(edge));
        let results = compiler.result_moves(&mut self.search.view, edge);
        let source = |bit: &Bit| {
            let result = results.iter().find(|&&(_, target)| target == bit.slot);
            match result {
                Some(&(result, _)) => self.search.compiler.space.variable(result, Copy::Next),
                None if inside.changes(bit.slot) => self.next(bit),
                None => self.now(bit),
            }
        };
        Point {
            node: self.search.compiler.machine.edge(edge).to,
            values: self.state(caller, source, chosen),
            goal: point.goal.clone(),
            time,
        }
    }

    fn now(&self, bit: &Bit) -> u32 {
        self.search.compiler.space.variable(bit.slot, Copy::Now)
    }

    fn next(&self, bit: &Bit) -> u32 {
        self.search.compiler.space.variable(bit.slot, Copy::Next)
    }

    /// The state of a procedure whose bits are found at other variables among the chosen values.
    fn state(&self, procedure: ProcId, source: impl Fn(&Bit) -> u32, chosen: &Values) -> Values {
        let scope = self.search.compiler.interfaces.of(procedure).scope.iter();
        let value = |bit: &Bit| chosen.get(&source(bit)).copied().unwrap_or(false);
        scope.map(|bit| (self.now(bit), value(bit))).collect()
    }

    fn cube(&mut self, values: &Values) -> Result<Bdd, Exhausted> {
        crate::runs::cube(&mut self.search.manager, values)
    }

    fn pick(&self, relation: Bdd) -> Option<Values> {
        let chosen = self.search.manager.pick(relation)?;
        Some(chosen.into_iter().collect())
    }

    fn inputs(&self, edge: EdgeId, chosen: &Values) -> Vec<u64> {
        crate::runs::inputs(
            self.search.compiler.machine,
            self.search.compiler.space,
            edge,
            chosen,
        )
    }

    fn words(&self, procedure: ProcId, values: &Values) -> Vec<(Variable, u64)> {
        let mut words: BTreeMap<Variable, u64> = BTreeMap::new();
        for bit in &self.search.compiler.interfaces.of(procedure).scope {
            let value = values.get(&self.now(bit)).copied().unwrap_or(false);
            *words.entry(bit.variable).or_default() |= u64::from(value) << bit.bit;
        }
        words.into_iter().collect()
    }

    fn first_locals(&self, procedure: ProcId, values: &Values) -> Vec<(LocalId, u64)> {
        let parameters = self
            .search
            .compiler
            .machine
            .procedure(procedure)
            .parameter_count;
        let words = self.words(procedure, values).into_iter();
        words
            .filter_map(|(variable, value)| match variable {
                Variable::Local(local) if local.0 >= parameters => Some((local, value)),
                _ => None,
            })
            .collect()
    }
}
