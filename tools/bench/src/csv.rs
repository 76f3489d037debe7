//! Records as CSV (RFC 4180): one line per run, so that nothing of a measurement is lost to a
//! table's rounding.

use crate::record::{Record, Sample};

/// The columns, in order.
pub const COLUMNS: [&str; 15] = [
    "program",
    "size",
    "seed",
    "label",
    "contender",
    "repeat",
    "end",
    "wall_seconds",
    "cpu_seconds",
    "peak_kib",
    "instructions",
    "verdict",
    "expected",
    "judged",
    "work",
];

/// All records, under a line with the names of the columns.
pub fn render(records: &[Record]) -> String {
    let mut text = line(COLUMNS.map(str::to_owned));
    for record in records {
        for (repeat, sample) in record.samples.iter().enumerate() {
            text.push_str(&line(fields(record, repeat + 1, sample)));
        }
    }
    text
}

fn fields(record: &Record, repeat: usize, sample: &Sample) -> [String; 15] {
    let case = &record.case;
    let seconds = |time: std::time::Duration| format!("{:.6}", time.as_secs_f64());
    let work = sample
        .work
        .iter()
        .map(|(name, count)| format!("{name}={count}"));
    [
        case.name.clone(),
        text_or_empty(case.size),
        text_or_empty(case.seed),
        case.label.clone().unwrap_or_default(),
        record.contender.clone(),
        repeat.to_string(),
        sample.end.word(),
        seconds(sample.wall),
        sample.cpu.map(seconds).unwrap_or_default(),
        text_or_empty(sample.peak_kib),
        text_or_empty(record.instructions),
        text_or_empty(sample.verdict.map(crate::Verdict::word)),
        text_or_empty(case.expected.map(crate::Verdict::word)),
        record.judge(sample).word().to_owned(),
        work.collect::<Vec<_>>().join(";"),
    ]
}

fn text_or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn line(fields: impl IntoIterator<Item = String>) -> String {
    let quoted: Vec<String> = fields.into_iter().map(quote).collect();
    quoted.join(",") + "\n"
}

/// Quotes a field where commas, quotes or line ends would break it apart.
fn quote(field: String) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{record, sample};
    use expect_test::expect;

    #[test]
    fn every_run_is_a_line_and_odd_names_are_quoted() {
        let mut first = record("tn", 10, "a \"peer\", odd", &[12]);
        first.samples.push(sample(15));
        expect![[r#"
            program,size,seed,label,contender,repeat,end,wall_seconds,cpu_seconds,peak_kib,instructions,verdict,expected,judged,work
            tn,10,1,L,"a ""peer"", odd",1,1,0.012000,0.010000,2048,,reachable,reachable,right,edges=12;rounds=3
            tn,10,1,L,"a ""peer"", odd",2,1,0.015000,0.010000,2048,,reachable,reachable,right,edges=15;rounds=3
        "#]]
        .assert_eq(&render(&[first]));
    }
}
