//! Places that can be asked for, and what a reader calls them.
//!
//! A target carries everything by which a reader tells it from others: procedure, line, column and
//! text. Two assertions on one line are two targets. Whoever judges evidence asks
//! [`Target::is_of`]: what was proved must be what a reader sees.

use hardbop_machine::Check;
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Machine, NodeId};
use serde::{Deserialize, Serialize};

/// A place that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Target {
    /// The node; reached when it is the node of some thread's top frame.
    pub node: NodeId,
    /// Which kind of place it is.
    #[serde(flatten)]
    pub kind: TargetKind,
    /// The procedure, as in [`hardbop_machine::Procedure::name`].
    pub procedure: String,
    /// One-based line.
    pub line: u32,
    /// One-based column in characters.
    pub column: u32,
    /// The first line of the statement's text.
    pub text: String,
}

/// Which kind of place a target is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TargetKind {
    /// An assertion fails.
    Assertion,
    /// A label is reached.
    Label {
        /// The label.
        label: String,
    },
    /// A statement is reached.
    Line,
    /// A procedure is called: its entry is reached.
    Call {
        /// The procedure.
        function: String,
    },
}

/// Longer texts are cut; the full one stands in the source.
const MAX_TEXT: usize = 80;

impl Target {
    /// The target at a node. An assertion's node is the one where it has failed.
    pub fn new(machine: &Machine, node: NodeId, kind: TargetKind) -> Self {
        let span = machine.node(node).span;
        let (line, column) = machine.source.line_column(span.start);
        let text = machine.claim(node);
        Self {
            node,
            kind,
            procedure: machine.procedure(machine.procedure_of(node)).name.clone(),
            line,
            column,
            text: text.chars().take(MAX_TEXT).collect(),
        }
    }

    /// Every assertion of the program.
    pub fn assertions(machine: &Machine) -> Vec<Self> {
        let all = machine.assertions.iter();
        all.map(|assertion| Self::new(machine, assertion.failure, TargetKind::Assertion))
            .collect()
    }

    /// Every label of that name, or with `procedure:label` the one in that procedure.
    pub fn labels(machine: &Machine, text: &str) -> Vec<Self> {
        let matches = |name: &str, procedure: &str| {
            name == text
                || text
                    .strip_suffix(name)
                    .and_then(|rest| rest.strip_suffix(':'))
                    == Some(procedure)
        };
        let targets = machine.labels.iter().filter_map(|label| {
            let procedure = &machine.procedure(machine.procedure_of(label.node)).name;
            let kind = TargetKind::Label {
                label: label.name.clone(),
            };
            matches(&label.name, procedure).then(|| Self::new(machine, label.node, kind))
        });
        targets.collect()
    }

    /// Every call of a function: the entry of its procedure, and the assertions that represent calls
    /// which are errors.
    pub fn calls(machine: &Machine, function: &str) -> Vec<Self> {
        let is_error = |failure: NodeId| match machine.check_of(failure) {
            Check::NoCall { function: called } => called == function,
            _ => false,
        };
        let assertions = machine.assertions.iter().map(|assertion| assertion.failure);
        let errors = assertions.filter(|&failure| is_error(failure));
        let errors = errors.map(|failure| Self::new(machine, failure, TargetKind::Assertion));
        let named = machine.procedures.iter().filter(|p| p.name == function);
        let entries = named.map(|procedure| {
            let function = function.to_owned();
            Self::new(machine, procedure.entry, TargetKind::Call { function })
        });
        errors.chain(entries).collect()
    }

    /// Every statement that starts on a line.
    pub fn on_line(machine: &Machine, line: u32) -> Vec<Self> {
        let on_line = machine.node_ids().filter(|&id| {
            machine.node(id).kind == NodeKind::Statement && machine.line_of(id) == line
        });
        on_line
            .map(|node| Self::new(machine, node, TargetKind::Line))
            .collect()
    }

    /// All assertions and all labels.
    pub fn all(machine: &Machine) -> Vec<Self> {
        let mut targets = Self::assertions(machine);
        let names = machine.labels.iter().map(|label| label.name.as_str());
        let names: std::collections::BTreeSet<&str> = names.collect();
        for name in names {
            targets.extend(Self::labels(machine, name));
        }
        targets
    }

    /// Whether the machine has this place, under this name.
    pub fn is_of(&self, machine: &Machine) -> bool {
        if self.node.index() >= machine.nodes.len() {
            return false;
        }
        let exists = match &self.kind {
            TargetKind::Assertion => machine.node(self.node).kind.is_failure(),
            TargetKind::Label { label } => {
                let first = machine.labels.partition_point(|l| l.node < self.node);
                let here = machine.labels[first..].iter();
                let mut here = here.take_while(|l| l.node == self.node);
                here.any(|known| known.name == *label)
            }
            TargetKind::Line => machine.node(self.node).kind == NodeKind::Statement,
            TargetKind::Call { function } => {
                let procedure = machine.procedure(machine.procedure_of(self.node));
                procedure.entry == self.node && procedure.name == *function
            }
        };
        exists && Self::new(machine, self.node, self.kind.clone()) == *self
    }

    /// Whether reaching it is an error of the program.
    pub fn is_assertion(&self) -> bool {
        self.kind == TargetKind::Assertion
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            line,
            column,
            procedure,
            text,
            ..
        } = self;
        write!(f, "{line}:{column} {procedure}: ")?;
        match &self.kind {
            TargetKind::Assertion => write!(f, "{text}"),
            TargetKind::Label { label } => write!(f, "label {label}"),
            TargetKind::Line => write!(f, "statement {text}"),
            TargetKind::Call { function } => write!(f, "call of {function}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "decl g;\nvoid main() begin\n  assert(g); assert(!g | g);\n  L: skip;\nend\n";

    fn machine() -> Machine {
        hardbop_machine::from_text("t.bp", TEXT).expect("the program is valid")
    }

    #[test]
    fn two_assertions_on_a_line_are_told_apart() {
        let targets = Target::assertions(&machine());
        let shown: Vec<String> = targets.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["3:3 main: assert(g)", "3:14 main: assert(!g | g)"]);
    }

    #[test]
    fn a_target_is_of_a_machine_only_under_its_own_name() {
        let machine = machine();
        let targets = Target::all(&machine);
        assert_eq!(targets.len(), 3);
        assert!(targets.iter().all(|target| target.is_of(&machine)));
        let changes: [fn(&mut Target); 6] = [
            |t| t.node = NodeId(0),
            |t| t.node = NodeId(4711),
            |t| t.line += 1,
            |t| t.column += 1,
            |t| t.text.push('x'),
            |t| t.procedure.push('x'),
        ];
        for target in &targets {
            for change in changes {
                let mut changed = target.clone();
                change(&mut changed);
                assert!(!changed.is_of(&machine), "{changed:?}");
            }
        }
    }
}
