//! Other programs that are measured beside hardbop's engines.
//!
//! A peer is given as `NAME=COMMAND`, or `NAME=COMMAND => YES`, or `NAME=COMMAND => YES => NO`. In
//! the command `{file}` stands for the program, `{label}` for the label in question, and the name
//! of a format, such as `{chc}`, for the file that `hardbop export --to chc` writes. Output that
//! holds the text YES means *reachable*; output that holds NO, or without a NO a clean exit, means
//! *unreachable*. Words are split as a shell would, quotes included, but no shell runs unless the
//! command asks for one: its start would be part of every measurement.
//!
//! [`KNOWN`] has the peers that need no description, only a program to be found.

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
/// The formats of `hardbop export` that a command may ask for.
const FORMATS: [&str; 5] = ["chc", "moped", "c", "mu", "dimacs"];

/// A peer whose command line and output are known.
#[derive(Clone, Copy, Debug)]
pub struct KnownPeer {
    /// What tables and `--peer` call it.
    pub name: &'static str,
    /// The program to look for.
    pub program: &'static str,
    /// The environment variable that has the program, with leading arguments if need be.
    pub variable: &'static str,
    /// What follows the program.
    description: &'static str,
}

/// All of them.
pub const KNOWN: [KnownPeer; 5] = [
    KnownPeer {
        name: "z3",
        program: "z3",
        variable: "HARDBOP_Z3",
        description: "fp.engine=spacer {chc} => unsat => sat",
    },
    // Its solver clasp, on the clauses of Leino's equations.
    KnownPeer {
        name: "clingo",
        program: "clingo",
        variable: "HARDBOP_CLINGO",
        description: "--mode=clasp --quiet=2 {dimacs} => s SATISFIABLE => s UNSATISFIABLE",
    },
    KnownPeer {
        name: "moped",
        program: "moped",
        variable: "HARDBOP_MOPED",
        description: "-b -r {moped} {label} => YES => NO",
    },
    // Too few unwindings fail an assertion of their own, which says nothing.
    KnownPeer {
        name: "cbmc",
        program: "cbmc",
        variable: "HARDBOP_CBMC",
        description: "{c} --unwind 100 --unwinding-assertions \
                      => is reached\": FAILURE => VERIFICATION SUCCESSFUL",
    },
    KnownPeer {
        name: "mucke",
        program: "mucke",
        variable: "HARDBOP_MUCKE",
        description: "{mu} => true => false",
    },
];

impl KnownPeer {
    /// The peer, run by these words.
    pub fn run_by(&self, words: &str) -> Result<Peer, BadPeer> {
        format!("{}={words} {}", self.name, self.description).parse()
    }
}

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
    /// The formats of `hardbop export` that the command needs.
    pub fn formats(&self) -> impl Iterator<Item = &'static str> {
        let is_needed = |format: &&str| {
            let placeholder = format!("{{{format}}}");
            self.words.iter().any(|word| word.contains(&placeholder))
        };
        FORMATS.into_iter().filter(is_needed)
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
    fn known_peers_are_peers_and_tell_sat_from_unsat() {
        for known in KNOWN {
            let peer = known.run_by("/a/program --first").expect(known.name);
            assert_eq!(peer.name, known.name);
            assert_eq!(peer.words[..2], ["/a/program", "--first"]);
            assert_eq!(peer.formats().count(), 1, "{}", known.name);
        }
        let z3 = KNOWN[0].run_by("z3").expect("well-formed");
        assert_eq!(z3.verdict("unsat\n", 0), Some(Verdict::Reachable));
        assert_eq!(z3.verdict("sat\n", 0), Some(Verdict::Unreachable));
        assert_eq!(z3.verdict("unknown\n", 0), Some(Verdict::Unknown));
        let clingo = KNOWN[1].run_by("clingo").expect("well-formed");
        assert_eq!(
            clingo.verdict("s SATISFIABLE", 10),
            Some(Verdict::Reachable)
        );
        assert_eq!(
            clingo.verdict("s UNSATISFIABLE", 20),
            Some(Verdict::Unreachable)
        );
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
