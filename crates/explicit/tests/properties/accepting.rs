//! Is there a cycle with something fair in it? By two depth-first searches (Kosaraju), on a graph
//! that is complete.

/// A graph with fair states and fair edges.
#[derive(Default)]
pub struct FairGraph {
    /// Which states are fair.
    pub fair: Vec<bool>,
    /// Edges by source: target and whether the edge is fair.
    pub edges: Vec<Vec<(usize, bool)>>,
}

impl FairGraph {
    /// Adds a state.
    pub fn add(&mut self, fair: bool) -> usize {
        self.fair.push(fair);
        self.edges.push(Vec::new());
        self.fair.len() - 1
    }

    /// Whether some cycle has a fair state or a fair edge.
    pub fn has_fair_cycle(&self) -> bool {
        let component = self.components();
        (0..self.fair.len()).any(|from| {
            self.edges[from].iter().any(|&(to, is_fair)| {
                component[from] == component[to] && (is_fair || self.fair[from])
            })
        })
    }

    fn components(&self) -> Vec<usize> {
        let count = self.fair.len();
        let forward: Vec<Vec<usize>> = self
            .edges
            .iter()
            .map(|edges| edges.iter().map(|edge| edge.0).collect())
            .collect();
        let mut backward = vec![Vec::new(); count];
        for (from, targets) in forward.iter().enumerate() {
            for &to in targets {
                backward[to].push(from);
            }
        }
        let mut order = Vec::new();
        let mut seen = vec![false; count];
        for start in 0..count {
            order.extend(finished(&forward, start, &mut seen));
        }
        let mut component = vec![0; count];
        let mut seen = vec![false; count];
        for &start in order.iter().rev() {
            for member in finished(&backward, start, &mut seen) {
                component[member] = start;
            }
        }
        component
    }
}

/// What is reached from a state and was not seen before, in the order in which a depth-first search
/// is done with it.
fn finished(edges: &[Vec<usize>], start: usize, seen: &mut [bool]) -> Vec<usize> {
    let mut done = Vec::new();
    if std::mem::replace(&mut seen[start], true) {
        return done;
    }
    let mut stack = vec![(start, 0)];
    while let Some((state, next)) = stack.last_mut() {
        match edges[*state].get(*next) {
            None => {
                done.push(*state);
                stack.pop();
            }
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
        }
    }
    done
}
