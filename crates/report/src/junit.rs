//! A report in the XML of `JUnit`, which build servers read: one test per answer. What was found is a
//! failure with its run as the text, what is not known is an error.

use crate::document::{AnswerReport, Document, Run};
use hardbop_outcome::{Asked, VerdictWord};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::fmt::Write as _;

/// Of longer runs only the ends are written down: build servers keep every report.
const MAX_STEPS: usize = 1000;

/// The document as XML.
pub fn junit(document: &Document<'_>) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new(document.file);
    for answer in &document.answers {
        suite.add_test_case(test_case(document, answer));
    }
    let mut report = Report::new("hardbop");
    report.add_test_suite(suite);
    report.to_string()
}

fn test_case(document: &Document<'_>, answer: &AnswerReport<'_>) -> TestCase {
    let said = answer.verdict_in_words();
    let failed = |kind, text: String| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_message(format!("{}: {said}", answer.question));
        status.set_type(answer.verdict.to_string());
        status.set_description(text);
        status
    };
    let status = match answer.verdict {
        VerdictWord::Holds | VerdictWord::Unreachable => TestCaseStatus::success(),
        VerdictWord::Unknown => failed(NonSuccessKind::Error, said.clone()),
        VerdictWord::Violated | VerdictWord::Reachable => {
            let run = answer.run.as_ref().map_or_else(String::new, shown);
            failed(NonSuccessKind::Failure, run)
        }
    };
    let mut case = TestCase::new(answer.question.as_str(), status);
    case.set_classname(match answer.asked {
        Asked::Target(target) => format!("{}.{}", document.file, target.procedure),
        Asked::Property(_) => document.file.to_owned(),
    });
    case
}

/// A run as text, one line per step.
fn shown(run: &Run) -> String {
    let mut text = String::new();
    let hidden = run.steps.len().saturating_sub(MAX_STEPS);
    let half = MAX_STEPS / 2;
    for (index, step) in run.steps.iter().enumerate() {
        if hidden > 0 && (half..half + hidden).contains(&index) {
            if index == half {
                writeln!(text, "… {hidden} steps").expect("writing to a string cannot fail");
            }
            continue;
        }
        if run.cycle.is_some_and(|cycle| cycle.first == index) {
            text.push_str("loop:\n");
        }
        let thread = match run.threads.get(step.thread as usize) {
            Some(thread) if run.threads.len() > 1 => format!("[{}] ", thread.name),
            _ => String::new(),
        };
        let line = format!(
            "{}: {thread}{}{}  {}",
            step.place.line,
            "  ".repeat(step.depth.min(40) as usize),
            step.text,
            step.note(run)
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.extend(run.ending_in_words().map(|words| format!("{words}\n")));
    text
}
