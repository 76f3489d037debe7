//! Whatever the input: a program or a diagnostic, in reasonable time, and never a panic.
//!
//! The whole way from text to machine, graph and formatted text is walked in this process, so a
//! panic or a stack overflow fails the test.

#![allow(clippy::print_stdout, reason = "figures for `docs/reliability.md`")]

use hardbop_machine::Machine;
use hardbop_report::diagnostics::{Colour, json_lines, render};
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::format::format;
use hardbop_syntax::{Source, parse};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Everything that is done with a text. The machine if the text is a program.
fn pipeline(name: &str, text: &str) -> Option<Machine> {
    let source = Source::new(name, text);
    let parsed = parse(&source);
    let is_clean = !has_errors(&parsed.diagnostics);
    let mut diagnostics = parsed.diagnostics;
    if is_clean {
        let formatted = format(&parsed.ast, &source);
        let again = parse(&Source::new(name, formatted));
        assert!(
            again.ast.without_places() == parsed.ast.without_places(),
            "formatting changes what {name} says"
        );
    }
    let checked = hardbop_program::check(parsed.ast, &source, None);
    diagnostics.extend(checked.diagnostics);
    let shown = render(&source, &diagnostics, Colour::Plain);
    assert_eq!(shown.is_empty(), diagnostics.is_empty());
    assert!(
        shown.len() < 10_000_000,
        "{} bytes of diagnostics",
        shown.len()
    );
    match checked.program {
        Some(program) if is_clean && !has_errors(&diagnostics) => {
            Some(hardbop_machine::lower(program, &source))
        }
        _ => {
            assert!(
                has_errors(&diagnostics),
                "rejected without an error: {text}"
            );
            None
        }
    }
}

fn examples() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the examples are part of the repository")
        .map(|entry| entry.expect("a readable directory").path())
        .filter(|path| path.extension().is_some_and(|e| e == "bp" || e == "gp"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path
            .file_name()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned();
        (name, fs::read_to_string(path).expect("an example is text"))
    };
    paths.iter().map(read).collect()
}

/// Where the tokens of a text are, roughly: words and single punctuation characters.
fn tokens(text: &str) -> Vec<std::ops::Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    let mut continues = false;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        match found.last_mut() {
            Some(last) if continues && is_word(character) => last.end = end,
            _ if character.is_whitespace() => {}
            _ => found.push(at..end),
        }
        continues = is_word(character);
    }
    found
}

#[test]
fn the_examples_are_programs() {
    for (name, text) in examples() {
        assert!(pipeline(&name, &text).is_some(), "{name}");
    }
}

#[test]
fn a_program_cut_anywhere_gets_a_diagnostic_or_is_one() {
    let mut tried = 0;
    for (name, text) in examples() {
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            pipeline(&name, &text[..end]);
            tried += 1;
        }
    }
    println!("{tried} programs cut off");
}

#[test]
fn a_program_without_one_token_gets_a_diagnostic_or_is_one() {
    let mut tried = 0;
    for (name, text) in examples() {
        for token in tokens(&text) {
            let mut without = text.clone();
            without.replace_range(token, "");
            pipeline(&name, &without);
            tried += 1;
        }
    }
    println!("{tried} programs without a token");
}

const DEEP: usize = 100_000;

fn all(machine: &hardbop_machine::Machine) -> Vec<hardbop_machine::ProcId> {
    machine.procedure_ids().collect()
}

fn in_main(body: &str) -> String {
    format!("decl x;\nvoid main() begin\n{body}\nend\n")
}

#[test]
fn deep_expressions_go_all_the_way() {
    let (open, close) = ("(".repeat(DEEP), ")".repeat(DEEP));
    let shapes = [
        format!("x := {open}x{close};"),
        format!("x := {}x;", "!".repeat(DEEP)),
        format!("x := {}x;", "x => ".repeat(DEEP)),
        format!("x := {}x;", "x | ".repeat(DEEP)),
        format!("x := {}x{};", "choose[x, ".repeat(DEEP), "]".repeat(DEEP)),
        format!("x := {}x;", "x ? x : ".repeat(DEEP)),
        format!("assert({open}x{close});"),
    ];
    for shape in shapes {
        let machine = pipeline("deep.bp", &in_main(&shape)).expect("it is a program");
        assert!(!hardbop_machine::graph::to_dot(&machine, &all(&machine)).is_empty());
    }
}

#[test]
fn deep_statements_go_all_the_way() {
    let shapes = [
        format!(
            "{}skip;{}",
            "if (x) then ".repeat(DEEP),
            " fi;".repeat(DEEP)
        ),
        format!(
            "{}skip;{}",
            "while (*) do ".repeat(DEEP),
            " od;".repeat(DEEP)
        ),
        format!(
            "if x then skip; {} else skip; fi",
            "elsif x then skip; ".repeat(DEEP)
        ),
        "skip;".repeat(DEEP),
    ];
    for shape in shapes {
        let machine = pipeline("deep.bp", &in_main(&shape)).expect("it is a program");
        assert!(!hardbop_machine::graph::to_dot(&machine, &all(&machine)).is_empty());
        assert!(!hardbop_machine::graph::to_json(&machine, &all(&machine)).is_empty());
    }
}

#[test]
fn deep_text_that_is_cut_off_is_only_an_error() {
    for part in [
        "(",
        "!",
        "if (",
        "if x then ",
        "while * do ",
        "x := choose[",
        "begin ",
        "thread t begin ",
    ] {
        assert!(pipeline("cut.bp", &in_main(&part.repeat(DEEP))).is_none());
        assert!(pipeline("cut.bp", &part.repeat(DEEP)).is_none());
    }
}

/// Cheap numbers that look random.
fn noise(length: usize, byte: impl Fn(u64) -> u8) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        byte(state >> 32)
    };
    (0..length).map(next).collect()
}

/// Bytes of garbage; more in an optimised build.
const MANY: usize = if cfg!(debug_assertions) {
    20_000_000
} else {
    100_000_000
};

#[test]
fn large_garbage_is_refused_in_seconds() {
    let random_bytes = noise(MANY, |random| random as u8);
    assert!(Source::from_bytes("noise.bp", random_bytes).is_err());
    let printable = noise(MANY, |random| b' ' + (random % 95) as u8);
    let lines = noise(MANY, |random| {
        if random % 60 == 0 {
            b'\n'
        } else {
            b' ' + (random % 95) as u8
        }
    });
    let text = |bytes| String::from_utf8(bytes).expect("printable bytes are text");
    let kinds = [
        ("printable", text(printable)),
        ("lines", text(lines)),
        ("parentheses", "(".repeat(MANY)),
        ("braces", "{".repeat(MANY)),
        ("semicolons", ";".repeat(MANY)),
        ("one name", "x".repeat(MANY)),
        ("one comment", format!("/*{}", " ".repeat(MANY))),
        ("one number", "9".repeat(MANY)),
        ("newlines", "\n".repeat(MANY)),
        ("wide characters", "ä".repeat(MANY / 2)),
        (
            "a long expression",
            in_main(&format!("x := {};", "(x & y) | ".repeat(MANY / 20))),
        ),
        (
            "many undeclared names",
            in_main(&"y := z; ".repeat(MANY / 40)),
        ),
    ];
    let mut wrong = Vec::new();
    for (kind, text) in kinds {
        let start = Instant::now();
        let source = Source::new("garbage.bp", text);
        let parsed = parse(&source);
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(hardbop_program::check(parsed.ast, &source, None).diagnostics);
        let shown = render(&source, &diagnostics, Colour::Plain).len();
        let json = json_lines(&source, &diagnostics[..diagnostics.len().min(10)]).len();
        let time = start.elapsed();
        if !has_errors(&diagnostics) {
            wrong.push(format!("{kind}: taken for a program"));
        }
        if shown.max(json) > 1_000_000 {
            wrong.push(format!(
                "{kind}: {shown} bytes of diagnostics, {json} of JSON"
            ));
        }
        if time > Duration::from_secs(20) {
            wrong.push(format!("{kind}: {time:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
