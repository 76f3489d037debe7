//! A benchmark held against an earlier one: what got slower beyond noise, what got faster, and what
//! can no longer be compared.
//!
//! Counters of work and instructions are nearly the same in every run, so a small tolerance is all
//! that they need. Wall times are noise above all. They are compared on the same machine only, with
//! three runs or more on both sides, and a difference counts if it is a tenth of the old median, a
//! millisecond, and three times the spread of both sides together.

use crate::measure::Measure;
use crate::quantity;
use crate::record::Record;
use crate::run::Run;
use crate::table::{Align, Table};
use std::fmt::Write;

/// Runs on either side without which times say nothing.
const RUNS: usize = 3;
/// Peak memory may move by this many percent, and by this many KiB.
const MEMORY_PERCENT: f64 = 5.0;
const MEMORY_KIB: f64 = 1024.0;

/// What has changed.
#[derive(Debug, Default)]
pub struct Changes {
    worse: Vec<[String; 7]>,
    better: Vec<[String; 7]>,
    compared: usize,
    missing: Vec<String>,
    notes: Vec<String>,
}

impl Changes {
    /// Holds a benchmark against an earlier one; work and instructions may move by so many percent.
    pub fn between(old: &Run, new: &Run, percent: f64) -> Self {
        let mut changes = Self::default();
        if old.host != new.host {
            let (old, new) = (&old.host, &new.host);
            changes
                .notes
                .push(format!("times are not compared: {old} then, {new} now"));
        }
        if old.counted_by != new.counted_by {
            let text = "instructions are not compared: they were counted in different ways";
            changes.notes.push(text.to_owned());
        }
        let mut too_few = false;
        for before in &old.records {
            let is_same =
                |now: &&Record| now.case == before.case && now.contender == before.contender;
            let Some(now) = new.records.iter().find(is_same) else {
                changes.missing.push(place(before).join(" "));
                continue;
            };
            changes.compared += 1;
            if before.is_answered() != now.is_answered() {
                let cells = [before, now].map(|record| Measure::Wall.cell(record));
                changes.add(now, "answer", cells, None, before.is_answered());
                continue;
            }
            if !before.is_answered() {
                continue;
            }
            changes.counters(before, now, percent, old.counted_by == new.counted_by);
            let runs = [before, now].map(|record| record.samples.len());
            too_few |= runs.iter().any(|&count| count < RUNS);
            if old.host == new.host && runs.iter().all(|&count| count >= RUNS) {
                changes.times(before, now);
            }
        }
        if too_few && old.host == new.host {
            changes.notes.push(format!(
                "times are compared where both have {RUNS} runs; --repeat makes more"
            ));
        }
        changes
    }

    /// Whether something got slower, larger or lost.
    pub fn has_worse(&self) -> bool {
        !self.worse.is_empty()
    }

    fn counters(&mut self, before: &Record, now: &Record, percent: f64, same_counter: bool) {
        let mut pairs: Vec<(&str, f64, f64, f64)> = Vec::new();
        // The portfolio takes turns by the clock, so its counters can differ in equal runs.
        if before.is_steady() && now.is_steady() {
            let work = &now.best().work;
            for (name, count) in &before.best().work {
                if let Some((_, later)) = work.iter().find(|(other, _)| other == name) {
                    let counts = (quantity::float(*count), quantity::float(*later));
                    pairs.push((name, counts.0, counts.1, percent));
                }
            }
        }
        if let (Some(count), Some(later), true) =
            (before.instructions, now.instructions, same_counter)
        {
            let counts = (quantity::float(count), quantity::float(later));
            pairs.push(("instructions", counts.0, counts.1, percent));
        }
        for (name, count, later, percent) in pairs {
            if (later - count).abs() > count * percent / 100.0 {
                let cells = [count, later].map(quantity::count);
                self.add(now, name, cells, Some(later / count), later > count);
            }
        }
        let peaks = [before, now].map(|record| Measure::Memory.figure(record));
        if let [Some(count), Some(later)] = peaks {
            let difference = (later - count).abs();
            if difference > count * MEMORY_PERCENT / 100.0 && difference > MEMORY_KIB {
                let cells = [count, later].map(quantity::memory);
                self.add(now, "memory", cells, Some(later / count), later > count);
            }
        }
    }

    fn times(&mut self, before: &Record, now: &Record) {
        let found = (before.median_and_spread(), now.median_and_spread());
        let (Some((old, old_spread)), Some((new, new_spread))) = found else {
            return;
        };
        let noise = (0.1 * old).max(0.001).max(3.0 * (old_spread + new_spread));
        if (new - old).abs() > noise {
            let cells = [old, new].map(|time| Measure::Wall.show(time));
            self.add(now, "wall", cells, Some(new / old), new > old);
        }
    }

    fn add(
        &mut self,
        record: &Record,
        what: &str,
        [old, new]: [String; 2],
        ratio: Option<f64>,
        is_worse: bool,
    ) {
        let [program, size, contender] = place(record);
        let ratio = ratio.filter(|ratio| ratio.is_finite());
        let ratio = quantity::or_nothing(ratio, quantity::ratio);
        let row = [program, size, contender, what.to_owned(), old, new, ratio];
        if is_worse {
            self.worse.push(row);
        } else {
            self.better.push(row);
        }
    }

    /// Everything as text.
    pub fn render(&self) -> String {
        let mut text = String::new();
        for (title, rows) in [("SLOWER", &self.worse), ("Faster", &self.better)] {
            if rows.is_empty() {
                continue;
            }
            let mut table = Table::new([
                ("program", Align::Left),
                ("size", Align::Right),
                ("contender", Align::Left),
                ("what", Align::Left),
                ("before", Align::Right),
                ("now", Align::Right),
                ("ratio", Align::Right),
            ]);
            for row in rows {
                table.row(row.clone());
            }
            write!(text, "{title} than before:\n{}\n", table.render())
                .expect("a string can be written to");
        }
        for note in &self.notes {
            writeln!(text, "note: {note}").expect("a string can be written to");
        }
        if !self.missing.is_empty() {
            writeln!(text, "not run this time: {}", self.missing.join(", "))
                .expect("a string can be written to");
        }
        let (worse, better) = (self.worse.len(), self.better.len());
        let compared = self.compared;
        text + &format!("{compared} compared: {worse} slower, {better} faster\n")
    }
}

fn place(record: &Record) -> [String; 3] {
    let case = &record.case;
    let size = case.size.map(|size| size.to_string());
    [
        case.title(),
        size.unwrap_or_default(),
        record.contender.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use crate::record::{End, Sample};

    fn run(records: Vec<Record>) -> Run {
        Run {
            records,
            ..Run::new()
        }
    }

    /// Runs with these times, all with the same work.
    fn timed(millis: &[u64]) -> Record {
        let mut record = record("tn", 10, "summary", millis);
        for sample in &mut record.samples {
            sample.work = vec![("visits".to_owned(), 100)];
        }
        record
    }

    fn compare(old: Record, new: Record) -> (bool, String) {
        let changes = Changes::between(&run(vec![old]), &run(vec![new]), 2.0);
        (changes.has_worse(), changes.render())
    }

    #[test]
    fn a_slower_time_counts_beyond_noise_only() {
        let steady = || timed(&[100, 101, 99]);
        assert!(!compare(steady(), timed(&[108, 109, 107])).0, "a tenth");
        let (is_worse, text) = compare(steady(), timed(&[120, 121, 119]));
        assert!(is_worse && text.contains("SLOWER"), "{text}");
        assert!(text.contains("1.20x"), "{text}");
        assert!(!compare(steady(), timed(&[100, 160, 130])).0, "spread");
        assert!(!compare(timed(&[100]), timed(&[200])).0, "one run");
        let (is_worse, text) = compare(timed(&[120, 121, 119]), steady());
        assert!(!is_worse && text.contains("Faster"), "{text}");
        let mut elsewhere = run(vec![timed(&[200, 200, 200])]);
        elsewhere.host = "another machine".to_owned();
        let changes = Changes::between(&run(vec![steady()]), &elsewhere, 2.0);
        assert!(!changes.has_worse() && changes.render().contains("times are not compared"));
    }

    #[test]
    fn work_and_instructions_count_beyond_the_tolerance() {
        let with = |visits: u64, instructions: u64| {
            let mut record = timed(&[10]);
            record.samples[0].work[0].1 = visits;
            record.instructions = Some(instructions);
            record
        };
        assert!(!compare(with(100, 5_000), with(102, 5_090)).0);
        let (is_worse, text) = compare(with(100, 5_000), with(103, 5_000));
        assert!(is_worse && text.contains("visits"), "{text}");
        let (is_worse, text) = compare(with(100, 5_000), with(100, 5_200));
        assert!(is_worse && text.contains("instructions"), "{text}");
        assert!(!compare(with(100, 5_000), with(80, 4_000)).0);
        assert!(compare(with(0, 1), with(3, 1)).0, "from nothing");
        let mut larger = with(100, 5_000);
        larger.samples[0].peak_kib = Some(8192);
        let (is_worse, text) = compare(with(100, 5_000), larger);
        assert!(is_worse && text.contains("memory"), "{text}");
    }

    #[test]
    fn an_answer_that_is_lost_is_worse_than_any_time() {
        let mut lost = timed(&[10]);
        lost.samples = vec![Sample::ended(End::TimedOut)];
        let (is_worse, text) = compare(timed(&[10]), lost.clone());
        assert!(is_worse && text.contains("t/o"), "{text}");
        assert!(!compare(lost, timed(&[10])).0);
    }

    #[test]
    fn what_was_not_run_again_is_named() {
        let changes = Changes::between(&run(vec![timed(&[10])]), &run(vec![]), 2.0);
        assert!(!changes.has_worse());
        assert!(
            changes
                .render()
                .contains("not run this time: tn 10 summary")
        );
    }
}
