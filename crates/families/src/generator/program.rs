//! Whole programs: declarations, procedures, and the threads in the way of the form.

use super::expressions::{Expressions, Leaves};
use super::knobs::ThreadForm;
use super::layout::{Labels, Layout};
use super::scope::{Named, Scope, Signature, any_type};
use super::statements::Body;
use super::{Generator, Role};
use hardbop_program::Type;

impl Generator<'_> {
    /// The whole text.
    pub(super) fn program(mut self) -> String {
        let globals = self.globals();
        self.draw_helpers();
        let mut helpers = Vec::new();
        for (index, helper) in self.helpers.clone().iter().enumerate() {
            let scope = self.globals.clone();
            helpers.push(self.procedure(helper, Role::Helper(index), scope, 0));
        }
        let mut entries = match self.form {
            ThreadForm::Sequential | ThreadForm::Boppo | ThreadForm::Satabs => {
                let mut entries = self.runners();
                entries.push(self.entry("main", true));
                entries
            }
            ThreadForm::Getafix => self.getafix_threads(),
            ThreadForm::Blocks => self.thread_blocks(),
        };
        let mut parts = if self.random.percent(50) {
            helpers.append(&mut entries);
            helpers
        } else {
            entries.append(&mut helpers);
            entries
        };
        parts.append(&mut self.relay.procedures);
        parts.insert(0, globals);
        parts.join("\n")
    }

    fn globals(&mut self) -> String {
        let mut out = Layout::default();
        if self.form == ThreadForm::Getafix {
            // Declared first but kept out of the scope: only atomic blocks touch it, or most
            // threads would wait for ever.
            out.line("decl atomic := F;");
        }
        for index in 0..=self.random.up_to(self.knobs.globals.saturating_sub(1)) {
            let ty = any_type(&mut self.random, self.knobs);
            let name = match (self.is_odd(), self.random.percent(50)) {
                (false, _) => format!("g{index}"),
                (true, false) => format!("g${index}"),
                (true, true) => format!("{{g{index}==*p}}"),
            };
            let initial = self.initial(&Scope::default(), Leaves::Constants, ty);
            let is_own = self.form == ThreadForm::Satabs && self.random.percent(15);
            let storage = if is_own { "thread_local decl" } else { "decl" };
            out.line(&format!("{storage} {}{name}{initial};", prefix(ty)));
            self.globals.declare(Named { name, ty });
        }
        if self.knobs.words > 0 && self.random.percent(60) {
            let ty = any_type(&mut self.random, self.knobs);
            let length = 2 + self.random.up_to(1);
            let initial = self.initial(&Scope::default(), Leaves::Constants, ty);
            out.line(&format!("decl {}a0[{length}]{initial};", prefix(ty)));
            let name = String::from("a0");
            self.globals.declare_array(Named { name, ty }, length);
        }
        self.draw_relay(&mut out);
        out.finish()
    }

    fn initial(&mut self, scope: &Scope, leaves: Leaves, ty: Type) -> String {
        if !self.random.percent(self.knobs.initial) {
            return String::new();
        }
        let mut expressions = Expressions {
            random: &mut self.random,
            knobs: self.knobs,
            scope,
            leaves,
        };
        format!(" := {}", expressions.of_type(ty))
    }

    fn draw_helpers(&mut self) {
        let starts_by_calls = matches!(self.form, ThreadForm::Boppo | ThreadForm::Satabs);
        let least = u32::from(starts_by_calls || self.knobs.recursion > 50);
        let count = self.random.up_to(self.knobs.procedures).max(least);
        for index in 0..count {
            let name = format!("f{index}");
            let signature = self.signature(name);
            self.helpers.push(signature);
        }
    }

    fn signature(&mut self, name: String) -> Signature {
        let count = self.random.up_to(self.knobs.parameters);
        let parameters = (0..count).map(|index| Named {
            name: format!("p{index}"),
            ty: any_type(&mut self.random, self.knobs),
        });
        let parameters = parameters.collect();
        let results = match self.random.up_to(self.knobs.results) {
            1 => vec![any_type(&mut self.random, self.knobs)],
            count => vec![Type::Bool; count as usize],
        };
        Signature {
            name,
            parameters,
            results,
        }
    }

    /// An entry procedure at the top level.
    fn entry(&mut self, name: &str, is_last: bool) -> String {
        let scope = self.globals.clone();
        self.procedure(&entry_signature(name), Role::Entry { is_last }, scope, 0)
    }

    /// The threads of a script besides `main`, as procedures to be started.
    fn runners(&mut self) -> Vec<String> {
        let runners = 0..self.relay.runners();
        runners
            .map(|index| {
                let runner = entry_signature(&runner(index));
                let scope = self.globals.clone();
                let role = Role::Entry { is_last: false };
                self.procedure(&runner, role, scope, 0)
            })
            .collect()
    }

    fn getafix_threads(&mut self) -> Vec<String> {
        let mut entries = vec![self.entry("init", false)];
        let runners = self.relay.runners();
        if runners > 0 || self.random.percent(70) {
            entries.push(self.entry("main", false));
        }
        let count = match runners {
            0 => 1 + self.random.up_to(self.knobs.threads.saturating_sub(1)),
            runners => runners,
        };
        for index in 0..count {
            entries.push(self.entry(&format!("thread{index}"), index + 1 == count));
        }
        entries
    }

    fn thread_blocks(&mut self) -> Vec<String> {
        let mut parts = Vec::new();
        if self.random.percent(25) {
            parts.push(self.entry("init", false));
        }
        let runners = self.relay.runners();
        let mut left = 1 + if runners > 0 {
            runners
        } else {
            self.knobs.threads
        };
        let mut index = 0;
        while left > 0 {
            let instances = if runners == 0 && self.random.percent(30) {
                left.min(2)
            } else {
                1
            };
            left -= instances;
            parts.push(self.thread_block(index, instances, left == 0));
            index += 1;
        }
        parts
    }

    fn thread_block(&mut self, index: u32, instances: u32, is_last: bool) -> String {
        let mut out = Layout::default();
        let count = if instances > 1 || self.is_odd() {
            format!("({instances})")
        } else {
            String::new()
        };
        out.line(&format!("thread t{index}{count} begin"));
        out.indent();
        let mut scope = self.globals.clone();
        if self.random.percent(30) {
            let ty = any_type(&mut self.random, self.knobs);
            let initial = self.initial(&Scope::default(), Leaves::Constants, ty);
            out.line(&format!("decl {}mine{initial};", prefix(ty)));
            let name = String::from("mine");
            scope.declare(Named { name, ty });
        }
        let role = Role::Entry { is_last };
        out.append(&self.procedure(&entry_signature("main"), role, scope, 1));
        out.outdent();
        out.line("end");
        out.finish()
    }

    /// A procedure whose scope has the globals already.
    fn procedure(
        &mut self,
        signature: &Signature,
        role: Role,
        mut scope: Scope,
        level: usize,
    ) -> String {
        let mut out = Layout::at_level(level);
        let head = self.head(signature);
        out.line(&format!("{head} begin"));
        out.indent();
        for parameter in &signature.parameters {
            scope.declare(parameter.clone());
        }
        for index in 0..self.random.up_to(self.knobs.locals) {
            let ty = any_type(&mut self.random, self.knobs);
            let initial = self.initial(&scope, Leaves::Choices, ty);
            let is_hiding = index == 0 && self.is_odd() && self.globals.has("g0");
            let name = if is_hiding {
                String::from("g0")
            } else {
                format!("l{index}")
            };
            // In its own initial value the name means the local already: leave such a value out.
            let initial = if initial.contains(&name) {
                String::new()
            } else {
                initial
            };
            out.line(&format!("decl {}{name}{initial};", prefix(ty)));
            scope.declare(Named { name, ty });
        }
        let mut body = Body {
            generator: self,
            scope,
            role,
            results: signature.results.clone(),
            labels: Labels::default(),
            has_target: false,
            facts: Vec::new(),
            in_loop: false,
            name: signature.name.clone(),
            out,
        };
        body.write();
        body.out.finish()
    }

    fn head(&mut self, signature: &Signature) -> String {
        let result = match *signature.results {
            [] if self.is_odd() => String::new(),
            [] => String::from("void "),
            [Type::Bool] if !self.is_odd() => String::from("bool "),
            [Type::Int(width)] => format!("int<{width}> "),
            ref several => format!("bool<{}> ", several.len()),
        };
        let dfs = if !result.is_empty() && self.is_odd() {
            "dfs "
        } else {
            ""
        };
        let parameters = signature.parameters.iter();
        let parameters: Vec<String> = parameters
            .map(|parameter| format!("{}{}", prefix(parameter.ty), parameter.name))
            .collect();
        format!("{dfs}{result}{}({})", signature.name, parameters.join(", "))
    }
}

impl Body<'_, '_> {
    /// Everything between the declarations and `end`, and that.
    fn write(&mut self) {
        let knobs = self.generator.knobs;
        if self.generator.random.percent(knobs.enforce) {
            let condition = self.condition(Leaves::Variables);
            self.out.line(&format!("enforce {condition};"));
        }
        let starts_by_word = matches!(self.generator.form, ThreadForm::Boppo | ThreadForm::Satabs);
        let is_entry = matches!(self.role, Role::Entry { .. });
        let runners = self.generator.relay.runners();
        if starts_by_word && is_entry && runners == 0 {
            self.start_thread("");
        } else if starts_by_word && self.name == "main" {
            for index in 0..runners {
                self.start_runner(index);
            }
        }
        if is_entry && self.generator.random.percent(85) {
            // Otherwise much of the program would never run.
            self.call("");
        }
        self.relay(knobs.block_depth);
        self.block(knobs.block_depth);
        if self.role == (Role::Entry { is_last: true }) && !self.generator.has_question {
            self.assertion("");
        }
        if !self.results.is_empty() && self.generator.random.percent(90) {
            self.returning("");
        }
        let labels = std::mem::take(&mut self.labels).finish();
        if !labels.is_empty() {
            let labels: Vec<String> = labels.iter().map(|label| format!("{label}:")).collect();
            self.out.line(&labels.join(" "));
        }
        self.out.outdent();
        self.out.line("end");
    }
}

/// The name of a procedure that a thread of a script runs.
pub(super) fn runner(index: u32) -> String {
    format!("runner{index}")
}

fn entry_signature(name: &str) -> Signature {
    Signature {
        name: name.to_owned(),
        parameters: Vec::new(),
        results: Vec::new(),
    }
}

fn prefix(ty: Type) -> String {
    match ty {
        Type::Bool => String::new(),
        Type::Int(width) => format!("int<{width}> "),
    }
}
