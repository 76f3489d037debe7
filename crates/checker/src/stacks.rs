//! The conditions of a certificate by stacks, and why they suffice.
//!
//! A *frame* has, besides its node and locals, what does not change while it exists: the value of
//! every variable when its procedure was entered, and the node at which its caller waits. `V[T](c)`
//! is the relation of a view: `T` lists the entries of `k` threads, and `c` has the shared globals
//! and of each of these threads its own globals, its top frame, and how it stands to atomic blocks.
//! `C[e](f, g)` says that `g` may wait on call `e` for the frame `f`: of `f` it knows what does not
//! change, of `g` that and the locals. It knows neither shared nor per-thread globals, except as they
//! were at an entry. There is a `C` for each entry of a thread. What is not listed is empty.
//!
//! 1. *Initial.* Without `init`, every initial configuration of threads with entries `T` is in
//!    `V[T]`. With `init`, its first configuration is in `V[init]`; and if `V[init](c)` and `init`
//!    has ended in `c`, then `V[T]` holds of the shared globals of `c` with threads that start.
//! 2. *Exchange.* `V[T]` is closed under exchange of two threads with the same entry.
//! 3. *Step.* If `V[T](c)` and a thread of `c` takes a step to `c'`, then `V[T](c')`. If the step is
//!    a return, this holds for each frame that waits in `C[e]`, for every call `e` of the procedure
//!    on whose node the frame's caller waits. The thread may end where the frame has no caller.
//! 4. *Call.* If that step is a call `e` that makes frame `f` and leaves `g` waiting, `C[e](f, g)`.
//! 5. *Other's step.* If there are more than `k` threads: if `V[T](c)`, and `V` also holds of every
//!    `k` of the threads in `c` and one more thread, and that thread takes a step (as in 3), then `V`
//!    holds of `c` after the step.
//! 6. *Target.* If `V[T](c)`, no thread of `c` is at a target.
//!
//! **They suffice.** A frame of a run is extended by cells for what formulas may name and its
//! procedure does not have; steps leave them alone, calls give them any value. Claim: in every
//! configuration of a run, (a) any `k` threads, in any order that fits their entries, are in `V`, and
//! (b) any two neighbours on a stack, the lower of which waits on `e`, are in `C[e]`. By induction
//! over the run. The start is 1, with stacks of one frame. Let a thread `t` step. *(b)*: a call adds
//! one pair, recorded by 4, since `t` is in some view by (a). All other steps leave what `C` knows of
//! the remaining frames as it was: the top frame is never the lower of a pair, and nothing but its
//! node, its locals and the globals changes while a frame is on top. A return removes a pair. *(a)*,
//! views with `t`: the step is one of 3; by 2 `t` may be taken as the first of those with its entry;
//! if it returns, the frame below is in `C[e]` with the top frame by (b), and if there is none below,
//! its frame has no caller, as only the first frame of a thread has none. Views without `t`: every `k`
//! of its threads and `t` are in `V` by (a), so 5 applies. Hence by 6 no thread is ever at a
//! target; frames that wait are at no node.
//!
//! *Who may step* is a premise of 3 and 5 and may be left out in part, which only makes a condition
//! harder to meet. `Last` is the thread inside an atomic block that stepped most recently; when it
//! leaves, any other inside may be the last. Others step only where it cannot. A last thread that
//! the view does not have is taken to be blocked. `Stepped` are the threads that may step although
//! the flag is set: the one that took the last step, and all of them before the first.

mod form;
mod steps;
mod world;

pub(crate) use form::check as check_form;

use crate::accepted::Accepted;
use crate::interleaved::world::Moment;
use crate::proofs::Proofs;
use crate::rejected::{Broken, Condition, Rejected};
use form::Threads;
use hardbop_evidence::certificate::{Certificate, ThreadPart, View, Waiting};
use hardbop_evidence::{Interrupt, Limit};
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId};
use hardbop_sat::Lit;
use std::collections::{BTreeMap, BTreeSet};
use world::StackWorld;

/// Checks all conditions.
pub(crate) fn check(
    machine: &Machine,
    certificate: &Certificate,
    interrupt: &dyn Interrupt,
    proofs: Proofs<'_>,
) -> Result<Accepted, Rejected> {
    let is_over = || interrupt.check().is_some();
    let threads = form::check(machine, certificate, &is_over)?;
    let views = certificate.views.iter();
    let callers = certificate.callers.iter();
    let mut checker = StacksChecker {
        machine,
        views: views.map(|v| (v.view.clone(), v.relation)).collect(),
        callers: callers.map(|c| (c.waiting, c.relation)).collect(),
        targets: certificate.targets.iter().map(|t| t.node).collect(),
        has_atomic_blocks: machine
            .edge_ids()
            .any(|edge| machine.edge(edge).action == Action::AtomicBegin),
        procedures: BTreeMap::new(),
        threads,
        world: StackWorld::new(machine, &certificate.formulas, &is_over),
        is_over: &is_over,
        counts: Accepted::default(),
        proofs,
    };
    if checker.proofs.are_wanted() {
        checker.world.state.circuit.solver().keep_proofs();
    }
    checker.initial()?;
    let views: Vec<(View, u32)> = checker.views.clone().into_iter().collect();
    for (view, relation) in views {
        checker.targets(&view, relation)?;
        checker.exchange(&view, relation)?;
        checker.own_steps(&view, relation)?;
        if !view.init {
            checker.steps_of_others(&view, relation)?;
        }
    }
    Ok(checker.counts)
}

/// A certificate that is being checked.
struct StacksChecker<'a, 'i, 's> {
    machine: &'a Machine,
    views: BTreeMap<View, u32>,
    callers: BTreeMap<Waiting, u32>,
    targets: BTreeSet<NodeId>,
    has_atomic_blocks: bool,
    /// The procedures that a thread may run, by that in which it starts.
    procedures: BTreeMap<ProcId, Vec<ProcId>>,
    threads: Threads,
    world: StackWorld<'a, 'i>,
    is_over: &'i dyn Fn() -> bool,
    counts: Accepted,
    proofs: Proofs<'s>,
}

impl StacksChecker<'_, '_, '_> {
    /// Asks whether to stop. Loops over conditions need not: proving one asks.
    fn ask(&self) -> Result<(), Rejected> {
        if (self.is_over)() {
            return Err(Rejected::Interrupted(Limit::Interrupted));
        }
        Ok(())
    }

    fn initial(&mut self) -> Result<(), Rejected> {
        let Some(init) = self.machine.init else {
            return self.starts(None);
        };
        let view = View {
            threads: vec![init],
            init: true,
        };
        self.world.begin();
        self.world.fix_initial_shared();
        self.world.start(0, init);
        let inside = self.relation(&view, &[(0, Moment::Before)], Moment::Before);
        let node = self.machine.procedure(init).entry;
        self.require(Condition::InitialIsReached, node, None, &[], inside)?;
        match self.views.get(&view).copied() {
            Some(relation) => self.starts(Some((init, relation))),
            None => Ok(()),
        }
    }

    /// The threads start, at once or when `init` has ended, whose relation is given.
    fn starts(&mut self, init: Option<(ProcId, u32)>) -> Result<(), Rejected> {
        let mut threads = self.next_view(Vec::new());
        while let Some(current) = threads {
            self.ask()?;
            self.world.begin();
            let mut premises = Vec::new();
            // The threads sit behind `init`.
            let first = u32::from(init.is_some());
            if let Some((_, relation)) = init {
                let place = ThreadPart::Place;
                self.world.set_number(Moment::Before, 0, place, 0);
                let before = Moment::Before;
                let ended = self.world.formula(Some(relation), &[(0, before)], before);
                premises.push(ended);
            } else {
                self.world.fix_initial_shared();
            }
            let mut seating = Vec::new();
            for (seat, &entry) in current.iter().enumerate() {
                let seat = first + seat as u32;
                self.world.start(seat, entry);
                seating.push((seat, Moment::Before));
            }
            let view = View {
                threads: current.clone(),
                init: false,
            };
            let inside = self.relation(&view, &seating, Moment::Before);
            let node = self.machine.procedure(current[0]).entry;
            self.require(Condition::InitialIsReached, node, None, &premises, inside)?;
            threads = self.next_view(current);
        }
        Ok(())
    }

    /// The threads of the view after one, in ascending order; nothing after the last. That before
    /// the first is empty.
    fn next_view(&self, mut threads: Vec<ProcId>) -> Option<Vec<ProcId>> {
        let size = self.threads.size;
        let counts = &self.threads.counts;
        let mut last = None;
        if threads.len() == size {
            last = threads.pop();
        }
        loop {
            // The least thread that may come next, above the one that was there.
            let least = last.map_or(threads.last().copied(), |last| Some(ProcId(last.0 + 1)));
            let least = least.unwrap_or(ProcId(0));
            let here = |entry: ProcId| threads.iter().filter(|&&t| t == entry).count() as u64;
            let next = counts.range(least..).find(|&(&entry, &n)| here(entry) < n);
            match next {
                Some((&entry, _)) => {
                    threads.push(entry);
                    last = None;
                    if threads.len() == size {
                        return Some(threads);
                    }
                }
                None => last = Some(threads.pop()?),
            }
        }
    }

    /// No thread is at a target.
    fn targets(&mut self, view: &View, relation: u32) -> Result<(), Rejected> {
        for seat in 0..view.threads.len() as u32 {
            for node in self.targets.clone() {
                self.world.begin();
                let place = ThreadPart::Place;
                self.world
                    .set_number(Moment::Before, seat, place, node.0 + 1);
                let reached = self.here(view, relation);
                let never = self.world.constant(false);
                self.require(Condition::TargetIsNotReached, node, None, &[reached], never)?;
            }
        }
        Ok(())
    }

    /// Neighbours with the same entry may be exchanged, hence any two.
    fn exchange(&mut self, view: &View, relation: u32) -> Result<(), Rejected> {
        for first in 1..view.threads.len() {
            if view.threads[first - 1] != view.threads[first] {
                continue;
            }
            self.world.begin();
            let here = self.here(view, relation);
            let mut seating = straight(view.threads.len());
            seating.swap(first - 1, first);
            let exchanged = self.world.formula(Some(relation), &seating, Moment::Before);
            let node = self.machine.procedure(view.threads[first]).entry;
            self.require(Condition::ExchangeIsReached, node, None, &[here], exchanged)?;
        }
        Ok(())
    }

    /// The relation of a view before the step, its threads in order.
    fn here(&mut self, view: &View, relation: u32) -> Lit {
        let seating = straight(view.threads.len());
        self.world.formula(Some(relation), &seating, Moment::Before)
    }

    /// The relation of a view; empty if it is not listed.
    fn relation(&mut self, view: &View, seating: &[(u32, Moment)], shared: Moment) -> Lit {
        let relation = self.views.get(view).copied();
        self.world.formula(relation, seating, shared)
    }

    /// The procedures that a thread may run.
    fn procedures(&mut self, entry: ProcId) -> Vec<ProcId> {
        let machine = self.machine;
        let found = self.procedures.entry(entry).or_insert_with(|| {
            let mut seen = BTreeSet::from([entry]);
            let mut pending = vec![entry];
            while let Some(procedure) = pending.pop() {
                for edge in machine.procedure(procedure).edge_ids() {
                    if let Action::Call { callee, .. } = machine.edge(edge).action
                        && seen.insert(callee)
                    {
                        pending.push(callee);
                    }
                }
            }
            seen.into_iter().collect()
        });
        found.clone()
    }

    fn require(
        &mut self,
        condition: Condition,
        node: NodeId,
        edge: Option<EdgeId>,
        premises: &[Lit],
        conclusion: Lit,
    ) -> Result<(), Rejected> {
        let mut assumptions = premises.to_vec();
        assumptions.push(!conclusion);
        let circuit = &mut self.world.state.circuit;
        if self.counts.prove(circuit, &assumptions)? {
            let at = (node, edge);
            self.proofs
                .add(self.machine, condition, at, circuit, &assumptions);
            return Ok(());
        }
        let witness = self.world.state.witness(self.machine);
        let broken = Broken::new(self.machine, condition, node, edge, witness);
        Err(Rejected::Broken(Box::new(broken)))
    }
}

/// All threads sit in the order of the view, before the step.
fn straight(threads: usize) -> Vec<(u32, Moment)> {
    let seats = 0..threads as u32;
    seats.map(|seat| (seat, Moment::Before)).collect()
}
