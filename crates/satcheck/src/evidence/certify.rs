//! Why no target is reached: the reachable function terms as an inductive invariant, in the form
//! that all engines use.
//!
//! With the closure complete, `reached(t)`, the condition on the symbols under which a term is
//! passed, is the least solution of "the start is; what a hop leads to is, where its condition
//! holds". The pairs of entry state and current state at a node are then the images of `reached(t)`
//! under the arguments of the instance's entry and of the term, for all terms at the node. That
//! joins the instances of a procedure: they differ in the entry states that they speak of, or
//! agree.
//!
//! The relations are exact: for every pair in them there is a run, up to values of bits that no way
//! on reads, and of these they say nothing. So they are inductive, returns included: a caller's run
//! up to a call, a callee's from the same entry state to an exit, and the rest fit together to a
//! run. They are computed with BDDs, or, where functions are too large for that, written out
//! ([`crate::evidence::written_out`]). An LRAT proof of the clauses would cost less, but prove
//! less: that the clauses have no solution, not that they say what the program does, which the
//! common checker does not need to be told.

use crate::encoding::closure::Closure;
use crate::encoding::evaluate::{Frame, Trouble};
use crate::encoding::symbols::Meaning;
use crate::encoding::terms::{HopKind, TermId};
use crate::evidence::written_out::WrittenOut;
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan, PlanBuilder};
use hardbop_machine::{Action, GlobalId, Machine, NodeId, ProcId, Variable};
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{Bit, Certificate, Direction, Formula, NodeRelation};
use hardbop_symbolic::FormulaWriter;
use std::collections::{BTreeMap, VecDeque};

/// Computes the relations of a closure and writes them down.
pub(crate) struct Certifier<'c, 'm, 'i> {
    closure: &'c mut Closure<'m, 'i>,
    /// The conditions under which terms are passed.
    reached: Vec<Bdd>,
    relations: Vec<Bdd>,
    /// What is written out as formulas instead.
    written_out: BTreeMap<NodeId, Vec<WrittenOut>>,
    without_symbols: Plan,
}

impl<'c, 'm, 'i> Certifier<'c, 'm, 'i> {
    /// Starts from a closure whose targets are not reached.
    pub(crate) fn new(closure: &'c mut Closure<'m, 'i>) -> Self {
        let mut builder = PlanBuilder::new();
        for variable in 0..closure.symbols.passing() {
            builder.quantify(variable);
        }
        for variable in closure.symbols.first()..closure.symbols.end() {
            builder.quantify(variable);
        }
        let without_symbols = builder.build(&mut closure.manager);
        Self {
            reached: vec![Bdd::FALSE; closure.terms.len()],
            relations: vec![Bdd::FALSE; closure.blocks.machine.nodes.len()],
            // Nothing has to be said of what comes after all targets.
            written_out: closure
                .blocks
                .behind()
                .map(|node| (node, vec![WrittenOut::anything()]))
                .collect(),
            without_symbols,
            closure,
        }
    }

    /// The certificate for some targets.
    pub(crate) fn certificate(mut self, targets: Vec<Target>) -> Result<Certificate, Trouble> {
        self.propagate()?;
        for id in self.closure.terms.ids() {
            // The solver has said that no state leads here; what it knew of names is not in the
            // conditions.
            let node = self.closure.terms.get(id).node;
            let is_behind = self.closure.blocks.is_behind(node);
            if !is_behind && targets.iter().all(|target| target.node != node) {
                self.relate(id)?;
            }
        }
        Ok(self.write(targets))
    }

    /// The least solution for `reached`: where terms are passed.
    fn propagate(&mut self) -> Result<(), Trouble> {
        self.reached[0] = Bdd::TRUE;
        let mut pending = VecDeque::from([TermId(0)]);
        let mut queued = vec![false; self.reached.len()];
        while let Some(id) = pending.pop_front() {
            queued[id.index()] = false;
            let mut woken: Vec<TermId> = Vec::new();
            let term = self.closure.terms.get(id);
            for hop in &term.hops {
                let manager = &mut self.closure.manager;
                let mut passed = manager.and(self.reached[id.index()], hop.condition)?;
                if let HopKind::Return(exit) = hop.kind {
                    passed = manager.and(passed, self.reached[exit.index()])?;
                }
                let to = &mut self.reached[hop.to.index()];
                let more = manager.or(*to, passed)?;
                if more != *to {
                    *to = more;
                    woken.push(hop.to);
                }
            }
            let instance = self.closure.terms.instance(term.instance);
            if instance.exits.contains(&id) {
                woken.extend(instance.callers.iter().map(|&(caller, _)| caller));
            }
            for id in woken {
                if !std::mem::replace(&mut queued[id.index()], true) {
                    pending.push_back(id);
                }
            }
        }
        Ok(())
    }

    /// Adds the images of a term, at its node and along the chains that start there.
    fn relate(&mut self, id: TermId) -> Result<(), Trouble> {
        let passed = self.reached[id.index()];
        if passed.is_false() {
            return Ok(());
        }
        let term = self.closure.terms.get(id);
        let node = term.node;
        let entry = self.closure.terms.instance(term.instance).entry;
        let may_write_out = entry == Closure::START && self.closure.symbols.name_count() > 0;
        let entry_frame = self.closure.frame(entry);
        let frame = self.closure.frame(id);
        if !(may_write_out && self.write_out(node, passed, &entry_frame, &frame)) {
            self.add_image(node, passed, &entry_frame, &frame)?;
        }
        let machine = self.closure.blocks.machine;
        for edge in machine.edges_from(node) {
            if matches!(
                machine.edge(edge).action,
                Action::Call { .. } | Action::EndThread
            ) {
                continue;
            }
            let mut between: Vec<(NodeId, Bdd, Frame)> = Vec::new();
            self.closure.walk_all(id, edge, |node, taken, frame| {
                between.push((node, taken, frame.clone()));
            })?;
            for (node, taken, frame) in between {
                let blocks = &self.closure.blocks;
                if !blocks.is_head(node) && !blocks.is_behind(node) {
                    let passed = self.closure.manager.and(passed, taken)?;
                    if !(may_write_out && self.write_out(node, passed, &entry_frame, &frame)) {
                        self.add_image(node, passed, &entry_frame, &frame)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts states that can be written out among those that will be.
    fn write_out(&mut self, node: NodeId, passed: Bdd, entry_frame: &Frame, frame: &Frame) -> bool {
        let blocks = &self.closure.blocks;
        let procedure = blocks.machine.procedure_of(node);
        let entry = blocks.machine.procedure(procedure).entry;
        let arguments = blocks.arguments_at(node);
        let entry = (blocks.arguments(entry), entry_frame);
        let written = WrittenOut::new(self.closure, passed, entry, (&arguments, frame));
        let is_written = written.is_some();
        self.written_out.entry(node).or_default().extend(written);
        is_written
    }

    fn add_image(
        &mut self,
        node: NodeId,
        condition: Bdd,
        entry_frame: &Frame,
        frame: &Frame,
    ) -> Result<(), Exhausted> {
        let image = self.image(node, condition, entry_frame, frame)?;
        let relation = &mut self.relations[node.index()];
        *relation = self.closure.manager.or(*relation, image)?;
        Ok(())
    }

    /// The pairs of entry and current state that a condition on symbols gives.
    fn image(
        &mut self,
        node: NodeId,
        condition: Bdd,
        entry_frame: &Frame,
        frame: &Frame,
    ) -> Result<Bdd, Exhausted> {
        let machine = self.closure.blocks.machine;
        let procedure = machine.procedure_of(node);
        let entry = machine.procedure(procedure).entry;
        let mut equal = vec![condition];
        for argument in self.closure.blocks.arguments(entry) {
            if let Some(value) = entry_frame[argument.slot as usize] {
                let variable = self.closure.symbols.entry(argument.slot);
                equal.push(same(&mut self.closure.manager, variable, value)?);
            }
        }
        for argument in self.closure.blocks.arguments_at(node) {
            if let Some(value) = frame[argument.slot as usize] {
                let variable = self.closure.symbols.now(argument.slot);
                equal.push(same(&mut self.closure.manager, variable, value)?);
            }
        }
        let defined = self.definitions(&equal)?;
        equal.extend(defined);
        let manager = &mut self.closure.manager;
        let all = manager.and_all(equal)?;
        manager.project(all, &self.without_symbols)
    }

    /// What the names mean that some functions speak of, directly or through other names.
    fn definitions(&mut self, functions: &[Bdd]) -> Result<Vec<Bdd>, Exhausted> {
        if self.closure.symbols.name_count() == 0 {
            return Ok(Vec::new());
        }
        let mut seen = std::collections::BTreeSet::new();
        let mut pending = functions.to_vec();
        let mut defined = Vec::new();
        while let Some(function) = pending.pop() {
            for variable in self.closure.manager.support(function) {
                if variable < self.closure.symbols.first() || !seen.insert(variable) {
                    continue;
                }
                if let Meaning::Name(value) = self.closure.symbols.meaning(variable) {
                    defined.push(same(&mut self.closure.manager, variable, value)?);
                    pending.push(value);
                }
            }
        }
        Ok(defined)
    }

    fn write(self, targets: Vec<Target>) -> Certificate {
        let machine = self.closure.blocks.machine;
        let symbols = &self.closure.symbols;
        let mut writer = FormulaWriter::default();
        let mut related: BTreeMap<NodeId, Vec<u32>> = BTreeMap::new();
        for procedure in machine.procedure_ids() {
            writer.forget_bdds();
            let bits = bits_by_slot(machine, procedure);
            let leaf = |variable: u32| {
                let number = variable - symbols.entry(0);
                let bit = bits[(number / 2) as usize];
                if number.is_multiple_of(2) {
                    Formula::Entry(bit)
                } else {
                    Formula::Now(bit)
                }
            };
            for node in machine.procedure(procedure).node_ids() {
                let relation = self.relations[node.index()];
                if !relation.is_false() {
                    let formula = writer.bdd(&self.closure.manager, relation, leaf);
                    related.entry(node).or_default().push(formula);
                }
            }
            for node in machine.procedure(procedure).node_ids() {
                for written in self.written_out.get(&node).into_iter().flatten() {
                    let formula = written.write(self.closure, &mut writer, &bits);
                    related.entry(node).or_default().push(formula);
                }
            }
        }
        let mut nodes = Vec::new();
        for (node, parts) in related {
            let formula = match *parts {
                [only] => only,
                _ => writer.formula(Formula::Or(parts)),
            };
            nodes.push(NodeRelation::new(machine, node, formula));
        }
        Certificate::new(machine, Direction::Forward, targets, writer.finish(), nodes)
    }
}

/// The bits that a procedure sees in the order of their slots.
fn bits_by_slot(machine: &Machine, procedure: ProcId) -> Vec<Bit> {
    let globals = (0..machine.globals.len()).map(|id| Variable::Global(GlobalId::new(id)));
    let locals = machine.procedure(procedure).local_ids();
    let variables = globals.chain(locals.map(Variable::Local));
    variables
        .flat_map(|variable| {
            let width = machine.type_of(procedure, variable).width();
            (0..width).map(move |bit| Bit { variable, bit })
        })
        .collect()
}

fn same(manager: &mut Manager<'_>, variable: u32, value: Bdd) -> Result<Bdd, Exhausted> {
    let variable = manager.variable(variable)?;
    manager.iff(variable, value)
}
