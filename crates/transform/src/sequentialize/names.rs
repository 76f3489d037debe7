//! Names for the sequential program: those of the source where they stay unique, made-up ones
//! elsewhere.
//!
//! All made-up names begin with `hb_`; a name of the source that does, or that two things share
//! once all threads stand in one program, is replaced.

use hardbop_machine::{GlobalId, LocalId, Machine, ProcId, Type, Variable};
use std::collections::{BTreeSet, HashMap};

/// The name of everything in a machine.
#[derive(Clone, Debug)]
pub struct Names {
    globals: Vec<String>,
    procedures: Vec<String>,
}

impl Names {
    /// Chooses the names.
    pub fn new(machine: &Machine) -> Self {
        let mut counts: HashMap<&str, u32> = HashMap::new();
        let globals = machine.globals.iter().map(|global| global.name.as_str());
        let locals = machine
            .procedures
            .iter()
            .flat_map(|procedure| procedure.locals.iter());
        let locals: BTreeSet<&str> = locals.map(|local| local.name.as_str()).collect();
        for name in globals.clone().chain(locals) {
            *counts.entry(name).or_default() += 1;
        }
        let is_kept = |name: &str| counts[name] == 1 && is_plain(name);
        let globals = globals.enumerate().map(|(index, name)| {
            if is_kept(name) {
                name.to_owned()
            } else {
                format!("hb_g{index}")
            }
        });
        let globals: Vec<String> = globals.collect();
        let mut taken: BTreeSet<String> = globals.iter().cloned().collect();
        taken.extend(counts.keys().map(|&name| name.to_owned()));
        taken.insert("main".to_owned());
        let procedures = machine.procedures.iter().enumerate();
        let procedures = procedures.map(|(index, procedure)| {
            let plain = procedure.name.replace('.', "_");
            let is_identifier = plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            // A procedure of one of these names would be a thread again.
            let is_special = plain == "init" || plain.starts_with("thread");
            let is_free = !is_special && !plain.starts_with("hb_");
            if is_identifier && is_free && taken.insert(plain.clone()) {
                plain
            } else {
                format!("hb_p{index}")
            }
        });
        Self {
            procedures: procedures.collect(),
            globals,
        }
    }

    /// A global.
    pub fn global(&self, id: GlobalId) -> &str {
        &self.globals[id.index()]
    }

    /// A procedure.
    pub fn procedure(&self, id: ProcId) -> &str {
        &self.procedures[id.index()]
    }

    /// A variable.
    pub fn variable(&self, machine: &Machine, procedure: ProcId, variable: Variable) -> String {
        match variable {
            Variable::Global(id) => self.global(id).to_owned(),
            Variable::Local(id) => local(machine, procedure, id),
        }
    }
}

/// Whether a name can stay: it is neither one of ours nor an element of an array.
fn is_plain(name: &str) -> bool {
    !name.starts_with("hb_") && (name.starts_with('{') || !name.ends_with(']'))
}

/// A local; results have names of their own, since the program's own results are set at the very
/// end.
pub fn local(machine: &Machine, procedure: ProcId, id: LocalId) -> String {
    let procedure = machine.procedure(procedure);
    let first_result = procedure.locals.len() - procedure.result_count as usize;
    match id.index().checked_sub(first_result) {
        Some(result) => format!("hb_r{result}"),
        None if !is_plain(&procedure.locals[id.index()].name) => {
            format!("hb_l{}", id.index())
        }
        None => procedure.locals[id.index()].name.clone(),
    }
}

/// A choice of an edge is a local of its procedure, named after its type and its place among the
/// choices.
pub fn choice(index: usize, ty: Type) -> String {
    typed("hb_x", index, ty)
}

/// A result of a call is taken by a local first.
pub fn result(index: usize, ty: Type) -> String {
    typed("hb_y", index, ty)
}

fn typed(prefix: &str, index: usize, ty: Type) -> String {
    format!("{prefix}{index}_{}", type_name(ty).replace(['<', '>'], ""))
}

/// A type as written.
pub fn type_name(ty: Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Int(width) => format!("int<{width}>"),
    }
}

/// The declaration of a variable; Booleans need no type.
pub fn declared(name: &str, ty: Type) -> String {
    match ty {
        Type::Bool => name.to_owned(),
        Type::Int(_) => format!("{} {name}", type_name(ty)),
    }
}
