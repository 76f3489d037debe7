//! The tree of `.mu` files, close to their text.
//!
//! Expressions live in one arena for all files and refer to each other by id, operands before their
//! users, so nothing that builds, walks or drops a tree recurses. The items of a loaded file stand
//! where its `load` stood.

use hardbop_syntax::Span;
use hardbop_syntax::ast::{Names, Symbol};

use crate::system::{Cofactor, HintKind, RelationKind};

/// Everything that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ast {
    /// All names.
    pub names: Names,
    /// Types, relations, queries and commands in order of the text.
    pub items: Vec<Item>,
    /// All expressions.
    pub exprs: Vec<Expr>,
    /// Where each of them stands.
    pub spans: Vec<Span>,
    /// Attributes without a meaning here.
    pub ignored_attributes: Vec<Ident>,
}

/// Index into [`Ast::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ExprId(pub u32);

/// A name at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ident {
    /// The name.
    pub name: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// A part of a file.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// `enum Name { … };`
    Enum {
        /// Its name.
        name: Ident,
        /// Its values.
        values: EnumValues,
    },
    /// `class Name { … } hints;`
    Class {
        /// Its name.
        name: Ident,
        /// Its fields in order.
        fields: Vec<Declaration>,
        /// Wishes for the order of the fields.
        hints: Vec<HintItem>,
    },
    /// `mu bool Name(…) hints body;`
    Relation(RelationItem),
    /// `Type a, b;` outside of everything, which has no meaning.
    Variables(Vec<Declaration>),
    /// A formula whose value is asked for.
    Query(ExprId),
    /// `#name …;`
    Command(Command),
    /// `load name;`, and where all of it stands.
    Load(Vec<LoadName>, Span),
    /// `needs label A, B;`, and where all of it stands.
    Needs(Vec<Need>, Span),
}

/// The values of an enumeration.
#[derive(Clone, Debug)]
pub(crate) enum EnumValues {
    /// `{first .. last}`
    Range {
        /// The first value.
        first: u64,
        /// The last value.
        last: u64,
        /// Where the range stands.
        span: Span,
    },
    /// `{a, b, c}`
    Names(Vec<Ident>),
}

/// `Type name[length]`: a field, a parameter or a quantified variable.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    /// The type.
    pub ty: Ident,
    /// The name.
    pub name: Ident,
    /// The way from the variable of that name to its component that is quantified; empty for a new
    /// variable.
    pub component: Vec<Step>,
    /// The number of elements, if it is an array.
    pub length: Option<(u64, Span)>,
}

/// An order hint. Without a left side it is Mucke's hint about one variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HintItem {
    /// The first variable or field.
    pub left: Option<Ident>,
    /// How they should stand.
    pub kind: HintKind,
    /// The second variable or field.
    pub right: Ident,
}

/// What `{show …}` names.
#[derive(Clone, Debug)]
pub(crate) struct ShowItem {
    /// The text in front, if there is one.
    pub label: Option<String>,
    /// Variables and components of variables.
    pub paths: Vec<Path>,
}

/// A relation, or its prototype.
#[derive(Clone, Debug)]
pub(crate) struct RelationItem {
    /// `mu`, `nu` or neither.
    pub kind: RelationKind,
    /// What stands for `bool`.
    pub result: Ident,
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub parameters: Vec<Declaration>,
    /// Wishes for the order of the variables.
    pub hints: Vec<HintItem>,
    /// Its definition; a prototype has none.
    pub body: Option<ExprId>,
}

/// A name after `load`.
#[derive(Clone, Debug)]
pub(crate) struct LoadName {
    /// The text without quotes.
    pub text: String,
    /// Whether it was in quotes.
    pub is_quoted: bool,
    /// Where it stands.
    pub span: Span,
}

/// What a file needs of a program.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    pub kind: NeedKind,
    /// The name, which may have dots.
    pub name: String,
    /// The bits of an integer, if it is one.
    pub width: Option<(u64, Span)>,
    /// Where the name stands.
    pub span: Span,
}

/// Kinds of names of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NeedKind {
    Global,
    Local,
    Label,
    Procedure,
    Relation,
}

/// A command.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// Its name without `#`.
    pub name: Ident,
    /// What stands after it.
    pub arguments: Vec<CommandArgument>,
    /// All of it.
    pub span: Span,
}

/// What stands after a command.
#[derive(Clone, Debug)]
pub(crate) enum CommandArgument {
    /// `"…"`, without the quotes.
    Text(String),
    /// A formula, or a single name.
    Formula(ExprId),
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// `true`, `false`
    Boolean(bool),
    /// A number: a value, or a Boolean.
    Number(u64),
    /// A variable, a part of one, a value of an enumeration, or a relation by name.
    Path(Path),
    /// `R(a, b)`
    Apply(Ident, Vec<ExprId>),
    /// `!a`
    Not(ExprId),
    /// Two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `if (c) a else b`; without `else` it is an implication.
    If(ExprId, ExprId, Option<ExprId>),
    /// `case c1 : a1; … esac`: the first condition that is true decides, and if none is, it is
    /// false.
    Case(Vec<(ExprId, ExprId)>),
    /// `exists A a, B b. f`
    Quantifier(Quantifier, Vec<Declaration>, ExprId),
    /// A formula with order hints in braces.
    Hinted(ExprId, Vec<HintItem>),
    /// `f {show "text", a, b.c}`
    Shown(ExprId, ShowItem),
}

/// `name.field[2].other`
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// The variable.
    pub root: Ident,
    /// The way into it.
    pub steps: Vec<Step>,
}

/// A step into a structure or an array.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// `.name`
    Field(Ident),
    /// `[number]`
    Index(u64, Span),
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    And,
    /// `|`
    Or,
    /// `->`
    Implies,
    /// `<-`
    ImpliedBy,
    /// `<->`
    Iff,
    /// `<+>`
    Xor,
    /// `assume`, `cofactor`
    Cofactor(Cofactor),
}

/// Which quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    /// `exists`
    Exists,
    /// `forall`
    Forall,
}

impl Ast {
    /// The text of a name.
    pub(crate) fn text(&self, ident: Ident) -> &str {
        self.names.text(ident.name)
    }

    /// An expression.
    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Where an expression stands.
    pub(crate) fn span(&self, id: ExprId) -> Span {
        self.spans[id.0 as usize]
    }

    /// Adds an expression.
    pub(crate) fn push(&mut self, expr: Expr, span: Span) -> ExprId {
        self.exprs.push(expr);
        self.spans.push(span);
        ExprId(self.exprs.len() as u32 - 1)
    }
}
