//! Text from a program as it may go to a terminal, a file or a report.
//!
//! A name in braces may be any text: line ends, escape sequences of terminals, marks that reverse
//! the direction of writing. Shown as it is, a label could print a verdict of its own. So names
//! take their shown form when a machine is made of a program, sentences when a diagnostic is made,
//! and lines of the source when they are quoted; printers need not think of it.

use std::borrow::Cow;

/// A name. Different names are shown differently: a backslash is doubled.
pub fn shown_name(name: &str) -> Cow<'_, str> {
    escaped(name, |c| c == '\\' || is_unsafe(c))
}

/// A line of text, such as a sentence or a line of a program. Tabs and backslashes stay.
pub fn shown_line(line: &str) -> Cow<'_, str> {
    escaped(line, |c| c != '\t' && is_unsafe(c))
}

/// Whether a character does something else to an output than taking its place in the line.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            // Marks without width, separators of lines, directions of writing, noncharacters.
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
        )
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_escaped(character) {
            match character {
                '\\' | '\n' | '\r' | '\t' => escaped.extend(character.escape_default()),
                other => escaped.extend(other.escape_unicode()),
            }
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_shown_controls_a_terminal() {
        let hostile = "{a\nACCEPTED\u{1b}[2K\r\u{202e}b\u{9b}\t\\n}";
        assert_eq!(
            shown_name(hostile),
            r"{a\nACCEPTED\u{1b}[2K\r\u{202e}b\u{9b}\t\\n}"
        );
        assert_eq!(
            shown_line(hostile),
            "{a\\nACCEPTED\\u{1b}[2K\\r\\u{202e}b\\u{9b}\t\\n}"
        );
    }

    #[test]
    fn usual_names_stay_as_they_are() {
        for name in ["main", "{p->x == 0}", "{größe > 0}", "_x1"] {
            assert!(matches!(shown_name(name), Cow::Borrowed(same) if same == name));
        }
    }

    #[test]
    fn a_name_cannot_pass_for_another() {
        assert_ne!(shown_name("{\n}"), shown_name("{\\n}"));
        assert_ne!(shown_name("{\u{1b}}"), shown_name("{\\u{1b}}"));
    }
}
