//! Reads what `hardbop check --json` prints (verdicts, counters of work, times of phases) and the
//! counts of `hardbop parse --json`.
//!
//! It is read as plain JSON: a benchmark must be able to run another version of hardbop, whose
//! traces may differ.

use crate::verdict::Verdict;
use serde_json::Value;
use std::time::Duration;

/// What a benchmark takes from the output of `check`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckOutput {
    /// The verdict about all targets together.
    pub verdict: Option<Verdict>,
    /// Counters of work.
    pub work: Vec<(String, u64)>,
    /// What the process says that it has spent.
    pub usage: Usage,
}

/// What a benchmark takes from the output of `parse`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParseOutput {
    /// The parts of the program, counted.
    pub work: Vec<(String, u64)>,
    /// What the process says that it has spent.
    pub usage: Usage,
}

/// What a process says that it has spent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Times of phases.
    pub phases: Vec<(String, Duration)>,
    /// The most resident memory when it was about to end: more reliable than to look at it from
    /// outside now and then.
    pub peak_kib: Option<u64>,
}

/// Reads the output of `hardbop check --json --stats`; what is not there is left out.
pub fn read(text: &str) -> CheckOutput {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return CheckOutput::default();
    };
    CheckOutput {
        verdict: value.get("answers").and_then(verdict),
        work: pairs(value.get("statistics"), Value::as_u64),
        usage: usage(&value),
    }
}

/// Reads the output of `hardbop parse --json --stats`: every member that is a count above zero.
pub fn read_counts(text: &str) -> ParseOutput {
    let Ok(Value::Object(members)) = serde_json::from_str::<Value>(text) else {
        return ParseOutput::default();
    };
    let count = |(name, value): (&String, &Value)| {
        let count = value.as_u64().filter(|count| *count > 0)?;
        Some((name.clone(), count))
    };
    ParseOutput {
        work: members.iter().filter_map(count).collect(),
        usage: members.get("usage").map(usage).unwrap_or_default(),
    }
}

fn usage(value: &Value) -> Usage {
    Usage {
        phases: pairs(value.get("times"), |time| {
            Duration::try_from_secs_f64(time.as_f64()?).ok()
        }),
        peak_kib: value.get("peak_kib").and_then(Value::as_u64),
    }
}

/// Verdicts that say that something was found, about places and about runs.
const FOUND: [&str; 2] = ["REACHABLE", "VIOLATED"];
/// Those that say that there is nothing.
const EXCLUDED: [&str; 2] = ["UNREACHABLE", "HOLDS"];

/// One reachable target is enough; otherwise all must be unreachable.
fn verdict(answers: &Value) -> Option<Verdict> {
    let mut words = Vec::new();
    for answer in answers.as_array()? {
        words.push(answer.get("verdict")?.as_str()?);
    }
    Some(if words.iter().any(|word| FOUND.contains(word)) {
        Verdict::Reachable
    } else if words.iter().all(|word| EXCLUDED.contains(word)) {
        Verdict::Unreachable
    } else {
        Verdict::Unknown
    })
}

/// A list of pairs of a name and a figure.
fn pairs<T>(list: Option<&Value>, figure: impl Fn(&Value) -> Option<T>) -> Vec<(String, T)> {
    let items = list
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let pair = |item: &Value| {
        let name = item.get(0)?.as_str()?.to_owned();
        Some((name, figure(item.get(1)?)?))
    };
    items.iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_counters_and_times_are_read() {
        let text = r#"{"hardbop-outcome":1,"engine":"x","answers":[
            {"target":{},"verdict":"UNREACHABLE"},{"target":{},"verdict":"REACHABLE","trace":{}}],
            "statistics":[["states",12],["edges",7]],"times":[["parse",0.25]],"peak_kib":4096}"#;
        let output = read(text);
        assert_eq!(output.verdict, Some(Verdict::Reachable));
        assert_eq!(
            output.work,
            [("states".to_owned(), 12), ("edges".to_owned(), 7)]
        );
        assert_eq!(output.usage.peak_kib, Some(4096));
        assert_eq!(
            output.usage.phases,
            [("parse".to_owned(), Duration::from_millis(250))]
        );
    }

    #[test]
    fn answers_about_runs_are_read_too() {
        let text = r#"{"hardbop-outcome":2,"answers":[{"property":{},"verdict":"VIOLATED"}],
            "statistics":[["states",3]],"times":[["search",0.5]]}"#;
        let output = read(text);
        assert_eq!(output.verdict, Some(Verdict::Reachable));
        assert_eq!(output.work, [("states".to_owned(), 3)]);
        assert_eq!(output.usage.phases.len(), 1);
        let holds = text.replace("VIOLATED", "HOLDS");
        assert_eq!(read(&holds).verdict, Some(Verdict::Unreachable));
    }

    #[test]
    fn counts_of_the_front_end_are_read() {
        let text = r#"{"file":"a.bp","edges":20,"nodes":12,"threads":0,"usage":{"peak_kib":7}}"#;
        let output = read_counts(text);
        let expected = [("edges".to_owned(), 20), ("nodes".to_owned(), 12)];
        assert_eq!(output.work, expected);
        assert_eq!(output.usage.peak_kib, Some(7));
        assert_eq!(read_counts("warning"), ParseOutput::default());
    }

    #[test]
    fn an_unknown_answer_spoils_unreachable_ones_only() {
        let verdict_of = |words: &[&str]| {
            let answers: Vec<String> = words
                .iter()
                .map(|word| format!(r#"{{"verdict":"{word}"}}"#))
                .collect();
            read(&format!(r#"{{"answers":[{}]}}"#, answers.join(","))).verdict
        };
        assert_eq!(
            verdict_of(&["UNKNOWN", "REACHABLE"]),
            Some(Verdict::Reachable)
        );
        assert_eq!(
            verdict_of(&["UNKNOWN", "UNREACHABLE"]),
            Some(Verdict::Unknown)
        );
        assert_eq!(verdict_of(&["UNREACHABLE"]), Some(Verdict::Unreachable));
        assert_eq!(verdict_of(&[]), Some(Verdict::Unreachable));
        assert_eq!(read("error: no such file").verdict, None);
    }
}
