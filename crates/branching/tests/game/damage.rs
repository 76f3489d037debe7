//! Strategies that say too much are rejected.

use super::{ctl, machine, verdict};
use hardbop_branching::{StrategyError, check_strategy};
use hardbop_interpreter::{Move, Recorder, initial};
use hardbop_machine::NodeId;
use hardbop_outcome::strategy::Path;
use hardbop_outcome::{Evidence, NeverInterrupted, Strategy, Support, Verdict};

const PROGRAM: &str = "decl g := 0;
void main() begin
  while (*) do
    turn();
  od;
  while (!g) do
    turn();
    turn();
  od;
  DONE: skip;
end
void turn() begin
  if (*) then g := !g; turn(); fi;
end";

fn strategy(formula: &str) -> Strategy {
    match verdict(&machine(PROGRAM), formula) {
        Some(
            Verdict::No(Support::Evidence(Evidence::Strategy(strategy)))
            | Verdict::Yes(Support::Evidence(Evidence::Strategy(strategy))),
        ) => strategy,
        other => panic!("{formula}: {other:?}"),
    }
}

fn judge(formula: &str, strategy: &Strategy) -> Result<(), StrategyError> {
    let machine = machine(PROGRAM);
    check_strategy(
        &machine,
        &ctl(&machine, formula),
        strategy,
        &NeverInterrupted,
    )
}

#[test]
fn a_position_is_missed_by_whoever_needs_it() {
    for formula in ["AG EF at(DONE)", "!AG AF at(DONE)", "EF EG !g"] {
        let strategy = strategy(formula);
        assert_eq!(judge(formula, &strategy), Ok(()));
        let count = strategy.positions.len();
        let rejected = (0..count).filter(|&number| {
            let mut less = strategy.clone();
            less.positions.remove(number);
            judge(formula, &less).is_err()
        });
        // Where several steps will do, one of them may be missing.
        let rejected = rejected.count();
        assert!(
            10 * rejected > 9 * count,
            "{formula}: {rejected} of {count}"
        );
    }
}

#[test]
fn an_until_needs_falling_ranks() {
    let formula = "AG EF at(DONE)";
    let strategy = strategy(formula);
    let mut flat = strategy.clone();
    for position in &mut flat.positions {
        position.rank = 7;
    }
    assert!(matches!(
        judge(formula, &flat),
        Err(StrategyError::Unjustified { .. })
    ));
}

/// Each way in which one position of an until leads to another has to make progress: by a step,
/// into a call, and over a call.
#[test]
fn an_until_makes_progress_by_steps_into_calls_and_over_calls() {
    let programs = [
        "void main() begin skip; DONE: skip; end",
        "void main() begin f(); end void f() begin DONE: skip; end",
        "void main() begin f(); DONE: skip; end void f() begin skip; end",
    ];
    for text in programs {
        for formula in ["EF at(DONE)", "AF at(DONE)"] {
            let machine = machine(text);
            let ctl = ctl(&machine, formula);
            let Some(Verdict::No(Support::Evidence(Evidence::Strategy(strategy)))) =
                verdict(&machine, formula)
            else {
                panic!("{formula} holds in {text}");
            };
            let done = machine.labels[0].node;
            let mut later = strategy.clone();
            let mut raised = 0;
            for position in &mut later.positions {
                if strategy.states[position.state as usize].node == done.0 {
                    position.rank = u32::MAX - 1;
                    raised += 1;
                }
            }
            assert!(raised > 0, "{formula} in {text}");
            let judged = check_strategy(&machine, &ctl, &later, &NeverInterrupted);
            let is_refused = matches!(judged, Err(StrategyError::Unjustified { .. }));
            assert!(is_refused, "{formula} in {text}: {judged:?}");
        }
    }
}

/// What is said about the end of a run is what the strategy shows there.
#[test]
fn a_run_says_nothing_that_the_strategy_does_not_show() {
    let machine = machine(STUCK);
    let formula = "AG EF at(DONE)";
    let Some(Verdict::Yes(Support::Evidence(Evidence::Strategy(strategy)))) =
        verdict(&machine, formula)
    else {
        panic!("it fails");
    };
    let ctl = ctl(&machine, formula);
    let path = strategy
        .path
        .clone()
        .expect("a run leads to where it fails");
    assert_eq!(path.holds, "AG !at(DONE)");
    assert_eq!(path.contexts.len(), 2, "it ends in a call");
    let judged = |change: &dyn Fn(&mut Path)| {
        let mut path = path.clone();
        change(&mut path);
        let damaged = Strategy {
            path: Some(path),
            ..strategy.clone()
        };
        check_strategy(&machine, &ctl, &damaged, &NeverInterrupted)
    };
    assert_eq!(judged(&|_| {}), Ok(()));
    let changes: [&dyn Fn(&mut Path); 6] = [
        &|path| path.holds = "AG at(DONE)".to_owned(),
        &|path| path.formula += 1,
        &|path| path.contexts.swap(0, 1),
        &|path| path.contexts[1] = 1_000,
        &|path| path.contexts.truncate(1),
        // Before its last step nothing of that is shown.
        &|path| path.run.segments[0].steps.truncate(1),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let refused = judged(change);
        let is_refused = matches!(refused, Err(StrategyError::Path(_)));
        assert!(is_refused, "change {number}: {refused:?}");
    }
}

/// A claim about a return that the caller does not keep is found out, although the strategy is one
/// and shows what is said about the running frame.
#[test]
fn the_contexts_of_a_run_hold_after_the_returns() {
    let text = "void main() begin
  if (*) then
    f();
    LOST: goto LOST;
  else
    f();
    OTHER: goto OTHER;
  fi;
end
void f() begin
  INNER: skip;
end";
    let machine = machine(text);
    let formula = "EF (at(INNER) & AF at(LOST))";
    let Some(Verdict::No(Support::Evidence(Evidence::Strategy(strategy)))) =
        verdict(&machine, formula)
    else {
        panic!("it holds");
    };
    let path = strategy.path.clone().expect("a run leads there");
    // The same call from the other branch, in the same contexts.
    let mut refused = 0;
    for branch in machine.edges_from(NodeId(0)) {
        let mut recorder = Recorder::new(&machine, initial(&machine, &[]));
        let inputs = machine.edge(branch).inputs.iter().map(|_| 0).collect();
        let first = Move::Edge {
            edge: branch,
            inputs,
        };
        recorder
            .step(0, first, &[])
            .expect("both branches can be taken");
        let call = machine.edges_from(machine.edge(branch).to).next();
        let inputs = Vec::new();
        let call = Move::Edge {
            edge: call.expect("a call follows"),
            inputs,
        };
        recorder.step(0, call, &[]).expect("it can be called");
        let other = Path {
            run: recorder.finish().0,
            ..(*path).clone()
        };
        let other = Strategy {
            path: Some(Box::new(other)),
            ..strategy.clone()
        };
        let ctl = ctl(&machine, formula);
        let judged = check_strategy(&machine, &ctl, &other, &NeverInterrupted);
        refused += usize::from(matches!(judged, Err(StrategyError::Path(_))));
    }
    assert_eq!(refused, 1, "one branch leads to LOST, the other does not");
}

const STUCK: &str = "void main() begin
  f();
  DONE: skip;
end
void f() begin
  if (*) then
    HERE: while (1) do skip; od;
  fi;
end";

#[test]
fn claims_about_the_end_are_evaluated() {
    let formula = "EF EG !g";
    let mut strategy = strategy(formula);
    let exit = strategy.contexts[0].first().expect("main ends").0;
    for number in 0..12 {
        strategy.contexts[0].push((exit, number));
    }
    assert_eq!(judge(formula, &strategy), Err(StrategyError::End));
}

#[test]
fn strategies_for_something_else_are_refused() {
    let formula = "AG EF at(DONE)";
    let strategy = strategy(formula);
    assert!(judge("AG EF !at(DONE)", &strategy).is_err());
    let other = Strategy {
        program: "another".to_owned(),
        ..strategy.clone()
    };
    assert!(matches!(
        judge(formula, &other),
        Err(StrategyError::Form(_))
    ));
    let opposite = Strategy {
        holds: !strategy.holds,
        ..strategy.clone()
    };
    assert_eq!(judge(formula, &opposite), Err(StrategyError::Start));
    let mut wild = strategy;
    wild.positions[0].state = 1_000_000;
    assert!(matches!(judge(formula, &wild), Err(StrategyError::Form(_))));
}
