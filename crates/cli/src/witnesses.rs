//! Verification witnesses of C programs: which one there is, and what only a command knows of it.

use crate::exit::Failure;
use crate::reports::{Reported, VERSION};
use hardbop_machine::Machine;
use hardbop_outcome::{Answer, Outcome, Target, TargetKind, VerdictWord};
use hardbop_report::{Task, correctness_witness, violation_witness};
use hardbop_syntax::Check;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs are written out up to this length: the values of calls inside of calls are told too.
const MOST_STEPS: u64 = 1_000_000;

/// Refuses a witness that there cannot be.
pub fn refuse_without_effect(machine: &Machine, has_certificates: bool) -> Result<(), Failure> {
    let why = if machine.source.c_reading().is_none() {
        "--witness needs a C program (`.c` or `.i`)"
    } else if !has_certificates {
        "--witness needs a check of assertions or labels, without a bound"
    } else {
        return Ok(());
    };
    Err(Failure::BadInput(why.to_owned()))
}

/// The witness of the result, or why there is no witness.
pub fn of(reported: &Reported<'_>) -> Result<Result<String, String>, Failure> {
    let (machine, outcome) = (reported.machine, reported.outcome);
    let created = iso_8601(seconds());
    let specification = match specification(machine, outcome) {
        Ok(specification) => specification,
        Err(why) => return Ok(Err(why)),
    };
    let task = Task {
        file: machine.source.name(),
        content: machine.source.text().as_bytes(),
        specification: &specification,
        data_model: machine.source.c_reading().unwrap_or_default().data_model,
        created: &created,
        hardbop: VERSION,
    };
    let document = reported.document(Some(MOST_STEPS))?;
    if let Some(run) = document
        .answers
        .iter()
        .find_map(|answer| answer.run.as_ref())
    {
        return Ok(Ok(violation_witness(machine, run, &task)));
    }
    let is_excluded = |word| matches!(word, VerdictWord::Holds | VerdictWord::Unreachable);
    let mut words = outcome.answers.iter().map(hardbop_outcome::Answer::word);
    if words.any(|word| !is_excluded(word)) {
        return Ok(Err("an unknown verdict has no witness".to_owned()));
    }
    if outcome.certificates.is_empty() {
        return Ok(Err("without a certificate there is no witness".to_owned()));
    }
    Ok(Ok(correctness_witness(
        machine,
        &outcome.certificates,
        &task,
    )))
}

/// What was asked, as the competition on software verification says it: the property that the run
/// violates, or one that all proofs together establish. An error where it has no such property.
fn specification(machine: &Machine, outcome: &Outcome) -> Result<String, String> {
    let violated = outcome.answers.iter().find(|a| a.verdict.is_yes());
    let answers: Vec<&Answer> = match violated {
        Some(answer) => vec![answer],
        None => outcome.answers.iter().collect(),
    };
    let targets: Vec<&Target> = answers.into_iter().filter_map(Answer::target).collect();
    let mut undefined = None;
    let mut claims = Vec::new();
    for target in targets {
        match &target.kind {
            TargetKind::Assertion => match machine.check_of(target.node) {
                Check::Condition => claims.push("! call(reach_error())".to_owned()),
                Check::NoCall { function } => claims.push(format!("! call({function}())")),
                Check::NoLabel { label } => claims.push(format!("! label({label})")),
                Check::Overflow => claims.push("! overflow".to_owned()),
                Check::Memory => claims.push("valid-deref".to_owned()),
                Check::Defined => undefined = Some(target),
            },
            TargetKind::Label { label } => claims.push(format!("! label({label})")),
            TargetKind::Call { function } => claims.push(format!("! call({function}())")),
            TargetKind::Line => {}
        }
    }
    // Of what was proved, the property that programs state comes first.
    let stated = claims.iter().find(|claim| claim.starts_with("! call"));
    match (stated.or(claims.first()), undefined) {
        (Some(claim), _) => Ok(format!("CHECK( init(main()), LTL(G {claim}) )")),
        (None, Some(target)) => Err(format!(
            "the competition has no property for \"{}\"",
            target.text
        )),
        (None, None) => Err("the competition has no property for what was asked".to_owned()),
    }
}

/// Seconds since 1970, or the value of `SOURCE_DATE_EPOCH`, for reproducible files.
fn seconds() -> u64 {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok();
    let given = given.and_then(|seconds| seconds.parse().ok());
    given.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |now| now.as_secs())
    })
}

/// A moment as `2026-11-17T05:30:00Z`; the days by H. Hinnant's `civil_from_days`.
fn iso_8601(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::iso_8601;

    #[test]
    fn moments_are_those_of_the_calendar() {
        assert_eq!(iso_8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_8601(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(iso_8601(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso_8601(1_794_893_400), "2026-11-17T05:30:00Z");
    }
}
