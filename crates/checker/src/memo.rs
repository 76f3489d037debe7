//! Walks a graph whose nodes are numbered, operands below their users, and remembers a literal per
//! node.
//!
//! A table as large as the graph is made once; a walk costs only what it visits, and so does
//! forgetting it.

use hardbop_sat::Lit;

/// Literals of the visited nodes of one graph.
#[derive(Default)]
pub(crate) struct Memo {
    literals: Vec<Option<Lit>>,
    visited: Vec<u32>,
    pending: Vec<u32>,
}

impl Memo {
    /// Forgets everything.
    pub fn clear(&mut self) {
        for node in self.visited.drain(..) {
            self.literals[node as usize] = None;
        }
    }

    /// The literal of a node that has been visited: every operand has, when its user is combined.
    pub fn literal(&self, node: u32) -> Lit {
        self.literals[node as usize].expect("operands are visited before their users")
    }

    /// The literal of a node. `operands` appends the operands of a node, `combine` makes its
    /// literal from theirs.
    pub fn evaluate(
        &mut self,
        root: u32,
        operands: impl Fn(u32, &mut Vec<u32>),
        mut combine: impl FnMut(u32, &Self) -> Lit,
    ) -> Lit {
        if self.literals.len() <= root as usize {
            self.literals.resize(root as usize + 1, None);
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.push(root);
        while let Some(&node) = pending.last() {
            if self.literals[node as usize].is_none() {
                let first = pending.len();
                operands(node, &mut pending);
                let mut end = first;
                for next in first..pending.len() {
                    if self.literals[pending[next] as usize].is_none() {
                        pending[end] = pending[next];
                        end += 1;
                    }
                }
                pending.truncate(end);
                if end > first {
                    continue;
                }
                let literal = combine(node, self);
                self.literals[node as usize] = Some(literal);
                self.visited.push(node);
            }
            pending.pop();
        }
        self.pending = pending;
        self.literal(root)
    }
}
