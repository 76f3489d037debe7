//! Go to definition, references, and the outline of a document.

use crate::language::uri_of;
use crate::lines::Lines;
use crate::reading::{About, Reading};
use hardbop_automata::{ProgramName, ProgramNameKind};
use hardbop_syntax::Span;
use hardbop_syntax::index::{Definition, DefinitionKind, Index};
use lsp_types::{DocumentSymbol, Location, SymbolKind, Uri};

/// Where the name at an offset is defined. A label may be defined in several places.
pub(crate) fn definition(reading: &Reading, uri: &Uri, offset: u32) -> Vec<Location> {
    if let Some((program, number)) = of_program(reading, offset) {
        let Some(uri) = uri_of(program.source.name()) else {
            return Vec::new();
        };
        return places(program, &uri, number, |defines| defines);
    }
    match reading.index.at(offset) {
        Some(mention) => places(reading, uri, mention.definition, |defines| defines),
        None => Vec::new(),
    }
}

/// Where the name at an offset stands.
pub(crate) fn references(
    reading: &Reading,
    uri: &Uri,
    offset: u32,
    with_definition: bool,
) -> Vec<Location> {
    let Some(mention) = reading.index.at(offset) else {
        return Vec::new();
    };
    let is_wanted = |defines: bool| with_definition || !defines;
    places(reading, uri, mention.definition, is_wanted)
}

fn places(
    reading: &Reading,
    uri: &Uri,
    definition: u32,
    is_wanted: impl Fn(bool) -> bool,
) -> Vec<Location> {
    let mentions = reading.index.mentions_of(definition);
    let mentions = mentions.filter(|mention| is_wanted(mention.defines));
    let location = |span| {
        if reading.is_here(span) {
            return Some(Location::new(uri.clone(), reading.lines.range(span)));
        }
        let (source, span) = reading.locate(span);
        let range = Lines::new(source.text().to_owned()).range(span);
        Some(Location::new(uri_of(source.name())?, range))
    };
    mentions
        .filter_map(|mention| location(mention.span))
        .collect()
}

/// The definition in the program that a monitor's guard names at an offset.
pub(crate) fn of_program(reading: &Reading, offset: u32) -> Option<(&Reading, u32)> {
    let About::Monitor {
        of_program,
        program,
    } = &reading.about
    else {
        return None;
    };
    let at = |name: &&ProgramName| (name.span.start..=name.span.end).contains(&offset);
    let name = of_program.iter().find(at)?;
    let program = program.as_deref()?;
    let text = |span: Span| reading.source.slice(span);
    let found = find(
        &program.index,
        name,
        text(name.span),
        name.procedure.map(text),
    )?;
    Some((program, found))
}

/// The definition that a guard means: with a procedure one in it, otherwise a global variable first.
fn find(index: &Index, name: &ProgramName, text: &str, procedure: Option<&str>) -> Option<u32> {
    let kind = match name.kind {
        ProgramNameKind::Variable => DefinitionKind::Variable,
        ProgramNameKind::Label => DefinitionKind::Label,
        ProgramNameKind::Procedure => DefinitionKind::Procedure,
    };
    let parent = |definition: &Definition| {
        let parent = &index.definitions[definition.parent? as usize];
        (parent.kind == DefinitionKind::Procedure).then_some(parent.name.as_str())
    };
    let all = index.definitions.iter().enumerate();
    let mut named = all
        .filter(|(_, d)| d.kind == kind && d.name == text)
        .peekable();
    let first = named.peek().map(|(number, _)| *number as u32);
    let exact = named.find(|(_, definition)| parent(definition) == procedure);
    let exact = exact.map(|(number, _)| number as u32);
    exact.or(first.filter(|_| procedure.is_none()))
}

/// The outline: definitions inside those that they are part of.
pub(crate) fn symbols(reading: &Reading) -> Vec<DocumentSymbol> {
    let definitions = &reading.index.definitions;
    let mut children: Vec<Vec<DocumentSymbol>> = vec![Vec::new(); definitions.len()];
    let mut roots = Vec::new();
    // Parts have larger numbers than what they are part of.
    for (number, definition) in definitions.iter().enumerate().rev() {
        let mut inside = std::mem::take(&mut children[number]);
        inside.sort_by_key(|symbol| symbol.range.start);
        let is_bound = definition.kind == DefinitionKind::Variable
            && definition
                .parent
                .is_none_or(|parent| definitions[parent as usize].kind == DefinitionKind::Relation)
            && matches!(reading.about, About::Formulas { .. });
        let is_written = definition.span.start < definition.span.end;
        let outer = match definition.parent {
            Some(parent) => &mut children[parent as usize],
            None => &mut roots,
        };
        if is_bound || !is_written || !reading.is_here(definition.whole) {
            outer.extend(inside);
        } else {
            outer.push(symbol(reading, definition, inside));
        }
    }
    roots.sort_by_key(|symbol: &DocumentSymbol| symbol.range.start);
    roots
}

#[expect(
    deprecated,
    reason = "the field that replaced `deprecated` is optional, it is not"
)]
fn symbol(
    reading: &Reading,
    definition: &Definition,
    children: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    let kind = match definition.kind {
        DefinitionKind::Procedure | DefinitionKind::Relation => SymbolKind::FUNCTION,
        DefinitionKind::Thread | DefinitionKind::Monitor => SymbolKind::MODULE,
        DefinitionKind::Variable => SymbolKind::VARIABLE,
        DefinitionKind::Label => SymbolKind::KEY,
        DefinitionKind::Type => SymbolKind::STRUCT,
        DefinitionKind::Value | DefinitionKind::State => SymbolKind::ENUM_MEMBER,
        DefinitionKind::Field => SymbolKind::FIELD,
    };
    DocumentSymbol {
        name: definition.name.clone(),
        detail: Some(definition.declaration.clone()),
        kind,
        tags: None,
        deprecated: None,
        range: reading.lines.range(definition.whole.to(definition.span)),
        selection_range: reading.lines.range(definition.span),
        children: (!children.is_empty()).then_some(children),
    }
}
