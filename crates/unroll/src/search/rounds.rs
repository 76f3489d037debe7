//! Rounds: write out, ask whether a target is reached, ask whether a bound is exceeded, raise the
//! bounds that are.
//!
//! If no target is reached within the bounds and no bound is exceeded, no target is reached at all,
//! and the bounds are the proof. Each round writes the machine out again: merged states behind a
//! loop that has grown are others than before, so a solver that is kept would keep little. Bounds
//! grow by half, and what the solver learned counts for less than the small circuit.
//!
//! Targets are asked for first. A model of an exceeded bound says nothing about targets, and a
//! program whose main loop never ends always has one.

use super::bounds::{Bounds, Excess};
use crate::encoding::nest::LoopNest;
use crate::encoding::unrolling::{Unroller, Unrolling};
use crate::evidence::decode::run_to;
use hardbop_machine::{Machine, ProcId};
use hardbop_outcome::{Budget, Certificate, Event, Ledger, Limit, Progress, Statistics};
use hardbop_sat::{Answer, Solver};
use hardbop_transform::literals::run_writer::is_set;

/// Points up to which what continues without a decision is written out in the first round.
const FIRST_POINTS: usize = 4_096;

/// A search.
pub(crate) struct Search<'s, 'm> {
    machine: &'m Machine,
    main: ProcId,
    budget: &'s Budget<'s>,
    nests: Vec<LoopNest>,
    bounds: Bounds,
    counts: Counts,
}

/// What is counted.
#[derive(Default)]
struct Counts {
    rounds: u64,
    points: u64,
    variables: u64,
    calls: u64,
    conflicts: u64,
}

impl<'s, 'm> Search<'s, 'm> {
    /// Nothing is written out yet.
    pub(crate) fn new(machine: &'m Machine, main: ProcId, budget: &'s Budget<'s>) -> Self {
        let procedures = machine.procedure_ids();
        Self {
            machine,
            main,
            budget,
            nests: procedures.map(|id| LoopNest::new(machine, id)).collect(),
            bounds: Bounds::new(FIRST_POINTS),
            counts: Counts::default(),
        }
    }

    /// Decides all targets, or is stopped by a limit.
    pub(crate) fn run(
        &mut self,
        ledger: &mut Ledger<'_>,
        progress: &mut dyn Progress,
    ) -> Result<(), Limit> {
        while !ledger.is_decided() {
            self.counts.rounds += 1;
            progress.event(Event::Count("rounds", self.counts.rounds));
            let exceeded = self.round(ledger)?;
            if exceeded.is_empty() && !ledger.is_decided() {
                let heads = self
                    .nests
                    .iter()
                    .flat_map(|nest| nest.all_heads.iter().copied());
                let bounds = self.bounds.listed(self.machine, heads);
                let targets = ledger.open_targets();
                ledger.exclude(Certificate::unrolled(self.machine, targets, bounds));
            }
            for excess in exceeded {
                self.bounds.raise(excess);
            }
        }
        Ok(())
    }

    /// One round. Gives the bounds that were exceeded in some run.
    fn round(&mut self, ledger: &mut Ledger<'_>) -> Result<Vec<Excess>, Limit> {
        let nodes = ledger.open_nodes();
        let interrupt = || self.budget.interrupt.check().is_some();
        let mut solver = Solver::new();
        solver.set_interrupt(&interrupt);
        let unroller = Unroller::new(
            self.machine,
            &self.nests,
            &nodes,
            &mut self.bounds,
            self.budget,
            solver,
        );
        let mut unrolling = unroller.unroll(self.main)?;
        let asked = Questions {
            machine: self.machine,
            budget: self.budget,
            unrolling: &mut unrolling,
            calls: &mut self.counts.calls,
        };
        let result = asked.ask(ledger);
        let solver = unrolling.circuit.solver();
        self.counts.points = unrolling.points.len() as u64;
        self.counts.variables = solver.variable_count() as u64;
        self.counts.conflicts += solver.conflicts();
        result
    }

    /// What was counted; points and variables are those of the last round.
    pub(crate) fn statistics(&self) -> Statistics {
        let counts = &self.counts;
        Statistics::sums([
            ("rounds", counts.rounds),
            ("unrolled-points", counts.points),
            ("sat-variables", counts.variables),
            ("sat-calls", counts.calls),
            ("sat-conflicts", counts.conflicts),
        ])
    }
}

/// The questions about one unrolling.
struct Questions<'q, 'i> {
    machine: &'q Machine,
    budget: &'q Budget<'q>,
    unrolling: &'q mut Unrolling<'i>,
    calls: &'q mut u64,
}

impl Questions<'_, '_> {
    fn ask(mut self, ledger: &mut Ledger<'_>) -> Result<Vec<Excess>, Limit> {
        while self.ask_for_a_target(ledger)? {}
        if ledger.is_decided() {
            return Ok(Vec::new());
        }
        let circuit = &mut self.unrolling.circuit;
        let exceeded = self.unrolling.exceeded.iter();
        let any = circuit.any(exceeded.map(|&(_, literal)| literal));
        *self.calls += 1;
        match circuit.solve(&[any]) {
            Answer::Interrupted => return Err(self.interrupted()),
            Answer::Unsat => return Ok(Vec::new()),
            Answer::Sat => {}
        }
        let exceeded = self.unrolling.exceeded.iter();
        let exceeded = exceeded.filter(|&&(_, literal)| is_set(circuit, literal));
        let mut exceeded: Vec<Excess> = exceeded.map(|&(excess, _)| excess).collect();
        exceeded.sort_unstable();
        exceeded.dedup();
        Ok(exceeded)
    }

    /// Looks for an execution to an open target; whether there is one.
    fn ask_for_a_target(&mut self, ledger: &mut Ledger<'_>) -> Result<bool, Limit> {
        let targets = self.unrolling.targets.iter().enumerate();
        let open = targets.filter(|(_, target)| ledger.is_open(target.node));
        let open: Vec<(usize, hardbop_sat::Lit)> = open
            .map(|(number, target)| (number, target.reached))
            .collect();
        if open.is_empty() {
            return Ok(false);
        }
        let circuit = &mut self.unrolling.circuit;
        let any = circuit.any(open.iter().map(|&(_, reached)| reached));
        *self.calls += 1;
        match circuit.solve(&[any]) {
            Answer::Interrupted => return Err(self.interrupted()),
            Answer::Unsat => {
                // The answer helps with the question about bounds.
                circuit.require(!any);
                return Ok(false);
            }
            Answer::Sat => {}
        }
        let found = open
            .into_iter()
            .find(|&(_, reached)| is_set(circuit, reached));
        let (number, _) = found.expect("a true disjunction has a true disjunct");
        let (node, point) = {
            let target = &self.unrolling.targets[number];
            (target.node, target.point)
        };
        let run = run_to(self.machine, self.unrolling, point);
        ledger.reach(node, &run, false);
        Ok(true)
    }

    fn interrupted(&self) -> Limit {
        let why = self.budget.interrupt.check();
        why.unwrap_or(Limit::Interrupted)
    }
}
