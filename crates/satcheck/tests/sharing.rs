//! Shared terms and Figure 2 without sharing give the same answers, and sharing is worth it.

use hardbop_bdd::Manager;
use hardbop_machine::{Machine, NodeId, from_text};
use hardbop_outcome::{Budget, Engine, Evidence, Question, Silent, Target, Verdict};
use hardbop_satcheck::blocks::Blocks;
use hardbop_satcheck::closure::Closure;
use hardbop_satcheck::tree::{Tree, unshared};
use hardbop_satcheck::{SatEngine, Split};
use hardbop_testkit::generator::{Knobs, generate};
use hardbop_transform::hide::Precision;

const MOST_TRIPLES: usize = 3000;

/// What Figure 2 says about a target, and the number of terms when they are shared.
fn figure_2(machine: &Machine, target: NodeId) -> Option<(Tree, usize)> {
    let precision = Precision::exact(machine, &[target]);
    let blocks = Blocks::new(machine, &[target], precision);
    let manager = Manager::new(1 << 20);
    let mut closure = Closure::new(blocks, manager, Split::Auto, 300, 4).unwrap();
    let tree = unshared(&mut closure, target, MOST_TRIPLES).unwrap()?;
    // Where the depth of recursion was bounded, Figure 2 knows nothing beyond it.
    closure
        .postponed
        .is_empty()
        .then_some((tree, closure.terms.len()))
}

#[test]
fn shared_and_unshared_equations_have_the_same_solutions() {
    let presets = [Knobs::tiny(), Knobs::sequential(), Knobs::recursive()];
    let (mut compared, mut wrong, mut with_fixpoints) = (0, 0, 0);
    let (mut triples, mut terms) = (0, 0);
    for knobs in &presets {
        for seed in 0..60 {
            let text = generate(seed, knobs);
            let machine = from_text("generated.bp", &text).unwrap();
            let mut targets = Target::assertions(&machine);
            targets.truncate(2);
            let question = Question::reach(targets);
            let budget = Budget::unlimited();
            let outcome = SatEngine::default().check(&machine, &question, &budget, &mut Silent);
            for (target, answer) in question.targets().iter().zip(&outcome.answers) {
                let Some((tree, shared)) = figure_2(&machine, target.node) else {
                    continue;
                };
                let is_reachable = matches!(answer.verdict, Verdict::Found(_));
                assert_eq!(is_reachable, tree.is_wrong, "seed {seed} in\n{text}");
                compared += 1;
                wrong += usize::from(tree.is_wrong);
                with_fixpoints += usize::from(tree.fixpoints > 0);
                triples += tree.triples;
                terms += shared;
            }
        }
    }
    assert!(
        compared > 150 && wrong > 50 && with_fixpoints > 20,
        "{compared} {wrong} {with_fixpoints}"
    );
    assert!(terms * 2 < triples, "{terms} terms and {triples} triples");
}

/// Example (0) of the paper.
const EXAMPLE: &str =
    "var x, y;\nA: x := true; goto B;\nB: assert x; x := x & y; goto B or C;\nC:\n";

#[test]
fn the_papers_example_goes_wrong_only_if_y_is_false_at_first() {
    let machine = from_text("example.gp", EXAMPLE).unwrap();
    let question = Question::assertions(&machine);
    let outcome =
        SatEngine::default().check(&machine, &question, &Budget::unlimited(), &mut Silent);
    let Verdict::Found(Evidence::Run(trace)) = &outcome.answers[0].verdict else {
        panic!("the example is erroneous");
    };
    assert_eq!(trace.globals[1], 0);
    let (tree, _) = figure_2(&machine, question.targets()[0].node).unwrap();
    assert!(tree.is_wrong && tree.fixpoints > 0);
}
