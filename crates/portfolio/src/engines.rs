//! Every engine by its name: what a user can ask for with `--engine`.

use crate::options::Options;
use crate::pipeline::{Pass, refined};
use hardbop_branching::BranchingEngine;
use hardbop_brute_force::{BruteForce, TabulationEngine};
use hardbop_calculus::CalculusEngine;
use hardbop_directed::DirectedEngine;
use hardbop_explicit::ExplicitEngine;
use hardbop_facts::FactsEngine;
use hardbop_machine::Machine;
use hardbop_outcome::{Budget, Declined, Engine, Prepared, Question};
use hardbop_satcheck::SatEngine;
use hardbop_summary::SummaryEngine;
use hardbop_threads::{BoundedEngine, InterleavingEngine, Reductions, StacksEngine};
use hardbop_transform::Through;
use hardbop_transform::hide::Tracking;
use hardbop_unroll::UnrollEngine;
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
    /// Loops and calls written out, and SAT (CBMC).
    Unroll,
    /// Property-directed reachability (GPDR, Spacer).
    Directed,
    /// Summaries over predicates about words (SLAM).
    Predicates,
    /// Invariants from relations between words.
    Facts,
    /// All interleavings of threads without recursion.
    Interleaving,
    /// Proofs for threads with recursion.
    Stacks,
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
    pub const ALL: [Self; 15] = [
        Self::Summary,
        Self::Calculus,
        Self::Explicit,
        Self::Sat,
        Self::Unroll,
        Self::Directed,
        Self::Predicates,
        Self::Facts,
        Self::Interleaving,
        Self::Stacks,
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
            Self::Unroll => "unroll",
            Self::Directed => "directed",
            Self::Predicates => "predicates",
            Self::Facts => "facts",
            Self::Interleaving => "interleaving",
            Self::Stacks => "stacks",
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
            Self::Unroll => "loops and calls written out, up to bounds that it proves sufficient",
            Self::Directed => "inductive clauses found from the targets, for sequential programs",
            Self::Predicates => "summaries over predicates about words, found as they are needed",
            Self::Facts => "affine relations and bounds of words, as inductive invariants",
            Self::Interleaving => "all interleavings of threads without recursion",
            Self::Stacks => "proofs for threads with recursion, by summarised stacks",
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

    /// The engine in the loops around it, set up as the options say.
    pub fn engine(self, options: &Options) -> Box<dyn Engine> {
        let is_about_all = self == Self::Calculus && options.is_about_all_variables();
        let tracks_all = is_about_all || options.track == Some(Tracking::All);
        let mut passes = self.passes();
        passes.retain(|&pass| !(tracks_all && pass == Pass::Variables));
        let engine = refined(self, &passes, options);
        match self {
            Self::Sequentialized => Box::new(Through::sequentialized(engine)),
            _ => engine,
        }
    }

    /// The passes of its pipeline, for those questions to which they apply.
    pub(crate) fn passes(self) -> Vec<Pass> {
        match self {
            Self::Calculus => vec![Pass::Product, Pass::Domains, Pass::Variables],
            Self::Summary | Self::Sat => vec![
                Pass::Product,
                Pass::Domains,
                Pass::Liveness,
                Pass::Variables,
            ],
            Self::Predicates => vec![
                Pass::Product,
                Pass::Domains,
                Pass::Liveness,
                Pass::Predicates,
                Pass::Variables,
            ],
            Self::Sequentialized => vec![Pass::Sequentialize, Pass::Variables],
            // These take properties as they are. The bounds of unrolling are those of the loops of
            // the program itself.
            Self::Unroll
            | Self::Interleaving
            | Self::Stacks
            | Self::Concurrent
            | Self::Branching
            | Self::BruteForce => vec![Pass::Domains],
            Self::Explicit | Self::Facts | Self::Directed | Self::Tabulation => {
                vec![Pass::Product, Pass::Domains]
            }
        }
    }

    /// The pass without which the engine is another one.
    pub(crate) fn is_made_by(self) -> Option<Pass> {
        match self {
            Self::Predicates => Some(Pass::Predicates),
            Self::Sequentialized => Some(Pass::Sequentialize),
            _ => None,
        }
    }

    /// The engine at the end of its pipeline.
    pub(crate) fn at_the_end(self) -> Self {
        match self {
            Self::Predicates | Self::Sequentialized => Self::Summary,
            other => other,
        }
    }

    /// The engine itself, set up as the options say.
    pub(crate) fn bare(self, options: &Options) -> Box<dyn Engine> {
        match self {
            Self::Summary | Self::Predicates | Self::Sequentialized => Box::new(SummaryEngine {
                order: options.order.unwrap_or_default(),
            }),
            Self::Calculus => Box::new(CalculusEngine {
                algorithm: options.algorithm.clone(),
                relations: options.relations,
                evidence: Arc::new(EvidenceSource {
                    sequential: Self::Summary.engine(options),
                }),
            }),
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
                Box::new(SatEngine {
                    split: options.split.unwrap_or(default.split),
                    inline_depth: options.inline_depth.unwrap_or(default.inline_depth),
                    ..default
                })
            }
            Self::Directed => Box::new(DirectedEngine),
            Self::Unroll => Box::new(UnrollEngine),
            Self::Facts => Box::new(FactsEngine),
            Self::Interleaving => Box::new(InterleavingEngine {
                reductions: Reductions {
                    partial_order: !options.unreduced,
                    symmetry: !options.unreduced,
                },
            }),
            Self::Stacks => Box::new(StacksEngine),
            Self::Concurrent => Box::new(BoundedEngine),
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
