//! The closure of function terms (section 2.0 and Figure 2): every term that is mentioned gets its
//! equation.
//!
//! **One term, one equation.** Figure 2 makes a new triple for every mention of a term and ends a
//! path where a term comes back. Here a term is made once; [`crate::search::foundation`] takes care of what
//! the paper's fixpoint triples are for.
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

use crate::encoding::blocks::{Argument, Blocks};
use crate::encoding::evaluate::{Choices, Evaluator, Frame, Trouble, Workplace, passing_support};
use crate::encoding::split::{Case, Split, cases};
use crate::encoding::symbols::{Meaning, Symbols};
use crate::encoding::terms::{Hop, HopKind, InstanceId, TermId, Terms};
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan, PlanBuilder};
use hardbop_machine::{Action, EdgeId, NodeId, Variable};
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
/// One step may lead to so many explicit cases.
const MOST_CASES: usize = 1 << 16;

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
                None => self.symbols.initial(&mut self.manager)?,
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
                Action::Call { .. } => self.expand_call(id, edge)?,
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
            position: self.blocks.order.position(term.node),
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

    /// Evaluates a hop that is known with the choices it was made with: the condition, passing
    /// choices included, and the frame at its end, which for a call is the callee's.
    pub(crate) fn walk_again(&mut self, id: TermId, hop: &Hop) -> Result<(Bdd, Frame), Trouble> {
        let mut frame = self.frame(id);
        let mut choices = self.choices(id, hop.edge, Some(&hop.choices));
        if hop.kind == HopKind::Step {
            let condition = self.walk(&mut frame, hop.edge, &mut choices, |_, _, _| {})?;
            return Ok((condition, frame));
        }
        self.evaluate_call(&mut frame, hop.edge, &mut choices)
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

    fn evaluate_call(
        &mut self,
        frame: &mut Frame,
        edge: EdgeId,
        choices: &mut Choices,
    ) -> Result<(Bdd, Frame), Trouble> {
        let mut at = Workplace {
            blocks: &self.blocks,
            manager: &mut self.manager,
            symbols: &mut self.symbols,
        };
        self.evaluator.call(&mut at, frame, edge, choices)
    }

    fn expand_chain(&mut self, id: TermId, first: EdgeId) -> Result<(), Trouble> {
        let chain = self.blocks.chain(first);
        let last = chain[chain.len() - 1];
        if self.blocks.leads_nowhere(last) {
            return Ok(());
        }
        let to = self.blocks.machine.edge(last).to;
        let instance = self.terms.get(id).instance;
        loop {
            let mut frame = self.frame(id);
            let mut choices = self.choices(id, first, None);
            let found = self.walk(&mut frame, first, &mut choices, |_, _, _| {});
            let found = found.and_then(|condition| {
                if condition.is_false() {
                    return Ok(Vec::new());
                }
                let arguments = self.blocks.arguments(to).iter();
                let values = arguments.map(|argument| frame[argument.slot as usize]);
                self.successors(instance, to, None, condition, values.collect(), &choices)
            });
            let Some(successors) = self.settle(first, found)? else {
                continue;
            };
            for (condition, values) in successors {
                let (to, is_new) = self.terms.term(instance, to, values.into());
                if is_new {
                    self.pending.push_back(to);
                }
                self.terms.get_mut(id).hops.push(Hop {
                    edge: first,
                    kind: HopKind::Step,
                    condition,
                    to,
                    choices: choices.made.clone(),
                });
            }
            return Ok(());
        }
    }

    /// Remembers choices that flow; then there is nothing yet, and the chain is evaluated again.
    fn settle<T>(
        &mut self,
        first: EdgeId,
        found: Result<T, Trouble>,
    ) -> Result<Option<T>, Trouble> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Trouble::Flows(choices)) => {
                let passing = self.symbols.passing();
                let flowing = self.flowing.entry(first).or_default();
                flowing.extend(choices);
                if flowing.len() > MANY_FLOWING {
                    // The rest will follow one by one.
                    flowing.extend(0..passing);
                }
                Ok(None)
            }
            Err(trouble) => Err(trouble),
        }
    }

    fn expand_call(&mut self, id: TermId, edge: EdgeId) -> Result<(), Trouble> {
        let machine = self.blocks.machine;
        let Action::Call { callee, .. } = machine.edge(edge).action else {
            unreachable!("the caller has looked at the action");
        };
        let entry = machine.procedure(callee).entry;
        let caller_instance = self.terms.get(id).instance;
        let caller = machine.procedure_of(machine.edge(edge).from);
        let calls = &self.blocks.calls;
        let component = calls.component_of(callee);
        let is_recursive = calls.component_of(caller) == component;
        let depth = self.terms.instance(caller_instance).depth + u32::from(is_recursive);
        loop {
            let mut frame = self.frame(id);
            let mut choices = self.choices(id, edge, None);
            let found = self.evaluate_call(&mut frame, edge, &mut choices);
            let found = found.and_then(|(condition, entered)| {
                if condition.is_false() {
                    return Ok(Vec::new());
                }
                let arguments = self.blocks.arguments(entry).iter();
                let values = arguments.map(|argument| entered[argument.slot as usize]);
                let recursive = is_recursive.then_some(component);
                self.successors(
                    caller_instance,
                    entry,
                    recursive,
                    condition,
                    values.collect(),
                    &choices,
                )
            });
            let Some(successors) = self.settle(edge, found)? else {
                continue;
            };
            for (condition, values) in successors {
                let (instance, is_new) = self.terms.enter(callee, entry, values.into(), depth);
                let to = self.terms.instance(instance).entry;
                if is_new {
                    self.pending.push_back(to);
                }
                let hops = &mut self.terms.get_mut(id).hops;
                let hop = hops.len() as u32;
                hops.push(Hop {
                    edge,
                    kind: HopKind::Call(instance),
                    condition,
                    to,
                    choices: choices.made.clone(),
                });
                self.terms.instance_mut(instance).callers.push((id, hop));
                for exit in self.terms.instance(instance).exits.clone() {
                    self.come_back(id, hop, exit)?;
                }
            }
            return Ok(());
        }
    }

    /// Adds the hops of a call that returns from an exit.
    fn come_back(&mut self, caller: TermId, call: u32, exit: TermId) -> Result<(), Trouble> {
        let call = self.terms.get(caller).hops[call as usize].clone();
        let machine = self.blocks.machine;
        let to = machine.edge(call.edge).to;
        let instance = self.terms.get(caller).instance;
        let mut values = self.values_after(caller, call.edge, exit);
        self.note_arrivals(caller, &values, machine.edge(call.edge).from);
        let choices = self.choices(caller, call.edge, Some(&call.choices));
        // A result that the callee does not track is arbitrary, but the same whenever its target is
        // read.
        let edge = self.evaluator.edge(call.edge);
        let is_result = |argument: &Argument| {
            let mut results = edge.results.iter();
            results.any(|r| r.target == argument.variable && r.bit == argument.bit)
        };
        let unknown = self.blocks.arguments(to).iter().zip(&mut values);
        let unknown = unknown.filter(|(argument, value)| value.is_none() && is_result(argument));
        for (number, (_, value)) in (choices.next_hidden..).zip(unknown) {
            *value = Some(self.manager.variable(number)?);
        }
        let successors = self.successors(instance, to, None, call.condition, values, &choices)?;
        for (condition, values) in successors {
            let (to, is_new) = self.terms.term(instance, to, values.into());
            if is_new {
                self.pending.push_back(to);
            }
            let term = self.terms.get_mut(caller);
            let number = term.hops.len() as u32;
            term.hops.push(Hop {
                edge: call.edge,
                kind: HopKind::Return(exit),
                condition,
                to,
                choices: call.choices.clone(),
            });
            if term.expanded {
                self.news.push(News::Returned(caller, number));
            }
        }
        Ok(())
    }

    /// The arguments after a call: locals of the caller, globals and results of the exit.
    fn values_after(&mut self, caller: TermId, edge: EdgeId, exit: TermId) -> Vec<Option<Bdd>> {
        let to = self.blocks.machine.edge(edge).to;
        let before = self.frame(caller);
        let after = self.frame(exit);
        let callee = self.terms.instance(self.terms.get(exit).instance).procedure;
        let results = &self.evaluator.edge(edge).results;
        let arguments = self.blocks.arguments(to).iter();
        let values = arguments.map(|argument| {
            let result = results
                .iter()
                .find(|r| r.target == argument.variable && r.bit == argument.bit);
            match (result, argument.variable) {
                (Some(result), _) => {
                    let bits = self
                        .blocks
                        .layout
                        .bits_of(callee, Variable::Local(result.result));
                    after[(bits.start + u32::from(result.bit)) as usize]
                }
                (None, Variable::Global(id)) if self.blocks.concerns(callee, id) => {
                    after[argument.slot as usize]
                }
                (None, _) => before[argument.slot as usize],
            }
        });
        values.collect()
    }

    /// Notes where symbols came into the caller's instance that its term did not know.
    fn note_arrivals(&mut self, caller: TermId, values: &[Option<Bdd>], node: NodeId) {
        let instance = self.terms.get(caller).instance;
        let known = &self.terms.get(caller).values;
        let new = values
            .iter()
            .flatten()
            .filter(|value| !value.is_constant() && !known.contains(&Some(**value)));
        let mut arrived: BTreeSet<u32> = BTreeSet::new();
        for &value in new {
            arrived.extend(self.manager.support(value));
        }
        if arrived.is_empty() {
            return;
        }
        for &value in known.iter().flatten() {
            for variable in self.manager.support(value) {
                arrived.remove(&variable);
            }
        }
        let position = self.blocks.order.position(node);
        for variable in arrived {
            if self.symbols.origin(variable).is_some() {
                let noted = self
                    .arrivals
                    .entry((instance, variable))
                    .or_insert(position);
                *noted = position.max(*noted);
            }
        }
    }

    /// The cases in which a head is reached, with the arguments made explicit that should be.
    ///
    /// `recursive` is the component of the call graph if the head is the entry of a procedure that
    /// is called from within it.
    fn successors(
        &mut self,
        instance: InstanceId,
        to: NodeId,
        recursive: Option<usize>,
        condition: Bdd,
        values: Vec<Option<Bdd>>,
        choices: &Choices,
    ) -> Result<Vec<Case>, Trouble> {
        let is_loop_head = self.blocks.order.is_loop_head(to);
        let chosen = self.split.places(&self.manager, &values, is_loop_head);
        let mut places = Vec::new();
        let mut flows = BTreeSet::new();
        for (place, value) in values.iter().enumerate() {
            let Some(value) = *value else {
                continue;
            };
            if value.is_constant() || self.symbols.is_carried(&self.manager, value) {
                continue;
            }
            let is_passing = self.symbols.is_passing(&self.manager, value);
            let is_explicit = chosen.contains(&place)
                || is_loop_head && recursive.is_none() && self.is_made_in_loop(instance, to, value)
                || recursive.is_some_and(|component| self.is_made_in(component, value));
            if is_explicit || is_passing && !choices.may_keep {
                places.push(place);
            } else if is_passing {
                flows.extend(passing_support(&self.manager, &self.symbols, value));
            }
        }
        if !flows.is_empty() {
            return Err(Trouble::Flows(flows));
        }
        let found = cases(&mut self.manager, condition, values, &places, MOST_CASES)?;
        let Some(mut found) = found else {
            return Err(Trouble::TooManyCases);
        };
        if let Some(plan) = &self.without_passing {
            for (condition, _) in &mut found {
                *condition = self.manager.project(*condition, plan)?;
            }
        }
        Ok(found)
    }

    /// Whether a function depends on a symbol made, or brought in, at or behind a loop head of the
    /// instance, or on a choice that passes.
    fn is_made_in_loop(&self, instance: InstanceId, head: NodeId, value: Bdd) -> bool {
        let head = self.blocks.order.position(head);
        self.manager.support(value).into_iter().any(|variable| {
            if variable < self.symbols.passing() {
                return true;
            }
            let Some((maker, position)) = self.symbols.origin(variable) else {
                return false;
            };
            let position = match self.arrivals.get(&(instance, variable)) {
                Some(&arrival) => Some(arrival),
                None => (maker == instance).then_some(position),
            };
            position.is_some_and(|position| position >= head)
        })
    }

    /// Whether a function depends on a name made in a component of the call graph.
    fn is_made_in(&self, component: usize, value: Bdd) -> bool {
        self.manager.support(value).into_iter().any(|variable| {
            if variable < self.symbols.passing() {
                return true;
            }
            let is_name = matches!(self.symbols.meaning(variable), Meaning::Name(_));
            let maker = self.symbols.origin(variable);
            is_name
                && maker.is_some_and(|(maker, _)| {
                    let procedure = self.terms.instance(maker).procedure;
                    self.blocks.calls.component_of(procedure) == component
                })
        })
    }
}

#[cfg(test)]
mod tests;
