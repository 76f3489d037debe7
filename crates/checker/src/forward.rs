//! The conditions of a forward certificate, and why they suffice.
//!
//! `R[n](e, s)` is the relation at node `n`: `e` is the state in which the procedure was entered,
//! `s` the state now.
//!
//! 1. *Initial.* `R[entry of main](s, s)` for every initial state `s`.
//! 2. *Step.* For an edge `u → v` that is not a call and leads from `s` to `s'`: `R[u](e, s)`
//!    implies `R[v](e, s')`.
//! 3. *Call.* For a call `u → v` of `c`, from `s` with entry state `t` (globals of `s`, the
//!    arguments, other locals arbitrary): `R[u](e, s)` implies `R[entry of c](t, t)`.
//! 4. *Return.* With an exit state `x` of `c` and the state `r` after the return (locals of `s`,
//!    globals of `x`, then the results of `x` in the targets): `R[u](e, s)` and
//!    `R[exit of c](t, x)` imply `R[v](e, r)`.
//! 5. *Target.* `R[n]` is empty at every target `n`.
//!
//! **They suffice.** Claim: whenever a run has a frame at node `n` in state `s` on top of its stack
//! and that frame was entered in `e`, then `R[n](e, s)`; and every frame below, which waits at a
//! call edge `u → v`, was in `R[u]` when it called. By induction on the length of the run: a run
//! begins by 1, steps keep it by 2, a call by 3 (the caller was in `R[u]`). At a return the
//! callee's frame is at its exit, so `R[exit](t, x)` for the entry state `t` of that very frame,
//! the waiting caller was in `R[u]`, and 4 gives the claim for the state after it. By 5 no run is
//! at a target.
//!
//! The premises may use what holds of all frames anyway: a global that a procedure never modifies
//! has the same value in `e` and `s` (and in `t` and `x`), which [`crate::moments`] builds in.

use crate::checker::{Checker, Place};
use crate::moments::Moment;
use crate::rejected::{Condition, Rejected};
use crate::scene::Reading;
use hardbop_machine::{Action, EdgeId};
use hardbop_sat::Lit;

/// Entry and current state are the same.
const JUST_STARTED: Reading = Reading {
    now: Moment::Now,
    other: Moment::Now,
};
const BEFORE: Reading = Reading {
    now: Moment::Now,
    other: Moment::Entry,
};
const AFTER_STEP: Reading = Reading {
    now: Moment::Next,
    other: Moment::Entry,
};
const AFTER_RETURN: Reading = Reading {
    now: Moment::Returned,
    other: Moment::Entry,
};
const JUST_CALLED: Reading = Reading {
    now: Moment::CalleeEntry,
    other: Moment::CalleeEntry,
};
const SUMMARY: Reading = Reading {
    now: Moment::CalleeExit,
    other: Moment::CalleeEntry,
};

/// Checks all conditions of a forward certificate.
pub(crate) fn check(checker: &mut Checker<'_, '_, '_>) -> Result<(), Rejected> {
    for node in checker.entries() {
        let procedure = checker.machine.procedure_of(node);
        checker.scene.begin_initially(procedure);
        let relation = checker.relations.of(node);
        let inside = checker.scene.formula(relation, JUST_STARTED);
        let place = Place { node, edge: None };
        checker.require(Condition::InitialIsReached, place, &[], inside)?;
    }
    for target in checker.targets {
        let node = target.node;
        checker.scene.begin(checker.machine.procedure_of(node));
        let relation = checker.relations.of(node);
        let reached = checker.scene.formula(relation, BEFORE);
        let never = checker.scene.constant(false);
        let place = Place { node, edge: None };
        checker.require(Condition::TargetIsNotReached, place, &[reached], never)?;
    }
    checker.each_edge(
        |checker, node| checker.relations.of(node),
        BEFORE,
        check_edge,
        |checker, edge| {
            let from = checker.machine.edge(edge).from;
            checker.relations.of(from).is_some()
        },
    )
}

fn check_edge(checker: &mut Checker<'_, '_, '_>, id: EdgeId, start: Lit) -> Result<(), Rejected> {
    let edge = checker.machine.edge(id);
    let place = Place {
        node: edge.from,
        edge: Some(id),
    };
    let end = checker.relations.of(edge.to);
    match edge.action {
        Action::Call { callee, .. } => {
            let taken = checker.scene.take(id);
            let callee = checker.machine.procedure(callee);
            let entry = checker.relations.of(callee.entry);
            let inside = checker.scene.formula(entry, JUST_CALLED);
            checker.require(Condition::CallIsReached, place, &[start, taken], inside)?;
            checker.scene.return_from_call();
            let exit = checker.relations.of(callee.exit);
            let summary = checker.scene.formula(exit, SUMMARY);
            let after = checker.scene.formula(end, AFTER_RETURN);
            let premises = [start, taken, summary];
            checker.require(Condition::ReturnIsReached, place, &premises, after)
        }
        _ => {
            let taken = checker.scene.take(id);
            let after = checker.scene.formula(end, AFTER_STEP);
            checker.require(Condition::StepIsReached, place, &[start, taken], after)
        }
    }
}
