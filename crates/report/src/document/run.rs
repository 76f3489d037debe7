//! A run as a report shows it: every step with its place, what it is, the choices it makes and the
//! values it changes.
//!
//! It is made by replaying the evidence, so whatever is shown was executed. Completed calls are
//! written out as far as there is room and stand as one step elsewhere ([`Walk::expanded_within`]).

use super::number::Number;
use super::overflow::{OverflowChecks, Undefined};
use super::relevance::{Cycle, Relevance, relevance};
use super::written::Written;
use hardbop_interpreter::{
    Configuration, Ending, Origin, ReplayedLasso, Walk, Walked, WalkedKind, replay_lasso,
    replay_thread_lasso,
};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{
    Action, EdgeId, GlobalId, LocalId, Machine, NodeId, ProcId, Storage, Variable,
};
use hardbop_outcome::{Evidence, Trace};
use hardbop_syntax::shown_line;
use schemars::JsonSchema;
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::HashSet;

/// The longest statement text that is shown in full.
const MAX_STATEMENT: usize = 200;

/// A run that was executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Run {
    /// How many steps it has with every call written out (at most 2^64 - 1); of a lasso, stem and
    /// one round.
    pub length: u64,
    /// The threads that take part, in order of their start.
    pub threads: Vec<Thread>,
    /// The initial values of the variables that all threads share.
    pub start: Vec<Value>,
    /// What happens.
    pub steps: Vec<Step>,
    /// The steps that are not in this list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// How many context switches there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub switches: u32,
    /// The end of the run that is repeated for ever.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Loop>,
    /// How a run ends of which a property was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<RunEnding>,
    /// What holds at the end of a run of which a formula of branching time was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<String>,
    /// Where the running procedure of each thread is at the end; nothing for one that has ended.
    pub end: Vec<Option<Place>>,
    /// What it relies on that C leaves undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relies_on: Option<Undefined>,
}

/// A stretch in the middle of a run that is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// How many steps are shown before it.
    pub after: usize,
    /// How many steps it has, calls that stand as one step counted as one.
    pub count: usize,
}

/// The loop of a lasso.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Loop {
    /// Index of its first step, steps that are left out counted; it goes to the end of the list.
    pub first: usize,
    /// How many steps one round has with every call written out.
    pub length: u64,
    /// How many frames each round leaves on the stack.
    pub growth: u32,
}

/// How a finite run ends that a property sees as staying in its last state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunEnding {
    /// The program has ended.
    Terminated,
    /// An assertion has failed.
    Failed,
}

/// A thread of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Thread {
    /// What it is called.
    pub name: String,
    /// The procedure it starts in.
    pub procedure: String,
    /// The values of its own variables at its start.
    pub start: Vec<Value>,
}

/// A place in the file of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// The procedure.
    pub procedure: String,
    /// One-based line.
    pub line: u32,
    /// One-based column in characters.
    pub column: u32,
    /// The node of the machine, as in `hardbop graph --format json`.
    pub node: u32,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Step {
    /// Index into the threads of the run.
    pub thread: u32,
    /// How many procedures wait for the running one to return.
    pub depth: u32,
    /// The number of the context switch that this step follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<u32>,
    /// Where it is.
    #[serde(flatten)]
    pub place: Place,
    /// The edge of the machine; nothing where a procedure returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<u32>,
    /// What the step is.
    pub kind: StepKind,
    /// The statement as written, on one line.
    pub text: String,
    /// Which way it goes, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    /// What its choices came out as.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// The variables whose values change; of a procedure that is entered, all of its own. They are
    /// those of the procedure that runs after the step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Value>,
    /// The procedure that is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<String>,
    /// How many steps the call has that stands here as one step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded: Option<u64>,
    /// What it prints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prints: Vec<u64>,
    /// The threads that it starts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<u32>,
    /// Whether an assertion fails here.
    #[serde(skip_serializing_if = "is_false")]
    pub fails: bool,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// Nothing happens.
    Skip,
    /// Variables get values.
    Assign,
    /// The condition of `if`, `elsif` or `while`.
    Branch,
    /// `goto`
    Goto,
    /// `assert`
    Assert,
    /// `assume`, `constrain` or `abortif`
    Assume,
    /// `print`
    Print,
    /// A procedure is entered.
    Enter,
    /// A call with its whole run and the return, as one step.
    Call,
    /// `return`: the results are computed.
    Return,
    /// The procedure is left.
    Leave,
    /// Another thread is started.
    StartThread,
    /// The thread ends.
    EndThread,
    /// Other threads have to wait from here on.
    AtomicBegin,
    /// They no longer have to.
    AtomicEnd,
    /// Something that a statement needs besides its own step, such as the initial value of a local.
    Internal,
}

/// Which way a step goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Branch {
    /// Whether the condition holds.
    Condition(bool),
    /// The label that `goto` jumps to.
    Label(String),
}

/// A choice and what it came out as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Choice {
    /// The choice as written.
    pub text: String,
    /// One-based line.
    pub line: u32,
    /// One-based column in characters.
    pub column: u32,
    /// Where it starts in the text, for whoever reads the text further.
    #[serde(skip)]
    pub(crate) start: u32,
    /// Its value.
    pub value: Number,
    /// The name of the value, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
}

/// A variable and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Value {
    /// The variable.
    pub name: String,
    /// Who sees it.
    pub scope: Scope,
    /// Its value.
    pub value: Number,
    /// The name of the value, if it has one: that of an enumerator, or of the object that a pointer
    /// points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// Whether anything that the run decides depends on this value.
    pub matters: bool,
}

/// Who sees a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// All threads.
    Shared,
    /// One thread.
    Thread,
    /// One call of a procedure.
    Local,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A statement on one line, cut if it is long.
pub(super) fn statement_text(text: &str) -> String {
    // The text of a statement may be long: only so much of it is looked at.
    let words: Vec<&str> = text.split_whitespace().take(MAX_STATEMENT).collect();
    let line = words.join(" ");
    if line.chars().count() <= MAX_STATEMENT {
        return shown_line(&line).into_owned();
    }
    let cut: String = line.chars().take(MAX_STATEMENT - 1).collect();
    format!("{}…", shown_line(cut.trim_end()))
}

/// Makes runs of one program.
pub(crate) struct Runs<'a> {
    machine: &'a Machine,
    written: Written<'a>,
    /// Made when it is first asked for.
    overflows: OnceCell<Option<OverflowChecks>>,
    /// Calls are written out as long as the run has at most this many steps.
    most_steps: u64,
    /// Of a longer list of steps only the beginning and the end are shown.
    most_shown: usize,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(machine: &'a Machine, most_steps: u64) -> Self {
        Self {
            machine,
            written: Written::new(machine),
            overflows: OnceCell::new(),
            most_steps,
            most_shown: usize::MAX,
        }
    }

    /// The same where at most this many steps are shown, from the beginning and from the end.
    pub(crate) fn showing(self, most_shown: usize) -> Self {
        Self { most_shown, ..self }
    }

    /// Replays evidence; an error says why it is not a run of the program. Variables with the names
    /// in `observed` matter everywhere.
    pub(crate) fn run(&self, evidence: &Evidence, observed: &HashSet<&str>) -> Result<Run, String> {
        match evidence {
            Evidence::Run(trace) => self.walk(trace, None, observed),
            Evidence::Lasso(lasso) => {
                let lasted = replay_lasso(self.machine, lasso).map_err(|e| e.to_string())?;
                self.walk(&lasso.unrolled(1), Some(&lasted), observed)
            }
            Evidence::Strategy(strategy) => match (&strategy.run, &strategy.path) {
                (Some(lasso), _) => {
                    let lasted = replay_lasso(self.machine, lasso).map_err(|e| e.to_string())?;
                    self.walk(&lasso.unrolled(1), Some(&lasted), observed)
                }
                (None, Some(path)) => Ok(Run {
                    holds: Some(path.holds.clone()),
                    ..self.walk(&path.run, None, observed)?
                }),
                (None, None) => Err("a strategy has no run of its own".to_owned()),
            },
            Evidence::ThreadLasso(lasso) => {
                let lasted = replay_thread_lasso(self.machine, lasso).map_err(|e| e.to_string())?;
                self.walk(&lasso.run, Some(&lasted), observed)
            }
        }
    }

    fn walk(
        &self,
        trace: &Trace,
        lasso: Option<&ReplayedLasso>,
        observed: &HashSet<&str>,
    ) -> Result<Run, String> {
        let machine = self.machine;
        let walk = Walk::expanded_within(machine, trace, self.most_steps);
        let mut walk = walk.map_err(|error| error.to_string())?;
        let start = walk.configuration().clone();
        let mut walked = Vec::new();
        let mut entered = Vec::new();
        let mut taken: u128 = 0;
        let mut first_of_loop = None;
        loop {
            if lasso.is_some_and(|l| l.ending.is_none() && l.stem_steps == taken) {
                first_of_loop.get_or_insert(walked.len());
            }
            let Some(step) = walk.next() else { break };
            let step = step.map_err(|error| error.to_string())?;
            taken = taken.saturating_add(step.flat_steps);
            entered.push(match (step.kind, walk.configuration().top(step.thread)) {
                (WalkedKind::Enter(_), Some(frame)) => frame.locals.clone(),
                _ => Vec::new(),
            });
            walked.push(step);
        }
        walk.check_target().map_err(|error| error.to_string())?;
        let growth = lasso.map_or(0, |lasso| lasso.growth);
        let cycle = first_of_loop.map(|first| Cycle { first, growth });
        let matters = relevance(machine, &start, &walked, cycle, observed);
        let end = walk.configuration();
        let left_out = (walked.len() > self.most_shown).then(|| LeftOut {
            after: self.most_shown / 2,
            count: walked.len() - self.most_shown,
        });
        let mut steps = self.steps(&walked, &entered, &matters, left_out);
        let switches = self.count_switches(&walked, &mut steps, left_out);
        Ok(Run {
            length: saturated(taken),
            threads: self.threads(trace, end, &matters),
            start: self.start(&start, &matters),
            steps,
            left_out,
            switches,
            cycle: cycle.map(|cycle| Loop {
                first: cycle.first,
                length: lasso.map_or(0, |lasso| saturated(lasso.loop_steps)),
                growth,
            }),
            ending: lasso.and_then(|lasso| lasso.ending).map(|e| match e {
                Ending::Terminated => RunEnding::Terminated,
                Ending::Failed => RunEnding::Failed,
            }),
            holds: None,
            end: end
                .threads
                .iter()
                .map(|thread| thread.stack.last().map(|frame| self.place(frame.node)))
                .collect(),
            relies_on: self.undefined(trace),
        })
    }

    /// The first thing that C leaves undefined in a run.
    fn undefined(&self, trace: &Trace) -> Option<Undefined> {
        let checks = self
            .overflows
            .get_or_init(|| OverflowChecks::new(self.machine));
        checks.as_ref()?.first_overflow(self.machine, trace)
    }

    /// Numbers the context switches and says how many there are. That the first thread takes over
    /// from `init` is not one.
    fn count_switches(
        &self,
        walked: &[Walked],
        steps: &mut [Step],
        left_out: Option<LeftOut>,
    ) -> u32 {
        let has_init = self.machine.init.is_some();
        let mut switches = 0;
        let mut running = None;
        for (number, step) in walked.iter().enumerate() {
            let previous = running.replace(step.thread);
            if previous.is_some_and(|p| p != step.thread && !(has_init && p == 0)) {
                switches += 1;
                if let Some(index) = shown_index(number, left_out) {
                    steps[index].switch = Some(switches);
                }
            }
        }
        switches
    }

    fn start(&self, start: &Configuration, matters: &Relevance) -> Vec<Value> {
        let shared = self.globals(Storage::Shared);
        let values = shared.map(|id| {
            let (variable, value) = (Variable::Global(id), start.shared[id.index()]);
            // A global is the same for all procedures.
            self.value(ProcId(0), variable, value, matters.globals.contains(&id))
        });
        values.collect()
    }

    /// The threads with what they start with. A thread's own globals are copies of its parent's
    /// where another started it, so they are taken from the trace only for the others.
    fn threads(&self, trace: &Trace, end: &Configuration, matters: &Relevance) -> Vec<Thread> {
        let machine = self.machine;
        let of = |(number, origin): (usize, &hardbop_outcome::trace::ThreadOrigin)| {
            let procedure = first_procedure(machine, end.threads.get(number)?.origin)?;
            let none = std::collections::BTreeSet::new();
            let matters = matters.threads.get(number).unwrap_or(&none);
            let value = |variable: Variable, value: u64| {
                self.value(procedure, variable, value, matters.contains(&variable))
            };
            let own = self.globals(Storage::PerThread).map(|id| {
                let own = origin.globals.get(id.index()).copied().unwrap_or(0);
                value(Variable::Global(id), own)
            });
            let locals = origin.locals.iter().enumerate();
            let locals = locals.map(|(index, &v)| value(Variable::Local(LocalId::new(index)), v));
            Some(Thread {
                name: end.thread_name(machine, number as u32),
                procedure: machine.procedure(procedure).name.clone(),
                start: own.chain(locals).collect(),
            })
        };
        trace.threads.iter().enumerate().filter_map(of).collect()
    }

    fn globals(&self, storage: Storage) -> impl Iterator<Item = GlobalId> {
        let machine = self.machine;
        let all = (0..machine.globals.len()).map(GlobalId::new);
        all.filter(move |&id| machine.global(id).storage == storage)
    }

    fn value(&self, scope: ProcId, variable: Variable, value: u64, matters: bool) -> Value {
        let written = self.machine.written(scope, variable);
        Value {
            name: self.machine.name_of(scope, variable).to_owned(),
            scope: match variable {
                Variable::Local(_) => Scope::Local,
                Variable::Global(id) => match self.machine.global(id).storage {
                    Storage::Shared => Scope::Shared,
                    Storage::PerThread => Scope::Thread,
                },
            },
            value: Number(written.number(value)),
            shown: written.name(value).map(str::to_owned),
            matters,
        }
    }

    fn place(&self, node: NodeId) -> Place {
        self.place_at(node, self.machine.node(node).span.start)
    }

    fn place_at(&self, node: NodeId, offset: u32) -> Place {
        let machine = self.machine;
        let (line, column) = machine.source.line_column(offset);
        Place {
            procedure: machine.procedure(machine.procedure_of(node)).name.clone(),
            line,
            column,
            node: node.0,
        }
    }

    fn steps(
        &self,
        walked: &[Walked],
        entered: &[Vec<u64>],
        matters: &Relevance,
        left_out: Option<LeftOut>,
    ) -> Vec<Step> {
        let steps = walked.iter().zip(entered).zip(&matters.after).enumerate();
        let shown = steps.filter(|(number, _)| shown_index(*number, left_out).is_some());
        shown
            .map(|(_, ((step, entered), matters))| self.step(step, entered, matters))
            .collect()
    }

    fn step(&self, step: &Walked, entered: &[u64], matters: &[Variable]) -> Step {
        let machine = self.machine;
        let edge = match step.kind {
            WalkedKind::Edge(edge) | WalkedKind::Call { edge, .. } | WalkedKind::Enter(edge) => {
                Some(edge)
            }
            WalkedKind::Return => None,
        };
        let (kind, branch) = edge.map_or((StepKind::Leave, None), |edge| self.kind(step, edge));
        let own = edge.map_or(machine.node(step.node).span, |e| machine.edge(e).span);
        let calls = !matches!(step.kind, WalkedKind::Edge(_));
        let callee = edge.and_then(|edge| match machine.edge(edge).action {
            Action::Call { callee, .. } if calls => Some(machine.procedure(callee).name.clone()),
            _ => None,
        });
        let changes: Vec<(Variable, u64)> = match step.kind {
            WalkedKind::Enter(_) => (0..)
                .map(|index| Variable::Local(LocalId(index)))
                .zip(entered.iter().copied())
                .collect(),
            _ => step.effect.changes.clone(),
        };
        let procedure = machine.procedure(machine.procedure_of(step.node));
        Step {
            thread: step.thread,
            depth: step.depth,
            switch: None,
            place: self.place_at(step.node, own.start),
            edge: edge.map(|edge| edge.0),
            kind,
            text: match edge {
                Some(_) => statement_text(machine.source.slice(own)),
                None => format!("return from {}", procedure.name),
            },
            choices: edge.map_or_else(Vec::new, |edge| {
                self.written.choices(edge, &step.inputs, branch.as_ref())
            }),
            branch,
            changes: changes
                .into_iter()
                .map(|(variable, value)| {
                    let matters = matters.contains(&variable);
                    self.value(step.effect.scope, variable, value, matters)
                })
                .collect(),
            callee,
            folded: matches!(step.kind, WalkedKind::Call { .. })
                .then(|| saturated(step.flat_steps.saturating_sub(2))),
            prints: step.effect.printed.clone(),
            starts: step.effect.started.clone().collect(),
            fails: edge.is_some_and(|e| machine.node(machine.edge(e).to).kind.is_failure()),
        }
    }

    fn kind(&self, step: &Walked, edge: EdgeId) -> (StepKind, Option<Branch>) {
        let kind = match (&step.kind, &self.machine.edge(edge).action) {
            (WalkedKind::Enter(_), _) => StepKind::Enter,
            (WalkedKind::Call { .. }, _) => StepKind::Call,
            (_, Action::Print(_)) => StepKind::Print,
            (_, Action::Return(_)) => StepKind::Return,
            (_, Action::StartThread(_)) => StepKind::StartThread,
            (_, Action::EndThread) => StepKind::EndThread,
            (_, Action::AtomicBegin) => StepKind::AtomicBegin,
            (_, Action::AtomicEnd) => StepKind::AtomicEnd,
            _ if self.machine.node(step.node).kind == NodeKind::Internal => StepKind::Internal,
            (_, Action::Assign { .. }) => StepKind::Assign,
            (_, Action::Skip | Action::Call { .. }) => return self.written.step(edge),
        };
        (kind, None)
    }
}

/// Where a step stands in the list of those that are shown.
fn shown_index(number: usize, left_out: Option<LeftOut>) -> Option<usize> {
    match left_out {
        Some(gap) if number >= gap.after => number
            .checked_sub(gap.count)
            .filter(|&index| index >= gap.after),
        _ => Some(number),
    }
}

/// The procedure that a thread starts in.
fn first_procedure(machine: &Machine, origin: Origin) -> Option<ProcId> {
    match origin {
        Origin::Init => machine.init,
        Origin::Instance { thread, .. } => Some(machine.threads[thread as usize].entry),
        Origin::Started { procedure } => Some(procedure),
    }
}

fn saturated(count: u128) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
