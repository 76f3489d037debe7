//! `hardbop-lab bench --getafix`: the table of Figure 2 of the Getafix paper, made again.
//!
//! Three suites represent the paper's: small generated programs for SLAM's regression tests, the
//! driver families for its drivers, and programs of the sizes of Terminator-A, B and C with both
//! ways of writing `dead`. Smaller programs of that kind come first: those of the paper's sizes
//! were not decided by the formulas in 20 seconds. Rows of several programs show averages, as in
//! the paper. Next to the two algorithms of the paper, solved as formulas, is the summary
//! engine; all three must agree, with each other and, except for the small programs, which the
//! summary engine sorts, with the verdict that the construction guarantees. Engines are set up as
//! `check` does it, so they look at few variables first and give runs and certificates. Nodes are
//! the most that EF had at any time.

use super::stopwatch::Stopwatch;
use super::{counter, instance_machine, verdict};
use hardbop_bench::{Align, Table, quantity};
use hardbop_calculus::Algorithm;
use hardbop_cli::console::Console;
use hardbop_cli::exit::{Exit, Failure};
use hardbop_cli::interrupt::Patience;
use hardbop_families::{Dead, Family, Knobs, KnownVerdict, TERMINATOR_SHAPES, find, generate};
use hardbop_machine::Machine;
use hardbop_machine::ir::Procedure;
use hardbop_outcome::{Answer, Budget, Question, Silent, WantedRun};
use hardbop_portfolio::{EngineName, Options};
use std::time::Duration;

/// Small programs are generated with these seeds.
const REGRESSION_SEEDS: std::ops::Range<u64> = 0..60;
/// The drivers: a family, a size and the name of the paper's row that has about its lines.
const DRIVERS: [(&str, u32, &str); 4] = [
    ("driver", 100, "drivers of 10,000 lines"),
    ("driver", 170, "drivers of 17,000 lines"),
    ("driver-safe", 100, "drivers of 10,000 lines"),
    ("driver", 120, "drivers of 12,000 lines"),
];
/// Programs of a row of drivers.
const DRIVER_SEEDS: std::ops::Range<u64> = 1..3;

/// Families and sizes of the smaller Terminator-like programs.
const SMALLER: [(&str, u32); 4] = [
    ("terminator", 1),
    ("terminator-safe", 1),
    ("terminator", 2),
    ("terminator-safe", 2),
];

/// The contenders: the two algorithms of the paper and the engine that is not a formula.
const CONTENDERS: [&str; 3] = [EF, "entry-forward-opt", "summary"];
const EF: &str = "entry-forward";

/// One program with what is asked about it.
struct Member {
    machine: Machine,
    question: Question,
}

/// A row of the table.
struct Row {
    name: String,
    verdict: KnownVerdict,
    members: Vec<Member>,
}

/// What a contender says and takes.
struct Found {
    verdict: Option<KnownVerdict>,
    time: Duration,
    nodes: u64,
}

/// Runs the command.
pub fn run(console: &mut Console, timeout: Duration) -> Result<Exit, Failure> {
    let mut columns = vec![("program", Align::Left)];
    columns.extend(
        [
            "programs",
            "lines",
            "results",
            "parameters",
            "globals",
            "locals",
            "most",
            "procedures",
        ]
        .map(|name| (name, Align::Right)),
    );
    columns.push(("reachable", Align::Left));
    columns.extend(["nodes", "EF", "EFopt", "summary"].map(|name| (name, Align::Right)));
    let mut table = Table::new(columns);
    let mut exit = Exit::Fine;
    let mut rows = regression(timeout)?;
    rows.extend(drivers(timeout)?);
    rows.extend(terminator()?);
    for row in rows {
        let (cells, end) = measure(&row, timeout);
        console.note(&format!("{}: {}", row.name, cells.join(" ")));
        table.row(std::iter::once(row.name.clone()).chain(cells));
        if end == Exit::Found || exit == Exit::Fine {
            exit = end;
        }
        console.flush();
    }
    console.print(&table.render());
    Ok(exit)
}

/// Small programs, those where an assertion fails and those where none does.
fn regression(timeout: Duration) -> Result<Vec<Row>, Failure> {
    let mut rows = [
        ("regression, positive", KnownVerdict::Reachable),
        ("regression, negative", KnownVerdict::Unreachable),
    ]
    .map(|(name, verdict)| Row {
        name: name.to_owned(),
        verdict,
        members: Vec::new(),
    });
    for (seed, knobs) in
        REGRESSION_SEEDS.zip([Knobs::recursive(), Knobs::sequential()].iter().cycle())
    {
        let member = assertions(instance_machine("regression", &generate(seed, knobs))?);
        if member.question.targets().is_empty() {
            continue;
        }
        let judge = ask("summary", &member, timeout);
        let row = match judge.verdict {
            Some(KnownVerdict::Reachable) => &mut rows[0],
            Some(KnownVerdict::Unreachable) => &mut rows[1],
            None => continue,
        };
        row.members.push(member);
    }
    Ok(rows.into())
}

fn drivers(timeout: Duration) -> Result<Vec<Row>, Failure> {
    let rows = DRIVERS.iter().map(|&(family, size, name)| {
        let found = known(family)?;
        let sign = match found.verdict {
            KnownVerdict::Reachable => "positive",
            KnownVerdict::Unreachable => "negative",
        };
        let members = DRIVER_SEEDS.map(|seed| {
            let machine = instance_machine(family, &found.generate(size, seed).text)?;
            Ok(first_target(machine, found.verdict, timeout))
        });
        Ok(Row {
            name: format!("{name}, {sign}"),
            verdict: found.verdict,
            members: members.collect::<Result<_, Failure>>()?,
        })
    });
    rows.collect()
}

/// A family of the table.
fn known(family: &str) -> Result<&'static Family, Failure> {
    find(family).ok_or_else(|| Failure::Internal(format!("no family {family}")))
}

fn terminator() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for (family, size) in SMALLER {
        let found = known(family)?;
        let machine = instance_machine(family, &found.generate(size, 1).text)?;
        rows.push(Row {
            name: format!("Terminator-like, {family} {size}"),
            verdict: found.verdict,
            members: vec![assertions(machine)],
        });
    }
    for shape in TERMINATOR_SHAPES {
        for (dead, name) in [(Dead::Iterative, "iterative"), (Dead::Schoose, "schoose")] {
            let machine = instance_machine(shape.name, &shape.generate(dead, 1))?;
            rows.push(Row {
                name: format!("{} ({name})", shape.name),
                verdict: shape.verdict,
                members: vec![assertions(machine)],
            });
        }
    }
    Ok(rows)
}

fn assertions(machine: Machine) -> Member {
    let question = Question::assertions(&machine).wanting(WantedRun::Any);
    Member { machine, question }
}

/// The paper asks about one label. Where an assertion can fail that is one that can, the first; all
/// of them if it is not found in time.
fn first_target(machine: Machine, verdict: KnownVerdict, timeout: Duration) -> Member {
    let mut member = assertions(machine);
    if verdict == KnownVerdict::Reachable {
        let patience = Patience::for_at_most(Some(timeout));
        let budget = Budget {
            interrupt: &patience,
            ..Budget::unlimited()
        };
        let engine = EngineName::Summary.engine(&Options::default());
        let outcome = engine.check(&member.machine, &member.question, &budget, &mut Silent);
        let mut answers = outcome.answers.iter();
        let failing = answers.find(|answer| answer.verdict.is_yes());
        if let Some(target) = failing.and_then(Answer::target) {
            member.question = member.question.about(vec![target.clone()]);
        }
    }
    member
}

/// The cells of a row after its name, and how it ends.
fn measure(row: &Row, timeout: Duration) -> (Vec<String>, Exit) {
    let count = row.members.len();
    let mut exit = Exit::Fine;
    let average = |of: &dyn Fn(&Machine) -> usize| {
        let sum: usize = row.members.iter().map(|member| of(&member.machine)).sum();
        averaged(sum, count)
    };
    let procedures = |machine: &Machine| machine.procedures.len();
    let sum_of = |machine: &Machine, of: &dyn Fn(&Procedure) -> usize| -> usize {
        machine.procedures.iter().map(of).sum()
    };
    let locals = |procedure: &Procedure| {
        procedure.locals.len() - (procedure.parameter_count + procedure.result_count) as usize
    };
    let most = |machine: &Machine| machine.procedures.iter().map(locals).max().unwrap_or(0);
    let mut cells = vec![
        count.to_string(),
        average(&|machine| machine.source.text().lines().count()),
        average(&|machine| sum_of(machine, &|procedure| procedure.result_count as usize)),
        average(&|machine| sum_of(machine, &|procedure| procedure.parameter_count as usize)),
        average(&|machine| machine.globals.len()),
        average(&|machine| sum_of(machine, &locals)),
        average(&most),
        average(&procedures),
    ];
    cells.push(match row.verdict {
        KnownVerdict::Reachable => "yes".to_owned(),
        KnownVerdict::Unreachable => "no".to_owned(),
    });
    let mut times = Vec::new();
    let mut nodes = quantity::NOTHING.to_owned();
    for contender in CONTENDERS {
        let mut time = Duration::ZERO;
        let mut sum = 0;
        let mut is_complete = true;
        for member in &row.members {
            let found = ask(contender, member, timeout);
            if found.verdict.is_some_and(|verdict| verdict != row.verdict) {
                return (vec![format!("WRONG by {contender}")], Exit::Found);
            }
            is_complete &= found.verdict.is_some();
            time += found.time;
            sum += found.nodes;
        }
        if is_complete && contender == EF {
            nodes = averaged(usize::try_from(sum).unwrap_or(usize::MAX), count);
        }
        times.push(if is_complete {
            quantity::time(time / u32::try_from(count.max(1)).unwrap_or(u32::MAX))
        } else {
            exit = Exit::Unknown;
            format!(">{}", quantity::time(timeout))
        });
    }
    cells.push(nodes);
    cells.extend(times);
    (cells, exit)
}

/// An average with one digit, none if it is whole.
fn averaged(sum: usize, count: usize) -> String {
    let tenths = (sum * 10 + count / 2) / count.max(1);
    if tenths.is_multiple_of(10) || tenths >= 1000 {
        return (tenths / 10).to_string();
    }
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn ask(contender: &str, member: &Member, timeout: Duration) -> Found {
    let patience = Patience::for_at_most(Some(timeout));
    let budget = Budget {
        interrupt: &patience,
        ..Budget::unlimited()
    };
    let algorithm = Algorithm::built_in(contender);
    let name = match algorithm {
        Some(_) => EngineName::Calculus,
        None => EngineName::Summary,
    };
    let engine = name.engine(&Options {
        algorithm,
        ..Options::default()
    });
    let start = Stopwatch::start();
    let outcome = engine.check(&member.machine, &member.question, &budget, &mut Silent);
    Found {
        verdict: verdict(&outcome),
        time: start.elapsed(),
        nodes: counter(&outcome, "bdd-peak"),
    }
}
