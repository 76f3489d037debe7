//! The engine: targets in groups, a search for each, and more variables for those that a search
//! cannot decide.
//!
//! **Precision.** Targets are searched for in [`groups`], each with few variables at first
//! ([`Precision`]). A run that a search finds is tried for real
//! ([`hardbop_transform::hide::window`]), and if that fails the next search tracks more. With all
//! relevant variables tracked a run needs no trial. Each group has its own certificate.
//!
//! **Groups that grow.** How many terms a group will take is not known beforehand. A search that
//! gets larger than its group's allowance is given up for now: a group of several targets is cut in
//! two, which start with few variables again, a single target gets a larger allowance, and others
//! come first. So an easy target does not wait for ever behind a hard one. And where every variable
//! turns out to be needed after all, they need not come one by one: now and then a group gets a
//! search with all variables, which is given up if it gets much larger than the one before it.
//!
//! **Functions that grow.** BDDs tell that terms are equal, and that conditions exclude each other.
//! Arithmetic and hashing have no small ones; where a function has to be named, more of the same
//! are to come, and the solver does best with the circuit as it was written. So once there is a
//! name, the search begins anew with a name for every function. Not so if there are cycles: names
//! made in a loop have to be made explicit at its head.

use crate::blocks::Blocks;
use crate::bmc;
use crate::closure::Closure;
use crate::counts::Counts;
use crate::search::{End, Search};
use crate::split::Split;
use hardbop_bdd::Manager;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Bound, Budget, Declined, Engine, Event, Ledger, Limit, Outcome, Progress, Question, WantedRun,
};
use hardbop_symbolic::{limit_reached, node_limit};
use hardbop_transform::hide::window::Windows;
use hardbop_transform::hide::{Precision, groups};
use std::collections::VecDeque;

/// Leino's method.
#[derive(Clone, Copy, Debug)]
pub struct SatEngine {
    /// Which arguments are made explicit.
    pub split: Split,
    /// How deep calls within a component of the call graph may nest.
    pub inline_depth: u32,
    /// Functions with more BDD nodes than this get a name. If one does in a program without cycles,
    /// all functions that are no variables get names.
    pub name_nodes: usize,
    /// Which variables count.
    pub tracking: Tracking,
}

/// Which variables the arguments of function terms speak of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracking {
    /// At first those in the conditions of the targets, then more as they turn out to be needed.
    #[default]
    Needed,
    /// All that can have to do with the targets, as in the paper.
    All,
}

impl Default for SatEngine {
    fn default() -> Self {
        Self {
            split: Split::default(),
            inline_depth: 64,
            name_nodes: 300,
            tracking: Tracking::Needed,
        }
    }
}

/// Terms that the first search of a group may make, at least.
const FIRST_ALLOWANCE: usize = 4000;
/// The same per node of the program: a search that merely goes over a large program should not be
/// given up.
const ALLOWANCE_PER_NODE: usize = 8;
/// After so many searches that led to more variables, and then twice as many, all variables are
/// tried.
const MANY_REFINEMENTS: u32 = 16;
/// A search with all variables may make so many times the terms of the one before it.
const SHARE_OF_EXACT: usize = 4;
/// How much more a target gets each time that it was put off.
const ALLOWANCE_GROWTH: usize = 4;

/// Targets that are searched for together.
struct Group<'m> {
    nodes: Vec<NodeId>,
    precision: Precision,
    windows: Windows<'m>,
    /// Terms that a search may make before the group is put off.
    allowance: usize,
    /// Terms of the last search.
    terms: usize,
    /// How often more variables were needed.
    refinements: u32,
    /// Whether every function gets a name.
    names_all: bool,
}

impl<'m> Group<'m> {
    fn new(machine: &'m Machine, nodes: Vec<NodeId>, tracking: Tracking, allowance: usize) -> Self {
        let precision = match tracking {
            Tracking::Needed => Precision::first(machine, &nodes),
            Tracking::All => Precision::exact(machine, &nodes),
        };
        Self {
            nodes,
            windows: Windows::new(machine, &precision),
            precision,
            allowance,
            terms: 0,
            refinements: 0,
            names_all: false,
        }
    }

    /// Two groups of half the targets.
    fn split(mut self, machine: &'m Machine) -> [Self; 2] {
        let half = self.nodes.split_off(self.nodes.len() / 2);
        [self.nodes, half].map(|nodes| Self::new(machine, nodes, Tracking::Needed, self.allowance))
    }
}

impl Engine for SatEngine {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn takes(&self, machine: &Machine, question: &Question) -> Result<(), Declined> {
        let is_unrolled = matches!(question.bound, Some(Bound::Steps(_)));
        if question.wanted == WantedRun::Shortest && !is_unrolled {
            return Declined::because("a wish for shortest runs without a bound on steps");
        }
        if is_unrolled {
            let unbounded = question.clone().within(None);
            return takes_only_sequential_reachability(machine, &unbounded);
        }
        takes_only_sequential_reachability(machine, question)
    }

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
        let mut counts = Counts::default();
        progress.event(Event::Phase("analyses"));
        let mut groups = self.groups(machine, &question.nodes());
        let mut why = Limit::Interrupted;
        while let Some(mut group) = groups.pop_front() {
            progress.event(Event::Phase("closure"));
            match self.search_group(&mut group, machine, budget, &mut ledger, &mut counts) {
                Ok(End::Decided) => {}
                Ok(End::Imprecise) => {
                    counts.add("refinements", 1);
                    group.refinements += 1;
                    if group.refinements >= MANY_REFINEMENTS && group.refinements.is_power_of_two()
                    {
                        // Whatever comes of it: the group is there to go on.
                        let nodes = group.nodes.clone();
                        let allowance = group.allowance.min(SHARE_OF_EXACT * group.terms);
                        let mut exact = Group::new(machine, nodes, Tracking::All, allowance);
                        self.search_group(&mut exact, machine, budget, &mut ledger, &mut counts)
                            .ok();
                    }
                    groups.push_front(group);
                }
                Ok(End::TooManyNodes) => {
                    group.names_all = true;
                    groups.push_front(group);
                }
                Ok(End::TooLarge) if group.nodes.len() == 1 => {
                    group.allowance *= ALLOWANCE_GROWTH;
                    groups.push_back(group);
                }
                Ok(End::TooLarge) => {
                    counts.add("splits", 1);
                    groups.extend(group.split(machine));
                }
                Err(limit) => {
                    why = limit;
                    // Other groups may be easier; but time, once over, is over for all.
                    if budget.interrupt.check().is_some() {
                        break;
                    }
                }
            }
        }
        ledger.statistics = counts.finish();
        ledger.outcome(self.name(), &why)
    }
}

impl SatEngine {
    fn groups<'m>(&self, machine: &'m Machine, nodes: &[NodeId]) -> VecDeque<Group<'m>> {
        let tracking = self.tracking;
        if tracking == Tracking::All {
            return [Group::new(machine, nodes.to_vec(), tracking, usize::MAX)].into();
        }
        let allowance = FIRST_ALLOWANCE.max(ALLOWANCE_PER_NODE * machine.nodes.len());
        let groups = groups(machine, nodes).into_iter();
        groups
            .map(|nodes| Group::new(machine, nodes, tracking, allowance))
            .collect()
    }

    /// One search for the targets of a group that are open.
    fn search_group(
        &self,
        group: &mut Group<'_>,
        machine: &Machine,
        budget: &Budget<'_>,
        ledger: &mut Ledger<'_>,
        counts: &mut Counts,
    ) -> Result<End, Limit> {
        group.nodes.retain(|&node| ledger.is_open(node));
        if group.nodes.is_empty() {
            return Ok(End::Decided);
        }
        let interrupt = || budget.interrupt.check().is_some();
        let blocks = Blocks::new(machine, &group.nodes, group.precision.clone());
        let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        let name_nodes = if group.names_all { 1 } else { self.name_nodes };
        let closure = Closure::new(blocks, manager, self.split, name_nodes, 1);
        let mut closure = closure.map_err(|why| limit_reached(why, budget))?;
        let mut search = Search::new(
            self.inline_depth,
            budget,
            &interrupt,
            &mut closure,
            &group.nodes,
        );
        if !group.names_all {
            search = search.until_named();
        }
        let (windows, precision) = (&mut group.windows, &mut group.precision);
        let end = search.run(group.allowance, windows, precision, ledger);
        group.terms = search.term_count();
        let is_last = !matches!(end, Ok(End::Imprecise | End::TooLarge | End::TooManyNodes));
        search.count(counts, is_last);
        if is_last {
            counts.add("tracked-variables", precision.tracked_count());
            counts.most("relevant-variables", precision.relevant_count());
        }
        end
    }
}
