//! The clauses in a file say what the engine says, for any solver that reads DIMACS.

use hardbop_machine::{Machine, NodeId, from_text};
use hardbop_outcome::{Budget, Engine, Question, Silent, Verdict};
use hardbop_sat::{Answer, Circuit, Lit, Solver};
use hardbop_satcheck::{Characterization, SatEngine, Split};
use hardbop_testkit::{Knobs, generate};

/// Reads a file as any solver would, and solves it.
fn is_satisfiable(dimacs: &str) -> bool {
    let mut circuit = Circuit::new(Solver::new());
    let mut variables: Vec<Lit> = Vec::new();
    let mut announced = None;
    let mut clauses = 0;
    for line in dimacs.lines().filter(|line| !line.starts_with('c')) {
        if let Some(sizes) = line.strip_prefix("p cnf ") {
            let sizes: Vec<usize> = sizes.split(' ').map(|n| n.parse().unwrap()).collect();
            variables = (0..sizes[0]).map(|_| circuit.input()).collect();
            announced = Some(sizes[1]);
            continue;
        }
        let numbers = line.split_whitespace().map(|n| n.parse::<i64>().unwrap());
        let numbers: Vec<i64> = numbers.collect();
        let (&end, literals) = numbers.split_last().unwrap();
        assert_eq!(end, 0);
        let literal = |&n: &i64| {
            let variable = variables[n.unsigned_abs() as usize - 1];
            variable.negated_if(n < 0)
        };
        let clause: Vec<Lit> = literals.iter().map(literal).collect();
        circuit.solver().add_clause(&clause);
        clauses += 1;
    }
    assert_eq!(announced, Some(clauses));
    circuit.solve(&[]) == Answer::Sat
}

fn characterize(machine: &Machine, engine: &SatEngine) -> Characterization {
    let question = Question::assertions(machine);
    let targets: Vec<NodeId> = question.targets().iter().map(|t| t.node).collect();
    let budget = Budget::unlimited();
    engine.characterize(machine, &targets, &budget).unwrap()
}

#[test]
fn the_clauses_have_a_solution_iff_an_assertion_fails() {
    let mut counts = [0, 0];
    for split in [Split::Auto, Split::Initial] {
        let engine = SatEngine {
            split,
            ..SatEngine::default()
        };
        for (seed, knobs) in (0..60).zip([Knobs::recursive(), Knobs::integers()].iter().cycle()) {
            let text = generate(seed, knobs);
            let machine = from_text("t.bp", &text).unwrap();
            let exported = characterize(&machine, &engine);
            if exported.is_bounded {
                continue;
            }
            let question = Question::assertions(&machine);
            let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
            let mut answers = outcome.answers.iter();
            let fails = answers.any(|answer| matches!(answer.verdict, Verdict::Yes(_)));
            assert_eq!(is_satisfiable(&exported.dimacs), fails, "{text}");
            counts[usize::from(fails)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

#[test]
fn triples_that_support_each_other_in_a_circle_are_no_solution() {
    let text =
        "decl g; void main() begin g := 0; while (*) do if (g) then g := 0; fi od assert(!g); end";
    let machine = from_text("t.bp", text).unwrap();
    let exported = characterize(&machine, &SatEngine::default());
    assert!(!is_satisfiable(&exported.dimacs));
    assert!(
        exported
            .dimacs
            .starts_with("c t.bp: satisfiable if a target is reached\n")
    );
}

#[test]
fn nothing_is_made_behind_the_last_target() {
    let behind: String = (0..200)
        .map(|_| "if (*) then g := !h; else h := g & h; fi ")
        .collect();
    let text = format!("decl g, h; void main() begin g := h; assert(g = h); {behind} end");
    let machine = from_text("t.bp", &text).unwrap();
    let exported = characterize(&machine, &SatEngine::default());
    assert!(exported.terms < 6, "{} terms", exported.terms);
    assert!(!is_satisfiable(&exported.dimacs));
}
