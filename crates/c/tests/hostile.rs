//! Damaged programs become a tree or get an error, whatever was done to them.

use hardbop_program::Dialect;
use hardbop_syntax::Source;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::source::CReading;

const SEED: &str = include_str!("../../../fuzz/seeds/c-program/features.c");

/// Whether a text is a program.
fn is_program(text: &str) -> bool {
    let source = Source::new("damaged.c", text);
    let parsed = hardbop_c::parse(&source, &CReading::default());
    for found in &parsed.diagnostics {
        assert!(text.get(found.primary.span.range()).is_some(), "{found:?}");
    }
    let is_parsed = !has_errors(&parsed.diagnostics);
    let checked = hardbop_program::check(parsed.ast, &source, Some(Dialect::Sequential));
    let is_valid = is_parsed && !has_errors(&checked.diagnostics);
    assert!(!is_valid || checked.program.is_some());
    if let Some(program) = checked.program.filter(|_| is_valid) {
        hardbop_machine::lower(program, &source);
    }
    is_valid
}

#[test]
fn words_that_change_places_do_no_harm() {
    assert!(is_program(SEED));
    let mut state = 7u64;
    let mut random = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695);
        (state >> 33) as usize % bound
    };
    let words: Vec<&str> = SEED
        .split_inclusive(|c: char| !c.is_alphanumeric())
        .collect();
    let mut read = 0;
    for _ in 0..1_000 {
        let mut damaged = words.clone();
        for _ in 0..=random(3) {
            let (from, to) = (random(words.len()), random(words.len()));
            match random(3) {
                0 => damaged[to] = words[from],
                1 => damaged[to] = "",
                _ => damaged.insert(to, words[from]),
            }
        }
        read += u32::from(is_program(&damaged.concat()));
    }
    assert!(read > 50, "only {read} are programs");
}
