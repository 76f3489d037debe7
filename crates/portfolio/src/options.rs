//! Options of single engines, and which engines obey which option.
//!
//! **An option acts or is refused.** Whoever is asked for by name must obey every option that is
//! given; where the choice is left to the portfolio, only engines that obey all of them take part.

use crate::engines::EngineName;
use crate::pipeline::Pass;
use hardbop_calculus::{Algorithm, Extent};
use hardbop_explicit::Search;
use hardbop_outcome::Budget;
use hardbop_satcheck::Split;
use hardbop_summary::Order;
use hardbop_transform::hide::Tracking;
use std::num::NonZeroUsize;

/// What single engines can be told.
#[derive(Clone, Debug)]
pub struct Options {
    /// How BDD variables are ordered.
    pub order: Option<Order>,
    /// The algorithm of the calculus engine.
    pub algorithm: Option<Algorithm>,
    /// How much the relations of the calculus engine say.
    pub relations: Option<Extent>,
    /// Whether all steps of all threads are taken.
    pub unreduced: bool,
    /// In which order states are explored.
    pub search: Option<Search>,
    /// Whether values are enumerated at once.
    pub eager: bool,
    /// Which arguments of function terms are explicit.
    pub split: Option<Split>,
    /// How deep recursive calls nest.
    pub inline_depth: Option<u32>,
    /// Which variables count.
    pub track: Option<Tracking>,
    /// How many cores one engine may use.
    pub jobs: NonZeroUsize,
    /// Passes that are left out of every pipeline.
    pub without: Vec<Pass>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            order: None,
            algorithm: None,
            relations: None,
            unreduced: false,
            search: None,
            eager: false,
            split: None,
            inline_depth: None,
            track: None,
            jobs: NonZeroUsize::MIN,
            without: Vec::new(),
        }
    }
}

/// An option that not every engine obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineOption {
    /// `--order`
    Order,
    /// `--algorithm`
    Algorithm,
    /// `--relations`
    Relations,
    /// `--unreduced`
    Unreduced,
    /// `--search`
    Search,
    /// `--eager`
    Eager,
    /// `--split`
    Split,
    /// `--inline-depth`
    InlineDepth,
    /// `--track`
    Track,
    /// `--jobs` for one engine.
    Jobs,
    /// `--states`
    States,
    /// `--nodes`
    Nodes,
    /// `--stack`
    Stack,
    /// `--threads`
    Threads,
}

impl EngineOption {
    /// All options that not every engine obeys.
    pub const ALL: [Self; 14] = [
        Self::Order,
        Self::Algorithm,
        Self::Relations,
        Self::Unreduced,
        Self::Search,
        Self::Eager,
        Self::Split,
        Self::InlineDepth,
        Self::Track,
        Self::Jobs,
        Self::States,
        Self::Nodes,
        Self::Stack,
        Self::Threads,
    ];

    /// The option as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Order => "--order",
            Self::Algorithm => "--algorithm",
            Self::Relations => "--relations",
            Self::Unreduced => "--unreduced",
            Self::Search => "--search",
            Self::Eager => "--eager",
            Self::Split => "--split",
            Self::InlineDepth => "--inline-depth",
            Self::Track => "--track",
            Self::Jobs => "--jobs",
            Self::States => "--states",
            Self::Nodes => "--nodes",
            Self::Stack => "--stack",
            Self::Threads => "--threads",
        }
    }

    /// The engines that obey it.
    pub fn engines(self) -> &'static [EngineName] {
        use EngineName::{
            Branching, BruteForce, Calculus, Concurrent, Directed, Explicit, Interleaving,
            Predicates, Sat, Sequentialized, Stacks, Summary, Tabulation, Unroll,
        };
        match self {
            Self::Order => &[Summary, Predicates, Sequentialized],
            Self::Algorithm | Self::Relations => &[Calculus],
            Self::Unreduced => &[Interleaving],
            Self::Search | Self::Eager | Self::Jobs => &[Explicit],
            Self::Split | Self::InlineDepth => &[Sat],
            Self::Track => &[Summary, Calculus, Sat, Predicates, Sequentialized],
            Self::States => &[
                Calculus,
                Explicit,
                Sat,
                Unroll,
                Directed,
                Interleaving,
                Stacks,
                Concurrent,
                Branching,
                Tabulation,
                BruteForce,
            ],
            Self::Nodes => &[
                Summary,
                Calculus,
                Sat,
                Predicates,
                Interleaving,
                Stacks,
                Concurrent,
                Sequentialized,
            ],
            Self::Stack => &[BruteForce],
            Self::Threads => &[
                Calculus,
                Interleaving,
                Concurrent,
                Sequentialized,
                BruteForce,
            ],
        }
    }
}

impl std::fmt::Display for EngineOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Options {
    /// Whether the calculus engine has to answer about the program with all its variables: for an
    /// algorithm that may look at them, or for relations that leave nothing out.
    pub fn is_about_all_variables(&self) -> bool {
        let is_own = |algorithm: &Algorithm| !algorithm.is_built_in();
        self.relations == Some(Extent::Full) || self.algorithm.as_ref().is_some_and(is_own)
    }

    /// The options that are given, limits included.
    pub fn given(&self, budget: &Budget<'_>) -> Vec<EngineOption> {
        let is_given = |option: &EngineOption| match option {
            EngineOption::Order => self.order.is_some(),
            EngineOption::Algorithm => self.algorithm.is_some(),
            EngineOption::Relations => self.relations.is_some(),
            EngineOption::Unreduced => self.unreduced,
            EngineOption::Search => self.search.is_some(),
            EngineOption::Eager => self.eager,
            EngineOption::Split => self.split.is_some(),
            EngineOption::InlineDepth => self.inline_depth.is_some(),
            EngineOption::Track => self.track.is_some(),
            EngineOption::Jobs => self.jobs.get() > 1,
            EngineOption::States => budget.states.is_some(),
            EngineOption::Nodes => budget.nodes.is_some(),
            EngineOption::Stack => budget.stack.is_some(),
            EngineOption::Threads => budget.threads.is_some(),
        };
        EngineOption::ALL.into_iter().filter(is_given).collect()
    }
}
