//! The conditions of an interleaved certificate, and why they suffice.
//!
//! `I[T](c)` is the relation of turn `T`: thread `t` may take the next step, `n` threads have been
//! started, `A` lists those inside atomic blocks. `c` is a whole configuration. A turn that is not
//! listed has an empty relation.
//!
//! 1. *Initial.* Without `init`: `I[t, n, ()](c)` for every initial `c` and each of its `n` threads
//!    `t`. With `init`: `I[0, 1, ()](c)`.
//! 2. *Step.* If `I[T](c)`, the atomic blocks of others permit `t` a step, and it leads from `c` to
//!    `c'` and from turn `T` to `T'`, then `I[T'](c')`.
//! 3. *Pass.* If `I[T](c)` and `t` may pass the turn on (it is not `init` before its end, and the
//!    Getafix flag is not set or `t` is `init`), then `I[T with u for t](c)` for every other thread
//!    `u` that runs.
//! 4. *Target.* If `I[T](c)`, no thread is at a target in `c`.
//!
//! **They suffice.** Claim: before the first step of a run the configuration is in `I` for whoever
//! takes that step, and after each step it is in `I` for the one who took it. By induction: the
//! start is 1. Let `t` have stepped last; if `t` steps again, 2 applies, since the interpreter's
//! scheduler lets it step only where the atomic blocks of others permit. If another thread `u`
//! steps, the scheduler has let it, so the flag was not held by `t`, and 3 puts `c` into the
//! relation of `u`'s turn; then 2. So every configuration of every run is in some relation, and by
//! 4 none is at a target.
//!
//! "Permit" is a premise that speaks of all choices of the thread inside an atomic block ("it
//! cannot step"). They are tried one by one; where there are too many, the premise is left out,
//! which can only make the condition harder to meet.

mod form;
mod steps;
pub(crate) mod world;

pub(crate) use form::check as check_form;

use crate::accepted::Accepted;
use crate::proofs::Proofs;
use crate::rejected::{Broken, Condition, Rejected};
use hardbop_evidence::certificate::{Certificate, Turn};
use hardbop_evidence::{Interrupt, Limit};
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, NodeId};
use hardbop_sat::Lit;
use std::collections::{BTreeMap, BTreeSet};
use world::{Moment, World};

/// Checks all conditions.
pub(crate) fn check(
    machine: &Machine,
    certificate: &Certificate,
    interrupt: &dyn Interrupt,
    proofs: Proofs<'_>,
) -> Result<Accepted, Rejected> {
    let is_over = || interrupt.check().is_some();
    let cast = form::check(machine, certificate, &is_over)?;
    let relations = certificate.turns.iter();
    let relations = relations.map(|entry| (entry.turn.clone(), entry.relation));
    let mut checker = InterleavedChecker {
        machine,
        cast: &cast,
        relations: relations.collect(),
        targets: certificate.targets.iter().map(|t| t.node).collect(),
        world: World::new(machine, &cast, &certificate.formulas, &is_over),
        is_over: &is_over,
        counts: Accepted::default(),
        proofs,
    };
    if checker.proofs.are_wanted() {
        checker.world.state.circuit.solver().keep_proofs();
    }
    checker.initial()?;
    let turns: Vec<(Turn, u32)> = checker.relations.clone().into_iter().collect();
    for (turn, relation) in turns {
        checker.targets(&turn, relation)?;
        checker.pass(&turn, relation)?;
        let places = checker.cast.member(turn.thread).inlined.place_count();
        for place in 1..places {
            checker.ask()?;
            checker.steps_from(&turn, relation, place)?;
        }
    }
    Ok(checker.counts)
}

/// A certificate that is being checked.
struct InterleavedChecker<'a, 'i, 's> {
    machine: &'a Machine,
    cast: &'a Cast,
    relations: BTreeMap<Turn, u32>,
    targets: BTreeSet<NodeId>,
    world: World<'a, 'i>,
    is_over: &'i dyn Fn() -> bool,
    counts: Accepted,
    proofs: Proofs<'s>,
}

impl InterleavedChecker<'_, '_, '_> {
    /// Asks whether to stop. Loops over conditions need not: proving one asks.
    fn ask(&self) -> Result<(), Rejected> {
        if (self.is_over)() {
            return Err(Rejected::Interrupted(Limit::Interrupted));
        }
        Ok(())
    }

    fn initial(&mut self) -> Result<(), Rejected> {
        let first = if self.cast.has_init {
            0..1
        } else {
            self.cast.instances()
        };
        for thread in first {
            self.world.begin();
            self.world.fix_initial_shared();
            if self.cast.has_init {
                self.world.start_declared(Moment::Before, 0);
            } else {
                for other in self.cast.instances() {
                    self.world.start_declared(Moment::Before, other);
                }
            }
            let turn = Turn {
                thread,
                started: self.cast.started_first(),
                atomic: Vec::new(),
            };
            let inside = self.relation(&turn, Moment::Before);
            let node = self.entry_of(thread);
            self.require(Condition::InitialIsReached, node, &[], inside)?;
        }
        Ok(())
    }

    /// No thread that has been started is at a target.
    fn targets(&mut self, turn: &Turn, relation: u32) -> Result<(), Rejected> {
        for thread in 0..turn.started {
            self.ask()?;
            for place in 1..self.cast.member(thread).inlined.place_count() {
                let inlined = &self.cast.member(thread).inlined;
                let Some((_, node)) = inlined.locate(self.machine, place) else {
                    continue;
                };
                if !self.targets.contains(&node) {
                    continue;
                }
                self.world.begin();
                self.world.set_place(Moment::Before, thread, place);
                let reached = self.world.formula(relation, Moment::Before);
                let never = self.world.constant(false);
                self.require(Condition::TargetIsNotReached, node, &[reached], never)?;
            }
        }
        Ok(())
    }

    /// Whoever may pass the turn on may pass it to every other thread that runs.
    fn pass(&mut self, turn: &Turn, relation: u32) -> Result<(), Rejected> {
        let is_init = self.cast.has_init && turn.thread == 0;
        for thread in u32::from(self.cast.has_init)..turn.started {
            if thread == turn.thread {
                continue;
            }
            self.world.begin();
            if is_init {
                self.world.set_place(Moment::Before, 0, 0);
            }
            let flag = self.world.flag().filter(|_| !is_init);
            let before = self.world.formula(relation, Moment::Before);
            let runs = self.world.runs(thread);
            let other = Turn {
                thread,
                ..turn.clone()
            };
            let inside = self.relation(&other, Moment::Before);
            let mut premises = vec![before, runs];
            premises.extend(flag.map(|flag| !flag));
            let node = self.entry_of(thread);
            self.require(Condition::TurnIsPassed, node, &premises, inside)?;
        }
        Ok(())
    }

    /// The relation of a turn; empty if it is not listed.
    fn relation(&mut self, turn: &Turn, moment: Moment) -> Lit {
        match self.relations.get(turn) {
            Some(&relation) => self.world.formula(relation, moment),
            None => self.world.constant(false),
        }
    }

    /// A node to name in a rejection that concerns a thread as a whole.
    fn entry_of(&self, thread: u32) -> NodeId {
        let frames = self.cast.member(thread).inlined.frames();
        let first = frames.first().map(|frame| frame.procedure);
        first.map_or(NodeId(0), |procedure| {
            self.machine.procedure(procedure).entry
        })
    }

    fn require(
        &mut self,
        condition: Condition,
        node: NodeId,
        premises: &[Lit],
        conclusion: Lit,
    ) -> Result<(), Rejected> {
        let mut assumptions = premises.to_vec();
        assumptions.push(!conclusion);
        let circuit = &mut self.world.state.circuit;
        if self.counts.prove(circuit, &assumptions)? {
            let at = (node, None);
            self.proofs
                .add(self.machine, condition, at, circuit, &assumptions);
            return Ok(());
        }
        let witness = self.world.witness();
        let broken = Broken::new(self.machine, condition, node, None, witness);
        Err(Rejected::Broken(Box::new(broken)))
    }
}
