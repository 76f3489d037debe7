//! The engines that `hardbop check` can use: one table, which feeds the help, the choice by name and `auto`.

use hardbop_machine::Machine;
use hardbop_outcome::{Answer, Budget, Engine, Limit, Outcome, Progress, Query, Verdict};
use hardbop_summary::{Direction, Order, SummaryEngine};
use hardbop_testkit::{Oracle, SummaryOracle};

/// The name that leaves the choice to hardbop.
pub const AUTO: &str = "auto";

/// An engine of the table.
struct Entry {
    name: &'static str,
    make: fn(&EngineArguments) -> Box<dyn Engine>,
}

/// Options of single engines; the others pay no heed to them.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct EngineArguments {
    /// Where the summary engine starts to search
    #[arg(long, value_enum, default_value_t)]
    direction: DirectionName,
    /// How the summary engine orders its BDD variables
    #[arg(long, value_enum, default_value_t)]
    order: OrderName,
    /// Be content with the first run that is found instead of a shortest one
    #[arg(long)]
    any_run: bool,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum DirectionName {
    /// From the start of the program
    Forward,
    /// From the targets
    Backward,
    /// Both, in turns
    #[default]
    Auto,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum OrderName {
    /// As declared
    Declaration,
    /// As met when reading the program
    FirstUse,
    /// Variables of one statement near each other
    #[default]
    Force,
}

impl EngineArguments {
    fn summary_engine(self) -> SummaryEngine {
        SummaryEngine {
            direction: match self.direction {
                DirectionName::Forward => Direction::Forward,
                DirectionName::Backward => Direction::Backward,
                DirectionName::Auto => Direction::Auto,
            },
            order: match self.order {
                OrderName::Declaration => Order::Declaration,
                OrderName::FirstUse => Order::FirstUse,
                OrderName::Force => Order::Force,
            },
            shortest: !self.any_run,
            first_turn: None,
        }
    }
}

/// All engines. `auto` asks them in this order until one takes the program.
const ENGINES: &[Entry] = &[
    Entry {
        name: "summary",
        make: |options| Box::new(options.summary_engine()),
    },
    Entry {
        name: "summary-oracle",
        make: |_| {
            Box::new(SummaryOracle {
                max_path_edges: MANY,
            })
        },
    },
    Entry {
        name: "oracle",
        make: |_| {
            Box::new(Oracle {
                max_stack: 64,
                max_threads: 16,
                max_configurations: MANY,
                ..Oracle::default()
            })
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
pub fn find(name: &str, options: EngineArguments) -> Option<Box<dyn Engine>> {
    if name == AUTO {
        return Some(Box::new(Auto { options }));
    }
    let entry = ENGINES.iter().find(|entry| entry.name == name)?;
    Some((entry.make)(&options))
}

/// Asks the engines of the table in order; what one does not take goes to the next.
struct Auto {
    options: EngineArguments,
}

impl Engine for Auto {
    fn name(&self) -> &'static str {
        AUTO
    }

    fn check(
        &self,
        machine: &Machine,
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let mut outcome: Option<Outcome> = None;
        for entry in ENGINES {
            let answer = (entry.make)(&self.options).check(machine, query, budget, progress);
            let is_taken = !answer.answers.iter().any(is_unsupported);
            outcome = Some(answer);
            if is_taken {
                break;
            }
        }
        outcome.unwrap_or_else(|| Outcome::new(AUTO, Vec::new()))
    }
}

fn is_unsupported(answer: &Answer) -> bool {
    let unsupported = |why: &Limit| matches!(why, Limit::Unsupported { .. });
    matches!(&answer.verdict, Verdict::Unknown { why } if unsupported(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_under_its_name() {
        for name in names() {
            assert_eq!(
                find(name, EngineArguments::default()).map(|engine| engine.name()),
                Some(name)
            );
        }
        assert!(find("no-such-engine", EngineArguments::default()).is_none());
    }
}
