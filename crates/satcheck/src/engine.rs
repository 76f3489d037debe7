//! The engine: closure, clauses and solver in turns until every target is decided.
//!
//! Terms are expanded in rounds, each as long as all before it. After a round the solver is asked whether the start can go wrong,
//! terms without equation being free to. If not, no open target is reached, and what was not
//! expanded need not be. Otherwise the values of the symbols are tried out ([`Valuation`]): they reach a target, whose run is
//! read off; or a term without equation, and there are more rounds; or neither, and the solution is excluded ([`crate::foundation`]).
//!
//! **Precision.** A search tracks few variables at first ([`Precision`]); a run that it finds is tried for real, and if that fails another search tracks
//! more. With all relevant variables tracked a run needs no trial.
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
use crate::precision::Precision;
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
        let nodes = verdicts.nodes().to_vec();
        let mut precision = match self.tracking {
            Tracking::Needed => Precision::first(machine, &nodes),
            Tracking::All => Precision::exact(machine, &nodes),
        };
        let interrupt = || budget.interrupt.check().is_some();
        let mut refinements = 0;
        let why = loop {
            progress.event(Event::Phase("closure"));
            let blocks = Blocks::new(machine, &nodes, precision.clone());
            let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
            let closure = Closure::new(blocks, manager, self.split, self.name_nodes, 1);
            let mut closure = match closure {
                Ok(closure) => closure,
                Err(why) => break limit(why, budget),
            };
            let mut solver = Solver::new();
            solver.set_interrupt(&interrupt);
            let mut search = Search {
                engine: self,
                budget,
                interrupt: &interrupt,
                closure: &mut closure,
                equations: Equations::new(solver, &nodes),
                is_exact: precision.is_exact(),
                precision: &mut precision,
                depth: 1,
                expanded: 0,
                calls: 0,
                excluded: Excluded::default(),
            };
            let end = search.run(&mut verdicts);
            verdicts.statistics = search.statistics();
            match end {
                Ok(End::Decided) => break Limit::Interrupted,
                Ok(End::Imprecise) => refinements += 1,
                Err(why) => break why,
            }
        };
        verdicts.statistics.extend([
            ("tracked-variables", precision.tracked_count() as u64),
            ("relevant-variables", precision.relevant_count() as u64),
            ("refinements", refinements),
        ]);
        verdicts.outcome(self.name(), &why)
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
        if verdicts.is_decided() {
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
                    let open = verdicts.open_targets();
                    let certifier = Certifier::new(self.closure);
                    let certificate = certifier.certificate(open);
                    let certificate = certificate.map_err(|trouble| self.limit(&trouble))?;
                    verdicts.exclude(certificate);
                    return Ok(Some(End::Decided));
                }
                Solved::Sat => {}
            }
            let valuation = Valuation::new(self.closure, &mut self.equations);
            let mut has_reached = false;
            let mut needs_more = false;
            let mut is_imprecise = false;
            for &term in valuation.reached() {
                let node = self.closure.terms.get(term).node;
                needs_more |= !self.closure.terms.get(term).expanded;
                if verdicts.is_open(node) {
                    has_reached = true;
                    match self.run_to(verdicts, &valuation, term)? {
                        Run::Real(run) => verdicts.reach(node, &run),
                        Run::Impossible(reasons) => {
                            is_imprecise = true;
                            self.refine(&reasons);
                        }
                    }
                }
            }
            if verdicts.is_decided() {
                return Ok(Some(End::Decided));
            }
            if is_imprecise {
                return Ok(Some(End::Imprecise));
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
        let assumptions = assumptions(&self.equations, verdicts.nodes(), |node| {
            verdicts.is_open(node)
        });
        self.calls += 1;
        self.equations.circuit().solve(&assumptions)
    }

    /// The run to the node of a term that is reached, if it can be taken; else what says why not is tracked from now on.
    fn run_to(
        &mut self,
        verdicts: &Verdicts<'_>,
        valuation: &Valuation,
        term: TermId,
    ) -> Result<Run, Limit> {
        let node = self.closure.terms.get(term).node;
        let asserted = assumptions(&self.equations, verdicts.nodes(), |other| other == node);
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
