//! The part of a problem with threads that depends on the program and the bound: types of
//! schedules, and the relations that look into them.
//!
//! It is all text, for it is small: a line per thread, per context and per shared global.

use super::ThreadBound;
use crate::encoding::layout::{Layout, VariableBit};
use hardbop_machine::{Action, Machine, Storage, Variable};
use std::fmt::Write;

/// Writing to a string does not fail.
const INFALLIBLE: &str = "a string takes all text";

const INIT_FIRST: &str = include_str!("../../../algorithms/init-first.mu");

/// Writes types and relations of the schedules of a program.
pub(super) struct Schedules<'s> {
    machine: &'s Machine,
    layout: &'s Layout,
    bound: ThreadBound,
    text: String,
}

impl<'s> Schedules<'s> {
    /// The schedules of a program under a bound.
    pub(super) fn new(machine: &'s Machine, layout: &'s Layout, bound: ThreadBound) -> Self {
        Self {
            machine,
            layout,
            bound,
            text: String::new(),
        }
    }

    /// The types, and the relations over them.
    pub(crate) fn text(mut self) -> String {
        self.threads();
        self.shared_globals();
        self.starts();
        match self.bound {
            ThreadBound::Contexts(switches) => self.contexts(switches),
            ThreadBound::Rounds(rounds) => self.rounds(rounds.max(1)),
        }
        self.text
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect(INFALLIBLE);
        self.text.push('\n');
    }

    /// A relation: its meaning, its head and what is true in it.
    fn relation(&mut self, about: &str, head: &str, cases: &[String]) {
        let body = match cases {
            [] => "0".to_owned(),
            cases => cases.join("\n  | "),
        };
        self.line(format_args!("// {about}\nbool {head}\n  ( {body} );\n"));
    }

    fn instances(&self) -> u32 {
        self.machine.threads.iter().map(|t| t.instances).sum()
    }

    fn threads(&mut self) {
        let last = self.instances().max(2) - 1;
        self.line(format_args!("enum Thread {{0..{last}}};"));
        let mut first = 0;
        for thread in &self.machine.threads {
            let name = thread.name.replace(['\n', '\r'], " ");
            for number in first..first + thread.instances {
                self.line(format_args!("// {number} {name}"));
            }
            first += thread.instances;
        }
        self.text.push('\n');
        let threads = self.instances();
        self.relation(
            "h is the thread after f",
            "NextThread(Thread f, Thread h)",
            &successions(threads - 1, "f", "h"),
        );
        self.relation(
            "h is the last thread",
            "LastThread(Thread h)",
            &[format!("h={}", threads - 1)],
        );
    }

    /// Names of the fields of those globals that all threads share, or that each has its own copy
    /// of.
    fn fields(&self, storage: Storage) -> Vec<(VariableBit, &'s str)> {
        let bits = self.layout.global_bits().iter();
        let fields = bits.zip(&self.layout.global_fields);
        let is_such = |&(&(variable, _), _): &(&VariableBit, &String)| match variable {
            Variable::Global(id) => self.machine.global(id).storage == storage,
            Variable::Local(_) => false,
        };
        fields
            .filter(is_such)
            .map(|(&bit, name)| (bit, name.as_str()))
            .collect()
    }

    /// What a bit of a global is at the start, as a formula over the variable that holds it.
    fn initial_value(&self, bit: VariableBit, holder: &str, field: &str) -> Option<String> {
        let (Variable::Global(id), place) = bit else {
            return None;
        };
        let is_set = self.machine.global(id).initial? >> place & 1 == 1;
        let sign = if is_set { "" } else { "!" };
        Some(format!("{sign}{holder}.{field}"))
    }

    fn shared_globals(&mut self) {
        let shared = self.fields(Storage::Shared);
        let own = self.fields(Storage::PerThread);
        let mut fields = String::new();
        for (_, field) in &shared {
            write!(fields, " bool {field};").expect(INFALLIBLE);
        }
        if shared.is_empty() {
            fields.push_str(" bool none;");
        }
        self.line(format_args!("class Shared {{{fields} }};\n"));
        let same = |fields: &[(VariableBit, &str)], holder: &str| {
            let same = fields
                .iter()
                .map(|(_, field)| format!("{holder}.{field}=g.{field}"));
            conjunction(&same.collect::<Vec<_>>())
        };
        self.relation(
            "s is what all threads share of g",
            "SharedOf(Global g, Shared s)\n  g ~+ s",
            &[same(&shared, "s")],
        );
        self.relation(
            "g and h agree on what a thread has for itself",
            "OwnAs(Global g, Global h)\n  g ~+ h",
            &[same(&own, "h")],
        );
        let flag = self.machine.atomic_flag.map(Variable::Global);
        let flag = shared.iter().filter(|((bit, _), _)| Some(*bit) == flag);
        let flag = flag.map(|(_, field)| format!("!g.{field}"));
        let flag = conjunction(&flag.collect::<Vec<_>>());
        self.relation(
            "another thread may take over where the globals are g",
            "MayBeLeft(Global g)",
            &[flag],
        );
    }

    /// How the threads start.
    fn starts(&mut self) {
        let own = self.fields(Storage::PerThread).into_iter();
        let own = own.filter_map(|(bit, field)| self.initial_value(bit, "g", field));
        let own: Vec<String> = own.collect();
        let entries = self.machine.threads.iter();
        let entries = entries
            .flat_map(|thread| (0..thread.instances).map(|_| self.layout.module(thread.entry)));
        let cases = entries.enumerate().map(|(number, module)| {
            let codes = vec![format!("t={number}"), format!("m={module}")];
            conjunction(&[codes, own.clone()].concat())
        });
        let cases: Vec<String> = cases.collect();
        self.relation(
            "thread t starts in module m, with g for its own globals",
            "ThreadStart(Thread t, Module m, Global g)",
            &cases,
        );
        if self.machine.init.is_some() {
            let ends = self.machine.edges.iter();
            let ends = ends.filter(|edge| edge.action == Action::EndThread);
            let ends = ends.map(|edge| {
                let module = self.layout.module(self.machine.procedure_of(edge.from));
                format!("m={module} & p={}", self.layout.pc(edge.from))
            });
            let ends: Vec<String> = ends.collect();
            self.relation(
                "at p of module m the thread ends",
                "EndsThread(Module m, PC p)",
                &ends,
            );
            self.text.push_str(INIT_FIRST);
            self.text.push('\n');
            return;
        }
        let shared = self.fields(Storage::Shared).into_iter();
        let shared = shared.filter_map(|(bit, field)| self.initial_value(bit, "s", field));
        let shared = conjunction(&shared.collect::<Vec<_>>());
        self.relation(
            "the threads may start with s",
            "Started(Shared s)",
            &[shared],
        );
        self.relation(
            "nothing runs before the threads",
            "ReachedBefore(Module m, PC p)",
            &[],
        );
    }

    fn contexts(&mut self, switches: u32) {
        self.numbers("Switch", switches);
        self.line(format_args!("// the shared globals at each context switch"));
        self.vector("Globals", "Shared", "g", 1, switches);
        self.line(format_args!("// the thread of each context"));
        self.vector("Schedule", "Thread", "t", 0, switches);
        let active = (0..=switches).map(|at| format!("s={at} & h=t.t{at}"));
        let active: Vec<String> = active.collect();
        self.relation(
            "h is the thread of context s",
            "Active(Thread h, Switch s, Schedule t)",
            &active,
        );
        self.entry_of(
            "SwitchedAt(Switch r, Shared s, Globals g)",
            "g",
            1,
            switches,
        );
        self.earlier_globals(switches);
        self.marks(switches);
    }

    /// The same vector without the last switch. Nothing goes on from the globals of that one: no
    /// thread that was left there gets another turn.
    fn earlier_globals(&mut self, switches: u32) {
        let last = switches.saturating_sub(1);
        self.line(format_args!(
            "// the shared globals at each context switch but the last"
        ));
        self.vector("Earlier", "Shared", "g", 1, last);
        let cases = (1..=switches).map(|at| match at {
            at if at == switches => format!("r={at}"),
            at => format!("r={at} & s=g.g{at}"),
        });
        let cases: Vec<String> = cases.collect();
        self.relation(
            "s is the entry of number r, or whatever it likes at the last switch",
            "EarlierAt(Switch r, Shared s, Earlier g)",
            &cases,
        );
    }

    /// A bit for each context switch, for what an algorithm wants to know of it.
    fn marks(&mut self, switches: u32) {
        self.line(format_args!("// a bit for each context switch"));
        self.vector("Marks", "bool", "m", 1, switches);
        let cases = (1..=switches).map(|at| format!("r={at} & m.m{at}"));
        let cases: Vec<String> = cases.collect();
        self.relation(
            "the switch to context r is marked",
            "MarkedAt(Switch r, Marks m)",
            &cases,
        );
    }

    fn rounds(&mut self, rounds: u32) {
        let last = rounds - 1;
        self.numbers("Round", last);
        self.line(format_args!("// shared globals in each round"));
        self.vector("Shares", "Shared", "g", 0, last);
        self.entry_of("SharedIn(Round r, Shared s, Shares a)", "a", 0, last);
        let up_to = |last: u32, equation: fn(u32) -> String| {
            let equations: Vec<String> = (0..last).map(equation).collect();
            conjunction(&equations)
        };
        let follows = (0..last).map(|at| {
            let shifted = up_to(at + 1, |at| format!("a.g{}=b.g{at}", at + 1));
            format!("q={at} & {shifted}")
        });
        let follows: Vec<String> = follows.collect();
        self.relation(
            "the round after each one up to q begins with what that one ends with",
            "Follows(Round q, Shares b, Shares a)\n  a ~+ b",
            &follows,
        );
        let empty = (0..rounds).map(|at| {
            let same = up_to(at, |at| format!("a.g{at}=b.g{at}"));
            format!("r={at} & {same}")
        });
        let empty: Vec<String> = empty.collect();
        self.relation(
            "the turns before round r end with what they begin with",
            "Empty(Round r, Shares a, Shares b)\n  a ~+ b",
            &empty,
        );
    }

    /// The type of numbers up to `last`, with the relation between neighbours.
    fn numbers(&mut self, name: &str, last: u32) {
        // An enumeration has two values at least.
        self.line(format_args!("enum {name} {{0..{}}};\n", last.max(1)));
        let head = format!("Next({name} r, {name} s)\n  r ~+ s");
        self.relation("s comes right after r", &head, &successions(last, "r", "s"));
    }

    /// A class with a numbered field for each context or round.
    fn vector(&mut self, name: &str, element: &str, field: &str, first: u32, last: u32) {
        let mut fields = String::new();
        for at in first..=last {
            write!(fields, " {element} {field}{at};").expect(INFALLIBLE);
        }
        if fields.is_empty() {
            fields.push_str(" bool none;");
        }
        // Copies of one thing stand together.
        let order: Vec<String> = (first..last)
            .map(|at| format!(" {field}{at} ~+ {field}{}", at + 1))
            .collect();
        let order = order.join(",");
        self.line(format_args!("class {name} {{{fields} }}{order};\n"));
    }

    /// The relation that says what one field of such a class is.
    fn entry_of(&mut self, head: &str, holder: &str, first: u32, last: u32) {
        let cases = (first..=last).map(|at| format!("r={at} & s={holder}.g{at}"));
        let cases: Vec<String> = cases.collect();
        self.relation("s is the entry of number r", head, &cases);
    }
}

/// "One more than", up to a number.
fn successions(last: u32, before: &str, after: &str) -> Vec<String> {
    let pairs = (0..last).map(|at| format!("{before}={at} & {after}={}", at + 1));
    pairs.collect()
}

fn conjunction(parts: &[String]) -> String {
    if parts.is_empty() {
        return "1".to_owned();
    }
    parts.join(" & ")
}
