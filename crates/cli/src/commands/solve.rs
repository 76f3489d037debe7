//! `hardbop solve`: the values of the queries of a `.mu` file.
//!
//! Results go to standard output, one line for each query, in the order of the text. A query that
//! has no value (a limit was hit, or its iteration does not end) is `unknown`; the reason goes to
//! standard error, and the others are still answered where that is possible.

use crate::calculus_arguments::{
    RelationsArguments, ThreadArguments, find_algorithm, loads_from_library, read_algorithm,
    refuse_errors, refuse_sequential,
};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments, Reading};
use crate::interrupt::Patience;
use crate::kinds::{self, FileKind};
use crate::limits::TimeAndMemory;
use crate::targets::TargetArguments;
use crate::usage::Usage;
use crate::watchdog;
use hardbop_calculus::actions::{self, Actions};
use hardbop_calculus::{Extent, TupleWords, sequential_problem, starts, thread_problem, threads};
use hardbop_fixpoint::{Limits as SolverLimits, Options, Round, Solver, Stop, Strategy};
use hardbop_formula::{ActionKind, Checked, Formula, FormulaId, System, declares_needs};
use hardbop_machine::NodeId;
use hardbop_outcome::{Interrupt, Target};
use hardbop_syntax::Source;
use hardbop_syntax::diagnostic::has_errors;
use std::cell::RefCell;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  hardbop solve game.mu                  the value of each query
  hardbop solve game.mu --model          with values that prove it
  hardbop solve game.mu --explain-plan   the evaluation plan
  hardbop solve game.mu --check          check for errors only

Exit codes: 0 every query has a value, 2 bad input, 3 some value is unknown.";

/// Bytes that a BDD node takes, with its share of the tables.
const BYTES_PER_NODE: u64 = 64;

/// Evaluate the queries of a fixed-point system
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
    /// Only check the file, against the program or against its own needs
    #[arg(long, conflicts_with_all = ["model", "paths", "explain_plan", "trace", "stats"])]
    check: bool,
    #[command(flatten)]
    about: AboutProgram,
    #[command(flatten)]
    pub limits: TimeAndMemory,
    /// Stop after this many rounds [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    states: Option<u64>,
    /// Stop after this many BDD nodes [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    nodes: Option<u64>,
    /// Print values that make an `exists …` query true or a `forall …` query false
    #[arg(long, help_heading = "Output")]
    model: bool,
    /// Print the tuples that a `#wit` or `#cex` follows from, for all fixed points, not only those
    /// with `{show …}`
    #[arg(long, help_heading = "Output", conflicts_with = "explain_plan")]
    paths: bool,
    /// Print the evaluation plan, without evaluating
    #[arg(long, help_heading = "Output")]
    explain_plan: bool,
    /// Print the rounds of each relation
    #[arg(long, help_heading = "Output")]
    trace: bool,
    /// Evaluate literally by the semantics: each relation from scratch whenever it is needed
    #[arg(long, help_heading = "Evaluation")]
    plain: bool,
    /// Print work counters and timings
    #[arg(long, help_heading = "Output")]
    stats: bool,
}

/// The program that a file is about.
#[derive(Debug, clap::Args)]
struct AboutProgram {
    /// The program whose relations the file uses; the file can then be the name of an algorithm
    #[arg(long, value_name = "FILE")]
    program: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    targets: TargetArguments,
    #[command(flatten)]
    relations: RelationsArguments,
    #[command(flatten)]
    threads: ThreadArguments,
}

impl AboutProgram {
    fn refuse_without_program(&self) -> Result<(), Failure> {
        let is_given = self.threads.is_given()
            || self.relations.extent().is_some()
            || self.reading.guarded
            || self.reading.dialect.is_some()
            || self.reading.c.are_given()
            || !self.targets.is_empty();
        if is_given {
            let why = "options for a program have no effect without --program FILE";
            return Err(Failure::BadInput(why.to_owned()));
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    let mut usage = Usage::start();
    let Some(file) = &arguments.about.program else {
        arguments.about.refuse_without_program()?;
        let source = input::read_source(&arguments.file)?;
        let needs_program = declares_needs(source.text()) || loads_from_library(&source);
        let checked = if needs_program {
            // Its needs are all that is known of the program.
            read_algorithm(&arguments.file, &source).check()
        } else {
            load(&source)?
        };
        usage.end_phase("read and check");
        for (source, diagnostics) in checked.sources.by_file(&checked.diagnostics) {
            console.diagnostics(source, &diagnostics);
        }
        let system = checked.system.ok_or(Failure::Reported)?;
        if arguments.check {
            return Ok(fine(console, arguments));
        }
        if needs_program {
            let why = format!("`{}` needs a program: --program FILE", arguments.file);
            return Err(Failure::BadInput(why));
        }
        refuse_paths_of_nothing(arguments, &system)?;
        let exit = solve(console, patience, arguments, &system, None, usage);
        return Ok(exit);
    };
    let program = ProgramArguments {
        file: file.clone(),
        reading: arguments.about.reading.clone(),
    };
    let machine = input::load(console, &program)?;
    let algorithm = find_algorithm(&arguments.file)?;
    let about = &arguments.about;
    let targets = if about.targets.is_empty() {
        Target::assertions(&machine)
    } else {
        about.targets.targets(&machine)?
    };
    let targets: Vec<NodeId> = targets.iter().map(|target| target.node).collect();
    // A question about a place may be sliced for it; a file may ask about anything.
    let usual = about.targets.is_empty().then_some(Extent::Full);
    let extent = about.relations.extent().or(usual);
    let refused =
        |what: &str| Failure::BadInput(format!("the relations of {what} cannot be generated"));
    let static_threads;
    let threads_problem;
    let sequential;
    let (program, checked) = match about.threads.bound() {
        Some(bound) => {
            let fixed = threads::fixed(&machine, about.threads.most());
            static_threads = fixed.map_err(|what| refused(&what))?;
            let own = Some(&algorithm);
            threads_problem = thread_problem(&static_threads, &targets, bound, own, extent);
            refuse_sequential(&algorithm, &threads_problem.1)?;
            (&threads_problem.0.program, &threads_problem.1)
        }
        None => {
            if let Some(what) = hardbop_calculus::unsupported(&machine) {
                if machine.is_sequential() {
                    return Err(refused(what));
                }
                let help = "pass --contexts K or --rounds R";
                let why =
                    format!("the relations of {what} cannot be generated without a bound; {help}");
                return Err(Failure::BadInput(why));
            }
            sequential = sequential_problem(&machine, &algorithm, &targets, &targets, extent);
            (&sequential.0, &sequential.1)
        }
    };
    refuse_errors(&algorithm, checked)?;
    usage.end_phase("read and check");
    let system = checked.system.as_ref().ok_or(Failure::Reported)?;
    if arguments.check {
        return Ok(fine(console, arguments));
    }
    refuse_paths_of_nothing(arguments, system)?;
    if targets.is_empty() && starts::uses(system, "Target", "") {
        console.note("`Target` is empty: the program has no assertions; pass --reach LABEL");
    }
    let words = Some(TupleWords(program));
    Ok(solve(console, patience, arguments, system, words, usage))
}

/// An option about witnesses needs one.
fn refuse_paths_of_nothing(arguments: &Arguments, system: &System) -> Result<(), Failure> {
    let mut actions = system.actions.iter();
    let has_some = actions.any(|action| {
        let kind = &action.kind;
        matches!(kind, ActionKind::Witness(_) | ActionKind::Counterexample(_))
    });
    if arguments.paths && !has_some {
        let why = format!(
            "--paths has no effect: `{}` has no `#wit` and no `#cex`",
            arguments.file
        );
        return Err(Failure::BadInput(why));
    }
    Ok(())
}

/// Says that a file is fine.
fn fine(console: &mut Console, arguments: &Arguments) -> Exit {
    console.print(&format!("{}: no errors\n", arguments.file));
    Exit::Fine
}

/// Performs all actions of a system.
fn solve(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
    system: &System,
    words: Option<TupleWords<'_>>,
    mut usage: Usage,
) -> Exit {
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
        options.witnesses = queries(system, |formula| matches!(formula, Formula::Exists(..)));
        options.counterexamples = queries(system, |formula| matches!(formula, Formula::Forall(..)));
    }
    let limits = solver_limits(arguments, &interrupt);
    let mut solver = Solver::new(system, &options, &limits);
    usage.end_phase("plan");
    if arguments.explain_plan {
        console.borrow_mut().print(&solver.explain());
        return Exit::Fine;
    }
    let exit = Run {
        console: &console,
        system,
        actions: Actions {
            system,
            words,
            shows_all: arguments.paths,
        },
        patience,
        model: arguments.model,
        timer: Instant::now(),
    }
    .all(&mut solver);
    usage.end_phase("solve");
    if arguments.stats {
        let mut lines = actions::statistics(&solver);
        lines.extend(usage.lines());
        console.borrow_mut().print(&actions::table(&lines));
    }
    exit
}

/// Reads a system and all files that it loads.
fn load(source: &Source) -> Result<Checked, Failure> {
    let checked = hardbop_formula::load(source, &mut |path| {
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
        kinds::refuse_other(source, FileKind::System)?;
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
    actions: Actions<'a>,
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

    /// The output of an action; `None` after the last.
    fn one(
        &mut self,
        solver: &mut Solver<'_>,
        action: &ActionKind,
    ) -> Result<Option<String>, Stop> {
        let mut text = self.actions.perform(solver, action)?;
        match action {
            ActionKind::Query(formula) if self.model => {
                let value = solver.query(*formula)?;
                let shown = match self.system.formula(*formula) {
                    Formula::Exists(..) if value => solver.witness(*formula)?,
                    Formula::Forall(..) if !value => solver.counterexample(*formula)?,
                    _ => None,
                };
                text.push_str(&self.actions.indented(&shown.unwrap_or_default()));
            }
            ActionKind::Timer(true) => self.timer = Instant::now(),
            ActionKind::Timer(false) => {
                text = format!("timer: {:.3} s\n", self.timer.elapsed().as_secs_f64());
            }
            ActionKind::Quit => return Ok(None),
            _ => {}
        }
        Ok(Some(text))
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

fn trace_line(round: &Round) -> String {
    let Round {
        relation,
        depth,
        round,
        news,
        nodes,
    } = round;
    let indent = "  ".repeat(*depth);
    let nodes = actions::counted(&nodes.to_string(), "node");
    format!("{indent}{relation} round {round}: {nodes}, {news} for what is new\n")
}
