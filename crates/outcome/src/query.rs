//! What is asked: can any of these places be reached?

use hardbop_machine::{Machine, NodeId};
use serde::{Deserialize, Serialize};

/// Some targets of one machine. An engine answers each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The places that are asked for.
    pub targets: Vec<Target>,
}

/// A place that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The node; reached when it is the node of some thread's top frame.
    pub node: NodeId,
    /// What the user calls it.
    #[serde(flatten)]
    pub kind: TargetKind,
}

/// What the user calls a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TargetKind {
    /// The assertion on this line fails.
    Assertion {
        /// One-based line of the assertion.
        line: u32,
    },
    /// A label is reached.
    Label {
        /// The procedure, as in [`hardbop_machine::Procedure::name`].
        procedure: String,
        /// The label.
        label: String,
    },
    /// Some statement on this line is reached.
    Line {
        /// One-based line.
        line: u32,
    },
}

impl Query {
    /// Every assertion of the program.
    pub fn assertions(machine: &Machine) -> Self {
        let targets = machine.assertions.iter().map(|assertion| Target {
            node: assertion.failure,
            kind: TargetKind::Assertion {
                line: machine.source.line(assertion.span.start),
            },
        });
        Self {
            targets: targets.collect(),
        }
    }

    /// Every label of that name, or with `procedure:label` the one in that procedure.
    pub fn label(machine: &Machine, text: &str) -> Self {
        let matches = |name: &str, procedure: &str| {
            name == text
                || text
                    .strip_suffix(name)
                    .and_then(|rest| rest.strip_suffix(':'))
                    == Some(procedure)
        };
        let targets = machine.labels.iter().filter_map(|label| {
            let procedure = &machine.procedure(machine.procedure_of(label.node)).name;
            matches(&label.name, procedure).then(|| Target {
                node: label.node,
                kind: TargetKind::Label {
                    procedure: procedure.clone(),
                    label: label.name.clone(),
                },
            })
        });
        Self {
            targets: targets.collect(),
        }
    }

    /// Every statement that starts on a line.
    pub fn line(machine: &Machine, line: u32) -> Self {
        let on_line = machine.node_ids().filter(|&id| {
            machine.node(id).kind == hardbop_machine::ir::NodeKind::Statement
                && machine.line_of(id) == line
        });
        Self {
            targets: on_line
                .map(|node| Target {
                    node,
                    kind: TargetKind::Line { line },
                })
                .collect(),
        }
    }
}

impl std::fmt::Display for TargetKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TargetKind::Assertion { line } => write!(f, "assertion on line {line}"),
            TargetKind::Label { procedure, label } => write!(f, "label {procedure}:{label}"),
            TargetKind::Line { line } => write!(f, "line {line}"),
        }
    }
}
