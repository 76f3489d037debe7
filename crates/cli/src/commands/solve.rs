//! `hardbop solve`: the values of the queries of a `.mu` file.
//!
//! Results go to standard output, one line for each query, in the order of the text. A query that
//! has no value (a limit was hit, or its iteration does not end) is `unknown`; the reason goes to
//! standard error, and the others are still answered where that is possible.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::interrupt::Patience;
use crate::kinds::{self, FileKind};
use crate::limits::TimeAndMemory;
use crate::usage::Usage;
use crate::watchdog;
use hardbop_fixpoint::{Binding, Limits as SolverLimits, Options, Round, Solver, Stop, Strategy};
use hardbop_formula::{ActionKind, Checked, Formula, FormulaId, System};
use hardbop_outcome::Interrupt;
use hardbop_syntax::diagnostic::has_errors;
use std::cell::RefCell;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  hardbop solve game.mu                  the value of each query
  hardbop solve game.mu --model          with values that show it
  hardbop solve game.mu --explain-plan   how it would be evaluated

Exit codes: 0 every query has a value, 2 bad input, 3 some value is unknown.";

/// Bytes that a BDD node takes, with its share of the tables.
const BYTES_PER_NODE: u64 = 64;

/// Find the values of the queries of a fixed-point system
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "flags of the command line are independent"
)]
pub struct Arguments {
    /// The system (`.mu`); `-` is standard input
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    pub limits: TimeAndMemory,
    /// Give up after this many rounds [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    states: Option<u64>,
    /// Give up after this many BDD nodes [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    nodes: Option<u64>,
    /// Print values that make a query `exists …` true or a query `forall …` false
    #[arg(long, help_heading = "Output")]
    model: bool,
    /// Print how the system is evaluated, and do not evaluate it
    #[arg(long, help_heading = "Output")]
    explain_plan: bool,
    /// Print the rounds of each relation
    #[arg(long, help_heading = "Output")]
    trace: bool,
    /// Evaluate each relation from scratch whenever it is needed, by the letter of the semantics
    #[arg(long, help_heading = "Evaluation")]
    plain: bool,
    /// Print work counters and timings
    #[arg(long, help_heading = "Output")]
    stats: bool,
}

/// Runs the command.
pub fn run(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    let mut usage = Usage::start();
    let checked = load(&arguments.file)?;
    usage.end_phase("read and check");
    for (source, diagnostics) in checked.sources.by_file(&checked.diagnostics) {
        console.diagnostics(source, &diagnostics);
    }
    let system = checked.system.ok_or(Failure::Reported)?;
    let interrupt = || patience.check().is_some();
    let console = RefCell::new(console);
    let observer = |round: &Round| console.borrow_mut().print_about(&trace_line(round));
    let mut options = Options {
        strategy: if arguments.plain {
            Strategy::Plain
        } else {
            Strategy::Fast
        },
        observer: arguments.trace.then_some(&observer),
        ..Options::default()
    };
    if arguments.model {
        options.witnesses = queries(&system, |formula| matches!(formula, Formula::Exists(..)));
        options.counterexamples =
            queries(&system, |formula| matches!(formula, Formula::Forall(..)));
    }
    let limits = solver_limits(arguments, &interrupt);
    let mut solver = Solver::new(&system, &options, &limits);
    usage.end_phase("plan");
    if arguments.explain_plan {
        console.borrow_mut().print(&solver.explain());
        return Ok(Exit::Fine);
    }
    let exit = Run {
        console: &console,
        system: &system,
        patience,
        model: arguments.model,
        timer: Instant::now(),
    }
    .all(&mut solver);
    usage.end_phase("solve");
    if arguments.stats {
        let mut lines = statistics(&solver);
        lines.extend(usage.lines());
        console.borrow_mut().print(&table(&lines));
    }
    Ok(exit)
}

/// Reads a system and all files that it loads.
fn load(file: &str) -> Result<Checked, Failure> {
    let source = input::read_source(file)?;
    let checked = hardbop_formula::load(&source, &mut |path| {
        let read = input::read_source(path);
        read.map_err(|failure| match failure.message() {
            Some(message) => {
                let reason = message
                    .split_once(": ")
                    .map_or(message, |(_, reason)| reason);
                reason.to_owned()
            }
            None => "it cannot be read".to_owned(),
        })
    });
    if has_errors(&checked.diagnostics) {
        kinds::refuse_other(&source, FileKind::System)?;
    }
    Ok(checked)
}

/// The queries that start in a certain way.
fn queries(system: &System, starts: impl Fn(&Formula) -> bool) -> Vec<FormulaId> {
    let actions = system.actions.iter();
    let queries = actions.filter_map(|action| match action.kind {
        ActionKind::Query(formula) => Some(formula),
        _ => None,
    });
    queries
        .filter(|&formula| starts(system.formula(formula)))
        .collect()
}

fn solver_limits<'a>(arguments: &Arguments, interrupt: &'a dyn Fn() -> bool) -> SolverLimits<'a> {
    let by_memory = arguments.limits.bytes().map(|bytes| bytes / BYTES_PER_NODE);
    SolverLimits {
        nodes: arguments
            .nodes
            .or(by_memory)
            .map(|nodes| usize::try_from(nodes).unwrap_or(usize::MAX)),
        rounds: arguments.states,
        interrupt: Some(interrupt),
    }
}

struct Run<'a> {
    console: &'a RefCell<&'a mut Console>,
    system: &'a System,
    patience: &'a Patience,
    model: bool,
    timer: Instant,
}

impl Run<'_> {
    fn all(&mut self, solver: &mut Solver<'_>) -> Exit {
        let mut exit = Exit::Fine;
        for action in &self.system.actions {
            match self.one(solver, &action.kind) {
                Ok(Some(text)) => {
                    let mut console = self.console.borrow_mut();
                    console.print(&text);
                    console.flush();
                    watchdog::result_goes_on();
                }
                Ok(None) => return exit,
                Err(stop) => {
                    exit = Exit::Unknown;
                    let mut console = self.console.borrow_mut();
                    console.print("unknown\n");
                    console.note(&self.reason(&stop));
                    if matches!(stop, Stop::Interrupted | Stop::Rounds) {
                        return exit;
                    }
                }
            }
        }
        exit
    }

    /// What an action prints; nothing if it is the last.
    fn one(
        &mut self,
        solver: &mut Solver<'_>,
        action: &ActionKind,
    ) -> Result<Option<String>, Stop> {
        let name = |relation| &self.system.relation(relation).name;
        Ok(Some(match action {
            ActionKind::Query(formula) => {
                let value = solver.query(*formula)?;
                let mut text = format!("{value}\n");
                if self.model {
                    let shown = match self.system.formula(*formula) {
                        Formula::Exists(..) if value => solver.witness(*formula)?,
                        Formula::Forall(..) if !value => solver.counterexample(*formula)?,
                        _ => None,
                    };
                    text.push_str(&indented(&shown.unwrap_or_default()));
                }
                text
            }
            ActionKind::Size(relation) => {
                let size = solver.size(*relation)?;
                format!(
                    "{}: {}\n",
                    name(*relation),
                    counted(&size.to_string(), "node")
                )
            }
            ActionKind::Count(relation) => {
                let count = solver.count(*relation)?;
                format!(
                    "{}: {}\n",
                    name(*relation),
                    counted(&count.to_string(), "tuple")
                )
            }
            ActionKind::Witness(formula) => shown("witness", solver.witness(*formula)?),
            ActionKind::Counterexample(formula) => {
                shown("counterexample", solver.counterexample(*formula)?)
            }
            ActionKind::Print(text) => format!("{text}\n"),
            ActionKind::Statistics => table(&statistics(solver)),
            ActionKind::Timer(true) => {
                self.timer = Instant::now();
                String::new()
            }
            ActionKind::Timer(false) => {
                format!("timer: {:.3} s\n", self.timer.elapsed().as_secs_f64())
            }
            ActionKind::Quit => return Ok(None),
        }))
    }

    fn reason(&self, stop: &Stop) -> String {
        match stop {
            Stop::Nodes => "the limit on BDD nodes was reached".to_owned(),
            Stop::Rounds => "the limit on rounds was reached".to_owned(),
            Stop::Interrupted => match self.patience.check() {
                Some(limit) => limit.to_string(),
                None => "interrupted".to_owned(),
            },
            Stop::Diverges {
                relation,
                round,
                period,
            } => format!(
                "the iteration of `{}` does not end: after {round} rounds it goes through the same {period} values again and again, \
                 none of them a fixed point",
                self.system.relation(*relation).name
            ),
        }
    }
}

/// A number of things.
fn counted(number: &str, thing: &str) -> String {
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

fn shown(what: &str, values: Option<Vec<Binding>>) -> String {
    match values {
        None => format!("no {what}\n"),
        Some(values) => format!("{what}\n{}", indented(&values)),
    }
}

fn indented(values: &[Binding]) -> String {
    let lines = values
        .iter()
        .map(|binding| ["  ", &binding.to_string(), "\n"].concat());
    lines.collect()
}

fn trace_line(round: &Round) -> String {
    let Round {
        relation,
        depth,
        round,
        news,
        nodes,
    } = round;
    let indent = "  ".repeat(*depth);
    let nodes = counted(&nodes.to_string(), "node");
    format!("{indent}{relation} round {round}: {nodes}, {news} for what is new\n")
}

fn statistics(solver: &Solver<'_>) -> Vec<(String, String)> {
    let statistics = solver.statistics();
    let mut lines: Vec<(String, String)> = vec![
        ("BDD variables".to_owned(), statistics.variables.to_string()),
        ("BDD nodes".to_owned(), statistics.nodes.to_string()),
        ("BDD nodes at most".to_owned(), statistics.peak.to_string()),
        ("BDD work".to_owned(), statistics.work.to_string()),
        ("collections".to_owned(), statistics.collections.to_string()),
    ];
    for relation in statistics.relations {
        let mut text = counted(&relation.nodes.to_string(), "node");
        if relation.rounds > 0 {
            text = format!("{text}, {}", counted(&relation.rounds.to_string(), "round"));
        }
        if relation.evaluations > 1 {
            text = format!("{text} in {} evaluations", relation.evaluations);
        }
        if relation.work > 0 {
            text = format!("{text}, work {}", relation.work);
        }
        lines.push((relation.name, text));
    }
    lines
}

fn table(lines: &[(String, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let line = |(name, value): &(String, String)| format!("{name:width$}  {value}\n");
    lines.iter().map(line).collect()
}
