//! Runs the documents in `golden/`: prose, programs, command lines and what they print.
//!
//! A fenced block with a file name in its head (```` ```bp lock.bp ````) becomes a file. In a ```` ```console ```` block every
//! line that begins with `$ ` is a command; the lines behind it are its output, standard error included, and
//! `[exit N]` where the exit code is not 0. Commands are `hardbop …`, with `< FILE`, `> FILE` and quotes understood, and `cat FILE`.
//! With `HARDBOP_BLESS=1` in the environment the documents are rewritten to say what the commands print now.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn every_document_says_what_the_command_does() {
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<PathBuf> = fs::read_dir(&documents)
        .expect("the documents are part of the crate")
        .map(|entry| entry.expect("a readable directory").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no documents in {}", documents.display());
    let bless = std::env::var_os("HARDBOP_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in paths {
        let expected = fs::read_to_string(&path).expect("a document is text");
        let actual = run_document(&path, &expected);
        if actual != expected {
            if bless {
                fs::write(&path, actual).expect("a document can be rewritten");
            } else {
                wrong.push(difference(&path, &expected, &actual));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The document with the output of its commands as it is now.
fn run_document(path: &Path, text: &str) -> String {
    let name = path.file_stem().expect("a document has a name");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory).expect("the directory of an earlier run can go");
    }
    fs::create_dir_all(&directory).expect("a directory for the files of the document");
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(head) = line.strip_prefix("```") else {
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let file = head.split_once(' ').map(|(_, file)| file.trim());
        if head == "console" {
            for command in body.iter().filter_map(|line| line.strip_prefix("$ ")) {
                out.extend([
                    "$ ",
                    command,
                    "
",
                    &run_command(&directory, command),
                ]);
            }
        } else {
            let text: String = body.iter().flat_map(|line| [*line, "\n"]).collect();
            if let Some(file) = file {
                fs::write(directory.join(file), &text)
                    .expect("a file of the document can be written");
            }
            out.push_str(&text);
        }
        out.push_str("```\n");
    }
    out
}

/// What a command prints, and its exit code if that is not 0.
fn run_command(directory: &Path, command: &str) -> String {
    let mut words = split(command).into_iter();
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
    while let Some(word) = words.next() {
        match word.as_str() {
            "<" => {
                let file = words.next().expect("a file behind <");
                process.stdin(File::open(directory.join(file)).expect("an input file"));
            }
            ">" => {
                let file = words.next().expect("a file behind >");
                process.stdout(File::create(directory.join(file)).expect("an output file"));
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
