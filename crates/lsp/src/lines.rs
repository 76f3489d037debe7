//! Between byte offsets and the protocol's positions: lines from zero, columns in UTF-16 units.
//!
//! Lines end as the protocol says (`\n`, `\r\n` or `\r`), which is not how the rest of hardbop counts
//! them. Units are counted once per block of the text, so that a column costs the same on a long
//! line.

use hardbop_syntax::Span;
use lsp_types::{Position, Range};

const BLOCK: usize = 256;

/// A text with its tables.
#[derive(Debug)]
pub(crate) struct Lines {
    text: String,
    starts: Vec<u32>,
    /// UTF-16 units before each block.
    units: Vec<u32>,
}

/// How many UTF-16 units the characters have that start in these bytes of UTF-8.
fn units_in(bytes: &[u8]) -> u32 {
    let units = bytes.iter().map(|&byte| match byte {
        0x80..=0xBF => 0,
        0xF0.. => 2,
        _ => 1,
    });
    units.sum()
}

impl Lines {
    pub(crate) fn new(text: String) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |(offset, &byte): (usize, &u8)| {
            let is_end = byte == b'\n' || (byte == b'\r' && bytes.get(offset + 1) != Some(&b'\n'));
            is_end.then_some(offset as u32 + 1)
        };
        let ends = bytes.iter().enumerate().filter_map(ends_line);
        let starts = std::iter::once(0).chain(ends).collect();
        let mut count = 0;
        let blocks = bytes.chunks(BLOCK).map(|block| {
            let before = count;
            count += units_in(block);
            before
        });
        let units = blocks.collect();
        Self {
            text,
            starts,
            units,
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn units_before(&self, offset: usize) -> u32 {
        let block = offset / BLOCK;
        let before = self.units.get(block).copied();
        match before {
            Some(before) => before + units_in(&self.text.as_bytes()[block * BLOCK..offset]),
            // The end of a text that fills its last block.
            None => match self.units.last() {
                Some(before) => before + units_in(&self.text.as_bytes()[(block - 1) * BLOCK..]),
                None => 0,
            },
        }
    }

    /// The position of an offset, which is cut off at the end of the text.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let after = self
            .starts
            .partition_point(|&start| start as usize <= offset);
        let line = after - 1;
        let start = self.starts[line] as usize;
        let column = self.units_before(offset) - self.units_before(start);
        Position::new(line as u32, column)
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// The whole text.
    pub(crate) fn whole(&self) -> Range {
        self.range(Span::new(0, self.text.len() as u32))
    }

    /// The offset of a position. A line that is not there is the end of the text, a column that is
    /// not there the end of its line, and the middle of a character its start.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else {
            return self.text.len() as u32;
        };
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.text.len(), |&end| end as usize);
        let line = self.text[start as usize..end].trim_end_matches(['\n', '\r']);
        let end = start as usize + line.len();
        // Whole blocks first: the line may be a megabyte long.
        let wanted = self
            .units_before(start as usize)
            .saturating_add(position.character);
        let block = self
            .units
            .partition_point(|&before| before <= wanted)
            .saturating_sub(1);
        let mut offset = (block * BLOCK).max(start as usize);
        while !self.text.is_char_boundary(offset) {
            offset += 1;
        }
        let mut units = self.units_before(offset);
        for character in self.text[offset.min(end)..end].chars() {
            units += character.len_utf16() as u32;
            if units > wanted {
                break;
            }
            offset += character.len_utf8();
        }
        offset.min(end) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units_and_lines_end_as_in_the_protocol() {
        let lines = Lines::new("aä𝄞b\r\nc\rd\n".to_owned());
        let at = |line, column| lines.offset(Position::new(line, column));
        assert_eq!(
            [at(0, 0), at(0, 1), at(0, 2), at(0, 4), at(0, 5)],
            [0, 1, 3, 7, 8]
        );
        assert_eq!(at(0, 3), 3, "the middle of a surrogate pair");
        assert_eq!(at(0, 99), 8, "behind the end of the line");
        assert_eq!([at(1, 0), at(2, 0), at(3, 0), at(9, 9)], [10, 12, 14, 14]);
        assert_eq!(lines.position(7), Position::new(0, 4));
        assert_eq!(lines.position(12), Position::new(2, 0));
        assert_eq!(lines.position(99), Position::new(3, 0));
    }

    #[test]
    fn every_character_boundary_goes_there_and_back_on_long_lines() {
        for length in [0, 1, 255, 256, 257, 511, 512, 1000] {
            let text: String = "aä𝄞".chars().cycle().take(length).collect();
            let lines = Lines::new(text.clone());
            for offset in (0..=text.len()).filter(|&offset| text.is_char_boundary(offset)) {
                let position = lines.position(offset as u32);
                let units = text[..offset].encode_utf16().count();
                assert_eq!(position, Position::new(0, units as u32));
                assert_eq!(lines.offset(position), offset as u32);
            }
        }
    }
}
