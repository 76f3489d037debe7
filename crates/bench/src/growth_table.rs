//! How every contender's figures grow along every series: a line per step from one size to the
//! next, and one for the whole.

use crate::growth::Growth;
use crate::quantity;
use crate::record::{Record, Sample};
use crate::table::{Align, Table};

/// The table: for time, CPU time and memory the ratio and the exponent, for counters of work the
/// exponent.
pub(crate) fn table(records: &[Record]) -> Table {
    let mut table = Table::new([
        ("program", Align::Left),
        ("seed", Align::Right),
        ("contender", Align::Left),
        ("sizes", Align::Left),
        ("wall", Align::Right),
        ("exp", Align::Right),
        ("cpu", Align::Right),
        ("exp", Align::Right),
        ("peak", Align::Right),
        ("exp", Align::Right),
        ("exponents of work", Align::Left),
    ]);
    for (position, record) in records.iter().enumerate() {
        let is_in_series = |other: &&Record| {
            other.contender == record.contender && other.case.is_same_series(&record.case)
        };
        // Each series is shown where it begins.
        if records[..position].iter().any(|other| is_in_series(&other)) {
            continue;
        }
        let answered = |other: &&Record| other.is_answered();
        let series: Vec<&Record> = records
            .iter()
            .filter(is_in_series)
            .filter(answered)
            .collect();
        for step in series.windows(2) {
            table.row(step_cells(step[0], step[1]));
        }
        if let [first, _, .., last] = series[..] {
            table.row(step_cells(first, last));
        }
    }
    table
}

fn step_cells(from: &Record, to: &Record) -> Vec<String> {
    let (earlier, later) = (from.best(), to.best());
    let sizes = (
        f64::from(from.case.size.unwrap_or(0)),
        f64::from(to.case.size.unwrap_or(0)),
    );
    let growth = |figure: fn(&Sample) -> Option<f64>| {
        Growth::between((sizes.0, figure(earlier)?), (sizes.1, figure(later)?))
    };
    let mut cells = vec![
        from.case.name.clone(),
        from.case
            .seed
            .map(|seed| seed.to_string())
            .unwrap_or_default(),
        from.contender.clone(),
        format!("{:.0}-{:.0}", sizes.0, sizes.1),
    ];
    let figures: [fn(&Sample) -> Option<f64>; 3] = [
        |sample| Some(sample.wall.as_secs_f64()),
        |sample| sample.cpu.map(|cpu| cpu.as_secs_f64()),
        |sample| sample.peak_kib.map(count),
    ];
    for figure in figures {
        let growth = growth(figure);
        cells.push(quantity::or_nothing(growth, |growth| {
            quantity::ratio(growth.ratio)
        }));
        cells.push(quantity::or_nothing(growth, |growth| {
            quantity::exponent(growth.exponent)
        }));
    }
    let exponents: Vec<String> = later
        .work
        .iter()
        .filter_map(|(name, value)| {
            let (_, before) = earlier.work.iter().find(|(other, _)| other == name)?;
            let growth = Growth::between((sizes.0, count(*before)), (sizes.1, count(*value)))?;
            Some(format!("{name} {}", quantity::exponent(growth.exponent)))
        })
        .collect();
    cells.push(exponents.join(", "));
    cells
}

// Counters and sizes of memory stay below 2^53; a rounded one would not change three digits anyway.
#[allow(
    clippy::cast_precision_loss,
    reason = "figures for a table of a few digits"
)]
fn count(value: u64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::End;
    use crate::record::tests::record;
    use expect_test::expect;

    #[test]
    fn each_series_has_its_steps_and_its_whole() {
        let mut stopped = record("tn", 800, "peer", &[1]);
        stopped.samples[0].end = End::TimedOut;
        let records = [
            record("tn", 100, "summary", &[10]),
            record("tn", 100, "peer", &[10]),
            record("tn", 200, "summary", &[20]),
            record("tn", 200, "peer", &[40]),
            record("tn", 800, "summary", &[80]),
            stopped,
            record("doubling", 800, "summary", &[80]),
        ];
        expect![[r"
            program  seed  contender  sizes     wall   exp    cpu   exp   peak   exp  exponents of work
            -------  ----  ---------  -------  -----  ----  -----  ----  -----  ----  -----------------------
            tn          1  summary    100-200  2.00x  1.00  2.00x  1.00  1.00x  0.00  edges 1.00, rounds 0.00
            tn          1  summary    200-800  4.00x  1.00  4.00x  1.00  1.00x  0.00  edges 1.00, rounds 0.00
            tn          1  summary    100-800  8.00x  1.00  8.00x  1.00  1.00x  0.00  edges 1.00, rounds 0.00
            tn          1  peer       100-200  4.00x  2.00  4.00x  2.00  1.00x  0.00  edges 2.00, rounds 0.00
        "]]
        .assert_eq(&table(&records).render());
    }
}
