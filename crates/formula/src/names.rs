//! The names of `.mu` files for editors: an [`Index`] over the tree of all files that a text loads.
//!
//! It follows the checker's rules without its types: a bare name that is compared with something of
//! an enumeration, or stands for a parameter of one, is a value of it before it is a variable; any
//! other name is a variable, then a relation, then the only value of that name. What stays open is
//! left out. Scopes are restored by an explicit stack, so nesting is limited by memory only.

use crate::ast::{
    Ast, CommandArgument, Declaration, EnumValues, Expr, ExprId, HintItem, Ident, Item, Path,
    Quantifier, RelationItem, Step,
};
use crate::loading::{Loader, read};
use crate::sources::Sources;
use crate::system::RelationKind;
use hardbop_syntax::ast::Symbol;
use hardbop_syntax::index::{Definition, DefinitionKind, Index};
use hardbop_syntax::{Source, Span};
use std::collections::HashMap;

/// The names of a text and of all files that it loads; spans count as in [`Sources`].
pub fn names(root: &Source, loader: &mut Loader<'_>) -> (Sources, Index) {
    let reading = read(root, loader);
    let mut namer = Namer::new(&reading.ast);
    namer.declare();
    for item in &reading.ast.items {
        namer.item(item);
    }
    (reading.sources, namer.index.finished())
}

/// A type: its definition and what can be looked up in it.
#[derive(Default)]
struct Known {
    definition: u32,
    /// Fields with the names of their types, or values.
    parts: HashMap<Symbol, (u32, Option<Symbol>)>,
}

struct Namer<'a> {
    ast: &'a Ast,
    index: Index,
    types: HashMap<Symbol, Known>,
    /// The definition of a relation and the names of its parameters' types.
    relations: HashMap<Symbol, (u32, Vec<Symbol>)>,
    /// Values of enumerations; none where several have one of that name.
    values: HashMap<Symbol, Option<u32>>,
    /// Variables in scope with the names of their types.
    scope: HashMap<Symbol, (u32, Symbol)>,
    /// The relation that is being read.
    parent: Option<u32>,
}

/// What is still to be done in a formula, the next last.
enum Task {
    /// An expression where something of a type is expected.
    Read(ExprId, Option<Symbol>),
    /// The end of a quantifier: the variable means again what it meant before.
    Restore(Symbol, Option<(u32, Symbol)>),
    Hints(ExprId),
}

impl<'a> Namer<'a> {
    fn new(ast: &'a Ast) -> Self {
        Self {
            ast,
            index: Index::default(),
            types: HashMap::new(),
            relations: HashMap::new(),
            values: HashMap::new(),
            scope: HashMap::new(),
            parent: None,
        }
    }

    fn define(
        &mut self,
        name: Ident,
        kind: DefinitionKind,
        whole: Span,
        declaration: String,
    ) -> u32 {
        self.index.define(Definition {
            name: self.ast.text(name).to_owned(),
            kind,
            span: name.span,
            whole: whole.to(name.span),
            parent: self.parent,
            declaration,
        })
    }

    /// Types and relations may be used before they are defined.
    fn declare(&mut self) {
        let ast = self.ast;
        for item in &ast.items {
            match item {
                Item::Enum { name, values } => self.declare_enum(*name, values),
                Item::Class { name, fields, .. } => self.declare_class(*name, fields),
                Item::Relation(relation) => self.declare_relation(relation),
                _ => {}
            }
        }
    }

    fn declare_enum(&mut self, name: Ident, values: &EnumValues) {
        let text = self.ast.text(name);
        let (list, end) = match values {
            EnumValues::Range { first, last, span } => (format!("{first}..{last}"), *span),
            EnumValues::Names(names) => {
                let texts: Vec<&str> = names.iter().map(|name| self.ast.text(*name)).collect();
                let end = names.last().map_or(name.span, |last| last.span);
                (texts.join(", "), end)
            }
        };
        let declaration = format!("enum {text} {{ {list} }}");
        let definition = self.define(name, DefinitionKind::Type, end, declaration);
        let mut parts = HashMap::new();
        if let EnumValues::Names(names) = values {
            self.parent = Some(definition);
            for value in names {
                let about = format!("{} of enum {text}", self.ast.text(*value));
                let number = self.define(*value, DefinitionKind::Value, value.span, about);
                parts.entry(value.name).or_insert((number, None));
                let known = self.values.entry(value.name);
                known
                    .and_modify(|other| *other = None)
                    .or_insert(Some(number));
            }
            self.parent = None;
        }
        let known = Known { definition, parts };
        self.types.entry(name.name).or_insert(known);
    }

    fn declare_class(&mut self, name: Ident, fields: &[Declaration]) {
        let text = self.ast.text(name);
        let end = fields.last().map_or(name.span, |last| last.name.span);
        let definition = self.define(name, DefinitionKind::Type, end, format!("class {text}"));
        self.parent = Some(definition);
        let mut parts = HashMap::new();
        for field in fields {
            let about = format!("{} of class {text}", self.declaration(field));
            let whole = field.ty.span;
            let number = self.define(field.name, DefinitionKind::Field, whole, about);
            let part = (number, Some(field.ty.name));
            parts.entry(field.name.name).or_insert(part);
        }
        self.parent = None;
        let known = Known { definition, parts };
        self.types.entry(name.name).or_insert(known);
    }

    fn declare_relation(&mut self, relation: &RelationItem) {
        let name = relation.name;
        let known = self.relations.get(&name.name).map(|(number, _)| *number);
        if let Some(number) = known {
            // A prototype, or a definition that is wrong.
            self.index.mention(name.span, number, true);
            let end = relation.body.map_or(name.span, |body| self.ast.span(body));
            if relation.body.is_some() {
                let definition = &mut self.index.definitions[number as usize];
                definition.span = name.span;
                definition.whole = relation.result.span.to(end);
            }
            return;
        }
        let word = match relation.kind {
            RelationKind::Least => "mu ",
            RelationKind::Greatest => "nu ",
            RelationKind::Definition => "",
        };
        let list: Vec<String> = relation
            .parameters
            .iter()
            .map(|p| self.declaration(p))
            .collect();
        let text = self.ast.text(name);
        let declaration = format!("{word}bool {text}({})", list.join(", "));
        let end = relation.body.map_or(name.span, |body| self.ast.span(body));
        let whole = relation.result.span.to(end);
        let number = self.define(name, DefinitionKind::Relation, whole, declaration);
        let types = relation.parameters.iter().map(|p| p.ty.name).collect();
        self.relations.insert(name.name, (number, types));
    }

    fn declaration(&self, declaration: &Declaration) -> String {
        let (ty, name) = (
            self.ast.text(declaration.ty),
            self.ast.text(declaration.name),
        );
        match declaration.length {
            Some((length, _)) => format!("{ty} {name}[{length}]"),
            None => format!("{ty} {name}"),
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Class {
                name,
                fields,
                hints,
            } => {
                for field in fields {
                    self.mention_type(field.ty);
                }
                for ident in hints.iter().flat_map(hint_names) {
                    self.mention_part(name.name, ident);
                }
            }
            Item::Relation(relation) => {
                self.scope.clear();
                self.parent = self
                    .relations
                    .get(&relation.name.name)
                    .map(|(number, _)| *number);
                for parameter in &relation.parameters {
                    self.bind(parameter);
                }
                self.mention_hints(&relation.hints);
                if let Some(body) = relation.body {
                    self.formula(body);
                }
                self.parent = None;
            }
            Item::Variables(list) => {
                for one in list {
                    self.mention_type(one.ty);
                }
            }
            Item::Query(formula) => {
                self.scope.clear();
                self.formula(*formula);
            }
            Item::Command(command) => {
                self.scope.clear();
                for argument in &command.arguments {
                    if let CommandArgument::Formula(formula) = argument {
                        self.formula(*formula);
                    }
                }
            }
            Item::Enum { .. } | Item::Load(..) | Item::Needs(..) => {}
        }
    }

    /// Brings a parameter or a quantified variable into scope; gives what its name meant before.
    fn bind(&mut self, declaration: &Declaration) -> Option<(u32, Symbol)> {
        self.mention_type(declaration.ty);
        let text = self.declaration(declaration);
        let (name, whole) = (declaration.name, declaration.ty.span);
        let number = self.define(name, DefinitionKind::Variable, whole, text);
        self.scope.insert(name.name, (number, declaration.ty.name))
    }

    fn mention_type(&mut self, ty: Ident) {
        if let Some(known) = self.types.get(&ty.name) {
            self.index.mention(ty.span, known.definition, false);
        }
    }

    /// A field or value of a type; gives the type of the field.
    fn mention_part(&mut self, of: Symbol, part: Ident) -> Option<Symbol> {
        let &(number, ty) = self.types.get(&of)?.parts.get(&part.name)?;
        self.index.mention(part.span, number, false);
        ty
    }

    fn mention_hints(&mut self, hints: &[HintItem]) {
        for ident in hints.iter().flat_map(hint_names) {
            if let Some(&(number, _)) = self.scope.get(&ident.name) {
                self.index.mention(ident.span, number, false);
            }
        }
    }

    fn formula(&mut self, root: ExprId) {
        let ast = self.ast;
        let mut tasks = vec![Task::Read(root, None)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Restore(name, Some(before)) => {
                    self.scope.insert(name, before);
                }
                Task::Restore(name, None) => {
                    self.scope.remove(&name);
                }
                Task::Hints(id) => {
                    if let Expr::Hinted(_, hints) = ast.expr(id) {
                        self.mention_hints(hints);
                    }
                }
                Task::Read(id, expected) => self.read(id, expected, &mut tasks),
            }
        }
    }

    fn read(&mut self, id: ExprId, expected: Option<Symbol>, tasks: &mut Vec<Task>) {
        let ast = self.ast;
        match ast.expr(id) {
            Expr::Boolean(_) | Expr::Number(_) => {}
            Expr::Path(path) => self.path(path, expected),
            Expr::Apply(name, arguments) => {
                let known = self.relations.get(&name.name).cloned();
                let (number, types) = known.map_or((None, Vec::new()), |(n, t)| (Some(n), t));
                if let Some(number) = number {
                    self.index.mention(name.span, number, false);
                }
                for (position, argument) in arguments.iter().enumerate() {
                    tasks.push(Task::Read(*argument, types.get(position).copied()));
                }
            }
            Expr::Not(operand) => tasks.push(Task::Read(*operand, None)),
            Expr::Binary(_, left, right) => {
                tasks.push(Task::Read(*right, self.type_of(*left)));
                tasks.push(Task::Read(*left, self.type_of(*right)));
            }
            Expr::If(condition, then, otherwise) => {
                tasks.extend(otherwise.map(|id| Task::Read(id, None)));
                tasks.push(Task::Read(*then, None));
                tasks.push(Task::Read(*condition, None));
            }
            Expr::Case(arms) => {
                for (condition, value) in arms {
                    tasks.push(Task::Read(*condition, None));
                    tasks.push(Task::Read(*value, None));
                }
            }
            Expr::Quantifier(Quantifier::Exists | Quantifier::Forall, declarations, body) => {
                for declaration in declarations {
                    if !declaration.component.is_empty() {
                        self.mention_type(declaration.ty);
                        let root = declaration.name;
                        let steps = declaration.component.clone();
                        self.path(&Path { root, steps }, None);
                        continue;
                    }
                    let before = self.bind(declaration);
                    tasks.push(Task::Restore(declaration.name.name, before));
                }
                tasks.push(Task::Read(*body, None));
            }
            Expr::Hinted(formula, _) => {
                tasks.push(Task::Hints(id));
                tasks.push(Task::Read(*formula, None));
            }
            Expr::Shown(formula, shown) => {
                for path in &shown.paths {
                    self.path(path, None);
                }
                tasks.push(Task::Read(*formula, None));
            }
        }
    }

    /// The type of a variable or of a part of one.
    fn type_of(&self, id: ExprId) -> Option<Symbol> {
        let Expr::Path(path) = self.ast.expr(id) else {
            return None;
        };
        let mut ty = self.scope.get(&path.root.name)?.1;
        for step in &path.steps {
            if let Step::Field(field) = step {
                ty = self.types.get(&ty)?.parts.get(&field.name)?.1?;
            }
        }
        Some(ty)
    }

    fn path(&mut self, path: &Path, expected: Option<Symbol>) {
        let root = path.root;
        let is_bare = path.steps.is_empty();
        let wanted = expected.and_then(|ty| self.types.get(&ty));
        let value = wanted.and_then(|known| known.parts.get(&root.name));
        if let Some(&(number, None)) = value.filter(|_| is_bare) {
            self.index.mention(root.span, number, false);
        } else if let Some(&(number, mut ty)) = self.scope.get(&root.name) {
            self.index.mention(root.span, number, false);
            for step in &path.steps {
                if let Step::Field(field) = step {
                    let Some(next) = self.mention_part(ty, *field) else {
                        return;
                    };
                    ty = next;
                }
            }
        } else if is_bare {
            let relation = self.relations.get(&root.name).map(|(number, _)| *number);
            let value = || self.values.get(&root.name).copied().flatten();
            if let Some(number) = relation.or_else(value) {
                self.index.mention(root.span, number, false);
            }
        }
    }
}

fn hint_names(hint: &HintItem) -> impl Iterator<Item = Ident> + use<> {
    hint.left.into_iter().chain([hint.right])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each use with what it is a use of: `name@line` of the definition.
    fn uses(text: &str) -> Vec<String> {
        let (sources, index) = names(&Source::new("t.mu", text), &mut |_| Err(String::new()));
        let line = |span| sources.locate(span).0.line(span.start);
        let uses = index.mentions().iter().filter(|mention| !mention.defines);
        uses.map(|mention| {
            let definition = &index.definitions[mention.definition as usize];
            format!(
                "{} {}@{}",
                line(mention.span),
                definition.name,
                line(definition.span)
            )
        })
        .collect()
    }

    #[test]
    fn values_fields_and_variables_are_told_apart_by_type_and_scope() {
        let text = "enum A { x, y };
enum B { x, z };
class C { A a; B b; };
bool R(C c, A p)
  c.b = x & c.a = x
  & (exists B p. p = z) & p = y & R(c, x)
;
R;";
        assert_eq!(
            uses(text),
            [
                "3 A@1", "3 B@2", "4 C@3", "4 A@1", "5 c@4", "5 b@3", "5 x@2", "5 c@4", "5 a@3",
                "5 x@1", "6 B@2", "6 p@6", "6 z@2", "6 p@4", "6 y@1", "6 R@4", "6 c@4", "6 x@1",
                "8 R@4"
            ]
        );
    }

    #[test]
    fn a_prototype_and_its_definition_are_one_relation_and_broken_text_has_names_too() {
        let text = "mu bool R(bool a);
mu bool R(bool a) a & R(a);
enum { R(";
        let (_, index) = names(&Source::new("t.mu", text), &mut |_| Err(String::new()));
        let relations = index
            .definitions
            .iter()
            .filter(|d| d.kind == DefinitionKind::Relation);
        assert_eq!(relations.count(), 1);
        assert_eq!(index.mentions_of(0).filter(|m| m.defines).count(), 2);
    }
}
