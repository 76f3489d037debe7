//! How every contender's figures grow along every series: a line per series, with the exponents of
//! the power laws that fit best.

use crate::fit::Fit;
use crate::measure::Measure;
use crate::quantity;
use crate::record::Record;
use crate::table::{Align, Table};

/// The answers of one contender to the cases that differ in size only, the sizes ascending.
pub(crate) type Series<'a> = Vec<&'a Record>;

/// All series, in the order in which they begin.
pub(crate) fn all_series(records: &[Record]) -> Vec<Series<'_>> {
    let mut all: Vec<Series<'_>> = Vec::new();
    for record in records.iter().filter(|record| record.is_answered()) {
        let is_in = |series: &&mut Series<'_>| {
            series[0].contender == record.contender && series[0].case.is_same_series(&record.case)
        };
        match all.iter_mut().find(is_in) {
            Some(series) => series.push(record),
            None => all.push(vec![record]),
        }
    }
    all
}

/// The points of a series in one measure.
pub(crate) fn points(series: &[&Record], measure: Measure) -> Vec<(f64, f64)> {
    let point = |record: &&Record| Some((f64::from(record.case.size?), measure.figure(record)?));
    series.iter().filter_map(point).collect()
}

/// The start of a process takes milliseconds: times below this many seconds show it, not growth.
const SHORTEST: f64 = 0.01;

/// The power law of a series in one measure.
pub(crate) fn fit(series: &[&Record], measure: Measure) -> Option<Fit> {
    Fit::through(&long_enough(&points(series, measure), measure))
}

/// Those points of a measure through which a power law is laid.
pub(crate) fn long_enough(points: &[(f64, f64)], measure: Measure) -> Vec<(f64, f64)> {
    let is_time = matches!(measure, Measure::Wall | Measure::Cpu);
    let points = points.iter().copied();
    points
        .filter(|&(_, figure)| !is_time || figure >= SHORTEST)
        .collect()
}

/// The table.
pub(crate) fn table(records: &[Record]) -> Table {
    let mut table = Table::new([
        ("program", Align::Left),
        ("seed", Align::Right),
        ("contender", Align::Left),
        ("sizes", Align::Left),
        ("instructions", Align::Right),
        ("wall", Align::Right),
        ("cpu", Align::Right),
        ("peak", Align::Right),
        ("work", Align::Left),
    ]);
    for series in all_series(records) {
        let ends = (series[0].case.size, series[series.len() - 1].case.size);
        let (Some(first), Some(last)) = ends else {
            continue;
        };
        if series.len() > 1 {
            table.row(cells(&series, first, last));
        }
    }
    table
}

fn cells(series: &Series<'_>, first: u32, last: u32) -> Vec<String> {
    let case = &series[0].case;
    let mut cells = vec![
        case.name.clone(),
        case.seed.map(|seed| seed.to_string()).unwrap_or_default(),
        series[0].contender.clone(),
        format!("{first}-{last}"),
    ];
    let exponent = |fit: Fit| quantity::exponent(fit.exponent);
    let instructions = fit(series, Measure::Instructions).map(exponent);
    // A column that no series has is left out.
    cells.push(instructions.unwrap_or_default());
    for measure in [Measure::Wall, Measure::Cpu, Measure::Memory] {
        cells.push(quantity::or_nothing(fit(series, measure), exponent));
    }
    let names = series[0].best().work.iter().map(|(name, _)| name);
    let work = names.filter_map(|name| {
        let point = |record: &&Record| {
            let work = &record.best().work;
            let (_, count) = work.iter().find(|(other, _)| other == name)?;
            Some((f64::from(record.case.size?), quantity::float(*count)))
        };
        let points: Vec<_> = series.iter().filter_map(point).collect();
        let exponent = exponent(Fit::through(&points)?);
        // Most counters of most engines stay as they are; they would hide the others.
        (exponent != quantity::exponent(0.0)).then(|| format!("{name} {exponent}"))
    });
    cells.push(work.collect::<Vec<_>>().join(", "));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::End;
    use crate::record::tests::record;
    use expect_test::expect;

    #[test]
    fn each_series_has_a_line_and_runs_without_an_answer_do_not_count() {
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
            record("short", 10, "summary", &[3]),
            record("short", 20, "summary", &[4]),
            record("short", 40, "summary", &[30]),
        ];
        expect![[r"
            program  seed  contender  sizes    wall   cpu  peak  work
            -------  ----  ---------  -------  ----  ----  ----  ----------
            tn          1  summary    100-800  1.00  1.00  0.00  edges 1.00
            tn          1  peer       100-200  2.00  2.00  0.00  edges 2.00
            short       1  summary    10-40       -     -  0.00  edges 1.66
        "]]
        .assert_eq(&table(&records).render());
    }
}
