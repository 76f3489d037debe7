//! Small programs with owners and priorities.

use hardbop_testkit::random::Random;
use std::fmt::Write;

/// What the statements of a procedure may be.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    callees: Vec<&'static str>,
    /// How many statements may still be written.
    left: usize,
    last_priority: usize,
}

/// A program with one or two globals and some procedures, which may call themselves and each other
/// if recursion is wanted, and else only those after them.
pub fn program(seed: u64, is_recursive: bool) -> String {
    let mut random = Random::new(seed);
    let two = random.percent(30);
    let last_priority = 1 + random.below(3);
    let mut text = format!("decl g := 0{};\n", if two { ", h" } else { "" });
    let names = ["main", "f", "e"];
    let count = 2 + random.below(2);
    for (number, name) in names[..count].iter().enumerate() {
        let first = if is_recursive { 1 } else { number + 1 };
        let callees = names[..count].iter().skip(first).copied();
        let mut writer = Writer {
            callees: callees.collect(),
            left: 3 + random.below(4),
            text: String::new(),
            last_priority,
            random: &mut random,
        };
        let is_loop = number == 0 && writer.random.percent(60);
        if is_loop {
            writer.labels();
            writer.text.push_str("while (1) do\n");
        }
        writer.statements(2, two);
        if is_loop {
            writer.text.push_str("od;\n");
        }
        writer.labels();
        let body = &writer.text;
        text = format!("{text}void {name}() begin\n{body}skip;\nend\n");
    }
    text
}

impl Writer<'_> {
    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("a string takes all text");
    }

    fn labels(&mut self) {
        if self.random.percent(40) {
            self.text.push_str("EVE: ");
        }
        if self.random.percent(35) {
            let priority = self.random.below(self.last_priority + 1);
            self.write(format_args!("PRIORITY_{priority}: "));
        }
    }

    fn condition(&mut self, two: bool) -> &'static str {
        let conditions = ["*", "*", "g", "!g", "h", "g != h"];
        let count = if two { conditions.len() } else { 4 };
        conditions[self.random.below(count)]
    }

    fn statements(&mut self, depth: u32, two: bool) {
        let count = 1 + self.random.below(3);
        for _ in 0..count {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            self.labels();
            self.statement(depth, two);
        }
        self.text.push_str("skip;\n");
    }

    fn statement(&mut self, depth: u32, two: bool) {
        match self.random.below(if depth == 0 { 8 } else { 12 }) {
            0 => self.text.push_str("g := *;\n"),
            1 => self.text.push_str("g := !g;\n"),
            2 => self
                .text
                .push_str(if two { "h := g | *;\n" } else { "g := 1;\n" }),
            3 if self.random.percent(50) => self.text.push_str("assume(g);\n"),
            3 => self.text.push_str("assert(!g);\n"),
            4..=6 if !self.callees.is_empty() => {
                let callee = self.callees[self.random.below(self.callees.len())];
                self.write(format_args!("{callee}();\n"));
            }
            4..=7 => self.text.push_str("return;\n"),
            8 | 9 => {
                let condition = self.condition(two);
                self.write(format_args!("while ({condition}) do\n"));
                self.statements(depth - 1, two);
                self.text.push_str("od;\n");
            }
            _ => {
                let condition = self.condition(two);
                self.write(format_args!("if ({condition}) then\n"));
                self.statements(depth - 1, two);
                self.text.push_str("else\n");
                self.statements(depth - 1, two);
                self.text.push_str("fi;\n");
            }
        }
    }
}
