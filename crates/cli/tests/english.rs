//! Documents, help texts and comments avoid idioms that do not read as plain English.
//!
//! Documents and help texts must not contain any of [`IDIOMS`]. For the comments of the crates,
//! `english.txt` records how often each idiom still occurs. The test fails if a number grows;
//! `HARDBOP_BLESS=1` lowers the numbers that have shrunk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Idioms, and what to write instead.
const IDIOMS: &[(&str, &str)] = &[
    ("nobody", "name the component, or use the passive"),
    ("somebody", "name the component, or use the passive"),
    ("everybody", "name the component"),
    ("anybody", "name the component"),
    ("whoever", "name the component"),
    ("those who", "address the reader: you"),
    ("stands", "is, follows, represents"),
    ("stand for", "represent"),
    ("stand in", "are in"),
    ("stand at", "are at"),
    ("stand on", "are on"),
    ("stand above", "are above"),
    ("stand below", "are below"),
    ("stand before", "precede"),
    ("stand behind", "follow"),
    ("stand beside", "are next to"),
    ("stand between", "are between"),
    ("stand together", "are adjacent"),
    ("stand under", "are under"),
    ("goes on", "continues"),
    ("go on", "continue"),
    ("going on", "continuing"),
    ("went on", "continued"),
    ("comes out as", "evaluates to"),
    ("come out as", "evaluate to"),
    ("came out as", "evaluated to"),
    ("comes out the same", "is constant"),
    ("come out the same", "are constant"),
    ("comes to", "reaches"),
    ("come to", "reach"),
    ("came to", "reached"),
    ("comes back", "returns, is translated back"),
    ("come back to", "return to"),
    ("has to do with", "affects"),
    ("have to do with", "affect"),
    ("tells apart", "distinguishes"),
    ("tell apart", "distinguish"),
    ("told apart", "distinguished"),
    ("is there already", "already exists"),
    ("for ever", "forever"),
    ("anew", "again"),
    ("so many", "N, this many"),
    ("as far as", "(leave it out)"),
    ("of its own", "separate"),
    ("of their own", "separate"),
    ("of our own", "separate"),
    ("nothing if", "`None` if"),
    ("hears nothing", "discards events"),
    ("way back", "translation back"),
    ("ways back", "translations back"),
    ("matters", "is relevant"),
    ("not matter", "is irrelevant"),
    ("can matter", "can be relevant"),
    ("promise", "property, guarantee"),
    ("promises", "properties, guarantees"),
    ("speaks of", "mentions"),
    ("speak of", "mention"),
    ("speaks about", "is about"),
    ("speak about", "are about"),
    ("what was found", "the result, the counterexample"),
    ("what is not known", "an unknown verdict"),
    ("what cannot happen", "unreachable targets"),
    ("what came of", "the result of"),
    ("held against", "compared with, checked against"),
    ("hold against", "compare with"),
    ("holds against", "compares with"),
    ("held to its word", "checked"),
    ("by the letter", "literally"),
    ("in the words of", "in terms of"),
    ("whatever it takes", "always"),
    ("insist", "always compute, require"),
    ("insists", "always computes, requires"),
    ("look at the limits", "poll"),
    ("looks at the limits", "polls"),
    ("gets on", "advances"),
    ("stays behind", "is left behind"),
    ("to be had", "available"),
    ("unless told", "by default"),
    ("unless said", "by default"),
    ("if need be", "if necessary"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files below a folder with an extension, in order, without build directories.
fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).expect("the folder exists");
        for path in entries.map(|entry| entry.expect("the entry is readable").path()) {
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The prose of a Markdown text: no code blocks, no inline code, no link targets.
fn prose(markdown: &str) -> String {
    let mut is_code = false;
    let lines = markdown.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    let text = without_code(&lines.collect::<Vec<_>>().join(" "));
    let mut links = text.split("](");
    let first = links.next().unwrap_or_default().to_owned();
    let rest = links.map(|part| part.split_once(')').map_or(part, |(_, rest)| rest));
    rest.fold(first, |text, part| text + "] " + part)
}

/// A text without the parts between backquotes.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("code")
}

/// The comments of a Rust file. Code between two comments separates them.
fn comments(source: &str) -> String {
    let lines = source.lines().map(|line| match line.trim_start() {
        line if line.starts_with("//") => line.trim_start_matches(['/', '!']),
        _ => ".",
    });
    without_code(&lines.collect::<Vec<_>>().join(" "))
}

/// Where each idiom occurs in a text: the idiom, what to write instead, and its surroundings.
fn occurrences(text: &str) -> Vec<(&'static str, &'static str, String)> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let text = words.join(" ");
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut found = Vec::new();
    for &(idiom, instead) in IDIOMS {
        for (start, _) in text.match_indices(idiom) {
            let (before, after) = (&text[..start], &text[start + idiom.len()..]);
            if before.ends_with(is_word) || after.starts_with(is_word) {
                continue;
            }
            let before: Vec<&str> = before.split(' ').rev().take(6).collect();
            let before: Vec<&str> = before.into_iter().rev().collect();
            let after: Vec<&str> = after.split(' ').take(6).collect();
            let around = format!("{}{idiom}{}", before.join(" "), after.join(" "));
            found.push((idiom, instead, around));
        }
    }
    found
}

/// One line for each occurrence, for the message of a test.
fn complaints(name: &str, text: &str) -> Vec<String> {
    let complaint = |(idiom, instead, around)| {
        format!("{name}: \"{idiom}\" (instead: {instead})\n    … {around} …")
    };
    occurrences(text).into_iter().map(complaint).collect()
}

#[test]
fn documents_are_plain_english() {
    let root = root();
    let mut paths: Vec<PathBuf> = [
        "README.md",
        "CONTRIBUTING.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "editors/vscode/README.md",
        "fuzz/README.md",
    ]
    .map(|name| root.join(name))
    .into();
    paths.extend(files_below(&root.join("docs"), "md"));
    paths.extend(files_below(&root.join("crates"), "md"));
    paths.extend(files_below(&root.join("tools"), "md"));
    assert!(paths.len() > 60, "{}", paths.len());
    let mut found = Vec::new();
    for path in &paths {
        found.extend(complaints(&path.display().to_string(), &prose(&read(path))));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn help_is_plain_english() {
    let help = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
            .args(words)
            .arg("--help")
            .output();
        let output = output.expect("the command starts").stdout;
        String::from_utf8(output).expect("help is UTF-8")
    };
    let overview = help(&[]);
    let commands = overview.lines().skip_while(|line| *line != "Commands:");
    let commands = commands.skip(1).take_while(|line| !line.is_empty());
    let names = commands.filter_map(|line| line.split_whitespace().next());
    let mut found = complaints("hardbop --help", &overview);
    let mut count = 0;
    for name in names.filter(|name| *name != "help") {
        count += 1;
        found.extend(complaints(
            &format!("hardbop {name} --help"),
            &help(&[name]),
        ));
    }
    assert!(count > 15, "{count} commands");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn comments_do_not_get_worse() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut example: BTreeMap<&str, String> = BTreeMap::new();
    for path in files_below(&root().join("crates"), "rs") {
        // The list of idioms itself is not prose.
        if path.ends_with("tests/english.rs") {
            continue;
        }
        for (idiom, _, around) in occurrences(&comments(&read(&path))) {
            *counts.entry(idiom).or_default() += 1;
            example.insert(idiom, format!("{}: … {around} …", path.display()));
        }
    }
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/english.txt");
    let known = read(&record);
    let known: BTreeMap<&str, usize> = known
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(idiom, count)| (idiom, count.parse().expect("a line ends in a number")))
        .collect();
    if std::env::var_os("HARDBOP_BLESS").is_some() {
        let lower = counts.iter().filter_map(|(idiom, count)| {
            let allowed = known.get(idiom).map_or(0, |known| *known.min(count));
            (allowed > 0).then(|| format!("{idiom}\t{allowed}\n"))
        });
        std::fs::write(&record, lower.collect::<String>()).expect("the record is writable");
    }
    let worse = counts.iter().filter_map(|(idiom, &count)| {
        let allowed = known.get(idiom).copied().unwrap_or(0);
        let example = &example[idiom];
        (count > allowed).then(|| format!("\"{idiom}\": {count}, not {allowed}; as in {example}"))
    });
    let worse: Vec<String> = worse.collect();
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

#[test]
fn an_idiom_is_found_in_prose_and_not_in_code() {
    let text =
        "It `stands` here, so\n[many](for ever.md) stand-alone, and goes\non\n```\nanew\n```\n";
    let found = occurrences(&prose(text));
    let idioms: Vec<&str> = found.iter().map(|(idiom, ..)| *idiom).collect();
    assert_eq!(idioms, ["goes on"]);
    let source =
        "/// Runs for\n/// ever.\nlet anew = \"nobody\"; // x\n/// for\nfn f() {}\n/// ever\n";
    let found = occurrences(&comments(source));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "for ever");
}
