//! What a reader calls nodes and edges: names for the nodes, and comments in words of the source.

use crate::names::{Names, identifier};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Edge, Machine, NodeId};

/// Longer texts are cut; the source has all of it.
const MAX_TEXT: usize = 80;

/// A name for every node: its label if it has one, otherwise its line; after the name of its
/// procedure, with a separator. Characters that an identifier of C cannot have are replaced.
pub(crate) fn node_names(
    machine: &Machine,
    separator: &str,
    procedure_name: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut names = Names::default();
    let mut labels = machine.labels.iter().peekable();
    let named = machine.node_ids().map(|id| {
        let label = labels.next_if(|label| label.node == id);
        while labels.next_if(|label| label.node == id).is_some() {}
        let node = machine.node(id);
        let procedure = procedure_name(&machine.procedure(node.procedure).name);
        let line = machine.line_of(id);
        let own = match (label, node.kind) {
            (Some(label), _) => identifier(&label.name),
            (None, NodeKind::Exit) => "exit".to_owned(),
            (None, NodeKind::Failure) => format!("{line}{separator}fails"),
            (None, NodeKind::OutOfRange) => format!("{line}{separator}out_of_range"),
            (None, NodeKind::Statement | NodeKind::Internal) => line.to_string(),
        };
        names.fresh(&format!("{procedure}{separator}{own}"))
    });
    named.collect()
}

/// The line and the text of a node.
pub(crate) fn node_text(machine: &Machine, node: NodeId) -> String {
    let text = machine.source.excerpt(machine.node(node).span);
    format!("{}: {}", machine.line_of(node), printable(&text))
}

/// The line and the text of an edge.
pub(crate) fn edge_text(machine: &Machine, edge: &Edge) -> String {
    let line = machine.source.line(edge.span.start);
    let text = machine.source.excerpt(edge.span);
    format!("{line}: {}", printable(&text))
}

/// A text that ends neither a line nor a comment of any language.
pub(crate) fn printable(text: &str) -> String {
    let shown = text.chars().take(MAX_TEXT);
    let shown: String = shown
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    shown.replace("*/", "* /").replace('\\', "/")
}
