//! A folder among the system's temporary files that lives as long as its value.

use crate::exit::Failure;
use crate::input::plain_words;
use std::fs;
use std::io;
use std::path::PathBuf;

/// The folder; removed in the end.
pub struct TemporaryFolder {
    folder: PathBuf,
}

impl TemporaryFolder {
    /// A new folder whose name says what it is for.
    pub fn new(purpose: &str) -> Result<Self, Failure> {
        let base = std::env::temp_dir();
        let process = std::process::id();
        let mut attempt = 0;
        loop {
            let folder = base.join(format!("hardbop-{purpose}-{process}-{attempt}"));
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Self { folder }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => attempt += 1,
                Err(error) => {
                    let why = plain_words(&error);
                    let what = format!("cannot make a temporary directory: {why}");
                    return Err(Failure::BadInput(what));
                }
            }
        }
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A leftover directory among temporary files is no reason to fail.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
