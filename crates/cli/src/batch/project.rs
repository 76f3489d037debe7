//! `hardbop.toml`: the questions of a project.
//!
//! ```toml
//! [defaults]                 # for every check below
//! time = 60
//!
//! [[check]]
//! files = ["drivers/*.bp"]   # without a question: their assertions
//!
//! [[check]]
//! files = ["peterson.bp"]
//! reach = ["BOTH"]
//! rounds = 4
//! ```
//!
//! Keys are the long names of the options of `hardbop check`: flags are true, options that may be
//! repeated take a list. Anything else is an error with its line. Names of files are relative to
//! the folder of `hardbop.toml`.

use super::settings::{self, FILES, Known, NotASetting, Setting, overridden};
use crate::exit::Failure;
use crate::input;
use clap::ArgAction;
use hardbop_syntax::shown_line;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use toml::{Spanned, Value};

/// The name of the file.
pub(super) const NAME: &str = "hardbop.toml";

/// How similar (0 to 1) a key must be to be suggested.
const SIMILAR: f64 = 0.8;

type Section = BTreeMap<Spanned<String>, Spanned<Value>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    #[serde(default)]
    defaults: Section,
    #[serde(default)]
    check: Vec<Spanned<Section>>,
}

/// One `[[check]]`.
pub(super) struct Check {
    /// Patterns with the lines on which they stand.
    pub files: Vec<(String, usize)>,
    pub settings: Vec<Setting>,
}

/// Reads the project of a folder.
pub(super) fn read(folder: &Path, known: &Known) -> Result<Vec<Check>, Failure> {
    let text = input::read_text(&folder.join(NAME).to_string_lossy())?;
    parse(&text, folder, known)
}

/// The checks that a text in a folder asks for.
pub(super) fn parse(text: &str, folder: &Path, known: &Known) -> Result<Vec<Check>, Failure> {
    let path = folder.join(NAME);
    let name = path.to_string_lossy();
    let reader = Reader {
        name: &name,
        text,
        folder,
        known,
    };
    let contents: Contents = toml::from_str(text).map_err(|error| {
        let place = error.span().unwrap_or_default();
        reader.error(&place, error.message())
    })?;
    let defaults = reader.settings(&contents.defaults)?;
    if let Some((key, _)) = contents
        .defaults
        .iter()
        .find(|(key, _)| key.as_ref() == "files")
    {
        return Err(reader.error(&key.span(), "`files` belongs to a [[check]]"));
    }
    let mut checks = Vec::new();
    for section in &contents.check {
        let own = reader.settings(section.as_ref())?;
        let settings = overridden(&defaults, &own);
        settings::check(&settings).map_err(|why| reader.error(&section.span(), &why))?;
        let files = reader.files(section)?;
        checks.push(Check { files, settings });
    }
    if checks.is_empty() {
        return Err(Failure::BadInput(format!("{name} has no [[check]]")));
    }
    Ok(checks)
}

/// What is wrong with a line of a project. Keys and values in the reason are the user's: it is
/// shown on one line, whatever they contain.
pub(super) fn refusal(name: &str, line: usize, why: &str) -> Failure {
    Failure::BadInput(format!("{name}:{line}: {}", shown_line(why)))
}

struct Reader<'a> {
    name: &'a str,
    text: &'a str,
    folder: &'a Path,
    known: &'a Known,
}

impl Reader<'_> {
    fn line(&self, place: &Range<usize>) -> usize {
        let before = self.text.get(..place.start).unwrap_or_default();
        1 + before.matches('\n').count()
    }

    fn error(&self, place: &Range<usize>, why: &str) -> Failure {
        refusal(self.name, self.line(place), why)
    }

    fn settings(&self, section: &Section) -> Result<Vec<Setting>, Failure> {
        let mut settings = Vec::new();
        for (key, value) in section.iter().filter(|(key, _)| key.as_ref() != "files") {
            let name = key.as_ref().as_str();
            let action = self.known.action(name).map_err(|why| {
                let message = match why {
                    NotASetting::Unknown => self.unknown(name),
                    NotASetting::Output => {
                        format!("`{name}` concerns the output for a single file")
                    }
                };
                self.error(&key.span(), &message)
            })?;
            let list = match (value.as_ref(), action) {
                (Value::Array(list), ArgAction::Append) => list.as_slice(),
                (Value::Boolean(true), action) if !action.takes_values() => {
                    settings.push(Setting {
                        name: name.to_owned(),
                        value: None,
                    });
                    continue;
                }
                (Value::Boolean(false), action) if !action.takes_values() => continue,
                (one, _) => std::slice::from_ref(one),
            };
            for one in list {
                let text = match one {
                    Value::String(text) if action.takes_values() => text.clone(),
                    Value::Integer(number) if action.takes_values() => number.to_string(),
                    Value::Float(number) if action.takes_values() => number.to_string(),
                    _ => {
                        let what = if action.takes_values() {
                            "a text or a number"
                        } else {
                            "true or false"
                        };
                        let message = format!("`{name}` takes {what}");
                        return Err(self.error(&value.span(), &message));
                    }
                };
                let is_file = FILES.contains(&name);
                let value = if is_file { self.inside(text) } else { text };
                settings.push(Setting {
                    name: name.to_owned(),
                    value: Some(value),
                });
            }
        }
        Ok(settings)
    }

    /// A file beside `hardbop.toml`. The name of an algorithm stays one if there is no such file.
    fn inside(&self, name: String) -> String {
        let path = self.folder.join(&name);
        if path.exists() || Path::new(&name).extension().is_some() {
            return path.to_string_lossy().into_owned();
        }
        name
    }

    fn unknown(&self, name: &str) -> String {
        let rank = |other: &str| strsim::jaro_winkler(name, other);
        let names = self.known.names().chain(["files"]);
        let best = names.max_by(|a, b| rank(a).total_cmp(&rank(b)));
        match best {
            Some(other) if rank(other) >= SIMILAR => {
                format!("unknown key `{name}`; did you mean `{other}`?")
            }
            _ => format!("unknown key `{name}`; keys are the long options of `hardbop check`"),
        }
    }

    fn files(&self, section: &Spanned<Section>) -> Result<Vec<(String, usize)>, Failure> {
        let found = section
            .as_ref()
            .iter()
            .find(|(key, _)| key.as_ref() == "files");
        let Some((_, value)) = found else {
            return Err(self.error(&section.span(), "this [[check]] has no `files`"));
        };
        let wrong = || self.error(&value.span(), "`files` is a list of names or patterns");
        let list = value.as_ref().as_array().filter(|list| !list.is_empty());
        let names = list.ok_or_else(wrong)?.iter().map(|one| {
            let text = one.as_str().ok_or_else(wrong)?;
            Ok((text.to_owned(), self.line(&value.span())))
        });
        names.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let read = parse(text, Path::new("drivers"), &Known::new());
        let failure = read.err().expect("something is wrong with it");
        failure.message().unwrap_or_default().to_owned()
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let name = Path::new("drivers").join(NAME);
        let place = |line: usize| format!("{}:{line}: ", name.display());
        for (text, line) in [
            ("[defaults]\ntme = 5", 2),
            (
                "[[check]]\nfiles = [\"*\"]\n\n[[check]]\nreach = [\"A\"]",
                4,
            ),
            ("[[check]]\nfiles = 5", 2),
            ("[[check]]\n\n\n=", 4),
        ] {
            let message = message(text);
            assert!(message.starts_with(&place(line)), "{message}");
        }
    }

    #[test]
    fn keys_and_values_are_shown_on_one_line() {
        let hostile = r"\u001b[2J\n";
        for text in [
            format!("\"{hostile}\" = 1"),
            format!("[[check]]\n\"{hostile}\" = 1"),
            format!("[[check]]\nfiles = [\"*\"]\nengine = \"{hostile}\""),
        ] {
            let message = message(&text);
            assert!(!message.contains(char::is_control), "{message:?}");
            assert!(message.contains("\\n"), "cut off: {message:?}");
        }
    }
}
