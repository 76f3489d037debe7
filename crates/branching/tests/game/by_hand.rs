//! Programs for which the stack decides, with verdicts by hand.

use super::{holds, machine, verdict};
use hardbop_outcome::{Evidence, Support, Verdict};

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
        Verdict::Yes(Support::Evidence(Evidence::Lasso(_)))
    ));
    let Verdict::No(Support::Evidence(Evidence::Strategy(strategy))) = found("EF at(STAY)") else {
        panic!("a strategy shows it");
    };
    let path = strategy.path.expect("a run leads there");
    assert_eq!(path.holds, "at(STAY)");
    assert!(strategy.run.is_none());
    assert!(matches!(
        found("AG EF at(DONE)"),
        Verdict::Yes(Support::Evidence(Evidence::Strategy(_)))
    ));
}

/// Runs lead as far as one run shows something, and what is left is said.
#[test]
fn mixed_formulas_have_a_run_to_what_no_run_shows() {
    let text = "decl g := 0;
void main() begin
  work();
  g := 1;
  work();
  END: skip;
end
void work() begin
  if (*) then work(); fi;
  if (g & *) then LOST: while (1) do skip; od; fi;
  BACK: skip;
end";
    let machine = machine(text);
    let node = |label: &str| {
        let mut labels = machine.labels.iter();
        let label = labels.find(|known| known.name == label);
        label.expect("a label of the program").node
    };
    for (formula, holds, label) in [
        ("AG EF at(END)", "AG !at(END)", Some("LOST")),
        ("EF AG !at(END)", "AG !at(END)", Some("LOST")),
        (
            "E[!var(g) U (at(BACK) & AX AF !at(BACK))]",
            "at(BACK)",
            None,
        ),
        (
            "EF (at(LOST) & AG !at(END))",
            "at(LOST) & AG !at(END)",
            Some("LOST"),
        ),
        (
            "EX EX AF (at(BACK) | at(LOST))",
            "AF (at(BACK) | at(LOST))",
            None,
        ),
        ("AX AG EF at(END)", "AG !at(END)", Some("LOST")),
        ("EF at(LOST)", "at(LOST)", Some("LOST")),
    ] {
        let verdict = verdict(&machine, formula).expect("it is small");
        let Some(Evidence::Strategy(strategy)) = verdict.evidence() else {
            panic!("{formula} has no strategy");
        };
        let Some(path) = &strategy.path else {
            panic!("{formula} has no run");
        };
        if formula.starts_with("E[") {
            assert!(path.holds.starts_with("at(BACK) & AX AF"), "{}", path.holds);
        } else {
            assert_eq!(path.holds, holds, "{formula}");
        }
        if let Some(label) = label {
            let last = hardbop_interpreter::replay(&machine, &path.run).expect("it is a run");
            let top = last.last.top(0).expect("it has not ended");
            assert_eq!(top.node, node(label), "{formula}");
        }
    }
    // One run shows it, and it never ends.
    let Some(Verdict::No(Support::Evidence(Evidence::Strategy(strategy)))) =
        verdict(&machine, "EG !at(END)")
    else {
        panic!("it holds");
    };
    assert!(strategy.run.is_some() && strategy.path.is_none());
}
