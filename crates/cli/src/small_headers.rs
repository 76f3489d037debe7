//! The headers of the system for a program whose `long` and pointers have 32 bits.
//!
//! Compilers for 64 bits know the types and limits of 32 bits (`-m32`), and the headers of the C
//! library are the same for both. Distributions keep those of each architecture in a separate folder
//! and install one of them, so the installed folders are searched last. One file belongs to the other
//! architecture only: a list of functions that the library lacks. An empty one replaces it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where distributions have the headers of each architecture.
const INCLUDES: &str = "/usr/include";
/// How the names of these folders end.
const ENDING: &str = "-linux-gnu";
/// The header that only the other architecture has.
const STUBS: &str = "gnu/stubs-32.h";

/// Names that are tried for a new folder.
const MOST_FOLDERS: u32 = 100;

/// A folder with the empty header. It is removed in the end.
pub struct SmallHeaders(Option<PathBuf>);

impl SmallHeaders {
    /// Adds the options to a compiler's command line. The folder has to stay until it has ended.
    pub fn for_command(command: &mut Command) -> Self {
        command.arg("-m32");
        // A type of the compiler that `stddef.h` uses for 32 bits only; no program can use it here.
        command.arg("-D__float128=long double");
        for folder in folders() {
            command.arg("-idirafter").arg(folder);
        }
        let headers = Self(new_folder());
        if let Some(folder) = &headers.0
            && add_stubs(folder).is_ok()
        {
            command.arg("-idirafter").arg(folder);
        }
        headers
    }
}

/// A folder that did not exist before, so it is empty.
fn new_folder() -> Option<PathBuf> {
    let base = std::env::temp_dir();
    let process = std::process::id();
    let names = (0..MOST_FOLDERS).map(|n| base.join(format!("hardbop-headers-{process}-{n}")));
    let mut made = names.filter(|folder| std::fs::create_dir(folder).is_ok());
    made.next()
}

fn add_stubs(folder: &Path) -> std::io::Result<()> {
    let stubs = folder.join(STUBS);
    if let Some(parent) = stubs.parent() {
        std::fs::create_dir(parent)?;
    }
    std::fs::write(stubs, "")
}

impl Drop for SmallHeaders {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            // An empty folder that stays behind does no harm.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// The folders of all architectures, in order.
fn folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(INCLUDES));
    let entries = entries.into_iter().flatten().filter_map(Result::ok);
    let of_architecture = entries.filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().ends_with(ENDING)
    });
    let mut folders: Vec<PathBuf> = of_architecture.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}
