//! The texts of a system and their common line of addresses.
//!
//! A system may come from several files. Each text is given a range of addresses, one after the
//! other, and a [`Span`] in the tree, in diagnostics and in the [`crate::System`] counts from
//! address 0: so it knows its file without carrying it along. [`Sources::locate`] leads back to a
//! file and a span in it.

use hardbop_syntax::diagnostic::Label;
use hardbop_syntax::{Diagnostic, Source, Span};

/// The texts that were read, in the order in which they were first asked for.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<(u32, Source)>,
    end: u32,
}

impl Sources {
    /// Adds a text and gives its first address. The caller has asked whether there is room; for the
    /// first text there is.
    pub(crate) fn add(&mut self, source: Source) -> u32 {
        let base = self.end;
        // One address between files: the end of one is not the start of the next.
        let length = source.text().len() as u32;
        self.end = base.saturating_add(length).saturating_add(1);
        self.files.push((base, source));
        base
    }

    /// Whether the addresses suffice for a text: all texts together have at most 4 GiB.
    pub(crate) fn has_room_for(&self, source: &Source) -> bool {
        let length = u32::try_from(source.text().len());
        length.is_ok_and(|length| length < u32::MAX - self.end)
    }

    /// The texts, the root first.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.files.iter().map(|(_, source)| source)
    }

    /// The text that a span is about, and the span as offsets in that text.
    ///
    /// # Panics
    /// If there is no text at all.
    pub fn locate(&self, span: Span) -> (&Source, Span) {
        let (index, span) = self.place(span);
        (&self.files[index].1, span)
    }

    fn place(&self, span: Span) -> (usize, Span) {
        let after = self.files.partition_point(|&(base, _)| base <= span.start);
        let index = after.saturating_sub(1);
        let base = self.files[index].0;
        (index, Span::new(span.start - base, span.end - base))
    }

    /// The addresses of a text, by number.
    pub(crate) fn range(&self, index: usize) -> (u32, u32) {
        let (base, source) = &self.files[index];
        (*base, base + source.text().len() as u32)
    }

    /// The number of the text of a name.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        let mut files = self.files.iter();
        files.position(|(_, source)| source.name() == name)
    }

    /// What stands between two addresses in one text.
    pub(crate) fn slice(&self, start: u32, end: u32) -> &str {
        let (source, span) = self.locate(Span::new(start, end));
        source.slice(span)
    }

    /// The first address after the text that a span is about.
    pub(crate) fn end_of(&self, span: Span) -> u32 {
        let (source, within) = self.locate(span);
        span.start - within.start + source.text().len() as u32 + 1
    }

    /// A place as `file:line:column`.
    pub fn describe(&self, span: Span) -> String {
        let (source, span) = self.locate(span);
        let (line, column) = source.line_column(span.start);
        format!("{}:{line}:{column}", source.name())
    }

    /// The diagnostics of each text, with spans in that text, ready to be rendered; texts without
    /// any are left out. What a diagnostic says about a place in another text becomes part of its
    /// help.
    pub fn by_file(&self, diagnostics: &[Diagnostic]) -> Vec<(&Source, Vec<Diagnostic>)> {
        let mut files: Vec<Vec<Diagnostic>> = vec![Vec::new(); self.files.len()];
        for diagnostic in diagnostics {
            let (index, span) = self.place(diagnostic.primary.span);
            let mut moved = diagnostic.clone();
            moved.primary.span = span;
            moved.secondary.clear();
            for label in &diagnostic.secondary {
                let (of_label, span) = self.place(label.span);
                if of_label == index {
                    let text = label.text.clone();
                    moved.secondary.push(Label { span, text });
                } else {
                    let place = format!("see {}: {}", self.describe(label.span), label.text);
                    moved.help = Some(match moved.help.take() {
                        Some(help) => format!("{help}; {place}"),
                        None => place,
                    });
                }
            }
            files[index].push(moved);
        }
        let sources = self.iter().zip(files);
        sources.filter(|(_, found)| !found.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_syntax::codes::calculus;

    fn two() -> Sources {
        let mut sources = Sources::default();
        assert_eq!(sources.add(Source::new("a.mu", "abc\n")), 0);
        assert_eq!(sources.add(Source::new("b.mu", "\nxyz")), 5);
        sources
    }

    #[test]
    fn a_span_knows_its_file() {
        let sources = two();
        let (source, span) = sources.locate(Span::new(6, 9));
        assert_eq!((source.name(), source.slice(span)), ("b.mu", "xyz"));
        assert_eq!(sources.describe(Span::new(4, 4)), "a.mu:2:1");
        assert_eq!(sources.describe(Span::new(6, 9)), "b.mu:2:1");
    }

    #[test]
    fn a_label_in_another_file_becomes_help() {
        let sources = two();
        let diagnostic = Diagnostic::new(calculus::REDEFINED, Span::new(6, 9), "twice")
            .also(Span::new(0, 3), "the first definition");
        let files = sources.by_file(&[diagnostic]);
        assert_eq!(files.len(), 1);
        let found = &files[0].1[0];
        assert_eq!(found.primary.span, Span::new(1, 4));
        assert!(found.secondary.is_empty());
        assert_eq!(
            found.help.as_deref(),
            Some("see a.mu:1:1: the first definition")
        );
    }
}
