//! The formula of a question over plain steps: where `E` and `A` speak of runs, these speak of all
//! sequences of steps.
//!
//! A sequence that gets stuck at an `assume` is not a run, in linear time and here. So the
//! quantifiers look only at states in which a run begins. That is a formula itself: `live` is
//! `EG true`, its dual `dead` is `AF false`, where `EX` is false and `AX` true at a state without
//! steps. With them `E[p U q]` is `E[p U (q & live)]`, `A[p U q]` is `A[p U (q | dead)]`, and so on
//! for the other operators: what holds at dead states never matters.

use hardbop_automata::{Ctl, PathFormula, StateFormula, StateFormulaId};

/// A formula over steps with all its parts, operands before their users.
#[derive(Debug)]
pub(crate) struct Formulas {
    /// The parts.
    pub table: Vec<StateFormula>,
    /// Holds in a state if no run begins there or the question's formula holds.
    pub holds: StateFormulaId,
    /// Its negation: a run begins there, and the formula does not hold.
    pub fails: StateFormulaId,
    /// By part of the question's formula: the part here that says the same of runs.
    places: Vec<StateFormulaId>,
}

/// `EG true`: a run begins here.
const LIVE: StateFormulaId = 2;

/// `AF false`: no run begins here.
const DEAD: StateFormulaId = 3;

/// Whether a part says only that a run begins in a state, or that none does.
pub(crate) fn is_about_runs(id: StateFormulaId) -> bool {
    id == LIVE || id == DEAD
}

impl Formulas {
    /// The formula of a question.
    pub(crate) fn new(ctl: &Ctl) -> Self {
        let mut table = vec![StateFormula::Constant(false), StateFormula::Constant(true)];
        let mut add = |formula: StateFormula| {
            table.push(formula);
            table.len() - 1
        };
        let runs = |all, path| StateFormula::Runs { all, path };
        let live = add(runs(false, PathFormula::Release(0, 1)));
        let dead = add(runs(true, PathFormula::Until(1, 0)));
        let mut places: Vec<StateFormulaId> = Vec::with_capacity(ctl.formulas.len());
        for formula in &ctl.formulas {
            let of = |id: &StateFormulaId| places[*id];
            let formula = match formula {
                StateFormula::And(operands) => StateFormula::And(operands.iter().map(of).collect()),
                StateFormula::Or(operands) => StateFormula::Or(operands.iter().map(of).collect()),
                StateFormula::Runs { all, path } => {
                    let mut among_runs = |id: &StateFormulaId| {
                        add(if *all {
                            StateFormula::Or(vec![of(id), dead])
                        } else {
                            StateFormula::And(vec![of(id), live])
                        })
                    };
                    let path = match path {
                        PathFormula::Next(operand) => PathFormula::Next(among_runs(operand)),
                        PathFormula::Until(kept, goal) => {
                            PathFormula::Until(of(kept), among_runs(goal))
                        }
                        PathFormula::Release(releasing, kept) => {
                            PathFormula::Release(of(releasing), among_runs(kept))
                        }
                    };
                    runs(*all, path)
                }
                plain => plain.clone(),
            };
            places.push(add(formula));
        }
        let holds = add(StateFormula::Or(vec![dead, places[ctl.root]]));
        let fails = add(StateFormula::And(vec![live, places[ctl.negation]]));
        Self {
            table,
            holds,
            fails,
            places,
        }
    }

    /// The part of the question's formula that a part says of runs, if there is one.
    pub(crate) fn origin(&self, id: StateFormulaId) -> Option<StateFormulaId> {
        self.places.iter().position(|&place| place == id)
    }

    /// Which formulas hold in a state that is followed by itself for ever, given its letter.
    pub(crate) fn at_the_end(&self, letter: u64) -> Vec<bool> {
        let mut truth: Vec<bool> = Vec::with_capacity(self.table.len());
        for formula in &self.table {
            let value = match formula {
                StateFormula::Constant(value) => *value,
                StateFormula::Literal {
                    proposition,
                    positive,
                } => (letter >> proposition & 1 == 1) == *positive,
                StateFormula::And(operands) => operands.iter().all(|&id| truth[id]),
                StateFormula::Or(operands) => operands.iter().any(|&id| truth[id]),
                // There is one run from here, and nothing changes on it.
                StateFormula::Runs { path, .. } => match *path {
                    PathFormula::Next(id)
                    | PathFormula::Until(_, id)
                    | PathFormula::Release(_, id) => truth[id],
                },
            };
            truth.push(value);
        }
        truth
    }

    /// A formula and its parts, operands first.
    pub(crate) fn parts(&self, root: StateFormulaId) -> Vec<StateFormulaId> {
        let mut is_part = vec![false; self.table.len()];
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut is_part[id], true) {
                continue;
            }
            match &self.table[id] {
                StateFormula::And(operands) | StateFormula::Or(operands) => {
                    pending.extend(operands);
                }
                StateFormula::Runs { path, .. } => pending.extend(path.operands()),
                StateFormula::Constant(_) | StateFormula::Literal { .. } => {}
            }
        }
        (0..self.table.len()).filter(|&id| is_part[id]).collect()
    }
}
