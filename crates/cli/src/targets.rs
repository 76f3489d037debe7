//! From `--reach LABEL` and `--reach-line N` to places in the machine, with help for names that do
//! not exist.

use crate::exit::Failure;
use hardbop_machine::Machine;
use hardbop_machine::ir::NodeKind;
use hardbop_outcome::Target;

/// How similar (0 to 1) a label must be to be suggested.
const SIMILAR: f64 = 0.7;
/// How many labels an error message lists.
const MAX_LISTED: usize = 8;

/// Places to ask about.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Questions")]
pub struct TargetArguments {
    /// Check whether a label is reachable: LABEL or PROCEDURE:LABEL (may be repeated)
    #[arg(long, value_name = "LABEL")]
    pub reach: Vec<String>,
    /// Check whether a statement on this line is reachable (may be repeated)
    #[arg(long, value_name = "LINE")]
    pub reach_line: Vec<u32>,
}

impl TargetArguments {
    /// Whether anything is asked.
    pub fn is_empty(&self) -> bool {
        self.reach.is_empty() && self.reach_line.is_empty()
    }

    /// The places that are asked about, all assertions unless there are others. A question about
    /// nothing is an error.
    pub fn or_assertions(&self, machine: &Machine) -> Result<Vec<Target>, Failure> {
        if !self.is_empty() {
            return self.targets(machine);
        }
        let assertions = Target::assertions(machine);
        if assertions.is_empty() {
            let file = machine.source.name();
            let why = format!("{file} has no assertions; check a label with --reach LABEL");
            return Err(Failure::BadInput(why));
        }
        Ok(assertions)
    }

    /// The places that are asked about, each once.
    pub fn targets(&self, machine: &Machine) -> Result<Vec<Target>, Failure> {
        let mut targets: Vec<Target> = Vec::new();
        let labels = self.reach.iter().map(|label| find_label(machine, label));
        let lines = self.reach_line.iter().map(|&line| find_line(machine, line));
        for found in labels.chain(lines) {
            for target in found? {
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
        }
        Ok(targets)
    }
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
