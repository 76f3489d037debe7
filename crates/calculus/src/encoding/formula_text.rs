//! Formulae over bits as `.mu` text, without recursion.
//!
//! A formula shares its parts, text does not: an adder of n bits written as a tree has 2^n leaves.
//! So where writing it as a tree would take much more room than it has parts, the shared parts get
//! names: `(exists bool t4. (t4 <-> …) & …)`.

use hardbop_machine::Variable;
use hardbop_machine::bits::{BitGraph, BitId, BitNode};
use std::collections::{HashMap, HashSet};

/// What a bit of a variable is called.
type BitNamer<'f> = Box<dyn Fn(Variable, u8) -> String + 'f>;

/// Writes formulas.
pub(crate) struct FormulaText<'f> {
    /// Where they are.
    pub graph: &'f BitGraph,
    /// Names of bits before the step.
    pub before: BitNamer<'f>,
    /// Names of bits after the step.
    pub after: BitNamer<'f>,
    /// Names of choices, by number and bit.
    pub choice: Box<dyn Fn(u32, u8) -> String + 'f>,
}

/// Trees of this many leaves are written as they are.
const SMALL_TREE: u64 = 64;

/// How tightly a text holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Loose,
    And,
    Tight,
}

impl FormulaText<'_> {
    /// A formula, to stand in a conjunction.
    pub(crate) fn formula(&self, root: BitId) -> String {
        self.with_names(root, |named, text| {
            self.write(text, root, Binding::And, named);
        })
    }

    /// "The bit equals the formula", to stand in a conjunction.
    pub(crate) fn equation(&self, target: &str, root: BitId) -> String {
        let node = self.graph.get(root);
        match node {
            BitNode::Const(true) => target.to_owned(),
            BitNode::Const(false) => format!("!{target}"),
            _ if node.operands().next().is_none() => format!("{target}={}", self.leaf(node)),
            _ => self.with_names(root, |named, text| {
                text.push('(');
                text.push_str(target);
                text.push_str(" <-> ");
                self.write(text, root, Binding::Tight, named);
                text.push(')');
            }),
        }
    }

    fn with_names(&self, root: BitId, body: impl Fn(&HashSet<BitId>, &mut String)) -> String {
        let cone = self.graph.cone([root]);
        let named = self.shared_parts(root, &cone);
        let mut text = String::new();
        if named.is_empty() {
            body(&named, &mut text);
            return text;
        }
        let mut without = named.clone();
        let names = cone.iter().filter(|id| named.contains(id));
        let list: Vec<String> = names
            .clone()
            .map(|id| format!("bool {}", name_of(*id)))
            .collect();
        text.push_str("(exists ");
        text.push_str(&list.join(", "));
        text.push_str(". ");
        for &id in names {
            without.remove(&id);
            text.push('(');
            text.push_str(&name_of(id));
            text.push_str(" <-> ");
            self.write(&mut text, id, Binding::Tight, &without);
            text.push_str(") & ");
            without.insert(id);
        }
        body(&named, &mut text);
        text.push(')');
        text
    }

    /// The parts that get a name: none if the tree is small, else every operation with several
    /// users.
    fn shared_parts(&self, root: BitId, cone: &[BitId]) -> HashSet<BitId> {
        let mut leaves: HashMap<BitId, u64> = HashMap::with_capacity(cone.len());
        let mut users: HashMap<BitId, u32> = HashMap::new();
        for &id in cone {
            let node = self.graph.get(id);
            // `if c then a else b` is written with c twice.
            let twice = match node {
                BitNode::Ite(c, ..) => Some(c),
                _ => None,
            };
            let mut count = 0_u64;
            for operand in node.operands().chain(twice) {
                *users.entry(operand).or_default() += 1;
                count = count.saturating_add(leaves[&operand]);
            }
            leaves.insert(id, count.max(1));
        }
        if leaves[&root] <= SMALL_TREE.max(4 * cone.len() as u64) {
            return HashSet::new();
        }
        let is_operation = |id: &&BitId| self.graph.get(**id).operands().next().is_some();
        let is_shared = |id: &&BitId| users.get(*id).is_some_and(|&users| users > 1);
        let shared = cone.iter().filter(is_operation).filter(is_shared);
        shared.copied().collect()
    }

    /// Appends a formula, in parentheses if it holds together less tightly than asked for.
    fn write(&self, text: &mut String, root: BitId, least: Binding, named: &HashSet<BitId>) {
        let mut pending = vec![Piece::Formula(root, least)];
        while let Some(piece) = pending.pop() {
            let (id, least) = match piece {
                Piece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                // Mucke takes `!!` for one operator, which it does not have.
                Piece::Negation(id) => match self.graph.get(id) {
                    BitNode::Not(a) if !named.contains(&id) => (a, Binding::Tight),
                    _ => {
                        text.push('!');
                        (id, Binding::Tight)
                    }
                },
                Piece::Formula(id, least) => (id, least),
            };
            if named.contains(&id) {
                text.push_str(&name_of(id));
                continue;
            }
            let mut open = |binding: Binding, pending: &mut Vec<Piece>| {
                if binding < least {
                    text.push('(');
                    pending.push(Piece::Text(")"));
                }
            };
            match self.graph.get(id) {
                BitNode::Not(a) => pending.push(Piece::Negation(a)),
                BitNode::And(a, b) => {
                    open(Binding::And, &mut pending);
                    pending.push(Piece::Formula(b, Binding::And));
                    pending.push(Piece::Text(" & "));
                    pending.push(Piece::Formula(a, Binding::And));
                }
                BitNode::Or(a, b) => {
                    open(Binding::Loose, &mut pending);
                    pending.push(Piece::Formula(b, Binding::And));
                    pending.push(Piece::Text(" | "));
                    pending.push(Piece::Formula(a, Binding::And));
                }
                BitNode::Xor(a, b) => {
                    open(Binding::Loose, &mut pending);
                    pending.push(Piece::Formula(b, Binding::Tight));
                    pending.push(Piece::Text(" <+> "));
                    pending.push(Piece::Formula(a, Binding::Tight));
                }
                BitNode::Ite(c, a, b) => {
                    open(Binding::Loose, &mut pending);
                    pending.push(Piece::Formula(b, Binding::And));
                    pending.push(Piece::Text(" & "));
                    pending.push(Piece::Negation(c));
                    pending.push(Piece::Text(" | "));
                    pending.push(Piece::Formula(a, Binding::And));
                    pending.push(Piece::Text(" & "));
                    pending.push(Piece::Formula(c, Binding::Tight));
                }
                leaf => text.push_str(&self.leaf(leaf)),
            }
        }
    }

    fn leaf(&self, node: BitNode) -> String {
        match node {
            BitNode::Var(variable, bit) => (self.before)(variable, bit),
            BitNode::Next(variable, bit) => (self.after)(variable, bit),
            BitNode::Input(input, bit) => (self.choice)(input.0, bit),
            node => u8::from(node == BitNode::Const(true)).to_string(),
        }
    }
}

/// The name of a part that has several users.
fn name_of(id: BitId) -> String {
    format!("t{}", id.0)
}

/// Something that is still to be written.
enum Piece {
    Formula(BitId, Binding),
    Negation(BitId),
    Text(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::GlobalId;

    fn writer(graph: &BitGraph) -> FormulaText<'_> {
        let name = |prefix: &'static str| {
            move |variable: Variable, _| match variable {
                Variable::Global(id) => format!("{prefix}{}", id.0),
                Variable::Local(id) => format!("{prefix}l{}", id.0),
            }
        };
        FormulaText {
            graph,
            before: Box::new(name("x")),
            after: Box::new(name("y")),
            choice: Box::new(|input, bit| format!("i{input}_{bit}")),
        }
    }

    fn leaf(graph: &mut BitGraph, number: u32) -> BitId {
        graph.leaf(BitNode::Var(Variable::Global(GlobalId(number)), 0))
    }

    #[test]
    fn operators_are_written_with_the_parentheses_that_they_need() {
        let mut graph = BitGraph::default();
        let [a, b, c] = [0, 1, 2].map(|n| leaf(&mut graph, n));
        let either = graph.or(a, b);
        let both = graph.and(either, c);
        let neither = graph.not(either);
        let odd = graph.xor(a, c);
        let choice = graph.ite(a, b, c);
        let not_a = graph.not(a);
        let unless = graph.ite(not_a, b, c);
        let writer = writer(&graph);
        assert_eq!(writer.formula(both), "x2 & (x0 | x1)");
        assert_eq!(writer.formula(neither), "!(x0 | x1)");
        // Mucke does not read `!!`.
        assert_eq!(writer.formula(unless), "(!x0 & x1 | x0 & x2)");
        assert_eq!(writer.formula(choice), "(x0 & x1 | !x0 & x2)");
        assert_eq!(writer.equation("y0", odd), "(y0 <-> (x0 <+> x2))");
        assert_eq!(writer.equation("y0", a), "y0=x0");
        assert_eq!(writer.equation("y0", BitId::FALSE), "!y0");
    }

    #[test]
    fn a_formula_that_shares_much_is_written_in_linear_room() {
        let mut graph = BitGraph::default();
        let mut root = leaf(&mut graph, 0);
        for number in 1..60 {
            let next = leaf(&mut graph, number);
            let mixed = graph.xor(root, next);
            root = graph.ite(mixed, root, next);
        }
        let text = writer(&graph).formula(root);
        assert!(text.len() < 60 * 120, "{} characters", text.len());
        assert!(text.starts_with("(exists bool t"), "{text}");
    }
}
