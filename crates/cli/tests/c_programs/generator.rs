//! Random C programs without inputs and without undefined behaviour: divisors are not zero, shifts
//! and indexes are in range, loops end, and overflow wraps around in both worlds.

use hardbop_families::random::Random;
use std::fmt::Write;

/// The types of variables, each with a name for it.
const TYPES: [&str; 8] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "_Bool",
];

struct Generator<'a> {
    random: &'a mut Random,
    /// The number of the program, which its names end in.
    number: u64,
    depth: u32,
    loops: u32,
    text: String,
}

/// A program whose function `run…` computes a number.
pub fn program(random: &mut Random, number: u64) -> String {
    let mut generator = Generator {
        random,
        number,
        depth: 0,
        loops: 0,
        text: String::new(),
    };
    generator.write();
    generator.text
}

impl Generator<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.random.below(from.len())]
    }

    fn write(&mut self) {
        let n = self.number;
        for index in 0..3 {
            let ty = self.pick(&TYPES);
            let value = self.below(200);
            let _ = writeln!(self.text, "static {ty} g{index}_{n} = {value};");
        }
        let _ = writeln!(self.text, "static int a_{n}[4] = {{3, -1, 4}};");
        let _ = writeln!(self.text, "struct s_{n} {{ unsigned char x; int y; }};");
        let _ = writeln!(self.text, "static struct s_{n} s_{n} = {{5, -6}};");
        let parameter = self.pick(&TYPES);
        let result = self.pick(&TYPES);
        let _ = writeln!(
            self.text,
            "static {result} help_{n}({parameter} p, int depth) {{\n  static int calls = 0;\n  \
             calls++;\n  g0_{n} += calls;\n  if (depth > 0 && p > 3) return help_{n}(p / 2, depth - 1) + 1;\n  \
             return p ^ calls;\n}}\n"
        );
        let _ = writeln!(
            self.text,
            "static void store_{n}(int *where, int what) {{ *where = what; }}"
        );
        let _ = writeln!(self.text, "unsigned run{n}(void) {{");
        for index in 0..3 {
            let ty = self.pick(&TYPES);
            let value = self.below(70_000);
            let _ = writeln!(self.text, "  {ty} v{index} = {value};");
        }
        let _ = writeln!(self.text, "  int target = 1; struct s_{n} t = s_{n};");
        let count = 4 + self.below(5);
        for _ in 0..count {
            self.statement(1);
        }
        let _ = writeln!(
            self.text,
            "  return (unsigned)(v0 * 31u + v1 * 17u + v2 + g0_{n} * 5u + g1_{n} + g2_{n} * 3u\n    \
             + a_{n}[0] + a_{n}[1] * 7u + a_{n}[2] + a_{n}[3] + s_{n}.x + t.y + target);\n}}\n"
        );
    }

    fn place(&mut self) -> String {
        let n = self.number;
        match self.below(10) {
            0..4 => format!("v{}", self.below(3)),
            4..6 => format!("g{}_{n}", self.below(3)),
            6 => {
                let index = self.expression();
                format!("a_{n}[({index}) & 3]")
            }
            7 => format!("s_{n}.x"),
            8 => "t.y".to_owned(),
            _ => "target".to_owned(),
        }
    }

    fn expression(&mut self) -> String {
        self.depth += 1;
        let kind = if self.depth > 4 {
            self.below(4)
        } else {
            self.below(20)
        };
        let n = self.number;
        let text = match kind {
            0 | 1 => format!("v{}", self.below(3)),
            2 => format!("{}", self.below(300).cast_signed() - 100),
            3 => format!("g{}_{n}", self.below(3)),
            4..9 => {
                let operator = self.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", self.expression(), self.expression())
            }
            9 => {
                let operator = self.pick(&["/", "%"]);
                let divisor = self.expression();
                format!("({} {operator} (({divisor} & 7) + 1))", self.expression())
            }
            10 => {
                let operator = self.pick(&["<<", ">>"]);
                let count = self.expression();
                format!("({} {operator} ({count} & 7))", self.expression())
            }
            11 | 12 => {
                let operator = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {operator} {})", self.expression(), self.expression())
            }
            13 => {
                let operator = self.pick(&["&&", "||"]);
                format!("({} {operator} {})", self.expression(), self.expression())
            }
            14 => format!(
                "({} ? {} : {})",
                self.expression(),
                self.expression(),
                self.expression()
            ),
            15 => {
                let operator = self.pick(&["-", "~", "!", "+"]);
                format!("({operator} {})", self.expression())
            }
            16 => {
                let ty = self.pick(&TYPES);
                format!("(({ty}){})", self.expression())
            }
            17 => format!("a_{n}[{} & 3]", self.expression()),
            18 => {
                // A side effect of its own variable, so that no order of evaluation matters.
                let operator = self.pick(&["++", "--"]);
                format!("(s_{n}.y{operator}, {})", self.below(9))
            }
            _ => format!("(({} , {}))", self.expression(), self.expression()),
        };
        self.depth -= 1;
        text
    }

    fn statement(&mut self, indent: usize) {
        let blanks = "  ".repeat(indent);
        let n = self.number;
        let kind = if indent > 3 {
            self.below(5)
        } else {
            self.below(12)
        };
        match kind {
            0..3 => {
                let (place, value) = (self.place(), self.expression());
                let _ = writeln!(self.text, "{blanks}{place} = {value};");
            }
            3 => {
                let (place, value) = (self.place(), self.expression());
                let operator = self.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                let _ = writeln!(self.text, "{blanks}{place} {operator} {value};");
            }
            4 => {
                let place = self.place();
                let operator = self.pick(&["++", "--"]);
                let _ = writeln!(self.text, "{blanks}{place}{operator};");
            }
            5 | 6 => {
                let condition = self.expression();
                let _ = writeln!(self.text, "{blanks}if ({condition}) {{");
                self.statement(indent + 1);
                let _ = writeln!(self.text, "{blanks}}} else {{");
                self.statement(indent + 1);
                let _ = writeln!(self.text, "{blanks}}}");
            }
            7 | 8 => {
                self.loops += 1;
                let (index, bound) = (format!("i{}", self.loops), 1 + self.below(4));
                let _ = writeln!(
                    self.text,
                    "{blanks}for (int {index} = 0; {index} < {bound}; {index}++) {{"
                );
                if self.below(3) == 0 {
                    let condition = self.expression();
                    let word = self.pick(&["break", "continue"]);
                    let _ = writeln!(self.text, "{blanks}  if ({condition}) {word};");
                }
                self.statement(indent + 1);
                let _ = writeln!(self.text, "{blanks}}}");
            }
            9 => {
                let value = self.expression();
                let _ = writeln!(self.text, "{blanks}switch (({value}) & 3) {{");
                let _ = writeln!(self.text, "{blanks}case 0:");
                self.statement(indent + 1);
                if self.below(2) == 0 {
                    let _ = writeln!(self.text, "{blanks}  break;");
                }
                let _ = writeln!(self.text, "{blanks}case 2: case 3:");
                self.statement(indent + 1);
                let _ = writeln!(self.text, "{blanks}  break;\n{blanks}default:");
                self.statement(indent + 1);
                let _ = writeln!(self.text, "{blanks}}}");
            }
            10 => {
                let argument = self.expression();
                let depth = self.below(3);
                let _ = writeln!(self.text, "{blanks}v0 = help_{n}({argument}, {depth});");
            }
            _ => {
                let value = self.expression();
                let wheres = [
                    "&target".to_owned(),
                    format!("&a_{n}[1]"),
                    format!("&a_{n}[v1 & 3]"),
                ];
                let index = self.below(3);
                let _ = writeln!(self.text, "{blanks}store_{n}({}, {value});", wheres[index]);
            }
        }
    }
}
