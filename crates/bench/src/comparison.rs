//! Contenders side by side: a line per case, the first contender's figure, then every other's with
//! its ratio to the first.

use crate::case::Case;
use crate::quantity;
use crate::record::{End, Record, Sample};
use crate::report::case_cells;
use crate::table::{Align, Table};
use crate::verdict::Judgement;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Time from start to end.
    Wall,
    /// User and system time.
    Cpu,
    /// The most resident memory.
    Memory,
}

impl Measure {
    /// The figure of a run, in any unit, if there is one above zero.
    fn figure(self, sample: &Sample) -> Option<f64> {
        // Exact below 2^53 KiB, which no machine has.
        #[allow(
            clippy::cast_precision_loss,
            reason = "figures for a table of a few digits"
        )]
        let figure = match self {
            Measure::Wall => sample.wall.as_secs_f64(),
            Measure::Cpu => sample.cpu?.as_secs_f64(),
            Measure::Memory => sample.peak_kib? as f64,
        };
        (figure > 0.0).then_some(figure)
    }

    /// The figure of a record, or what stands in its way.
    fn show(self, record: &Record) -> String {
        let sample = record.best();
        if !sample.is_complete() {
            return sample.end.word();
        }
        if !matches!(record.judgement(), Judgement::Right | Judgement::NotJudged) {
            return record.judgement().word().to_owned();
        }
        match self {
            Measure::Wall => quantity::time(sample.wall),
            Measure::Cpu => quantity::or_nothing(sample.cpu, quantity::cpu_time),
            Measure::Memory => quantity::or_nothing(sample.peak_kib, quantity::memory),
        }
    }

    /// The ratio of one record to another. A run that was stopped at a limit gives a lower bound
    /// for what was limited.
    fn ratio(self, record: &Record, first: &Record) -> Option<String> {
        let (sample, reference) = (record.best(), first.best());
        let is_bound = match sample.end {
            End::TimedOut => self != Measure::Memory,
            End::OutOfMemory => self == Measure::Memory,
            _ => false,
        };
        if !first.is_answered() || !(is_bound || record.is_answered()) {
            return None;
        }
        let ratio = quantity::ratio(self.figure(sample)? / self.figure(reference)?);
        Some(if is_bound { format!(">{ratio}") } else { ratio })
    }
}

/// The table. Cases and contenders keep the order in which they were run.
pub(crate) fn table(records: &[Record], measure: Measure) -> Table {
    let mut contenders: Vec<&str> = Vec::new();
    for record in records {
        if !contenders.contains(&record.contender.as_str()) {
            contenders.push(&record.contender);
        }
    }
    let mut columns = vec![
        ("program".to_owned(), Align::Left),
        ("size".to_owned(), Align::Right),
        ("seed".to_owned(), Align::Right),
    ];
    for (position, contender) in contenders.iter().enumerate() {
        columns.push(((*contender).to_owned(), Align::Right));
        if position > 0 {
            columns.push(("ratio".to_owned(), Align::Right));
        }
    }
    let mut table = Table::new(columns);
    // The records of one case stand together, one for every contender, in the same order.
    for of_case in records.chunk_by(|one, other| is_same_case(&one.case, &other.case)) {
        let mut cells = case_cells(&of_case[0].case).to_vec();
        let first = &of_case[0];
        for (position, record) in of_case.iter().enumerate() {
            cells.push(measure.show(record));
            if position > 0 {
                cells.push(quantity::or_nothing(
                    measure.ratio(record, first),
                    |ratio| ratio,
                ));
            }
        }
        table.row(cells);
    }
    table
}

fn is_same_case(one: &Case, other: &Case) -> bool {
    (&one.name, one.size, one.seed, &one.label)
        == (&other.name, other.size, other.seed, &other.label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use expect_test::expect;

    #[test]
    fn ratios_are_to_the_first_contender_and_limits_are_bounds() {
        let mut stopped = record("tn", 20, "peer", &[5000]);
        stopped.samples[0].end = End::TimedOut;
        let records = [
            record("tn", 10, "summary", &[10]),
            record("tn", 10, "peer", &[25]),
            record("tn", 20, "summary", &[20]),
            stopped,
        ];
        expect![[r"
            program  size  seed  summary    peer  ratio
            -------  ----  ----  -------  ------  -----
            tn         10     1   10.0ms  25.0ms  2.50x
            tn         20     1   20.0ms     t/o  >250x
        "]]
        .assert_eq(&table(&records, Measure::Wall).render());
        expect![[r"
            program  size  seed  summary    peer  ratio
            -------  ----  ----  -------  ------  -----
            tn         10     1   2.00MB  2.00MB  1.00x
            tn         20     1   2.00MB     t/o      -
        "]]
        .assert_eq(&table(&records, Measure::Memory).render());
    }
}
