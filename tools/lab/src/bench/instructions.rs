//! Counts instructions, by `perf` where the processor lets it and by Valgrind elsewhere.
//!
//! Counting needs a separate run: Valgrind takes some thirty times as long. Instructions hardly
//! depend on what else the machine does, so one run is enough.

use std::ffi::OsString;
use std::process::{Command, Output, Stdio};

/// How instructions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// The processor counts.
    Perf,
    /// A simulated processor counts.
    Valgrind,
}

impl Counter {
    /// The first that works here, or why there is none.
    pub fn find() -> Result<Self, String> {
        let mut counters = [Self::Perf, Self::Valgrind].into_iter();
        counters.find(|counter| counter.works()).ok_or_else(|| {
            "Instructions were not counted: `perf stat` has no counter here, and there is no \
             Valgrind."
                .to_owned()
        })
    }

    /// The one that takes no longer than the run itself, or why it is not there.
    pub fn find_quick() -> Result<Self, String> {
        Self::Perf.works().then_some(Self::Perf).ok_or_else(|| {
            "Instructions were not counted: `perf stat` has no counter here. (Valgrind counts with \
             `--instructions`, in some thirty times the time.)"
                .to_owned()
        })
    }

    fn works(self) -> bool {
        let mut words = self.before().into_iter();
        let mut command = Command::new(words.next().expect("a command has a first word"));
        command.args(words).arg("true").stdin(Stdio::null());
        let output = command.output();
        let read = |output: Output| self.read(&String::from_utf8_lossy(&output.stderr));
        output.is_ok_and(|output| read(output).is_some())
    }

    /// In words.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Perf => "Instructions were counted by `perf stat`, in user mode.",
            Self::Valgrind => "Instructions were counted by Valgrind.",
        }
    }

    /// How many times as long a run may take.
    pub fn patience(self) -> u32 {
        match self {
            Self::Perf => 2,
            Self::Valgrind => 60,
        }
    }

    /// The words before the command that is counted.
    pub fn before(self) -> Vec<OsString> {
        let words: &[&str] = match self {
            Self::Perf => &["perf", "stat", "-x", ";", "-e", "instructions:u", "--"],
            Self::Valgrind => &[
                "valgrind",
                "--tool=cachegrind",
                "--cache-sim=no",
                "--cachegrind-out-file=/dev/null",
                "--trace-children=yes",
            ],
        };
        words.iter().map(OsString::from).collect()
    }

    /// The count in what was written to standard error; of all processes together.
    pub fn read(self, messages: &str) -> Option<u64> {
        let counts = messages.lines().filter_map(|line| match self {
            Self::Perf => {
                let (count, rest) = line.split_once(';')?;
                rest.contains("instructions").then_some(count)?.parse().ok()
            }
            Self::Valgrind => {
                let (head, count) = line.split_once("refs:")?;
                let is_total = head.trim_end().ends_with(" I");
                let count = count.trim().replace(',', "");
                is_total.then_some(count)?.parse::<u64>().ok()
            }
        });
        counts.reduce(|sum, count| sum + count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_either_tool() {
        let perf = "warning: x\n1234567;;instructions:u;903;100.00;;\n";
        assert_eq!(Counter::Perf.read(perf), Some(1_234_567));
        assert_eq!(
            Counter::Perf.read("<not supported>;;instructions:u;0;100.00;;\n"),
            None
        );
        let valgrind = "==7== \n==7== I   refs:      249,941,742\n==8== I refs: 8\n";
        assert_eq!(Counter::Valgrind.read(valgrind), Some(249_941_750));
        assert_eq!(Counter::Valgrind.read("==7== D   refs: 5\n"), None);
    }
}
