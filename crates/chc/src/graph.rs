//! Which predicates depend on each other: strongly connected components, without recursion.

use crate::normal::Rule;
use crate::terms::PredicateId;

/// Components of predicates; a component has a higher number than those it depends on.
#[derive(Debug)]
pub struct Components {
    component: Vec<u32>,
}

impl Components {
    /// The components of the relation "a rule for this has that in its body" (Tarjan).
    pub fn new(count: usize, rules: &[Rule]) -> Self {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
        for rule in rules {
            if let Some(head) = rule.head_predicate() {
                below[head.index()].extend(rule.body.iter().map(|atom| atom.predicate.index()));
            }
        }
        let mut component = vec![u32::MAX; count];
        let mut number = vec![usize::MAX; count];
        let mut low = vec![0; count];
        let mut stack = Vec::new();
        let (mut numbered, mut components) = (0, 0);
        for root in 0..count {
            if number[root] != usize::MAX {
                continue;
            }
            let mut open = vec![(root, 0)];
            while let Some(&mut (node, ref mut position)) = open.last_mut() {
                if *position == 0 {
                    number[node] = numbered;
                    low[node] = numbered;
                    numbered += 1;
                    stack.push(node);
                }
                if let Some(&child) = below[node].get(*position) {
                    *position += 1;
                    if number[child] == usize::MAX {
                        open.push((child, 0));
                    } else if component[child] == u32::MAX {
                        low[node] = low[node].min(number[child]);
                    }
                    continue;
                }
                if low[node] == number[node] {
                    while let Some(member) = stack.pop() {
                        component[member] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
                open.pop();
                if let Some(&(parent, _)) = open.last() {
                    low[parent] = low[parent].min(low[node]);
                }
            }
        }
        Self { component }
    }

    /// Whether two predicates depend on each other, or are the same.
    pub fn are_equal(&self, a: PredicateId, b: PredicateId) -> bool {
        self.height(a) == self.height(b)
    }

    /// The number of a predicate's component.
    pub fn height(&self, predicate: PredicateId) -> u32 {
        self.component[predicate.index()]
    }
}
