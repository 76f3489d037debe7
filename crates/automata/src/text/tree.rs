//! The tree of a property's expression. Operands stand before their users in one table, so nothing
//! has to recurse.

use hardbop_syntax::Span;

/// A node of a tree: index into [`Tree::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeId(pub u32);

/// An expression with all its parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// Operands before their users.
    pub nodes: Vec<TreeNode>,
}

/// A part of an expression and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeNode {
    /// What it is.
    pub kind: TreeKind,
    /// Where it stands.
    pub span: Span,
    /// Whether parentheses stand around it.
    pub in_parentheses: bool,
}

/// `name` or `procedure:name`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    /// The procedure, if one is given.
    pub procedure: Option<Span>,
    /// The name itself.
    pub name: Span,
}

/// What a part of an expression is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TreeKind {
    /// `true` or `false`.
    Constant(bool),
    /// A number; 0 and 1 are also Booleans.
    Number(u64),
    /// A variable.
    Variable(Name),
    /// `at(label)`.
    At(Name),
    /// `in(procedure)`.
    In(Span),
    /// `call(procedure)`.
    Call(Span),
    /// `return(procedure)`.
    Return(Span),
    /// `terminated`.
    Terminated,
    /// `failed`.
    Failed,
    /// An operator before its operand.
    Unary(UnaryOp, TreeId),
    /// An operator between its operands.
    Binary(BinaryOp, TreeId, TreeId),
    /// Could not be read; there is a diagnostic.
    Error,
}

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub(crate) enum UnaryOp {
    Not,
    Next,
    Finally,
    Globally,
    Exists,
    Forall,
}

/// Operators between operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub(crate) enum BinaryOp {
    Implies,
    Iff,
    Or,
    Xor,
    And,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
}

impl UnaryOp {
    /// Whether it speaks of later positions.
    pub(crate) fn is_temporal(self) -> bool {
        matches!(self, UnaryOp::Next | UnaryOp::Finally | UnaryOp::Globally)
    }

    /// Whether it speaks of the runs that begin at a state.
    pub(crate) fn is_path_quantifier(self) -> bool {
        matches!(self, UnaryOp::Exists | UnaryOp::Forall)
    }
}

impl BinaryOp {
    /// How tightly it binds: Spot's order for the operators that Spot has, comparisons and
    /// arithmetic inside of them.
    pub(crate) fn precedence(self) -> u8 {
        use BinaryOp as B;
        match self {
            B::Implies | B::Iff => 1,
            B::Or => 2,
            B::Xor => 3,
            B::And => 4,
            B::Until | B::Release | B::WeakUntil | B::StrongRelease => 5,
            B::Equal | B::NotEqual => 7,
            B::Less | B::LessEqual | B::Greater | B::GreaterEqual => 8,
            B::Add | B::Subtract => 9,
            B::Multiply => 10,
        }
    }

    /// Whether `a op b op c` is `a op (b op c)`.
    pub(crate) fn is_right_associative(self) -> bool {
        self.precedence() == 1 || self.is_temporal()
    }

    /// Whether it speaks of later positions.
    pub(crate) fn is_temporal(self) -> bool {
        self.precedence() == 5
    }
}

/// How tightly operators before their operand bind: tighter than `U`, looser than comparisons, so
/// that `G n < 3` needs no parentheses.
pub(crate) const UNARY_PRECEDENCE: u8 = 6;

impl Tree {
    /// A node.
    pub(crate) fn node(&self, id: TreeId) -> &TreeNode {
        &self.nodes[id.0 as usize]
    }

    /// Adds a node whose operands are there already.
    pub(crate) fn add(&mut self, kind: TreeKind, span: Span) -> TreeId {
        self.nodes.push(TreeNode {
            kind,
            span,
            in_parentheses: false,
        });
        TreeId(self.nodes.len() as u32 - 1)
    }
}
