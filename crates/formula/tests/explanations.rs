//! The examples of `hardbop explain` are true: each bad file gets its code, each mended one gets
//! neither it nor an error.

use hardbop_formula::load_text;
use hardbop_syntax::{Code, Diagnostic, Source, codes};

fn diagnose(text: &str) -> Vec<Diagnostic> {
    load_text(&Source::new("example.mu", text)).diagnostics
}

fn codes_of(diagnostics: &[Diagnostic]) -> Vec<Code> {
    diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn each_bad_example_gets_its_code() {
    let mut wrong = Vec::new();
    for explanation in codes::of_formulas() {
        let found = codes_of(&diagnose(explanation.bad));
        if !found.contains(&explanation.code) {
            wrong.push(format!("{}: found {found:?}", explanation.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_fixed_example_is_accepted_without_a_word() {
    let mut wrong = Vec::new();
    for explanation in codes::of_formulas() {
        let diagnostics = diagnose(explanation.fixed);
        if !diagnostics.is_empty() {
            wrong.push(format!("{}: {diagnostics:?}", explanation.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
