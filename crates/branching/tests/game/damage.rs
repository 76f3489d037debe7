//! Strategies that say too much are rejected.

use super::{ctl, machine, verdict};
use hardbop_branching::{StrategyError, check_strategy};
use hardbop_outcome::{Evidence, NeverInterrupted, Strategy, Verdict};

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
            Verdict::Shown(Evidence::Strategy(strategy))
            | Verdict::Found(Evidence::Strategy(strategy)),
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
