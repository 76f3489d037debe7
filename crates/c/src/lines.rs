//! From places in the text that was parsed to places in the source that the user knows.
//!
//! Where no preprocessor was needed the two are the same. Behind a preprocessor, line markers say
//! which line of which file a line comes from. If the line looks the same there, its columns are
//! kept; if macros were expanded in it, what they made stands where they stand ([`crate::alignment`]),
//! or if that cannot be told at the whole line. What comes from a header stands at the `#include` that
//! brought it.

use crate::alignment::{Token, align, tokens};
use hardbop_syntax::{Source, Span};
use std::collections::BTreeMap;

/// Longer lines are not aligned with their expansions.
const MAX_TOKENS: usize = 20_000;

/// Where each line of the text comes from.
pub struct Lines<'a> {
    text: &'a str,
    /// By line of the text; nothing if both texts are the same.
    origins: Vec<Origin>,
    /// Where each line of the text starts.
    starts: Vec<usize>,
    /// Tokens of lines in which macros were expanded, in order: where they are and come from.
    aligned: Vec<(std::ops::Range<usize>, Span)>,
}

/// A line of the source.
#[derive(Clone, Copy)]
struct Origin {
    /// The line without the blanks around it.
    span: Span,
    /// Where columns of the text are those of the source: the offset in the text of the span.
    shift: Option<usize>,
}

impl<'a> Lines<'a> {
    /// A text that is the source, except for blanks.
    pub fn same(text: &'a str) -> Self {
        Self {
            text,
            origins: Vec::new(),
            starts: Vec::new(),
            aligned: Vec::new(),
        }
    }

    /// A text that a preprocessor has made of the source.
    pub fn preprocessed(text: &'a str, marked: &str, source: &Source) -> Self {
        let lines = lines_of(source.text());
        let mut origins = Vec::new();
        let mut starts = Vec::new();
        let mut file: Option<String> = None;
        let mut main: Option<String> = None;
        let (mut line, mut include) = (1usize, 1usize);
        let mut offset = 0;
        let mut expanded: BTreeMap<usize, Expansion<'_>> = BTreeMap::new();
        for (number, content) in marked.split('\n').enumerate() {
            starts.push(offset);
            let is_main = file == main;
            let of_source = if is_main { line } else { include };
            let trimmed = lines.get(of_source.saturating_sub(1)).copied();
            let span = trimmed.unwrap_or_default();
            let kept = text.get(offset..offset + content.len());
            let kept = kept.unwrap_or("").trim().trim_end_matches(';');
            let is_same = is_main
                && number < marked.len()
                && source.text()[span.range()].starts_with(kept)
                && !kept.is_empty();
            let blanks = content.len() - content.trim_start().len();
            let shift = is_same.then_some(offset + blanks);
            origins.push(Origin { span, shift });
            if is_main && !kept.is_empty() {
                let of_line = expanded.entry(line).or_default();
                of_line.has_macros |= !is_same;
                of_line.pieces.extend(
                    text.get(offset..offset + content.len())
                        .map(|c| (offset, c)),
                );
            }
            match marker(content) {
                Some((at, name)) => {
                    let name = name.map(str::to_owned);
                    main = main.or_else(|| name.clone());
                    if is_main && name.is_some() && name != main {
                        include = line.max(1);
                    }
                    line = at;
                    file = name.or(file);
                }
                None => line += 1,
            }
            offset += content.len() + 1;
        }
        Self {
            text,
            origins,
            starts,
            aligned: aligned(source, &lines, expanded),
        }
    }

    /// The place in the source, without blanks and semicolons at its end.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let (start, end) = (start.min(self.text.len()), end.min(self.text.len()));
        let kept = self.text.get(start..end.max(start)).unwrap_or("");
        let kept = kept.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
        let end = start + kept.len();
        if self.origins.is_empty() {
            return Span::new(start as u32, end as u32);
        }
        let first = self.place(start);
        let last = if end > start {
            self.place(end - 1)
        } else {
            first
        };
        let end = last.end.max(first.start);
        let end = if last.start == first.start && kept.is_empty() {
            first.start
        } else {
            end
        };
        Span::new(first.start, end)
    }

    /// The place of one character: itself, a macro, or its line.
    fn place(&self, offset: usize) -> Span {
        let after = self
            .aligned
            .partition_point(|(token, _)| token.start <= offset);
        if let Some((token, place)) = self.aligned[..after].last()
            && token.contains(&offset)
        {
            // A token that was kept is as long as it was.
            let is_kept = place.range().len() == token.len();
            let inside = (offset - token.start) as u32;
            let at = place.start + inside;
            return if is_kept {
                Span::new(at, at + 1)
            } else {
                *place
            };
        }
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let origin = self.origins[line];
        match origin.shift {
            Some(shift) => {
                let inside = offset.saturating_sub(shift) as u32;
                let at = (origin.span.start + inside).min(origin.span.end.max(1) - 1);
                Span::new(at, at + 1)
            }
            None => origin.span,
        }
    }
}

/// What a preprocessor has made of a line of the source.
#[derive(Default)]
struct Expansion<'t> {
    /// Where the pieces are in the text, and they themselves.
    pieces: Vec<(usize, &'t str)>,
    has_macros: bool,
}

/// The tokens of lines in which macros were expanded, and where they come from.
fn aligned(
    source: &Source,
    lines: &[Span],
    expanded: BTreeMap<usize, Expansion<'_>>,
) -> Vec<(std::ops::Range<usize>, Span)> {
    let mut aligned = Vec::new();
    let stripped = crate::text::strip(source.text()).text;
    for (line, expansion) in expanded {
        let span = lines.get(line.saturating_sub(1)).copied();
        let Some(span) = span.filter(|_| expansion.has_macros) else {
            continue;
        };
        // Semicolons at the end belong to the line here.
        let end = stripped[span.range().start..].find('\n');
        let end = end.map_or(stripped.len(), |length| span.range().start + length);
        let before = tokens([(span.range().start, &stripped[span.range().start..end])]);
        let after = tokens(expansion.pieces);
        if before.len().max(after.len()) > MAX_TOKENS {
            continue;
        }
        if let Some(places) = align(&before, &after) {
            let range = |token: &Token<'_>| token.start..token.start + token.text.len();
            aligned.extend(after.iter().map(range).zip(places));
        }
    }
    aligned.sort_by_key(|(token, _)| token.start);
    aligned
}

/// The lines of a text without the blanks around them and the semicolons at their ends.
fn lines_of(text: &str) -> Vec<Span> {
    let mut offset = 0;
    let lines = text.split('\n').map(|line| {
        let start = offset + line.len() - line.trim_start().len();
        let end = start + line.trim().trim_end_matches(';').len();
        offset += line.len() + 1;
        Span::new(start as u32, end.max(start) as u32)
    });
    lines.collect()
}

/// `# 12 "file" 1` or `#line 12 "file"`: the number of the next line, and its file.
fn marker(line: &str) -> Option<(usize, Option<&str>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = rest.split_at(digits.unwrap_or(rest.len()));
    let number = number.parse().ok()?;
    let name = rest.trim_start().strip_prefix('"');
    let name = name.and_then(|name| name.split('"').next());
    Some((number, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_behind_a_preprocessor_are_those_of_the_source() {
        let source = Source::new(
            "p.c",
            "#include <a.h>\n#define N 2\nint  x = N;\n  int y;\n",
        );
        let marked = "# 1 \"p.c\"\n# 1 \"<built-in>\"\n# 1 \"p.c\"\n# 1 \"a.h\" 1\nint header;\n\
                      # 2 \"p.c\" 2\n\nint x = 2;\n  int y;\n";
        let text = crate::text::strip(marked).text;
        let lines = Lines::preprocessed(&text, marked, &source);
        let shown = |what: &str| {
            let start = text.find(what).unwrap();
            &source.text()[lines.span(start, start + what.len()).range()]
        };
        assert_eq!(shown("y;"), "y");
        assert_eq!(shown("x = 2"), "x = N");
        assert_eq!(shown("header"), "#include <a.h>");
    }
}
