//! Contenders side by side: a line per case, the first contender's figure, then every other's with
//! its ratio to the first.

use crate::measure::Measure;
use crate::quantity;
use crate::record::Record;
use crate::report::case_cells;
use crate::table::{Align, Table};

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
    for of_case in records.chunk_by(|one, other| one.case == other.case) {
        let mut cells = case_cells(&of_case[0].case).to_vec();
        let first = &of_case[0];
        for (position, record) in of_case.iter().enumerate() {
            cells.push(measure.cell(record));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::End;
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
