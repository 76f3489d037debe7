//! A monitor for an editor: its own names and those of the program that it speaks of, and what is
//! wrong with it whatever the program is.

use super::builder::Builder;
use super::reader::{Declared, Move, Reader};
use crate::text::tree::{Name, TreeKind};
use hardbop_syntax::index::{Definition, DefinitionKind, Index};
use hardbop_syntax::{Diagnostic, Source, Span};
use std::collections::HashMap;

/// A monitor that has been read without a program.
#[derive(Clone, Debug)]
pub struct MonitorText {
    /// The monitor and its states.
    pub index: Index,
    /// What guards name of the program.
    pub of_program: Vec<ProgramName>,
    /// What is wrong with the text and its states.
    pub diagnostics: Vec<Diagnostic>,
}

/// A name of the program in a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramName {
    /// Where it stands.
    pub span: Span,
    /// The procedure before the colon.
    pub procedure: Option<Span>,
    /// What it names.
    pub kind: ProgramNameKind,
}

/// What a guard names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramNameKind {
    /// A variable.
    Variable,
    /// `at(label)`
    Label,
    /// `in(procedure)`, `call` or `return` of it, or the procedure before a colon.
    Procedure,
}

/// Reads a monitor without its program.
pub fn read_monitor_text(source: &Source) -> MonitorText {
    let mut reader = Reader::new(source);
    let name = reader.file();
    let mut builder = Builder::new(source, &reader.states);
    let is_readable = reader.parser.diagnostics.is_empty();
    if is_readable {
        builder.check_roles();
    }
    for group in &reader.groups {
        builder.state(group.state);
        for target in moves(&reader, group.state) {
            builder.state(target);
        }
    }
    let (_, of_states) = builder.finish();
    let index = index(source, name, &reader);
    let of_program = program_names(&reader);
    let mut diagnostics = reader.parser.diagnostics;
    diagnostics.extend(of_states);
    MonitorText {
        index,
        of_program,
        diagnostics,
    }
}

/// Where the transitions behind one `from` lead.
fn moves(reader: &Reader<'_>, from: Span) -> Vec<Span> {
    let mut targets = Vec::new();
    for group in reader.groups.iter().filter(|group| group.state == from) {
        let moves = group.transitions.iter().map(|(_, movement)| movement);
        for movement in moves.chain(&group.otherwise) {
            if let Move::Goto(states) = movement {
                targets.extend(states);
            }
        }
    }
    targets
}

fn index(source: &Source, name: Span, reader: &Reader<'_>) -> Index {
    let mut index = Index::default();
    let text = |span| source.slice(span).to_owned();
    let whole = Span::new(0, source.text().len() as u32);
    let monitor = index.define(Definition {
        name: text(name),
        kind: DefinitionKind::Monitor,
        span: name,
        whole: if name == Span::default() { name } else { whole },
        parent: None,
        declaration: format!("monitor {}", text(name)),
    });
    let mut states: HashMap<&str, u32> = HashMap::new();
    for state in &reader.states {
        let number = index.define(Definition {
            name: text(state.name),
            kind: DefinitionKind::State,
            span: state.name,
            whole: state.name,
            parent: Some(monitor),
            declaration: declaration(source, state),
        });
        states.entry(source.slice(state.name)).or_insert(number);
    }
    for group in &reader.groups {
        for place in std::iter::once(group.state).chain(moves(reader, group.state)) {
            if let Some(&number) = states.get(source.slice(place)) {
                index.mention(place, number, false);
            }
        }
    }
    index.finished()
}

fn declaration(source: &Source, state: &Declared) -> String {
    let mut text = format!("state {}", source.slice(state.name));
    let roles = [
        (state.initial, " initial"),
        (state.target, " target"),
        (state.accepting, " accepting"),
    ];
    text.extend(roles.iter().filter(|(has, _)| *has).map(|(_, word)| *word));
    text
}

fn program_names(reader: &Reader<'_>) -> Vec<ProgramName> {
    let mut names = Vec::new();
    let mut add = |name: Name, kind| {
        names.extend(name.procedure.map(|span| ProgramName {
            span,
            procedure: None,
            kind: ProgramNameKind::Procedure,
        }));
        names.push(ProgramName {
            span: name.name,
            procedure: name.procedure,
            kind,
        });
    };
    for node in &reader.parser.tree.nodes {
        match node.kind {
            TreeKind::Variable(name) => add(name, ProgramNameKind::Variable),
            TreeKind::At(name) => add(name, ProgramNameKind::Label),
            TreeKind::In(name) | TreeKind::Call(name) | TreeKind::Return(name) => {
                let procedure = None;
                add(Name { procedure, name }, ProgramNameKind::Procedure);
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_names_of_the_program_are_found_without_the_program() {
        let source = Source::new(
            "m.mon",
            "monitor M begin
  state a initial; state b target;
  from a: on at(f:L) & x goto b; on in(f) goto c; else stay;
end",
        );
        let text = read_monitor_text(&source);
        let names: Vec<&str> = text
            .of_program
            .iter()
            .map(|n| source.slice(n.span))
            .collect();
        assert_eq!(names, ["f", "L", "x", "f"]);
        let messages: Vec<&str> = text
            .diagnostics
            .iter()
            .map(|d| d.message.as_str())
            .collect();
        assert_eq!(messages, ["the monitor has no state `c`"]);
        let of = |name: &str| {
            let found = text.index.definitions.iter().position(|d| d.name == name);
            text.index.mentions_of(found.unwrap() as u32).count()
        };
        assert_eq!([of("M"), of("a"), of("b")], [1, 2, 2]);
    }
}
