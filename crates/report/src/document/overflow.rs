//! Signed overflow in runs of C programs.
//!
//! Signed arithmetic wraps around here; C leaves its overflow undefined. The front end can also
//! assert that nothing overflows. A run of the program as it is, followed on the program with these
//! assertions, fails one of them if and only if it passes an overflow. A run of the program with
//! the assertions to a place passes none, since a failed assertion ends it; followed on the program
//! as it is, it is a run without undefined overflow.

use super::follow::{Followed, Guide};
use super::written::Written;
use hardbop_machine::{Check, Machine};
use hardbop_outcome::{Target, Trace};
use hardbop_program::Dialect;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::source::CReading;
use schemars::JsonSchema;
use serde::Serialize;

/// What a run relies on that C leaves undefined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Undefined {
    /// The procedure.
    pub procedure: String,
    /// One-based line.
    pub line: u32,
    /// One-based column in characters.
    pub column: u32,
    /// What happens there.
    pub what: String,
}

impl std::fmt::Display for Undefined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, what, .. } = self;
        write!(f, "relies on {what} at line {line}, undefined in C")
    }
}

/// A C program read again, with assertions that nothing overflows.
pub struct OverflowChecks {
    machine: Machine,
}

impl OverflowChecks {
    /// Reads the program again. `None` if it is not C, has these assertions already, or if there is
    /// nothing that could overflow.
    pub fn new(machine: &Machine) -> Option<Self> {
        let reading = machine.source.c_reading()?;
        if reading.overflow_checks || !machine.is_sequential() {
            return None;
        }
        let source = machine.source.clone().as_c(CReading {
            overflow_checks: true,
            ..CReading::clone(&reading)
        });
        let parsed = hardbop_c::parse_any(&source);
        if has_errors(&parsed.diagnostics) {
            return None;
        }
        let checked = hardbop_program::check(parsed.ast, &source, Some(Dialect::Sequential));
        let machine = hardbop_machine::lower(checked.program?, &source);
        let failures = machine.assertions.iter().map(|assertion| assertion.failure);
        let mut overflows = failures.filter(|&f| machine.check_of(f) == Check::Overflow);
        overflows.next()?;
        Some(Self { machine })
    }

    /// The program with the assertions.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The same place in the program with the assertions.
    pub fn counterpart(&self, target: &Target) -> Option<Target> {
        let mut same = same_kind(&self.machine, target)
            .into_iter()
            .filter(|other| {
                let key = |t: &Target| (t.procedure.clone(), t.line, t.column, t.text.clone());
                key(other) == key(target)
            });
        same.next()
    }

    /// The first overflow that a run of the original program passes. `None` if it passes none or if
    /// that cannot be told.
    pub fn first_overflow(&self, original: &Machine, trace: &Trace) -> Option<Undefined> {
        let guide = Guide::new(original, &Written::new(original), trace)?;
        let followed = guide.follow(&self.machine, &Written::new(&self.machine))?;
        let node = followed.node?;
        if self.machine.check_of(node) != Check::Overflow
            || !self.machine.node(node).kind.is_failure()
        {
            return None;
        }
        let (line, column) = self
            .machine
            .source
            .line_column(self.machine.node(node).span.start);
        let procedure = self.machine.procedure(self.machine.procedure_of(node));
        Some(Undefined {
            procedure: procedure.name.clone(),
            line,
            column,
            what: "signed overflow".to_owned(),
        })
    }

    /// A run of the program with the assertions as one of the original program to a place. `None`
    /// if it does not lead there.
    pub fn on_original(&self, original: &Machine, trace: &Trace, target: &Target) -> Option<Trace> {
        let guide = Guide::new(&self.machine, &Written::new(&self.machine), trace)?;
        let Followed { trace, node } = guide.follow(original, &Written::new(original))?;
        (node == Some(target.node)).then(|| Trace {
            target: Some(target.clone()),
            ..trace
        })
    }
}

/// All places of the kind of a target.
fn same_kind(machine: &Machine, target: &Target) -> Vec<Target> {
    use hardbop_outcome::TargetKind;
    match &target.kind {
        TargetKind::Assertion => Target::assertions(machine),
        TargetKind::Label { label } => Target::labels(machine, label),
        TargetKind::Line => Target::on_line(machine, target.line),
        TargetKind::Call { function } => Target::calls(machine, function),
    }
}
