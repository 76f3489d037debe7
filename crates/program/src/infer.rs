//! Types of expressions, in two sweeps over each expression.
//!
//! Numbers and choices have no type of their own: `0` is a Boolean beside a Boolean and an integer
//! beside an integer. The sweep upwards gives each expression a [`Shape`], which is its type where
//! that is certain and otherwise what it needs; the sweep downwards brings the type that the
//! context asks for to every number and choice. Where no context asks, as in `1 = *`, the type is
//! Boolean if it can be and else the narrowest integer. A contradiction is reported once, where it
//! arises: below it every expression keeps the type it has by itself.

use crate::checker::Checker;
use crate::ids::ProcId;
use crate::mismatch::Reason;
use crate::types::{MAX_WIDTH, Type};
use hardbop_syntax::ast::{BinaryOp, Expr, ExprId, ExprKind, Ident};
use hardbop_syntax::{Diagnostic, codes};

/// What is known about the type of an expression without its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It has this type.
    Known(Type),
    /// Any type that has at least this many bits, and none but integers if `integer`.
    Open { integer: bool, bits: u8 },
    /// An error in it has been reported; it fits everywhere.
    Broken,
}

/// The types of two operands that should be one are two.
#[derive(Clone, Copy)]
pub(crate) struct Clash;

impl Shape {
    /// The type where the context does not ask for one.
    pub fn default_type(self) -> Type {
        match self {
            Shape::Known(ty) => ty,
            Shape::Open { integer, bits } if integer || bits > 1 => Type::Int(bits.max(1)),
            Shape::Open { .. } | Shape::Broken => Type::Bool,
        }
    }

    fn of_number(value: u64) -> Self {
        let bits = bits_of(value);
        Shape::Open {
            integer: bits > 1,
            bits: bits.max(1),
        }
    }

    /// A number with a minus sign: wide enough for it in two's complement.
    fn of_negative(value: u64) -> Self {
        let bits = bits_of(value.saturating_sub(1)) + 1;
        Shape::Open {
            integer: true,
            bits: bits.min(MAX_WIDTH as u8),
        }
    }

    fn as_integer(self) -> Self {
        match self {
            Shape::Open { bits, .. } => Shape::Open {
                integer: true,
                bits,
            },
            other => other,
        }
    }

    /// What two operands of one type have in common.
    pub fn join(self, other: Shape) -> Result<Shape, Clash> {
        match (self, other) {
            (Shape::Known(a), Shape::Known(b)) if a != b => Err(Clash),
            (known @ Shape::Known(_), _) | (_, known @ Shape::Known(_)) => Ok(known),
            (Shape::Broken, _) | (_, Shape::Broken) => Ok(Shape::Broken),
            (
                Shape::Open { integer, bits },
                Shape::Open {
                    integer: also,
                    bits: more,
                },
            ) => Ok(Shape::Open {
                integer: integer || also,
                bits: bits.max(more),
            }),
        }
    }
}

/// How many bits a number has.
pub(crate) fn bits_of(value: u64) -> u8 {
    (u64::BITS - value.leading_zeros()) as u8
}

/// Whether an operator takes integers only.
fn needs_integers(op: BinaryOp) -> bool {
    is_arithmetic(op)
        || matches!(
            op,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual
        )
}

fn is_arithmetic(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
    )
}

/// Whether an operator takes Booleans only: `&`, `|` and `^` also work on the bits of integers, but
/// `&&` and `||` do not.
fn is_logical(op: BinaryOp, alternative: bool) -> bool {
    op <= BinaryOp::Implies || (is_bitwise(op) && alternative)
}

fn is_bitwise(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}

/// Where an expression stands.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    /// The procedure, if any.
    pub procedure: Option<ProcId>,
    /// Whether `'x` has a meaning here.
    pub primes: bool,
    /// Whether an index must be a number here.
    pub fixed_indexes: bool,
}

impl Checker<'_> {
    /// Resolves the names of an expression and gives all of it types.
    pub fn check_expr(&mut self, root: ExprId, context: Context, reason: Reason) {
        self.list_operands(root);
        for index in (0..self.infer.order.len()).rev() {
            let (id, user) = self.infer.order[index];
            let shape = self.shape(id, user, context);
            self.infer.set_shape(id, shape);
        }
        let wanted = self.wanted_type(reason, context);
        let default = self.infer.shape(root).default_type();
        self.set_type(root, wanted.unwrap_or(default));
        for index in 0..self.infer.order.len() {
            let (id, user) = self.infer.order[index];
            self.settle(id, user, reason, context);
        }
    }

    /// Lists an expression and everything in it, users before operands.
    fn list_operands(&mut self, root: ExprId) {
        let order = &mut self.infer.order;
        order.clear();
        order.push((root, None));
        let mut next = 0;
        while let Some(&(id, _)) = order.get(next) {
            next += 1;
            let operands = self.ast.expr(id).kind.operands();
            order.extend(operands.map(|operand| (operand, Some(id))));
        }
        self.infer.begin(root);
    }

    /// The shape of an expression whose operands have theirs.
    fn shape(&mut self, id: ExprId, user: Option<ExprId>, context: Context) -> Shape {
        let Expr { kind, span } = *self.ast.expr(id);
        let of = |operand: ExprId| self.infer.shape(operand);
        match kind {
            ExprKind::Bool { .. }
            | ExprKind::Not { tilde: false, .. }
            | ExprKind::ToBool(_)
            | ExprKind::Choose { .. } => Shape::Known(Type::Bool),
            ExprKind::Number { value, .. } => Shape::of_number(value),
            ExprKind::Choice { .. } => Shape::Open {
                integer: false,
                bits: 0,
            },
            ExprKind::Paren(operand)
            | ExprKind::Not { operand, .. }
            | ExprKind::Index { array: operand, .. } => of(operand),
            ExprKind::Negate(operand) | ExprKind::Signed(operand) => {
                match (kind, self.ast.expr(operand).kind, of(operand)) {
                    (ExprKind::Negate(_), ExprKind::Number { value, .. }, _) => {
                        Shape::of_negative(value)
                    }
                    (_, _, Shape::Known(Type::Bool)) => Shape::Broken,
                    (_, _, shape) => shape.as_integer(),
                }
            }
            ExprKind::ToInt { width, .. } => {
                Shape::Known(self.integer_type(u64::from(width), span))
            }
            ExprKind::Binary {
                op, left, right, ..
            } if is_arithmetic(op) => match of(left).join(of(right)) {
                Ok(Shape::Known(Type::Bool)) | Err(Clash) => Shape::Broken,
                Ok(shape) => shape.as_integer(),
            },
            ExprKind::Binary {
                op,
                alternative: false,
                left,
                right,
            } if is_bitwise(op) => of(left).join(of(right)).unwrap_or(Shape::Broken),
            ExprKind::Binary { .. } => Shape::Known(Type::Bool),
            ExprKind::Conditional {
                then, otherwise, ..
            } => of(then).join(of(otherwise)).unwrap_or(Shape::Broken),
            ExprKind::Name(name) => self.shape_of_name(id, Ident { name, span }, user, context),
            ExprKind::Primed(name) => {
                if !context.primes {
                    let message = format!(
                        "`'{}` has a meaning only after `constrain`",
                        self.text(name)
                    );
                    self.report(
                        Diagnostic::new(codes::PRIME_OUTSIDE_CONSTRAIN, span, message)
                            .at("there is no assignment whose value this could be"),
                    );
                }
                self.shape_of_name(id, Ident { name, span }, user, context)
            }
            ExprKind::Error => {
                self.has_syntax_errors = true;
                Shape::Broken
            }
        }
    }

    fn shape_of_name(
        &mut self,
        id: ExprId,
        name: Ident,
        user: Option<ExprId>,
        context: Context,
    ) -> Shape {
        let Some(variable) = self.resolve(name) else {
            return Shape::Broken;
        };
        let user = user.map(|user| self.ast.expr(user).kind);
        let fits = match user {
            Some(ExprKind::Index { array, .. }) if array == id => {
                self.is_array(context.procedure, variable, name.span)
            }
            _ => self.is_scalar(context.procedure, variable, name.span),
        };
        if !fits {
            return Shape::Broken;
        }
        self.tables.set_variable(id, variable);
        Shape::Known(self.variable_type(context.procedure, variable))
    }

    fn set_type(&mut self, id: ExprId, ty: Type) {
        self.tables.types[id.0 as usize] = ty;
    }

    /// Compares the type that the context asks for with what there is, and asks the operands for
    /// theirs.
    fn settle(&mut self, id: ExprId, user: Option<ExprId>, reason: Reason, context: Context) {
        let kind = self.ast.expr(id).kind;
        let wanted = self.tables.types[id.0 as usize];
        let shape = self.infer.shape(id);
        let ty = match shape {
            Shape::Known(ty) if ty != wanted => {
                self.report_mismatch(id, user, wanted, ty, reason, context);
                ty
            }
            Shape::Broken => shape.default_type(),
            Shape::Known(_) | Shape::Open { .. } => wanted,
        };
        self.set_type(id, ty);
        let of = |operand: ExprId| self.infer.shape(operand);
        match kind {
            ExprKind::Number { value, .. } => {
                self.settle_number(id, user, value, ty, reason, context);
            }
            ExprKind::Paren(operand) => self.set_type(operand, ty),
            ExprKind::Not { operand, tilde } => {
                self.set_type(operand, if tilde { ty } else { Type::Bool });
            }
            ExprKind::Negate(operand) | ExprKind::Signed(operand) => {
                let own = of(operand);
                self.check_place_of_sign(id, user);
                let is_minus = matches!(kind, ExprKind::Negate(_));
                let needs_integer =
                    own == Shape::Known(Type::Bool) || (ty == Type::Bool && shape != Shape::Broken);
                if needs_integer {
                    self.report_needs_integers(id, if is_minus { "-" } else { "signed" });
                }
                let is_broken = needs_integer || shape == Shape::Broken;
                self.set_type(operand, if is_broken { own.default_type() } else { ty });
            }
            ExprKind::ToBool(operand) => self.set_type(operand, of(operand).default_type()),
            ExprKind::ToInt { operand, .. } => {
                let operand_type = match of(operand) {
                    Shape::Open { .. } => ty,
                    shape => shape.default_type(),
                };
                self.set_type(operand, operand_type);
            }
            ExprKind::Index { array, index } => {
                self.set_type(array, of(array).default_type());
                self.settle_index(array, index, context);
            }
            ExprKind::Choose { yes, no, .. } => {
                self.set_type(yes, Type::Bool);
                self.set_type(no, Type::Bool);
            }
            ExprKind::Binary {
                op,
                alternative,
                left,
                right,
            } if is_logical(op, alternative) => {
                self.set_type(left, Type::Bool);
                self.set_type(right, Type::Bool);
                self.warn_about_readings(id);
            }
            ExprKind::Binary {
                op, left, right, ..
            } => {
                let joined = of(left).join(of(right));
                self.settle_operands(id, op, joined, ty);
                self.check_signs(id);
                self.warn_about_readings(id);
            }
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                let joined = of(then).join(of(otherwise));
                self.set_type(condition, Type::Bool);
                match joined {
                    Ok(Shape::Broken) => self.keep_own_types([then, otherwise]),
                    Ok(_) => {
                        self.set_type(then, ty);
                        self.set_type(otherwise, ty);
                    }
                    Err(Clash) => {
                        self.report_clash(id, "the two branches of `? :`", then, otherwise);
                        self.keep_own_types([then, otherwise]);
                    }
                }
            }
            ExprKind::Bool { .. }
            | ExprKind::Name(_)
            | ExprKind::Primed(_)
            | ExprKind::Choice { .. }
            | ExprKind::Error => {}
        }
    }

    /// Types for the operands of a comparison or of arithmetic; `ty` is the type of the result.
    fn settle_operands(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        joined: Result<Shape, Clash>,
        ty: Type,
    ) {
        let ExprKind::Binary { left, right, .. } = self.ast.expr(id).kind else {
            return;
        };
        let text = op.text(false);
        match joined {
            Err(Clash) => {
                self.report_clash(id, &format!("the operands of `{text}`"), left, right);
                self.keep_own_types([left, right]);
            }
            Ok(Shape::Known(Type::Bool)) if needs_integers(op) => {
                self.report_needs_integers(id, text);
                self.keep_own_types([left, right]);
            }
            Ok(Shape::Broken) => self.keep_own_types([left, right]),
            Ok(shape) if is_arithmetic(op) || is_bitwise(op) => {
                let is_open = matches!(shape, Shape::Open { .. }) && is_arithmetic(op);
                if is_open && ty == Type::Bool {
                    self.report_needs_integers(id, text);
                    self.keep_own_types([left, right]);
                } else {
                    self.set_type(left, ty);
                    self.set_type(right, ty);
                }
            }
            Ok(shape) => {
                let shape = if needs_integers(op) {
                    shape.as_integer()
                } else {
                    shape
                };
                self.set_type(left, shape.default_type());
                self.set_type(right, shape.default_type());
            }
        }
    }

    fn keep_own_types(&mut self, operands: [ExprId; 2]) {
        for operand in operands {
            let ty = self.infer.shape(operand).default_type();
            self.set_type(operand, ty);
        }
    }
}
