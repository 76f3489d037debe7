//! The engine: verdicts with their evidence.

use crate::certify::certificate;
use crate::runs::Runs;
use crate::search::Search;
use crate::space::Space;
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::Machine;
use hardbop_machine::cast::Cast;
use hardbop_machine::inlined::NotInlined;
use hardbop_outcome::{
    Answer, Budget, Engine, Event, Limit, Outcome, Progress, Query, Target, Verdict,
};
use hardbop_symbolic::{limit_reached, node_limit};

/// Explores all interleavings of threads without recursion.
#[derive(Clone, Copy, Debug)]
pub struct InterleavingEngine {
    /// At most so many threads, `init` aside, are started in all; a negative answer that would need more is none.
    pub threads: u32,
}

impl Default for InterleavingEngine {
    fn default() -> Self {
        Self { threads: 8 }
    }
}

impl Engine for InterleavingEngine {
    fn name(&self) -> &'static str {
        "interleaving"
    }

    fn check(
        &self,
        machine: &Machine,
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let cast = match Cast::new(
            machine,
            self.threads
                .saturating_add(u32::from(machine.init.is_some())),
        ) {
            Ok(cast) => cast,
            Err(why) => return self.give_up(query, &unsupported(machine, why)),
        };
        let space = Space::new(machine, &cast);
        let interrupt = || budget.interrupt.check().is_some();
        let limit = node_limit(budget);
        let manager = Manager::new(limit).with_interrupt(&interrupt);
        let wanted = query.targets.iter().map(|target| target.node).collect();
        let mut search = Search::new(machine, &cast, &space, manager, wanted);
        progress.event(Event::Phase("search"));
        let end = search.run();
        progress.event(Event::Phase("evidence"));
        let runs = Runs {
            machine,
            cast: &cast,
            space: &space,
        };
        let mut outcome = Outcome::new(self.name(), Vec::new());
        for target in &query.targets {
            let verdict = verdict(&runs, &mut search, target, end, budget);
            let target = target.clone();
            outcome.answers.push(Answer { target, verdict });
        }
        let excluded = outcome.answers.iter();
        let excluded = excluded.filter(|answer| answer.verdict == Verdict::Unreachable);
        let excluded: Vec<Target> = excluded.map(|answer| answer.target.clone()).collect();
        if !excluded.is_empty() {
            match certificate(machine, &space, &mut search, excluded) {
                Ok(certificate) => outcome.certificates.push(certificate),
                Err(why) => retract(&mut outcome, &limit_reached(why, budget)),
            }
        }
        outcome.statistics = statistics(&search);
        outcome
    }
}

impl InterleavingEngine {
    fn give_up(self, query: &Query, why: &Limit) -> Outcome {
        let unknown = |target: &Target| Answer {
            target: target.clone(),
            verdict: Verdict::Unknown { why: why.clone() },
        };
        Outcome::new(self.name(), query.targets.iter().map(unknown).collect())
    }
}

fn verdict(
    runs: &Runs<'_>,
    search: &mut Search<'_, '_>,
    target: &Target,
    end: Result<(), Exhausted>,
    budget: &Budget<'_>,
) -> Verdict {
    let unknown = |why| Verdict::Unknown { why };
    match (search.hit(target.node), end) {
        (Some(hit), _) => match runs.run_to(search, hit, target) {
            Ok(Some(trace)) => Verdict::Reachable { trace },
            Ok(None) => unreachable!("every configuration that was found has a way back"),
            Err(why) => unknown(limit_reached(why, budget)),
        },
        (None, Err(why)) => unknown(limit_reached(why, budget)),
        (None, Ok(())) if search.missed_thread => unknown(Limit::Threads),
        (None, Ok(())) => Verdict::Unreachable,
    }
}

/// A proof that cannot be written down is none.
fn retract(outcome: &mut Outcome, why: &Limit) {
    for answer in &mut outcome.answers {
        if answer.verdict == Verdict::Unreachable {
            answer.verdict = Verdict::Unknown { why: why.clone() };
        }
    }
}

fn unsupported(machine: &Machine, why: NotInlined) -> Limit {
    let what = match why {
        NotInlined::Recursive(procedure) => {
            let name = &machine.procedure(procedure).name;
            format!("threads with recursion ({name} may call itself)")
        }
        NotInlined::TooManyPlaces => "threads whose calls unfold to so many places".to_owned(),
        NotInlined::InitStartsThreads => "an `init` procedure that starts threads".to_owned(),
    };
    Limit::Unsupported { what }
}

fn statistics(search: &Search<'_, '_>) -> Vec<(String, u64)> {
    let widest = search.visited().values();
    let widest = widest.map(|&set| search.manager.size(set)).max();
    let rings = search.layers().iter().map(Vec::len).max();
    let counts = [
        ("contexts", search.layers().len()),
        ("longest-run", rings.unwrap_or(0).saturating_sub(1)),
        ("relations", search.visited().len()),
        ("widest-relation", widest.unwrap_or(0)),
        ("peak-bdd-nodes", search.manager.peak()),
    ];
    let counts = counts.map(|(name, count)| (name.to_owned(), count as u64));
    counts.to_vec()
}
