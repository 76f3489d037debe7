//! Random expressions: every operator of C on integers, over operands of all types.
//!
//! None is undefined: divisors are neither 0 nor -1, shifts stay below the width, indexes in range,
//! and nothing is written twice between two sequence points ([`super::objects`]). Signed overflow is
//! left in: it wraps around, as it does with `-fwrapv`.

use super::literals::{ASSIGNABLE, TYPES, literal, small_literal, some_type};
use super::maker::{Maker, Style};
use super::objects::Touched;

impl Maker<'_> {
    /// An expression between two sequence points.
    pub(super) fn full_expression(&mut self) -> String {
        self.touched = Touched::default();
        self.operand()
    }

    pub(super) fn is_deep(&self) -> bool {
        self.depth >= self.most_depth
    }

    /// An expression that can be an operand of any operator.
    pub(super) fn operand(&mut self) -> String {
        self.depth += 1;
        let count = if self.is_deep() { 4 } else { 25 };
        let text = match self.choices.below(count) {
            0 => self.constant(),
            1 | 2 => self.readable(),
            3 => match self.input() {
                Some(input) => input,
                None => self.readable(),
            },
            4..8 => self.arithmetic(),
            8 => {
                let operator = self.choices.pick(&["/", "%"]);
                let (left, right) = (self.operand(), self.divisor());
                format!("({left} {operator} {right})")
            }
            9 | 10 => self.shift(),
            11 | 12 => {
                let operator = self.choices.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {operator} {})", self.operand(), self.operand())
            }
            13 => {
                let operator = self.choices.pick(&["&&", "||"]);
                self.in_sequence(&["(", &format!(" {operator} "), ")"])
            }
            14 | 15 => self.conditional(),
            16 | 17 => {
                let operator = self.choices.pick(&["-", "~", "!", "+", "!!", "- -", "!~"]);
                format!("({operator} {})", self.operand())
            }
            18 | 19 => {
                let ty = some_type(self.choices, TYPES.len());
                format!("(({ty}){})", self.operand())
            }
            20 => self.in_sequence(&["(", ", ", ")"]),
            21 => match self.choices.below(2) {
                0 => format!("sizeof({})", some_type(self.choices, TYPES.len())),
                _ => format!("sizeof({})", self.operand()),
            },
            22 => self.effect(),
            23 => self.call(),
            _ => self.builtin(),
        };
        self.depth -= 1;
        text
    }

    fn constant(&mut self) -> String {
        match self.style {
            Style::Inputs => small_literal(self.choices),
            Style::Expression | Style::Program => literal(self.choices),
        }
    }

    fn arithmetic(&mut self) -> String {
        let operator = self.choices.pick(&["+", "-", "&", "|", "^", "*"]);
        let left = self.operand();
        let right = if operator == "*" && self.style == Style::Inputs {
            // Products of two inputs take search engines long.
            self.constant()
        } else {
            self.operand()
        };
        format!("({left} {operator} {right})")
    }

    pub(super) fn divisor(&mut self) -> String {
        let variable = if self.style == Style::Inputs { 2 } else { 4 };
        match self.choices.below(variable) {
            0 => self
                .choices
                .pick(&["2", "3", "1", "5u", "10l", "255", "7ul", "'a'"]),
            1 => self
                .choices
                .pick(&["-2", "-3", "-7", "-100l", "(-128)", "-3u"]),
            2 => return format!("(({} & 7) + 1)", self.operand()),
            _ => return format!("(({} & 255) | 1)", self.operand()),
        }
        .to_owned()
    }

    fn shift(&mut self) -> String {
        let operator = self.choices.pick(&["<<", ">>"]);
        let (left, most) = if self.choices.below(3) == 2 {
            let ty = self.choices.pick(&["long", "unsigned long", "long long"]);
            (format!("(({ty}){})", self.operand()), 63)
        } else {
            (self.operand(), 31)
        };
        let count = match self.choices.below(4) {
            0 => self.choices.below(most + 1).to_string(),
            1 => self.choices.below(4).to_string(),
            2 => format!("({} & {most})", self.operand()),
            _ => format!("({} & 7)", self.operand()),
        };
        format!("({left} {operator} {count})")
    }

    fn conditional(&mut self) -> String {
        if self.choices.below(2) == 0 {
            return self.in_sequence(&["(", " ? ", " : ", ")"]);
        }
        let condition = self.choices.pick(&[
            "1",
            "0",
            "-1",
            "ONE@",
            "'\\0'",
            "0ul",
            "sizeof(long) == 8",
            "!5",
            "1 > 2",
            "-1 < 1u",
        ]);
        format!("({condition} ? {} : {})", self.operand(), self.operand())
    }

    /// Operands with a sequence point behind the first one.
    fn in_sequence(&mut self, parts: &[&str]) -> String {
        let mark = self.touched.mark();
        let mut text = format!("{}{}", parts[0], self.operand());
        self.touched.settle(mark);
        for part in &parts[1..parts.len() - 1] {
            text += part;
            text += &self.operand();
        }
        self.touched.unsettle(mark);
        text + parts[parts.len() - 1]
    }

    /// An expression that changes an object.
    fn effect(&mut self) -> String {
        match self.choices.below(5) {
            0 => {
                let place = self.writable();
                match self.choices.below(4) {
                    0 => format!("({place})++"),
                    1 => format!("({place})--"),
                    2 => format!("++({place})"),
                    _ => format!("--({place})"),
                }
            }
            1 => {
                let place = self.writable();
                format!("({place} = {})", self.operand())
            }
            _ => {
                let place = self.writable();
                let (operator, value) = self.change();
                format!("({place} {operator} {value})")
            }
        }
    }

    /// The operator of a compound assignment and what it is done with.
    pub(super) fn change(&mut self) -> (&'static str, String) {
        match self.choices.below(4) {
            0 | 1 => {
                let operator = self.choices.pick(&["+=", "-=", "&=", "|=", "^=", "*="]);
                let value = if operator == "*=" {
                    self.constant()
                } else {
                    self.operand()
                };
                (operator, value)
            }
            2 => (self.choices.pick(&["/=", "%="]), self.divisor()),
            _ => {
                let operator = self.choices.pick(&["<<=", ">>="]);
                let count = match self.choices.below(2) {
                    0 => self.choices.below(32).to_string(),
                    _ => format!("({} & 15)", self.operand()),
                };
                (operator, count)
            }
        }
    }

    /// A call of a function that has been made, or of a new one that converts its argument.
    fn call(&mut self) -> String {
        let known = self.functions.len();
        let chosen = self.choices.below(known + usize::from(known < 4));
        if let Some(function) = self.functions.get(chosen).cloned() {
            if function.has_effects && !self.may_call() {
                return "2".to_owned();
            }
            let argument = self.operand();
            let depth = self.choices.below(4);
            return if function.is_recursive {
                format!("{}({argument}, {depth})", function.name)
            } else {
                format!("{}({argument})", function.name)
            };
        }
        let name = self.new_conversion();
        format!("{name}({})", self.operand())
    }

    /// A call of a function that compiler and checker both know. Some are undefined of 0.
    fn builtin(&mut self) -> String {
        let of_any = [
            "popcount",
            "popcountl",
            "parity",
            "ffs",
            "clrsb",
            "bswap32",
            "bswap64",
            "expect",
            "abs",
        ];
        let chosen = self.choices.below(of_any.len() + 3);
        let operand = self.operand();
        match of_any.get(chosen) {
            Some(&"expect") => format!("__builtin_expect({operand}, 1)"),
            Some(name) => format!("__builtin_{name}({operand})"),
            None => {
                let name = ["clz", "ctzl", "ctz"][chosen - of_any.len()];
                format!("__builtin_{name}({operand} | 1)")
            }
        }
    }

    /// A type that objects have and that can be assigned to.
    pub(super) fn some_type(&mut self) -> &'static str {
        some_type(self.choices, ASSIGNABLE)
    }
}
