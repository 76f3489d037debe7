//! Who runs what in a program that starts threads, found out from names before anything is
//! translated.
//!
//! A thread is `main` or a function that `pthread_create` starts. A function or a variable that
//! only one of them names, and that one is started once, is private to it. Everything here errs to
//! the side of more threads: a start in a loop, in a function with labels or outside of `main`
//! counts as many.
//! A variable is found by its name, so one that shares its name with another is shared if either
//! is; one whose address is taken is shared in any case ([`crate::unit::Unit::is_shared`]).

use crate::declarations::name_of;
use lang_c::ast as c;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::{BTreeMap, BTreeSet};

/// Functions whose calls run without interruption have names that begin like this.
const ATOMIC: &str = "__VERIFIER_atomic_";
pub const ATOMIC_BEGIN: &str = "__VERIFIER_atomic_begin";
pub const ATOMIC_END: &str = "__VERIFIER_atomic_end";

/// As many threads as make no difference any more.
const MANY: u8 = 2;

/// A call of `pthread_create` that `main` can reach.
#[derive(Clone, Debug)]
pub struct StartSite {
    /// The function that is started, if it is given by its name.
    pub function: Option<String>,
    /// It is executed at most once; then this is the number of its thread, from 1.
    pub number: Option<u64>,
}

/// The threads of a program.
#[derive(Debug, Default)]
pub struct Threads {
    /// Starts by the place of the name `pthread_create`.
    pub starts: BTreeMap<usize, StartSite>,
    /// How many starts have a fixed number.
    pub numbered: u64,
    /// Some thread waits for the end of another one.
    pub has_joins: bool,
    /// The program says itself what functions of the library do.
    pub has_own_library: bool,
    /// Some function begins an atomic section.
    has_sections: bool,
    begins_section: BTreeSet<String>,
    /// In how many threads a function runs.
    runs_in: BTreeMap<String, u8>,
    /// In how many threads a name is used.
    used_in: BTreeMap<String, u8>,
    /// Functions that are called, not only started.
    called: BTreeSet<String>,
    /// Functions that run in calls of atomic functions, and those that run outside of them.
    inside: BTreeSet<String>,
    outside: BTreeSet<String>,
}

/// What the body of one function names.
#[derive(Default)]
struct Survey {
    names: BTreeSet<String>,
    calls: BTreeSet<String>,
    starts: Vec<(usize, Option<String>, bool)>,
    loops: u32,
    has_labels: bool,
}

impl<'ast> Visit<'ast> for Survey {
    fn visit_identifier(&mut self, name: &'ast c::Identifier, _: &'ast Span) {
        self.names.insert(name.name.clone());
    }

    fn visit_call_expression(&mut self, call: &'ast c::CallExpression, span: &'ast Span) {
        let c::Expression::Identifier(name) = &call.callee.node else {
            return visit::visit_call_expression(self, call, span);
        };
        let name = name.node.name.as_str();
        self.calls.insert(name.to_owned());
        if name != "pthread_create" {
            return visit::visit_call_expression(self, call, span);
        }
        self.names.insert(name.to_owned());
        let target = call.arguments.get(2).and_then(|f| function_named(&f.node));
        for (index, argument) in call.arguments.iter().enumerate() {
            if index != 2 || target.is_none() {
                self.visit_expression(&argument.node, &argument.span);
            }
        }
        let target = target.map(str::to_owned);
        let place = call.callee.span.start;
        self.starts.push((place, target, self.loops > 0));
    }

    fn visit_while_statement(&mut self, statement: &'ast c::WhileStatement, span: &'ast Span) {
        self.loops += 1;
        visit::visit_while_statement(self, statement, span);
        self.loops -= 1;
    }

    fn visit_do_while_statement(&mut self, statement: &'ast c::DoWhileStatement, span: &'ast Span) {
        self.loops += 1;
        visit::visit_do_while_statement(self, statement, span);
        self.loops -= 1;
    }

    fn visit_for_statement(&mut self, statement: &'ast c::ForStatement, span: &'ast Span) {
        self.loops += 1;
        visit::visit_for_statement(self, statement, span);
        self.loops -= 1;
    }

    fn visit_label(&mut self, label: &'ast c::Label, span: &'ast Span) {
        self.has_labels |= matches!(label, c::Label::Identifier(_));
        visit::visit_label(self, label, span);
    }
}

/// The function that an expression names: `f`, `&f` or `(void *(*)(void *))f`.
pub fn function_named(mut expression: &c::Expression) -> Option<&str> {
    loop {
        expression = match expression {
            c::Expression::Identifier(name) => return Some(&name.node.name),
            c::Expression::UnaryOperator(unary)
                if unary.node.operator.node == c::UnaryOperator::Address =>
            {
                &unary.node.operand.node
            }
            c::Expression::Cast(cast) => &cast.node.expression.node,
            _ => return None,
        };
    }
}

/// The functions that some functions reach by naming them, without those in `barrier`.
fn reach<'s>(
    surveys: &'s BTreeMap<String, Survey>,
    from: impl IntoIterator<Item = &'s str>,
    barrier: &dyn Fn(&str) -> bool,
) -> BTreeSet<&'s str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = from.into_iter().collect();
    while let Some(name) = open.pop() {
        if barrier(name) {
            continue;
        }
        if let Some((name, survey)) = surveys.get_key_value(name)
            && reached.insert(name.as_str())
        {
            open.extend(survey.names.iter().map(String::as_str));
        }
    }
    reached
}

fn is_atomic(name: &str) -> bool {
    name.starts_with(ATOMIC) && name != ATOMIC_BEGIN && name != ATOMIC_END
}

impl Threads {
    /// Looks at a whole program.
    pub fn of(unit: &c::TranslationUnit) -> Self {
        let mut surveys = BTreeMap::new();
        for declaration in &unit.0 {
            if let c::ExternalDeclaration::FunctionDefinition(definition) = &declaration.node
                && let Some((name, _)) = name_of(&definition.node.declarator)
            {
                surveys.insert(name.to_owned(), survey_of(definition));
            }
        }
        let mut threads = Self {
            has_own_library: surveys.keys().any(|name| name.starts_with("pthread_")),
            ..Self::default()
        };
        if !threads.has_own_library {
            threads.find_roots(&surveys);
        }
        threads
    }

    fn find_roots(&mut self, surveys: &BTreeMap<String, Survey>) {
        let nowhere = |_: &str| false;
        // Functions that are started, by how often; `main` first.
        let mut roots: BTreeMap<&str, u8> = BTreeMap::from([("main", 1)]);
        let mut open = vec!["main"];
        let mut seen = BTreeSet::new();
        while let Some(root) = open.pop() {
            for function in reach(surveys, [root], &nowhere) {
                if !seen.insert(function) {
                    continue;
                }
                let survey = &surveys[function];
                for (place, target, is_in_loop) in &survey.starts {
                    let is_once = function == "main"
                        && !is_in_loop
                        && !survey.has_labels
                        && !surveys.values().any(|of| of.calls.contains("main"));
                    let mut number = None;
                    if is_once {
                        self.numbered += 1;
                        number = Some(self.numbered);
                    }
                    if let Some(target) = target {
                        let count = roots.entry(target).or_insert(0);
                        *count = (*count + if is_once { 1 } else { MANY }).min(MANY);
                        open.push(target);
                    }
                    let function = target.clone();
                    self.starts.insert(*place, StartSite { function, number });
                }
                self.has_joins |= survey.names.contains("pthread_join");
                self.called.extend(survey.calls.iter().cloned());
                if survey.names.contains(ATOMIC_BEGIN) {
                    self.has_sections = true;
                    self.begins_section.insert(function.to_owned());
                }
            }
        }
        for (root, count) in &roots {
            let functions = reach(surveys, [*root], &nowhere);
            let names = functions.iter().flat_map(|&f| &surveys[f].names);
            let names: BTreeSet<&String> = names.collect();
            for name in names {
                let used = self.used_in.entry(name.clone()).or_insert(0);
                *used = (*used + count).min(MANY);
            }
            for function in functions {
                let runs = self.runs_in.entry(function.to_owned()).or_insert(0);
                *runs = (*runs + count).min(MANY);
            }
        }
        let atomic = surveys.keys().map(String::as_str).filter(|f| is_atomic(f));
        let owned = |set: BTreeSet<&str>| set.into_iter().map(str::to_owned).collect();
        self.inside = owned(reach(surveys, atomic, &nowhere));
        self.outside = owned(reach(surveys, roots.keys().copied(), &is_atomic));
    }

    /// Whether the program starts threads.
    pub fn exist(&self) -> bool {
        !self.starts.is_empty()
    }

    /// Whether several threads may run a function at the same time.
    pub fn run_together(&self, function: &str) -> bool {
        self.runs_in
            .get(function)
            .is_some_and(|&count| count >= MANY)
    }

    /// Whether several threads may use what has this name.
    pub fn share_name(&self, name: &str) -> bool {
        self.used_in.get(name).is_some_and(|&count| count >= MANY)
    }

    /// Whether threads begin in a function.
    pub fn begin_in(&self, function: &str) -> bool {
        let mut starts = self.starts.values();
        starts.any(|start| start.function.as_deref() == Some(function))
    }

    /// Whether threads that run a function begin in another procedure, since the function is called
    /// as well.
    pub fn need_wrapper(&self, function: &str) -> bool {
        self.begin_in(function) && (self.called.contains(function) || is_atomic(function))
    }

    /// The number of the only thread that begins in a function, if there is only one.
    pub fn only_number(&self, function: &str) -> Option<u64> {
        let starts = self.starts.values();
        let mut starts = starts.filter(|start| start.function.as_deref() == Some(function));
        let first = starts.next()?;
        first.number.filter(|_| starts.next().is_none())
    }

    /// Whether there are starts that may be executed several times.
    pub fn have_loops(&self) -> bool {
        self.starts.values().any(|start| start.number.is_none())
    }

    /// Whether a call of a function runs without interruption.
    pub fn is_atomic(&self, function: &str) -> bool {
        self.exist() && is_atomic(function)
    }

    /// Whether a function runs in calls of atomic functions only.
    pub fn is_always_inside(&self, function: &str) -> bool {
        self.inside.contains(function) && !self.outside.contains(function)
    }

    /// Whether a function may run in the call of an atomic function.
    pub fn is_maybe_inside(&self, function: &str) -> bool {
        self.inside.contains(function)
    }

    /// Whether a function contains the beginning of an atomic section.
    pub fn begins_section(&self, function: &str) -> bool {
        self.begins_section.contains(function)
    }

    /// Whether a thread that has to stop in a function may have to stop all others.
    pub fn may_stop_all(&self, function: &str) -> bool {
        self.exist() && (self.has_sections || self.inside.contains(function))
    }
}

fn survey_of(definition: &Node<c::FunctionDefinition>) -> Survey {
    let mut survey = Survey::default();
    let statement = &definition.node.statement;
    survey.visit_statement(&statement.node, &statement.span);
    survey
}
