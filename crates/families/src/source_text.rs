//! The writer behind every family: lines with indentation, collected in one `String`.
//!
//! T(100,000) has two million lines, so a line costs one formatted append and no allocation of its
//! own.

use std::fmt::{Arguments, Write};

/// Program text under construction.
#[derive(Debug)]
pub(crate) struct SourceText {
    text: String,
    depth: usize,
    lines: usize,
}

impl SourceText {
    /// Empty text that expects to grow to `capacity` bytes.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
            depth: 0,
            lines: 0,
        }
    }

    /// One line at the current depth.
    pub(crate) fn line(&mut self, line: &str) {
        self.indent();
        self.text.push_str(line);
        self.end_line();
    }

    /// One formatted line at the current depth: `text.fmt(format_args!("level{i}();"))`.
    pub(crate) fn fmt(&mut self, line: Arguments<'_>) {
        self.indent();
        self.text
            .write_fmt(line)
            .expect("appending to a String cannot fail");
        self.end_line();
    }

    /// An empty line.
    pub(crate) fn blank(&mut self) {
        self.end_line();
    }

    /// A line that opens a block: what follows is one level deeper.
    pub(crate) fn open(&mut self, line: Arguments<'_>) {
        self.fmt(line);
        self.depth += 1;
    }

    /// A line such as `else` between two parts of a block.
    pub(crate) fn between(&mut self, line: Arguments<'_>) {
        self.depth -= 1;
        self.open(line);
    }

    /// A line such as `end` that closes the innermost block.
    pub(crate) fn close(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }

    /// Opens a procedure: its head, then `begin`.
    pub(crate) fn procedure(&mut self, head: Arguments<'_>) {
        self.blank();
        self.fmt(head);
        self.open(format_args!("begin"));
    }

    /// Lines written so far.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// The text; every opened block must be closed.
    pub(crate) fn finish(self) -> String {
        assert_eq!(self.depth, 0, "a family left a block open");
        self.text
    }

    fn end_line(&mut self) {
        self.text.push('\n');
        self.lines += 1;
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
    }
}
