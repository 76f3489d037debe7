//! The syntax tree of a Boolean program, close to its text.
//!
//! Expressions and statements live in two arenas and refer to each other by id. That keeps the tree
//! flat in memory, so that building, walking and dropping it never recurses: 100,000 nested
//! parentheses or `if`s are ordinary input. An expression's operands always have smaller ids than
//! the expression itself, so a loop over the arena in order is a bottom-up walk. Those of one
//! procedure come before those of the next, so whoever goes through the procedures in order can
//! give the arenas back piece by piece.
//!
//! The tree keeps what a formatter needs to give back (parentheses, the spelling of operators and
//! constants, comments) and nothing that a later stage computes.

use crate::chunks::Chunks;
use crate::claims::Claim;
use crate::list::List;
use crate::notation::{Notation, ValueNames};
use crate::source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use crate::names::{Names, Symbol};

/// Id of an expression in [`Ast::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// Id of a statement in [`Ast::stmts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtId(pub u32);

/// Which of the textual forms the file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// `.bp`: procedures.
    #[default]
    Procedures,
    /// `.gp`: Leino's guarded blocks. The tree has one procedure `main`; each block starts with a
    /// labelled statement and a block without `goto` ends in a `return` whose span is empty.
    GuardedBlocks,
    /// C, whose tree is made by another crate. It keeps nothing that a formatter needs.
    C,
}

/// The syntax tree of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ast {
    /// Textual form of the file.
    pub form: Form,
    /// Top-level items in order.
    pub items: Vec<Item>,
    /// All expressions; operands before their users.
    pub exprs: Chunks<Expr>,
    /// All statements.
    pub stmts: Chunks<Stmt>,
    /// All names.
    pub names: Names,
    /// All comments in order of position.
    pub comments: Vec<Comment>,
    /// The tables that [`Notation::Named`] refers to.
    pub value_names: Arc<Vec<ValueNames>>,
    /// How choices are written whose values are not plain numbers.
    pub choice_notations: BTreeMap<ExprId, Notation>,
    /// What assertions claim, where their text does not say it.
    pub claims: BTreeMap<StmtId, Arc<Claim>>,
    /// The same for indices of arrays, which have to be in range.
    pub index_claims: BTreeMap<ExprId, Arc<Claim>>,
}

/// A comment with its delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it stands, without the newline that ends a `//` comment.
    pub span: Span,
}

/// A name at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name. A `{…}` name keeps its braces; a numeric label is its digits.
    pub name: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// A top-level item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Global variables.
    Globals(Declaration),
    /// A procedure.
    Procedure(Procedure),
    /// A `thread` block.
    Thread(ThreadBlock),
}

/// A type as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypeName {
    /// `bool`, or nothing.
    #[default]
    Bool,
    /// `int<n>`; the width is what was written and may be out of range.
    Int {
        /// Bits as written.
        width: u64,
        /// The place of the width.
        span: Span,
    },
}

/// `decl …;`: some variables of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// `thread_local` stands before it.
    pub thread_local: bool,
    /// Their type.
    pub ty: TypeName,
    /// The variables.
    pub variables: Vec<Declarator>,
    /// From `decl` to `;`.
    pub span: Span,
}

impl Declaration {
    /// How many variables it stands for.
    pub fn variable_count(&self) -> u32 {
        self.variables.iter().map(Declarator::variable_count).sum()
    }
}

/// The largest number of elements of an array.
pub const MAX_LENGTH: u64 = 4096;

/// One variable or array of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declarator {
    /// Its name.
    pub name: Ident,
    /// The number of elements of an array, as written (it may be out of range), with its place.
    pub length: Option<(u64, Span)>,
    /// The initial value after `:=`; of an array the value of every element.
    pub initial: Option<ExprId>,
    /// How its values are written.
    pub notation: Notation,
}

impl Declarator {
    /// How many variables it stands for: an array has one for each element.
    pub fn variable_count(&self) -> u32 {
        let length = self.length.map_or(1, |(length, _)| length);
        length.clamp(1, MAX_LENGTH) as u32
    }
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeName,
    /// How its values are written.
    pub notation: Notation,
}

/// The result type of a procedure as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// No type at all: the same as `void`.
    Unwritten,
    /// `void`.
    Void,
    /// `bool`.
    Bool,
    /// `bool<n>`: n Boolean results.
    Bools {
        /// The count as written; may be out of range.
        count: u64,
        /// The place of the count.
        span: Span,
    },
    /// `int<n>`: one integer result.
    Int {
        /// Bits as written; may be out of range.
        width: u64,
        /// The place of the width.
        span: Span,
    },
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// `dfs` stands before it; it has no meaning here.
    pub dfs: bool,
    /// Result type as written.
    pub result: ResultType,
    /// How its results are written.
    pub result_notation: Notation,
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Local declarations.
    pub locals: Vec<Declaration>,
    /// The condition of `enforce`.
    pub enforce: Option<ExprId>,
    /// The place of the `enforce` clause, from the keyword to `;`.
    pub enforce_span: Span,
    /// Its statements.
    pub body: Block,
    /// From the first token to `end`.
    pub span: Span,
    /// The place of `end`.
    pub end_span: Span,
    /// Its statements have this number or larger ones.
    pub first_stmt: StmtId,
    /// Its expressions have this number or larger ones.
    pub first_expr: ExprId,
}

/// `thread name(count) begin … end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadBlock {
    /// Its name.
    pub name: Ident,
    /// How many instances, if written; may be out of range.
    pub instances: Option<(u64, Span)>,
    /// Variables of which each instance has its own.
    pub variables: Vec<Declaration>,
    /// Procedures of the thread; `main` is its entry.
    pub procedures: Vec<Procedure>,
    /// From `thread` to `end`.
    pub span: Span,
    /// The place of `end`.
    pub end_span: Span,
}

/// A sequence of statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The word before it: `begin`, `then`, `else` or `do`.
    pub opening: Span,
    /// The word after it: `end`, `elsif`, `else`, `fi` or `od`.
    pub closing: Span,
    /// The statements in order.
    pub stmts: List<StmtId>,
    /// Labels before the keyword that ends the block.
    pub end_labels: List<Ident>,
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Labels before it, in order.
    pub labels: List<Ident>,
    /// What it does.
    pub kind: StmtKind,
    /// From its first token (labels excluded) to its last (`;` excluded).
    pub span: Span,
}

/// The target of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A variable.
    Variable(Ident),
    /// `a[i]`: an [`ExprKind::Index`].
    Element(ExprId),
    /// `_`: the value is thrown away.
    Discard(Span),
}

/// `assume` and its synonym.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssumeWord {
    /// `assume(e)`.
    Assume,
    /// `constrain(e)`.
    Constrain,
}

/// `dead` and its synonym.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadWord {
    /// `dead x`.
    Dead,
    /// `havoc x`.
    Havoc,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `skip`
    Skip,
    /// `print(e, …)`
    Print(List<ExprId>),
    /// `x, y := e, f constrain c`
    Assign {
        /// Left-hand sides.
        targets: List<Target>,
        /// Right-hand sides.
        values: List<ExprId>,
        /// The condition after `constrain`.
        constrain: Option<ExprId>,
    },
    /// `x, y := f(e, …)`, `f(e, …)` or `call f(e, …)`
    Call {
        /// Left-hand sides; empty without `:=`.
        targets: List<Target>,
        /// The procedure.
        callee: Ident,
        /// Arguments.
        arguments: List<ExprId>,
        /// Written with the keyword `call`.
        keyword: bool,
    },
    /// `return e, …`
    Return(List<ExprId>),
    /// `if e then … elsif e then … else … fi`
    If {
        /// Conditions with their blocks, in order; at least one.
        arms: List<(ExprId, Block)>,
        /// The `else` block.
        otherwise: Option<Box<Block>>,
    },
    /// `while e do … od`
    While {
        /// The condition.
        condition: ExprId,
        /// The body.
        body: Box<Block>,
    },
    /// `goto L, M`
    Goto(List<Ident>),
    /// `assert(e)`
    Assert(ExprId),
    /// `assume(e)` or `constrain(e)`
    Assume {
        /// The condition.
        condition: ExprId,
        /// How it is spelled.
        word: AssumeWord,
    },
    /// `abortif e`
    AbortIf(ExprId),
    /// `dead x, y` or `havoc x, y`
    Dead {
        /// The variables.
        variables: List<Ident>,
        /// How it is spelled.
        word: DeadWord,
    },
    /// `start_thread goto L`
    StartThreadAt(Ident),
    /// `start_thread f(e, …)`
    StartThreadCall {
        /// The procedure.
        callee: Ident,
        /// Arguments.
        arguments: List<ExprId>,
    },
    /// `end_thread`
    EndThread,
    /// `atomic_begin`
    AtomicBegin,
    /// `atomic_end`
    AtomicEnd,
    /// Text that is not a statement; an error has been reported.
    Error,
}

/// An expression at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// `T`, `F`, `true` or `false`.
    Bool {
        /// The value.
        value: bool,
        /// `true`/`false` rather than `T`/`F`.
        word: bool,
    },
    /// A number; `0` and `1` are also Boolean constants.
    Number {
        /// The value.
        value: u64,
        /// Written as `0x…`.
        hexadecimal: bool,
    },
    /// A variable.
    Name(Symbol),
    /// `'x`: the value of a variable after the assignment.
    Primed(Symbol),
    /// `*` or `?`: a choice.
    Choice {
        /// Written as `?`.
        question: bool,
    },
    /// `(e)`
    Paren(ExprId),
    /// `a[i]` or `'a[i]`
    Index {
        /// A [`ExprKind::Name`] or [`ExprKind::Primed`].
        array: ExprId,
        /// The number of the element, from 0.
        index: ExprId,
    },
    /// `-e`
    Negate(ExprId),
    /// `signed(e)`: an operand that is read in two's complement.
    Signed(ExprId),
    /// `bool(e)`
    ToBool(ExprId),
    /// `int<n>(e)`
    ToInt {
        /// Bits as written; may be out of range.
        width: u32,
        /// The operand.
        operand: ExprId,
    },
    /// `!e` or `~e`
    Not {
        /// The operand.
        operand: ExprId,
        /// Written as `~`.
        tilde: bool,
    },
    /// `e op f`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The longer or second spelling: `&&`, `||`, `==`, `->`.
        alternative: bool,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// `c ? a : b`
    Conditional {
        /// The condition.
        condition: ExprId,
        /// Its value where the condition holds.
        then: ExprId,
        /// Its value elsewhere.
        otherwise: ExprId,
    },
    /// `choose[a, b]` or `schoose[a, b]`: `a | (!b & *)`
    Choose {
        /// Written as `schoose`.
        strict: bool,
        /// True if this holds.
        yes: ExprId,
        /// Else false if this holds, else arbitrary.
        no: ExprId,
    },
    /// Text that is not an expression; an error has been reported.
    Error,
}

/// A binary operator, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `<->`
    Iff,
    /// `=>` or `->`
    Implies,
    /// `|` or `||`
    Or,
    /// `^`
    Xor,
    /// `&` or `&&`
    And,
    /// `=` or `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*` between integers
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

impl BinaryOp {
    /// Binding strength: a larger number binds tighter. Operators of equal strength associate to
    /// the left, `=>` to the right.
    pub fn strength(self) -> u8 {
        match self {
            BinaryOp::Iff => 1,
            BinaryOp::Implies => 2,
            BinaryOp::Or => 3,
            BinaryOp::Xor => 4,
            BinaryOp::And => 5,
            BinaryOp::Equal | BinaryOp::NotEqual => 6,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 7,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 8,
            BinaryOp::Add | BinaryOp::Subtract => 9,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 10,
        }
    }

    /// Whether `a op b op c` means `a op (b op c)`.
    pub fn is_right_associative(self) -> bool {
        self == BinaryOp::Implies
    }

    /// How it is written; `alternative` picks the second spelling where there is one.
    pub fn text(self, alternative: bool) -> &'static str {
        match (self, alternative) {
            (BinaryOp::Iff, _) => "<->",
            (BinaryOp::Implies, false) => "=>",
            (BinaryOp::Implies, true) => "->",
            (BinaryOp::Or, false) => "|",
            (BinaryOp::Or, true) => "||",
            (BinaryOp::Xor, _) => "^",
            (BinaryOp::And, false) => "&",
            (BinaryOp::And, true) => "&&",
            (BinaryOp::Equal, false) => "=",
            (BinaryOp::Equal, true) => "==",
            (BinaryOp::NotEqual, _) => "!=",
            (BinaryOp::Less, _) => "<",
            (BinaryOp::LessEqual, _) => "<=",
            (BinaryOp::Greater, _) => ">",
            (BinaryOp::GreaterEqual, _) => ">=",
            (BinaryOp::Add, _) => "+",
            (BinaryOp::Subtract, _) => "-",
            (BinaryOp::Multiply, _) => "*",
            (BinaryOp::Divide, _) => "/",
            (BinaryOp::Remainder, _) => "%",
            (BinaryOp::ShiftLeft, _) => "<<",
            (BinaryOp::ShiftRight, _) => ">>",
        }
    }
}

impl ExprKind {
    /// The operands of the expression, first to last.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = ExprId> {
        let (operands, count) = match self {
            ExprKind::Bool { .. }
            | ExprKind::Number { .. }
            | ExprKind::Name(_)
            | ExprKind::Primed(_)
            | ExprKind::Choice { .. }
            | ExprKind::Error => ([ExprId(0); 3], 0),
            ExprKind::Paren(a)
            | ExprKind::Not { operand: a, .. }
            | ExprKind::Negate(a)
            | ExprKind::Signed(a)
            | ExprKind::ToBool(a)
            | ExprKind::ToInt { operand: a, .. } => ([a; 3], 1),
            ExprKind::Index { array: a, index: b }
            | ExprKind::Binary {
                left: a, right: b, ..
            }
            | ExprKind::Choose { yes: a, no: b, .. } => ([a, b, b], 2),
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => ([condition, then, otherwise], 3),
        };
        operands.into_iter().take(count)
    }
}

impl Ast {
    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Whether an operation reads its operands in two's complement: one of them is `signed(e)`.
    pub fn is_signed(&self, kind: ExprKind) -> bool {
        kind.operands()
            .any(|operand| matches!(self.expr(operand).kind, ExprKind::Signed(_)))
    }

    /// The value of a number, which may have a sign and stand in parentheses.
    pub fn number(&self, mut id: ExprId) -> Option<i128> {
        let mut sign = 1;
        loop {
            match self.expr(id).kind {
                ExprKind::Number { value, .. } => return Some(sign * i128::from(value)),
                ExprKind::Negate(operand) => (id, sign) = (operand, -sign),
                ExprKind::Paren(operand) => id = operand,
                _ => return None,
            }
        }
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// The text of a name.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }

    /// Adds an expression. Its operands must be there already.
    pub fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(Expr { kind, span });
        id
    }

    /// Adds a statement.
    pub fn add_stmt(&mut self, stmt: Stmt) -> StmtId {
        let id = StmtId(self.stmts.len() as u32);
        self.stmts.push(stmt);
        id
    }

    /// All procedures, those of thread blocks included, in order of the text.
    pub fn procedures(&self) -> impl Iterator<Item = &Procedure> {
        self.items.iter().flat_map(|item| match item {
            Item::Globals(_) => [].as_slice(),
            Item::Procedure(procedure) => std::slice::from_ref(procedure),
            Item::Thread(thread) => thread.procedures.as_slice(),
        })
    }
}
