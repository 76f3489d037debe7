//! One search: closure, clauses and solver in turns until every target of a group is decided, or
//! more variables are needed.
//!
//! Terms are expanded in rounds, each as long as all before it. After a round the solver is asked
//! whether the start can go wrong, terms without equation being free to. If not, no open target is
//! reached, and what was not expanded need not be. Otherwise the values of the symbols are tried
//! out ([`Valuation`]): they reach a target, whose run is read off; or a term without equation, and
//! there are more rounds; or neither, and the solution is excluded ([`crate::foundation`]).
//!
//! **Recursion.** Calls within a component of the call graph nest only as deep as the bound says,
//! at first once, then twice as deep each time that a solution needs an instance that was put off.
//! A run that is found is real whatever the bound; and if the solver says no although everything
//! that was put off may go wrong, then the deepest level was not needed.

use crate::certify::Certifier;
use crate::closure::Closure;
use crate::counts::Counts;
use crate::equations::Equations;
use crate::evaluate::Trouble;
use crate::foundation::{Excluded, exclude};
use crate::runs::Reader;
use crate::shorten::shorten;
use crate::terms::TermId;
use crate::valuation::Valuation;
use hardbop_machine::{NodeId, ProcId, Variable};
use hardbop_outcome::{Budget, Ledger, Limit, Skeleton};
use hardbop_sat::{Answer as Solved, Lit, Solver};
use hardbop_symbolic::limit_reached;
use hardbop_transform::hide::Precision;
use hardbop_transform::hide::window::{Tried, Windows, flatten};

/// Bytes that a term costs with its hops, triples and clauses, roughly.
const BYTES_PER_TERM: u64 = 1024;
/// Terms of the first round.
const FIRST_ROUND: usize = 200;
/// A run of more steps is not tried, but followed with all variables.
const MOST_STEPS: usize = 20_000;
/// Ways into the last procedure that are tried for one target.
const MOST_CALLERS: usize = 64;
/// Terms between two questions to the interrupt.
const TERMS_PER_INTERRUPT_CHECK: usize = 64;

/// A search for some targets.
pub(crate) struct Search<'s, 'm, 'i, 'b> {
    inline_depth: u32,
    budget: &'s Budget<'b>,
    interrupt: &'i dyn Fn() -> bool,
    closure: &'s mut Closure<'m, 'i>,
    nodes: &'s [NodeId],
    equations: Equations<'i>,
    depth: u32,
    expanded: usize,
    calls: usize,
    excluded: Excluded,
    may_rename: bool,
    /// Explanations of impossible runs that take globals.
    put_off: Vec<Vec<(ProcId, Variable)>>,
}

/// How a search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Every target is decided.
    Decided,
    /// More variables have to be tracked.
    Imprecise,
    /// It has got larger than it was allowed to.
    TooLarge,
    /// Functions are so large that all of them should have names.
    TooManyNodes,
}

/// What a search works with besides its own closure.
struct Setting<'w, 'm, 'v> {
    windows: &'w mut Windows<'m>,
    /// What the next search will track.
    precision: &'w mut Precision,
    ledger: &'w mut Ledger<'v>,
}

impl<'s, 'm, 'i, 'b> Search<'s, 'm, 'i, 'b> {
    /// A search for the nodes in a closure of which nothing is expanded yet.
    pub fn new(
        inline_depth: u32,
        budget: &'s Budget<'b>,
        interrupt: &'i dyn Fn() -> bool,
        closure: &'s mut Closure<'m, 'i>,
        nodes: &'s [NodeId],
    ) -> Self {
        let mut solver = Solver::new();
        solver.set_interrupt(interrupt);
        Self {
            inline_depth,
            budget,
            interrupt,
            closure,
            nodes,
            equations: Equations::new(solver, nodes),
            depth: 1,
            expanded: 0,
            calls: 0,
            excluded: Excluded::default(),
            may_rename: false,
            put_off: Vec::new(),
        }
    }

    /// The search ends as soon as a function gets a name, if there are no cycles.
    pub fn until_named(mut self) -> Self {
        self.may_rename = !self.closure.blocks.has_cycles();
        self
    }

    /// Searches until there are more terms than allowed. What the next search has to track besides
    /// goes to `precision`.
    pub fn run(
        &mut self,
        allowance: usize,
        windows: &mut Windows<'_>,
        precision: &mut Precision,
        ledger: &mut Ledger<'_>,
    ) -> Result<End, Limit> {
        let mut setting = Setting {
            windows,
            precision,
            ledger,
        };
        loop {
            self.expand(FIRST_ROUND.max(self.expanded))?;
            if self.closure.terms.len() > allowance {
                return Ok(End::TooLarge);
            }
            if self.may_rename && self.closure.symbols.name_count() > 0 {
                return Ok(End::TooManyNodes);
            }
            self.equations.take_up(self.closure);
            self.equations.close(self.closure);
            if let Some(end) = self.ask(&mut setting)? {
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
            Trouble::Exhausted(why) => limit_reached(*why, self.budget),
            Trouble::TooManyCases | Trouble::Flows(_) => Limit::States,
        }
    }

    fn interrupted(&self) -> Limit {
        let why = self.budget.interrupt.check();
        why.unwrap_or(Limit::Interrupted)
    }

    /// Asks the solver until it takes more terms, or everything is decided.
    fn ask(&mut self, setting: &mut Setting<'_, '_, '_>) -> Result<Option<End>, Limit> {
        loop {
            let assumptions = self.assumptions(|node| setting.ledger.is_open(node));
            self.calls += 1;
            match self.equations.circuit().solve(&assumptions) {
                Solved::Interrupted => return Err(self.interrupted()),
                Solved::Unsat => {
                    let open = setting.ledger.open_targets_at(self.nodes);
                    let certificate = Certifier::new(self.closure).certificate(open);
                    let certificate = certificate.map_err(|trouble| self.limit(&trouble))?;
                    setting.ledger.exclude(certificate);
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
                if self.nodes.contains(&node) && setting.ledger.is_open(node) {
                    has_reached = true;
                    is_imprecise |= !self.is_reached(setting, &valuation, term)?;
                }
            }
            if setting.ledger.open_targets_at(self.nodes).is_empty() {
                return Ok(Some(End::Decided));
            }
            if is_imprecise {
                self.refine(setting.precision);
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
        if self.depth >= self.inline_depth {
            return Err(Limit::StackDepth);
        }
        self.depth = (self.depth * 2).min(self.inline_depth);
        self.closure.deepen(self.depth);
        Ok(())
    }

    /// The start can go wrong, in one of the targets that count.
    fn assumptions(&self, counts: impl Fn(NodeId) -> bool) -> Vec<Lit> {
        let start = self.equations.triples()[Equations::START as usize].literal;
        // A target that counts need not be asserted: only those that do not count must not support
        // anything.
        let excluded = self.nodes.iter().filter(|&&node| !counts(node));
        let excluded = excluded.filter_map(|&node| Some(!self.equations.target(node)?));
        std::iter::once(start).chain(excluded).collect()
    }

    /// Whether the node of a term is really reached; if so that is its verdict, else what says why
    /// not is tracked from now on.
    fn is_reached(
        &mut self,
        setting: &mut Setting<'_, '_, '_>,
        valuation: &Valuation,
        term: TermId,
    ) -> Result<bool, Limit> {
        let node = self.closure.terms.get(term).node;
        let instance = self.closure.terms.get(term).instance;
        let is_exact = self.closure.blocks.precision().is_exact();
        let first = if is_exact {
            Some(self.run_to(valuation, term)?)
        } else {
            let first = valuation.caller(instance);
            let others = valuation.callers(self.closure, instance).into_iter();
            let others = others.map(Some).filter(|&caller| caller != first);
            let callers: Vec<_> = std::iter::once(first).chain(others).collect();
            self.run_through_any(setting, valuation, &callers, term)?
        };
        let Some(first) = first else {
            return Ok(false);
        };
        let asserted = self.assumptions(|other| other == node);
        let better = shorten(
            self.closure,
            &mut self.equations,
            valuation,
            term,
            &asserted,
        );
        let better = match better {
            Some((valuation, term)) => {
                let run = self.run_to(&valuation, term)?;
                if is_exact {
                    Some(run)
                } else {
                    self.try_run(setting, &run)?
                }
            }
            None => None,
        };
        setting.ledger.reach(node, &better.unwrap_or(first), false);
        Ok(true)
    }

    /// The first run through one of these calls that can be taken. All are tried: each that cannot
    /// be may need other variables.
    fn run_through_any(
        &mut self,
        setting: &mut Setting<'_, '_, '_>,
        valuation: &Valuation,
        callers: &[Option<(TermId, u32)>],
        term: TermId,
    ) -> Result<Option<Skeleton>, Limit> {
        for &caller in callers.iter().take(MOST_CALLERS) {
            let run = Reader::new(self.closure, valuation).run_through(caller, term);
            let run = run.map_err(|trouble| self.limit(&trouble))?;
            if let Some(taken) = self.try_run(setting, &run)? {
                return Ok(Some(taken));
            }
        }
        Ok(None)
    }

    fn run_to(&mut self, valuation: &Valuation, term: TermId) -> Result<Skeleton, Limit> {
        let run = Reader::new(self.closure, valuation).run_to(term);
        run.map_err(|trouble| self.limit(&trouble))
    }

    /// A run that the search has found, if it can be taken.
    fn try_run(
        &mut self,
        setting: &mut Setting<'_, '_, '_>,
        run: &Skeleton,
    ) -> Result<Option<Skeleton>, Limit> {
        let Some(path) = flatten(run, MOST_STEPS) else {
            setting.precision.track_all();
            return Ok(None);
        };
        let tried = setting
            .windows
            .try_path(&path, setting.precision, self.interrupt);
        match tried {
            Tried::Taken(run) => Ok(Some(run)),
            Tried::Interrupted => Err(self.interrupted()),
            Tried::Impossible(reasons) => {
                let is_global = |&(_, variable): &_| matches!(variable, Variable::Global(_));
                if reasons.iter().any(is_global) {
                    self.put_off.push(reasons);
                } else {
                    setting.precision.track_each(&reasons);
                }
                Ok(None)
            }
        }
    }

    /// Settles what the next search tracks more than this one.
    ///
    /// A global is an argument of nearly every block, a local of few. So explanations that take a
    /// global wait: what the others rule out may leave nothing for them to explain.
    fn refine(&mut self, precision: &mut Precision) {
        let seen = self.closure.blocks.precision().tracked_count();
        if precision.tracked_count() == seen
            && let Some(fewest) = self.put_off.iter().min_by_key(|reasons| reasons.len())
        {
            precision.track_each(fewest);
        }
        if precision.tracked_count() == seen {
            precision.track_all();
        }
    }

    /// How many terms there are.
    pub fn term_count(&self) -> usize {
        self.closure.terms.len()
    }

    /// What was counted; of a search that came to an end, more than its terms.
    pub fn count(&mut self, counts: &mut Counts, is_last: bool) {
        let terms = &self.closure.terms;
        counts.add("function-terms-of-all-searches", terms.len());
        let solver = self.equations.circuit().solver();
        counts.add("sat-calls", self.calls);
        counts.add("sat-conflicts", solver.conflicts() as usize);
        counts.add("loop-formulas", self.excluded.loops as usize);
        counts.add("cuts", self.excluded.cuts as usize);
        counts.most("recursion-depth", self.depth as usize);
        counts.most("peak-bdd-nodes", self.closure.manager.peak());
        let blocks = &self.closure.blocks;
        counts.most("blocks", blocks.head_count());
        counts.most("global-variables", blocks.machine.globals.len());
        if is_last {
            counts.add("groups", 1);
            counts.add("sat-variables", solver.variable_count());
            counts.most("block-arguments", blocks.argument_count());
            counts.add("function-terms", terms.len());
            counts.add("instances", terms.instance_count());
            counts.add("triples", self.equations.triples().len());
            counts.add("symbols", self.closure.symbols.len());
            counts.add("names", self.closure.symbols.name_count());
        }
    }
}
