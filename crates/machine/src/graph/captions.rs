//! What stands on the nodes and edges of a drawn machine. DOT and SVG show the same.

use crate::analysis::Table;
use crate::ids::{EdgeId, NodeId};
use crate::ir::NodeKind;
use crate::machine::Machine;
use crate::text::edge_text;

/// Longer texts are cut, so that one long condition does not push all else out of sight.
const MAX_CHARS: usize = 60;

/// How a node is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeRole {
    /// Where a procedure starts, if nothing more remarkable is true of the node.
    Entry,
    /// Where a procedure ends.
    Exit,
    /// Where an assertion has failed: a target of checks.
    Failure,
    /// A labelled statement: a possible target.
    Labelled,
    /// Any other.
    Plain,
}

/// The texts of a machine's nodes and edges.
pub struct Captions<'m> {
    machine: &'m Machine,
    labels: Table<&'m str>,
}

impl<'m> Captions<'m> {
    /// Collects the labels of a machine.
    pub fn new(machine: &'m Machine) -> Self {
        let labels = machine.labels.iter();
        let pairs = labels.map(|label| (label.node.index(), label.name.as_str()));
        Self {
            machine,
            labels: Table::new(machine.nodes.len(), pairs),
        }
    }

    /// The labels of a node, in order of the text.
    pub fn labels(&self, node: NodeId) -> &[&'m str] {
        self.labels.row(node.index())
    }

    /// What a node is drawn as.
    pub fn role(&self, node: NodeId) -> NodeRole {
        let declaration = self.machine.node(node);
        match declaration.kind {
            kind if kind.is_failure() => NodeRole::Failure,
            _ if !self.labels(node).is_empty() => NodeRole::Labelled,
            NodeKind::Exit => NodeRole::Exit,
            _ if self.machine.procedure(declaration.procedure).entry == node => NodeRole::Entry,
            _ => NodeRole::Plain,
        }
    }

    /// The statement of a node: the first line of its text, cut if long.
    pub fn statement(&self, node: NodeId) -> String {
        let declaration = self.machine.node(node);
        let first_line = self.machine.source.excerpt(declaration.span);
        match declaration.kind {
            NodeKind::Exit => "end".to_owned(),
            NodeKind::Failure | NodeKind::OutOfRange => {
                format!("failed: {}", shorten(&self.machine.claim(node)))
            }
            NodeKind::Internal | NodeKind::Statement => shorten(&first_line),
        }
    }

    /// The caption of a node: `line: statement`, before that its labels.
    pub fn node(&self, node: NodeId) -> String {
        let mut caption = format!("{}: ", self.machine.line_of(node));
        for label in self.labels(node) {
            caption.push_str(label);
            caption.push_str(": ");
        }
        caption.push_str(&self.statement(node));
        caption
    }

    /// The caption of an edge: what it does, cut if long; nothing for `skip`.
    pub fn edge(&self, edge: EdgeId) -> String {
        let text = edge_text(self.machine, edge);
        if text == "skip" {
            String::new()
        } else {
            shorten(&text)
        }
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(MAX_CHARS - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let text = "ä".repeat(100);
        assert_eq!(shorten(&text).chars().count(), MAX_CHARS);
        assert_eq!(shorten("x := 1"), "x := 1");
    }
}
