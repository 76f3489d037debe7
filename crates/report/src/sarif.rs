//! A report in SARIF 2.1.0, for code hosts and editors: one result per answer, a run as a code flow
//! with one thread flow per thread.
//!
//! What was found has the kind `fail`, what was excluded `pass`, and what is not known `open`; the
//! format wants the level `none` for all that does not fail.

use crate::document::{AnswerReport, Document, Place, Run, Step};
use hardbop_outcome::{Asked, TargetKind, VerdictWord};
use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Location, LogicalLocation, Message, MultiformatMessageString,
    PhysicalLocation, Region, ReportingDescriptor, Result as SarifResult, ResultKind, ResultLevel,
    Run as SarifRun, Sarif, ThreadFlow, ThreadFlowLocation, Tool, ToolComponent,
};
use std::collections::BTreeMap;

/// What a reader of the format fetches to check it.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The kinds of questions: an id and what it means.
const RULES: [(&str, &str); 4] = [
    ("assertion", "An assertion of the program can fail."),
    ("label", "A label of the program can be reached."),
    ("statement", "A statement of the program can be reached."),
    (
        "property",
        "A run of the program violates a property, or is one that was asked for.",
    ),
];

/// The document as a SARIF log.
pub fn sarif(document: &Document<'_>) -> Result<String, serde_json::Error> {
    let driver = ToolComponent::builder()
        .name("hardbop")
        .version(document.hardbop)
        .semantic_version(document.hardbop)
        .rules(RULES.map(|(id, text)| rule(id, text)))
        .build();
    let results: Vec<SarifResult> = document
        .answers
        .iter()
        .map(|answer| result(document, answer))
        .collect();
    let run = SarifRun::builder()
        .tool(Tool::builder().driver(driver).build())
        .column_kind("unicodeCodePoints")
        .results(results)
        .build();
    let log = Sarif::builder()
        .schema(SCHEMA)
        .version("2.1.0")
        .runs([run])
        .build();
    Ok(format!("{}\n", serde_json::to_string_pretty(&log)?))
}

fn rule(id: &str, text: &str) -> ReportingDescriptor {
    ReportingDescriptor::builder()
        .id(id)
        .short_description(words(text))
        .build()
}

/// The format counts with signed numbers.
fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn words(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(text).build()
}

fn message(text: impl Into<String>) -> Message {
    Message::builder().text(text.into()).build()
}

fn result(document: &Document<'_>, answer: &AnswerReport<'_>) -> SarifResult {
    let (rule, place) = match answer.asked {
        Asked::Property(_) => (3, None),
        Asked::Target(target) => {
            let rule = match target.kind {
                TargetKind::Assertion => 0,
                TargetKind::Label { .. } => 1,
                TargetKind::Line | TargetKind::Call { .. } => 2,
            };
            let place = Place {
                procedure: target.procedure.clone(),
                line: target.line,
                column: target.column,
                node: target.node.0,
            };
            (rule, Some(place))
        }
    };
    let (kind, level) = match answer.verdict {
        VerdictWord::Violated | VerdictWord::Reachable => (ResultKind::Fail, ResultLevel::Error),
        VerdictWord::Holds | VerdictWord::Unreachable => (ResultKind::Pass, ResultLevel::None),
        VerdictWord::Unknown => (ResultKind::Open, ResultLevel::None),
    };
    let said = format!("{}: {}", answer.question, answer.verdict_in_words());
    let mut result = SarifResult::builder()
        .rule_id(RULES[rule].0)
        .rule_index(number(rule))
        .kind(kind)
        .level(level)
        .message(message(said))
        .locations([location(document.file, place.as_ref(), None)])
        .build();
    let flow = answer.run.as_ref().and_then(|run| code_flow(document, run));
    result.code_flows = flow.map(|flow| vec![flow]);
    result
}

fn location(file: &str, place: Option<&Place>, text: Option<String>) -> Location {
    let artifact = ArtifactLocation::builder().uri(uri(file)).build();
    let mut physical = PhysicalLocation::builder()
        .artifact_location(artifact)
        .build();
    physical.region = place.map(|place| {
        let region = Region::builder().start_line(i64::from(place.line));
        region.start_column(i64::from(place.column)).build()
    });
    let mut location = Location::builder().physical_location(physical).build();
    location.logical_locations = place.map(|place| {
        let procedure = LogicalLocation::builder().name(place.procedure.as_str());
        vec![procedure.kind("function").build()]
    });
    location.message = text.map(message);
    location
}

/// A run; nothing if it has no steps, for which the format has no place.
fn code_flow(document: &Document<'_>, run: &Run) -> Option<CodeFlow> {
    let mut flows: Vec<Vec<ThreadFlowLocation>> = vec![Vec::new(); run.threads.len()];
    for (order, step) in run.steps.iter().enumerate() {
        let flow = flows.get_mut(step.thread as usize)?;
        flow.push(flow_location(document.file, run, order, step));
    }
    let threads = run.threads.iter().zip(flows);
    let flows: Vec<ThreadFlow> = threads
        .filter(|(_, locations)| !locations.is_empty())
        .map(|(thread, locations)| {
            let start = thread.start.iter().chain(&run.start);
            ThreadFlow::builder()
                .id(thread.name.as_str())
                .initial_state(state(start.filter(|value| value.matters)))
                .locations(locations)
                .build()
        })
        .collect();
    if flows.is_empty() {
        return None;
    }
    let mut flow = CodeFlow::builder().thread_flows(flows).build();
    flow.message = run.ending_in_words().map(message);
    Some(flow)
}

fn flow_location(file: &str, run: &Run, order: usize, step: &Step) -> ThreadFlowLocation {
    let note = step.note(run);
    let text = match note.as_str() {
        "" => step.text.clone(),
        note => format!("{}: {note}", step.text),
    };
    let importance = if step.fails { "essential" } else { "important" };
    ThreadFlowLocation::builder()
        .execution_order(number(order) + 1)
        .nesting_level(i64::from(step.depth))
        .importance(importance)
        .location(location(file, Some(&step.place), Some(text)))
        .state(state(&step.changes))
        .build()
}

fn state<'v>(
    values: impl IntoIterator<Item = &'v crate::document::Value>,
) -> BTreeMap<String, MultiformatMessageString> {
    let values = values.into_iter();
    values
        .map(|value| (value.name.clone(), words(&value.value.to_string())))
        .collect()
}

/// A file name as a reference: relative ones stay relative, and whatever has a meaning in a
/// reference is escaped.
fn uri(file: &str) -> String {
    use std::fmt::Write as _;
    let mut uri = if file.starts_with('/') {
        "file://".to_owned()
    } else {
        String::new()
    };
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                uri.push(byte as char);
            }
            _ => write!(uri, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn file_names_are_escaped() {
        assert_eq!(uri("a b/ü:c.bp"), "a%20b/%C3%BC%3Ac.bp");
        assert_eq!(uri("/tmp/x.bp"), "file:///tmp/x.bp");
    }
}
