//! Which variables of a machine have a name in C at a place, so that an invariant may speak of them.
//!
//! Variables that stand for parts of an expression have names that are none in C, and those that
//! share a name with another one are numbered. Both are left out, as are elements of arrays.

use super::scopes::Scopes;
use hardbop_machine::{Machine, NodeId, Variable};
use hardbop_syntax::ast::{Item, Procedure};
use std::collections::HashMap;

pub(super) struct CNames<'a> {
    machine: &'a Machine,
    scopes: Scopes<'a>,
    /// Where the locals of each procedure are declared, by the name of the procedure and their own.
    locals: HashMap<(String, String), u32>,
}

impl<'a> CNames<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        let ast = hardbop_c::parse_any(&machine.source).ast;
        let mut locals = HashMap::new();
        let procedures = ast.items.iter().filter_map(|item| match item {
            Item::Procedure(procedure) => Some(procedure),
            _ => None,
        });
        for procedure in procedures {
            for name in declared(procedure) {
                let key = [procedure.name.name, name.name].map(|n| ast.text(n).to_owned());
                locals.insert(key.into(), name.span.start);
            }
        }
        Self {
            machine,
            scopes: Scopes::new(machine.source.text()),
            locals,
        }
    }

    /// Whether the name of a variable means that variable at a node.
    pub(super) fn are_known(&self, node: NodeId, variable: Variable) -> bool {
        let procedure = self.machine.procedure_of(node);
        let name = self.machine.name_of(procedure, variable);
        let declaration = match variable {
            Variable::Global(id) => Some(self.machine.global(id).span.start),
            Variable::Local(_) => {
                let owner = self.machine.procedure(procedure).name.clone();
                self.locals.get(&(owner, name.to_owned())).copied()
            }
        };
        let place = self.machine.node(node).span.start;
        is_name(name)
            && !self.is_ambiguous(node, name)
            && declaration.is_some_and(|declaration| self.scopes.reaches(declaration, place))
    }

    /// Whether a variable with the same name in C is around, which may be the one that is meant.
    fn is_ambiguous(&self, node: NodeId, name: &str) -> bool {
        let globals = self
            .machine
            .globals
            .iter()
            .map(|global| global.name.as_str());
        let procedure = self.machine.procedure(self.machine.procedure_of(node));
        let locals = procedure.locals.iter().map(|local| local.name.as_str());
        let names: Vec<&str> = globals.chain(locals).collect();
        let is_another = |other: &str| {
            let is_numbered = other.contains("::") || other.contains('#');
            is_numbered && object_of(other) == object_of(name)
        };
        let same = names.iter().filter(|&&other| other == name);
        same.count() > 1 || names.iter().any(|other| is_another(other))
    }
}

/// The name of the variable in C that one of a machine is, or is a part of.
fn object_of(name: &str) -> &str {
    let name = name.rsplit("::").next().unwrap_or(name);
    name.split(['#', '.']).next().unwrap_or(name)
}

/// The parameters and locals of a procedure.
fn declared(procedure: &Procedure) -> impl Iterator<Item = hardbop_syntax::ast::Ident> {
    let parameters = procedure.parameters.iter().map(|parameter| parameter.name);
    let locals = procedure.locals.iter().flat_map(|d| &d.variables);
    parameters.chain(locals.map(|declarator| declarator.name))
}

/// `x`, or `s.field`.
fn is_name(name: &str) -> bool {
    name.split('.').all(|part| {
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        part.starts_with(is_letter) && part.chars().all(|c| is_letter(c) || c.is_ascii_digit())
    })
}
