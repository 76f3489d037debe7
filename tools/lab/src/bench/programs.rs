//! `--program FILE [--reach LABEL] [--expect VERDICT]`, as often as one likes: each question
//! belongs to the program before it.
//!
//! Clap's derived parsers lose the order of options among each other, so this group is parsed by
//! hand from their positions.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use hardbop_bench::{Case, Verdict};
use hardbop_cli::exit::Failure;
use std::path::Path;

/// The programs that the user names.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    programs: Vec<Program>,
}

/// A file with a question and an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Program {
    file: String,
    label: Option<String>,
    expected: Option<Verdict>,
}

impl Programs {
    /// Whether none is named.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// A case for each.
    pub fn cases(&self) -> Result<Vec<Case>, Failure> {
        let mut cases = Vec::new();
        for program in &self.programs {
            let file = &program.file;
            if !Path::new(file).is_file() {
                return Err(Failure::BadInput(format!(
                    "cannot read {file}: there is no such file"
                )));
            }
            let label = program.label.as_deref();
            cases.push(Case::program(file, label, program.expected));
        }
        Ok(cases)
    }
}

impl Args for Programs {
    fn augment_args(command: Command) -> Command {
        let argument = |name: &'static str, value: &'static str, help: &'static str| {
            Arg::new(name)
                .long(name)
                .value_name(value)
                .help(help)
                .action(ArgAction::Append)
        };
        command
            .arg(argument("program", "FILE", "A program of your own"))
            .arg(
                argument(
                    "reach",
                    "LABEL",
                    "The label in question in the --program before [default: its assertions]",
                )
                .requires("program"),
            )
            .arg(
                argument(
                    "expect",
                    "VERDICT",
                    "The verdict that is right for the --program before",
                )
                .requires("program")
                .value_parser([Verdict::Reachable.word(), Verdict::Unreachable.word()]),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Programs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut options = Vec::new();
        for name in ["program", "reach", "expect"] {
            let indices = matches.indices_of(name).into_iter().flatten();
            let values = matches.get_many::<String>(name).into_iter().flatten();
            options.extend(
                indices
                    .zip(values)
                    .map(|(index, value)| (index, name, value)),
            );
        }
        options.sort_unstable();
        let mut programs: Vec<Program> = Vec::new();
        for (_, name, value) in options {
            if name == "program" {
                programs.push(Program {
                    file: value.clone(),
                    label: None,
                    expected: None,
                });
                continue;
            }
            let usage =
                |message: String| Error::raw(clap::error::ErrorKind::ArgumentConflict, message);
            let Some(program) = programs.last_mut() else {
                return Err(usage(format!(
                    "--{name} {value} must follow its --program\n"
                )));
            };
            let is_repeated = match name {
                "reach" => program.label.replace(value.clone()).is_some(),
                _ => program.expected.replace(verdict(value)).is_some(),
            };
            if is_repeated {
                let file = &program.file;
                return Err(usage(format!(
                    "--program {file} has a second --{name}: {value}\n"
                )));
            }
        }
        Ok(Self { programs })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Clap lets the two words through only.
fn verdict(word: &str) -> Verdict {
    if word == Verdict::Reachable.word() {
        Verdict::Reachable
    } else {
        Verdict::Unreachable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Vec<Program>, String> {
        let command = Programs::augment_args(Command::new("bench"));
        let words = std::iter::once("bench").chain(line.split_ascii_whitespace());
        let matches = command.try_get_matches_from(words);
        let programs = matches.and_then(|matches| Programs::from_arg_matches(&matches));
        programs
            .map(|programs| programs.programs)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn questions_belong_to_the_program_before_them() {
        let line = "--program a --expect reachable --program b --reach L --program c --reach M --expect unreachable";
        let program = |file: &str, label: Option<&str>, expected| Program {
            file: file.to_owned(),
            label: label.map(str::to_owned),
            expected,
        };
        let expected = vec![
            program("a", None, Some(Verdict::Reachable)),
            program("b", Some("L"), None),
            program("c", Some("M"), Some(Verdict::Unreachable)),
        ];
        assert_eq!(parse(line), Ok(expected));
    }

    #[test]
    fn a_question_without_its_program_or_a_second_one_is_refused() {
        let error = |line: &str| parse(line).expect_err("refused");
        assert!(error("--reach L --program a").contains("must follow its --program"));
        assert!(error("--program a --reach L --reach M").contains("second --reach"));
        assert!(error("--expect reachable").contains("--program"));
        assert!(error("--program a --expect maybe").contains("maybe"));
    }
}
