//! The engine: formulas of branching time about sequential programs, whatever their recursion.
//!
//! The game decides. Where one run shows the same (see `Ctl::shown_by_run`), a run is asked of an
//! engine for properties of runs that is handed in: an infinite run of a recursive program is what
//! such an engine is made for.

use crate::encoding::formulas::Formulas;
use crate::encoding::states::Space;
use crate::evidence::{path, strategy};
use crate::search::graph::{Graph, StateId};
use crate::search::solver::{Claim, Solver};
use hardbop_automata::{Ctl, Shows};
use hardbop_machine::Machine;
use hardbop_outcome::engine::takes_no_bound;
use hardbop_outcome::{
    Budget, Declined, Engine, Event, Evidence, Lasso, Limit, Outcome, Prepared, Progress, Question,
    Statistics, Strategy, Support, Verdict, WantedRun,
};
use std::sync::Arc;

/// Decides formulas of branching time by a game with claims about returns.
pub struct BranchingEngine {
    /// Finds the runs that show what one run can show.
    pub runs: Arc<dyn Engine>,
}

/// What the game says.
struct Decided {
    holds: bool,
    /// A strategy of the winner, or why there is none.
    strategy: Result<Strategy, String>,
}

impl Engine for BranchingEngine {
    fn name(&self) -> &'static str {
        "branching"
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
    if question.as_branching().is_none() {
        return Declined::because("questions that are not about branching time");
    }
    if !machine.is_sequential() || machine.threads.is_empty() {
        return Declined::because("concurrent programs");
    }
    if question.wanted == WantedRun::Shortest {
        return Declined::because("`--shortest` for branching-time formulas");
    }
    takes_no_bound(question)
}

impl BranchingEngine {
    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let Some(ctl) = question.as_branching() else {
            let why = Limit::Declined {
                what: "questions that are not about branching time".to_owned(),
            };
            return Outcome::unknown(self.name(), question, &why);
        };
        let mut statistics = Statistics::default();
        let decided = decide(machine, ctl, budget, progress, &mut statistics);
        let verdict = match decided {
            Ok(decided) => self.verdict(machine, ctl, decided, budget, progress),
            Err(why) => Verdict::Unknown(why),
        };
        let mut outcome = Outcome::same(self.name(), question, &verdict);
        outcome.statistics = statistics;
        outcome
    }
}

impl BranchingEngine {
    /// The verdict with its evidence: a run where one tells, else the strategy.
    fn verdict(
        &self,
        machine: &Machine,
        ctl: &Ctl,
        mut decided: Decided,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Verdict {
        let interrupt = budget.interrupt;
        match (decided.holds, ctl.shown_by_run()) {
            (false, Some(Shows::Violation)) => {
                match self.telling_run(machine, ctl, budget, progress) {
                    Ok(Some(run)) => return Verdict::found(Evidence::Lasso(run)),
                    Err(limit) if decided.strategy.is_err() => {
                        return Verdict::Unknown(limit);
                    }
                    // `AF AG p` can fail although every single run satisfies `F G p`.
                    Ok(None) | Err(_) => {}
                }
            }
            (true, Some(Shows::Satisfaction)) => {
                if let Ok(strategy) = &mut decided.strategy {
                    // A run to what has to be reached; else one that goes on for ever.
                    let path = path::find(machine, ctl, strategy, interrupt);
                    let path = path.filter(|path| path::says_it_all(ctl, path));
                    if path.is_none() {
                        let run = self.telling_run(machine, ctl, budget, progress);
                        strategy.run = run.ok().flatten().map(Box::new);
                    }
                    strategy.path = path.map(Box::new);
                }
            }
            _ => {}
        }
        if let Ok(strategy) = &mut decided.strategy
            && strategy.run.is_none()
            && strategy.path.is_none()
        {
            strategy.path = path::find(machine, ctl, strategy, interrupt).map(Box::new);
        }
        match (decided.holds, decided.strategy) {
            (true, Ok(strategy)) => Verdict::No(Support::Evidence(Evidence::Strategy(strategy))),
            (true, Err(why)) => Verdict::uncertified(why),
            (false, strategy) => found(strategy),
        }
    }

    /// A run that shows what one run can show; nothing if no single run does.
    fn telling_run(
        &self,
        machine: &Machine,
        ctl: &Ctl,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Option<Lasso>, Limit> {
        let Some(property) = ctl.telling_runs() else {
            return Ok(None);
        };
        progress.event(Event::Phase("run"));
        // The limit on states is that of the game.
        let budget = Budget {
            states: None,
            ..*budget
        };
        let question = Question::property(property);
        let mut outcome = self.runs.check(machine, &question, &budget, progress);
        match outcome.answers.pop().map(|answer| answer.verdict) {
            Some(Verdict::Yes(Support::Evidence(Evidence::Lasso(lasso)))) => Ok(Some(lasso)),
            Some(Verdict::Unknown(why)) => Err(why),
            _ => Ok(None),
        }
    }
}

/// A violation is reported with what shows it, or not at all.
fn found(strategy: Result<Strategy, String>) -> Verdict {
    match strategy {
        Ok(strategy) => Verdict::found(Evidence::Strategy(strategy)),
        Err(_) => Verdict::Unknown(Limit::Memory),
    }
}

/// Plays the game.
fn decide(
    machine: &Machine,
    ctl: &Ctl,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
    statistics: &mut Statistics,
) -> Result<Decided, Limit> {
    progress.event(Event::Phase("states"));
    let space = Space::new(machine, ctl);
    let formulas = Formulas::new(ctl);
    let graph = Graph::explore(&space, budget, progress)?;
    statistics.add("states", graph.states.len() as u64);
    statistics.add("path-edges", graph.pairs as u64);
    progress.event(Event::Phase("game"));
    let letters: Vec<u64> = graph.states.iter().map(|s| space.letter(s)).collect();
    let at_the_end = claims_at_the_end(&space, &graph, &formulas);
    let mut play = |root| -> Result<Solver<'_>, Limit> {
        let solver = Solver::solve(&graph, &formulas, &letters, root, &at_the_end, budget)?;
        statistics.add("contexts", solver.most_contexts as u64);
        statistics.add("pairs", solver.most_pairs as u64);
        statistics.add("evaluations", solver.evaluations);
        Ok(solver)
    };
    let mut root = formulas.holds;
    let mut solver = play(root)?;
    let initial = solver.initial.iter().copied();
    let mut failing = initial
        .enumerate()
        .filter(|&(_, pair)| !solver.is_true(root, pair));
    let failing = failing.next().map(|(place, _)| place);
    let mut starts = solver.initial.clone();
    if let Some(place) = failing {
        root = formulas.fails;
        solver = play(root)?;
        starts = vec![solver.initial[place]];
    }
    if !starts.iter().all(|&pair| solver.is_true(root, pair)) {
        let what = "neither a formula nor its negation holds at the start".to_owned();
        return Err(Limit::Contradiction { what });
    }
    progress.event(Event::Phase("strategy"));
    let program = machine.digest().to_owned();
    let strategy = strategy::write(&solver, &formulas, root, &starts, program, budget.interrupt);
    Ok(Decided {
        holds: failing.is_none(),
        strategy,
    })
}

/// What holds once `main` has returned, in order.
fn claims_at_the_end(space: &Space<'_>, graph: &Graph, formulas: &Formulas) -> Vec<Claim> {
    let main = space.machine.threads[0].entry;
    let mut claims = Vec::new();
    for (id, state) in graph.states.iter().enumerate() {
        if graph.is_exit[id] && space.machine.procedure_of(state.node) == main {
            let truth = formulas.at_the_end(space.letter(&space.ended(state)));
            let held = (0..truth.len()).filter(|&formula| truth[formula]);
            claims.extend(held.map(|formula| (formula, id as StateId)));
        }
    }
    claims.sort_unstable();
    claims
}
