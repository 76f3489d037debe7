//! Variables with their initial values: globals, statics and locals.

use crate::arithmetic::held;
use crate::declarations::{Specified, is_noreturn, name_of};
use crate::places::{Bound, Location, Place};
use crate::sites::SiteKind;
use crate::terms;
use crate::types::Type;
use crate::unit::{Entity, Unit};
use crate::variables::{Object, ObjectId};
use hardbop_syntax::Span;
use hardbop_syntax::ast::MAX_LENGTH;
use lang_c::ast as c;
use lang_c::span::Node;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A scalar of an object with what initialises it; zero if nothing does.
struct Initial<'a> {
    place: Place,
    value: Option<&'a Node<c::Expression>>,
}

impl<'a> Unit<'a> {
    /// A declaration at file scope.
    pub fn external_declaration(&mut self, declaration: &'a Node<c::Declaration>) {
        let specified = self.specified(&declaration.node.specifiers);
        for declarator in &declaration.node.declarators {
            self.file_variable(&specified, &declarator.node);
        }
    }

    fn file_variable(&mut self, specified: &Specified, declarator: &'a c::InitDeclarator) {
        let Some((name, place)) = name_of(&declarator.declarator) else {
            return;
        };
        let ty = self.declared(specified.ty.clone(), &declarator.declarator);
        let span = self.span(place);
        if specified.is_typedef {
            let ty = self.library_type(name).unwrap_or(ty);
            self.declare(name, Entity::Typedef(ty));
            return;
        }
        if let Type::Function(signature) = ty {
            let is_noreturn = specified.is_noreturn || is_noreturn(&declarator.declarator.node);
            self.declare_function(name, &signature, None, is_noreturn, span);
            return;
        }
        let known = match self.scopes[0].get(name) {
            Some(&Entity::Object(id)) => Some(id),
            _ => None,
        };
        let is_first = known.is_none();
        let ty = completed(ty, declarator.initializer.as_ref());
        let id = known.unwrap_or_else(|| {
            self.object_at(place.start, || Object {
                name: name.to_owned(),
                ty: ty.clone(),
                owner: None,
                lifted: false,
                is_thread_local: false,
                is_foreign: false,
                span,
                initial: BTreeMap::new(),
                leaves: BTreeMap::new(),
            })
        });
        let is_definition = !specified.is_extern || declarator.initializer.is_some();
        let object = &mut self.objects[id.0 as usize];
        object.is_thread_local |= specified.is_thread_local;
        if is_first {
            object.is_foreign = !is_definition;
            object.initial.clear();
        } else {
            object.is_foreign &= !is_definition;
            if let (Type::Open(_), Type::Array(..)) = (&object.ty, &ty) {
                object.ty = ty;
            }
        }
        self.declare(name, Entity::Object(id));
        if let Some(initializer) = &declarator.initializer {
            self.initialise_global(id, initializer, span);
        }
    }

    pub fn whole(&self, id: ObjectId, span: Span) -> Place {
        let location = Location {
            object: id,
            path: String::new(),
            ty: self.object(id).ty.clone(),
            index: None,
            length: 1,
        };
        Place::one(location, span)
    }

    /// The initial values of a global are constants.
    fn initialise_global(
        &mut self,
        id: ObjectId,
        initializer: &'a Node<c::Initializer>,
        span: Span,
    ) {
        let whole = self.whole(id, span);
        let mut values: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for initial in self.initials(whole, initializer) {
            let [(_, location)] = initial.place.cases.as_slice() else {
                continue;
            };
            let number = match initial.value {
                None => 0,
                Some(expression) => {
                    let ty = initial.place.ty.clone();
                    let place = self.span(expression.span);
                    let value = self.unevaluated(|unit| {
                        let value = unit.value(expression);
                        let value = unit.converted(&value, &ty, place);
                        held(&value).constant()
                    });
                    value.flatten().unwrap_or_else(|| {
                        self.wrong(place, "the initial value of a global is not a constant");
                        0
                    })
                }
            };
            let index = location.index.as_ref().and_then(|index| index.constant());
            let list = values.entry(location.path.clone()).or_default();
            let index = index.unwrap_or(0) as usize;
            if list.len() <= index {
                list.resize(index + 1, 0);
            }
            list[index] = number;
        }
        self.objects[id.0 as usize].initial = values;
    }

    /// The scalars of a place with their initialisers, in order.
    fn initials(
        &mut self,
        whole: Place,
        initializer: &'a Node<c::Initializer>,
    ) -> Vec<Initial<'a>> {
        let span = self.span(initializer.span);
        let mut initials = Vec::new();
        let mut open = vec![(whole, Some(initializer))];
        while let Some((place, initializer)) = open.pop() {
            if initials.len() + open.len() > MAX_LENGTH as usize {
                self.refuse(span, "an initialiser of this size is not supported");
                return initials;
            }
            let parts = match &place.ty {
                Type::Integer(_) | Type::Pointer(_) => {
                    let value = self.scalar_initializer(initializer);
                    initials.push(Initial { place, value });
                    continue;
                }
                Type::Struct(_) if self.is_gadget(&place.ty) => {
                    let items = initializer.map(|initializer| self.is_zero(initializer));
                    if items == Some(false) {
                        self.refuse(
                            span,
                            "this initialiser of an object for threads is not supported",
                        );
                    }
                    for place in self.parts(&place) {
                        initials.push(Initial { place, value: None });
                    }
                    continue;
                }
                Type::Struct(_) | Type::Array(..) => self.parts(&place),
                Type::Broken => continue,
                other => {
                    let message = format!("{} is not supported", other.text());
                    self.refuse(span, message);
                    continue;
                }
            };
            let items = match initializer.map(|initializer| &initializer.node) {
                None => &[],
                Some(c::Initializer::List(items)) => items.as_slice(),
                Some(c::Initializer::Expression(_)) => {
                    self.refuse(span, "this initialiser is not supported");
                    continue;
                }
            };
            let is_plain = items.len() <= parts.len()
                && items.iter().all(|item| item.node.designation.is_empty());
            let is_braced = |(part, item): (&Place, &Node<c::InitializerListItem>)| {
                let is_scalar = matches!(part.ty, Type::Integer(_) | Type::Pointer(_));
                is_scalar || matches!(item.node.initializer.node, c::Initializer::List(_))
            };
            if !is_plain || !parts.iter().zip(items).all(is_braced) {
                let message = "initialisers with designators, with too many values, or without \
                               the braces of inner arrays and structs are not supported";
                self.refuse(span, message);
                continue;
            }
            let inits = items.iter().map(|item| Some(&*item.node.initializer));
            let inits = inits.chain(std::iter::repeat(None));
            let pairs: Vec<_> = parts.into_iter().zip(inits).collect();
            open.extend(pairs.into_iter().rev());
        }
        initials
    }

    /// Whether an initialiser consists of zeros.
    fn is_zero(&mut self, initializer: &'a Node<c::Initializer>) -> bool {
        let mut open = vec![initializer];
        while let Some(initializer) = open.pop() {
            match &initializer.node {
                c::Initializer::List(items) => {
                    open.extend(items.iter().map(|item| &*item.node.initializer));
                }
                c::Initializer::Expression(value) if self.constant_of(value) == Some(0) => {}
                c::Initializer::Expression(_) => return false,
            }
        }
        true
    }

    fn scalar_initializer(
        &mut self,
        initializer: Option<&'a Node<c::Initializer>>,
    ) -> Option<&'a Node<c::Expression>> {
        let mut initializer = initializer?;
        loop {
            match &initializer.node {
                c::Initializer::Expression(expression) => return Some(expression),
                c::Initializer::List(items) => match items.as_slice() {
                    [item] if item.node.designation.is_empty() => {
                        initializer = &item.node.initializer;
                    }
                    _ => {
                        let span = self.span(initializer.span);
                        self.wrong(span, "one value is initialised by a list");
                        return None;
                    }
                },
            }
        }
    }

    /// The members of a struct, or the elements of an array.
    fn parts(&mut self, place: &Place) -> Vec<Place> {
        match place.ty.clone() {
            Type::Struct(id) => {
                let fields = self.structs[id].fields.clone().unwrap_or_default();
                let parts = fields.iter();
                let parts = parts.map(|f| self.member(place.clone(), &f.name, place.span));
                parts.collect()
            }
            Type::Array(element, length) => {
                if u64::from(length) > MAX_LENGTH {
                    self.refuse(place.span, "an array of this length is not supported");
                    return Vec::new();
                }
                let numbers = 0..u64::from(length);
                let parts = numbers.map(|number| {
                    let index = terms::constant(number, terms::Sort::Word(32), place.span);
                    let place = place.clone();
                    let span = place.span;
                    self.element_of(place, &index, &element, length, Bound::Inside, span)
                });
                parts.collect()
            }
            _ => Vec::new(),
        }
    }

    /// A declaration in a body.
    pub fn local_declaration(&mut self, declaration: &'a Node<c::Declaration>) {
        let specified = self.specified(&declaration.node.specifiers);
        for declarator in &declaration.node.declarators {
            let Some((name, place)) = name_of(&declarator.node.declarator) else {
                continue;
            };
            if specified.is_extern {
                self.foreign_in_body(&specified, &declarator.node);
                continue;
            }
            let ty = self.declared(specified.ty.clone(), &declarator.node.declarator);
            let span = self.span(place);
            if specified.is_typedef {
                self.declare(name, Entity::Typedef(ty));
                continue;
            }
            if let Type::Function(signature) = &ty {
                let is_noreturn =
                    specified.is_noreturn || is_noreturn(&declarator.node.declarator.node);
                self.declare_function(name, signature, None, is_noreturn, span);
                continue;
            }
            let ty = completed(ty, declarator.node.initializer.as_ref());
            if let Type::Refused(what) = ty {
                self.refuse(span, format!("{what} is not supported"));
            }
            let shown = self.local_name(name);
            let function = self.body.function;
            let is_static = specified.is_static;
            let shown = if is_static {
                format!("{}::{shown}", self.functions[function].name)
            } else {
                shown
            };
            let id = self.object_at(place.start, || Object {
                name: shown,
                ty,
                owner: (!is_static).then_some(function),
                lifted: false,
                is_thread_local: false,
                is_foreign: false,
                span,
                initial: BTreeMap::new(),
                leaves: BTreeMap::new(),
            });
            self.objects[id.0 as usize].is_thread_local = specified.is_thread_local;
            self.declare(name, Entity::Object(id));
            let end = self.span(declarator.span);
            match &declarator.node.initializer {
                Some(initializer) if is_static => self.initialise_global(id, initializer, span),
                Some(initializer) => self.initialise_local(id, initializer, span.to(end)),
                None if is_static => {}
                None => {
                    let object = self.object(id);
                    let kind = SiteKind::Local {
                        name: object.name.clone(),
                        function: self.functions[function].name.clone(),
                        end: self.span(declaration.span).end,
                    };
                    self.meets(span, kind);
                    self.renew(id, span);
                }
            }
        }
    }

    /// `extern` inside of a body speaks of a variable or a function at file scope.
    fn foreign_in_body(&mut self, specified: &Specified, declarator: &'a c::InitDeclarator) {
        let inner = std::mem::take(&mut self.scopes);
        let mut inner = inner.into_iter();
        self.scopes.extend(inner.next());
        self.file_variable(specified, declarator);
        let found = name_of(&declarator.declarator).and_then(|(name, _)| {
            let entity = self.scopes[0].get(name)?.clone();
            Some((name, entity))
        });
        self.scopes.extend(inner);
        if let Some((name, entity)) = found {
            self.declare(name, entity);
        }
    }

    /// A name that no other local of the function and no global has.
    pub fn local_name(&mut self, name: &str) -> String {
        let is_global = matches!(self.scopes[0].get(name), Some(Entity::Object(_)));
        let count = self.body.names.entry(name.to_owned()).or_insert(0);
        *count += 1;
        match *count + u32::from(is_global) {
            1 => name.to_owned(),
            count => format!("{name}#{count}"),
        }
    }

    fn initialise_local(
        &mut self,
        id: ObjectId,
        initializer: &'a Node<c::Initializer>,
        span: Span,
    ) {
        let whole = self.whole(id, span);
        if let (Type::Struct(_), c::Initializer::Expression(from)) = (&whole.ty, &initializer.node)
        {
            self.copy_struct(&whole, from, span);
            return;
        }
        if let (Type::Integer(_), c::Initializer::Expression(from)) = (&whole.ty, &initializer.node)
        {
            self.full(from, |unit| unit.assign_from(whole, from, false, span));
            return;
        }
        for initial in self.initials(whole, initializer) {
            let ty = initial.place.ty.clone();
            let term = match initial.value {
                Some(expression) => {
                    let value = self.value(expression);
                    let value = self.converted(&value, &ty, span);
                    held(&value)
                }
                None => {
                    let sort = self.sort_of(&ty, span);
                    terms::constant(0, sort, span)
                }
            };
            self.write(&initial.place, &term, span);
        }
    }

    /// A local without an initial value is arbitrary whenever its declaration is reached. At the
    /// start of its function it is so anyway.
    fn renew(&mut self, id: ObjectId, span: Span) {
        let object = self.object(id);
        if !object.lifted && self.body.loops == 0 && !self.body.has_labels {
            return;
        }
        let whole = self.whole(id, span);
        let leaves = self.leaf_places(whole);
        for (path, ty, length) in leaves {
            let leaf = self.leaf(id, &path, &ty, length, span);
            self.havoc(leaf, span);
        }
    }

    /// The leaves of a place: their paths, their types and their lengths.
    fn leaf_places(&mut self, whole: Place) -> Vec<(String, Type, Option<u32>)> {
        let mut open = vec![(String::new(), whole.ty, None::<u32>)];
        let mut leaves = Vec::new();
        while let Some((path, ty, length)) = open.pop() {
            match ty {
                Type::Struct(id) => {
                    let fields = self.structs[id].fields.clone().unwrap_or_default();
                    let fields = fields.into_iter().rev();
                    open.extend(fields.map(|f| (format!("{path}.{}", f.name), f.ty, length)));
                }
                Type::Array(element, count) => {
                    let length = length.unwrap_or(1).saturating_mul(count);
                    open.push((path, (*element).clone(), Some(length)));
                }
                Type::Integer(_) | Type::Pointer(_) => leaves.push((path, ty, length)),
                _ => {}
            }
        }
        leaves
    }
}

/// An array without a length has as many elements as its initialiser.
fn completed(ty: Type, initializer: Option<&Node<c::Initializer>>) -> Type {
    match (&ty, initializer.map(|initializer| &initializer.node)) {
        (Type::Open(element), Some(c::Initializer::List(items))) if !items.is_empty() => {
            Type::Array(Rc::clone(element), items.len() as u32)
        }
        _ => ty,
    }
}
