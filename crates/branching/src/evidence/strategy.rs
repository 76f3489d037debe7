//! Reads a strategy off the solved game.
//!
//! From the positions that have to be shown, each is justified by positions that hold: a
//! disjunction by its first operand that does, an existential step by its first successor, a call
//! by few claims that suffice. For an until only values that are older than the one at hand are
//! used, so that ranks fall. Nothing here has to be believed: [`super::check`] judges what comes
//! out.

use crate::encoding::formulas::Formulas;
use crate::search::graph::{Link, StateId};
use crate::search::solver::{AT_LAST, Claim, PairId, PairLink, Solver, Time, Value, after};
use hardbop_automata::{PathFormula, StateFormula, StateFormulaId};
use hardbop_outcome::strategy::{FrameState, Position, VERSION};
use hardbop_outcome::{Interrupt, Strategy};
use std::collections::{HashMap, HashSet};

/// Larger strategies are not written down.
const MAX_POSITIONS: usize = 200_000;

/// Positions between two questions for limits.
const PATIENCE: usize = 1024;

/// A pair, a formula that holds there, and the claims that are used for it.
type Key = (PairId, StateFormulaId, u32);

/// A call as a position names it: the edge, the first state of the callee, and its claims.
type CallClaims = (u32, StateId, u32);

struct Writer<'w, 'a> {
    solver: &'w Solver<'a>,
    formulas: &'w Formulas,
    /// Lists of claims, in order.
    contexts: Vec<Vec<Claim>>,
    context_ids: HashMap<Vec<Claim>, u32>,
    ids: HashSet<(StateId, StateFormulaId, u32)>,
    pending: Vec<Key>,
}

/// A strategy that shows the formula that was solved at some pairs; the error says why there is
/// none.
pub(crate) fn write(
    solver: &Solver<'_>,
    formulas: &Formulas,
    root: StateFormulaId,
    starts: &[PairId],
    program: String,
    interrupt: &dyn Interrupt,
) -> Result<Strategy, String> {
    let mut writer = Writer {
        solver,
        formulas,
        contexts: Vec::new(),
        context_ids: HashMap::new(),
        ids: HashSet::new(),
        pending: Vec::new(),
    };
    for &start in starts {
        let bottom = writer.context(solver.pair(start).1.to_vec());
        writer.show((start, root, bottom));
    }
    let mut positions = Vec::new();
    while positions.len() < writer.pending.len() {
        if positions.len() > MAX_POSITIONS {
            return Err(format!(
                "the strategy has more than {MAX_POSITIONS} positions"
            ));
        }
        if positions.len().is_multiple_of(PATIENCE)
            && let Some(why) = interrupt.check()
        {
            return Err(format!("the strategy was not written down: {why}"));
        }
        let key = writer.pending[positions.len()];
        let (rank, calls) = writer.justify(key);
        positions.push((key, rank, calls));
    }
    Ok(numbered(
        &writer,
        positions,
        root == formulas.holds,
        program,
    ))
}

/// The strategy with only the states that it speaks of.
fn numbered(
    writer: &Writer<'_, '_>,
    positions: Vec<(Key, Time, Vec<CallClaims>)>,
    holds: bool,
    program: String,
) -> Strategy {
    let solver = writer.solver;
    let mut states = Vec::new();
    let mut places: HashMap<StateId, u32> = HashMap::new();
    let mut place = |id: StateId| {
        *places.entry(id).or_insert_with(|| {
            let state = &solver.graph.states[id as usize];
            states.push(FrameState {
                node: state.node.0,
                ended: state.ended,
                values: state.values.to_vec(),
            });
            states.len() as u32 - 1
        })
    };
    let mut written = Vec::with_capacity(positions.len());
    for ((pair, formula, context), rank, calls) in positions {
        let calls = calls.into_iter();
        written.push(Position {
            state: place(solver.pair(pair).0),
            formula: formula as u32,
            context,
            rank,
            calls: calls
                .map(|(edge, entry, context)| (edge, place(entry), context))
                .collect(),
        });
    }
    let contexts = writer.contexts.iter().map(|claims| {
        let claims = claims.iter();
        claims
            .map(|&(formula, exit)| (place(exit), formula as u32))
            .collect()
    });
    Strategy {
        version: VERSION,
        program,
        holds,
        contexts: contexts.collect(),
        positions: written,
        states,
        run: None,
        path: None,
    }
}

impl Writer<'_, '_> {
    fn context(&mut self, claims: Vec<Claim>) -> u32 {
        let next = self.contexts.len() as u32;
        let id = *self.context_ids.entry(claims.clone()).or_insert(next);
        if id == next {
            self.contexts.push(claims);
        }
        id
    }

    /// Two pairs with the same state and the same claims for the formula and its parts are one.
    fn show(&mut self, key: Key) {
        let (pair, formula, context) = key;
        if self
            .ids
            .insert((self.solver.pair(pair).0, formula, context))
        {
            self.pending.push(key);
        }
    }

    fn claims(&self, context: u32, claim: Claim) -> bool {
        self.contexts[context as usize]
            .binary_search(&claim)
            .is_ok()
    }

    /// Whether a formula holds at a pair by the claims of a context and values before a time.
    fn holds(&self, pair: PairId, id: StateFormulaId, context: u32, before: Time) -> bool {
        match self.value(pair, id, before) {
            None => self.solver.is_true(id, pair),
            Some((all, value)) => value.holds(all, |exit| self.claims(context, (id, exit))),
        }
    }

    /// The value of an until or a release as it was before a time.
    fn value(&self, pair: PairId, id: StateFormulaId, before: Time) -> Option<(bool, &Value)> {
        let (all, history) = self.solver.history(id, pair)?;
        let newest = history.iter().rev().find(|(time, _)| *time < before);
        newest.map(|(_, value)| (all, value))
    }

    /// Asks for what justifies a position; gives its rank and the claims of its calls.
    fn justify(&mut self, (pair, id, context): Key) -> (Time, Vec<CallClaims>) {
        let formulas = self.formulas;
        match &formulas.table[id] {
            StateFormula::Constant(_) | StateFormula::Literal { .. } => {}
            StateFormula::And(operands) => {
                for &operand in operands {
                    self.show((pair, operand, context));
                }
            }
            StateFormula::Or(operands) => {
                let mut operands = operands.iter().copied();
                if let Some(held) = operands.find(|&operand| self.solver.is_true(operand, pair)) {
                    self.show((pair, held, context));
                }
            }
            StateFormula::Runs { all, path } => match *path {
                PathFormula::Next(operand) => {
                    return (0, self.step(pair, *all, operand, context, AT_LAST));
                }
                PathFormula::Until(_, goal) if self.solver.is_true(goal, pair) => {
                    self.show((pair, goal, context));
                }
                PathFormula::Until(kept, _) => {
                    self.show((pair, kept, context));
                    let rank = self.rank(pair, id, context);
                    return (rank, self.step(pair, *all, id, context, rank));
                }
                PathFormula::Release(releasing, kept) => {
                    self.show((pair, kept, context));
                    if self.solver.is_true(releasing, pair) {
                        self.show((pair, releasing, context));
                    } else {
                        return (0, self.step(pair, *all, id, context, AT_LAST));
                    }
                }
            },
        }
        (0, Vec::new())
    }

    /// When an until became true at a pair by the claims of a context.
    fn rank(&self, pair: PairId, id: StateFormulaId, context: u32) -> Time {
        let Some((all, history)) = self.solver.history(id, pair) else {
            return 0;
        };
        let held = |exit| self.claims(context, (id, exit));
        let first = history.iter().find(|(_, value)| value.holds(all, held));
        first.map_or(0, |&(time, _)| time)
    }

    /// Asks for what justifies `EX` or `AX` of a formula, by values before a time if the formula is
    /// the until at hand.
    fn step(
        &mut self,
        pair: PairId,
        all: bool,
        id: StateFormulaId,
        context: u32,
        before: Time,
    ) -> Vec<CallClaims> {
        let solver = self.solver;
        let state = solver.pair(pair).0;
        let mut calls = Vec::new();
        for (link, of_state) in solver
            .links(pair)
            .iter()
            .zip(&solver.graph.links[state as usize])
        {
            match (link, of_state) {
                (PairLink::Call { entry, returns }, Link::Call { edge, .. }) => {
                    let Some(chosen) = self.claims_about(*entry, returns, id, context, before)
                    else {
                        continue;
                    };
                    for &(formula, exit) in &chosen {
                        self.show((after(returns, exit), formula, context));
                    }
                    let inner = self.context(chosen);
                    self.show((*entry, id, inner));
                    calls.push((edge.0, solver.pair(*entry).0, inner));
                }
                (PairLink::To(to) | PairLink::Call { entry: to, .. }, _) => {
                    if !all && !self.holds(*to, id, context, before) {
                        continue;
                    }
                    self.show((*to, id, context));
                }
            }
            if !all {
                break;
            }
        }
        calls
    }

    /// The claims by which a formula holds at the entry of a callee: all that is known of smaller
    /// formulas, and of the formula itself as little as suffices. Nothing if it does not hold.
    fn claims_about(
        &self,
        entry: PairId,
        returns: &[(StateId, PairId)],
        id: StateFormulaId,
        context: u32,
        before: Time,
    ) -> Option<Vec<Claim>> {
        let known = self.solver.pair(entry).1.iter();
        let mut claims: Vec<Claim> = known.copied().take_while(|&(f, _)| f < id).collect();
        let Some((all, value)) = self.value(entry, id, before) else {
            return self.solver.is_true(id, entry).then_some(claims);
        };
        let held = |exit: StateId| self.holds(after(returns, exit), id, context, before);
        if !value.holds(all, held) {
            return None;
        }
        if let Value::After(exits) = value {
            let held = exits.iter().copied().filter(|&exit| held(exit));
            let enough = if all { exits.len() } else { 1 };
            claims.extend(held.take(enough).map(|exit| (id, exit)));
        }
        Some(claims)
    }
}
