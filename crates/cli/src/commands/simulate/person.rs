//! A person who makes the choices of a run: every prompt is preceded by the executed statements and
//! the state.
//!
//! Taking back an answer starts the run again with the answers before it: a run follows from them,
//! and a session is never long. Lines are read on a separate thread, since a read that waits
//! for the keyboard does not notice Ctrl-C.

use crate::console::Console;
use crate::interrupt::Patience;
use hardbop_interpreter::{Chooser, Configuration, Effect, StepOption};
use hardbop_machine::{Machine, Type, Variable};
use hardbop_outcome::Interrupt;
use hardbop_report::document::{Branch, Branches};
use std::fmt::Write as _;
use std::io::BufRead;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// How often a wait for a line looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

const HELP: &str = "u undoes the last answer, q quits";

/// Asks on the terminal.
pub struct Person<'a> {
    console: &'a mut Console,
    machine: &'a Machine,
    patience: &'a Patience,
    branches: Branches<'a>,
    lines: Receiver<String>,
    /// All answers that hold.
    answers: Vec<u64>,
    /// How many of them this run has used.
    used: usize,
    is_taken_back: bool,
    state: Option<Configuration>,
}

impl<'a> Person<'a> {
    pub fn new(console: &'a mut Console, machine: &'a Machine, patience: &'a Patience) -> Self {
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            console,
            machine,
            patience,
            branches: Branches::new(machine),
            lines,
            answers: Vec::new(),
            used: 0,
            is_taken_back: false,
            state: None,
        }
    }

    /// Whether the run ended only to be made again without the last answer.
    pub fn takes_back(&mut self) -> bool {
        self.used = 0;
        self.state = None;
        std::mem::take(&mut self.is_taken_back)
    }

    /// The next line; nothing at the end of the input or at Ctrl-C.
    fn line(&mut self) -> Option<String> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.patience.check().is_some() => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Asks until there is an answer; an empty line is 0.
    fn ask(&mut self, question: &str, answers: &str, read: Reader<'_>) -> Option<u64> {
        if let Some(&answer) = self.answers.get(self.used) {
            self.used += 1;
            return Some(answer);
        }
        if let Some(state) = &self.state {
            let state = self.state_text(state);
            self.console.print(&state);
        }
        loop {
            self.console.print(&format!("{question} "));
            self.console.flush();
            let line = self.line();
            if line.is_none() {
                self.console.print("\n");
            }
            let line = line?;
            let answer = match line.trim() {
                "q" | "Q" => return None,
                "u" | "U" if self.answers.is_empty() => {
                    self.console.print("there is nothing to undo\n");
                    continue;
                }
                "u" | "U" => {
                    self.answers.pop();
                    self.is_taken_back = true;
                    self.console.print("taken back\n");
                    return None;
                }
                "" => Some(0),
                words => read(words),
            };
            if let Some(answer) = answer {
                self.answers.push(answer);
                self.used += 1;
                return Some(answer);
            }
            self.console.print(&format!("{answers}; {HELP}\n"));
        }
    }

    fn truth(&mut self, what: &str) -> Option<bool> {
        let read = |words: &str| match words.to_ascii_lowercase().as_str() {
            "0" | "f" | "false" => Some(0),
            "1" | "t" | "true" => Some(1),
            _ => None,
        };
        let answer = self.ask(&format!("{what}: true or false?"), "true or false", &read);
        answer.map(|answer| answer != 0)
    }

    fn number(&mut self, question: &str, max: u64) -> Option<u64> {
        let read = |words: &str| words.parse().ok().filter(|&number| number <= max);
        self.ask(question, &format!("a number from 0 to {max}"), &read)
    }

    fn pick(&mut self, head: &str, options: &[String]) -> Option<usize> {
        let mut rows = String::new();
        for (index, option) in options.iter().enumerate() {
            let _ = writeln!(rows, "  {index}  {option}");
        }
        let last = options.len().saturating_sub(1) as u64;
        let picked = self.number(&format!("{head}\n{rows}>"), last);
        picked.map(|number| number as usize)
    }

    /// Which way an option goes, in words.
    fn way(&self, option: &StepOption) -> Option<String> {
        Some(match self.branches.of(option.edge?)? {
            Branch::Condition(holds) => format!("{holds}"),
            Branch::Label(label) => format!("to {label}"),
        })
    }

    fn described(&self, option: &StepOption) -> String {
        let way = self.way(option).map(|way| format!("  {way}"));
        format!("{}{}", option.description, way.unwrap_or_default())
    }

    /// The values of all variables in scope.
    fn state_text(&self, state: &Configuration) -> String {
        let machine = self.machine;
        let mut text = String::new();
        for thread in 0..state.threads.len() as u32 {
            let Some(frame) = state.top(thread) else {
                continue;
            };
            let procedure = machine.procedure_of(frame.node);
            let body = machine.procedure(procedure);
            let globals = (0..machine.globals.len()).map(hardbop_machine::GlobalId::new);
            let globals = globals.map(Variable::Global);
            let declared = body.locals.len() - body.result_count as usize;
            let locals = (0..declared).map(hardbop_machine::LocalId::new);
            let variables = globals.chain(locals.map(Variable::Local));
            let values = variables.map(|variable| {
                let value = state.read(machine, thread, variable);
                let value = machine.written(procedure, variable).text(value);
                format!(" {}={value}", machine.name_of(procedure, variable))
            });
            let name = state.thread_name(machine, thread);
            let line = machine.line_of(frame.node);
            let values: String = values.collect();
            let _ = writeln!(text, "[{name}] at line {line}:{values}");
        }
        text
    }
}

/// What a line answers.
type Reader<'a> = &'a dyn Fn(&str) -> Option<u64>;

impl Chooser for Person<'_> {
    fn step(&mut self, options: &[StepOption]) -> Option<usize> {
        let ways: Vec<Option<Branch>> = options
            .iter()
            .map(|option| self.branches.of(option.edge?))
            .collect();
        let is_condition = matches!(
            ways.as_slice(),
            [
                Some(Branch::Condition(true)),
                Some(Branch::Condition(false))
            ]
        );
        if is_condition && options[0].node == options[1].node {
            let holds = self.truth(&options[0].description)?;
            return Some(usize::from(!holds));
        }
        let options: Vec<String> = options.iter().map(|o| self.described(o)).collect();
        self.pick("next step:", &options)
    }

    fn inputs(&mut self, description: &str, valuations: &[Vec<u64>]) -> Option<usize> {
        let texts = valuations.iter().map(|values| {
            let values: Vec<String> = values.iter().map(u64::to_string).collect();
            values.join(", ")
        });
        let texts: Vec<String> = texts.collect();
        self.pick(&format!("values of the choices in {description}:"), &texts)
    }

    fn value(&mut self, description: &str, ty: Type) -> Option<u64> {
        match ty {
            Type::Bool => self.truth(description).map(u64::from),
            Type::Int(_) => {
                let max = ty.max_value();
                self.number(&format!("{description} (0 to {max})?"), max)
            }
        }
    }

    fn leaves_out_unread(&self) -> bool {
        true
    }

    fn started(&mut self, initial: &Configuration) {
        self.state = Some(initial.clone());
    }

    fn taken(&mut self, option: &StepOption, effect: &Effect, after: &Configuration) {
        self.state = Some(after.clone());
        if self.used < self.answers.len() {
            return;
        }
        let changes = effect.changes.iter().map(|&(variable, value)| {
            let name = self.machine.name_of(effect.scope, variable);
            let value = self.machine.written(effect.scope, variable).text(value);
            format!("  {name}={value}")
        });
        let changes: String = changes.collect();
        let printed: Vec<String> = effect.printed.iter().map(u64::to_string).collect();
        let printed = if printed.is_empty() {
            String::new()
        } else {
            format!("  prints {}", printed.join(", "))
        };
        let line = format!("  {}{changes}{printed}\n", self.described(option));
        self.console.print(&line);
    }
}
