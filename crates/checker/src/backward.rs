//! The conditions of a backward certificate, and why they suffice.
//!
//! `B[n](s)` is the relation at node `n`: from state `s` a target may be reached before this
//! invocation ends ("bad"). `X[n](s, x)` is `to_exit`: this invocation may end in `x` (globals and
//! results), and somebody cares. The *demanded* exit states of a procedure are `D(x)`:
//! `X[exit](s, x)` for all `s` that agree with `x` on globals and results.
//!
//! 1. *Target.* `B[n](s)` for every target `n` and every state `s`.
//! 2. *Step.* For an edge `u → v` that is not a call and leads from `s` to `s'`: `B[v](s')` implies
//!    `B[u](s)`, and `X[v](s', y)` implies `X[u](s, y)`.
//! 3. *Call.* For a call `u → v` of `c` from `s` with entry state `t` (globals of `s`, the
//!    arguments, other locals arbitrary): `B[entry of c](t)` implies `B[u](s)`.
//! 4. *Return.* With an exit state `x` of `c` and the state `r` after the return (locals of `s`,
//!    globals of `x`, then the results of `x` in the targets): `B[v](r)` implies `D[c](x)`;
//!    `B[v](r)` and `X[entry of c](t, x)` imply `B[u](s)`. The same with `X[v](r, y)` and
//!    `X[u](s, y)` in place of `B[v](r)` and `B[u](s)`.
//! 5. *Initial.* `B[entry of main](s)` for no initial state `s`.
//!
//! **They suffice.** Two claims, by one induction on the number of steps. (E) If an invocation of
//! `p` goes from node `n` in state `s` to its exit in `x`, and `D[p](x)`, then `X[n](s, x)`. (T) If
//! a run goes from node `n` in state `s` to a target, and does not end this invocation on the way,
//! then `B[n](s)`. For no steps, (E) is the definition of `D`, (T) is 1. If the first step is no
//! call, 2 leads from the claim for the rest to the claim for all. If it is a call that returns
//! with `x`: the claim for the rest gives `B[v](r)`, or `X[v](r, y)` with `D[p](y)`; by 4 then
//! `D[c](x)`, so (E) for the callee, whose run is shorter, gives `X[entry of c](t, x)`; and 4 again
//! gives the claim at `u`. If it is a call that does not return, the target is reached within the
//! callee: (T) gives `B[entry of c](t)`, 3 gives `B[u](s)`. A run of the machine to a target never
//! ends the first invocation of `main` on the way, so by (T) it would start in `B`, against 5.
//!
//! In 4 the local variables of `c` at its exit that are not results are arbitrary: demanded means
//! demanded whatever they are. As in the forward direction, the premises may use that a procedure
//! keeps the globals that it never modifies: (E) and (T) speak of runs only, and runs do.

use crate::checker::{Checker, Place};
use crate::moments::Moment;
use crate::rejected::{Condition, Rejected};
use crate::scene::Reading;
use hardbop_machine::{Action, EdgeId, NodeId};
use hardbop_sat::Lit;

const BEFORE: Reading = Reading {
    now: Moment::Now,
    other: Moment::Exit,
};
const AFTER_STEP: Reading = Reading {
    now: Moment::Next,
    other: Moment::Exit,
};
const AFTER_RETURN: Reading = Reading {
    now: Moment::Returned,
    other: Moment::Exit,
};
const CALLEE: Reading = Reading {
    now: Moment::CalleeEntry,
    other: Moment::CalleeExit,
};
/// Current and exit state are the same: which exits are demanded.
const CALLEE_ENDS: Reading = Reading {
    now: Moment::CalleeExit,
    other: Moment::CalleeExit,
};

/// One of the two relations of a node, with the conditions that it takes part in.
#[derive(Clone, Copy)]
enum Kind {
    Bad,
    ToExit,
}

impl Kind {
    fn of(self, checker: &Checker<'_, '_, '_>, node: NodeId) -> Option<u32> {
        match self {
            Kind::Bad => checker.relations.of(node),
            Kind::ToExit => checker.relations.to_exit(node),
        }
    }

    fn step(self) -> Condition {
        match self {
            Kind::Bad => Condition::StepIsBad,
            Kind::ToExit => Condition::StepHasExit,
        }
    }

    fn demand(self) -> Condition {
        match self {
            Kind::Bad => Condition::BadReturnIsDemanded,
            Kind::ToExit => Condition::ExitReturnIsDemanded,
        }
    }

    fn call(self) -> Condition {
        match self {
            Kind::Bad => Condition::ReturnIsBad,
            Kind::ToExit => Condition::ReturnHasExit,
        }
    }
}

/// Checks all conditions of a backward certificate.
pub(crate) fn check(checker: &mut Checker<'_, '_, '_>) -> Result<(), Rejected> {
    for node in checker.entries() {
        let procedure = checker.machine.procedure_of(node);
        checker.scene.begin_initially(procedure);
        let bad = checker.scene.formula(checker.relations.of(node), BEFORE);
        let never = checker.scene.constant(false);
        let place = Place { node, edge: None };
        checker.require(Condition::InitialIsNotBad, place, &[bad], never)?;
    }
    for target in checker.targets {
        let node = target.node;
        checker.scene.begin(checker.machine.procedure_of(node));
        let bad = checker.scene.formula(checker.relations.of(node), BEFORE);
        let place = Place { node, edge: None };
        checker.require(Condition::TargetIsBad, place, &[], bad)?;
    }
    for kind in [Kind::Bad, Kind::ToExit] {
        checker.each_edge(
            |checker, node| kind.of(checker, node),
            BEFORE,
            |checker, edge, start| check_edge(checker, kind, edge, start),
            |checker, edge| is_needed(checker, kind, edge),
        )?;
    }
    Ok(())
}

/// Whether anything is claimed about the end of the edge or, for the `Bad` conditions, inside a
/// callee.
fn is_needed(checker: &Checker<'_, '_, '_>, kind: Kind, edge: EdgeId) -> bool {
    let edge = checker.machine.edge(edge);
    let callee_is_bad = match (kind, &edge.action) {
        (Kind::Bad, Action::Call { callee, .. }) => {
            let entry = checker.machine.procedure(*callee).entry;
            checker.relations.of(entry).is_some()
        }
        _ => false,
    };
    callee_is_bad || kind.of(checker, edge.to).is_some()
}

fn check_edge(
    checker: &mut Checker<'_, '_, '_>,
    kind: Kind,
    id: EdgeId,
    start: Lit,
) -> Result<(), Rejected> {
    let edge = checker.machine.edge(id);
    let place = Place {
        node: edge.from,
        edge: Some(id),
    };
    let end = kind.of(checker, edge.to);
    match edge.action {
        Action::Call { callee, .. } => {
            let taken = checker.scene.take(id);
            let callee = checker.machine.procedure(callee);
            if let Kind::Bad = kind {
                let entry = checker.relations.of(callee.entry);
                let bad = checker.scene.formula(entry, CALLEE);
                checker.require(Condition::CallIsBad, place, &[taken, bad], start)?;
            }
            checker.scene.return_from_call();
            let after = checker.scene.formula(end, AFTER_RETURN);
            let demands = checker.relations.to_exit(callee.exit);
            let demanded = checker.scene.formula(demands, CALLEE_ENDS);
            checker.require(kind.demand(), place, &[taken, after], demanded)?;
            let through = checker.relations.to_exit(callee.entry);
            let through = checker.scene.formula(through, CALLEE);
            checker.require(kind.call(), place, &[taken, after, through], start)
        }
        _ => {
            let taken = checker.scene.take(id);
            let after = checker.scene.formula(end, AFTER_STEP);
            checker.require(kind.step(), place, &[taken, after], start)
        }
    }
}
