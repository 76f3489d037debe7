//! A run as the waypoints of a violation witness: what calls returned, then the error.
//!
//! Between two waypoints anything may happen, so a choice that has no call of its own (a local
//! without a value, a function that the format knows no type of) is left out and the rest stays
//! true.

use super::scopes::Scopes;
use super::yaml::{Item, map, text};
use super::{Task, location, types};
use crate::document::{Choice, Place, Run, Step};
use hardbop_machine::{EdgeId, Machine};

/// The segments of a run; the last one has the target.
pub(super) fn content(machine: &Machine, run: &Run, task: &Task<'_>) -> Item {
    let brackets = Scopes::new(machine.source.text());
    let mut segments = Vec::new();
    for step in &run.steps {
        let returns = step.choices.iter();
        segments.extend(
            returns.filter_map(|choice| function_return(machine, &brackets, step, choice, task)),
        );
    }
    let last = run.steps.last().map(|step| &step.place);
    if let Some(place) = error_place(run).or(last) {
        segments.push(segment("target", location(task, place), None));
    }
    Item::List(segments)
}

/// Where the statement stands that goes wrong: an assertion that fails, or the label reached.
fn error_place(run: &Run) -> Option<&Place> {
    match run.steps.last() {
        Some(step) if step.fails => Some(&step.place),
        _ => run.end.iter().flatten().next(),
    }
}

fn segment(kind: &str, location: Item, constraint: Option<Item>) -> Item {
    let mut members = vec![
        ("type".to_owned(), text(kind)),
        ("action".to_owned(), text("follow")),
        ("location".to_owned(), location),
    ];
    members.extend(constraint.map(|constraint| ("constraint".to_owned(), constraint)));
    let waypoint = map([("waypoint", Item::Map(members))]);
    map([("segment", Item::List(vec![waypoint]))])
}

/// How the names of functions begin that return anything.
const NONDET: &str = "__VERIFIER_nondet_";

/// What a call returned; it stands where its arguments end.
fn function_return(
    machine: &Machine,
    brackets: &Scopes<'_>,
    step: &Step,
    choice: &Choice,
    task: &Task<'_>,
) -> Option<Item> {
    let source = &machine.source;
    let start = choice.start as usize;
    let rest = &source.text()[start..];
    let open = rest.find('(')?;
    // The choice may be the whole assignment of what a call returned.
    let edge = machine.edge(EdgeId(step.edge?));
    if may_be_left_out(source.text().get(edge.span.start as usize..start)?) {
        return None;
    }
    let is_alone = choice.text.matches(NONDET).count() == 1;
    let function = rest[..open]
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next();
    function.filter(|name| is_alone && types::is_nondeterministic(name))?;
    let value = choice.value;
    let end = brackets.closing(start + open)?;
    let (line, column) = source.line_column(end as u32);
    let place = Place {
        line,
        column,
        ..step.place.clone()
    };
    let constraint = map([
        ("value", text(format!("\\result == {value}"))),
        ("format", text("acsl_expression")),
    ]);
    let at = location(task, &place);
    Some(segment("function_return", at, Some(constraint)))
}

/// Whether a call behind this part of a statement may not be evaluated: a choice has a value even
/// where the call does not happen.
fn may_be_left_out(before: &str) -> bool {
    ["&&", "||", "?"].iter().any(|sign| before.contains(sign))
}
