//! What a budget means for BDDs: how many nodes, and which limit it was.

use hardbop_bdd::Exhausted;
use hardbop_outcome::{Budget, Limit};

/// Nodes if no limit is given: some two gigabytes.
const DEFAULT_NODES: u64 = 1 << 26;

/// Bytes that a node costs with its share of the tables.
const BYTES_PER_NODE: u64 = 32;

/// How many nodes a budget allows: the stricter of its limits on nodes and on memory.
pub fn node_limit(budget: &Budget<'_>) -> usize {
    let by_memory = budget
        .memory
        .map_or(u64::MAX, |bytes| bytes / BYTES_PER_NODE);
    let limit = budget.nodes.unwrap_or(DEFAULT_NODES).min(by_memory);
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// The limit of the budget that ended an operation.
pub fn limit_reached(why: Exhausted, budget: &Budget<'_>) -> Limit {
    match why {
        Exhausted::Nodes if budget.nodes == u64::try_from(node_limit(budget)).ok() => Limit::Nodes,
        Exhausted::Nodes => Limit::Memory,
        Exhausted::Work => Limit::States,
        Exhausted::Interrupted => budget.interrupt.check().unwrap_or(Limit::Interrupted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_limit_counts_and_is_named() {
        let reason = |nodes, memory| {
            let budget = Budget {
                nodes,
                memory,
                ..Budget::unlimited()
            };
            limit_reached(Exhausted::Nodes, &budget)
        };
        assert_eq!(reason(Some(1000), None), Limit::Nodes);
        assert_eq!(reason(Some(1000), Some(3200)), Limit::Memory);
        assert_eq!(reason(Some(10), Some(3200)), Limit::Nodes);
        assert_eq!(reason(None, None), Limit::Memory);
    }
}
