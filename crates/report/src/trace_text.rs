//! A trace for people: one line per step in the order of execution, indented by call depth, with
//! only what has changed.
//!
//! A completed call is one line that says how many steps it stands for; so the text is as short as
//! the trace is as data, however long the run. Expanded, the run is written out up to a number of
//! lines, and the last line says how long it would have been. Runs of several threads have a column
//! per thread, one for the shared variables, and a rule at each context switch ([`columns`]); where
//! that would be too wide, the thread's name stands on every line.

mod columns;
mod lasso;
mod rows;

use hardbop_interpreter::{ReplayError, Walk, replay};
use hardbop_machine::Machine;
use hardbop_outcome::Trace;
use rows::{Context, Row, View, align};
use std::fmt::Write as _;

pub use lasso::{lasso_text, thread_lasso_text};

/// How much of a trace is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceLevel {
    /// Every step, with the variables that it changes.
    #[default]
    Compact,
    /// Every step, with the values of all variables in scope after it.
    Full,
    /// Calls and returns only.
    Calls,
    /// Only where it begins and ends.
    None,
}

/// What a trace is to look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// How much is shown.
    pub level: TraceLevel,
    /// Whether completed calls are written out.
    pub expand: bool,
    /// The largest number of steps that are shown.
    pub max_lines: usize,
    /// The width of a line, for runs of several threads: if they do not fit side by side, they are
    /// not shown so.
    pub width: usize,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self {
            level: TraceLevel::Compact,
            expand: false,
            max_lines: 1000,
            width: 118,
        }
    }
}

/// A trace as text; every line ends with a newline. The trace is replayed first, so what is shown
/// is a run of the program.
pub fn trace_text(
    machine: &Machine,
    trace: &Trace,
    options: &TraceOptions,
) -> Result<String, ReplayError> {
    text_with_loop(machine, trace, options, None)
}

/// The same, with a line before the step of that number, from which on the run is a loop.
fn text_with_loop(
    machine: &Machine,
    trace: &Trace,
    options: &TraceOptions,
    loop_start: Option<u64>,
) -> Result<String, ReplayError> {
    let replayed = replay(machine, trace)?;
    let mut walk = if options.expand {
        Walk::expanded(machine, trace)?
    } else {
        Walk::new(machine, trace)?
    };
    let concurrent = walk.configuration().threads.len() > 1 || !machine.is_sequential();
    let view = View::new(machine, concurrent, options.level);
    let mut rows = vec![Row::Text(view.start(walk.configuration()))];
    let mut schedule = Schedule::default();
    let mut shown_thread = None;
    // What each thread starts with is known when it is started and shown when it first runs.
    let mut starts = view.starts(walk.configuration(), 0);
    let mut cut = false;
    let mut shown = 0;
    let mut taken = 0;
    if options.level != TraceLevel::None {
        while let Some(step) = walk.next().transpose()? {
            if loop_start == Some(taken) {
                rows.push(Row::Text("loop:".to_owned()));
                shown_thread = None;
            }
            taken += 1;
            if shown == options.max_lines {
                cut = true;
                break;
            }
            starts.extend(view.starts(walk.configuration(), starts.len()));
            schedule.run(step.thread, machine.init.is_some());
            if !view.is_shown(&step) {
                continue;
            }
            shown += 1;
            if concurrent && shown_thread.replace(step.thread) != Some(step.thread) {
                rows.push(Row::Context(Context {
                    thread: step.thread,
                    name: walk.configuration().thread_name(machine, step.thread),
                    starts: std::mem::take(&mut starts[step.thread as usize]),
                    switch: (schedule.switches > 0).then_some(schedule.switches),
                }));
            }
            rows.push(view.row(&step, walk.configuration()));
        }
    }
    let side_by_side = concurrent.then(|| columns::side_by_side(&rows, options.width));
    let mut text = side_by_side.flatten().unwrap_or_else(|| align(&rows));
    let whole = if replayed.saturated {
        format!("at least {}", replayed.flat_steps)
    } else {
        replayed.flat_steps.to_string()
    };
    if cut {
        writeln!(
            text,
            "... ({shown} steps shown; the whole run has {whole} steps)"
        )
        .expect("writing to a string cannot fail");
    } else if options.level == TraceLevel::None
        || replayed.flat_steps != u128::from(replayed.hierarchical_steps)
    {
        writeln!(text, "the whole run has {whole} steps").expect("writing to a string cannot fail");
    }
    if let Some(target) = &trace.target {
        writeln!(text, "reaches {target}").expect("writing to a string cannot fail");
    }
    Ok(text)
}

/// Counts context switches, also those to steps that are not shown.
#[derive(Default)]
struct Schedule {
    running: Option<u32>,
    switches: u32,
}

impl Schedule {
    /// A thread takes a step. That the first thread takes over from `init` is not a switch.
    fn run(&mut self, thread: u32, has_init: bool) {
        let previous = self.running.replace(thread);
        let is_switch =
            previous.is_some_and(|previous| previous != thread && !(has_init && previous == 0));
        self.switches = self.switches.saturating_add(u32::from(is_switch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use hardbop_interpreter::{RandomChooser, fold, simulate};

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
        trace_text(&machine, &random_trace(&machine, 0), &options).unwrap()
    }

    #[test]
    fn completed_calls_are_folded() {
        expect![[r"
            start: g=0
             4: x := 0       x=0
             5: x := f(!x)   x=1  (folded: 5 steps)
             6: if (x)
             7: g := 1       g=1
             8: print(g, x)  prints 1, 1
            10: return from main
            the whole run has 12 steps
        "]]
        .assert_eq(&calls(TraceLevel::Compact, false));
    }

    #[test]
    fn expanded_calls_are_indented() {
        expect![[r"
            start: g=0
             4: x := 0           x=0
             5: x := f(!x)       enter f  a=1
            12:   g := !a
            13:   leaf()         enter leaf
            17:     skip
            18:     return from leaf
            14:   return a       return=1
            15:   return from f  x=1
             6: if (x)
             7: g := 1           g=1
             8: print(g, x)      prints 1, 1
            10: return from main
            the whole run has 12 steps
        "]]
        .assert_eq(&calls(TraceLevel::Compact, true));
    }

    #[test]
    fn the_levels_show_more_or_less() {
        expect![[r"
            start: g=0
             5: x := f(!x)       enter f  a=1
            13:   leaf()         enter leaf
            18:     return from leaf
            15:   return from f  x=1
            10: return from main
            the whole run has 12 steps
        "]]
        .assert_eq(&calls(TraceLevel::Calls, true));
        expect![[r"
            start: g=0
             4: x := 0       g=0 x=0
             5: x := f(!x)   g=0 x=1  (folded: 5 steps)
             6: if (x)       g=0 x=1
             7: g := 1       g=1 x=1
             8: print(g, x)  g=1 x=1  prints 1, 1
            10: return from main
            the whole run has 12 steps
        "]]
        .assert_eq(&calls(TraceLevel::Full, false));
        expect![[r"
            start: g=0
            the whole run has 12 steps
        "]]
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
            let inputs = Vec::new;
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
        let shown = trace_text(&machine, &trace, &TraceOptions::default()).unwrap();
        expect![[r"
            start
            1: p0()  (folded: 5764607523034234876 steps)
            the whole run has 5764607523034234878 steps
        "]]
        .assert_eq(&shown);
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
        let text = trace_text(&machine, &random_trace(&machine, 1), &options).unwrap();
        expect![[r"
            start: read=1
            3: unread := f(read)  enter f  a=1 b=0
            7:   c := b           c=0
            8:   return a & c     return=0
            9:   return from f    unread=0
            4: return from main
            the whole run has 5 steps
        "]]
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
        let shown = trace_text(&machine, &random_trace(&machine, 0), &options).unwrap();
        expect![[r"
            start
            1: p0()      enter p0
            2:   p1()    enter p1
            3:     p2()  enter p2
            ... (3 steps shown; the whole run has 1279 steps)
        "]]
        .assert_eq(&shown);
    }
}
