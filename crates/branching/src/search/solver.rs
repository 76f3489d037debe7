//! Which formulas hold at which states, within which contexts.
//!
//! A *context* says what holds once the running procedure has returned: pairs of an exit state and
//! a formula. A *pair* is a state within a context, and all that a formula can depend on. The
//! formulas are taken one after the other, operands first. When one has been decided at all pairs,
//! contexts are told apart by it as well: pairs are found anew from the start of the program, and a
//! call at a pair goes into the context that says what holds after its returns. So only contexts
//! that occur are ever there.
//!
//! While an until or a release is being decided, it is not known at the return. But its operands
//! are, so at a pair it holds if it holds after *one* of some exits (for `E`) or after *all* of them
//! (for `A`), or whatever the context. Such a [`Value`] is a set of exits: Walukiewicz's claims for
//! a single formula. Until is the least and release the greatest fixed point of these values.
//!
//! Values of an until remember when they changed. What holds from time `t` on holds by values that
//! were there before `t`: that is the rank by which a strategy makes progress.

use super::graph::{Graph, Link, StateId};
use crate::encoding::formulas::Formulas;
use hardbop_automata::{PathFormula, StateFormula, StateFormulaId};
use hardbop_outcome::{Budget, Limit};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// When a value changed; every value that was read is older.
pub(crate) type Time = u32;

/// What is read at the end.
pub(crate) const AT_LAST: Time = Time::MAX;

/// Pairs that are looked at between two questions for limits.
const PATIENCE: u64 = 4096;

/// Pairs that may be there for each state that a budget allows.
const PAIRS_PER_STATE: u64 = 16;

/// What holds once a procedure has returned from an exit. In order of formulas.
pub(crate) type Claim = (StateFormulaId, StateId);

/// A state within a context: index into the tables of [`Solver`].
pub(crate) type PairId = u32;

/// Where a step of a pair leads.
#[derive(Clone, Debug)]
pub(crate) enum PairLink {
    /// Within the frame.
    To(PairId),
    /// Into a callee and back: the exits that it reaches, with the pair after the return.
    Call {
        entry: PairId,
        returns: Vec<(StateId, PairId)>,
    },
}

/// When a formula about runs holds, as far as that depends on the return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// `E`: it holds. `A`: it does not.
    Settled,
    /// `E`: it holds if it does after one of these. `A`: if it does after all of these. In order.
    After(Rc<[StateId]>),
}

/// The values of an until or a release at the pairs that there were when it was decided.
struct Decision {
    all: bool,
    /// When they changed, and to what. Only an until has more than one entry.
    values: Vec<Vec<(Time, Value)>>,
    /// How many times pairs had been found.
    stage: usize,
}

/// Which formulas hold where.
pub(crate) struct Solver<'a> {
    pub graph: &'a Graph,
    formulas: &'a Formulas,
    budget: &'a Budget<'a>,
    /// By context: what holds at the return.
    contexts: Vec<Vec<Claim>>,
    /// By pair.
    pairs: Vec<(StateId, u32)>,
    links: Vec<Vec<PairLink>>,
    /// Pairs in which the program starts.
    pub initial: Vec<PairId>,
    /// By formula and pair, for those that have been decided.
    truth: Vec<Vec<bool>>,
    decisions: HashMap<StateFormulaId, Decision>,
    /// By stage: for each pair the pair of the stage before that it came from.
    origins: Vec<Vec<PairId>>,
    time: Time,
    work: u64,
    /// Counters: the most contexts and pairs at a time, and values that were computed.
    pub most_contexts: usize,
    pub most_pairs: usize,
    pub evaluations: u64,
}

impl<'a> Solver<'a> {
    /// Decides a formula and its parts; `at_the_end` says what holds once `main` has returned.
    pub(crate) fn solve(
        graph: &'a Graph,
        formulas: &'a Formulas,
        letters: &[u64],
        root: StateFormulaId,
        at_the_end: &[Claim],
        budget: &'a Budget<'a>,
    ) -> Result<Self, Limit> {
        let mut solver = Self {
            graph,
            formulas,
            budget,
            contexts: vec![Vec::new()],
            pairs: Vec::new(),
            links: Vec::new(),
            initial: Vec::new(),
            truth: vec![Vec::new(); formulas.table.len()],
            decisions: HashMap::new(),
            origins: Vec::new(),
            time: 0,
            work: 0,
            most_contexts: 0,
            most_pairs: 0,
            evaluations: 0,
        };
        solver.without_contexts();
        let parts = formulas.parts(root);
        let claimed: HashSet<StateFormulaId> = parts
            .iter()
            .filter_map(|&id| match formulas.table[id] {
                StateFormula::Runs {
                    path: PathFormula::Next(operand),
                    ..
                } => Some(operand),
                _ => None,
            })
            .collect();
        for id in parts {
            let is_fixed_point = solver.decide(id, letters)?;
            if is_fixed_point || claimed.contains(&id) {
                let ends = at_the_end.iter().filter(|(formula, _)| *formula == id);
                let ends: Vec<StateId> = ends.map(|&(_, exit)| exit).collect();
                solver.refine(id, &ends)?;
            }
        }
        Ok(solver)
    }

    /// Every state is a pair while nothing is known about returns.
    fn without_contexts(&mut self) {
        let links = |links: &Vec<Link>| links.iter().map(pair_link).collect();
        self.pairs = (0..self.graph.states.len() as StateId)
            .map(|s| (s, 0))
            .collect();
        self.links = self.graph.links.iter().map(links).collect();
        self.initial.clone_from(&self.graph.initial);
        self.most_pairs = self.pairs.len();
    }

    fn look(&mut self) -> Result<(), Limit> {
        self.work += 1;
        if !self.work.is_multiple_of(PATIENCE) {
            return Ok(());
        }
        if let Some(limit) = self.budget.interrupt.check() {
            return Err(limit);
        }
        let bytes = (self.pairs.len() * (64 + self.formulas.table.len())) as u64;
        match self.budget.memory {
            Some(memory) if bytes > memory => Err(Limit::Memory),
            _ => Ok(()),
        }
    }

    /// Decides a formula whose operands have been decided; whether it is a fixed point, whose truth
    /// has to wait for the contexts.
    fn decide(&mut self, id: StateFormulaId, letters: &[u64]) -> Result<bool, Limit> {
        let formulas = self.formulas;
        let pairs = 0..self.pairs.len();
        let truth = &self.truth;
        let decided: Vec<bool> = match &formulas.table[id] {
            StateFormula::Constant(value) => vec![*value; pairs.len()],
            StateFormula::Literal {
                proposition,
                positive,
            } => {
                let letter = |pair: usize| letters[self.pairs[pair].0 as usize];
                pairs
                    .map(|pair| (letter(pair) >> proposition & 1 == 1) == *positive)
                    .collect()
            }
            StateFormula::And(operands) => pairs
                .map(|pair| operands.iter().all(|&operand| truth[operand][pair]))
                .collect(),
            StateFormula::Or(operands) => pairs
                .map(|pair| operands.iter().any(|&operand| truth[operand][pair]))
                .collect(),
            StateFormula::Runs {
                all,
                path: PathFormula::Next(operand),
            } => pairs
                .map(|pair| self.next_holds(pair as PairId, *all, *operand))
                .collect(),
            StateFormula::Runs { .. } => {
                self.iterate(id)?;
                return Ok(true);
            }
        };
        self.evaluations += decided.len() as u64;
        self.truth[id] = decided;
        Ok(false)
    }

    /// `EX` or `AX` of a formula that is known at returns.
    fn next_holds(&self, pair: PairId, all: bool, operand: StateFormulaId) -> bool {
        let (state, context) = self.pairs[pair as usize];
        if self.graph.is_exit[state as usize] {
            let claims = &self.contexts[context as usize];
            return claims.binary_search(&(operand, state)).is_ok();
        }
        let mut next = self.links[pair as usize].iter().map(|link| match link {
            PairLink::To(to) | PairLink::Call { entry: to, .. } => {
                self.truth[operand][*to as usize]
            }
        });
        if all {
            next.all(|holds| holds)
        } else {
            next.any(|holds| holds)
        }
    }

    /// The fixed point of an until or a release.
    fn iterate(&mut self, id: StateFormulaId) -> Result<(), Limit> {
        let StateFormula::Runs { all, path } = self.formulas.table[id] else {
            unreachable!("only formulas about runs are fixed points");
        };
        let is_until = matches!(path, PathFormula::Until(..));
        // False for an until, true for a release.
        let first = Value::constant(!is_until, all);
        let mut values = vec![vec![(0, first)]; self.pairs.len()];
        let mut before: Vec<Vec<PairId>> = vec![Vec::new(); self.pairs.len()];
        for (pair, links) in self.links.iter().enumerate() {
            for link in links {
                match link {
                    PairLink::To(to) => before[*to as usize].push(pair as PairId),
                    PairLink::Call { entry, returns } => {
                        before[*entry as usize].push(pair as PairId);
                        for (_, after) in returns {
                            before[*after as usize].push(pair as PairId);
                        }
                    }
                }
            }
        }
        // Late pairs first: a value depends on what comes after it.
        let mut queue: VecDeque<PairId> = (0..self.pairs.len() as PairId).rev().collect();
        let mut is_queued = vec![true; self.pairs.len()];
        while let Some(pair) = queue.pop_front() {
            self.look()?;
            self.evaluations += 1;
            is_queued[pair as usize] = false;
            let holds = |id: StateFormulaId| self.truth[id][pair as usize];
            let value = match path {
                PathFormula::Until(_, goal) if holds(goal) => Value::constant(true, all),
                PathFormula::Until(kept, _) if !holds(kept) => Value::constant(false, all),
                PathFormula::Release(_, kept) if !holds(kept) => Value::constant(false, all),
                PathFormula::Release(releasing, _) if holds(releasing) => {
                    Value::constant(true, all)
                }
                _ => self.step(pair, &values),
            };
            let history = &mut values[pair as usize];
            if history.last().is_some_and(|(_, last)| *last == value) {
                continue;
            }
            self.time += 1;
            if !is_until {
                history.clear();
            }
            history.push((self.time, value));
            for &before in &before[pair as usize] {
                if !std::mem::replace(&mut is_queued[before as usize], true) {
                    queue.push_back(before);
                }
            }
        }
        let decision = Decision {
            all,
            values,
            stage: self.origins.len(),
        };
        self.decisions.insert(id, decision);
        Ok(())
    }

    /// The value of a step from the values after it. For `E` they are joined by *or*, for `A` by
    /// *and*; either way one that is settled settles all, and else exits are collected.
    fn step(&self, pair: PairId, values: &[Vec<(Time, Value)>]) -> Value {
        let (state, _) = self.pairs[pair as usize];
        if self.graph.is_exit[state as usize] {
            return Value::After(Rc::from([state]));
        }
        let newest = |pair: PairId| &values[pair as usize].last().expect("there is a first").1;
        let links = &self.links[pair as usize];
        if let [PairLink::To(to)] = links.as_slice() {
            return newest(*to).clone();
        }
        let mut exits: Vec<StateId> = Vec::new();
        for link in links {
            match link {
                PairLink::To(to) => match newest(*to) {
                    Value::Settled => return Value::Settled,
                    Value::After(more) => exits.extend_from_slice(more),
                },
                PairLink::Call { entry, returns } => match newest(*entry) {
                    Value::Settled => return Value::Settled,
                    Value::After(inner) => {
                        for exit in inner.iter() {
                            match newest(after(returns, *exit)) {
                                Value::Settled => return Value::Settled,
                                Value::After(more) => exits.extend_from_slice(more),
                            }
                        }
                    }
                },
            }
        }
        exits.sort_unstable();
        exits.dedup();
        Value::After(exits.into())
    }

    /// Tells contexts apart by a formula that has been decided, and finds the pairs anew.
    fn refine(&mut self, id: StateFormulaId, at_the_end: &[StateId]) -> Result<(), Limit> {
        let mut finer = Finer::default();
        let mut initial = Vec::with_capacity(self.initial.len());
        for &old in &self.initial {
            let coarse = self.pairs[old as usize].1;
            let context = finer.context(coarse, at_the_end.to_vec());
            initial.push(finer.pair(old, context));
        }
        let mut links: Vec<Vec<PairLink>> = Vec::new();
        while links.len() < finer.pairs.len() {
            self.look()?;
            let count = finer.pairs.len() as u64;
            if self
                .budget
                .states
                .is_some_and(|most| count > most.saturating_mul(PAIRS_PER_STATE))
            {
                return Err(Limit::States);
            }
            let (old, here) = finer.pairs[links.len()];
            let old_links = &self.links[old as usize];
            let mut new_links = Vec::with_capacity(old_links.len());
            for link in old_links {
                new_links.push(match link {
                    PairLink::To(to) => PairLink::To(finer.pair(*to, here)),
                    PairLink::Call { entry, returns } => {
                        let held = returns.iter().filter(|(_, after)| {
                            self.holds_given(id, *after, &finer.held[here as usize])
                        });
                        let held = held.map(|&(exit, _)| exit).collect();
                        let inner = finer.context(self.pairs[*entry as usize].1, held);
                        let entry = finer.pair(*entry, inner);
                        let returns = returns.iter();
                        let returns = returns.map(|&(exit, after)| (exit, finer.pair(after, here)));
                        PairLink::Call {
                            entry,
                            returns: returns.collect(),
                        }
                    }
                });
            }
            links.push(new_links);
        }
        let pairs = finer.pairs.iter();
        self.truth[id] = pairs
            .map(|&(old, context)| self.holds_given(id, old, &finer.held[context as usize]))
            .collect();
        for (formula, truth) in self.truth.iter_mut().enumerate() {
            if formula != id && !truth.is_empty() {
                *truth = finer
                    .pairs
                    .iter()
                    .map(|&(old, _)| truth[old as usize])
                    .collect();
            }
        }
        let contexts = finer.coarse.iter().zip(&finer.held).map(|(&coarse, held)| {
            let mut claims = self.contexts[coarse as usize].clone();
            claims.extend(held.iter().map(|&exit| (id, exit)));
            claims
        });
        self.contexts = contexts.collect();
        let state = |old: PairId| self.pairs[old as usize].0;
        let pairs = finer
            .pairs
            .iter()
            .map(|&(old, context)| (state(old), context));
        self.pairs = pairs.collect();
        self.origins
            .push(finer.pairs.iter().map(|&(old, _)| old).collect());
        (self.links, self.initial) = (links, initial);
        self.most_pairs = self.most_pairs.max(self.pairs.len());
        self.most_contexts = self.most_contexts.max(self.contexts.len());
        Ok(())
    }

    /// Whether the formula at hand holds at a pair if it holds after these exits.
    fn holds_given(&self, id: StateFormulaId, pair: PairId, held: &[StateId]) -> bool {
        match self.decisions.get(&id) {
            None => self.truth[id][pair as usize],
            Some(decision) => {
                let newest = decision.values[pair as usize].last();
                let newest = newest.expect("there is a first");
                newest
                    .1
                    .holds(decision.all, |exit| held.binary_search(&exit).is_ok())
            }
        }
    }

    /// The state of a pair, and what its context says.
    pub(crate) fn pair(&self, pair: PairId) -> (StateId, &[Claim]) {
        let (state, context) = self.pairs[pair as usize];
        (state, &self.contexts[context as usize])
    }

    /// The steps of a pair, in the order of those of its state.
    pub(crate) fn links(&self, pair: PairId) -> &[PairLink] {
        &self.links[pair as usize]
    }

    /// Whether a formula that has been decided holds at a pair.
    pub(crate) fn is_true(&self, id: StateFormulaId, pair: PairId) -> bool {
        self.truth[id][pair as usize]
    }

    /// The values that an until or a release has had at a pair, oldest first, and whether it is
    /// about all runs; nothing for other formulas.
    pub(crate) fn history(
        &self,
        id: StateFormulaId,
        pair: PairId,
    ) -> Option<(bool, &[(Time, Value)])> {
        let decision = self.decisions.get(&id)?;
        let mut pair = pair;
        for origins in self.origins[decision.stage..].iter().rev() {
            pair = origins[pair as usize];
        }
        Some((decision.all, &decision.values[pair as usize]))
    }
}

/// Contexts that are told apart by one formula more, and the pairs with them.
#[derive(Default)]
struct Finer {
    /// By context: which one it was before.
    coarse: Vec<u32>,
    /// By context: after which exits the formula holds, in order.
    held: Vec<Vec<StateId>>,
    contexts: HashMap<(u32, Vec<StateId>), u32>,
    /// The pair before, and the context.
    pairs: Vec<(PairId, u32)>,
    numbers: HashMap<(PairId, u32), PairId>,
}

impl Finer {
    fn context(&mut self, coarse: u32, held: Vec<StateId>) -> u32 {
        let next = self.held.len() as u32;
        let number = *self.contexts.entry((coarse, held.clone())).or_insert(next);
        if number == next {
            self.coarse.push(coarse);
            self.held.push(held);
        }
        number
    }

    fn pair(&mut self, old: PairId, context: u32) -> PairId {
        let next = self.pairs.len() as PairId;
        let number = *self.numbers.entry((old, context)).or_insert(next);
        if number == next {
            self.pairs.push((old, context));
        }
        number
    }
}

impl Value {
    /// The value of a formula that holds, or not, whatever the context.
    fn constant(holds: bool, all: bool) -> Self {
        if holds == all {
            Value::After(Rc::from([]))
        } else {
            Value::Settled
        }
    }

    /// Whether the formula holds, given after which exits it does.
    pub(crate) fn holds(&self, all: bool, mut held: impl FnMut(StateId) -> bool) -> bool {
        match self {
            Value::Settled => !all,
            Value::After(exits) if all => exits.iter().all(|&exit| held(exit)),
            Value::After(exits) => exits.iter().any(|&exit| held(exit)),
        }
    }
}

/// The pair after the return from an exit.
pub(crate) fn after(returns: &[(StateId, PairId)], exit: StateId) -> PairId {
    let place = returns.binary_search_by_key(&exit, |&(exit, _)| exit);
    returns[place.expect("the entry reaches only exits that the call returns from")].1
}

/// While nothing is known about returns, pairs are states.
fn pair_link(link: &Link) -> PairLink {
    match link {
        Link::To(to) => PairLink::To(*to),
        Link::Call { entry, returns, .. } => PairLink::Call {
            entry: *entry,
            returns: returns
                .iter()
                .map(|(&exit, &after)| (exit, after))
                .collect(),
        },
    }
}
