//! A source text, places in it, and the way from byte offsets to lines and columns.

use crate::shown::shown_line;
use std::sync::Arc;

/// A half-open range of byte offsets in one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest range that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The empty range at the end of this one.
    #[must_use]
    pub fn after(self) -> Self {
        Self {
            start: self.end,
            end: self.end,
        }
    }

    /// As a range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// How wide the integers of a C program are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataModel {
    /// `long` and pointers have 32 bits.
    Ilp32,
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
}

/// How a C program is read, where its text does not say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CReading {
    /// The widths of its integers.
    pub data_model: DataModel,
    /// Signed overflow is an assertion.
    pub overflow_checks: bool,
    /// The text after the preprocessor, with line markers, if it was needed.
    pub preprocessed: Option<Arc<str>>,
}

/// A named source text with its line table. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Source {
    inner: Arc<Inner>,
    c: Option<Arc<CReading>>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    text: String,
    newlines: Tally<LINE_BLOCK>,
    characters: Tally<CHARACTER_BLOCK>,
}

/// How many of something stand before each block of so many bytes. So counting takes the same time
/// anywhere, on long lines too, and short lines cost no more memory than long ones.
#[derive(Debug)]
struct Tally<const BLOCK: usize>(Vec<u32>);

/// Lines are asked for more often than columns.
const LINE_BLOCK: usize = 64;
const CHARACTER_BLOCK: usize = 256;

impl<const BLOCK: usize> Tally<BLOCK> {
    fn new(text: &str, count: impl Fn(&[u8]) -> u32) -> Self {
        let mut total = 0;
        let blocks = text.as_bytes().chunks(BLOCK).map(|block| {
            let before = total;
            total += count(block);
            before
        });
        Self(blocks.collect())
    }

    /// How many stand before an offset into the text, which may be past its end.
    fn before(&self, text: &str, offset: usize, count: impl Fn(&[u8]) -> u32) -> u32 {
        let offset = offset.min(text.len());
        let block = (offset / BLOCK).min(self.0.len().saturating_sub(1));
        let counted = self.0.get(block).copied().unwrap_or(0);
        counted + count(&text.as_bytes()[block * BLOCK..offset])
    }
}

/// How many bytes are of a kind, which must be less than 256. It is counted in one byte, so that the
/// processor can count many at once.
fn count(bytes: &[u8], is_counted: impl Fn(u8) -> bool) -> u32 {
    let count = bytes.iter().fold(0_u8, |count, &byte| {
        count.wrapping_add(u8::from(is_counted(byte)))
    });
    u32::from(count)
}

fn newline_count(bytes: &[u8]) -> u32 {
    count(bytes, |byte| byte == b'\n')
}

/// How many characters start in these bytes of UTF-8.
fn character_count(bytes: &[u8]) -> u32 {
    bytes.len() as u32 - count(bytes, |byte| byte & 0xC0 == 0x80)
}

/// Why a file's bytes are not a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotText {
    /// The bytes are not UTF-8; the offset is that of the first bad byte.
    NotUtf8 {
        /// Offset of the first byte that is not UTF-8.
        offset: usize,
        /// One-based line of that byte.
        line: usize,
    },
    /// Offsets would not fit 32 bits.
    TooLarge {
        /// Size in bytes.
        size: usize,
    },
}

impl std::fmt::Display for NotText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotText::NotUtf8 { offset, line } => write!(
                f,
                "the file is not UTF-8 text (first bad byte at offset {offset}, line {line})"
            ),
            NotText::TooLarge { size } => {
                write!(f, "the file has {size} bytes; at most 4 GiB are supported")
            }
        }
    }
}

impl std::error::Error for NotText {}

impl Source {
    /// A source text under a name that diagnostics show.
    ///
    /// # Panics
    /// If the text is 4 GiB or larger; [`Source::from_bytes`] reports that instead.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        assert!(u32::try_from(text.len()).is_ok(), "source text over 4 GiB");
        Self {
            inner: Arc::new(Inner {
                name: shown_line(&name.into()).into_owned(),
                newlines: Tally::new(&text, newline_count),
                characters: Tally::new(&text, character_count),
                text,
            }),
            c: None,
        }
    }

    /// The same text, to be read as C in this way.
    #[must_use]
    pub fn as_c(&self, reading: CReading) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            c: Some(Arc::new(reading)),
        }
    }

    /// How to read it if it is C: as was said, or in the usual way if its name ends in `.c` or `.i`.
    pub fn c_reading(&self) -> Option<Arc<CReading>> {
        let is_c = || {
            let extension = self.name().rsplit_once('.').map(|(_, extension)| extension);
            extension.is_some_and(|e| e.eq_ignore_ascii_case("c") || e.eq_ignore_ascii_case("i"))
        };
        self.c.clone().or_else(|| is_c().then(Arc::default))
    }

    /// A source text from the bytes of a file.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, NotText> {
        if u32::try_from(bytes.len()).is_err() {
            return Err(NotText::TooLarge { size: bytes.len() });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(name, text)),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let newlines = error.as_bytes()[..offset].iter().filter(|&&b| b == b'\n');
                Err(NotText::NotUtf8 {
                    offset,
                    line: 1 + newlines.count(),
                })
            }
        }
    }

    /// The name given at construction, usually the path.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The first line of the text of a span, as it may be shown.
    pub fn excerpt(&self, span: Span) -> String {
        let first = self.slice(span).lines().next().unwrap_or_default();
        shown_line(first.trim_end()).into_owned()
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        self.inner.text.get(span.range()).unwrap_or("")
    }

    /// One-based line of an offset.
    pub fn line(&self, offset: u32) -> u32 {
        let Inner { text, newlines, .. } = &*self.inner;
        newlines.before(text, offset as usize, newline_count) + 1
    }

    /// One-based line and column (in characters) of an offset.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let start = self.line_start(line).unwrap_or(0);
        let offset = offset as usize;
        if self.inner.text.get(start..offset).is_none() {
            return (line, 1);
        }
        let before = self.characters_before(offset) - self.characters_before(start);
        (line, before + 1)
    }

    /// How many characters start before an offset into the text.
    fn characters_before(&self, offset: usize) -> u32 {
        let Inner {
            text, characters, ..
        } = &*self.inner;
        characters.before(text, offset, character_count)
    }

    /// Where a one-based line starts, if there is one of that number.
    fn line_start(&self, line: u32) -> Option<usize> {
        // It starts after this many newlines.
        let newlines = line.checked_sub(1)?;
        if newlines == 0 {
            return Some(0);
        }
        let before = &self.inner.newlines.0;
        let blocks = before.partition_point(|&count| count < newlines);
        let block = blocks.checked_sub(1)?;
        let bytes = self.inner.text.as_bytes()[block * LINE_BLOCK..].iter();
        let mut ends = bytes.enumerate().filter(|&(_, &byte)| byte == b'\n');
        let (end, _) = ends.nth((newlines - before[block]) as usize - 1)?;
        Some(block * LINE_BLOCK + end + 1)
    }

    /// How many lines the text has (a text without newline has one).
    pub fn line_count(&self) -> u32 {
        self.line(u32::MAX)
    }

    /// The text of a one-based line without its line end; empty past the last line.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(start) = self.line_start(line) else {
            return "";
        };
        let next = self.line_start(line.saturating_add(1));
        let end = next.map_or(self.inner.text.len(), |next| next - 1);
        self.inner.text[start..end].trim_end_matches('\r')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_columns_count_characters() {
        let source = Source::new("t", "ab\nä x\n");
        assert_eq!(source.line_column(0), (1, 1));
        assert_eq!(source.line_column(3), (2, 1));
        assert_eq!(source.line_column(6), (2, 3));
        assert_eq!(source.line_text(2), "ä x");
        assert_eq!(source.line_count(), 3);
        assert_eq!(source.line_text(9), "");
    }

    #[test]
    fn columns_of_a_long_line_are_those_of_counting_its_characters() {
        for length in [0, 1, 254, 255, 256, 257, 2000] {
            let line = "aä€𝄞".chars().cycle().take(length).collect::<String>();
            let text = format!("ä\n{line}");
            let source = Source::new("t", text.as_str());
            let ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
            for (column, at) in ends.enumerate() {
                let found = source.line_column(3 + at as u32);
                assert_eq!(found, (2, column as u32 + 1), "{length}");
            }
            assert_eq!(source.line_column(text.len() as u32 + 1), (2, 1));
        }
    }

    #[test]
    fn a_column_far_out_on_a_line_is_not_counted_from_its_start() {
        let source = Source::new("t", "a".repeat(2_000_000));
        let start = std::time::Instant::now();
        for offset in (0..2_000_000).step_by(10) {
            assert_eq!(source.line_column(offset), (1, offset + 1));
        }
        let took = start.elapsed();
        assert!(took < std::time::Duration::from_secs(20), "{took:?}");
    }

    #[test]
    fn lines_of_all_lengths_are_found_by_number_and_by_place() {
        for (length, count) in [(0, 0), (0, 700), (1, 500), (255, 5), (256, 5), (600, 4)] {
            let lines: Vec<String> = (0..count)
                .map(|line| "x".repeat(length + line % 3))
                .collect();
            let text = lines.join("\n");
            let source = Source::new("t", text.as_str());
            assert_eq!(source.line_count() as usize, lines.len().max(1));
            let mut start = 0;
            for (line, number) in lines.iter().zip(1..) {
                assert_eq!(source.line_text(number), line);
                assert_eq!(source.line_column(start), (number, 1));
                start += line.len() as u32;
                assert_eq!(source.line(start), number);
                start += 1;
            }
            assert_eq!(source.line_text(count as u32 + 1), "");
            assert_eq!(source.line_text(0), "");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_name_the_first_bad_byte() {
        let error = Source::from_bytes("t", b"a\nb\xffc".to_vec()).unwrap_err();
        assert_eq!(error, NotText::NotUtf8 { offset: 3, line: 2 });
    }
}
