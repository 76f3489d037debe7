//! Where threads may have to wait inside atomic blocks, and with which values.

use super::NotStatic;
use super::waiting::waiting;
use crate::draft::{Draft, DraftEdge, Place};
use hardbop_machine::{Action, ExprId, ProcId, Storage, Type, Variable};
use std::collections::BTreeSet;

/// A place inside a block where a thread may have to wait.
pub struct Stop {
    /// Its procedure.
    pub procedure: usize,
    /// The place.
    pub place: Place,
    /// When it has to wait.
    pub waits: ExprId,
    /// What that depends on and other threads do not see.
    pub private: Vec<(Variable, Type)>,
}

/// All stops.
pub fn stops(draft: &mut Draft<'_>) -> Result<Vec<Stop>, NotStatic> {
    let mut stops = Vec::new();
    for (procedure, place) in inside(draft) {
        if draft.procedures[procedure].exit == place {
            continue;
        }
        let Some(waiting) = waiting(draft, procedure, place)? else {
            continue;
        };
        let private = waiting.variables.into_iter().filter_map(|variable| {
            let ty = match variable {
                Variable::Local(id) => draft.procedures[procedure].locals[id.index()].ty,
                Variable::Global(id) => {
                    let global = &draft.globals[id.index()];
                    (global.storage == Storage::PerThread).then_some(global.ty)?
                }
            };
            Some((variable, ty))
        });
        stops.push(Stop {
            procedure,
            place,
            waits: waiting.condition,
            private: private.collect(),
        });
    }
    Ok(stops)
}

/// The places where a thread may be inside a block. What a procedure is called with is not told
/// apart by call.
fn inside(draft: &Draft<'_>) -> BTreeSet<(usize, Place)> {
    let mut pending = Vec::new();
    let mut callers: Vec<Vec<(usize, Place)>> = vec![Vec::new(); draft.procedures.len()];
    let mut leaving: Vec<Vec<Vec<&DraftEdge>>> = Vec::new();
    for (index, procedure) in draft.procedures.iter().enumerate() {
        let mut edges = vec![Vec::new(); procedure.nodes.len()];
        for edge in &procedure.edges {
            edges[edge.from].push(edge);
            match edge.action {
                Action::AtomicBegin => pending.push((index, edge.to)),
                Action::Call { callee, .. } => callers[callee.index()].push((index, edge.to)),
                _ => {}
            }
        }
        leaving.push(edges);
    }
    let mut inside = BTreeSet::new();
    while let Some((index, place)) = pending.pop() {
        if !inside.insert((index, place)) {
            continue;
        }
        if draft.procedures[index].exit == place {
            pending.extend(&callers[index]);
        }
        for edge in &leaving[index][place] {
            match edge.action {
                Action::AtomicEnd | Action::EndThread => {}
                Action::Call { callee, .. } => {
                    pending.push((callee.index(), draft.procedures[callee.index()].entry));
                }
                _ => pending.push((index, edge.to)),
            }
        }
    }
    inside
}

/// Whether a thread that starts in a procedure may come to a stop.
pub(crate) fn may_stop(draft: &Draft<'_>, entry: ProcId, stops: &[Stop]) -> bool {
    let mut pending = vec![entry.index()];
    let mut seen: BTreeSet<usize> = pending.iter().copied().collect();
    while let Some(index) = pending.pop() {
        if stops.iter().any(|stop| stop.procedure == index) {
            return true;
        }
        for edge in &draft.procedures[index].edges {
            if let Action::Call { callee, .. } = edge.action
                && seen.insert(callee.index())
            {
                pending.push(callee.index());
            }
        }
    }
    false
}
