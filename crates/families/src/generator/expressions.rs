//! Random expressions of a given type.
//!
//! They are made together with how tightly they bind, so that parentheses stand where they must
//! and, now and then, where they need not. Recursion is bounded by the knob for the depth.

use super::knobs::{ExpressionWeights, Knobs};
use super::scope::Scope;
use crate::random::Random;
use hardbop_program::Type;

/// Which leaves an expression may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// Constants only: the initial value of a global.
    Constants,
    /// Constants and variables.
    Variables,
    /// Choices too.
    Choices,
    /// Choices, and the values of variables after an assignment.
    Primes,
}

/// A text with the strength of its outermost operator.
struct Piece {
    text: String,
    strength: u8,
}

const ATOM: u8 = 20;
const NOT: u8 = 10;
const CONDITIONAL: u8 = 0;

/// Operators on Booleans with their two spellings and their strengths.
const LOGIC: [(&str, &str, u8); 8] = [
    ("<->", "<->", 1),
    ("=>", "->", 2),
    ("|", "||", 3),
    ("^", "^", 4),
    ("&", "&&", 5),
    ("=", "==", 6),
    ("!=", "!=", 6),
    ("&", "&&", 5),
];
const COMPARISONS: [(&str, &str, u8); 6] = [
    ("=", "==", 6),
    ("!=", "!=", 6),
    ("<", "<", 7),
    ("<=", "<=", 7),
    (">", ">", 7),
    (">=", ">=", 7),
];
const ARITHMETIC: [(&str, &str, u8); 3] = [("+", "+", 8), ("-", "-", 8), ("*", "*", 9)];

/// Makes expressions over the variables of a scope.
pub(super) struct Expressions<'a> {
    pub random: &'a mut Random,
    pub knobs: &'a Knobs,
    pub scope: &'a Scope,
    pub leaves: Leaves,
}

impl Expressions<'_> {
    /// An expression of a type.
    pub(crate) fn of_type(&mut self, ty: Type) -> String {
        let depth = self.random.up_to(self.knobs.expression_depth);
        self.piece(ty, depth).text
    }

    /// An expression of a type that can be an operand of any operator.
    pub(crate) fn operand(&mut self, ty: Type) -> String {
        let depth = self.random.up_to(self.knobs.expression_depth.min(1));
        let piece = self.piece(ty, depth);
        enclose(piece, ATOM)
    }

    fn piece(&mut self, ty: Type, depth: u32) -> Piece {
        if depth == 0 {
            return self.leaf(ty);
        }
        let weights = self.knobs.expression;
        let piece = match ty {
            Type::Bool => self.boolean(weights, depth - 1),
            Type::Int(_) => self.integer(ty, weights, depth - 1),
        };
        if piece.strength < ATOM && self.random.percent(self.knobs.oddity) {
            return atom(enclose(piece, ATOM));
        }
        piece
    }

    fn boolean(&mut self, weights: ExpressionWeights, depth: u32) -> Piece {
        let leaf = weights.constant + weights.variable;
        let has_choices = matches!(self.leaves, Leaves::Choices | Leaves::Primes);
        let kinds = [
            leaf / 3,
            weights.not,
            weights.logic,
            if self.knobs.int_width > 0 {
                weights.comparison
            } else {
                0
            },
            weights.conditional,
            if has_choices { weights.choose } else { 0 },
        ];
        match self.random.weighted(&kinds) {
            1 => {
                let operand = self.piece(Type::Bool, depth);
                let sign = if self.is_odd() { "~" } else { "!" };
                Piece {
                    text: format!("{sign}{}", enclose(operand, NOT)),
                    strength: NOT,
                }
            }
            2 => self.binary(&LOGIC, Type::Bool, depth),
            3 => {
                let ty = self.scope.some_integer_type(self.random, self.knobs);
                self.binary(&COMPARISONS, ty, depth)
            }
            4 => self.conditional(Type::Bool, depth),
            5 => {
                let yes = self.piece(Type::Bool, depth).text;
                let no = self.piece(Type::Bool, depth).text;
                let word = if self.random.percent(50) {
                    "choose"
                } else {
                    "schoose"
                };
                atom(format!("{word}[{yes}, {no}]"))
            }
            _ => self.leaf(Type::Bool),
        }
    }

    fn integer(&mut self, ty: Type, weights: ExpressionWeights, depth: u32) -> Piece {
        let leaf = weights.constant + weights.variable;
        match self
            .random
            .weighted(&[leaf / 2, weights.arithmetic, weights.conditional])
        {
            1 => self.binary(&ARITHMETIC, ty, depth),
            2 => self.conditional(ty, depth),
            _ => self.leaf(ty),
        }
    }

    fn binary(&mut self, operators: &[(&str, &str, u8)], ty: Type, depth: u32) -> Piece {
        let (usual, unusual, strength) = operators[self.random.below(operators.len())];
        let left = self.piece(ty, depth);
        let right = self.piece(ty, depth);
        let to_the_right = usual == "=>";
        let left = enclose(left, strength + u8::from(to_the_right));
        let right = enclose(right, strength + u8::from(!to_the_right));
        let operator = if self.is_odd() { unusual } else { usual };
        Piece {
            text: format!("{left} {operator} {right}"),
            strength,
        }
    }

    fn conditional(&mut self, ty: Type, depth: u32) -> Piece {
        let condition = self.piece(Type::Bool, depth);
        let [then, otherwise] = [self.piece(ty, depth), self.piece(ty, depth)];
        let condition = enclose(condition, CONDITIONAL + 1);
        let then = enclose(then, CONDITIONAL + 1);
        Piece {
            text: format!("{condition} ? {then} : {}", otherwise.text),
            strength: CONDITIONAL,
        }
    }

    fn leaf(&mut self, ty: Type) -> Piece {
        let weights = self.knobs.expression;
        let variables: Vec<&str> = self.scope.names_of_type(ty).collect();
        let has_variables = self.leaves != Leaves::Constants && !variables.is_empty();
        let has_choices = matches!(self.leaves, Leaves::Choices | Leaves::Primes);
        let kinds = [
            weights.constant,
            if has_variables { weights.variable } else { 0 },
            if has_choices { weights.choice } else { 0 },
            if has_variables && self.leaves == Leaves::Primes {
                weights.variable
            } else {
                0
            },
        ];
        let text = match self.random.weighted(&kinds) {
            1 => variables[self.random.below(variables.len())].to_owned(),
            2 => String::from(if self.is_odd() { "?" } else { "*" }),
            3 => format!("'{}", variables[self.random.below(variables.len())]),
            _ => self.constant(ty),
        };
        atom(text)
    }

    fn constant(&mut self, ty: Type) -> String {
        let value = ty.wrap(self.random.next_number());
        match (ty, self.is_odd()) {
            (Type::Bool, false) => String::from(if value == 1 { "T" } else { "F" }),
            (Type::Bool, true) if self.random.percent(50) => (value == 1).to_string(),
            _ => value.to_string(),
        }
    }

    fn is_odd(&mut self) -> bool {
        self.random.percent(self.knobs.oddity)
    }
}

fn atom(text: String) -> Piece {
    Piece {
        text,
        strength: ATOM,
    }
}

/// The text, in parentheses unless it binds at least so tightly.
fn enclose(piece: Piece, least: u8) -> String {
    if piece.strength >= least {
        piece.text
    } else {
        format!("({})", piece.text)
    }
}
