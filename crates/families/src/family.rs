//! What a family is, the table of all of them, and the head comment that every generated program
//! gets.

use crate::source_text::SourceText;
use crate::{
    bluetooth, counters, double_lock, doubling, driver, factoring, mixing, quicksort, terminator,
    tn, uninitialised,
};

/// One family of programs.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The name that `hardbop-lab bench` and the head comment use.
    pub name: &'static str,
    /// One sentence about the shape of the programs and what `size` counts.
    pub about: &'static str,
    /// The sizes that a benchmark runs by default, ascending.
    pub sizes: &'static [u32],
    /// The verdict of every member.
    pub verdict: KnownVerdict,
    /// What is asked about every member.
    pub question: Question,
    /// Bytes of text per unit of size, rounded up: the buffer is allocated once.
    bytes_per_size: usize,
    write: fn(&mut SourceText, u32, u64),
}

/// A generated program with its question and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Name of the family.
    pub family: &'static str,
    /// The size it was made with.
    pub size: u32,
    /// The seed it was made with; families without randomness ignore it.
    pub seed: u64,
    /// The program, in the language of `.bp` files.
    pub text: String,
    /// What to ask about it.
    pub question: Question,
    /// The answer, known by construction.
    pub verdict: KnownVerdict,
}

/// The question that goes with a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Can some assertion fail?
    Assertions,
    /// Can this label be reached?
    Label(&'static str),
    /// Can it run for ever?
    Nonterminating,
    /// Can this formula of linear temporal logic be violated?
    Formula(&'static str),
}

impl Question {
    /// As options of `hardbop check`.
    pub fn options(self) -> Vec<&'static str> {
        match self {
            Question::Assertions => Vec::new(),
            Question::Label(label) => vec!["--reach", label],
            Question::Nonterminating => vec!["--nonterminating"],
            Question::Formula(formula) => vec!["--ltl", formula],
        }
    }
}

/// The answer that the construction guarantees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownVerdict {
    /// The label can be reached, some assertion can fail, there is an endless run or one that
    /// violates the formula.
    Reachable,
    /// Nothing of the kind is possible.
    Unreachable,
}

impl Family {
    /// The member of the given size. The same size and seed give the same text; size 0 is read as
    /// 1.
    pub fn generate(&self, size: u32, seed: u64) -> Instance {
        let size = size.max(1);
        let mut text = SourceText::with_capacity(1024 + self.bytes_per_size * size as usize);
        self.write_head(&mut text, size, seed);
        (self.write)(&mut text, size, seed);
        Instance {
            family: self.name,
            size,
            seed,
            text: text.finish(),
            question: self.question,
            verdict: self.verdict,
        }
    }

    fn write_head(&self, text: &mut SourceText, size: u32, seed: u64) {
        text.fmt(format_args!(
            "// Family {}, size {size}, seed {seed}.",
            self.name
        ));
        text.fmt(format_args!("// {}", self.about));
        let answer = match self.verdict {
            KnownVerdict::Reachable => "yes",
            KnownVerdict::Unreachable => "no",
        };
        let asked = match self.question {
            Question::Assertions => "can an assertion fail".to_owned(),
            Question::Label(label) => format!("can label {label} be reached"),
            Question::Nonterminating => "can it run forever".to_owned(),
            Question::Formula(formula) => format!("can {formula} be violated"),
        };
        text.fmt(format_args!("// Question: {asked}? Answer: {answer}."));
    }
}

const FAMILIES: &[Family] = &[
    Family {
        name: "tn",
        about: "Bebop's template T(N), SPIN 2000, Figure 4; size is N.",
        sizes: &[50, 200, 800, 3200],
        verdict: KnownVerdict::Reachable,
        question: Question::Label(tn::LABEL),
        bytes_per_size: 400,
        write: tn::write_reachable,
    },
    Family {
        name: "tn-safe",
        about: "Bebop's template T(N) with a label that contradicts the levels' parity; size is N.",
        sizes: &[50, 200, 800, 3200],
        verdict: KnownVerdict::Unreachable,
        question: Question::Label(tn::LABEL),
        bytes_per_size: 400,
        write: tn::write_unreachable,
    },
    Family {
        name: "driver",
        about: "A device driver as SLAM abstracts it, with one path that leaks a lock; size is the number of routines.",
        sizes: &[10, 50, 100, 200],
        verdict: KnownVerdict::Reachable,
        question: Question::Assertions,
        bytes_per_size: 5000,
        write: driver::write_leaking,
    },
    Family {
        name: "driver-safe",
        about: "A device driver as SLAM abstracts it, true to its lock and request protocol; size is the number of routines.",
        sizes: &[10, 50, 100, 200],
        verdict: KnownVerdict::Unreachable,
        question: Question::Assertions,
        bytes_per_size: 5000,
        write: driver::write_clean,
    },
    Family {
        name: "terminator",
        about: "A Terminator-like abstraction: many variables, parallel schoose updates, recursion; size scales all of them.",
        sizes: &[1, 2, 4, 8],
        verdict: KnownVerdict::Reachable,
        question: Question::Assertions,
        bytes_per_size: 16_384,
        write: terminator::write_unsafe,
    },
    Family {
        name: "terminator-safe",
        about: "A Terminator-like abstraction whose invariant holds; size scales variables, statements and procedures.",
        sizes: &[1, 2, 4, 8],
        verdict: KnownVerdict::Unreachable,
        question: Question::Assertions,
        bytes_per_size: 16_384,
        write: terminator::write_safe,
    },
    Family {
        name: "doubling",
        about: "A chain of procedures, each calling the next twice: every run has more than 2^N steps; size is N.",
        sizes: &[10, 60, 1000, 10_000],
        verdict: KnownVerdict::Reachable,
        question: Question::Label(doubling::LABEL),
        bytes_per_size: 80,
        write: doubling::write_reachable,
    },
    Family {
        name: "doubling-safe",
        about: "The doubling chain with a label that asks for an odd number of flips; size is N.",
        sizes: &[10, 60, 1000, 10_000],
        verdict: KnownVerdict::Unreachable,
        question: Question::Label(doubling::LABEL),
        bytes_per_size: 80,
        write: doubling::write_unreachable,
    },
    Family {
        name: "bluetooth",
        about: "The Bluetooth driver with two stoppers; size is the number of adders.",
        sizes: &[1, 2, 3, 4],
        verdict: KnownVerdict::Reachable,
        question: Question::Assertions,
        bytes_per_size: 600,
        write: bluetooth::write_faulty,
    },
    Family {
        name: "bluetooth-safe",
        about: "The Bluetooth driver, repaired, with one stopper; size is the number of adders.",
        sizes: &[1, 2, 3, 4],
        verdict: KnownVerdict::Unreachable,
        question: Question::Assertions,
        bytes_per_size: 600,
        write: bluetooth::write_repaired,
    },
    Family {
        name: "uninitialised",
        about: "A driver with many uninitialised variables that may keep its lock; size is the number of locals of each procedure.",
        sizes: &[4, 8, 16, 36],
        verdict: KnownVerdict::Reachable,
        question: Question::Assertions,
        bytes_per_size: 400,
        write: uninitialised::write_leaking,
    },
    Family {
        name: "uninitialised-safe",
        about: "A driver with many uninitialised variables that releases its lock; size is the number of locals of each procedure.",
        sizes: &[4, 8, 16, 36],
        verdict: KnownVerdict::Unreachable,
        question: Question::Assertions,
        bytes_per_size: 400,
        write: uninitialised::write_clean,
    },
    Family {
        name: "counters",
        about: "Two counters that step in turn as they like, until both are 1; size is their width in bits.",
        sizes: &[4, 6, 8, 10],
        verdict: KnownVerdict::Reachable,
        question: Question::Label(counters::LABEL),
        bytes_per_size: 100,
        write: counters::write_reachable,
    },
    Family {
        name: "counters-safe",
        about: "Two counters that step in turn as they like, and are never each smaller than the other; size is their width in bits.",
        sizes: &[4, 6, 8, 10],
        verdict: KnownVerdict::Unreachable,
        question: Question::Label(counters::LABEL),
        bytes_per_size: 100,
        write: counters::write_unreachable,
    },
    Family {
        name: "factoring",
        about: "Two numbers with a given product: a multiplier over free inputs; size is the width of a factor in bits.",
        sizes: &[4, 6, 8, 10],
        verdict: KnownVerdict::Reachable,
        question: Question::Label(factoring::LABEL),
        bytes_per_size: 100,
        write: factoring::write_reachable,
    },
    Family {
        name: "factoring-safe",
        about: "A square that is 2 modulo 4: a multiplier over free inputs; size is the width of a factor in bits.",
        sizes: &[4, 6, 8, 10],
        verdict: KnownVerdict::Unreachable,
        question: Question::Label(factoring::LABEL),
        bytes_per_size: 100,
        write: factoring::write_unreachable,
    },
    Family {
        name: "mixing",
        about: "Two messages that a few rounds of mixing bring together, but for some bits; size is the length of a message in bits.",
        sizes: &[4, 8, 16, 32],
        verdict: KnownVerdict::Reachable,
        question: Question::Label(mixing::LABEL),
        bytes_per_size: 600,
        write: mixing::write_reachable,
    },
    Family {
        name: "mixing-safe",
        about: "Two messages that a few rounds of mixing, which can be undone, keep apart; size is the length of a message in bits.",
        sizes: &[4, 8, 16, 32],
        verdict: KnownVerdict::Unreachable,
        question: Question::Label(mixing::LABEL),
        bytes_per_size: 600,
        write: mixing::write_unreachable,
    },
    Family {
        name: "quicksort",
        about: "A quicksort that may call itself with its own arguments; size is the width of its integers in bits.",
        sizes: &[4, 8, 16, 32],
        verdict: KnownVerdict::Reachable,
        question: Question::Nonterminating,
        bytes_per_size: 200,
        write: quicksort::write_endless,
    },
    Family {
        name: "quicksort-safe",
        about: "A quicksort that always ends; size is the width of its integers in bits.",
        sizes: &[2, 3, 4, 5],
        verdict: KnownVerdict::Unreachable,
        question: Question::Nonterminating,
        bytes_per_size: 200,
        write: quicksort::write_ending,
    },
    Family {
        name: "double-lock",
        about: "A terminal driver that takes a lock twice; size is the width of process ids in bits.",
        sizes: &[2, 4, 16, 32],
        verdict: KnownVerdict::Reachable,
        question: Question::Label(double_lock::LABEL),
        bytes_per_size: 200,
        write: double_lock::write_faulty,
    },
    Family {
        name: "double-lock-safe",
        about: "A terminal driver that releases a lock before it takes it again; size is the width of process ids in bits.",
        sizes: &[2, 4, 16, 32],
        verdict: KnownVerdict::Unreachable,
        question: Question::Label(double_lock::LABEL),
        bytes_per_size: 200,
        write: double_lock::write_repaired,
    },
];

/// All families, each followed by its `-safe` sister.
pub fn all() -> &'static [Family] {
    FAMILIES
}

/// The family of that name.
pub fn find(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often `word` stands in `text` as a whole word, comments aside.
    fn count(text: &str, word: &str) -> usize {
        text.lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
            .filter(|found| *found == word)
            .count()
    }

    #[test]
    fn every_member_is_balanced_and_named_in_its_head() {
        for family in all() {
            for size in [1, 2, 5] {
                let instance = family.generate(size, 3);
                let text = &instance.text;
                assert_eq!(count(text, "begin"), count(text, "end"), "{}", family.name);
                assert_eq!(count(text, "if"), count(text, "fi"), "{}", family.name);
                assert_eq!(count(text, "while"), count(text, "od"), "{}", family.name);
                for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
                    assert_eq!(text.matches(open).count(), text.matches(close).count());
                }
                let head = format!("// Family {}, size {size}, seed 3.\n", family.name);
                assert!(text.starts_with(&head));
                assert!(!text.lines().any(|line| line.ends_with(' ')));
            }
        }
    }

    #[test]
    fn the_same_size_and_seed_give_the_same_text() {
        for family in all() {
            assert_eq!(family.generate(4, 11), family.generate(4, 11));
        }
        for name in ["driver", "driver-safe", "terminator", "terminator-safe"] {
            let family = find(name).expect("a family of the table");
            assert_ne!(
                family.generate(4, 11).text,
                family.generate(4, 12).text,
                "{name}"
            );
        }
    }

    #[test]
    fn every_label_in_question_is_in_the_text() {
        for family in all() {
            let instance = family.generate(2, 0);
            match instance.question {
                Question::Label(label) => {
                    assert!(instance.text.contains(&format!("{label}: skip;")));
                }
                Question::Assertions => assert!(instance.text.contains("assert(")),
                Question::Nonterminating | Question::Formula(_) => {}
            }
        }
    }

    #[test]
    fn names_are_unique_and_sisters_disagree() {
        for family in all() {
            assert_eq!(
                all().iter().filter(|f| f.name == family.name).count(),
                1,
                "{}",
                family.name
            );
            let (base, expected) = match family.name.strip_suffix("-safe") {
                Some(base) => (base, KnownVerdict::Unreachable),
                None => (family.name, KnownVerdict::Reachable),
            };
            assert_eq!(family.verdict, expected, "{base}");
            assert!(find(&format!("{base}-safe")).is_some());
        }
        assert!(find("no-such-family").is_none());
    }

    #[test]
    fn size_zero_is_size_one() {
        for family in all() {
            assert_eq!(family.generate(0, 5), family.generate(1, 5));
        }
    }

    #[test]
    fn the_buffer_estimate_is_enough_for_large_members() {
        for family in all() {
            let size = *family.sizes.last().expect("every family has default sizes");
            let instance = family.generate(size, 1);
            let estimate = 1024 + family.bytes_per_size * size as usize;
            assert!(
                instance.text.len() <= estimate,
                "{}: {}",
                family.name,
                instance.text.len()
            );
        }
    }
}
