//! Programs for unit tests.

use crate::simulate::{RandomChooser, simulate};
use hardbop_evidence::trace::{ThreadOrigin, VERSION};
use hardbop_evidence::{Run, Segment, Step, Target, Trace};
use hardbop_machine::{Action, Machine, ProcId};

/// The machine of a program text that must be valid.
pub(crate) fn machine(text: &str) -> Machine {
    match hardbop_machine::from_text("test.bp", text) {
        Ok(machine) => machine,
        Err(diagnostics) => panic!("the test program is not valid: {diagnostics:?}"),
    }
}

/// Recursion, results, choices, `constrain` and integers.
pub(crate) const SEQUENTIAL: &str = "
decl g, h;
decl int<3> n := 0;
void main() begin
  decl x, y;
  x, y := *, g;
  while (*) do
    x := f(x, y);
    n := n + 1;
  od
  g, h := *, * constrain 'g != 'h;
  if (g) then call count(n); fi
  END: skip;
end
bool f(a, b) begin
  decl c;
  if (a & *) then c := f(b, *); h := !h; return c; fi
  return !a;
end
void count(int<3> k) begin
  if (k != 0) then count(k - 1); fi
end
";

/// Threads with variables of their own, atomic blocks, threads that start threads.
pub(crate) const CONCURRENT: &str = "
decl lock := 0;
decl total;
thread worker(2) begin
  decl mine := 0;
  void main() begin
    while (!mine) do
      call enter();
      total := !total;
      lock := 0;
      mine := *;
    od
  end
  void enter() begin
    atomic_begin;
    assume(!lock);
    lock := 1;
    atomic_end;
  end
end
thread other begin
  void main() begin
    decl z;
    start_thread helper(z);
    assume(total);
  end
end
void helper(a) begin
  if (a) then end_thread; fi
  call leaf();
end
void leaf() begin skip; end
";

/// `main` calls `p0`, and each of `depth` procedures calls the next one twice.
pub(crate) fn doubling(depth: usize) -> Machine {
    use std::fmt::Write as _;
    let mut text = "void main() begin p0(); END: skip; end\n".to_owned();
    for level in 0..depth {
        let next = level + 1;
        writeln!(text, "void p{level}() begin p{next}(); p{next}(); end").unwrap();
    }
    writeln!(text, "void p{depth}() begin skip; end").unwrap();
    machine(&text)
}

/// The only run of [`doubling`] to `END`: the calls of each procedure share the one run of the
/// next.
pub(crate) fn doubling_trace(machine: &Machine) -> Trace {
    let mut runs: Vec<Run> = Vec::new();
    let count = machine.procedures.len();
    // Procedure 0 is `main`; the deepest one comes first in the table.
    for index in (1..count).rev() {
        runs.push(Run {
            procedure: ProcId::new(index),
            globals: Vec::new(),
            locals: Vec::new(),
            steps: straight_steps(machine, index, runs.len()),
        });
    }
    let mut steps = straight_steps(machine, 0, runs.len());
    let target = Target::labels(machine, "END").remove(0);
    let to_target = steps.iter().position(|step| match step {
        Step::Edge { edge, .. } => machine.edge(*edge).from == target.node,
        _ => false,
    });
    steps.truncate(to_target.unwrap());
    Trace {
        version: VERSION,
        program: machine.digest().to_owned(),
        target: Some(target),
        globals: Vec::new(),
        threads: vec![ThreadOrigin {
            globals: Vec::new(),
            locals: Vec::new(),
        }],
        runs,
        segments: vec![Segment { thread: 0, steps }],
    }
}

/// The steps of a procedure without branches, whose calls all use the newest of `runs` runs.
fn straight_steps(machine: &Machine, procedure: usize, runs: usize) -> Vec<Step> {
    let procedure = machine.procedure(ProcId::new(procedure));
    let mut node = procedure.entry;
    let mut steps = Vec::new();
    while node != procedure.exit {
        let edge = machine.edges_from(node).next().unwrap();
        let inputs = hardbop_machine::List::default();
        steps.push(match machine.edge(edge).action {
            Action::Call { .. } => Step::Call {
                edge,
                inputs,
                run: runs as u32 - 1,
            },
            _ => Step::Edge { edge, inputs },
        });
        node = machine.edge(edge).to;
    }
    steps
}

/// Random runs of a machine.
pub(crate) fn random_traces(machine: &Machine, count: u64, steps: u64) -> Vec<Trace> {
    let run = |seed| simulate(machine, &mut RandomChooser::new(seed), steps, None).trace;
    (0..count).map(run).collect()
}
