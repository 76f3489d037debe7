//! The names of a program in the words of the `.mu` language: which codes labels, lines, variables
//! and threads have, and what `u.lock` means.
//!
//! A label is known by its name alone: `At(u, L)` holds wherever a statement has that label, and
//! `In(u, p)` says in which procedure. A global is known by its name, a local as `procedure.name`,
//! or by its name alone where no other variable has it. Behind a state, `u.x` is the variable that
//! a statement at that place would mean by `x`: the local of that name, else the global.

use crate::encoding::layout::{Class, Layout};
use hardbop_formula::{NamedField, NamedPlace, NamedValues, Vocabulary};
use hardbop_machine::ir::{Label, NodeKind};
use hardbop_machine::{EdgeId, GlobalId, Machine, NodeId, ProcId, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// A variable of a program: a global, or a local of a procedure.
pub(crate) type ProgramVariable = (Option<ProcId>, Variable);

/// The codes of what has a name.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceNames {
    /// Labels by code.
    pub labels: Vec<String>,
    /// Variables by code.
    pub variables: Vec<ProgramVariable>,
    /// Names of the variables by code.
    pub variable_names: Vec<String>,
    /// Threads by code.
    pub threads: Vec<String>,
    /// Lines at which a statement or a step starts, in order.
    pub lines: Vec<u64>,
}

impl SourceNames {
    /// The names of a program.
    ///
    /// A label that several procedures have gets another code for one of them, if that is mentioned
    /// as `procedure.LABEL`.
    pub(crate) fn new(machine: &Machine, mentions: &dyn Fn(&str) -> bool) -> Self {
        let all = || machine.labels.iter();
        let plain = all().map(|label| label.name.clone());
        let is_shared = |label: &&Label| {
            let owner = machine.procedure_of(label.node);
            all().any(|l| l.name == label.name && machine.procedure_of(l.node) != owner)
        };
        let own = all().map(|label| (label, label_of_procedure(machine, label)));
        let own = own.filter(|(label, own)| mentions(own) && is_shared(label));
        let labels: BTreeSet<String> = plain.chain(own.map(|(_, own)| own)).collect();
        let lines = machine.node_ids().map(|node| line_of(machine, node));
        let steps = machine.edge_ids().map(|edge| line_of_step(machine, edge));
        let lines: BTreeSet<u64> = lines.chain(steps).collect();
        let mut variables: Vec<ProgramVariable> = Vec::new();
        let mut variable_names = Vec::new();
        for (id, global) in machine.globals.iter().enumerate() {
            variables.push((None, Variable::Global(GlobalId::new(id))));
            variable_names.push(global.name.clone());
        }
        for id in machine.procedure_ids() {
            let procedure = machine.procedure(id);
            for local in procedure.local_ids() {
                variables.push((Some(id), Variable::Local(local)));
                let name = &procedure.locals[local.index()].name;
                variable_names.push(format!("{}.{name}", procedure.name));
            }
        }
        let mut threads = Vec::new();
        for thread in &machine.threads {
            for number in 1..=thread.instances {
                threads.push(match thread.instances {
                    1 => thread.name.clone(),
                    _ => format!("{}_{number}", thread.name),
                });
            }
        }
        Self {
            labels: labels.into_iter().collect(),
            variables,
            variable_names,
            threads,
            lines: lines.into_iter().collect(),
        }
    }

    /// The code of a variable as seen from a procedure.
    pub(crate) fn variable(&self, procedure: ProcId, variable: Variable) -> u32 {
        let owner = match variable {
            Variable::Global(_) => None,
            Variable::Local(_) => Some(procedure),
        };
        // Globals come first, then the locals of one procedure after the other.
        let place = self.variables.binary_search(&(owner, variable));
        place.expect("every variable has a code") as u32
    }

    /// The names as a text may use them.
    pub(crate) fn vocabulary(&self, machine: &Machine, layout: &Layout) -> Vocabulary {
        let numbered = |names: &[String]| -> BTreeMap<String, u64> {
            names.iter().cloned().zip(0..).collect()
        };
        let modules = machine.procedure_ids().map(|id| {
            let name = machine.procedure(id).name.clone();
            (name, u64::from(layout.module(id)))
        });
        let named = |what, names| NamedValues {
            what,
            names,
            ..NamedValues::default()
        };
        let labels = NamedValues {
            aliases: self.labels_of_procedures(machine),
            ..named("label", numbered(&self.labels))
        };
        let lines = NamedValues {
            what: "line",
            numbers: Some(self.lines.clone()),
            ..NamedValues::default()
        };
        let mut variables = numbered(&self.variable_names);
        for (name, owners) in self.locals_by_name(machine) {
            if let [owner] = owners.as_slice()
                && !variables.contains_key(name)
            {
                let code = self.variable(owner.0, owner.1);
                variables.insert(name.to_owned(), u64::from(code));
            }
        }
        Vocabulary {
            values: [
                ("Module", named("procedure", modules.collect())),
                ("Label", labels),
                ("Variable", named("variable", variables)),
                ("Thread", named("thread", numbered(&self.threads))),
                ("Line", lines),
            ]
            .into_iter()
            .map(|(name, values)| (name.to_owned(), values))
            .collect(),
            fields: self.fields(machine, layout),
            refused: BTreeMap::new(),
            is_open: false,
        }
    }

    /// Labels behind the name of their procedure.
    fn labels_of_procedures(&self, machine: &Machine) -> BTreeMap<String, u64> {
        let code = |label: &Label| self.labels.binary_search(&label.name).unwrap_or_default();
        let labels = machine.labels.iter();
        labels
            .map(|label| (label_of_procedure(machine, label), code(label) as u64))
            .collect()
    }

    /// The procedures with a local of a name, by name.
    fn locals_by_name<'n>(
        &self,
        machine: &'n Machine,
    ) -> BTreeMap<&'n str, Vec<(ProcId, Variable)>> {
        let mut owners: BTreeMap<&str, Vec<(ProcId, Variable)>> = BTreeMap::new();
        for &(owner, variable) in &self.variables {
            if let Some(owner) = owner {
                let name = machine.name_of(owner, variable);
                owners.entry(name).or_default().push((owner, variable));
            }
        }
        owners
    }

    fn fields(&self, machine: &Machine, layout: &Layout) -> BTreeMap<String, NamedField> {
        let mut fields: BTreeMap<String, NamedField> = BTreeMap::new();
        let mut locals = self.locals_by_name(machine);
        for (id, global) in machine.globals.iter().enumerate() {
            let mut meant = locals.remove(global.name.as_str()).unwrap_or_default();
            // Wherever no local hides it; which procedure it is seen from does not matter then.
            meant.push((ProcId(0), Variable::Global(GlobalId::new(id))));
            let field = field(machine, layout, &global.name, &meant);
            fields.insert(global.name.clone(), field);
        }
        for (name, meant) in locals {
            fields.insert(name.to_owned(), field(machine, layout, name, &meant));
        }
        for (&(owner, variable), name) in self.variables.iter().zip(&self.variable_names) {
            if let Some(owner) = owner {
                let field = field(machine, layout, name, &[(owner, variable)]);
                fields.insert(name.clone(), field);
            }
        }
        fields
    }
}

/// A label as that of its procedure.
pub(crate) fn label_of_procedure(machine: &Machine, label: &Label) -> String {
    let owner = machine.procedure(machine.procedure_of(label.node));
    [&owner.name, ".", &label.name].concat()
}

/// Where the variable is that a name means, depending on the procedure.
fn field(
    machine: &Machine,
    layout: &Layout,
    name: &str,
    meant: &[(ProcId, Variable)],
) -> NamedField {
    let width_of =
        |&(owner, variable): &(ProcId, Variable)| machine.type_of(owner, variable).width();
    let width = meant.first().map_or(1, width_of);
    let mut found = NamedField {
        width,
        places: Vec::new(),
        missing: None,
    };
    if meant.iter().any(|one| width_of(one) != width) {
        found.missing = Some(format!(
            "`{name}` has several types; write `procedure.{name}` for one of them"
        ));
        return found;
    }
    for &(owner, variable) in meant {
        let Some(first) = layout.field(owner, variable, (width - 1) as u8) else {
            found.missing = Some(format!(
                "`{name}` has no value here: it does not matter for the targets, and the \
                 relations are sliced"
            ));
            return found;
        };
        let (when, field) = match first.class {
            Class::Global => (None, "CG"),
            Class::Local => (Some(("mod", u64::from(layout.module(owner)))), "CL"),
        };
        found.places.push(NamedPlace {
            when,
            field,
            bits: first.index..first.index + width,
        });
    }
    found
}

/// The one-based line at which the statement of a node starts.
pub(crate) fn line_of(machine: &Machine, node: NodeId) -> u64 {
    u64::from(machine.line_of(node))
}

/// The one-based line at which the text of an edge starts.
pub(crate) fn line_of_step(machine: &Machine, edge: EdgeId) -> u64 {
    u64::from(machine.source.line(machine.edge(edge).span.start))
}

/// A node in one line: line, procedure and the text of its statement.
pub(crate) fn place_text(machine: &Machine, node: NodeId) -> String {
    let line = machine.line_of(node);
    let procedure = &machine.procedure(machine.node(node).procedure).name;
    format!("{line} {procedure}: {}", statement_text(machine, node))
}

/// The statement of a node with its labels, in one line.
pub(crate) fn statement_text(machine: &Machine, node: NodeId) -> String {
    let of = machine.node(node);
    let text = machine.source.slice(of.span);
    let text: Vec<&str> = text
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let text = text.join(" ");
    let labels = machine.labels.iter().filter(|label| label.node == node);
    let labels = labels.map(|label| [&label.name, ": "].concat());
    let labels: String = labels.collect();
    match of.kind {
        NodeKind::Failure => format!("{text} has failed"),
        NodeKind::OutOfRange => format!("{text} is out of range"),
        NodeKind::Internal => format!("within {text}"),
        NodeKind::Statement | NodeKind::Exit => format!("{labels}{text}"),
    }
}
