//! The engines that `hardbop check` can use: one table, which feeds the help, the choice by name and `auto`.

mod calculus;
mod concurrent;
mod explicit;
mod formula;
mod interleaving;
mod sat;
mod sequentialized;
mod summary;

use crate::exit::Failure;
pub use calculus::CalculusArguments;
use concurrent::ConcurrentArguments;
use explicit::ExplicitArguments;
use formula::FormulaEngine;
use hardbop_machine::Machine;
use hardbop_outcome::{Answer, Budget, Engine, Limit, Outcome, Progress, Question, Verdict};
use hardbop_testkit::{Oracle, SummaryOracle};
use interleaving::InterleavingArguments;
use sat::SatArguments;
use sequentialized::{DEFAULT_ROUNDS, SequentializedEngine};
use summary::SummaryArguments;

/// The name that leaves the choice to hardbop.
pub const AUTO: &str = "auto";

/// An engine, or why its options make none.
type Made = Result<Box<dyn Engine>, Failure>;

/// An engine of the table.
struct Entry {
    name: &'static str,
    make: fn(&EngineArguments) -> Made,
}

/// Options of single engines; the others pay no heed to them.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct EngineArguments {
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    calculus: CalculusArguments,
    #[command(flatten)]
    concurrent: ConcurrentArguments,
    #[command(flatten)]
    interleaving: InterleavingArguments,
    #[command(flatten)]
    explicit: ExplicitArguments,
    #[command(flatten)]
    sat: SatArguments,
}

impl EngineArguments {
    /// The search for runs that a property forbids.
    pub fn property_engine(&self) -> hardbop_explicit::PropertyEngine {
        self.explicit.property_engine()
    }
}

/// All engines. `auto` asks them in this order until one takes the program.
const ENGINES: &[Entry] = &[
    Entry {
        name: "summary",
        make: |options| Ok(Box::new(options.summary.engine())),
    },
    Entry {
        name: "calculus",
        make: |options| {
            Ok(Box::new(FormulaEngine {
                sequential: options.calculus.engine()?,
                bound: options.concurrent.thread_bound(),
                runs: options.concurrent.engine(),
            }))
        },
    },
    Entry {
        name: "explicit",
        make: |options| Ok(Box::new(options.explicit.engine()?)),
    },
    Entry {
        name: "sat",
        make: |options| Ok(options.sat.engine()),
    },
    Entry {
        name: "interleaving",
        make: |options| {
            let threads = options.concurrent.threads();
            Ok(Box::new(options.interleaving.engine(threads)))
        },
    },
    Entry {
        name: "concurrent",
        make: |options| {
            let runs = options.summary;
            Ok(Box::new(options.concurrent.engine_with_runs(runs)))
        },
    },
    Entry {
        name: "sequentialized",
        make: |options| {
            Ok(Box::new(SequentializedEngine {
                rounds: options.concurrent.rounds().unwrap_or(DEFAULT_ROUNDS),
                threads: options.concurrent.threads(),
                summary: options.summary.engine(),
            }))
        },
    },
    Entry {
        name: "summary-oracle",
        make: |_| {
            Ok(Box::new(SummaryOracle {
                max_path_edges: MANY,
            }))
        },
    },
    Entry {
        name: "oracle",
        make: |_| {
            Ok(Box::new(Oracle {
                max_stack: 64,
                max_threads: 16,
                max_configurations: MANY,
                ..Oracle::default()
            }))
        },
    },
];

/// States that fit an ordinary computer's memory; `--states` sets a smaller limit.
const MANY: usize = 10_000_000;

/// All values of `--engine`.
pub fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once(AUTO).chain(ENGINES.iter().map(|entry| entry.name))
}

/// The engine of that name.
pub fn find(name: &str, options: &EngineArguments) -> Made {
    if name == AUTO {
        if options.concurrent.has_bound() {
            let runs = options.summary;
            return Ok(Box::new(options.concurrent.engine_with_runs(runs)));
        }
        if options.sat.has_bound() {
            return Ok(options.sat.engine());
        }
        let engines = ENGINES.iter().map(|entry| (entry.make)(options));
        let engines = engines.collect::<Result<_, _>>()?;
        return Ok(Box::new(Auto { engines }));
    }
    let entry = ENGINES.iter().find(|entry| entry.name == name);
    let entry = entry.ok_or_else(|| Failure::BadInput(format!("there is no engine {name}")))?;
    (entry.make)(options)
}

/// Asks the engines of the table in order; what one does not take goes to the next.
struct Auto {
    engines: Vec<Box<dyn Engine>>,
}

impl Engine for Auto {
    fn name(&self) -> &'static str {
        AUTO
    }

    fn check(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let mut outcome = Outcome::new(AUTO, Vec::new());
        for engine in &self.engines {
            outcome = engine.check(machine, question, budget, progress);
            if !outcome.answers.iter().any(is_unsupported) {
                break;
            }
        }
        outcome
    }
}

fn is_unsupported(answer: &Answer) -> bool {
    let unsupported = |why: &Limit| matches!(why, Limit::Declined { .. });
    matches!(&answer.verdict, Verdict::Unknown(why) if unsupported(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_under_its_name() {
        for name in names() {
            let engine = find(name, &EngineArguments::default()).ok();
            assert_eq!(engine.map(|engine| engine.name()), Some(name));
        }
        assert!(find("no-such-engine", &EngineArguments::default()).is_err());
    }
}
