//! Judges a strategy: the part that has to be believed.
//!
//! A position (state, formula, context) says that the formula holds at every configuration whose
//! running frame is in the state and below which the claims of the context hold: each of its pairs
//! is a formula that holds once the procedure has returned from an exit state. The rules:
//!
//! - a literal is true in the state; a conjunction needs all operands at the same state and
//!   context, a disjunction one;
//! - `EX f` needs a step, `AX f` needs all steps, each to a position of `f`. At an exit the pair
//!   must be in the context. A step into a callee needs a position at its entry, in a context whose
//!   pairs are all positions of the caller, in its own context, after the return;
//! - an until needs its goal, or what is kept and a step to itself; a release what is kept, and what
//!   releases or a step to itself. Where a position of an until is justified by positions of the
//!   same until, at the entry, after the return or at the next state, these have a smaller rank.
//!
//! **Why that is enough.** Suppose that positions obey the rules and one of them is false at a
//! configuration. Follow false positions: a rule is sound, so a false position has a false one that
//! justifies it, and a pair that was claimed and does not hold is a position of the caller that is
//! false once the call has returned. This goes on for ever, or ends at the bottom, where claims are
//! evaluated on the last state. On an infinite way operands are smaller than their formulas, so in
//! the end one formula stays. It is an until, for a release is a greatest fixed point. If the stack
//! comes back to some lowest height again and again, look at the positions at that height; if not,
//! at those of the calls that never return. From each to the next the rank falls, by the last rule.
//! That cannot go on for ever.
//!
//! States stand for all that differ from them in dead values (see [`crate::encoding::states`]), so
//! the liveness analysis is believed as well.

use super::path;
use crate::encoding::formulas::Formulas;
use crate::encoding::states::{Space, State, Step};
use hardbop_automata::{Ctl, PathFormula, StateFormula, StateFormulaId};
use hardbop_machine::{EdgeId, Machine, NodeId};
use hardbop_outcome::strategy::{Position, VERSION};
use hardbop_outcome::{Interrupt, Limit, Strategy};
use std::collections::HashMap;

/// Positions between two questions for limits.
const PATIENCE: usize = 1024;

/// Why a strategy is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategyError {
    /// It is for something else, or its parts do not fit together.
    #[error("the strategy does not fit: {0}")]
    Form(String),
    /// A position is not justified.
    #[error("position {position} of the strategy is not justified: {why}")]
    Unjustified {
        /// Its number.
        position: usize,
        /// What is missing.
        why: &'static str,
    },
    /// A state in which the program may start has no position.
    #[error("the strategy does not cover the start of the program")]
    Start,
    /// A claim about the end of the program is false.
    #[error("the strategy makes a false claim about the end of the program")]
    End,
    /// The run through it does not show what it says.
    #[error("the run of the strategy is not one: {0}")]
    Path(String),
    /// A limit was reached.
    #[error("the strategy was not checked: {0}")]
    Interrupted(Limit),
}

/// Where no progress is needed, any rank will do.
const ANY: u32 = u32::MAX;

/// The number of a state of the strategy; states that it does not speak of have none.
type Place = u32;

/// A strategy that is being judged, or has been.
pub(crate) struct Judge<'j> {
    pub(crate) space: Space<'j>,
    pub(crate) formulas: Formulas,
    pub(crate) strategy: &'j Strategy,
    states: Vec<State>,
    places: HashMap<State, Place>,
    /// The rank of each position.
    ranks: HashMap<(Place, StateFormulaId, u32), u32>,
    steps: Vec<Option<Vec<Step>>>,
}

/// Checks that a strategy shows what it says about a formula of a sequential program.
pub fn check_strategy(
    machine: &Machine,
    ctl: &Ctl,
    strategy: &Strategy,
    interrupt: &dyn Interrupt,
) -> Result<(), StrategyError> {
    let mut judge = Judge::new(machine, ctl, strategy)?;
    for (number, position) in strategy.positions.iter().enumerate() {
        if number.is_multiple_of(PATIENCE)
            && let Some(why) = interrupt.check()
        {
            return Err(StrategyError::Interrupted(why));
        }
        judge.position(number, position)?;
    }
    judge.start_and_end()?;
    match &strategy.path {
        Some(path) => path::check(&judge, ctl, path),
        None => Ok(()),
    }
}

impl<'j> Judge<'j> {
    /// Takes a strategy in, as far as it is one for a formula of a sequential program.
    pub(crate) fn new(
        machine: &'j Machine,
        ctl: &'j Ctl,
        strategy: &'j Strategy,
    ) -> Result<Self, StrategyError> {
        let form = |why: &str| Err(StrategyError::Form(why.to_owned()));
        if strategy.version != VERSION {
            return form("its version is another one");
        }
        if strategy.program != machine.digest() {
            return form("it is about another program");
        }
        if !machine.is_sequential() || machine.threads.is_empty() {
            return form("the program is not sequential");
        }
        let mut judge = Self {
            space: Space::new(machine, ctl),
            formulas: Formulas::new(ctl),
            strategy,
            states: Vec::new(),
            places: HashMap::new(),
            ranks: HashMap::new(),
            steps: vec![None; strategy.states.len()],
        };
        judge.read()?;
        Ok(judge)
    }

    /// What has to be shown where the program starts.
    pub(crate) fn root(&self) -> StateFormulaId {
        if self.strategy.holds {
            self.formulas.holds
        } else {
            self.formulas.fails
        }
    }

    /// The number of a state; nothing if the strategy does not speak of it.
    pub(crate) fn place(&self, state: &State) -> Option<Place> {
        self.places.get(state).copied()
    }

    /// The state with a number.
    pub(crate) fn state(&self, place: Place) -> &State {
        &self.states[place as usize]
    }

    /// Whether a formula is shown at a state in a context.
    pub(crate) fn shows(&self, state: &State, id: StateFormulaId, context: u32) -> bool {
        self.is_shown(state, id, context, ANY)
    }

    /// Takes states and positions in; whatever the rules refer to is there afterwards.
    fn read(&mut self) -> Result<(), StrategyError> {
        let form = |why: &str| Err(StrategyError::Form(why.to_owned()));
        for (number, state) in self.strategy.states.iter().enumerate() {
            let state = State {
                node: NodeId(state.node),
                ended: state.ended,
                values: state.values.clone().into(),
            };
            if !self.space.fits(&state) {
                return form("a state is not one of the program");
            }
            self.places.insert(state.clone(), number as Place);
            self.states.push(state);
        }
        let (states, formulas) = (self.states.len(), self.formulas.table.len());
        let fits =
            |state: u32, formula: u32| (state as usize) < states && (formula as usize) < formulas;
        for &(exit, formula) in self.strategy.contexts.iter().flatten() {
            if !fits(exit, formula) || !self.space.is_exit(&self.states[exit as usize]) {
                return form("a claim is not about an exit");
            }
        }
        let contexts = self.strategy.contexts.len();
        for position in &self.strategy.positions {
            let of_calls = position.calls.iter().map(|&(_, _, context)| context);
            let mut used = of_calls.chain([position.context]);
            if !fits(position.state, position.formula) || used.any(|c| c as usize >= contexts) {
                return form("a position is about nothing");
            }
            let key = (
                position.state,
                position.formula as StateFormulaId,
                position.context,
            );
            self.ranks.insert(key, position.rank);
        }
        Ok(())
    }

    /// Whether a formula is shown at a state in a context, with a rank below a bound.
    pub(crate) fn is_shown(
        &self,
        state: &State,
        id: StateFormulaId,
        context: u32,
        below: u32,
    ) -> bool {
        let place = self.places.get(state);
        let rank = place.and_then(|&place| self.ranks.get(&(place, id, context)));
        rank.is_some_and(|&rank| rank < below)
    }

    /// Checks one position by the rules.
    fn position(&mut self, number: usize, position: &Position) -> Result<(), StrategyError> {
        let fail = |why| {
            Err(StrategyError::Unjustified {
                position: number,
                why,
            })
        };
        let (id, context) = (position.formula as StateFormulaId, position.context);
        let state = self.states[position.state as usize].clone();
        let has = |judge: &Self, operand| judge.is_shown(&state, operand, context, ANY);
        match self.formulas.table[id].clone() {
            StateFormula::Constant(true) => {}
            StateFormula::Constant(false) => return fail("its formula is false"),
            StateFormula::Literal {
                proposition,
                positive,
            } => {
                if (self.space.letter(&state) >> proposition & 1 == 1) != positive {
                    return fail("its literal is false");
                }
            }
            StateFormula::And(operands) => {
                if !operands.iter().all(|&operand| has(self, operand)) {
                    return fail("an operand is missing");
                }
            }
            StateFormula::Or(operands) => {
                if !operands.iter().any(|&operand| has(self, operand)) {
                    return fail("no operand is there");
                }
            }
            StateFormula::Runs { all, path } => {
                let is_justified = match path {
                    PathFormula::Next(operand) => self.step(position, all, operand, ANY)?,
                    PathFormula::Until(kept, goal) => {
                        has(self, goal)
                            || has(self, kept) && self.step(position, all, id, position.rank)?
                    }
                    PathFormula::Release(releasing, kept) => {
                        has(self, kept)
                            && (has(self, releasing) || self.step(position, all, id, ANY)?)
                    }
                };
                if !is_justified {
                    return fail("a step is missing");
                }
            }
        }
        Ok(())
    }

    /// Whether some or all steps of a position lead to positions of a formula, with ranks below a
    /// bound.
    fn step(
        &mut self,
        position: &Position,
        all: bool,
        id: StateFormulaId,
        below: u32,
    ) -> Result<bool, StrategyError> {
        let place = position.state as usize;
        let state = self.states[place].clone();
        if self.space.is_exit(&state) {
            let claims = &self.strategy.contexts[position.context as usize];
            return Ok(claims.contains(&(position.state, id as u32)));
        }
        if self.steps[place].is_none() {
            let steps = self
                .space
                .steps(&state)
                .map_err(StrategyError::Interrupted)?;
            self.steps[place] = Some(steps);
        }
        let steps = self.steps[place].as_deref().unwrap_or_default();
        let leads_on = |step: &Step| match step {
            Step::To(to) => self.is_shown(to, id, position.context, below),
            Step::Call { edge, entry } => {
                self.goes_in_and_over(position, &state, *edge, entry, id, below)
            }
        };
        Ok(if all {
            steps.iter().all(leads_on)
        } else {
            steps.iter().any(leads_on)
        })
    }

    /// Whether a call is won: at the entry, within the claims, and after the return for each claim.
    fn goes_in_and_over(
        &self,
        position: &Position,
        caller: &State,
        edge: EdgeId,
        entry: &State,
        id: StateFormulaId,
        below: u32,
    ) -> bool {
        let Some(&entry_place) = self.places.get(entry) else {
            return false;
        };
        let mut calls = position.calls.iter();
        let call = calls.find(|&&(e, state, _)| e == edge.0 && state == entry_place);
        let Some(&(_, _, inner)) = call else {
            return false;
        };
        let mut claims = self.strategy.contexts[inner as usize].iter();
        self.is_shown(entry, id, inner, below)
            && claims.all(|&(exit, formula)| {
                let exit = &self.states[exit as usize];
                let formula = formula as StateFormulaId;
                let below = if formula == id { below } else { ANY };
                self.space.ends_call(edge, exit) && {
                    let after = self.space.returned(caller, edge, exit);
                    self.is_shown(&after, formula, position.context, below)
                }
            })
    }

    /// The formula at the states in which the program starts, and the claims about its end.
    fn start_and_end(&self) -> Result<(), StrategyError> {
        let initial = self.space.initial().map_err(StrategyError::Interrupted)?;
        let is_covered = |id| {
            let mut states = initial.iter();
            let is_shown = |state: &State| self.is_shown(state, id, 0, ANY);
            if self.strategy.holds {
                states.all(is_shown)
            } else {
                states.any(is_shown)
            }
        };
        if !is_covered(self.root()) {
            return Err(StrategyError::Start);
        }
        let main = self.space.machine.threads[0].entry;
        for &(exit, formula) in self.strategy.contexts.first().into_iter().flatten() {
            let exit = &self.states[exit as usize];
            let last = self.space.ended(exit);
            let truth = self.formulas.at_the_end(self.space.letter(&last));
            let is_of_main = self.space.machine.procedure_of(exit.node) == main;
            if !is_of_main || !truth[formula as usize] {
                return Err(StrategyError::End);
            }
        }
        Ok(())
    }
}
