//! `parity-game` says who wins what other ways of solving the game say: the game on whole
//! configurations, as far as it is finite or its depth does not matter, and the game with claims
//! position by position.

mod claims;
mod parity;
mod places;
mod programs;
mod unfolding;

use hardbop_calculus::{Algorithm, Extent, sequential_problem};
use hardbop_fixpoint::{Limits, Options, Solver};
use hardbop_formula::{ActionKind, System};
use hardbop_machine::{Machine, from_text};

/// What the algorithm says: whether Eve wins from some initial state, and from all.
fn by_formula(machine: &Machine) -> (bool, bool) {
    let algorithm = Algorithm::built_in("parity-game").expect("it is there");
    let values = answers(machine, &algorithm).unwrap_or_else(|errors| panic!("{errors:?}"));
    (values[0], values[1])
}

/// The values of the queries of an algorithm, or what is wrong with it.
fn answers(machine: &Machine, algorithm: &Algorithm) -> Result<Vec<bool>, Vec<String>> {
    let full = Some(Extent::Full);
    let (_, checked) = sequential_problem(machine, algorithm, &[], &[], full);
    let messages = checked.diagnostics.into_iter().map(|d| d.message);
    match &checked.system {
        Some(system) => Ok(values(system)),
        None => Err(messages.collect()),
    }
}

fn values(system: &System) -> Vec<bool> {
    let mut solver = Solver::new(system, &Options::default(), &Limits::default());
    let queries = system
        .actions
        .iter()
        .filter_map(|action| match action.kind {
            ActionKind::Query(formula) => Some(formula),
            _ => None,
        });
    queries
        .map(|query| solver.query(query).expect("nothing limits the solver"))
        .collect()
}

fn summed_up(winners: &[bool]) -> (bool, bool) {
    (winners.contains(&true), !winners.contains(&false))
}

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// Compares on generated programs; how often, and how often Eve won.
fn compare(
    seeds: std::ops::Range<u64>,
    is_recursive: bool,
    others: impl Fn(&Machine) -> Option<Vec<bool>>,
) -> (usize, usize) {
    let (mut compared, mut won) = (0, 0);
    for seed in seeds {
        let text = programs::program(seed, is_recursive);
        let machine = machine(&text);
        let Some(expected) = others(&machine) else {
            continue;
        };
        let expected = summed_up(&expected);
        assert_eq!(by_formula(&machine), expected, "seed {seed}\n{text}");
        compared += 1;
        won += usize::from(expected.1);
    }
    (compared, won)
}

/// Both players win often enough.
fn assert_telling((compared, won): (usize, usize), enough: usize) {
    assert!(compared >= enough, "only {compared} compared");
    assert!(
        won * 6 > compared && won * 6 < 5 * compared,
        "{won} of {compared}"
    );
}

#[test]
fn without_recursion_the_winner_is_that_of_the_explicit_graph() {
    let counts = compare(0..300, false, |machine| unfolding::winners(machine, 8));
    assert_telling(counts, 280);
}

#[test]
fn with_recursion_the_winner_is_that_of_stacks_up_to_some_depth() {
    let counts = compare(1000..1300, true, |machine| unfolding::winners(machine, 5));
    assert_telling(counts, 100);
}

#[test]
fn with_recursion_the_winner_is_that_of_the_game_with_claims() {
    let counts = compare(2000..2300, true, claims::winners);
    assert_telling(counts, 200);
}

const REQUESTS: &str = "decl good;
void main() begin
  while (1) do
    PRIORITY_1: handle();
    if (good) then PRIORITY_2_GOOD: skip; fi;
  od;
end
void handle() begin
  DEEPER: if (*) then handle(); fi;
  EVE_ENDS: good := *;
end";

#[test]
fn labels_say_who_owns_a_place_and_what_it_is_worth() {
    assert_eq!(by_formula(&machine(REQUESTS)), (true, true));
    let adams = REQUESTS.replace("EVE_ENDS", "ENDS");
    assert_eq!(by_formula(&machine(&adams)), (false, false));
    let worse = REQUESTS.replace("DEEPER", "PRIORITY_3");
    assert_eq!(by_formula(&machine(&worse)), (false, false));
    let larger = REQUESTS.replace("PRIORITY_2_GOOD", "PRIORITY_1: PRIORITY_2");
    assert_eq!(by_formula(&machine(&larger)), (true, true));
    let eves = worse.replace("PRIORITY_3", "PRIORITY_3: EVE");
    assert_eq!(by_formula(&machine(&eves)), (false, false));
}

/// A file that loads the algorithm says by formulas what labels say otherwise.
#[test]
fn a_file_may_have_rules_of_its_own() {
    let own = |eve: &str, rank: &str| {
        let text = format!(
            "load \"parity-game\";
             bool IsEves(State u) {eve};
             bool HasPriority(State u, Priority k) {rank};
             ( forall State u. Init(u) -> EveWins(u) );"
        );
        let known = hardbop_calculus::algorithm::BuiltIn::find("parity-game");
        let definitions = known.expect("it is there").definitions();
        let file = hardbop_syntax::Source::new("parity-game.mu", definitions);
        let loaded = vec![("parity-game.mu".to_owned(), file)];
        let algorithm = Algorithm::own("own.mu", &text, loaded);
        answers(&machine(REQUESTS), &algorithm).unwrap_or_else(|errors| panic!("{errors:?}"))
    };
    let rank = "case In(u, handle) : k = 2; 1 : k = 1; esac";
    assert_eq!(own("At(u, DEEPER)", rank), [true]);
    assert_eq!(own("0", "k = 1"), [false]);
    // A variable decides: where requests end well.
    assert_eq!(own("In(u, handle)", "if (u.good) k = 2 else k = 1"), [true]);
    assert_eq!(own("0", "if (u.good) k = 2 else k = 1"), [false]);
}

#[test]
fn too_many_ways_to_return_are_refused_in_one_sentence() {
    let text = REQUESTS.replace("decl good;", "decl good, a, b, c, d, e, f, g, h;");
    let algorithm = Algorithm::built_in("parity-game").expect("it is there");
    let errors = answers(&machine(&text), &algorithm).expect_err("there are nine globals");
    let sentence = "globals and results have 9 bits where a procedure ends; sets of exits tell at \
                    most 8 apart";
    assert_eq!(errors, [sentence]);
}
