//! Damaged programs: whatever is done to a text, the front end answers with a machine or with
//! errors, and what it still reads without errors it can format without changing what it says.
//!
//! These are the two fuzz targets of `fuzz/` with a fixed stream of mutations, so that they run
//! with the other tests. The examples are changed by bytes (broken words, half comments) and by
//! tokens (programs that are nearly right), each a few times.

use hardbop_syntax::ast::Form;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::format::format;
use hardbop_syntax::{Ast, Source, parse_as};
use std::path::Path;

/// Mutants of each example.
const MUTANTS: u64 = 800;
/// Longer examples are cut: time is better spent on more mutants.
const LONGEST: usize = 4000;

/// Words and signs that a mutation may put anywhere.
#[rustfmt::skip]
const DICTIONARY: &[&str] = &[
    "begin", "end", "if", "then", "elsif", "else", "fi", "while", "do", "od", "goto", "return",
    "assert", "assume", "constrain", "abortif", "enforce", "dead", "havoc", "skip", "print", "call",
    "decl", "void", "bool", "bool<2>", "int<3>", "int<65>", "dfs", "thread", "init", "main",
    "start_thread", "end_thread", "atomic_begin", "atomic_end", "thread_local", "choose[a,b]",
    "schoose[1,0]", "T", "F", "true", "0", "1", "7", "99999999999999999999", "*", "?", "_", "'x",
    "x", "{a b}", "{", "}", "(", ")", "[", "]", ";", ":", ":=", ",", "->", "=>", "<->", "==", "!=",
    "<=", "<", "^", "&&", "|", "!", "~", "+", "-", "/*", "*/", "// c\n", "/* c */", "\n", "\n\n",
    "\r\n", "L:", "ASYNC_1:", "x$", "sync", "var", "or", "ä", "\u{feff}", "\0",
];

/// Vigna's splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// A short range inside `0..length`.
    fn range(&mut self, length: usize, longest: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let end = (start + self.below(longest + 1)).min(length);
        start..end
    }
}

fn examples() -> Vec<(Form, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = std::fs::read_dir(folder).expect("the examples are part of the project");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("can be listed").path())
        .collect();
    paths.sort();
    let form_of = |path: &Path| match path.extension()?.to_str()? {
        "bp" => Some(Form::Procedures),
        "gp" => Some(Form::GuardedBlocks),
        _ => None,
    };
    let example = |path: &std::path::PathBuf| {
        let form = form_of(path)?;
        let mut bytes = std::fs::read(path).expect("an example can be read");
        bytes.truncate(LONGEST);
        Some((form, bytes))
    };
    paths.iter().filter_map(example).collect()
}

fn mutate_bytes(random: &mut Random, text: &mut Vec<u8>, other: &[u8]) {
    let range = random.range(text.len(), 12);
    match random.below(6) {
        0 => drop(text.drain(range)),
        1 => {
            if let Some(byte) = text.get_mut(range.start) {
                *byte = random.next() as u8;
            }
        }
        2 => text.truncate(range.start),
        3 => {
            let word = DICTIONARY[random.below(DICTIONARY.len())];
            drop(text.splice(range.start..range.start, word.bytes()));
        }
        4 => {
            let copied = text[range.clone()].to_vec();
            let place = random.below(text.len() + 1);
            drop(text.splice(place..place, copied));
        }
        _ => {
            let foreign = random.range(other.len(), 60);
            drop(text.splice(range, other[foreign].iter().copied()));
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

fn mutate_tokens(random: &mut Random, text: &mut Vec<u8>, other: &[u8]) {
    let mut parts = tokens(text);
    let range = random.range(parts.len(), 6);
    match random.below(5) {
        0 => drop(parts.drain(range)),
        1 if !parts.is_empty() => {
            let (a, b) = (random.below(parts.len()), random.below(parts.len()));
            parts.swap(a, b);
        }
        2 => {
            let copied = parts[range].to_vec();
            let place = random.below(parts.len() + 1);
            drop(parts.splice(place..place, copied));
        }
        3 => {
            let word = format!(" {} ", DICTIONARY[random.below(DICTIONARY.len())]);
            drop(parts.splice(range.start..range.start, [word.into_bytes()]));
        }
        _ => {
            let foreign = tokens(other);
            let taken = foreign[random.range(foreign.len(), 20)].to_vec();
            drop(parts.splice(range, taken));
        }
    }
    *text = parts.concat();
}

/// Calls `test` with every mutant that is text; returns how many there were.
fn for_each_mutant(seed: u64, mut test: impl FnMut(Form, &Source)) -> usize {
    let examples = examples();
    let mut random = Random(seed);
    let mut count = 0;
    for (form, text) in &examples {
        for _ in 0..MUTANTS {
            let mut mutant = text.clone();
            let other = &examples[random.below(examples.len())].1;
            for _ in 0..=random.below(4) {
                if random.below(3) == 0 {
                    mutate_bytes(&mut random, &mut mutant, other);
                } else {
                    mutate_tokens(&mut random, &mut mutant, other);
                }
            }
            if let Ok(source) = Source::from_bytes("mutant", mutant) {
                count += 1;
                test(*form, &source);
            }
        }
    }
    count
}

fn comments(ast: &Ast, source: &Source) -> Vec<String> {
    let texts = ast
        .comments
        .iter()
        .map(|comment| source.slice(comment.span).to_owned());
    texts.collect()
}

/// Panics if formatting changes what the text says; whether the text was read without errors.
fn check_formatting(form: Form, source: &Source) -> bool {
    let first = parse_as(source, form);
    if has_errors(&first.diagnostics) {
        return false;
    }
    let formatted = Source::new("formatted", format(&first.ast, source));
    let second = parse_as(&formatted, form);
    let texts = || {
        format!(
            "\n--- text\n{}\n--- formatted\n{}",
            source.text(),
            formatted.text()
        )
    };
    assert!(
        !has_errors(&second.diagnostics),
        "an error: {:?}{}",
        second.diagnostics,
        texts()
    );
    assert!(
        first.ast.without_places() == second.ast.without_places(),
        "another tree{}",
        texts()
    );
    assert_eq!(
        comments(&first.ast, source),
        comments(&second.ast, &formatted),
        "other comments{}",
        texts()
    );
    let again = format(&second.ast, &formatted);
    assert!(
        formatted.text() == again,
        "formatted again: {again}{}",
        texts()
    );
    true
}

#[test]
fn every_mutant_becomes_a_machine_or_gets_an_error() {
    let mut machines = 0;
    let mutants = for_each_mutant(1, |form, source| {
        let parsed = parse_as(source, form);
        let is_read = !has_errors(&parsed.diagnostics);
        let checked = hardbop_program::check(parsed.ast, source, None);
        let is_valid = is_read && !has_errors(&checked.diagnostics);
        assert!(
            !is_valid || checked.program.is_some(),
            "neither a program nor an error:\n{}",
            source.text()
        );
        if let Some(program) = checked.program.filter(|_| is_valid) {
            hardbop_machine::lower(&program, source);
            machines += 1;
        }
    });
    assert!(
        mutants > 3000 && machines > mutants / 20,
        "{machines} machines of {mutants} mutants"
    );
}

#[test]
fn formatting_a_mutant_keeps_tree_and_comments_and_is_idempotent() {
    let mut read = 0;
    let mutants = for_each_mutant(2, |form, source| {
        read += usize::from(check_formatting(form, source));
    });
    assert!(
        mutants > 3000 && read > mutants / 20,
        "{read} read of {mutants} mutants"
    );
}
