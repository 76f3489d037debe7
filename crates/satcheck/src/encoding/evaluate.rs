//! Edges applied to symbolic values: the right-hand sides of equations, instantiated.
//!
//! *Instantiate* of Figure 2. The values of a frame's bits are BDDs over symbols; taking an edge
//! evaluates its formulas over them, bottom-up and without recursion. BDDs fold constants by
//! themselves, so a guard that is false under the arguments gives no hop and no term (footnote 8).
//!
//! A choice on an edge first becomes a *passing* variable. If it is used for a guard only, it is
//! quantified away at the end of the chain and costs nothing (the wp of `if (*)` is the conjunction
//! of both branches). If it flows into an argument, it has to become a symbol or be made explicit;
//! [`crate::encoding::closure`] decides, and evaluates the chain again if need be.

use crate::encoding::blocks::Blocks;
use crate::encoding::symbols::Symbols;
use crate::encoding::terms::InstanceId;
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::bits::{BitAssignment, BitEdge, BitId, BitNode, BitView};
use hardbop_machine::{Action, EdgeId, Variable};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Values of the bits of a frame by slot; nothing for bits that are not tracked.
pub(crate) type Frame = Vec<Option<Bdd>>;

/// Why a chain was not evaluated to the end.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// A limit.
    Exhausted(Exhausted),
    /// These passing choices flow into values that are kept, so they must be symbols.
    Flows(BTreeSet<u32>),
    /// One step leads to more explicit cases than are allowed.
    TooManyCases,
}

impl From<Exhausted> for Trouble {
    fn from(why: Exhausted) -> Self {
        Trouble::Exhausted(why)
    }
}

/// The choices of one chain while it is evaluated.
#[derive(Debug)]
pub(crate) struct Choices {
    /// Where it starts.
    pub(crate) instance: InstanceId,
    /// The position of the node where it starts.
    pub(crate) position: u32,
    /// Choices that must be symbols: by their number on the chain.
    pub(crate) flowing: BTreeSet<u32>,
    /// Symbols made so far: number on the chain and variable.
    pub(crate) made: Vec<(u32, u32)>,
    /// Whether large functions may be named and choices may become symbols.
    pub(crate) may_keep: bool,
    /// The number of the next choice that stands for a bit that is not tracked.
    pub(crate) next_hidden: u32,
}

/// Evaluates edges.
pub(crate) struct Evaluator<'m> {
    view: BitView<'m>,
    edges: Vec<Option<Rc<BitEdge>>>,
    /// Functions with more nodes get a name.
    name_limit: usize,
}

impl<'m> Evaluator<'m> {
    /// An evaluator for the edges of a machine.
    pub(crate) fn new(blocks: &Blocks<'m>, name_limit: usize) -> Self {
        Self {
            view: BitView::new(blocks.machine),
            edges: vec![None; blocks.machine.edges.len()],
            name_limit,
        }
    }

    /// An edge as formulas.
    pub(crate) fn edge(&mut self, id: EdgeId) -> Rc<BitEdge> {
        if let Some(known) = &self.edges[id.index()] {
            return Rc::clone(known);
        }
        let translated = Rc::new(self.view.edge(id));
        self.edges[id.index()] = Some(Rc::clone(&translated));
        translated
    }
}

/// What evaluation works on: everything but the evaluator itself.
pub(crate) struct Workplace<'w, 'm, 'i> {
    /// The blocks.
    pub(crate) blocks: &'w Blocks<'m>,
    /// The BDDs.
    pub(crate) manager: &'w mut Manager<'i>,
    /// The symbols.
    pub(crate) symbols: &'w mut Symbols,
}

impl Evaluator<'_> {
    /// Takes an edge that is not a call: changes the frame and gives the condition. Choices are
    /// numbered from `first_choice`.
    pub(crate) fn take(
        &mut self,
        at: &mut Workplace<'_, '_, '_>,
        frame: &mut Frame,
        id: EdgeId,
        first_choice: u32,
        choices: &mut Choices,
    ) -> Result<Bdd, Trouble> {
        let edge = self.edge(id);
        let machine_edge = at.blocks.machine.edge(id);
        let procedure = at.blocks.machine.procedure_of(machine_edge.from);
        let is_constrained = edge.constrain != BitId::TRUE;
        let matters = |write: &&BitAssignment| at.blocks.matters(machine_edge.to, write.variable);
        let wanted = edge.assignments.iter();
        let wanted: Vec<&BitAssignment> = wanted
            .filter(|write| is_constrained || matters(write))
            .collect();
        let mut scope = Scope {
            frame,
            next: HashMap::new(),
            edge: &edge,
            first_choice,
            slots_of: &|variable| at.blocks.layout.bits_of(procedure, variable).start,
        };
        let graph = self.view.graph();
        let (manager, symbols) = (&mut *at.manager, &mut *at.symbols);
        let mut evaluation = Evaluation {
            manager,
            symbols,
            name_limit: self.name_limit,
            known: HashMap::new(),
        };
        let mut condition = evaluation.run(graph, edge.guard, &scope, choices)?;
        if condition.is_false() {
            return Ok(condition);
        }
        let mut values = Vec::with_capacity(wanted.len());
        for write in &wanted {
            let value = evaluation.run(graph, write.value, &scope, choices)?;
            values.push((
                (scope.slots_of)(write.variable) + u32::from(write.bit),
                value,
            ));
        }
        if is_constrained {
            scope.next = values.iter().copied().collect();
            let constrain = evaluation.run(graph, edge.constrain, &scope, choices)?;
            condition = evaluation.manager.and(condition, constrain)?;
        }
        let slots_of = scope.slots_of;
        let frame = scope.frame;
        for write in &edge.assignments {
            frame[(slots_of(write.variable) + u32::from(write.bit)) as usize] = None;
        }
        for (write, (slot, value)) in wanted.iter().zip(values) {
            if at.blocks.matters(machine_edge.to, write.variable) {
                frame[slot as usize] = Some(value);
            }
        }
        Ok(condition)
    }

    /// Evaluates a call: its condition and the callee's frame, whose locals that are not parameters
    /// are choices.
    pub(crate) fn call(
        &mut self,
        at: &mut Workplace<'_, '_, '_>,
        frame: &mut Frame,
        id: EdgeId,
        choices: &mut Choices,
    ) -> Result<(Bdd, Frame), Trouble> {
        let edge = self.edge(id);
        let machine = at.blocks.machine;
        let Action::Call { callee, .. } = machine.edge(id).action else {
            unreachable!("the caller has looked at the action");
        };
        let procedure = machine.procedure_of(machine.edge(id).from);
        let entry = machine.procedure(callee).entry;
        let scope = Scope {
            frame,
            next: HashMap::new(),
            edge: &edge,
            first_choice: 0,
            slots_of: &|variable| at.blocks.layout.bits_of(procedure, variable).start,
        };
        let graph = self.view.graph();
        let mut evaluation = Evaluation {
            manager: &mut *at.manager,
            symbols: &mut *at.symbols,
            name_limit: self.name_limit,
            known: HashMap::new(),
        };
        let condition = evaluation.run(graph, edge.guard, &scope, choices)?;
        let mut entered: Frame = vec![None; at.blocks.layout.local_bits(callee).end as usize];
        if condition.is_false() {
            return Ok((condition, entered));
        }
        for argument in at.blocks.arguments(entry) {
            let value = match argument.variable {
                Variable::Global(_) => match scope.frame[argument.slot as usize] {
                    Some(value) => Some(value),
                    None => {
                        let (manager, slot) = (&mut *evaluation.manager, argument.slot);
                        Some(evaluation.symbols.carried(manager, slot)?)
                    }
                },
                Variable::Local(local)
                    if local.index() < machine.procedure(callee).parameter_count as usize =>
                {
                    let passed = edge.arguments.iter().find(|passed| {
                        passed.variable == argument.variable && passed.bit == argument.bit
                    });
                    match passed {
                        Some(passed) => {
                            Some(evaluation.run(graph, passed.value, &scope, choices)?)
                        }
                        None => None,
                    }
                }
                Variable::Local(_) => {
                    let number = choices.next_hidden;
                    choices.next_hidden += 1;
                    Some(evaluation.choice(number, choices)?)
                }
            };
            entered[argument.slot as usize] = value;
        }
        Ok((condition, entered))
    }
}

/// Where the leaves of an edge's formulas get their values.
struct Scope<'s> {
    frame: &'s mut Frame,
    /// Values after the step by slot.
    next: HashMap<u32, Bdd>,
    edge: &'s BitEdge,
    first_choice: u32,
    slots_of: &'s dyn Fn(Variable) -> u32,
}

struct Evaluation<'e, 'i> {
    manager: &'e mut Manager<'i>,
    symbols: &'e mut Symbols,
    name_limit: usize,
    known: HashMap<BitId, Bdd>,
}

impl Evaluation<'_, '_> {
    fn run(
        &mut self,
        graph: &hardbop_machine::bits::BitGraph,
        root: BitId,
        scope: &Scope<'_>,
        choices: &mut Choices,
    ) -> Result<Bdd, Trouble> {
        for id in graph.cone([root]) {
            if self.known.contains_key(&id) {
                continue;
            }
            let of = |a: &BitId| self.known[a];
            let value = match graph.get(id) {
                BitNode::Const(value) => Bdd::constant(value),
                BitNode::Var(variable, bit) => {
                    let slot = (scope.slots_of)(variable) + u32::from(bit);
                    self.tracked(scope.frame[slot as usize], choices)?
                }
                BitNode::Next(variable, bit) => {
                    let slot = (scope.slots_of)(variable) + u32::from(bit);
                    let value = scope.next.get(&slot).copied();
                    self.tracked(value.or(scope.frame[slot as usize]), choices)?
                }
                BitNode::Input(input, bit) => {
                    let number = scope.first_choice + scope.edge.input_index(input, bit);
                    self.choice(number, choices)?
                }
                BitNode::Not(a) => !of(&a),
                BitNode::And(a, b) => {
                    let value = self.manager.and(of(&a), of(&b))?;
                    self.named(value, choices)?
                }
                BitNode::Or(a, b) => {
                    let value = self.manager.or(of(&a), of(&b))?;
                    self.named(value, choices)?
                }
                BitNode::Xor(a, b) => {
                    let value = self.manager.xor(of(&a), of(&b))?;
                    self.named(value, choices)?
                }
                BitNode::Ite(c, a, b) => {
                    let value = self.manager.ite(of(&c), of(&a), of(&b))?;
                    self.named(value, choices)?
                }
            };
            self.known.insert(id, value);
        }
        Ok(self.known[&root])
    }

    /// A bit that is not tracked may have any value.
    fn tracked(&mut self, value: Option<Bdd>, choices: &mut Choices) -> Result<Bdd, Trouble> {
        if let Some(value) = value {
            return Ok(value);
        }
        let number = choices.next_hidden;
        choices.next_hidden += 1;
        self.choice(number, choices)
    }

    fn choice(&mut self, number: u32, choices: &mut Choices) -> Result<Bdd, Trouble> {
        let made = choices.made.iter().find(|(known, _)| *known == number);
        let variable = match made {
            Some(&(_, variable)) => variable,
            None if choices.flowing.contains(&number) => {
                let variable = self.symbols.choice(choices.instance, choices.position);
                choices.made.push((number, variable));
                variable
            }
            None => number,
        };
        Ok(self.manager.variable(variable)?)
    }

    /// The value itself, or its name if it is large.
    fn named(&mut self, value: Bdd, choices: &Choices) -> Result<Bdd, Trouble> {
        if !self.manager.is_larger(value, self.name_limit) {
            return Ok(value);
        }
        if self.symbols.is_passing(self.manager, value) {
            if choices.may_keep {
                return Err(Trouble::Flows(passing_support(
                    self.manager,
                    self.symbols,
                    value,
                )));
            }
            return Ok(value);
        }
        let (instance, position) = (choices.instance, choices.position);
        Ok(self.symbols.name(self.manager, value, instance, position)?)
    }
}

/// The passing choices that a function depends on.
pub(crate) fn passing_support(
    manager: &Manager<'_>,
    symbols: &Symbols,
    value: Bdd,
) -> BTreeSet<u32> {
    let mut support = manager.support(value);
    support.retain(|&variable| variable < symbols.passing());
    support
}
