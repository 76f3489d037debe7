//! `hardbop validate`: does this certificate prove that its targets cannot be reached?
//!
//! Reads a certificate, a list of certificates or a whole outcome (`check --json`); then every target that the outcome calls
//! unreachable must be among those that its certificates exclude.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use hardbop_checker::{Accepted, Rejected};
use hardbop_outcome::{Certificate, Outcome, Target, TargetKind};

/// Check a certificate, independently of the engine that made it
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// A certificate, a list of them, or the output of `check --json`; `-` is standard input
    #[arg(value_name = "CERTIFICATE.json")]
    certificate_file: String,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let file = &arguments.certificate_file;
    if arguments.program.file == input::STDIN && file == input::STDIN {
        return Err(Failure::BadInput(
            "program and certificate cannot both be standard input".to_owned(),
        ));
    }
    let machine = input::load(console, &arguments.program)?;
    let certificates = read_certificates(file)?;
    let patience = Patience::start(None);
    let mut accepted = Accepted::default();
    for certificate in &certificates {
        match hardbop_checker::validate(&machine, certificate, &patience) {
            Ok(part) => accepted += part,
            Err(rejected @ Rejected::Interrupted(_)) => {
                console.note(&rejected.to_string());
                return Ok(Exit::Unknown);
            }
            Err(rejected) => {
                return Err(Failure::Internal(format!("{file}: REJECTED: {rejected}")));
            }
        }
    }
    let mut targets = certificates
        .iter()
        .flat_map(|part| &part.targets)
        .peekable();
    if targets.peek().is_none() {
        console.note(&format!("{file} excludes no targets"));
    }
    for target in targets {
        console.print(&format!("ACCEPTED     {}\n", excluded(target)));
    }
    console.note(&format!(
        "{} conditions, {} of them searched, {} conflicts",
        accepted.obligations, accepted.searches, accepted.conflicts
    ));
    Ok(Exit::Fine)
}

/// What is now known of a target.
fn excluded(target: &Target) -> String {
    match target.kind {
        TargetKind::Assertion { .. } => format!("the {} never fails", target.kind),
        TargetKind::Label { .. } => format!("the {} is never reached", target.kind),
        TargetKind::Line { .. } => format!("{} is never reached", target.kind),
    }
}

fn read_certificates(file: &str) -> Result<Vec<Certificate>, Failure> {
    let text = input::read_text(file)?;
    let bad = |error: serde_json::Error| {
        Failure::BadInput(format!("cannot read a certificate from {file}: {error}"))
    };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(bad)?;
    if value.is_array() {
        return serde_json::from_value(value).map_err(bad);
    }
    if value.get("hardbop-outcome").is_none() {
        return Ok(vec![serde_json::from_value(value).map_err(bad)?]);
    }
    let outcome: Outcome = serde_json::from_value(value).map_err(bad)?;
    if outcome.certificates.is_empty() {
        return Err(Failure::BadInput(format!("{file} has no certificate")));
    }
    if let Some(target) = outcome.uncertified() {
        let what = excluded(target);
        return Err(Failure::Internal(format!(
            "{file}: REJECTED: it says that {what}, but its certificates do not cover that"
        )));
    }
    Ok(outcome.certificates)
}
