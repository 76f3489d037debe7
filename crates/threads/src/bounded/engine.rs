//! The engine: a bounded question in, answers with runs out.

use crate::bounded::depth::Depth;
use crate::bounded::encoding::columns::Columns;
use crate::bounded::encoding::moves::Moves;
use crate::bounded::evidence::shortest::shorten;
use crate::bounded::search::levels::{Search, SearchLimits};
use crate::bounded::search::path_edges::Limits;
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::Machine;
use hardbop_outcome::engine::takes_only_reachability;
use hardbop_outcome::{
    Answer, Budget, Declined, Engine, Event, Evidence, Limit, Outcome, Prepared, Progress,
    Question, Statistics, Support, Trace, Verdict, WantedRun,
};
use hardbop_symbolic::{limit_reached, node_limit};

/// Explores runs with few context switches.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoundedEngine;

/// Without a limit in the budget: this many schedules of one length. [`Budget::states`] sets
/// another.
const DEFAULT_SCHEDULES: u64 = 1 << 21;

/// What becomes of the targets.
struct Ledger<'q> {
    question: &'q Question,
    traces: Vec<Option<Trace>>,
    switches: Vec<Option<u32>>,
    statistics: Statistics,
    /// Whether no run has more contexts than those explored.
    is_exhausted: bool,
}

impl Engine for BoundedEngine {
    fn name(&self) -> &'static str {
        "concurrent"
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
    takes_only_reachability(question)?;
    if machine.threads.is_empty() {
        return Declined::because("programs without a thread");
    }
    match Depth::of(question.bound) {
        Some(_) => Ok(()),
        None => Declined::because("a bound on steps"),
    }
}

impl BoundedEngine {
    fn search(
        self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let depth = Depth::of(question.bound).unwrap_or(Depth::Growing);
        let mut ledger = Ledger {
            question,
            traces: vec![None; question.targets().len()],
            switches: vec![None; question.targets().len()],
            statistics: Statistics::default(),
            is_exhausted: false,
        };
        let instances = instances(machine);
        let threads = budget.threads().max(instances);
        let contexts = depth.contexts(threads);
        let columns = Columns::new(machine, contexts, threads);
        let interrupt = || budget.interrupt.check().is_some();
        let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        let limits = SearchLimits {
            of_thread: Limits {
                starts: threads - instances.min(threads),
                interruptions: contexts.div_ceil(2).saturating_sub(1),
            },
            rounds: depth.rounds(),
            threads,
            schedules: usize::try_from(budget.states.unwrap_or(DEFAULT_SCHEDULES))
                .unwrap_or(usize::MAX),
            interrupt: &interrupt,
        };
        let moves = Moves::new(columns, manager);
        let mut search = Search::new(moves, limits);
        let searched = ledger.search(&mut search, contexts, progress);
        ledger.count(&search);
        let why = match searched {
            Err(why) => Some(limit_reached(why, budget)),
            Ok(()) if search.lost.is_some() => search.lost.take(),
            Ok(()) if search.is_short_of_threads => Some(Limit::Threads),
            Ok(()) if depth == Depth::Growing && !ledger.is_exhausted => Some(Limit::Beyond {
                bound: depth.bound(),
            }),
            Ok(()) => None,
        };
        let mut outcome = ledger.outcome(self.name(), depth, why.as_ref());
        if question.wanted == WantedRun::Shortest {
            progress.event(Event::Phase("shortest runs"));
            shorten(machine, depth, budget, &mut outcome);
        }
        outcome
    }
}

impl Ledger<'_> {
    fn is_done(&self) -> bool {
        self.traces.iter().all(Option::is_some)
    }

    fn search(
        &mut self,
        search: &mut Search<'_, '_>,
        contexts: u32,
        progress: &mut dyn Progress,
    ) -> Result<(), Exhausted> {
        progress.event(Event::Phase("init"));
        search.run_init()?;
        for at in 0..self.traces.len() {
            self.traces[at] = search.reached_in_init(&self.question.targets()[at])?;
            self.switches[at] = self.traces[at].as_ref().map(|_| 0);
        }
        search.begin()?;
        for context in 0..contexts {
            if self.is_done() {
                break;
            }
            if search.schedules.is_empty() {
                // In every run all threads have ended or wait for ever: a larger bound would find
                // nothing more.
                self.is_exhausted = true;
                let name = "exhausted at switches";
                self.statistics.raise(name, u64::from(context));
                break;
            }
            progress.event(Event::Count("context", u64::from(context)));
            search.run_context()?;
            for at in 0..self.traces.len() {
                if self.traces[at].is_none() {
                    self.traces[at] = search.reached_in_context(&self.question.targets()[at])?;
                    self.switches[at] = self.traces[at].as_ref().map(|_| context);
                }
            }
            let live = search.moves.manager.node_count() as u64;
            let name = format!("nodes at {context} switches");
            self.statistics.raise(name, live);
            let name = format!("schedules at {context} switches");
            self.statistics.raise(name, search.candidates.len() as u64);
            if context + 1 < contexts && !self.is_done() {
                search.extend_schedules()?;
            }
        }
        Ok(())
    }

    fn count(&mut self, search: &Search<'_, '_>) {
        let places = search.path_edges.places();
        let manager = &search.moves.manager;
        let sizes = places.iter().map(|(_, g)| manager.size(g.total) as u64);
        let widest = sizes.max().unwrap_or(0);
        let statistics = &mut self.statistics;
        statistics.add("relations", places.len() as u64);
        statistics.raise("widest", widest);
        statistics.add("nodes", manager.node_count() as u64);
        statistics.raise("peak nodes", manager.peak() as u64);
        statistics.add("work", manager.work());
    }

    fn outcome(self, engine: &str, depth: Depth, why: Option<&Limit>) -> Outcome {
        let targets = self.question.targets().iter().zip(self.traces);
        let answers = targets.map(|(target, trace)| {
            let verdict = match (trace, why) {
                (Some(trace), _) => Verdict::Yes(Support::Evidence(Evidence::Run(trace))),
                (None, Some(why)) => Verdict::Unknown(why.clone()),
                (None, None) if depth == Depth::Growing => Verdict::NO,
                (None, None) => Verdict::No(Support::UpTo(depth.bound())),
            };
            Answer::new(target.clone(), verdict)
        });
        let mut outcome = Outcome::new(engine, answers.collect());
        outcome.statistics = self.statistics;
        for (target, switches) in self.question.targets().iter().zip(self.switches) {
            if let Some(switches) = switches {
                let name = format!("switches to {target}");
                outcome.statistics.raise(name, u64::from(switches));
            }
        }
        outcome
    }
}

/// How many threads the program declares.
pub(crate) fn instances(machine: &Machine) -> u32 {
    let instances = machine.threads.iter().map(|thread| thread.instances);
    instances.fold(0, u32::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::from_text;
    use hardbop_outcome::{Bound, Silent};

    #[test]
    fn no_limit_on_nodes_changes_a_verdict() {
        // A visit that runs out of nodes is tried again after a collection; what it had noted by
        // then must not be taken for done.
        let text = "decl atomic := F; decl g := 0;
            init() begin decl l := 1; call f(0); g := 1; l := l; call f(?); end
            thread0() begin L: skip; end
            bool<1> f(p) begin decl h := ?; decl l; if l then abortif 1; fi return l; end";
        let machine = from_text("test.bp", text).expect("it is a program");
        let question = Question::label(&machine, "L").within(Bound::ContextSwitches(1));
        let mut decided = 0;
        for nodes in 1..600 {
            let budget = Budget {
                nodes: Some(nodes),
                ..Budget::unlimited()
            };
            let outcome = BoundedEngine.check(&machine, &question, &budget, &mut Silent);
            let verdict = &outcome.answers[0].verdict;
            assert!(
                verdict.is_yes() || verdict.is_unknown(),
                "{nodes}: {verdict:?}"
            );
            decided += usize::from(verdict.is_yes());
        }
        assert!(decided > 100, "{decided}");
    }

    #[test]
    fn a_thread_that_was_blocked_in_an_atomic_block_may_end() {
        let text = "decl g;
            void f() begin
              atomic_begin;
              while * do g := 0; assert(0); od
              atomic_end;
              if g then end_thread; fi
              6:
            end
            void main() begin start_thread goto L; L: assume(g); f(); end";
        let machine = from_text("test.bp", text).expect("it is a program");
        for switches in 0..4 {
            let question = Question::every_target(&machine);
            let question = question.within(Bound::ContextSwitches(switches));
            let unlimited = Budget::unlimited();
            let outcome = BoundedEngine.check(&machine, &question, &unlimited, &mut Silent);
            assert!(outcome.answers.iter().any(|a| a.verdict.is_yes()));
        }
    }
}
