//! One search: closure, clauses and solver in turns until every target is decided.
//!
//! Terms are expanded in rounds, each as long as all before it. After a round the values that the
//! symbols had last, at first false, are tried out ([`Valuation`]): they reach a target, whose run
//! is read off; or a term without equation, and there are more rounds; or neither, and the solver
//! is asked for others. Terms without equation are free to go wrong, so if it has none, no open
//! target is reached, and what was not expanded need not be. If its values reach nothing either,
//! the solution is excluded ([`crate::search::foundation`]).
//!
//! **Values before the solver.** Where they reach a term without equation the solver could only say
//! yes. Trying them out is linear in the terms; the solver goes over all clauses again and again
//! until it finds out the same. Where the last values reach nothing new, their opposites are tried
//! before it too: a guard and its negation are the same work.
//!
//! **Recursion.** Calls within a component of the call graph nest only as deep as the bound says,
//! at first once, then twice as deep each time that a solution needs an instance that was put off.
//! A run that is found is real whatever the bound; and if the solver says no although everything
//! that was put off may go wrong, then the deepest level was not needed.

use crate::encoding::closure::Closure;
use crate::encoding::evaluate::Trouble;
use crate::evidence::certify::Certifier;
use crate::evidence::runs::Reader;
use crate::search::equations::{Equations, START, SolverEquations};
use crate::search::foundation::{Excluded, exclude};
use crate::search::valuation::Valuation;
use hardbop_machine::NodeId;
use hardbop_outcome::{Budget, Ledger, Limit};
use hardbop_sat::{Answer as Solved, Lit, Solver};
use hardbop_symbolic::limit_reached;

/// Bytes that a term costs with its hops, triples and clauses, roughly.
const BYTES_PER_TERM: u64 = 1024;
/// Terms of the first round.
const FIRST_ROUND: usize = 200;
/// Terms between two questions to the interrupt.
const TERMS_PER_INTERRUPT_CHECK: usize = 64;

/// A search for the targets of a question.
pub(crate) struct Search<'s, 'm, 'i, 'b> {
    inline_depth: u32,
    budget: &'s Budget<'b>,
    closure: &'s mut Closure<'m, 'i>,
    nodes: &'s [NodeId],
    equations: SolverEquations<'i>,
    /// Values of the symbols in the last solution; those made since are false.
    values: Vec<bool>,
    depth: u32,
    expanded: usize,
    calls: usize,
    excluded: Excluded,
}

/// How a search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Every target is decided.
    Decided,
    /// A function got a name.
    Named,
}

impl<'s, 'm, 'i, 'b> Search<'s, 'm, 'i, 'b> {
    /// A search for the nodes in a closure of which nothing is expanded yet.
    pub(crate) fn new(
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
            closure,
            nodes,
            equations: Equations::new(solver, nodes),
            values: Vec::new(),
            depth: 1,
            expanded: 0,
            calls: 0,
            excluded: Excluded::default(),
        }
    }

    /// Searches; if told so, until a function gets a name.
    pub(crate) fn run(
        &mut self,
        ends_with_names: bool,
        ledger: &mut Ledger<'_>,
    ) -> Result<End, Limit> {
        loop {
            self.expand(FIRST_ROUND.max(self.expanded))?;
            if ends_with_names && self.closure.symbols.name_count() > 0 {
                return Ok(End::Named);
            }
            self.equations.take_up(self.closure);
            self.equations.close(self.closure);
            if self.ask(ledger)? {
                return Ok(End::Decided);
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

    /// Tries values of the symbols until it takes more terms, or everything is decided; whether it
    /// is.
    fn ask(&mut self, ledger: &mut Ledger<'_>) -> Result<bool, Limit> {
        let mut is_solution = false;
        let mut is_opposite = false;
        while !ledger.is_decided() {
            let valuation = Valuation::new(self.closure, &self.values);
            let mut has_reached = false;
            let mut needs_more = false;
            for &term in valuation.reached() {
                let node = self.closure.terms.get(term).node;
                needs_more |= !self.closure.terms.get(term).expanded;
                if ledger.is_open(node) {
                    has_reached = true;
                    let run = Reader::new(self.closure, &valuation).run_to(term);
                    let run = run.map_err(|trouble| self.limit(&trouble))?;
                    ledger.reach(node, &run, false);
                }
            }
            if has_reached {
                is_solution = false;
                continue;
            }
            if needs_more && !self.closure.pending.is_empty() {
                return Ok(false);
            }
            if is_solution && needs_more {
                self.deepen()?;
                return Ok(false);
            }
            if !is_solution && !is_opposite {
                self.oppose();
                is_opposite = true;
                continue;
            }
            if is_solution {
                let (equations, excluded) = (&mut self.equations, &mut self.excluded);
                exclude(self.closure, equations, &valuation, excluded);
            }
            is_solution = self.solve(ledger)?;
        }
        Ok(true)
    }

    /// Turns the values of all symbols around.
    fn oppose(&mut self) {
        self.values.resize(self.closure.symbols.len(), false);
        for value in &mut self.values {
            *value = !*value;
        }
    }

    /// Asks the solver for values of the symbols under which a target may be reached; whether there
    /// are any. If not, the targets that are open are excluded.
    fn solve(&mut self, ledger: &mut Ledger<'_>) -> Result<bool, Limit> {
        let assumptions = self.assumptions(ledger);
        self.calls += 1;
        match self.equations.circuit().solve(&assumptions) {
            Solved::Interrupted => Err(self.interrupted()),
            Solved::Unsat => {
                let certificate = Certifier::new(self.closure).certificate(ledger.open_targets());
                let certificate = certificate.map_err(|trouble| self.limit(&trouble))?;
                ledger.exclude(certificate);
                Ok(false)
            }
            Solved::Sat => {
                let symbols = self.closure.symbols.first()..self.closure.symbols.end();
                let equations = &mut self.equations;
                let values = symbols.map(|variable| {
                    let literal = equations.symbol(variable);
                    literal.and_then(|l| equations.circuit().solver().value(l)) == Some(true)
                });
                self.values = values.collect();
                Ok(true)
            }
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

    /// The start can go wrong, in one of the targets that are open.
    fn assumptions(&self, ledger: &Ledger<'_>) -> Vec<Lit> {
        let start = self.equations.triples()[START as usize].literal;
        // An open target need not be asserted: only those that are decided must not support
        // anything.
        let decided = self.nodes.iter().filter(|&&node| !ledger.is_open(node));
        let decided = decided.filter_map(|&node| Some(!self.equations.target(node)?));
        std::iter::once(start).chain(decided).collect()
    }

    /// Counts what was made: largest sizes, and sums over all searches.
    pub(crate) fn count(&mut self, ledger: &mut Ledger<'_>) {
        let (terms, symbols) = (&self.closure.terms, &self.closure.symbols);
        let blocks = &self.closure.blocks;
        let triples = self.equations.triples().len();
        let solver = self.equations.circuit().solver();
        let sizes = [
            ("blocks", blocks.head_count()),
            ("global-variables", blocks.machine.globals.len()),
            ("block-arguments", blocks.argument_count()),
            ("recursion-depth", self.depth as usize),
            ("peak-bdd-nodes", self.closure.manager.peak()),
        ];
        let sums = [
            ("function-terms", terms.len()),
            ("instances", terms.instance_count()),
            ("triples", triples),
            ("symbols", symbols.len()),
            ("names", symbols.name_count()),
            ("sat-variables", solver.variable_count()),
            ("sat-calls", self.calls),
            ("sat-conflicts", solver.conflicts() as usize),
            ("loop-formulas", self.excluded.loops as usize),
            ("cuts", self.excluded.cuts as usize),
        ];
        for (name, size) in sizes {
            ledger.statistics.raise(name, size as u64);
        }
        for (name, count) in sums {
            ledger.statistics.add(name, count as u64);
        }
    }
}
