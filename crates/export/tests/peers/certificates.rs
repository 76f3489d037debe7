//! Z3 confirms the certificates of the engines, and refutes a condition of exactly those damaged
//! ones that the checker rejects.

use crate::programs::{examples, generated};
use crate::support::{SmtSolver, ask};
use hardbop_checker::{Rejected, validate};
use hardbop_evidence::certificate::{Bit, Direction, Formula, NodeRelation};
use hardbop_export::certificate_script;
use hardbop_machine::{GlobalId, Machine, NodeId, Variable, from_text};
use hardbop_outcome::{Budget, Certificate, NeverInterrupted, Question, Target};
use hardbop_portfolio::{EngineName, Options};
use hardbop_testkit::random::Random;
use hardbop_testkit::{Knobs, generate};

/// The example of docs/certificates.md.
const FLIP: &str = "\
decl g := 0;
void main() begin
  flip();
  assert(g);
end
void flip() begin
  g := !g;
end
";

/// Damages one thing.
fn damage(random: &mut Random, certificate: &mut Certificate) {
    let count = certificate.formulas.len();
    let negated = |formula| Formula::Not(formula);
    let relations = certificate.nodes.len() + certificate.turns.len();
    match random.below(4) {
        0 if !certificate.nodes.is_empty() => {
            let node = random.below(certificate.nodes.len());
            certificate.nodes.remove(node);
        }
        0 if !certificate.turns.is_empty() => {
            let turn = random.below(certificate.turns.len());
            certificate.turns.remove(turn);
        }
        1 if relations > 0 => {
            let which = random.below(relations);
            let relation = match certificate.nodes.get_mut(which) {
                Some(node) if random.percent(50) && node.to_exit.is_some() => {
                    node.to_exit.as_mut().expect("it was there")
                }
                Some(node) => &mut node.relation,
                None => &mut certificate.turns[which - certificate.nodes.len()].relation,
            };
            certificate.formulas.push(if random.percent(50) {
                negated(*relation)
            } else {
                Formula::Constant(random.percent(50))
            });
            *relation = count as u32;
        }
        _ if count > 0 => {
            let index = random.below(count);
            let formula = &mut certificate.formulas[index];
            *formula = match formula.clone() {
                Formula::Constant(value) => Formula::Constant(!value),
                Formula::Not(_) if index > 0 => Formula::Not(random.below(index) as u32),
                Formula::And(mut operands) if !operands.is_empty() => {
                    operands.remove(random.below(operands.len()));
                    Formula::And(operands)
                }
                Formula::Or(mut operands) if !operands.is_empty() => {
                    operands.remove(random.below(operands.len()));
                    Formula::Or(operands)
                }
                Formula::Ite(c, a, b) => Formula::Ite(c, b, a),
                _ => Formula::Constant(random.percent(50)),
            };
        }
        _ => {}
    }
}

/// Whether the solver finds all conditions to hold.
fn confirms(solver: &SmtSolver, machine: &Machine, certificate: &Certificate) -> Option<bool> {
    let script = certificate_script(machine, std::slice::from_ref(certificate)).ok()?;
    let answers = solver.answers(&script);
    let is_answer = |answer: &String| answer == "sat" || answer == "unsat";
    assert!(answers.iter().all(is_answer), "{answers:?}");
    assert!(script.contains(&format!("; {} conditions\n", answers.len())));
    Some(answers.iter().all(|answer| answer == "unsat"))
}

/// Confirms certificates and damaged ones; gives how many of the latter were accepted and rejected.
fn compare(
    solver: &SmtSolver,
    machine: &Machine,
    certificates: &[Certificate],
    seed: u64,
) -> [u32; 2] {
    let mut counts = [0, 0];
    let text = machine.source.text();
    for certificate in certificates {
        assert_eq!(confirms(solver, machine, certificate), Some(true), "{text}");
        let mut random = Random::new(seed);
        for round in 0..4 {
            let mut damaged = certificate.clone();
            damage(&mut random, &mut damaged);
            let expected = match validate(machine, &damaged, &NeverInterrupted) {
                Ok(_) => Some(true),
                Err(Rejected::Broken(_)) => Some(false),
                Err(_) => None,
            };
            let answer = confirms(solver, machine, &damaged);
            assert_eq!(answer, expected, "round {round}\n{text}");
            if let Some(accepted) = expected {
                counts[usize::from(!accepted)] += 1;
            }
        }
    }
    counts
}

fn compare_all(
    programs: Vec<(String, Machine, Vec<Target>)>,
    engine: EngineName,
    direction: Direction,
) {
    let Some(solver) = SmtSolver::find() else {
        return;
    };
    let mut counts = [0, 0];
    for (seed, (_, machine, targets)) in programs.into_iter().enumerate() {
        let mut certificates = ask(&machine, targets, engine).certificates;
        certificates.retain(|certificate| certificate.direction == direction);
        let [accepted, rejected] = compare(&solver, &machine, &certificates, seed as u64);
        counts = [counts[0] + accepted, counts[1] + rejected];
    }
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
}

#[test]
fn forward_certificates_are_judged_as_the_checker_judges_them() {
    let programs = generated(0..10).into_iter().chain(examples()).collect();
    compare_all(programs, EngineName::Summary, Direction::Forward);
}

/// The backward certificate of docs/certificates.md: no engine writes such ones any more.
fn backward_example() -> (Machine, Certificate) {
    let machine = from_text("flip.bp", FLIP).expect("the program is good");
    let g = |moment: fn(Bit) -> Formula| {
        moment(Bit {
            variable: Variable::Global(GlobalId(0)),
            bit: 0,
        })
    };
    let formulas = vec![
        Formula::Constant(false),
        Formula::Constant(true),
        g(Formula::Now),
        Formula::Not(2),
        g(Formula::Exit),
        Formula::Not(4),
        Formula::And(vec![2, 5]),
        Formula::And(vec![3, 5]),
    ];
    let relations = [
        (0, 2, None),
        (1, 3, None),
        (2, 1, None),
        (4, 0, Some(6)),
        (5, 0, Some(7)),
    ];
    let nodes = relations.map(|(node, relation, to_exit)| NodeRelation {
        to_exit,
        ..NodeRelation::new(&machine, NodeId(node), relation)
    });
    let targets = Target::assertions(&machine);
    let direction = Direction::Backward;
    let certificate = Certificate::new(&machine, direction, targets, formulas, nodes.to_vec());
    (machine, certificate)
}

#[test]
fn backward_certificates_are_judged_as_the_checker_judges_them() {
    let Some(solver) = SmtSolver::find() else {
        return;
    };
    let (machine, certificate) = backward_example();
    let mut counts = [0, 0];
    for seed in 0..12 {
        let certificates = std::slice::from_ref(&certificate);
        let [accepted, rejected] = compare(&solver, &machine, certificates, seed);
        counts = [counts[0] + accepted, counts[1] + rejected];
    }
    assert!(counts.iter().all(|&count| count > 2), "{counts:?}");
}

#[test]
fn interleaved_certificates_are_judged_as_the_checker_judges_them() {
    let programs = (0..80).filter_map(|seed| {
        let knobs = if seed % 2 == 0 {
            Knobs::concurrent()
        } else {
            Knobs::relay()
        };
        let machine = from_text("random.bp", &generate(seed, &knobs));
        let machine = machine.expect("generated programs are good");
        let mut targets = Target::assertions(&machine);
        targets.extend(Target::labels(&machine, "TARGET"));
        let question = Question::reach(targets.clone());
        let engine = EngineName::Interleaving.engine(&Options::default());
        let is_good = !targets.is_empty()
            && engine
                .prepare(&machine, &question, &Budget::unlimited())
                .is_ok();
        is_good.then(|| (format!("threads {seed}"), machine, targets))
    });
    compare_all(
        programs.collect(),
        EngineName::Interleaving,
        Direction::Interleaved,
    );
}

#[test]
fn each_condition_says_in_words_of_the_source_what_it_checks() {
    let machine = from_text("flip.bp", FLIP).expect("the program is good");
    let outcome = ask(&machine, Target::assertions(&machine), EngineName::Summary);
    let script = certificate_script(&machine, &outcome.certificates).expect("it is sequential");
    let titles: Vec<&str> = script
        .lines()
        .filter(|l| l.starts_with("; ") && l.contains(". ") && l.contains("line "))
        .collect();
    let titles = titles.join("\n") + "\n";
    expect_test::expect![[r#"
            ; 1. Initial: every initial state is in the relation at main, line 3: flip()
            ; 2. Target: the relation is empty at main, line 4: assert(g)
            ; 3. Call: main, edge 0 from node 0 to 1, line 3: flip(): the callee is entered in its relation
            ; 4. Return: main, edge 0 from node 0 to 1, line 3: flip(): the callee's summary leads into the relation after it
            ; 5. Step: main, edge 1 from node 1 to 3, line 4: assert(g)
            ; 6. Step: main, edge 2 from node 1 to 2, line 4: assert(g)
            ; 7. Step: flip, edge 3 from node 4 to 5, line 7: g := !g
        "#]]
    .assert_eq(&titles);
}
