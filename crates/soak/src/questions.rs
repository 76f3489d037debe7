//! Random questions about a program.

use hardbop_automata::{Property, PropertyText};
use hardbop_families::random::Random;
use hardbop_machine::{Machine, Storage, Type};
use hardbop_outcome::{Bound, Question};

/// A question that the program can be asked.
pub(crate) fn question(machine: &Machine, random: &mut Random) -> Question {
    if random.percent(35)
        && let Some(property) = property(machine, random)
    {
        return Question::property(property);
    }
    let places = Question::every_target(machine);
    let small = random.below(4) as u32;
    let bound = match random.below(6) {
        0 => Some(Bound::ContextSwitches(small)),
        1 => Some(Bound::Rounds(small + 1)),
        2 => Some(Bound::Steps(5 * small + 5)),
        _ => None,
    };
    places.within(bound)
}

/// A property, if what it names can be read.
fn property(machine: &Machine, random: &mut Random) -> Option<Property> {
    let text = match random.below(8) {
        0 => PropertyText::Nonterminating,
        1 => PropertyText::Terminates,
        _ => PropertyText::Ltl {
            formula: formula(&atoms(machine), random, 2),
        },
    };
    Property::read(machine, text).ok()
}

/// What formulas can speak of.
fn atoms(machine: &Machine) -> Vec<String> {
    let mut atoms = vec!["terminated".to_owned(), "failed".to_owned()];
    let labels = machine.labels.iter().take(3);
    atoms.extend(labels.map(|label| format!("at({})", label.name)));
    let globals = machine.globals.iter().take(4);
    let shared = globals.filter(|global| global.storage == Storage::Shared);
    atoms.extend(shared.map(|global| match global.ty {
        Type::Bool => format!("var({})", global.name),
        Type::Int(_) => format!("(var({}) = 1)", global.name),
    }));
    atoms
}

fn formula(atoms: &[String], random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.percent(20) {
        return random.pick(atoms).cloned().unwrap_or_default();
    }
    let left = formula(atoms, random, depth - 1);
    match random.below(9) {
        0 | 1 => format!("G ({left})"),
        2 | 3 => format!("F ({left})"),
        4 => format!("X ({left})"),
        5 => format!("!({left})"),
        operator => {
            let right = formula(atoms, random, depth - 1);
            let operator = ["U", "&", "->"][operator - 6];
            format!("(({left}) {operator} ({right}))")
        }
    }
}
