//! New predicates from a path that cannot be taken.
//!
//! The comparisons in the conditions that exclude each other are followed backwards along the
//! path, as weakest preconditions: what they say before each step is a predicate of the procedure
//! that the step is in. At the end of a call a formula that speaks of results or of changed globals
//! goes on in the callee, with parameters for the arguments that it mentions; at the start it goes
//! on in the caller. Near predicates come first: often the comparisons of the program itself are
//! enough, and a counter would give another one for each time around a loop.

use super::formulas::Formulas;
use super::path::callee_of;
use super::steps::{StepFormulas, constrain_of};
use crate::literals::run_writer::PathStep;
use hardbop_machine::analysis::ModRef;
use hardbop_machine::{Action, EdgeId, Expr, ExprId, LocalId, Machine, ProcId, Variable};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Larger formulas are no predicates.
const MOST_NODES: u32 = 48;
/// Formulas of more nodes are not followed any further.
const MOST_FOLLOWED_NODES: u32 = 4 * MOST_NODES;
/// Formulas that are followed along one path.
const MOST_FOLLOWED: usize = 20_000;

/// Formulas that may be predicates, by how many steps have changed them.
pub(super) type Candidates = BTreeMap<u32, Vec<(ProcId, ExprId)>>;

/// A formula about the state before a step of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    step: usize,
    procedure: ProcId,
    formula: ExprId,
}

/// A path that cannot be taken.
pub(super) struct Spurious<'s> {
    pub machine: &'s Machine,
    pub effects: &'s ModRef,
    pub formulas: &'s mut Formulas,
    pub path: &'s [PathStep],
    /// Parameters that their procedure never assigns.
    pub fixed: &'s [BTreeSet<LocalId>],
}

impl Spurious<'_> {
    /// What may be a predicate, given the steps whose conditions exclude each other.
    pub(super) fn candidates(mut self, core: &[usize]) -> Candidates {
        let entered = self.entered();
        let mut candidates = Candidates::new();
        let mut seen: BTreeSet<Fact> = BTreeSet::new();
        let mut pending: VecDeque<(Fact, u32)> = VecDeque::new();
        for &step in core.iter().rev() {
            for fact in self.conditions(step) {
                pending.extend(self.facts(fact).into_iter().map(|fact| (fact, 0)));
            }
        }
        while let Some((fact, changes)) = pending.pop_front() {
            if seen.len() >= MOST_FOLLOWED {
                break;
            }
            let size = self.formulas.size(fact.formula);
            if size > MOST_FOLLOWED_NODES || !seen.insert(fact) {
                continue;
            }
            let formulas = &self.formulas;
            let is_word = formulas.has_words(fact.formula);
            if is_word && size <= MOST_NODES {
                let found = candidates.entry(changes).or_default();
                found.push((fact.procedure, fact.formula));
            }
            let Some(before) = self.before(fact, &entered) else {
                continue;
            };
            let has_changed = before.formula != fact.formula && is_word;
            for fact in self.facts(before) {
                if has_changed {
                    pending.push_back((fact, changes + 1));
                } else {
                    pending.push_front((fact, changes));
                }
            }
        }
        candidates
    }

    /// For each step that leaves a call the step that entered it.
    fn entered(&self) -> BTreeMap<usize, usize> {
        let mut open = Vec::new();
        let mut entered = BTreeMap::new();
        for (number, step) in self.path.iter().enumerate() {
            match step {
                PathStep::Enter(_) => open.push(number),
                PathStep::Leave(_) => {
                    entered.extend(open.pop().map(|enter| (number, enter)));
                }
                PathStep::Edge(_) => {}
            }
        }
        entered
    }

    /// The comparisons and variables in a fact, as facts, but not those that speak of choices.
    fn facts(&self, fact: Fact) -> Vec<Fact> {
        let formulas = &self.formulas;
        let is_of_state = |atom: &ExprId| {
            let mut leaves = formulas.leaves(*atom).iter();
            leaves.all(|&leaf| matches!(formulas.get(leaf), Expr::Var(..)))
        };
        let atoms = formulas.atoms(fact.formula).into_iter();
        let atoms = atoms.filter(is_of_state);
        atoms.map(|formula| Fact { formula, ..fact }).collect()
    }

    /// What the conditions of a step say before it, and of the values that it assigns, after it.
    fn conditions(&mut self, step: usize) -> Vec<Fact> {
        let (PathStep::Edge(id) | PathStep::Enter(id) | PathStep::Leave(id)) = self.path[step];
        let procedure = self.machine.procedure_of(self.machine.edge(id).from);
        let taken = StepFormulas::of(self.machine, self.formulas, id);
        let conditions = taken.conditions.iter().copied();
        let mut facts: Vec<Fact> = conditions
            .map(|formula| Fact {
                step,
                procedure,
                formula,
            })
            .collect();
        if let Some(constrain) = constrain_of(self.machine, id) {
            let constrain = self.formulas.import(&self.machine.exprs, constrain);
            for atom in self.formulas.atoms(constrain) {
                let after =
                    self.formulas
                        .substitute(atom, |formulas, leaf| match formulas.get(leaf) {
                            Expr::Next(variable, ty) => {
                                Some(formulas.make(Expr::Var(variable, ty)))
                            }
                            Expr::Var(variable, _) if !taken.values.contains_key(&variable) => {
                                Some(leaf)
                            }
                            _ => None,
                        });
                facts.extend(after.map(|formula| Fact {
                    step: step + 1,
                    procedure,
                    formula,
                }));
            }
        }
        facts
    }

    /// What has to hold one step earlier; nothing at the start, or where nothing can be said.
    fn before(&mut self, fact: Fact, entered: &BTreeMap<usize, usize>) -> Option<Fact> {
        let last = fact.step.checked_sub(1)?;
        match self.path[last] {
            PathStep::Edge(id) => {
                let step = StepFormulas::of(self.machine, self.formulas, id);
                let formula = step.before(self.formulas, fact.formula);
                Some(Fact {
                    step: last,
                    formula,
                    ..fact
                })
            }
            PathStep::Enter(id) => self.at_call(fact, last, id),
            PathStep::Leave(id) => {
                if self.is_changed_by_call(id, fact.formula) {
                    self.in_callee(fact, last, id)
                } else {
                    Some(Fact {
                        step: entered[&last],
                        ..fact
                    })
                }
            }
        }
    }

    /// A fact about the start of a callee, in the caller.
    fn at_call(&mut self, fact: Fact, last: usize, id: EdgeId) -> Option<Fact> {
        let step = StepFormulas::of(self.machine, self.formulas, id);
        let formula =
            self.formulas
                .substitute(fact.formula, |formulas, leaf| match formulas.get(leaf) {
                    Expr::Var(variable @ Variable::Local(_), _) => {
                        step.values.get(&variable).copied()
                    }
                    _ => Some(leaf),
                })?;
        Some(Fact {
            step: last,
            procedure: self.machine.procedure_of(self.machine.edge(id).from),
            formula,
        })
    }

    fn is_changed_by_call(&self, id: EdgeId, formula: ExprId) -> bool {
        let Action::Call {
            callee, targets, ..
        } = &self.machine.edge(id).action
        else {
            return false;
        };
        let mut leaves = self.formulas.leaves(formula).iter();
        leaves.any(|&leaf| match self.formulas.get(leaf) {
            Expr::Var(variable, _) if targets.contains(&Some(variable)) => true,
            Expr::Var(Variable::Global(global), _) => self.effects.modifies(*callee, global),
            _ => false,
        })
    }

    /// A fact about the state after a call, at the end of the callee: results stand for targets,
    /// and parameters that are never assigned for what was passed.
    fn in_callee(&mut self, fact: Fact, last: usize, id: EdgeId) -> Option<Fact> {
        let callee = callee_of(self.machine, id);
        let Action::Call { targets, .. } = &self.machine.edge(id).action else {
            return None;
        };
        let call = StepFormulas::of(self.machine, self.formulas, id);
        let results = self.machine.procedure(callee).results();
        let results: BTreeMap<Variable, LocalId> = targets
            .iter()
            .zip(results)
            .filter_map(|(target, result)| Some(((*target)?, result)))
            .collect();
        // A caller's local that was passed is known to the callee, and so is one that was passed
        // with something added.
        let mut passed: BTreeMap<ExprId, ExprId> = BTreeMap::new();
        for (&parameter, &argument) in &call.values {
            let Variable::Local(local) = parameter else {
                continue;
            };
            let leaves = self.formulas.leaves(argument);
            if !self.fixed[callee.index()].contains(&local) || leaves.len() != 1 {
                continue;
            }
            let leaf = leaves[0];
            if let Some(value) = self.formulas.solved(argument, leaf, parameter) {
                passed.entry(leaf).or_insert(value);
            }
        }
        let formula = self.formulas.substitute(fact.formula, |formulas, leaf| {
            let Expr::Var(variable, ty) = formulas.get(leaf) else {
                return None;
            };
            if let Some(&result) = results.get(&variable) {
                return Some(formulas.make(Expr::Var(Variable::Local(result), ty)));
            }
            match variable {
                Variable::Global(_) => Some(leaf),
                Variable::Local(_) => passed.get(&leaf).copied(),
            }
        })?;
        Some(Fact {
            step: last,
            procedure: callee,
            formula,
        })
    }
}
