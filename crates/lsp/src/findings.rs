//! What is shown in the text: errors and warnings, and what a check has found.
//!
//! The run behind a finding is its related information: each step at its place, with the values
//! that it changed. Of a long run the beginning and the end are kept.

use crate::lines::Lines;
use crate::reading::{About, Reading};
use hardbop_interpreter::{Walk, WalkedKind};
use hardbop_machine::{Machine, Variable};
use hardbop_outcome::coverage::{ConditionKind, Finding, Reach};
use hardbop_outcome::{Coverage, Trace};
use hardbop_syntax::{Severity, Span};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Uri,
};
use std::collections::{HashMap, VecDeque};

/// Steps kept of the beginning of a run.
const FIRST: usize = 40;
/// Steps kept of its end.
const LAST: usize = 160;

/// Errors and warnings of a text.
pub(crate) fn of_reading(reading: &Reading, uri: &Uri) -> Vec<Diagnostic> {
    let range = |span| reading.lines.range(span);
    let shown = reading.diagnostics.iter().map(|diagnostic| {
        let mut message = diagnostic.message.clone();
        if !diagnostic.primary.text.is_empty() {
            message = format!("{message}\n{}", diagnostic.primary.text);
        }
        if let Some(help) = &diagnostic.help {
            message = format!("{message}\nhelp: {help}");
        }
        let related = diagnostic.secondary.iter().map(|label| {
            let location = Location::new(uri.clone(), range(label.span));
            let message = label.text.clone();
            DiagnosticRelatedInformation { location, message }
        });
        let related: Vec<_> = related.collect();
        Diagnostic {
            range: range(diagnostic.primary.span),
            severity: Some(match diagnostic.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            code: Some(NumberOrString::String(diagnostic.code.to_string())),
            related_information: (!related.is_empty()).then_some(related),
            ..plain(message)
        }
    });
    shown.collect()
}

/// A diagnostic that says something about the start of the text.
pub(crate) fn plain(message: String) -> Diagnostic {
    Diagnostic {
        source: Some("hardbop".to_owned()),
        message,
        ..Diagnostic::default()
    }
}

/// A run, step by step.
pub(crate) fn run(
    machine: &Machine,
    trace: &Trace,
    lines: &Lines,
    uri: &Uri,
) -> Vec<DiagnosticRelatedInformation> {
    // The run has been replayed before it was given out.
    let Ok(walk) = Walk::new(machine, trace) else {
        return Vec::new();
    };
    let mut shown: VecDeque<DiagnosticRelatedInformation> = VecDeque::new();
    let mut left_out = 0_usize;
    for (number, step) in walk.map_while(Result::ok).enumerate() {
        let node = machine.node(step.node);
        let procedure = machine.procedure(node.procedure);
        let what = match step.kind {
            WalkedKind::Return => format!("return from {}", procedure.name),
            _ => machine.source.excerpt(node.span),
        };
        let scope = step.effect.scope;
        let value = |(variable, value): &(Variable, u64)| {
            format!("{} = {value}", machine.name_of(scope, *variable))
        };
        let changes: Vec<String> = step.effect.changes.iter().map(value).collect();
        let changes = if changes.is_empty() {
            String::new()
        } else {
            format!(" [{}]", changes.join(", "))
        };
        let thread = if trace.threads.len() > 1 {
            format!("thread {}, ", step.thread)
        } else {
            String::new()
        };
        shown.push_back(DiagnosticRelatedInformation {
            location: Location::new(uri.clone(), lines.range(node.span)),
            message: format!(
                "{}. {thread}{}: {what}{changes}",
                number + 1,
                procedure.name
            ),
        });
        if shown.len() > FIRST + LAST {
            shown.remove(FIRST);
            left_out += 1;
        }
    }
    if left_out > 0 {
        let message = &mut shown[FIRST - 1].message;
        *message = format!("{message} (then {left_out} steps that are not shown)");
    }
    shown.into()
}

/// Code that no run reaches, conditions that always come out the same, and assertions that hold
/// only because nothing gets to them.
pub(crate) fn of_coverage(reading: &Reading, coverage: &Coverage) -> Vec<Diagnostic> {
    let About::Program { ast, .. } = &reading.about else {
        return Vec::new();
    };
    // What coverage names by line and column, expressions first: a statement is more than its
    // first expression.
    let expressions = ast.exprs.iter().map(|expr| expr.span);
    let spans = expressions.chain(ast.stmts.iter().map(|stmt| stmt.span));
    let spans = spans.map(|span| (reading.source.line_column(span.start), span));
    let spans: HashMap<(u32, u32), Span> = spans.collect();
    let place = |line: u32, column: u32| {
        let span = spans.get(&(line, column)).copied();
        reading.lines.range(span.unwrap_or_default())
    };
    let mut shown = Vec::new();
    if coverage.vacuous {
        shown.push(Diagnostic {
            severity: Some(DiagnosticSeverity::WARNING),
            ..plain(
                "no execution reaches an assertion or the end of the program, so every assertion \
                 holds trivially"
                    .to_owned(),
            )
        });
    }
    for statement in &coverage.statements {
        if statement.reach == Reach::Unreachable && !statement.is_end {
            shown.push(Diagnostic {
                range: place(statement.line, statement.column),
                severity: Some(DiagnosticSeverity::HINT),
                tags: Some(vec![DiagnosticTag::UNNECESSARY]),
                ..plain("no execution reaches this statement".to_owned())
            });
        }
    }
    for condition in &coverage.conditions {
        let is_assertion = condition.kind == ConditionKind::Assert;
        let message = match condition.finding() {
            Some(Finding::AlwaysTrue) if is_assertion => continue,
            Some(Finding::AlwaysTrue) => "this condition is always true",
            Some(Finding::AlwaysFalse) => "this condition is always false",
            Some(Finding::Blocks) => "execution always blocks here",
            None => continue,
        };
        shown.push(Diagnostic {
            range: place(condition.line, condition.column),
            severity: Some(DiagnosticSeverity::INFORMATION),
            ..plain(message.to_owned())
        });
    }
    shown
}
