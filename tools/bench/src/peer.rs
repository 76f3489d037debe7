//! Other programs that are measured beside hardbop's engines.
//!
//! A peer is given as `NAME=COMMAND`, or `NAME=COMMAND => YES`, or `NAME=COMMAND => YES => NO`. In
//! the command `{file}` stands for the program, `{label}` for the label in question, and the name
//! of a format, such as `{chc}`, for the file that `hardbop export --to chc` writes. Output that
//! holds the text YES means *reachable*; output that holds NO, or without a NO a clean exit, means
//! *unreachable*. Words are split as a shell would, quotes included, but no shell runs unless the
//! command asks for one: its start would be part of every measurement.
//!
//! A tool that searches up to a bound has `{bound}` in its command. It is run with 1, 2, 4 and so
//! on until it gives an answer, as one would use it by hand, and all runs together are measured: a
//! single bound would be too small for some programs and a waste of time on others.
//!
//! A text must stand for itself in the output, so that `sat` is neither in `unsat` nor in `saturated`.

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
    /// The exit codes of a run that has not failed, if they are known.
    pub(crate) exit_codes: Option<&'static [i32]>,
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
    /// Without both texts nothing says whether a bound suffices.
    #[error(
        "peer {name} has a {{bound}}, so its description needs both answers: `=> YES => NO` after \
         the command"
    )]
    BoundWithoutAnswers {
        /// The peer.
        name: String,
    },
    /// An empty text is in every output.
    #[error("peer {name} has an empty text after `=>`")]
    EmptyPattern {
        /// The peer.
        name: String,
    },
}

const ARROW: &str = "=>";
const BOUND: &str = "{bound}";
/// The bounds that are tried; a peer for which the last one does not suffice has no answer.
const BOUNDS: [u32; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/// The formats of `hardbop export` that a command may ask for.
const FORMATS: [&str; 5] = ["chc", "moped", "c", "mu", "dimacs"];

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
        let peer = Self {
            name,
            words,
            reachable,
            unreachable,
            exit_codes: None,
        };
        if peer.has_bound() && peer.unreachable.is_none() {
            return Err(BadPeer::BoundWithoutAnswers { name: peer.name });
        }
        Ok(peer)
    }
}

impl Peer {
    /// The formats of `hardbop export` that the command needs.
    pub fn formats(&self) -> impl Iterator<Item = &'static str> {
        let is_needed = |format: &&str| {
            let placeholder = format!("{{{format}}}");
            self.words.iter().any(|word| word.contains(&placeholder))
        };
        FORMATS.into_iter().filter(is_needed)
    }

    fn has_bound(&self) -> bool {
        self.words.iter().any(|word| word.contains(BOUND))
    }

    /// The bounds to run it with, one after the other until there is an answer; a single one if its
    /// command has no `{bound}`.
    pub fn bounds(&self) -> &'static [u32] {
        if self.has_bound() {
            &BOUNDS
        } else {
            &BOUNDS[..1]
        }
    }

    /// Whether a run that ended with this exit code has failed, whatever its output says: Z3, for
    /// one, leaves out an assertion that it cannot read and answers nevertheless.
    pub fn has_failed(&self, exit_code: i32) -> bool {
        self.exit_codes
            .is_some_and(|codes| !codes.contains(&exit_code))
    }

    /// The words of the command, with a value for the name of every placeholder.
    pub fn command(&self, value: impl Fn(&str) -> Option<String>) -> Vec<String> {
        self.words
            .iter()
            .map(|word| fill_in(word, &value))
            .collect()
    }

    /// The verdict in its output, if the peer's description says how to read it.
    pub fn verdict(&self, output: &str, exit_code: i32) -> Option<Verdict> {
        let reachable = self.reachable.as_ref()?;
        let says_unreachable = match &self.unreachable {
            Some(text) => stands_in(output, text),
            None => exit_code == 0,
        };
        Some(if stands_in(output, reachable) {
            Verdict::Reachable
        } else if says_unreachable {
            Verdict::Unreachable
        } else {
            Verdict::Unknown
        })
    }
}

/// Whether a text is in an output and is not a part of a longer word there.
fn stands_in(output: &str, text: &str) -> bool {
    let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    let begins = is_word(text.chars().next());
    let ends = is_word(text.chars().next_back());
    output.match_indices(text).any(|(start, _)| {
        let before = output[..start].chars().next_back();
        let after = output[start + text.len()..].chars().next();
        !(begins && is_word(before) || ends && is_word(after))
    })
}

/// Replaces the placeholders in one pass: a file name may itself look like one.
fn fill_in(word: &str, value: &impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::new();
    let mut rest = word;
    while let Some(start) = rest.find('{') {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        let known = rest[1..].split_once('}');
        let known = known.and_then(|(name, after)| Some((value(name)?, after)));
        let (text, after) = known.unwrap_or_else(|| ("{".to_owned(), &rest[1..]));
        filled.push_str(&text);
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

    fn command(peer: &Peer, file: &str, label: &str) -> Vec<String> {
        peer.command(|name| match name {
            "file" => Some(file.to_owned()),
            "label" => Some(label.to_owned()),
            "chc" => Some("/t/program.smt2".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn placeholders_are_filled_in_wherever_they_stand() {
        let peer = peer("m=moped -b {file} main:{label} --set x={file},{label} {chc}");
        assert_eq!(peer.name, "m");
        let command = command(&peer, "/t/{label} a.bp", "L");
        let expected = [
            "moped",
            "-b",
            "/t/{label} a.bp",
            "main:L",
            "--set",
            "x=/t/{label} a.bp,L",
            "/t/program.smt2",
        ];
        assert_eq!(command, expected);
        assert_eq!(peer.formats().collect::<Vec<_>>(), ["chc"]);
    }

    #[test]
    fn quotes_keep_words_together_and_other_braces_stay() {
        let peer = peer(r#"z=sh -c 'z3 "$1" | awk {print}' "" {file}"#);
        let words = command(&peer, "f.bp", "");
        assert_eq!(words, ["sh", "-c", "z3 \"$1\" | awk {print}", "", "f.bp"]);
        assert_eq!(peer.formats().count(), 0);
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
    fn a_part_of_a_word_is_not_an_answer() {
        let peer = peer("a=b {file} => UNSAFE => SAFE");
        assert_eq!(peer.verdict("UNSAFE\n", 0), Some(Verdict::Reachable));
        assert_eq!(peer.verdict("result=SAFE.", 0), Some(Verdict::Unreachable));
        assert_eq!(peer.verdict("UNSAFELY, SAFETY", 0), Some(Verdict::Unknown));
    }

    #[test]
    fn only_a_command_with_a_bound_is_run_with_several() {
        assert_eq!(peer("a=b {file}").bounds(), [1]);
        let bounded = peer("a=b --unwind={bound} {file} => YES => NO");
        assert_eq!(bounded.bounds()[..4], [1, 2, 4, 8]);
        let with_bound = |name: &str| (name == "bound").then(|| "4".to_owned());
        assert_eq!(bounded.command(with_bound)[1], "--unwind=4");
    }

    #[test]
    fn malformed_peers_are_refused() {
        let error = |text: &str| text.parse::<Peer>().expect_err("malformed").to_string();
        assert!(error("moped {file}").contains("NAME=COMMAND"));
        assert!(error("=moped").contains("NAME=COMMAND"));
        assert!(error("m= => YES").contains("no command"));
        assert!(error("m=sh -c 'x").contains("does not close"));
        assert!(error("m=x => ").contains("empty text"));
        assert!(error("m=x {bound} => YES").contains("needs both answers"));
    }
}
