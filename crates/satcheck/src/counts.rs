//! What the searches of one run of the engine counted, together.

/// Names of all counts, in the order in which they are shown.
const NAMES: &[&str] = &[
    "blocks",
    "global-variables",
    "block-arguments",
    "function-terms",
    "function-terms-of-all-searches",
    "instances",
    "triples",
    "symbols",
    "names",
    "sat-variables",
    "sat-calls",
    "sat-conflicts",
    "loop-formulas",
    "cuts",
    "recursion-depth",
    "peak-bdd-nodes",
    "groups",
    "splits",
    "refinements",
    "tracked-variables",
    "relevant-variables",
];

/// Counts by name.
#[derive(Debug)]
pub(crate) struct Counts {
    values: Vec<u64>,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            values: vec![0; NAMES.len()],
        }
    }
}

impl Counts {
    fn value(&mut self, name: &str) -> &mut u64 {
        let place = NAMES.iter().position(|known| *known == name);
        &mut self.values[place.expect("every count is in the table")]
    }

    /// Counts more.
    pub fn add(&mut self, name: &str, count: usize) {
        *self.value(name) += count as u64;
    }

    /// Keeps the largest.
    pub fn most(&mut self, name: &str, count: usize) {
        let value = self.value(name);
        *value = (*value).max(count as u64);
    }

    /// All counts.
    pub fn finish(self) -> Vec<(String, u64)> {
        let names = NAMES.iter().map(|&name| name.to_owned());
        names.zip(self.values).collect()
    }
}
