//! Algorithms: `.mu` texts over the program relations. The paper's, and whatever users write.

use crate::encoding::layout::Extent;
use crate::encoding::problem::{Aim, Program};
use crate::encoding::threads::{ThreadBound, ThreadProblem, fixed};
use hardbop_formula::{ActionKind, Checked, FormulaId, System};
use hardbop_syntax::Source;

/// An algorithm.
#[derive(Clone, Debug)]
pub struct Algorithm {
    /// The name of its file.
    pub name: String,
    /// Its formulas.
    pub text: String,
    /// Files that it loads, by path.
    pub files: Vec<(String, Source)>,
    /// Where it comes from, and what it answers.
    pub kind: Kind,
}

/// Where an algorithm comes from, and what it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of hardbop's: whether a target can be reached in a sequential program.
    Sequential,
    /// One of hardbop's: whether a target can be reached by threads, within a bound.
    Threads,
    /// One of hardbop's: something else about a program, for `hardbop solve`.
    Analysis,
    /// A user's.
    Own,
}

/// The relations between whole states (section 4), which stand before every algorithm.
pub const INTERFACE: &str = include_str!("../../algorithms/interface.mu");

/// The algorithm of section 4.2.
pub const REFERENCE: &str = "entry-forward";

/// The algorithm that answers where none is asked for: the fastest of them on most programs of the
/// benchmarks.
pub const USUAL: &str = "entry-forward-split";

/// The formula for context switches.
pub(crate) const BOUNDED_CONTEXT: &str = "bounded-context";

/// The formula for rounds.
pub(crate) const BOUNDED_ROUNDS: &str = "bounded-rounds";

/// What stands before the question of an algorithm.
const QUESTION: &str = "// the question\n";

/// What stands before the clause that ends a search at a target.
const EARLY_TERMINATION: &str = "// early termination";

/// What an algorithm is checked with before there is a program.
const SMALLEST_PROGRAM: &str = "void main() begin skip; end";

/// The formula whose value is the answer of an algorithm: the last query.
pub fn answer(system: &System) -> Option<FormulaId> {
    let mut actions = system.actions.iter().rev();
    actions.find_map(|action| match action.kind {
        ActionKind::Query(formula) => Some(formula),
        _ => None,
    })
}

/// An algorithm that comes with hardbop.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its formulas.
    pub text: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// What it answers.
    pub kind: Kind,
}

/// The algorithms that come with hardbop.
pub const BUILT_IN: [BuiltIn; 17] = [
    BuiltIn {
        name: "summary",
        text: include_str!("../../algorithms/summary.mu"),
        about: "summaries of all entries (section 4.1)",
        kind: Kind::Sequential,
    },
    BuiltIn {
        name: REFERENCE,
        text: include_str!("../../algorithms/entry-forward.mu"),
        about: "only what can be reached (section 4.2)",
        kind: Kind::Sequential,
    },
    BuiltIn {
        name: USUAL,
        text: include_str!("../../algorithms/entry-forward-split.mu"),
        about: "with the return clause rewritten (appendix)",
        kind: Kind::Sequential,
    },
    BuiltIn {
        name: "entry-forward-opt",
        text: include_str!("../../algorithms/entry-forward-opt.mu"),
        about: "rounds that start from new program counters (section 4.3)",
        kind: Kind::Sequential,
    },
    BuiltIn {
        name: "backward",
        text: include_str!("../../algorithms/backward.mu"),
        about: "from the targets and exits back to the start",
        kind: Kind::Sequential,
    },
    BuiltIn {
        name: "min-entry-exit",
        text: include_str!("../../algorithms/min-entry-exit.mu"),
        about: "each module from its entries or its exits, whichever are fewer",
        kind: Kind::Sequential,
    },
    BuiltIn {
        name: "entry-forward-return",
        text: include_str!("../../algorithms/entry-forward-return.mu"),
        about: "with ReturnA and ReturnB (section 4.2)",
        kind: Kind::Sequential,
    },
    BuiltIn {
        name: BOUNDED_CONTEXT,
        text: include_str!("../../algorithms/bounded-context.mu"),
        about: "threads with few context switches (section 5.1)",
        kind: Kind::Threads,
    },
    BuiltIn {
        name: BOUNDED_ROUNDS,
        text: include_str!("../../algorithms/bounded-rounds.mu"),
        about: "threads that take turns",
        kind: Kind::Threads,
    },
    BuiltIn {
        name: "live-variables",
        text: include_str!("../../algorithms/live-variables.mu"),
        about: "variables that may still be read",
        kind: Kind::Analysis,
    },
    BuiltIn {
        name: "reaching-definitions",
        text: include_str!("../../algorithms/reaching-definitions.mu"),
        about: "where the value of a variable may have been written",
        kind: Kind::Analysis,
    },
    BuiltIn {
        name: "uninitialised-variables",
        text: include_str!("../../algorithms/uninitialised-variables.mu"),
        about: "variables that are read without a value",
        kind: Kind::Analysis,
    },
    BuiltIn {
        name: "unused-variables",
        text: include_str!("../../algorithms/unused-variables.mu"),
        about: "variables that are never read",
        kind: Kind::Analysis,
    },
    BuiltIn {
        name: "constants",
        text: include_str!("../../algorithms/constants.mu"),
        about: "variables with one value at a place",
        kind: Kind::Analysis,
    },
    BuiltIn {
        name: "may-terminate",
        text: include_str!("../../algorithms/may-terminate.mu"),
        about: "whether a run comes to its end",
        kind: Kind::Analysis,
    },
    BuiltIn {
        name: "must-terminate",
        text: include_str!("../../algorithms/must-terminate.mu"),
        about: "whether every execution terminates",
        kind: Kind::Analysis,
    },
    BuiltIn {
        name: "parity-game",
        text: include_str!("../../algorithms/parity-game.mu"),
        about: "who wins a parity game on a program",
        kind: Kind::Analysis,
    },
];

impl BuiltIn {
    /// The algorithm of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|known| known.name == name)
    }

    /// The algorithm that a path means where there is no such file: the one of that name.
    pub fn at(path: &str) -> Option<&'static Self> {
        Self::find(std::path::Path::new(path).file_stem()?.to_str()?)
    }

    /// Its relations without what it asks, for files that load it by name. They hold what they say
    /// even where a target is reached: the line after the words "early termination" is left out.
    pub fn definitions(&self) -> String {
        let question = self.text.find(QUESTION).unwrap_or(self.text.len());
        let mut text = String::new();
        let mut ends_early = false;
        for line in self.text[..question].lines() {
            text.push_str(if ends_early { "    0" } else { line });
            text.push('\n');
            ends_early = line.contains(EARLY_TERMINATION);
        }
        text
    }
}

impl Algorithm {
    /// The algorithm of that name that comes with hardbop.
    pub fn built_in(name: &str) -> Option<Self> {
        let found = BuiltIn::find(name)?;
        Some(Self {
            name: format!("{name}.mu"),
            text: found.text.to_owned(),
            files: Vec::new(),
            kind: found.kind,
        })
    }

    /// A user's algorithm, with the files that it loads.
    pub fn own(name: &str, text: &str, files: Vec<(String, Source)>) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            files,
            kind: Kind::Own,
        }
    }

    /// Whether it comes with hardbop: then whatever contradicts it is a fault of hardbop.
    pub fn is_built_in(&self) -> bool {
        self.kind != Kind::Own
    }

    /// Whether it may use the names of the program, and the relations that go with them.
    pub(crate) fn speaks_of_names(&self) -> bool {
        matches!(self.kind, Kind::Own | Kind::Analysis)
    }

    /// Whether its text has a word.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        let texts = self.files.iter().map(|(_, source)| source.text());
        texts
            .chain([self.text.as_str()])
            .any(|text| text.contains(word))
    }

    /// The algorithm against the interface of a program that does nothing, but may have any names:
    /// what is wrong with it there is wrong everywhere. It is taken for one about threads if it
    /// makes more sense as such.
    pub fn check(&self) -> Checked {
        let machine = hardbop_machine::from_text("(program)", SMALLEST_PROGRAM);
        let machine = machine.expect("the smallest program is a program");
        let entry = machine.threads[0].entry;
        let mut program = Program::new(&machine, &[entry], Aim::default(), self);
        program.open();
        let mut best = program.system(self);
        let errors =
            |checked: &Checked| checked.diagnostics.iter().filter(|d| d.is_error()).count();
        let threads = fixed(&machine, 1).expect("the smallest program has a thread");
        for bound in [ThreadBound::Contexts(1), ThreadBound::Rounds(1)] {
            if errors(&best) > 0 {
                let extent = Extent::Sliced;
                let mut problem = ThreadProblem::new(&threads, &[], bound, Some(self), extent);
                problem.program.open();
                let checked = problem.program.system(self);
                if errors(&checked) < errors(&best) {
                    best = checked;
                }
            }
        }
        best
    }

    /// The algorithm that answers where none is asked for.
    pub(crate) fn usual() -> Self {
        Self::built_in(USUAL).expect("the usual algorithm is in the table")
    }
}
