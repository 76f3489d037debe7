//! What is compared: a figure of a record, and how it is written.

use crate::quantity;
use crate::record::{End, Record};
use crate::verdict::Judgement;
use std::time::Duration;

/// A quantity that every contender has, engine or peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Instructions of the processor.
    Instructions,
    /// Time from start to end.
    Wall,
    /// User and system time.
    Cpu,
    /// The most resident memory.
    Memory,
}

impl Measure {
    /// The name in titles.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Measure::Instructions => "instructions",
            Measure::Wall => "wall time",
            Measure::Cpu => "CPU time",
            Measure::Memory => "peak memory",
        }
    }

    /// The figure of a record as seconds, KiB or instructions, if there is one above zero.
    pub(crate) fn figure(self, record: &Record) -> Option<f64> {
        let sample = record.best();
        let figure = match self {
            Measure::Instructions => quantity::float(record.instructions?),
            Measure::Wall => sample.wall.as_secs_f64(),
            Measure::Cpu => sample.cpu?.as_secs_f64(),
            Measure::Memory => quantity::float(sample.peak_kib?),
        };
        (figure > 0.0).then_some(figure)
    }

    /// The figure of an answer; one of a run that gave up or failed must not look good.
    pub(crate) fn of_answer(self, record: &Record) -> Option<f64> {
        record.is_answered().then(|| self.figure(record)).flatten()
    }

    /// A figure in words.
    pub(crate) fn show(self, figure: f64) -> String {
        match self {
            Measure::Instructions => quantity::count(figure),
            Measure::Wall | Measure::Cpu => quantity::time(Duration::from_secs_f64(figure)),
            Measure::Memory => quantity::memory(figure),
        }
    }

    /// The figure of a record, or what stands in its way.
    pub(crate) fn cell(self, record: &Record) -> String {
        let sample = record.best();
        if !sample.is_complete() {
            return sample.end.word();
        }
        if !matches!(record.judgement(), Judgement::Right | Judgement::NotJudged) {
            return record.judgement().word().to_owned();
        }
        match (self, sample.cpu) {
            (Measure::Cpu, Some(cpu)) => quantity::cpu_time(cpu),
            _ => quantity::or_nothing(self.figure(record), |figure| self.show(figure)),
        }
    }

    /// The ratio of one record to another. A run that was stopped at a limit gives a lower bound
    /// for what was limited.
    pub(crate) fn ratio(self, record: &Record, first: &Record) -> Option<String> {
        let is_bound = match record.best().end {
            End::TimedOut => matches!(self, Measure::Wall | Measure::Cpu),
            End::OutOfMemory => self == Measure::Memory,
            _ => false,
        };
        if !first.is_answered() || !(is_bound || record.is_answered()) {
            return None;
        }
        let ratio = quantity::ratio(self.figure(record)? / self.figure(first)?);
        Some(if is_bound { format!(">{ratio}") } else { ratio })
    }
}
