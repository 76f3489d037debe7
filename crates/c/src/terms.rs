//! Expressions without side effects, over Booleans and words, made as small as constants and
//! conversions allow.
//!
//! C computes everything in `int` or wider. What comes out of that literally (`(int)(a < b) != 0`,
//! `(char)((int)c + 1)`) would be wide words where a Boolean or a byte will do, so the functions
//! that make terms undo it: a comparison stays Boolean until its number is needed, and cutting a
//! sum cuts its operands.

use crate::variables::VarId;
use hardbop_syntax::Span;
use hardbop_syntax::ast::BinaryOp;
use std::rc::Rc;

/// The kind of value that a term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Bool,
    /// That many bits.
    Word(u8),
}

impl Sort {
    pub fn width(self) -> u8 {
        match self {
            Sort::Bool => 1,
            Sort::Word(width) => width,
        }
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - u32::from(self.width()))
    }

    /// The value modulo 2^width.
    pub fn wrap(self, value: u64) -> u64 {
        value & self.mask()
    }

    /// The value read in two's complement.
    pub fn signed(self, value: u64) -> i64 {
        let unused = 64 - u32::from(self.width());
        (value << unused).cast_signed() >> unused
    }
}

/// A shared term.
pub type Term = Rc<Node>;

/// A term with its sort and its place in the text.
#[derive(Debug)]
pub struct Node {
    pub kind: Kind,
    pub sort: Sort,
    pub span: Span,
}

/// What a term is. Operands have the sorts that the operator wants.
#[derive(Debug)]
pub enum Kind {
    Constant(u64),
    Variable(VarId),
    /// An element of an array.
    Element(VarId, Term),
    /// Any value.
    Choice,
    Not(Term),
    And(Term, Term),
    Or(Term, Term),
    /// `=`, `!=`, `<` and so on.
    Compare(BinaryOp, bool, Term, Term),
    /// An operation on words; the flag says that operands are signed.
    Binary(BinaryOp, bool, Term, Term),
    /// Cut, or widened with zeros or copies of the sign.
    Resize(Term, bool),
    /// 0 or 1.
    FromBool(Term),
    Conditional(Term, Term, Term),
}

impl Node {
    /// Its value, if it is a constant.
    pub fn constant(&self) -> Option<u64> {
        match self.kind {
            Kind::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Calls `visit` for this term and everything in it.
    pub fn visit(&self, visit: &mut dyn FnMut(&Node)) {
        visit(self);
        match &self.kind {
            Kind::Constant(_) | Kind::Variable(_) | Kind::Choice => {}
            Kind::Element(_, a) | Kind::Not(a) | Kind::Resize(a, _) | Kind::FromBool(a) => {
                a.visit(visit);
            }
            Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::Compare(_, _, a, b)
            | Kind::Binary(_, _, a, b) => {
                a.visit(visit);
                b.visit(visit);
            }
            Kind::Conditional(a, b, c) => {
                a.visit(visit);
                b.visit(visit);
                c.visit(visit);
            }
        }
    }

    /// Whether it may have another value each time it is evaluated.
    pub fn has_choice(&self) -> bool {
        let mut found = false;
        self.visit(&mut |node| found |= matches!(node.kind, Kind::Choice));
        found
    }

    /// Whether it reads an array at an index that is not a constant.
    pub fn has_open_index(&self) -> bool {
        let mut found = false;
        self.visit(&mut |node| {
            if let Kind::Element(_, index) = &node.kind {
                found |= index.constant().is_none();
            }
        });
        found
    }

    /// Whether it reads a variable that `is` says.
    pub fn reads(&self, is: &dyn Fn(VarId) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |node| {
            if let Kind::Variable(id) | Kind::Element(id, _) = node.kind {
                found |= is(id);
            }
        });
        found
    }
}

fn make(kind: Kind, sort: Sort, span: Span) -> Term {
    Rc::new(Node { kind, sort, span })
}

/// A constant.
pub fn constant(value: u64, sort: Sort, span: Span) -> Term {
    make(Kind::Constant(sort.wrap(value)), sort, span)
}

/// `true` or `false`.
pub fn boolean(value: bool, span: Span) -> Term {
    constant(u64::from(value), Sort::Bool, span)
}

/// A variable.
pub fn variable(id: VarId, sort: Sort, span: Span) -> Term {
    make(Kind::Variable(id), sort, span)
}

/// An element of an array.
pub fn element(id: VarId, index: Term, sort: Sort, span: Span) -> Term {
    make(Kind::Element(id, index), sort, span)
}

/// An arbitrary value.
pub fn choice(sort: Sort, span: Span) -> Term {
    make(Kind::Choice, sort, span)
}

/// `!a`
pub fn not(a: &Term) -> Term {
    let span = a.span;
    let kind = match &a.kind {
        Kind::Constant(value) => return boolean(*value == 0, span),
        Kind::Not(inner) => return Rc::clone(inner),
        &Kind::Compare(op, signed, ref left, ref right) => {
            let opposite = match op {
                BinaryOp::Equal => BinaryOp::NotEqual,
                BinaryOp::NotEqual => BinaryOp::Equal,
                BinaryOp::Less => BinaryOp::GreaterEqual,
                BinaryOp::LessEqual => BinaryOp::Greater,
                BinaryOp::Greater => BinaryOp::LessEqual,
                _ => BinaryOp::Less,
            };
            Kind::Compare(opposite, signed, Rc::clone(left), Rc::clone(right))
        }
        _ => Kind::Not(Rc::clone(a)),
    };
    make(kind, Sort::Bool, span)
}

/// `a && b`; `b` is not evaluated where `a` is false.
pub fn and(a: &Term, b: &Term) -> Term {
    match (a.constant(), b.constant()) {
        (Some(0), _) | (_, Some(1)) => Rc::clone(a),
        (Some(_), _) => Rc::clone(b),
        _ => {
            let kind = Kind::And(Rc::clone(a), Rc::clone(b));
            make(kind, Sort::Bool, a.span.to(b.span))
        }
    }
}

/// `a || b`; `b` is not evaluated where `a` is true.
pub fn or(a: &Term, b: &Term) -> Term {
    match (a.constant(), b.constant()) {
        (Some(1), _) | (_, Some(0)) => Rc::clone(a),
        (Some(_), _) => Rc::clone(b),
        _ => {
            let kind = Kind::Or(Rc::clone(a), Rc::clone(b));
            make(kind, Sort::Bool, a.span.to(b.span))
        }
    }
}

/// A comparison of two words, or of two Booleans with `=` or `!=`.
pub fn compare(op: BinaryOp, signed: bool, a: &Term, b: &Term) -> Term {
    let span = a.span.to(b.span);
    if let (Some(x), Some(y)) = (a.constant(), b.constant()) {
        return boolean(holds(op, signed, a.sort, x, y), span);
    }
    // Whatever is a constant stands on the right.
    if a.constant().is_some() {
        let turned = match op {
            BinaryOp::Less => BinaryOp::Greater,
            BinaryOp::LessEqual => BinaryOp::GreaterEqual,
            BinaryOp::Greater => BinaryOp::Less,
            BinaryOp::GreaterEqual => BinaryOp::LessEqual,
            op => op,
        };
        return compare(turned, signed, b, a);
    }
    if let Some(value) = b.constant()
        && let Some(smaller) = compare_with(op, signed, a, value, span)
    {
        return smaller;
    }
    let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
    if is_equality && let (Kind::FromBool(x), Kind::FromBool(y)) = (&a.kind, &b.kind) {
        return make(
            Kind::Compare(op, false, Rc::clone(x), Rc::clone(y)),
            Sort::Bool,
            span,
        );
    }
    let signed = signed && !is_equality;
    make(
        Kind::Compare(op, signed, Rc::clone(a), Rc::clone(b)),
        Sort::Bool,
        span,
    )
}

fn holds(op: BinaryOp, signed: bool, sort: Sort, x: u64, y: u64) -> bool {
    let order = if signed {
        sort.signed(x).cmp(&sort.signed(y))
    } else {
        x.cmp(&y)
    };
    match op {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => order.is_ne(),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}

/// The comparison of a converted value with a constant, without the conversion.
fn compare_with(op: BinaryOp, signed: bool, a: &Term, value: u64, span: Span) -> Option<Term> {
    match &a.kind {
        Kind::FromBool(inner) => {
            let (zero, one) = (
                holds(op, signed, a.sort, 0, value),
                holds(op, signed, a.sort, 1, value),
            );
            Some(match (zero, one) {
                (false, false) => boolean(false, span),
                (true, true) => boolean(true, span),
                (false, true) => Rc::clone(inner),
                (true, false) => not(inner),
            })
        }
        Kind::Resize(inner, is_signed) if inner.sort.width() < a.sort.width() => {
            let narrow = inner.sort.wrap(value);
            let back = if *is_signed {
                a.sort.wrap(inner.sort.signed(narrow).cast_unsigned())
            } else {
                narrow
            };
            // Widened by the sign, the order of the wide words is the signed one of the narrow ones
            // only if it is asked for as signed; widened by zeros both orders are the unsigned one.
            let keeps_order = match op {
                BinaryOp::Equal | BinaryOp::NotEqual => true,
                _ => signed || !is_signed,
            };
            (back == value && keeps_order).then(|| {
                let right = constant(narrow, inner.sort, span);
                compare(op, *is_signed, inner, &right)
            })
        }
        _ => None,
    }
}

/// An operation on two words of one width; of shifts the second may have another one.
pub fn binary(op: BinaryOp, signed: bool, a: &Term, b: &Term) -> Term {
    let (sort, span) = (a.sort, a.span.to(b.span));
    // All others do the same to signed and unsigned words.
    let signed = signed
        && matches!(
            op,
            BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::ShiftRight
        );
    if let (Some(x), Some(y)) = (a.constant(), b.constant())
        && let Some(value) = fold(op, signed, sort, x, y)
    {
        return constant(value, sort, span);
    }
    let is_neutral = |term: &Term, value: u64| term.constant() == Some(value);
    let zero_right = matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
    );
    if zero_right && is_neutral(b, 0) {
        return Rc::clone(a);
    }
    if matches!(op, BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor) && is_neutral(a, 0) {
        return Rc::clone(b);
    }
    if matches!(op, BinaryOp::Multiply | BinaryOp::Divide) && is_neutral(b, 1) {
        return Rc::clone(a);
    }
    if op == BinaryOp::Multiply && is_neutral(a, 1) {
        return Rc::clone(b);
    }
    make(
        Kind::Binary(op, signed, Rc::clone(a), Rc::clone(b)),
        sort,
        span,
    )
}

/// The value of an operation on constants; `None` where C has none.
fn fold(op: BinaryOp, signed: bool, sort: Sort, x: u64, y: u64) -> Option<u64> {
    let (sx, sy) = (sort.signed(x), sort.signed(y));
    let value = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Subtract => x.wrapping_sub(y),
        BinaryOp::Multiply => x.wrapping_mul(y),
        BinaryOp::Divide | BinaryOp::Remainder if y == 0 => return None,
        BinaryOp::Divide if signed => sx.wrapping_div(sy).cast_unsigned(),
        BinaryOp::Remainder if signed => sx.wrapping_rem(sy).cast_unsigned(),
        BinaryOp::Divide => x / y,
        BinaryOp::Remainder => x % y,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if y >= u64::from(sort.width()) => return None,
        BinaryOp::ShiftLeft => x << y,
        BinaryOp::ShiftRight if signed => (sx >> y).cast_unsigned(),
        BinaryOp::ShiftRight => x >> y,
        _ => return None,
    };
    Some(sort.wrap(value))
}

/// `a` with another width, widened with copies of its sign if it is signed.
pub fn resize(a: &Term, width: u8, signed: bool) -> Term {
    let own = a.sort.width();
    let (sort, span) = (Sort::Word(width), a.span);
    if a.sort == Sort::Bool {
        return from_bool(a, width);
    }
    if own == width {
        return Rc::clone(a);
    }
    let is_cut = width < own;
    match &a.kind {
        Kind::Constant(value) if is_cut || !signed => constant(*value, sort, span),
        Kind::Constant(value) => constant(a.sort.signed(*value).cast_unsigned(), sort, span),
        Kind::FromBool(inner) if own > 1 || !signed => from_bool(inner, width),
        Kind::Choice if is_cut => choice(sort, span),
        Kind::Resize(inner, inner_signed) if is_cut => resize(inner, width, *inner_signed),
        // Widening what was widened with zeros already: the sign is 0.
        Kind::Resize(inner, inner_signed)
            if inner.sort.width() < own && (*inner_signed == signed || !inner_signed) =>
        {
            resize(inner, width, *inner_signed)
        }
        Kind::Binary(op, is_signed, left, right) if is_cut && is_modular(*op) => binary(
            *op,
            *is_signed,
            &resize(left, width, false),
            &resize(right, width, false),
        ),
        Kind::Conditional(condition, then, otherwise) if is_cut => conditional(
            condition,
            &resize(then, width, false),
            &resize(otherwise, width, false),
        ),
        _ => make(Kind::Resize(Rc::clone(a), signed), sort, span),
    }
}

/// Whether the low bits of the result depend on the low bits of the operands only.
fn is_modular(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
    )
}

/// A Boolean as 0 or 1.
pub fn from_bool(a: &Term, width: u8) -> Term {
    let sort = Sort::Word(width);
    match a.constant() {
        Some(value) => constant(value, sort, a.span),
        None => make(Kind::FromBool(Rc::clone(a)), sort, a.span),
    }
}

/// Whether a value is not 0.
pub fn truth(a: &Term) -> Term {
    match a.sort {
        Sort::Bool => Rc::clone(a),
        Sort::Word(_) if matches!(a.kind, Kind::Choice) => choice(Sort::Bool, a.span),
        Sort::Word(_) => match &a.kind {
            Kind::Conditional(condition, then, otherwise) => {
                conditional(condition, &truth(then), &truth(otherwise))
            }
            _ => {
                let zero = constant(0, a.sort, a.span);
                compare(BinaryOp::NotEqual, false, a, &zero)
            }
        },
    }
}

/// `c ? a : b`
pub fn conditional(condition: &Term, then: &Term, otherwise: &Term) -> Term {
    match condition.constant() {
        Some(0) => return Rc::clone(otherwise),
        Some(_) => return Rc::clone(then),
        None => {}
    }
    let is_pure = !condition.has_choice();
    match (then.constant(), otherwise.constant()) {
        (Some(1), Some(0)) if then.sort == Sort::Bool => return Rc::clone(condition),
        (Some(0), Some(1)) if then.sort == Sort::Bool => return not(condition),
        (Some(1), Some(0)) => return from_bool(condition, then.sort.width()),
        (Some(0), Some(1)) => return from_bool(&not(condition), then.sort.width()),
        (Some(x), Some(y)) if x == y && is_pure => return Rc::clone(then),
        _ => {}
    }
    let span = condition.span.to(otherwise.span);
    let kind = Kind::Conditional(Rc::clone(condition), Rc::clone(then), Rc::clone(otherwise));
    make(kind, then.sort, span)
}
