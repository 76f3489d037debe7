//! Edges of a thread at a seat as parts of an image.
//!
//! The image leaves the thread's place open; the caller says where the thread is then.

use crate::stacks::encoding::seats::Seats;
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::analysis::variables::deciding_inputs;
use hardbop_machine::bits::{BitEdge, BitId, BitNode, BitView};
use hardbop_machine::{Action, EdgeId, Machine, NodeId, Storage, Variable};
use hardbop_outcome::certificate::{Bit, MOST_CHOICE_BITS, ThreadPart};
use hardbop_symbolic::{Draft, Encoder, Part, Plans, QUANTIFY};
use std::collections::BTreeSet;

/// Makes steps.
pub(crate) struct Deeds<'m> {
    pub machine: &'m Machine,
    pub seats: Seats,
    pub plans: Plans,
    view: BitView<'m>,
}

impl<'m> Deeds<'m> {
    pub(crate) fn new(machine: &'m Machine, seats: Seats) -> Self {
        Self {
            machine,
            seats,
            plans: Plans::default(),
            view: BitView::new(machine),
        }
    }

    /// An edge that stays in its procedure.
    pub(crate) fn edge(
        &mut self,
        manager: &mut Manager<'_>,
        seat: u32,
        id: EdgeId,
    ) -> Result<Vec<Part>, Exhausted> {
        let edge = self.view.edge(id);
        let mut draft = Draft::new();
        let mut conjuncts = self.conjuncts(manager, seat, &edge)?;
        for write in &edge.assignments {
            let place = Bit {
                variable: write.variable,
                bit: write.bit.into(),
            };
            let now = self.seats.variable(self.machine, seat, place);
            draft.quantify.insert(now);
            draft.rename.push((now + 1, now));
        }
        conjuncts.push(self.seats.at(manager, seat, self.machine.edge(id).from)?);
        self.finish(manager, draft, conjuncts)
    }

    /// A call: the callee's frame takes the place of the caller's. The second list leaves of the
    /// configuration what a caller's relation knows: see [`Seats::meaning_of_caller`].
    pub(crate) fn call(
        &mut self,
        manager: &mut Manager<'_>,
        seat: u32,
        id: EdgeId,
    ) -> Result<[Vec<Part>; 2], Exhausted> {
        let machine = self.machine;
        let edge = self.view.edge(id);
        let from = machine.edge(id).from;
        let at = self.seats.at(manager, seat, from)?;
        let values = self.conjuncts(manager, seat, &edge)?;
        let frame = |part| {
            matches!(
                part,
                ThreadPart::Local(_) | ThreadPart::Entry(_) | ThreadPart::Caller
            )
        };
        let frame = self.seats.parts(seat, frame);
        // The new frame.
        let mut draft = Draft::new();
        draft.quantify.extend(&frame);
        let mut entered = vec![at];
        entered.extend(&values);
        let mut remembered = vec![at];
        remembered.extend(&values);
        for &(part, bit) in self.seats.block() {
            let Some(now) = self.seats.thread(seat, part, bit) else {
                continue;
            };
            let next = manager.variable(now + 1)?;
            let value = match part {
                ThreadPart::Caller => Bdd::constant((from.0 + 1) >> bit & 1 == 1),
                ThreadPart::Entry(variable @ Variable::Global(_)) => {
                    let global = self.seats.variable(machine, seat, Bit { variable, bit });
                    manager.variable(global)?
                }
                ThreadPart::Entry(Variable::Local(_)) => {
                    let variable = part;
                    let argument = edge.arguments.iter().find(|argument| {
                        ThreadPart::Entry(argument.variable) == variable
                            && u32::from(argument.bit) == bit
                    });
                    match argument {
                        Some(argument) => self.formula(manager, seat, &edge, argument.value)?,
                        None => continue,
                    }
                }
                ThreadPart::Local(id) => {
                    let argument = edge.arguments.iter().find(|argument| {
                        argument.variable == Variable::Local(id) && u32::from(argument.bit) == bit
                    });
                    if let Some(argument) = argument {
                        let value = self.formula(manager, seat, &edge, argument.value)?;
                        let same = manager.iff(next, value)?;
                        entered.push(same);
                        draft.rename.push((now + 1, now));
                    }
                    continue;
                }
                _ => continue,
            };
            let same = manager.iff(next, value)?;
            entered.push(same);
            draft.rename.push((now + 1, now));
            remembered.push(same);
        }
        let entered = self.finish(manager, draft, entered)?;
        // The frame that waits: what it needs when it runs again.
        let mut draft = Draft::new();
        let Action::Call { targets, .. } = &machine.edge(id).action else {
            unreachable!("the edge is a call");
        };
        let overwritten: BTreeSet<Variable> = targets.iter().flatten().copied().collect();
        let to = machine.edge(id).to;
        for &(part, bit) in self.seats.block() {
            let Some(now) = self.seats.thread(seat, part, bit) else {
                continue;
            };
            let Some(home) = self.seats.thread(0, part, bit) else {
                continue;
            };
            match part {
                ThreadPart::Local(local) => {
                    let local = Variable::Local(local);
                    if self.is_live(to, local) && !overwritten.contains(&local) {
                        draft.rename.push((now, home + 1));
                    } else {
                        draft.quantify.insert(now);
                    }
                }
                ThreadPart::Entry(_) | ThreadPart::Caller => {
                    draft.rename.push((now, home + 1));
                    draft.rename.push((now + 1, home));
                }
                _ => {
                    draft.quantify.insert(now);
                }
            }
        }
        draft.quantify.extend(self.seats.shared());
        for other in self.seats.all().filter(|&other| other != seat) {
            draft.quantify.extend(self.seats.parts(other, |_| true));
        }
        let remembered = self.finish(manager, draft, remembered)?;
        Ok([entered, remembered])
    }

    /// A return from a node to frames that wait on a call.
    pub(crate) fn back(
        &mut self,
        manager: &mut Manager<'_>,
        seat: u32,
        node: NodeId,
        call: EdgeId,
        waiting: Bdd,
    ) -> Result<Vec<Part>, Exhausted> {
        let edge = self.view.edge(call);
        let waiting = if seat == 0 {
            waiting
        } else {
            let actions = self.seats.moved(0, seat);
            let plan = self.plans.get(manager, actions);
            manager.project(waiting, &plan)?
        };
        let mut draft = Draft::new();
        let frame = |part| {
            matches!(
                part,
                ThreadPart::Local(_) | ThreadPart::Entry(_) | ThreadPart::Caller
            )
        };
        for variable in self.seats.parts(seat, frame) {
            draft.quantify.insert(variable);
            draft.rename.push((variable + 1, variable));
        }
        let mut overwritten = Vec::new();
        let mut results = vec![self.seats.at(manager, seat, node)?];
        for result in &edge.results {
            let bit = u32::from(result.bit);
            let of = |variable| Bit { variable, bit };
            let machine = self.machine;
            let target = self.seats.variable(machine, seat, of(result.target));
            let local = Variable::Local(result.result);
            let value = self.seats.variable(machine, seat, of(local));
            overwritten.push((target + 1, QUANTIFY));
            draft.quantify.insert(target);
            draft.rename.push((target + 1, target));
            let (next, value) = (manager.variable(target + 1)?, manager.variable(value)?);
            results.push(manager.iff(next, value)?);
        }
        draft.rename.sort_unstable();
        draft.rename.dedup();
        let plan = self.plans.get(manager, overwritten);
        let mut conjuncts = vec![manager.project(waiting, &plan)?];
        conjuncts.extend(results);
        self.finish(manager, draft, conjuncts)
    }

    /// Where a thread can take a step, except by edges with many choices that decide on it.
    pub(crate) fn enabled(
        &mut self,
        manager: &mut Manager<'_>,
        seat: u32,
        nodes: &[NodeId],
    ) -> Result<Bdd, Exhausted> {
        let machine = self.machine;
        let mut all = Bdd::FALSE;
        for &node in nodes {
            let mut ways = Bdd::FALSE;
            if machine.procedure(machine.procedure_of(node)).exit == node {
                ways = Bdd::TRUE;
            }
            for id in machine.edges_from(node) {
                let edge = self.view.edge(id);
                let inputs = deciding_inputs(machine, id).into_iter();
                let widths = inputs.map(|input| machine.edge(id).inputs[input.index()].width());
                if widths.sum::<u32>() > MOST_CHOICE_BITS {
                    continue;
                }
                let conjuncts = self.conjuncts(manager, seat, &edge)?;
                let both = manager.and_all(conjuncts)?;
                let support = manager.support(both).into_iter();
                let gone = support.filter(|&v| self.seats.is_choice(v) || v % 2 == 1);
                let actions = gone.map(|variable| (variable, QUANTIFY)).collect();
                let plan = self.plans.get(manager, actions);
                let way = manager.project(both, &plan)?;
                ways = manager.or(ways, way)?;
            }
            let at = self.seats.at(manager, seat, node)?;
            let here = manager.and(at, ways)?;
            all = manager.or(all, here)?;
        }
        Ok(all)
    }

    /// The variables of locals that nothing reads from a node on.
    pub(crate) fn dead(&self, seat: u32, node: NodeId) -> Vec<u32> {
        let is_dead = |part| match part {
            ThreadPart::Local(local) => !self.is_live(node, Variable::Local(local)),
            _ => false,
        };
        self.seats.parts(seat, is_dead)
    }

    fn is_live(&self, node: NodeId, local: Variable) -> bool {
        let machine = self.machine;
        let locals = &machine.procedure(machine.procedure_of(node)).locals;
        match local {
            Variable::Local(id) if id.index() >= locals.len() => false,
            _ => machine.liveness().is_live(node, local),
        }
    }

    /// Whether other threads can tell that a thread has taken an edge or returned to it.
    pub(crate) fn is_felt(&self, id: EdgeId) -> bool {
        let machine = self.machine;
        let is_shared = |variable: Variable| match variable {
            Variable::Global(id) => machine.global(id).storage == Storage::Shared,
            Variable::Local(_) => false,
        };
        match &machine.edge(id).action {
            Action::Assign { assignments, .. } => assignments.iter().any(|&(v, _)| is_shared(v)),
            Action::Call { targets, .. } => targets.iter().flatten().any(|&v| is_shared(v)),
            _ => false,
        }
    }

    /// Guard, values and `constrain` of an edge.
    fn conjuncts(
        &mut self,
        manager: &mut Manager<'_>,
        seat: u32,
        edge: &BitEdge,
    ) -> Result<Vec<Bdd>, Exhausted> {
        let mut all = vec![
            self.formula(manager, seat, edge, edge.guard)?,
            self.formula(manager, seat, edge, edge.constrain)?,
        ];
        for write in &edge.assignments {
            let place = Bit {
                variable: write.variable,
                bit: write.bit.into(),
            };
            let now = self.seats.variable(self.machine, seat, place);
            let value = self.formula(manager, seat, edge, write.value)?;
            let next = manager.variable(now + 1)?;
            all.push(manager.iff(next, value)?);
        }
        Ok(all)
    }

    fn formula(
        &self,
        manager: &mut Manager<'_>,
        seat: u32,
        edge: &BitEdge,
        root: BitId,
    ) -> Result<Bdd, Exhausted> {
        let (machine, seats) = (self.machine, &self.seats);
        let variable = |variable, bit: u8| {
            let bit = bit.into();
            seats.variable(machine, seat, Bit { variable, bit })
        };
        let is_written = |variable, bit| {
            let mut writes = edge.assignments.iter();
            writes.any(|write| write.variable == variable && write.bit == bit)
        };
        let mut encoder = Encoder::default();
        encoder.encode(manager, self.view.graph(), root, |leaf| match leaf {
            BitNode::Var(v, bit) => variable(v, bit),
            BitNode::Next(v, bit) => variable(v, bit) + u32::from(is_written(v, bit)),
            BitNode::Input(input, bit) => seats.choice(edge.input_index(input, bit)),
            _ => unreachable!("only leaves that are no constants are asked for"),
        })
    }

    fn finish(
        &mut self,
        manager: &mut Manager<'_>,
        mut draft: Draft,
        conjuncts: Vec<Bdd>,
    ) -> Result<Vec<Part>, Exhausted> {
        let seats = &self.seats;
        let is_choice = |variable| seats.is_choice(variable);
        draft.conjoin_all(manager, &mut self.plans, conjuncts, &is_choice)?;
        Ok(draft.finish(manager, &mut self.plans, &is_choice))
    }
}
