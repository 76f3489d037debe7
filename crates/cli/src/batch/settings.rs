//! The options of one check, as the process that makes it is given them.
//!
//! They come from the command line of the batch, without its files and its own options, and from
//! `hardbop.toml`, whose keys are names of options. Both are read with clap's own description of
//! the command: an option is defined once.

use crate::arguments::Arguments;
use clap::{Arg, ArgAction, CommandFactory, Parser};
use hardbop_syntax::shown_line;

/// Options of the batch itself, or of how it is shown.
const OF_BATCH: [&str; 6] = [
    "workers",
    "out",
    "resume",
    "color",
    "message-format",
    "quiet",
];
/// Of the options about output, those that change a verdict.
const OF_VERDICTS: [&str; 2] = ["require-certificate", "no-validate"];
/// Options whose values name files.
pub(super) const FILES: [&str; 4] = ["monitor", "hoa", "algorithm", "property"];

/// An option with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The long name.
    pub name: String,
    /// The value; a flag has none.
    pub value: Option<String>,
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.value {
            Some(value) => write!(f, "--{}={value}", self.name),
            None => write!(f, "--{}", self.name),
        }
    }
}

/// The options of `hardbop check`.
pub(super) struct Known {
    command: clap::Command,
}

/// Why a name is not an option of a single check.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotASetting {
    /// There is no such option.
    Unknown,
    /// It is about what is shown for one file.
    Output,
}

impl Known {
    pub(super) fn new() -> Self {
        let mut all = Arguments::command();
        all.build();
        let command = all.find_subcommand("check").cloned();
        Self {
            command: command.expect("`check` is a command"),
        }
    }

    fn find(&self, is_it: impl Fn(&Arg) -> bool) -> Option<&Arg> {
        self.command.get_arguments().find(|arg| is_it(arg))
    }

    /// The option of a long name or alias.
    fn long(&self, name: &str) -> Option<&Arg> {
        self.find(|arg| {
            let aliases = arg.get_all_aliases().unwrap_or_default();
            arg.get_long() == Some(name) || aliases.contains(&name)
        })
    }

    /// Whether an option may be given for a single check of a batch, and how it takes its values.
    pub(super) fn action(&self, name: &str) -> Result<&ArgAction, NotASetting> {
        let arg = self.long(name).ok_or(NotASetting::Unknown)?;
        if OF_BATCH.contains(&name) || matches!(name, "help" | "version") {
            return Err(NotASetting::Unknown);
        }
        if arg.get_help_heading() == Some("Output") && !OF_VERDICTS.contains(&name) {
            return Err(NotASetting::Output);
        }
        Ok(arg.get_action())
    }

    /// The names of all options of a single check.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.command.get_arguments().filter_map(Arg::get_long);
        names.filter(|name| self.action(name).is_ok())
    }

    /// The settings on a command line that clap has accepted. An option that has no effect in a
    /// batch is an error.
    pub(super) fn on_command_line(
        &self,
        words: impl IntoIterator<Item = String>,
    ) -> Result<Vec<Setting>, String> {
        let mut words = words.into_iter().skip(1);
        let mut settings = Vec::new();
        while let Some(word) = words.next() {
            if word == "--" {
                break;
            }
            let (arg, given) = if let Some(option) = word.strip_prefix("--") {
                match option.split_once('=') {
                    Some((name, value)) => (self.long(name), Some(value.to_owned())),
                    None => (self.long(option), None),
                }
            } else if let Some(short) = word.strip_prefix('-').and_then(|rest| rest.chars().next())
            {
                let value = word[1 + short.len_utf8()..].trim_start_matches('=');
                let arg = self.find(|arg| arg.get_short() == Some(short));
                (arg, (!value.is_empty()).then(|| value.to_owned()))
            } else {
                // A file, or the name of the command.
                continue;
            };
            let Some(name) = arg.and_then(Arg::get_long) else {
                continue;
            };
            let takes_value = arg.is_some_and(|arg| arg.get_action().takes_values());
            let value = if takes_value {
                given.or_else(|| words.next())
            } else {
                None
            };
            match self.action(name) {
                Ok(_) => settings.push(Setting {
                    name: name.to_owned(),
                    value,
                }),
                Err(NotASetting::Output) => {
                    return Err(format!(
                        "--{name} has no effect in a batch; check one file to use it"
                    ));
                }
                Err(NotASetting::Unknown) => {}
            }
        }
        Ok(settings)
    }
}

/// Whether settings go together; the reason in one line if not.
pub(super) fn check(settings: &[Setting]) -> Result<(), String> {
    let parse = |shown: fn(&Setting) -> String| {
        let words = ["hardbop", "check", "program.bp"].map(str::to_owned);
        Arguments::try_parse_from(words.into_iter().chain(settings.iter().map(shown)))
    };
    let Err(error) = parse(Setting::to_string) else {
        return Ok(());
    };
    // The reason is a single line only if no value in it contains a line break.
    let shown = parse(|setting| shown_line(&setting.to_string()).into_owned());
    let text = shown.err().unwrap_or(error).render().to_string();
    let first = text.lines().next().unwrap_or_default();
    Err(first.trim_start_matches("error: ").to_owned())
}

/// The first settings but for those of a name that the others have too, then the others.
pub(super) fn overridden(first: &[Setting], others: &[Setting]) -> Vec<Setting> {
    let is_kept = |one: &&Setting| !others.iter().any(|other| other.name == one.name);
    first
        .iter()
        .filter(is_kept)
        .chain(others)
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(line: &str) -> Result<String, String> {
        let words = line.split(' ').map(str::to_owned);
        let found = Known::new().on_command_line(words)?;
        Ok(found
            .iter()
            .map(Setting::to_string)
            .collect::<Vec<_>>()
            .join(" "))
    }

    #[test]
    fn files_and_options_of_the_batch_are_left_out() {
        assert_eq!(
            settings("hardbop -q check a.bp b.bp -j 4 --reach main --out=x --contexts-up-to 3 -j4 main --resume --eager -- --time")
                .as_deref(),
            Ok("--reach=main --contexts=3 --eager")
        );
        assert_eq!(
            settings("hardbop --color always check --time=5 --require-certificate a").as_deref(),
            Ok("--time=5 --require-certificate")
        );
    }

    #[test]
    fn an_option_about_the_output_of_one_file_is_refused() {
        let refused = settings("hardbop check a b --json").unwrap_err();
        assert!(
            refused.contains("--json has no effect in a batch"),
            "{refused}"
        );
        assert!(settings("hardbop check a b --certificate c").is_err());
    }

    #[test]
    fn settings_that_do_not_go_together_are_refused() {
        let setting = |name: &str, value: &str| Setting {
            name: name.to_owned(),
            value: Some(value.to_owned()),
        };
        assert_eq!(check(&[setting("rounds", "2")]), Ok(()));
        assert!(check(&[setting("rounds", "many")]).is_err());
        assert!(check(&[setting("rounds", "2"), setting("contexts", "2")]).is_err());
    }
}
