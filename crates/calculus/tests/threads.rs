//! The formulas for threads agree with brute force on generated programs and with the paper on the
//! Bluetooth driver.

use hardbop_calculus::algorithm::answer;
use hardbop_calculus::threads::{ThreadBound, ThreadProblem, fixed};
use hardbop_calculus::{Decided, Extent, decide_threads};
use hardbop_fixpoint::{Limits, Options, Solver};
use hardbop_formula::load_text;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Limit, Question};
use hardbop_syntax::Source;
use hardbop_testkit::generator::ThreadForm;
use hardbop_testkit::{ContextOracle, Cost, Knobs, generate, shrink};

fn driver(configuration: &str) -> Machine {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
    let text = std::fs::read_to_string(format!("{folder}bluetooth{configuration}.bp"));
    from_text("bluetooth.bp", &text.expect("the examples are there")).expect("it is valid")
}

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).expect("a program")
}

/// The most threads.
const THREADS: u32 = 3;

/// What the formula says, with this many threads.
fn decide(
    machine: &Machine,
    question: &Question,
    bound: ThreadBound,
    nodes: Option<u64>,
) -> Result<Decided, Limit> {
    let budget = Budget {
        nodes,
        threads: Some(THREADS),
        ..Budget::unlimited()
    };
    let targets: Vec<_> = question
        .targets()
        .iter()
        .map(|target| target.node)
        .collect();
    decide_threads(machine, &targets, bound, &budget)
}

/// Whether the first target is reached.
fn is_reached(machine: &Machine, question: &Question, bound: ThreadBound) -> bool {
    let decided = decide(machine, question, bound, None);
    decided.expect("nothing limits the solver").is_reached[0]
}

#[test]
fn the_driver_fails_from_as_many_switches_on_as_the_paper_says() {
    // One adder and one stopper: never, up to as many switches as the paper has tried.
    for (configuration, least) in [("", 7), ("-1-2", 3), ("-2-1", 4), ("-2-2", 3)] {
        let machine = driver(configuration);
        let question = Question::assertions(&machine);
        for switches in [least - 1, least]
            .into_iter()
            .filter(|&switches| switches < 7)
        {
            let found = is_reached(&machine, &question, ThreadBound::Contexts(switches));
            assert_eq!(found, switches >= least, "{configuration} {switches}");
        }
    }
}

/// What is wrong with the answers for a program; counts targets that are reached and that are not,
/// brute force having missed nothing.
fn disagreement(text: &str, cost: Cost, max_cost: u32, exact: &mut [u64; 2]) -> Option<String> {
    let machine = from_text("generated.bp", text).ok()?;
    let question = Question::every_target(&machine);
    let instances = machine.threads.iter().map(|thread| thread.instances);
    let threads = THREADS.max(instances.sum());
    let oracle = ContextOracle {
        cost,
        max_cost,
        max_configurations: 5_000,
        max_threads: threads as usize,
        ..ContextOracle::default()
    };
    let expected = oracle.least_costs(&machine, question.targets());
    for at_most in 0..=max_cost {
        let bound = match cost {
            Cost::Switches => ThreadBound::Contexts(at_most),
            Cost::Rounds => ThreadBound::Rounds(at_most + 1),
        };
        let decided = match decide(&machine, &question, bound, Some(1 << 20)) {
            Err(Limit::Nodes) => return None,
            other => other.expect("the program is supported"),
        };
        for (at, &found) in decided.is_reached.iter().enumerate() {
            let least = expected.reached[at].filter(|&least| least <= at_most);
            let is_wrong = if found {
                least.is_none() && expected.missed.is_none()
            } else {
                least.is_some()
            };
            let is_known = found || !decided.is_short_of_threads;
            if is_wrong {
                let target = &question.targets()[at];
                return Some(format!("{target} at {at_most}: {found}, not {least:?}"));
            }
            exact[usize::from(found)] +=
                u64::from(is_known && (found || expected.missed.is_none()));
        }
    }
    None
}

fn agree(cost: Cost, knobs: &Knobs, seeds: std::ops::Range<u64>, bound: u32) -> [u64; 2] {
    let mut exact = [0; 2];
    for seed in seeds {
        let text = generate(seed, knobs);
        if let Some(what) = disagreement(&text, cost, bound, &mut exact) {
            let small = shrink(&text, &mut |candidate| {
                disagreement(candidate, cost, bound, &mut [0; 2]).is_some()
            });
            let what_small = disagreement(&small, cost, bound, &mut [0; 2]);
            panic!("seed {seed}: {what}\n{text}\nshrunk ({what_small:?}):\n{small}");
        }
    }
    exact
}

/// Programs whose threads all run from the start.
fn knobs(threads: u32) -> Knobs {
    let mut knobs = Knobs::concurrent();
    knobs.forms = vec![ThreadForm::Blocks, ThreadForm::Getafix];
    knobs.threads = threads;
    knobs.recursion = 40;
    knobs.statement.call = 15;
    knobs.statement.start_thread = 0;
    knobs.statement.atomic = 0;
    knobs
}

#[test]
fn context_switches_of_two_threads_are_those_of_brute_force() {
    let exact = agree(Cost::Switches, &knobs(2), 0..60, 4);
    assert!(exact.iter().all(|&count| count > 40), "{exact:?}");
}

#[test]
fn context_switches_of_three_threads_are_those_of_brute_force() {
    let exact = agree(Cost::Switches, &knobs(3), 100..130, 3);
    assert!(exact.iter().all(|&count| count > 20), "{exact:?}");
}

#[test]
fn rounds_of_two_threads_are_those_of_brute_force() {
    let exact = agree(Cost::Rounds, &knobs(2), 200..240, 2);
    assert!(exact.iter().all(|&count| count > 20), "{exact:?}");
}

#[test]
fn rounds_of_three_threads_are_those_of_brute_force() {
    let exact = agree(Cost::Rounds, &knobs(3), 300..320, 2);
    assert!(exact.iter().all(|&count| count > 20), "{exact:?}");
}

#[test]
fn blocks_and_started_threads_are_those_of_brute_force() {
    let mut knobs = Knobs::concurrent();
    knobs.threads = 1;
    knobs.statement.atomic = 15;
    knobs.statement.assume = 6;
    knobs.statement.start_thread = 8;
    let exact = agree(Cost::Switches, &knobs, 400..430, 3);
    assert!(exact.iter().all(|&count| count > 20), "{exact:?}");
}

/// A thread may step only where the other has not: the numbers say how many switches and rounds `L`
/// takes.
const TURNS: &str = "decl a := 0, b := 0;
thread one begin void main() begin assume(b); a := 1; assume(!b); L: skip; end end
thread two begin void main() begin b := 1; assume(a); b := 0; end end";

#[test]
fn taking_turns_costs_switches_and_rounds() {
    let machine = machine(TURNS);
    let question = Question::label(&machine, "L");
    let reached = |bound| is_reached(&machine, &question, bound);
    assert!(!reached(ThreadBound::Contexts(2)) && reached(ThreadBound::Contexts(3)));
    assert!(!reached(ThreadBound::Rounds(2)) && reached(ThreadBound::Rounds(3)));
}

#[test]
fn a_flag_keeps_others_out_and_init_runs_before_all() {
    let text = "decl atomic; decl g;
void init() begin atomic := 1; g := 0; end
void main() begin skip; end
void thread1() begin atomic := 1; g := 1; g := 0; atomic := 0; end
void thread2() begin decl x; x := g; atomic := 0; if (x) then L: skip; fi M: skip; end";
    let machine = machine(text);
    let l = Question::label(&machine, "L");
    let m = Question::label(&machine, "M");
    for bound in [ThreadBound::Contexts(3), ThreadBound::Rounds(2)] {
        assert!(!is_reached(&machine, &l, bound), "{bound:?}");
        assert!(is_reached(&machine, &m, bound), "{bound:?}");
    }
    // The flag that `init` leaves belongs to nobody: any thread may start.
    assert!(is_reached(&machine, &m, ThreadBound::Contexts(0)));
    assert!(is_reached(&machine, &m, ThreadBound::Rounds(1)));
}

#[test]
fn threads_start_where_init_ends_itself() {
    let text = "decl g := 0;
void init() begin if (*) then g := 1; end_thread; fi end_thread; end
thread t begin void main() begin if (g) then L: skip; fi end end";
    let machine = machine(text);
    let l = Question::label(&machine, "L");
    for bound in [ThreadBound::Contexts(0), ThreadBound::Rounds(1)] {
        assert!(is_reached(&machine, &l, bound), "{bound:?}");
    }
}

#[test]
fn a_thread_that_waits_inside_a_block_lets_others_run_until_it_can_go_on() {
    let text = "decl s := 0, a := 0, b := 0;
thread one begin void main() begin atomic_begin; s := 1; assume(a); if (b) then L: skip; fi M: atomic_end; end end
thread two begin void main() begin assume(s); a := 1; b := 1; end end";
    let machine = machine(text);
    let reached = |label, bound| is_reached(&machine, &Question::label(&machine, label), bound);
    // As soon as `a` is set only the first thread may run: it never sees `b`.
    assert!(!reached("L", ThreadBound::Contexts(4)) && !reached("L", ThreadBound::Rounds(3)));
    assert!(!reached("M", ThreadBound::Contexts(1)) && reached("M", ThreadBound::Contexts(2)));
    assert!(!reached("M", ThreadBound::Rounds(1)) && reached("M", ThreadBound::Rounds(2)));
}

#[test]
fn a_started_thread_is_at_its_first_statement_before_it_runs() {
    let text =
        "void main() begin start_thread f(); start_thread f(); start_thread f(); K: skip; end
void f() begin L: skip; M: skip; end";
    let machine = machine(text);
    let decided = |label, switches| {
        let bound = ThreadBound::Contexts(switches);
        let question = Question::label(&machine, label);
        let decided = decide(&machine, &question, bound, None);
        let decided = decided.expect("nothing limits the solver");
        (decided.is_reached[0], decided.is_short_of_threads)
    };
    assert!(decided("L", 0).0);
    // Three threads are one too many.
    assert_eq!(decided("M", 0), (false, true));
    assert!(decided("M", 1).0);
    assert_eq!(decided("K", 0), (false, true));
}

#[test]
fn what_is_not_in_the_formula_is_refused() {
    let text = "decl g := 0;
void init() begin start_thread f(); end
void f() begin g := 1; end
thread one begin void main() begin L: skip; end end";
    let refused = fixed(&machine(text), THREADS).map(|_| ()).unwrap_err();
    assert_eq!(refused, "an `init` that starts threads");
}

#[test]
fn the_text_of_a_problem_has_the_same_answer() {
    let machine = machine(TURNS);
    let question = Question::label(&machine, "L");
    let targets: Vec<_> = question
        .targets()
        .iter()
        .map(|target| target.node)
        .collect();
    for (bound, expected) in [
        (ThreadBound::Contexts(0), false),
        (ThreadBound::Contexts(2), false),
        (ThreadBound::Contexts(3), true),
        (ThreadBound::Rounds(1), false),
        (ThreadBound::Rounds(3), true),
    ] {
        let threads = fixed(&machine, THREADS).expect("it is taken");
        let extent = Extent::Sliced;
        let text = ThreadProblem::new(&threads, &targets, bound, None, extent).text();
        let read = load_text(&Source::new("problem.mu", &text));
        assert!(
            read.diagnostics.is_empty(),
            "{:?}\n{text}",
            read.diagnostics
        );
        let system = read.system.expect("the text is well-formed");
        let mut solver = Solver::new(&system, &Options::default(), &Limits::default());
        let asked = answer(&system).expect("it asks something");
        assert_eq!(solver.query(asked), Ok(expected), "{bound:?}");
    }
}
