//! Assertions that hold because no run gets to them.
//!
//! The proof of a verdict often shows it: a node that the certificate does not list is never
//! reached. Proofs that look at few variables show less, so in a small program the statements of the
//! other assertions are searched for as well, with little effort: it is a remark, not a verdict.

use crate::portfolio::{Portfolio, Refused};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{ExprId, Machine, NodeId};
use hardbop_outcome::certificate::{Direction, Formula};
use hardbop_outcome::{
    Answer, Budget, Certificate, Interrupt, Limit, Outcome, Question, Silent, Target, TargetKind,
    WantedRun,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

/// Larger programs are not searched.
const MOST_NODES: usize = 2_000;

/// How often engines may look at the limits in the search.
const MOST_LOOKS: u64 = 200;

/// Marks the assertions of a validated outcome that are never reached.
pub(crate) fn mark(
    machine: &Machine,
    outcome: &mut Outcome,
    budget: &Budget<'_>,
) -> Result<(), Refused> {
    let is_excluded = |answer: &Answer| {
        let target = answer.target().filter(|target| target.is_assertion());
        target
            .filter(|_| answer.verdict.is_no_for_all_runs())
            .map(|target| target.node)
            .filter(|&failure| !is_error_of_c(machine, failure))
    };
    let failures: BTreeSet<NodeId> = outcome.answers.iter().filter_map(is_excluded).collect();
    if failures.is_empty() {
        return Ok(());
    }
    let mut statements: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for edge in machine
        .edges
        .iter()
        .filter(|edge| failures.contains(&edge.to))
    {
        statements.entry(edge.to).or_default().push(edge.from);
    }
    let mut unreached = unreached_by_proof(&outcome.certificates);
    let open = statements.values().flatten();
    let open: BTreeSet<NodeId> = open
        .filter(|node| !unreached.contains(**node))
        .copied()
        .collect();
    if !open.is_empty() && machine.nodes.len() <= MOST_NODES {
        unreached.extend(unreached_by_search(machine, &open, budget)?);
    }
    for answer in &mut outcome.answers {
        let from = is_excluded(answer).and_then(|failure| statements.get(&failure));
        answer.vacuous = from.is_some_and(|from| from.iter().all(|&node| unreached.contains(node)));
    }
    Ok(())
}

/// Whether a failure is the error of a C program, such as a call of `reach_error`: that it is never
/// reached is what was to be shown.
fn is_error_of_c(machine: &Machine, failure: NodeId) -> bool {
    let fails_always = |guard: Option<ExprId>| guard.is_none_or(|guard| is_true(machine, guard));
    let mut ways = machine.edges.iter().filter(|edge| edge.to == failure);
    machine.source.c_reading().is_some() && ways.all(|edge| fails_always(edge.guard))
}

/// Whether a guard is made of constants alone and true.
fn is_true(machine: &Machine, guard: ExprId) -> bool {
    let mut is_constant = true;
    let value = machine.exprs.eval(guard, &mut |_| {
        is_constant = false;
        0
    });
    is_constant && value == 1
}

/// The nodes that proofs exclude; all nodes of the program are listed or excluded.
struct Unreached {
    /// Listed by every proof that speaks about reachable states.
    reached: BTreeSet<NodeId>,
    has_proof: bool,
    searched: BTreeSet<NodeId>,
}

impl Unreached {
    fn contains(&self, node: NodeId) -> bool {
        let is_excluded = self.has_proof && !self.reached.contains(&node);
        is_excluded || self.searched.contains(&node)
    }

    fn extend(&mut self, nodes: BTreeSet<NodeId>) {
        self.searched.extend(nodes);
    }
}

fn unreached_by_proof(certificates: &[Certificate]) -> Unreached {
    let mut unreached = Unreached {
        reached: BTreeSet::new(),
        has_proof: false,
        searched: BTreeSet::new(),
    };
    for certificate in certificates.iter().filter(|one| one.property.is_none()) {
        if certificate.direction != Direction::Forward || !certificate.turns.is_empty() {
            continue;
        }
        let is_false = |formula: u32| {
            let formula = certificate.formulas.get(formula as usize);
            formula == Some(&Formula::Constant(false))
        };
        let listed = certificate.nodes.iter().filter(|r| !is_false(r.relation));
        let listed: BTreeSet<NodeId> = listed.map(|relation| relation.node).collect();
        unreached.reached = if unreached.has_proof {
            &unreached.reached & &listed
        } else {
            listed
        };
        unreached.has_proof = true;
    }
    unreached
}

/// The nodes that a search shows to be unreachable.
fn unreached_by_search(
    machine: &Machine,
    nodes: &BTreeSet<NodeId>,
    budget: &Budget<'_>,
) -> Result<BTreeSet<NodeId>, Refused> {
    let statements = nodes.iter().copied();
    let statements = statements.filter(|&node| machine.node(node).kind == NodeKind::Statement);
    let targets = statements.map(|node| Target::new(machine, node, TargetKind::Line));
    let question = Question::reach(targets.collect()).wanting(WantedRun::Any);
    let budget = Budget {
        interrupt: &FewLooks::new(budget.interrupt, MOST_LOOKS),
        ..*budget
    };
    let found = Portfolio::default().answer(machine, &question, &budget, &mut Silent);
    let found = match found {
        Err(Refused::Usage(_)) => return Ok(BTreeSet::new()),
        found => found?,
    };
    let excluded = found
        .answers
        .iter()
        .filter(|a| a.verdict.is_no_for_all_runs());
    Ok(excluded.filter_map(|a| Some(a.target()?.node)).collect())
}

/// Stops a search for a remark after some looks at the limits: work, not time.
pub struct FewLooks<'a> {
    interrupt: &'a dyn Interrupt,
    left: AtomicU64,
}

impl<'a> FewLooks<'a> {
    /// Stops when the other interrupt does, or after this many looks.
    pub fn new(interrupt: &'a dyn Interrupt, most: u64) -> Self {
        Self {
            interrupt,
            left: AtomicU64::new(most),
        }
    }
}

impl Interrupt for FewLooks<'_> {
    fn check(&self) -> Option<Limit> {
        let left = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        match left {
            Ok(_) => self.interrupt.check(),
            Err(_) => Some(Limit::Interrupted),
        }
    }
}
