//! A checked `.mu` file: relations over bits, and what is asked about them.
//!
//! Types are resolved away. A variable (a parameter or a quantified one) is a row of bits; fields
//! and array elements are ranges of that row. An enumeration of n values takes as many bits as n -
//! 1 has; where that leaves codes without a meaning, the quantifiers over it are already restricted
//! to the others ([`Formula::Exists`] says `domain & f`, [`Formula::Forall`] says `domain -> f`),
//! so that nothing after the checker has to think of them. What a relation says of meaningless
//! codes is of no consequence.

use hardbop_syntax::Span;
use std::ops::Range;
use std::sync::Arc;

/// Everything a file defines and asks.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Relations in order of their first announcement.
    pub relations: Vec<Relation>,
    /// Variables of all relations and quantifiers; each belongs to exactly one.
    pub variables: Vec<Variable>,
    /// All formulas; operands before their users, equal ones shared.
    pub formulas: Vec<Formula>,
    /// What to do, in order of the text.
    pub actions: Vec<Action>,
    /// Bits that should stand together in the order of BDD variables, row by row in the order given,
    /// as far as the hints leave it open. A text has none; whoever makes a system may know more.
    pub rows: Vec<Vec<(VariableId, u32)>>,
}

/// Index into [`System::relations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId(pub u32);

/// Index into [`System::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// Index into [`System::formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormulaId(pub u32);

/// A relation.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its name as written.
    pub name: String,
    /// How its body defines it.
    pub kind: RelationKind,
    /// Its parameters.
    pub parameters: Vec<VariableId>,
    /// Over the parameters only.
    pub body: FormulaId,
    /// Wishes for the order of the BDD variables.
    pub hints: Vec<Hint>,
    /// What `{show …}` in its body names; none without one.
    pub shown: Option<Shown>,
    /// Its definition.
    pub span: Span,
}

/// What is shown of a tuple on a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// What to call it in place of the name of the relation.
    pub label: Option<String>,
    /// Parameters and quantified variables, or components of them, in order.
    pub parts: Vec<Bits>,
}

/// How the body of a relation defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelationKind {
    /// As an abbreviation: it does not depend on itself.
    Definition,
    /// `mu`: its iteration starts with the empty relation.
    Least,
    /// `nu`: its iteration starts with the full relation.
    Greatest,
}

/// A parameter or a quantified variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name as written.
    pub name: String,
    /// Its leaves in order: Booleans and enumerations, with their place among the bits.
    pub leaves: Vec<Leaf>,
    /// How many bits it has.
    pub bits: u32,
    /// The formula over its bits that says that all codes have a meaning; none if every code has.
    pub domain: Option<FormulaId>,
}

/// A Boolean or an enumeration inside a variable.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The way to it, such as `.c.bit[2]`; empty if the variable itself is one.
    pub path: String,
    /// Its bits in the row of the variable, the most significant first.
    pub bits: Range<u32>,
    /// How its values are written.
    pub values: Values,
    /// The name of its enumeration.
    pub enumeration: Option<Arc<str>>,
}

/// How the values of a leaf are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// `0` and `1`.
    Boolean,
    /// Numbers from the first on; the code of a value is its distance from it.
    Numbers {
        /// The value with code 0.
        first: u64,
        /// How many values there are.
        count: u64,
    },
    /// Names, by code.
    Names(Vec<String>),
}

/// A formula over bits. Operands are earlier formulas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A constant.
    Constant(bool),
    /// A bit of a variable.
    Bit(VariableId, u32),
    /// Negation.
    Not(FormulaId),
    /// Conjunction; true if empty.
    And(Vec<FormulaId>),
    /// Disjunction; false if empty.
    Or(Vec<FormulaId>),
    /// Both or neither.
    Iff(FormulaId, FormulaId),
    /// `if c then a else b`.
    Ite(FormulaId, FormulaId, FormulaId),
    /// Some values of the variables.
    Exists(Vec<VariableId>, FormulaId),
    /// All values of the variables.
    Forall(Vec<VariableId>, FormulaId),
    /// A relation of arguments, given as all bits of all of them.
    Apply(RelationId, Vec<ArgumentBit>),
    /// A function that agrees with the first where the second holds.
    Cofactor(Cofactor, FormulaId, FormulaId),
}

/// Which of the functions that agree with another where something holds. Both are false if it never
/// holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cofactor {
    /// `cofactor`: the value at the nearest point where it holds.
    Constrain,
    /// `assume`: the same after quantifying what only the condition depends on.
    Restrict,
}

/// One bit of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentBit {
    /// A bit of a variable.
    Bit(VariableId, u32),
    /// A constant.
    Constant(bool),
}

/// A wish for the order of the BDD variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Bits of one variable.
    pub left: Bits,
    /// How they stand to the others.
    pub kind: HintKind,
    /// Bits of the same or of another variable.
    pub right: Bits,
}

/// Consecutive bits of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The variable.
    pub variable: VariableId,
    /// Its bits.
    pub range: Range<u32>,
}

/// How two rows of bits should stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HintKind {
    /// `~+`: interleaved.
    Interleaved,
    /// `~-`: not interleaved, each in a row of its own.
    Apart,
    /// `<`: all of the left above all of the right.
    Above,
    /// `>`: all of the left below all of the right.
    Below,
}

/// Something to do.
#[derive(Clone, Debug)]
pub struct Action {
    /// What.
    pub kind: ActionKind,
    /// Where it stands.
    pub span: Span,
}

/// What to do.
#[derive(Clone, Debug)]
pub enum ActionKind {
    /// Print the value of a closed formula; of an open one (a relation by name) whether it is true
    /// of all arguments.
    Query(FormulaId),
    /// `#size`: print the number of BDD nodes of a relation.
    Size(RelationId),
    /// `#ons`: print how many tuples of meaningful values satisfy a relation.
    Count(RelationId),
    /// `#list`: print the tuples of a relation.
    List(RelationId),
    /// `#wit`: print values of the outermost existential variables that make the formula true.
    Witness(FormulaId),
    /// `#cex`: print values of the outermost universal variables that make the formula false.
    Counterexample(FormulaId),
    /// `#print "text"`.
    Print(String),
    /// `#print statistics`.
    Statistics,
    /// `#timer go` (true) and `#timer stop`.
    Timer(bool),
    /// `#quit`: everything after it is not looked at.
    Quit,
}

impl System {
    /// A relation.
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id.0 as usize]
    }

    /// A variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// A formula.
    pub fn formula(&self, id: FormulaId) -> &Formula {
        &self.formulas[id.0 as usize]
    }

    /// The relation of that name.
    pub fn find(&self, name: &str) -> Option<RelationId> {
        let place = self
            .relations
            .iter()
            .position(|relation| relation.name == name)?;
        Some(RelationId(place as u32))
    }
}
