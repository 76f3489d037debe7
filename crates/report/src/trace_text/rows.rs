//! The rows of a trace text: what each step shows. How they are laid out is the business of
//! [`align`] and of [`super::columns`].

use super::TraceLevel;
use super::paint::{Ink, inked, padded, width};
use crate::document::{Branch, Run, Scope, Step, StepKind, Value};

/// The longest statement text that is shown in full.
const MAX_STATEMENT: usize = 60;

/// Lines that go on are indented by so much more.
const HANGING: usize = 4;

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
    name: String,
    /// The depth of its stack.
    depth: u32,
    statement: String,
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

impl StepRow {
    /// How far the statement is indented, and the statement. From some depth on the text is not
    /// moved further to the right, and the depth stands before it.
    pub(super) fn indented(&self, most: usize) -> (usize, String) {
        let depth = self.depth as usize;
        if depth <= most {
            return (2 * depth, self.statement.clone());
        }
        (2 * most, format!("({depth}) {}", self.statement))
    }
}

/// Variables with their values, as the program writes them.
type Pairs = Vec<(String, String)>;

/// The values of all variables, kept up to date for [`TraceLevel::Full`].
struct Values {
    shared: Pairs,
    threads: Vec<ThreadValues>,
}

struct ThreadValues {
    own: Pairs,
    frames: Vec<Pairs>,
}

fn pairs<'a>(values: impl Iterator<Item = &'a Value>) -> Pairs {
    values.map(|v| (v.name.clone(), v.shown())).collect()
}

fn set(values: &mut Pairs, change: &Value) {
    match values.iter_mut().find(|(name, _)| *name == change.name) {
        Some((_, value)) => *value = change.shown(),
        None => values.push((change.name.clone(), change.shown())),
    }
}

impl Values {
    fn new(run: &Run) -> Self {
        let of = |values: &[Value], scope| pairs(values.iter().filter(|v| v.scope == scope));
        let threads = run.threads.iter().map(|thread| ThreadValues {
            own: of(&thread.start, Scope::Thread),
            frames: vec![of(&thread.start, Scope::Local)],
        });
        Self {
            shared: pairs(run.start.iter()),
            threads: threads.collect(),
        }
    }

    fn take(&mut self, step: &Step) {
        let thread = &mut self.threads[step.thread as usize];
        match step.kind {
            StepKind::Enter => thread.frames.push(Vec::new()),
            StepKind::Leave => drop(thread.frames.pop()),
            _ => {}
        }
        for change in &step.changes {
            match change.scope {
                Scope::Shared => set(&mut self.shared, change),
                Scope::Thread => set(&mut thread.own, change),
                Scope::Local => {
                    if let Some(frame) = thread.frames.last_mut() {
                        set(frame, change);
                    }
                }
            }
        }
    }

    /// What a thread sees: its own variables, then those of all, if it has not ended.
    fn seen_by(&self, thread: u32) -> Option<(Pairs, Pairs)> {
        let thread = &self.threads[thread as usize];
        let frame = thread.frames.last()?;
        Some(([&thread.own[..], frame].concat(), self.shared.clone()))
    }
}

/// How rows are made.
pub(super) struct View<'a> {
    run: &'a Run,
    concurrent: bool,
    level: TraceLevel,
    /// Whether values are shown that do not matter.
    tells_all: bool,
}

impl<'a> View<'a> {
    pub(super) fn new(run: &'a Run, concurrent: bool, level: TraceLevel, tells_all: bool) -> Self {
        Self {
            run,
            concurrent,
            level,
            tells_all: tells_all || level == TraceLevel::Full,
        }
    }

    /// All rows of the run.
    pub(super) fn rows(&self) -> Vec<Row> {
        let run = self.run;
        let mut rows = vec![Row::Text(self.start())];
        if self.level == TraceLevel::None {
            return rows;
        }
        // Values are known only as long as no step is left out.
        let mut values = (self.level == TraceLevel::Full).then(|| Values::new(run));
        let mut has_started = vec![false; run.threads.len()];
        let mut shown_thread = None;
        let mut switches = 0;
        let mut number = 0;
        for (index, step) in run.steps.iter().enumerate() {
            if let Some(gap) = run.left_out.filter(|gap| gap.after == index) {
                rows.push(Row::gap(run, gap.count));
                number += gap.count;
                values = None;
                shown_thread = None;
            }
            if let Some(cycle) = run.cycle.filter(|cycle| cycle.first == number) {
                let line = step.place.line;
                let growth = if cycle.growth > 0 {
                    ", deeper each time"
                } else {
                    ""
                };
                rows.push(Row::Text(format!("loop, from line {line}{growth}:")));
                shown_thread = None;
            }
            number += 1;
            switches = step.switch.unwrap_or(switches);
            if let Some(values) = &mut values {
                values.take(step);
            }
            if !self.is_shown(step) {
                continue;
            }
            if self.concurrent && shown_thread.replace(step.thread) != Some(step.thread) {
                let thread = &run.threads[step.thread as usize];
                let is_first = !std::mem::replace(&mut has_started[step.thread as usize], true);
                let starts = thread.start.iter().filter(|v| is_first && self.is_told(v));
                rows.push(Row::Context(Context {
                    thread: step.thread,
                    name: thread.name.clone(),
                    starts: list(&pairs(starts)),
                    switch: (switches > 0).then_some(switches),
                }));
            }
            rows.push(self.row(step, values.as_ref()));
        }
        rows
    }

    /// Whether a value is worth showing.
    fn is_told(&self, value: &Value) -> bool {
        value.matters || self.tells_all
    }

    /// The values that everything starts with; with several threads only the shared globals.
    fn start(&self) -> String {
        let first = self.run.threads.first().filter(|_| !self.concurrent);
        let own = first.into_iter().flat_map(|thread| &thread.start);
        let values = self.run.start.iter().chain(own);
        let values = pairs(values.filter(|value| self.is_told(value)));
        if values.is_empty() {
            "start".to_owned()
        } else {
            format!("start: {}", list(&values))
        }
    }

    fn is_shown(&self, step: &Step) -> bool {
        let is_call = matches!(
            step.kind,
            StepKind::Enter | StepKind::Call | StepKind::Leave
        );
        match self.level {
            TraceLevel::Full => true,
            TraceLevel::Calls => is_call,
            TraceLevel::None => false,
            // What a statement needs besides its own step is worth a line only if it does
            // something.
            TraceLevel::Compact => {
                step.kind != StepKind::Internal
                    || step.changes.iter().any(|change| self.is_told(change))
                    || !step.starts.is_empty()
            }
        }
    }

    fn row(&self, step: &Step, values: Option<&Values>) -> Row {
        let mut notes = Vec::new();
        if step.kind == StepKind::Enter {
            let callee = step.callee.as_deref().unwrap_or_default();
            notes.push(Note::Own(format!("enter {callee}")));
        }
        let told = step.changes.iter().filter(|change| self.is_told(change));
        let told: Vec<&Value> = told.collect();
        notes.extend(way_taken(step).map(|way| Note::Own(inked(Ink::Choice, &way))));
        if let Some(choices) = choices_made(step, &told) {
            notes.push(Note::Own(inked(Ink::Choice, &choices)));
        }
        let is_shared = |change: &&&Value| self.concurrent && change.scope == Scope::Shared;
        let (own, shared) = match values.and_then(|values| values.seen_by(step.thread)) {
            Some((own, shared)) if self.concurrent => (own, shared),
            Some((own, shared)) => ([shared, own].concat(), Vec::new()),
            None => {
                let (shared, own): (Vec<&Value>, Vec<&Value>) =
                    told.iter().partition(|change| is_shared(change));
                (pairs(own.into_iter()), pairs(shared.into_iter()))
            }
        };
        let is_new = |name: &str| step.changes.iter().any(|change| change.name == name);
        if !own.is_empty() {
            notes.push(Note::Own(coloured_list(&own, is_new)));
        }
        if !shared.is_empty() {
            notes.push(Note::Shared(coloured_list(&shared, is_new)));
        }
        if step.fails {
            notes.push(Note::Own(inked(Ink::Failure, "fails")));
        }
        if !step.prints.is_empty() {
            let values: Vec<String> = step.prints.iter().map(u64::to_string).collect();
            notes.push(Note::Own(format!("prints {}", values.join(", "))));
        }
        for &thread in &step.starts {
            let name = &self.run.threads[thread as usize].name;
            notes.push(Note::Own(format!("starts {name}")));
        }
        if let Some(inside) = step.folded {
            let plural = if inside == 1 { "" } else { "s" };
            notes.push(Note::Own(format!("(folded: {inside} step{plural})")));
        }
        let name = if self.concurrent {
            self.run.threads[step.thread as usize].name.clone()
        } else {
            String::new()
        };
        Row::Step(StepRow {
            line: step.place.line,
            thread: step.thread,
            name,
            depth: step.depth,
            statement: shorten(&step.text),
            notes,
        })
    }
}

/// Which way a step goes, where there are several.
fn way_taken(step: &Step) -> Option<String> {
    match (&step.branch, step.kind) {
        (Some(Branch::Condition(holds)), StepKind::Branch) => Some(holds.to_string()),
        (Some(Branch::Label(label)), _) => Some(format!("to {label}")),
        _ => None,
    }
}

/// What the choices came out as, where the rest of the line does not say it.
fn choices_made(step: &Step, changes: &[&Value]) -> Option<String> {
    let is_choice = |text: &str| matches!(text.trim(), "*" | "?");
    let is_said = match step.kind {
        StepKind::Branch | StepKind::Assume => {
            let condition = step.text.split_once('(').map(|(_, rest)| rest);
            let condition = condition.and_then(|rest| rest.strip_suffix(')'));
            condition.is_some_and(is_choice)
        }
        StepKind::Assign if step.shows_input(changes.iter().copied()) => true,
        StepKind::Assign if step.choices.len() == changes.len() => {
            let values = step.text.split_once(":=").map(|(_, values)| values);
            values.is_some_and(|values| values.split(',').all(is_choice))
        }
        _ => false,
    };
    if step.choices.is_empty() || is_said {
        return None;
    }
    let made = step
        .choices
        .iter()
        .map(|c| format!("{}={}", step.named(c), c.shown()));
    Some(made.collect::<Vec<_>>().join(", "))
}

/// A statement, cut if it is long.
fn shorten(statement: &str) -> String {
    if statement.chars().count() <= MAX_STATEMENT {
        return statement.to_owned();
    }
    let cut: String = statement.chars().take(MAX_STATEMENT - 3).collect();
    format!("{}...", cut.trim_end())
}

/// `x=0 y=1`
fn list(values: &[(String, String)]) -> String {
    let shown = values.iter().map(|(name, value)| format!("{name}={value}"));
    shown.collect::<Vec<_>>().join(" ")
}

/// The same with new values in colour.
fn coloured_list(values: &[(String, String)], is_new: impl Fn(&str) -> bool) -> String {
    let shown = values.iter().map(|(name, value)| {
        let text = format!("{name}={value}");
        if is_new(name) {
            inked(Ink::Value, &text)
        } else {
            text
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

impl Row {
    /// Without its notes, as one line with the name of the thread in front.
    fn statement(&self, width: usize) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Context(Context { name, starts, .. }) if starts.is_empty() => {
                inked(Ink::Switch, &format!("--- {name} ---"))
            }
            Self::Context(Context { name, starts, .. }) => {
                inked(Ink::Switch, &format!("--- {name} starts: {starts} ---"))
            }
            Self::Step(step) => {
                let (indent, statement) = step.indented(width / 8);
                let statement = format!("{:indent$}{statement}", "");
                match &*step.name {
                    "" => statement,
                    name => format!("[{name}] {statement}"),
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

/// One line per row, with line numbers, statements and notes aligned; what is too long goes on in
/// the next line.
pub(super) fn align(rows: &[Row], line_width: usize) -> String {
    let number_width = number_width(rows);
    let lines: Vec<(Option<u32>, String, String)> = rows
        .iter()
        .map(|row| (row.line(), row.statement(line_width), row.notes()))
        .collect();
    let with_notes = lines.iter().filter(|(.., notes)| !notes.is_empty());
    let widths = with_notes.map(|(_, statement, _)| width(statement));
    let column = widths
        .filter(|&width| width <= MAX_STATEMENT.min(line_width / 2))
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for (line, statement, notes) in lines {
        let line = match line {
            Some(line) if notes.is_empty() => format!("{line:>number_width$}: {statement}"),
            Some(line) => {
                let statement = padded(&statement, column);
                format!("{line:>number_width$}: {statement}  {notes}")
            }
            None => statement,
        };
        let indent = number_width + 2 + HANGING;
        for (number, line) in super::columns::folded(line.trim_end(), indent, line_width)
            .into_iter()
            .enumerate()
        {
            if number > 0 {
                text.push_str(&" ".repeat(indent));
            }
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}
