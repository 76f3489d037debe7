//! `hardbop export`: a program and a question as a file for another tool.
//!
//! A format is a variant of [`Format`] and an arm of [`text`]; everything else is common.

use super::relations;
use super::validate::read_certificates;
use crate::console::Console;
use crate::engine_arguments::SatArguments;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use crate::limits::TimeAndMemory;
use crate::targets::TargetArguments;
use clap::ValueEnum;
use hardbop_export::Refused;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{Budget, Evidence, Limit, Question, Silent, Target, Verdict};
use hardbop_portfolio::Portfolio;
use std::collections::HashSet;

const EXAMPLES: &str = "\
Examples:
  hardbop export lock.bp --to equations              Leino's equations, to read
  hardbop export lock.bp --to dimacs -o lock.cnf     clauses for a SAT solver
  hardbop export lock.bp --to dimacs --reach ERROR   satisfiable if ERROR is reachable
  hardbop export lock.bp --to chc -o lock.smt2       for Z3: unsat if an assertion can fail
  hardbop export lock.bp --to smt2 --certificate proof.json > proof.smt2
                                                     z3 proof.smt2 must answer unsat only
  hardbop export prog.c --to harness -o h.c          cc -g -fwrapv -fno-builtin -w h.c && ./a.out

Exit codes: 0 the file was written, 2 bad input or usage, 3 a limit was reached.";

/// Write a program and its targets in the format of another tool
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    #[command(flatten)]
    targets: TargetArguments,
    #[command(flatten)]
    sat: SatArguments,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    to: Format,
    /// The certificates to write with --to smt2: a file written by `check --certificate` or `check
    /// --json` (may be repeated)
    #[arg(long, value_name = "PROOF.json", help_heading = "Output")]
    certificate: Vec<String>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<String>,
    #[command(flatten)]
    pub limits: TimeAndMemory,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Constrained Horn clauses in SMT-LIB: unsat if a target is reachable
    Chc,
    /// A Boolean program for Moped
    Moped,
    /// C99 that calls `reach_error` if a target is reached
    C,
    /// Relations and an algorithm of the fixed-point calculus, as `hardbop relations` writes them
    Mu,
    /// Clauses that are satisfiable if a target is reachable
    Dimacs,
    /// The weakest-precondition equations
    Equations,
    /// The conditions of a certificate in SMT-LIB; each must be unsat
    Smt2,
    /// A C program with the inputs of an execution in which a target is reached, to compile and
    /// debug; with random inputs if there is none
    Harness,
}

impl Format {
    /// As the option names it.
    fn name(self) -> &'static str {
        match self {
            Self::Chc => "chc",
            Self::Moped => "moped",
            Self::C => "c",
            Self::Mu => "mu",
            Self::Dimacs => "dimacs",
            Self::Equations => "equations",
            Self::Smt2 => "smt2",
            Self::Harness => "harness",
        }
    }
}

/// Runs the command.
pub fn run(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    refuse_idle_options(arguments)?;
    let machine = input::load(console, &arguments.program)?;
    let targets = arguments.targets.or_assertions(&machine)?;
    let question = Question::reach(targets);
    let text = match text(&machine, &question, arguments, patience, console) {
        Ok(text) => text?,
        Err(limit) => {
            console.note(&arguments.limits.in_words(&limit));
            return Ok(Exit::Unknown);
        }
    };
    match &arguments.output {
        Some(file) => files::replace(file, &text)?,
        None => console.print(&text),
    }
    Ok(Exit::Fine)
}

/// The text of the file, or the limit that was hit before it was there.
fn text(
    machine: &Machine,
    question: &Question,
    arguments: &Arguments,
    patience: &Patience,
    console: &mut Console,
) -> Result<Result<String, Failure>, Limit> {
    let budget = Budget {
        memory: arguments.limits.bytes(),
        interrupt: patience,
        ..Budget::unlimited()
    };
    let targets = question.targets();
    let nodes: Vec<NodeId> = targets.iter().map(|t| t.node).collect();
    let refused = |why: Refused| Failure::BadInput(why.to_string());
    match arguments.to {
        Format::Chc => Ok(hardbop_export::chc(machine, targets).map_err(refused)),
        Format::C => Ok(hardbop_export::c(machine, targets).map_err(refused)),
        Format::Moped => {
            let written = hardbop_export::moped(machine, targets);
            Ok(written.map(|moped| moped.text).map_err(refused))
        }
        Format::Mu => Ok(relations::sequential_text(machine, &nodes, None, None)),
        Format::Harness => harness(machine, question, &budget, console),
        Format::Smt2 => Ok(proof(machine, targets, &arguments.certificate)),
        Format::Dimacs | Format::Equations => {
            if let Err(declined) = takes_only_sequential_reachability(machine, question) {
                let why = format!("the equations of {} cannot be written", declined.what);
                return Ok(Err(Failure::BadInput(why)));
            }
            let engine = arguments.sat.engine();
            let found = engine.characterize(machine, &nodes, &budget)?;
            if found.is_bounded {
                console.note("recursive calls that nest deeper than --inline-depth are omitted");
            }
            let is_dimacs = arguments.to == Format::Dimacs;
            Ok(Ok(if is_dimacs {
                found.dimacs
            } else {
                found.equations
            }))
        }
    }
}

/// The program with the inputs of an execution, or with random ones if no target is reached.
fn harness(
    machine: &Machine,
    question: &Question,
    budget: &Budget<'_>,
    console: &mut Console,
) -> Result<Result<String, Failure>, Limit> {
    let bad = |why: String| Failure::BadInput(why);
    let outcome = match Portfolio::default().check(machine, question, budget, &mut Silent) {
        Ok(outcome) => outcome,
        Err(refused) => return Ok(Err(bad(refused.to_string()))),
    };
    let verdicts = outcome.answers.iter().map(|answer| &answer.verdict);
    for verdict in verdicts.clone() {
        if let Some(trace) = verdict.evidence().and_then(Evidence::run) {
            let harness = hardbop_harness::of_trace(machine, trace);
            let harness = harness.map_err(|why| bad(why.to_string()));
            for doubt in harness.iter().flat_map(|harness| &harness.doubts) {
                console.note(&format!("the harness may do something else: {doubt}"));
            }
            return Ok(harness.map(|harness| harness.text));
        }
    }
    for verdict in verdicts {
        if let Verdict::Unknown(limit) = verdict {
            return Err(limit.clone());
        }
    }
    console.note("no target is reached: the inputs are random, from the seed that is its argument");
    let harness = hardbop_harness::of_random_inputs(machine);
    Ok(harness
        .map(|harness| harness.text)
        .map_err(|why| bad(why.to_string())))
}

/// An option that another format obeys is an error, not silence.
fn refuse_idle_options(arguments: &Arguments) -> Result<(), Failure> {
    let name = arguments.to.name();
    let is_sat = matches!(arguments.to, Format::Dimacs | Format::Equations);
    let is_proof = arguments.to == Format::Smt2;
    let why = if !is_sat && arguments.sat.is_given() {
        format!("--split and --inline-depth have no effect on --to {name}")
    } else if !is_proof && !arguments.certificate.is_empty() {
        format!("--certificate is written with --to smt2, not with --to {name}")
    } else if is_proof && arguments.certificate.is_empty() {
        "--to smt2 writes a proof: name its file with --certificate".to_owned()
    } else {
        return Ok(());
    };
    Err(Failure::BadInput(why))
}

/// The conditions of certificates, which must be about what is asked for.
fn proof(machine: &Machine, targets: &[Target], files: &[String]) -> Result<String, Failure> {
    let mut certificates = Vec::new();
    for file in files {
        let read = read_certificates(file)?.into_iter();
        // Those of a property are about a product.
        certificates.extend(read.filter(|one| one.property.is_none()));
    }
    let covered: HashSet<&Target> = certificates.iter().flat_map(|c| &c.targets).collect();
    if let Some(target) = targets.iter().find(|target| !covered.contains(target)) {
        let (file, names) = (machine.source.name(), files.join(", "));
        let why = format!("{names}: there is no certificate for {file}:{target}");
        return Err(Failure::BadInput(why));
    }
    let script = hardbop_export::certificate_script(machine, &certificates);
    script.map_err(|why| Failure::BadInput(why.to_string()))
}
