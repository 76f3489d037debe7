//! What a tabulation proves: distances, traces and the path edges themselves.
//!
//! A breadth-first search over the path edges, in which an edge, the entering of a call and a call
//! with its summary are one step each, finds the length of a shortest hierarchical trajectory to
//! every node (Bebop, section 3.2). The completed calls of a trace come from first derivations
//! instead, because only those are well-founded.

use super::{Derivation, DerivationKind, PathEdge, PathEdgeId, Tabulation};
use crate::path_edges::{PathEdges, State};
use hardbop_interpreter::{Recorder, Slot, initial, initial_slots};
use hardbop_machine::NodeId;
use hardbop_outcome::{Run, Segment, Step, Target, Trace};
use std::collections::{BTreeSet, HashMap, VecDeque};

impl Tabulation<'_> {
    /// The number of steps of a shortest hierarchical trajectory to a node, if it can be reached.
    pub fn distance(&self, node: NodeId) -> Option<u64> {
        let id = self.nearest(node)?;
        self.shortest[id].as_ref().map(|&(length, _)| length)
    }

    /// All path edges by node.
    pub fn path_edges(&self) -> PathEdges {
        let mut all = PathEdges::default();
        for PathEdge { node, entry, now } in &self.path_edges {
            all.add(*node, State::clone(entry), State::clone(now));
        }
        all
    }

    /// A shortest hierarchical trace to a target, if it can be reached.
    pub fn trace(&self, target: &Target) -> Option<Trace> {
        let mut chain: Vec<(&Derivation, PathEdgeId)> = Vec::new();
        let mut at = self.nearest(target.node)?;
        while let Some((_, Some(derivation))) = &self.shortest[at] {
            chain.push((derivation, at));
            at = derivation.from;
        }
        let summaries = chain
            .iter()
            .filter_map(|(derivation, _)| match derivation.kind {
                DerivationKind::Summary(exit) => Some(exit),
                _ => None,
            });
        let (runs, numbers) = self.runs(summaries.collect());
        let steps = chain.iter().rev().map(|&(derivation, to)| {
            let (edge, inputs) = (derivation.edge, derivation.inputs.clone().into());
            match derivation.kind {
                DerivationKind::Edge => Step::Edge { edge, inputs },
                DerivationKind::Enter => Step::Enter {
                    edge,
                    inputs,
                    locals: self.path_edges[to].now.locals.clone().into(),
                },
                DerivationKind::Summary(exit) => Step::Call {
                    edge,
                    inputs,
                    run: numbers[&exit],
                },
            }
        });
        let steps = steps.collect();
        let start = self.initial_values(at);
        let recorder = Recorder::new(self.machine, initial(self.machine, &start));
        Some(Trace {
            target: Some(target.clone()),
            runs,
            segments: vec![Segment { thread: 0, steps }],
            ..recorder.finish().0
        })
    }

    /// The values of the initial slots in an initial path edge.
    fn initial_values(&self, root: PathEdgeId) -> Vec<u64> {
        let state = &self.path_edges[root].now;
        initial_slots(self.machine)
            .into_iter()
            .map(|slot| match slot {
                Slot::Shared(global) | Slot::Own { global, .. } => state.globals[global.index()],
                Slot::Local { local, .. } => state.locals[local.index()],
            })
            .collect()
    }

    /// The path edge at a node that is nearest to the start.
    fn nearest(&self, node: NodeId) -> Option<PathEdgeId> {
        let at_node = (0..self.path_edges.len()).filter(|&id| self.path_edges[id].node == node);
        let measured = at_node.filter_map(|id| Some((self.shortest[id].as_ref()?.0, id)));
        measured.min().map(|(_, id)| id)
    }

    /// Measures the distance of every path edge from the start.
    pub(super) fn measure(&mut self) {
        self.shortest = vec![None; self.path_edges.len()];
        let mut queue: VecDeque<PathEdgeId> = VecDeque::new();
        for &root in &self.roots {
            self.shortest[root] = Some((0, None));
            queue.push_back(root);
        }
        while let Some(id) = queue.pop_front() {
            let length = self.shortest[id].as_ref().map_or(0, |&(length, _)| length);
            for (derivation, to) in &self.successors[id] {
                if self.shortest[*to].is_none() {
                    self.shortest[*to] = Some((length + 1, Some(derivation.clone())));
                    queue.push_back(*to);
                }
            }
        }
    }

    /// Completed calls that end in these exits, with all that they need. First derivations are
    /// well-founded: a summary is always older than the path edge it first led to, so the order of
    /// discovery is an order for the table.
    fn runs(&self, exits: Vec<PathEdgeId>) -> (Vec<Run>, HashMap<PathEdgeId, u32>) {
        let mut needed: BTreeSet<PathEdgeId> = BTreeSet::new();
        let mut pending = exits;
        while let Some(exit) = pending.pop() {
            if needed.insert(exit) {
                let summaries = self.derivations_in_procedure(exit).into_iter();
                pending.extend(summaries.filter_map(|derivation| match derivation.kind {
                    DerivationKind::Summary(exit) => Some(exit),
                    _ => None,
                }));
            }
        }
        let mut runs = Vec::with_capacity(needed.len());
        let mut numbers: HashMap<PathEdgeId, u32> = HashMap::new();
        for exit in needed {
            let path_edge = &self.path_edges[exit];
            let steps = self.derivations_in_procedure(exit).into_iter().rev();
            let steps = steps.map(|derivation| {
                let (edge, inputs) = (derivation.edge, derivation.inputs.clone().into());
                match derivation.kind {
                    DerivationKind::Summary(exit) => Step::Call {
                        edge,
                        inputs,
                        run: numbers[&exit],
                    },
                    _ => Step::Edge { edge, inputs },
                }
            });
            let run = Run {
                procedure: self.machine.procedure_of(path_edge.node),
                globals: path_edge.entry.globals.clone(),
                locals: path_edge.entry.locals.clone(),
                steps: steps.collect(),
            };
            numbers.insert(exit, runs.len() as u32);
            runs.push(run);
        }
        (runs, numbers)
    }

    /// First derivations from a path edge back to its procedure's entry, last first.
    fn derivations_in_procedure(&self, id: PathEdgeId) -> Vec<&Derivation> {
        let mut derivations = Vec::new();
        let mut at = id;
        while let Some(derivation) = &self.first[at]
            && derivation.kind != DerivationKind::Enter
        {
            derivations.push(derivation);
            at = derivation.from;
        }
        derivations
    }
}
