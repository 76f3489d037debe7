//! Random C programs for which a compiler knows the result.
//!
//! A [`CProgram`] has a function `run@` that computes a number; `@` is removed in a file with one
//! program ([`CProgram::for_checker`]) and replaced by a number in a file with many
//! ([`CProgram::for_compiler`]). There are three kinds: one large expression, statements with
//! functions, arrays, structs and pointers, and small programs with inputs, whose compiled form runs
//! on all of them. No program has undefined behaviour, except for signed overflow, which must wrap
//! around (`-fwrapv`), so compiler and checker have no excuse to differ.

mod choices;
mod expressions;
mod literals;
mod maker;
mod objects;
mod statements;

pub use choices::{Choices, smaller};
pub use maker::Input;

use literals::ENUMERATIONS;
use maker::{Maker, Style};
use std::fmt::Write;

/// What a program consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CKind {
    /// One expression.
    Expression,
    /// Statements, functions, arrays, structs, pointers.
    Program,
    /// The same, smaller and with inputs.
    Inputs,
}

/// A program that computes a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CProgram {
    /// What it consists of.
    pub kind: CKind,
    /// The decisions that made it.
    pub choices: Vec<u32>,
    text: String,
    inputs: Vec<Input>,
    reset: String,
    /// The type of the parameter of its own `__VERIFIER_assert`, if it has one.
    assertion: Option<&'static str>,
}

/// How the parts of a program that a checker knows are declared.
const VERIFIER: [(&str, &str); 9] = [
    ("nondet_bool", "extern _Bool __VERIFIER_nondet_bool(void);"),
    ("nondet_char", "extern char __VERIFIER_nondet_char(void);"),
    (
        "nondet_uchar",
        "extern unsigned char __VERIFIER_nondet_uchar(void);",
    ),
    (
        "nondet_short",
        "extern short __VERIFIER_nondet_short(void);",
    ),
    ("nondet_int", "extern int __VERIFIER_nondet_int(void);"),
    (
        "nondet_ulong",
        "extern unsigned long __VERIFIER_nondet_ulong(void);",
    ),
    ("assume", "extern void __VERIFIER_assume(int condition);"),
    ("reach_error", "extern void reach_error(void);"),
    ("sensor", "signed char sensor(void);"),
];

impl CProgram {
    /// The program that some decisions make.
    pub fn new(kind: CKind, mut choices: Choices) -> Self {
        let style = match kind {
            CKind::Expression => Style::Expression,
            CKind::Program => Style::Program,
            CKind::Inputs => Style::Inputs,
        };
        let mut maker = Maker::new(&mut choices, style);
        let assertion = maker.write();
        let (inputs, reset, text) = (maker.inputs, maker.reset, maker.file);
        Self {
            kind,
            text,
            inputs,
            reset,
            assertion,
            choices: choices.into_taken(),
        }
    }

    /// The program of a seed.
    pub fn of_seed(kind: CKind, seed: u64) -> Self {
        Self::new(kind, Choices::of_seed(seed))
    }

    /// Whether it asserts something, which may fail.
    pub fn has_assertion(&self) -> bool {
        self.assertion.is_some()
    }

    /// The program alone, as a checker reads it, without `main`.
    pub fn for_checker(&self) -> String {
        let mut text = String::new();
        if let Some(ty) = self.assertion {
            let body = "{ if (!condition) { reach_error(); } }";
            let _ = writeln!(text, "void __VERIFIER_assert({ty} condition) {body}");
        }
        text += &self.text;
        for (number, input) in self.inputs.iter().enumerate() {
            text = text.replace(&format!("INPUT{number}@"), input.checked);
            text = text.replace(&format!(" INIT{number}@"), "");
        }
        let text = text.replace("ASSERT@", "__VERIFIER_assert");
        let text = text.replace("ASSUME@", "__VERIFIER_assume");
        let used = VERIFIER.iter().filter(|(name, _)| text.contains(name));
        let declared: String = used.flat_map(|(_, line)| [line, "\n"]).collect();
        (declared + &enumerations(&text) + &text).replace('@', "")
    }

    /// The program with a number in its names, and a function `drive_…` that prints its results on
    /// one line: whether its assertion has failed with some inputs, a bit for each value of the last
    /// five bits that was seen, then the numbers computed.
    pub fn for_compiler(&self, number: usize) -> String {
        let mut text = String::new();
        let name = format!("_{number}");
        for (index, input) in self.inputs.iter().enumerate() {
            let value = input.compiled.replace('#', &format!("in[{index}]"));
            let _ = writeln!(text, "#define INPUT{index}@ {value}");
            let _ = writeln!(text, "#define INIT{index}@ = {value}");
        }
        let _ = writeln!(
            text,
            "#define ASSUME@(e) do {{ if (!(int)(e)) {{ cut = 1; return 0; }} }} while (0)"
        );
        if let Some(ty) = self.assertion {
            let _ = writeln!(text, "static void fails@({ty} c) {{ if (!c) failed = 1; }}");
        }
        let _ = writeln!(
            text,
            "#define ASSERT@(e) do {{ fails@(e); if (failed) {{ any_failed = 1; return 0; }} }} while (0)"
        );
        text += &self.text;
        text.insert_str(0, &enumerations(&text));
        let _ = writeln!(text, "static void drive@(void) {{\n  start();");
        for (index, input) in self.inputs.iter().enumerate() {
            let count = input.values.len();
            let list: Vec<String> = input.values.iter().map(|value| in_c(*value)).collect();
            let list = list.join(", ");
            let _ = writeln!(
                text,
                "  static const long long values{index}[] = {{{list}}};"
            );
            let _ = writeln!(
                text,
                "  for (int i{index} = 0; i{index} < {count}; i{index}++) {{ in[{index}] = values{index}[i{index}];"
            );
        }
        let _ = writeln!(text, "  {}cut = failed = 0;", self.reset);
        text += "  { unsigned long result = run@(); if (!cut && !failed) note(result); }\n";
        text += &"}".repeat(self.inputs.len());
        text += "  finish();\n}\n";
        text.replace('@', &name)
    }
}

/// The declarations of enumerations that a text uses.
fn enumerations(text: &str) -> String {
    let is_used = |names: &[&str]| names.iter().any(|name| text.contains(name));
    let used = ENUMERATIONS.iter().filter(|(_, names)| is_used(names));
    used.flat_map(|(line, _)| [line, "\n"]).collect()
}

fn in_c(value: i64) -> String {
    match value {
        i64::MIN => "-9223372036854775807ll - 1".to_owned(),
        value => format!("{value}ll"),
    }
}

/// Most results of a program that are told apart; with more the line ends in `many`.
pub const MOST_RESULTS: usize = 256;

/// One file of many programs. Compiled with signed overflow that wraps around and a signed `char`,
/// it prints a line for each of them.
pub fn compiled_together(programs: &[CProgram]) -> String {
    let mut text = format!(
        "int printf(const char *, ...);
static long long in[8];
static int cut, failed, any_failed;
static unsigned long seen[{MOST_RESULTS}];
static int count;
static unsigned residues;
static void start(void) {{ count = any_failed = residues = 0; }}
static void note(unsigned long v) {{
  residues |= 1u << (v & 31);
  if (count > {MOST_RESULTS}) return;
  for (int i = count - 1; i >= 0; i--) if (seen[i] == v) return;
  if (count < {MOST_RESULTS}) seen[count] = v;
  count++;
}}
static void finish(void) {{
  printf(\"%d %u\", any_failed, residues);
  if (count > {MOST_RESULTS}) printf(\" many\");
  else for (int i = 0; i < count; i++) printf(\" %lu\", seen[i]);
  printf(\"\\n\");
}}
"
    );
    for (number, program) in programs.iter().enumerate() {
        text += &program.for_compiler(number);
    }
    text += "int main(void) {\n";
    for number in 0..programs.len() {
        let _ = writeln!(text, "  drive_{number}();");
    }
    text + "  return 0;\n}\n"
}

impl Maker<'_> {
    /// Writes everything. Returns the type that the program's own assertion takes.
    fn write(&mut self) -> Option<&'static str> {
        let (globals, functions, statements) = match self.style {
            Style::Expression => (0, 0, 0),
            Style::Program => (
                self.choices.below(4),
                self.choices.below(3),
                2 + self.choices.below(7),
            ),
            Style::Inputs => (
                self.choices.below(3),
                self.choices.below(2),
                self.choices.below(5),
            ),
        };
        for _ in 0..globals {
            self.new_global();
        }
        for _ in 0..functions {
            self.new_function();
        }
        if self.style != Style::Expression {
            for _ in 0..self.choices.below(3) {
                self.new_aggregate();
            }
        } else if self.choices.percent(30) {
            self.new_array();
            self.new_struct();
        }
        if self.style == Style::Inputs {
            for _ in 0..=self.choices.below(2) {
                self.new_input_object();
            }
        }
        for _ in 0..statements {
            self.statement();
        }
        let assertion = self.assumption_and_assertion();
        let last = self.full_expression();
        let result = match self.style {
            Style::Inputs => {
                let operator = self.choices.pick(&["+", "^", "|"]);
                format!("return {last} {operator} {};", self.readable())
            }
            Style::Expression | Style::Program => {
                let result = if self.choices.percent(50) {
                    self.some_type()
                } else {
                    "unsigned long"
                };
                self.line(&format!("{result} result = {last};"));
                format!("return result{};", self.all_objects())
            }
        };
        self.line(&result);
        let (locals, body) = (
            std::mem::take(&mut self.locals),
            std::mem::take(&mut self.body),
        );
        let _ = write!(
            self.file,
            "static unsigned long run@(void) {{\n{locals}{body}}}\n"
        );
        assertion
    }

    fn assumption_and_assertion(&mut self) -> Option<&'static str> {
        if self.style != Style::Inputs {
            return None;
        }
        if self.choices.percent(20) {
            let condition = self.full_expression();
            self.line(&format!("ASSUME@({condition});"));
        }
        if !self.choices.percent(30) {
            return None;
        }
        let ty = self.some_type();
        let condition = self.full_expression();
        self.line(&format!("ASSERT@({condition});"));
        Some(ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_made_again_from_its_decisions() {
        for kind in [CKind::Expression, CKind::Program, CKind::Inputs] {
            for seed in 0..200 {
                let program = CProgram::of_seed(kind, seed);
                let again = CProgram::new(kind, Choices::of_list(program.choices.clone()));
                assert_eq!(program, again);
            }
        }
    }

    #[test]
    fn no_decisions_make_a_tiny_program() {
        for kind in [CKind::Expression, CKind::Program, CKind::Inputs] {
            let text = CProgram::new(kind, Choices::of_list(Vec::new())).for_checker();
            assert!(text.lines().count() < 20, "{text}");
        }
    }

    #[test]
    fn nothing_but_a_name_is_left_open() {
        for seed in 0..500 {
            let program = CProgram::of_seed(CKind::Inputs, seed);
            for text in [program.for_checker(), program.for_compiler(3)] {
                assert!(!text.contains('@'), "{text}");
            }
            let text = program.for_checker();
            assert!(!text.contains("INPUT") && !text.contains("INIT"), "{text}");
        }
    }
}
