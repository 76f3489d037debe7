//! The examples of `hardbop explain` are true: each bad program gets its code, each mended one gets
//! neither it nor an error.

use hardbop_program::check;
use hardbop_syntax::{Code, Diagnostic, Source, codes, parse};

fn diagnose(text: &str) -> Vec<Diagnostic> {
    let source = Source::new("example.bp", text);
    let parsed = parse(&source);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(check(parsed.ast, &source, None).diagnostics);
    diagnostics
}

fn codes_of(diagnostics: &[Diagnostic]) -> Vec<Code> {
    diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn each_bad_example_gets_its_code() {
    let mut wrong = Vec::new();
    for explanation in codes::of_programs() {
        let found = codes_of(&diagnose(explanation.bad));
        if !found.contains(&explanation.code) {
            wrong.push(format!("{}: found {found:?}", explanation.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_fixed_example_is_accepted() {
    let mut wrong = Vec::new();
    for explanation in codes::of_programs() {
        let diagnostics = diagnose(explanation.fixed);
        let has_error = diagnostics.iter().any(Diagnostic::is_error);
        if has_error || codes_of(&diagnostics).contains(&explanation.code) {
            wrong.push(format!("{}: {diagnostics:?}", explanation.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_code_is_explained_in_sentences() {
    for explanation in codes::all() {
        assert!(
            explanation.text.len() > 60,
            "{} says little",
            explanation.code
        );
        assert!(explanation.text.ends_with('.'), "{}", explanation.code);
        assert!(!explanation.title.ends_with('.'), "{}", explanation.code);
    }
}
