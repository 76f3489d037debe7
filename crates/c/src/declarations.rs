//! Declarations: from specifiers and declarators to types, and what they bring into scope.

use crate::types::{Field, Integer, Rank, Signature, Struct, Type};
use crate::unit::{Entity, Unit};
use lang_c::ast as c;
use lang_c::span::Node;
use std::rc::Rc;

/// What the specifiers of a declaration say.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate keyword")]
pub struct Specified {
    pub ty: Type,
    pub is_typedef: bool,
    pub is_static: bool,
    pub is_extern: bool,
    pub is_noreturn: bool,
    /// Each thread has its own.
    pub is_thread_local: bool,
}

/// The counts of type specifiers, which may come in any order.
#[derive(Default)]
struct Words {
    char: u32,
    short: u32,
    int: u32,
    long: u32,
    signed: u32,
    unsigned: u32,
    other: Option<Type>,
}

impl<'a> Unit<'a> {
    /// The type and the storage class of a declaration.
    pub fn specified(&mut self, specifiers: &'a [Node<c::DeclarationSpecifier>]) -> Specified {
        let mut specified = Specified {
            ty: Type::Broken,
            is_typedef: false,
            is_static: false,
            is_extern: false,
            is_noreturn: false,
            is_thread_local: false,
        };
        let mut is_volatile = false;
        let mut words = Words::default();
        for specifier in specifiers {
            match &specifier.node {
                c::DeclarationSpecifier::StorageClass(class) => match class.node {
                    c::StorageClassSpecifier::Typedef => specified.is_typedef = true,
                    c::StorageClassSpecifier::Static => specified.is_static = true,
                    c::StorageClassSpecifier::Extern => specified.is_extern = true,
                    c::StorageClassSpecifier::ThreadLocal => specified.is_thread_local = true,
                    // It replaces `__thread`, which the parser does not know.
                    c::StorageClassSpecifier::Register
                        if self.thread_words.contains(&class.span.start) =>
                    {
                        specified.is_thread_local = true;
                    }
                    c::StorageClassSpecifier::Auto | c::StorageClassSpecifier::Register => {}
                },
                c::DeclarationSpecifier::TypeSpecifier(ty) => self.add_word(&mut words, ty),
                c::DeclarationSpecifier::TypeQualifier(qualifier) => {
                    is_volatile |= qualifier.node == c::TypeQualifier::Volatile;
                }
                c::DeclarationSpecifier::Function(function) => {
                    specified.is_noreturn |= function.node == c::FunctionSpecifier::Noreturn;
                }
                c::DeclarationSpecifier::Extension(extensions) => {
                    specified.is_noreturn |= says_noreturn(extensions);
                }
                c::DeclarationSpecifier::Alignment(_) => {}
            }
        }
        let ty = self.type_of_words(words);
        specified.ty = self.maybe_volatile(ty, is_volatile);
        specified
    }

    fn type_of_qualified(&mut self, specifiers: &'a [Node<c::SpecifierQualifier>]) -> Type {
        let mut words = Words::default();
        let mut is_volatile = false;
        for specifier in specifiers {
            match &specifier.node {
                c::SpecifierQualifier::TypeSpecifier(ty) => self.add_word(&mut words, ty),
                c::SpecifierQualifier::TypeQualifier(qualifier) => {
                    is_volatile |= qualifier.node == c::TypeQualifier::Volatile;
                }
                c::SpecifierQualifier::Extension(_) => {}
            }
        }
        let ty = self.type_of_words(words);
        self.maybe_volatile(ty, is_volatile)
    }

    /// In a program with threads it is they that change a volatile object.
    fn maybe_volatile(&self, ty: Type, is_volatile: bool) -> Type {
        if is_volatile && !self.threads.exist() {
            ty.volatile()
        } else {
            ty
        }
    }

    fn add_word(&mut self, words: &mut Words, specifier: &'a Node<c::TypeSpecifier>) {
        let other = match &specifier.node {
            c::TypeSpecifier::Char => return words.char += 1,
            c::TypeSpecifier::Short => return words.short += 1,
            c::TypeSpecifier::Int => return words.int += 1,
            c::TypeSpecifier::Long => return words.long += 1,
            c::TypeSpecifier::Signed => return words.signed += 1,
            c::TypeSpecifier::Unsigned => return words.unsigned += 1,
            c::TypeSpecifier::Void => Type::Void,
            c::TypeSpecifier::Bool => {
                Type::Integer(Integer::new(Rank::Bool, false, self.reading.data_model))
            }
            c::TypeSpecifier::Float
            | c::TypeSpecifier::Double
            | c::TypeSpecifier::TS18661Float(_) => Type::Refused("a floating-point type"),
            c::TypeSpecifier::Complex => Type::Refused("a complex type"),
            c::TypeSpecifier::Atomic(_) => Type::Refused("an atomic type"),
            c::TypeSpecifier::Struct(structure) => self.structure(structure),
            c::TypeSpecifier::Enum(enumeration) => self.enumeration(enumeration),
            c::TypeSpecifier::TypedefName(name) => match self.lookup(&name.node.name) {
                Some(Entity::Typedef(ty)) => ty.clone(),
                // The parser knows these names, the text does not declare them.
                _ => Type::Refused("a type of the compiler"),
            },
            c::TypeSpecifier::TypeOf(of) => match &of.node {
                c::TypeOf::Type(name) => self.type_name(name),
                c::TypeOf::Expression(expression) => self.type_of_expression(expression),
            },
        };
        // `long double`, `double _Complex` and the like: whatever is refused stays refused.
        match words.other {
            Some(Type::Refused(_)) => {}
            _ => words.other = Some(other),
        }
    }

    fn type_of_words(&mut self, words: Words) -> Type {
        if let Some(other) = words.other {
            return other;
        }
        let model = self.reading.data_model;
        let rank = match (words.char, words.short, words.long) {
            (1.., _, _) => Rank::Char,
            (_, 1.., _) => Rank::Short,
            (_, _, 0) => Rank::Int,
            (_, _, 1) => Rank::Long,
            _ => Rank::LongLong,
        };
        Type::Integer(Integer::new(rank, words.unsigned == 0, model))
    }

    /// The type that a type name stands for.
    pub fn type_name(&mut self, name: &'a Node<c::TypeName>) -> Type {
        let base = self.type_of_qualified(&name.node.specifiers);
        match &name.node.declarator {
            Some(declarator) => self.declared(base, declarator),
            None => base,
        }
    }

    /// The type that a declarator makes of a base type.
    pub fn declared(&mut self, base: Type, declarator: &'a Node<c::Declarator>) -> Type {
        let mut ty = base;
        let declarator = &declarator.node;
        // Pointers belong to the base; arrays and functions apply from the last to the first.
        let derived = declarator.derived.iter();
        let (before, after): (Vec<_>, Vec<_>) =
            derived.partition(|d| matches!(d.node, c::DerivedDeclarator::Pointer(_)));
        for derived in before {
            ty = self.derived(ty, derived);
        }
        for derived in after.into_iter().rev() {
            ty = self.derived(ty, derived);
        }
        match &declarator.kind.node {
            c::DeclaratorKind::Declarator(inner) => self.declared(ty, inner),
            _ => ty,
        }
    }

    fn derived(&mut self, ty: Type, derived: &'a Node<c::DerivedDeclarator>) -> Type {
        let span = self.span(derived.span);
        match &derived.node {
            c::DerivedDeclarator::Pointer(qualifiers) => {
                let is_volatile = qualifiers.iter().any(|qualifier| {
                    matches!(&qualifier.node, c::PointerQualifier::TypeQualifier(qualifier)
                        if qualifier.node == c::TypeQualifier::Volatile)
                });
                let pointer = Type::Pointer(Rc::new(ty));
                self.maybe_volatile(pointer, is_volatile)
            }
            c::DerivedDeclarator::Array(array) => match &array.node.size {
                c::ArraySize::Unknown | c::ArraySize::VariableUnknown => Type::Open(Rc::new(ty)),
                c::ArraySize::VariableExpression(size) | c::ArraySize::StaticExpression(size) => {
                    match self.constant_of(size) {
                        Some(length @ 1..) => {
                            let length = u32::try_from(length).unwrap_or(u32::MAX);
                            Type::Array(Rc::new(ty), length)
                        }
                        Some(_) => Type::Refused("an array without elements"),
                        None => Type::Refused("an array of variable length"),
                    }
                }
            },
            c::DerivedDeclarator::Function(function) => {
                let parameters = function.node.parameters.iter();
                let mut types: Vec<Type> =
                    parameters.map(|p| self.parameter_type(&p.node)).collect();
                if types == [Type::Void] {
                    types.clear();
                }
                Type::Function(Rc::new(Signature {
                    result: ty,
                    parameters: types,
                    open: function.node.ellipsis == c::Ellipsis::Some,
                }))
            }
            c::DerivedDeclarator::KRFunction(names) => {
                if !names.is_empty() {
                    let message = "definitions with a list of names (K&R) are not supported; \
                                   write the types of the parameters between the parentheses";
                    self.refuse(span, message);
                }
                Type::Function(Rc::new(Signature {
                    result: ty,
                    parameters: Vec::new(),
                    open: true,
                }))
            }
            c::DerivedDeclarator::Block(_) => Type::Refused("a block"),
        }
    }

    fn parameter_type(&mut self, parameter: &'a c::ParameterDeclaration) -> Type {
        let base = self.specified(&parameter.specifiers).ty;
        let ty = match &parameter.declarator {
            Some(declarator) => self.declared(base, declarator),
            None => base,
        };
        ty.decayed()
    }

    fn structure(&mut self, structure: &'a Node<c::StructType>) -> Type {
        if structure.node.kind.node == c::StructKind::Union {
            if let Some(declarations) = &structure.node.declarations {
                // Enumerators and structs may be declared inside.
                for declaration in declarations {
                    if let c::StructDeclaration::Field(field) = &declaration.node {
                        self.type_of_qualified(&field.node.specifiers);
                    }
                }
            }
            return Type::Refused("a union");
        }
        let tag = structure.node.identifier.as_ref().map(|i| &i.node.name);
        let is_definition = structure.node.declarations.is_some();
        let known = tag.and_then(|tag| {
            let mut tags = self.tags.iter().rev();
            if is_definition {
                tags.next().and_then(|tags| tags.get(tag)).cloned()
            } else {
                tags.find_map(|tags| tags.get(tag)).cloned()
            }
        });
        let ty = known.unwrap_or_else(|| {
            let offset = structure.span.start;
            let id = self.structs_at.get(&offset).copied().unwrap_or_else(|| {
                self.structs.push(Struct { fields: None });
                self.structs.len() - 1
            });
            self.structs_at.insert(offset, id);
            Type::Struct(id)
        });
        if let Some(tag) = tag {
            let tags = self.tags.last_mut().expect("the outermost scope stays");
            tags.insert(tag.clone(), ty.clone());
        }
        if let (Some(declarations), Type::Struct(id)) = (&structure.node.declarations, &ty) {
            // Until its end it is incomplete and cannot be a member of itself.
            self.structs[*id].fields = None;
            let fields = self.fields(declarations);
            self.structs[*id].fields = Some(fields);
        }
        ty
    }

    fn fields(&mut self, declarations: &'a [Node<c::StructDeclaration>]) -> Vec<Field> {
        let mut fields = Vec::new();
        for declaration in declarations {
            let c::StructDeclaration::Field(field) = &declaration.node else {
                continue;
            };
            let base = self.type_of_qualified(&field.node.specifiers);
            if field.node.declarators.is_empty() {
                fields.push(Field {
                    name: String::new(),
                    ty: Type::Refused("a member without a name"),
                });
            }
            for declarator in &field.node.declarators {
                let (name, ty) = match &declarator.node.declarator {
                    Some(inner) => (name_of(inner), self.declared(base.clone(), inner)),
                    None => (None, base.clone()),
                };
                let ty = match &declarator.node.bit_width {
                    Some(_) => Type::Refused("a bit-field"),
                    None if self.is_complete(&ty) => ty,
                    None => Type::Refused("a member of incomplete type"),
                };
                if let Some((name, _)) = name {
                    fields.push(Field {
                        name: name.to_owned(),
                        ty,
                    });
                }
            }
        }
        fields
    }

    fn is_complete(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(element, _) => self.is_complete(element),
            Type::Struct(id) => self.structs[*id].fields.is_some(),
            Type::Void | Type::Open(_) | Type::Function(_) => false,
            _ => true,
        }
    }

    /// An enumeration. As in gcc and clang its objects are `unsigned` unless there are negative
    /// values, and wider than `int` if a value needs it; enumerators are `int` where they fit.
    fn enumeration(&mut self, enumeration: &'a Node<c::EnumType>) -> Type {
        let model = self.reading.data_model;
        let tag = enumeration.node.identifier.as_ref().map(|i| &i.node.name);
        if enumeration.node.enumerators.is_empty() {
            let known = tag.and_then(|tag| self.tags.iter().rev().find_map(|tags| tags.get(tag)));
            let unsigned = Type::Integer(Integer::new(Rank::Int, false, model));
            return known.cloned().unwrap_or(unsigned);
        }
        let int = |value: i128| i32::try_from(value).is_ok();
        let mut next = 0i128;
        let mut values = Vec::new();
        for enumerator in &enumeration.node.enumerators {
            if let Some(value) = &enumerator.node.expression {
                match self.exact_constant(value) {
                    Some(value) => next = value,
                    None => {
                        let span = self.span(value.span);
                        self.wrong(span, "the value of an enumerator is not a constant");
                    }
                }
            }
            let name = &enumerator.node.identifier.node.name;
            let rank = if int(next) { Rank::Int } else { Rank::LongLong };
            let signed = i64::try_from(next).is_ok();
            let ty = Integer::new(rank, signed, model);
            self.declare(name, Entity::Enumerator(next as i64, ty));
            values.push((name, next));
            next += 1;
        }
        let is_negative = values.iter().any(|(_, value)| *value < 0);
        let fits = |value: &i128| {
            if is_negative {
                int(*value)
            } else {
                u32::try_from(*value).is_ok()
            }
        };
        let rank = if values.iter().all(|(_, value)| fits(value)) {
            Rank::Int
        } else if Integer::new(Rank::Long, true, model).width == 64 {
            Rank::Long
        } else {
            Rank::LongLong
        };
        let ty = Integer::new(rank, is_negative, model);
        for &(name, value) in &values {
            if !int(value) {
                self.declare(name, Entity::Enumerator(value as i64, ty));
            }
        }
        let ty = self.enumerated(enumeration, ty, &values);
        if let Some(tag) = tag {
            let tags = self.tags.last_mut().expect("the outermost scope stays");
            tags.insert(tag.clone(), ty.clone());
        }
        ty
    }

    /// How many bytes a type has, where that is known.
    pub fn size_of(&self, ty: &Type) -> Option<u64> {
        let pointer = u64::from(Integer::size(self.reading.data_model).width / 8);
        match ty {
            Type::Integer(integer) => Some(u64::from(integer.width.div_ceil(8))),
            Type::Pointer(_) => Some(pointer),
            Type::Array(element, length) => Some(self.size_of(element)? * u64::from(*length)),
            // Padding is up to the platform.
            Type::Struct(id) => {
                let fields = self.structs[*id].fields.as_ref()?;
                let sizes: Option<Vec<u64>> = fields.iter().map(|f| self.size_of(&f.ty)).collect();
                let sizes = sizes?;
                let is_even = sizes.windows(2).all(|pair| pair[0] == pair[1])
                    && fields
                        .iter()
                        .all(|f| matches!(f.ty, Type::Integer(_) | Type::Pointer(_)));
                is_even.then(|| sizes.iter().sum())
            }
            _ => None,
        }
    }
}

/// Whether a declarator says that its function does not return.
pub fn is_noreturn(declarator: &c::Declarator) -> bool {
    says_noreturn(&declarator.extensions)
}

fn says_noreturn(extensions: &[Node<c::Extension>]) -> bool {
    extensions.iter().any(|extension| {
        matches!(&extension.node, c::Extension::Attribute(attribute)
            if matches!(attribute.name.node.as_str(), "noreturn" | "__noreturn__"))
    })
}

/// The name that a declarator declares.
pub fn name_of(declarator: &Node<c::Declarator>) -> Option<(&str, lang_c::span::Span)> {
    let mut declarator = declarator;
    loop {
        match &declarator.node.kind.node {
            c::DeclaratorKind::Abstract => return None,
            c::DeclaratorKind::Identifier(name) => return Some((&name.node.name, name.span)),
            c::DeclaratorKind::Declarator(inner) => declarator = inner,
        }
    }
}

/// The parameters of the function that a declarator declares, with their names.
pub fn parameters_of(declarator: &Node<c::Declarator>) -> &[Node<c::ParameterDeclaration>] {
    let mut declarator = declarator;
    loop {
        for derived in &declarator.node.derived {
            if let c::DerivedDeclarator::Function(function) = &derived.node {
                return &function.node.parameters;
            }
        }
        match &declarator.node.kind.node {
            c::DeclaratorKind::Declarator(inner) => declarator = inner,
            _ => return &[],
        }
    }
}
