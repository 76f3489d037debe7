//! Random formulas about a program, as trees that have a text in branching and in linear time.

use hardbop_families::random::Random;
use hardbop_machine::{Machine, Type};

/// A formula with `?` in the place of every path quantifier.
pub fn random_formula(random: &mut Random, machine: &Machine, depth: u32) -> String {
    let atoms = atoms(machine);
    formula(random, &atoms, depth)
}

/// The formula with quantifiers drawn one by one.
pub fn quantified(random: &mut Random, formula: &str) -> String {
    let pick = |c: char| match c {
        '?' if random.percent(50) => 'A',
        '?' => 'E',
        other => other,
    };
    formula.chars().map(pick).collect()
}

/// The formula with the same quantifier everywhere, or without any: linear time.
pub fn quantified_by(formula: &str, quantifier: &str) -> String {
    formula.replace('?', quantifier)
}

/// A condition on one state.
pub fn random_atom(random: &mut Random, machine: &Machine) -> String {
    let atoms = atoms(machine);
    formula(random, &atoms, 0)
}

fn atoms(machine: &Machine) -> Vec<String> {
    let mut atoms = vec!["terminated".to_owned(), "failed".to_owned()];
    let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    for label in &machine.labels {
        atoms.push(format!("at({})", label.name));
    }
    for procedure in &machine.procedures {
        atoms.push(format!("in({})", procedure.name));
        for local in procedure.locals.iter() {
            if is_plain(&local.name) && !local.name.starts_with("return") {
                let name = format!("{}:{}", procedure.name, local.name);
                atoms.push(condition(&name, local.ty));
            }
        }
    }
    for global in &machine.globals {
        if is_plain(&global.name) {
            let atom = condition(&format!("var({})", global.name), global.ty);
            atoms.extend([atom.clone(), atom.clone(), atom]);
        }
    }
    atoms
}

fn condition(name: &str, ty: Type) -> String {
    match ty {
        Type::Bool => name.to_owned(),
        Type::Int(_) => format!("{name} = 1"),
    }
}

fn formula(random: &mut Random, atoms: &[String], depth: u32) -> String {
    if depth == 0 || random.percent(10) {
        let atom = random.pick(atoms).expect("there is always an atom");
        let sign = if random.percent(40) { "!" } else { "" };
        return format!("{sign}({atom})");
    }
    let mut operand = || formula(random, atoms, depth - 1);
    let (left, right) = (operand(), operand());
    match random.below(10) {
        0 | 1 => format!("? G ({left})"),
        2 | 3 => format!("? F ({left})"),
        4 => format!("? X ({left})"),
        5 => format!("? (({left}) U ({right}))"),
        6 => format!("? (({left}) R ({right}))"),
        7 => format!("? (({left}) W ({right}))"),
        8 => format!("(({left}) & ({right}))"),
        _ => format!("(({left}) | ({right}))"),
    }
}
