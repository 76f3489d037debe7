//! Random statements of one procedure.
//!
//! Statements of which nothing could follow (`return`, `goto`) are mostly put where nothing would,
//! or under a condition: otherwise most of a program would be dead text. Assertions often repeat
//! what an assignment, an assumption or a condition established before, so that a fair part of them
//! holds. Recursion is bounded by the knob for nested blocks.

use super::expressions::{Expressions, Leaves};
use super::knobs::ThreadForm;
use super::layout::{Labels, Layout};
use super::scope::{Named, Scope, Signature};
use super::{Generator, Role};
use hardbop_program::Type;

/// The procedure that is being written.
pub(super) struct Body<'g, 'k> {
    pub generator: &'g mut Generator<'k>,
    pub scope: Scope,
    pub role: Role,
    pub results: Vec<Type>,
    pub labels: Labels,
    pub has_target: bool,
    /// Conditions that held at some place before.
    pub facts: Vec<String>,
    pub in_loop: bool,
    /// The name of the procedure: `init` runs before all threads, `main` starts them where nothing
    /// else does.
    pub name: String,
    pub out: Layout,
}

impl Body<'_, '_> {
    /// Some statements; `depth` more blocks may be opened inside.
    pub(crate) fn block(&mut self, depth: u32) {
        let known_facts = self.facts.len();
        let count = 1 + self.up_to(self.generator.knobs.statements.saturating_sub(1));
        for index in 0..count {
            self.statement(depth, index + 1 == count);
        }
        self.facts.truncate(known_facts);
    }

    /// A statement with its labels.
    fn statement(&mut self, depth: u32, is_last: bool) {
        let knobs = self.generator.knobs;
        let weights = knobs.statement;
        let is_nested = depth < knobs.block_depth;
        let ends = u32::from(is_last && is_nested) * 4;
        let blocks = u32::from(depth > 0);
        let kinds = [
            weights.skip,
            weights.print,
            weights.assign,
            weights.parallel,
            weights.constrained,
            weights.call,
            weights.returning * ends.max(u32::from(is_nested)),
            weights.branch * blocks,
            weights.repeat * blocks,
            weights.goto,
            weights.assertion,
            weights.assume,
            weights.abort_if,
            weights.dead,
            weights.target * u32::from(!self.has_target),
            weights.start_thread * u32::from(self.may_start_thread()),
            weights.end_thread * ends * u32::from(self.has_satabs_words()),
            weights.atomic * blocks * u32::from(self.has_atomic_blocks()),
        ];
        let kind = self.generator.random.weighted(&kinds);
        let mut labels = String::new();
        if self.chance(knobs.labels) {
            let odd = self.is_odd();
            labels = format!("{}: ", self.labels.place(odd));
        }
        if self.is_odd() && self.chance(30) {
            self.out.line("// the next statement");
        }
        match kind {
            1 => self.print(&labels),
            2 => self.assign(&labels),
            3 => self.parallel(&labels, false),
            4 => self.parallel(&labels, true),
            5 => self.call(&labels),
            6 => self.returning(&labels),
            7 => self.branch(&labels, depth - 1),
            8 => self.repeat(&labels, depth - 1),
            9 => self.goto(&labels),
            10 => self.assertion(&labels),
            11 => self.assume(&labels),
            12 => {
                let condition = self.condition(Leaves::Choices);
                self.out.line(&format!("{labels}abortif {condition};"));
            }
            13 => self.dead(&labels),
            14 => self.target(&labels),
            15 => self.start_thread(&labels),
            16 => self.out.line(&format!("{labels}end_thread;")),
            17 => self.atomic(&labels, depth - 1),
            _ => self.out.line(&format!("{labels}skip;")),
        }
    }

    fn print(&mut self, labels: &str) {
        let count = 1 + self.up_to(1);
        let values: Vec<String> = (0..count)
            .map(|_| self.condition(Leaves::Choices))
            .collect();
        self.out
            .line(&format!("{labels}print({});", values.join(", ")));
    }

    fn assign(&mut self, labels: &str) {
        let Some(target) = self.some_variable() else {
            self.out.line(&format!("{labels}skip;"));
            return;
        };
        let leaves = if self.chance(35) {
            Leaves::Choices
        } else {
            Leaves::Variables
        };
        let words = self.generator.knobs.words;
        if words > 0 && self.chance(words / 2) {
            let arrays = self.scope.arrays();
            if let Some(array) = self.generator.random.pick(arrays).cloned() {
                let mut expressions = self.expressions(Leaves::Choices);
                let element = expressions.element(&array.name);
                let value = expressions.of_type(array.ty);
                self.out.line(&format!("{labels}{element} := {value};"));
                self.facts.clear();
                return;
            }
        }
        let value = self.expressions(leaves).of_type(target.ty);
        self.out
            .line(&format!("{labels}{} := {value};", target.name));
        if leaves == Leaves::Variables && !value.contains(&target.name) {
            self.facts.push(format!("({} = ({value}))", target.name));
        }
    }

    fn parallel(&mut self, labels: &str, constrained: bool) {
        let most = if constrained {
            1 + self.up_to(1)
        } else {
            2 + self.up_to(1)
        };
        let targets = self
            .scope
            .several(&mut self.generator.random, most as usize);
        let mut names = Vec::new();
        let mut values = Vec::new();
        for target in &targets {
            names.push(target.name.clone());
            values.push(if constrained && self.chance(60) {
                String::from("*")
            } else {
                self.expressions(Leaves::Choices).of_type(target.ty)
            });
        }
        if names.is_empty() || self.chance(15) {
            names.push(String::from("_"));
            values.push(self.condition(Leaves::Choices));
        }
        let clause = if constrained {
            format!(" constrain {}", self.condition(Leaves::Primes))
        } else {
            String::new()
        };
        let (names, values) = (names.join(", "), values.join(", "));
        self.out
            .line(&format!("{labels}{names} := {values}{clause};"));
    }

    /// A call, or `skip` if nothing can be called.
    pub(super) fn call(&mut self, labels: &str) {
        let Some((callee, is_recursive)) = self.generator.callee(self.role) else {
            self.out.line(&format!("{labels}skip;"));
            return;
        };
        let arguments = self.arguments(&callee);
        let text = match self.result_targets(&callee) {
            Some(targets) => format!("{targets} := {}({arguments})", callee.name),
            None if self.is_odd() => format!("call {}({arguments})", callee.name),
            None => format!("{}({arguments})", callee.name),
        };
        // Recursion that nothing stops would never come back to what follows.
        if is_recursive && self.chance(85) {
            let (condition, _) = self.branching_condition();
            self.out
                .line(&format!("{labels}if {condition} then {text}; fi"));
        } else {
            self.out.line(&format!("{labels}{text};"));
        }
    }

    fn arguments(&mut self, callee: &Signature) -> String {
        let types: Vec<Type> = callee
            .parameters
            .iter()
            .map(|parameter| parameter.ty)
            .collect();
        let values: Vec<String> = types
            .into_iter()
            .map(|ty| self.expressions(Leaves::Choices).of_type(ty))
            .collect();
        values.join(", ")
    }

    /// Different variables for the results, `_` where there is none; nothing if the results are not
    /// wanted.
    fn result_targets(&mut self, callee: &Signature) -> Option<String> {
        if callee.results.is_empty() || self.chance(10) {
            return None;
        }
        let mut free = self.scope.several(&mut self.generator.random, usize::MAX);
        let mut targets = Vec::new();
        for &ty in &callee.results {
            let fitting = free.iter().position(|variable| variable.ty == ty);
            targets.push(match fitting {
                Some(index) if !self.is_odd() => free.remove(index).name,
                _ => String::from("_"),
            });
        }
        Some(targets.join(", "))
    }

    /// `return` with values of the right types.
    pub(crate) fn returning(&mut self, labels: &str) {
        let results = self.results.clone();
        let values: Vec<String> = results
            .into_iter()
            .map(|ty| self.expressions(Leaves::Choices).of_type(ty))
            .collect();
        let space = if values.is_empty() { "" } else { " " };
        self.out
            .line(&format!("{labels}return{space}{};", values.join(", ")));
    }

    fn branch(&mut self, labels: &str, depth: u32) {
        let known_facts = self.facts.len();
        let mut head = format!("{labels}if");
        for _ in 0..=self.up_to(1) * self.up_to(1) {
            let (condition, fact) = self.branching_condition();
            self.out.line(&format!("{head} {condition} then"));
            self.facts.extend(fact);
            self.nested(depth);
            self.facts.truncate(known_facts);
            head = String::from("elsif");
        }
        if self.chance(50) {
            self.out.line("else");
            self.nested(depth);
        }
        let closing = if self.is_odd() { "fi;" } else { "fi" };
        self.out.line(closing);
    }

    fn repeat(&mut self, labels: &str, depth: u32) {
        // A condition without choices often holds for ever.
        let (condition, fact) = if self.chance(35) {
            (String::from("(*)"), None)
        } else {
            self.branching_condition()
        };
        let was_in_loop = std::mem::replace(&mut self.in_loop, true);
        self.out.line(&format!("{labels}while {condition} do"));
        self.nested(depth);
        self.out.line("od");
        self.in_loop = was_in_loop;
        self.facts.extend(fact.map(|fact| format!("!{fact}")));
    }

    fn nested(&mut self, depth: u32) {
        self.out.indent();
        self.block(depth);
        self.out.outdent();
    }

    fn goto(&mut self, labels: &str) {
        let mut destinations = Vec::new();
        for _ in 0..=self.up_to(1) {
            let odd = self.is_odd();
            let label = self.labels.destination(&mut self.generator.random, odd);
            if !destinations.contains(&label) {
                destinations.push(label);
            }
        }
        let jump = format!("goto {};", destinations.join(", "));
        if self.chance(70) {
            let (condition, _) = self.branching_condition();
            self.out
                .line(&format!("{labels}if {condition} then {jump} fi"));
        } else {
            self.out.line(&format!("{labels}{jump}"));
        }
    }

    /// An assertion, often of something that held before.
    pub(super) fn assertion(&mut self, labels: &str) {
        self.generator.has_question = true;
        let fact = self.generator.random.pick(&self.facts).cloned();
        let is_known = self.chance(self.generator.knobs.facts);
        let condition = match fact {
            Some(fact) if is_known && self.chance(70) => fact,
            Some(fact) if is_known => {
                let other = self.expressions(Leaves::Variables).operand(Type::Bool);
                format!("{fact} | {other}")
            }
            _ => self.condition(Leaves::Variables),
        };
        self.out.line(&format!("{labels}assert({condition});"));
    }

    fn assume(&mut self, labels: &str) {
        let leaves = if self.chance(30) {
            Leaves::Choices
        } else {
            Leaves::Variables
        };
        let condition = self.condition(leaves);
        let word = if self.is_odd() { "constrain" } else { "assume" };
        self.out.line(&format!("{labels}{word}({condition});"));
        if leaves == Leaves::Variables {
            self.facts.push(format!("({condition})"));
        }
    }

    fn dead(&mut self, labels: &str) {
        let most = 1 + self.up_to(1) as usize;
        let variables = self.scope.several(&mut self.generator.random, most);
        // Of an array all elements lose their values.
        let mut names: Vec<&str> = variables
            .iter()
            .map(|variable| variable.name.split('[').next().unwrap_or_default())
            .collect();
        names.dedup();
        let word = if self.is_odd() { "havoc" } else { "dead" };
        self.out
            .line(&format!("{labels}{word} {};", names.join(", ")));
    }

    fn target(&mut self, labels: &str) {
        self.has_target = true;
        self.generator.has_question = true;
        let (condition, _) = self.branching_condition();
        self.out
            .line(&format!("{labels}if {condition} then TARGET: skip; fi"));
    }

    /// Starts a thread in the way of the form.
    pub(crate) fn start_thread(&mut self, labels: &str) {
        let Some(callee) = self.generator.thread_callee() else {
            self.out.line(&format!("{labels}skip;"));
            return;
        };
        self.generator.starts_left = self.generator.starts_left.saturating_sub(1);
        let arguments = self.arguments(&callee);
        let call = format!("{}({arguments});", callee.name);
        if self.generator.form == ThreadForm::Boppo {
            let number = self.generator.starts_left;
            self.out.line(&format!("{labels}ASYNC_{number}: {call}"));
        } else if self.chance(50) {
            let odd = self.is_odd();
            let label = self.labels.later(odd);
            self.out
                .line(&format!("{labels}start_thread goto {label};"));
        } else {
            self.out.line(&format!("{labels}start_thread {call}"));
        }
    }

    fn atomic(&mut self, labels: &str, depth: u32) {
        let [begin, end] = if self.generator.form == ThreadForm::Getafix {
            ["atomic := T;", "atomic := F;"]
        } else {
            ["atomic_begin;", "atomic_end;"]
        };
        self.out.line(&format!("{labels}{begin}"));
        self.block(depth);
        self.out.line(end);
    }

    /// Whether threads can be started here without starting ever more of them.
    fn may_start_thread(&self) -> bool {
        let has_word = matches!(self.generator.form, ThreadForm::Boppo | ThreadForm::Satabs);
        let is_entry = matches!(self.role, Role::Entry { .. });
        has_word && is_entry && !self.in_loop && self.generator.starts_left > 0
    }

    fn has_satabs_words(&self) -> bool {
        matches!(self.generator.form, ThreadForm::Satabs | ThreadForm::Blocks)
    }

    fn has_atomic_blocks(&self) -> bool {
        self.has_satabs_words() || self.generator.form == ThreadForm::Getafix
    }

    /// A condition as `if` and `while` have it, and what is known where it holds.
    fn branching_condition(&mut self) -> (String, Option<String>) {
        if self.chance(20) {
            return (String::from("(*)"), None);
        }
        let leaves = if self.chance(20) {
            Leaves::Choices
        } else {
            Leaves::Variables
        };
        let condition = self.condition(leaves);
        let enclosed = format!("({condition})");
        let fact = (leaves == Leaves::Variables).then(|| enclosed.clone());
        if self.is_odd() {
            (condition, fact)
        } else {
            (enclosed, fact)
        }
    }

    /// A Boolean expression.
    pub(crate) fn condition(&mut self, leaves: Leaves) -> String {
        self.expressions(leaves).of_type(Type::Bool)
    }

    /// Makes expressions at this place.
    pub(crate) fn expressions(&mut self, leaves: Leaves) -> Expressions<'_> {
        Expressions {
            random: &mut self.generator.random,
            knobs: self.generator.knobs,
            scope: &self.scope,
            leaves,
        }
    }

    fn some_variable(&mut self) -> Option<Named> {
        self.generator.random.pick(self.scope.variables()).cloned()
    }

    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.generator.random.percent(percent)
    }

    fn is_odd(&mut self) -> bool {
        self.chance(self.generator.knobs.oddity)
    }

    fn up_to(&mut self, most: u32) -> u32 {
        self.generator.random.up_to(most)
    }
}
