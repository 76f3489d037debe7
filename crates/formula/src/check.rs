//! Tree to system: names, types, and everything turned into bits.
//!
//! Types first ([`declared`], [`types`]), then the heads of all relations ([`relations`]), so that
//! the order of definitions does not matter; then, in order of the text, bodies ([`formulas`],
//! [`places`]) and what is asked ([`actions`]). All errors are reported; a system comes out only if
//! there are none.

mod actions;
mod circular;
mod declared;
mod formulas;
mod fragment;
mod hints;
mod named;
mod needs;
mod places;
mod relations;
mod shown;
mod types;

use crate::ast::{Ast, Declaration, Ident, Item};
use crate::builder::FormulaBuilder;
use crate::loading::Named;
use crate::plain::{Plain, Replacements, formula_text};
use crate::system::{Action, FormulaId, Relation, System, Variable, VariableId};
use crate::vocabulary::Vocabulary;
use fragment::Missing;
use hardbop_syntax::ast::Symbol;
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Diagnostic, Span, suggest};
use needs::Needs;
use relations::Heads;
use types::{TypeId, Types};

/// Looking for a similar name compares all names. So many comparisons are made for one system,
/// which is help enough.
const MAX_COMPARISONS: usize = 1_000_000;

/// Checks a tree without syntax errors, and notes which names of the vocabulary occur.
pub(crate) fn check(
    ast: &Ast,
    vocabulary: &Vocabulary,
    named: &mut Named,
    plain: &mut Replacements,
) -> (Option<System>, Vec<Diagnostic>) {
    let mut checker = Checker {
        ast,
        vocabulary,
        named: Named::default(),
        codes: Vec::new(),
        spelled_out: Vec::new(),
        diagnostics: Vec::new(),
        comparisons_left: MAX_COMPARISONS,
        types: Types::default(),
        heads: Heads::default(),
        builder: FormulaBuilder::default(),
        variables: Vec::new(),
        bindings: vec![None; ast.names.len()],
        bound: Vec::new(),
        hints: Vec::new(),
        shown: None,
        actions: Vec::new(),
        ignored: Vec::new(),
        missing: Missing::default(),
        refused: Vec::new(),
        needs: Needs::default(),
    };
    checker.declare_types();
    checker.declare_relations();
    checker.take_needs();
    for (index, item) in ast.items.iter().enumerate() {
        match item {
            Item::Relation(relation) => checker.define(index, relation),
            Item::Query(formula) => checker.query(*formula),
            Item::Command(command) => checker.command(command),
            Item::Variables(variables) => checker.report_variables(variables),
            Item::Enum { .. } | Item::Class { .. } | Item::Load(..) | Item::Needs(..) => {}
        }
    }
    checker.report_undefined();
    checker.report_circular();
    checker.report_ignored();
    checker.report_fragment();
    checker.report_refused();
    *named = checker.named;
    plain.extend(checker.replacements());
    checker.finish()
}

/// A variable in scope.
#[derive(Clone, Copy)]
struct Binding {
    variable: VariableId,
    ty: TypeId,
}

/// What is known while a tree is checked.
struct Checker<'a> {
    ast: &'a Ast,
    vocabulary: &'a Vocabulary,
    /// What of the vocabulary was named.
    named: Named,
    /// Names of values of the vocabulary, with their codes.
    codes: Vec<(Span, u64)>,
    /// What has names of fields of the vocabulary in it, as formulas without them.
    spelled_out: Vec<(Span, FormulaId)>,
    diagnostics: Vec<Diagnostic>,
    comparisons_left: usize,
    types: Types,
    heads: Heads,
    builder: FormulaBuilder,
    variables: Vec<Variable>,
    /// By name: the innermost variable in scope.
    bindings: Vec<Option<Binding>>,
    /// The names in scope, and what they meant before.
    bound: Vec<(Symbol, Option<Binding>)>,
    /// Order hints of the relation that is being defined.
    hints: Vec<crate::system::Hint>,
    /// What `{show …}` names in it.
    shown: Option<crate::system::Shown>,
    actions: Vec<Action>,
    /// Commands and attributes that do nothing: how they are written, and where first.
    ignored: Vec<(String, Span)>,
    missing: Missing,
    /// What is wrong with the host rather than with the text.
    refused: Vec<Diagnostic>,
    needs: Needs,
}

impl<'a> Checker<'a> {
    /// What the names of the vocabulary mean, in plain words.
    fn replacements(&self) -> Replacements {
        let mut replacements = Replacements::default();
        for &(span, code) in &self.codes {
            replacements.add(span, Plain::Text(code.to_string()));
        }
        for &(span, formula) in &self.spelled_out {
            let formulas = self.builder.formulas();
            let text = formula_text(formulas, &self.variables, formula);
            replacements.add(span, Plain::Text(text));
        }
        replacements
    }

    fn finish(self) -> (Option<System>, Vec<Diagnostic>) {
        let mut builder = self.builder;
        let nothing = builder.constant(false);
        let relations = self.heads.relations.into_iter().map(|head| Relation {
            name: self.ast.text(head.name).to_owned(),
            kind: head.kind,
            parameters: head.parameters,
            body: head.body.unwrap_or(nothing),
            hints: head.hints,
            shown: head.shown,
            span: head.name.span,
        });
        let system = System {
            relations: relations.collect(),
            variables: self.variables,
            formulas: builder.into_formulas(),
            actions: self.actions,
            rows: Vec::new(),
        };
        let system = (!has_errors(&self.diagnostics)).then_some(system);
        (system, self.diagnostics)
    }

    fn report(&mut self, code: hardbop_syntax::Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(code, span, message));
    }

    /// Where the host lacks something, all other errors follow from it.
    fn report_refused(&mut self) {
        let mut refused = std::mem::take(&mut self.refused);
        refused.dedup_by(|one, other| one.message == other.message);
        if !refused.is_empty() {
            self.diagnostics = refused;
        }
    }

    /// Reports an unknown name, with the nearest known one.
    fn report_unknown<'b>(
        &mut self,
        diagnostic: Diagnostic,
        wanted: Ident,
        candidates: impl Iterator<Item = &'b str>,
    ) {
        let mut diagnostic = diagnostic;
        if self.may_suggest() && diagnostic.help.is_none() {
            let mut compared = 0;
            let candidates = candidates.inspect(|_| compared += 1);
            let nearest = suggest::nearest(self.ast.text(wanted), candidates);
            diagnostic.help = nearest.map(suggest::did_you_mean);
            self.comparisons_left = self.comparisons_left.saturating_sub(compared);
        }
        self.diagnostics.push(diagnostic);
    }

    /// Whether there is help left to give.
    fn may_suggest(&self) -> bool {
        self.comparisons_left > 0
    }

    fn text(&self, ident: Ident) -> &'a str {
        self.ast.text(ident)
    }

    /// A new variable of a type; it is in scope from here on.
    fn declare_variable(&mut self, name: Ident, ty: TypeId) -> VariableId {
        let variable = self.new_variable(self.text(name).to_owned(), ty);
        self.bind(name.name, Binding { variable, ty });
        variable
    }

    fn bind(&mut self, name: Symbol, binding: Binding) {
        let slot = &mut self.bindings[name.0 as usize];
        self.bound.push((name, slot.replace(binding)));
    }

    /// Leaves the scopes that were entered since there were this many names.
    fn leave_scope(&mut self, names: usize) {
        for (name, before) in self.bound.drain(names..).rev() {
            self.bindings[name.0 as usize] = before;
        }
    }

    /// A new variable of a type, in no scope.
    fn new_variable(&mut self, name: String, ty: TypeId) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        let (leaves, bits) = self.types.leaves(ty, &self.ast.names);
        let domain = types::domain(&leaves, id, &mut self.builder);
        self.variables.push(Variable {
            name,
            leaves,
            bits,
            domain,
        });
        self.hint_fields(id, ty);
        id
    }

    /// Reports names that occur twice among parameters or variables of one quantifier.
    fn report_duplicates(&mut self, declarations: &[Declaration]) {
        let mut seen = std::collections::HashMap::new();
        let new = declarations.iter().filter(|d| d.component.is_empty());
        for declaration in new {
            let name = declaration.name;
            if let Some(first) = seen.insert(name.name, name.span) {
                let message = format!("the variable `{}` is declared twice", self.text(name));
                self.diagnostics.push(
                    Diagnostic::new(codes::DUPLICATE_NAME, name.span, message)
                        .also(first, "the first declaration"),
                );
            }
        }
    }

    fn report_variables(&mut self, variables: &[Declaration]) {
        for variable in variables {
            let message = format!(
                "the variable `{}` belongs to no relation and no quantifier",
                self.text(variable.name)
            );
            let diagnostic = Diagnostic::new(codes::GLOBAL_VARIABLE, variable.name.span, message);
            let help = "make it a parameter, or use `exists` or `forall`";
            self.diagnostics.push(diagnostic.help(help));
        }
    }
}
