//! The rows of a trace text: what each step shows. How they are laid out is the business of
//! [`align`] and of [`super::columns`].

use super::TraceLevel;
use hardbop_interpreter::{Configuration, Walked, WalkedKind};
use hardbop_machine::analysis::{CallGraph, Liveness, ModRef};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{GlobalId, LocalId, Machine, Storage, Variable};
use hardbop_syntax::shown_line;

/// The longest statement text that is shown in full.
const MAX_STATEMENT: usize = 60;

/// Calls that are deeper than this are not indented further, so that deep recursion does not make
/// quadratic text.
const MAX_INDENT: u32 = 40;

/// A row of the text before it is laid out.
pub(super) enum Row {
    /// A line across all columns.
    Text(String),
    /// Another thread takes over.
    Context(Context),
    /// A step.
    Step(StepRow),
}

/// The beginning of a context.
pub(super) struct Context {
    /// The thread that runs from here on.
    pub(super) thread: u32,
    /// Its name.
    pub(super) name: String,
    /// What it starts with, `x=0 y=1`, if this is its first context.
    pub(super) starts: String,
    /// The number of the context switch in the run; nothing where the first thread begins, or the
    /// first one after `init`.
    pub(super) switch: Option<u32>,
}

/// A step before it is laid out.
pub(super) struct StepRow {
    /// Line in the source.
    pub(super) line: u32,
    /// The thread that takes it.
    pub(super) thread: u32,
    /// The name of the thread; empty where there is only one.
    pub(super) name: String,
    /// The depth of its stack.
    pub(super) depth: u32,
    /// The statement.
    pub(super) statement: String,
    /// What it does, in the order in which that is shown.
    pub(super) notes: Vec<Note>,
}

/// One thing that a step does.
pub(super) enum Note {
    /// Something that concerns its own thread.
    Own(String),
    /// Values of shared variables.
    Shared(String),
}

/// How rows are made.
pub(super) struct View<'a> {
    machine: &'a Machine,
    concurrent: bool,
    level: TraceLevel,
    /// Says which arbitrary initial values may ever be read; the others are not worth showing.
    liveness: Liveness,
    effects: ModRef,
}

impl<'a> View<'a> {
    pub(super) fn new(machine: &'a Machine, concurrent: bool, level: TraceLevel) -> Self {
        let calls = CallGraph::new(machine);
        let effects = ModRef::new(machine, &calls);
        Self {
            machine,
            concurrent,
            level,
            liveness: Liveness::new(machine, &calls),
            effects,
        }
    }

    /// The values that everything starts with; with several threads only the shared globals.
    pub(super) fn start(&self, configuration: &Configuration) -> String {
        let globals = self.machine.globals.iter().zip(&configuration.shared);
        let shared = globals.filter(|(global, _)| global.storage == Storage::Shared);
        let shared = shared.map(|(global, &value)| (global.name.clone(), value));
        let mut values: Vec<(String, u64)> = shared.collect();
        if !self.concurrent {
            values.extend(self.first_values(configuration, 0));
        }
        match &*list(&values) {
            "" => "start".to_owned(),
            values => format!("start: {values}"),
        }
    }

    /// What the threads from number `first` on start with.
    pub(super) fn starts(&self, configuration: &Configuration, first: usize) -> Vec<String> {
        let threads = first..configuration.threads.len();
        threads
            .map(|thread| list(&self.first_values(configuration, thread as u32)))
            .collect()
    }

    /// Values of a thread's own globals and of those locals of its running procedure that may be
    /// read before they are written.
    fn first_values(&self, configuration: &Configuration, thread: u32) -> Vec<(String, u64)> {
        let Some(frame) = configuration.top(thread) else {
            return Vec::new();
        };
        let state = &configuration.threads[thread as usize];
        let globals = self.machine.globals.iter().zip(&state.own);
        let procedure = self.machine.procedure_of(frame.node);
        // Threads of other blocks have globals of their own, which are none of this one's business.
        let own = (0..)
            .map(GlobalId)
            .zip(globals)
            .filter(|(id, (global, _))| {
                let is_used = self.effects.references(procedure, *id)
                    || self.effects.modifies(procedure, *id);
                global.storage == Storage::PerThread && is_used
            });
        let own = own.map(|(_, (global, &value))| (global.name.clone(), value));
        let locals = self.live_locals(configuration, thread, 0);
        let locals = locals.into_iter().map(|(variable, value)| {
            let name = self.machine.name_of(procedure, variable);
            (name.to_owned(), value)
        });
        own.chain(locals).collect()
    }

    /// The locals from `first` on that are live where a thread is, with their values.
    fn live_locals(
        &self,
        configuration: &Configuration,
        thread: u32,
        first: usize,
    ) -> Vec<(Variable, u64)> {
        let Some(frame) = configuration.top(thread) else {
            return Vec::new();
        };
        let locals = frame.locals.iter().enumerate().skip(first);
        locals
            .map(|(index, &value)| (Variable::Local(LocalId::new(index)), value))
            .filter(|&(variable, _)| self.liveness.is_live(frame.node, variable))
            .collect()
    }

    pub(super) fn is_shown(&self, step: &Walked) -> bool {
        match self.level {
            TraceLevel::Full => true,
            TraceLevel::Calls => !matches!(step.kind, WalkedKind::Edge(_)),
            TraceLevel::None => false,
            TraceLevel::Compact => {
                // What a statement needs besides its own step is worth a line only if it does
                // something.
                let node = self.machine.node(step.node);
                node.kind != NodeKind::Internal
                    || !matches!(step.kind, WalkedKind::Edge(_))
                    || !step.effect.changes.is_empty()
                    || !step.effect.started.is_empty()
            }
        }
    }

    pub(super) fn row(&self, step: &Walked, after: &Configuration) -> Row {
        let machine = self.machine;
        let (edge, statement) = match step.kind {
            WalkedKind::Edge(edge) | WalkedKind::Call { edge, .. } | WalkedKind::Enter(edge) => {
                let span = machine.edge(edge).span;
                (Some(edge), shorten(machine.source.slice(span)))
            }
            WalkedKind::Return => {
                let procedure = machine.procedure(machine.procedure_of(step.node));
                (None, format!("return from {}", procedure.name))
            }
        };
        let mut notes = Vec::new();
        if let WalkedKind::Enter(_) = step.kind {
            let callee = &machine.procedure(step.effect.scope).name;
            notes.push(Note::Own(format!("enter {callee}")));
        }
        match self.level {
            TraceLevel::Full if after.top(step.thread).is_some() => {
                notes.extend(shown_values(&self.in_scope(step, after)));
            }
            _ => notes.extend(shown_values(&self.changes(step, after))),
        }
        if edge.is_some_and(|e| machine.node(machine.edge(e).to).kind == NodeKind::Failure) {
            notes.push(Note::Own("fails".to_owned()));
        }
        if !step.effect.printed.is_empty() {
            let values: Vec<String> = step.effect.printed.iter().map(u64::to_string).collect();
            notes.push(Note::Own(format!("prints {}", values.join(", "))));
        }
        for thread in step.effect.started.clone() {
            let name = after.thread_name(machine, thread);
            notes.push(Note::Own(format!("starts {name}")));
        }
        if let WalkedKind::Call { .. } = step.kind {
            let inside = step.flat_steps.saturating_sub(2);
            let plural = if inside == 1 { "" } else { "s" };
            notes.push(Note::Own(format!("(folded: {inside} step{plural})")));
        }
        let name = if self.concurrent {
            after.thread_name(machine, step.thread)
        } else {
            String::new()
        };
        let start = edge.map_or(machine.node(step.node).span.start, |edge| {
            machine.edge(edge).span.start
        });
        Row::Step(StepRow {
            line: machine.source.line(start),
            thread: step.thread,
            name,
            depth: step.depth,
            statement,
            notes,
        })
    }

    /// The changed variables: whether shared, the name, the value. Of a procedure that is entered,
    /// its parameters and the arbitrary values that it may read.
    fn changes(&self, step: &Walked, after: &Configuration) -> Vec<(bool, String, u64)> {
        let mut changes = step.effect.changes.clone();
        if let WalkedKind::Enter(_) = step.kind {
            changes.extend(self.live_locals(after, step.thread, changes.len()));
        }
        let shown = changes.into_iter().map(|(variable, value)| {
            let name = self.machine.name_of(step.effect.scope, variable);
            (self.is_shared(variable), name.to_owned(), value)
        });
        shown.collect()
    }

    /// All variables that the running procedure sees.
    fn in_scope(&self, step: &Walked, after: &Configuration) -> Vec<(bool, String, u64)> {
        let machine = self.machine;
        let Some(frame) = after.top(step.thread) else {
            return Vec::new();
        };
        let procedure = machine.procedure_of(frame.node);
        let globals = (0..machine.globals.len()).map(|i| Variable::Global(GlobalId::new(i)));
        let locals = (0..frame.locals.len()).map(|i| Variable::Local(LocalId::new(i)));
        globals
            .chain(locals)
            .map(|variable| {
                let name = machine.name_of(procedure, variable).to_owned();
                let value = after.read(machine, step.thread, variable);
                (self.is_shared(variable), name, value)
            })
            .collect()
    }

    fn is_shared(&self, variable: Variable) -> bool {
        match variable {
            Variable::Global(id) => {
                self.concurrent && self.machine.global(id).storage == Storage::Shared
            }
            Variable::Local(_) => false,
        }
    }
}

/// Values of the thread's own variables, then of shared ones.
fn shown_values(values: &[(bool, String, u64)]) -> impl Iterator<Item = Note> {
    let of = |shared: bool| {
        let chosen = values.iter().filter(|(is_shared, ..)| *is_shared == shared);
        let chosen: Vec<(String, u64)> = chosen
            .map(|(_, name, value)| (name.clone(), *value))
            .collect();
        list(&chosen)
    };
    let (own, shared) = (of(false), of(true));
    let own = (!own.is_empty()).then_some(Note::Own(own));
    let shared = (!shared.is_empty()).then_some(Note::Shared(shared));
    own.into_iter().chain(shared)
}

/// A statement on one line, cut if it is long.
fn shorten(statement: &str) -> String {
    // A call edge may carry the whole text of a nested statement: only so much of it is looked at.
    let words: Vec<&str> = statement.split_whitespace().take(MAX_STATEMENT).collect();
    let line = words.join(" ");
    if line.chars().count() <= MAX_STATEMENT {
        return shown_line(&line).into_owned();
    }
    let cut: String = line.chars().take(MAX_STATEMENT - 3).collect();
    format!("{}...", shown_line(cut.trim_end()))
}

impl Row {
    /// Without its notes, as one line with the name of the thread in front.
    fn statement(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Context(Context { name, starts, .. }) if starts.is_empty() => {
                format!("--- {name} ---")
            }
            Self::Context(Context { name, starts, .. }) => {
                format!("--- {name} starts: {starts} ---")
            }
            Self::Step(step) => {
                let indent = "  ".repeat(step.depth.min(MAX_INDENT) as usize);
                let statement = &step.statement;
                match &*step.name {
                    "" => format!("{indent}{statement}"),
                    name => format!("[{name}] {indent}{statement}"),
                }
            }
        }
    }

    /// What it does, on one line.
    fn notes(&self) -> String {
        let Self::Step(step) = self else {
            return String::new();
        };
        let notes = step.notes.iter().map(|note| match note {
            Note::Own(text) => text.clone(),
            Note::Shared(values) => format!("shared: {values}"),
        });
        notes.collect::<Vec<_>>().join("  ")
    }

    fn line(&self) -> Option<u32> {
        match self {
            Self::Step(step) => Some(step.line),
            Self::Text(_) | Self::Context(_) => None,
        }
    }
}

/// The width of the longest line number.
pub(super) fn number_width(rows: &[Row]) -> usize {
    let lines = rows.iter().filter_map(Row::line);
    lines.max().map_or(1, |line| line.to_string().len())
}

/// One line per row, with line numbers, statements and notes aligned.
pub(super) fn align(rows: &[Row]) -> String {
    let number_width = number_width(rows);
    let lines: Vec<(Option<u32>, String, String)> = rows
        .iter()
        .map(|row| (row.line(), row.statement(), row.notes()))
        .collect();
    let with_notes = lines.iter().filter(|(.., notes)| !notes.is_empty());
    let widths = with_notes.map(|(_, statement, _)| statement.chars().count());
    let column = widths
        .filter(|&width| width <= MAX_STATEMENT)
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for (line, statement, notes) in lines {
        let line = match line {
            Some(line) if notes.is_empty() => format!("{line:>number_width$}: {statement}"),
            Some(line) => format!("{line:>number_width$}: {statement:<column$}  {notes}"),
            None => statement,
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// `x=0 y=1`
fn list(values: &[(String, u64)]) -> String {
    let shown: Vec<String> = values
        .iter()
        .map(|(name, v)| format!("{name}={v}"))
        .collect();
    shown.join(" ")
}
