//! What edges do to relations: steps, calls, returns, thread starts, as relational products.
//!
//! The relation of a step is kept with the choices of the edge in it; runs are read off with it
//! later. For images the choices are quantified once. A call is taken apart as in the sequential
//! case: the *waiting* caller, related by the call to the state in which the callee is entered,
//! meets the callee's summary; what is new is that the summary brings its own boundaries, which
//! come after those of the caller.

use crate::bounded::encoding::columns::{Column, Columns, Slot};
use crate::bounded::encoding::scopes::Scope;
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan, Roots};
use hardbop_machine::bits::{BitEdge, BitNode, BitView};
use hardbop_machine::{Action, EdgeId, NodeId, ThreadStart, Variable};
use hardbop_symbolic::{Encoder, Plans, QUANTIFY};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The relation of an edge.
#[derive(Clone)]
pub(crate) struct Move {
    /// Between `Now` and `Next` (`Callee` for a call) and the choices of the edge.
    pub(crate) full: Bdd,
    /// The same without the choices.
    pub(crate) relation: Bdd,
    /// Bits that get a new value.
    pub(crate) assigned: Vec<Slot>,
    /// Makes the state after it current, without what no longer matters.
    pub(crate) plan: Rc<Plan>,
}

/// BDDs and what is needed to make them.
pub(crate) struct Moves<'m, 'i> {
    /// The manager.
    pub(crate) manager: Manager<'i>,
    /// The plans.
    pub(crate) plans: Plans,
    /// Which variable stands for what.
    pub(crate) columns: Columns<'m>,
    view: BitView<'m>,
    steps: BTreeMap<EdgeId, Move>,
    starts: BTreeMap<(EdgeId, u32), Move>,
    blocked: BTreeMap<NodeId, Bdd>,
}

/// Actions of a plan.
pub(crate) type Actions = Vec<(u32, u32)>;

impl<'m, 'i> Moves<'m, 'i> {
    /// Nothing made yet.
    pub(crate) fn new(columns: Columns<'m>, manager: Manager<'i>) -> Self {
        let view = BitView::new(columns.machine());
        Self {
            manager,
            plans: Plans::default(),
            columns,
            view,
            steps: BTreeMap::new(),
            starts: BTreeMap::new(),
            blocked: BTreeMap::new(),
        }
    }

    /// The variable of a bit in a column.
    pub(crate) fn at(&self, slot: Slot, column: Column) -> u32 {
        self.columns.variable(slot, column)
    }

    /// The plan with these actions.
    pub(crate) fn plan(&mut self, actions: Actions) -> Rc<Plan> {
        self.plans.get(&mut self.manager, actions)
    }

    /// Quantifies and renames.
    pub(crate) fn project(&mut self, relation: Bdd, actions: Actions) -> Result<Bdd, Exhausted> {
        self.product(relation, Bdd::TRUE, actions)
    }

    /// Conjoins, quantifies and renames.
    pub(crate) fn product(&mut self, f: Bdd, g: Bdd, actions: Actions) -> Result<Bdd, Exhausted> {
        if actions.is_empty() {
            return self.manager.and(f, g);
        }
        let plan = self.plan(actions);
        self.manager.relprod(f, g, &plan)
    }

    /// Actions that quantify bits of a column.
    pub(crate) fn quantify(&self, slots: &[Slot], column: Column) -> Actions {
        let variables = slots.iter().map(|&slot| self.at(slot, column));
        variables.map(|variable| (variable, QUANTIFY)).collect()
    }

    /// Actions that rename bits of a column.
    pub(crate) fn rename(&self, slots: &[Slot], from: Column, to: Column) -> Actions {
        let pairs = slots
            .iter()
            .map(|&slot| (self.at(slot, from), self.at(slot, to)));
        pairs.collect()
    }

    /// Bits that have the same value in two columns.
    pub(crate) fn equal(&mut self, slots: &[Slot], a: Column, b: Column) -> Result<Bdd, Exhausted> {
        let mut result = Bdd::TRUE;
        for &slot in slots.iter().rev() {
            let left = self.manager.variable(self.columns.variable(slot, a))?;
            let right = self.manager.variable(self.columns.variable(slot, b))?;
            let same = self.manager.iff(left, right)?;
            result = self.manager.and(same, result)?;
        }
        Ok(result)
    }

    /// A bit with a value.
    pub(crate) fn literal(&mut self, variable: u32, value: bool) -> Result<Bdd, Exhausted> {
        let positive = self.manager.variable(variable)?;
        Ok(if value { positive } else { !positive })
    }

    fn encode(
        &mut self,
        encoder: &mut Encoder,
        edge: EdgeId,
        bits: &BitEdge,
        root: hardbop_machine::bits::BitId,
    ) -> Result<Bdd, Exhausted> {
        let machine = self.columns.machine();
        let procedure = machine.procedure_of(machine.edge(edge).from);
        let columns = &self.columns;
        let is_assigned =
            |variable: Variable| bits.assignments.iter().any(|a| a.variable == variable);
        let leaf = |node: BitNode| match node {
            BitNode::Next(variable, bit) if is_assigned(variable) => {
                columns.variable(columns.slot(procedure, variable, bit), Column::Next)
            }
            BitNode::Var(variable, bit) | BitNode::Next(variable, bit) => {
                columns.variable(columns.slot(procedure, variable, bit), Column::Now)
            }
            BitNode::Input(input, bit) => columns.choice(edge, bits.input_index(input, bit)),
            _ => unreachable!("only leaves that are no constants are asked for"),
        };
        encoder.encode(&mut self.manager, self.view.graph(), root, leaf)
    }

    /// Assignments as equations between a column and values of the state before.
    fn equations(
        &mut self,
        encoder: &mut Encoder,
        edge: EdgeId,
        bits: &BitEdge,
        targets: &[(Slot, Column, hardbop_machine::bits::BitId)],
    ) -> Result<Bdd, Exhausted> {
        let mut result = Bdd::TRUE;
        for &(slot, column, value) in targets.iter().rev() {
            let value = self.encode(encoder, edge, bits, value)?;
            let target = self.manager.variable(self.columns.variable(slot, column))?;
            let equation = self.manager.iff(target, value)?;
            result = self.manager.and(equation, result)?;
        }
        Ok(result)
    }

    fn without_choices(
        &mut self,
        full: Bdd,
        edge: EdgeId,
        bits: &BitEdge,
    ) -> Result<Bdd, Exhausted> {
        let choices = 0..bits.input_bits();
        let actions = choices.map(|number| (self.columns.choice(edge, number), QUANTIFY));
        let actions = actions.collect();
        self.project(full, actions)
    }

    fn finished(
        &mut self,
        full: Bdd,
        edge: EdgeId,
        bits: &BitEdge,
        assigned: Vec<Slot>,
        actions: Actions,
    ) -> Result<Move, Exhausted> {
        Ok(Move {
            full,
            relation: self.without_choices(full, edge, bits)?,
            assigned,
            plan: self.plan(actions),
        })
    }

    /// The relation of an edge that is not a call and starts no thread.
    pub(crate) fn step(&mut self, edge: EdgeId) -> Result<Move, Exhausted> {
        if let Some(known) = self.steps.get(&edge) {
            return Ok(known.clone());
        }
        let machine = self.columns.machine();
        let action = &machine.edge(edge).action;
        let bits = self.view.edge(edge);
        let mut encoder = Encoder::default();
        let procedure = machine.procedure_of(machine.edge(edge).from);
        let targets = bits.assignments.iter().map(|assignment| {
            let slot = self
                .columns
                .slot(procedure, assignment.variable, assignment.bit);
            (slot, Column::Next, assignment.value)
        });
        let targets: Vec<_> = targets.collect();
        let mut assigned: Vec<Slot> = targets.iter().map(|&(slot, ..)| slot).collect();
        let values = self.equations(&mut encoder, edge, &bits, &targets)?;
        let guard = self.encode(&mut encoder, edge, &bits, bits.guard)?;
        let constrain = self.encode(&mut encoder, edge, &bits, bits.constrain)?;
        let mut full = self.manager.and(guard, values)?;
        full = self.manager.and(full, constrain)?;
        if let Some(inside) = self.columns.inside() {
            let value = match action {
                Action::AtomicBegin => Some(true),
                Action::AtomicEnd => Some(false),
                _ => None,
            };
            if let Some(value) = value {
                let literal = self.literal(self.at(inside, Column::Next), value)?;
                full = self.manager.and(full, literal)?;
                assigned.push(inside);
            }
        }
        let dead = self.columns.dead_locals(machine.edge(edge).to);
        let mut actions = self.quantify(&dead, Column::Now);
        for &slot in &assigned {
            let (now, next) = (self.at(slot, Column::Now), self.at(slot, Column::Next));
            actions.push((now, QUANTIFY));
            actions.push((next, if dead.contains(&slot) { QUANTIFY } else { now }));
        }
        let made = self.finished(full, edge, &bits, assigned, actions)?;
        self.steps.insert(edge, made.clone());
        Ok(made)
    }

    /// The relation between a caller and the state in which its callee is entered. Its plan keeps
    /// of the caller what matters after the call.
    pub(crate) fn call(&mut self, edge: EdgeId) -> Result<Move, Exhausted> {
        if let Some(known) = self.steps.get(&edge) {
            return Ok(known.clone());
        }
        let machine = self.columns.machine();
        let Action::Call { callee, .. } = machine.edge(edge).action else {
            unreachable!("only calls are asked for");
        };
        let bits = self.view.edge(edge);
        let mut encoder = Encoder::default();
        let targets = bits.arguments.iter().map(|argument| {
            let slot = self.columns.slot(callee, argument.variable, argument.bit);
            (slot, Column::Callee, argument.value)
        });
        let targets: Vec<_> = targets.collect();
        let values = self.equations(&mut encoder, edge, &bits, &targets)?;
        let guard = self.encode(&mut encoder, edge, &bits, bits.guard)?;
        let globals: Vec<Slot> = self.globals();
        let same = self.equal(&globals, Column::Now, Column::Callee)?;
        let full = self.manager.and(guard, values)?;
        let full = self.manager.and(full, same)?;
        let mut forgotten = globals;
        forgotten.extend(self.columns.dead_locals(machine.edge(edge).to));
        forgotten.extend(self.results(edge).into_iter().map(|(_, target)| target));
        let actions = self.quantify(&forgotten, Column::Now);
        let made = self.finished(full, edge, &bits, Vec::new(), actions)?;
        self.steps.insert(edge, made.clone());
        Ok(made)
    }

    /// The bits of a call's results as the callee has them and of its targets as the caller does;
    /// results that are thrown away are left out.
    pub(crate) fn results(&mut self, edge: EdgeId) -> Vec<(Slot, Slot)> {
        let machine = self.columns.machine();
        let Action::Call { callee, .. } = machine.edge(edge).action else {
            return Vec::new();
        };
        let caller = machine.procedure_of(machine.edge(edge).from);
        let bits = self.view.edge(edge);
        let pairs = bits.results.iter().map(|result| {
            let of_callee = self
                .columns
                .slot(callee, Variable::Local(result.result), result.bit);
            (
                of_callee,
                self.columns.slot(caller, result.target, result.bit),
            )
        });
        pairs.collect()
    }

    /// All globals as a thread sees them.
    pub(crate) fn globals(&self) -> Vec<Slot> {
        let (shared, own) = (self.columns.shared(), self.columns.own());
        shared.iter().chain(own).copied().collect()
    }

    /// What a thread start does: the started thread is given its parent's per-thread globals and
    /// its arguments. `number` says how many threads were started before.
    pub(crate) fn start(
        &mut self,
        edge: EdgeId,
        scope: &Scope,
        number: u32,
    ) -> Result<Move, Exhausted> {
        if let Some(known) = self.starts.get(&(edge, number)) {
            return Ok(known.clone());
        }
        let machine = self.columns.machine();
        let column = Column::Given(number + 1);
        let bits = self.view.edge(edge);
        let mut encoder = Encoder::default();
        let guard = self.encode(&mut encoder, edge, &bits, bits.guard)?;
        let given = match &machine.edge(edge).action {
            Action::StartThread(ThreadStart::Procedure { callee, .. }) => {
                let targets = bits.arguments.iter().map(|argument| {
                    let slot = self.columns.slot(*callee, argument.variable, argument.bit);
                    (slot, column, argument.value)
                });
                let targets: Vec<_> = targets.collect();
                self.equations(&mut encoder, edge, &bits, &targets)?
            }
            _ => self.equal(&scope.given, Column::Now, column)?,
        };
        let own = self.inherited();
        let same = self.equal(&own, Column::Now, column)?;
        let full = self.manager.and(guard, given)?;
        let full = self.manager.and(full, same)?;
        let dead = self.columns.dead_locals(machine.edge(edge).to);
        let actions = self.quantify(&dead, Column::Now);
        let made = self.finished(full, edge, &bits, Vec::new(), actions)?;
        self.starts.insert((edge, number), made.clone());
        Ok(made)
    }

    /// The per-thread globals that a started thread copies from its parent: all but being inside an
    /// atomic block.
    pub(crate) fn inherited(&self) -> Vec<Slot> {
        let own = self.columns.own().iter().copied();
        own.filter(|&slot| Some(slot) != self.columns.inside())
            .collect()
    }

    /// Where a thread at a node can take no step, over `Now`.
    pub(crate) fn blocked(&mut self, node: NodeId) -> Result<Bdd, Exhausted> {
        if let Some(&known) = self.blocked.get(&node) {
            return Ok(known);
        }
        let machine = self.columns.machine();
        let mut enabled = Bdd::FALSE;
        if machine.procedure(machine.procedure_of(node)).exit == node {
            enabled = Bdd::TRUE;
        }
        for edge in machine.edges_from(node) {
            let relation = match &machine.edge(edge).action {
                Action::Assign { .. } => {
                    let made = self.step(edge)?;
                    let actions = self.quantify(&made.assigned, Column::Next);
                    self.project(made.relation, actions)?
                }
                _ => {
                    let bits = self.view.edge(edge);
                    let guard = self.encode(&mut Encoder::default(), edge, &bits, bits.guard)?;
                    self.without_choices(guard, edge, &bits)?
                }
            };
            enabled = self.manager.or(enabled, relation)?;
        }
        self.blocked.insert(node, !enabled);
        Ok(!enabled)
    }

    /// Frees BDD nodes that neither the steps nor others need.
    pub(crate) fn collect(&mut self, kept: &dyn Roots) {
        let roots: [&dyn Roots; 4] = [&self.steps, &self.starts, &self.blocked, &kept];
        self.manager.collect(&roots);
    }
}

impl Roots for Move {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        [self.full, self.relation].each_root(keep);
    }
}
