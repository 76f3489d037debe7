//! Strongly connected components of small graphs, on explicit stacks (Kosaraju's two passes).

/// Stands for no component yet.
const NONE: u32 = u32::MAX;

/// The components of a graph.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each node. Components are numbered so that edges lead to the same or a
    /// larger number.
    pub of: Vec<u32>,
    /// Per component whether it has a cycle.
    pub is_cyclic: Vec<bool>,
}

impl Components {
    /// Finds the components of a graph given by the successors of each node.
    pub fn new(successors: &[Vec<u32>]) -> Self {
        let count = successors.len();
        let mut predecessors = vec![Vec::new(); count];
        for (from, targets) in successors.iter().enumerate() {
            for &to in targets {
                predecessors[to as usize].push(from as u32);
            }
        }
        let mut of = vec![NONE; count];
        let mut is_cyclic: Vec<bool> = Vec::new();
        for root in finishing_order(successors).into_iter().rev() {
            if of[root as usize] != NONE {
                continue;
            }
            let component = is_cyclic.len() as u32;
            of[root as usize] = component;
            let mut pending = vec![root];
            let mut size = 0;
            while let Some(node) = pending.pop() {
                size += 1;
                for &before in &predecessors[node as usize] {
                    if of[before as usize] == NONE {
                        of[before as usize] = component;
                        pending.push(before);
                    }
                }
            }
            is_cyclic.push(size > 1 || successors[root as usize].contains(&root));
        }
        Self { of, is_cyclic }
    }

    /// Whether a node lies on a cycle.
    pub fn on_cycle(&self, node: usize) -> bool {
        self.is_cyclic[self.of[node] as usize]
    }
}

/// The nodes in the order in which a depth-first search leaves them.
fn finishing_order(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    for root in 0..successors.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut path = vec![(root as u32, 0)];
        while let Some((node, next)) = path.last_mut() {
            match successors[*node as usize].get(*next) {
                Some(&target) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[target as usize], true) {
                        path.push((target, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_found_in_topological_order() {
        // 0 -> 1 <-> 2 -> 3 (self loop), 4 -> 0
        let graph = vec![vec![1], vec![2], vec![1, 3], vec![3], vec![0]];
        let components = Components::new(&graph);
        assert_eq!(components.of[1], components.of[2]);
        assert!(components.of[4] < components.of[0] && components.of[0] < components.of[1]);
        assert!(components.of[1] < components.of[3]);
        let cyclic: Vec<bool> = (0..5).map(|node| components.on_cycle(node)).collect();
        assert_eq!(cyclic, [false, true, true, true, false]);
    }
}
