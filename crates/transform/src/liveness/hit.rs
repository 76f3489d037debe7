//! What a hit amounts to: an infinite run of the program, or variables that tell its heads apart.

use super::compared::{Comparison, variables_of};
use super::{Compared, FairLoops};
use crate::correspondence::decisions;
use crate::product::Product;
use hardbop_automata::Property;
use hardbop_interpreter::{Configuration, LassoError, Walk, letter_of_state, observe_lasso};
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Machine, NodeId, ProcId, Variable};
use hardbop_outcome::{Decision, Lasso, Limit, Step, Trace};

/// A property is evaluated on runs of up to this many states.
const MAX_OBSERVED: usize = 1_000_000;

/// What a hit amounts to.
pub(super) enum Hit {
    /// The property describes this run of the program.
    Real(Lasso),
    /// It has not been repeated; these comparisons tell its heads apart.
    Spurious(Vec<(ProcId, Variable, Comparison)>),
    /// Nothing is known.
    Unknown(Limit),
}

/// A state in which a head is.
struct HeadState {
    procedure: ProcId,
    node: NodeId,
    globals: Vec<u64>,
    locals: Vec<u64>,
}

impl HeadState {
    fn of(machine: &Machine, now: &Configuration) -> Option<Self> {
        let frame = now.top(0)?;
        Some(Self {
            procedure: machine.procedure_of(frame.node),
            node: frame.node,
            globals: now.globals(machine, 0),
            locals: frame.locals.clone(),
        })
    }

    fn value(&self, variable: Variable) -> u64 {
        match variable {
            Variable::Global(id) => self.globals[id.index()],
            Variable::Local(id) => self.locals[id.index()],
        }
    }
}

impl FairLoops {
    /// Tries a run to one of the targets on the program.
    pub(super) fn try_hit(
        &self,
        original: &Machine,
        property: &Property,
        product: &Product,
        compared: &Compared,
        trace: &Trace,
    ) -> Hit {
        let contradiction = |what: String| Hit::Unknown(Limit::Contradiction { what });
        let Some((first, second)) = self.heads(trace) else {
            return contradiction("the run to a repeated head does not replay".to_owned());
        };
        let different = self.different(product, compared, &first, &second);
        let Some(run) = decisions(trace) else {
            return contradiction("the run to a repeated head is not sequential".to_owned());
        };
        let saved = run.steps.iter().position(|decision| match decision {
            Decision::Edge { edge, .. } => self.saves[edge.index()],
            Decision::Call { .. } | Decision::Enter { .. } => false,
        });
        let Some(saved) = saved else {
            return contradiction("a head is met again that was not saved".to_owned());
        };
        let stem = run.steps.iter().take(saved);
        let head = self.back.steps_back(&product.machine, stem).len();
        let run = self.back.decisions_back(&product.machine, &run);
        let lasso = product.lasso_back(original, &run, head);
        match lasso.map(|lasso| (judge(original, property, &lasso), lasso)) {
            Some((Ok(true), lasso)) => Hit::Real(lasso),
            // With all variables equal it is a loop, whether it can be looked at or not.
            Some((Err(LassoError::TooLong { .. }), lasso)) if different.is_empty() => {
                Hit::Real(lasso)
            }
            _ if !different.is_empty() => Hit::Spurious(different),
            None => Hit::Unknown(Limit::Memory),
            Some((Ok(false), _)) => {
                contradiction("a run between equal heads is not what was looked for".to_owned())
            }
            Some((Err(error), _)) => contradiction(format!("a loop between equal heads: {error}")),
        }
    }

    /// The state in which the head is saved, and the one in which it is met again.
    fn heads(&self, trace: &Trace) -> Option<(HeadState, HeadState)> {
        let [segment] = &trace.segments[..] else {
            return None;
        };
        let mut walk = Walk::new(&self.machine, trace).ok()?;
        let mut first = None;
        for step in &segment.steps {
            let is_save = matches!(step, Step::Edge { edge, .. } if self.saves[edge.index()]);
            if is_save {
                first = HeadState::of(&self.machine, walk.configuration());
            }
            walk.next()?.ok()?;
        }
        Some((first?, HeadState::of(&self.machine, walk.configuration())?))
    }

    /// What tells two heads apart: variables that matter for reaching a target, or else all that
    /// are live.
    fn different(
        &self,
        product: &Product,
        compared: &Compared,
        first: &HeadState,
        second: &HeadState,
    ) -> Vec<(ProcId, Variable, Comparison)> {
        let machine = &product.machine;
        let Some(procedure) = self.back.procedures[first.procedure.index()] else {
            return Vec::new();
        };
        let told_apart = |variable: Variable| {
            let (before, after) = (first.value(variable), second.value(variable));
            if before == after || variable == Variable::Global(product.state) {
                return None;
            }
            let ty = machine.type_of(procedure, variable);
            Some((procedure, variable, Comparison::between(ty, before, after)))
        };
        let is_live = |variable: &Variable| self.machine.liveness().is_live(first.node, *variable);
        let live = variables_of(machine, procedure).filter(is_live);
        let mut all: Vec<_> = live.filter_map(told_apart).collect();
        all.retain(|&(_, variable, _)| {
            compared.comparison(procedure, variable) != Some(Comparison::Equal)
        });
        let targets: Vec<NodeId> = self.targets.iter().map(|target| target.node).collect();
        let slice = Slice::new(&self.machine, &targets);
        let matters = |variable| slice.relevant(first.procedure, variable);
        if all.iter().any(|&(_, variable, _)| matters(variable)) {
            all.retain(|&(_, variable, _)| matters(variable));
        }
        all
    }
}

/// Whether a lasso is a run that a property describes.
fn judge(original: &Machine, property: &Property, lasso: &Lasso) -> Result<bool, LassoError> {
    let propositions = &property.automaton.propositions;
    let word = observe_lasso(original, lasso, MAX_OBSERVED, |now, terminated| {
        letter_of_state(original, propositions, now, terminated)
    })?;
    Ok(property.describes(&word.stem, &word.cycle))
}
