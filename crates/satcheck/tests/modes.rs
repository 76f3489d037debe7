//! Whatever is made explicit, and however small the functions are that get names: the answers are
//! the same.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Budget, Engine, Evidence, NeverInterrupted, Question, Silent, Support, Verdict,
};
use hardbop_satcheck::{SatEngine, Split};
use hardbop_testkit::generator::{Knobs, generate};

const SPLITS: [Split; 5] = [
    Split::Auto,
    Split::Never,
    Split::Always,
    Split::Nodes(1),
    Split::Nodes(3),
];

/// For each target whether it can be reached, with all evidence checked.
fn answers(machine: &Machine, engine: SatEngine) -> Vec<bool> {
    let question = Question::assertions(machine);
    let outcome = engine.check(machine, &question, &Budget::unlimited(), &mut Silent);
    for certificate in &outcome.certificates {
        hardbop_checker::validate(machine, certificate, &NeverInterrupted).unwrap();
    }
    let answers = outcome.answers.iter();
    answers
        .map(|answer| match &answer.verdict {
            Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
                hardbop_interpreter::replay(machine, trace).unwrap();
                true
            }
            Verdict::No(_) => {
                let mut certificates = outcome.certificates.iter();
                let target = answer.target().expect("places were asked for");
                assert!(certificates.any(|c| c.targets.contains(target)));
                false
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn all_modes_agree_on_generated_programs() {
    let mut seen = [0; 2];
    for knobs in [Knobs::sequential(), Knobs::integers()] {
        for seed in 1000..1025 {
            let text = generate(seed, &knobs);
            let machine = from_text("generated.bp", &text).unwrap();
            let expected = answers(&machine, SatEngine::default());
            for &answer in &expected {
                seen[usize::from(answer)] += 1;
            }
            for split in SPLITS {
                for name_nodes in [1, 300] {
                    let engine = SatEngine {
                        split,
                        name_nodes,
                        ..SatEngine::default()
                    };
                    let found = answers(&machine, engine);
                    assert_eq!(
                        found, expected,
                        "{split:?}, {name_nodes}, seed {seed} in\n{text}"
                    );
                }
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}

/// Each way around shifts a choice in, so the arguments at the head depend on choices of the loop.
const SHIFT: &str = "decl a, b, c; void main() begin decl x; a, b, c := 0, 0, 0;
  while (*) do x := *; a, b, c := x, a, b; od assert(!(a & !b & c)); end";

#[test]
fn a_choice_in_a_loop_is_made_anew_each_time_around() {
    let machine = from_text("shift.bp", SHIFT).unwrap();
    for split in SPLITS {
        let engine = SatEngine {
            split,
            ..SatEngine::default()
        };
        assert_eq!(answers(&machine, engine), [true], "{split:?}");
    }
}

/// Both calls choose, and they must be able to choose differently.
const TWICE: &str = "decl p, q; void main() begin p := choice(); q := choice(); assert(p = q); end
  bool choice() begin decl c; c := *; return c; end";

#[test]
fn a_procedure_that_is_called_twice_chooses_twice() {
    let machine = from_text("twice.bp", TWICE).unwrap();
    assert_eq!(answers(&machine, SatEngine::default()), [true]);
}

/// The product of two choices: no BDD of it is small, and every value is tried by the solver alone.
const PRODUCT: &str = "decl int<10> x, y, z; void main() begin x := *; y := *; z := x * y;
  assume(x > 1 & y > 1 & x < 32 & y < 32); assert(z != 899); end";

#[test]
fn a_product_is_factored_by_the_solver() {
    let machine = from_text("product.bp", PRODUCT).unwrap();
    let engine = SatEngine {
        split: Split::Never,
        ..SatEngine::default()
    };
    assert_eq!(answers(&machine, engine), [true]);
}

/// A prime: the choices are held by variables at first, and dead after the assertion.
const PRIME: &str = "decl int<10> x, y; void main() begin x, y := *, *;
  assume(x > 1 & y > 1 & x < 32 & y < 32); assert(x * y != 997); end";

#[test]
fn a_product_that_cannot_be_is_excluded_by_a_certificate_without_bdds() {
    let machine = from_text("prime.bp", PRIME).unwrap();
    assert_eq!(answers(&machine, SatEngine::default()), [false]);
}

#[test]
fn functions_of_the_initial_state_are_written_out_in_a_certificate() {
    for (family, size) in [("factoring-safe", 9), ("mixing-safe", 10)] {
        let instance = hardbop_families::find(family).unwrap().generate(size, 1);
        let machine = from_text("generated.bp", &instance.text).unwrap();
        let labels = machine.labels.iter().map(|label| label.name.clone());
        let question = Question::label(&machine, &labels.collect::<Vec<_>>()[0]);
        let budget = Budget {
            nodes: Some(200_000),
            ..Budget::unlimited()
        };
        let outcome = SatEngine::default().check(&machine, &question, &budget, &mut Silent);
        assert!(outcome.answers[0].verdict.is_no_for_all_runs(), "{family}");
        let certificate = &outcome.certificates[0];
        hardbop_checker::validate(&machine, certificate, &NeverInterrupted).unwrap();
    }
}
