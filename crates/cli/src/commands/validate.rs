//! `hardbop validate`: do these certificates answer this question?
//!
//! The question is asked as `check` asks it: all assertions, or the places that are named. A
//! certificate does not choose what it proves: whatever is asked for must be covered by one that
//! was accepted, and the files may cover it together.
//!
//! The output of `check --json` also says which assertions fail or stay unknown. Nothing has to
//! cover those, unless they are named; everything that it calls proved must be covered.
//!
//! A certificate of a safety property is about the product of the program with the property's
//! automaton. That product is made here, from the property as it is named on the command line.

mod proof_folder;

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use crate::json;
use crate::limits::TimeAndMemory;
use crate::progress::ProgressArguments;
use crate::questions::{PropertyArguments, read_property};
use crate::targets::TargetArguments;
use hardbop_checker::{Accepted, Rejected};
use hardbop_machine::Machine;
use hardbop_outcome::{
    Answer, Asked, Certificate, Outcome, Support, Target, TargetKind, Verdict, outcome,
};
use hardbop_portfolio::certified_product;
use proof_folder::ProofFolder;
use std::collections::{HashMap, HashSet};

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
    properties: PropertyArguments,
    /// Write each condition to a new folder, as clauses (DIMACS) with their refutation (DRAT)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    proofs: Option<String>,
    #[command(flatten)]
    pub limits: TimeAndMemory,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// What a file says.
struct Read {
    certificates: Vec<Certificate>,
    /// The answers, if it is the output of `check --json`.
    answers: Option<Vec<Answer>>,
}

/// An answer of one of the files.
struct Claim<'f> {
    file: &'f str,
    answer: Answer,
}

impl Claim<'_> {
    /// Whether the file calls it proved.
    fn is_proof(&self) -> bool {
        self.answer.verdict.is_no_for_all_runs()
    }

    /// Why the file calls it something else.
    fn in_words(&self) -> String {
        let (file, word) = (self.file, self.answer.word());
        match &self.answer.verdict {
            Verdict::No(Support::UpTo(bound)) => {
                format!("{file} calls it {word} only up to {bound}")
            }
            Verdict::Yes(_) => format!("{file} calls it {word}, which `hardbop replay` checks"),
            _ => format!("{file} calls it {word}"),
        }
    }
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
    let mut certificates: Vec<(&str, Certificate)> = Vec::new();
    let mut claims: Vec<Claim<'_>> = Vec::new();
    let mut has_output = false;
    for file in files {
        let read = read(file)?;
        certificates.extend(read.certificates.into_iter().map(|one| (&**file, one)));
        has_output |= read.answers.is_some();
        let answers = read.answers.into_iter().flatten();
        claims.extend(answers.map(|answer| Claim { file, answer }));
    }
    let texts = arguments.properties.texts(&machine)?;
    let (about_properties, certificates): (Vec<_>, Vec<_>) = certificates
        .into_iter()
        .partition(|(_, certificate)| certificate.property.is_some());
    let names_places = !arguments.targets.is_empty();
    let is_named = names_places || !arguments.properties.is_empty();
    if let Some((file, certificate)) = about_properties.first()
        && !is_named
    {
        let property = certificate.property.as_deref().unwrap_or_default();
        return Err(Failure::BadInput(format!(
            "{file} has a certificate of `{property}`; name the property with --ltl, --monitor, \
             --hoa or --terminates to check it"
        )));
    }
    let asked = if is_named && !names_places {
        Vec::new()
    } else if names_places || !has_output {
        arguments.targets.or_assertions(&machine)?
    } else {
        places(&machine, &claims)?
    };
    let mut proofs = Vec::new();
    for (file, certificate) in certificates {
        if !asked.is_empty() {
            proofs.push((file, None, certificate));
        }
    }
    let mut products = Vec::new();
    for text in texts {
        let name = text.to_string();
        let asks_for_run = text.asks_for_run();
        let question = read_property(console, &machine, text)?;
        let those = about_properties.iter();
        let those = those.filter(|(_, one)| one.property.as_ref() == Some(&name));
        let those: Vec<Certificate> = those.map(|(_, one)| one.clone()).collect();
        let files = files.join(", ");
        let product = certified_product(&machine, &question, &those);
        let product = match product {
            Ok(Some(product)) => product,
            Ok(None) => {
                let why = format!("{files}: REJECTED: there is no certificate of `{name}`");
                return Err(Failure::Internal(why));
            }
            Err(why) => return Err(Failure::Internal(format!("{files}: REJECTED: {why}"))),
        };
        let index = products.len();
        products.push((name, asks_for_run, product.machine));
        let those = about_properties.iter();
        let those = those.filter(|(_, one)| one.property.as_ref() == Some(&products[index].0));
        proofs.extend(those.map(|(file, one)| (*file, Some(index), one.clone())));
    }
    let folder = arguments.proofs.as_deref().map(ProofFolder::create);
    let mut folder = folder.transpose()?;
    let mut accepted = Accepted::default();
    for (file, product, certificate) in &proofs {
        let machine = product.map_or(&machine, |index| &products[index].2);
        let mut meter = arguments.progress.meter(console);
        meter.phase("validation");
        let judged = match &mut folder {
            None => hardbop_checker::validate(machine, certificate, patience),
            Some(folder) => {
                let mut add = |proved: &_| folder.add(proved);
                hardbop_checker::validate_with_proofs(machine, certificate, patience, &mut add)
            }
        };
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
    }
    for (name, asks_for_run, _) in &products {
        let what = if *asks_for_run {
            "never happens"
        } else {
            "holds"
        };
        console.print(&format!("ACCEPTED     {name} {what}\n"));
    }
    let about_places = proofs.iter().filter(|(_, product, _)| product.is_none());
    let covered = about_places.flat_map(|(_, _, one)| &one.targets);
    let coverage = Coverage {
        machine: &machine,
        files: files.join(", "),
        covered: covered.collect(),
        claims: if is_named { &[] } else { &claims },
    };
    if !asked.is_empty() || products.is_empty() {
        coverage.report(console, &asked, has_output && !is_named)?;
    }
    console.note(&format!(
        "{} conditions, {} of them searched, {} conflicts",
        accepted.obligations, accepted.searches, accepted.conflicts
    ));
    if let Some(folder) = folder {
        console.note(&folder.finish()?);
    }
    Ok(Exit::Fine)
}

/// The assertions, and whatever else outputs answer about.
fn places(machine: &Machine, claims: &[Claim<'_>]) -> Result<Vec<Target>, Failure> {
    let mut places = Target::assertions(machine);
    let mut known: HashSet<Target> = places.iter().cloned().collect();
    for target in claims.iter().filter_map(|claim| claim.answer.target()) {
        if known.insert(target.clone()) {
            places.push(target.clone());
        }
    }
    if places.is_empty() && !claims.iter().any(Claim::is_proof) {
        let file = machine.source.name();
        let why = format!("{file} has no assertions, and no file answers about a place");
        return Err(Failure::BadInput(why));
    }
    Ok(places)
}

/// What the accepted certificates cover, and what the files say.
struct Coverage<'a> {
    machine: &'a Machine,
    files: String,
    covered: HashSet<&'a Target>,
    claims: &'a [Claim<'a>],
}

impl Coverage<'_> {
    /// Tells the user what is proved. An error if anything that has to be covered is not.
    fn report(
        &self,
        console: &mut Console,
        asked: &[Target],
        shows_open_ones: bool,
    ) -> Result<(), Failure> {
        let reject = |why: &str| Failure::Internal(format!("{}: REJECTED: {why}", self.files));
        for claim in self.claims.iter().filter(|claim| claim.is_proof()) {
            if let Asked::Property(property) = &claim.answer.asked {
                let (file, word) = (claim.file, claim.answer.word());
                return Err(reject(&format!(
                    "{file} calls {property} {word} without a certificate"
                )));
            }
        }
        let claims = |is_proof: bool| {
            let those = self.claims.iter().filter(move |c| c.is_proof() == is_proof);
            those.filter_map(|claim| Some((claim.answer.target()?, claim)))
        };
        // Whatever any file calls proved has to be.
        let by_target: HashMap<&Target, &Claim<'_>> = claims(false).chain(claims(true)).collect();
        let mut lines = String::new();
        let mut accepted = 0;
        let mut missing: Vec<&Target> = Vec::new();
        for target in asked {
            let place = place(self.machine, target);
            let line = match by_target.get(target) {
                _ if self.covered.contains(target) => {
                    accepted += 1;
                    format!("ACCEPTED     {place} {}\n", excluded(target))
                }
                Some(claim) if !claim.is_proof() => {
                    format!("NOT PROVED   {place}: {}\n", claim.in_words())
                }
                _ => {
                    missing.push(target);
                    format!("NOT COVERED  {place}\n")
                }
            };
            lines.push_str(&line);
        }
        if missing.is_empty() || shows_open_ones {
            console.print(&lines);
        }
        if let Some(first) = missing.first() {
            let (count, all) = (missing.len(), asked.len());
            return Err(reject(&format!(
                "{count} of {all} targets are not covered, the first is {}",
                place(self.machine, first)
            )));
        }
        if accepted == 0 {
            return Err(reject("nothing is proved"));
        }
        Ok(())
    }
}

fn place(machine: &Machine, target: &Target) -> String {
    format!("{}:{target}", machine.source.name())
}

/// What is now known of a target.
fn excluded(target: &Target) -> &'static str {
    match target.kind {
        TargetKind::Assertion => "never fails",
        TargetKind::Label { .. } | TargetKind::Line => "is never reached",
        TargetKind::Call { .. } => "never happens",
    }
}

/// The certificates in a file: one, a list, or those of an outcome.
pub(super) fn read_certificates(file: &str) -> Result<Vec<Certificate>, Failure> {
    read(file).map(|read| read.certificates)
}

fn read(file: &str) -> Result<Read, Failure> {
    let text = input::read_text(file)?;
    let bad = |error: &dyn std::fmt::Display| {
        Failure::BadInput(format!("cannot read a certificate from {file}: {error}"))
    };
    let only_certificates = |certificates| Read {
        certificates,
        answers: None,
    };
    let value = json::read(&text).map_err(|error| bad(&error))?;
    if value.is_array() {
        let list = serde_json::from_value(value).map_err(|error| bad(&error))?;
        return Ok(only_certificates(list));
    }
    if value.get("hardbop-outcome").is_none() {
        let only = serde_json::from_value(value).map_err(|error| bad(&error))?;
        return Ok(only_certificates(vec![only]));
    }
    let outcome: Outcome = serde_json::from_value(value).map_err(|error| bad(&error))?;
    if outcome.version != outcome::VERSION {
        let (found, known) = (outcome.version, outcome::VERSION);
        let why = format!("format version {found} is not supported, only version {known}");
        return Err(bad(&why));
    }
    Ok(Read {
        certificates: outcome.certificates,
        answers: Some(outcome.answers),
    })
}
