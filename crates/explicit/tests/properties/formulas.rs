//! Random formulas about a program.

use hardbop_machine::{Machine, Type};
use hardbop_testkit::random::Random;

/// A small formula over labels, procedures, variables and endings of a program.
pub fn random_formula(random: &mut Random, machine: &Machine) -> String {
    let atoms = atoms(machine);
    formula(random, &atoms, 3)
}

fn atoms(machine: &Machine) -> Vec<String> {
    let mut atoms = vec!["terminated".to_owned(), "failed".to_owned()];
    for label in &machine.labels {
        atoms.push(format!("at({})", label.name));
    }
    for procedure in &machine.procedures {
        atoms.push(format!("in({})", procedure.name));
        for local in procedure.locals.iter() {
            let is_plain = local
                .name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_');
            if is_plain && !local.name.starts_with("return") {
                let name = format!("{}:{}", procedure.name, local.name);
                atoms.push(condition(&name, local.ty));
            }
        }
    }
    for global in &machine.globals {
        // Globals are what most formulas should be about.
        let is_plain = global
            .name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_plain {
            let atom = condition(&format!("var({})", global.name), global.ty);
            atoms.extend([atom.clone(), atom]);
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
    if depth == 0 || random.percent(15) {
        let atom = random.pick(atoms).expect("there is always an atom");
        let sign = if random.percent(40) { "!" } else { "" };
        return format!("{sign}({atom})");
    }
    let mut operand = || formula(random, atoms, depth - 1);
    let (left, right) = (operand(), operand());
    match random.below(9) {
        0 | 1 => format!("G ({left})"),
        2 | 3 => format!("F ({left})"),
        4 => format!("X ({left})"),
        5 => format!("(({left}) U ({right}))"),
        6 => format!("(({left}) R ({right}))"),
        7 => format!("(({left}) & ({right}))"),
        _ => format!("(({left}) | ({right}))"),
    }
}
