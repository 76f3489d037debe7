//! `hardbop generate`: programs with a size knob and a known verdict, and random ones.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use hardbop_families::generator::{self, Knobs};
use hardbop_families::{KnownVerdict, Question};

/// The family whose members are random programs.
const RANDOM: &str = "random";

const EXAMPLES: &str = "\
Examples:
  hardbop generate --list
  hardbop generate tn 800 -o tn-800.bp
  hardbop generate random --seed 7 --preset concurrent";

/// Write a generated program
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A family of `--list`, or `random`
    #[arg(required_unless_present = "list")]
    family: Option<String>,
    /// The size; its meaning depends on the family [default: the smallest usual one]
    size: Option<u32>,
    /// Seed; the same seed gives the same program
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Kind of random program [default: tiny]
    #[arg(long, value_name = "PRESET")]
    preset: Option<String>,
    /// List the families and the presets of `random`
    #[arg(long)]
    list: bool,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<String>,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let text = match &arguments.family {
        None => list(),
        Some(family) if family == RANDOM => random(arguments)?,
        Some(family) => member(arguments, family)?,
    };
    match &arguments.output {
        Some(file) => files::replace(file, &text)?,
        None => console.print(&text),
    }
    Ok(Exit::Fine)
}

fn list() -> String {
    let mut entries = Vec::new();
    for family in hardbop_families::all() {
        let asked = match family.question {
            Question::Assertions => "assertions".to_owned(),
            asked => asked.options().join(" "),
        };
        let verdict = match family.verdict {
            KnownVerdict::Reachable => "yes",
            KnownVerdict::Unreachable => "no",
        };
        let sizes: Vec<String> = family.sizes.iter().map(u32::to_string).collect();
        let sizes = sizes.join(", ");
        let (name, about) = (family.name, family.about);
        entries.push(format!(
            "{name}\n  {about}\n  usual sizes {sizes}; asked: {asked}; reachable: {verdict}\n"
        ));
    }
    let presets: Vec<&str> = Knobs::presets().iter().map(|(name, _)| *name).collect();
    let presets = presets.join(", ");
    entries.push(format!(
        "{RANDOM}\n  A random program; --preset is one of {presets}.\n"
    ));
    entries.concat()
}

fn member(arguments: &Arguments, name: &str) -> Result<String, Failure> {
    if arguments.preset.is_some() {
        return Err(Failure::BadInput(format!(
            "--preset is for `{RANDOM}` only"
        )));
    }
    let names = || hardbop_families::all().iter().map(|family| family.name);
    let family = hardbop_families::find(name).ok_or_else(|| unknown("family", name, names()))?;
    let size = arguments
        .size
        .or_else(|| family.sizes.first().copied())
        .unwrap_or(1);
    Ok(family.generate(size, arguments.seed).text)
}

fn random(arguments: &Arguments) -> Result<String, Failure> {
    if arguments.size.is_some() {
        return Err(Failure::BadInput(
            "random programs have no size; try --preset".to_owned(),
        ));
    }
    let presets = Knobs::presets();
    let knobs = match &arguments.preset {
        None => &presets[0].1,
        Some(name) => {
            let found = presets.iter().find(|(preset, _)| preset == name);
            let names = presets.iter().map(|(preset, _)| *preset);
            &found.ok_or_else(|| unknown("preset", name, names))?.1
        }
    };
    Ok(generator::generate(arguments.seed, knobs))
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let known: Vec<&str> = known.collect();
    Failure::BadInput(format!(
        "there is no {what} `{name}`; there are {}",
        known.join(", ")
    ))
}
