//! Renaming, refused unless it changes nothing but the name.
//!
//! The text with the new name is read again, and every name in it must mean what it meant before.
//! That one test catches whatever could go wrong: a name that is a keyword, that another definition
//! has, that hides a name or is hidden. Names with a meaning of their own (`main`, `init`, labels
//! `ASYNC_…`) are caught by comparing what runs.

use crate::reading::Reading;
use hardbop_machine::Machine;
use hardbop_syntax::Span;
use lsp_types::{Range, TextEdit};

/// The name at an offset, if it can be renamed.
pub(crate) fn prepare(reading: &Reading, offset: u32) -> Option<(Range, String)> {
    let mention = reading.index.at(offset)?;
    let name = reading.index.definitions[mention.definition as usize]
        .name
        .clone();
    Some((reading.lines.range(mention.span), name))
}

/// The edits, or why not. `read` reads the text as it would become.
pub(crate) fn rename(
    reading: &Reading,
    offset: u32,
    new_name: &str,
    read: impl Fn(String) -> Reading,
) -> Result<Vec<TextEdit>, String> {
    let mention = reading.index.at(offset).ok_or("there is no name here")?;
    let old_name = &reading.index.definitions[mention.definition as usize].name;
    let places: Vec<Span> = reading
        .index
        .mentions_of(mention.definition)
        .map(|m| m.span)
        .collect();
    if let Some(&elsewhere) = places.iter().find(|&&span| !reading.is_here(span)) {
        let file = reading.locate(elsewhere).0.name();
        return Err(format!(
            "`{old_name}` also stands in {file}, which other files may load"
        ));
    }
    let mut text = String::new();
    let mut end = 0;
    for span in &places {
        text.push_str(&reading.source.text()[end..span.start as usize]);
        text.push_str(new_name);
        end = span.end as usize;
    }
    text.push_str(&reading.source.text()[end..]);
    let after = read(text);
    let taken = after.index.definitions.get(mention.definition as usize);
    if taken.is_none_or(|definition| definition.name != new_name) {
        return Err(format!(
            "`{new_name}` is not a name that can stand for `{old_name}`"
        ));
    }
    if !means_the_same(reading, &after) {
        return Err(format!("`{new_name}` would change what another name means"));
    }
    let errors = |reading: &Reading| {
        let errors = reading.diagnostics.iter().filter(|d| d.is_error());
        errors
            .map(|error| error.message.clone())
            .collect::<Vec<_>>()
    };
    let (before, now) = (errors(reading), errors(&after));
    if now.len() > before.len() {
        let new = now.iter().find(|message| !before.contains(message));
        let why = new.or(now.first()).map_or("", String::as_str);
        return Err(format!(
            "renamed to `{new_name}`, the file would be wrong: {why}"
        ));
    }
    let runs_the_same = match (reading.machine(), after.machine()) {
        (Some(before), Some(now)) => runs_the_same(before, now),
        (before, now) => before.is_some() == now.is_some(),
    };
    if !runs_the_same {
        return Err(format!(
            "`{old_name}` or `{new_name}` has a meaning of its own"
        ));
    }
    let edit = |span: &Span| TextEdit::new(reading.lines.range(*span), new_name.to_owned());
    Ok(places.iter().map(edit).collect())
}

/// Whether every name stands for the same definition as before. Renaming keeps the order.
fn means_the_same(before: &Reading, after: &Reading) -> bool {
    let meanings = |reading: &Reading| -> Vec<(u32, bool)> {
        let mentions = reading.index.mentions().iter();
        mentions
            .map(|mention| (mention.definition, mention.defines))
            .collect()
    };
    meanings(before) == meanings(after)
}

/// Whether the same procedures run as threads, and each edge does the same kind of thing.
fn runs_the_same(before: &Machine, now: &Machine) -> bool {
    let threads = |machine: &Machine| -> Vec<_> {
        let threads = machine.threads.iter();
        threads
            .map(|thread| (thread.entry, thread.instances))
            .collect()
    };
    let actions = |machine: &Machine| -> Vec<_> {
        let edges = machine.edges.iter();
        edges
            .map(|edge| std::mem::discriminant(&edge.action))
            .collect()
    };
    threads(before) == threads(now)
        && before.init == now.init
        && before.atomic_flag == now.atomic_flag
        && actions(before) == actions(now)
}
