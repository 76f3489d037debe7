//! Writing files so that nothing is lost: the new text is complete on the disk before it takes the
//! old one's place.

use crate::exit::Failure;
use crate::faults::{Disturbed, before_write};
use crate::input::plain_words;
use crate::watchdog;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Replaces the contents of a file, or makes it. Permissions stay; a link stays a link.
pub fn replace(path: &str, text: &str) -> Result<(), Failure> {
    write(Path::new(path), text).map_err(|error| cannot_write(path, &error))
}

/// Makes sure that a file can be written later, before anything long is begun. A file of that name
/// is removed, so that a file found afterwards is new.
pub fn prepare(path: &str) -> Result<(), Failure> {
    clear(Path::new(path)).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &str, error: &io::Error) -> Failure {
    Failure::BadInput(format!("cannot write {path}: {}", plain_words(error)))
}

/// Where a text goes.
enum Place {
    /// A device or a pipe, which cannot be replaced.
    Device(File),
    /// A file, which has these permissions if it is there.
    File(PathBuf, Option<Permissions>),
}

impl Place {
    fn find(path: &Path) -> io::Result<Self> {
        let old = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let real = match fs::read_link(path) {
                    Ok(target) => path.with_file_name(target),
                    Err(_) => path.to_owned(),
                };
                return Ok(Place::File(real, None));
            }
            Err(error) => return Err(error),
        };
        if !old.is_file() {
            // A directory gives the right error here.
            return OpenOptions::new().write(true).open(path).map(Place::Device);
        }
        if old.permissions().readonly() {
            return Err(ErrorKind::PermissionDenied.into());
        }
        let path = fs::canonicalize(path)?;
        Ok(Place::File(path, Some(old.permissions())))
    }
}

fn clear(path: &Path) -> io::Result<()> {
    let _whole = watchdog::hold();
    let Place::File(found, old) = Place::find(path)? else {
        return Ok(());
    };
    let (temporary, _) = create_beside(&found)?;
    fs::remove_file(temporary)?;
    if old.is_some() {
        before_write()?;
        fs::remove_file(found)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let _whole = watchdog::hold();
    let (path, old) = match Place::find(path)? {
        Place::Device(file) => return Disturbed(file).write_all(text.as_bytes()),
        Place::File(path, old) => (path, old),
    };
    let (temporary, file) = create_beside(&path)?;
    let renamed = fill(file, text, old).and_then(|()| {
        before_write()?;
        fs::rename(&temporary, &path)
    });
    if renamed.is_err() {
        // The error that is reported is the first one; a leftover file is the lesser trouble.
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

/// The text is on the disk when this returns.
fn fill(file: File, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
    let mut file = Disturbed(file);
    file.write_all(text.as_bytes())?;
    before_write()?;
    file.0.sync_all()?;
    if let Some(permissions) = permissions {
        before_write()?;
        file.0.set_permissions(permissions)?;
    }
    Ok(())
}

/// A new file in the same directory, so that renaming it never crosses a file system.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path
        .file_name()
        .ok_or(ErrorKind::InvalidInput)?
        .to_string_lossy();
    let process = std::process::id();
    let mut attempt = 0;
    before_write()?;
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
