//! What a file asks, action by action, as lines of text: for `hardbop solve`, and for an algorithm
//! under `hardbop check`.
//!
//! Tuples over the states of a program are told in the words of its source ([`TupleWords`]).

use crate::evidence::tuple_words::TupleWords;
use hardbop_fixpoint::{Binding, PathLine, Proof, Solver, Stop};
use hardbop_formula::{ActionKind, System};
use std::fmt::Write as _;

/// Longer lists are cut.
const MOST_TUPLES: usize = 10_000;

/// Performs actions.
pub struct Actions<'a> {
    /// The system.
    pub system: &'a System,
    /// The program whose states its tuples have.
    pub words: Option<TupleWords<'a>>,
    /// Tell how witnesses and counterexamples follow from tuples of all fixed points, and not only
    /// of relations with `{show …}`.
    pub shows_all: bool,
}

impl Actions<'_> {
    /// What an action prints. `#timer` and `#quit` print nothing: clock and order are the caller's.
    pub fn perform(&self, solver: &mut Solver<'_>, action: &ActionKind) -> Result<String, Stop> {
        let name = |relation| &self.system.relation(relation).name;
        Ok(match action {
            ActionKind::Query(formula) => format!("{}\n", solver.query(*formula)?),
            ActionKind::Size(relation) => {
                let size = solver.size(*relation)?.to_string();
                format!("{}: {}\n", name(*relation), counted(&size, "node"))
            }
            ActionKind::Count(relation) => {
                let count = solver.count(*relation)?.to_string();
                format!("{}: {}\n", name(*relation), counted(&count, "tuple"))
            }
            ActionKind::List(relation) => {
                let count = solver.count(*relation)?.to_string();
                let tuples = solver.tuples(*relation, MOST_TUPLES)?;
                let mut text = format!("{}: {}\n", name(*relation), counted(&count, "tuple"));
                text.push_str(&indented(&self.list(&tuples)));
                let shown = tuples.len().to_string();
                if count != shown {
                    text.push_str(&["  … the first ", &shown, " are shown\n"].concat());
                }
                text
            }
            ActionKind::Witness(formula) if self.has_paths() => {
                let proof = solver.witness_with_path(*formula, self.shows_all)?;
                self.proof("witness", proof)
            }
            ActionKind::Counterexample(formula) if self.has_paths() => {
                let proof = solver.counterexample_with_path(*formula, self.shows_all)?;
                self.proof("counterexample", proof)
            }
            ActionKind::Witness(formula) => self.shown("witness", solver.witness(*formula)?),
            ActionKind::Counterexample(formula) => {
                self.shown("counterexample", solver.counterexample(*formula)?)
            }
            ActionKind::Print(text) => format!("{text}\n"),
            ActionKind::Statistics => table(&statistics(solver)),
            ActionKind::Timer(_) | ActionKind::Quit => String::new(),
        })
    }

    /// The values of a tuple, indented, a line each.
    pub fn indented(&self, values: &[Binding]) -> String {
        indented(&self.words(values))
    }

    fn has_paths(&self) -> bool {
        let mut relations = self.system.relations.iter();
        self.shows_all || relations.any(|relation| relation.shown.is_some())
    }

    fn proof(&self, what: &str, proof: Option<Proof>) -> String {
        let (values, path) = proof.map_or((None, Ok(Vec::new())), |p| (Some(p.values), p.path));
        let mut text = self.shown(what, values);
        match path {
            Err(why) => text.push_str(&["no path: ", &why, "\n"].concat()),
            Ok(path) => text.extend(path.iter().map(|line| self.path_line(line))),
        }
        text
    }

    fn path_line(&self, line: &PathLine) -> String {
        let indent = "  ".repeat(line.depth + 1);
        let negation = if line.holds { "" } else { "not " };
        let start = if line.is_first { "path\n" } else { "" };
        let mut text = format!("{start}{indent}{negation}{}", line.name);
        if let Some(round) = line.round {
            let _ = write!(text, ", round {round}");
        }
        let values = self.words(&line.values);
        if !values.is_empty() {
            let _ = write!(text, ": {}", values.join(", "));
        }
        match line.told {
            None => {}
            Some(false) => text.push_str(" (see above)"),
            Some(true) => text.push_str(" (again, and so on forever)"),
        }
        text.push('\n');
        text
    }

    fn words(&self, values: &[Binding]) -> Vec<String> {
        match &self.words {
            Some(words) => words.lines(values),
            None => values.iter().map(Binding::to_string).collect(),
        }
    }

    fn shown(&self, what: &str, values: Option<Vec<Binding>>) -> String {
        match values {
            None => format!("no {what}\n"),
            Some(values) => format!("{what}\n{}", self.indented(&values)),
        }
    }

    fn list(&self, tuples: &[Vec<Binding>]) -> Vec<String> {
        match &self.words {
            Some(words) => words.table(tuples),
            None => {
                let line = |tuple: &Vec<Binding>| {
                    let values: Vec<String> = tuple.iter().map(Binding::to_string).collect();
                    values.join(", ")
                };
                tuples.iter().map(line).collect()
            }
        }
    }
}

fn indented(lines: &[String]) -> String {
    let lines = lines.iter().map(|line| ["  ", line, "\n"].concat());
    lines.collect()
}

/// A number of things.
pub fn counted(number: &str, thing: &str) -> String {
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// Work counters of a solver, for people.
pub fn statistics(solver: &Solver<'_>) -> Vec<(String, String)> {
    let statistics = solver.statistics();
    let mut lines: Vec<(String, String)> = vec![
        ("BDD variables".to_owned(), statistics.variables.to_string()),
        ("BDD nodes".to_owned(), statistics.nodes.to_string()),
        ("BDD nodes at most".to_owned(), statistics.peak.to_string()),
        ("BDD work".to_owned(), statistics.work.to_string()),
        ("collections".to_owned(), statistics.collections.to_string()),
    ];
    for relation in statistics.relations {
        let mut text = counted(&relation.nodes.to_string(), "node");
        if relation.rounds > 0 {
            text = format!("{text}, {}", counted(&relation.rounds.to_string(), "round"));
        }
        if relation.evaluations > 1 {
            text = format!("{text} in {} evaluations", relation.evaluations);
        }
        if relation.work > 0 {
            text = format!("{text}, work {}", relation.work);
        }
        lines.push((relation.name, text));
    }
    lines
}

/// Two columns.
pub fn table(lines: &[(String, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let line = |(name, value): &(String, String)| format!("{name:width$}  {value}\n");
    lines.iter().map(line).collect()
}
