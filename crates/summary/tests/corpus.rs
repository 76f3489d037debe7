//! Other tools' programs and generated ones with known answers, read beside the project where they
//! are present: the verdicts are the expected ones, every run replays, every certificate is
//! accepted.
#![allow(clippy::print_stderr, reason = "says why nothing was tested")]

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Budget, Engine, Evidence, NeverInterrupted, Question, Silent, Support, Verdict,
};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::shared;
use hardbop_transform::hide::FewVariables;
use std::path::{Path, PathBuf};

/// What is in a folder of `shared`, if it is there.
fn entries(folder: &str) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(shared(folder)?).unwrap();
    Some(entries.map(|entry| entry.unwrap().path()).collect())
}

fn machine(path: &Path) -> Machine {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.display().to_string();
    from_text(&name, &text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

/// Whether some target can be reached, with all evidence checked.
fn fails(path: &Path, machine: &Machine, question: &Question) -> bool {
    // Some of these programs are too large for all variables at once.
    let engine = FewVariables {
        engine: Box::new(SummaryEngine::default()),
        tries_all: true,
    };
    let outcome = engine.check(machine, question, &Budget::unlimited(), &mut Silent);
    let name = path.display();
    let mut any = false;
    for answer in &outcome.answers {
        match &answer.verdict {
            Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
                hardbop_interpreter::replay(machine, trace)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                any = true;
            }
            Verdict::No(_) => {
                assert_eq!(answer.verdict, Verdict::CERTIFIED, "{name}");
            }
            verdict => panic!("{name}: {verdict:?}"),
        }
    }
    for certificate in &outcome.certificates {
        hardbop_checker::validate(machine, certificate, &NeverInterrupted)
            .unwrap_or_else(|rejected| panic!("{name}: {rejected}"));
    }
    any
}

#[test]
fn boppo_tests_have_the_verdicts_of_their_descriptions() {
    let Some(folders) = entries("corpus/boppo") else {
        return;
    };
    let mut checked = 0;
    for folder in folders {
        let Ok(description) = std::fs::read_to_string(folder.join("test.desc")) else {
            continue;
        };
        let path = folder.join("main.bp");
        let machine = machine(&path);
        if !machine.is_sequential() {
            continue;
        }
        let options = description.lines().nth(2).unwrap_or("");
        let question = match options.trim().strip_prefix("-l ") {
            Some(label) => Question::label(&machine, label),
            None => Question::assertions(&machine),
        };
        let expected = description.contains("VERIFICATION FAILED");
        let name = path.display();
        assert_eq!(fails(&path, &machine, &question), expected, "{name}");
        checked += 1;
    }
    assert!(checked >= 18, "only {checked} programs were checked");
}

#[test]
fn wali_programs_can_all_fail() {
    let Some(files) = entries("corpus/wali") else {
        return;
    };
    for path in files {
        if path.extension().is_some_and(|e| e == "bp") {
            let machine = machine(&path);
            let question = Question::assertions(&machine);
            let name = path.display();
            assert!(fails(&path, &machine, &question), "{name}");
        }
    }
}

#[test]
fn generated_benchmarks_have_their_known_answers() {
    let failing = ["ra6", "rb5", "rb6", "rb8", "termS_unsafe", "termB_unsafe"];
    let Some(files) = entries("bench") else {
        return;
    };
    for path in files {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "bp") {
            let machine = machine(&path);
            let question = Question::assertions(&machine);
            let expected = failing.contains(&stem.as_str());
            assert_eq!(fails(&path, &machine, &question), expected, "{stem}");
        }
    }
}
