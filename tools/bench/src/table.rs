//! Tables: as text with aligned columns, as Markdown, as HTML.

use crate::document::escaped;
use std::fmt::Write;

/// Where the text of a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A table under construction.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows.
    pub fn new<T: Into<String>>(columns: impl IntoIterator<Item = (T, Align)>) -> Self {
        let columns = columns.into_iter();
        Self {
            columns: columns.map(|(name, align)| (name.into(), align)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; cells that are missing at its end stay empty.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The text: a line of names, a line of dashes, a line per row, without trailing blanks. A
    /// column without any text in its rows is left out.
    pub fn render(&self) -> String {
        let used = self.used();
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let width_of = |column: usize| {
            let cells = self.rows.iter().map(|row| cell(row, column));
            let all = cells.chain(std::iter::once(names[column].as_str()));
            all.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = used.iter().map(|&column| width_of(column)).collect();
        let mut rule = vec![String::new(); self.columns.len()];
        for (&column, &width) in used.iter().zip(&widths) {
            rule[column] = "-".repeat(width);
        }
        let mut text = String::new();
        for row in [&names, &rule].into_iter().chain(&self.rows) {
            self.render_row(&mut text, row, &used, &widths);
        }
        text
    }

    /// The table as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let used = self.used();
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let shown = |text: &str| escaped(text).replace("&quot;", "\"").replace('|', "\\|");
        let names = used.iter().map(|&column| shown(&self.columns[column].0));
        let mut text = line(names.collect());
        let rule = used.iter().map(|&column| match self.columns[column].1 {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        });
        text.push_str(&line(rule.collect()));
        for row in &self.rows {
            let cells = used.iter().map(|&column| shown(cell(row, column)));
            text.push_str(&line(cells.collect()));
        }
        text
    }

    /// The table as HTML.
    pub(crate) fn html(&self) -> String {
        let used = self.used();
        let line = |row: &dyn Fn(usize) -> String, element: &str| {
            let mut line = "<tr>".to_owned();
            for &column in &used {
                let class = match self.columns[column].1 {
                    Align::Left => "",
                    Align::Right => " class=\"right\"",
                };
                let text = escaped(&row(column));
                write!(line, "<{element}{class}>{text}</{element}>")
                    .expect("a string can be written to");
            }
            line + "</tr>\n"
        };
        let head = line(&|column| self.columns[column].0.clone(), "th");
        let rows = self.rows.iter();
        let rows = rows.map(|row| line(&|column| cell(row, column).to_owned(), "td"));
        let rows: String = rows.collect();
        format!(
            "<div class=\"wide\"><table>\n<thead>{head}</thead>\n<tbody>\n{rows}</tbody></table></div>"
        )
    }

    /// The columns with some text in their rows.
    fn used(&self) -> Vec<usize> {
        let has_text = |&column: &usize| self.rows.iter().any(|row| !cell(row, column).is_empty());
        (0..self.columns.len()).filter(has_text).collect()
    }

    fn render_row(&self, text: &mut String, row: &[String], used: &[usize], widths: &[usize]) {
        let mut line = String::new();
        for (position, (&column, &width)) in used.iter().zip(widths).enumerate() {
            if position > 0 {
                line.push_str("  ");
            }
            let content = cell(row, column);
            let padding = " ".repeat(width - content.chars().count());
            match self.columns[column].1 {
                Align::Left => line.extend([content, &padding]),
                Align::Right => line.extend([&padding, content]),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

fn cell(row: &[String], column: usize) -> &str {
    row.get(column).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let mut table = Table::new([
            ("program", Align::Left),
            ("seed", Align::Right),
            ("wall", Align::Right),
            ("note", Align::Left),
        ]);
        table.row(["tn", "", "1.23ms"]);
        table.row(["é-longer", "", "12ms", "t/o"]);
        expect![[r"
            program     wall  note
            --------  ------  ----
            tn        1.23ms
            é-longer    12ms  t/o
        "]]
        .assert_eq(&table.render());
    }
}
