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

use crate::random_expr::{comma_list, conjunction, literal, write_updates};
use crate::rng::Rng;
use crate::source_text::SourceText;

/// Results of every procedure but `main`.
const RESULTS: usize = 4;

/// The program whose core can be broken.
pub(crate) fn write_unsafe(text: &mut SourceText, size: u32, seed: u64) {
    Generator::new(size, seed, "!v").write_program(text);
}

/// The program whose core is an invariant.
pub(crate) fn write_safe(text: &mut SourceText, size: u32, seed: u64) {
    Generator::new(size, seed, "v").write_program(text);
}

struct Generator {
    rng: Rng,
    /// What the decisive statement assigns to `u`.
    decisive: &'static str,
    globals: Vec<String>,
    locals: Vec<String>,
    parameters: Vec<String>,
    /// Everything but the core: globals, locals and parameters.
    noise: Vec<String>,
    procedures: u32,
    statements: u32,
    diamonds: u32,
}

fn numbered(prefix: &str, count: u32) -> Vec<String> {
    (0..count).map(|i| format!("{prefix}{i}")).collect()
}

impl Generator {
    fn new(size: u32, seed: u64, decisive: &'static str) -> Self {
        // Size 1 is the scale of 10 globals and 12 locals, size 8 of 24 and 54; text grows on from
        // there.
        let globals = numbered("g", (4 + 2 * size).min(24));
        let locals = numbered("x", (6 + 6 * size).min(64));
        let parameters = numbered("a", (3 + size / 2).min(8));
        let noise = [globals.as_slice(), &locals, &parameters].concat();
        Self {
            rng: Rng::new(seed ^ u64::from(size)),
            decisive,
            globals,
            locals,
            parameters,
            noise,
            procedures: 2 + size / 3,
            statements: 10 + 5 * size.min(20),
            diamonds: 0,
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
        if is_main {
            text.procedure(format_args!("void main()"));
            write_declarations(text, &self.locals);
            write_declarations(text, &self.parameters);
            text.line("u, v, k0, k1 := 0, 0, 0, 0;");
            let zeros = vec!["0"; self.globals.len()];
            text.fmt(format_args!(
                "{} := {};",
                comma_list(&self.globals),
                comma_list(&zeros)
            ));
        } else {
            let parameters = comma_list(&self.parameters);
            text.procedure(format_args!("bool<{RESULTS}> q{procedure}({parameters})"));
            write_declarations(text, &self.locals);
        }
        text.line("LOOP: skip;");
        for statement in 0..self.statements {
            self.write_statement(text);
            if procedure == self.procedures && statement == self.statements / 2 {
                self.write_decisive_statement(text);
            }
        }
        if procedure < self.procedures {
            self.write_call(text, procedure + 1);
        }
        text.open(format_args!("if (*) then"));
        text.line("goto LOOP;");
        text.close("fi");
        text.line("CHECK: assert((u = v) & !(k0 & k1));");
        if is_main {
            text.line("return;");
        } else {
            let results: Vec<String> = (0..RESULTS)
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
                let dead = self.rng.sample(&self.locals, width);
                text.fmt(format_args!("dead {};", comma_list(&dead)));
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
        let targets = comma_list(&self.rng.sample(&self.noise, RESULTS));
        let arguments: Vec<String> = self
            .parameters
            .iter()
            .map(|_| literal(&mut self.rng, &self.noise))
            .collect();
        text.fmt(format_args!(
            "{targets} := q{callee}({});",
            comma_list(&arguments)
        ));
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
