//! The closure of function terms (section 2.0 and Figure 2): every term that is mentioned gets its
//! equation.
//!
//! **One term, one equation.** Figure 2 makes a new triple for every mention of a term and ends a
//! path where a term comes back. Here a term is made once; [`crate::search::foundation`] takes care
//! of what the paper's fixpoint triples are for.
//!
//! **Choices.** The paper encodes `x := *` by a jump to one of two blocks and wishes for better. A
//! choice could be a fresh symbol, as if it had been made before the start; but the symbol has one
//! value in a solution, so a run that passes the choice twice could not choose twice. So a symbol
//! belongs to *one term*: it is made when the term is expanded. Claim: if a run reaches a target,
//! then one does that passes no term twice, so one value per symbol is enough. Take a shortest run
//! and suppose that it passes some term twice; take the term that was made first. The symbols in
//! its arguments belong to terms made before it, which the run passes at most once; so they have
//! the same values both times, the state is the same both times, and the run can be cut short. That
//! needs each instance to be entered once, too, so choices become symbols only in procedures that
//! are ([`Blocks::is_entered_once`]: `main`, and what it calls from one place outside of loops). In
//! others they are made explicit, by cases, as in the paper.
//!
//! **It ends.** New symbols could give new terms for ever. So at the head of a loop every argument
//! that depends on a symbol made inside the loop (at a position not before the head's) is made
//! explicit, and likewise names at recursive calls. An infinite closure would have an infinite path
//! of different terms. Of the frames on it, take the outermost that is active again and again, and
//! in it the node with the smallest position that is; it is a loop head, for some edge leads back
//! to it. Its terms speak of symbols made before it only, and of those there are finitely many on
//! the path: so there are finitely many terms. For recursion of unbounded depth the bound on the
//! depth ends the path.

use crate::encoding::blocks::Blocks;
use crate::encoding::evaluate::{Choices, Evaluator, Frame, Trouble, Workplace};
use crate::encoding::split::{Case, Split};
use crate::encoding::symbols::Symbols;
use crate::encoding::terms::{Hop, HopKind, InstanceId, TermId, Terms};
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan, PlanBuilder};
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId, Variable};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// Something that the equations have to take up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// A term has been expanded.
    Expanded(TermId),
    /// An expanded term has got one more hop: a call of its comes back in a new way.
    Returned(TermId, u32),
}

/// Function terms and what is needed to make more of them.
pub(crate) struct Closure<'m, 'i> {
    /// The blocks.
    pub(crate) blocks: Blocks<'m>,
    /// The BDDs.
    pub(crate) manager: Manager<'i>,
    /// The symbols.
    pub(crate) symbols: Symbols,
    /// The terms.
    pub(crate) terms: Terms,
    /// Terms to be expanded, in order.
    pub(crate) pending: VecDeque<TermId>,
    /// Entries of instances that are deeper than the bound.
    pub(crate) postponed: Vec<TermId>,
    /// What the equations have not taken up yet.
    pub(crate) news: Vec<News>,
    evaluator: Evaluator<'m>,
    split: Split,
    depth: u32,
    without_passing: Option<Plan>,
    /// Choices of chains, by first edge, that are known to flow into arguments.
    flowing: HashMap<EdgeId, BTreeSet<u32>>,
    /// Positions of the calls through which symbols came into an instance.
    arrivals: HashMap<(InstanceId, u32), u32>,
}

/// If more choices of a chain flow into arguments, all of them are taken to.
const MANY_FLOWING: usize = 8;

/// Choices that were made symbols: numbers of choices with their symbols.
type MadeChoices = Vec<(u32, u32)>;

impl<'m, 'i> Closure<'m, 'i> {
    /// The term of the first block, not yet expanded.
    pub(crate) fn new(
        blocks: Blocks<'m>,
        mut manager: Manager<'i>,
        split: Split,
        name_limit: usize,
        depth: u32,
    ) -> Result<Self, Exhausted> {
        let passing = blocks.most_choices();
        let symbols = Symbols::new(passing, blocks.layout.frame_bits());
        let mut builder = PlanBuilder::new();
        for variable in 0..passing {
            builder.quantify(variable);
        }
        let without_passing = (passing > 0).then(|| builder.build(&mut manager));
        let evaluator = Evaluator::new(&blocks, name_limit);
        let mut closure = Self {
            blocks,
            manager,
            symbols,
            terms: Terms::default(),
            pending: VecDeque::new(),
            postponed: Vec::new(),
            news: Vec::new(),
            evaluator,
            split,
            depth,
            without_passing,
            flowing: HashMap::new(),
            arrivals: HashMap::new(),
        };
        closure.start()?;
        Ok(closure)
    }

    /// The term from which all others are reached.
    pub(crate) const START: TermId = TermId(0);

    fn start(&mut self) -> Result<(), Exhausted> {
        let machine = self.blocks.machine;
        let main = machine.threads[0].entry;
        let entry = machine.procedure(main).entry;
        let mut values = Vec::new();
        for argument in self.blocks.arguments(entry) {
            let initial = match argument.variable {
                Variable::Global(id) => machine.global(id).initial,
                Variable::Local(_) => None,
            };
            values.push(Some(match initial {
                Some(value) => Bdd::constant(value >> argument.bit & 1 == 1),
                None => self.symbols.initial(&mut self.manager, argument.slot)?,
            }));
        }
        self.terms.enter(main, entry, values.into(), 0);
        self.pending.push_back(Self::START);
        Ok(())
    }

    /// Lets calls within a component of the call graph nest this deep.
    pub(crate) fn deepen(&mut self, depth: u32) {
        self.depth = depth;
        let postponed = std::mem::take(&mut self.postponed);
        self.pending.extend(postponed);
    }

    /// Makes the equation of a term: all its hops, and the terms that they lead to.
    pub(crate) fn expand(&mut self, id: TermId) -> Result<(), Trouble> {
        let term = self.terms.get(id);
        let instance = term.instance;
        if term.expanded {
            return Ok(());
        }
        if self.terms.instance(instance).depth > self.depth {
            self.postponed.push(id);
            return Ok(());
        }
        let node = term.node;
        let procedure = self.terms.instance(instance).procedure;
        let machine = self.blocks.machine;
        for edge in machine.edges_from(node) {
            if self.blocks.leads_nowhere(edge) {
                continue;
            }
            match machine.edge(edge).action {
                Action::Call { callee, .. } => self.expand_call(id, edge, callee)?,
                _ => self.expand_chain(id, edge)?,
            }
        }
        self.terms.get_mut(id).expanded = true;
        self.news.push(News::Expanded(id));
        if node == machine.procedure(procedure).exit {
            self.terms.instance_mut(instance).exits.push(id);
            for (caller, hop) in self.terms.instance(instance).callers.clone() {
                self.come_back(caller, hop, id)?;
            }
        }
        Ok(())
    }

    /// The frame of a term.
    pub(crate) fn frame(&self, id: TermId) -> Frame {
        let term = self.terms.get(id);
        let procedure = self.blocks.machine.procedure_of(term.node);
        let mut frame = vec![None; self.blocks.layout.local_bits(procedure).end as usize];
        for (argument, &value) in self.blocks.arguments(term.node).iter().zip(&term.values) {
            frame[argument.slot as usize] = value;
        }
        frame
    }

    fn choices(&self, id: TermId, first: EdgeId, made: Option<&[(u32, u32)]>) -> Choices {
        let term = self.terms.get(id);
        let machine = self.blocks.machine;
        let is_once = self.blocks.is_entered_once(machine.procedure_of(term.node));
        let flowing = self.flowing.get(&first).filter(|_| made.is_none());
        let chain = self.blocks.chain(first);
        let inputs = chain.iter().flat_map(|&edge| &machine.edge(edge).inputs);
        Choices {
            instance: term.instance,
            position: self.blocks.machine.node_order().position(term.node),
            flowing: flowing.cloned().unwrap_or_default(),
            made: made.map(<[_]>::to_vec).unwrap_or_default(),
            may_keep: is_once && made.is_none(),
            next_hidden: inputs.map(|ty| ty.width()).sum(),
        }
    }

    /// Goes along a chain: changes the frame and gives the condition, passing choices included.
    fn walk(
        &mut self,
        frame: &mut Frame,
        first: EdgeId,
        choices: &mut Choices,
        mut visit: impl FnMut(NodeId, Bdd, &Frame),
    ) -> Result<Bdd, Trouble> {
        let mut condition = Bdd::TRUE;
        let mut first_choice = 0;
        for edge in self.blocks.chain(first) {
            let mut at = Workplace {
                blocks: &self.blocks,
                manager: &mut self.manager,
                symbols: &mut self.symbols,
            };
            let taken = self
                .evaluator
                .take(&mut at, frame, edge, first_choice, choices)?;
            condition = self.manager.and(condition, taken)?;
            if condition.is_false() {
                break;
            }
            first_choice += self.evaluator.edge(edge).input_bits();
            let to = self.blocks.machine.edge(edge).to;
            visit(to, condition, frame);
        }
        Ok(condition)
    }

    /// Goes along a chain from a term with all choices passing; `visit` gets each node with the
    /// condition and the frame there.
    pub(crate) fn walk_all(
        &mut self,
        id: TermId,
        first: EdgeId,
        mut visit: impl FnMut(NodeId, Bdd, &Frame),
    ) -> Result<(), Trouble> {
        let mut frame = self.frame(id);
        let mut choices = self.choices(id, first, Some(&[]));
        self.walk(&mut frame, first, &mut choices, &mut visit)?;
        Ok(())
    }

    /// Evaluates a hop that is known with the choices it was made with: the condition, passing
    /// choices included, and the frame at its end, which for a call is the callee's.
    pub(crate) fn walk_again(&mut self, id: TermId, hop: &Hop) -> Result<(Bdd, Frame), Trouble> {
        let mut choices = self.choices(id, hop.edge, Some(&hop.choices));
        self.evaluate(id, hop.edge, &mut choices)
    }

    fn evaluate(
        &mut self,
        id: TermId,
        first: EdgeId,
        choices: &mut Choices,
    ) -> Result<(Bdd, Frame), Trouble> {
        let mut frame = self.frame(id);
        if !is_call(self.blocks.machine, first) {
            let condition = self.walk(&mut frame, first, choices, |_, _, _| {})?;
            return Ok((condition, frame));
        }
        let mut at = Workplace {
            blocks: &self.blocks,
            manager: &mut self.manager,
            symbols: &mut self.symbols,
        };
        self.evaluator.call(&mut at, &mut frame, first, choices)
    }

    /// The cases in which a hop leads to a head, and the choices that were made symbols: those that
    /// flow into arguments. As long as there are more of these, the hop is evaluated again.
    fn cases_of(
        &mut self,
        id: TermId,
        first: EdgeId,
        to: NodeId,
        recursive: Option<usize>,
    ) -> Result<(Vec<Case>, MadeChoices), Trouble> {
        loop {
            let mut choices = self.choices(id, first, None);
            let found = self.evaluate(id, first, &mut choices);
            let found = found.and_then(|(condition, frame)| {
                if condition.is_false() {
                    return Ok(Vec::new());
                }
                let arguments = self.blocks.arguments(to).iter();
                let values = arguments.map(|argument| frame[argument.slot as usize]);
                let instance = self.terms.get(id).instance;
                self.successors(
                    instance,
                    to,
                    recursive,
                    condition,
                    values.collect(),
                    &choices,
                )
            });
            match found {
                Ok(cases) => return Ok((cases, choices.made)),
                Err(Trouble::Flows(choices)) => {
                    let passing = self.symbols.passing();
                    let flowing = self.flowing.entry(first).or_default();
                    flowing.extend(choices);
                    if flowing.len() > MANY_FLOWING {
                        // The rest will follow one by one.
                        flowing.extend(0..passing);
                    }
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    fn expand_chain(&mut self, id: TermId, first: EdgeId) -> Result<(), Trouble> {
        let chain = self.blocks.chain(first);
        let last = chain[chain.len() - 1];
        if self.blocks.leads_nowhere(last) {
            return Ok(());
        }
        let to = self.blocks.machine.edge(last).to;
        if self.blocks.is_behind(to) {
            return Ok(());
        }
        let instance = self.terms.get(id).instance;
        let (cases, choices) = self.cases_of(id, first, to, None)?;
        for (condition, values) in cases {
            let to = self.make(instance, to, values);
            self.add_hop(id, first, HopKind::Step, condition, to, &choices);
        }
        Ok(())
    }

    fn expand_call(&mut self, id: TermId, edge: EdgeId, callee: ProcId) -> Result<(), Trouble> {
        let machine = self.blocks.machine;
        let entry = machine.procedure(callee).entry;
        if self.blocks.is_behind(entry) {
            return Ok(());
        }
        let caller = machine.procedure_of(machine.edge(edge).from);
        let calls = self.blocks.machine.calls();
        let component = calls.component_of(callee);
        let is_recursive = calls.component_of(caller) == component;
        let caller_instance = self.terms.get(id).instance;
        let depth = self.terms.instance(caller_instance).depth + u32::from(is_recursive);
        let recursive = is_recursive.then_some(component);
        let (cases, choices) = self.cases_of(id, edge, entry, recursive)?;
        for (condition, values) in cases {
            let (instance, is_new) = self.terms.enter(callee, entry, values.into(), depth);
            let to = self.terms.instance(instance).entry;
            if is_new {
                self.pending.push_back(to);
            }
            let kind = HopKind::Call(instance);
            let hop = self.add_hop(id, edge, kind, condition, to, &choices);
            self.terms.instance_mut(instance).callers.push((id, hop));
            for exit in self.terms.instance(instance).exits.clone() {
                self.come_back(id, hop, exit)?;
            }
        }
        Ok(())
    }

    /// The term of an instance at a head. A new one waits to be expanded.
    fn make(&mut self, instance: InstanceId, node: NodeId, values: Vec<Option<Bdd>>) -> TermId {
        let (term, is_new) = self.terms.term(instance, node, values.into());
        if is_new {
            self.pending.push_back(term);
        }
        term
    }

    /// Adds a hop to a term; gives its number.
    fn add_hop(
        &mut self,
        id: TermId,
        edge: EdgeId,
        kind: HopKind,
        condition: Bdd,
        to: TermId,
        choices: &MadeChoices,
    ) -> u32 {
        let hops = &mut self.terms.get_mut(id).hops;
        hops.push(Hop {
            edge,
            kind,
            condition,
            to,
            choices: choices.clone(),
        });
        hops.len() as u32 - 1
    }
}

fn is_call(machine: &Machine, edge: EdgeId) -> bool {
    matches!(machine.edge(edge).action, Action::Call { .. })
}

mod returns;
mod successors;
#[cfg(test)]
mod tests;
