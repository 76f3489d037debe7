//! Programs for which the stack decides, with verdicts by hand.

use super::{holds, machine, verdict};
use hardbop_outcome::{Evidence, Verdict};

fn assert_verdicts(text: &str, expected: &[(&str, bool)]) {
    let machine = machine(text);
    for &(formula, expected) in expected {
        assert_eq!(
            holds(&machine, formula),
            Some(expected),
            "{formula}\n{text}"
        );
    }
}

/// The program goes down any number of calls and comes back. Where `way` is 1 it loops for ever at
/// the first return, so `DONE` is reached from no deeper frame.
const DOWN_AND_UP: &str = "decl way := 0;
void main() begin
  down();
  DONE: skip;
end
void down() begin
  if (*) then
    down();
    BACK: if (way) then
      STAY: goto STAY;
    fi;
  else
    way := *;
  fi;
end";

#[test]
fn what_can_still_happen_depends_on_the_whole_stack() {
    assert_verdicts(
        DOWN_AND_UP,
        &[
            ("EF at(DONE)", true),
            ("AF at(DONE)", false),
            // Stuck in the loop, no way leads on.
            ("AG EF at(DONE)", false),
            ("AG (!at(STAY) -> EF at(DONE))", false),
            // Before a value is chosen there is hope, whatever the depth.
            ("A[EF at(DONE) W (way | at(DONE) | EF at(DONE))]", true),
            ("EF AG at(STAY)", true),
            // Without a frame of `down` below there is nothing to get stuck at.
            ("EF (way & EF at(DONE))", true),
            ("EF (way & in(down) & !EF at(DONE))", true),
            ("AG (at(STAY) -> !EF at(DONE))", true),
            ("AG (at(DONE) -> AF terminated)", true),
            ("EG in(down)", false),
            ("EX EG in(down)", true),
        ],
    );
}

/// Each frame remembers whether it may answer; only at the bottom it may. So the procedure can
/// always come back to `IDLE`, and the same place in it can do so at once or not.
#[test]
fn a_place_is_told_apart_by_the_frames_below_it() {
    let text = "decl up := 0;
void main() begin
  IDLE: work(1);
  goto IDLE;
end
void work(first) begin
  HERE: if (*) then
    work(0);
  fi;
  LEAVE: up := first;
end";
    assert_verdicts(
        text,
        &[
            ("AG EF at(IDLE)", true),
            ("AG AF at(IDLE)", false),
            ("AG (at(LEAVE) -> AF at(IDLE))", true),
            // After `LEAVE` the exit, then the caller: main's `goto`, then `IDLE`.
            ("AG (at(LEAVE) -> AX AX AX at(IDLE))", false),
            ("AG (at(LEAVE) & work:first -> AX AX AX at(IDLE))", true),
            ("EF (at(LEAVE) & !work:first & AX AX at(LEAVE))", true),
            ("AG (at(LEAVE) -> !EX EX EX at(IDLE) | work:first)", true),
        ],
    );
}

#[test]
fn blocked_ways_are_not_runs_and_ends_go_on_for_ever() {
    let text = "decl g := 0, h := 0;
void main() begin
  if (*) then
    g := 1;
    h := *;
    assume(h);
    skip;
  else
    assume(0);
  fi;
  assert(!g | h);
end";
    assert_verdicts(
        text,
        &[
            ("AF g", true),
            ("AG (g -> AF h)", true),
            ("AF terminated", true),
            ("AG (terminated -> AG terminated)", true),
            ("AG !failed", true),
            ("EF (terminated & EX terminated)", true),
            // Where `h` was chosen to be 0 no run begins, so the choice is not seen.
            ("EF (g & AX AX AX !h)", false),
        ],
    );
    // Without any run everything is true of all runs.
    assert_verdicts("void main() begin assume(0); end", &[("false", true)]);
    let fails = "void main() begin assert(0); end";
    assert_verdicts(fails, &[("AF AG failed", true), ("EF terminated", false)]);
}

#[test]
fn main_may_call_itself_and_ends_once() {
    let text = "decl n := 0;
void main() begin
  if (!n) then
    n := 1;
    main();
    BACK: skip;
  fi;
end";
    assert_verdicts(
        text,
        &[
            ("AF terminated", true),
            ("AF at(BACK)", true),
            ("A[!terminated U at(BACK)]", true),
        ],
    );
}

#[test]
fn evidence_is_a_run_where_one_tells() {
    let machine = machine(DOWN_AND_UP);
    let found = |formula| verdict(&machine, formula).expect("it is small");
    assert!(matches!(
        found("AG !at(STAY)"),
        Verdict::Found(Evidence::Lasso(_))
    ));
    let Verdict::Shown(Evidence::Strategy(strategy)) = found("EF at(STAY)") else {
        panic!("a strategy shows it");
    };
    assert!(strategy.run.is_some());
    assert!(matches!(
        found("AG EF at(DONE)"),
        Verdict::Found(Evidence::Strategy(_))
    ));
}
