//! `hardbop analyze`: what is known of a program before any engine runs.
//!
//! The analyses are those that engines use to make their work smaller: call graph, MOD/REF (Bebop,
//! section 4), live ranges (Bebop, section 2.4), constants, and with a target the slice that is
//! relevant for it.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::limits::TimeAndMemory;
use crate::targets::TargetArguments;
use hardbop_machine::analysis::{Slice, constants::Value};
use hardbop_machine::{LocalId, Machine, NodeId, ProcId, Variable};
use serde_json::json;

/// Show the results of static analysis
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    #[command(flatten)]
    targets: TargetArguments,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    #[command(flatten)]
    pub limits: TimeAndMemory,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let machine = input::load(console, &arguments.program)?;
    let targets = arguments.targets.targets(&machine)?;
    let targets: Vec<NodeId> = targets.iter().map(|target| target.node).collect();
    let findings = Findings {
        machine: &machine,
        slice: (!targets.is_empty()).then(|| Slice::new(&machine, &targets)),
    };
    if arguments.json {
        console.print(&findings.to_json());
    } else {
        for procedure in machine.procedure_ids() {
            console.print(&findings.procedure_text(procedure));
        }
    }
    Ok(Exit::Fine)
}

/// All that was found out.
struct Findings<'a> {
    machine: &'a Machine,
    slice: Option<Slice>,
}

/// What is known at a node.
struct AtNode {
    line: u32,
    is_reached: bool,
    /// Whether the node is relevant for the targets; true if there are no targets.
    is_kept: bool,
    live: Vec<String>,
    constants: Vec<(String, u64)>,
}

impl Findings<'_> {
    fn procedure_text(&self, id: ProcId) -> String {
        let procedure = self.machine.procedure(id);
        let line = self.machine.source.line(procedure.span.start);
        let mut head = vec![format!("line {line}")];
        head.extend(self.notes(id).into_iter().map(str::to_owned));
        let mut lines = vec![format!(
            "procedure {} ({})\n",
            procedure.name,
            head.join(", ")
        )];
        let mut row = |name: &str, values: Vec<String>| {
            if !values.is_empty() {
                lines.push(format!("  {name:<9} {}\n", values.join(", ")));
            }
        };
        row("calls", self.callees(id));
        row("starts", self.started(id));
        row(
            "modifies",
            self.globals(self.machine.effects().modified(id)),
        );
        row("reads", self.globals(self.machine.effects().referenced(id)));
        if self.slice.is_some() {
            row("relevant", self.relevant(id));
        }
        for node in procedure.node_ids() {
            lines.push(self.at(node).to_text());
        }
        lines.concat()
    }

    fn notes(&self, id: ProcId) -> Vec<&'static str> {
        let mut notes = Vec::new();
        if self.machine.calls().is_recursive(id) {
            notes.push("recursive");
        }
        if !self.machine.calls().is_reachable(id) {
            notes.push("never called");
        }
        notes
    }

    fn callees(&self, id: ProcId) -> Vec<String> {
        self.names(
            self.machine
                .calls()
                .calls_in(id)
                .iter()
                .map(|site| site.callee),
        )
    }

    fn started(&self, id: ProcId) -> Vec<String> {
        self.names(
            self.machine
                .calls()
                .starts_in(id)
                .iter()
                .map(|site| site.callee),
        )
    }

    /// Names of procedures, each once, in order of the text.
    fn names(&self, procedures: impl Iterator<Item = ProcId>) -> Vec<String> {
        let mut ids: Vec<ProcId> = procedures.collect();
        ids.sort_unstable();
        ids.dedup();
        let name = |id: &ProcId| self.machine.procedure(*id).name.clone();
        ids.iter().map(name).collect()
    }

    fn globals(&self, ids: impl Iterator<Item = hardbop_machine::GlobalId>) -> Vec<String> {
        ids.map(|id| self.machine.global(id).name.clone()).collect()
    }

    /// Variables whose values matter to the targets.
    fn relevant(&self, id: ProcId) -> Vec<String> {
        let matters = |variable: &Variable| {
            self.slice
                .as_ref()
                .is_some_and(|slice| slice.relevant(id, *variable))
        };
        self.variables(id)
            .filter(matters)
            .map(|variable| self.machine.name_of(id, variable).to_owned())
            .collect()
    }

    fn variables(&self, id: ProcId) -> impl Iterator<Item = Variable> + use<> {
        let globals = (0..self.machine.globals.len()).map(hardbop_machine::GlobalId::new);
        let locals = (0..self.machine.procedure(id).locals.len()).map(LocalId::new);
        globals
            .map(Variable::Global)
            .chain(locals.map(Variable::Local))
    }

    fn at(&self, node: NodeId) -> AtNode {
        let procedure = self.machine.procedure_of(node);
        let name = |variable| self.machine.name_of(procedure, variable).to_owned();
        let constant = |variable| match self.machine.constants().value(node, variable) {
            Value::Const(value) => Some((name(variable), value)),
            Value::Unreached | Value::Varying => None,
        };
        AtNode {
            line: self.machine.line_of(node),
            is_reached: self.machine.constants().is_reached(node),
            is_kept: self
                .slice
                .as_ref()
                .is_none_or(|slice| slice.keeps_node(node)),
            live: self.machine.liveness().live_at(node).map(name).collect(),
            constants: self.variables(procedure).filter_map(constant).collect(),
        }
    }

    fn to_json(&self) -> String {
        let node = |id: NodeId| {
            let at = self.at(id);
            let constants: serde_json::Map<_, _> = at
                .constants
                .into_iter()
                .map(|(name, value)| (name, json!(value)))
                .collect();
            json!({
                "node": id.0,
                "line": at.line,
                "reached": at.is_reached,
                "kept": at.is_kept,
                "live": at.live,
                "constants": constants,
            })
        };
        let procedure = |id: ProcId| {
            let procedure = self.machine.procedure(id);
            json!({
                "name": procedure.name,
                "line": self.machine.source.line(procedure.span.start),
                "recursive": self.machine.calls().is_recursive(id),
                "reachable": self.machine.calls().is_reachable(id),
                "calls": self.callees(id),
                "starts": self.started(id),
                "modifies": self.globals(self.machine.effects().modified(id)),
                "reads": self.globals(self.machine.effects().referenced(id)),
                "relevant": self.slice.is_some().then(|| self.relevant(id)),
                "nodes": procedure.node_ids().map(node).collect::<Vec<_>>(),
            })
        };
        let procedures: Vec<_> = self.machine.procedure_ids().map(procedure).collect();
        let object = json!({ "file": self.machine.source.name(), "procedures": procedures });
        format!("{object}\n")
    }
}

impl AtNode {
    fn to_text(&self) -> String {
        let mut words = Vec::new();
        if self.is_reached {
            words.push(format!("live {{{}}}", self.live.join(", ")));
            if !self.constants.is_empty() {
                let equal = |(name, value): &(String, u64)| format!("{name} = {value}");
                let constants: Vec<String> = self.constants.iter().map(equal).collect();
                words.push(format!("constant {{{}}}", constants.join(", ")));
            }
        } else {
            words.push("never reached".to_owned());
        }
        if !self.is_kept {
            words.push("sliced away".to_owned());
        }
        format!("  line {:<4} {}\n", self.line, words.join(", "))
    }
}
