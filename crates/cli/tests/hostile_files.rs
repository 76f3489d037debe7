//! Damaged files of every kind that hardbop reads: whatever is done to them, each reader keeps its
//! promises.
//!
//! The promises are those of the fuzz targets (`fuzz/checks.rs`), held here with a fixed stream of
//! mutations of the examples and of `fuzz/seeds`, so that they run with the other tests. Files are
//! changed by bytes (broken words, half comments) and by words (files that are nearly right), each
//! a few times. `HARDBOP_MUTATIONS` is how many times each file is changed, `HARDBOP_SEED` how.

#[path = "../../../fuzz/checks.rs"]
mod checks;

use hardbop_families::random::Random;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longer files are cut: time is better spent on more mutants.
const LONGEST: usize = 4000;

/// Words and signs of programs and systems of equations.
#[rustfmt::skip]
const PROGRAM_WORDS: &[&str] = &[
    "begin", "end", "if", "then", "elsif", "else", "fi", "while", "do", "od", "goto", "return",
    "assert", "assume", "constrain", "abortif", "enforce", "dead", "havoc", "skip", "print", "call",
    "decl", "void", "bool", "bool<2>", "int<3>", "int<65>", "dfs", "thread", "init", "main",
    "start_thread", "end_thread", "atomic_begin", "atomic_end", "thread_local", "choose[a,b]",
    "schoose[1,0]", "T", "F", "true", "0", "1", "7", "99999999999999999999", "*", "?", "_", "'x",
    "x", "{a b}", "{", "}", "(", ")", "[", "]", ";", ":", ":=", ",", "->", "=>", "<->", "==", "!=",
    "<=", "<", "^", "&&", "|", "!", "~", "+", "-", "/*", "*/", "// c\n", "/* c */", "\n", "\n\n",
    "\r\n", "L:", "ASYNC_1:", "x$", "sync", "var", "or", "ä", "\u{feff}", "\0",
];

/// Of C.
#[rustfmt::skip]
const C_WORDS: &[&str] = &[
    "int", "unsigned", "char", "long", "_Bool", "struct s", "enum { A }", "typedef", "static",
    "extern", "void", "double", "union", "const", "if", "else", "while", "do", "for", "switch",
    "case 1:", "default:", "break;", "continue;", "return", "goto L;", "L:", "ERROR:", "sizeof",
    "x", "y", "f", "main", "a[1]", "s.x", "p->x", "*p", "&x", "1", "0", "-1", "0x80000000u",
    "99999999999999999999", "'a'", "\"s\"", "++", "--", "+=", "<<", ">>", "/", "%", "&&", "||", "?",
    ":", "=", "==", "!", "~", "(", ")", "{", "}", "[", "]", ";", ",", ".", "->", "...", "/*", "*/",
    "//", "#", "# 1 \"f\"\n", "assert(x)", "__VERIFIER_nondet_int()", "({", "})", "ä", "\0", "\n",
];

/// Of equations, formulas, monitors and automata.
#[rustfmt::skip]
const FORMULA_WORDS: &[&str] = &[
    "mu", "nu", "bool", "enum", "class", "exists", "forall", "G", "F", "X", "U", "R", "W", "M",
    "at(AGAIN)", "in(flip)", "terminated", "failed", "var(g)", "n = 3", "main:x", "->", "<->",
    "state", "initial", "target", "accepting", "from", "on", "goto", "else", "stop", "monitor",
    "State:", "[t]", "[0&!1]", "{0}", "Inf(0)", "Fin(1)", "Acceptance: 2", "AP: 1 \"g\"", "@x",
    "--BODY--", "--END--", "--ABORT--", "\"", "(", ")", "!", "&", "|", "=", "<", "0", "1",
    "4294967296", "99999999999999999999", "#size", ";", ".", "..", "ä", "\0", "\n",
];

/// Of evidence.
#[rustfmt::skip]
const JSON_WORDS: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "null", "true", "-1", "0", "1", "2", "3", "4294967295",
    "18446744073709551615", "1e9", "\"\"", "\"edge\"", "\"inputs\"", "\"leave\"", "\"constant\"",
    "\"not\"", "\"and\"", "\"ite\"", "\"assertion\"", "\"label\"", "\"line\"", "[0]", "{\"not\":0}",
];

/// Of projects.
#[rustfmt::skip]
const PROJECT_WORDS: &[&str] = &[
    "[[check]]", "[defaults]", "[", "]", "{", "}", "=", ",", ".", "files", "reach", "engine",
    "rounds", "contexts", "time", "ltl", "steps", "true", "false", "0", "1", "-1", "1e999",
    "99999999999999999999", "\"\"", "\"sat\"", "\"*.bp\"", "\"**\"", "\"AGAIN\"", "\n", "#", "ä",
    "\0",
];

/// A kind of file with its promise.
struct Reader {
    name: &'static str,
    check: fn(&[u8]) -> bool,
    seeds: Vec<Vec<u8>>,
    words: &'static [&'static str],
    /// How often each seed is changed.
    mutants: u64,
}

/// Algorithms for the calculus: without a program they are not whole systems of equations.
const ALGORITHMS: [&str; 12] = [
    "branching-time.mu",
    "dead-writes.mu",
    "delay-bounded.mu",
    "one-stretch.mu",
    "stale-lock.mu",
    "depth-game.mu",
    "dominators.mu",
    "equal-variables.mu",
    "returns.mu",
    "rounds-of-calls.mu",
    "taken-twice.mu",
    "written-after-release.mu",
];

fn files(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    let is_wanted = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        endings.iter().any(|ending| name.ends_with(ending)) && !ALGORITHMS.contains(&&*name)
    };
    let wanted = paths.iter().filter(is_wanted);
    wanted
        .map(|path| std::fs::read(path).expect("a file of the project"))
        .collect()
}

fn reader(name: &'static str, check: fn(&[u8]) -> bool) -> Reader {
    let folder = format!("fuzz/seeds/{name}");
    let (seeds, words, mutants) = match name {
        "program" | "formatting" => (files("examples", &["bp", "gp"]), PROGRAM_WORDS, 800),
        "c-program" => (
            [files("examples", &[".c"]), files(&folder, &[".c"])].concat(),
            C_WORDS,
            2000,
        ),
        "equations" => (files("examples/calculus", &["mu"]), FORMULA_WORDS, 200),
        "project" => (files(&folder, &["toml"]), PROJECT_WORDS, 2000),
        "project as files" => (files("fuzz/seeds/project", &["toml"]), PROJECT_WORDS, 200),
        "ltl" | "monitor" | "hoa" => (files(&folder, &["ltl", "mon", "hoa"]), FORMULA_WORDS, 5000),
        _ => (files(&folder, &["json"]), JSON_WORDS, 2000),
    };
    Reader {
        name,
        check,
        seeds,
        words,
        mutants,
    }
}

/// A short range inside `0..length`.
fn range(random: &mut Random, length: usize, longest: usize) -> std::ops::Range<usize> {
    let start = random.below(length + 1);
    let end = (start + random.below(longest + 1)).min(length);
    start..end
}

fn mutate_bytes(random: &mut Random, text: &mut Vec<u8>, other: &[u8], words: &[&str]) {
    let place = range(random, text.len(), 12);
    match random.below(6) {
        0 => drop(text.drain(place)),
        1 => {
            if let Some(byte) = text.get_mut(place.start) {
                *byte = random.next_number() as u8;
            }
        }
        2 => text.truncate(place.start),
        3 => {
            let word = words[random.below(words.len())];
            drop(text.splice(place.start..place.start, word.bytes()));
        }
        4 => {
            let copied = text[place].to_vec();
            let to = random.below(text.len() + 1);
            drop(text.splice(to..to, copied));
        }
        _ => {
            let foreign = range(random, other.len(), 60);
            drop(text.splice(place, other[foreign].iter().copied()));
        }
    }
}

/// Words, numbers, single signs; the white space between them stays with the token before.
fn tokens(text: &[u8]) -> Vec<Vec<u8>> {
    let mut tokens: Vec<Vec<u8>> = Vec::new();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for &byte in text {
        let last = tokens.last().and_then(|token| token.last()).copied();
        match last {
            Some(last) if byte.is_ascii_whitespace() || (is_word(last) && is_word(byte)) => {
                tokens.last_mut().expect("there is a last byte").push(byte);
            }
            _ => tokens.push(vec![byte]),
        }
    }
    tokens
}

fn mutate_tokens(random: &mut Random, text: &mut Vec<u8>, other: &[u8], words: &[&str]) {
    let mut parts = tokens(text);
    let place = range(random, parts.len(), 6);
    match random.below(8) {
        0 => drop(parts.drain(place)),
        1 if !parts.is_empty() => {
            let (a, b) = (random.below(parts.len()), random.below(parts.len()));
            parts.swap(a, b);
        }
        2 => {
            let copied = parts[place].to_vec();
            let to = random.below(parts.len() + 1);
            drop(parts.splice(to..to, copied));
        }
        3 => {
            let word = format!(" {} ", words[random.below(words.len())]);
            drop(parts.splice(place.start..place.start, [word.into_bytes()]));
        }
        4 | 5 => {
            let is_number = |part: &Vec<u8>| part.first().is_some_and(u8::is_ascii_digit);
            let behind = parts
                .iter_mut()
                .skip(place.start)
                .find(|part| is_number(part));
            if let Some(part) = behind {
                *part = random.below(9).to_string().into_bytes();
            }
        }
        6 => {
            let word = words[random.below(words.len())].as_bytes().to_vec();
            if let Some(part) = parts.get_mut(place.start) {
                *part = word;
            }
        }
        _ => {
            let foreign = tokens(other);
            let taken = foreign[range(random, foreign.len(), 20)].to_vec();
            drop(parts.splice(place, taken));
        }
    }
    *text = parts.concat();
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Checks every seed and its mutants, and that enough of them are read.
#[allow(clippy::print_stdout, reason = "figures for `docs/reliability.md`")]
fn hold(name: &'static str, check: fn(&[u8]) -> bool) {
    let reader = reader(name, check);
    let mutants = from_environment("HARDBOP_MUTATIONS").unwrap_or(reader.mutants);
    let mut random = Random::new(from_environment("HARDBOP_SEED").unwrap_or(1));
    let (mut tried, mut read) = (0, 0);
    assert!(!reader.seeds.is_empty(), "{name} has seeds");
    for seed in &reader.seeds {
        assert!((reader.check)(seed), "a seed of {name} is not read");
        let seed = &seed[..seed.len().min(LONGEST)];
        for _ in 0..mutants {
            let mut mutant = seed.to_vec();
            let other = &reader.seeds[random.below(reader.seeds.len())];
            for _ in 0..=random.below(3) {
                if random.below(3) == 0 {
                    mutate_bytes(&mut random, &mut mutant, other, reader.words);
                } else {
                    mutate_tokens(&mut random, &mut mutant, other, reader.words);
                }
            }
            tried += 1;
            read += u64::from((reader.check)(&mutant));
        }
    }
    println!("{}: {tried} tried, {read} read", reader.name);
    assert!(read * 100 > tried, "only {read} of {tried} are read");
}

#[test]
fn programs_become_machines_or_get_an_error() {
    hold("program", checks::program);
}

#[test]
fn damaged_c_programs_are_read_or_refused() {
    hold("c-program", checks::c_program);
}

#[test]
fn formatting_keeps_tree_and_comments_and_is_idempotent() {
    hold("formatting", checks::formatting);
}

#[test]
fn certificates_are_accepted_only_if_they_are_true() {
    hold("certificate", checks::certificate);
}

#[test]
fn traces_are_replayed_only_to_what_can_be_reached() {
    hold("trace", checks::trace);
}

#[test]
fn lassos_do_not_violate_what_holds() {
    hold("lasso", checks::lasso);
}

#[test]
fn outcomes_are_read_as_they_are_written() {
    hold("outcome", checks::outcome);
}

#[test]
fn formulas_are_read_or_refused() {
    hold("ltl", checks::ltl);
}

#[test]
fn monitors_are_read_or_refused() {
    hold("monitor", checks::monitor);
}

#[test]
fn automata_are_read_or_refused() {
    hold("hoa", checks::hoa);
}

#[test]
fn equations_are_read_or_refused() {
    hold("equations", checks::equations);
}

#[test]
fn projects_are_read_or_refused_with_a_line() {
    hold("project", checks::project);
}

/// The command reads a project with such a file or says what is wrong with it. Whether it was read.
fn project_as_files(bytes: &[u8]) -> bool {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile-project");
    std::fs::create_dir_all(&folder).expect("there is room");
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for name in ["sequential.bp", "threads.bp"] {
        std::fs::copy(seeds.join(name), folder.join(name)).expect("there is room");
    }
    std::fs::write(folder.join("hardbop.toml"), bytes).expect("there is room");
    let mut process = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    let output = process.args(["check", "--time", "5"]).current_dir(&folder);
    let output = output.output().expect("the command was built");
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    let text = String::from_utf8_lossy(bytes);
    assert!(matches!(code, Some(0..=3)), "{code:?}: {said}\n{text}");
    assert!(code != Some(2) || !said.is_empty(), "no reason:\n{text}");
    let is_read = checks::project(bytes);
    assert!(is_read || code == Some(2), "refused, but checked:\n{text}");
    code != Some(2)
}

#[test]
fn the_command_reads_projects_or_refuses_them() {
    hold("project as files", project_as_files);
}

#[test]
fn evidence_that_is_no_evidence_is_bad_input() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile-evidence");
    std::fs::create_dir_all(&folder).expect("there is room");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/sequential.bp");
    let deep = |open: &str, close: &str| open.repeat(1_000_000) + &close.repeat(1_000_000);
    let members = |name: &str, value: &str| format!("{{\"{name}\": {value}}}").into_bytes();
    let texts: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\xff\xfe{}".to_vec(),
        b"\0".to_vec(),
        b"null".to_vec(),
        b"{}".to_vec(),
        b"1e999999999".to_vec(),
        deep("[", "]").into_bytes(),
        deep("{\"not\":", "}").into_bytes(),
        "[0,".repeat(1_000_000).into_bytes(),
        members("hardbop-certificate", "1"),
        members("hardbop-certificate", "99999999999999999999"),
        members("hardbop-outcome", "2"),
        members("hardbop-outcome", "-1"),
        members("hardbop-trace", &deep("[", "]")),
        members("hardbop-lasso", "{}"),
        members("hardbop-thread-lasso", "1"),
    ];
    for (number, text) in texts.iter().enumerate() {
        let file = folder.join(format!("{number}.json"));
        std::fs::write(&file, text).expect("there is room");
        for command in ["validate", "replay"] {
            let mut process = Command::new(env!("CARGO_BIN_EXE_hardbop"));
            let output = process.arg(command).args([&program, &file]).output();
            let output = output.expect("the command was built");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} {number}: {said}");
            assert!(said.starts_with("error: cannot read "), "{said}");
        }
    }
}
