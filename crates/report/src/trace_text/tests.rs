//! What runs look like.

use super::*;
use expect_test::expect;
use hardbop_interpreter::{RandomChooser, fold, simulate};
use hardbop_outcome::{Lasso, Trace};
use std::fmt::Write as _;

fn shown(machine: &Machine, trace: &Trace, options: TraceOptions) -> String {
    let run = Evidence::Run(trace.clone());
    let text = TraceTexts::new(machine, options).text(&run, None);
    text.expect("it is a run")
}

fn machine(text: &str) -> Machine {
    hardbop_machine::from_text("test.bp", text).expect("the test program is valid")
}

fn random_trace(machine: &Machine, seed: u64) -> Trace {
    let trace = simulate(machine, &mut RandomChooser::new(seed), 10_000, None).trace;
    fold(machine, &trace).unwrap()
}

const CALLS: &str = "decl g := 0;
void main() begin
  decl x;
  x := 0;
  x := f(!x);
  if (x) then
    g := 1;
    print(g, x);
  fi
end
bool f(a) begin
  g := !a;
  leaf();
  return a;
end
void leaf() begin
  skip;
end
";

fn calls(level: TraceLevel, expand: bool) -> String {
    let machine = machine(CALLS);
    let options = TraceOptions {
        level,
        expand,
        max_lines: 100,
        ..TraceOptions::default()
    };
    shown(&machine, &random_trace(&machine, 0), options)
}

#[test]
fn completed_calls_are_folded() {
    expect![[r#"
        start: g=0 x=1
         4: x := 0       x=0
         5: x := f(!x)   x=1  (folded: 5 steps)
         6: if (x)       true
         7: g := 1       g=1
         8: print(g, x)  prints 1, 1
        10: return from main
        the whole run has 12 steps
    "#]]
    .assert_eq(&calls(TraceLevel::Compact, false));
}

#[test]
fn expanded_calls_are_indented() {
    expect![[r#"
        start: g=0 x=1
         4: x := 0           x=0
         5: x := f(!x)       enter f  a=1 return=0
        12:   g := !a
        13:   leaf()         enter leaf
        17:     skip
        18:     return from leaf
        14:   return a       return=1
        15:   return from f  x=1
         6: if (x)           true
         7: g := 1           g=1
         8: print(g, x)      prints 1, 1
        10: return from main
    "#]]
    .assert_eq(&calls(TraceLevel::Compact, true));
}

#[test]
fn the_levels_show_more_or_less() {
    expect![[r#"
        start: g=0 x=1
         5: x := f(!x)       enter f  a=1 return=0
        13:   leaf()         enter leaf
        18:     return from leaf
        15:   return from f  x=1
        10: return from main
    "#]]
    .assert_eq(&calls(TraceLevel::Calls, true));
    expect![[r#"
        start: g=0 x=1
         4: x := 0       g=0 x=0
         5: x := f(!x)   g=0 x=1  (folded: 5 steps)
         6: if (x)       true  g=0 x=1
         7: g := 1       g=1 x=1
         8: print(g, x)  g=1 x=1  prints 1, 1
        10: return from main
        the whole run has 12 steps
    "#]]
    .assert_eq(&calls(TraceLevel::Full, false));
    expect![[r#"
        start: g=0 x=1
        the whole run has 12 steps
    "#]]
    .assert_eq(&calls(TraceLevel::None, false));
}

#[test]
fn an_astronomic_run_is_shown_at_once() {
    use hardbop_machine::{EdgeId, ProcId};
    use hardbop_outcome::{Run, Segment, Step};
    let mut text = "void main() begin p0(); end\n".to_owned();
    for level in 0..60 {
        let next = level + 1;
        writeln!(text, "void p{level}() begin p{next}(); p{next}(); end").unwrap();
    }
    text.push_str("void p60() begin skip; end\n");
    let machine = machine(&text);
    let mut trace = simulate(&machine, &mut RandomChooser::new(0), 0, None).trace;
    let steps = |procedure: ProcId, run: u32| -> Vec<Step> {
        let inputs = hardbop_machine::List::default;
        let calls = machine.procedure(procedure).edge_ids().map(|edge: EdgeId| {
            match machine.edge(edge).action {
                hardbop_machine::Action::Call { .. } => Step::Call {
                    edge,
                    inputs: inputs(),
                    run,
                },
                _ => Step::Edge {
                    edge,
                    inputs: inputs(),
                },
            }
        });
        calls.collect()
    };
    for procedure in (1..machine.procedures.len()).rev().map(ProcId::new) {
        trace.runs.push(Run {
            procedure,
            globals: Vec::new(),
            locals: Vec::new(),
            steps: steps(procedure, (trace.runs.len() as u32).wrapping_sub(1)),
        });
    }
    trace.segments = vec![Segment {
        thread: 0,
        steps: steps(ProcId(0), 60),
    }];
    let text = shown(&machine, &trace, TraceOptions::default());
    expect![[r"
            start
            1: p0()  (folded: 5764607523034234876 steps)
            the whole run has 5764607523034234878 steps
        "]]
    .assert_eq(&text);
}

#[test]
fn arbitrary_values_are_shown_where_they_may_be_read() {
    let machine = machine(
        "void main() begin
  decl read, unread;
  unread := f(read);
end
bool f(a) begin
  decl b, c;
  c := b;
  return a & c;
end
",
    );
    let options = TraceOptions {
        expand: true,
        ..TraceOptions::default()
    };
    let text = shown(&machine, &random_trace(&machine, 1), options);
    expect![[r#"
        start: read=1 unread=1
        3: unread := f(read)  enter f  a=1 b=0 c=1 return=1
        7:   c := b           c=0
        8:   return a & c     return=0
        9:   return from f    unread=0
        4: return from main
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_run_that_is_cut_says_how_long_it_is() {
    let mut text = "void main() begin p0(); end\n".to_owned();
    for level in 0..8 {
        let next = level + 1;
        writeln!(text, "void p{level}() begin p{next}(); p{next}(); end").unwrap();
    }
    text.push_str("void p8() begin skip; end\n");
    let machine = machine(&text);
    let options = TraceOptions {
        expand: true,
        max_lines: 3,
        ..TraceOptions::default()
    };
    let text = shown(&machine, &random_trace(&machine, 0), options);
    expect![[r#"
        start
        1: p0()  (folded: 1276 steps)
        1: return from main
        the whole run has 1279 steps
    "#]]
    .assert_eq(&text);
}

fn lasso(text: &str, steps: u64, head: usize) -> String {
    let machine = hardbop_machine::from_text("test.bp", text).expect("the program is valid");
    let trace = simulate(&machine, &mut RandomChooser::new(0), steps, None).trace;
    let lasso = Lasso::from_trace(&trace, head);
    let texts = TraceTexts::new(&machine, TraceOptions::default());
    let text = texts.text(&Evidence::Lasso(lasso), None);
    text.expect("it is a run")
}

#[test]
fn stem_and_loop_stand_apart() {
    let text = "decl g := 0;
void main() begin
  g := 1;
  AGAIN: g := !g;
  g := !g;
  goto AGAIN;
end
";
    expect![[r#"
        start: g=0
        3: g := 1   g=1
        loop, from line 4:
        4: g := !g  g=0
        5: g := !g  g=1
        6: goto AGAIN
        after a stem of 1 step, the loop of 3 steps is repeated forever
    "#]]
    .assert_eq(&lasso(text, 4, 1));
}

#[test]
fn a_growing_stack_is_said() {
    let text = "decl g := 0;
void main() begin
  down();
end
void down() begin
  g := !g;
  g := !g;
  down();
end
";
    expect![[r#"
        start: g=0
        3: down()     enter down
        loop, from line 6, deeper each time:
        6:   g := !g  g=1
        7:   g := !g  g=0
        8:   down()   enter down
        after a stem of 1 step, the loop of 3 steps is repeated forever; the stack grows by 1 frame each time
    "#]].assert_eq(&lasso(text, 4, 1));
}

#[test]
fn a_finite_run_says_how_it_ends() {
    let text = "decl g := 0;
void main() begin
  g := 1;
end
";
    expect![[r#"
        start: g=0
        3: g := 1  g=1
        4: return from main
        the run ends after 2 steps: main has returned
    "#]]
    .assert_eq(&lasso(text, 10, 10));
}

/// A run to the first failing assertion, as some engine might find it.
fn to_failure(text: &str, options: TraceOptions) -> String {
    let machine = machine(text);
    let targets = hardbop_outcome::Target::assertions(&machine);
    for seed in 0..1000 {
        let mut trace = simulate(&machine, &mut RandomChooser::new(seed), 20_000, None).trace;
        for target in &targets {
            trace.target = Some(target.clone());
            if hardbop_interpreter::replay(&machine, &trace).is_ok() {
                return shown(&machine, &trace, options);
            }
        }
    }
    panic!("no random run fails")
}

#[test]
fn choices_and_branches_are_shown_and_what_does_not_matter_is_not() {
    let text = "decl g := 0, u1, u2;
void main() begin
  decl x;
  u1, u2 := *, u1;
  x := schoose[g, g];
  if (*) then goto A, B; fi
  A: skip;
  B: f(*, !*);
  while (x & *) do u1 := !u1; od
  assert(g);
end
void f(a, b) begin
  g := a & b;
end
";
    let options = TraceOptions {
        expand: true,
        ..TraceOptions::default()
    };
    expect![[r#"
        start: g=0
         4: u1, u2 := *, u1     *=0
         5: x := schoose[g, g]  schoose[g, g]=1
         6: if (*)              true
         6: goto A, B           to B
         8: f(*, !*)            enter f  *=0, *=1  a=0 b=0
        13:   g := a & b
        14:   return from f
         9: while (x & *)       true  *=1
         9: u1 := !u1
         9: while (x & *)       false  *=0
        10: assert(g)           fails
        reaches 10:3 main: assert(g)
    "#]]
    .assert_eq(&to_failure(text, options));
}

#[test]
fn the_end_of_a_long_run_is_kept() {
    let text = "decl int<14> n := 0; decl g := 1;
void main() begin
  while (n < 3000) do
    n := n + 1;
  od
  g := 0;
  assert(g);
end
";
    let options = TraceOptions {
        max_lines: 6,
        ..TraceOptions::default()
    };
    expect![[r#"
        start: n=0
        3: while (n < 3000)  true
        4: n := n + 1        n=1
        3: while (n < 3000)  true
        ... 5997 steps left out (--expand 6003 shows the whole run)
        3: while (n < 3000)  false
        6: g := 0            g=0
        7: assert(g)         fails
        the whole run has 6003 steps
        reaches 7:3 main: assert(g)
    "#]]
    .assert_eq(&to_failure(text, options));
}

#[test]
fn deep_calls_and_long_lines_stay_within_the_width() {
    let mut text = "decl good := 1, a_long_name := 0, another_long_name := 0;\n".to_owned();
    text.push_str("void main() begin p0(); end\n");
    for level in 0..30 {
        let next = level + 1;
        writeln!(text, "void p{level}() begin p{next}(); end").unwrap();
    }
    text.push_str(
        "void p30() begin
  good, a_long_name, another_long_name := 0, good, good;
  if (a_long_name & another_long_name) then assert(good); fi
end
",
    );
    let options = TraceOptions {
        width: 60,
        ..TraceOptions::default()
    };
    let shown = to_failure(&text, options);
    expect![[r#"
        start: good=1
         2: p0()                      enter p0
         3:   p1()                    enter p1
         4:     p2()                  enter p2
         5:       p3()                enter p3
         6:         p4()              enter p4
         7:           p5()            enter p5
         8:             p6()          enter p6
         9:               p7()        enter p7
        10:               (8) p8()    enter p8
        11:               (9) p9()    enter p9
        12:               (10) p10()  enter p10
        13:               (11) p11()  enter p11
        14:               (12) p12()  enter p12
        15:               (13) p13()  enter p13
        16:               (14) p14()  enter p14
        17:               (15) p15()  enter p15
        18:               (16) p16()  enter p16
        19:               (17) p17()  enter p17
        20:               (18) p18()  enter p18
        21:               (19) p19()  enter p19
        22:               (20) p20()  enter p20
        23:               (21) p21()  enter p21
        24:               (22) p22()  enter p22
        25:               (23) p23()  enter p23
        26:               (24) p24()  enter p24
        27:               (25) p25()  enter p25
        28:               (26) p26()  enter p26
        29:               (27) p27()  enter p27
        30:               (28) p28()  enter p28
        31:               (29) p29()  enter p29
        32:               (30) p30()  enter p30
        34:               (31) good, a_long_name, another_long_name
                := 0, good, good  good=0 a_long_name=1
                another_long_name=1
        35:               (31) if (a_long_name & another_long_name)
                true
        35:               (31) assert(good)  fails
        reaches 35:45 p30: assert(good)
    "#]]
    .assert_eq(&shown);
    assert!(shown.lines().all(|line| line.chars().count() <= 60));
}

#[test]
fn colours_are_for_values_choices_and_failures() {
    let options = TraceOptions {
        colour: Colour::Ansi,
        ..TraceOptions::default()
    };
    let text = to_failure("decl g; void main() begin g := *; assert(g); end", options);
    let text = text.replace('\u{1b}', "^");
    expect![[r#"
        start
        1: g := *     ^[36mg=0^[0m
        1: assert(g)  ^[1m^[31mfails^[0m
        reaches 1:35 main: assert(g)
    "#]]
    .assert_eq(&text);
}
