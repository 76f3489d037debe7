//! One edge of the machine as a list of constraints between the state before and the state after.
//!
//! Choices (`*`) are existentially quantified in the end, and quantified variables cost a solver
//! more than anything else. Most can go before it sees them: `x := *` leaves `x` open; a choice
//! that is the new value of `x` *is* `x` after the step, wherever else it occurs; one that occurs
//! in few constraints is tried with both values. Only the rest becomes [`Part::Exists`].

use hardbop_machine::bits::{BitEdge, BitGraph, BitId, BitNode};
use hardbop_machine::{InputId, Variable};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A constraint. Formulae speak of the state before by [`BitNode::Var`] and of the state after by
/// [`BitNode::Next`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A formula holds.
    Holds(BitId),
    /// A bit has this value afterwards.
    Becomes(Variable, u8, BitId),
    /// A bit keeps its value.
    Keeps(Variable, u8),
    /// One of these lists holds.
    AnyOf(Vec<Vec<Part>>),
    /// All of these hold for some values of the choices.
    Exists(Vec<(InputId, u8)>, Vec<Part>),
}

impl Part {
    /// The formula of a constraint that has one.
    fn formula(&self) -> Option<BitId> {
        match *self {
            Part::Holds(root) | Part::Becomes(_, _, root) => Some(root),
            _ => None,
        }
    }
}

/// A choice's bit.
type Choice = (InputId, u8);

/// So many choices are expanded; each doubles the constraints they occur in.
const EXPANDED_CHOICES: usize = 2;

/// What an edge asks of the states before and after it. `after` lists the bits that matter
/// afterwards; only those are constrained. A variable that is not visible becomes a choice.
pub(crate) fn edge_parts(
    graph: &mut BitGraph,
    edge: &BitEdge,
    after: &[(Variable, u8)],
    is_visible: &dyn Fn(Variable, u8) -> bool,
) -> Vec<Part> {
    let wanted: BTreeSet<(Variable, u8)> = after.iter().copied().collect();
    let values: BTreeMap<(Variable, u8), BitId> = edge
        .assignments
        .iter()
        .map(|a| ((a.variable, a.bit), a.value))
        .collect();
    // A choice that becomes the value of a bit is that bit.
    let mut named: FxHashMap<BitNode, BitId> = FxHashMap::default();
    let mut open: BTreeSet<(Variable, u8)> = BTreeSet::new();
    for (&(variable, bit), &value) in &values {
        let node = graph.get(value);
        if wanted.contains(&(variable, bit))
            && matches!(node, BitNode::Input(..))
            && !named.contains_key(&node)
        {
            named.insert(node, graph.leaf(BitNode::Next(variable, bit)));
            open.insert((variable, bit));
        }
    }
    let constrain = substitute(graph, edge.constrain, &|_, node| match node {
        BitNode::Next(variable, bit) if !wanted.contains(&(variable, bit)) => {
            Some(match values.get(&(variable, bit)) {
                Some(&value) => Replacement::Formula(value),
                None => Replacement::Leaf(BitNode::Var(variable, bit)),
            })
        }
        _ => None,
    });
    let by_name = |_: &BitGraph, node: BitNode| named.get(&node).copied().map(Replacement::Formula);
    let named_in = |graph: &mut BitGraph, root: BitId| {
        if named.is_empty() {
            return root;
        }
        substitute(graph, root, &by_name)
    };
    let mut parts = Vec::new();
    for condition in [edge.guard, constrain] {
        let condition = named_in(graph, condition);
        if condition != BitId::TRUE {
            parts.push(Part::Holds(condition));
        }
    }
    for &(variable, bit) in after {
        match values.get(&(variable, bit)) {
            _ if open.contains(&(variable, bit)) => {}
            Some(&value) => {
                let value = named_in(graph, value);
                parts.push(Part::Becomes(variable, bit, value));
            }
            None => parts.push(Part::Keeps(variable, bit)),
        }
    }
    without_the_unseen(graph, edge, parts, is_visible)
}

/// The values that a call's arguments give to parameters of the callee, where the guard holds.
pub(crate) fn argument_parts(
    graph: &mut BitGraph,
    edge: &BitEdge,
    is_wanted: impl Fn(Variable) -> bool,
    is_visible: &dyn Fn(Variable, u8) -> bool,
) -> Vec<Part> {
    let mut parts = Vec::new();
    if edge.guard != BitId::TRUE {
        parts.push(Part::Holds(edge.guard));
    }
    for argument in edge.arguments.iter().filter(|a| is_wanted(a.variable)) {
        parts.push(Part::Becomes(
            argument.variable,
            argument.bit,
            argument.value,
        ));
    }
    without_the_unseen(graph, edge, parts, is_visible)
}

/// The constraints without variables that are not visible and without choices.
fn without_the_unseen(
    graph: &mut BitGraph,
    edge: &BitEdge,
    parts: Vec<Part>,
    is_visible: &dyn Fn(Variable, u8) -> bool,
) -> Vec<Part> {
    let (parts, is_any_hidden) = without_invisible(graph, edge, parts, is_visible);
    if !is_any_hidden && edge.input_bits() == 0 {
        return parts;
    }
    without_choices(graph, parts)
}

/// The constraints with choices in the place of variables that are not visible, and whether there
/// were such variables. Such constraints
/// are on edges from which no target can be reached, where it does no harm if more is possible.
fn without_invisible(
    graph: &mut BitGraph,
    edge: &BitEdge,
    parts: Vec<Part>,
    is_visible: &dyn Fn(Variable, u8) -> bool,
) -> (Vec<Part>, bool) {
    // All invisible bits, each with a number of its own after those of the edge's choices.
    let mut hidden: BTreeMap<(Variable, u8), u32> = BTreeMap::new();
    for root in parts.iter().filter_map(Part::formula) {
        for id in graph.cone([root]) {
            if let BitNode::Var(variable, bit) = graph.get(id)
                && !is_visible(variable, bit)
            {
                let next = edge.input_bits() + hidden.len() as u32;
                hidden.entry((variable, bit)).or_insert(next);
            }
        }
    }
    if hidden.is_empty() {
        return (parts, false);
    }
    let choice = |_: &BitGraph, node: BitNode| match node {
        BitNode::Var(variable, bit) => {
            let number = *hidden.get(&(variable, bit))?;
            Some(Replacement::Leaf(BitNode::Input(InputId(number), 0)))
        }
        _ => None,
    };
    let parts = parts.into_iter().map(|part| match part {
        Part::Holds(root) => Part::Holds(substitute(graph, root, &choice)),
        Part::Becomes(variable, bit, root) => {
            Part::Becomes(variable, bit, substitute(graph, root, &choice))
        }
        other => other,
    });
    (parts.collect(), true)
}

/// What stands for a leaf.
enum Replacement {
    Formula(BitId),
    Leaf(BitNode),
}

/// A formula with some leaves replaced.
fn substitute(
    graph: &mut BitGraph,
    root: BitId,
    replacement: &dyn Fn(&BitGraph, BitNode) -> Option<Replacement>,
) -> BitId {
    let cone = graph.cone([root]);
    if let [only] = cone[..] {
        return match replacement(graph, graph.get(only)) {
            Some(Replacement::Formula(formula)) => formula,
            Some(Replacement::Leaf(leaf)) => graph.leaf(leaf),
            None => only,
        };
    }
    let mut made: FxHashMap<BitId, BitId> = FxHashMap::default();
    for id in cone {
        let node = graph.get(id);
        let new = match replacement(graph, node) {
            Some(Replacement::Formula(formula)) => formula,
            Some(Replacement::Leaf(leaf)) => graph.leaf(leaf),
            None => match node {
                BitNode::Not(a) => graph.not(made[&a]),
                BitNode::And(a, b) => graph.and(made[&a], made[&b]),
                BitNode::Or(a, b) => graph.or(made[&a], made[&b]),
                BitNode::Xor(a, b) => graph.xor(made[&a], made[&b]),
                BitNode::Ite(c, a, b) => graph.ite(made[&c], made[&a], made[&b]),
                _ => id,
            },
        };
        made.insert(id, new);
    }
    made[&root]
}

/// The choices that a constraint mentions.
fn choices_of(graph: &BitGraph, part: &Part) -> BTreeSet<Choice> {
    let leaves = graph
        .cone(part.formula())
        .into_iter()
        .map(|id| graph.get(id));
    leaves
        .filter_map(|leaf| match leaf {
            BitNode::Input(input, bit) => Some((input, bit)),
            _ => None,
        })
        .collect()
}

/// Quantifies all choices, in groups of constraints that share some.
fn without_choices(graph: &mut BitGraph, parts: Vec<Part>) -> Vec<Part> {
    let mut done = Vec::new();
    let mut groups: Vec<(BTreeSet<Choice>, Vec<Part>)> = Vec::new();
    for part in parts {
        let mut choices = choices_of(graph, &part);
        if choices.is_empty() {
            done.push(part);
            continue;
        }
        let mut members = vec![part];
        let (sharing, others): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|(theirs, _)| !theirs.is_disjoint(&choices));
        for (theirs, their_members) in sharing {
            choices.extend(theirs);
            members.extend(their_members);
        }
        groups = others;
        groups.push((choices, members));
    }
    for (choices, members) in groups {
        let choices: Vec<Choice> = choices.into_iter().collect();
        done.push(if choices.len() <= EXPANDED_CHOICES {
            expanded(graph, &choices, &members)
        } else {
            Part::Exists(choices, members)
        });
    }
    done
}

/// The constraints with every combination of values.
fn expanded(graph: &mut BitGraph, choices: &[Choice], members: &[Part]) -> Part {
    let mut cases: Vec<Vec<Part>> = Vec::new();
    for case in 0..1_u32 << choices.len() {
        let value_of = |_: &BitGraph, node: BitNode| {
            let BitNode::Input(input, bit) = node else {
                return None;
            };
            let place = choices.iter().position(|&choice| choice == (input, bit))?;
            let value = BitId::constant(case >> place & 1 == 1);
            Some(Replacement::Formula(value))
        };
        let with_values = members.iter().map(|part| match *part {
            Part::Holds(root) => Part::Holds(substitute(graph, root, &value_of)),
            Part::Becomes(variable, bit, root) => {
                Part::Becomes(variable, bit, substitute(graph, root, &value_of))
            }
            ref other => other.clone(),
        });
        let with_values: Vec<Part> = with_values.collect();
        if !cases.contains(&with_values) && !with_values.contains(&Part::Holds(BitId::FALSE)) {
            cases.push(with_values);
        }
    }
    Part::AnyOf(cases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::bits::BitView;
    use hardbop_machine::{Action, GlobalId, Machine};

    const G: Variable = Variable::Global(GlobalId(0));
    const H: Variable = Variable::Global(GlobalId(1));

    /// The parts of the first assignment of a program, with all of some variables wanted
    /// afterwards.
    fn parts(statement: &str, after: &[Variable]) -> (Vec<Part>, BitGraph) {
        let text = format!("decl g, h; void main() begin {statement} end");
        let machine: Machine = hardbop_machine::from_text("test.bp", &text).expect("a program");
        let is_assignment = |edge: &hardbop_machine::EdgeId| {
            matches!(machine.edge(*edge).action, Action::Assign { .. })
        };
        let edge = machine
            .edge_ids()
            .find(is_assignment)
            .expect("an assignment");
        let mut view = BitView::new(&machine);
        let bits = view.edge(edge);
        let after: Vec<(Variable, u8)> = after.iter().map(|&variable| (variable, 0)).collect();
        let parts = edge_parts(view.graph_mut(), &bits, &after, &|_, _| true);
        (parts, view.graph().clone())
    }

    #[test]
    fn an_arbitrary_value_says_nothing() {
        assert_eq!(parts("g := *;", &[G, H]).0, [Part::Keeps(H, 0)]);
    }

    #[test]
    fn a_choice_that_is_stored_is_known_by_its_place() {
        let (parts, graph) = parts("g, h := *, * constrain ('g | 'h);", &[G, H]);
        let [Part::Holds(either)] = parts[..] else {
            panic!("{parts:?}");
        };
        let leaves = graph.cone([either]).into_iter().map(|id| graph.get(id));
        let leaves: Vec<BitNode> = leaves.filter(|leaf| leaf.operands().count() == 0).collect();
        assert_eq!(leaves, [BitNode::Next(G, 0), BitNode::Next(H, 0)]);
    }

    #[test]
    fn what_a_constraint_says_of_a_variable_that_does_not_matter_is_kept() {
        // The new h is false, so the step is possible only if g holds.
        let (parts, _) = parts("h := h & !h constrain ('h | g);", &[G]);
        let conditions: Vec<&Part> = parts
            .iter()
            .filter(|p| matches!(p, Part::Holds(_)))
            .collect();
        assert_eq!(conditions.len(), 1, "{parts:?}");
    }

    #[test]
    fn few_choices_are_expanded_and_many_are_quantified() {
        let (few, _) = parts("g := h | (g & *);", &[G]);
        assert!(
            matches!(&few[..], [Part::AnyOf(cases)] if cases.len() == 2),
            "{few:?}"
        );
        let (many, _) = parts("g := (h & *) != ((g & *) != (h | *));", &[G]);
        assert!(
            matches!(&many[..], [Part::Exists(choices, _)] if choices.len() == 3),
            "{many:?}"
        );
    }
}
