//! Random systems: the solver against evaluation by enumeration, with and without everything that
//! makes it fast.

mod support;

use hardbop_fixpoint::{Limits, Options, Places, Solver, Stop, Strategy};
use hardbop_formula::{RelationId, System};
use std::collections::HashMap;
use support::enumeration::{Enumeration, NoTable, Table};
use support::random::{self, Flavour};

/// The value of a relation as a table.
fn table(system: &System, solver: &mut Solver<'_>, relation: RelationId) -> Result<Table, Stop> {
    let value = solver.value(relation)?;
    let parameters = &system.relation(relation).parameters;
    let levels: Vec<u32> = parameters
        .iter()
        .flat_map(|&p| (0..system.variable(p).bits).map(move |bit| (p, bit)))
        .map(|(p, bit)| solver.level(p, bit))
        .collect();
    let size = 1usize << levels.len();
    Ok((0..size)
        .map(|tuple| {
            solver.manager().eval(value, |level| {
                let place = levels.iter().position(|&known| known == level);
                let place = place.expect("a value depends on parameters only");
                tuple >> (levels.len() - 1 - place) & 1 == 1
            })
        })
        .collect())
}

/// How often each outcome was seen.
#[derive(Debug, Default)]
struct Seen {
    values: usize,
    divergences: usize,
    nontrivial: usize,
}

fn compare(flavour: Flavour, strategy: Strategy, seeds: std::ops::Range<u64>) -> Seen {
    let options = Options {
        strategy,
        ..Options::default()
    };
    compare_with(flavour, &options, seeds)
}

fn compare_with(flavour: Flavour, options: &Options<'_>, seeds: std::ops::Range<u64>) -> Seen {
    let mut seen = Seen::default();
    for seed in seeds {
        let system = random::system(seed, flavour);
        let mut solver = Solver::new(&system, options, &Limits::default());
        for at in 0..system.relations.len() {
            let relation = RelationId(at as u32);
            let expected = Enumeration::new(&system, 30_000).evaluate(relation, &HashMap::new());
            match expected {
                Err(NoTable::TooMuch) => {}
                Err(NoTable::Diverges) => {
                    // Simplification may have removed what diverges, but mostly it is found.
                    if let Err(Stop::Diverges { period, .. }) =
                        table(&system, &mut solver, relation)
                    {
                        assert!(period > 1);
                        seen.divergences += 1;
                    }
                }
                Ok(expected) => {
                    let found = table(&system, &mut solver, relation);
                    assert_eq!(
                        found.as_ref(),
                        Ok(&expected),
                        "{flavour:?} seed {seed} R{at}\n{system:#?}"
                    );
                    seen.values += 1;
                    let is_trivial = expected.iter().all(|&bit| bit == expected[0]);
                    seen.nontrivial += usize::from(!is_trivial);
                }
            }
        }
    }
    seen
}

#[test]
fn positive_systems_have_their_least_fixed_points() {
    let seen = compare(Flavour::Positive, Strategy::Fast, 0..1500);
    assert!(seen.nontrivial > 800, "{seen:?}");
}

#[test]
fn alternating_systems_are_evaluated_as_they_nest() {
    let seen = compare(Flavour::Alternating, Strategy::Fast, 0..1500);
    assert!(seen.nontrivial > 800, "{seen:?}");
}

#[test]
fn systems_that_are_not_monotone_have_the_value_of_the_nested_iteration_or_none() {
    let seen = compare(Flavour::Arbitrary, Strategy::Fast, 0..1500);
    assert!(seen.nontrivial > 500 && seen.divergences > 100, "{seen:?}");
}

#[test]
fn places_and_gates_change_no_value() {
    let options = Options {
        places: Places {
            many_values: 2,
            large_news: 0,
        },
        ..Options::default()
    };
    for flavour in [Flavour::Positive, Flavour::Alternating, Flavour::Arbitrary] {
        let seen = compare_with(flavour, &options, 3000..4000);
        assert!(seen.nontrivial > 300, "{seen:?}");
    }
}

#[test]
fn plain_evaluation_has_the_same_values() {
    for flavour in [Flavour::Positive, Flavour::Alternating, Flavour::Arbitrary] {
        let seen = compare(flavour, Strategy::Plain, 2000..2300);
        assert!(seen.values > 100, "{seen:?}");
    }
}
