//! `hardbop validate`: do these certificates answer this question?
//!
//! The question is asked as `check` asks it: all assertions, or the places that are named. A
//! certificate does not choose what it proves: whatever is asked for must be covered by one that
//! was accepted, and the files may cover it together.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use crate::limits::TimeAndMemory;
use crate::progress::ProgressArguments;
use crate::targets::TargetArguments;
use hardbop_checker::{Accepted, Rejected};
use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, Outcome, Target, TargetKind, outcome};
use std::collections::HashSet;

/// Check certificates, independently of the engine that produced them
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// Certificates, lists of them, or outputs of `check --json`; `-` is standard input
    #[arg(value_name = "CERTIFICATE.json", required = true)]
    certificate_files: Vec<String>,
    #[command(flatten)]
    targets: TargetArguments,
    #[command(flatten)]
    pub limits: TimeAndMemory,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// Runs the command.
pub fn run(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    let files = &arguments.certificate_files;
    let inputs = std::iter::once(&arguments.program.file).chain(files);
    if inputs.filter(|file| *file == input::STDIN).count() > 1 {
        return Err(Failure::BadInput(
            "only one of program and certificates can be standard input".to_owned(),
        ));
    }
    let machine = input::load(console, &arguments.program)?;
    let asked = arguments.targets.or_assertions(&machine)?;
    let mut accepted = Accepted::default();
    let mut covered: HashSet<Target> = HashSet::new();
    for file in files {
        for certificate in read_certificates(file)? {
            let mut meter = arguments.progress.meter(console);
            meter.phase("validation");
            let judged = hardbop_checker::validate(&machine, &certificate, patience);
            drop(meter);
            match judged {
                Ok(part) => accepted += part,
                Err(rejected @ Rejected::Interrupted(_)) => {
                    console.note(&rejected.to_string());
                    return Ok(Exit::Unknown);
                }
                Err(rejected) => {
                    return Err(Failure::Internal(format!("{file}: REJECTED: {rejected}")));
                }
            }
            covered.extend(certificate.targets);
        }
    }
    let uncovered: Vec<&Target> = asked.iter().filter(|t| !covered.contains(t)).collect();
    if let Some(first) = uncovered.first() {
        let (count, all, names) = (uncovered.len(), asked.len(), files.join(", "));
        return Err(Failure::Internal(format!(
            "{names}: REJECTED: {count} of {all} targets are not covered, the first is {}",
            place(&machine, first)
        )));
    }
    for target in &asked {
        let (place, what) = (place(&machine, target), excluded(target));
        console.print(&format!("ACCEPTED     {place} {what}\n"));
    }
    console.note(&format!(
        "{} conditions, {} of them searched, {} conflicts",
        accepted.obligations, accepted.searches, accepted.conflicts
    ));
    Ok(Exit::Fine)
}

fn place(machine: &Machine, target: &Target) -> String {
    format!("{}:{target}", machine.source.name())
}

/// What is now known of a target.
fn excluded(target: &Target) -> &'static str {
    match target.kind {
        TargetKind::Assertion => "never fails",
        TargetKind::Label { .. } | TargetKind::Line => "is never reached",
    }
}

/// The certificates in a file: one, a list, or those of an outcome.
pub(super) fn read_certificates(file: &str) -> Result<Vec<Certificate>, Failure> {
    let text = input::read_text(file)?;
    let bad = |error: &dyn std::fmt::Display| {
        Failure::BadInput(format!("cannot read a certificate from {file}: {error}"))
    };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| bad(&error))?;
    if value.is_array() {
        return serde_json::from_value(value).map_err(|error| bad(&error));
    }
    if value.get("hardbop-outcome").is_none() {
        let only = serde_json::from_value(value).map_err(|error| bad(&error))?;
        return Ok(vec![only]);
    }
    let outcome: Outcome = serde_json::from_value(value).map_err(|error| bad(&error))?;
    if outcome.version != outcome::VERSION {
        let (found, known) = (outcome.version, outcome::VERSION);
        let why = format!("format version {found} is not supported, only version {known}");
        return Err(bad(&why));
    }
    Ok(outcome.certificates)
}
