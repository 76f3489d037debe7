//! The names of a property: variables, procedures and labels of the program.
//!
//! `x` is the global of that name, or else the local of that name if one procedure only has such a
//! local. `p:x` is the local of procedure `p`, `var(x)` is `x` also where `x` would be an operator.
//! A label without its procedure is every label of that name.

use super::resolve::Resolver;
use super::tree::Name;
use hardbop_machine::ir::{Action, Edge};
use hardbop_machine::{GlobalId, LocalId, NodeId, ProcId, Variable};
use hardbop_syntax::{Diagnostic, Span, codes, shown_name};

impl Resolver<'_> {
    /// The variable that a name means, with its procedure if it is a local.
    pub(super) fn find_variable(&mut self, name: Name) -> Option<(Variable, Option<ProcId>)> {
        let text = &*shown_name(self.source.slice(name.name));
        if let Some(procedure) = name.procedure {
            let procedure = self.procedure(procedure)?;
            let local = self.local(procedure, text);
            if local.is_none() {
                let owner = &self.machine.procedure(procedure).name;
                let message = format!("`{owner}` has no local variable `{text}`");
                let locals = self.machine.procedure(procedure).locals.iter();
                let names: Vec<&str> = locals.map(|local| local.name.as_str()).collect();
                self.unknown(name.name, message, &names);
            }
            return local.map(|local| (Variable::Local(local), Some(procedure)));
        }
        let globals = (0..self.machine.globals.len()).map(GlobalId::new);
        let globals = globals.filter(|&id| self.machine.global(id).name == text);
        let globals = globals.map(|id| (Variable::Global(id), None));
        let mut found: Vec<(Variable, Option<ProcId>)> = globals.collect();
        if found.is_empty() {
            let locals = self.machine.procedure_ids().filter_map(|procedure| {
                let local = self.local(procedure, text)?;
                Some((Variable::Local(local), Some(procedure)))
            });
            found = locals.collect();
        }
        match found.as_slice() {
            [one] => Some(*one),
            [] => {
                let machine = self.machine;
                let globals = machine.globals.iter().map(|global| global.name.as_str());
                let procedures = machine.procedures.iter();
                let locals = procedures.flat_map(|p| p.locals.iter().map(|l| l.name.as_str()));
                let names: Vec<&str> = globals.chain(locals).collect();
                self.unknown(name.name, format!("there is no variable `{text}`"), &names);
                None
            }
            _ => {
                let owners: Vec<String> = found
                    .iter()
                    .filter_map(|(_, procedure)| *procedure)
                    .map(|id| format!("`{}:{text}`", self.machine.procedure(id).name))
                    .collect();
                let message = format!("`{text}` could be several variables");
                let diagnostic = Diagnostic::new(codes::PROPERTY_AMBIGUOUS, name.name, message);
                self.diagnostics.push(if owners.is_empty() {
                    diagnostic.at("threads have globals of this name")
                } else {
                    diagnostic.help(format!("write one of {}", owners.join(", ")))
                });
                None
            }
        }
    }

    fn local(&self, procedure: ProcId, name: &str) -> Option<LocalId> {
        let locals = &self.machine.procedure(procedure).locals;
        locals
            .iter()
            .position(|local| local.name == name)
            .map(LocalId::new)
    }

    pub(super) fn procedure(&mut self, name: Span) -> Option<ProcId> {
        let text = &*shown_name(self.source.slice(name));
        let machine = self.machine;
        let found = machine
            .procedure_ids()
            .find(|&id| machine.procedure(id).name == text);
        if found.is_none() {
            let names: Vec<&str> = machine.procedures.iter().map(|p| p.name.as_str()).collect();
            self.unknown(name, format!("there is no procedure `{text}`"), &names);
        }
        found
    }

    /// The places from which a procedure is called.
    pub(super) fn calls_of(&self, procedure: ProcId) -> Vec<NodeId> {
        let is_call = |edge: &&Edge| matches!(edge.action, Action::Call { callee, .. } if callee == procedure);
        let calls = self.machine.edges.iter().filter(is_call);
        let mut nodes: Vec<NodeId> = calls.map(|edge| edge.from).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The nodes of all labels that a name means.
    pub(super) fn label(&mut self, name: Name) -> Option<Vec<NodeId>> {
        let machine = self.machine;
        let procedure = match name.procedure {
            Some(procedure) => Some(self.procedure(procedure)?),
            None => None,
        };
        let text = &*shown_name(self.source.slice(name.name));
        let in_place = |node: NodeId| procedure.is_none_or(|id| machine.procedure_of(node) == id);
        let labels = machine.labels.iter().filter(|label| in_place(label.node));
        let mut nodes: Vec<NodeId> = labels
            .clone()
            .filter(|label| label.name == text)
            .map(|label| label.node)
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.is_empty() {
            let names: Vec<&str> = labels.map(|label| label.name.as_str()).collect();
            let place = procedure.map_or_else(String::new, |id| {
                format!(" in `{}`", machine.procedure(id).name)
            });
            self.unknown(
                name.name,
                format!("there is no label `{text}`{place}"),
                &names,
            );
            return None;
        }
        Some(nodes)
    }

    fn unknown(&mut self, span: Span, message: String, candidates: &[&str]) {
        let text = self.source.slice(span);
        let diagnostic = Diagnostic::new(codes::PROPERTY_NAME, span, message);
        let operators: String = text.chars().take_while(|c| "FGX".contains(*c)).collect();
        let rest = &text[operators.len()..];
        let diagnostic = if let Some(name) = nearest(text, candidates) {
            diagnostic.help(format!("did you mean `{name}`?"))
        } else if text == "T" {
            diagnostic.help("the constant is `true`")
        } else if !operators.is_empty() && candidates.contains(&rest) {
            let spaced: Vec<String> = operators.chars().map(|c| c.to_string()).collect();
            diagnostic.help(format!(
                "put blanks between operators: `{} {rest}`",
                spaced.join(" ")
            ))
        } else {
            diagnostic
        };
        self.diagnostics.push(diagnostic);
    }
}

/// The candidate that is a slip of the pen away, if there is one.
fn nearest<'a>(wanted: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let length = wanted.chars().count();
    if !(2..=100).contains(&length) {
        return None;
    }
    let distances = candidates
        .iter()
        .map(|&name| (strsim::osa_distance(wanted, name), name));
    let near = distances.filter(|&(distance, _)| distance <= (length / 3).max(1));
    near.min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}
