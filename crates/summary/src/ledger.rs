//! Who has answered what: the verdicts of a query while several searches work on it.

use crate::backward::Backward;
use crate::forward::Forward;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{
    Answer, Certificate, Limit, Outcome, Query, Skeleton, Target, Trace, Verdict,
};

/// What is known of a target.
#[derive(Clone, Debug)]
enum Entry {
    Open,
    Reached {
        trace: Box<Trace>,
        shortest: bool,
    },
    /// Reached, but with too many different calls to be written down.
    TooLong,
    Excluded,
}

/// The verdicts so far.
pub struct Ledger {
    targets: Vec<Target>,
    entries: Vec<Entry>,
    certificate: Option<Certificate>,
    statistics: Vec<(String, u64)>,
    work: u64,
}

impl Ledger {
    /// Nothing is known yet.
    pub fn new(query: &Query) -> Self {
        Self {
            targets: query.targets.clone(),
            entries: vec![Entry::Open; query.targets.len()],
            certificate: None,
            statistics: Vec::new(),
            work: 0,
        }
    }

    /// Whether every target has its verdict.
    pub fn is_decided(&self) -> bool {
        !self
            .entries
            .iter()
            .any(|entry| matches!(entry, Entry::Open))
    }

    /// Targets without verdict.
    pub fn open_targets(&self) -> Vec<Target> {
        let open = self.targets.iter().zip(&self.entries);
        let open = open.filter(|(_, entry)| matches!(entry, Entry::Open));
        open.map(|(target, _)| target.clone()).collect()
    }

    /// Their nodes, each once.
    pub fn open_nodes(&self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self.open_targets().iter().map(|t| t.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Nodes of targets that are reached by a run that may not be shortest.
    pub fn reached_nodes(&self) -> Vec<NodeId> {
        let reached = self.targets.iter().zip(&self.entries);
        let reached = reached
            .filter(|(_, entry)| matches!(entry, Entry::Reached { shortest, .. } if !shortest));
        let mut nodes: Vec<NodeId> = reached.map(|(target, _)| target.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// A run reaches the targets at a node.
    pub fn reach(&mut self, machine: &Machine, node: NodeId, skeleton: &Skeleton, shortest: bool) {
        for (target, entry) in self.targets.iter().zip(&mut self.entries) {
            if target.node != node {
                continue;
            }
            match skeleton.trace(machine, Some(target.clone())) {
                Some(trace) => {
                    let trace = Box::new(trace);
                    *entry = Entry::Reached { trace, shortest };
                }
                None if matches!(entry, Entry::Open) => *entry = Entry::TooLong,
                None => {}
            }
        }
    }

    /// No run reaches any of the targets of a certificate.
    pub fn exclude(&mut self, certificate: Certificate) {
        for entry in &mut self.entries {
            if matches!(entry, Entry::Open) {
                *entry = Entry::Excluded;
            }
        }
        self.certificate = Some(certificate);
    }

    /// BDD work of all searches that have been counted.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Adds a forward search to the statistics.
    pub fn count_forward(&mut self, name: &str, search: &Forward<'_, '_>) {
        let widest = search.widest();
        self.add(format!("{name}-widest-relation"), widest, u64::max);
        self.count(
            name,
            search.visits,
            search.manager.work(),
            search.manager.peak(),
        );
    }

    /// Adds a backward search to the statistics.
    pub fn count_backward(&mut self, search: &Backward<'_, '_>) {
        let widest = search.widest();
        self.add("backward-widest-relation".to_owned(), widest, u64::max);
        self.count(
            "backward",
            search.visits,
            search.manager.work(),
            search.manager.peak(),
        );
    }

    fn count(&mut self, name: &str, visits: u64, work: u64, peak: usize) {
        self.work += work;
        self.add(format!("{name}-visits"), visits, |a, b| a + b);
        self.add(format!("{name}-bdd-work"), work, |a, b| a + b);
        self.add(format!("{name}-peak-bdd-nodes"), peak as u64, u64::max);
    }

    fn add(&mut self, name: String, value: u64, join: fn(u64, u64) -> u64) {
        match self.statistics.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum = join(*sum, value),
            None => self.statistics.push((name, value)),
        }
    }

    /// The outcome; targets that are still open are unknown for the given reason.
    pub fn outcome(self, engine: &str, why: &Limit) -> Outcome {
        let mut outcome = Outcome::new(engine, Vec::new());
        let mut shortest_runs = 0;
        for (target, entry) in self.targets.into_iter().zip(self.entries) {
            let verdict = match entry {
                Entry::Open => Verdict::Unknown { why: why.clone() },
                Entry::TooLong => Verdict::Unknown { why: Limit::Memory },
                Entry::Excluded => Verdict::Unreachable,
                Entry::Reached { trace, shortest } => {
                    shortest_runs += u64::from(shortest);
                    Verdict::Reachable { trace: *trace }
                }
            };
            outcome.answers.push(Answer { target, verdict });
        }
        outcome.statistics = self.statistics;
        outcome
            .statistics
            .push(("shortest-runs".to_owned(), shortest_runs));
        outcome.certificate = self.certificate;
        outcome
    }
}
