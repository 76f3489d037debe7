//! The example `delay-bounded.mu` agrees with a search that counts delays, on generated programs.

use hardbop_brute_force::{Bounds, initial_configurations, successors};
use hardbop_calculus::algorithm::answer;
use hardbop_calculus::threads::{ThreadBound, fixed};
use hardbop_calculus::{Algorithm, Extent, thread_problem};
use hardbop_fixpoint::{Limits, Options, Solver};
use hardbop_interpreter::{Configuration, Move};
use hardbop_machine::{Machine, NodeId, from_text};
use hardbop_testkit::generator::ThreadForm;
use hardbop_testkit::{Knobs, generate};
use std::collections::HashSet;

const DELAY_BOUNDED: &str = include_str!("../../../examples/calculus/delay-bounded.mu");
const SWITCHES: u32 = 3;

fn by_formula(machine: &Machine, targets: &[NodeId], delays: u32) -> bool {
    let text = DELAY_BOUNDED.replacen("( d = 1 )", &format!("( d = {delays} )"), 1);
    assert!(delays == 1 || text != DELAY_BOUNDED);
    let algorithm = Algorithm::own("delay-bounded.mu", &text, Vec::new());
    let threads = fixed(machine, 3).expect("the formulas take it");
    let bound = ThreadBound::Contexts(SWITCHES);
    let extent = Some(Extent::Sliced);
    let (_, checked) = thread_problem(&threads, targets, bound, Some(&algorithm), extent);
    let messages: Vec<&String> = checked.diagnostics.iter().map(|d| &d.message).collect();
    let system = checked
        .system
        .as_ref()
        .unwrap_or_else(|| panic!("{messages:?}"));
    let mut solver = Solver::new(system, &Options::default(), &Limits::default());
    let question = answer(system).expect("it asks something");
    solver.query(question).expect("nothing limits the solver")
}

/// Whether a target is reached with at most this many delays; nothing if there are too many states.
fn by_search(machine: &Machine, targets: &[NodeId], most: u32) -> Option<bool> {
    let bounds = Bounds {
        stack: 8,
        threads: 3,
    };
    let count = machine.instance_count() as u32;
    let mut pending: Vec<(Configuration, u32, u32, u32)> = Vec::new();
    let starts = initial_configurations(machine).ok()?;
    pending.extend(starts.into_iter().map(|start| (start, 0, 0, 0)));
    let mut known: HashSet<(Configuration, u32, u32, u32)> = pending.iter().cloned().collect();
    let mut missed = None;
    while let Some((now, thread, switches, delays)) = pending.pop() {
        if known.len() > 100_000 {
            return None;
        }
        if targets.iter().any(|&target| now.is_at(target)) {
            return Some(true);
        }
        let steps = successors(machine, &now, bounds, &mut missed).ok()?;
        let own = steps.into_iter().filter(|step| step.thread == thread);
        // A thread that only has to return from its first frame has ended.
        let is_last = now.threads[thread as usize].stack.len() <= 1;
        let own: Vec<_> = own
            .filter(|step| !(is_last && step.step == Move::Return))
            .collect();
        let mut next = Vec::new();
        if switches < SWITCHES {
            let cost = u32::from(!own.is_empty());
            if delays + cost <= most {
                let other = (thread + 1) % count;
                next.push((now.clone(), other, switches + 1, delays + cost));
            }
        }
        next.extend(
            own.into_iter()
                .map(|step| (step.to, thread, switches, delays)),
        );
        for state in next {
            if known.insert(state.clone()) {
                pending.push(state);
            }
        }
    }
    missed.is_none().then_some(false)
}

#[test]
fn a_program_may_need_two_delays() {
    let text = "decl a := 0, b := 0;
thread one begin
  void main() begin
    decl c;
    a := 1;
    c := b;
    a := 0;
    assert(!c);
  end
end
thread two begin
  void main() begin
    if (a) then
      b := 1;
      b := 0;
    fi
  end
end
";
    let machine = from_text("test.bp", text).expect("a program");
    let targets: Vec<NodeId> = machine.assertions.iter().map(|a| a.failure).collect();
    for (delays, expected) in [(0, false), (1, false), (2, true)] {
        assert_eq!(by_search(&machine, &targets, delays), Some(expected));
        assert_eq!(
            by_formula(&machine, &targets, delays),
            expected,
            "{delays} delays"
        );
    }
}

#[test]
fn few_delays_reach_what_a_search_with_that_scheduler_reaches() {
    let mut knobs = Knobs::relay();
    knobs.forms = vec![ThreadForm::Blocks];
    knobs.statement.start_thread = 0;
    knobs.statement.end_thread = 0;
    knobs.statement.atomic = 0;
    let mut answers = [[0, 0]; 3];
    for seed in 0..60 {
        let text = generate(seed, &knobs);
        let machine = from_text("test.bp", &text).expect("a program");
        if machine.init.is_some() || machine.instance_count() < 2 {
            continue;
        }
        let targets: Vec<NodeId> = machine.assertions.iter().map(|a| a.failure).collect();
        for delays in 0..3 {
            let Some(expected) = by_search(&machine, &targets, delays) else {
                continue;
            };
            let found = by_formula(&machine, &targets, delays);
            assert_eq!(found, expected, "{delays} delays, seed {seed}:\n{text}");
            answers[delays as usize][usize::from(found)] += 1;
        }
    }
    // Some programs need a delay.
    assert!(answers[0][1] > 0, "{answers:?}");
    assert!(answers[1][1] > answers[0][1], "{answers:?}");
    assert!(answers[2][0] > 0, "{answers:?}");
}
