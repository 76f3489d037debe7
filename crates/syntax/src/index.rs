//! Where the names of a file are defined and where they are used: what an editor asks for.
//!
//! Each language fills an [`Index`] from its own tree, also where the file has errors. Definitions
//! are numbered in order of the text. A name that stands for nothing is not mentioned.

use crate::source::Span;

/// What a name is defined as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// A procedure of a program.
    Procedure,
    /// A thread block.
    Thread,
    /// A variable: global or local, a parameter, or bound by a quantifier.
    Variable,
    /// A label or a guarded block.
    Label,
    /// An enumeration or a structure.
    Type,
    /// A value of an enumeration.
    Value,
    /// A field of a structure.
    Field,
    /// A relation.
    Relation,
    /// A monitor.
    Monitor,
    /// A state of a monitor.
    State,
}

/// A thing with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// The name where it is first defined.
    pub span: Span,
    /// All of its definition.
    pub whole: Span,
    /// The definition that it is part of.
    pub parent: Option<u32>,
    /// Its declaration in one line, as a reader would write it.
    pub declaration: String,
}

/// A place where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// The name.
    pub span: Span,
    /// The number of its definition.
    pub definition: u32,
    /// Whether it is defined here and not merely used.
    pub defines: bool,
}

/// The names of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// All definitions.
    pub definitions: Vec<Definition>,
    mentions: Vec<Mention>,
}

impl Index {
    /// Adds a definition. A name that is not written (its span is empty) is not mentioned.
    pub fn define(&mut self, definition: Definition) -> u32 {
        let number = self.definitions.len() as u32;
        let span = definition.span;
        self.definitions.push(definition);
        self.mention(span, number, true);
        number
    }

    /// Adds a place where a name stands.
    pub fn mention(&mut self, span: Span, definition: u32, defines: bool) {
        if span.start < span.end {
            self.mentions.push(Mention {
                span,
                definition,
                defines,
            });
        }
    }

    /// Puts the mentions in order of the text; to be called when all are there.
    #[must_use]
    pub fn finished(mut self) -> Self {
        self.mentions.sort_unstable();
        self.mentions.dedup_by_key(|mention| mention.span);
        self
    }

    /// All mentions in order of the text.
    pub fn mentions(&self) -> &[Mention] {
        &self.mentions
    }

    /// The mentions of one definition in order of the text.
    pub fn mentions_of(&self, definition: u32) -> impl Iterator<Item = Mention> + '_ {
        let all = self.mentions.iter().copied();
        all.filter(move |mention| mention.definition == definition)
    }

    /// The name at an offset, or the one that ends there.
    pub fn at(&self, offset: u32) -> Option<Mention> {
        let after = self.mentions.partition_point(|m| m.span.start <= offset);
        let found = *self.mentions[..after].last()?;
        if offset <= found.span.end {
            return Some(found);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_at_its_start_inside_and_at_its_end() {
        let mut index = Index::default();
        let definition = |span| Definition {
            name: "x".to_owned(),
            kind: DefinitionKind::Variable,
            span,
            whole: span,
            parent: None,
            declaration: String::new(),
        };
        index.define(definition(Span::new(4, 6)));
        index.define(definition(Span::new(0, 0)));
        index.mention(Span::new(1, 2), 0, false);
        let index = index.finished();
        let at = |offset| index.at(offset).map(|mention| mention.span.start);
        assert_eq!(
            [0, 1, 2, 3, 4, 6, 7].map(at),
            [None, Some(1), Some(1), None, Some(4), Some(4), None]
        );
        assert_eq!(index.mentions_of(0).count(), 2);
        assert_eq!(index.mentions_of(1).count(), 0);
    }
}
