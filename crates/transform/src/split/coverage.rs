//! One question about every statement and every branch of a program.
//!
//! [`CoverageQuestion`] is a machine in which every way out of a condition has a node of its own,
//! so that a search that decides which nodes are reachable also decides which branches are taken.
//! Its answers, put together, are a [`Coverage`].

use super::{Split, split_edges};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Action, EdgeId, Machine, NodeId};
use hardbop_outcome::coverage::{Condition, ConditionKind, Place, VERSION};
use hardbop_outcome::{Coverage, Question, Reach, Target, TargetKind};

/// A machine to ask about, and where the answers belong.
#[derive(Clone, Debug)]
pub struct CoverageQuestion<'m> {
    original: &'m Machine,
    split: Split,
    conditions: Vec<(NodeId, ConditionKind, WaysOut)>,
}

/// The edges that leave a condition.
#[derive(Clone, Copy, Debug)]
struct WaysOut {
    holds: EdgeId,
    fails: Option<EdgeId>,
}

impl<'m> CoverageQuestion<'m> {
    /// The question about all of a program.
    pub fn new(machine: &'m Machine) -> Self {
        let mut conditions = Vec::new();
        let mut is_way_out = vec![false; machine.edges.len()];
        for node in machine.node_ids() {
            if let Some((kind, ways)) = condition_at(machine, node) {
                conditions.push((node, kind, ways));
                for edge in std::iter::once(ways.holds).chain(ways.fails) {
                    is_way_out[edge.index()] = true;
                }
            }
        }
        Self {
            original: machine,
            split: split_edges(machine, &Question::reach(Vec::new()), |edge| {
                is_way_out[edge.index()]
            }),
            conditions,
        }
    }

    /// The machine whose nodes are asked for. Its runs are those of the program, with steps that do
    /// nothing in between.
    pub fn machine(&self) -> &Machine {
        &self.split.machine
    }

    /// A target for every node.
    pub fn question(&self) -> Question {
        let machine = &self.split.machine;
        let nodes = machine.node_ids();
        let targets = nodes.map(|node| Target::new(machine, node, TargetKind::Line));
        Question::reach(targets.collect())
    }

    /// What the answers say. `reach` is asked about nodes of [`CoverageQuestion::machine`].
    pub fn coverage(&self, reach: impl Fn(NodeId) -> Reach) -> Coverage {
        let machine = self.original;
        let at = |node: NodeId| reach(self.split.nodes[node.index()]);
        let through = |edge: EdgeId| match self.split.middles[edge.index()] {
            Some(middle) => reach(middle),
            None => Reach::Unknown,
        };
        let statements = machine.node_ids().filter_map(|node| {
            let is_end = match machine.node(node).kind {
                NodeKind::Statement => false,
                NodeKind::Exit => true,
                NodeKind::Internal | NodeKind::Failure | NodeKind::OutOfRange => return None,
            };
            let (line, column) = machine.source.line_column(machine.node(node).span.start);
            Some(Place {
                procedure: machine.procedure(machine.procedure_of(node)).name.clone(),
                line,
                column,
                is_end,
                reach: at(node),
            })
        });
        let conditions = self.conditions.iter().map(|&(node, kind, ways)| {
            let (line, column) = machine.source.line_column(machine.node(node).span.start);
            Condition {
                procedure: machine.procedure(machine.procedure_of(node)).name.clone(),
                line,
                column,
                kind,
                reach: at(node),
                holds: through(ways.holds),
                fails: ways.fails.map(through),
            }
        });
        let asserted = machine.assertions.iter().map(|assertion| assertion.node);
        let ends = machine
            .threads
            .iter()
            .map(|thread| machine.procedure(thread.entry).exit);
        let mut decisive = asserted.chain(ends);
        Coverage {
            version: VERSION,
            file: machine.source.name().to_owned(),
            statements: statements.collect(),
            conditions: conditions.collect(),
            vacuous: !machine.assertions.is_empty()
                && decisive.all(|node| at(node) == Reach::Unreachable),
        }
    }
}

/// Whether a node is a condition, and which edge is which way out of it.
///
/// The lowering makes the edge for "holds" first. A `goto` also has edges that do nothing, but all
/// under one guard.
fn condition_at(machine: &Machine, node: NodeId) -> Option<(ConditionKind, WaysOut)> {
    if machine.node(node).kind != NodeKind::Statement {
        return None;
    }
    let edges = machine.edges_from(node);
    let edges = edges.filter(|&edge| !machine.checks_index(edge));
    let edges: Vec<EdgeId> = edges.take(3).collect();
    let skips = |edge: &EdgeId| machine.edge(*edge).action == Action::Skip;
    if !edges.iter().all(skips) {
        return None;
    }
    let text = machine.source.slice(machine.node(node).span);
    match edges[..] {
        [holds, fails] if !text.starts_with("goto") => {
            let leads_to_failure = machine.node(machine.edge(fails).to).kind == NodeKind::Failure;
            let kind = if leads_to_failure {
                ConditionKind::Assert
            } else {
                ConditionKind::Branch
            };
            let fails = Some(fails);
            Some((kind, WaysOut { holds, fails }))
        }
        [holds]
            if ["assume", "constrain", "abortif"]
                .iter()
                .any(|word| text.starts_with(word)) =>
        {
            let fails = None;
            Some((ConditionKind::Assume, WaysOut { holds, fails }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes that control flow alone can reach, with edges that are never taken named by their
    /// middle's line.
    fn coverage(text: &str, blocked: impl Fn(&Machine, NodeId) -> bool) -> Coverage {
        let machine = hardbop_machine::from_text("test.bp", text).expect("the program is valid");
        let question = CoverageQuestion::new(&machine);
        question.coverage(|node| {
            if blocked(question.machine(), node) {
                Reach::Unreachable
            } else {
                Reach::Reachable
            }
        })
    }

    const TEXT: &str = "decl g;
        void main() begin
          if (g) then skip; elsif (*) then skip; fi
          while (!g) do goto A, B; A: B: od
          assume(g); abortif g;
          assert(g);
        end";

    #[test]
    fn every_condition_has_its_ways_out_and_a_goto_is_none() {
        let coverage = coverage(TEXT, |_, _| false);
        let conditions = coverage.conditions.iter();
        let found: Vec<_> = conditions
            .map(|c| (c.line, c.kind, c.fails.is_some()))
            .collect();
        let (branch, assume) = (ConditionKind::Branch, ConditionKind::Assume);
        assert_eq!(
            found,
            [
                (3, branch, true),
                (3, branch, true),
                (4, branch, true),
                (5, assume, false),
                (5, assume, false),
                (6, ConditionKind::Assert, true),
            ]
        );
        assert!(coverage.conditions.iter().all(|c| c.finding().is_none()));
    }

    #[test]
    fn the_first_way_out_is_the_one_on_which_the_condition_holds() {
        let machine = hardbop_machine::from_text("test.bp", TEXT).expect("the program is valid");
        let question = CoverageQuestion::new(&machine);
        let (node, _, ways) = question.conditions[0];
        let skip = machine.edge(ways.holds).to;
        assert_eq!(machine.source.slice(machine.node(skip).span), "skip");
        assert!(machine.edge(ways.holds).from == node && machine.line_of(skip) == 3);
        let (_, _, assertion) = question.conditions[5];
        let failure = machine
            .edge(assertion.fails.expect("an assertion has two ways out"))
            .to;
        assert_eq!(failure, machine.assertions[0].failure);
    }

    #[test]
    fn a_program_is_vacuous_if_neither_an_assertion_nor_its_end_is_reached() {
        let behind_line = |line: u32| move |m: &Machine, n: NodeId| m.line_of(n) > line;
        assert!(coverage(TEXT, behind_line(5)).vacuous);
        assert!(
            !coverage(TEXT, behind_line(6)).vacuous,
            "the assertion is reached"
        );
        let without = "void main() begin assume(0); end";
        assert!(
            !coverage(without, |_, _| true).vacuous,
            "there is no verdict"
        );
    }
}
