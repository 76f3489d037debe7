//! The engine: one search for all targets, with all variables that can have to do with them.
//!
//! **Functions that grow.** BDDs tell that terms are equal, and that conditions exclude each other.
//! Arithmetic and hashing have no small ones; where a function has to be named, more of the same
//! are to come, and the solver does best with the circuit as it was written. So once there is a
//! name, the search begins anew with a name for every function. Not so if there are cycles: names
//! made in a loop have to be made explicit at its head.
//!
//! Each variable may double the number of terms. Few variables first is
//! `hardbop_transform::hide::FewVariables` around the engine.

use crate::bmc;
use crate::encoding::blocks::Blocks;
use crate::encoding::closure::Closure;
use crate::encoding::split::Split;
use crate::search::solving::{End, Search};
use hardbop_bdd::Manager;
use hardbop_machine::Machine;
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Bound, Budget, Declined, Engine, Event, Ledger, Limit, Outcome, Prepared, Progress, Question,
    WantedRun,
};
use hardbop_symbolic::{limit_reached, node_limit};

/// Leino's method.
#[derive(Clone, Copy, Debug)]
pub struct SatEngine {
    /// Which arguments are made explicit.
    pub split: Split,
    /// How deep calls within a component of the call graph may nest.
    pub inline_depth: u32,
    /// Functions with more BDD nodes than this get a name. If one does in a program without cycles,
    /// all functions other than variables get names.
    pub name_nodes: usize,
}

impl Default for SatEngine {
    fn default() -> Self {
        Self {
            split: Split::default(),
            inline_depth: 64,
            name_nodes: 300,
        }
    }
}

impl Engine for SatEngine {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        takes(machine, question)?;
        Ok(Prepared::new(move |budget, progress| {
            self.search(machine, question, budget, progress)
        }))
    }
}

/// Declines what the search does not obey.
fn takes(machine: &Machine, question: &Question) -> Result<(), Declined> {
    let is_unrolled = matches!(question.bound, Some(Bound::Steps(_)));
    if question.wanted == WantedRun::Shortest && !is_unrolled {
        return Declined::because("`--shortest` without a bound on steps");
    }
    if is_unrolled {
        let unbounded = question.clone().within(None);
        return takes_only_sequential_reachability(machine, &unbounded);
    }
    takes_only_sequential_reachability(machine, question)
}

impl SatEngine {
    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        if let (Some(Bound::Steps(depth)), Some(main)) = (question.bound, machine.threads.first()) {
            return bmc::unroll(machine, main.entry, depth, question, budget, progress);
        }
        let mut ledger = Ledger::new(machine, question);
        progress.event(Event::Phase("closure"));
        let mut end = self.search_once(self.name_nodes, machine, budget, &mut ledger);
        if end == Ok(End::Named) {
            end = self.search_once(1, machine, budget, &mut ledger);
        }
        ledger.outcome(self.name(), &end.err().unwrap_or(Limit::Interrupted))
    }
}

impl SatEngine {
    /// One search for the targets that are open.
    fn search_once(
        &self,
        name_nodes: usize,
        machine: &Machine,
        budget: &Budget<'_>,
        ledger: &mut Ledger<'_>,
    ) -> Result<End, Limit> {
        let nodes = ledger.open_nodes();
        let interrupt = || budget.interrupt.check().is_some();
        let blocks = Blocks::new(machine, &nodes);
        let ends_with_names = name_nodes > 1 && !blocks.has_cycles();
        let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        let closure = Closure::new(blocks, manager, self.split, name_nodes, 1);
        let mut closure = closure.map_err(|why| limit_reached(why, budget))?;
        let mut search = Search::new(self.inline_depth, budget, &interrupt, &mut closure, &nodes);
        let end = search.run(ends_with_names, ledger);
        search.count(ledger);
        end
    }
}
