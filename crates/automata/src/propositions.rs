//! Propositions: what a property can see of one state of the program.
//!
//! A state is seen through the frame on top of the stack: its node, the globals, and the locals of
//! its procedure. So a proposition about a local of `p` (or a comparison with one) is **false
//! wherever another procedure runs**, callees of `p` included; `!p:x` is then true, and `in(p)`
//! tells the two apart. A run that ends goes on for ever in its last state: after `main` has
//! returned, the state is still seen at the exit of `main`, and `terminated` holds; where an
//! assertion has failed, `failed` holds. A run that an `assume` blocks is not a run. Of several
//! threads, a proposition holds if it does as one of those that run sees it.

use crate::guard::{Letter, MAX_PROPOSITIONS};
use hardbop_machine::expr::Leaf;
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Expr, ExprArena, ExprId, Machine, NodeId, ProcId, Variable};
use std::collections::HashMap;

/// What a proposition says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// The running procedure is at one of these nodes, which are in order.
    At(Vec<NodeId>),
    /// This procedure is running: its frame is on top of the stack.
    In(ProcId),
    /// `main` has returned.
    Terminated,
    /// An assertion has failed.
    Failed,
    /// A condition on variables.
    Condition {
        /// A Boolean expression of [`Propositions::exprs`] without inputs and next values.
        expr: ExprId,
        /// The procedure whose locals it speaks of; it is false while another one runs.
        procedure: Option<ProcId>,
    },
}

/// A proposition and how it was first written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposition {
    /// How it was first written.
    pub text: String,
    /// What it says.
    pub atom: Atom,
}

/// The propositions of one property, numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Propositions {
    list: Vec<Proposition>,
    exprs: ExprArena,
    ids: HashMap<Atom, u32>,
    expr_ids: HashMap<Expr, ExprId>,
}

/// A state of the program as a property sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Where the running procedure is.
    pub node: NodeId,
    /// Whether `main` has returned; the node is then the exit of `main`.
    pub terminated: bool,
}

/// A property has more than [`MAX_PROPOSITIONS`] propositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the property has more than {MAX_PROPOSITIONS} different propositions")]
pub(crate) struct TooManyPropositions;

impl Propositions {
    /// All propositions; their numbers are their places.
    pub fn list(&self) -> &[Proposition] {
        &self.list
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The expressions of conditions.
    pub fn exprs(&self) -> &ExprArena {
        &self.exprs
    }

    /// Whether something may hold after the end of a sequential program because `main` is still
    /// seen at its exit. Threads leave nothing behind, so who takes a program for a single thread
    /// does not see it.
    pub fn may_see_main_after_its_end(&self, machine: &Machine) -> bool {
        let is_exit = |node: &NodeId| machine.node(*node).kind == NodeKind::Exit;
        self.list.iter().any(|proposition| match &proposition.atom {
            Atom::At(nodes) => nodes.iter().any(is_exit),
            Atom::In(_) => true,
            Atom::Condition { procedure, .. } => procedure.is_some(),
            Atom::Terminated | Atom::Failed => false,
        })
    }

    /// The number of a proposition; one that is there already keeps its number and text.
    pub(crate) fn add(&mut self, atom: Atom, text: &str) -> Result<u32, TooManyPropositions> {
        if let Some(&id) = self.ids.get(&atom) {
            return Ok(id);
        }
        if self.list.len() == MAX_PROPOSITIONS {
            return Err(TooManyPropositions);
        }
        let id = self.list.len() as u32;
        self.ids.insert(atom.clone(), id);
        self.list.push(Proposition {
            text: text.to_owned(),
            atom,
        });
        Ok(id)
    }

    /// Adds an expression; equal ones are one.
    pub(crate) fn add_expr(&mut self, expr: Expr) -> ExprId {
        if let Some(&id) = self.expr_ids.get(&expr) {
            return id;
        }
        let id = self.exprs.add(expr);
        self.expr_ids.insert(expr, id);
        id
    }

    /// Which of the propositions in `mask` hold in a state; `read` gives the values of globals and
    /// of the running procedure's locals. Only the variables of those propositions are asked for.
    pub fn letter(
        &self,
        machine: &Machine,
        view: View,
        mask: Letter,
        mut read: impl FnMut(Variable) -> u64,
    ) -> Letter {
        let mut letter = 0;
        let mut left = mask;
        while left != 0 {
            let index = left.trailing_zeros();
            left &= left - 1;
            let Some(proposition) = self.list.get(index as usize) else {
                break;
            };
            if self.holds(machine, &proposition.atom, view, &mut read) {
                letter |= 1 << index;
            }
        }
        letter
    }

    /// Which propositions hold in a state of several threads, given the nodes of those that run:
    /// what holds as one of them sees it. When all have ended, what is left are `terminated` and
    /// conditions on globals. `read` gives the value of a variable as the thread with that place in
    /// the list sees it, or as nobody does.
    pub fn letter_of_threads(
        &self,
        machine: &Machine,
        running: &[NodeId],
        read: impl Fn(Option<usize>, Variable) -> u64,
    ) -> Letter {
        let terminated = running.is_empty();
        let seen = running.iter().enumerate().map(|(thread, &node)| {
            let view = View { node, terminated };
            let read = |variable| read(Some(thread), variable);
            self.letter(machine, view, Letter::MAX, read)
        });
        let mut letter = seen.fold(0, |all, seen| all | seen);
        if terminated {
            for (index, proposition) in self.list.iter().enumerate() {
                let holds = match proposition.atom {
                    Atom::Terminated => true,
                    Atom::Condition {
                        expr,
                        procedure: None,
                    } => self.value(expr, &mut |variable| read(None, variable)) == 1,
                    _ => false,
                };
                letter |= Letter::from(holds) << index;
            }
        }
        letter
    }

    fn holds(
        &self,
        machine: &Machine,
        atom: &Atom,
        view: View,
        read: &mut impl FnMut(Variable) -> u64,
    ) -> bool {
        match atom {
            Atom::At(nodes) => nodes.binary_search(&view.node).is_ok(),
            Atom::In(procedure) => machine.procedure_of(view.node) == *procedure,
            Atom::Terminated => view.terminated,
            Atom::Failed => machine.node(view.node).kind.is_failure(),
            Atom::Condition { expr, procedure } => {
                let in_scope = procedure.is_none_or(|p| machine.procedure_of(view.node) == p);
                in_scope && self.value(*expr, read) == 1
            }
        }
    }

    /// The value of a condition; plain variables and comparisons of leaves take no walk over the
    /// expression.
    fn value(&self, root: ExprId, read: &mut impl FnMut(Variable) -> u64) -> u64 {
        match *self.exprs.get(root) {
            Expr::Var(variable, _) => read(variable),
            Expr::Binary(op, left, right, ty) => {
                let leaf = |id| match *self.exprs.get(id) {
                    Expr::Var(variable, _) => Some(Ok(variable)),
                    Expr::Const(value, _) => Some(Err(value)),
                    _ => None,
                };
                match (leaf(left), leaf(right)) {
                    (Some(left), Some(right)) => {
                        let left = left.map_or_else(|value| value, &mut *read);
                        let right = right.map_or_else(|value| value, &mut *read);
                        op.apply(left, right, ty)
                    }
                    _ => self.walk(root, read),
                }
            }
            _ => self.walk(root, read),
        }
    }

    fn walk(&self, root: ExprId, read: &mut impl FnMut(Variable) -> u64) -> u64 {
        self.exprs.eval(root, &mut |leaf| match leaf {
            Leaf::Var(variable) => read(variable),
            Leaf::Next(_) | Leaf::Input(_) => {
                unreachable!("conditions are made of variables and constants")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ltl::read_ltl;
    use crate::propositions::View;
    use hardbop_machine::{LocalId, Machine, NodeId, Variable};
    use hardbop_syntax::Source;

    fn machine() -> Machine {
        let text = "decl g;
decl int<4> n;
void main() begin
  decl x;
  L: p(x);
  assert(g);
end
void p(x) begin
  decl int<4> k;
  L: skip;
  M: skip;
end";
        hardbop_machine::from_text("test.bp", text).expect("the test program is valid")
    }

    fn label(machine: &Machine, procedure: &str, name: &str) -> NodeId {
        let owner = |node| &machine.procedure(machine.procedure_of(node)).name;
        let mut labels = machine.labels.iter();
        let found = labels.find(|label| label.name == name && owner(label.node) == procedure);
        found.expect("the label is there").node
    }

    /// Which of some conditions hold at a node where every variable is 1, except `k`, which is 3.
    fn holding(machine: &Machine, texts: &[&str], node: NodeId, terminated: bool) -> Vec<bool> {
        let k = Variable::Local(LocalId(1));
        let read = |variable| if variable == k { 3 } else { 1 };
        let value = |text: &&str| {
            let source = Source::new("condition", *text);
            let ltl = read_ltl(&source, machine).expect("the condition is valid");
            let view = View { node, terminated };
            let letter = ltl.propositions.letter(machine, view, u64::MAX, read);
            ltl.holds_on_lasso(&[], &[letter])
        };
        texts.iter().map(value).collect()
    }

    #[test]
    fn locals_are_false_where_another_procedure_runs() {
        let machine = machine();
        let texts = [
            "g",
            "main:x",
            "p:x",
            "!p:x",
            "k = 3",
            "k != 3",
            "in(p)",
            "p:k + n = 4",
        ];
        let in_main = holding(&machine, &texts, label(&machine, "main", "L"), false);
        let expected = [true, true, false, true, false, false, false, false];
        assert_eq!(in_main, expected);
        let in_p = holding(&machine, &texts, label(&machine, "p", "L"), false);
        assert_eq!(in_p, [true, false, true, false, true, false, true, true]);
    }

    #[test]
    fn a_call_is_seen_before_it_and_a_return_at_the_end() {
        let machine = machine();
        let texts = ["call(p)", "call(main)", "return(p)", "return (main)"];
        let at = |node| holding(&machine, &texts, node, false);
        let call = label(&machine, "main", "L");
        assert_eq!(at(call), [true, false, false, false]);
        assert_eq!(at(label(&machine, "p", "L")), [false; 4]);
        let [main, p] = [0, 1].map(|p: usize| machine.procedures[p].exit);
        assert_eq!(at(p), [false, false, true, false]);
        assert_eq!(at(main), [false, false, false, true]);
    }

    #[test]
    fn labels_mean_every_place_of_that_name_or_one() {
        let machine = machine();
        let texts = ["at(L)", "at(main:L)", "at(M)", "terminated", "failed"];
        let at = |procedure, name| {
            let node = label(&machine, procedure, name);
            holding(&machine, &texts, node, false)
        };
        assert_eq!(at("main", "L"), [true, true, false, false, false]);
        assert_eq!(at("p", "L"), [true, false, false, false, false]);
        assert_eq!(at("p", "M"), [false, false, true, false, false]);
        let failure = machine.assertions[0].failure;
        let failed = holding(&machine, &texts, failure, false);
        assert_eq!(failed, [false, false, false, false, true]);
        let exit = machine.procedures[0].exit;
        let ended = holding(&machine, &texts, exit, true);
        assert_eq!(ended, [false, false, false, true, false]);
    }
}
