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
    /// A property of executions.
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
    /// Every initial state satisfies a branching-time formula.
    Ctl {
        /// The formula.
        formula: String,
    },
    /// Every execution satisfies a formula.
    Ltl {
        /// The formula.
        formula: String,
    },
    /// No execution violates a monitor.
    Monitor {
        /// The name of its file.
        file: String,
        /// The contents of the file.
        text: String,
    },
    /// No execution is accepted by an automaton.
    Hoa {
        /// The name of its file.
        file: String,
        /// The contents of the file.
        text: String,
    },
    /// Some execution visits a label infinitely often.
    Fair {
        /// The label.
        label: String,
    },
    /// Some execution never ends.
    Nonterminating,
    /// Some execution ends.
    Terminates,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SupportWord {
    /// A finite execution.
    Run,
    /// An infinite execution.
    Lasso,
    /// A strategy of the game of a branching-time formula.
    Strategy,
    /// A certificate.
    Certificate,
    /// The bound up to which the verdict holds.
    Bound,
    /// The engine's word; `uncertified` says why there is no more where more is to be expected.
    Uncertified,
}

#[derive(JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum VerdictWord {
    /// An assertion or a property holds.
    Holds,
    /// It does not.
    Violated,
    /// A program point is unreachable; there is no such execution.
    Unreachable,
    /// It is reachable; there is such an execution.
    Reachable,
    /// Not known.
    Unknown,
}

#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Bound {
    /// Executions with at most this many context switches.
    ContextSwitches(u32),
    /// Round-robin schedules of at most this many rounds.
    Rounds(u32),
    /// Executions of at most this many steps.
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
    /// The stack exceeded the bound.
    StackDepth,
    /// More threads were started than the bound allows.
    Threads,
    /// There is no counterexample up to a bound; beyond it the verdict is unknown.
    Beyond {
        /// The bound.
        bound: Bound,
    },
    /// The user asked to stop.
    Interrupted,
    /// The engine does not support the question or the program.
    Declined {
        /// The unsupported feature.
        what: String,
    },
    /// Two answers contradict each other.
    Contradiction {
        /// The contradiction.
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
    /// Version of this format. New members may be added without a new version.
    #[serde(rename = "hardbop-coverage")]
    version: u32,
    /// The file that all positions refer to.
    file: String,
    /// Every statement and every procedure's `end`, in order of the text.
    statements: Vec<Covered>,
    /// Every condition, in order of the text.
    conditions: Vec<CoveredCondition>,
    /// Whether no execution reaches an assertion or the end of the program.
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
    /// Whether some execution reaches it.
    reach: Reach,
}

/// A condition and its outcomes.
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
    /// Whether some execution evaluates it.
    reach: Reach,
    /// Whether some execution continues because it is true.
    holds: Reach,
    /// Whether some execution continues because it is false; null if such an execution stops there.
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
    /// Some execution reaches it.
    Reachable,
    /// No execution reaches it.
    Unreachable,
    /// Unknown: a limit was reached.
    Unknown,
}

/// An error, a warning or a note. One about a place in a program has a file, a place and a code.
#[derive(JsonSchema)]
#[schemars(title = "a line of --message-format json")]
struct Message {
    /// Its severity.
    severity: Severity,
    /// One sentence.
    #[serde(rename = "message")]
    text: String,
    /// The code, for `hardbop explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The place.
    #[serde(flatten)]
    place: Option<MessagePlace>,
    /// Related places.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Vec<MessagePlace>>,
    /// A suggested fix.
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
    /// Its label.
    label: String,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Severity {
    /// The command cannot continue.
    Error,
    /// Probably a mistake.
    Warning,
    /// Information.
    Note,
}
