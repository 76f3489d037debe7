//! The engine: closure, clauses and solver in turns until every target is decided.
//!
//! Terms are expanded in rounds, each as long as all before it. After a round the solver is asked whether the start can go wrong,
//! terms without equation being free to. If not, no open target is reached, and what was not
//! expanded need not be. Otherwise the values of the symbols are tried out ([`Valuation`]): they reach a target, whose run is
//! read off; or a term without equation, and there are more rounds; or neither, and the solution is excluded ([`crate::foundation`]).
//!
//! **Precision.** Targets are searched for in [`groups`], each with few variables at first ([`Precision`]). A run that is found is tried for real; if that fails, its target is put
//! off, and once the others are settled, with a certificate of their own, another search tracks more for those that were. With all relevant variables tracked a run needs no trial.
//!
//! **Recursion.** Calls within a component of the call graph nest only as deep as the bound says, at first once, then twice as
//! deep each time that a solution needs an instance that was put off. A run that is found is real whatever the bound; and if the solver says no although
//! everything that was put off may go wrong, then the deepest level was not needed.

use crate::blocks::Blocks;
use crate::certify::Certifier;
use crate::closure::Closure;
use crate::equations::Equations;
use crate::evaluate::Trouble;
use crate::foundation::{Excluded, exclude};
use crate::path::{Tried, flatten, try_path};
use crate::precision::{Precision, groups};
use crate::reasons::Reasons;
use crate::runs::Reader;
use crate::shorten::shorten;
use crate::split::Split;
use crate::terms::TermId;
use crate::valuation::Valuation;
use crate::verdicts::Verdicts;
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Budget, Engine, Event, Limit, Outcome, Progress, Query, Skeleton};
use hardbop_sat::{Answer as Solved, Lit, Solver};
use std::collections::BTreeSet;

/// Leino's method.
#[derive(Clone, Copy, Debug)]
pub struct SatEngine {
    /// Which arguments are made explicit.
    pub split: Split,
    /// How deep calls within a component of the call graph may nest.
    pub inline_depth: u32,
    /// Functions with more BDD nodes than this get a name.
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

/// Without a limit in the budget: some 2 GB of BDD nodes.
const DEFAULT_NODES: u64 = 1 << 26;
/// Bytes that a BDD node costs with its share of the tables.
const BYTES_PER_NODE: u64 = 32;
/// Bytes that a term costs with its hops, triples and clauses, roughly.
const BYTES_PER_TERM: u64 = 1024;
/// Terms of the first round.
const FIRST_ROUND: usize = 200;
/// A run of more steps is not tried, but followed with all variables.
const MOST_STEPS: usize = 20_000;
/// Terms between two questions to the interrupt.
const TERMS_PER_INTERRUPT_CHECK: usize = 64;

impl Engine for SatEngine {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn check(
        &self,
        machine: &Machine,
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let mut verdicts = Verdicts::new(machine, query);
        if !machine.is_sequential() || machine.threads.is_empty() {
            let what = "concurrent programs".to_owned();
            return verdicts.outcome(self.name(), &Limit::Unsupported { what });
        }
        progress.event(Event::Phase("analyses"));
        let groups = match self.tracking {
            Tracking::Needed => groups(machine, verdicts.nodes()),
            Tracking::All => vec![verdicts.nodes().to_vec()],
        };
        let mut why = Limit::Interrupted;
        for group in groups {
            let found = self.check_group(&group, machine, budget, &mut verdicts, progress);
            if let Err(limit) = found {
                why = limit;
                // Other groups may be easier; but time, once over, is over for all.
                if budget.interrupt.check().is_some() {
                    break;
                }
            }
        }
        verdicts.outcome(self.name(), &why)
    }
}

impl SatEngine {
    /// Decides the targets of a group, with as many searches as it takes.
    fn check_group(
        &self,
        group: &[NodeId],
        machine: &Machine,
        budget: &Budget<'_>,
        verdicts: &mut Verdicts<'_>,
        progress: &mut dyn Progress,
    ) -> Result<(), Limit> {
        let mut precision = match self.tracking {
            Tracking::Needed => Precision::first(machine, group),
            Tracking::All => Precision::exact(machine, group),
        };
        let interrupt = || budget.interrupt.check().is_some();
        let mut refinements = 0;
        loop {
            progress.event(Event::Phase("closure"));
            let nodes = group.iter().copied();
            let nodes: Vec<NodeId> = nodes.filter(|&node| verdicts.is_open(node)).collect();
            let blocks = Blocks::new(machine, &nodes, precision.clone());
            let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
            let closure = Closure::new(blocks, manager, self.split, self.name_nodes, 1);
            let mut closure = closure.map_err(|why| limit(why, budget))?;
            let mut solver = Solver::new();
            solver.set_interrupt(&interrupt);
            let mut search = Search {
                engine: self,
                budget,
                interrupt: &interrupt,
                closure: &mut closure,
                equations: Equations::new(solver, &nodes),
                nodes: &nodes,
                put_off: BTreeSet::new(),
                is_exact: precision.is_exact(),
                precision: &mut precision,
                depth: 1,
                expanded: 0,
                calls: 0,
                excluded: Excluded::default(),
            };
            let end = search.run(verdicts);
            let mut statistics = search.statistics();
            let terms = search.closure.terms.len() as u64;
            statistics.extend([
                ("tracked-variables", precision.tracked_count() as u64),
                ("relevant-variables", precision.relevant_count() as u64),
            ]);
            verdicts.keep_largest(&statistics);
            verdicts.count("searches", 1);
            verdicts.count("all-function-terms", terms);
            match end? {
                End::Decided => return Ok(()),
                End::Imprecise => {
                    refinements += 1;
                    if refinements == 1 {
                        precision.track_controls(machine);
                    }
                }
            }
        }
    }
}

/// One run of the engine.
struct Search<'s, 'm, 'i, 'b> {
    engine: &'s SatEngine,
    budget: &'s Budget<'b>,
    interrupt: &'i dyn Fn() -> bool,
    /// Whether this search tracks everything; what it learns is for the next one.
    is_exact: bool,
    precision: &'s mut Precision,
    /// The targets.
    nodes: &'s [NodeId],
    /// Targets to which this search has found a run that cannot be taken: they wait for the next one.
    put_off: BTreeSet<NodeId>,
    closure: &'s mut Closure<'m, 'i>,
    equations: Equations<'i>,
    depth: u32,
    expanded: usize,
    calls: u64,
    excluded: Excluded,
}

/// How a search ends.
enum End {
    /// Every target is decided.
    Decided,
    /// More variables have to be tracked.
    Imprecise,
}

/// What became of a target that was reached.
enum Run {
    /// It is reached by this run.
    Real(Skeleton),
    /// Not that way, because of these variables; none if the way is too long to be tried.
    Impossible(Reasons),
}

impl Search<'_, '_, '_, '_> {
    fn run(&mut self, verdicts: &mut Verdicts<'_>) -> Result<End, Limit> {
        if !self.has_open(verdicts) {
            return Ok(End::Decided);
        }
        loop {
            self.expand(FIRST_ROUND.max(self.expanded))?;
            self.equations.take_up(self.closure);
            self.equations.close(self.closure);
            if let Some(end) = self.ask(verdicts)? {
                return Ok(end);
            }
        }
    }

    /// Whether a target is what this search looks for, still.
    fn is_open(&self, verdicts: &Verdicts<'_>, node: NodeId) -> bool {
        verdicts.is_open(node) && !self.put_off.contains(&node)
    }

    fn has_open(&self, verdicts: &Verdicts<'_>) -> bool {
        self.nodes.iter().any(|&node| self.is_open(verdicts, node))
    }

    /// How a search ends that has nothing left to look for.
    fn end(&self) -> End {
        if self.put_off.is_empty() {
            End::Decided
        } else {
            End::Imprecise
        }
    }

    /// Expands some terms.
    fn expand(&mut self, count: usize) -> Result<(), Limit> {
        for number in 0..count {
            let Some(id) = self.closure.pending.pop_front() else {
                break;
            };
            if number % TERMS_PER_INTERRUPT_CHECK == 0
                && let Some(why) = self.budget.interrupt.check()
            {
                return Err(why);
            }
            let result = self.closure.expand(id);
            result.map_err(|trouble| self.limit(&trouble))?;
            self.expanded += 1;
            let terms = self.closure.terms.len() as u64;
            if self.budget.states.is_some_and(|limit| terms > limit) {
                return Err(Limit::States);
            }
            let bytes = terms.saturating_mul(BYTES_PER_TERM);
            if self.budget.memory.is_some_and(|limit| bytes > limit) {
                return Err(Limit::Memory);
            }
        }
        Ok(())
    }

    fn limit(&self, trouble: &Trouble) -> Limit {
        match trouble {
            Trouble::Exhausted(why) => limit(*why, self.budget),
            Trouble::TooManyCases | Trouble::Flows(_) => Limit::States,
        }
    }

    /// Asks the solver until it takes more terms, or everything is decided.
    fn ask(&mut self, verdicts: &mut Verdicts<'_>) -> Result<Option<End>, Limit> {
        loop {
            match self.solve(verdicts) {
                Solved::Interrupted => {
                    let why = self.budget.interrupt.check();
                    return Err(why.unwrap_or(Limit::Interrupted));
                }
                Solved::Unsat => {
                    let open = self.nodes.iter().copied();
                    let open: Vec<NodeId> = open.filter(|&n| self.is_open(verdicts, n)).collect();
                    let open = verdicts.open_targets(&open);
                    let certifier = Certifier::new(self.closure);
                    let certificate = certifier.certificate(open);
                    let certificate = certificate.map_err(|trouble| self.limit(&trouble))?;
                    verdicts.exclude(certificate);
                    return Ok(Some(self.end()));
                }
                Solved::Sat => {}
            }
            let valuation = Valuation::new(self.closure, &mut self.equations);
            let mut has_reached = false;
            let mut needs_more = false;
            for &term in valuation.reached() {
                let node = self.closure.terms.get(term).node;
                needs_more |= !self.closure.terms.get(term).expanded;
                if self.is_open(verdicts, node) {
                    has_reached = true;
                    match self.run_to(&valuation, term)? {
                        Run::Real(run) => verdicts.reach(node, &run),
                        Run::Impossible(reasons) => {
                            self.put_off.insert(node);
                            self.refine(&reasons);
                        }
                    }
                }
            }
            if !self.has_open(verdicts) {
                return Ok(Some(self.end()));
            }
            if has_reached {
                continue;
            }
            if needs_more {
                if self.closure.pending.is_empty() {
                    self.deepen()?;
                }
                return Ok(None);
            }
            exclude(
                self.closure,
                &mut self.equations,
                &valuation,
                &mut self.excluded,
            );
        }
    }

    fn deepen(&mut self) -> Result<(), Limit> {
        if self.depth >= self.engine.inline_depth {
            return Err(Limit::StackDepth);
        }
        self.depth = (self.depth * 2).min(self.engine.inline_depth);
        self.closure.deepen(self.depth);
        Ok(())
    }

    fn solve(&mut self, verdicts: &Verdicts<'_>) -> Solved {
        let assumptions = assumptions(&self.equations, self.nodes, |node| {
            self.is_open(verdicts, node)
        });
        self.calls += 1;
        self.equations.circuit().solve(&assumptions)
    }

    /// The run to the node of a term that is reached, if it can be taken; else what says why not is tracked from now on.
    fn run_to(&mut self, valuation: &Valuation, term: TermId) -> Result<Run, Limit> {
        let node = self.closure.terms.get(term).node;
        let asserted = assumptions(&self.equations, self.nodes, |other| other == node);
        let better = shorten(
            self.closure,
            &mut self.equations,
            valuation,
            term,
            &asserted,
        );
        let (valuation, term) = match &better {
            Some((valuation, term)) => (valuation, *term),
            None => (valuation, term),
        };
        let run = Reader::new(self.closure, valuation).run_to(term);
        let run = run.map_err(|trouble| self.limit(&trouble))?;
        if self.is_exact {
            return Ok(Run::Real(run));
        }
        let machine = self.closure.blocks.machine;
        let Some(path) = flatten(&run, MOST_STEPS) else {
            return Ok(Run::Impossible(Reasons::new()));
        };
        match try_path(machine, &path, self.interrupt) {
            Tried::Taken(run) => Ok(Run::Real(run)),
            Tried::Interrupted => {
                let why = self.budget.interrupt.check();
                Err(why.unwrap_or(Limit::Interrupted))
            }
            Tried::Impossible(reasons) => Ok(Run::Impossible(reasons)),
        }
    }

    /// Tracks the variables nearest to the guards that this search does not track, for the next one.
    fn refine(&mut self, reasons: &Reasons) {
        let tracked = self.closure.blocks.precision();
        let missing = reasons
            .iter()
            .filter(|((procedure, variable), _)| tracked.lacks(*procedure, *variable));
        let Some(nearest) = missing.map(|(_, &distance)| distance).min() else {
            self.precision.track_all();
            return;
        };
        for (&(procedure, variable), &distance) in reasons {
            if distance <= nearest {
                self.precision.track(procedure, variable);
            }
        }
    }

    /// What was counted.
    fn statistics(&mut self) -> Vec<(&'static str, u64)> {
        let triples = self.equations.triples().len();
        let solver = self.equations.circuit().solver();
        let terms = &self.closure.terms;
        let blocks = &self.closure.blocks;
        vec![
            ("blocks", blocks.head_count() as u64),
            ("global-variables", blocks.machine.globals.len() as u64),
            ("block-arguments", blocks.argument_count() as u64),
            ("function-terms", terms.len() as u64),
            ("instances", terms.instance_count() as u64),
            ("triples", triples as u64),
            ("symbols", self.closure.symbols.len() as u64),
            ("names", self.closure.symbols.name_count() as u64),
            ("sat-variables", solver.variable_count() as u64),
            ("sat-calls", self.calls),
            ("sat-conflicts", solver.conflicts()),
            ("loop-formulas", self.excluded.loops),
            ("cuts", self.excluded.cuts),
            ("recursion-depth", u64::from(self.depth)),
            ("peak-bdd-nodes", self.closure.manager.peak() as u64),
        ]
    }
}

/// The start can go wrong, in one of the targets that count.
fn assumptions(
    equations: &Equations<'_>,
    targets: &[NodeId],
    counts: impl Fn(NodeId) -> bool,
) -> Vec<Lit> {
    let start = equations.triples()[Equations::START as usize].literal;
    let targets = targets.iter().filter_map(|&node| {
        let literal = equations.target(node)?;
        Some(literal.negated_if(!counts(node)))
    });
    // A target that counts need not be asserted: only those that do not count must not support anything.
    let excluded = targets.filter(|literal| literal.is_negative());
    std::iter::once(start).chain(excluded).collect()
}

fn node_limit(budget: &Budget<'_>) -> usize {
    let by_memory = budget.memory.map(|bytes| bytes / BYTES_PER_NODE);
    let limit = budget.nodes.or(by_memory).unwrap_or(DEFAULT_NODES);
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn limit(why: Exhausted, budget: &Budget<'_>) -> Limit {
    match why {
        Exhausted::Nodes if budget.nodes.is_none() => Limit::Memory,
        Exhausted::Nodes => Limit::Nodes,
        Exhausted::Work => Limit::States,
        Exhausted::Interrupted => budget.interrupt.check().unwrap_or(Limit::Interrupted),
    }
}
