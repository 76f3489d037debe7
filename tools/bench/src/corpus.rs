//! Folders of programs with known verdicts, and how a contender stands on them.
//!
//! A folder has a file `verdicts.tsv` with a line for each question: the program, a property if the
//! program has several, and the expected verdict, separated by tabs. Verdicts are written as people
//! write them (`true`, `sat`, `holds`, `unreachable`, and their opposites); `?` stands for a verdict
//! that is not known. A group is the folder of the program.

use crate::table::{Align, Table};
use std::collections::BTreeMap;
use std::time::Duration;

/// A question with a known answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusTask {
    /// The program, relative to the folder of `verdicts.tsv`.
    pub file: String,
    /// The name of the property, if the line has one.
    pub property: Option<String>,
    /// Whether the property holds, if that is known.
    pub expected: Option<bool>,
}

/// How a run on a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorpusResult {
    /// It said whether the property holds.
    Answered(bool),
    /// It gave up, or was stopped at a limit.
    Unknown(String),
    /// It does not read the program or the property.
    Refused(String),
    /// It failed in a way that is no answer at all.
    Failed(String),
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusRow {
    /// The group of the program.
    pub group: String,
    /// The question.
    pub task: CorpusTask,
    /// Who answered.
    pub contender: String,
    /// The answer.
    pub result: CorpusResult,
    /// The CPU time that it took.
    pub cpu: Duration,
}

/// Reads `verdicts.tsv`.
pub fn tasks(text: &str) -> Result<Vec<CorpusTask>, String> {
    let mut all = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let (file, property, verdict) = match fields[..] {
            [file, verdict] => (file, None, verdict),
            [file, property, verdict] => (file, Some(property.to_owned()), verdict),
            _ => return Err(format!("line {number}: two or three fields are expected")),
        };
        let expected = match verdict.to_ascii_lowercase().as_str() {
            "true" | "sat" | "holds" | "safe" | "unreachable" => Some(true),
            "false" | "unsat" | "violated" | "unsafe" | "reachable" => Some(false),
            "?" | "unknown" => None,
            _ => return Err(format!("line {number}: `{verdict}` is not a verdict")),
        };
        all.push(CorpusTask {
            file: file.to_owned(),
            property,
            expected,
        });
    }
    Ok(all)
}

impl CorpusRow {
    /// The word of the table: `right`, `WRONG`, `decided` if no verdict is known, and so on.
    pub fn word(&self) -> &'static str {
        match (&self.result, self.task.expected) {
            (CorpusResult::Answered(_), None) => "decided",
            (CorpusResult::Answered(seen), Some(expected)) if *seen == expected => "right",
            (CorpusResult::Answered(_), Some(_)) => "WRONG",
            (CorpusResult::Unknown(_), _) => "unknown",
            (CorpusResult::Refused(_), _) => "refused",
            (CorpusResult::Failed(_), _) => "FAILED",
        }
    }

    /// Whether hardbop or its peer has made a mistake.
    pub fn is_alarming(&self) -> bool {
        matches!(self.word(), "WRONG" | "FAILED")
    }

    fn reason(&self) -> Option<&str> {
        match &self.result {
            CorpusResult::Answered(_) => None,
            CorpusResult::Unknown(why) | CorpusResult::Refused(why) | CorpusResult::Failed(why) => {
                Some(why)
            }
        }
    }

    /// The row as a line with tabs.
    pub fn line(&self) -> String {
        let fields = [
            self.contender.as_str(),
            &self.group,
            &self.task.file,
            self.task.property.as_deref().unwrap_or("-"),
            self.word(),
            &format!("{:.2}", self.cpu.as_secs_f64()),
            self.reason().unwrap_or("-"),
        ];
        fields.join("\t") + "\n"
    }
}

const WORDS: [&str; 6] = ["right", "decided", "unknown", "refused", "WRONG", "FAILED"];

/// The tables: a line for each contender and group, then what is alarming, then the reasons.
pub fn report(rows: &[CorpusRow]) -> String {
    let mut text = standings(rows).render();
    for row in rows.iter().filter(|row| row.is_alarming()) {
        text.push('\n');
        text.push_str(row.line().trim_end());
    }
    let reasons = reasons(rows);
    if !reasons.is_empty() {
        text.push_str("\n\n");
        text.push_str(&reasons.render());
    }
    text
}

fn standings(rows: &[CorpusRow]) -> Table {
    let mut counts: BTreeMap<(&str, &str), (Vec<usize>, Duration)> = BTreeMap::new();
    for row in rows {
        for group in [row.group.as_str(), "all"] {
            let (of, cpu) = counts
                .entry((&row.contender, group))
                .or_insert_with(|| (vec![0; WORDS.len()], Duration::ZERO));
            for (count, word) in of.iter_mut().zip(WORDS) {
                *count += usize::from(row.word() == word);
            }
            *cpu += row.cpu;
        }
    }
    let names = ["contender", "group"].map(|name| (name, Align::Left));
    let figures = ["tasks"].into_iter().chain(WORDS).chain(["CPU s"]);
    let mut table = Table::new(
        names
            .into_iter()
            .chain(figures.map(|name| (name, Align::Right))),
    );
    for ((contender, group), (of, cpu)) in counts {
        let mut cells = vec![contender.to_owned(), group.to_owned()];
        cells.push(of.iter().sum::<usize>().to_string());
        cells.extend(of.iter().map(ToString::to_string));
        cells.push(format!("{:.1}", cpu.as_secs_f64()));
        table.row(cells);
    }
    table
}

fn reasons(rows: &[CorpusRow]) -> Table {
    let mut counts: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for row in rows {
        if let Some(why) = row.reason() {
            *counts.entry((&row.contender, row.word(), why)).or_default() += 1;
        }
    }
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort_by_key(|&((contender, word, _), count)| (contender, word, usize::MAX - count));
    let mut table = Table::new([
        ("contender", Align::Left),
        ("", Align::Left),
        ("tasks", Align::Right),
        ("reason", Align::Left),
    ]);
    for ((contender, word, why), count) in sorted {
        table.row([contender, word, &count.to_string(), why]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_with_and_without_a_property() {
        let all = tasks("# a comment\na/b.c\tltl\tfalse\n\nc.smt2\tsat\nd.smt2\t?\n");
        let all = all.expect("these are verdicts");
        let short = |task: &CorpusTask| (task.file.clone(), task.expected);
        assert_eq!(
            all.iter().map(short).collect::<Vec<_>>(),
            [
                ("a/b.c".to_owned(), Some(false)),
                ("c.smt2".to_owned(), Some(true)),
                ("d.smt2".to_owned(), None)
            ]
        );
        assert_eq!(all[0].property.as_deref(), Some("ltl"));
        assert!(tasks("a.c\tmaybe\n").unwrap_err().contains("line 1"));
        assert!(tasks("only one field\n").unwrap_err().contains("line 1"));
    }

    fn row(file: &str, expected: Option<bool>, result: CorpusResult) -> CorpusRow {
        CorpusRow {
            group: "loops".to_owned(),
            task: CorpusTask {
                file: file.to_owned(),
                property: None,
                expected,
            },
            contender: "hardbop".to_owned(),
            result,
            cpu: Duration::from_millis(250),
        }
    }

    #[test]
    fn a_wrong_verdict_is_listed_by_name_and_reasons_are_counted() {
        let rows = [
            row("a.c", Some(true), CorpusResult::Answered(true)),
            row("b.c", Some(true), CorpusResult::Answered(false)),
            row("c.c", None, CorpusResult::Answered(false)),
            row(
                "d.c",
                Some(true),
                CorpusResult::Refused("floats".to_owned()),
            ),
            row(
                "e.c",
                Some(true),
                CorpusResult::Refused("floats".to_owned()),
            ),
        ];
        let text = report(&rows);
        let cells = |start: &str| -> Vec<String> {
            let mut lines = text.lines().filter(|line| line.contains(start));
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("no {start} in\n{text}"));
            line.split_whitespace().map(str::to_owned).collect()
        };
        let figures = ["5", "1", "1", "0", "2", "1", "0", "1.2"];
        assert_eq!(cells("hardbop    loops")[2..], figures);
        assert!(cells("b.c").contains(&"WRONG".to_owned()));
        assert_eq!(cells("floats")[2], "2");
        assert!(!text.contains("a.c"));
    }
}
