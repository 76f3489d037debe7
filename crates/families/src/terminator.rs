//! Programs like those that Terminator (Cook, Podelski, Rybalchenko) gave to Getafix's authors:
//! dozens of variables in scope, wide parallel `schoose` updates, `dead`, recursion, and a small
//! core that decides.
//!
//! The core is four globals. `u` and `v` start equal and are always assigned the same expression;
//! `(k0, k1)` steps through 00, 10, 01 and back, never to 11. Checks all over the program compare
//! exactly these. All other variables are noise that a forward search has to carry along and a
//! property-directed one does not.
//!
//! **Safe:** every assignment to the core preserves `u = v` and `!(k0 & k1)`, and nothing else
//! writes it.
//!
//! **Unsafe:** one statement of the last procedure sets `u := !v` behind a guard over four
//! variables that were just chosen freely. It is reachable: `main` calls `q1`, each `q<i>` calls
//! `q<i+1>`, unconditionally; every other call has `*` in its guard and every loop ends by `*`, so
//! each can be passed by; of the two sides of a diamond, `c` and `!c | d`, one is always open;
//! nothing else blocks. From there it is one jump to the check. The sisters differ in that one
//! negation only.

use crate::family::KnownVerdict;
use crate::random_expr::{comma_list, conjunction, literal, write_updates};
use crate::rng::Rng;
use crate::source_text::SourceText;

/// The program whose core can be broken.
pub(crate) fn write_unsafe(text: &mut SourceText, size: u32, seed: u64) {
    Generator::of_size(size, seed, "!v").write_program(text);
}

/// The program whose core is an invariant.
pub(crate) fn write_safe(text: &mut SourceText, size: u32, seed: u64) {
    Generator::of_size(size, seed, "v").write_program(text);
}

/// How `dead` is written: Getafix did not have it and put one of the other two in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dead {
    /// As it is.
    Statement,
    /// One variable after the other gets a value in the branches of an `if (*)`.
    Iterative,
    /// All variables get a value at once, from `schoose`.
    Schoose,
}

/// The size of a program of Figure 2 of the Getafix paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminatorShape {
    /// What the paper calls it.
    pub name: &'static str,
    /// The answer.
    pub verdict: KnownVerdict,
    globals: u32,
    /// Locals, parameters and results of `main` and the three others.
    frames: [(u32, u32, u32); 4],
    statements: u32,
}

/// The three programs: 9, 14 and 23 globals, 97, 77 and 19 locals, 12, 7 and no parameters, 18, 9
/// and one result.
pub const TERMINATOR_SHAPES: [TerminatorShape; 3] = [
    TerminatorShape {
        name: "Terminator-A",
        verdict: KnownVerdict::Reachable,
        globals: 9,
        frames: [(68, 0, 0), (10, 4, 6), (10, 4, 6), (9, 4, 6)],
        statements: 20,
    },
    TerminatorShape {
        name: "Terminator-B",
        verdict: KnownVerdict::Unreachable,
        globals: 14,
        frames: [(42, 0, 0), (12, 3, 3), (12, 2, 3), (11, 2, 3)],
        statements: 35,
    },
    TerminatorShape {
        name: "Terminator-C",
        verdict: KnownVerdict::Unreachable,
        globals: 23,
        frames: [(19, 0, 0), (0, 0, 1), (0, 0, 0), (0, 0, 0)],
        statements: 70,
    },
];

impl TerminatorShape {
    /// A program of this size.
    pub fn generate(&self, dead: Dead, seed: u64) -> String {
        let decisive = match self.verdict {
            KnownVerdict::Reachable => "!v",
            KnownVerdict::Unreachable => "v",
        };
        let mut text = SourceText::with_capacity(1 << 16);
        // The core is four of the globals.
        let globals = numbered("g", self.globals - 4);
        let frames = self
            .frames
            .iter()
            .map(|&(locals, parameters, results)| Frame {
                locals: numbered("x", locals),
                parameters: numbered("a", parameters),
                results: results as usize,
            });
        let mut generator = Generator::new(seed, decisive, globals, frames.collect());
        generator.statements = self.statements;
        generator.dead = dead;
        generator.write_program(&mut text);
        text.finish()
    }
}

/// What a procedure declares.
#[derive(Clone)]
struct Frame {
    locals: Vec<String>,
    parameters: Vec<String>,
    results: usize,
}

struct Generator {
    rng: Rng,
    /// What the decisive statement assigns to `u`.
    decisive: &'static str,
    globals: Vec<String>,
    /// Of `main` and all others.
    frames: Vec<Frame>,
    /// Locals of the procedure that is being written.
    locals: Vec<String>,
    /// Everything but the core that it sees: globals, locals and parameters.
    noise: Vec<String>,
    procedures: u32,
    statements: u32,
    diamonds: u32,
    dead: Dead,
}

fn numbered(prefix: &str, count: u32) -> Vec<String> {
    (0..count).map(|i| format!("{prefix}{i}")).collect()
}

impl Generator {
    fn of_size(size: u32, seed: u64, decisive: &'static str) -> Self {
        // Size 1 is the scale of 10 globals and 12 locals, size 8 of 24 and 54; text grows on from
        // there.
        let globals = numbered("g", (4 + 2 * size).min(24));
        let frame = Frame {
            locals: numbered("x", (6 + 6 * size).min(64)),
            parameters: numbered("a", (3 + size / 2).min(8)),
            results: 4,
        };
        let procedures = 2 + size / 3;
        let frames = vec![frame; procedures as usize + 1];
        let mut generator = Self::new(seed ^ u64::from(size), decisive, globals, frames);
        generator.statements = 10 + 5 * size.min(20);
        generator
    }

    fn new(seed: u64, decisive: &'static str, globals: Vec<String>, frames: Vec<Frame>) -> Self {
        Self {
            rng: Rng::new(seed),
            decisive,
            globals,
            locals: Vec::new(),
            noise: Vec::new(),
            procedures: frames.len() as u32 - 1,
            frames,
            statements: 0,
            diamonds: 0,
            dead: Dead::Statement,
        }
    }

    fn write_program(mut self, text: &mut SourceText) {
        text.line("decl u, v, k0, k1;");
        write_declarations(text, &self.globals);
        for procedure in 0..=self.procedures {
            self.write_procedure(text, procedure);
        }
    }

    fn write_procedure(&mut self, text: &mut SourceText, procedure: u32) {
        let is_main = procedure == 0;
        let frame = self.frames[procedure as usize].clone();
        self.noise = [self.globals.as_slice(), &frame.locals, &frame.parameters].concat();
        self.locals = frame.locals;
        if is_main {
            text.procedure(format_args!("void main()"));
            write_declarations(text, &self.locals);
            write_declarations(text, &frame.parameters);
            text.line("u, v, k0, k1 := 0, 0, 0, 0;");
            let zeros = vec!["0"; self.globals.len()];
            text.fmt(format_args!(
                "{} := {};",
                comma_list(&self.globals),
                comma_list(&zeros)
            ));
        } else {
            let parameters = comma_list(&frame.parameters);
            match frame.results {
                0 => text.procedure(format_args!("void q{procedure}({parameters})")),
                results => {
                    text.procedure(format_args!("bool<{results}> q{procedure}({parameters})"));
                }
            }
            write_declarations(text, &self.locals);
        }
        text.line("LOOP: skip;");
        for statement in 0..self.statements {
            self.write_statement(text);
            if procedure == self.procedures && statement == self.statements / 2 {
                self.write_decisive_statement(text);
            }
        }
        if is_main && self.dead != Dead::Statement {
            // At least once, however the choices fall.
            let dead = self.rng.sample(&self.locals, 5);
            write_dead(text, self.dead, &dead);
        }
        if procedure < self.procedures {
            self.write_call(text, procedure + 1);
        }
        text.open(format_args!("if (*) then"));
        text.line("goto LOOP;");
        text.close("fi");
        text.line("CHECK: assert((u = v) & !(k0 & k1));");
        if is_main || frame.results == 0 {
            text.line("return;");
        } else {
            let results: Vec<String> = (0..frame.results)
                .map(|_| literal(&mut self.rng, &self.noise))
                .collect();
            text.fmt(format_args!("return {};", comma_list(&results)));
        }
        text.close("end");
    }

    fn write_statement(&mut self, text: &mut SourceText) {
        match self.rng.below(100) {
            0..=49 => {
                let width = 3 + self.rng.below(6) as usize;
                self.write_noise(text, width);
            }
            50..=59 => self.write_branch(text),
            60..=68 => self.write_diamond(text),
            69..=76 => {
                let value = conjunction(&mut self.rng, &self.noise);
                text.fmt(format_args!("u, v := {value}, {value};"));
            }
            77..=84 => write_counter_step(text),
            85..=88 => {
                text.open(format_args!("if (!(u = v) | (k0 & k1)) then"));
                text.line("goto CHECK;");
                text.close("fi");
            }
            89..=94 => {
                let guard = conjunction(&mut self.rng, &self.noise);
                let callee = 1 + self.rng.below(self.procedures);
                text.open(format_args!("if ({guard} & *) then"));
                self.write_call(text, callee);
                text.close("fi");
            }
            _ => {
                let width = 2 + self.rng.below(4) as usize;
                if width <= self.locals.len() {
                    let dead = self.rng.sample(&self.locals, width);
                    write_dead(text, self.dead, &dead);
                }
            }
        }
    }

    fn write_noise(&mut self, text: &mut SourceText, width: usize) {
        write_updates(text, &mut self.rng, &self.noise, &self.noise, width);
    }

    fn write_branch(&mut self, text: &mut SourceText) {
        let guard = if self.rng.chance(40) {
            "*".to_owned()
        } else {
            conjunction(&mut self.rng, &self.noise)
        };
        text.open(format_args!("if ({guard}) then"));
        self.write_noise(text, 3);
        text.between(format_args!("else"));
        self.write_noise(text, 3);
        text.close("fi");
    }

    fn write_diamond(&mut self, text: &mut SourceText) {
        self.diamonds += 1;
        let id = self.diamonds;
        let left = conjunction(&mut self.rng, &self.noise);
        let also_right = literal(&mut self.rng, &self.noise);
        text.fmt(format_args!("goto A{id}, B{id};"));
        text.fmt(format_args!("A{id}: assume({left});"));
        self.write_noise(text, 2);
        text.fmt(format_args!("goto C{id};"));
        text.fmt(format_args!("B{id}: assume(!({left}) | {also_right});"));
        text.fmt(format_args!("C{id}: skip;"));
    }

    fn write_call(&mut self, text: &mut SourceText, callee: u32) {
        let frame = &self.frames[callee as usize];
        let (results, parameters) = (frame.results, frame.parameters.len());
        let targets = comma_list(&self.rng.sample(&self.noise, results));
        let arguments: Vec<String> = (0..parameters)
            .map(|_| literal(&mut self.rng, &self.noise))
            .collect();
        let call = format!("q{callee}({});", comma_list(&arguments));
        if results == 0 {
            text.line(&call);
        } else {
            text.fmt(format_args!("{targets} := {call}"));
        }
    }

    fn write_decisive_statement(&mut self, text: &mut SourceText) {
        let chosen: Vec<String> = self
            .rng
            .sample(&self.noise, 4)
            .into_iter()
            .cloned()
            .collect();
        text.fmt(format_args!(
            "{} := {};",
            comma_list(&chosen),
            comma_list(&["schoose[F, F]"; 4])
        ));
        let signs: Vec<&str> = chosen.iter().map(|_| *self.rng.pick(&["", "!"])).collect();
        text.open(format_args!(
            "if ({}{} & {}{} & {}{} & {}{}) then",
            signs[0], chosen[0], signs[1], chosen[1], signs[2], chosen[2], signs[3], chosen[3]
        ));
        text.fmt(format_args!("u := {};", self.decisive));
        text.line("goto CHECK;");
        text.close("fi");
    }
}

/// `decl` lines of sixteen names each.
fn write_declarations(text: &mut SourceText, names: &[String]) {
    for names in names.chunks(16) {
        text.fmt(format_args!("decl {};", comma_list(names)));
    }
}

/// Values that are not used again, in one of three ways.
fn write_dead(text: &mut SourceText, dead: Dead, names: &[&String]) {
    match dead {
        Dead::Statement => text.fmt(format_args!("dead {};", comma_list(names))),
        Dead::Iterative => {
            for name in names {
                text.open(format_args!("if (*) then"));
                text.fmt(format_args!("{name} := 0;"));
                text.between(format_args!("else"));
                text.fmt(format_args!("{name} := 1;"));
                text.close("fi");
            }
        }
        Dead::Schoose => {
            let values = vec!["schoose[F, F]"; names.len()];
            text.fmt(format_args!(
                "{} := {};",
                comma_list(names),
                comma_list(&values)
            ));
        }
    }
}

/// One step of the counter 00, 10, 01.
fn write_counter_step(text: &mut SourceText) {
    text.open(format_args!("if (!k0 & !k1) then"));
    text.line("k0, k1 := 1, 0;");
    text.between(format_args!("elsif (k0 & !k1) then"));
    text.open(format_args!("if (*) then"));
    text.line("k0, k1 := 0, 1;");
    text.close("fi");
    text.between(format_args!("elsif (!k0 & k1) then"));
    text.line("k0, k1 := 0, 0;");
    text.close("fi");
}

#[cfg(test)]
mod tests {
    use super::{Dead, TERMINATOR_SHAPES};
    use crate::find;

    fn text(family: &str, size: u32) -> String {
        find(family).expect("in the table").generate(size, 9).text
    }

    #[test]
    fn sisters_differ_in_one_statement() {
        let (broken, safe) = (text("terminator", 3), text("terminator-safe", 3));
        let differing: Vec<(&str, &str)> = broken
            .lines()
            .zip(safe.lines())
            .skip(3)
            .filter(|(left, right)| left != right)
            .map(|(left, right)| (left.trim(), right.trim()))
            .collect();
        assert_eq!(differing, [("u := !v;", "u := v;")]);
        assert_eq!(broken.lines().count(), safe.lines().count());
    }

    #[test]
    fn larger_sizes_have_dozens_of_variables() {
        let large = text("terminator", 8);
        assert!(large.contains(" g19"), "20 globals besides the core");
        assert!(large.contains(" x53"), "54 locals");
        assert!(large.contains("bool<4> q4(a0, a1, a2, a3, a4, a5, a6)"));
        assert!(large.lines().count() > 400);
    }

    #[test]
    fn the_programs_of_the_paper_have_its_sizes_and_no_dead_statement() {
        for shape in TERMINATOR_SHAPES {
            let [iterative, schoose] =
                [Dead::Iterative, Dead::Schoose].map(|dead| shape.generate(dead, 1));
            for text in [&iterative, &schoose] {
                assert_eq!(text.matches("begin").count(), 4);
                assert!(!text.lines().any(|line| line.trim().starts_with("dead ")));
            }
            assert!(iterative.lines().count() > schoose.lines().count());
        }
    }

    #[test]
    fn the_core_is_written_by_its_own_statements_only() {
        for line in text("terminator-safe", 4).lines().map(str::trim) {
            let Some((targets, sources)) = line.split_once(" := ") else {
                continue;
            };
            let core = ["u", "v", "k0", "k1"];
            if targets.split(", ").any(|target| core.contains(&target)) {
                let allowed = match targets {
                    "u, v" => {
                        let half = sources.trim_end_matches(';').split_once(", ");
                        half.is_some_and(|(left, right)| left == right)
                    }
                    "k0, k1" => sources != "1, 1;",
                    "u, v, k0, k1" => sources == "0, 0, 0, 0;",
                    "u" => sources == "v;",
                    _ => false,
                };
                assert!(allowed, "{line}");
            }
        }
    }
}
