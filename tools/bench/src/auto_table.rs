//! How the portfolio does beside the best single engine: one row per program.
//!
//! The promise is a multiple of the best engine alone plus a fixed allowance, since starting to
//! take turns costs something on programs that are answered in milliseconds.

use crate::quantity;
use crate::record::{Kind, Record};
use crate::table::{Align, Table};
use crate::verdict::Verdict;
use std::time::Duration;

/// The portfolio with one job.
pub const AUTO: &str = "auto";
/// The portfolio with two jobs.
pub const AUTO_TWO_JOBS: &str = "auto --jobs 2";
/// What the portfolio may take besides the multiple.
const ALLOWANCE: Duration = Duration::from_millis(50);

/// The table, and how many promises were not kept.
pub fn render(records: &[Record]) -> (String, usize) {
    let mut table = Table::new([
        ("program", Align::Left),
        ("size", Align::Right),
        ("best engine", Align::Left),
        ("time", Align::Right),
        ("auto", Align::Right),
        ("ratio", Align::Right),
        ("2 jobs", Align::Right),
        ("ratio", Align::Right),
        ("", Align::Left),
    ]);
    let mut broken = 0;
    for case in records.chunk_by(|one, other| one.case == other.case) {
        broken += row(&mut table, case);
    }
    (table.render(), broken)
}

/// Adds the row of one program; how many promises it breaks.
fn row(table: &mut Table, records: &[Record]) -> usize {
    let time_of = |name: &str| {
        let record = records.iter().find(|record| record.contender == name)?;
        answered(record)
    };
    let engines = records
        .iter()
        .filter(|record| record.kind == Kind::Engine && !record.contender.starts_with(AUTO));
    let answers = engines.filter_map(|record| Some((answered(record)?, &record.contender)));
    let best = answers.min();
    let (auto, two) = (time_of(AUTO), time_of(AUTO_TWO_JOBS));
    let keeps = |time: Option<Duration>, multiple: u32| match (&best, time) {
        (None, _) => true,
        (Some((best, _)), Some(time)) => time <= *best * multiple + ALLOWANCE,
        (Some(_), None) => false,
    };
    let broken = usize::from(!keeps(auto, 3)) + usize::from(!keeps(two, 2));
    let ratio = |time: Option<Duration>| {
        let (best, time) = (best.as_ref()?.0.as_secs_f64(), time?.as_secs_f64());
        Some(time / best.max(1e-6))
    };
    let case = &records[0].case;
    let shown = |time: Option<Duration>| quantity::or_nothing(time, quantity::time);
    table.row([
        case.name.clone(),
        case.size.map_or_else(String::new, |size| size.to_string()),
        best.map_or_else(|| "none".to_owned(), |(_, name)| name.clone()),
        shown(best.map(|(time, _)| time)),
        shown(auto),
        quantity::or_nothing(ratio(auto), quantity::ratio),
        shown(two),
        quantity::or_nothing(ratio(two), quantity::ratio),
        if broken > 0 {
            "<-".to_owned()
        } else {
            String::new()
        },
    ]);
    broken
}

/// The time of a contender that gave an answer.
fn answered(record: &Record) -> Option<Duration> {
    let best = record.best();
    let is_known = matches!(
        best.verdict,
        Some(Verdict::Reachable | Verdict::Unreachable)
    );
    (best.is_complete() && is_known).then_some(best.wall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::record::{End, Sample};

    fn record(contender: &str, milliseconds: u64, verdict: Option<Verdict>) -> Record {
        let sample = Sample {
            wall: Duration::from_millis(milliseconds),
            verdict,
            ..Sample::ended(End::Exited(0))
        };
        Record {
            case: Case::program("a.bp", None, None),
            contender: contender.to_owned(),
            kind: Kind::Engine,
            samples: vec![sample],
            instructions: None,
        }
    }

    #[test]
    fn a_promise_that_is_not_kept_is_counted_and_marked() {
        let yes = Some(Verdict::Reachable);
        let records = |auto: u64, auto_verdict| {
            vec![
                record("summary", 900, yes),
                record("sat", 100, yes),
                record("explicit", 1, Some(Verdict::Unknown)),
                record(AUTO, auto, auto_verdict),
                record(AUTO_TWO_JOBS, 250, yes),
            ]
        };
        let (text, broken) = render(&records(350, yes));
        assert_eq!(broken, 0, "{text}");
        assert!(text.contains("sat"), "{text}");
        let (text, broken) = render(&records(351, yes));
        assert_eq!(broken, 1, "{text}");
        assert!(text.contains("<-"), "{text}");
        assert_eq!(render(&records(1, None)).1, 1);
    }
}
