//! A full search that follows a scout: all variables in sight, but only a sliver of the program.
//!
//! It makes only the calls that the scout's shortest runs make; within the procedures they come to
//! it takes every other edge, because conditions that the scout does not see decide between
//! branches all the time, but seldom which procedures must be called. Where a procedure is entered
//! and never left, more of its calls are allowed, and the search goes on from what it knows.
//!
//! If the sliver leads to a target, there is a run; if in as few steps as the scout took, a
//! shortest one, for a scout can do at least what the program can.

use crate::forward::Forward;
use crate::layers::layers;
use crate::runs::{NoRun, Reader};
use crate::tally;
use hardbop_bdd::Exhausted;
use hardbop_machine::analysis::BitSet;
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId};
use hardbop_outcome::Ledger;
use hardbop_outcome::{Decision, Skeleton};

/// Work that a follower may spend at first for every edge on its way: most have arrived by then.
const FIRST_WORK_PER_EDGE: u64 = 256;

/// Distances may take so many times the work of the search itself; usually they take twice.
const DISTANCES_SHARE: u64 = 4;

/// How many of a procedure's calls a follower makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// Those that the guides make.
    Guided,
    /// And those of procedures that make no calls themselves: such calls are little more than
    /// statements.
    Leaves,
    /// And those of all procedures on the trail.
    All,
}

/// A search on the trail of a scout.
pub(crate) struct Follower<'c> {
    search: Forward<'c, 'c>,
    /// Targets with the lengths of the scout's runs to them.
    targets: Vec<(NodeId, usize)>,
    /// Edges that the scout's runs take.
    trail: Vec<EdgeId>,
    /// The procedures that they come to, each once, and with them those that were taken in later.
    procedures: Vec<ProcId>,
    is_visited: BitSet,
    /// Per procedure of the machine.
    width: Vec<Width>,
    /// Edges to be followed that have not been so far.
    more: Vec<EdgeId>,
    /// Work that it may spend in addition at first.
    advance: u64,
}

impl<'c> Follower<'c> {
    /// A follower of a scout's runs, one for each target.
    pub fn new(search: Forward<'c, 'c>, targets: &[NodeId], guides: &[Skeleton]) -> Self {
        let machine = search.compiler.machine;
        let trail = edges_of(guides);
        let lengths = guides.iter().map(|guide| guide.steps.len());
        let mut follower = Self {
            search: search.along(BitSet::new(machine.edges.len())),
            targets: targets.iter().copied().zip(lengths).collect(),
            procedures: Vec::new(),
            is_visited: BitSet::new(machine.procedures.len()),
            width: vec![Width::Guided; machine.procedures.len()],
            more: trail.clone(),
            trail,
            advance: 0,
        };
        for edge in follower.trail.clone() {
            let procedure = machine.procedure_of(machine.edge(edge).from);
            if follower.visit(procedure) {
                let inside = machine.procedure(procedure).edge_ids();
                let steps = inside.filter(|&edge| callee_of(machine, edge).is_none());
                follower.more.extend(steps);
            }
        }
        follower.advance = FIRST_WORK_PER_EDGE * follower.more.len() as u64;
        follower
    }

    /// The search, for statistics.
    pub fn search(&self) -> &Forward<'c, 'c> {
        &self.search
    }

    /// Searches until all targets are reached or there is no wider way. Targets that are reached
    /// are then decided, by the shortest runs that there are on the way if `shortest`.
    pub fn turn(
        &mut self,
        ledger: &mut Ledger<'_>,
        allowance: u64,
        shortest: bool,
    ) -> Result<(), Exhausted> {
        let allowance = allowance.saturating_add(std::mem::take(&mut self.advance));
        let limit = self.search.manager.work().saturating_add(allowance);
        self.search.manager.set_work_limit(limit);
        self.go()?;
        let read = self.read(ledger, shortest);
        tally::forward(ledger, "follower", &self.search);
        match read {
            Ok(()) => Ok(()),
            Err(NoRun::Exhausted(why)) => Err(why),
            Err(NoRun::Broken) => unreachable!("rings lead back to the start"),
        }
    }

    fn go(&mut self) -> Result<(), Exhausted> {
        loop {
            while let Some(&edge) = self.more.last() {
                self.search.widen(edge)?;
                self.more.pop();
            }
            self.search.begin_and_run(&[])?;
            let mut targets = self.targets.iter();
            if targets.all(|&(node, _)| self.search.is_reached(node)) {
                return Ok(());
            }
            self.widen(&self.stuck());
            if self.more.is_empty() {
                self.widen(&self.procedures.clone());
            }
            if self.more.is_empty() {
                return Ok(());
            }
        }
    }

    fn read(&mut self, ledger: &mut Ledger<'_>, shortest: bool) -> Result<(), NoRun> {
        let targets = self.targets.iter().copied();
        let reached = targets.filter(|&(node, _)| self.search.is_reached(node));
        let reached: Vec<(NodeId, usize)> = reached.collect();
        let nodes: Vec<NodeId> = reached.iter().map(|&(node, _)| node).collect();
        let work = self.search.manager.work();
        let limit = work.saturating_mul(1 + DISTANCES_SHARE);
        self.search.manager.set_work_limit(limit);
        let by_distance = match shortest.then(|| layers(&mut self.search, &nodes)) {
            None | Some(Err(Exhausted::Work)) => None,
            Some(layers) => Some(layers?),
        };
        // Reading needs no limit: it is linear in what is read.
        self.search.manager.set_work_limit(u64::MAX);
        let rings = by_distance.as_ref().map(|layers| layers.rings.as_slice());
        let runs = Reader::new(&mut self.search, rings).runs_to(&nodes)?;
        for (&(node, length), run) in reached.iter().zip(&runs) {
            let is_shortest = run.steps.len() == length;
            ledger.reach(node, run, is_shortest);
        }
        Ok(())
    }

    /// Procedures that are entered and never left, and that on the trail call none of this kind.
    fn stuck(&self) -> Vec<ProcId> {
        let machine = self.search.compiler.machine;
        let is_stuck = |id: ProcId| {
            let procedure = machine.procedure(id);
            self.search.is_reached(procedure.entry) && !self.search.is_reached(procedure.exit)
        };
        let mut waits_for_other = BitSet::new(machine.procedures.len());
        for &edge in &self.trail {
            let caller = machine.procedure_of(machine.edge(edge).from);
            let callee = callee_of(machine, edge).filter(|&callee| callee != caller);
            if callee.is_some_and(is_stuck) {
                waits_for_other.insert(caller.index());
            }
        }
        let innermost = self.procedures.iter().copied();
        innermost
            .filter(|&id| is_stuck(id) && !waits_for_other.contains(id.index()))
            .collect()
    }

    /// Allows more calls in some procedures.
    fn widen(&mut self, procedures: &[ProcId]) {
        let machine = self.search.compiler.machine;
        let calls = &self.search.compiler.interfaces.calls;
        for &procedure in procedures {
            let wider = match self.width[procedure.index()] {
                Width::Guided => Width::Leaves,
                Width::Leaves => Width::All,
                Width::All => continue,
            };
            self.width[procedure.index()] = wider;
            for site in calls.calls_in(procedure) {
                let Some(callee) = callee_of(machine, site.edge) else {
                    continue;
                };
                let is_leaf = calls.calls_in(callee).is_empty();
                if is_leaf && self.visit(callee) {
                    self.more.extend(machine.procedure(callee).edge_ids());
                }
                let is_visited = self.is_visited.contains(callee.index());
                if is_leaf || (wider == Width::All && is_visited) {
                    self.more.push(site.edge);
                }
            }
        }
    }

    /// Comes to a procedure. Whether that is news.
    fn visit(&mut self, procedure: ProcId) -> bool {
        let is_news = self.is_visited.insert(procedure.index());
        if is_news {
            self.procedures.push(procedure);
        }
        is_news
    }
}

/// All edges of some runs.
fn edges_of(runs: &[Skeleton]) -> Vec<EdgeId> {
    let spines = runs.iter().flat_map(|run| &run.steps);
    // They share their completed calls.
    let calls = runs.first().map(|run| run.calls.iter());
    let calls = calls.into_iter().flatten().flat_map(|call| &call.steps);
    let edges = spines.chain(calls).map(|decision| match *decision {
        Decision::Edge { edge, .. }
        | Decision::Call { edge, .. }
        | Decision::Enter { edge, .. } => edge,
    });
    let mut edges: Vec<EdgeId> = edges.collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn callee_of(machine: &Machine, edge: EdgeId) -> Option<ProcId> {
    match machine.edge(edge).action {
        Action::Call { callee, .. } => Some(callee),
        _ => None,
    }
}
