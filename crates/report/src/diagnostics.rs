//! Errors and warnings as a person reads them, and as a program does.
//!
//! [`render`] shows each diagnostic with the piece of source it is about; [`json_lines`] gives one
//! JSON object per line. Both are bounded by what there is to say, not by the size of the source:
//! the excerpt machinery only ever sees a few lines, a span over many lines is shown by its first
//! one, and of a very long line only the part around the span is taken (generated programs are
//! often a single line).

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use hardbop_syntax::diagnostic::Label;
use hardbop_syntax::{Diagnostic, Severity, Source, Span};
use serde_json::json;
use std::borrow::Cow;
use std::ops::Range;

/// Longer lines are shown in part only.
const MAX_LINE_BYTES: usize = 2000;
/// How much of a long line is shown before the span, and at most from its start on.
const CONTEXT_BYTES: usize = 60;
/// Labels that are farther apart get excerpts of their own.
const MAX_EXCERPT_BYTES: usize = 8000;
/// Further diagnostics are counted but not shown.
const MAX_SHOWN: usize = 100;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    #[default]
    Plain,
    /// With ANSI escape sequences.
    Ansi,
}

/// The diagnostics of one source in order of position, each with an excerpt, then one line that
/// counts them. Empty if there are none.
pub fn render(source: &Source, diagnostics: &[Diagnostic], colour: Colour) -> String {
    if diagnostics.is_empty() {
        return String::new();
    }
    let renderer = match colour {
        Colour::Plain => Renderer::plain(),
        Colour::Ansi => Renderer::styled(),
    };
    let mut columns = Columns::new(source);
    let mut out = String::new();
    for diagnostic in sorted(diagnostics).into_iter().take(MAX_SHOWN) {
        out.push_str(&renderer.render(&[group(source, diagnostic, &mut columns)]));
        out.push_str("\n\n");
    }
    let mut summary = summary(source, diagnostics);
    if let Some(hidden) = diagnostics.len().checked_sub(MAX_SHOWN + 1) {
        summary = format!("{summary} ({} not shown)", hidden + 1);
    }
    let title = level(worst(diagnostics)).primary_title(summary);
    out.push_str(&renderer.render(&[Group::with_title(title)]));
    out.push('\n');
    out
}

/// One JSON object per diagnostic and line: `code`, `severity`, `message`, `file`, one-based
/// `line`, `column`, `end_line` and `end_column` (columns count characters), `label`, `labels`
/// (other places) and `help`.
pub fn json_lines(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let mut columns = Columns::new(source);
    let mut out = String::new();
    for diagnostic in sorted(diagnostics) {
        let mut object = place(&mut columns, &diagnostic.primary);
        let more = json!({
            "code": diagnostic.code.to_string(),
            "severity": word(diagnostic.severity),
            "message": diagnostic.message,
            "file": source.name(),
            "labels": diagnostic.secondary.iter().map(|label| place(&mut columns, label)).collect::<Vec<_>>(),
            "help": diagnostic.help,
        });
        if let (Some(object), serde_json::Value::Object(more)) = (object.as_object_mut(), more) {
            object.extend(more);
        }
        out.push_str(&object.to_string());
        out.push('\n');
    }
    out
}

/// Counts errors and warnings: `3 errors, 1 warning in lock.bp`.
pub fn summary(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let count = |severity| {
        let number = diagnostics
            .iter()
            .filter(|d| d.severity == severity)
            .count();
        let plural = if number == 1 { "" } else { "s" };
        (number > 0).then(|| format!("{number} {}{plural}", word(severity)))
    };
    let counts: Vec<String> = [Severity::Error, Severity::Warning]
        .into_iter()
        .filter_map(count)
        .collect();
    format!("{} in {}", counts.join(", "), source.name())
}

fn sorted(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| (diagnostic.primary.span, diagnostic.code));
    sorted
}

fn worst(diagnostics: &[Diagnostic]) -> Severity {
    let severities = diagnostics.iter().map(|diagnostic| diagnostic.severity);
    severities.max().unwrap_or(Severity::Warning)
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn place(columns: &mut Columns<'_>, label: &Label) -> serde_json::Value {
    let (line, column) = columns.of(label.span.start);
    let (end_line, end_column) = columns.of(label.span.end);
    json!({
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "label": label.text,
    })
}

/// The renderer replaces the control characters of ASCII, but not those that some terminals take as
/// the beginning of an escape sequence. What stands for them has the same length, for the places.
fn without_c1_controls(text: &str) -> Cow<'_, str> {
    let is_c1 = |c| ('\u{80}'..='\u{9f}').contains(&c);
    if text.contains(is_c1) {
        text.replace(is_c1, "\u{b7}").into()
    } else {
        text.into()
    }
}

/// A diagnostic with its excerpts, ready to be rendered.
fn group<'a>(
    source: &'a Source,
    diagnostic: &'a Diagnostic,
    columns: &mut Columns<'_>,
) -> Group<'a> {
    let title = level(diagnostic.severity)
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.to_string());
    let mut group = Group::with_title(title);
    for excerpt in excerpts(source, diagnostic) {
        let (line, column) = columns.of(excerpt.first_offset);
        let text = &source.text()[excerpt.range.clone()];
        let mut snippet = Snippet::source(without_c1_controls(text))
            .line_start(line as usize)
            .annotations(excerpt.annotations);
        if excerpt.is_cut {
            // The renderer would count the column from the cut.
            let origin = Origin::path(source.name()).line(line as usize);
            group = group.element(origin.char_column(column as usize));
        } else {
            snippet = snippet.path(source.name());
        }
        group = group.element(snippet);
    }
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    }
}

/// A piece of the source with what is said about it.
struct Excerpt<'a> {
    range: Range<usize>,
    /// Whether it is only a part of a line.
    is_cut: bool,
    /// Start of the first label in it.
    first_offset: u32,
    /// Their spans count from the start of the excerpt.
    annotations: Vec<Annotation<'a>>,
}

/// A piece of the source with the labels to show in it, before their places are known.
struct Piece<'a> {
    range: Range<usize>,
    is_cut: bool,
    labels: Vec<(AnnotationKind, &'a Label)>,
}

/// Excerpts that show all labels of a diagnostic, that of the primary one first.
fn excerpts<'a>(source: &Source, diagnostic: &'a Diagnostic) -> Vec<Excerpt<'a>> {
    let primary = (AnnotationKind::Primary, &diagnostic.primary);
    let secondary = diagnostic.secondary.iter();
    let labels =
        std::iter::once(primary).chain(secondary.map(|label| (AnnotationKind::Context, label)));
    let mut pieces: Vec<Piece<'a>> = Vec::new();
    for (kind, label) in labels {
        let (range, is_cut) = surroundings(source, label.span);
        let near = pieces.iter_mut().find(|piece| {
            let together = union(&piece.range, &range).len();
            piece.range == range || (!is_cut && !piece.is_cut && together <= MAX_EXCERPT_BYTES)
        });
        if let Some(piece) = near {
            piece.range = union(&piece.range, &range);
            piece.labels.push((kind, label));
        } else {
            let labels = vec![(kind, label)];
            pieces.push(Piece {
                range,
                is_cut,
                labels,
            });
        }
    }
    pieces.into_iter().map(|p| p.into_excerpt(source)).collect()
}

impl<'a> Piece<'a> {
    fn into_excerpt(self, source: &Source) -> Excerpt<'a> {
        let text = &source.text()[self.range.clone()];
        let annotation = |&(kind, label): &(AnnotationKind, &'a Label)| {
            let within = |offset: u32| (offset as usize).saturating_sub(self.range.start);
            let start = text.floor_char_boundary(within(label.span.start));
            let rest = &text[start..];
            let line_end = start + rest.find(['\n', '\r']).unwrap_or(rest.len());
            let end = text.ceil_char_boundary(within(label.span.end));
            let annotation = kind.span(start..end.clamp(start, line_end));
            if label.text.is_empty() {
                annotation
            } else {
                annotation.label(label.text.as_str())
            }
        };
        Excerpt {
            annotations: self.labels.iter().map(annotation).collect(),
            first_offset: if self.is_cut {
                self.labels[0].1.span.start
            } else {
                self.range.start as u32
            },
            range: self.range,
            is_cut: self.is_cut,
        }
    }
}

fn union(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
}

/// The line on which a span starts, or a part of it, and whether it is only a part.
fn surroundings(source: &Source, span: Span) -> (Range<usize>, bool) {
    let text = source.text();
    let line = source.line_text(source.line(span.start));
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    if line.len() <= MAX_LINE_BYTES {
        return (start..start + line.len(), false);
    }
    let at = span.start as usize;
    let first = at.saturating_sub(CONTEXT_BYTES).max(start);
    let last = (at + CONTEXT_BYTES).min(start + line.len());
    (
        text.floor_char_boundary(first)..text.ceil_char_boundary(last),
        true,
    )
}

/// Lines and columns of ascending offsets, without counting a long line anew for each.
struct Columns<'a> {
    source: &'a Source,
    /// An offset with its line and column.
    known: (u32, u32, u32),
}

impl<'a> Columns<'a> {
    fn new(source: &'a Source) -> Self {
        Self {
            source,
            known: (0, 1, 1),
        }
    }

    fn of(&mut self, offset: u32) -> (u32, u32) {
        let (known, known_line, known_column) = self.known;
        let line = self.source.line(offset);
        let between = self.source.text().get(known as usize..offset as usize);
        let column = match between {
            Some(between) if line == known_line => known_column + between.chars().count() as u32,
            _ => self.source.line_column(offset).1,
        };
        self.known = (offset, line, column);
        (line, column)
    }
}

#[cfg(test)]
mod tests;
