//! What is known of each target while the engine runs.

use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{
    Answer, Bound, Certificate, Limit, Outcome, Query, Skeleton, Target, Verdict, digest,
};

/// The verdicts so far, and the counts that go with them.
pub struct Verdicts<'m> {
    machine: &'m Machine,
    targets: Vec<Target>,
    found: Vec<Option<Verdict>>,
    /// All target nodes, each once.
    nodes: Vec<NodeId>,
    certificates: Vec<Certificate>,
    /// Counts, in the order in which they are shown.
    pub statistics: Vec<(&'static str, u64)>,
}

impl<'m> Verdicts<'m> {
    /// Nothing is known yet.
    pub fn new(machine: &'m Machine, query: &Query) -> Self {
        let mut nodes: Vec<NodeId> = query.targets.iter().map(|target| target.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Self {
            machine,
            targets: query.targets.clone(),
            found: vec![None; query.targets.len()],
            nodes,
            certificates: Vec::new(),
            statistics: Vec::new(),
        }
    }

    /// The nodes of all targets, each once.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Whether some target at the node has no verdict.
    pub fn is_open(&self, node: NodeId) -> bool {
        let mut entries = self.targets.iter().zip(&self.found);
        entries.any(|(target, found)| target.node == node && found.is_none())
    }

    /// Whether every target has its verdict.
    pub fn is_decided(&self) -> bool {
        self.found.iter().all(Option::is_some)
    }

    /// The targets without verdict at some nodes.
    pub fn open_targets(&self, nodes: &[NodeId]) -> Vec<Target> {
        let entries = self.targets.iter().zip(&self.found);
        let open =
            entries.filter(|(target, found)| found.is_none() && nodes.contains(&target.node));
        open.map(|(target, _)| target.clone()).collect()
    }

    /// A run reaches the node.
    pub fn reach(&mut self, node: NodeId, run: &Skeleton) {
        let program = digest::of(self.machine);
        for (target, found) in self.targets.iter().zip(&mut self.found) {
            if target.node == node {
                let trace = run.trace(self.machine, &program, Some(target.clone()));
                *found = Some(match trace {
                    Some(trace) => Verdict::Reachable { trace },
                    // Too many different calls to be written down.
                    None => Verdict::Unknown { why: Limit::Memory },
                });
            }
        }
    }

    /// No run reaches the targets of a certificate.
    pub fn exclude(&mut self, certificate: Certificate) {
        for (target, found) in self.targets.iter().zip(&mut self.found) {
            if certificate.targets.contains(target) {
                found.get_or_insert(Verdict::Unreachable);
            }
        }
        self.certificates.push(certificate);
    }

    /// No run within the bound reaches any target that is still open.
    pub fn exclude_up_to(&mut self, bound: Bound) {
        for found in &mut self.found {
            found.get_or_insert(Verdict::UnreachableUpTo { bound });
        }
    }

    /// The outcome; targets that are still open are unknown for this reason.
    pub fn outcome(self, engine: &str, why: &Limit) -> Outcome {
        let unknown = || Verdict::Unknown { why: why.clone() };
        let answers = self.targets.into_iter().zip(self.found);
        let answers = answers.map(|(target, found)| Answer {
            target,
            verdict: found.unwrap_or_else(unknown),
        });
        let mut outcome = Outcome::new(engine, answers.collect());
        let statistics = self.statistics.into_iter();
        outcome.statistics = statistics
            .map(|(name, count)| (name.to_owned(), count))
            .collect();
        outcome.certificates = self.certificates;
        outcome
    }
}
