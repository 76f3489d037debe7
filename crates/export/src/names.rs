//! Names of the source as names of another language: unique, legal, and unchanged where possible.

use hardbop_machine::{Machine, ProcId, Variable};
use std::collections::BTreeMap;

/// The names that are taken, each with the number that makes another one of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    taken: BTreeMap<String, u32>,
}

impl Names {
    /// Nothing is taken but words of the language.
    pub fn without(words: &[&str]) -> Self {
        let taken = words.iter().map(|&word| (word.to_owned(), 2));
        Self {
            taken: taken.collect(),
        }
    }

    /// A name that is not taken: the one that is wanted, or that with a number.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.taken.contains_key(&name) {
            let number = self.taken.entry(wanted.to_owned()).or_insert(2);
            name = format!("{wanted}_{number}");
            *number += 1;
        }
        self.taken.insert(name.clone(), 2);
        name
    }

    /// A name may be used again.
    fn give_back(&mut self, name: &str) {
        self.taken.remove(name);
    }
}

/// What begins the names that a writer makes up, and no name of the source.
pub(crate) const OWN: &str = "hb_";

/// The text with everything replaced that an identifier of C cannot have.
pub(crate) fn identifier(text: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.trim_matches(['{', '}']).chars().map(legal).collect();
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if starts_well && !name.starts_with(OWN) {
        name
    } else {
        format!("v{name}")
    }
}

/// The text as a symbol of SMT-LIB; any other text than a plain name stands between bars.
pub(crate) fn symbol(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if starts_well && text.chars().all(plain) {
        return text.to_owned();
    }
    let legal = |c: char| match c {
        '|' | '\\' => '_',
        c if c.is_control() => '_',
        c => c,
    };
    let inside: String = text.chars().map(legal).collect();
    format!("|{inside}|")
}

/// A name for every procedure and every variable. Those that one procedure sees are distinct.
#[derive(Clone, Debug)]
pub(crate) struct SourceNames {
    procedures: Vec<String>,
    globals: Vec<String>,
    locals: Vec<Vec<String>>,
}

impl SourceNames {
    /// Names as `rename` likes to have them, apart from words of the language.
    pub fn new(machine: &Machine, words: &[&str], rename: fn(&str) -> String) -> Self {
        let mut names = Names::without(words);
        let procedures = machine.procedures.iter();
        let procedures = procedures.map(|p| names.fresh(&rename(&p.name))).collect();
        let globals = machine.globals.iter();
        let globals = globals.map(|g| names.fresh(&rename(&g.name))).collect();
        let locals = machine.procedures.iter().map(|procedure| {
            let locals = procedure.locals.iter();
            let own: Vec<String> = locals.map(|l| names.fresh(&rename(&l.name))).collect();
            for name in &own {
                names.give_back(name);
            }
            own
        });
        let locals = locals.collect();
        Self {
            procedures,
            globals,
            locals,
        }
    }

    /// The name of a procedure.
    pub fn procedure(&self, id: ProcId) -> &str {
        &self.procedures[id.index()]
    }

    /// The name of a variable as seen from a procedure.
    pub fn variable(&self, procedure: ProcId, variable: Variable) -> &str {
        match variable {
            Variable::Global(id) => &self.globals[id.index()],
            Variable::Local(id) => &self.locals[procedure.index()][id.index()],
        }
    }
}
