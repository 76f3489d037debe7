//! One question about every statement and every branch of a program, and what the answers say.
//!
//! [`CoverageQuestion`] is a machine in which every way out of a condition has a node of its own, so that a search that
//! decides which nodes are reachable also decides which branches are taken. Its answers, put together, are a
//! [`Coverage`], with one versioned JSON form: statements that no run reaches, conditions that always come out the
//! same, and whether the program's `assume`s leave nothing to be checked, so that `HOLDS` means nothing.

use crate::question::Question;
use crate::target::{Target, TargetKind};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Action, EdgeId, Machine, NodeId, Split, split_edges};
use serde::{Deserialize, Serialize};

/// Version of the JSON form.
pub const VERSION: u32 = 1;

/// Whether some run gets to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// Some run does.
    Reachable,
    /// No run does.
    Unreachable,
    /// Not known: a limit was hit.
    Unknown,
}

/// What can be reached of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Version of this form.
    #[serde(rename = "hardbop-coverage")]
    pub version: u32,
    /// The name of the source.
    pub file: String,
    /// Every statement and every procedure's `end`, in order of the text.
    pub statements: Vec<Place>,
    /// Every condition, in order of the text.
    pub conditions: Vec<Condition>,
    /// Whether the program has assertions and no run reaches one of them or the end of the program: then that they
    /// hold says nothing. Not known is not vacuous.
    pub vacuous: bool,
}

/// A statement, or the end of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its procedure.
    pub procedure: String,
    /// One-based line.
    pub line: u32,
    /// One-based column in characters.
    pub column: u32,
    /// Whether it is the end of the procedure.
    pub is_end: bool,
    /// Whether some run gets there.
    pub reach: Reach,
}

/// A condition and the ways out of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Its procedure.
    pub procedure: String,
    /// One-based line.
    pub line: u32,
    /// One-based column in characters.
    pub column: u32,
    /// What it decides.
    pub kind: ConditionKind,
    /// Whether some run evaluates it.
    pub reach: Reach,
    /// Whether some run goes on because it holds (for `abortif`: because it does not).
    pub holds: Reach,
    /// Whether some run goes on because it does not hold; nothing where such a run just stops.
    pub fails: Option<Reach>,
}

/// What a condition decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConditionKind {
    /// `if`, `elsif` or `while`.
    Branch,
    /// `assert`
    Assert,
    /// `assume`, `constrain` or `abortif`
    Assume,
}

/// Something remarkable about a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It is evaluated and never false.
    AlwaysTrue,
    /// It is evaluated and never true.
    AlwaysFalse,
    /// It is evaluated and lets no run go on.
    Blocks,
}

impl Condition {
    /// What is remarkable about it, as far as that is known.
    pub fn finding(&self) -> Option<Finding> {
        if self.reach != Reach::Reachable {
            return None;
        }
        match (self.holds, self.fails) {
            (Reach::Unreachable, None | Some(Reach::Unreachable)) => Some(Finding::Blocks),
            (Reach::Unreachable, Some(Reach::Reachable)) => Some(Finding::AlwaysFalse),
            (Reach::Reachable, Some(Reach::Unreachable)) => Some(Finding::AlwaysTrue),
            _ => None,
        }
    }
}

impl Coverage {
    /// Whether a limit left something open.
    pub fn has_unknowns(&self) -> bool {
        let is_unknown = |place: &Place| place.reach == Reach::Unknown;
        let is_open = |condition: &Condition| {
            condition.holds == Reach::Unknown || condition.fails == Some(Reach::Unknown)
        };
        self.statements.iter().any(is_unknown) || self.conditions.iter().any(is_open)
    }
}

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
            split: split_edges(machine, |edge| is_way_out[edge.index()]),
            conditions,
        }
    }

    /// The machine whose nodes are asked for. Its runs are those of the program, with steps that do nothing in between.
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
                NodeKind::Internal | NodeKind::Failure => return None,
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
/// The lowering makes the edge for "holds" first. A `goto` also has edges that do nothing, but all under one guard.
fn condition_at(machine: &Machine, node: NodeId) -> Option<(ConditionKind, WaysOut)> {
    if machine.node(node).kind != NodeKind::Statement {
        return None;
    }
    let edges: Vec<EdgeId> = machine.edges_from(node).take(3).collect();
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

    /// Nodes that control flow alone can reach, with edges that are never taken named by their middle's line.
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
    fn a_way_out_that_is_never_taken_is_a_finding_only_if_the_rest_is_known() {
        let condition = |holds, fails| Condition {
            procedure: "main".to_owned(),
            line: 1,
            column: 1,
            kind: ConditionKind::Branch,
            reach: Reach::Reachable,
            holds,
            fails,
        };
        let (yes, no, open) = (Reach::Reachable, Reach::Unreachable, Reach::Unknown);
        let finding = |holds, fails| condition(holds, fails).finding();
        assert_eq!(finding(yes, Some(no)), Some(Finding::AlwaysTrue));
        assert_eq!(finding(no, Some(yes)), Some(Finding::AlwaysFalse));
        assert_eq!(finding(no, Some(no)), Some(Finding::Blocks));
        assert_eq!(finding(no, None), Some(Finding::Blocks));
        assert_eq!(finding(yes, None), None);
        assert_eq!(finding(open, Some(no)), None);
        assert_eq!(finding(no, Some(open)), None);
        let unreached = Condition {
            reach: no,
            ..condition(no, Some(no))
        };
        assert_eq!(unreached.finding(), None);
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
