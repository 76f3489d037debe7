//! From `--reach LABEL`, `--reach-line N` and `--assert FILE:LINE` to places in the machine, with
//! help for names that do not exist.

use crate::exit::Failure;
use hardbop_machine::Machine;
use hardbop_machine::ir::NodeKind;
use hardbop_outcome::Target;
use hardbop_syntax::source::CReading;
use std::path::Path;
use std::sync::Arc;

/// How similar (0 to 1) a label must be to be suggested.
const SIMILAR: f64 = 0.7;
/// How many labels an error message lists.
const MAX_LISTED: usize = 8;

/// Places to ask about.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Questions")]
pub struct TargetArguments {
    /// Check whether a label is reachable, LABEL or PROCEDURE:LABEL, or whether a procedure can be
    /// called (may be repeated)
    #[arg(long, value_name = "LABEL")]
    pub reach: Vec<String>,
    /// Check whether a statement on this line is reachable (may be repeated)
    #[arg(long, value_name = "LINE")]
    pub reach_line: Vec<u32>,
    /// Ask only about the assertions on a line, or at a column of it (may be repeated)
    #[arg(long, value_name = "FILE:LINE[:COLUMN]")]
    pub assert: Vec<AssertionPlace>,
}

/// The position of an assertion, as reports write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionPlace {
    file: String,
    line: u32,
    column: Option<u32>,
}

impl std::str::FromStr for AssertionPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected FILE:LINE or FILE:LINE:COLUMN".to_owned();
        let (before, last) = text.rsplit_once(':').ok_or_else(wrong)?;
        let last: u32 = last.parse().map_err(|_| wrong())?;
        // A name may have colons, but hardly a number behind one of them.
        let (file, line, column) = match before.rsplit_once(':') {
            Some((file, line)) if line.parse::<u32>().is_ok() => {
                (file, line.parse().map_err(|_| wrong())?, Some(last))
            }
            _ => (before, last, None),
        };
        if file.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            file: file.to_owned(),
            line,
            column,
        })
    }
}

impl std::fmt::Display for AssertionPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

impl TargetArguments {
    /// Whether anything is asked.
    pub fn is_empty(&self) -> bool {
        self.reach.is_empty() && self.reach_line.is_empty() && self.assert.is_empty()
    }

    /// The places that are asked about, all assertions unless there are others. A question about
    /// nothing is an error.
    pub fn or_assertions(&self, machine: &Machine) -> Result<Vec<Target>, Failure> {
        if !self.is_empty() {
            return self.targets(machine);
        }
        let assertions = Target::assertions(machine);
        let checks_overflow = |reading: Arc<CReading>| reading.overflow_checks;
        if assertions.is_empty() && !machine.source.c_reading().is_some_and(checks_overflow) {
            let file = machine.source.name();
            let why = format!("{file} has no assertions; check a label with --reach LABEL");
            return Err(Failure::BadInput(why));
        }
        Ok(assertions)
    }

    /// The places that are asked about, each once.
    pub fn targets(&self, machine: &Machine) -> Result<Vec<Target>, Failure> {
        let mut targets: Vec<Target> = Vec::new();
        let labels = self.reach.iter().map(|name| find_place(machine, name));
        let lines = self.reach_line.iter().map(|&line| find_line(machine, line));
        let places = self.assert.iter();
        let assertions = places.map(|place| find_assertion(machine, place));
        for found in labels.chain(lines).chain(assertions) {
            for target in found? {
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
        }
        Ok(targets)
    }
}

/// Every label of that name, or every call of the procedure of that name.
fn find_place(machine: &Machine, name: &str) -> Result<Vec<Target>, Failure> {
    let labels = find_label(machine, name);
    if labels.is_ok() {
        return labels;
    }
    let calls = Target::calls(machine, name);
    if calls.is_empty() { labels } else { Ok(calls) }
}

/// Every label of that name; an error that helps if there is none.
pub fn find_label(machine: &Machine, text: &str) -> Result<Vec<Target>, Failure> {
    let found = Target::labels(machine, text);
    if !found.is_empty() {
        return Ok(found);
    }
    let help = match nearest_label(machine, text) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => list_of_labels(machine),
    };
    let file = machine.source.name();
    Err(Failure::BadInput(format!(
        "there is no label `{text}` in {file}{help}"
    )))
}

/// The label that looks most like a text: with its procedure if the text has one.
fn nearest_label(machine: &Machine, text: &str) -> Option<String> {
    let mut best: Option<(f64, String)> = None;
    for label in &machine.labels {
        let procedure = &machine.procedure(machine.procedure_of(label.node)).name;
        let name = if text.contains(':') {
            format!("{procedure}:{}", label.name)
        } else {
            label.name.clone()
        };
        let similarity = strsim::jaro_winkler(&name.to_lowercase(), &text.to_lowercase());
        if similarity >= SIMILAR && best.as_ref().is_none_or(|(other, _)| similarity > *other) {
            best = Some((similarity, name));
        }
    }
    best.map(|(_, name)| name)
}

fn list_of_labels(machine: &Machine) -> String {
    let mut names: Vec<&str> = machine.labels.iter().map(|l| l.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return "; it has no labels".to_owned();
    }
    let more = if names.len() > MAX_LISTED {
        ", …"
    } else {
        ""
    };
    names.truncate(MAX_LISTED);
    format!("; its labels are {}{more}", names.join(", "))
}

/// The assertions at a place; an error that names others if there is none.
fn find_assertion(machine: &Machine, place: &AssertionPlace) -> Result<Vec<Target>, Failure> {
    let name = machine.source.name();
    if !is_same_file(&place.file, name) {
        let why = format!("--assert {place} is not about this program, which is {name}");
        return Err(Failure::BadInput(why));
    }
    let all = Target::assertions(machine);
    let is_there = |target: &&Target| {
        target.line == place.line && place.column.is_none_or(|column| target.column == column)
    };
    let found: Vec<Target> = all.iter().filter(is_there).cloned().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let nearest = all.iter().min_by_key(|target| {
        let columns = place
            .column
            .map_or(0, |column| column.abs_diff(target.column));
        (target.line.abs_diff(place.line), columns)
    });
    let help = match nearest {
        Some(target) => format!("; the nearest one is {name}:{target}"),
        None => format!("; {name} has no assertions at all"),
    };
    let why = format!("there is no assertion at {place}{help}");
    Err(Failure::BadInput(why))
}

/// Whether a file is meant, by its whole name or by the last parts of its path.
fn is_same_file(said: &str, name: &str) -> bool {
    let (said, name) = (Path::new(said), Path::new(name));
    said == name || name.ends_with(said)
}

fn find_line(machine: &Machine, line: u32) -> Result<Vec<Target>, Failure> {
    let found = Target::on_line(machine, line);
    if !found.is_empty() {
        return Ok(found);
    }
    let statements = machine
        .node_ids()
        .filter(|&id| machine.node(id).kind == NodeKind::Statement);
    let nearest = statements
        .map(|id| machine.line_of(id))
        .min_by_key(|&other| (other.abs_diff(line), other));
    let help = nearest.map_or(String::new(), |nearest| {
        format!("; the nearest one is on line {nearest}")
    });
    let file = machine.source.name();
    Err(Failure::BadInput(format!(
        "no statement starts on line {line} of {file}{help}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_file_a_line_and_perhaps_a_column() {
        let read = |text: &str| text.parse::<AssertionPlace>();
        let place = |file: &str, line, column| AssertionPlace {
            file: file.to_owned(),
            line,
            column,
        };
        assert_eq!(read("a.c:3"), Ok(place("a.c", 3, None)));
        assert_eq!(read("a.c:3:14"), Ok(place("a.c", 3, Some(14))));
        assert_eq!(read("a:b.c:3"), Ok(place("a:b.c", 3, None)));
        assert_eq!(
            read("d/a.c:3:1").map(|p| p.to_string()),
            Ok("d/a.c:3:1".to_owned())
        );
        for wrong in ["", "a.c", ":3", "a.c:", "a.c:x", "3", "a.c:-1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(is_same_file("a.c", "d/a.c") && is_same_file("d/a.c", "d/a.c"));
        assert!(!is_same_file("e/a.c", "d/a.c") && !is_same_file(".c", "d/a.c"));
    }
}
