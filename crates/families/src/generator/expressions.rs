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
const NOT: u8 = 11;
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
const ARITHMETIC: [(&str, &str, u8); 3] = [("+", "+", 9), ("-", "-", 9), ("*", "*", 10)];
const WORDS: [(&str, &str, u8); 7] = [
    ("|", "|", 3),
    ("^", "^", 4),
    ("&", "&", 5),
    ("<<", "<<", 8),
    (">>", ">>", 8),
    ("/", "/", 10),
    ("%", "%", 10),
];
/// Operators that tell signed from unsigned operands.
const SIGNED: [(&str, u8); 6] = [
    ("<", 7),
    ("<=", 7),
    (">", 7),
    (">=", 7),
    ("/", 10),
    ("%", 10),
];

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

    fn is_of_words(&mut self) -> bool {
        self.knobs.words > 0 && self.random.percent(self.knobs.words)
    }

    /// `a0[i]` with any index.
    pub(crate) fn element(&mut self, array: &str) -> String {
        let ty = self.scope.some_integer_type(self.random, self.knobs);
        let variables: Vec<&str> = self.scope.names_of_type(ty).collect();
        match self.random.pick(&variables) {
            Some(index) if self.random.percent(70) => format!("{array}[{index}]"),
            Some(index) => format!("{array}[{index} + 1]"),
            None => format!("{array}[*]"),
        }
    }

    /// `signed(a) < signed(b)`, with one of the first operators or one of the others.
    fn signed(&mut self, ty: Type, is_comparison: bool, depth: u32) -> Piece {
        let operators = if is_comparison {
            &SIGNED[..4]
        } else {
            &SIGNED[4..]
        };
        let (operator, strength) = operators[self.random.below(operators.len())];
        let [left, right] = [self.piece(ty, depth).text, self.piece(ty, depth).text];
        Piece {
            text: format!("signed({left}) {operator} signed({right})"),
            strength,
        }
    }

    /// An integer by one of the operators that only words have.
    fn word(&mut self, ty: Type, depth: u32) -> Piece {
        match self.random.below(6) {
            0 | 1 => self.binary(&WORDS, ty, depth),
            2 => {
                let sign = if self.random.percent(50) { "~" } else { "-" };
                let operand = self.piece(ty, depth);
                // A number behind a minus sign has another range.
                let operand = match sign {
                    "-" => format!("({})", operand.text),
                    _ => enclose(operand, NOT),
                };
                Piece {
                    text: format!("{sign}{operand}"),
                    strength: NOT,
                }
            }
            3 => self.signed(ty, false, depth),
            4 => {
                let (left, right) = (self.piece(ty, depth).text, self.piece(ty, depth));
                Piece {
                    text: format!("signed({left}) >> {}", enclose(right, 9)),
                    strength: 8,
                }
            }
            _ => {
                let variables = self.scope.variables();
                let has_variables = self.leaves != Leaves::Constants && !variables.is_empty();
                let Some(variable) = self.random.pick(variables).filter(|_| has_variables) else {
                    return self.leaf(ty);
                };
                let name = &variable.name;
                atom(match variable.ty {
                    Type::Int(_) if self.random.percent(50) => format!("{ty}(signed({name}))"),
                    _ => format!("{ty}({name})"),
                })
            }
        }
    }

    fn boolean(&mut self, weights: ExpressionWeights, depth: u32) -> Piece {
        if self.is_of_words() && self.random.percent(40) {
            let ty = self.scope.some_integer_type(self.random, self.knobs);
            if self.random.percent(30) {
                return atom(format!("bool({})", self.piece(ty, depth).text));
            }
            return self.signed(ty, true, depth);
        }
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
        if self.is_of_words() {
            return self.word(ty, depth);
        }
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
        if self.leaves == Leaves::Choices && self.is_of_words() {
            let arrays = self.scope.arrays().iter().filter(|array| array.ty == ty);
            if let Some(array) = arrays.map(|array| array.name.clone()).next() {
                return atom(self.element(&array));
            }
        }
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
