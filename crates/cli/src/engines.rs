//! The engines that `hardbop check` can use: one table, which feeds the help, the choice by name and `auto`.

use hardbop_machine::Machine;
use hardbop_outcome::{Answer, Budget, Engine, Limit, Outcome, Progress, Query, Verdict};
use hardbop_testkit::{Oracle, SummaryOracle};

/// The name that leaves the choice to hardbop.
pub const AUTO: &str = "auto";

/// An engine of the table.
struct Entry {
    name: &'static str,
    make: fn() -> Box<dyn Engine>,
}

/// All engines. `auto` asks them in this order until one takes the program.
const ENGINES: &[Entry] = &[
    Entry {
        name: "summary-oracle",
        make: || {
            Box::new(SummaryOracle {
                max_path_edges: MANY,
            })
        },
    },
    Entry {
        name: "oracle",
        make: || {
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
const MANY: usize = 1_000_000;

/// All values of `--engine`.
pub fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once(AUTO).chain(ENGINES.iter().map(|entry| entry.name))
}

/// The engine of that name.
pub fn find(name: &str) -> Option<Box<dyn Engine>> {
    if name == AUTO {
        return Some(Box::new(Auto));
    }
    let entry = ENGINES.iter().find(|entry| entry.name == name)?;
    Some((entry.make)())
}

/// Asks the engines of the table in order; what one does not take goes to the next.
struct Auto;

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
            let answer = (entry.make)().check(machine, query, budget, progress);
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
            assert_eq!(find(name).map(|engine| engine.name()), Some(name));
        }
        assert!(find("no-such-engine").is_none());
    }
}
