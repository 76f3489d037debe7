//! What is asked: members of the generated families, and programs of the user, in the order they
//! are run.

use crate::verdict::Verdict;
use hardbop_families::{Family, Question};
use serde::{Deserialize, Serialize};

/// The size that `--frontend` begins with, and its successors: three decades, so that linear growth
/// shows.
pub const FRONT_END_SIZES: [u32; 3] = [1_000, 10_000, 100_000];
/// The family that `--frontend` measures: its text grows in proportion to the size.
pub const FRONT_END_FAMILY: &str = "tn";

/// A program with a question, and the answer if it is known.
///
/// A case with a size is a member of the family of its name. Its text is generated when it is run:
/// a large series would not fit in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The family, or the program's file.
    pub name: String,
    /// The size, for a member of a family.
    pub size: Option<u32>,
    /// The seed, for a member of a family.
    pub seed: Option<u64>,
    /// The label in question; without one the assertions are, or whole runs.
    pub label: Option<String>,
    /// The question as options of `hardbop check`.
    pub options: Vec<String>,
    /// The verdict that is known.
    pub expected: Option<Verdict>,
}

/// A choice of families, sizes and seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Every family at its two smallest sizes, one seed: seconds.
    Quick,
    /// Every family at all its sizes, two seeds.
    Full,
    /// The families of the page about performance at all their sizes, one seed.
    Page,
}

/// The families of the page: every one that differs from the others in who is good at it.
const PAGE: [&str; 16] = [
    "tn",
    "tn-safe",
    "driver",
    "driver-safe",
    "terminator",
    "terminator-safe",
    "doubling",
    "uninitialised-safe",
    "counters",
    "counters-safe",
    "factoring",
    "factoring-safe",
    "mixing",
    "mixing-safe",
    "bluetooth",
    "bluetooth-safe",
];

impl Suite {
    /// The families of the suite.
    pub fn families(self) -> Vec<&'static Family> {
        match self {
            Suite::Quick | Suite::Full => hardbop_families::all().iter().collect(),
            Suite::Page => PAGE
                .into_iter()
                .filter_map(hardbop_families::find)
                .collect(),
        }
    }

    /// The sizes at which a family is run.
    pub fn sizes(self, family: &Family) -> &'static [u32] {
        let count = match self {
            Suite::Quick => 2,
            Suite::Full | Suite::Page => family.sizes.len(),
        };
        &family.sizes[..count.min(family.sizes.len())]
    }

    /// The seeds with which a family is run.
    pub fn seeds(self) -> &'static [u64] {
        match self {
            Suite::Quick | Suite::Page => &[1],
            Suite::Full => &[1, 2],
        }
    }
}

impl Case {
    /// A program of the user.
    pub fn program(file: &str, label: Option<&str>, expected: Option<Verdict>) -> Self {
        Self {
            name: file.to_owned(),
            size: None,
            seed: None,
            label: label.map(str::to_owned),
            options: label.map_or_else(Vec::new, |label| strings(&["--reach", label])),
            expected,
        }
    }

    /// The members of a family, seed by seed, the sizes ascending: once a size is too much, larger
    /// ones need not be tried.
    pub fn members(family: &'static Family, sizes: &[u32], seeds: &[u64]) -> Vec<Self> {
        let label = match family.question {
            Question::Label(label) => Some(label.to_owned()),
            _ => None,
        };
        let mut sizes = sizes.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        let mut cases = Vec::new();
        for &seed in seeds {
            cases.extend(sizes.iter().map(|&size| Self {
                name: family.name.to_owned(),
                size: Some(size),
                seed: Some(seed),
                label: label.clone(),
                options: strings(&family.question.options()),
                expected: Some(family.verdict.into()),
            }));
        }
        cases
    }

    /// The same program without a question, for work that gives no verdict.
    #[must_use]
    pub fn without_question(mut self) -> Self {
        self.label = None;
        self.options.clear();
        self.expected = None;
        self
    }

    /// Whether the question is about whole runs, which only some can answer.
    pub fn asks_about_runs(&self) -> bool {
        self.label.is_none() && !self.options.is_empty()
    }

    /// The program as tables call it: with the label in question, if it is a program of the user.
    pub(crate) fn title(&self) -> String {
        match (&self.label, self.size) {
            (Some(label), None) => format!("{} {label}", self.name),
            _ => self.name.clone(),
        }
    }

    /// Whether the two differ in size only.
    pub fn is_same_series(&self, other: &Case) -> bool {
        self.size.is_some() && (&self.name, self.seed) == (&other.name, other.seed)
    }
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_ordered_by_seed_then_size_and_know_their_verdict() {
        let family = hardbop_families::find("tn-safe").expect("a family of the table");
        let cases = Case::members(family, &[20, 10, 20], &[2, 1]);
        let order: Vec<_> = cases.iter().map(|case| (case.seed, case.size)).collect();
        let expected = [(2, 10), (2, 20), (1, 10), (1, 20)];
        assert_eq!(order, expected.map(|(seed, size)| (Some(seed), Some(size))));
        assert!(
            cases
                .iter()
                .all(|case| case.expected == Some(Verdict::Unreachable))
        );
        assert!(cases.iter().all(|case| case.label.is_some()));
        assert!(cases[0].is_same_series(&cases[1]));
        assert!(!cases[1].is_same_series(&cases[2]));
    }

    #[test]
    fn a_question_about_runs_is_told_apart_from_one_about_labels_or_assertions() {
        let asks_about_runs = |name: &str| {
            let family = hardbop_families::find(name).expect("a family of the table");
            Case::members(family, &[4], &[0])[0].asks_about_runs()
        };
        assert!(asks_about_runs("quicksort"));
        assert!(!asks_about_runs("tn") && !asks_about_runs("driver"));
        let program = Case::program("a.bp", Some("L"), None);
        assert_eq!(program.options, ["--reach", "L"]);
        assert!(!program.asks_about_runs());
    }

    #[test]
    fn the_quick_suite_is_a_part_of_the_full_one() {
        for family in Suite::Quick.families() {
            let quick = Suite::Quick.sizes(family);
            assert!(!quick.is_empty() && Suite::Full.sizes(family).starts_with(quick));
        }
        assert!(Suite::Full.seeds().starts_with(Suite::Quick.seeds()));
        assert!(hardbop_families::find(FRONT_END_FAMILY).is_some());
        assert_eq!(Suite::Page.families().len(), PAGE.len());
    }
}
