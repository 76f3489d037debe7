//! The engine: a query in, answers with their evidence out.
//!
//! Nobody is good at all programs in one direction. Forward search with whole sets decides small state spaces at once and gives the
//! shortest runs; backward search is blind to what does not matter for the question; forward search in portions finds runs
//! deep in programs whose sets of states have no small BDD; and a search that sees only a few variables proves what rests on them. Since a search can be continued where its work limit stopped it, `auto` lets the four take
//! turns, each turn twice as long as the last: whichever would have been fastest alone answers after a small multiple of its time.

use crate::abstraction::Visible;
use crate::back_runs::BackReader;
use crate::backward::Backward;
use crate::certify::{backward_certificate, forward_certificate};
use crate::forward::{Forward, Progress as Searched};
use crate::interface::Interfaces;
use crate::layers::layers;
use crate::ledger::Ledger;
use crate::order::{Order, slot_order};
use crate::runs::{NoRun, Reader};
use crate::space::Space;
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::analysis::{CallGraph, Slice};
use hardbop_machine::{Machine, NodeId, ProcId, Variable};
use hardbop_outcome::{Budget, Engine, Event, Limit, Outcome, Progress, Query, Skeleton};

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
    /// Whether runs are made shortest where that is affordable.
    pub shortest: bool,
    /// The first turn of each search in BDD work; by default it fits the size of the program.
    pub first_turn: Option<u64>,
}

impl Default for SummaryEngine {
    fn default() -> Self {
        Self {
            direction: Direction::Auto,
            order: Order::default(),
            shortest: true,
            first_turn: None,
        }
    }
}

/// Without a limit in the budget: some 2 GB of BDD nodes.
const DEFAULT_NODES: u64 = 1 << 26;
/// Bytes that a BDD node costs with its share of the tables.
const BYTES_PER_NODE: u64 = 32;
/// The first turn of each search, at least; turns double.
const FIRST_TURN: u64 = 20_000;
const WORK_PER_EDGE: u64 = 4;
/// The whole forward search gets longer turns: only it decides all targets at once and gives shortest runs.
const FORWARD_SHARE: u64 = 2;
/// The search in portions gets shorter ones: it finds what it finds early.
const PORTIONS_DIVISOR: u64 = 2;
/// Abstraction is tried when turns have become this many times longer: most programs are decided before.
const ABSTRACT_FROM: u64 = 4;
/// How often an abstraction takes in what flows into it.
const ABSTRACTION_LEVELS: usize = 3;
/// BDD nodes per portion.
const PORTION: usize = 400;
/// Runs are made shortest if that takes at most this many times the work of all searches so far, and some to start with.
const SHORTEST_EFFORT: u64 = 1;
const SHORTEST_START: u64 = 300_000;

impl Engine for SummaryEngine {
    fn name(&self) -> &'static str {
        "summary"
    }

    fn check(
        &self,
        machine: &Machine,
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let mut ledger = Ledger::new(query);
        if !machine.is_sequential() {
            let what = "concurrent programs".to_owned();
            return ledger.outcome(self.name(), &Limit::Unsupported { what });
        }
        progress.event(Event::Phase("analyses"));
        let targets: Vec<NodeId> = query.targets.iter().map(|target| target.node).collect();
        let slice = Slice::new(machine, &CallGraph::new(machine), &targets);
        let visible = |procedure: ProcId, variable: Variable| slice.relevant(procedure, variable);
        let mut space = Space::new(machine);
        let order = slot_order(machine, &space, self.order, &visible);
        space.reorder(order);
        let interfaces = Interfaces::new(machine, &space, &visible);
        let interrupt = || budget.interrupt.check().is_some();
        let contest = Contest {
            machine,
            space: &space,
            interfaces: &interfaces,
            visible: &visible,
            node_limit: node_limit(budget),
            interrupt: &interrupt,
        };
        progress.event(Event::Phase("search"));
        let why = contest.run(*self, &mut ledger);
        let why = why.map_or(Limit::Interrupted, |why| limit(why, budget));
        ledger.outcome(self.name(), &why)
    }
}

/// What all searches of one query share.
struct Contest<'c> {
    machine: &'c Machine,
    space: &'c Space,
    interfaces: &'c Interfaces,
    visible: &'c dyn Fn(ProcId, Variable) -> bool,
    node_limit: usize,
    interrupt: &'c dyn Fn() -> bool,
}

impl<'c> Contest<'c> {
    /// Lets the searches take turns until every target is decided or all have run out; then why the last one did.
    fn run(&self, engine: SummaryEngine, ledger: &mut Ledger) -> Option<Exhausted> {
        let direction = engine.direction;
        let is_alone = direction != Direction::Auto;
        let mut whole = (direction != Direction::Backward).then(|| self.forward());
        let mut portions =
            (direction == Direction::Auto).then(|| self.forward().in_portions(PORTION));
        let mut backward: Option<Backward<'c, 'c>> = None;
        let mut wants_backward = direction != Direction::Forward;
        // A search that merely goes over a large program once should not be interrupted for another to start.
        let once_over = WORK_PER_EDGE * self.machine.edges.len() as u64;
        let mut turn = engine.first_turn.unwrap_or(FIRST_TURN.max(once_over));
        let abstract_from = turn.saturating_mul(ABSTRACT_FROM);
        let mut abstracted = Vec::new();
        let mut why = None;
        while !ledger.is_decided() {
            let open_before = ledger.open_nodes().len();
            let allowance = if is_alone { u64::MAX } else { turn };
            if let Some(search) = &mut whole {
                match self.forward_turn(
                    search,
                    ledger,
                    allowance.saturating_mul(FORWARD_SHARE),
                    true,
                ) {
                    Ok(()) | Err(Exhausted::Work) => {}
                    Err(reason) => {
                        let due = ledger.due_nodes();
                        let read = read_runs(search, ledger, self.machine, &due);
                        ledger.count_forward("forward", search);
                        (whole, why) = (None, Some(read.err().unwrap_or(reason)));
                    }
                }
            }
            if wants_backward && !ledger.is_decided() {
                // Targets that another search has reached would only be in the way.
                let kept = backward
                    .take()
                    .filter(|b| b.targets() == ledger.open_nodes());
                let mut search = kept.unwrap_or_else(|| self.backward(ledger));
                match self.backward_turn(&mut search, ledger, allowance) {
                    // A target that was found is left out from now on.
                    Ok(()) => ledger.count_backward(&search),
                    Err(Exhausted::Work) => backward = Some(search),
                    Err(reason) => {
                        ledger.count_backward(&search);
                        (wants_backward, why) = (false, Some(reason));
                    }
                }
            }
            if let Some(search) = &mut portions
                && !ledger.is_decided()
            {
                match self.forward_turn(search, ledger, allowance / PORTIONS_DIVISOR, false) {
                    Ok(()) | Err(Exhausted::Work) => {}
                    Err(reason) => {
                        ledger.count_forward("portions", search);
                        (portions, why) = (None, Some(reason));
                    }
                }
            }
            if turn >= abstract_from
                && !is_alone
                && !ledger.is_decided()
                && abstracted != ledger.open_nodes()
            {
                match self.abstract_turn(ledger, allowance) {
                    // Another try is in vain until fewer targets are open.
                    Ok(()) => abstracted = ledger.open_nodes(),
                    Err(Exhausted::Work | Exhausted::Nodes) => {}
                    Err(reason) => why = Some(reason),
                }
            }
            if whole.is_none() && !wants_backward && portions.is_none() {
                break;
            }
            // As long as turns of this length decide something, longer ones would only be spent in vain by the others.
            if ledger.open_nodes().len() == open_before {
                turn *= 2;
            }
        }
        for (name, search) in [("forward", &whole), ("portions", &portions)] {
            if let Some(search) = search {
                ledger.count_forward(name, search);
            }
        }
        if let Some(search) = &backward {
            ledger.count_backward(search);
        }
        let due = ledger.due_nodes();
        if engine.shortest || !due.is_empty() {
            let mut search = whole.unwrap_or_else(|| self.forward());
            let is_short = engine.shortest && shorten(&mut search, ledger, self.machine).is_ok();
            if !is_short && let Err(reason) = read_runs(&mut search, ledger, self.machine, &due) {
                why = Some(reason);
            }
        }
        why
    }

    fn manager(&self) -> Manager<'c> {
        Manager::new(self.node_limit).with_interrupt(self.interrupt)
    }

    fn forward(&self) -> Forward<'c, 'c> {
        let (space, interfaces) = (self.space, self.interfaces);
        Forward::new(
            self.machine,
            space,
            interfaces,
            self.visible,
            self.manager(),
        )
    }

    fn backward(&self, ledger: &Ledger) -> Backward<'c, 'c> {
        let (space, interfaces) = (self.space, self.interfaces);
        let targets = ledger.open_nodes();
        Backward::new(
            self.machine,
            space,
            interfaces,
            self.visible,
            targets,
            self.manager(),
        )
    }

    /// A turn of a forward search: decides what it can. Reading runs takes a while, so it can be left for later.
    fn forward_turn(
        &self,
        search: &mut Forward<'_, '_>,
        ledger: &mut Ledger,
        allowance: u64,
        later: bool,
    ) -> Result<(), Exhausted> {
        let limit = search.manager.work().saturating_add(allowance);
        search.manager.set_work_limit(limit);
        let mut searched = search.begin_and_run(&ledger.open_nodes());
        if searched == Err(Exhausted::Nodes) {
            search.collect_garbage();
            searched = search.begin_and_run(&ledger.open_nodes());
        }
        search.manager.set_work_limit(u64::MAX);
        let reached: Vec<NodeId> = ledger.open_nodes();
        let reached: Vec<NodeId> = reached
            .into_iter()
            .filter(|&n| search.is_reached(n))
            .collect();
        if later {
            for node in reached {
                ledger.promise(node);
            }
        } else {
            read_runs(search, ledger, self.machine, &reached)?;
        }
        if searched? == Searched::Complete {
            let open = ledger.open_targets();
            if !open.is_empty() {
                ledger.exclude(forward_certificate(search, open));
            }
        }
        Ok(())
    }

    /// Searches that see few variables: if one reaches none of the open targets, that decides them.
    fn abstract_turn(&self, ledger: &mut Ledger, allowance: u64) -> Result<(), Exhausted> {
        let open = ledger.open_nodes();
        let mut seen = Visible::nearest_conditions(self.machine, &open);
        for _ in 0..ABSTRACTION_LEVELS {
            let visible = |procedure: ProcId, variable: Variable| {
                seen.contains(procedure, variable) && (self.visible)(procedure, variable)
            };
            let interfaces = Interfaces::new(self.machine, self.space, &visible);
            let (space, manager) = (self.space, self.manager());
            let mut search = Forward::new(self.machine, space, &interfaces, &visible, manager);
            search.manager.set_work_limit(allowance);
            let searched = search.begin_and_run_past(&open);
            ledger.count_forward("abstract", &search);
            if searched? == Searched::Complete {
                ledger.exclude(forward_certificate(&search, ledger.open_targets()));
                return Ok(());
            }
            seen = seen.with_sources(self.machine);
        }
        Ok(())
    }

    /// A turn of a backward search: decides its targets or finds one of them reachable.
    fn backward_turn(
        &self,
        search: &mut Backward<'_, '_>,
        ledger: &mut Ledger,
        allowance: u64,
    ) -> Result<(), Exhausted> {
        let limit = search.manager.work().saturating_add(allowance);
        search.manager.set_work_limit(limit);
        let mut searched = search.begin_and_run();
        if searched == Err(Exhausted::Nodes) {
            search.collect_garbage();
            searched = search.begin_and_run();
        }
        let searched = searched?;
        search.manager.set_work_limit(u64::MAX);
        if searched == Searched::Complete {
            let certificate = backward_certificate(search, ledger.open_targets())?;
            ledger.exclude(certificate);
            return Ok(());
        }
        match BackReader::new(search).run() {
            Ok((skeleton, node)) => ledger.reach(self.machine, node, &skeleton, false),
            Err(NoRun::Exhausted(why)) => return Err(why),
            Err(NoRun::Broken) => unreachable!("rings lead on to a target"),
        }
        Ok(())
    }
}

/// Reads runs to nodes off a forward search.
fn read_runs(
    search: &mut Forward<'_, '_>,
    ledger: &mut Ledger,
    machine: &Machine,
    nodes: &[NodeId],
) -> Result<(), Exhausted> {
    if nodes.is_empty() {
        return Ok(());
    }
    match Reader::new(search, None).runs_to(nodes) {
        Ok(runs) => ledger.reach_all(machine, nodes, &runs, false),
        Err(NoRun::Exhausted(why)) => return Err(why),
        Err(NoRun::Broken) => unreachable!("rings lead back to the start"),
    }
    Ok(())
}

/// Finds shortest runs to all targets that are reached, if that is affordable.
fn shorten(
    search: &mut Forward<'_, '_>,
    ledger: &mut Ledger,
    machine: &Machine,
) -> Result<(), NoRun> {
    let nodes = ledger.unshortened_nodes();
    if nodes.is_empty() {
        return Ok(());
    }
    let allowance = ledger.work() * SHORTEST_EFFORT + SHORTEST_START;
    let limit = search.manager.work() + allowance;
    search.manager.set_work_limit(limit);
    let runs = shortest_runs(search, &nodes);
    search.manager.set_work_limit(u64::MAX);
    ledger.reach_all(machine, &nodes, &runs?, true);
    Ok(())
}

fn shortest_runs(search: &mut Forward<'_, '_>, nodes: &[NodeId]) -> Result<Vec<Skeleton>, NoRun> {
    search.begin_and_run(&[])?;
    let by_distance = layers(search, nodes)?;
    // Reading needs no limit: it is linear in what is read.
    search.manager.set_work_limit(u64::MAX);
    Reader::new(search, Some(&by_distance.rings)).runs_to(nodes)
}

pub(crate) fn node_limit(budget: &Budget<'_>) -> usize {
    let by_memory = budget.memory.map(|bytes| bytes / BYTES_PER_NODE);
    let limit = budget.nodes.or(by_memory).unwrap_or(DEFAULT_NODES);
    usize::try_from(limit).unwrap_or(usize::MAX)
}

pub(crate) fn limit(why: Exhausted, budget: &Budget<'_>) -> Limit {
    match why {
        Exhausted::Nodes if budget.nodes.is_none() => Limit::Memory,
        Exhausted::Nodes => Limit::Nodes,
        Exhausted::Work => Limit::States,
        Exhausted::Interrupted => budget.interrupt.check().unwrap_or(Limit::Interrupted),
    }
}
