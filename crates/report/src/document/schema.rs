//! The schemas of what commands print as JSON.
//!
//! Members whose types belong to crates that know no schemas (they are part of what has to be
//! trusted) are described here a second time. The test that holds every output against its schema
//! keeps both together.
#![expect(dead_code, reason = "only the schemas of these types are used")]

use super::{Document, ReplayDocument};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

/// The schema of `hardbop check --json`.
pub fn check_schema() -> Schema {
    schema_of::<Document<'_>>()
}

/// The schema of `hardbop replay --json`.
pub fn replay_schema() -> Schema {
    schema_of::<ReplayDocument<'_>>()
}

/// The schema of `hardbop coverage --json`.
pub fn coverage_schema() -> Schema {
    schema_of::<Coverage>()
}

/// The schema of a line of `--message-format json`.
pub fn message_schema() -> Schema {
    schema_of::<Message>()
}

/// What is printed fits: members that are left out where there is nothing to say are optional.
fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Asked {
    /// A place.
    Target(Target),
    /// A property of runs.
    Property(Property),
}

#[derive(JsonSchema)]
pub(super) struct Printed {
    /// The command as it is written.
    command: String,
    /// Lines of text.
    text: String,
}

#[derive(JsonSchema)]
pub(super) struct Target {
    /// The node of the machine.
    node: u32,
    #[serde(flatten)]
    kind: TargetKind,
    /// The procedure.
    procedure: String,
    /// One-based line.
    line: u32,
    /// One-based column in characters.
    column: u32,
    /// The first line of the statement.
    text: String,
}

#[derive(JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum TargetKind {
    /// An assertion fails.
    Assertion,
    /// A label is reached.
    Label {
        /// The label.
        label: String,
    },
    /// A statement is reached.
    Line,
    /// A procedure is called.
    Call {
        /// The procedure.
        function: String,
    },
}

#[derive(JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Property {
    /// Every state in which a run begins satisfies a formula of branching time.
    Ctl {
        /// The formula.
        formula: String,
    },
    /// Every run satisfies a formula.
    Ltl {
        /// The formula.
        formula: String,
    },
    /// No run does what a monitor looks for.
    Monitor {
        /// The name of its file.
        file: String,
        /// What the file says.
        text: String,
    },
    /// No run does what an automaton accepts.
    Hoa {
        /// The name of its file.
        file: String,
        /// What the file says.
        text: String,
    },
    /// Some run visits a label again and again.
    Fair {
        /// The label.
        label: String,
    },
    /// Some run never ends.
    Nonterminating,
    /// Some run ends.
    Terminates,
}

#[derive(JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum VerdictWord {
    /// An assertion or a property holds.
    Holds,
    /// It does not.
    Violated,
    /// A place cannot be reached; there is no such run.
    Unreachable,
    /// It can; there is one.
    Reachable,
    /// Not known.
    Unknown,
}

#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Bound {
    /// Runs with at most this many context switches.
    ContextSwitches(u32),
    /// Round-robin schedules of at most this many rounds.
    Rounds(u32),
    /// Runs of at most this many steps.
    Steps(u32),
}

#[derive(JsonSchema)]
#[serde(tag = "limit", rename_all = "kebab-case")]
pub(super) enum Limit {
    /// Out of time.
    Time,
    /// Out of memory.
    Memory,
    /// Too many BDD nodes.
    Nodes,
    /// Too many states, configurations or rounds.
    States,
    /// The stack grew past the bound.
    StackDepth,
    /// More threads were started than the bound allows.
    Threads,
    /// Nothing was found up to a bound, and beyond it nothing is known.
    Beyond {
        /// How far the search came.
        bound: Bound,
    },
    /// The user asked to stop.
    Interrupted,
    /// The engine does not take such a question, or not about such a program.
    Declined {
        /// What it does not take.
        what: String,
    },
    /// Two ways to the answer contradict each other.
    Contradiction {
        /// What contradicts what.
        what: String,
    },
}

/// What can be reached of a program.
#[derive(JsonSchema)]
#[schemars(title = "hardbop coverage --json")]
#[serde(untagged)]
enum Coverage {
    /// The command was ended at a limit.
    Unknown {
        /// The limit.
        unknown: String,
    },
    /// It was not.
    Known(KnownCoverage),
}

#[derive(JsonSchema)]
struct KnownCoverage {
    /// Version of this form. New members may come without a new version.
    #[serde(rename = "hardbop-coverage")]
    version: u32,
    /// The file that all places are in.
    file: String,
    /// Every statement and every procedure's `end`, in order of the text.
    statements: Vec<Covered>,
    /// Every condition, in order of the text.
    conditions: Vec<CoveredCondition>,
    /// Whether no run reaches an assertion or the end of the program.
    vacuous: bool,
}

/// A statement, or the end of a procedure.
#[derive(JsonSchema)]
struct Covered {
    /// Its procedure.
    procedure: String,
    /// One-based line.
    line: u32,
    /// One-based column in characters.
    column: u32,
    /// Whether it is the end of the procedure.
    is_end: bool,
    /// Whether some run gets there.
    reach: Reach,
}

/// A condition and the ways out of it.
#[derive(JsonSchema)]
struct CoveredCondition {
    /// Its procedure.
    procedure: String,
    /// One-based line.
    line: u32,
    /// One-based column in characters.
    column: u32,
    /// What it decides.
    kind: ConditionKind,
    /// Whether some run evaluates it.
    reach: Reach,
    /// Whether some run goes on because it holds.
    holds: Reach,
    /// Whether some run goes on because it does not hold; null where such a run just stops.
    fails: Option<Reach>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ConditionKind {
    /// `if`, `elsif` or `while`.
    Branch,
    /// `assert`
    Assert,
    /// `assume`, `constrain` or `abortif`
    Assume,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Reach {
    /// Some run gets there.
    Reachable,
    /// No run does.
    Unreachable,
    /// Not known: a limit was hit.
    Unknown,
}

/// An error, a warning or a note. One about a place in a program has a file, a place and a code.
#[derive(JsonSchema)]
#[schemars(title = "a line of --message-format json")]
struct Message {
    /// How bad it is.
    severity: Severity,
    /// One sentence.
    #[serde(rename = "message")]
    text: String,
    /// What `hardbop explain` takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The place.
    #[serde(flatten)]
    place: Option<MessagePlace>,
    /// Other places that have to do with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Vec<MessagePlace>>,
    /// How it can be mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// A piece of a program text. Lines and columns count from one, columns in characters.
#[derive(JsonSchema)]
struct MessagePlace {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    /// What is said about it.
    label: String,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Severity {
    /// The command cannot do its work.
    Error,
    /// Something is odd.
    Warning,
    /// Something that is good to know.
    Note,
}
