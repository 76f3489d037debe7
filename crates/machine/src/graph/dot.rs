//! The machine in the DOT language of Graphviz: one cluster per procedure.
//!
//! Nodes show line and statement, edges what they do. Failed assertions are red, labelled
//! statements yellow, exits have a double border; calls are bold. Calls are not drawn as arrows to
//! the callee: the edge names it, and the graph of each procedure stays readable.

use super::captions::{Captions, NodeRole};
use crate::ids::{NodeId, ProcId};
use crate::ir::Action;
use crate::machine::Machine;
use crate::text::signature;
use std::fmt::Write as _;

/// Some procedures of a machine as a DOT graph.
pub fn to_dot(machine: &Machine, procedures: &[ProcId]) -> String {
    let captions = Captions::new(machine);
    let mut dot = String::new();
    write_graph(&mut dot, machine, procedures, &captions)
        .expect("writing to a string does not fail");
    dot
}

fn write_graph(
    dot: &mut String,
    machine: &Machine,
    procedures: &[ProcId],
    captions: &Captions,
) -> std::fmt::Result {
    writeln!(dot, "digraph {} {{", quoted(machine.source.name()))?;
    writeln!(
        dot,
        "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"monospace\"];"
    )?;
    writeln!(dot, "  edge [fontname=\"monospace\"];")?;
    for &procedure in procedures {
        let caption = quoted(&signature(machine, procedure));
        let body = machine.procedure(procedure);
        writeln!(dot, "  subgraph cluster_{} {{", procedure.0)?;
        writeln!(dot, "    label={caption};")?;
        for node in body.node_ids() {
            let caption = quoted(&captions.node(node));
            let style = node_style(captions.role(node));
            writeln!(dot, "    {} [label={caption}{style}];", name(node))?;
        }
        for id in body.edge_ids() {
            let edge = machine.edge(id);
            let caption = quoted(&captions.edge(id));
            let style = match edge.action {
                Action::Call { .. } => ", style=bold",
                Action::StartThread(_) => ", style=dashed",
                Action::EndThread => {
                    // A thread that ends goes nowhere: the arrow leads to a point of its own.
                    writeln!(dot, "    end{} [shape=point];", id.0)?;
                    writeln!(
                        dot,
                        "    {} -> end{} [label={caption}];",
                        name(edge.from),
                        id.0
                    )?;
                    continue;
                }
                _ => "",
            };
            let (from, to) = (name(edge.from), name(edge.to));
            writeln!(dot, "    {from} -> {to} [label={caption}{style}];")?;
        }
        writeln!(dot, "  }}")?;
    }
    writeln!(dot, "}}")
}

fn name(node: NodeId) -> String {
    format!("n{}", node.0)
}

fn node_style(role: NodeRole) -> &'static str {
    match role {
        NodeRole::Entry => ", penwidth=2",
        NodeRole::Exit => ", peripheries=2",
        NodeRole::Failure => ", fillcolor=\"#ffb3b3\"",
        NodeRole::Labelled => ", fillcolor=\"#fff2b3\"",
        NodeRole::Plain => "",
    }
}

/// A quoted string of DOT. A backslash starts an escape in labels, so it is doubled.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Variable;
    use crate::ir::Label;
    use crate::test_builder::{Builder, call};
    use hardbop_syntax::{Source, Span};

    #[test]
    fn quotes_backslashes_and_line_ends_are_escaped() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
    }

    #[test]
    fn every_procedure_is_a_cluster_with_captions_on_nodes_and_edges() {
        let mut b = Builder::new();
        let flag = b.global("{p==\"x\"}", None);
        let main = b.procedure("main", &[], &[], 0, 2);
        let other = b.procedure("f", &["a"], &[], 0, 1);
        let value = b.var(flag);
        b.edge(main.at(0), main.exit(), None, call(other.id, &[value], &[]));
        b.edge(main.at(0), main.exit(), None, Action::EndThread);
        let machine = b.finish(main.id).changed(|parts| {
            parts.source = Source::new("a.bp", "\nf({p==\"x\"});");
            parts.nodes[0].span = Span::new(1, 12);
            parts.labels.push(Label {
                name: "L".to_owned(),
                node: main.at(0),
                span: Span::default(),
            });
        });
        assert!(matches!(flag, Variable::Global(_)));
        let expected = r##"digraph "a.bp" {
  node [shape=box, style="rounded,filled", fillcolor=white, fontname="monospace"];
  edge [fontname="monospace"];
  subgraph cluster_0 {
    label="main()";
    n0 [label="2: L: f({p==\"x\"})", fillcolor="#fff2b3"];
    n1 [label="1: end", peripheries=2];
    n0 -> n1 [label="call f({p==\"x\"})", style=bold];
    end1 [shape=point];
    n0 -> end1 [label="end_thread"];
  }
  subgraph cluster_1 {
    label="f(a)";
    n2 [label="1: end", peripheries=2];
  }
}
"##;
        assert_eq!(
            to_dot(&machine, &machine.procedure_ids().collect::<Vec<_>>()),
            expected
        );
    }
}
