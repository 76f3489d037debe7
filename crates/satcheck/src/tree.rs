//! Figure 2 as printed: no sharing, every call inlined. Shared terms give the same answers, and
//! sharing is worth it.
//!
//! Every mention of a function term is a triple of its own, whose context is the path that leads to
//! it; a term that is on its path already is a fixpoint triple and equals `true`. (The caption of
//! the figure says that the conjunction of the equations is satisfiable iff the program is correct;
//! it is, iff the program is *erroneous*, as section 3 itself begins.) Calls are copied for each
//! call string. The right-hand sides are those of [`crate::encoding::closure`], so what is compared
//! is sharing and nothing else.

use crate::SatEngine;
use crate::encoding::blocks::Blocks;
use crate::encoding::closure::Closure;
use crate::encoding::evaluate::Trouble;
use crate::encoding::split::Split;
use crate::encoding::terms::{HopKind, TermId};
use crate::search::equations::{Equations, SolverEquations};
use hardbop_bdd::Manager;
use hardbop_machine::{Machine, NodeId, from_text};
use hardbop_outcome::{Budget, Engine, Evidence, Question, Silent, Support, Target, Verdict};
use hardbop_sat::{Answer, Lit, Solver};
use hardbop_testkit::generator::{Knobs, generate};
use std::collections::HashSet;
use std::rc::Rc;

/// What Figure 2 gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    /// Whether the target can be reached.
    pub(crate) is_wrong: bool,
    /// How many triples there are.
    pub(crate) triples: usize,
    /// How many of them are fixpoint triples.
    pub(crate) fixpoints: usize,
}

/// The calls that wait, innermost first.
type Stack = Option<Rc<Waiting>>;

#[derive(Debug, PartialEq, Eq, Hash)]
struct Waiting {
    caller: TermId,
    hop: u32,
    below: Stack,
}

/// A triple while its right-hand side is being made.
struct Open {
    key: (Stack, TermId),
    /// Where it can go, the last first.
    next: Vec<(Stack, TermId, Lit)>,
    /// Under which condition its user goes here.
    condition: Lit,
    disjuncts: Vec<Lit>,
}

/// The equations of Figure 2 for one target, solved; nothing if there are more triples than
/// allowed. The closure is completed first.
pub(crate) fn unshared(
    closure: &mut Closure<'_, '_>,
    target: NodeId,
    most_triples: usize,
) -> Result<Option<Tree>, Trouble> {
    while let Some(id) = closure.pending.pop_front() {
        closure.expand(id)?;
        if closure.terms.len() > most_triples {
            return Ok(None);
        }
    }
    let mut equations = Equations::new(Solver::new(), &[]);
    let mut on_path: HashSet<(Stack, TermId)> = HashSet::new();
    let mut tree = Tree {
        is_wrong: false,
        triples: 1,
        fixpoints: 0,
    };
    let truth = equations.circuit().constant(true);
    let root = open(closure, &mut equations, (None, TermId(0)), truth);
    on_path.insert(root.key.clone());
    let mut path = vec![root];
    loop {
        let Some(top) = path.last_mut() else {
            return Ok(None);
        };
        if let Some((stack, term, condition)) = top.next.pop() {
            tree.triples += 1;
            if tree.triples > most_triples {
                return Ok(None);
            }
            let key = (stack, term);
            if on_path.contains(&key) {
                tree.fixpoints += 1;
            } else {
                on_path.insert(key.clone());
                let opened = open(closure, &mut equations, key, condition);
                path.push(opened);
            }
            continue;
        }
        let Some(done) = path.pop() else {
            return Ok(None);
        };
        on_path.remove(&done.key);
        let is_target = closure.terms.get(done.key.1).node == target;
        let circuit = equations.circuit();
        let own = circuit.constant(is_target);
        let wrong = circuit.any(done.disjuncts.into_iter().chain([own]));
        match path.last_mut() {
            Some(user) => user.disjuncts.push(circuit.and(done.condition, wrong)),
            None => {
                tree.is_wrong = circuit.solve(&[wrong]) == Answer::Sat;
                return Ok(Some(tree));
            }
        }
    }
}

fn open(
    closure: &Closure<'_, '_>,
    equations: &mut SolverEquations<'_>,
    key: (Stack, TermId),
    condition: Lit,
) -> Open {
    let (stack, id) = &key;
    let mut next = Vec::new();
    for (number, hop) in (0..).zip(&closure.terms.get(*id).hops) {
        let stack = match hop.kind {
            HopKind::Step => stack.clone(),
            HopKind::Call(_) => Some(Rc::new(Waiting {
                caller: *id,
                hop: number,
                below: stack.clone(),
            })),
            // Inlined, a call comes back where the callee ends.
            HopKind::Return(_) => continue,
        };
        next.push((stack, hop.to, equations.function(closure, hop.condition)));
    }
    if let Some(waiting) = stack {
        let hops = &closure.terms.get(waiting.caller).hops;
        let edge = hops[waiting.hop as usize].edge;
        for hop in hops {
            if hop.kind == HopKind::Return(*id) && hop.edge == edge {
                let condition = equations.function(closure, hop.condition);
                next.push((waiting.below.clone(), hop.to, condition));
            }
        }
    }
    Open {
        key,
        next,
        condition,
        disjuncts: Vec::new(),
    }
}

const MOST_TRIPLES: usize = 3000;

/// What Figure 2 says about a target, and the number of terms when they are shared.
fn figure_2(machine: &Machine, target: NodeId) -> Option<(Tree, usize)> {
    let blocks = Blocks::new(machine, &[target]);
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
        for seed in 0..80 {
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
                let is_reachable = matches!(answer.verdict, Verdict::Yes(_));
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
    let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &outcome.answers[0].verdict else {
        panic!("the example is erroneous");
    };
    assert_eq!(trace.globals[1], 0);
    let (tree, _) = figure_2(&machine, question.targets()[0].node).unwrap();
    assert!(tree.is_wrong && tree.fixpoints > 0);
}
