//! Whether a run that a search has found can be taken for real, and if not, which variables say
//! why.
//!
//! The search sees some variables only, so its run is a guess. What counts of it is less than its
//! edges: where control goes between two calls is often a matter of variables that nobody tracks.
//! So a path is widened to a *window*: calls, returns and ways back to the head of a loop are taken
//! as on the path, and between them every way forward through the procedure is open. The window is
//! executed with a literal for every bit, ways that meet being merged as in bounded search, and the
//! solver is asked for a run in it.
//!
//! **Why not.** Every read of a variable that is not tracked goes through a switch, one for each
//! variable: if it is off, the value read is arbitrary, as it is for the search. The switches are
//! assumptions. If there is no run with all of them on, the core names variables that, tracked
//! together with those that are, leave no run in the window. It is made smaller one by one,
//! beginning with globals, which are arguments everywhere, and with what is written in most places:
//! of several explanations the one that moves least is the one that carries over to other paths.
//!
//! **From the end.** What makes a path impossible is mostly near its end, for whatever is wrong
//! before would have been noticed before. So the last few steps are tried first, from an arbitrary
//! state, then more of them.

mod trial;

use crate::hide::Precision;
use crate::literals::frames::Frames;
use crate::literals::run_writer::PathStep;
use hardbop_machine::analysis::NodeOrder;
use hardbop_machine::analysis::variables::each_write;
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId, Variable};
use hardbop_outcome::{Decision, Skeleton};
use hardbop_sat::Answer;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use trial::Trial;

/// What became of a path.
#[derive(Debug)]
pub enum Tried {
    /// It can be taken so.
    Taken(Skeleton),
    /// It cannot, because of these variables, none of which is tracked.
    Impossible(Vec<(ProcId, Variable)>),
    /// The solver was interrupted.
    Interrupted,
}

/// So many calls, returns and ways between them are tried first; then four times as many.
const FIRST_LEGS: usize = 4;

/// The steps of a run one after the other; nothing if there are more than allowed.
pub fn flatten(run: &Skeleton, most_steps: usize) -> Option<Vec<PathStep>> {
    let mut path = Vec::new();
    // Lists of decisions with the next one, and the edge to leave by at their end.
    let mut open: Vec<(&[Decision], Option<EdgeId>)> = vec![(&run.steps, None)];
    while let Some((decisions, leave)) = open.last_mut() {
        if path.len() > most_steps {
            return None;
        }
        let Some((first, rest)) = decisions.split_first() else {
            path.extend(leave.map(PathStep::Leave));
            open.pop();
            continue;
        };
        *decisions = rest;
        match first {
            Decision::Edge { edge, .. } => path.push(PathStep::Edge(*edge)),
            Decision::Enter { edge, .. } => path.push(PathStep::Enter(*edge)),
            Decision::Call { edge, call, .. } => {
                path.push(PathStep::Enter(*edge));
                open.push((&run.calls[*call].steps, Some(*edge)));
            }
        }
    }
    Some(path)
}

/// What trials of paths share.
pub struct Windows<'m> {
    machine: &'m Machine,
    frames: Frames<'m>,
    order: NodeOrder,
    /// In how many places each variable is written.
    writes: BTreeMap<usize, u32>,
}

impl<'m> Windows<'m> {
    /// Nothing is tried yet. `precision` tells which variables there are.
    pub fn new(machine: &'m Machine, precision: &Precision) -> Self {
        let tracked = precision.tracked();
        let mut writes: BTreeMap<usize, u32> = BTreeMap::new();
        for id in machine.edge_ids() {
            let procedure = machine.procedure_of(machine.edge(id).from);
            each_write(machine, id, |variable| {
                *writes
                    .entry(tracked.index(procedure, variable))
                    .or_default() += 1;
            });
        }
        Self {
            machine,
            frames: Frames::new(machine, Rc::clone(precision.slice())),
            order: NodeOrder::new(machine),
            writes,
        }
    }

    /// Tries a path from the start of the program. Nothing but the tracked variables may be known
    /// to make it possible.
    pub fn try_path(
        &mut self,
        path: &[PathStep],
        precision: &Precision,
        interrupt: &dyn Fn() -> bool,
    ) -> Tried {
        let legs = self.legs(path);
        let mut count = FIRST_LEGS;
        loop {
            let first = legs.len().saturating_sub(count);
            let mut trial = Trial::new(self, precision, interrupt);
            let is_whole = first == 0;
            trial.begin(
                path.get(legs.get(first).map_or(0, |leg| leg.start)),
                is_whole,
            );
            for leg in &legs[first..] {
                trial.take(&path[leg.clone()]);
            }
            let answer = trial.decide(is_whole);
            match answer {
                Answer::Interrupted => return Tried::Interrupted,
                Answer::Sat if is_whole => return Tried::Taken(trial.run()),
                Answer::Sat => count *= 4,
                Answer::Unsat => return Tried::Impossible(trial.reasons()),
            }
        }
    }

    fn is_forward(&self, id: EdgeId) -> bool {
        let edge = self.machine.edge(id);
        !matches!(edge.action, Action::Call { .. } | Action::EndThread)
            && self.frames.slice.keeps_edge(id)
            && self.order.position(edge.to) > self.order.position(edge.from)
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
        let end = self.order.position(to);
        let next = |position: u32| {
            let node = self.order.nodes()[position as usize];
            let edges = self.machine.edges_from(node);
            edges
                .filter(|&edge| self.is_forward(edge))
                .map(|edge| self.order.position(self.machine.edge(edge).to))
        };
        let mut ahead = BTreeSet::from([self.order.position(from)]);
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
        let nodes = self.order.nodes();
        between.into_iter().map(|at| nodes[at as usize]).collect()
    }
}

#[cfg(test)]
mod tests;
