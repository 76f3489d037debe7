//! `hardbop validate`: does this certificate prove that its targets cannot be reached?
//!
//! Reads a certificate or a whole outcome (`check --json`); then every target that the outcome calls unreachable must be among
//! those that the certificate excludes.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use hardbop_checker::Rejected;
use hardbop_outcome::{Certificate, Outcome, Target, TargetKind, Verdict};

/// Check a certificate, independently of the engine that made it
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// A certificate, or the output of `check --json`; `-` is standard input
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
    let certificate = read_certificate(file)?;
    let patience = Patience::start(None);
    let accepted = match hardbop_checker::validate(&machine, &certificate, &patience) {
        Ok(accepted) => accepted,
        Err(rejected @ Rejected::Interrupted(_)) => {
            console.note(&rejected.to_string());
            return Ok(Exit::Unknown);
        }
        Err(rejected) => return Err(Failure::Internal(format!("{file}: REJECTED: {rejected}"))),
    };
    if certificate.targets.is_empty() {
        console.note(&format!("{file} excludes no targets"));
    }
    for target in &certificate.targets {
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

fn read_certificate(file: &str) -> Result<Certificate, Failure> {
    let text = input::read_text(file)?;
    let bad = |error: serde_json::Error| {
        Failure::BadInput(format!("cannot read a certificate from {file}: {error}"))
    };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(bad)?;
    if value.get("hardbop-outcome").is_none() {
        return serde_json::from_value(value).map_err(bad);
    }
    let outcome: Outcome = serde_json::from_value(value).map_err(bad)?;
    let certificate = outcome
        .certificate
        .ok_or_else(|| Failure::BadInput(format!("{file} has no certificate")))?;
    let claimed = outcome
        .answers
        .iter()
        .filter(|answer| answer.verdict == Verdict::Unreachable);
    for answer in claimed {
        if !certificate.targets.contains(&answer.target) {
            let what = excluded(&answer.target);
            return Err(Failure::Internal(format!(
                "{file}: REJECTED: it says that {what}, but its certificate does not cover that"
            )));
        }
    }
    Ok(certificate)
}
