//! The types of C, as far as a program may use them, and the conversions between its integers.

use crate::terms::Sort;
use hardbop_syntax::source::DataModel;
use std::rc::Rc;

/// The rank of an integer type (C11 6.3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    Bool,
    Char,
    Short,
    Int,
    Long,
    LongLong,
}

/// An integer type.
#[derive(Clone, Copy, Debug, Eq)]
pub struct Integer {
    pub rank: Rank,
    pub signed: bool,
    /// Bits.
    pub width: u8,
    /// Something outside of the program may change its objects at any time.
    pub is_volatile: bool,
    /// The enumeration whose names its values have: how they are written, not what they are.
    pub enumeration: Option<u32>,
}

impl PartialEq for Integer {
    fn eq(&self, other: &Self) -> bool {
        let key = |ty: &Self| (ty.rank, ty.signed, ty.width, ty.is_volatile);
        key(self) == key(other)
    }
}

impl Integer {
    /// The type of a rank in a data model.
    pub fn new(rank: Rank, signed: bool, model: DataModel) -> Self {
        let width = match rank {
            Rank::Bool => 1,
            Rank::Char => 8,
            Rank::Short => 16,
            Rank::Int => 32,
            Rank::Long if model == DataModel::Ilp32 => 32,
            Rank::Long | Rank::LongLong => 64,
        };
        Self {
            rank,
            signed,
            width,
            is_volatile: false,
            enumeration: None,
        }
    }

    /// The type of its values.
    pub fn unqualified(self) -> Self {
        Self {
            is_volatile: false,
            ..self
        }
    }

    /// `int`
    pub fn int() -> Self {
        Self::new(Rank::Int, true, DataModel::Ilp32)
    }

    /// `size_t`
    pub fn size(model: DataModel) -> Self {
        Self::new(Rank::Long, false, model)
    }

    /// The type after integer promotion (6.3.1.1).
    pub fn promoted(self) -> Self {
        if self.rank < Rank::Int {
            Self::int()
        } else {
            Self {
                enumeration: None,
                ..self.unqualified()
            }
        }
    }

    /// The common type of two operands (6.3.1.8).
    pub fn common(self, other: Self) -> Self {
        let (a, b) = (self.promoted(), other.promoted());
        if a.signed == b.signed {
            return if a.rank < b.rank { b } else { a };
        }
        let (signed, unsigned) = if a.signed { (a, b) } else { (b, a) };
        if unsigned.rank >= signed.rank {
            unsigned
        } else if signed.width > unsigned.width {
            signed
        } else {
            Self {
                signed: false,
                ..signed
            }
        }
    }

    /// How its values are held.
    pub fn sort(self) -> Sort {
        match self.rank {
            Rank::Bool => Sort::Bool,
            _ => Sort::Word(self.width),
        }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Void,
    Integer(Integer),
    Pointer(Rc<Type>),
    /// With its length.
    Array(Rc<Type>, u32),
    /// An array whose length the initialiser has to say.
    Open(Rc<Type>),
    /// By its number in the table of structs.
    Struct(usize),
    Function(Rc<Signature>),
    /// A type that is refused where a program uses it, in words.
    Refused(&'static str),
    /// An error has been reported.
    Broken,
}

/// Parameters and result of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    pub result: Type,
    pub parameters: Vec<Type>,
    /// With `...`, or without a list of parameters.
    pub open: bool,
}

impl Type {
    pub fn int() -> Self {
        Type::Integer(Integer::int())
    }

    /// What a parameter of this type, or a value of it in an expression, is.
    pub fn decayed(&self) -> Type {
        match self {
            Type::Array(element, _) | Type::Open(element) => Type::Pointer(Rc::clone(element)),
            Type::Function(_) => Type::Pointer(Rc::new(self.clone())),
            other => other.clone(),
        }
    }

    /// The type with `volatile` before it.
    pub fn volatile(self) -> Type {
        match self {
            Type::Integer(integer) => Type::Integer(Integer {
                is_volatile: true,
                ..integer
            }),
            Type::Array(element, length) => {
                Type::Array(Rc::new((*element).clone().volatile()), length)
            }
            Type::Open(element) => Type::Open(Rc::new((*element).clone().volatile())),
            Type::Struct(_) => Type::Refused("a volatile struct"),
            Type::Pointer(_) => Type::Refused("a volatile pointer"),
            other => other,
        }
    }

    /// The type of a value that is read from an object of this type.
    pub fn of_value(&self) -> Type {
        match self {
            Type::Integer(integer) => Type::Integer(integer.unqualified()),
            other => other.clone(),
        }
    }

    /// The type without `volatile` anywhere in it: what values and the objects of pointers have in
    /// common.
    pub fn unqualified(&self) -> Type {
        match self {
            Type::Integer(integer) => Type::Integer(integer.unqualified()),
            Type::Pointer(target) => Type::Pointer(Rc::new(target.unqualified())),
            Type::Array(element, length) => Type::Array(Rc::new(element.unqualified()), *length),
            other => other.clone(),
        }
    }

    /// Whether reading an object of this type gives any value.
    pub fn is_volatile(&self) -> bool {
        matches!(self, Type::Integer(integer) if integer.is_volatile)
    }

    /// The type in words, for messages.
    pub fn text(&self) -> String {
        match self {
            Type::Void => "void".to_owned(),
            Type::Integer(integer) => {
                let sign = if integer.signed { "" } else { "unsigned " };
                let volatile = if integer.is_volatile { "volatile " } else { "" };
                let name = match integer.rank {
                    Rank::Bool => return "_Bool".to_owned(),
                    Rank::Char if integer.signed => "signed char",
                    Rank::Char => "char",
                    Rank::Short => "short",
                    Rank::Int => "int",
                    Rank::Long => "long",
                    Rank::LongLong => "long long",
                };
                format!("{volatile}{sign}{name}")
            }
            Type::Pointer(inner) => format!("pointer to {}", inner.text()),
            Type::Array(inner, length) => format!("array of {length} {}", inner.text()),
            Type::Open(inner) => format!("array of {}", inner.text()),
            Type::Struct(_) => "struct".to_owned(),
            Type::Function(_) => "function".to_owned(),
            Type::Refused(what) => (*what).to_owned(),
            Type::Broken => "unknown type".to_owned(),
        }
    }
}

/// A struct.
#[derive(Clone, Debug)]
pub struct Struct {
    /// `None` until it is defined.
    pub fields: Option<Vec<Field>>,
}

/// A member of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Type,
}
