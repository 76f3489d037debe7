//! The heads of relations, their definitions, and what is missing among them.

use super::types::{TypeId, WRONG};
use super::{Binding, Checker};
use crate::ast::{Ident, Item, RelationItem};
use crate::system::{FormulaId, Hint, RelationId, RelationKind, Shown, VariableId};
use hardbop_syntax::ast::Symbol;
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span};
use std::collections::HashMap;

/// What is known of a relation before and after its definition.
pub(super) struct Head {
    /// Where it is defined, or else announced.
    pub name: Ident,
    pub kind: RelationKind,
    pub types: Vec<TypeId>,
    pub parameters: Vec<VariableId>,
    /// The item that defines it.
    definition: Option<usize>,
    pub body: Option<FormulaId>,
    pub hints: Vec<Hint>,
    pub shown: Option<Shown>,
    /// Where it is used first.
    pub used: Option<Span>,
    /// The relations that its body names, each once.
    pub uses: Vec<RelationId>,
}

#[derive(Default)]
pub(super) struct Heads {
    pub relations: Vec<Head>,
    by_name: HashMap<Symbol, RelationId>,
    /// The relation that is being defined.
    pub current: Option<RelationId>,
    /// By relation: the last one that was seen to use it.
    last_user: HashMap<RelationId, RelationId>,
}

impl Heads {
    pub(super) fn get(&self, id: RelationId) -> &Head {
        &self.relations[id.0 as usize]
    }

    pub(super) fn named(&self, name: Symbol) -> Option<RelationId> {
        self.by_name.get(&name).copied()
    }

    /// Notes that a relation is used here.
    pub(crate) fn note_use(&mut self, id: RelationId, span: Span) {
        self.relations[id.0 as usize].used.get_or_insert(span);
        if let Some(user) = self.current
            && self.last_user.insert(id, user) != Some(user)
        {
            self.relations[user.0 as usize].uses.push(id);
        }
    }
}

fn spelled(kind: RelationKind) -> &'static str {
    match kind {
        RelationKind::Definition => "neither `mu` nor `nu`",
        RelationKind::Least => "`mu`",
        RelationKind::Greatest => "`nu`",
    }
}

impl Checker<'_> {
    /// All relations, so that bodies can name each of them.
    pub(super) fn declare_relations(&mut self) {
        let ast = self.ast;
        for (index, item) in ast.items.iter().enumerate() {
            let Item::Relation(relation) = item else {
                continue;
            };
            if self.text(relation.result) != "bool" {
                let message = format!(
                    "the relation `{}` is not Boolean but `{}`",
                    self.text(relation.name),
                    self.text(relation.result)
                );
                self.report(codes::RESULT_TYPE, relation.result.span, message);
            }
            self.report_duplicates(&relation.parameters);
            let types: Vec<TypeId> = relation
                .parameters
                .iter()
                .map(|parameter| self.declared_type(parameter))
                .collect();
            let definition = relation.body.is_some().then_some(index);
            match self.heads.named(relation.name.name) {
                Some(id) => self.declare_again(id, relation, &types, definition),
                None => {
                    let id = RelationId(self.heads.relations.len() as u32);
                    self.heads.by_name.insert(relation.name.name, id);
                    self.heads.relations.push(Head {
                        name: relation.name,
                        kind: relation.kind,
                        types,
                        parameters: Vec::new(),
                        definition,
                        body: None,
                        hints: Vec::new(),
                        shown: None,
                        used: None,
                        uses: Vec::new(),
                    });
                }
            }
        }
    }

    /// A second prototype, or a definition after or before a prototype.
    fn declare_again(
        &mut self,
        id: RelationId,
        relation: &RelationItem,
        types: &[TypeId],
        definition: Option<usize>,
    ) {
        let head = self.heads.get(id);
        let first = head.name;
        let text = self.text(first);
        if definition.is_some() && head.definition.is_some() {
            let message = format!("the relation `{text}` is already defined");
            self.diagnostics.push(
                Diagnostic::new(codes::REDEFINED, relation.name.span, message)
                    .also(first.span, "the first definition"),
            );
            return;
        }
        let fits = |(a, b): (&TypeId, &TypeId)| a == b || *a == WRONG || *b == WRONG;
        let difference = if head.kind != relation.kind {
            Some(format!(
                "`{text}` is {} here but {} before",
                spelled(relation.kind),
                spelled(head.kind)
            ))
        } else if head.types.len() != types.len() {
            Some(format!(
                "`{text}` has {} parameters here but {} before",
                types.len(),
                head.types.len()
            ))
        } else if let Some(index) = head.types.iter().zip(types).position(|pair| !fits(pair)) {
            Some(format!(
                "parameter {} of `{text}` is `{}` here but `{}` before",
                index + 1,
                self.types.get(types[index]).name,
                self.types.get(head.types[index]).name
            ))
        } else {
            None
        };
        if let Some(message) = difference {
            self.diagnostics.push(
                Diagnostic::new(codes::PROTOTYPE_MISMATCH, relation.name.span, message)
                    .also(first.span, "announced here"),
            );
        }
        if definition.is_some() {
            let head = &mut self.heads.relations[id.0 as usize];
            head.definition = definition;
            head.name = relation.name;
            // They are the same, or there is an error and the body is about these.
            head.types = types.to_vec();
        }
    }

    /// The parameters and the body of a relation, if the item defines it.
    pub(super) fn define(&mut self, index: usize, relation: &RelationItem) {
        let Some(id) = self.heads.named(relation.name.name) else {
            return;
        };
        let head = self.heads.get(id);
        let is_announcement = head.definition.is_none() && head.parameters.is_empty();
        if head.definition != Some(index) && !is_announcement {
            return;
        }
        self.hints.clear();
        self.shown = None;
        let types = self.heads.get(id).types.clone();
        let parameters = relation.parameters.iter().zip(types);
        let parameters =
            parameters.map(|(parameter, ty)| self.declare_variable(parameter.name, ty));
        let parameters = parameters.collect();
        self.heads.relations[id.0 as usize].parameters = parameters;
        // What the definition says goes before what its types say.
        let of_types = std::mem::take(&mut self.hints);
        self.add_hints(&relation.hints);
        self.hints.extend(of_types);
        if let Some(body) = relation.body {
            self.heads.current = Some(id);
            let body = self.formula(body);
            self.heads.current = None;
            self.heads.relations[id.0 as usize].body = Some(body);
        }
        let head = &mut self.heads.relations[id.0 as usize];
        head.hints = std::mem::take(&mut self.hints);
        head.shown = self.shown.take();
        self.leave_scope(0);
    }

    /// New variables like the parameters of a relation, in no scope.
    pub(super) fn copies_of_parameters(&mut self, id: RelationId) -> Vec<Binding> {
        let types = self.heads.get(id).types.clone();
        let copies = types.into_iter().enumerate().map(|(index, ty)| {
            let name = self.parameter_name(id, index);
            let variable = self.new_variable(name, ty);
            Binding { variable, ty }
        });
        copies.collect()
    }

    fn parameter_name(&self, id: RelationId, index: usize) -> String {
        let parameter = self.heads.get(id).parameters.get(index);
        match parameter {
            Some(variable) => self.variables[variable.0 as usize].name.clone(),
            None => format!("argument{}", index + 1),
        }
    }

    /// Relations that are announced and never defined.
    pub(super) fn report_undefined(&mut self) {
        for head in &self.heads.relations {
            if head.definition.is_some() {
                continue;
            }
            let text = self.ast.text(head.name);
            let span = head.name.span;
            self.diagnostics.push(match head.used {
                Some(used) => {
                    let message = format!("the relation `{text}` is announced but never defined");
                    Diagnostic::new(codes::NEVER_DEFINED, span, message).also(used, "used here")
                }
                None => {
                    let message = format!("the relation `{text}` is neither defined nor used");
                    Diagnostic::new(codes::ANNOUNCED_ONLY, span, message)
                }
            });
        }
    }

    /// An unknown relation.
    pub(super) fn report_unknown_relation(&mut self, name: Ident) {
        self.missing.relations.push(name);
        let message = format!("there is no relation `{}`", self.text(name));
        let diagnostic = Diagnostic::new(codes::UNKNOWN_RELATION, name.span, message);
        let ast = self.ast;
        let mut names: Vec<Ident> = Vec::new();
        if self.may_suggest() {
            names.extend(self.heads.relations.iter().map(|head| head.name));
        }
        let candidates = names.into_iter().map(|name| ast.text(name));
        self.report_unknown(diagnostic, name, candidates);
    }
}
