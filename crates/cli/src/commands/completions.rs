//! `hardbop completions` and `hardbop man`: the command line in the forms of shells and of man.
//! Both are made from the definitions that parse the arguments.

use crate::arguments;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::plain_words;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  hardbop completions bash > ~/.local/share/bash-completion/completions/hardbop
  hardbop completions zsh > ~/.zfunc/_hardbop
  hardbop completions fish > ~/.config/fish/completions/hardbop.fish";

/// Print a completion script for a shell
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write manual pages, one for each command
#[derive(Clone, Debug, clap::Args)]
pub struct ManArguments {
    /// The folder to write to, such as ~/.local/share/man/man1; created if missing
    #[arg(value_name = "DIR")]
    folder: String,
}

/// Runs `completions`.
pub fn run(console: &mut Console, arguments: Arguments) -> Exit {
    let mut script = Vec::new();
    let mut command = arguments::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "hardbop", &mut script);
    console.print(&String::from_utf8_lossy(&script));
    Exit::Fine
}

/// Runs `man`.
pub fn run_man(arguments: &ManArguments) -> Result<Exit, Failure> {
    let folder = Path::new(&arguments.folder);
    let cannot = |error: &std::io::Error| {
        let why = plain_words(error);
        Failure::BadInput(format!("cannot write {}: {why}", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| cannot(&error))?;
    let mut command = arguments::Arguments::command();
    // Passes the options of all commands on to each, and names its page.
    command.build();
    let pages = command.get_subcommands().filter(|c| c.get_name() != "help");
    for page in std::iter::once(&command).chain(pages) {
        let name = page.get_display_name().unwrap_or(page.get_name());
        let file = folder.join(format!("{name}.1"));
        let text = manual_page(name, page.clone()).map_err(|error| cannot(&error))?;
        files::replace(&file.to_string_lossy(), &text)?;
    }
    Ok(Exit::Fine)
}

fn manual_page(name: &str, command: Command) -> std::io::Result<String> {
    let mut page = Vec::new();
    let source = concat!("hardbop ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command).title(name).source(source);
    man.render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
