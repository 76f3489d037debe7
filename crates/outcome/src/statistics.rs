//! Work counters of searches, in the order in which they are shown.
//!
//! A counter knows how two of its values join: amounts of work add up, and of sizes the largest
//! remains. So engines that ask several times, and the portfolio, join statistics in one way.

use serde::{Deserialize, Serialize};

/// Named counters. They are deterministic, so there are no times among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(String, u64)>", into = "Vec<(String, u64)>")]
pub struct Statistics {
    counters: Vec<Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Counter {
    name: String,
    value: u64,
    kind: CounterKind,
}

/// How two values of a counter join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CounterKind {
    /// An amount of work: values add up.
    Sum,
    /// A size: the largest remains.
    Max,
}

impl Statistics {
    /// Counters that add up.
    pub fn sums<N: Into<String>>(counters: impl IntoIterator<Item = (N, u64)>) -> Self {
        let mut statistics = Self::default();
        for (name, value) in counters {
            statistics.add(name, value);
        }
        statistics
    }

    /// Adds to an amount of work.
    pub fn add(&mut self, name: impl Into<String>, value: u64) {
        self.join_counter(name.into(), value, CounterKind::Sum);
    }

    /// Raises a size to a value if it was smaller.
    pub fn raise(&mut self, name: impl Into<String>, value: u64) {
        self.join_counter(name.into(), value, CounterKind::Max);
    }

    /// Joins the counters of another search.
    pub fn join(&mut self, other: Self) {
        for counter in other.counters {
            self.join_counter(counter.name, counter.value, counter.kind);
        }
    }

    /// Joins the counters of another search under names with a prefix.
    pub fn join_as(&mut self, prefix: &str, other: Self) {
        for counter in other.counters {
            let name = format!("{prefix}-{}", counter.name);
            self.join_counter(name, counter.value, counter.kind);
        }
    }

    /// The value of a counter.
    pub fn get(&self, name: &str) -> Option<u64> {
        let mut counters = self.counters.iter();
        Some(counters.find(|counter| counter.name == name)?.value)
    }

    /// Forgets a counter.
    pub fn remove(&mut self, name: &str) {
        self.counters.retain(|counter| counter.name != name);
    }

    /// All counters in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        let counters = self.counters.iter();
        counters.map(|counter| (counter.name.as_str(), counter.value))
    }

    fn join_counter(&mut self, name: String, value: u64, kind: CounterKind) {
        let mut counters = self.counters.iter_mut();
        match counters.find(|counter| counter.name == name) {
            Some(known) => {
                known.value = match known.kind {
                    CounterKind::Sum => known.value.saturating_add(value),
                    CounterKind::Max => known.value.max(value),
                }
            }
            None => self.counters.push(Counter { name, value, kind }),
        }
    }
}

impl From<Vec<(String, u64)>> for Statistics {
    fn from(counters: Vec<(String, u64)>) -> Self {
        Self::sums(counters)
    }
}

impl From<Statistics> for Vec<(String, u64)> {
    fn from(statistics: Statistics) -> Self {
        let counters = statistics.counters.into_iter();
        counters
            .map(|counter| (counter.name, counter.value))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_adds_up_and_of_sizes_the_largest_remains() {
        let mut all = Statistics::sums([("steps", 2)]);
        all.raise("widest", 7);
        let mut other = Statistics::default();
        other.raise("widest", 5);
        other.add("steps", 3);
        all.join(other.clone());
        all.join_as("evidence", other);
        let expected = [("steps", 5), ("widest", 7)];
        let evidence = [("evidence-widest", 5), ("evidence-steps", 3)];
        assert!(all.iter().eq(expected.into_iter().chain(evidence)));
    }
}
