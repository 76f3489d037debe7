//! The values that an execution takes from outside, in their order.

use crate::Refused;
use hardbop_c::{Site, SiteKind};
use hardbop_evidence::Trace;
use hardbop_interpreter::{Configuration, Walk, Walked, WalkedKind};
use hardbop_machine::{Action, EdgeId, Machine, ProcId, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of an execution that is worth compiling.
const MOST_STEPS: u64 = 1_000_000;

/// A value from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// A function without a body, or a variable as [`local_key`] names it.
    pub what: String,
    /// The line of the call; 0 if that does not matter.
    pub line: u32,
    pub value: u64,
}

/// The inputs of an execution, and what is doubtful about them.
pub(crate) struct Taken {
    pub inputs: Vec<Input>,
    pub doubts: Vec<String>,
}

/// The name of a local among the inputs.
pub(crate) fn local_key(function: &str, variable: &str) -> String {
    format!("{function}.{variable}")
}

/// The inputs of the execution of a trace.
pub(crate) fn of_trace(machine: &Machine, trace: &Trace, sites: &[Site]) -> Result<Taken, Refused> {
    let mut taker = Taker::new(machine, sites);
    let wrong = |error: &dyn std::fmt::Display| Refused::NotARun(error.to_string());
    let walk = Walk::expanded_within(machine, trace, MOST_STEPS);
    let mut walk = walk.map_err(|error| wrong(&error))?;
    taker.start(walk.configuration());
    loop {
        let result = taker.result(walk.configuration());
        let Some(step) = walk.next() else {
            break;
        };
        let step = step.map_err(|error| wrong(&error))?;
        taker.step(&step, walk.configuration(), result)?;
    }
    Ok(Taken {
        inputs: taker.inputs,
        doubts: taker.doubts.into_iter().collect(),
    })
}

struct Taker<'a> {
    machine: &'a Machine,
    sites: &'a [Site],
    /// Functions without a body.
    outside: BTreeSet<&'a str>,
    /// Variables that are arbitrary each time their declaration is reached, by its place.
    renewed: BTreeMap<EdgeId, String>,
    inputs: Vec<Input>,
    doubts: BTreeSet<String>,
}

impl<'a> Taker<'a> {
    fn new(machine: &'a Machine, sites: &'a [Site]) -> Self {
        let outside = sites.iter().filter_map(|site| match &site.kind {
            SiteKind::Outside { function } => Some(function.as_str()),
            _ => None,
        });
        Self {
            machine,
            sites,
            outside: outside.collect(),
            renewed: renewed(machine, sites),
            inputs: Vec::new(),
            doubts: BTreeSet::new(),
        }
    }

    fn push(&mut self, what: String, line: u32, value: u64) {
        self.inputs.push(Input { what, line, value });
    }

    fn start(&mut self, configuration: &Configuration) {
        let globals = self.machine.globals.iter().zip(&configuration.shared);
        for (global, &value) in globals {
            // A local whose address is taken gets its value where it is declared.
            let is_local = global.name.contains("::");
            if global.initial.is_none() && !is_local {
                self.push(global.name.clone(), 0, value);
            }
        }
        self.entered(configuration);
    }

    /// The locals of a function that has just been entered.
    fn entered(&mut self, configuration: &Configuration) {
        let Some(top) = configuration.top(0) else {
            return;
        };
        let procedure = self.machine.procedure(self.machine.procedure_of(top.node));
        for (local, &value) in procedure.locals.iter().zip(&top.locals) {
            let key = local_key(&procedure.name, &local.name);
            if !self.renewed.values().any(|other| *other == key) {
                self.push(key, 0, value);
            }
        }
    }

    /// The result of the function that is being executed, if it has no body.
    fn result(&self, configuration: &Configuration) -> Option<(ProcId, u64)> {
        let top = configuration.top(0)?;
        let id = self.machine.procedure_of(top.node);
        let procedure = self.machine.procedure(id);
        if !self.outside.contains(procedure.name.as_str()) {
            return None;
        }
        let result = procedure.results().next()?;
        Some((id, *top.locals.get(result.index())?))
    }

    fn step(
        &mut self,
        step: &Walked,
        after: &Configuration,
        result: Option<(ProcId, u64)>,
    ) -> Result<(), Refused> {
        match step.kind {
            WalkedKind::Edge(edge) => self.edge(edge, step, after),
            WalkedKind::Enter(edge) => {
                self.edge(edge, step, after);
                self.entered(after);
            }
            WalkedKind::Call { .. } => return Err(Refused::TooLong(MOST_STEPS)),
            WalkedKind::Return => {
                if let Some((procedure, value)) = result {
                    let function = self.machine.procedure(procedure).name.clone();
                    self.push(function, 0, value);
                }
            }
        }
        Ok(())
    }

    fn edge(&mut self, edge: EdgeId, step: &Walked, after: &Configuration) {
        let procedure = self.machine.procedure(self.machine.procedure_of(step.node));
        if self.outside.contains(procedure.name.as_str()) || step.inputs.is_empty() {
            return;
        }
        if let Some(key) = self.renewed.get(&edge).cloned() {
            if let Some(value) = assigned(self.machine, edge, after) {
                self.push(key, 0, value);
            }
            return;
        }
        let span = self.machine.edge(edge).span;
        let line = self.machine.source.line(span.start);
        let is_inside = |site: &&Site| span.start <= site.span.start && site.span.end <= span.end;
        let calls = self.sites.iter().filter(is_inside);
        let calls: Vec<(&str, u32)> = calls
            .filter_map(|site| match &site.kind {
                SiteKind::Choice { function } => Some((function.as_str(), site.span.start)),
                _ => None,
            })
            .collect();
        if calls.len() != step.inputs.len() {
            let doubt = format!("line {line} reads a value that cannot be forced");
            self.doubts.insert(doubt);
            return;
        }
        if calls.len() > 1 {
            let doubt = format!("line {line} has several inputs, in an order that C leaves open");
            self.doubts.insert(doubt);
        }
        for ((function, place), &value) in calls.into_iter().zip(&step.inputs) {
            let line = self.machine.source.line(place);
            self.push(function.to_owned(), line, value);
        }
    }
}

/// The edges at which locals become arbitrary, with the locals.
fn renewed(machine: &Machine, sites: &[Site]) -> BTreeMap<EdgeId, String> {
    let declared = sites.iter().filter_map(|site| match &site.kind {
        SiteKind::Local { function, .. } => Some((site.span, function)),
        _ => None,
    });
    let declared: BTreeMap<_, _> = declared.collect();
    let mut renewed = BTreeMap::new();
    for id in machine.edge_ids() {
        let edge = machine.edge(id);
        let Some(function) = declared.get(&edge.span) else {
            continue;
        };
        if let Action::Assign { assignments, .. } = &edge.action
            && let Some((variable, _)) = assignments.iter().next()
            && !edge.inputs.is_empty()
        {
            let procedure = machine.procedure_of(edge.from);
            let name = machine.name_of(procedure, *variable);
            let key = match variable {
                Variable::Global(_) => name.to_owned(),
                Variable::Local(_) => local_key(function, name),
            };
            renewed.insert(id, key);
        }
    }
    renewed
}

/// The value that an edge has given to the variable that it assigns.
fn assigned(machine: &Machine, edge: EdgeId, after: &Configuration) -> Option<u64> {
    let Action::Assign { assignments, .. } = &machine.edge(edge).action else {
        return None;
    };
    let (variable, _) = assignments.iter().next()?;
    match variable {
        Variable::Global(global) => after.shared.get(global.index()).copied(),
        Variable::Local(local) => after.top(0)?.locals.get(local.index()).copied(),
    }
}
