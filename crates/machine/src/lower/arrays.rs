//! Elements of arrays. An array is one variable for each element; what has an index that is not a
//! number becomes a choice between them.
//!
//! `a[i]` is `i = 0 ? a[0] : i = 1 ? a[1] : …`, and `a[i] := e` assigns `i = k ? e : a[k]` to every
//! `a[k]` at once. That `i` is in range is asserted, in the same step, so that no other thread can
//! change `i` in between and a choice in `i` is one choice: all edges of the statement get the
//! guard that every index is in range, and beside them there is one edge for each index to a
//! failure of its own, under the opposite. Like in C, what `&&`, `||` and `? :` do not come to is
//! not checked.

use super::expressions::{Time, Translator};
use super::statements::ProcedureLowering;
use super::steps::Step;
use crate::expr::{BinaryOp, Expr};
use crate::ids::{ExprId, GlobalId, LocalId, NodeId, Variable};
use crate::ir::{Action, Assertion, NodeKind};
use crate::types::Type;
use hardbop_syntax::Span;
use hardbop_syntax::ast::{self, ExprKind, StmtId, StmtKind, Target};
use std::ops::Range;

/// An index that may be out of range.
#[derive(Clone, Copy)]
pub(super) struct Check {
    /// The element that it is to name.
    span: Span,
    /// The index as written.
    index: ast::ExprId,
    /// That it is out of range, and evaluated at all.
    fails: ExprId,
}

/// A constant index as a number of elements.
fn element_number(index: i128) -> u32 {
    u32::try_from(index).expect("an index that is out of range was refused before")
}

/// What an assignment writes to.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Variable(Variable),
    /// An element of the array that starts at the variable.
    Element(Variable, ExprId),
}

impl Translator<'_> {
    /// All elements of an array, given the first; a variable that is not an array alone.
    pub fn elements(&self, first: Variable) -> impl Iterator<Item = Variable> + use<> {
        let procedure = &self.program.procedures[self.procedure.index()];
        let element = match first {
            Variable::Global(id) => self.program.globals[id.index()].element,
            Variable::Local(id) => procedure.locals[id.index()].element,
        };
        let length = element.map_or(1, |element| element.length);
        (0..length).map(move |index| at(first, index))
    }

    fn type_of(&self, variable: Variable) -> Type {
        match variable {
            Variable::Global(id) => self.program.globals[id.index()].ty,
            Variable::Local(id) => {
                self.program.procedures[self.procedure.index()].locals[id.index()].ty
            }
        }
    }

    /// `a[i]`, whose index has just been translated.
    pub(super) fn element(
        &mut self,
        array: ast::ExprId,
        index: ast::ExprId,
        span: Span,
        time: Time,
    ) -> ExprId {
        let first = self.program.variable(array);
        let ty = self.type_of(first);
        let is_primed = matches!(self.program.ast.expr(array).kind, ExprKind::Primed(_));
        let read = |variable| match time {
            Time::Before if !is_primed => Expr::Var(variable, ty),
            _ => Expr::Next(variable, ty),
        };
        let translated = self.pop().value;
        if let Some(number) = self.program.ast.number(index) {
            return self.shared.add(read(at(first, element_number(number))));
        }
        let index = self.checked(first, index, translated, span);
        let mut elements = self.reachable_elements(first, index);
        let (_, last) = elements
            .next_back()
            .expect("an array has at least one element");
        let mut value = self.shared.add(read(last));
        for (number, element) in elements.rev() {
            let is_here = self.is_number(index, number);
            let here = self.shared.add(read(element));
            value = self.shared.add(Expr::Ite(is_here, here, value, ty));
        }
        value
    }

    /// Records that an index must be in range, unless its type says so.
    fn checked(
        &mut self,
        first: Variable,
        written: ast::ExprId,
        index: ExprId,
        span: Span,
    ) -> ExprId {
        let ty = self.shared.get(index).ty();
        let length = self.elements(first).count() as u64;
        if ty.holds(length) {
            let length = self.constant(length, ty);
            let fails = Expr::Binary(BinaryOp::LessEqual, length, index, Type::Bool);
            let fails = self.shared.add(fails);
            self.checks.push(Check {
                span,
                index: written,
                fails,
            });
        }
        index
    }

    /// The elements that an index of this type can name, numbered.
    fn reachable_elements(
        &self,
        first: Variable,
        index: ExprId,
    ) -> impl DoubleEndedIterator<Item = (u64, Variable)> + use<> {
        let largest = self.shared.get(index).ty().max_value();
        let elements: Vec<Variable> = self.elements(first).collect();
        let reachable = elements.len().min(largest.saturating_add(1) as usize);
        (0..reachable).map(move |number| (number as u64, elements[number]))
    }

    fn is_number(&mut self, index: ExprId, number: u64) -> ExprId {
        let ty = self.shared.get(index).ty();
        let number = self.constant(number, ty);
        self.shared
            .add(Expr::Binary(BinaryOp::Equal, index, number, Type::Bool))
    }

    /// Makes the checks of an operand depend on the condition under which it is evaluated.
    pub(super) fn reached_if(&mut self, checks: Range<usize>, condition: ExprId, holds: bool) {
        if checks.is_empty() {
            return;
        }
        let condition = if holds {
            condition
        } else {
            self.not(condition)
        };
        for check in &mut self.checks[checks] {
            let fails = Expr::Binary(BinaryOp::And, condition, check.fails, Type::Bool);
            check.fails = self.shared.add(fails);
        }
    }

    /// What a target of an assignment stands for; nothing for `_`.
    pub fn place(
        &mut self,
        target: Target,
        variable: Option<Variable>,
        inputs: &mut Vec<Type>,
    ) -> Option<Place> {
        let variable = variable?;
        let Target::Element(element) = target else {
            return Some(Place::Variable(variable));
        };
        let ExprKind::Index { index, .. } = self.program.ast.expr(element).kind else {
            unreachable!("the parser makes elements of indexes only");
        };
        if let Some(number) = self.program.ast.number(index) {
            return Some(Place::Variable(at(variable, element_number(number))));
        }
        let translated = self.translate(index, Time::Before, inputs);
        let span = self.program.ast.expr(element).span;
        let index = self.checked(variable, index, translated, span);
        Some(Place::Element(variable, index))
    }

    /// Adds the write of a value to those of an assignment. Where several elements are the same,
    /// the last value counts, as with variables.
    pub fn write(
        &mut self,
        place: Place,
        value: ExprId,
        assignments: &mut Vec<(Variable, ExprId)>,
    ) {
        let mut set = |variable: Variable, new: &mut dyn FnMut(Option<ExprId>) -> ExprId| {
            let known = assignments.iter_mut().find(|(v, _)| *v == variable);
            match known {
                Some((_, value)) => *value = new(Some(*value)),
                None => assignments.push((variable, new(None))),
            }
        };
        match place {
            Place::Variable(variable) => set(variable, &mut |_| value),
            Place::Element(first, index) => {
                let ty = self.type_of(first);
                for (number, element) in self.reachable_elements(first, index) {
                    let is_here = self.is_number(index, number);
                    set(element, &mut |earlier| {
                        let earlier =
                            earlier.unwrap_or_else(|| self.shared.add(Expr::Var(element, ty)));
                        self.shared.add(Expr::Ite(is_here, value, earlier, ty))
                    });
                }
            }
        }
    }

    /// The targets of a call, whose indexes are numbers.
    pub fn call_targets(&mut self, id: StmtId) -> Vec<Option<Variable>> {
        let StmtKind::Call { targets, .. } = &self.program.ast.stmt(id).kind else {
            return Vec::new();
        };
        let variables = self.program.targets(id);
        let places = targets.iter().zip(variables).map(|(&target, &variable)| {
            match self.place(target, variable, &mut Vec::new())? {
                Place::Variable(variable) => Some(variable),
                Place::Element(..) => unreachable!("the checker wants numbers here"),
            }
        });
        let mut places: Vec<_> = places.collect();
        // Of several results for one element the last counts.
        for index in 0..places.len() {
            if places[index].is_some() && places[index + 1..].contains(&places[index]) {
                places[index] = None;
            }
        }
        places
    }

    fn has_choices(&self, root: ExprId) -> bool {
        let mut found = false;
        self.shared
            .visit(root, |expr| found |= matches!(expr, Expr::Input(..)));
        found
    }
}

impl ProcedureLowering<'_, '_> {
    /// Asserts that the indexes of a statement are in range: guards its edges, which are those out
    /// of its node from `first_edge` on, and adds edges to the failures. They are under `enforce`
    /// unless the others are not.
    pub fn check_indexes(&mut self, from: NodeId, first_edge: usize, is_enforced: bool) {
        if self.translator.checks.is_empty() {
            return;
        }
        let mut checks = std::mem::take(&mut self.translator.checks);
        checks.sort_by_key(|check| check.span.start);
        let mut inputs = Vec::new();
        let mut is_safe = None;
        for check in &checks {
            let in_range = self.translator.not(check.fails);
            is_safe = self.translator.and(is_safe, Some(in_range));
        }
        for edge in self.draft.edges_since(first_edge) {
            if edge.from == from {
                edge.guard = self.translator.and(is_safe, edge.guard);
                inputs = edge.inputs.to_vec();
            }
        }
        for check in checks {
            let failure = self.draft.node(NodeKind::OutOfRange, check.span);
            self.draft.assertion(Assertion {
                node: from,
                failure,
                span: check.span,
                claim: self.program.ast.index_claims.get(&check.index).cloned(),
            });
            let step = Step {
                from,
                to: failure,
                span: self.draft.span(from),
            };
            let inputs = if self.translator.has_choices(check.fails) {
                inputs.clone()
            } else {
                Vec::new()
            };
            if is_enforced {
                self.edge(step, Some(check.fails), Action::Skip, inputs);
            } else {
                self.plain_edge(step, Some(check.fails), Action::Skip, inputs);
            }
        }
    }
}

/// The element at a distance from the first.
fn at(first: Variable, index: u32) -> Variable {
    match first {
        Variable::Global(id) => Variable::Global(GlobalId(id.0 + index)),
        Variable::Local(id) => Variable::Local(LocalId(id.0 + index)),
    }
}
