//! What can be assigned: variables, elements, members, and what a pointer points to.

use crate::body::Spot;
use crate::effects::Effects;
use crate::terms::{self, Sort, Term};
use crate::types::Type;
use crate::unit::{Entity, Unit};
use crate::values::Value;
use crate::variables::{ObjectId, VarId};
use hardbop_syntax::ast::{BinaryOp, MAX_LENGTH, StmtKind};
use hardbop_syntax::{Check, Span};
use lang_c::ast as c;
use lang_c::span::Node;
use std::rc::Rc;

/// What has to hold of an index, behind the text of the element.
const INDEX_CLAIM: &str = ": index in range";

/// A part of an object.
#[derive(Clone, Debug)]
pub struct Location {
    pub object: ObjectId,
    /// The members on the way to it: `.a.b`.
    pub path: String,
    pub ty: Type,
    /// Which one it is of `length` parts with this path, where there are arrays on the way.
    pub index: Option<Term>,
    pub length: u32,
}

/// Which indexes of an array are legal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Those of its elements.
    Inside,
    /// Also one past the last element, whose address may be taken.
    OnePast,
}

/// One location, or several of which the first whose condition holds is meant.
#[derive(Clone, Debug)]
pub struct Place {
    pub ty: Type,
    pub cases: Vec<(Term, Location)>,
    pub span: Span,
}

impl Place {
    pub fn one(location: Location, span: Span) -> Self {
        Self {
            ty: location.ty.clone(),
            cases: vec![(terms::boolean(true, span), location)],
            span,
        }
    }

    fn broken(span: Span) -> Self {
        Self {
            ty: Type::Broken,
            cases: Vec::new(),
            span,
        }
    }

    /// Replaces every location and says what type they have now.
    pub fn map(self, ty: Type, map: impl Fn(Location) -> Location) -> Self {
        let cases = self.cases.into_iter();
        let cases = cases.map(|(condition, location)| {
            let mut location = map(location);
            location.ty = ty.clone();
            (condition, location)
        });
        Self {
            cases: cases.collect(),
            ty,
            span: self.span,
        }
    }
}

impl<'a> Unit<'a> {
    /// The place that an expression names.
    pub fn place(&mut self, expression: &'a Node<c::Expression>) -> Place {
        let span = self.span(expression.span);
        match &expression.node {
            c::Expression::Identifier(name) => match self.lookup(&name.node.name).cloned() {
                Some(Entity::Object(object)) => {
                    let location = Location {
                        object,
                        path: String::new(),
                        ty: self.object(object).ty.clone(),
                        index: None,
                        length: 1,
                    };
                    return Place::one(location, span);
                }
                Some(Entity::Function(_)) => {
                    self.refuse(span, "a function that is not called is not supported");
                }
                Some(_) => self.wrong(span, "this is not a variable"),
                None => {
                    let message = format!("`{}` is not declared", name.node.name);
                    self.wrong(span, message);
                }
            },
            c::Expression::Member(member) => {
                let base = match member.node.operator.node {
                    c::MemberOperator::Direct => self.place(&member.node.expression),
                    c::MemberOperator::Indirect => {
                        let pointer = self.value(&member.node.expression);
                        let text = self.expanded(member.node.expression.span);
                        self.pointed_to(&pointer, &text, span)
                    }
                };
                return self.member(base, &member.node.identifier.node.name, span);
            }
            c::Expression::UnaryOperator(unary)
                if unary.node.operator.node == c::UnaryOperator::Indirection =>
            {
                let pointer = self.value(&unary.node.operand);
                let text = self.expanded(unary.node.operand.span);
                return self.pointed_to(&pointer, &text, span);
            }
            c::Expression::BinaryOperator(binary)
                if binary.node.operator.node == c::BinaryOperator::Index =>
            {
                return self.indexed(&binary.node.lhs, &binary.node.rhs, Bound::Inside, span);
            }
            c::Expression::CompoundLiteral(_) => {
                self.refuse(span, "compound literals are not supported");
            }
            c::Expression::StringLiteral(_) => {
                self.refuse(span, "the characters of a string are not supported");
            }
            _ => self.wrong(span, "this cannot be assigned and has no address"),
        }
        Place::broken(span)
    }

    pub fn member(&mut self, base: Place, name: &str, span: Span) -> Place {
        let Type::Struct(id) = base.ty else {
            if !matches!(base.ty, Type::Broken) {
                let message = match &base.ty {
                    Type::Refused(what) => format!("{what} is not supported"),
                    other => format!("a value of type {} has no members", other.text()),
                };
                self.refuse(span, message);
            }
            return Place::broken(span);
        };
        let fields = self.structs[id].fields.as_ref();
        let field = fields.and_then(|fields| fields.iter().find(|field| field.name == name));
        let Some(ty) = field.map(|field| field.ty.clone()) else {
            self.wrong(span, format!("the struct has no member `{name}`"));
            return Place::broken(span);
        };
        let mut place = base.map(ty, |mut location| {
            location.path = format!("{}.{name}", location.path);
            location
        });
        place.span = span;
        place
    }

    fn indexed(
        &mut self,
        array: &'a Node<c::Expression>,
        index: &'a Node<c::Expression>,
        bound: Bound,
        span: Span,
    ) -> Place {
        if !self.is_array(array) {
            let values = self.sequence(&[array, index]);
            let sum = self.pointer_sum(&values[0], &values[1], BinaryOp::Add, span);
            let text = format!(
                "&{}[{}]",
                self.expanded(array.span),
                self.expanded(index.span)
            );
            return self.pointed_to(&sum, &text, span);
        }
        let place = self.place(array);
        let effects = self.effects_of(index);
        let place = self.kept_place(place, &effects);
        let index = self.value(index);
        let Some(index) = self.integer_term(&index, span) else {
            return Place::broken(span);
        };
        let Type::Array(element, length) = place.ty.clone() else {
            return Place::broken(span);
        };
        self.element_of(place, &index, &element, length, bound, span)
    }

    fn is_array(&mut self, expression: &'a Node<c::Expression>) -> bool {
        let ty = self.type_of_expression(expression);
        matches!(ty, Type::Array(..) | Type::Open(_))
    }

    /// `&a[i]` and `&*p`, which are `a + i` and `p`: nothing is accessed, so `a[i]` need not be an
    /// element (6.5.3.2).
    pub fn address_without_access(
        &mut self,
        operand: &'a Node<c::Expression>,
        span: Span,
    ) -> Option<Value> {
        match &operand.node {
            c::Expression::UnaryOperator(unary)
                if unary.node.operator.node == c::UnaryOperator::Indirection =>
            {
                let pointer = self.value(&unary.node.operand);
                matches!(pointer.ty, Type::Pointer(_)).then_some(pointer)
            }
            c::Expression::BinaryOperator(binary)
                if binary.node.operator.node == c::BinaryOperator::Index =>
            {
                let (array, index) = (&binary.node.lhs, &binary.node.rhs);
                if !self.is_array(array) {
                    let values = self.sequence(&[array, index]);
                    return Some(self.pointer_sum(&values[0], &values[1], BinaryOp::Add, span));
                }
                let place = self.indexed(array, index, Bound::OnePast, span);
                let is_scalar = !matches!(place.ty, Type::Broken | Type::Array(..));
                is_scalar.then(|| self.address_of(&place))
            }
            _ => None,
        }
    }

    /// An element of an array.
    pub fn element_of(
        &mut self,
        place: Place,
        index: &Term,
        element: &Rc<Type>,
        length: u32,
        bound: Bound,
        span: Span,
    ) -> Place {
        let mut index = self.once(index);
        let largest = u64::from(length) - u64::from(bound == Bound::Inside);
        if index.constant().is_some_and(|number| number > largest) {
            let claim = self.claim_about(Check::Memory, span, INDEX_CLAIM, span);
            self.check(&terms::boolean(false, span), claim, span);
            index = terms::constant(0, index.sort, span);
        }
        let mut cases = Vec::new();
        for (condition, location) in place.cases {
            let flat = match &location.index {
                None => Rc::clone(&index),
                Some(outer) => {
                    self.check_index(outer, location.length, Bound::Inside, place.span);
                    self.check_index(&index, length, bound, span);
                    // No more than 4,096 elements in all, and both are in range.
                    let outer = terms::resize(outer, 32, false);
                    let inner = terms::resize(&index, 32, false);
                    let count = terms::constant(u64::from(length), Sort::Word(32), span);
                    let row = terms::binary(BinaryOp::Multiply, false, &outer, &count);
                    terms::binary(BinaryOp::Add, false, &row, &inner)
                }
            };
            cases.push((
                condition,
                Location {
                    ty: (**element).clone(),
                    index: Some(flat),
                    length: location.length.saturating_mul(length),
                    ..location
                },
            ));
        }
        Place {
            ty: (**element).clone(),
            cases,
            span,
        }
    }

    fn check_index(&mut self, index: &Term, length: u32, bound: Bound, span: Span) {
        let bits = index.sort.width();
        if bits < 32 && u64::from(length) >> bits != 0 {
            return;
        }
        let length = terms::constant(u64::from(length), index.sort, span);
        let op = match bound {
            Bound::Inside => BinaryOp::Less,
            Bound::OnePast => BinaryOp::LessEqual,
        };
        let in_range = terms::compare(op, false, index, &length);
        let claim = self.claim_about(Check::Memory, span, INDEX_CLAIM, span);
        self.check(&in_range, claim, span);
    }

    /// A place that stays the same when something changes variables.
    pub fn kept_place(&mut self, mut place: Place, effects: &Effects) -> Place {
        for (condition, location) in &mut place.cases {
            *condition = self.kept(condition, effects);
            location.index = location
                .index
                .as_ref()
                .map(|index| self.kept(index, effects));
        }
        place
    }

    /// The variable that holds a scalar, alone or with others.
    pub fn variable_at(&mut self, location: &Location, span: Span) -> VarId {
        match self.spot(location, span).0 {
            Spot::Variable(id) | Spot::Element(id, _) => id,
        }
    }

    /// Where a scalar is held.
    pub fn spot(&mut self, location: &Location, span: Span) -> (Spot, Sort) {
        let length = location.index.as_ref().map(|_| location.length);
        let (object, ty) = (location.object, &location.ty);
        let id = self.leaf(object, &location.path, ty, length, span);
        let sort = self.variable(id).sort;
        match &location.index {
            None => (Spot::Variable(id), sort),
            // What has no such element has been found out by an assertion before.
            Some(index) if index.constant() >= Some(u64::from(location.length)) => {
                let first = terms::constant(0, index.sort, index.span);
                (Spot::Element(id, first), sort)
            }
            Some(index) => (Spot::Element(id, Rc::clone(index)), sort),
        }
    }

    /// The value of a scalar place.
    pub fn read(&mut self, place: &Place) -> Term {
        if place.ty.is_volatile() {
            let sort = self.sort_of(&place.ty, place.span);
            self.declare_choice(&place.ty, place.span);
            return terms::choice(sort, place.span);
        }
        let mut value = None;
        for (condition, location) in place.cases.iter().rev() {
            let (spot, sort) = self.spot(location, place.span);
            let own = match spot {
                Spot::Variable(id) => terms::variable(id, sort, place.span),
                Spot::Element(id, index) => terms::element(id, index, sort, place.span),
            };
            value = Some(match value {
                None => own,
                Some(others) => terms::conditional(condition, &own, &others),
            });
        }
        let value = value.unwrap_or_else(|| {
            let sort = self.sort_of(&place.ty.clone(), place.span);
            terms::constant(0, sort, place.span)
        });
        // What other threads may change is read once, in a separate step.
        if self.body.splits && self.body.depth == 0 && self.has_shared(place) {
            return self.spill(&value);
        }
        value
    }

    /// Whether other threads may use what is at a place.
    pub fn has_shared(&mut self, place: &Place) -> bool {
        self.threads.exist()
            && (place.cases.iter()).any(|(_, location)| self.is_shared_object(location.object))
    }

    /// Assigns to a scalar place.
    pub fn write(&mut self, place: &Place, value: &Term, span: Span) {
        if self.has_shared(place) {
            self.keep_private(&place.ty, span);
        }
        match place.cases.as_slice() {
            [] => {}
            [(_, location)] => {
                let (spot, _) = self.spot(location, place.span);
                self.assign_to(&spot, place.span, value, span);
            }
            cases => {
                let value = self.once(value);
                let labels = self.take_labels();
                let mut arms = Vec::new();
                for (condition, location) in cases {
                    let condition = self.emit(condition);
                    let block = self.block(span, |unit| {
                        let (spot, _) = unit.spot(location, place.span);
                        unit.assign_to(&spot, place.span, &value, span);
                    });
                    arms.push((condition, block));
                }
                // What a pointer points to has been asserted: the last case needs no condition.
                let otherwise = arms.pop().map(|(_, block)| Box::new(block));
                let arms = arms.into();
                self.push_labelled(labels, StmtKind::If { arms, otherwise }, span);
            }
        }
    }

    /// The variable of a place that is nothing else. It can be read again after an assignment.
    pub fn lone_variable(&mut self, place: &Place) -> Option<VarId> {
        match place.cases.as_slice() {
            _ if place.ty.is_volatile() => None,
            [(_, location)] if location.index.is_none() => match self.spot(location, place.span) {
                (Spot::Variable(id), _) => Some(id),
                (Spot::Element(..), _) => None,
            },
            _ => None,
        }
    }

    /// The scalars of a type: path and constant index behind a location, and their types. `None`
    /// if there are too many or the type is not supported.
    pub fn scalars(&mut self, place: &Place) -> Option<Vec<Place>> {
        let mut open = vec![place.clone()];
        let mut scalars = Vec::new();
        while let Some(place) = open.pop() {
            if scalars.len() + open.len() > MAX_LENGTH as usize {
                return None;
            }
            match place.ty.clone() {
                Type::Struct(id) => {
                    let fields = self.structs[id].fields.clone()?;
                    for field in fields.iter().rev() {
                        let span = place.span;
                        open.push(self.member(place.clone(), &field.name, span));
                    }
                }
                Type::Array(_, length) if u64::from(length) > MAX_LENGTH => return None,
                Type::Array(element, length) => {
                    for number in (0..length).rev() {
                        let sort = Sort::Word(32);
                        let index = terms::constant(u64::from(number), sort, place.span);
                        let span = place.span;
                        let place = place.clone();
                        let part =
                            self.element_of(place, &index, &element, length, Bound::Inside, span);
                        open.push(part);
                    }
                }
                Type::Integer(_) | Type::Pointer(_) => scalars.push(place),
                Type::Broken => return None,
                other => {
                    let message = format!("{} is not supported", other.text());
                    self.refuse(place.span, message);
                    return None;
                }
            }
        }
        Some(scalars)
    }
}
