//! Spacer, the Horn solver of Z3, answers what hardbop answers.

use crate::programs::{examples, generated};
use crate::support::{SmtSolver, ask, is_reached};
use hardbop_machine::Machine;
use hardbop_outcome::Target;
use hardbop_portfolio::EngineName;

fn compare(programs: Vec<(String, Machine, Vec<Target>)>) -> [u32; 2] {
    let mut counts = [0, 0];
    let Some(solver) = SmtSolver::find() else {
        return [u32::MAX; 2];
    };
    for (name, machine, targets) in programs {
        let script = hardbop_export::chc(&machine, &targets).expect("it is sequential");
        let expected = is_reached(&ask(&machine, targets, EngineName::Summary));
        // Z3 stops after five seconds; a program that takes it longer is left out.
        let answers = solver.answers(&format!("(set-option :timeout 5000)\n{script}"));
        if answers == ["unknown"] || answers == ["timeout"] {
            continue;
        }
        let word = if expected { "unsat" } else { "sat" };
        assert_eq!(
            answers,
            [word],
            "{name}\n{}\n{script}",
            machine.source.text()
        );
        counts[usize::from(expected)] += 1;
    }
    counts
}

#[test]
fn spacer_agrees_on_generated_programs() {
    let counts = compare(generated(0..12));
    assert!(counts.iter().all(|&count| count > 8), "{counts:?}");
}

#[test]
fn spacer_agrees_on_the_examples_one_target_at_a_time() {
    let single = |(name, machine, targets): (String, Machine, Vec<Target>)| {
        let each = targets.into_iter();
        each.map(move |target| (name.clone(), machine.clone(), vec![target]))
    };
    let counts = compare(examples().into_iter().flat_map(single).collect());
    assert!(counts.iter().all(|&count| count > 2), "{counts:?}");
}

/// Names that mean something to a solver, or that only bars can hold.
#[test]
fn names_of_the_source_are_kept_where_they_are_legal() {
    let text = "decl {x==0}, true1, and, not := 0; void main() begin decl or; or := and; L: not := \
                !{x==0}; assert(or | not); end";
    let Ok(machine) = hardbop_machine::from_text("t.bp", text) else {
        panic!("the program is good");
    };
    let script = hardbop_export::chc(&machine, &Target::assertions(&machine)).unwrap();
    for name in ["|{x==0}|", " main.L ", "(and_2 Bool)", "(not_2 Bool)"] {
        assert!(script.contains(name), "{name}\n{script}");
    }
    if let Some(solver) = SmtSolver::find() {
        assert_eq!(solver.answers(&script), ["unsat"]);
    }
}
