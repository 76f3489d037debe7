//! What an edge does to a relation: transfer functions (Bebop, Table 3) as a short list of relational products.
//!
//! The transition relation of a wide parallel assignment can be huge as one BDD while each of its parts is small. So an edge is a
//! list of *parts*, each a conjunction of some of "guard", "this bit gets that value" and "constrain", and the image is
//! taken part by part; a variable is quantified with the last part that mentions it. Parts are put together while they stay small.

use crate::encode::{EdgeEncoder, Plans, QUANTIFY};
use crate::interface::{Bit, Interface, Interfaces};
use crate::space::{Copy, Space};
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan};
use hardbop_machine::bits::{BitEdge, BitGraph, BitView};
use hardbop_machine::{EdgeId, Machine, ProcId, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Parts are put together up to this many BDD nodes.
const PART_SIZE: usize = 256;

/// A conjunct of a transition relation with what to quantify and rename once it has been used.
#[derive(Clone, Debug)]
pub struct Part {
    /// Over `Now`, `Next`, `Argument` and choices.
    pub relation: Bdd,
    /// Applied to the product of the relation so far and this part.
    pub plan: Rc<Plan>,
}

/// What a search is about, and everything that compiling its edges needs.
#[derive(Clone, Copy)]
pub struct Compiler<'c> {
    /// The machine.
    pub machine: &'c Machine,
    /// Where variables live.
    pub space: &'c Space,
    /// What procedures look like from outside.
    pub interfaces: &'c Interfaces,
    /// Which variables are visible.
    pub visible: &'c dyn Fn(ProcId, Variable) -> bool,
}

/// A conjunct with the variables it depends on.
struct Conjunct {
    relation: Bdd,
    support: BTreeSet<u32>,
}

/// The conjuncts of an edge and what becomes of its variables, before it is decided what happens when.
pub(crate) struct Draft {
    conjuncts: Vec<Conjunct>,
    /// To be quantified once no later conjunct mentions them.
    pub quantify: BTreeSet<u32>,
    /// Applied at the end.
    pub rename: Vec<(u32, u32)>,
}

impl Draft {
    pub fn new() -> Self {
        Self {
            conjuncts: Vec::new(),
            quantify: BTreeSet::new(),
            rename: Vec::new(),
        }
    }

    /// Adds a conjunct; those that say nothing are left out.
    pub fn conjoin(&mut self, manager: &mut Manager<'_>, relation: Bdd) -> Result<(), Exhausted> {
        if relation.is_true() {
            return Ok(());
        }
        if let Some(last) = self.conjuncts.last_mut()
            && manager.size(last.relation) < PART_SIZE
        {
            let both = manager.and(last.relation, relation)?;
            if manager.size(both) <= PART_SIZE {
                last.relation = both;
                last.support = manager.support(both);
                return Ok(());
            }
        }
        let support = manager.support(relation);
        self.conjuncts.push(Conjunct { relation, support });
        Ok(())
    }

    /// Adds conjuncts. A choice that only one of them mentions is quantified right there: `x := *` then says nothing at all.
    pub fn conjoin_all(
        &mut self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        conjuncts: Vec<Bdd>,
        choices_from: u32,
    ) -> Result<(), Exhausted> {
        let mut users: BTreeMap<u32, usize> = BTreeMap::new();
        let mut choices_of = Vec::with_capacity(conjuncts.len());
        for &conjunct in &conjuncts {
            let mut support = manager.support(conjunct);
            let choices = support.split_off(&choices_from);
            for &choice in &choices {
                *users.entry(choice).or_default() += 1;
            }
            choices_of.push(choices);
        }
        for (conjunct, choices) in conjuncts.into_iter().zip(choices_of) {
            let own = choices.iter().filter(|choice| users[choice] == 1);
            let actions: Vec<_> = own.map(|&choice| (choice, QUANTIFY)).collect();
            let conjunct = if actions.is_empty() {
                conjunct
            } else {
                let plan = plans.get(manager, actions);
                manager.project(conjunct, &plan)?
            };
            self.conjoin(manager, conjunct)?;
        }
        Ok(())
    }

    /// Decides with which part each variable is quantified. `choices_from` is the first choice variable: all choices are quantified.
    pub fn finish(
        mut self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        choices_from: u32,
    ) -> Vec<Part> {
        if self.conjuncts.is_empty() {
            if self.quantify.is_empty() && self.rename.is_empty() {
                return Vec::new();
            }
            self.conjuncts.push(Conjunct {
                relation: Bdd::TRUE,
                support: BTreeSet::new(),
            });
        }
        for conjunct in &self.conjuncts {
            let choices = conjunct.support.range(choices_from..);
            self.quantify.extend(choices);
        }
        let last = self.conjuncts.len() - 1;
        let mut actions: Vec<Vec<(u32, u32)>> = vec![Vec::new(); last + 1];
        for &variable in &self.quantify {
            let user = self
                .conjuncts
                .iter()
                .rposition(|c| c.support.contains(&variable));
            actions[user.unwrap_or(0)].push((variable, QUANTIFY));
        }
        // A name is free for renaming only when its old owner has been quantified, so renaming comes last.
        actions[last].extend(&self.rename);
        let plans = actions
            .into_iter()
            .map(|actions| plans.get(manager, actions));
        let plans: Vec<Rc<Plan>> = plans.collect();
        self.conjuncts
            .into_iter()
            .zip(plans)
            .map(|(conjunct, plan)| Part {
                relation: conjunct.relation,
                plan,
            })
            .collect()
    }
}

/// Applies the parts of an edge to a relation.
pub fn image(manager: &mut Manager<'_>, relation: Bdd, parts: &[Part]) -> Result<Bdd, Exhausted> {
    let mut result = relation;
    for part in parts {
        result = manager.relprod(result, part.relation, &part.plan)?;
        if result.is_false() {
            break;
        }
    }
    Ok(result)
}

impl Compiler<'_> {
    /// The procedure of an edge.
    pub fn procedure_of(&self, edge: EdgeId) -> ProcId {
        self.machine.procedure_of(self.machine.edge(edge).from)
    }

    /// The initial values of the globals that the first procedure sees, in the copies that are asked for.
    pub fn initial_values(
        &self,
        manager: &mut Manager<'_>,
        copy_of: impl Fn(&Interface, &Bit) -> Option<Copy>,
    ) -> Result<Bdd, Exhausted> {
        let interface = self.interfaces.of(self.machine.threads[0].entry);
        let mut initial = Bdd::TRUE;
        for bit in &interface.scope {
            let Variable::Global(global) = bit.variable else {
                continue;
            };
            let value = self.machine.global(global).initial;
            if let (Some(value), Some(copy)) = (value, copy_of(interface, bit)) {
                let variable = manager.variable(self.number(bit, copy))?;
                let is_set = value >> bit.bit & 1 == 1;
                let literal = if is_set { variable } else { !variable };
                initial = manager.and(initial, literal)?;
            }
        }
        Ok(initial)
    }

    /// A relation where some bits have the same value in `Outer` and `Now`.
    pub fn with_outer_equal_to_now(
        &self,
        manager: &mut Manager<'_>,
        relation: Bdd,
        bits: impl DoubleEndedIterator<Item = Bit>,
    ) -> Result<Bdd, Exhausted> {
        let mut relation = relation;
        for bit in bits.rev() {
            let outer = manager.variable(self.number(&bit, Copy::Outer))?;
            let now = manager.variable(self.number(&bit, Copy::Now))?;
            let same = manager.iff(outer, now)?;
            relation = manager.and(relation, same)?;
        }
        Ok(relation)
    }

    /// The BDD variable of a bit.
    pub fn number(&self, bit: &Bit, copy: Copy) -> u32 {
        self.space.variable(bit.slot, copy)
    }

    /// The transfer function, forward, of an edge that is no call.
    pub fn step(
        &self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        view: &mut BitView<'_>,
        edge: EdgeId,
    ) -> Result<Vec<Part>, Exhausted> {
        let procedure = self.procedure_of(edge);
        let to = self.machine.edge(edge).to;
        let bits = view.edge(edge);
        let live = |bit: &Bit| self.interfaces.matters_at(procedure, to, bit);
        let conjuncts = self.effects(manager, view.graph(), edge, &bits, &live)?;
        let mut draft = Draft::new();
        draft.conjoin_all(manager, plans, conjuncts, self.space.choice(0))?;
        let scope = &self.interfaces.of(procedure).scope;
        let assigned: BTreeSet<_> = bits
            .assignments
            .iter()
            .map(|a| (a.variable, a.bit))
            .collect();
        for bit in scope {
            let now = self.number(bit, Copy::Now);
            let is_assigned = assigned.contains(&(bit.variable, bit.bit));
            if is_assigned || !live(bit) {
                draft.quantify.insert(now);
            }
            if is_assigned {
                let next = self.number(bit, Copy::Next);
                if live(bit) {
                    draft.rename.push((next, now));
                } else {
                    draft.quantify.insert(next);
                }
            }
        }
        // A variable that cannot occur in the relation need not be quantified: keeps plans few and small.
        self.drop_absent(edge, &mut draft);
        Ok(draft.finish(manager, plans, self.space.choice(0)))
    }

    /// Removes quantifications of variables that are neither in the relation before the edge nor in a conjunct.
    fn drop_absent(&self, edge: EdgeId, draft: &mut Draft) {
        let procedure = self.procedure_of(edge);
        let from = self.machine.edge(edge).from;
        let scope = &self.interfaces.of(procedure).scope;
        for bit in scope {
            if self.interfaces.matters_at(procedure, from, bit) {
                continue;
            }
            let now = self.number(bit, Copy::Now);
            if !draft.conjuncts.iter().any(|c| c.support.contains(&now)) {
                draft.quantify.remove(&now);
            }
        }
        let used = |variable: &u32| draft.conjuncts.iter().any(|c| c.support.contains(variable));
        let unused_next: Vec<u32> = scope
            .iter()
            .map(|bit| self.number(bit, Copy::Next))
            .filter(|next| draft.quantify.contains(next) && !used(next))
            .collect();
        for next in unused_next {
            draft.quantify.remove(&next);
        }
    }

    /// Guard, assigned values (of the bits that are wanted) and constrain.
    pub(crate) fn effects(
        &self,
        manager: &mut Manager<'_>,
        graph: &BitGraph,
        edge: EdgeId,
        bits: &BitEdge,
        wanted: &dyn Fn(&Bit) -> bool,
    ) -> Result<Vec<Bdd>, Exhausted> {
        let procedure = self.procedure_of(edge);
        let assigned = |variable: Variable| bits.assignments.iter().any(|a| a.variable == variable);
        let mut encoder = EdgeEncoder::new(
            self.machine,
            self.space,
            procedure,
            self.visible,
            bits,
            &assigned,
        );
        let mut conjuncts = vec![encoder.encode(manager, graph, bits.guard)?];
        let constrain = encoder.encode(manager, graph, bits.constrain)?;
        let constrained = manager.support(constrain);
        for assignment in &bits.assignments {
            let variable = assignment.variable;
            if !(self.visible)(procedure, variable) {
                continue;
            }
            let slot = self
                .space
                .slot(self.machine, procedure, variable, assignment.bit);
            let bit = Bit {
                variable,
                bit: assignment.bit,
                slot,
            };
            let next = self.number(&bit, Copy::Next);
            if wanted(&bit) || constrained.contains(&next) {
                let value = encoder.encode(manager, graph, assignment.value)?;
                let next = manager.variable(next)?;
                conjuncts.push(manager.iff(next, value)?);
            }
        }
        conjuncts.push(constrain);
        Ok(conjuncts)
    }
}
