//! The engine: a question in, answers with their evidence out.

use crate::encoding::code::Program;
use crate::encoding::layout::Layouts;
use crate::encoding::step::Statics;
use crate::evidence::certify::certificate;
use crate::evidence::runs::RunReader;
use crate::property;
use crate::search::breadth_first::BreadthFirst;
use crate::search::depth_first::depth_first;
use crate::search::exploration::{Exploration, StateId};
use crate::search::parallel::parallel;
use crate::search::watch::{Stopped, Watch};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::engine::{takes_no_bound, takes_no_branching};
use hardbop_outcome::{
    Answer, Budget, Certificate, Declined, Engine, Event, Evidence, Limit, Outcome, Prepared,
    Progress, Question, Skeleton, Statistics, Support, Target, Verdict, WantedRun,
};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// In which order states are explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Depth first: least memory, and deep runs soon.
    #[default]
    Dfs,
    /// Breadth first: shortest runs.
    Bfs,
}

/// The explicit engine.
#[derive(Clone, Copy, Debug)]
pub struct ExplicitEngine {
    /// The order of the search.
    pub search: Search,
    /// Whether uninitialised variables and choices stay undetermined until a step needs them.
    pub lazy: bool,
    /// How many cores to use. With more than one, which run is found may change from time to time;
    /// no verdict does. Search in order of distance uses one.
    pub jobs: NonZeroUsize,
}

impl Default for ExplicitEngine {
    fn default() -> Self {
        Self {
            search: Search::Dfs,
            lazy: true,
            jobs: NonZeroUsize::MIN,
        }
    }
}

impl Engine for ExplicitEngine {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        self.takes(machine, question)?;
        Ok(Prepared::new(move |budget, progress| {
            self.search(machine, question, budget, progress)
        }))
    }
}

impl ExplicitEngine {
    /// Declines what the search does not obey.
    fn takes(&self, machine: &Machine, question: &Question) -> Result<(), Declined> {
        if !machine.is_sequential() || machine.threads.is_empty() {
            return Declined::because("concurrent programs");
        }
        if question.as_property().is_some() && question.wanted == WantedRun::Shortest {
            return Declined::because("`--shortest` for properties");
        }
        let wants_shortest = question.wanted == WantedRun::Shortest || self.search == Search::Bfs;
        if self.jobs.get() > 1 && wants_shortest {
            return Declined::because("`--shortest` on several cores");
        }
        if self.jobs.get() > 1 && question.as_property().is_some() {
            return Declined::because("several cores for properties of runs");
        }
        takes_no_branching(question)?;
        takes_no_bound(question)
    }

    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        if let Some(property) = question.as_property() {
            return property::search(machine, property, question, self.lazy, budget, progress);
        }
        let order = match question.wanted {
            WantedRun::Shortest => Search::Bfs,
            WantedRun::Any | WantedRun::Short => self.search,
        };
        progress.event(Event::Phase("analyses"));
        let layouts = Layouts::new(machine);
        let program = Program::new(machine, &layouts);
        let statics = Statics {
            machine,
            layouts: &layouts,
            program: &program,
            lazy: self.lazy,
        };
        progress.event(Event::Phase("search"));
        let searched = match order {
            Search::Dfs if self.jobs.get() > 1 => {
                let nodes = question
                    .targets()
                    .iter()
                    .map(|target| target.node)
                    .collect();
                let search = parallel(statics, self.jobs, &nodes, budget, progress);
                Searched {
                    bytes: search.bytes,
                    exploration: search.exploration,
                    found: search.found,
                    ended: search.ended,
                    distances: None,
                }
            }
            search => {
                let nodes = question.targets().iter().map(|target| target.node);
                let mut watch = Watch::new(nodes, *budget, progress);
                watch.stops_at_first = question.one_is_enough && search == Search::Dfs;
                search_alone(statics, search, watch)
            }
        };
        let readings = Readings::new(searched, question);
        // A trace takes as much memory as the states that it was read off, and all that was made
        // to find them.
        drop((program, layouts));
        readings.outcome(self.name(), machine, question)
    }
}

/// What a search came to.
struct Searched<'s> {
    exploration: Exploration<'s>,
    /// For each target that was met a state there.
    found: BTreeMap<NodeId, StateId>,
    ended: Result<(), Stopped>,
    /// Nearest ways to states, if the search was for them.
    distances: Option<BreadthFirst>,
    bytes: usize,
}

fn search_alone<'s>(statics: Statics<'s>, search: Search, mut watch: Watch<'_>) -> Searched<'s> {
    let mut exploration = Exploration::new(statics);
    let mut distances = match search {
        Search::Dfs => None,
        Search::Bfs => Some(BreadthFirst::default()),
    };
    let ended = match &mut distances {
        None => match depth_first(&mut exploration, &mut watch) {
            // The other targets are open.
            Err(Stopped::Settled) if !watch.is_settled() => Err(Stopped::Limit(Limit::Interrupted)),
            ended => ended,
        },
        Some(breadth_first) => breadth_first.run(&mut exploration, &mut watch),
    };
    let found = match &distances {
        None => watch.all_found(),
        Some(breadth_first) => breadth_first.all_found(),
    };
    Searched {
        bytes: exploration.bytes(),
        exploration,
        found,
        ended,
        distances,
    }
}

/// What was read off the states of a search.
struct Readings {
    /// For each target that was met a run to it, in order.
    runs: Vec<Skeleton>,
    /// For each target whether it was met.
    is_met: Vec<bool>,
    ended: Result<(), Stopped>,
    certificates: Vec<Certificate>,
    statistics: Statistics,
}

impl Readings {
    fn new(searched: Searched<'_>, question: &Question) -> Self {
        let statistics = statistics(&searched);
        let Searched {
            mut exploration,
            found,
            ended,
            distances,
            ..
        } = searched;
        exploration.close();
        let targets = question.targets();
        let states: Vec<Option<StateId>> = targets
            .iter()
            .map(|target| found.get(&target.node).copied())
            .collect();
        let reached: Vec<StateId> = states.iter().flatten().copied().collect();
        let nearest = |exploration: &Exploration<'_>, state: StateId| match &distances {
            None => exploration.derivation(state),
            Some(breadth_first) => breadth_first.derivation(state),
        };
        let runs = RunReader::new(&mut exploration).runs(&reached, &nearest);
        exploration.forget_derivations();
        let excluded: Vec<Target> = match &ended {
            Err(Stopped::Limit(_)) => Vec::new(),
            Ok(()) | Err(Stopped::Settled) => {
                let unmet = targets.iter().zip(&states).filter(|(_, s)| s.is_none());
                unmet.map(|(target, _)| target.clone()).collect()
            }
        };
        let certificates = if excluded.is_empty() {
            Vec::new()
        } else {
            vec![certificate(&exploration, excluded)]
        };
        Self {
            runs: runs.unwrap_or_default(),
            is_met: states.iter().map(Option::is_some).collect(),
            ended,
            certificates,
            statistics,
        }
    }

    fn outcome(self, engine: &str, machine: &Machine, question: &Question) -> Outcome {
        let mut runs = self.runs.into_iter();
        let targets = self.is_met.iter().zip(question.targets());
        let verdicts = targets.map(|(is_met, target)| {
            let verdict = match (is_met, &self.ended) {
                (true, _) => {
                    let trace = runs
                        .next()
                        .and_then(|run| run.trace(machine, Some(target.clone())));
                    match trace {
                        Some(trace) => Verdict::Yes(Support::Evidence(Evidence::Run(trace))),
                        // The run has more different calls than can be written down.
                        None => Verdict::Unknown(Limit::Memory),
                    }
                }
                (false, Err(Stopped::Limit(why))) => Verdict::Unknown(why.clone()),
                (false, Ok(()) | Err(Stopped::Settled)) => Verdict::NO,
            };
            Answer::new(target.clone(), verdict)
        });
        let mut outcome = Outcome::new(engine, verdicts.collect());
        for certificate in self.certificates {
            outcome.certify(certificate);
        }
        outcome.statistics = self.statistics;
        outcome
    }
}

fn statistics(searched: &Searched<'_>) -> Statistics {
    let exploration = &searched.exploration;
    let states = exploration.len() as u64;
    let bytes = searched.bytes as u64;
    let counters = [
        ("states", states),
        ("entries", exploration.roots().len() as u64),
        ("summaries", exploration.summaries),
        ("transitions", exploration.transitions),
    ];
    let mut statistics = Statistics::sums(counters);
    statistics.raise("bytes-per-state", bytes.div_ceil(states.max(1)));
    statistics
}
