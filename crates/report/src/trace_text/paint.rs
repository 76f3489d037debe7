//! Colours in text that is laid out before it is coloured.
//!
//! A word that will have a colour stands between two control characters that take no room. Names
//! and statements of a program never contain such characters: they are escaped.

use crate::diagnostics::Colour;
use anstyle::{AnsiColor, Effects, Style};
use hardbop_outcome::VerdictWord;

/// What a coloured word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// The new value of a variable.
    Value,
    /// What a choice came out as, or which way was taken.
    Choice,
    /// Something goes wrong.
    Failure,
    /// Another thread takes over.
    Switch,
}

/// Ends a coloured word.
const END: char = '\u{1}';
const INKS: [(char, Ink); 4] = [
    ('\u{2}', Ink::Value),
    ('\u{3}', Ink::Choice),
    ('\u{4}', Ink::Failure),
    ('\u{5}', Ink::Switch),
];

fn ink_of(mark: char) -> Option<Ink> {
    let known = INKS.iter().find(|(known, _)| *known == mark);
    known.map(|&(_, ink)| ink)
}

fn is_mark(c: char) -> bool {
    c == END || ink_of(c).is_some()
}

/// Every word of a text in a colour.
pub(super) fn inked(ink: Ink, text: &str) -> String {
    let (mark, _) = INKS[ink as usize];
    let words = text.split(' ').map(|word| format!("{mark}{word}{END}"));
    words.collect::<Vec<_>>().join(" ")
}

/// How much room a text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().filter(|&c| !is_mark(c)).count()
}

/// The text, and spaces up to a width.
pub(super) fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// Marks become colours, or go. A word that was broken has its colour up to the end of the line.
pub(super) fn finish(text: &str, colour: Colour) -> String {
    let mut finished = String::with_capacity(text.len());
    let mut current: Option<Style> = None;
    for c in text.chars() {
        let next = match (c, ink_of(c)) {
            (_, Some(ink)) => Some(style(ink)),
            (END | '\n', _) => None,
            _ => current,
        };
        if next != current && colour == Colour::Ansi {
            if let Some(style) = current {
                finished.push_str(&style.render_reset().to_string());
            }
            if let Some(style) = next {
                finished.push_str(&style.render().to_string());
            }
        }
        current = next;
        if !is_mark(c) {
            finished.push(c);
        }
    }
    finished
}

fn style(ink: Ink) -> Style {
    match ink {
        Ink::Value => AnsiColor::Cyan.on_default(),
        Ink::Choice => AnsiColor::Yellow.on_default(),
        Ink::Failure => AnsiColor::Red.on_default() | Effects::BOLD,
        Ink::Switch => AnsiColor::Magenta.on_default(),
    }
}

/// Colours the words of a verdict.
#[derive(Clone, Copy, Debug)]
pub struct Painter(pub Colour);

impl Painter {
    /// A verdict word, filled up with spaces.
    pub fn verdict(self, word: VerdictWord, width: usize) -> String {
        let colour = match word {
            VerdictWord::Holds | VerdictWord::Unreachable => AnsiColor::Green,
            VerdictWord::Violated | VerdictWord::Reachable => AnsiColor::Red,
            VerdictWord::Unknown => AnsiColor::Yellow,
        };
        let padded = format!("{:<width$}", word.to_string());
        match self.0 {
            Colour::Plain => padded,
            Colour::Ansi => {
                let style = colour.on_default() | Effects::BOLD;
                format!("{}{padded}{}", style.render(), style.render_reset())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_take_no_room_and_become_colours_that_end_with_the_line() {
        let text = format!("a {} b\n", inked(Ink::Value, "x=1 y=0"));
        assert_eq!(width(&text), "a x=1 y=0 b\n".len());
        assert_eq!(finish(&text, Colour::Plain), "a x=1 y=0 b\n");
        let coloured = "a \u{1b}[36mx=1\u{1b}[0m \u{1b}[36my=0\u{1b}[0m b\n";
        assert_eq!(finish(&text, Colour::Ansi), coloured);
        let broken = finish("\u{2}long\nword\u{1}", Colour::Ansi);
        assert_eq!(broken, "\u{1b}[36mlong\u{1b}[0m\nword");
    }
}
