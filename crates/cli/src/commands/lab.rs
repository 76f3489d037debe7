//! `hardbop bench` and `hardbop soak`, which are commands of `hardbop-lab` now: for one version the
//! old words still run it, if it is installed beside this command.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use std::ffi::OsString;
use std::process::Command;

/// The words after the command, for `hardbop-lab`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Runs the command of `hardbop-lab`.
pub fn run(console: &mut Console, name: &str, arguments: &Arguments) -> Result<Exit, Failure> {
    let lab = std::env::current_exe().ok();
    let lab =
        lab.map(|here| here.with_file_name(format!("hardbop-lab{}", std::env::consts::EXE_SUFFIX)));
    let Some(lab) = lab.filter(|lab| lab.is_file()) else {
        return Err(Failure::BadInput(format!(
            "`{name}` is a command of `hardbop-lab`, which is not installed beside `hardbop`: \
             `cargo build --release -p hardbop-lab` builds it"
        )));
    };
    console.note(&format!("`{name}` is now `hardbop-lab {name}`"));
    console.flush();
    let status = Command::new(lab).arg(name).args(&arguments.words).status();
    let status =
        status.map_err(|error| Failure::Internal(format!("cannot run hardbop-lab: {error}")))?;
    let ends = [Exit::Fine, Exit::Found, Exit::BadInput, Exit::Unknown];
    let mut ends = ends.into_iter();
    let end = ends.find(|exit| status.code() == Some(i32::from(exit.code())));
    Ok(end.unwrap_or(Exit::Internal))
}
