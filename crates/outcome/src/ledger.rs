//! The verdicts of a question while a search works on it.
//!
//! A verdict is entered once and never changed, except that a run may be replaced by a better one.
//! What is still open when the ledger is closed is unknown.

use crate::answer::{Answer, Verdict};
use crate::bound::Bound;
use crate::budget::Limit;
use crate::certificate::Certificate;
use crate::outcome::Outcome;
use crate::question::Question;
use crate::skeleton::Skeleton;
use crate::statistics::Statistics;
use crate::target::Target;
use crate::trace::Trace;
use hardbop_machine::{Machine, NodeId};
use std::collections::BTreeSet;

/// What is known of each target.
#[derive(Debug)]
pub struct Ledger<'m> {
    machine: &'m Machine,
    entries: Vec<(Target, Entry)>,
    certificates: Vec<Certificate>,
    one_is_enough: bool,
    /// Work counters in the order in which they are shown.
    pub statistics: Statistics,
}

/// What is known of a target.
#[derive(Clone, Debug)]
enum Entry {
    Open,
    /// A search has reached it; its run has not been read yet.
    Due,
    Reached {
        trace: Box<Trace>,
        shortest: bool,
    },
    /// Decided otherwise.
    Settled(Box<Verdict>),
}

impl<'m> Ledger<'m> {
    /// Nothing is known yet.
    pub fn new(machine: &'m Machine, question: &Question) -> Self {
        let entries = question.targets().iter();
        Self {
            machine,
            entries: entries
                .map(|target| (target.clone(), Entry::Open))
                .collect(),
            certificates: Vec::new(),
            one_is_enough: question.one_is_enough,
            statistics: Statistics::default(),
        }
    }

    /// Whether every target has its verdict, or at least is known to be reached; or one that is
    /// reached, where that is enough.
    pub fn is_decided(&self) -> bool {
        let is_reached = |entry: &Entry| matches!(entry, Entry::Due | Entry::Reached { .. });
        if self.one_is_enough && self.entries.iter().any(|(_, entry)| is_reached(entry)) {
            return true;
        }
        let mut entries = self.entries.iter();
        !entries.any(|(_, entry)| matches!(entry, Entry::Open))
    }

    /// Whether some target at the node has no verdict.
    pub fn is_open(&self, node: NodeId) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|(target, entry)| target.node == node && matches!(entry, Entry::Open))
    }

    /// Targets without verdict.
    pub fn open_targets(&self) -> Vec<Target> {
        let open = self.entries.iter();
        let open = open.filter(|(_, entry)| matches!(entry, Entry::Open));
        open.map(|(target, _)| target.clone()).collect()
    }

    /// Their nodes, in order and each once.
    pub fn open_nodes(&self) -> Vec<NodeId> {
        self.nodes_where(|entry| matches!(entry, Entry::Open))
    }

    /// Nodes of targets whose run has not been read yet.
    pub fn due_nodes(&self) -> Vec<NodeId> {
        self.nodes_where(|entry| matches!(entry, Entry::Due))
    }

    fn nodes_where(&self, is: impl Fn(&Entry) -> bool) -> Vec<NodeId> {
        let chosen = self.entries.iter().filter(|(_, entry)| is(entry));
        let mut nodes: Vec<NodeId> = chosen.map(|(target, _)| target.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// A search has reached a node; its run is read later.
    pub fn promise(&mut self, node: NodeId) {
        for (target, entry) in &mut self.entries {
            if target.node == node && matches!(entry, Entry::Open) {
                *entry = Entry::Due;
            }
        }
    }

    /// A run reaches the targets at a node.
    pub fn reach(&mut self, node: NodeId, run: &Skeleton, shortest: bool) {
        let machine = self.machine;
        for (target, entry) in &mut self.entries {
            if target.node != node {
                continue;
            }
            match run.trace(machine, Some(target.clone())) {
                Some(trace) => {
                    let trace = Box::new(trace);
                    *entry = Entry::Reached { trace, shortest };
                }
                // Too many different calls to be written down.
                None if matches!(entry, Entry::Open | Entry::Due) => {
                    *entry = Entry::Settled(Box::new(Verdict::Unknown(Limit::Memory)));
                }
                None => {}
            }
        }
    }

    /// Runs reach the targets at some nodes, one each.
    pub fn reach_all(&mut self, nodes: &[NodeId], runs: &[Skeleton], shortest: bool) {
        for (&node, run) in nodes.iter().zip(runs) {
            self.reach(node, run, shortest);
        }
    }

    /// No run reaches any of the targets of a certificate.
    pub fn exclude(&mut self, certificate: Certificate) {
        let excluded: BTreeSet<&Target> = certificate.targets.iter().collect();
        self.settle(&Verdict::CERTIFIED, |target| excluded.contains(target));
        self.certificates.push(certificate);
    }

    /// No run within the bound reaches any target that is still open.
    pub fn exclude_up_to(&mut self, bound: Bound) {
        self.settle(&Verdict::up_to(bound), |_| true);
    }

    fn settle(&mut self, verdict: &Verdict, is_meant: impl Fn(&Target) -> bool) {
        for (target, entry) in &mut self.entries {
            if matches!(entry, Entry::Open) && is_meant(target) {
                *entry = Entry::Settled(Box::new(verdict.clone()));
            }
        }
    }

    /// How many targets have a run that is known to be shortest.
    pub fn shortest_runs(&self) -> u64 {
        let is_shortest =
            |(_, entry): &&(_, Entry)| matches!(entry, Entry::Reached { shortest: true, .. });
        self.entries.iter().filter(is_shortest).count() as u64
    }

    /// The outcome; targets that are still open are unknown for the given reason.
    pub fn outcome(self, engine: &str, why: &Limit) -> Outcome {
        let answers = self.entries.into_iter().map(|(target, entry)| {
            let verdict = match entry {
                Entry::Open | Entry::Due => Verdict::Unknown(why.clone()),
                Entry::Reached { trace, .. } => Verdict::run(*trace),
                Entry::Settled(verdict) => *verdict,
            };
            Answer::new(target, verdict)
        });
        let mut outcome = Outcome::new(engine, answers.collect());
        outcome.statistics = self.statistics;
        outcome.certificates = self.certificates;
        outcome
    }
}
