//! Every engine by its name: what a user can ask for with `--engine`.

use crate::options::Options;
use hardbop_branching::BranchingEngine;
use hardbop_brute_force::{BruteForce, TabulationEngine};
use hardbop_calculus::CalculusEngine;
use hardbop_directed::DirectedEngine;
use hardbop_explicit::ExplicitEngine;
use hardbop_machine::Machine;
use hardbop_outcome::{Budget, Declined, Engine, Prepared, Question};
use hardbop_satcheck::SatEngine;
use hardbop_summary::SummaryEngine;
use hardbop_threads::{BoundedEngine, InterleavingEngine, Reductions};
use hardbop_transform::Through;
use hardbop_transform::hide::{FewVariables, Tracking};
use hardbop_transform::predicates::WithPredicates;
use std::sync::Arc;

/// The name of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EngineName {
    /// Summaries over BDDs (Bebop).
    Summary,
    /// Algorithms as formulas (Getafix).
    Calculus,
    /// States one by one (VERA).
    Explicit,
    /// Weakest preconditions and SAT (Leino), and plain unrolling.
    Sat,
    /// Property-directed reachability (GPDR, Spacer).
    Directed,
    /// Summaries over predicates about words (SLAM).
    Predicates,
    /// All interleavings of threads without recursion.
    Interleaving,
    /// Threads with few context switches.
    Concurrent,
    /// Threads in rounds, as a sequential program.
    Sequentialized,
    /// Branching time, by a game with claims about returns (Walukiewicz).
    Branching,
    /// Explicit path edges, one by one.
    Tabulation,
    /// Whole configurations, one by one.
    BruteForce,
}

impl EngineName {
    /// All engines.
    pub const ALL: [Self; 12] = [
        Self::Summary,
        Self::Calculus,
        Self::Explicit,
        Self::Sat,
        Self::Directed,
        Self::Predicates,
        Self::Interleaving,
        Self::Concurrent,
        Self::Sequentialized,
        Self::Branching,
        Self::Tabulation,
        Self::BruteForce,
    ];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Calculus => "calculus",
            Self::Explicit => "explicit",
            Self::Sat => "sat",
            Self::Directed => "directed",
            Self::Predicates => "predicates",
            Self::Interleaving => "interleaving",
            Self::Concurrent => "concurrent",
            Self::Sequentialized => "sequentialized",
            Self::Branching => "branching",
            Self::Tabulation => "tabulation",
            Self::BruteForce => "brute-force",
        }
    }

    /// What the engine does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Summary => "summaries over BDDs, for sequential programs",
            Self::Calculus => "algorithms written as formulas",
            Self::Explicit => "states one by one, with properties of runs",
            Self::Sat => "weakest preconditions and SAT; with --bmc plain unrolling",
            Self::Directed => "inductive clauses found from the targets, for sequential programs",
            Self::Predicates => "summaries over predicates about words, found as they are needed",
            Self::Interleaving => "all interleavings of threads without recursion",
            Self::Concurrent => "threads with few context switches",
            Self::Sequentialized => "threads in rounds, as a sequential program",
            Self::Branching => "formulas of branching time, for sequential programs",
            Self::Tabulation => "explicit path edges, for small sequential programs",
            Self::BruteForce => "whole configurations, for small programs",
        }
    }

    /// The engine of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.as_str() == name)
    }

    /// The engine, set up as the options say.
    pub fn engine(self, options: &Options) -> Box<dyn Engine> {
        match self {
            Self::Summary => summary(options),
            Self::Calculus => {
                let engine = CalculusEngine {
                    algorithm: options.algorithm.clone(),
                    relations: options.relations,
                    evidence: Arc::new(EvidenceSource {
                        sequential: summary(options),
                    }),
                };
                // What a user's algorithm says, and what all relations say, is about the whole
                // program.
                if options.is_about_all_variables() {
                    return Box::new(engine);
                }
                tracking(options, Box::new(engine))
            }
            Self::Explicit => {
                let default = ExplicitEngine::default();
                Box::new(ExplicitEngine {
                    search: options.search.unwrap_or(default.search),
                    lazy: !options.eager,
                    jobs: options.jobs,
                })
            }
            Self::Sat => {
                let default = SatEngine::default();
                let engine = SatEngine {
                    split: options.split.unwrap_or(default.split),
                    inline_depth: options.inline_depth.unwrap_or(default.inline_depth),
                    ..default
                };
                tracking(options, Box::new(engine))
            }
            Self::Directed => Box::new(DirectedEngine),
            Self::Predicates => {
                let engine = WithPredicates::new(summary(options));
                Box::new(engine.with_second(Box::new(ExplicitEngine::default())))
            }
            Self::Interleaving => Box::new(InterleavingEngine {
                reductions: Reductions {
                    partial_order: !options.unreduced,
                    symmetry: !options.unreduced,
                },
            }),
            Self::Concurrent => Box::new(BoundedEngine),
            Self::Sequentialized => Box::new(Through::sequentialized(summary(options))),
            Self::Branching => Box::new(BranchingEngine {
                runs: Arc::new(ExplicitEngine::default()),
            }),
            Self::Tabulation => Box::new(TabulationEngine),
            Self::BruteForce => Box::new(BruteForce),
        }
    }
}

impl std::fmt::Display for EngineName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

fn summary(options: &Options) -> Box<dyn Engine> {
    let order = options.order.unwrap_or_default();
    tracking(options, Box::new(SummaryEngine { order }))
}

/// An engine that is asked about few variables first, unless all are to be tracked.
fn tracking(options: &Options, engine: Box<dyn Engine>) -> Box<dyn Engine> {
    match options.track.unwrap_or_default() {
        Tracking::All => engine,
        Tracking::Needed => Box::new(FewVariables {
            engine,
            tries_all: true,
        }),
    }
}

/// Where the calculus engine gets its runs and certificates: engines do not know of each other,
/// so they meet here.
struct EvidenceSource {
    sequential: Box<dyn Engine>,
}

impl EvidenceSource {
    fn of(&self, machine: &Machine) -> &dyn Engine {
        if machine.is_sequential() {
            self.sequential.as_ref()
        } else {
            &BoundedEngine
        }
    }
}

impl Engine for EvidenceSource {
    fn name(&self) -> &'static str {
        "evidence"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        self.of(machine).prepare(machine, question, limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_under_its_name_and_calls_itself_so() {
        for name in EngineName::ALL {
            assert_eq!(EngineName::find(name.as_str()), Some(name));
            assert_eq!(name.engine(&Options::default()).name(), name.as_str());
        }
        assert_eq!(EngineName::find("no-such-engine"), None);
    }
}
