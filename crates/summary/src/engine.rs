//! The engine: a question in, answers with their evidence out.
//!
//! It works out what the question needs, the analyses and the order of the BDD variables, and
//! leaves the searching to a [`Contest`].
//!
//! Constant propagation is not among the analyses: in a forward relation a variable with one value
//! is one BDD node, and an edge that it closes propagates nothing. Only for scouts, which would
//! take such a variable as arbitrary, it makes a difference; they see the globals that keep their
//! initial value ([`hardbop_transform::hide::Visible::with_constants`]).

use crate::contest::Contest;
use crate::interface::Interfaces;
use crate::order::{Order, slot_order};
use crate::space::Space;
use crate::transfer::Compiler;
use hardbop_machine::analysis::{CallGraph, Slice};
use hardbop_machine::{Machine, ProcId, Variable};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Budget, Declined, Engine, Event, Ledger, Limit, Outcome, Progress, Question,
};
use hardbop_symbolic::{limit_reached, node_limit};

/// Where the search starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From the start of the program.
    Forward,
    /// From the targets.
    Backward,
    /// Both, in turns.
    #[default]
    Auto,
}

/// The summary engine.
#[derive(Clone, Copy, Debug)]
pub struct SummaryEngine {
    /// Where the search starts.
    pub direction: Direction,
    /// The order of BDD variables.
    pub order: Order,
    /// The first turn of each search in BDD work; by default it fits the size of the program.
    pub first_turn: Option<u64>,
}

impl Default for SummaryEngine {
    fn default() -> Self {
        Self {
            direction: Direction::Auto,
            order: Order::default(),
            first_turn: None,
        }
    }
}

impl Engine for SummaryEngine {
    fn name(&self) -> &'static str {
        "summary"
    }

    fn takes(&self, machine: &Machine, question: &Question) -> Result<(), Declined> {
        takes_only_sequential_reachability(machine, question)
    }

    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let mut ledger = Ledger::new(machine, question);
        progress.event(Event::Phase("analyses"));
        let slice = Slice::new(machine, &CallGraph::new(machine), &question.nodes());
        let visible = |procedure: ProcId, variable: Variable| slice.relevant(procedure, variable);
        let mut space = Space::new(machine);
        let order = slot_order(machine, &space, self.order, &visible);
        space.reorder(order);
        let interfaces = Interfaces::new(machine, &space, &visible);
        let interrupt = || budget.interrupt.check().is_some();
        let compiler = Compiler {
            machine,
            space: &space,
            interfaces: &interfaces,
            visible: &visible,
        };
        let contest = Contest {
            compiler,
            node_limit: node_limit(budget),
            interrupt: &interrupt,
        };
        progress.event(Event::Phase("search"));
        let why = contest.run(*self, question.wanted, &mut ledger);
        let why = why.map_or(Limit::Interrupted, |why| limit_reached(why, budget));
        let shortest = ledger.shortest_runs();
        ledger.count("shortest-runs", shortest, u64::max);
        ledger.outcome(self.name(), &why)
    }
}
