//! The text of a generated program, line by line, and the labels of the procedure that is being
//! written.

use crate::random::Random;

/// Indented lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    text: String,
    level: usize,
}

impl Layout {
    /// Lines that start at some level of indentation.
    pub(crate) fn at_level(level: usize) -> Self {
        Self {
            text: String::new(),
            level,
        }
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, line: &str) {
        self.text.extend(std::iter::repeat_n("  ", self.level));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The lines that follow stand deeper.
    pub(crate) fn indent(&mut self) {
        self.level += 1;
    }

    /// The lines that follow stand less deep.
    pub(crate) fn outdent(&mut self) {
        self.level -= 1;
    }

    /// Adds lines that are made already.
    pub(crate) fn append(&mut self, lines: &str) {
        self.text.push_str(lines);
    }

    /// All lines.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// The labels of one procedure: every one that a jump names gets its place before the procedure
/// ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    placed: Vec<String>,
    pending: Vec<String>,
    count: u32,
}

impl Labels {
    /// A label that will stand further down.
    pub(crate) fn later(&mut self, odd: bool) -> String {
        self.count += 1;
        let label = if odd {
            self.count.to_string()
        } else {
            format!("L{}", self.count)
        };
        self.pending.push(label.clone());
        label
    }

    /// A label that a jump may name, further up or further down.
    pub(crate) fn destination(&mut self, random: &mut Random, odd: bool) -> String {
        let known = if random.percent(45) {
            &self.placed
        } else {
            &self.pending
        };
        match random.pick(known) {
            Some(label) => label.clone(),
            None => self.later(odd),
        }
    }

    /// A label for the statement that comes next.
    pub(crate) fn place(&mut self, odd: bool) -> String {
        if self.pending.is_empty() {
            self.later(odd);
        }
        let label = self.pending.remove(0);
        self.placed.push(label.clone());
        label
    }

    /// The labels that have no place yet; they must stand before the end.
    pub(crate) fn finish(self) -> Vec<String> {
        self.pending
    }
}
