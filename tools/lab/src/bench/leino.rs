//! `hardbop-lab bench --leino`: the table of Figure 3 of Leino's paper, made again.
//!
//! The paper counts the function terms of eleven device drivers of 3,900 to 8,700 blocks with 1 to
//! 18 global variables. Their place is taken by generated drivers of such sizes and by the programs
//! T(n), which have one global. Terms are those of all searches of the SAT engine as `check` runs
//! it: the first with all variables, as in the paper, is given up where it has too many, and
//! searches with few variables follow.

use super::stopwatch::Stopwatch;
use super::{counter, instance_machine, verdict};
use hardbop_bench::{Align, Table, quantity};
use hardbop_cli::console::Console;
use hardbop_cli::exit::{Exit, Failure};
use hardbop_cli::interrupt::Patience;
use hardbop_families::{KnownVerdict, find};
use hardbop_outcome::{Answer, Budget, Question, Silent, Verdict};
use hardbop_portfolio::{EngineName, Options};
use std::time::Duration;

/// Families and sizes with about 4,000 to 9,000 blocks.
const PROGRAMS: [(&str, u32); 16] = [
    ("driver", 75),
    ("driver", 90),
    ("driver", 105),
    ("driver", 120),
    ("driver", 135),
    ("driver", 150),
    ("driver", 170),
    ("driver-safe", 75),
    ("driver-safe", 100),
    ("driver-safe", 120),
    ("driver-safe", 150),
    ("driver-safe", 170),
    ("tn", 450),
    ("tn", 950),
    ("tn-safe", 450),
    ("tn-safe", 950),
];
/// The seed of the drivers.
const SEED: u64 = 2;

/// Runs the command.
pub fn run(console: &mut Console, timeout: Duration) -> Result<Exit, Failure> {
    let mut columns = vec![("program", Align::Left)];
    let numbers = [
        "size",
        "blocks",
        "globals",
        "arguments per block",
        "terms",
        "time",
    ];
    columns.extend(numbers.map(|name| (name, Align::Right)));
    columns.push(("fails", Align::Left));
    let mut table = Table::new(columns);
    let mut exit = Exit::Fine;
    for (family, size) in PROGRAMS {
        let found = find(family);
        let found = found.ok_or_else(|| Failure::Internal(format!("no family {family}")))?;
        let instance = found.generate(size, SEED);
        let machine = instance_machine(family, &instance.text)?;
        let question = match instance.question {
            hardbop_families::Question::Label(label) => Question::label(&machine, label),
            _ => Question::assertions(&machine),
        };
        let patience = Patience::for_at_most(Some(timeout));
        let budget = Budget {
            interrupt: &patience,
            ..Budget::unlimited()
        };
        let engine = EngineName::Sat.engine(&Options::default());
        let start = Stopwatch::start();
        let outcome = engine.check(&machine, &question, &budget, &mut Silent);
        let time = start.elapsed();
        let verdict = verdict(&outcome);
        let is_open = |answer: &Answer| matches!(answer.verdict, Verdict::Unknown(_));
        let is_complete = !outcome.answers.iter().any(is_open);
        if !is_complete && exit == Exit::Fine {
            exit = Exit::Unknown;
        }
        if verdict.is_some_and(|verdict| verdict != found.verdict) {
            exit = Exit::Found;
        }
        let blocks = counter(&outcome, "blocks");
        let tenths = counter(&outcome, "block-arguments") * 10 / blocks.max(1);
        table.row([
            family.to_owned(),
            size.to_string(),
            blocks.to_string(),
            counter(&outcome, "global-variables").to_string(),
            format!("{}.{}", tenths / 10, tenths % 10),
            counter(&outcome, "function-terms").to_string(),
            quantity::time(time),
            match verdict {
                _ if exit == Exit::Found => "WRONG".to_owned(),
                Some(KnownVerdict::Reachable) if !is_complete => "yes, some unknown".to_owned(),
                Some(KnownVerdict::Reachable) => "yes".to_owned(),
                Some(KnownVerdict::Unreachable) => "no".to_owned(),
                None => format!("no answer in {}", quantity::time(timeout)),
            },
        ]);
    }
    console.print(&table.render());
    Ok(exit)
}
