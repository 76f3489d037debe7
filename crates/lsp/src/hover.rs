//! What is shown about the place under the pointer: the declaration of a name, and what the codes
//! of errors and warnings there mean, as `hardbop explain` says it.

use crate::navigation::of_program;
use crate::reading::Reading;
use hardbop_syntax::index::{Definition, DefinitionKind};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

pub(crate) fn hover(reading: &Reading, offset: u32) -> Option<Hover> {
    let mut parts = Vec::new();
    let mut range = None;
    if let Some((program, number)) = of_program(reading, offset) {
        parts.push(about(program, number));
    } else if let Some(mention) = reading.index.at(offset) {
        parts.push(about(reading, mention.definition));
        range = Some(reading.lines.range(mention.span));
    }
    for diagnostic in &reading.diagnostics {
        let span = diagnostic.primary.span;
        if (span.start..=span.end).contains(&offset) {
            let entry = diagnostic.code.explanation();
            parts.push(format!(
                "**{}**: {}\n\n{}",
                entry.code, entry.title, entry.text
            ));
        }
    }
    if parts.is_empty() {
        return None;
    }
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: parts.join("\n\n---\n\n"),
        }),
        range,
    })
}

fn about(reading: &Reading, number: u32) -> String {
    let definitions = &reading.index.definitions;
    let definition = &definitions[number as usize];
    let place = place(reading, definition, |parent| &definitions[parent as usize]);
    format!("```hardbop\n{}\n```\n{place}", definition.declaration)
}

fn place<'a>(
    reading: &Reading,
    definition: &Definition,
    parent: impl Fn(u32) -> &'a Definition,
) -> String {
    let (source, span) = reading.locate(definition.span);
    let line = source.line(span.start);
    let file = source.name().rsplit('/').next().unwrap_or_default();
    let outer = definition.parent.map(parent);
    match outer.map(|outer| (outer.kind, &outer.name)) {
        Some((DefinitionKind::Procedure, name)) => format!("in `{name}`, {file}:{line}"),
        Some((DefinitionKind::Thread, name)) => format!("of thread `{name}`, {file}:{line}"),
        None if definition.kind == DefinitionKind::Variable => format!("global, {file}:{line}"),
        _ => format!("{file}:{line}"),
    }
}
