//! What was done, counted.

/// How often each thing was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: Vec<(&'static str, u64)>,
}

/// Everything that is counted, in the order in which it is shown.
const NAMES: [&str; 17] = [
    "programs",
    "questions about places",
    "questions about properties",
    "questions about branching time",
    "bounded questions",
    "questions in other words",
    "answers",
    "answers that are unknown",
    "questions asked through transforms",
    "questions under a limit",
    "shortest runs compared",
    "damaged certificates refused",
    "damaged runs refused",
    "runs in reports",
    "reports",
    "exports",
    "programs as C",
];

impl Tally {
    /// One more.
    pub(crate) fn count(&mut self, name: &'static str) {
        debug_assert!(NAMES.contains(&name), "{name} is not in the list");
        match self.counts.iter_mut().find(|(other, _)| *other == name) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((name, 1)),
        }
    }

    /// The figures of both.
    pub fn add(&mut self, other: &Self) {
        for &(name, count) in &other.counts {
            for _ in 0..count {
                self.count(name);
            }
        }
    }

    /// All figures with what they count.
    pub fn figures(&self) -> Vec<(&'static str, u64)> {
        let of = |name: &str| self.counts.iter().find(|(other, _)| *other == name);
        NAMES
            .into_iter()
            .map(|name| (name, of(name).map_or(0, |(_, count)| *count)))
            .collect()
    }
}
