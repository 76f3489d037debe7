//! Bounded search: is there a run of at most this many steps? Plain unrolling, for finding bugs
//! where BDDs suffer.
//!
//! A *step* is an edge of the machine, entering a callee included, or a return; it is what traces
//! count as steps when every call is written out. [`unrolling`] builds the places that a run can be
//! at after 0, 1, 2, … steps and the clauses that go with them (A. Biere, A. Cimatti, E. Clarke, Y.
//! Zhu, *Symbolic model checking without BDDs*, TACAS 1999, with the control flow kept apart from
//! the data); after every step the one solver is asked, under an assumption, whether a target can
//! be reached right there. So a run that is found has as few steps as possible, and [`decode`]
//! reads it off the model.
//!
//! What is not found is answered *up to the bound*, also if the unrolling ends by itself because no
//! run is left (`ended` in the statistics): there is no certificate for that.

mod call_strings;
mod decode;
mod states;
mod unrolling;

use hardbop_machine::{Machine, ProcId};
use hardbop_outcome::{
    Bound, Budget, Event, Ledger, Limit, Outcome, Progress, Question, Statistics,
};
use hardbop_sat::{Answer as Solved, Solver};
use hardbop_transform::literals::run_writer::is_set;
use unrolling::Unrolling;

/// Bytes that a variable of the solver costs with its clauses, roughly.
const BYTES_PER_VARIABLE: u64 = 200;
/// Bytes that a control point costs with its ways, roughly.
const BYTES_PER_POINT: u64 = 300;
/// A layer of fewer control points is not worth questions about each of them.
const MANY_POINTS: usize = 16;
/// After this many steps it is time to ask whether there is any run left.
const STEPS_PER_SIFTING: usize = 64;
/// A control point about which the solver thinks longer than this may stay.
const MOST_CONFLICTS_PER_POINT: u64 = 500;

/// Looks for runs of at most this many steps.
pub(crate) fn unroll(
    machine: &Machine,
    main: ProcId,
    depth: u32,
    question: &Question,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
) -> Outcome {
    let mut ledger = Ledger::new(machine, question);
    progress.event(Event::Phase("unrolling"));
    let interrupt = || budget.interrupt.check().is_some();
    let mut solver = Solver::new();
    solver.set_interrupt(&interrupt);
    let mut search = Search {
        budget,
        unrolling: Unrolling::new(machine, main, &question.nodes(), solver),
        calls: 0,
        sifted: 0,
        points_after_sifting: MANY_POINTS,
        steps_to_sifting: STEPS_PER_SIFTING,
    };
    let found = search.run(depth, &mut ledger, progress);
    if found.is_ok() {
        ledger.exclude_up_to(Bound::Steps(depth));
    }
    ledger.statistics = search.statistics();
    ledger.outcome("sat", &found.err().unwrap_or(Limit::Interrupted))
}

/// One run of the engine.
struct Search<'s, 'm, 'i, 'b> {
    budget: &'s Budget<'b>,
    unrolling: Unrolling<'m, 'i>,
    /// Questions to the solver.
    calls: u64,
    /// Control points that no run reaches, as the solver said.
    sifted: u64,
    points_after_sifting: usize,
    steps_to_sifting: usize,
}

impl Search<'_, '_, '_, '_> {
    fn run(
        &mut self,
        depth: u32,
        ledger: &mut Ledger<'_>,
        progress: &mut dyn Progress,
    ) -> Result<(), Limit> {
        self.ask_for_targets(ledger)?;
        for step in 1..=depth {
            if ledger.is_decided() || self.unrolling.last_layer().is_empty() {
                break;
            }
            self.check_limits()?;
            self.unrolling.step();
            progress.event(Event::Count("steps", u64::from(step)));
            self.check_limits()?;
            self.ask_for_targets(ledger)?;
            self.sift()?;
        }
        Ok(())
    }

    fn check_limits(&mut self) -> Result<(), Limit> {
        if let Some(why) = self.budget.interrupt.check() {
            return Err(why);
        }
        let points = self.unrolling.point_count();
        if self.budget.states.is_some_and(|limit| points > limit) {
            return Err(Limit::States);
        }
        let variables = self.unrolling.circuit.solver().variable_count() as u64;
        let bytes = variables * BYTES_PER_VARIABLE + points * BYTES_PER_POINT;
        if self.budget.memory.is_some_and(|limit| bytes > limit) {
            return Err(Limit::Memory);
        }
        Ok(())
    }

    /// Decides which open targets can be reached after exactly the steps taken so far.
    fn ask_for_targets(&mut self, ledger: &mut Ledger<'_>) -> Result<(), Limit> {
        loop {
            let layer = self.unrolling.last_layer().iter().enumerate();
            let candidates = layer.filter(|(_, point)| ledger.is_open(point.node));
            let candidates: Vec<_> = candidates
                .map(|(index, point)| (index, point.node, point.reached))
                .collect();
            if candidates.is_empty() {
                return Ok(());
            }
            let circuit = &mut self.unrolling.circuit;
            let question = circuit.any(candidates.iter().map(|&(_, _, reached)| reached));
            self.calls += 1;
            match circuit.solve(&[question]) {
                Solved::Interrupted => return Err(self.interrupted()),
                Solved::Unsat => {
                    // The answer helps with later questions.
                    circuit.require(!question);
                    return Ok(());
                }
                Solved::Sat => {}
            }
            let mut candidates = candidates.into_iter();
            let found = candidates.find(|&(_, _, reached)| is_set(circuit, reached));
            let (point, node, _) = found.expect("a true disjunction has a true disjunct");
            let run = decode::run_to(&mut self.unrolling, point);
            ledger.reach(node, &run, true);
        }
    }

    /// Leaves out control points that no run reaches, when there are many more than last time or a
    /// while has passed.
    fn sift(&mut self) -> Result<(), Limit> {
        self.steps_to_sifting -= 1;
        let points = self.unrolling.last_layer().len();
        if points <= 2 * self.points_after_sifting && self.steps_to_sifting > 0 {
            return Ok(());
        }
        let reached = self.unrolling.last_layer().iter();
        let reached: Vec<_> = reached.map(|point| point.reached).collect();
        let mut is_alive = Vec::with_capacity(points);
        let circuit = &mut self.unrolling.circuit;
        circuit
            .solver()
            .set_conflict_limit(Some(MOST_CONFLICTS_PER_POINT));
        for literal in reached {
            self.calls += 1;
            let answer = circuit.solve(&[literal]);
            if answer == Solved::Unsat {
                circuit.require(!literal);
            }
            is_alive.push(answer != Solved::Unsat);
            if answer == Solved::Interrupted
                && let Some(why) = self.budget.interrupt.check()
            {
                return Err(why);
            }
        }
        circuit.solver().set_conflict_limit(None);
        self.unrolling.retain(&is_alive);
        let left = self.unrolling.last_layer().len();
        self.sifted += (points - left) as u64;
        self.points_after_sifting = left.max(MANY_POINTS);
        self.steps_to_sifting = STEPS_PER_SIFTING;
        Ok(())
    }

    fn interrupted(&self) -> Limit {
        let why = self.budget.interrupt.check();
        why.unwrap_or(Limit::Interrupted)
    }

    /// What was counted.
    fn statistics(&mut self) -> Statistics {
        let steps = self.unrolling.layers.len().saturating_sub(1);
        let has_ended = self.unrolling.last_layer().is_empty();
        let solver = self.unrolling.circuit.solver();
        let (variables, conflicts) = (solver.variable_count(), solver.conflicts());
        Statistics::sums([
            ("steps", steps as u64),
            ("ended", u64::from(has_ended)),
            ("control-points", self.unrolling.point_count()),
            ("sifted-points", self.sifted),
            ("call-strings", self.unrolling.call_string_count() as u64),
            ("sat-variables", variables as u64),
            ("sat-calls", self.calls),
            ("sat-conflicts", conflicts),
        ])
    }
}
