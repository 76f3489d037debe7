//! Coverage beside the source: a mark before each line on which a statement starts, a remark below
//! each constant condition.

use hardbop_machine::Machine;
use hardbop_outcome::coverage::{Condition, ConditionKind, Coverage, Finding, Reach};
use hardbop_syntax::shown_line;
use std::fmt::Write;

/// Columns farther out are named: with a pointer to each, the text would be quadratic in the length
/// of a line.
const LAST_POINTED: u32 = 400;

/// Which lines are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lines {
    /// The whole source.
    #[default]
    All,
    /// Those with something that is not reached, or a constant condition. An
    /// assertion that always holds is as it should be.
    Findings,
}

/// The source with its marks, a summary before and a legend behind it.
pub fn render(machine: &Machine, coverage: &Coverage, lines: Lines) -> String {
    let source = &machine.source;
    let count = source.line_count();
    // The line behind the last newline is not one that a person sees.
    let last = if source.line_text(count).is_empty() {
        count - 1
    } else {
        count
    };
    let marks = marks(coverage, count);
    let width = last.max(1).ilog10() as usize + 1;
    let mut out = summary(coverage);
    out.push('\n');
    let mut remarks = coverage.conditions.iter().peekable();
    for line in 1..=last {
        let mark = marks[line as usize];
        let mut is_finding = mark.is_some_and(|mark| mark != Mark::Reached);
        let mut below = String::new();
        while let Some(condition) = remarks.next_if(|condition| condition.line <= line) {
            if let Some(remark) = remark(condition) {
                let place = pointer(source.line_text(line), condition.column);
                let _ = writeln!(below, "  {:width$} | {place} {remark}", "");
                is_finding |= !is_as_wanted(condition);
            }
        }
        if lines == Lines::All || is_finding {
            let sign = mark.map_or(' ', Mark::sign);
            let text = shown_line(source.line_text(line).trim_end());
            let row = format!("{sign} {line:width$} | {text}");
            let _ = writeln!(out, "{}", row.trim_end());
            out.push_str(&below);
        }
    }
    out.push('\n');
    out.push_str(&legend(&marks));
    out
}

/// The mark of each line of a source, in order; a blank where no statement starts.
pub(crate) fn line_marks(coverage: &Coverage, lines: u32) -> String {
    let marks = marks(coverage, lines).into_iter().skip(1);
    marks.map(|mark| mark.map_or(' ', Mark::sign)).collect()
}

/// What is said about conditions: line, column and words.
pub(crate) fn remarks(coverage: &Coverage) -> Vec<(u32, u32, &'static str)> {
    let conditions = coverage.conditions.iter();
    conditions
        .filter_map(|condition| Some((condition.line, condition.column, remark(condition)?)))
        .collect()
}

/// What points at a column of a line from the line below.
fn pointer(line: &str, column: u32) -> String {
    if column > LAST_POINTED {
        return format!("column {column}:");
    }
    let before = line.chars().take(column as usize - 1);
    // Tabs are as wide here as there.
    let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    format!("{indent}^")
}

/// What is true of the statements that start on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Reached,
    Partly,
    Unreached,
    Unknown,
}

impl Mark {
    const ALL: [(Mark, &'static str); 4] = [
        (Mark::Reached, "reachable"),
        (Mark::Unreached, "unreachable"),
        (Mark::Partly, "some of the line is unreachable"),
        (Mark::Unknown, "unknown: a limit was reached"),
    ];

    fn sign(self) -> char {
        match self {
            Mark::Reached => '+',
            Mark::Partly => '~',
            Mark::Unreached => '-',
            Mark::Unknown => '?',
        }
    }

    fn of(reach: Reach) -> Self {
        match reach {
            Reach::Reachable => Mark::Reached,
            Reach::Unreachable => Mark::Unreached,
            Reach::Unknown => Mark::Unknown,
        }
    }

    /// The mark of a line with both; what is unreachable is the news, also beside something
    /// unknown.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Mark::Unknown, Mark::Reached) | (Mark::Reached, Mark::Unknown) => Mark::Unknown,
            _ => Mark::Partly,
        }
    }
}

/// The mark of every line, by its number.
fn marks(coverage: &Coverage, lines: u32) -> Vec<Option<Mark>> {
    let mut marks: Vec<Option<Mark>> = vec![None; lines as usize + 1];
    for place in &coverage.statements {
        let here = Mark::of(place.reach);
        let mark = &mut marks[place.line as usize];
        *mark = Some(mark.map_or(here, |mark| mark.join(here)));
    }
    marks
}

fn summary(coverage: &Coverage) -> String {
    let statements = coverage.statements.iter().filter(|place| !place.is_end);
    let count = |reach| {
        statements
            .clone()
            .filter(|place| place.reach == reach)
            .count()
    };
    let mut out = format!(
        "{}: {} of {} statements reachable",
        coverage.file,
        count(Reach::Reachable),
        statements.clone().count(),
    );
    match count(Reach::Unknown) {
        0 => out.push('\n'),
        open => {
            let _ = writeln!(out, ", {open} unknown");
        }
    }
    if coverage.vacuous {
        out.push_str("VACUOUS: no execution reaches an assertion or the end of the program, so every assertion holds trivially\n");
    }
    out
}

fn is_as_wanted(condition: &Condition) -> bool {
    condition.kind == ConditionKind::Assert && condition.finding() == Some(Finding::AlwaysTrue)
}

/// What is said below a condition.
fn remark(condition: &Condition) -> Option<&'static str> {
    Some(match (condition.kind, condition.finding()?) {
        (ConditionKind::Branch, Finding::AlwaysTrue) => "always true",
        (ConditionKind::Branch, Finding::AlwaysFalse) => "always false",
        (ConditionKind::Assert, Finding::AlwaysTrue) => "always holds",
        (ConditionKind::Assert, Finding::AlwaysFalse) => "always fails",
        (ConditionKind::Assume, _) => "always blocks",
        (_, Finding::Blocks) => "always blocks: `enforce` forbids both branches",
    })
}

/// The signs that occur.
fn legend(marks: &[Option<Mark>]) -> String {
    let used = Mark::ALL
        .iter()
        .filter(|(mark, _)| marks.contains(&Some(*mark)));
    let mut out = String::new();
    for (mark, text) in used {
        let _ = writeln!(out, "{} {text}", mark.sign());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_transform::split::CoverageQuestion;

    fn rendered(text: &str, lines: Lines, unreached: &[&str]) -> String {
        let machine = hardbop_machine::from_text("t.bp", text).expect("the program is valid");
        let question = CoverageQuestion::new(&machine);
        let asked = question.machine();
        let coverage = question.coverage(|node| {
            let text = asked.source.slice(asked.node(node).span);
            if text == "print(1)" {
                Reach::Unknown
            } else if unreached.contains(&text) {
                Reach::Unreachable
            } else {
                Reach::Reachable
            }
        });
        render(&machine, &coverage, lines)
    }

    const TEXT: &str = "void main() begin
  skip; print(0);
  print(0); print(1);
  print(1); skip;
end
";

    #[test]
    fn a_line_with_several_statements_has_the_mark_of_all_of_them() {
        let expected = "\
t.bp: 2 of 6 statements reachable, 2 unknown

  1 | void main() begin
~ 2 |   skip; print(0);
~ 3 |   print(0); print(1);
? 4 |   print(1); skip;
+ 5 | end

+ reachable
~ some of the line is unreachable
? unknown: a limit was reached
";
        let text = rendered(TEXT, Lines::All, &["print(0)"]);
        assert_eq!(text, expected);
    }

    #[test]
    fn only_findings_leaves_out_what_is_as_expected() {
        let text = rendered(TEXT, Lines::Findings, &["print(0)"]);
        let shown: Vec<&str> = text.lines().filter(|line| line.contains(" | ")).collect();
        assert_eq!(shown.len(), 3, "{text}");
    }

    #[test]
    fn remarks_about_a_long_line_are_linear_in_its_length() {
        let count = 2_000;
        let line = "if (*) then skip; fi ".repeat(count);
        let text = format!("void main() begin\n{line}\nend\n");
        let machine = hardbop_machine::from_text("t.bp", &text).expect("the program is valid");
        let mut coverage = CoverageQuestion::new(&machine).coverage(|_| Reach::Reachable);
        for condition in &mut coverage.conditions {
            condition.fails = Some(Reach::Unreachable);
        }
        let text = render(&machine, &coverage, Lines::All);
        let remarks: Vec<&str> = text
            .lines()
            .filter(|l| l.ends_with("always true"))
            .collect();
        assert_eq!(remarks.len(), count);
        assert_eq!(remarks[0], "    | ^ always true");
        assert_eq!(remarks[1_000], "    | column 21001: always true");
        assert!(text.len() < 5 * line.len(), "{}", text.len());
    }
}
