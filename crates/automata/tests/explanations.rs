//! The examples of `hardbop explain` for properties are true: each bad one gets its code, each
//! mended one is accepted.

use hardbop_automata::{read_hoa, read_ltl, read_monitor};
use hardbop_syntax::codes::{self, EXAMPLE_PROGRAM};
use hardbop_syntax::{Code, Diagnostic, Source};

fn diagnose(text: &str) -> Vec<Diagnostic> {
    let machine = hardbop_machine::from_text("example.bp", EXAMPLE_PROGRAM).unwrap();
    let source = Source::new("property", text);
    let result = if text.starts_with("monitor") {
        read_monitor(&source, &machine).map(drop)
    } else if text.starts_with("HOA:") {
        read_hoa(&source, &machine).map(drop)
    } else {
        read_ltl(&source, &machine).map(drop)
    };
    result.err().unwrap_or_default()
}

#[test]
fn each_bad_example_gets_its_code_and_each_fixed_one_is_accepted() {
    let mut wrong = Vec::new();
    for explanation in codes::of_properties() {
        let found: Vec<Code> = diagnose(explanation.bad).iter().map(|d| d.code).collect();
        if !found.contains(&explanation.code) {
            wrong.push(format!("{}: found {found:?}", explanation.code));
        }
        let fixed = diagnose(explanation.fixed);
        if !fixed.is_empty() {
            wrong.push(format!("{} fixed: {fixed:?}", explanation.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
