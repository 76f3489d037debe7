use super::*;
use expect_test::expect;
use hardbop_interpreter::{RandomChooser, simulate};
use hardbop_outcome::{Lasso, Trace};

fn machine(text: &str) -> Machine {
    hardbop_machine::from_text("test.bp", text).expect("the test program is valid")
}

/// The run of a seed.
fn trace(machine: &Machine, seed: u64, steps: u64) -> Trace {
    simulate(machine, &mut RandomChooser::new(seed), steps, None).trace
}

/// A line per step: what it is, what was chosen, and the changes that matter; others in brackets.
fn shown(run: &Run) -> String {
    let values = |values: &[Value]| {
        let shown = values.iter().map(|value| {
            if value.matters {
                format!(" {value}")
            } else {
                format!(" [{value}]")
            }
        });
        shown.collect::<String>()
    };
    let mut lines = vec![format!(
        "start{}{}",
        values(&run.start),
        values(&run.threads[0].start)
    )];
    lines.extend(run.steps.iter().map(|step| {
        let kind = serde_json::to_value(step.kind).expect("a kind is a word");
        let kind = kind.as_str().unwrap_or_default().to_owned();
        let way = step.way().join(", ");
        let line = format!(
            "{} {kind} {}: {way}{}",
            step.place.line,
            step.text,
            values(&step.changes)
        );
        line.trim_end_matches([' ', ':']).to_owned()
    }));
    lines.join("\n")
}

fn run_of(text: &str, seed: u64) -> String {
    let machine = machine(text);
    let evidence = Evidence::Run(trace(&machine, seed, 100));
    let run = Runs::new(&machine, 100).run(&evidence, &HashSet::new());
    shown(&run.expect("a simulation is a run"))
}

#[test]
fn every_choice_is_shown_with_what_it_came_out_as() {
    let text = "decl g, h;
void main() begin
  decl x := *;
  g, _, h := * & !?, *, schoose[x, g];
  if (*) then
    skip;
  elsif (? | g) then
    skip;
  fi
  dead g, h;
  x := both(*, !*);
  assume(*);
  goto A, B;
  A: skip;
  B: skip;
end
bool both(a, b) begin
  return a & b;
end
";
    expect![[r#"
        start [g=0] [h=0] [x=1]
        3 internal x := *: * is 1
        4 assign g, _, h := * & !?, *, schoose[x, g]: * is 1, ? is 0, schoose[x, g] is 1 g=1 [h=1]
        5 branch if (*): false
        7 branch (? | g): true
        8 skip skip
        10 assign dead g, h: g is 1, h is 1
        11 enter x := both(*, !*): * is 0, * is 1 [a=0] [b=0] [return=1]
        18 return return a & b:  [return=0]
        19 leave return from both:  [x=0]
        12 assume assume(*): * is 1
        13 goto goto A, B: to B
        15 skip skip
        16 leave return from main"#]]
    .assert_eq(&run_of(text, 5));
}

#[test]
fn only_what_decisions_depend_on_matters() {
    let text = "decl used := 0, unused := 0, passed := 0, count := 0;
void main() begin
  decl a, b;
  unused := 1;
  count := unused;
  a := 1;
  b := a;
  a := 0;
  passed := copy(b, unused);
  used := passed;
  assume(used);
  print(count);
end
bool copy(x, y) begin
  return x;
end
";
    expect![[r#"
        start [used=0] [unused=0] [passed=0] [count=0] [a=1] [b=0]
        4 assign unused := 1:  [unused=1]
        5 assign count := unused:  [count=1]
        6 assign a := 1
        7 assign b := a:  b=1
        8 assign a := 0:  [a=0]
        9 enter passed := copy(b, unused):  x=1 [y=1] [return=1]
        15 return return x
        16 leave return from copy:  passed=1
        10 assign used := passed:  used=1
        11 assume assume(used)
        12 print print(count): prints 1
        13 leave return from main"#]]
    .assert_eq(&run_of(text, 0));
}

#[test]
fn what_matters_at_the_head_of_a_loop_matters_at_its_end() {
    let machine = machine(
        "decl g := 0, h := 0;
void main() begin
  AGAIN: assume(!g);
  g := 1;
  h := !h;
  g := 0;
  goto AGAIN;
end
",
    );
    let trace = trace(&machine, 0, 11);
    let lasso = Evidence::Lasso(Lasso::from_trace(&trace, 1));
    let runs = Runs::new(&machine, 100);
    let run = runs.run(&lasso, &HashSet::new()).expect("it is a lasso");
    assert_eq!(
        run.cycle.map(|cycle| (cycle.first, cycle.length)),
        Some((1, 10))
    );
    expect![[r#"
        start g=0 [h=0]
        3 assume assume(!g)
        4 assign g := 1:  [g=1]
        5 assign h := !h:  [h=1]
        6 assign g := 0:  g=0
        7 goto goto AGAIN
        3 assume assume(!g)
        4 assign g := 1:  [g=1]
        5 assign h := !h:  [h=0]
        6 assign g := 0:  g=0
        7 goto goto AGAIN
        3 assume assume(!g)"#]]
    .assert_eq(&shown(&run));
    let observed = runs
        .run(&lasso, &HashSet::from(["h"]))
        .expect("it is a lasso");
    let of_h = observed.steps.iter().flat_map(|step| &step.changes);
    assert!(
        of_h.filter(|value| value.name == "h")
            .all(|value| value.matters)
    );
}

/// Whatever does not matter may be anything: the run goes the same way.
#[test]
fn a_value_that_does_not_matter_can_be_exchanged() {
    let text = "decl a, b, c, d;
void main() begin
  decl x, y;
  x := a ^ b;
  y := c;
  if (x) then d := y; else d := !d; fi
  b := f(d);
  assume(a | b | !b);
  while (*) do
    c := f(c);
    if (c & x) then a := !a; fi
  od
end
bool f(v) begin
  decl w;
  if (v) then return w; fi
  return !v;
end
";
    let machine = machine(text);
    let runs = Runs::new(&machine, 1000);
    let mut exchanged = 0;
    for seed in 0..40 {
        let trace = trace(&machine, seed, 60);
        let run = runs
            .run(&Evidence::Run(trace.clone()), &HashSet::new())
            .expect("a simulation is a run");
        for (index, _) in run
            .start
            .iter()
            .enumerate()
            .filter(|(_, value)| !value.matters)
        {
            let mut other = trace.clone();
            other.globals[index] = 1 - other.globals[index];
            // The locals that calls record do not depend on it either, but parameters may.
            let Ok(again) = runs.run(&Evidence::Run(other), &HashSet::new()) else {
                continue;
            };
            let way = |run: &Run| run.steps.iter().map(|s| s.edge).collect::<Vec<_>>();
            assert_eq!(way(&run), way(&again));
            exchanged += 1;
        }
    }
    assert!(exchanged > 5, "{exchanged}");
}
