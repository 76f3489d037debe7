//! The tables of a benchmark and its last lines, which say loudly what is wrong.

use crate::case::Case;
use crate::comparison;
use crate::growth_table;
use crate::measure::Measure;
use crate::quantity;
use crate::record::{Kind, Record, Sample};
use crate::table::{Align, Table};
use crate::verdict::Judgement;
use std::fmt::Write as _;

/// How many records there are of each judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// As expected.
    pub right: usize,
    /// The opposite of what is expected.
    pub wrong: usize,
    /// Out of time or memory, or given up.
    pub no_answer: usize,
    /// Engines or peers that ended without an answer.
    pub failed: usize,
    /// Nothing to be right or wrong about.
    pub not_judged: usize,
    /// Failures of hardbop itself, among `failed`.
    pub own_failures: usize,
}

impl Tally {
    /// Counts the judgements.
    pub fn of(records: &[Record]) -> Self {
        let mut tally = Self::default();
        for record in records {
            match record.judgement() {
                Judgement::Right => tally.right += 1,
                Judgement::Wrong => tally.wrong += 1,
                Judgement::NoAnswer => tally.no_answer += 1,
                Judgement::NotJudged => tally.not_judged += 1,
                Judgement::Failed => {
                    tally.failed += 1;
                    tally.own_failures += usize::from(record.kind != Kind::Peer);
                }
            }
        }
        tally
    }
}

/// The whole report: every run or a comparison, then the growth, then what must not be overlooked.
pub fn render(records: &[Record], comparison: Option<Measure>) -> String {
    let main = match comparison {
        Some(measure) => comparison::table(records, measure),
        None => runs_table(records),
    };
    let mut text = main.render();
    let growth = growth_table::table(records);
    if !growth.is_empty() {
        text.push_str("\nExponents of growth (1 is linear):\n");
        text.push_str(&growth.render());
    }
    text.push('\n');
    text.push_str(&closing(records));
    text
}

/// A line per record.
pub(crate) fn runs_table(records: &[Record]) -> Table {
    let mut table = Table::new([
        ("program", Align::Left),
        ("size", Align::Right),
        ("seed", Align::Right),
        ("contender", Align::Left),
        ("wall", Align::Right),
        ("cpu", Align::Right),
        ("peak", Align::Right),
        ("instructions", Align::Right),
        ("verdict", Align::Left),
        ("judged", Align::Left),
        ("phases", Align::Left),
        ("work", Align::Left),
    ]);
    for record in records {
        let sample = record.best();
        let mut cells = case_cells(&record.case).to_vec();
        cells.push(record.contender.clone());
        cells.push(wall(sample));
        if sample.is_complete() {
            cells.push(quantity::or_nothing(sample.cpu, quantity::cpu_time));
        } else {
            cells.push(quantity::NOTHING.to_owned());
        }
        let peak = Measure::Memory.figure(record);
        cells.push(quantity::or_nothing(peak, quantity::memory));
        let instructions = Measure::Instructions.figure(record);
        cells.push(instructions.map(quantity::count).unwrap_or_default());
        cells.push(quantity::or_nothing(sample.verdict, |verdict| {
            verdict.word().to_owned()
        }));
        cells.push(record.judgement().word().to_owned());
        let phases = sample.phases.iter();
        cells.push(join(
            phases.map(|(name, time)| format!("{name} {}", quantity::time(*time))),
        ));
        let work = sample.work.iter();
        cells.push(join(work.map(|(name, count)| format!("{name} {count}"))));
        table.row(cells);
    }
    table
}

/// One line about one record, for those who watch.
pub fn progress_line(record: &Record) -> String {
    let place = describe(record);
    format!(
        "{place}: {}, {}",
        wall(record.best()),
        record.judgement().word()
    )
}

/// The cells `program`, `size` and `seed`.
pub(crate) fn case_cells(case: &Case) -> [String; 3] {
    let size = case.size.map(|size| size.to_string());
    let seed = case.seed.map(|seed| seed.to_string());
    [
        case.title(),
        size.unwrap_or_default(),
        seed.unwrap_or_default(),
    ]
}

fn wall(sample: &Sample) -> String {
    if sample.is_complete() {
        quantity::time(sample.wall)
    } else {
        sample.end.word()
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn describe(record: &Record) -> String {
    let [name, size, seed] = case_cells(&record.case);
    let mut text = name;
    if !size.is_empty() {
        let _ = write!(text, " size {size} seed {seed}");
    }
    text + " by " + &record.contender
}

fn closing(records: &[Record]) -> String {
    let mut text = String::new();
    for record in records {
        if record.judgement() == Judgement::Wrong {
            let is_wrong = |sample: &&Sample| record.judge(sample) == Judgement::Wrong;
            let word =
                |verdict: Option<crate::Verdict>| verdict.map_or("nothing", crate::Verdict::word);
            let said = word(
                record
                    .samples
                    .iter()
                    .find(is_wrong)
                    .and_then(|sample| sample.verdict),
            );
            let expected = word(record.case.expected);
            let place = describe(record);
            let _ = writeln!(
                text,
                "WRONG: {place} says {said}, but the answer is {expected}"
            );
        }
        if record.judgement() == Judgement::Failed {
            let is_failed = |sample: &&Sample| record.judge(sample) == Judgement::Failed;
            let failed = record.samples.iter().find(is_failed);
            let end = failed.map(|sample| sample.end.word()).unwrap_or_default();
            let _ = writeln!(text, "failed: {} ended with {end}", describe(record));
        }
        if !record.is_steady() {
            let place = describe(record);
            let _ = writeln!(
                text,
                "UNSTEADY: {place} counted different work in equal runs"
            );
        }
    }
    let tally = Tally::of(records);
    let counts = [
        (tally.right, "right"),
        (tally.wrong, "WRONG"),
        (tally.no_answer, "without an answer"),
        (tally.failed, "failed"),
        (tally.not_judged, "not judged"),
    ];
    let shown = counts.iter().filter(|(count, _)| *count > 0);
    text + &join(shown.map(|(count, word)| format!("{count} {word}"))) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::End;
    use crate::record::tests::record;
    use crate::verdict::Verdict;
    use expect_test::expect;

    #[test]
    fn a_report_shows_runs_growth_and_what_is_wrong() {
        let mut wrong = record("tn", 200, "summary", &[21, 20]);
        wrong.samples[0].verdict = Some(Verdict::Unreachable);
        let mut stopped = record("tn", 200, "peer", &[5000]);
        stopped.samples = vec![Sample::ended(End::TimedOut)];
        stopped.kind = Kind::Peer;
        let mut crashed = record("file.bp", 1, "summary", &[1]);
        (crashed.case.size, crashed.case.seed) = (None, None);
        crashed.samples[0].end = End::Exited(101);
        let records = [
            record("tn", 100, "summary", &[10]),
            wrong,
            stopped,
            record("tn", 400, "summary", &[40]),
            crashed,
        ];
        expect![[r"
            program    size  seed  contender    wall     cpu    peak  verdict    judged     work
            ---------  ----  ----  ---------  ------  ------  ------  ---------  ---------  ------------------
            tn          100     1  summary    10.0ms  10.0ms  2.00MB  reachable  right      edges 10, rounds 3
            tn          200     1  summary    20.0ms  20.0ms  2.00MB  reachable  WRONG      edges 20, rounds 3
            tn          200     1  peer          t/o       -       -  -          no answer
            tn          400     1  summary    40.0ms  40.0ms  2.00MB  reachable  right      edges 40, rounds 3
            file.bp L              summary    1.00ms   <10ms  2.00MB  reachable  failed     edges 1, rounds 3

            Exponents of growth (1 is linear):
            program  seed  contender  sizes    wall   cpu  peak  work
            -------  ----  ---------  -------  ----  ----  ----  ----------
            tn          1  summary    100-400  1.00  1.00  0.00  edges 1.00

            WRONG: tn size 200 seed 1 by summary says unreachable, but the answer is reachable
            UNSTEADY: tn size 200 seed 1 by summary counted different work in equal runs
            failed: file.bp L by summary ended with 101
            2 right, 1 WRONG, 1 without an answer, 1 failed
        "]]
        .assert_eq(&render(&records, None));
        assert_eq!(Tally::of(&records).own_failures, 1);
    }
}
