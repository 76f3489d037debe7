//! Terms of SMT-LIB over Booleans and words, as a shared graph: equal terms are one node.
//!
//! Operands come before their users, so whoever works on terms walks the table from the bottom and
//! nothing recurses. What the reader writes as several operators (`=>`, `distinct`, rotations) is
//! reduced here to a few; the meaning of those few is in `check::evaluate`.

use rustc_hash::FxHashMap;

/// The largest width of a word.
pub const MAX_WIDTH: u32 = 64;

/// The sort of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// `Bool`.
    Bool,
    /// `(_ BitVec n)`, n from 1 to 64.
    Word(u8),
}

impl Sort {
    /// How many bits a value has.
    pub fn width(self) -> u32 {
        match self {
            Sort::Bool => 1,
            Sort::Word(width) => u32::from(width),
        }
    }

    /// The value modulo 2^width.
    pub fn wrap(self, value: u64) -> u64 {
        value & (u64::MAX >> (MAX_WIDTH - self.width()))
    }
}

impl std::fmt::Display for Sort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Sort::Bool => write!(f, "Bool"),
            Sort::Word(width) => write!(f, "(_ BitVec {width})"),
        }
    }
}

/// A term: index into [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

impl TermId {
    /// Its position in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of one clause or of one definition: index into [`Terms::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A predicate: index into the table of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

impl PredicateId {
    /// Its position in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term does with its operands. Words have their width from their sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Boolean negation.
    Not,
    /// Conjunction of any number of Booleans.
    And,
    /// Disjunction of any number of Booleans.
    Or,
    /// Exclusive or of two Booleans.
    Xor,
    /// Equality of two terms of one sort.
    Equal,
    /// `ite`.
    Ite,
    /// Complement of each bit.
    WordNot,
    /// And of each bit.
    WordAnd,
    /// Or of each bit.
    WordOr,
    /// Exclusive or of each bit.
    WordXor,
    /// Two's complement.
    Negate,
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// `bvudiv`: by zero all bits are set.
    Divide,
    /// `bvurem`: by zero it is the dividend.
    Remainder,
    /// `bvsdiv`, rounded towards zero.
    SignedDivide,
    /// `bvsrem`, with the sign of the dividend.
    SignedRemainder,
    /// `bvsmod`, with the sign of the divisor.
    SignedModulo,
    /// `bvshl`.
    ShiftLeft,
    /// `bvlshr`.
    ShiftRight,
    /// `bvashr`.
    SignedShiftRight,
    /// `bvult`.
    Less,
    /// `bvule`.
    LessEqual,
    /// `bvslt`.
    SignedLess,
    /// `bvsle`.
    SignedLessEqual,
    /// The first operand is the upper part.
    Concat,
    /// Bits from the second position up to the first, both included.
    Extract(u8, u8),
    /// Widened with zeros.
    ZeroExtend,
    /// Widened with copies of the sign.
    SignExtend,
    /// A predicate, only in formulas that are not clauses yet.
    Predicate(PredicateId),
    /// The operand for all values of the variables that were bound there. Their names are unique,
    /// so the term does not repeat them. Only in formulas that are not clauses yet.
    Forall,
    /// The operand for some values.
    Exists,
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A constant; Booleans are 0 and 1.
    Constant(u64),
    /// A variable.
    Variable(VarId),
    /// An operator with its operands.
    Apply(Op, Box<[TermId]>),
}

/// A variable with its name.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name as written, without quotation.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
}

/// The table of all terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<(Term, Sort)>,
    known: FxHashMap<(Term, Sort), TermId>,
    /// The variables.
    pub variables: Vec<Variable>,
}

impl Terms {
    /// A term with its sort, which the caller has checked.
    pub fn add(&mut self, term: Term, sort: Sort) -> TermId {
        let key = (term, sort);
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = TermId(u32::try_from(self.nodes.len()).expect("a text has fewer than 2^32 terms"));
        self.nodes.push(key.clone());
        self.known.insert(key, id);
        id
    }

    /// A term.
    pub fn get(&self, id: TermId) -> &Term {
        &self.nodes[id.index()].0
    }

    /// The sort of a term.
    pub fn sort(&self, id: TermId) -> Sort {
        self.nodes[id.index()].1
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A new variable.
    pub fn variable(&mut self, name: &str, sort: Sort) -> VarId {
        let id = VarId(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        let name = name.to_owned();
        self.variables.push(Variable { name, sort });
        id
    }

    /// The term of a variable.
    pub fn var(&mut self, id: VarId) -> TermId {
        let sort = self.variables[id.0 as usize].sort;
        self.add(Term::Variable(id), sort)
    }

    /// A constant.
    pub fn constant(&mut self, value: u64, sort: Sort) -> TermId {
        self.add(Term::Constant(sort.wrap(value)), sort)
    }

    /// `true` or `false`.
    pub fn truth(&mut self, value: bool) -> TermId {
        self.constant(u64::from(value), Sort::Bool)
    }

    /// An operator with its operands.
    pub fn apply(&mut self, op: Op, operands: &[TermId], sort: Sort) -> TermId {
        self.add(Term::Apply(op, operands.into()), sort)
    }

    /// Negation.
    pub fn not(&mut self, operand: TermId) -> TermId {
        self.apply(Op::Not, &[operand], Sort::Bool)
    }

    /// Conjunction.
    pub fn and(&mut self, operands: &[TermId]) -> TermId {
        match *operands {
            [] => self.truth(true),
            [only] => only,
            _ => self.apply(Op::And, operands, Sort::Bool),
        }
    }

    /// Disjunction.
    pub fn or(&mut self, operands: &[TermId]) -> TermId {
        match *operands {
            [] => self.truth(false),
            [only] => only,
            _ => self.apply(Op::Or, operands, Sort::Bool),
        }
    }

    /// Equality.
    pub fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        self.apply(Op::Equal, &[a, b], Sort::Bool)
    }

    /// The operands of a term.
    pub fn operands(&self, id: TermId) -> &[TermId] {
        match self.get(id) {
            Term::Apply(_, operands) => operands,
            _ => &[],
        }
    }

    /// All terms below some roots, roots included, operands before their users.
    pub fn below(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut pending = roots.to_vec();
        let mut found = Vec::new();
        while let Some(id) = pending.pop() {
            if seen.insert(id) {
                found.push(id);
                pending.extend_from_slice(self.operands(id));
            }
        }
        // Operands are added to the table before their users.
        found.sort_unstable();
        found
    }

    /// The variables below some roots, in order.
    pub fn variables_below(&self, roots: &[TermId]) -> Vec<VarId> {
        let below = self.below(roots);
        let variables = below.into_iter().filter_map(|id| match self.get(id) {
            Term::Variable(variable) => Some(*variable),
            _ => None,
        });
        let mut variables: Vec<VarId> = variables.collect();
        variables.sort_unstable();
        variables
    }
}
