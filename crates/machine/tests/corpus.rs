//! Every program of the corpus of other tools' tests becomes a machine.
//!
//! The corpus is not part of the project; where its folder is missing, this test says so and
//! passes.

use hardbop_testkit::shared_programs;

/// Programs that are rejected, by the end of their path, each with the code and the reason.
const REJECTED: &[(&str, &str)] = &[];

#[test]
fn all_programs_of_other_tools_become_machines() {
    let programs = shared_programs("corpus");
    assert!(
        programs.is_empty() || programs.len() >= 100,
        "only {} programs",
        programs.len()
    );
    let mut failures = Vec::new();
    for path in programs {
        let name = path.to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("the corpus is text");
        let rejected = REJECTED.iter().find(|(end, _)| name.ends_with(end));
        let errors = match hardbop_machine::from_text(&name, &text) {
            Ok(_) => Vec::new(),
            Err(diagnostics) => diagnostics,
        };
        let errors: Vec<_> = errors.iter().filter(|d| d.is_error()).collect();
        let codes: Vec<String> = errors.iter().map(|d| d.code.to_string()).collect();
        match rejected {
            None if errors.is_empty() => {}
            Some((_, code)) if codes.iter().any(|c| c == code) => {}
            _ => failures.push(format!("{name}: {codes:?} {:?}", errors.first())),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
