//! `hardbop explain`: what an error or warning means, with a program that has it and one that does
//! not.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use hardbop_syntax::codes::{self, Explanation};
use hardbop_syntax::{Code, Severity};

/// Longer lines of an explanation are broken.
const WIDTH: usize = 80;

/// Explain an error or warning
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The code, such as HB021
    #[arg(required_unless_present = "list")]
    code: Option<String>,
    /// List all codes
    #[arg(long)]
    list: bool,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.code {
        Some(text) => {
            let unknown = || {
                Failure::BadInput(format!(
                    "there is no code `{text}`; `hardbop explain --list` shows all"
                ))
            };
            let code = Code::parse(text).ok_or_else(unknown)?;
            console.print(&explanation(code.explanation()));
        }
        None => {
            for entry in codes::all() {
                console.print(&format!(
                    "{}  {:7}  {}\n",
                    entry.code,
                    word(entry),
                    entry.title
                ));
            }
        }
    }
    Ok(Exit::Fine)
}

fn word(entry: &Explanation) -> &'static str {
    match entry.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn explanation(entry: &Explanation) -> String {
    let mut text = format!("{} ({}): {}\n\n", entry.code, word(entry), entry.title);
    text.push_str(&wrapped(entry.text));
    let example = if entry.is_about_properties() {
        "property"
    } else if entry.is_about_formulas() {
        "file"
    } else {
        "program"
    };
    let bad = format!("A {example} with this {}", word(entry));
    for (title, program) in [(bad.as_str(), entry.bad), ("Without it", entry.fixed)] {
        if !program.is_empty() {
            text.extend(["\n", title, ":\n\n"]);
            for line in program.lines() {
                text.push_str(format!("    {line}").trim_end());
                text.push('\n');
            }
        }
    }
    text
}

/// The words of a text in lines of bounded width.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
    out
}
