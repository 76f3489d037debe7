//! What is to be checked: the files of the command line, of folders and of projects, each with its
//! options, in a fixed order.

use super::project::{self, Check};
use super::settings::{self, FILES, Known, Setting, overridden};
use crate::exit::Failure;
use crate::input::{STDIN, plain_words};
use glob::{MatchOptions, Pattern};
use std::fs;
use std::path::{Path, PathBuf};

/// A file and what is asked about it.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub file: String,
    /// Options of the process that checks it.
    pub options: Vec<String>,
    /// Other files that decide about the answer.
    others: Vec<String>,
}

impl Job {
    fn new(file: String, settings: &[Setting]) -> Self {
        let is_file = |setting: &&Setting| FILES.contains(&setting.name.as_str());
        let others = settings
            .iter()
            .filter(is_file)
            .filter_map(|setting| setting.value.clone());
        Self {
            file,
            options: settings.iter().map(Setting::to_string).collect(),
            others: others.collect(),
        }
    }

    /// Depends on every byte of the files that decide about the answer. `None` if the program
    /// cannot be read: then an old answer says nothing.
    pub(super) fn digest(&self) -> Option<String> {
        let mut hash = Digest::default();
        hash.add(&fs::read(&self.file).ok()?);
        for other in &self.others {
            // A built-in algorithm is not a file, and one that is missing is an error later.
            hash.add(&fs::read(other).unwrap_or_default());
        }
        Some(format!("{:016x}", hash.0))
    }

    /// The file and all options.
    pub(super) fn with_options(&self) -> String {
        let words = std::iter::once(self.file.as_str());
        let words = words.chain(self.options.iter().map(String::as_str));
        words.collect::<Vec<_>>().join(" ")
    }
}

/// FNV-1a with a rotation: guards against a file that has changed, not against malice.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            let mixed = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
            self.0 = mixed.rotate_left(23);
        }
    }
}

/// The jobs of a command line.
pub(super) fn list(paths: &[&str]) -> Result<Vec<Job>, Failure> {
    let known = Known::new();
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let given = known.on_command_line(words).map_err(Failure::BadInput)?;
    let mut jobs = Vec::new();
    if paths.is_empty() {
        if !Path::new(project::NAME).exists() {
            return Err(Failure::BadInput(format!(
                "there is no file to check, and no {} in this folder",
                project::NAME
            )));
        }
        add_project(&mut jobs, Path::new(""), &known, &given)?;
    }
    for &path in paths {
        let folder = Path::new(path);
        if path == STDIN {
            let why = "a batch cannot check standard input".to_owned();
            return Err(Failure::BadInput(why));
        } else if folder.join(project::NAME).exists() {
            add_project(&mut jobs, folder, &known, &given)?;
        } else if folder.is_dir() {
            let programs = programs_in(folder)?;
            if programs.is_empty() {
                return Err(Failure::BadInput(format!(
                    "there are no programs in {path}"
                )));
            }
            jobs.extend(programs.into_iter().map(|file| Job::new(file, &given)));
        } else {
            jobs.push(Job::new(path.to_owned(), &given));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    jobs.retain(|job| seen.insert(job.with_options()));
    Ok(jobs)
}

/// What the command line says replaces what the project says.
fn add_project(
    jobs: &mut Vec<Job>,
    folder: &Path,
    known: &Known,
    given: &[Setting],
) -> Result<(), Failure> {
    let mut programs = None;
    for Check { files, settings } in project::read(folder, known)? {
        let settings = overridden(&settings, given);
        settings::check(&settings).map_err(Failure::BadInput)?;
        for (pattern, line) in files {
            let place = folder.join(project::NAME);
            let error = |why: String| project::refusal(&place.to_string_lossy(), line, &why);
            let plain = folder.join(&pattern);
            if plain.is_file() {
                jobs.push(Job::new(plain.to_string_lossy().into_owned(), &settings));
                continue;
            }
            let wanted = Pattern::new(&pattern).map_err(|why| error(why.to_string()))?;
            let all = match &programs {
                Some(all) => all,
                None => programs.insert(programs_in(folder)?),
            };
            let options = MatchOptions {
                require_literal_separator: true,
                ..MatchOptions::default()
            };
            let is_wanted = |file: &&String| {
                let path = Path::new(file.as_str());
                let inside = path.strip_prefix(folder).unwrap_or(path);
                wanted.matches_path_with(inside, options)
            };
            let found: Vec<&String> = all.iter().filter(is_wanted).collect();
            if found.is_empty() {
                return Err(error(format!("there is no program `{pattern}`")));
            }
            jobs.extend(
                found
                    .into_iter()
                    .map(|file| Job::new(file.clone(), &settings)),
            );
        }
    }
    Ok(())
}

/// Every program in a folder and the folders inside it, in order. Hidden folders and links to
/// folders are left out.
fn programs_in(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let start = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &folder
        };
        let error = |error: std::io::Error| {
            let name = start.to_string_lossy();
            Failure::BadInput(format!("cannot read {name}: {}", plain_words(&error)))
        };
        for entry in fs::read_dir(start).map_err(error)? {
            let entry = entry.map_err(error)?;
            let name = entry.file_name();
            let path = folder.join(&name);
            if entry.file_type().map_err(error)?.is_dir() {
                if !name.to_string_lossy().starts_with('.') {
                    open.push(path);
                }
            } else if path
                .extension()
                .is_some_and(|end| end == "bp" || end == "gp" || end == "c" || end == "i")
            {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}
