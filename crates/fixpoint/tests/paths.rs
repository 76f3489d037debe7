//! Paths: the tuples that a witness or a counterexample follows from.

mod support;

use hardbop_fixpoint::{Limits, Options, PathLine, Proof, Solver, Strategy};
use hardbop_formula::{ActionKind, ArgumentBit, Formula, FormulaId, RelationId, System, load_text};
use hardbop_syntax::Source;
use std::collections::HashMap;
use support::enumeration::Enumeration;
use support::random::{self, Flavour, Random};

fn system(text: &str) -> System {
    let checked = load_text(&Source::new("test.mu", text));
    let messages: Vec<&str> = checked
        .diagnostics
        .iter()
        .map(|d| d.message.as_str())
        .collect();
    assert!(messages.is_empty(), "{messages:?}");
    checked.system.expect("a text without errors")
}

fn told(line: &PathLine) -> String {
    let indent = "  ".repeat(line.depth);
    let negation = if line.holds { "" } else { "not " };
    let round = line
        .round
        .map_or(String::new(), |round| format!(" {round}"));
    let values: Vec<String> = line.values.iter().map(ToString::to_string).collect();
    let told = match line.told {
        None => "",
        Some(false) => " above",
        Some(true) => " again",
    };
    format!(
        "{indent}{negation}{}{round}: {}{told}",
        line.name,
        values.join(", ")
    )
}

fn proofs(text: &str, strategy: Strategy, shows_all: bool) -> Vec<Proof> {
    let system = system(text);
    let options = Options {
        strategy,
        ..Options::default()
    };
    let mut solver = Solver::new(&system, &options, &Limits::default());
    let mut proofs = Vec::new();
    for action in &system.actions {
        let proof = match action.kind {
            ActionKind::Witness(formula) => solver.witness_with_path(formula, shows_all),
            ActionKind::Counterexample(formula) => {
                solver.counterexample_with_path(formula, shows_all)
            }
            _ => continue,
        };
        proofs.push(proof.expect("nothing limits it").expect("it is there"));
    }
    proofs
}

/// The path of the only question.
fn path(text: &str) -> Vec<String> {
    let mut proofs = proofs(text, Strategy::Fast, false);
    let proof = proofs.pop().expect("a question");
    let plain = crate::proofs(text, Strategy::Plain, false).pop();
    assert_eq!(
        plain.map(|p| p.path.map(|p| p.len())),
        Some(proof.path.clone().map(|p| p.len()))
    );
    proof.path.expect("a path").iter().map(told).collect()
}

fn refusal(text: &str) -> String {
    let proof = proofs(text, Strategy::Fast, false)
        .pop()
        .expect("a question");
    proof.path.expect_err("there is no path")
}

const TOWN: &str = "
    enum Place {0..7};
    bool Street(Place a, Place b)
      case a = 0 : b = 1 | b = 2; a = 1 : b = 3; a = 2 : b = 1; a = 3 : b = 4 | b = 1; a = 4 : b = 4;
           a = 6 : b = 7; esac;
";

#[test]
fn a_tuple_of_a_least_fixed_point_is_traced_to_where_it_starts() {
    let found = path(&format!(
        "{TOWN} mu bool Reached(Place p)
           p = 0 | (exists Place q. Reached(q) & Street(q, p)) {{show p}};
         #wit exists Place p. Reached(p) & p = 4;"
    ));
    assert_eq!(
        found,
        [
            "Reached 4: p = 4",
            "Reached 3: p = 3",
            "Reached 2: p = 1",
            "Reached 1: p = 0"
        ]
    );
}

#[test]
fn the_nearest_witness_is_chosen() {
    let found = path(&format!(
        "{TOWN} mu bool Reached(Place p)
           p = 0 | (exists Place q. Reached(q) & Street(q, p)) {{show p}};
         #wit exists Place p. Reached(p) & p != 0 & p != 1 & p != 2;"
    ));
    assert_eq!(
        found,
        ["Reached 3: p = 3", "Reached 2: p = 1", "Reached 1: p = 0"]
    );
}

#[test]
fn a_tuple_of_a_greatest_fixed_point_comes_back() {
    let found = path(&format!(
        "{TOWN} nu bool Away(Place p) exists Place q. (Street(p, q) & q != 4 & Away(q)) {{show p, q}};
         #wit Away(0);"
    ));
    assert_eq!(
        found,
        [
            "Away: p = 0, q = 1",
            "Away: p = 1, q = 3",
            "Away: p = 3, q = 1",
            "Away: p = 1, q = 3 again"
        ]
    );
}

#[test]
fn what_is_not_there_is_explained_by_all_that_would_have_to_be() {
    let text = format!(
        "{TOWN} nu bool Away(Place p) (exists Place q. Street(p, q) & Away(q)) {{show p}};
         #cex Away(6);"
    );
    assert_eq!(path(&text), ["not Away 2: p = 6", "not Away 1: p = 7"]);
    let text = format!(
        "{TOWN} mu bool Home(Place p) p = 0 | (exists Place q. Street(p, q) & Home(q)) {{show p}};
         #cex Home(3);"
    );
    // The street back is taken into account, and so is the other one.
    assert_eq!(
        path(&text),
        [
            "not Home: p = 3",
            "  not Home: p = 1",
            "  not Home: p = 3 again",
            "  not Home: p = 4",
            "  not Home: p = 4 again"
        ]
    );
}

#[test]
fn a_game_is_won_against_every_answer() {
    let found = path(
        "enum Heap {0..9};
         bool Move(Heap h, Heap i)
           case h = 2 : i = 1 | i = 0; h = 3 : i = 2 | i = 1; h = 4 : i = 3 | i = 2; h = 5 : i = 4 | i = 3;
                h = 1 : i = 0; esac;
         mu bool Win(Heap h) exists Heap i. (Move(h, i) & (forall Heap j. Move(i, j) -> Win(j))) {show h, i};
         #wit Win(5);",
    );
    assert_eq!(
        found,
        [
            "Win 2: h = 5, i = 3",
            "  Win 1: h = 1, i = 0",
            "  Win 1: h = 2, i = 0"
        ]
    );
}

#[test]
fn relations_that_need_each_other_are_told_in_turns() {
    let found = path(
        "enum N {0..9};
         bool Next(N a, N b) case a = 0 : b = 1; a = 1 : b = 2; a = 2 : b = 3; a = 3 : b = 4; esac;
         mu bool Odd(N n);
         mu bool Even(N n) (n = 0 | (exists N m. Odd(m) & Next(m, n))) {show \"an even\", n};
         mu bool Odd(N n) (exists N m. Even(m) & Next(m, n)) {show n};
         #wit Even(4);",
    );
    assert_eq!(
        found,
        [
            "an even 5: n = 4",
            "Odd 4: n = 3",
            "an even 3: n = 2",
            "Odd 2: n = 1",
            "an even 1: n = 0"
        ]
    );
}

/// A fair run, as a greatest fixed point with least ones inside.
#[test]
fn alternating_fixed_points_are_unfolded_from_the_outside() {
    let found = path(
        "enum S { a, b, c };
         bool T(S s, S t) case s = a : t = b; s = b : t = b | t = c; s = c : t = a | t = c; esac;
         nu bool Fair(S s);
         mu bool Until(S s) (s = a & Fair(s) | (exists S t. T(s, t) & Until(t))) {show s};
         nu bool Fair(S s) (exists S t. T(s, t) & Until(t)) {show s};
         #wit Fair(a);",
    );
    assert_eq!(
        found,
        [
            "Fair: s = a",
            "Until 3: s = b",
            "Until 2: s = c",
            "Until 1: s = a",
            "Fair: s = a again"
        ]
    );
}

#[test]
fn relations_without_a_mark_are_passed_over_and_all_are_told_on_demand() {
    let text = format!(
        "{TOWN} mu bool Reached(Place p) p = 0 | (exists Place q. Reached(q) & Street(q, p));
         bool Far(Place p) (Reached(p) & p != 1) {{show p}};
         bool Inside(Place p) Reached(p) & Street(p, p);
         #wit exists Place p. Far(p) & Inside(p);"
    );
    assert_eq!(path(&text), ["Far: p = 4"]);
    let all = proofs(&text, Strategy::Fast, true)
        .pop()
        .expect("a question");
    let all: Vec<String> = all.path.expect("a path").iter().map(told).collect();
    assert_eq!(
        all,
        [
            "Far: p = 4",
            "Reached 4: p = 4",
            "Reached 3: p = 3",
            "Reached 2: p = 1",
            "Reached 1: p = 0",
            "Reached 4: p = 4 above"
        ]
    );
    let none = format!("{TOWN} mu bool P(Place p) p = 0 | P(p); #wit P(0);");
    assert_eq!(path(&none), Vec::<String>::new());
}

#[test]
fn a_component_can_be_shown_alone() {
    let found = path(
        "enum Pc {0..3};
         class S { Pc pc; bool lock; };
         bool T(S s, S t) s.pc = 0 & t.pc = 1 & t.lock | s.pc = 1 & s.lock & t.pc = 2 & !t.lock;
         mu bool R(S s) (s.pc = 0 & !s.lock | (exists S t. R(t) & T(t, s)))
           {show s.pc};
         #wit exists S s. R(s) & s.pc = 2;",
    );
    assert_eq!(found, ["R 3: s.pc = 2", "R 2: s.pc = 1", "R 1: s.pc = 0"]);
}

#[test]
fn cofactors_are_followed_where_their_condition_holds() {
    let found = path(&format!(
        "{TOWN} mu bool Reached(Place p)
           p = 0 | (exists Place q. (Street(q, p) assume Reached(q)) & Reached(q)) {{show p}};
         #wit Reached(3);"
    ));
    assert_eq!(
        found,
        ["Reached 3: p = 3", "Reached 2: p = 1", "Reached 1: p = 0"]
    );
}

#[test]
fn a_relation_that_depends_on_its_own_negation_is_refused() {
    let why = refusal(
        "enum N {0..3};
         mu bool P(N n) (n = 0 | n = 0 & !P(n)) {show n};
         #wit P(0);",
    );
    assert_eq!(
        why,
        "`P` depends on its own negation, through `P`, so its rounds prove nothing"
    );
}

/// Through one relation with one application of itself, a path is as long as the distance.
#[test]
fn paths_through_random_graphs_are_shortest_ones() {
    let mut lengths = 0;
    for seed in 0..60 {
        let mut random = Random(seed);
        let edges: Vec<(usize, usize)> = (0..20)
            .map(|_| (random.below(12), random.below(12)))
            .collect();
        let mut distance = [None; 12];
        distance[0] = Some(1);
        let mut queue = vec![0];
        let mut next = 0;
        while let Some(&at) = queue.get(next) {
            next += 1;
            for &(_, to) in edges.iter().filter(|edge| edge.0 == at) {
                if distance[to].is_none() {
                    distance[to] = distance[at].map(|d: usize| d + 1);
                    queue.push(to);
                }
            }
        }
        let relation: Vec<String> = edges
            .iter()
            .map(|(a, b)| format!("a = {a} & b = {b}"))
            .collect();
        for (to, length) in distance.iter().enumerate() {
            let Some(length) = length else { continue };
            let text = format!(
                "enum N {{0..11}}; bool Edge(N a, N b) {};
                 mu bool R(N n) (n = 0 | (exists N m. R(m) & Edge(m, n))) {{show n}};
                 #wit R({to});",
                relation.join(" | ")
            );
            let proof = proofs(&text, Strategy::Fast, false)
                .pop()
                .expect("a question");
            let path = proof.path.expect("a path");
            assert_eq!(path.len(), *length, "{text}");
            let at = |line: &PathLine| line.values[0].code as usize;
            assert_eq!((at(&path[0]), at(&path[path.len() - 1])), (to, 0));
            for pair in path.windows(2) {
                assert!(edges.contains(&(at(&pair[1]), at(&pair[0]))), "{text}");
            }
            lengths += path.len();
        }
    }
    assert!(lengths > 500, "{lengths}");
}

/// Random systems: there is a path to whatever is there, and nothing on it is wrong.
fn random_systems(flavour: Flavour, seeds: std::ops::Range<u64>) -> (usize, usize, usize) {
    let (mut paths, mut steps, mut refused) = (0, 0, 0);
    for seed in seeds {
        let mut system = random::system(seed, flavour);
        let mut wholes = Vec::new();
        for at in 0..system.relations.len() {
            let parameters = system.relations[at].parameters.iter();
            let bits = parameters.flat_map(|&p| (0..system.variable(p).bits).map(move |b| (p, b)));
            let bits = bits.map(|(p, bit)| ArgumentBit::Bit(p, bit)).collect();
            wholes.push(FormulaId(system.formulas.len() as u32));
            system
                .formulas
                .push(Formula::Apply(RelationId(at as u32), bits));
        }
        let options = Options {
            witnesses: wholes.clone(),
            ..Options::default()
        };
        let mut solver = Solver::new(&system, &options, &Limits::default());
        for formula in wholes {
            let Ok(Some(proof)) = solver.witness_with_path(formula, true) else {
                continue;
            };
            let path = match proof.path {
                Ok(path) => path,
                Err(why) => {
                    assert!(!why.contains("does not follow"), "{seed}: {why}");
                    assert!(!why.contains("in no round"), "{seed}: {why}");
                    refused += 1;
                    continue;
                }
            };
            paths += usize::from(!path.is_empty());
            for line in &path {
                steps += 1;
                if flavour == Flavour::Positive {
                    is_true(&system, line, seed);
                }
            }
        }
    }
    (paths, steps, refused)
}

/// Whether a line agrees with evaluation by enumeration.
fn is_true(system: &System, line: &PathLine, seed: u64) {
    let at = system.relations.iter().position(|r| r.name == line.name);
    let relation = RelationId(at.expect("a relation") as u32);
    let table = Enumeration::new(system, 30_000).evaluate(relation, &HashMap::new());
    let Ok(table) = table else { return };
    let mut tuple = 0;
    let leaves = system.relation(relation).parameters.iter();
    let leaves = leaves.flat_map(|&p| &system.variable(p).leaves);
    for (leaf, value) in leaves.zip(&line.values) {
        tuple = tuple << leaf.bits.len() | value.code as usize;
    }
    assert_eq!(table[tuple], line.holds, "{seed}: {line:?}");
}

#[test]
fn random_systems_of_least_fixed_points_have_paths() {
    let (paths, steps, refused) = random_systems(Flavour::Positive, 0..800);
    assert!(
        paths > 100 && steps > paths + 100 && refused * 10 < paths,
        "{paths} {steps} {refused}"
    );
}

#[test]
fn random_systems_of_alternating_fixed_points_have_paths() {
    let (paths, steps, refused) = random_systems(Flavour::Alternating, 0..400);
    assert!(
        paths > 100 && steps > paths + 100 && refused * 10 < paths,
        "{paths} {steps} {refused}"
    );
}
