//! Documents that are tests: prose, programs, command lines and what they print.
//!
//! A fenced block with a file name in its head (````
//! ```bp lock.bp ````) becomes a file. In a ```` ```console ```` block every line that begins with
//! `$ ` is a command; the lines behind it are its output, standard error included, and `[exit N]`
//! where the exit code is not 0. Commands are `hardbop …`, with `< FILE`, `> FILE` and quotes
//! understood, and `cat FILE`. With `HARDBOP_BLESS=1` in the environment the documents are
//! rewritten to say what the commands print now.

mod schemas;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How a reader without an installed `hardbop` writes the command.
const FROM_SOURCE: &str = "cargo run --release -- ";
/// A line of a [`Detail::AsShown`] document that stands for any number of lines.
const LEFT_OUT: &str = "…";

/// How much of the output a document shows.
#[allow(
    dead_code,
    reason = "each test is compiled with its own copy and uses one"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// All of it.
    Everything,
    /// As much as a reader needs: a command without output is only run and must not fail, a line
    /// `…` stands for lines that are left out, and blocks with commands of other programs are left
    /// alone.
    AsShown,
}

/// Some documents, and what their commands find when they are run.
pub struct Documents {
    /// A name for the directory in which the commands run.
    pub name: &'static str,
    /// The documents.
    pub paths: Vec<PathBuf>,
    /// Is copied to where the commands run, under its own name.
    pub folder: Option<PathBuf>,
    /// How much of the output is shown.
    pub detail: Detail,
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a directory for the copy");
    for entry in fs::read_dir(from).expect("a folder of the project") {
        let entry = entry.expect("a readable directory");
        let copy = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &copy);
        } else {
            fs::copy(entry.path(), copy).expect("a file can be copied");
        }
    }
}

/// The Markdown files of a directory, not of those inside it, in order.
pub fn markdown_in(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the documents are part of the project")
        .map(|entry| entry.expect("a readable directory").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no documents in {}", directory.display());
    paths
}

impl Documents {
    /// Runs all commands of all documents; panics where a document is wrong, or mends it if that is
    /// asked for.
    pub fn check(&self) {
        let bless = std::env::var_os("HARDBOP_BLESS").is_some();
        let mut wrong = Vec::new();
        for path in &self.paths {
            let expected = fs::read_to_string(path).expect("a document is text");
            let actual = self.run(path, &expected);
            if actual != expected {
                if bless {
                    fs::write(path, actual).expect("a document can be rewritten");
                } else {
                    wrong.push(difference(path, &expected, &actual));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// The document with the output of its commands as it is now.
    fn run(&self, path: &Path, text: &str) -> String {
        let directory = self.fresh_directory(path);
        let mut out = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            out.extend([line, "\n"]);
            let Some(head) = line.strip_prefix("```") else {
                continue;
            };
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if head == "console" && self.is_ours(&body) {
                out.push_str(&self.run_block(path, &directory, &body));
            } else {
                let text: String = body.iter().flat_map(|line| [*line, "\n"]).collect();
                if let Some((_, file)) = head.split_once(' ') {
                    fs::write(directory.join(file.trim()), &text)
                        .expect("a file of the document can be written");
                }
                out.push_str(&text);
            }
            out.push_str("```\n");
        }
        out
    }

    fn fresh_directory(&self, document: &Path) -> PathBuf {
        let name = document.file_stem().expect("a document has a name");
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(self.name)
            .join(name);
        if directory.exists() {
            fs::remove_dir_all(&directory).expect("the directory of an earlier run can go");
        }
        fs::create_dir_all(&directory).expect("a directory for the files of the document");
        if let Some(folder) = &self.folder {
            let copy = directory.join(folder.file_name().expect("a folder has a name"));
            copy_folder(folder, &copy);
        }
        directory
    }

    fn is_ours(&self, block: &[&str]) -> bool {
        let first = block.first().and_then(|line| line.strip_prefix("$ "));
        self.detail == Detail::Everything
            || first.is_some_and(|c| c.starts_with("hardbop ") || c.starts_with(FROM_SOURCE))
    }

    /// A block with what its commands print now.
    fn run_block(&self, document: &Path, directory: &Path, body: &[&str]) -> String {
        let mut out = String::new();
        let mut at = 0;
        while at < body.len() {
            let shown = body[at + 1..]
                .iter()
                .take_while(|line| !line.starts_with("$ "))
                .count();
            let (line, shown) = (body[at], &body[at + 1..=at + shown]);
            at += 1 + shown.len();
            // Output before the first command belongs to none.
            let Some(command) = line.strip_prefix("$ ") else {
                continue;
            };
            let actual = run_command(directory, command);
            out.extend([line, "\n"]);
            if self.detail == Detail::Everything {
                out.push_str(&actual);
            } else if shown.is_empty() {
                let has_failed = ["[exit 2]\n", "[exit 4]\n", "[killed]\n"]
                    .iter()
                    .any(|end| actual.ends_with(end));
                let place = document.display();
                assert!(!has_failed, "{place}: `{command}` fails:\n{actual}");
            } else if matches(shown, &actual.lines().collect::<Vec<_>>()) {
                out.extend(shown.iter().flat_map(|line| [*line, "\n"]));
            } else {
                out.push_str(&actual);
            }
        }
        out
    }
}

/// Whether output looks as shown; a line `…` stands for any number of lines, up to the next place
/// where the line after it occurs.
fn matches(shown: &[&str], actual: &[&str]) -> bool {
    let mut parts = shown.split(|line| *line == LEFT_OUT);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = actual.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let found = (0..=rest.len()).find(|&at| rest[at..].starts_with(part));
        let Some(at) = found else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// What a command prints, and its exit code if that is not 0.
fn run_command(directory: &Path, command: &str) -> String {
    let from_source = command.strip_prefix(FROM_SOURCE);
    let command = from_source.map_or(command.to_owned(), |rest| format!("hardbop {rest}"));
    let mut words = split(&command).into_iter();
    let program = words.next().expect("a command has a name");
    if program == "cat" {
        return words
            .map(|file| fs::read_to_string(directory.join(file)).expect("a file to show"))
            .collect();
    }
    assert_eq!(
        program, "hardbop",
        "unknown command in a document: {command}"
    );
    let output_path = directory.join(".output");
    let output = File::create(&output_path).expect("a file for the output");
    let clone = || output.try_clone().expect("a second handle to the output");
    let mut process = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    process
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(clone())
        .stderr(clone());
    process.env_remove("NO_COLOR").env("COLUMNS", "100");
    let mut result = None;
    while let Some(word) = words.next() {
        match word.as_str() {
            "<" => {
                let file = words.next().expect("a file behind <");
                process.stdin(File::open(directory.join(file)).expect("an input file"));
            }
            ">" => {
                let file = words.next().expect("a file behind >");
                let path = directory.join(file);
                process.stdout(File::create(&path).expect("an output file"));
                result = Some(path);
            }
            _ => {
                process.arg(word);
            }
        }
    }
    let status = process.status().expect("the command can be started");
    let bytes = fs::read(&output_path).expect("the output that was just written");
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let written = result.map(|path| fs::read_to_string(path).expect("a file of the command"));
    schemas::check(&command, written.as_deref().unwrap_or(&text), &text);
    // No document means to show one, so none must be blessed by accident.
    let is_bug = text.contains("internal error:");
    assert!(!is_bug, "`{command}` fails in itself:\n{text}");
    match status.code() {
        Some(0) => text,
        Some(code) => format!("{text}[exit {code}]\n"),
        None => format!("{text}[killed]\n"),
    }
}

/// The words of a command line; `'…'` and `"…"` keep spaces.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

fn difference(path: &Path, expected: &str, actual: &str) -> String {
    let same = expected
        .lines()
        .zip(actual.lines())
        .take_while(|(a, b)| a == b)
        .count();
    let from = |text: &str| {
        let shown: Vec<&str> = text.lines().skip(same).take(12).collect();
        shown.join("\n  ")
    };
    format!(
        "{}:{}: the document says\n  {}\nbut now it is\n  {}\n(HARDBOP_BLESS=1 rewrites the document)",
        path.display(),
        same + 1,
        from(expected),
        from(actual),
    )
}

#[test]
fn a_line_of_dots_stands_for_any_lines() {
    let actual = ["a", "b", "c", "d"];
    for shown in [
        &["a", "b", "c", "d"][..],
        &["a", "…", "d"],
        &["…", "c", "d"],
        &["a", "…"],
        &["…", "b", "…", "d"],
    ] {
        assert!(matches(shown, &actual), "{shown:?}");
    }
    for shown in [
        &["a", "b", "c"][..],
        &["a", "…", "c"],
        &["b", "…"],
        &["…", "c", "…", "b"],
        &["a", "b", "c", "d", "…", "d"],
    ] {
        assert!(!matches(shown, &actual), "{shown:?}");
    }
}
