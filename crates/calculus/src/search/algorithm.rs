//! Algorithms: `.mu` texts over the program relations. The paper's, and whatever users write.

use crate::encoding::problem::Program;
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
    /// Whether it comes with hardbop: then whatever contradicts it is a fault of hardbop.
    pub is_built_in: bool,
}

/// The relations between whole states (section 4), which stand before every algorithm.
pub const INTERFACE: &str = include_str!("../../algorithms/interface.mu");

/// The algorithm of section 4.2.
pub const REFERENCE: &str = "entry-forward";

/// The algorithm that answers where none is asked for: the fastest of them on most programs of the
/// benchmarks.
pub const USUAL: &str = "entry-forward-split";

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
}

/// The algorithms that come with hardbop.
pub const BUILT_IN: [BuiltIn; 6] = [
    BuiltIn {
        name: "summary",
        text: include_str!("../../algorithms/summary.mu"),
        about: "summaries of all entries (section 4.1)",
    },
    BuiltIn {
        name: REFERENCE,
        text: include_str!("../../algorithms/entry-forward.mu"),
        about: "only what can be reached (section 4.2)",
    },
    BuiltIn {
        name: USUAL,
        text: include_str!("../../algorithms/entry-forward-split.mu"),
        about: "with the return clause rewritten (appendix)",
    },
    BuiltIn {
        name: "entry-forward-opt",
        text: include_str!("../../algorithms/entry-forward-opt.mu"),
        about: "rounds that start from new program counters (section 4.3)",
    },
    BuiltIn {
        name: "backward",
        text: include_str!("../../algorithms/backward.mu"),
        about: "from the targets and exits back to the start",
    },
    BuiltIn {
        name: "min-entry-exit",
        text: include_str!("../../algorithms/min-entry-exit.mu"),
        about: "each module from its entries or its exits, whichever are fewer",
    },
];

impl Algorithm {
    /// The algorithm of that name that comes with hardbop.
    pub fn built_in(name: &str) -> Option<Self> {
        let found = BUILT_IN.iter().find(|known| known.name == name)?;
        Some(Self {
            name: format!("{name}.mu"),
            text: found.text.to_owned(),
            files: Vec::new(),
            is_built_in: true,
        })
    }

    /// A user's algorithm, with the files that it loads.
    pub fn own(name: &str, text: &str, files: Vec<(String, Source)>) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            files,
            is_built_in: false,
        }
    }

    /// The algorithm against the interface of a program that does nothing: what is wrong with it
    /// there is wrong everywhere.
    pub fn check(&self) -> Checked {
        let machine = hardbop_machine::from_text("(program)", SMALLEST_PROGRAM);
        let machine = machine.expect("the smallest program is a program");
        let entry = machine.threads[0].entry;
        Program::new(&machine, entry, &[], &[]).system(self)
    }

    /// The algorithm of section 4.2 as the paper has it.
    fn reference() -> Self {
        Self::built_in(REFERENCE).expect("the reference is in the table")
    }
}

impl Default for Algorithm {
    fn default() -> Self {
        Self::reference()
    }
}
