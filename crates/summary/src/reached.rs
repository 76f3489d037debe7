//! Every node that can be reached, and nothing else: no runs, no certificate.
//!
//! One forward search to its end answers the question for all nodes at once, which is what a report
//! on coverage needs; asking the engine about each node would also build a run to each.

use crate::encoding::{Encoding, Order};
use crate::search::forward::Forward;
use hardbop_bdd::Manager;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Budget, Limit};
use hardbop_symbolic::{limit_reached, node_limit};

/// What a search for all reachable nodes has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    nodes: Vec<bool>,
    missed: Option<Limit>,
}

impl Reached {
    /// Whether a node is known to be reachable.
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes[node.index()]
    }

    /// Why nodes that are not known to be reachable may be so all the same; nothing if the search
    /// is complete.
    pub fn missed(&self) -> Option<&Limit> {
        self.missed.as_ref()
    }
}

/// All nodes of a sequential machine that can be reached.
pub fn reached(machine: &Machine, budget: &Budget<'_>) -> Reached {
    if !machine.is_sequential() {
        let what = "concurrent programs".to_owned();
        return Reached {
            nodes: vec![false; machine.nodes.len()],
            missed: Some(Limit::Declined { what }),
        };
    }
    let all: Vec<NodeId> = machine.node_ids().collect();
    let encoding = Encoding::new(machine, &all, Order::default());
    let interrupt = || budget.interrupt.check().is_some();
    let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
    let mut search = Forward::new(encoding.compiler(), manager);
    let searched = search.run(&all);
    Reached {
        nodes: all.iter().map(|&node| search.is_reached(node)).collect(),
        missed: searched.err().map(|why| limit_reached(why, budget)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_testkit::{Knobs, Tabulation, generate};

    fn machine(text: &str) -> Machine {
        hardbop_machine::from_text("test.bp", text).expect("the program is valid")
    }

    #[test]
    fn exactly_the_nodes_that_the_oracle_reaches() {
        let mut unreached = 0;
        for seed in 0..200 {
            let machine = machine(&generate(seed, &Knobs::recursive()));
            let Ok(expected) = Tabulation::new(&machine, 20_000) else {
                continue;
            };
            let found = reached(&machine, &Budget::unlimited());
            assert_eq!(found.missed(), None);
            for node in machine.node_ids() {
                let is_reached = expected.distance(node).is_some();
                assert_eq!(found.contains(node), is_reached, "seed {seed}, {node:?}");
                unreached += u32::from(!is_reached);
            }
        }
        assert!(unreached > 100, "{unreached}");
    }

    #[test]
    fn a_search_that_ran_out_says_so() {
        let machine = machine(
            "decl a, b, c; void main() begin while (*) do a, b, c := b ^ c, a, b & a; assert(a ^ b ^ c); od end",
        );
        let budget = Budget {
            nodes: Some(4),
            ..Budget::unlimited()
        };
        assert_eq!(reached(&machine, &budget).missed(), Some(&Limit::Nodes));
    }
}
