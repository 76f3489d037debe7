//! Random questions about a program.

use hardbop_automata::{Property, PropertyText, ReadProperty, write_hoa};
use hardbop_families::random::Random;
use hardbop_machine::{Machine, Storage, Type};
use hardbop_outcome::{Bound, Question};
use std::fmt::Write;

/// A question, and the same question in other words if there are some.
pub(crate) type Worded = (Question, Option<Question>);

/// A question that the program can be asked.
pub(crate) fn question(machine: &Machine, random: &mut Random) -> Worded {
    if random.percent(45)
        && let Some(property) = property(machine, random)
    {
        return property;
    }
    let places = Question::every_target(machine);
    let small = random.below(4) as u32;
    let bound = match random.below(6) {
        0 => Some(Bound::ContextSwitches(small)),
        1 => Some(Bound::Rounds(small + 1)),
        2 => Some(Bound::Steps(5 * small + 5)),
        _ => None,
    };
    (places.within(bound), None)
}

/// A question about a property, if what it names can be read.
fn property(machine: &Machine, random: &mut Random) -> Option<Worded> {
    let atoms = atoms(machine);
    let alone = |text| Some((read(machine, text)?, None));
    match random.below(12) {
        0 => alone(PropertyText::Nonterminating),
        1 => alone(PropertyText::Terminates),
        2 => alone(PropertyText::Fair {
            label: random.pick(&machine.labels)?.name.clone(),
        }),
        3 | 4 => alone(PropertyText::Monitor {
            file: "soak.mon".to_owned(),
            text: monitor(&atoms, random),
        }),
        5 | 6 => alone(PropertyText::Ctl {
            formula: ctl(&atoms, random, 2),
        }),
        // What branching time says of all runs, linear time says too.
        7 | 8 => {
            let operator = random.pick(&["G", "F", "X"])?;
            let formula = format!("{operator} ({})", condition(&atoms, random));
            let on_all_paths = format!("A {formula}");
            let all = PropertyText::Ctl {
                formula: on_all_paths,
            };
            let linear = read(machine, PropertyText::Ltl { formula });
            Some((read(machine, all)?, linear))
        }
        // A formula can be handed over as its automaton.
        _ => {
            let formula = formula(&atoms, random, 2);
            let property = Property::read(machine, PropertyText::Ltl { formula }).ok()?;
            let automaton = PropertyText::Hoa {
                file: "soak.hoa".to_owned(),
                text: write_hoa(&property.automaton),
            };
            let automaton = read(machine, automaton);
            Some((Question::property(property), automaton))
        }
    }
}

fn read(machine: &Machine, text: PropertyText) -> Option<Question> {
    let read = ReadProperty::read(machine, text).ok()?;
    read.translate().ok().map(Question::translated)
}

/// A Boolean combination of two atoms.
fn condition(atoms: &[String], random: &mut Random) -> String {
    let mut atom = || {
        let atom = random.pick(atoms).cloned().unwrap_or_default();
        let sign = if random.percent(40) { "!" } else { "" };
        format!("{sign}({atom})")
    };
    let (left, right) = (atom(), atom());
    let operator = if random.percent(50) { "&" } else { "|" };
    format!("{left} {operator} {right}")
}

/// A monitor with up to four states.
fn monitor(atoms: &[String], random: &mut Random) -> String {
    let states = 2 + random.below(3);
    let mut text = "monitor M begin\n  state s0 initial;\n".to_owned();
    let kind = random.pick(&["target", "accepting"]).unwrap_or(&"target");
    for state in 1..states {
        let is_last = state + 1 == states;
        let kind = if is_last { kind } else { "" };
        writeln!(text, "  state s{state} {kind};").expect(INFALLIBLE);
    }
    for state in 0..states - 1 {
        for _ in 0..=random.below(2) {
            let on = condition(atoms, random);
            let next = random.below(states);
            writeln!(text, "  from s{state}: on {on} goto s{next};").expect(INFALLIBLE);
        }
    }
    text + "end\n"
}

const INFALLIBLE: &str = "writing to a string cannot fail";

fn ctl(atoms: &[String], random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return condition(atoms, random);
    }
    let left = ctl(atoms, random, depth - 1);
    let paths = if random.percent(50) { "A" } else { "E" };
    match random.below(8) {
        0 | 1 => format!("{paths} G ({left})"),
        2 | 3 => format!("{paths} F ({left})"),
        4 => format!("{paths} X ({left})"),
        5 => format!("!({left})"),
        6 => {
            let right = ctl(atoms, random, depth - 1);
            format!("(({left}) -> ({right}))")
        }
        _ => {
            let right = ctl(atoms, random, depth - 1);
            format!("{paths} (({left}) U ({right}))")
        }
    }
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
