//! Whether a run that a search has found can be taken for real, and if not, which variables say
//! why.
//!
//! The search sees some variables only, so its run is a guess. What counts of it is less than its
//! edges: where control goes between two calls is often a matter of variables that are not tracked.
//! So a path is widened to a *window*: calls, returns and ways back to the head of a loop are taken
//! as on the path, and between them every way forward through the procedure is open. The window is
//! executed with a literal for every bit, ways that meet being merged as in bounded search, and the
//! solver is asked for a run in it.
//!
//! **Why not.** Every read of a variable that is not tracked goes through a switch, one for each
//! variable: if it is off, the value read is arbitrary, as it is for the search. The switches are
//! assumptions. If there is no run with all of them on, the core names variables that, tracked
//! together with those that are, leave no run in the window.

mod trial;

use crate::hide::Precision;
use crate::literals::frames::Frames;
use crate::literals::run_writer::PathStep;
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId, Variable};
use hardbop_outcome::{Decision, Decisions, Skeleton};
use hardbop_sat::Answer;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;
use trial::Trial;

/// What became of a path.
#[derive(Debug)]
pub(crate) enum Tried {
    /// It can be taken so.
    Taken(Skeleton),
    /// It cannot, because of these variables, none of which is tracked.
    Impossible(Vec<(ProcId, Variable)>),
    /// The solver was interrupted.
    Interrupted,
}

/// The steps of a run one after the other; nothing if there are more than allowed.
pub(crate) fn flatten(run: &Skeleton, most_steps: usize) -> Option<Vec<PathStep>> {
    let mut path = Vec::new();
    // Lists of decisions with the next one, and the edge to leave by at their end.
    let mut open: Vec<(&Decisions, usize, Option<EdgeId>)> = vec![(&run.steps, 0, None)];
    while let Some((decisions, next, leave)) = open.last_mut() {
        if path.len() > most_steps {
            return None;
        }
        let Some(decision) = decisions.get(*next) else {
            path.extend(leave.map(PathStep::Leave));
            open.pop();
            continue;
        };
        *next += 1;
        match decision {
            Decision::Edge { edge, .. } => path.push(PathStep::Edge(edge)),
            Decision::Enter { edge, .. } => path.push(PathStep::Enter(edge)),
            Decision::Call { edge, call, .. } => {
                path.push(PathStep::Enter(edge));
                open.push((&run.calls[call].steps, 0, Some(edge)));
            }
        }
    }
    Some(path)
}

/// What trials of paths share.
pub(crate) struct Windows<'m> {
    machine: &'m Machine,
    frames: Frames<'m>,
}

impl<'m> Windows<'m> {
    /// Nothing is tried yet.
    pub(crate) fn new(machine: &'m Machine, slice: Rc<Slice>) -> Self {
        Self {
            machine,
            frames: Frames::new(machine, slice),
        }
    }

    /// Tries a path from the start of the program. Nothing but the tracked variables may be known
    /// to make it possible.
    pub(crate) fn try_path(
        &mut self,
        path: &[PathStep],
        precision: &Precision,
        interrupt: &dyn Fn() -> bool,
    ) -> Tried {
        let legs = self.legs(path);
        let mut trial = Trial::new(self, precision, interrupt);
        for leg in legs {
            trial.take(&path[leg]);
        }
        match trial.decide() {
            Answer::Interrupted => Tried::Interrupted,
            Answer::Sat => Tried::Taken(trial.run()),
            Answer::Unsat => Tried::Impossible(trial.reasons()),
        }
    }

    fn is_forward(&self, id: EdgeId) -> bool {
        let edge = self.machine.edge(id);
        !matches!(edge.action, Action::Call { .. } | Action::EndThread)
            && self.frames.slice.keeps_edge(id)
            && self.machine.node_order().position(edge.to)
                > self.machine.node_order().position(edge.from)
    }

    /// A path in parts: stretches that go forward in one procedure, and all other steps one by one.
    fn legs(&self, path: &[PathStep]) -> Vec<Range<usize>> {
        let mut legs: Vec<Range<usize>> = Vec::new();
        let mut is_open = false;
        for (number, step) in path.iter().enumerate() {
            let is_forward = matches!(*step, PathStep::Edge(edge) if self.is_forward(edge));
            match legs.last_mut() {
                Some(leg) if is_open && is_forward => leg.end = number + 1,
                _ => legs.push(number..number + 1),
            }
            is_open = is_forward;
        }
        legs
    }

    /// The nodes on ways forward from one node to another of the same procedure, in order.
    fn between(&self, from: NodeId, to: NodeId) -> Vec<NodeId> {
        let end = self.machine.node_order().position(to);
        let next = |position: u32| {
            let node = self.machine.node_order().nodes()[position as usize];
            let edges = self.machine.edges_from(node);
            edges.filter(|&edge| self.is_forward(edge)).map(|edge| {
                self.machine
                    .node_order()
                    .position(self.machine.edge(edge).to)
            })
        };
        let mut ahead = BTreeSet::from([self.machine.node_order().position(from)]);
        let mut reached = Vec::new();
        while let Some(position) = ahead.pop_first() {
            if position < end {
                reached.push(position);
                ahead.extend(next(position).filter(|&to| to <= end));
            }
        }
        let mut between = BTreeSet::from([end]);
        for position in reached.into_iter().rev() {
            if next(position).any(|to| between.contains(&to)) {
                between.insert(position);
            }
        }
        let nodes = self.machine.node_order().nodes();
        between.into_iter().map(|at| nodes[at as usize]).collect()
    }
}

#[cfg(test)]
mod tests;
