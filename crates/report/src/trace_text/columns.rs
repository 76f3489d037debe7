//! A run of several threads side by side: a column for each thread, and the shared variables at the
//! right.
//!
//! Only threads that take a step have a column. A column is as wide as its widest cell; where the
//! columns together are wider than the line, the widest ones are narrowed, all to the same width,
//! and their cells wrapped. Below [`MIN_COLUMN`] characters that is no longer readable, and there
//! are no columns at all: the caller has another form.

use super::paint::{Ink, inked, padded, width as width_of};
use super::rows::{Context, Note, Row, StepRow, number_width};
use std::collections::BTreeMap;

/// The narrowest column whose cells are wrapped.
const MIN_COLUMN: usize = 18;

/// The column of shared variables has at most one part in this many of the line.
const SHARED_PART: usize = 4;

/// Between two columns.
const GAP: &str = "  ";

/// What stands above the shared variables.
const SHARED: &str = "shared";

/// Calls that are deeper than this are not indented further.
const MAX_INDENT: usize = 8;

/// Lines of a cell that are not the first are indented by so much more.
const HANGING: usize = 2;

/// The rows as columns, if they fit into the width.
pub(super) fn side_by_side(rows: &[Row], width: usize) -> Option<String> {
    let layout = Layout::new(rows, width)?;
    let mut text = String::new();
    for row in rows {
        match row {
            Row::Text(line) => {
                let is_first = text.is_empty();
                for (number, part) in folded(line, HANGING, width).into_iter().enumerate() {
                    let indent = if number > 0 { HANGING } else { 0 };
                    push_line(&mut text, &format!("{:indent$}{part}", ""));
                }
                if is_first {
                    layout.head(&mut text);
                }
            }
            Row::Context(context) => layout.context(&mut text, context),
            Row::Step(step) => {
                let number = format!("{:>1$}: ", step.line, layout.number);
                let cell = Cell::of_step(step);
                layout.cells(&mut text, &number, step.thread, &cell, &shared_values(step));
            }
        }
    }
    Some(text)
}

/// The text of one cell before it is wrapped.
struct Cell {
    indent: usize,
    /// The statement, and what it does; each begins a line if they do not fit on one.
    parts: Vec<String>,
}

impl Cell {
    fn of_step(step: &StepRow) -> Self {
        let own = step.notes.iter().filter_map(|note| match note {
            Note::Own(text) => Some(text.clone()),
            Note::Shared(_) => None,
        });
        let own: Vec<String> = own.collect();
        let notes = (!own.is_empty()).then(|| own.join(GAP));
        let (indent, statement) = step.indented(MAX_INDENT);
        Self {
            indent,
            parts: std::iter::once(statement).chain(notes).collect(),
        }
    }

    fn of_start(values: &str) -> Self {
        Self {
            indent: 0,
            parts: vec![format!("starts: {values}")],
        }
    }

    fn one_line(&self) -> String {
        format!("{}{}", " ".repeat(self.indent), self.parts.join(GAP))
    }

    fn one_line_width(&self) -> usize {
        width_of(&self.one_line())
    }

    /// Its lines, none of them wider than the column.
    fn lines(&self, width: usize) -> Vec<String> {
        let whole = self.one_line();
        if width_of(&whole) <= width {
            return vec![whole];
        }
        // At least half of the column is left for the text.
        let indent = self.indent.min(width / 4);
        let first = self.parts.iter().take(1);
        let mut lines: Vec<String> = first.flat_map(|part| wrap(part, indent, width)).collect();
        for notes in self.parts.iter().skip(1) {
            lines.extend(wrap(notes, indent + HANGING, width));
        }
        lines
    }
}

/// The words of a text in lines; the first is indented, the others a little more. Words that are
/// too long are broken.
fn wrap(text: &str, indent: usize, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = " ".repeat(indent);
    let mut is_empty = true;
    for word in text.split_whitespace() {
        let mut word = word.to_owned();
        loop {
            let gap = usize::from(!is_empty);
            let room = width.saturating_sub(width_of(&line) + gap);
            if width_of(&word) <= room {
                line.push_str(&" "[..gap]);
                line.push_str(&word);
                is_empty = false;
                break;
            }
            if is_empty {
                // A word that no line has room for; at least one character goes on each, so this
                // ends.
                let (first, rest) = word.split_at(end_of(&word, room.max(1)));
                line.push_str(first);
                word = rest.to_owned();
            }
            lines.push(std::mem::replace(&mut line, " ".repeat(indent + HANGING)));
            is_empty = true;
        }
    }
    if !is_empty {
        lines.push(line);
    }
    lines
}

/// The number of bytes of a text that take up a width.
fn end_of(text: &str, width: usize) -> usize {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let fits = ends.take_while(|&end| width_of(&text[..end]) <= width);
    fits.last().unwrap_or(text.len())
}

/// A text in lines that are broken between words. The first has the whole width, the others what
/// an indentation leaves of it. Words that are too long stay as they are.
pub(super) fn folded(text: &str, indent: usize, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut room = width;
    for word in text.split_inclusive(' ') {
        if width_of(&line) + width_of(word.trim_end()) > room && !line.trim().is_empty() {
            lines.push(line.trim_end().to_owned());
            line.clear();
            room = width.saturating_sub(indent);
        }
        if !line.is_empty() || lines.is_empty() || !word.trim().is_empty() {
            line.push_str(word);
        }
    }
    lines.push(line);
    lines
}

/// The shared variables that a step shows.
fn shared_values(step: &StepRow) -> Cell {
    let shared = step.notes.iter().filter_map(|note| match note {
        Note::Shared(values) => Some(values.clone()),
        Note::Own(_) => None,
    });
    Cell {
        indent: 0,
        parts: shared.collect(),
    }
}

/// Where the columns stand.
struct Layout {
    /// Width of a line number.
    number: usize,
    /// The threads that have a column, in order, with their names.
    threads: Vec<(u32, String)>,
    /// Widths of their columns.
    widths: Vec<usize>,
    /// Width of the column of shared variables.
    shared: usize,
}

impl Layout {
    /// The widths, if everything fits. A run without steps has no columns.
    fn new(rows: &[Row], width: usize) -> Option<Self> {
        let mut columns: BTreeMap<u32, (String, usize)> = BTreeMap::new();
        let mut shared = SHARED.len();
        for row in rows {
            let (thread, cell) = match row {
                Row::Text(_) => continue,
                Row::Context(context) => {
                    let name = || (context.name.clone(), width_of(&context.name));
                    columns.entry(context.thread).or_insert_with(name);
                    if context.starts.is_empty() {
                        continue;
                    }
                    (context.thread, Cell::of_start(&context.starts))
                }
                Row::Step(step) => {
                    shared = shared.max(shared_values(step).one_line_width());
                    (step.thread, Cell::of_step(step))
                }
            };
            if let Some((_, widest)) = columns.get_mut(&thread) {
                *widest = (*widest).max(cell.one_line_width());
            }
        }
        if columns.is_empty() {
            return None;
        }
        let number = number_width(rows);
        let shared = shared.min((width / SHARED_PART).max(SHARED.len()));
        let taken = number + ": ".len() + columns.len() * GAP.len() + shared;
        let natural: Vec<usize> = columns.values().map(|(_, widest)| *widest).collect();
        let limit = common_limit(&natural, width.checked_sub(taken)?)?;
        Some(Self {
            number,
            widths: natural.into_iter().map(|w| w.min(limit)).collect(),
            threads: columns
                .into_iter()
                .map(|(t, (name, _))| (t, name))
                .collect(),
            shared,
        })
    }

    /// Width of all columns of threads together.
    fn across(&self) -> usize {
        let gaps = GAP.len() * (self.widths.len() - 1);
        self.widths.iter().sum::<usize>() + gaps
    }

    /// The names of the threads above their columns.
    fn head(&self, text: &mut String) {
        let columns = self.threads.iter().zip(&self.widths);
        let names: Vec<Vec<String>> = columns
            .map(|((_, name), &width)| wrap(name, 0, width))
            .collect();
        let height = names.iter().map(Vec::len).max().unwrap_or(0);
        for index in 0..height {
            let mut line = " ".repeat(self.number + ": ".len());
            for (name, &width) in names.iter().zip(&self.widths) {
                let part = name.get(index).map_or("", String::as_str);
                line.push_str(&padded(part, width + GAP.len()));
            }
            line.push_str(if index == 0 { SHARED } else { "" });
            push_line(text, &line);
        }
    }

    /// A rule, and what the thread starts with.
    fn context(&self, text: &mut String, context: &Context) {
        let margin = " ".repeat(self.number + ": ".len());
        if let Some(switch) = context.switch {
            let rule = format!("--- context switch {switch} ");
            let rule = inked(Ink::Switch, &format!("{rule:-<0$}", self.across()));
            push_line(text, &format!("{margin}{rule}"));
        }
        if !context.starts.is_empty() {
            let cell = Cell::of_start(&context.starts);
            let nothing = Cell {
                indent: 0,
                parts: Vec::new(),
            };
            self.cells(text, &margin, context.thread, &cell, &nothing);
        }
    }

    /// A cell in the column of a thread, beside the shared variables.
    fn cells(&self, text: &mut String, number: &str, thread: u32, cell: &Cell, shared: &Cell) {
        let threads = self.threads.iter();
        let column = threads.take_while(|(id, _)| *id != thread).count();
        let before: usize = self.widths[..column].iter().map(|w| w + GAP.len()).sum();
        let own = cell.lines(self.widths[column]);
        let shared = shared.lines(self.shared);
        let rest = self.across() - before + GAP.len();
        for index in 0..own.len().max(shared.len()) {
            let number = if index == 0 { number } else { "" };
            let line = |lines: &[String]| lines.get(index).cloned().unwrap_or_default();
            let number = padded(number, self.number + ": ".len() + before);
            let own = padded(&line(&own), rest);
            push_line(text, &format!("{number}{own}{}", line(&shared)));
        }
    }
}

/// The largest width such that columns of at most that width fit into the room; nothing if cells
/// would be wrapped too narrowly.
fn common_limit(natural: &[usize], room: usize) -> Option<usize> {
    let mut sorted = natural.to_vec();
    sorted.sort_unstable();
    let mut room = room;
    for (index, &width) in sorted.iter().enumerate() {
        let share = room / (sorted.len() - index);
        if width > share {
            return (share >= MIN_COLUMN).then_some(share);
        }
        room -= width;
    }
    sorted.last().copied()
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::{TraceLevel, TraceOptions, TraceTexts};
    use expect_test::expect;
    use hardbop_interpreter::{RandomChooser, fold, simulate};
    use hardbop_outcome::Evidence;

    /// A random run as text.
    fn shown(program: &str, seed: u64, level: TraceLevel, width: usize) -> String {
        let machine = hardbop_machine::from_text("test.bp", program).expect("it is valid");
        let trace = simulate(&machine, &mut RandomChooser::new(seed), 10_000, None).trace;
        let trace = fold(&machine, &trace).unwrap();
        let options = TraceOptions {
            level,
            width,
            ..TraceOptions::default()
        };
        let text = TraceTexts::new(&machine, options).text(&Evidence::Run(trace), None);
        text.expect("it is a run")
    }

    const ADDERS: &str = "decl s := 0;
thread adder(2) begin
  decl mine := 0;
  void main() begin
    mine := 1;
    s := !s;
  end
end
";

    #[test]
    fn each_thread_has_a_column_and_shared_variables_stand_apart() {
        expect![[r#"
            start: s=0
               adder.0                 adder.1                 shared
               starts: mine=0
            5: mine := 1  mine=1
            6: s := !s                                         s=1
               --- context switch 1 -------------------------
                                       starts: mine=0
            5:                         mine := 1  mine=1
            6:                         s := !s                 s=0
            7:                         return from adder.main
               --- context switch 2 -------------------------
            7: return from adder.main
        "#]]
        .assert_eq(&shown(ADDERS, 5, TraceLevel::Compact, 118));
    }

    #[test]
    fn the_levels_are_those_of_sequential_traces() {
        expect![[r#"
            start: s=0
               adder.0                 adder.1                 shared
               starts: mine=0
            5: mine := 1  mine=1                               s=0
            6: s := !s  mine=1                                 s=1
               --- context switch 1 -------------------------
                                       starts: mine=0
            5:                         mine := 1  mine=1       s=1
            6:                         s := !s  mine=1         s=0
            7:                         return from adder.main
               --- context switch 2 -------------------------
            7: return from adder.main
        "#]]
        .assert_eq(&shown(ADDERS, 5, TraceLevel::Full, 118));
        expect![[r#"
            start: s=0
               adder.0                 adder.1                 shared
               --- context switch 1 -------------------------
                                       starts: mine=0
            7:                         return from adder.main
               --- context switch 2 -------------------------
               starts: mine=0
            7: return from adder.main
        "#]]
        .assert_eq(&shown(ADDERS, 5, TraceLevel::Calls, 118));
        expect![[r#"
            start: s=0
            the whole run has 6 steps
        "#]]
        .assert_eq(&shown(ADDERS, 5, TraceLevel::None, 118));
    }

    #[test]
    fn what_does_not_fit_carries_the_name_of_the_thread() {
        expect![[r#"
            start: s=0
            --- adder.0 starts: mine=0 ---
            5: [adder.0] mine := 1  mine=1
            6: [adder.0] s := !s    shared: s=1
            --- adder.1 starts: mine=0 ---
            5: [adder.1] mine := 1  mine=1
            6: [adder.1] s := !s    shared: s=0
            7: [adder.1] return from adder.main
            --- adder.0 ---
            7: [adder.0] return from adder.main
        "#]]
        .assert_eq(&shown(ADDERS, 5, TraceLevel::Compact, 40));
    }

    const LONG: &str = "decl one := 0, two := 0, three := 0;
void init() begin
  one := 1;
end
thread someone_with_a_very_long_name begin
  void main() begin
    one, two, three := one & two & three, one | two | three, one & (two | three);
    called(one);
  end
end
void called(parameter) begin
  one, two, three := !one, !two, !three;
end
thread other begin
  void main() begin
    skip;
  end
end
";

    #[test]
    fn long_cells_are_wrapped_and_init_is_no_context() {
        expect![[r#"
            start: one=0 two=0 three=0
                init                      someone_with_a_very_long  other                   shared
                                            _name
             3: one := 1                                                                    one=1 two=0 three=0
             4: return from init
                  starts
                    someone_with_a_very_
                    long_name starts
                    other
            16:                                                     skip                    one=1 two=0 three=0
            17:                                                     return from other.main
                --- context switch 1 -----------------------------------------------------
             7:                           one, two, three := one &                          one=0 two=1 three=0
                                            two & three, one | two
                                            | three,...
             8:                           called(one)                                       one=1 two=0 three=1
                                            (folded: 1 step)
             9:                           return from
                                            someone_with_a_very_lo
                                            ng_name.main
            the whole run has 9 steps
        "#]].assert_eq(&shown(LONG, 1, TraceLevel::Full, 100));
    }

    #[test]
    fn no_line_is_wider_than_asked() {
        for width in 30..130 {
            for seed in 0..10 {
                let text = shown(LONG, seed, TraceLevel::Full, width);
                let mut lines = text.lines();
                let start = lines.next().unwrap();
                let has_columns = lines
                    .clone()
                    .any(|line| line.contains("shared") && !line.contains(':'));
                let widest = lines.map(|line| line.chars().count()).max().unwrap();
                assert!(
                    !has_columns || widest <= width.max(start.len()),
                    "{width}:\n{text}"
                );
            }
        }
    }

    #[test]
    fn words_that_no_line_has_room_for_are_broken() {
        assert_eq!(
            super::wrap("ab abcdefghij c", 0, 4),
            ["ab", "  ab", "  cd", "  ef", "  gh", "  ij", "  c"]
        );
    }

    #[test]
    fn narrow_columns_leave_their_room_to_wide_ones() {
        assert_eq!(super::common_limit(&[10, 50, 70], 200), Some(70));
        assert_eq!(super::common_limit(&[10, 50, 70], 100), Some(45));
        assert_eq!(super::common_limit(&[10, 50, 70], 40), None);
    }
}
