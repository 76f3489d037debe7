//! A run through a strategy: where `E` asks for a run, the strategy has one.
//!
//! A violated `AG EF p` is shown by a run to a state from which no run comes to `p`, and `EF AG p`
//! by one to a state from which all stay in `p`. The strategy has both: its positions lead from
//! step to step as long as `EX` or `E[… U …]` has to be shown. What is left where that ends is a
//! part of the formula that no single run shows; it is said beside the run.
//!
//! [`find`] follows the positions with the interpreter, on real stacks. [`check`] believes nothing
//! of that: the run is replayed, and what is said about its last configuration follows from
//! positions of a strategy that has been checked, if the claims of each frame's context hold after
//! its return. That they do is what the positions of the caller say, in the context of its own
//! frame, down to the first.

use super::check::{Judge, StrategyError};
use crate::encoding::formulas::{Formulas, is_about_runs};
use crate::encoding::states::{State, valuations};
use hardbop_automata::{Ctl, PathFormula, StateFormula, StateFormulaId};
use hardbop_interpreter::{
    Configuration, Move, Recorder, Slot, fold, initial, initial_slots, replay, step_slots, take,
};
use hardbop_machine::{EdgeId, Machine, Variable};
use hardbop_outcome::strategy::Path;
use hardbop_outcome::{Interrupt, Limit, Strategy};
use std::collections::HashMap;

/// Longer runs are not looked for.
const MOST_STEPS: usize = 20_000;

/// Nor are those for which more choices than these would have to be tried.
const MOST_TRIES: usize = 1 << 20;

/// Tries between two questions for limits.
const PATIENCE: usize = 1024;

/// The thread of a sequential program.
const MAIN: u32 = 0;

/// Follows a strategy as long as a single run shows what has to be shown; nothing if that is
/// nowhere but at the start.
pub(crate) fn find(
    machine: &Machine,
    ctl: &Ctl,
    strategy: &Strategy,
    interrupt: &dyn Interrupt,
) -> Option<Path> {
    let judge = Judge::new(machine, ctl, strategy).ok()?;
    let positions = strategy.positions.iter().enumerate();
    let positions = positions.map(|(number, at)| ((at.state, at.formula, at.context), number));
    let mut walker = Walker {
        positions: positions.collect(),
        recorder: Recorder::new(machine, start(&judge)?),
        formula: judge.root(),
        contexts: vec![0],
        judge,
        interrupt,
        tries: 0,
    };
    for taken in 0..MOST_STEPS {
        walker.settle();
        if !walker.step().ok()? {
            return (taken > 0).then(|| walker.finish(ctl)).flatten();
        }
    }
    None
}

/// Whether nothing is left to be shown at the end of a run but what the state itself shows.
pub(crate) fn says_it_all(ctl: &Ctl, path: &Path) -> bool {
    let formulas = Formulas::new(ctl);
    let parts = formulas.parts(path.formula as StateFormulaId);
    let mut parts = parts.into_iter();
    !parts.any(|id| matches!(formulas.table[id], StateFormula::Runs { .. }))
}

/// Checks that a run leads to where it says, and that what it says about the last configuration is
/// what a strategy shows, which has been checked.
pub(crate) fn check(judge: &Judge<'_>, ctl: &Ctl, path: &Path) -> Result<(), StrategyError> {
    let fail = |why: String| Err(StrategyError::Path(why));
    let machine = judge.space.machine;
    let last = match replay(machine, &path.run) {
        Ok(replayed) => replayed.last,
        Err(error) => return fail(format!("it does not replay: {error}")),
    };
    let stack = last.threads.first().map(|main| main.stack.as_slice());
    let stack = stack.unwrap_or_default();
    if stack.is_empty() || stack.len() != path.contexts.len() || path.contexts[0] != 0 {
        return fail("its frames have other contexts".to_owned());
    }
    let contexts = &judge.strategy.contexts;
    for (frames, in_contexts) in stack.windows(2).zip(path.contexts.windows(2)) {
        let ([caller, _], [below, context]) = (frames, in_contexts) else {
            continue;
        };
        let Some((edge, claims)) = caller.waiting.zip(contexts.get(*context as usize)) else {
            return fail("a context is not one of the strategy".to_owned());
        };
        let caller = judge.space.whole(&last, caller);
        for &(exit, formula) in claims {
            let exit = judge.state(exit);
            if !judge.space.ends_call(edge, exit)
                || !judge.shows(
                    &judge.space.returned(&caller, edge, exit),
                    formula as StateFormulaId,
                    *below,
                )
            {
                return fail("a claim about a return is not shown".to_owned());
            }
        }
    }
    let top = judge.space.state_of(&last);
    let context = path.contexts.last().copied().unwrap_or_default();
    let formula = path.formula as StateFormulaId;
    if !top.is_some_and(|top| judge.shows(&top, formula, context)) {
        return fail("the strategy does not show what is said about its end".to_owned());
    }
    match judge.formulas.origin(formula) {
        Some(part) if ctl.text_of(part) == path.holds => Ok(()),
        _ => fail("it says something else about its end".to_owned()),
    }
}

/// A configuration in which the program may start and the strategy does.
fn start(judge: &Judge<'_>) -> Option<Configuration> {
    let machine = judge.space.machine;
    let mut states = judge.space.initial().ok()?.into_iter();
    let state = states.find(|state| judge.shows(state, judge.root(), 0))?;
    let value = |slot: Slot| {
        let variable = match slot {
            Slot::Shared(id) | Slot::Own { global: id, .. } => Variable::Global(id),
            Slot::Local { local, .. } => Variable::Local(local),
        };
        judge.space.value(&state, variable)
    };
    let values: Vec<u64> = initial_slots(machine).into_iter().map(value).collect();
    Some(initial(machine, &values))
}

struct Walker<'w> {
    judge: Judge<'w>,
    /// The number of each position, by state, formula and context.
    positions: HashMap<(u32, u32, u32), usize>,
    recorder: Recorder<'w>,
    /// What is being shown at the last configuration.
    formula: StateFormulaId,
    /// The context of each frame.
    contexts: Vec<u32>,
    interrupt: &'w dyn Interrupt,
    /// How many choices have been tried.
    tries: usize,
}

impl Walker<'_> {
    fn context(&self) -> u32 {
        self.contexts.last().copied().unwrap_or_default()
    }

    /// Whether a run leads on from what has to be shown, by way of operands that are shown here.
    fn leads_on(&self, state: &State, id: StateFormulaId) -> bool {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match &self.judge.formulas.table[id] {
                StateFormula::Runs {
                    all: false,
                    path: PathFormula::Next(_) | PathFormula::Until(..),
                } => return true,
                StateFormula::And(operands) | StateFormula::Or(operands) => {
                    let shown = operands.iter();
                    let shown = shown.filter(|&&id| self.judge.shows(state, id, self.context()));
                    pending.extend(shown);
                }
                _ => {}
            }
        }
        false
    }

    /// Goes from what has to be shown to the operand that says it, without a step.
    fn settle(&mut self) {
        let Some(state) = self.judge.space.state_of(self.recorder.configuration()) else {
            return;
        };
        let formulas = &self.judge.formulas;
        loop {
            let shown = |id: &StateFormulaId| self.judge.shows(&state, *id, self.context());
            let operand = match &formulas.table[self.formula] {
                // That a run begins here goes without saying.
                StateFormula::Or(operands) => {
                    let mut named = operands.iter().filter(|&&id| !is_about_runs(id));
                    named.find(|id| shown(id)).copied()
                }
                StateFormula::And(operands) => {
                    let named = operands.iter().filter(|&&id| !is_about_runs(id));
                    let named: Vec<StateFormulaId> = named.copied().collect();
                    match named[..] {
                        [one] => Some(one),
                        _ => named.into_iter().find(|&id| self.leads_on(&state, id)),
                    }
                }
                StateFormula::Runs {
                    all: false,
                    path: PathFormula::Until(_, goal),
                } if shown(goal) => Some(*goal),
                _ => None,
            };
            match operand {
                Some(operand) => self.formula = operand,
                None => return,
            }
        }
    }

    /// Takes a step towards what has to be shown; whether there is one to be taken.
    fn step(&mut self) -> Result<bool, Limit> {
        let StateFormula::Runs { all: false, path } = self.judge.formulas.table[self.formula]
        else {
            return Ok(false);
        };
        let is_until = matches!(path, PathFormula::Until(..));
        let next = match path {
            PathFormula::Next(operand) => operand,
            PathFormula::Until(..) => self.formula,
            PathFormula::Release(..) => return Ok(false),
        };
        let machine = self.judge.space.machine;
        let configuration = self.recorder.configuration().clone();
        let Some(state) = self.judge.space.state_of(&configuration) else {
            return Ok(false);
        };
        if machine.node(state.node).kind.is_failure() {
            return Ok(false);
        }
        if self.judge.space.is_exit(&state) {
            if self.contexts.len() == 1 {
                return Ok(false);
            }
            self.contexts.pop();
            self.formula = next;
            return Ok(self.recorder.step(MAIN, Move::Return, &[]).is_ok());
        }
        let Some(position) = self.position(&state) else {
            return Ok(false);
        };
        let rank = self.judge.strategy.positions[position].rank;
        let below = if is_until { rank } else { u32::MAX };
        for edge in machine.edges_from(state.node) {
            for inputs in valuations(machine.edge(edge).inputs.to_vec())? {
                let step = Move::Edge { edge, inputs };
                let slots = step_slots(machine, &configuration, MAIN, &step).into_iter();
                for chosen in valuations(slots.map(|slot| slot.ty(machine)).collect())? {
                    self.count_try()?;
                    let mut to = configuration.clone();
                    if take(machine, &mut to, MAIN, &step, &chosen).is_err() {
                        break;
                    }
                    let Some(context) = self.context_after(position, edge, &to) else {
                        continue;
                    };
                    let after = self.judge.space.state_of(&to);
                    if after.is_some_and(|s| self.judge.is_shown(&s, next, context, below)) {
                        let depth = to.threads[0].stack.len();
                        self.contexts.resize(depth, context);
                        self.formula = next;
                        return Ok(self.recorder.step(MAIN, step, &chosen).is_ok());
                    }
                }
            }
        }
        Ok(false)
    }

    fn count_try(&mut self) -> Result<(), Limit> {
        self.tries += 1;
        if self.tries > MOST_TRIES {
            return Err(Limit::States);
        }
        if !self.tries.is_multiple_of(PATIENCE) {
            return Ok(());
        }
        self.interrupt.check().map_or(Ok(()), Err)
    }

    fn position(&self, state: &State) -> Option<usize> {
        let place = self.judge.place(state)?;
        let key = (place, self.formula as u32, self.context());
        self.positions.get(&key).copied()
    }

    /// The context of the running frame after a step from a position.
    fn context_after(&self, position: usize, edge: EdgeId, to: &Configuration) -> Option<u32> {
        if to.threads[0].stack.len() <= self.contexts.len() {
            return Some(self.context());
        }
        let entry = self.judge.place(&self.judge.space.state_of(to)?)?;
        let mut calls = self.judge.strategy.positions[position].calls.iter();
        let call = calls.find(|&&(e, state, _)| e == edge.0 && state == entry);
        call.map(|&(_, _, context)| context)
    }

    fn finish(self, ctl: &Ctl) -> Option<Path> {
        let part = self.judge.formulas.origin(self.formula)?;
        let machine = self.judge.space.machine;
        let (run, _) = self.recorder.finish();
        Some(Path {
            run: fold(machine, &run).ok()?,
            contexts: self.contexts,
            formula: self.formula as u32,
            holds: ctl.text_of(part),
        })
    }
}
