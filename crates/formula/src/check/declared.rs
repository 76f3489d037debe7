//! The types that the files declare.
//!
//! A structure is laid out after the structures it contains, by a depth-first walk with an explicit
//! stack, which also finds those that contain themselves. A type with an error becomes
//! [`Kind::Wrong`], which fits everything, so that one mistake is reported once.

use super::Checker;
use super::types::{
    BOOL, Field, Kind, MAX_HINTS, MAX_SIZE, Type, TypeId, Types, WRONG, bits_for, shifted,
};
use crate::ast::{Declaration, EnumValues, HintItem, Ident, Item};
use crate::system::Values;
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

/// A structure that is being laid out.
struct Layout {
    item: usize,
    next_field: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    Open,
    Done,
}

impl Checker<'_> {
    /// All types of all items.
    pub(super) fn declare_types(&mut self) {
        let ast = self.ast;
        // By type: the item of a structure that still has to be laid out.
        let mut classes: HashMap<TypeId, usize> = HashMap::new();
        let mut order = Vec::new();
        for (index, item) in ast.items.iter().enumerate() {
            match item {
                Item::Enum { name, values } => {
                    let kind = self.enumeration(*name, values);
                    self.declare_type(*name, kind);
                }
                Item::Class { name, .. } => {
                    let fields = Vec::new();
                    let by_name = HashMap::new();
                    let kind = Kind::Class { fields, by_name };
                    if let Some(id) = self.declare_type(*name, kind) {
                        classes.insert(id, index);
                        order.push(id);
                    }
                }
                _ => {}
            }
        }
        let mut progress = vec![Progress::Done; self.types.all.len()];
        for id in &order {
            progress[id.0 as usize] = Progress::Waiting;
        }
        for id in order {
            self.lay_out(id, &classes, &mut progress);
        }
    }

    fn declare_type(&mut self, name: Ident, kind: Kind) -> Option<TypeId> {
        let text = self.text(name).to_owned();
        let earlier = self.types.by_name.get(&name.name).map(|&(_, first)| first);
        if earlier.is_some() || text == "bool" {
            let message = format!("the type `{text}` is already defined");
            let mut diagnostic = Diagnostic::new(codes::REDEFINED, name.span, message);
            if let Some(first) = earlier {
                diagnostic = diagnostic.also(first.span, "the first definition");
            }
            self.diagnostics.push(diagnostic);
            return None;
        }
        let bits = match &kind {
            Kind::Enum { values, .. } => bits_for(match values {
                Values::Boolean => 2,
                Values::Numbers { count, .. } => *count,
                Values::Names(names) => names.len() as u64,
            }),
            _ => 0,
        };
        let id = self.types.add(Type {
            name: text,
            kind,
            bits,
            size: u64::from(bits.max(1)),
            hints: Vec::new(),
        });
        self.types.by_name.insert(name.name, (id, name));
        Some(id)
    }

    fn enumeration(&mut self, name: Ident, values: &EnumValues) -> Kind {
        match values {
            EnumValues::Range { first, last, span } => {
                let count = last
                    .checked_sub(*first)
                    .and_then(|distance| distance.checked_add(1));
                let Some(count) = count else {
                    let message = format!("the range {first}..{last} has no values, or too many");
                    self.report(codes::BAD_TYPE, *span, message);
                    return Kind::Wrong;
                };
                let first = *first;
                Kind::Enum {
                    values: Values::Numbers { first, count },
                    codes: HashMap::new(),
                }
            }
            EnumValues::Names(names) => {
                let mut codes = HashMap::new();
                for (code, value) in names.iter().enumerate() {
                    if let Some(before) = codes.insert(value.name, code as u64) {
                        let text = self.text(*value);
                        let message = format!("the value `{text}` is named twice");
                        let first = names[before as usize].span;
                        self.diagnostics.push(
                            Diagnostic::new(codes::DUPLICATE_NAME, value.span, message)
                                .also(first, "named here"),
                        );
                    }
                }
                if names.is_empty() {
                    let message = format!("the enumeration `{}` has no values", self.text(name));
                    self.report(codes::BAD_TYPE, name.span, message);
                    return Kind::Wrong;
                }
                let texts = names.iter().map(|value| self.text(*value).to_owned());
                Kind::Enum {
                    values: Values::Names(texts.collect()),
                    codes,
                }
            }
        }
    }

    /// Lays out a structure, those it contains first.
    fn lay_out(
        &mut self,
        root: TypeId,
        classes: &HashMap<TypeId, usize>,
        progress: &mut [Progress],
    ) {
        if progress[root.0 as usize] == Progress::Done {
            return;
        }
        let ast = self.ast;
        let layout = |id: &TypeId| Layout {
            item: classes[id],
            next_field: 0,
        };
        let mut stack = vec![(root, layout(&root))];
        progress[root.0 as usize] = Progress::Open;
        // Fields that would close a circle.
        let mut circular = HashSet::new();
        while let Some((id, top)) = stack.last_mut() {
            let Item::Class {
                name,
                fields,
                hints,
            } = &ast.items[top.item]
            else {
                unreachable!("only structures are laid out")
            };
            if let Some(field) = fields.get(top.next_field) {
                top.next_field += 1;
                let Some(inner) = self.types.named(field.ty.name) else {
                    continue;
                };
                match progress.get(inner.0 as usize) {
                    Some(Progress::Waiting) => {
                        progress[inner.0 as usize] = Progress::Open;
                        stack.push((inner, layout(&inner)));
                    }
                    Some(Progress::Open) => {
                        let ty = self.text(field.ty);
                        let message = format!(
                            "`{ty}` would contain itself by way of the field `{}`",
                            self.text(field.name)
                        );
                        self.report(codes::CYCLIC_TYPE, field.name.span, message);
                        circular.insert(field.name.span);
                    }
                    _ => {}
                }
            } else {
                let id = *id;
                stack.pop();
                progress[id.0 as usize] = Progress::Done;
                self.complete(id, *name, fields, hints, &circular);
            }
        }
    }

    /// Gives a structure its fields; the types of all of them are laid out.
    fn complete(
        &mut self,
        id: TypeId,
        name: Ident,
        declarations: &[Declaration],
        hints: &[HintItem],
        circular: &HashSet<Span>,
    ) {
        let mut fields = Vec::new();
        let mut by_name = HashMap::new();
        let mut first_spans = HashMap::new();
        let (mut bits, mut size) = (0, 1u64);
        let mut all_hints = Vec::new();
        for declaration in declarations {
            let field = declaration.name;
            if let Some(first) = first_spans.insert(field.name, field.span) {
                let message = format!("the field `{}` is declared twice", self.text(field));
                self.diagnostics.push(
                    Diagnostic::new(codes::DUPLICATE_NAME, field.span, message)
                        .also(first, "the first declaration"),
                );
                continue;
            }
            let ty = if circular.contains(&field.span) {
                WRONG
            } else {
                self.declared_type(declaration)
            };
            let of = self.types.get(ty);
            size += of.size;
            if size > MAX_SIZE {
                let message = format!(
                    "the structure `{}` is too large: a variable has at most {MAX_SIZE} bits",
                    self.text(name)
                );
                self.report(codes::BAD_TYPE, name.span, message);
                self.types.all[id.0 as usize].kind = Kind::Wrong;
                return;
            }
            all_hints.extend(shifted(&of.hints, bits));
            by_name.insert(field.name, fields.len());
            fields.push(Field {
                name: field.name,
                ty,
                offset: bits,
            });
            bits += of.bits;
        }
        for hint in hints {
            let range = |types: &Types, ident: Ident| {
                let field: &Field = &fields[*by_name.get(&ident.name)?];
                Some(field.offset..field.offset + types.get(field.ty).bits)
            };
            let left = hint.left.and_then(|left| range(&self.types, left));
            match (left, range(&self.types, hint.right)) {
                (Some(left), Some(right)) => all_hints.push((left, hint.kind, right)),
                _ => self.report_hint(hint, "two fields of this structure"),
            }
        }
        all_hints.truncate(MAX_HINTS);
        let ty = &mut self.types.all[id.0 as usize];
        ty.bits = bits;
        ty.size = size;
        ty.hints = all_hints;
        ty.kind = Kind::Class { fields, by_name };
    }

    /// The type of a declaration.
    pub(super) fn declared_type(&mut self, declaration: &Declaration) -> TypeId {
        let name = declaration.ty;
        let ty = match self.types.named(name.name) {
            Some(ty) if matches!(self.types.get(ty).kind, Kind::Wrong) => WRONG,
            Some(ty) => ty,
            None if self.text(name) == "bool" => BOOL,
            None => {
                self.report_unknown_type(name);
                return WRONG;
            }
        };
        let Some((length, span)) = declaration.length else {
            return ty;
        };
        match (length, self.types.array(ty, length)) {
            (1.., Some(array)) => array,
            (0, _) => {
                self.report(codes::BAD_TYPE, span, "an array has at least one element");
                WRONG
            }
            (_, None) => {
                let message =
                    format!("the array is too large: a variable has at most {MAX_SIZE} bits");
                self.report(codes::BAD_TYPE, span, message);
                WRONG
            }
        }
    }

    fn report_unknown_type(&mut self, name: Ident) {
        if let Some(why) = self.vocabulary.refused.get(self.text(name)) {
            self.refused
                .push(Diagnostic::new(codes::UNMET_NEED, name.span, why));
            return;
        }
        self.missing.types.push(name);
        let message = format!("there is no type `{}`", self.text(name));
        let diagnostic = Diagnostic::new(codes::UNKNOWN_TYPE, name.span, message);
        let ast = self.ast;
        let declared = ast.items.iter().filter_map(|item| match item {
            Item::Enum { name, .. } | Item::Class { name, .. } => Some(ast.text(*name)),
            _ => None,
        });
        self.report_unknown(diagnostic, name, declared.chain(["bool"]));
    }
}
