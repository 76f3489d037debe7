//! What can be clicked: *check this assertion* and *reach this label* above each of them, with the
//! verdict once there is one, and actions for the whole file.

use crate::checks::{Asked, Found};
use crate::reading::Reading;
use hardbop_machine::ir::Label;
use hardbop_outcome::{Target, TargetKind};
use lsp_types::{CodeAction, CodeActionKind, CodeLens, Command, Uri};
use serde_json::json;

/// Checks one place: the document and the target.
pub(crate) const CHECK: &str = "hardbop.check";
/// Checks every assertion of a document.
pub(crate) const CHECK_ALL: &str = "hardbop.checkAll";
/// Looks for unreachable code and assertions that hold for want of runs.
pub(crate) const COVERAGE: &str = "hardbop.coverage";
/// Cancels every check that runs or waits.
pub(crate) const CANCEL: &str = "hardbop.cancel";
/// All commands.
pub(crate) const COMMANDS: [&str; 4] = [CHECK, CHECK_ALL, COVERAGE, CANCEL];

pub(crate) fn lenses(reading: &Reading, uri: &Uri, found: &[Found]) -> Vec<CodeLens> {
    let Some(machine) = reading.machine() else {
        return Vec::new();
    };
    let label = |label: &Label| {
        let kind = TargetKind::Label {
            label: label.name.clone(),
        };
        Target::new(machine, label.node, kind)
    };
    let labels = machine.labels.iter().map(label);
    let targets = Target::assertions(machine).into_iter().chain(labels);
    let lens = |target: Target| {
        let known = found
            .iter()
            .find(|found| found.target.as_ref() == Some(&target));
        let wish = match &target.kind {
            TargetKind::Assertion => "check this assertion".to_owned(),
            TargetKind::Label { label } => format!("reach label {label}"),
            TargetKind::Line => "reach this statement".to_owned(),
            TargetKind::Call { function } => format!("reach a call of {function}"),
        };
        let title = match known {
            Some(found) => format!("{} ({wish})", found.word),
            None => wish,
        };
        CodeLens {
            range: reading.lines.range(machine.node(target.node).span),
            command: Some(Command {
                title,
                command: CHECK.to_owned(),
                arguments: Some(vec![json!(uri), json!(target)]),
            }),
            data: None,
        }
    };
    targets.map(lens).collect()
}

/// What can be done with a whole program.
pub(crate) fn actions(reading: &Reading, uri: &Uri) -> Vec<CodeAction> {
    if reading.machine().is_none() {
        return Vec::new();
    }
    let actions = [
        ("Check all assertions", CHECK_ALL),
        ("Show unreachable code and vacuous assertions", COVERAGE),
    ];
    let action = |(title, command): (&str, &str)| CodeAction {
        title: title.to_owned(),
        kind: Some(CodeActionKind::SOURCE),
        command: Some(Command {
            title: title.to_owned(),
            command: command.to_owned(),
            arguments: Some(vec![json!(uri)]),
        }),
        ..CodeAction::default()
    };
    actions.into_iter().map(action).collect()
}

/// What a command asks about a document; an error if it makes no sense there.
pub(crate) fn asked(
    command: &str,
    arguments: &[serde_json::Value],
    reading: &Reading,
) -> Result<Asked, String> {
    let machine = reading.machine().ok_or("the program has errors")?;
    match command {
        COVERAGE => Ok(Asked::Coverage),
        CHECK_ALL => {
            let targets = Target::assertions(machine);
            if targets.is_empty() {
                return Err("the program has no assertions".to_owned());
            }
            Ok(Asked::Targets(targets))
        }
        _ => {
            let target = arguments.get(1).cloned().unwrap_or_default();
            let target: Target = serde_json::from_value(target).map_err(|why| why.to_string())?;
            if !target.is_of(machine) {
                return Err("the program has changed since".to_owned());
            }
            Ok(Asked::Targets(vec![target]))
        }
    }
}
