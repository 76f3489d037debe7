//! Who has answered what: the verdicts of a query while several searches work on it.

use crate::backward::Backward;
use crate::forward::Forward;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{
    Answer, Certificate, Limit, Outcome, Query, Skeleton, Target, Trace, Verdict, digest,
};

/// What is known of a target.
#[derive(Clone, Debug)]
enum Entry {
    Open,
    /// A forward search has reached it; its run has not been read yet.
    Due,
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
    certificates: Vec<Certificate>,
    statistics: Vec<(String, u64)>,
    work: u64,
    /// The machine's digest, once it is needed.
    program: Option<String>,
}

impl Ledger {
    /// Nothing is known yet.
    pub fn new(query: &Query) -> Self {
        Self {
            targets: query.targets.clone(),
            entries: vec![Entry::Open; query.targets.len()],
            certificates: Vec::new(),
            statistics: Vec::new(),
            work: 0,
            program: None,
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
        self.nodes_where(|entry| matches!(entry, Entry::Open))
    }

    /// Nodes of targets that are reached, but not yet by a shortest run.
    pub fn unshortened_nodes(&self) -> Vec<NodeId> {
        self.nodes_where(|entry| match entry {
            Entry::Due => true,
            Entry::Reached { shortest, .. } => !shortest,
            Entry::Open | Entry::TooLong | Entry::Excluded => false,
        })
    }

    /// Nodes of targets whose run has not been read yet.
    pub fn due_nodes(&self) -> Vec<NodeId> {
        self.nodes_where(|entry| matches!(entry, Entry::Due))
    }

    /// Nodes of targets in some state, each once.
    fn nodes_where(&self, is: impl Fn(&Entry) -> bool) -> Vec<NodeId> {
        let chosen = self.targets.iter().zip(&self.entries);
        let chosen = chosen.filter(|(_, entry)| is(entry));
        let mut nodes: Vec<NodeId> = chosen.map(|(target, _)| target.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// A forward search has reached a node; its run is read later.
    pub fn promise(&mut self, node: NodeId) {
        for (target, entry) in self.targets.iter().zip(&mut self.entries) {
            if target.node == node && matches!(entry, Entry::Open) {
                *entry = Entry::Due;
            }
        }
    }

    /// A run reaches the targets at a node.
    pub fn reach(&mut self, machine: &Machine, node: NodeId, skeleton: &Skeleton, shortest: bool) {
        for (target, entry) in self.targets.iter().zip(&mut self.entries) {
            if target.node != node {
                continue;
            }
            let program = self.program.get_or_insert_with(|| digest::of(machine));
            match skeleton.trace(machine, program, Some(target.clone())) {
                Some(trace) => {
                    let trace = Box::new(trace);
                    *entry = Entry::Reached { trace, shortest };
                }
                None if matches!(entry, Entry::Open | Entry::Due) => *entry = Entry::TooLong,
                None => {}
            }
        }
    }

    /// Runs reach the targets at some nodes, one each.
    pub fn reach_all(
        &mut self,
        machine: &Machine,
        nodes: &[NodeId],
        runs: &[Skeleton],
        shortest: bool,
    ) {
        for (&node, run) in nodes.iter().zip(runs) {
            self.reach(machine, node, run, shortest);
        }
    }

    /// No run reaches any of the targets of a certificate.
    pub fn exclude(&mut self, certificate: Certificate) {
        for (target, entry) in self.targets.iter().zip(&mut self.entries) {
            if matches!(entry, Entry::Open) && certificate.targets.contains(target) {
                *entry = Entry::Excluded;
            }
        }
        self.certificates.push(certificate);
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
                Entry::Open | Entry::Due => Verdict::Unknown { why: why.clone() },
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
        outcome.certificates = self.certificates;
        outcome
    }
}
