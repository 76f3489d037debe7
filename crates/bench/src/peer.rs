//! Other programs that are measured beside hardbop's engines.
//!
//! A peer is given as `NAME=COMMAND`, or `NAME=COMMAND => YES`, or `NAME=COMMAND => YES => NO`. In
//! the command `{file}` stands for the program and `{label}` for the label in question. Output that
//! holds the text YES means *reachable*; output that holds NO, or without a NO a clean exit, means
//! *unreachable*. Words are split as a shell would, quotes included, but no shell runs unless the
//! command asks for one: its start would be part of every measurement.

use crate::verdict::Verdict;

/// Another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// What tables call it.
    pub name: String,
    /// Program and arguments, with placeholders.
    words: Vec<String>,
    /// Output that means *reachable*.
    reachable: Option<String>,
    /// Output that means *unreachable*.
    unreachable: Option<String>,
}

/// What is wrong with the description of a peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPeer {
    /// No `=` after the name, or nothing before it.
    #[error("a peer is given as NAME=COMMAND, as in 'moped=moped {{file}} {{label}} => YES'")]
    NoName,
    /// Nothing to run.
    #[error("peer {name} has no command after its `=`")]
    NoCommand {
        /// The peer.
        name: String,
    },
    /// A quotation mark without its partner.
    #[error("the command of peer {name} opens a quotation with {quote} and does not close it")]
    OpenQuote {
        /// The peer.
        name: String,
        /// The quotation mark.
        quote: char,
    },
    /// An empty text is in every output.
    #[error("peer {name} has an empty text after `=>`")]
    EmptyPattern {
        /// The peer.
        name: String,
    },
}

const ARROW: &str = "=>";

impl std::str::FromStr for Peer {
    type Err = BadPeer;

    fn from_str(text: &str) -> Result<Self, BadPeer> {
        let (name, rest) = text.split_once('=').ok_or(BadPeer::NoName)?;
        let name = name.trim().to_owned();
        if name.is_empty() {
            return Err(BadPeer::NoName);
        }
        let mut parts = rest.splitn(3, ARROW).map(str::trim);
        let words = split_words(parts.next().unwrap_or_default()).map_err(|quote| {
            let name = name.clone();
            BadPeer::OpenQuote { name, quote }
        })?;
        if words.is_empty() {
            return Err(BadPeer::NoCommand { name });
        }
        let reachable = parts.next().map(str::to_owned);
        let unreachable = parts.next().map(str::to_owned);
        if [&reachable, &unreachable]
            .iter()
            .any(|text| text.as_deref() == Some(""))
        {
            return Err(BadPeer::EmptyPattern { name });
        }
        Ok(Self {
            name,
            words,
            reachable,
            unreachable,
        })
    }
}

impl Peer {
    /// The words of the command for one program. Without a label, `{label}` is the empty text.
    pub fn command(&self, file: &str, label: Option<&str>) -> Vec<String> {
        let filled = |word: &String| fill_in(word, file, label.unwrap_or_default());
        self.words.iter().map(filled).collect()
    }

    /// The verdict in its output, if the peer's description says how to read it.
    pub fn verdict(&self, output: &str, exit_code: i32) -> Option<Verdict> {
        let reachable = self.reachable.as_ref()?;
        let says_unreachable = match &self.unreachable {
            Some(text) => output.contains(text),
            None => exit_code == 0,
        };
        Some(if output.contains(reachable) {
            Verdict::Reachable
        } else if says_unreachable {
            Verdict::Unreachable
        } else {
            Verdict::Unknown
        })
    }
}

/// Replaces the placeholders in one pass: a file name may itself look like one.
fn fill_in(word: &str, file: &str, label: &str) -> String {
    let mut filled = String::new();
    let mut rest = word;
    while let Some(start) = rest.find('{') {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        let (value, after) = if let Some(after) = rest.strip_prefix("{file}") {
            (file, after)
        } else if let Some(after) = rest.strip_prefix("{label}") {
            (label, after)
        } else {
            rest.split_at(1)
        };
        filled.push_str(value);
        rest = after;
    }
    filled + rest
}

/// Splits at blanks outside quotation marks; the error is a mark that stays open.
fn split_words(text: &str) -> Result<Vec<String>, char> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for character in text.chars() {
        match quote {
            Some(mark) if mark == character => quote = None,
            None if character.is_whitespace() => words.extend(word.take()),
            None if matches!(character, '\'' | '"') => {
                quote = Some(character);
                // Quotation marks with nothing between them are an empty word.
                word.get_or_insert_default();
            }
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(text: &str) -> Peer {
        text.parse().expect("a well-formed peer")
    }

    #[test]
    fn placeholders_are_filled_in_wherever_they_stand() {
        let peer = peer("m=moped -b {file} main:{label} --set x={file},{label}");
        assert_eq!(peer.name, "m");
        let command = peer.command("/t/{label} a.bp", Some("L"));
        let expected = [
            "moped",
            "-b",
            "/t/{label} a.bp",
            "main:L",
            "--set",
            "x=/t/{label} a.bp,L",
        ];
        assert_eq!(command, expected);
        assert_eq!(peer.command("f", None)[3], "main:");
    }

    #[test]
    fn quotes_keep_words_together_and_other_braces_stay() {
        let peer = peer(r#"z=sh -c 'z3 "$1" | awk {print}' "" {file}"#);
        let command = peer.command("f.bp", None);
        assert_eq!(command, ["sh", "-c", "z3 \"$1\" | awk {print}", "", "f.bp"]);
    }

    #[test]
    fn verdicts_are_read_as_described() {
        use Verdict::{Reachable, Unknown, Unreachable};
        let none = peer("a=b {file}");
        assert_eq!(none.verdict("YES", 0), None);
        let one = peer("a=b {file} => YES.");
        assert_eq!(one.verdict("so: YES.\n", 1), Some(Reachable));
        assert_eq!(one.verdict("NO.", 0), Some(Unreachable));
        assert_eq!(one.verdict("syntax error", 1), Some(Unknown));
        let both = peer("a=b {file} => is reachable => is not");
        assert_eq!(both.verdict("it is reachable", 0), Some(Reachable));
        assert_eq!(both.verdict("it is not", 7), Some(Unreachable));
        assert_eq!(both.verdict("hm", 0), Some(Unknown));
    }

    #[test]
    fn malformed_peers_are_refused() {
        let error = |text: &str| text.parse::<Peer>().expect_err("malformed").to_string();
        assert!(error("moped {file}").contains("NAME=COMMAND"));
        assert!(error("=moped").contains("NAME=COMMAND"));
        assert!(error("m= => YES").contains("no command"));
        assert!(error("m=sh -c 'x").contains("does not close"));
        assert!(error("m=x => ").contains("empty text"));
    }
}
