//! The engine: a bounded question in, answers with runs out.

use crate::columns::Columns;
use crate::moves::Moves;
use crate::path_edges::Limits;
use crate::question::Question;
use crate::search::{Search, SearchLimits};
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::Machine;
use hardbop_outcome::{
    Answer, Budget, Engine, Event, Limit, Outcome, Progress, Query, Trace, Verdict,
};
use hardbop_symbolic::{limit_reached, node_limit};

/// The most threads, `init` not counted, unless more are asked for.
pub const DEFAULT_THREADS: u32 = 4;

/// Explores runs with few context switches.
#[derive(Clone, Copy, Debug)]
pub struct BoundedEngine {
    /// How far to look.
    pub question: Question,
    /// The most threads, those that have ended included and `init` not; those that the program itself declares always run.
    pub threads: u32,
}

impl Default for BoundedEngine {
    fn default() -> Self {
        Self {
            question: Question::Growing,
            threads: DEFAULT_THREADS,
        }
    }
}

/// Without a limit in the budget: so many schedules of one length. [`Budget::states`] sets another.
const DEFAULT_SCHEDULES: u64 = 1 << 21;

/// What becomes of the targets.
struct Ledger<'q> {
    query: &'q Query,
    traces: Vec<Option<Trace>>,
    switches: Vec<Option<u32>>,
    statistics: Vec<(String, u64)>,
    /// Whether no run has more contexts than those explored.
    is_exhausted: bool,
}

impl Engine for BoundedEngine {
    fn name(&self) -> &'static str {
        "concurrent"
    }

    fn check(
        &self,
        machine: &Machine,
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let mut ledger = Ledger {
            query,
            traces: vec![None; query.targets.len()],
            switches: vec![None; query.targets.len()],
            statistics: Vec::new(),
            is_exhausted: false,
        };
        let instances: u32 = machine.threads.iter().map(|t| t.instances).sum();
        let threads = self.threads.max(instances);
        let contexts = self.question.contexts(threads);
        let columns = Columns::new(machine, contexts, threads);
        let interrupt = || budget.interrupt.check().is_some();
        let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        let limits = SearchLimits {
            of_thread: Limits {
                starts: threads - instances.min(threads),
                interruptions: contexts.div_ceil(2).saturating_sub(1),
            },
            rounds: self.question.rounds(),
            threads,
            schedules: usize::try_from(budget.states.unwrap_or(DEFAULT_SCHEDULES))
                .unwrap_or(usize::MAX),
            interrupt: &interrupt,
        };
        let moves = Moves::new(columns, manager);
        let mut is_short_of_threads = false;
        let mut has_lost_a_run = false;
        let searched = Search::new(moves, limits).and_then(|mut search| {
            let searched = ledger.search(&mut search, contexts, progress);
            is_short_of_threads = search.is_short_of_threads;
            has_lost_a_run = search.has_lost_a_run;
            ledger.count(&search);
            searched
        });
        let why = match searched {
            Err(why) => Some(limit_reached(why, budget)),
            Ok(()) if has_lost_a_run => Some(Limit::Unsupported {
                what: "runs that it cannot write down".to_owned(),
            }),
            Ok(()) if is_short_of_threads => Some(Limit::Threads),
            Ok(()) if self.question == Question::Growing && !ledger.is_exhausted => {
                Some(Limit::Beyond {
                    bound: self.question.bound(),
                })
            }
            Ok(()) => None,
        };
        ledger.outcome(self, why.as_ref())
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
            self.traces[at] = search.reached_in_init(&self.query.targets[at])?;
            self.switches[at] = self.traces[at].as_ref().map(|_| 0);
        }
        search.begin()?;
        for context in 0..contexts {
            if self.is_done() {
                break;
            }
            if search.schedules.is_empty() {
                // In every run all threads have ended or wait for ever: a larger bound would find nothing more.
                self.is_exhausted = true;
                self.statistics
                    .push(("exhausted at switches".to_owned(), u64::from(context)));
                break;
            }
            progress.event(Event::Count("context", u64::from(context)));
            search.run_context()?;
            for at in 0..self.traces.len() {
                if self.traces[at].is_none() {
                    self.traces[at] = search.reached_in_context(&self.query.targets[at])?;
                    self.switches[at] = self.traces[at].as_ref().map(|_| context);
                }
            }
            let live = search.moves.manager.node_count() as u64;
            self.statistics
                .push((format!("nodes at {context} switches"), live));
            self.statistics.push((
                format!("schedules at {context} switches"),
                search.candidates.len() as u64,
            ));
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
        self.statistics
            .push(("relations".to_owned(), places.len() as u64));
        self.statistics.push(("widest".to_owned(), widest));
        self.statistics
            .push(("nodes".to_owned(), manager.node_count() as u64));
        self.statistics
            .push(("peak nodes".to_owned(), manager.peak() as u64));
        self.statistics.push(("work".to_owned(), manager.work()));
    }

    fn outcome(self, engine: &BoundedEngine, why: Option<&Limit>) -> Outcome {
        let targets = self.query.targets.iter().zip(self.traces);
        let answers = targets.map(|(target, trace)| Answer {
            target: target.clone(),
            verdict: match (trace, why) {
                (Some(trace), _) => Verdict::Reachable { trace },
                (None, Some(why)) => Verdict::Unknown { why: why.clone() },
                (None, None) if engine.question == Question::Growing => Verdict::Unreachable,
                (None, None) => Verdict::UnreachableUpTo {
                    bound: engine.question.bound(),
                },
            },
        });
        let mut outcome = Outcome::new(engine.name(), answers.collect());
        outcome.statistics = self.statistics;
        for (target, switches) in self.query.targets.iter().zip(self.switches) {
            if let Some(switches) = switches {
                let name = format!("switches to the {}", target.kind);
                outcome.statistics.push((name, u64::from(switches)));
            }
        }
        outcome
    }
}
