//! What the names of a property mean, and whether its parts fit together: tree to formula.
//!
//! One pass over the tree, operands first. A part is a Boolean formula, an integer expression, or a
//! number that is still both. Comparisons of integers become propositions; comparisons of Booleans
//! are connectives (`a = b` is `a <-> b`).

use super::tree::{BinaryOp, Name, Tree, TreeId, TreeKind, UnaryOp};
use crate::formula::{FormulaId, Formulas};
use crate::propositions::{Atom, Propositions};
use hardbop_machine::{BinaryOp as MachineOp, Expr, ExprId, Machine, ProcId, Type, Variable};
use hardbop_syntax::{Code, Diagnostic, Source, Span, codes};

/// Deeper nesting of temporal operators is refused.
const MAX_TEMPORAL_DEPTH: u32 = 200;

/// Gives meaning to the expressions of one property.
pub(crate) struct Resolver<'a> {
    /// The program that the property is about.
    pub machine: &'a Machine,
    /// The text of the property.
    pub source: &'a Source,
    /// The propositions met so far.
    pub propositions: Propositions,
    /// The formulas made so far.
    pub formulas: Formulas,
    /// What was wrong so far.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a part of an expression is.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    /// A condition.
    Boolean(FormulaId),
    /// An integer that depends on variables.
    Integer {
        /// The expression.
        expr: ExprId,
        /// Its type.
        ty: Type,
        /// Whose locals it speaks of.
        procedure: Option<ProcId>,
    },
    /// A number that takes its type from what it meets; `exact` if it is written so, and not
    /// computed modulo 2^64.
    Number {
        /// The number.
        value: u64,
        /// Whether it is written so.
        exact: bool,
    },
    /// There is a diagnostic.
    Broken,
}

impl Value {
    /// The condition that it is, if it is one.
    pub(crate) fn condition(self) -> Option<FormulaId> {
        match self {
            Value::Boolean(formula) => Some(formula),
            Value::Number { value, exact: true } if value < 2 => {
                Some(Formulas::constant(value == 1))
            }
            _ => None,
        }
    }
}

impl<'a> Resolver<'a> {
    /// A resolver for a property of a program.
    pub(crate) fn new(machine: &'a Machine, source: &'a Source) -> Self {
        Self {
            machine,
            source,
            propositions: Propositions::default(),
            formulas: Formulas::default(),
            diagnostics: Vec::new(),
        }
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(code, span, message));
    }

    /// The values of all parts of a tree, by their ids. `temporal` says whether temporal operators
    /// are allowed.
    pub(crate) fn resolve(&mut self, tree: &Tree, temporal: bool) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(tree.nodes.len());
        let mut depths: Vec<u32> = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            let depth_of = |id: TreeId| depths[id.0 as usize];
            let (depth, is_temporal) = match node.kind {
                TreeKind::Unary(op, operand) => (depth_of(operand), op.is_temporal()),
                TreeKind::Binary(op, left, right) => {
                    (depth_of(left).max(depth_of(right)), op.is_temporal())
                }
                _ => (0, false),
            };
            let depth = depth + u32::from(is_temporal);
            depths.push(depth);
            if is_temporal && !temporal {
                let message = "temporal operators have no place in a condition on one state";
                self.report(codes::PROPERTY_TEMPORAL, node.span, message);
                values.push(Value::Broken);
                continue;
            }
            if depth > MAX_TEMPORAL_DEPTH {
                if depth == MAX_TEMPORAL_DEPTH + 1 && is_temporal {
                    let message = format!(
                        "temporal operators are nested more than {MAX_TEMPORAL_DEPTH} deep"
                    );
                    self.report(codes::PROPERTY_TOO_LARGE, node.span, message);
                }
                values.push(Value::Broken);
                continue;
            }
            let value = self.value(tree, node.kind, node.span, &values);
            values.push(value);
        }
        values
    }

    /// A part that must be a condition; an integer is reported.
    pub(crate) fn require_condition(
        &mut self,
        tree: &Tree,
        id: TreeId,
        values: &[Value],
    ) -> Option<FormulaId> {
        let value = values[id.0 as usize];
        let formula = value.condition();
        if formula.is_none() && !matches!(value, Value::Broken) {
            let message = "this is an integer where a condition is needed";
            self.report(codes::PROPERTY_TYPE, tree.node(id).span, message);
        }
        formula
    }

    fn value(&mut self, tree: &Tree, kind: TreeKind, span: Span, values: &[Value]) -> Value {
        match kind {
            TreeKind::Constant(value) => Value::Boolean(Formulas::constant(value)),
            TreeKind::Number(value) => Value::Number { value, exact: true },
            TreeKind::Variable(name) => self.variable(name, span),
            TreeKind::At(name) => match self.label(name) {
                Some(nodes) => self.proposition(Atom::At(nodes), span),
                None => Value::Broken,
            },
            TreeKind::In(name) => match self.procedure(name) {
                Some(procedure) => self.proposition(Atom::In(procedure), span),
                None => Value::Broken,
            },
            TreeKind::Call(name) => match self.procedure(name) {
                Some(procedure) => self.proposition(Atom::At(self.calls_of(procedure)), span),
                None => Value::Broken,
            },
            TreeKind::Return(name) => match self.procedure(name) {
                Some(procedure) => {
                    let exit = self.machine.procedure(procedure).exit;
                    self.proposition(Atom::At(vec![exit]), span)
                }
                None => Value::Broken,
            },
            TreeKind::Terminated => self.proposition(Atom::Terminated, span),
            TreeKind::Failed => self.proposition(Atom::Failed, span),
            TreeKind::Unary(op, operand) => {
                let Some(operand) = self.require_condition(tree, operand, values) else {
                    return Value::Broken;
                };
                Value::Boolean(match op {
                    UnaryOp::Not => self.formulas.not(operand),
                    UnaryOp::Next => self.formulas.next(operand),
                    UnaryOp::Finally => self.formulas.finally(operand),
                    UnaryOp::Globally => self.formulas.globally(operand),
                    UnaryOp::Exists => self.formulas.exists(operand),
                    UnaryOp::Forall => self.formulas.forall(operand),
                })
            }
            TreeKind::Binary(op, left, right) if op.precedence() <= 5 => {
                let left = self.require_condition(tree, left, values);
                let right = self.require_condition(tree, right, values);
                match (left, right) {
                    (Some(left), Some(right)) => Value::Boolean(self.connect(op, left, right)),
                    _ => Value::Broken,
                }
            }
            TreeKind::Binary(op, left, right) => {
                let of = |id: TreeId| values[id.0 as usize];
                self.compare_or_compute(op, of(left), of(right), span)
            }
            TreeKind::Error => Value::Broken,
        }
    }

    fn connect(&mut self, op: BinaryOp, left: FormulaId, right: FormulaId) -> FormulaId {
        let formulas = &mut self.formulas;
        match op {
            BinaryOp::Implies => formulas.implies(left, right),
            BinaryOp::Iff | BinaryOp::Equal => formulas.equivalent(left, right),
            BinaryOp::Or => formulas.or([left, right]),
            BinaryOp::Until => formulas.until(left, right),
            BinaryOp::Release => formulas.release(left, right),
            BinaryOp::WeakUntil => formulas.weak_until(left, right),
            BinaryOp::StrongRelease => formulas.strong_release(left, right),
            BinaryOp::And => formulas.and([left, right]),
            // Only `^` and `!=` are left: arithmetic never comes here.
            _ => {
                let same = formulas.equivalent(left, right);
                formulas.not(same)
            }
        }
    }

    fn proposition(&mut self, atom: Atom, span: Span) -> Value {
        match self.propositions.add(atom, self.source.slice(span)) {
            Ok(number) => Value::Boolean(self.formulas.proposition(number)),
            Err(error) => {
                self.report(codes::PROPERTY_TOO_LARGE, span, error.to_string());
                Value::Broken
            }
        }
    }

    /// A comparison or arithmetic.
    fn compare_or_compute(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Value {
        let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        match (left, right) {
            (Value::Broken, _) | (_, Value::Broken) => Value::Broken,
            (Value::Boolean(_), _) | (_, Value::Boolean(_)) => {
                let left = left.condition();
                let right = right.condition();
                match (left, right) {
                    (Some(left), Some(right)) if is_equality => {
                        Value::Boolean(self.connect(op, left, right))
                    }
                    _ => {
                        let message = if is_equality {
                            "a Boolean is compared with an integer"
                        } else {
                            "this operator needs integers"
                        };
                        self.report(codes::PROPERTY_TYPE, span, message);
                        Value::Broken
                    }
                }
            }
            (Value::Number { value: left, .. }, Value::Number { value: right, .. }) => {
                Self::of_numbers(op, left, right)
            }
            _ => self.of_integers(op, left, right, span),
        }
    }

    /// Numbers alone: computed modulo 2^64, which agrees with every smaller width.
    fn of_numbers(op: BinaryOp, left: u64, right: u64) -> Value {
        let (machine_op, left, right) = machine_op(op, left, right);
        let value = machine_op.apply(left, right, Type::Int(64));
        if op.precedence() <= 8 {
            Value::Boolean(Formulas::constant(value == 1))
        } else {
            Value::Number {
                value,
                exact: false,
            }
        }
    }

    /// At least one is an integer expression, the other perhaps a number.
    fn of_integers(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Value {
        let integer = |value| match value {
            Value::Integer { ty, procedure, .. } => Some((ty, procedure)),
            _ => None,
        };
        let (ty, procedure) = match (integer(left), integer(right)) {
            (Some((ty, _)), Some((other, _))) if ty != other => {
                let message = format!("the two sides have different types, {ty} and {other}");
                self.report(codes::PROPERTY_TYPE, span, message);
                return Value::Broken;
            }
            (Some((_, Some(one))), Some((_, Some(other)))) if one != other => {
                let name = |id| self.machine.procedure(id).name.clone();
                let message = format!(
                    "locals of `{}` and `{}` are never in scope together",
                    name(one),
                    name(other)
                );
                self.report(codes::PROPERTY_TYPE, span, message);
                return Value::Broken;
            }
            (Some((ty, one)), Some((_, other))) => (ty, one.or(other)),
            (Some(known), None) | (None, Some(known)) => known,
            (None, None) => return Value::Broken,
        };
        let (Some(left), Some(right)) = (self.typed(left, ty, span), self.typed(right, ty, span))
        else {
            return Value::Broken;
        };
        let (machine_op, left, right) = machine_op(op, left, right);
        if op.precedence() <= 8 {
            let compare = Expr::Binary(machine_op, left, right, Type::Bool);
            let expr = self.propositions.add_expr(compare);
            return self.proposition(Atom::Condition { expr, procedure }, span);
        }
        let compute = Expr::Binary(machine_op, left, right, ty);
        Value::Integer {
            expr: self.propositions.add_expr(compute),
            ty,
            procedure,
        }
    }

    /// An integer expression of a type; a number that is written must be one of its values.
    fn typed(&mut self, value: Value, ty: Type, span: Span) -> Option<ExprId> {
        match value {
            Value::Integer { expr, .. } => Some(expr),
            Value::Number { value, exact } if exact && !ty.holds(value) => {
                let message = format!("{value} is not a value of type {ty}");
                self.report(codes::PROPERTY_TYPE, span, message);
                None
            }
            Value::Number { value, .. } => {
                let constant = Expr::Const(ty.wrap(value), ty);
                Some(self.propositions.add_expr(constant))
            }
            Value::Boolean(_) | Value::Broken => None,
        }
    }

    fn variable(&mut self, name: Name, span: Span) -> Value {
        let Some((variable, procedure)) = self.find_variable(name) else {
            return Value::Broken;
        };
        let ty = match (variable, procedure) {
            (Variable::Global(id), _) => self.machine.global(id).ty,
            (Variable::Local(id), Some(procedure)) => {
                self.machine.procedure(procedure).locals[id.index()].ty
            }
            (Variable::Local(_), None) => return Value::Broken,
        };
        let expr = self.propositions.add_expr(Expr::Var(variable, ty));
        match ty {
            Type::Bool => self.proposition(Atom::Condition { expr, procedure }, span),
            Type::Int(_) => Value::Integer {
                expr,
                ty,
                procedure,
            },
        }
    }
}

/// The operator of the machine's expressions, with operands exchanged for `>` and `>=`.
fn machine_op<T>(op: BinaryOp, left: T, right: T) -> (MachineOp, T, T) {
    match op {
        BinaryOp::NotEqual => (MachineOp::NotEqual, left, right),
        BinaryOp::Less => (MachineOp::Less, left, right),
        BinaryOp::LessEqual => (MachineOp::LessEqual, left, right),
        BinaryOp::Greater => (MachineOp::Less, right, left),
        BinaryOp::GreaterEqual => (MachineOp::LessEqual, right, left),
        BinaryOp::Add => (MachineOp::Add, left, right),
        BinaryOp::Subtract => (MachineOp::Subtract, left, right),
        BinaryOp::Multiply => (MachineOp::Multiply, left, right),
        // Connectives never come here.
        _ => (MachineOp::Equal, left, right),
    }
}
