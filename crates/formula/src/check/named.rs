//! Names of the host's vocabulary: values of enumerations (`At(u, DONE)`) and fields (`u.lock`).

use super::Checker;
use super::places::{Operand, Place};
use super::types::{BOOL, Kind, TypeId};
use crate::ast::{Expr, ExprId, Path, Step};
use crate::system::FormulaId;
use crate::vocabulary::{NamedField, NamedPlace};
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span, suggest};

/// How many names are listed where none is near.
const MOST_LISTED: usize = 8;

impl Checker<'_> {
    /// The code of a name of the vocabulary where a value of an enumeration is wanted. A name that
    /// means nothing is reported.
    pub(super) fn named_value(&mut self, ty: TypeId, id: ExprId) -> Option<u64> {
        let vocabulary = self.vocabulary;
        let values = vocabulary.values.get(&self.types.get(ty).name)?;
        let Expr::Path(path) = self.ast.expr(id) else {
            return None;
        };
        if self.bindings[path.root.name.0 as usize].is_some() {
            return None;
        }
        let name = self.dotted(self.text(path.root), &path.steps)?;
        self.named.values = true;
        let span = self.ast.span(id);
        if let Some(code) = values.code(&name) {
            self.codes.push((span, code));
            return Some(code);
        }
        if vocabulary.is_open {
            let enumeration = self.types.get(ty).name.as_str();
            let is_declarable = ["Label", "Module", "Variable"].contains(&enumeration);
            let needed = self.needs.values.get(enumeration);
            let is_needed = needed.is_some_and(|names| names.contains(&name));
            if self.needs.are_declared && is_declarable && !is_needed {
                self.report_undeclared(values.what, &name, span);
            }
        } else {
            let message = format!("the program has no {} `{name}`", values.what);
            let ast = self.ast;
            let bound = self.bound.iter().map(|&(name, _)| ast.names.text(name));
            let known = values.names.keys().map(String::as_str);
            let known: Vec<&str> = known.chain(bound).collect();
            let diagnostic = Diagnostic::new(codes::UNKNOWN_VARIABLE, span, message);
            self.report_nearest(diagnostic, &name, &known);
        }
        Some(0)
    }

    /// Reports a number that is a value of its type but means nothing in the program.
    pub(super) fn report_meaningless(&mut self, ty: TypeId, number: u64, span: Span) {
        let vocabulary = self.vocabulary;
        let Some(values) = vocabulary.values.get(&self.types.get(ty).name) else {
            return;
        };
        let Some(numbers) = &values.numbers else {
            return;
        };
        let after = numbers.partition_point(|&known| known < number);
        if numbers.get(after) == Some(&number) || vocabulary.is_open {
            return;
        }
        let what = values.what;
        let message = format!("the program has nothing at {what} {number}");
        let near = [
            after.checked_sub(1).map(|before| numbers[before]),
            numbers.get(after).copied(),
        ];
        let near: Vec<String> = near.into_iter().flatten().map(|n| n.to_string()).collect();
        let mut diagnostic = Diagnostic::new(codes::OUT_OF_RANGE, span, message);
        if !near.is_empty() {
            let are = if near.len() == 1 { "is" } else { "are" };
            diagnostic = diagnostic.help(format!("the nearest {are} {}", near.join(" and ")));
        }
        self.diagnostics.push(diagnostic);
    }

    /// What a path means whose last steps are a name of the vocabulary; nothing if all steps are
    /// fields and elements.
    pub(super) fn named_field(&mut self, path: &Path) -> Option<Operand> {
        let vocabulary = self.vocabulary;
        if vocabulary.fields.is_empty() && !vocabulary.is_open {
            return None;
        }
        let binding = self.bindings[path.root.name.0 as usize]?;
        let mut place = Place {
            variable: binding.variable,
            first_bit: 0,
            ty: binding.ty,
        };
        // What `place` is a part of.
        let mut whole: Option<Place> = None;
        for (at, step) in path.steps.iter().enumerate() {
            let known = match (*step, &self.types.get(place.ty).kind) {
                (Step::Field(name), Kind::Class { by_name, .. }) => {
                    by_name.contains_key(&name.name)
                }
                _ => return None,
            };
            let Step::Field(name) = *step else {
                return None;
            };
            if known {
                whole = Some(place);
                place = self.field(place, name)?;
                continue;
            }
            let first = self.text(name);
            let name = self.dotted(first, &path.steps[at + 1..])?;
            if let Some(field) = vocabulary.fields.get(&name) {
                self.named.fields = true;
                if let Some(why) = &field.missing {
                    let span = path_span(path);
                    let help = "`--relations full` keeps all variables";
                    let diagnostic = Diagnostic::new(codes::UNKNOWN_FIELD, span, why.clone());
                    self.diagnostics.push(diagnostic.help(help));
                    return Some(Operand::Wrong);
                }
                if self.has_parts(place, field) {
                    return Some(self.read(place, field));
                }
            }
            if vocabulary.is_open {
                self.named.fields = true;
                if !self.needs.are_declared {
                    return Some(Operand::Wrong);
                }
                // Behind a state, or behind its globals or locals.
                let mut holders = [Some(place), whole].into_iter().flatten();
                let state = holders.find(|&holder| self.part(holder, "CG").is_some());
                if let Some(state) = state {
                    if let Some(field) = self.needs.fields.get(&name).cloned() {
                        return Some(self.read(state, &field));
                    }
                    self.report_undeclared("variable", &name, path_span(path));
                    return Some(Operand::Wrong);
                }
                return None;
            }
            let mut fields = vocabulary.fields.values();
            if fields.any(|field| self.has_parts(place, field)) {
                let message = format!("neither the class nor the program has a variable `{name}`");
                let span = path_span(path);
                let ast = self.ast;
                let mut known: Vec<&str> = vocabulary.fields.keys().map(String::as_str).collect();
                if let Kind::Class { fields, .. } = &self.types.get(place.ty).kind {
                    known.extend(fields.iter().map(|field| ast.names.text(field.name)));
                }
                let diagnostic = Diagnostic::new(codes::UNKNOWN_FIELD, span, message);
                self.report_nearest(diagnostic, &name, &known);
                return Some(Operand::Wrong);
            }
            return None;
        }
        None
    }

    /// Whether a class has the parts in which a named field is: only states of the program do.
    fn has_parts(&self, class: Place, field: &NamedField) -> bool {
        let holds = |held: &NamedPlace| {
            let when = held.when.as_ref();
            self.part(class, held.field).is_some()
                && when.is_none_or(|(field, _)| self.part(class, field).is_some())
        };
        !field.places.is_empty() && field.places.iter().all(holds)
    }

    /// The value of a named field of a class.
    fn read(&mut self, state: Place, field: &NamedField) -> Operand {
        let ty = self.types.number(field.width);
        if let [only] = field.places.as_slice()
            && only.when.is_none()
        {
            let part = self
                .part(state, only.field)
                .expect("the class has the parts");
            return Operand::Place(Place {
                first_bit: part.first_bit + only.bits.start,
                ty,
                ..part
            });
        }
        let bits: Vec<FormulaId> = (0..field.width)
            .map(|bit| {
                let mut value = self.builder.constant(false);
                for place in field.places.iter().rev() {
                    let part = self
                        .part(state, place.field)
                        .expect("the class has the parts");
                    let at = part.first_bit + place.bits.start + bit;
                    let there = self.builder.bit(part.variable, at);
                    value = match &place.when {
                        Some((field, code)) => {
                            let part = self.part(state, field).expect("the class has the parts");
                            let condition = self.is_value(part, *code);
                            self.builder.ite(condition, there, value)
                        }
                        None => there,
                    };
                }
                value
            })
            .collect();
        Operand::Bits(bits, ty)
    }

    /// A field of a class by its text.
    fn part(&self, place: Place, name: &str) -> Option<Place> {
        let Kind::Class { fields, .. } = &self.types.get(place.ty).kind else {
            return None;
        };
        let mut fields = fields.iter();
        let field = fields.find(|field| self.ast.names.text(field.name) == name)?;
        Some(Place {
            variable: place.variable,
            first_bit: place.first_bit + field.offset,
            ty: field.ty,
        })
    }

    /// The formula of what is named, if it is a Boolean, or its type.
    pub(super) fn named_boolean(&mut self, operand: &Operand) -> Result<FormulaId, TypeId> {
        match operand {
            Operand::Place(place) if place.ty == BOOL => {
                Ok(self.builder.bit(place.variable, place.first_bit))
            }
            Operand::Bits(bits, BOOL) => Ok(bits[0]),
            Operand::Place(Place { ty, .. }) | Operand::Bits(_, ty) => Err(*ty),
            _ => Ok(self.builder.constant(false)),
        }
    }

    /// The bits of an operand as formulas: of a number, of a place, or of what was named.
    pub(super) fn bits_of_operand(
        &mut self,
        operand: &Operand,
        ty: TypeId,
    ) -> Option<Vec<FormulaId>> {
        let width = self.types.get(ty).bits;
        match operand {
            Operand::Bits(bits, of) if *of == ty => Some(bits.clone()),
            Operand::Place(place) if place.ty == ty => {
                let all = 0..width;
                let bits = all.map(|bit| self.builder.bit(place.variable, place.first_bit + bit));
                Some(bits.collect())
            }
            Operand::Number(number, span) => {
                let code = self.number_code(ty, *number, *span).unwrap_or(0);
                let bits = super::places::code_bits(code, width);
                Some(bits.map(|bit| self.builder.constant(bit)).collect())
            }
            _ => None,
        }
    }

    /// `first.second.third`; nothing if an index is among the steps.
    fn dotted(&self, first: &str, steps: &[Step]) -> Option<String> {
        let mut name = first.to_owned();
        for step in steps {
            let Step::Field(field) = step else {
                return None;
            };
            name.push('.');
            name.push_str(self.text(*field));
        }
        Some(name)
    }

    fn report_nearest(&mut self, diagnostic: Diagnostic, wanted: &str, candidates: &[&str]) {
        let mut diagnostic = diagnostic;
        if self.may_suggest() {
            diagnostic = report_help(diagnostic, wanted, candidates);
            self.comparisons_left = self.comparisons_left.saturating_sub(candidates.len());
        }
        self.diagnostics.push(diagnostic);
    }
}

/// The nearest name as help, or some names where none is near.
pub(super) fn report_help(
    mut diagnostic: Diagnostic,
    wanted: &str,
    candidates: &[&str],
) -> Diagnostic {
    let nearest = suggest::nearest(wanted, candidates.iter().copied());
    let some = || {
        let few = candidates.iter().take(MOST_LISTED);
        let few: Vec<String> = few.map(|name| format!("`{name}`")).collect();
        let more = if candidates.len() > few.len() {
            ", …"
        } else {
            ""
        };
        (!few.is_empty()).then(|| format!("there are {}{more}", few.join(", ")))
    };
    diagnostic.help = nearest.map(suggest::did_you_mean).or_else(some);
    diagnostic
}

fn path_span(path: &Path) -> Span {
    let last = path.steps.iter().rev().find_map(|step| match step {
        Step::Field(field) => Some(field.span),
        Step::Index(..) => None,
    });
    path.root.span.to(last.unwrap_or(path.root.span))
}
