//! Writing files so that nothing is lost: the new text is complete on the disk before it takes the
//! old one's place.

use crate::exit::Failure;
use crate::input::plain_words;
use crate::watchdog;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Replaces the contents of a file, or makes it. Permissions stay; a link stays a link.
pub fn replace(path: &str, text: &str) -> Result<(), Failure> {
    write(Path::new(path), text)
        .map_err(|error| Failure::BadInput(format!("cannot write {path}: {}", plain_words(&error))))
}

/// Makes sure that a file can be written later, before anything long is begun. A file of that name
/// is removed: whoever finds one afterwards finds a new one.
pub fn prepare(path: &str) -> Result<(), Failure> {
    replace(path, "")?;
    if Path::new(path).is_file() {
        fs::remove_file(path).map_err(|error| {
            Failure::BadInput(format!("cannot write {path}: {}", plain_words(&error)))
        })?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let _whole = watchdog::hold();
    let old = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if old.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        // A device or a pipe cannot be replaced; a directory gives the right error here.
        return OpenOptions::new()
            .write(true)
            .open(path)?
            .write_all(text.as_bytes());
    }
    if old
        .as_ref()
        .is_some_and(|metadata| metadata.permissions().readonly())
    {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let path = if old.is_some() {
        fs::canonicalize(path)?
    } else {
        path.to_owned()
    };
    let (temporary, mut file) = create_beside(&path)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| match old {
            Some(metadata) => fs::set_permissions(&temporary, metadata.permissions()),
            None => Ok(()),
        });
    let renamed = written.and_then(|()| fs::rename(&temporary, &path));
    if renamed.is_err() {
        // The error that is reported is the first one; a leftover file is the lesser trouble.
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

/// A new file in the same directory, so that renaming it never crosses a file system.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path
        .file_name()
        .ok_or(ErrorKind::InvalidInput)?
        .to_string_lossy();
    let process = std::process::id();
    let mut attempt = 0;
    loop {
        let temporary = path.with_file_name(format!(".{name}.{process}-{attempt}.tmp"));
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
        {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => attempt += 1,
            opened => return opened.map(|file| (temporary, file)),
        }
    }
}
