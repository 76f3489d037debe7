//! Every example states its questions and answers in its head comment; the verdicts are those that
//! the command gives.
//!
//! Where an answer says `with N context switches`, N is the least number with which the bounded
//! engine finds a run.
//!
//! A head has lines `// hardbop check …` and after them an `Answer:` or `Answers:` with one verdict
//! word per question, in order.

use std::path::Path;
use std::process::Command;

const VERDICTS: [&str; 4] = ["HOLDS", "VIOLATED", "UNREACHABLE", "REACHABLE"];

/// The questions of a head comment with the verdicts it gives.
fn questions(text: &str) -> Vec<(Vec<String>, String)> {
    let head: Vec<&str> = text.lines().take_while(|l| l.starts_with("//")).collect();
    let commands = head
        .iter()
        .filter_map(|line| line.strip_prefix("//   hardbop "));
    let answers = head
        .iter()
        .skip_while(|line| !line.starts_with("// Answer"));
    let answers: String = answers.map(|line| line.trim_start_matches('/')).collect();
    let words = answers.split(|c: char| !c.is_ascii_uppercase());
    let verdicts = words
        .filter(|word| VERDICTS.contains(word))
        .map(str::to_owned);
    commands
        .map(|command| command.split_whitespace().map(str::to_owned).collect())
        .zip(verdicts)
        .collect()
}

/// The number in `with N context switches` of a head.
fn claimed_switches(text: &str) -> Option<u32> {
    let head = text.lines().take_while(|line| line.starts_with("//"));
    let answer = head.skip_while(|line| !line.starts_with("// Answer"));
    let answer: String = answer.collect();
    let (_, rest) = answer.split_once("VIOLATED, with ")?;
    let (number, rest) = rest.split_once(' ')?;
    rest.starts_with("context switch")
        .then(|| number.parse().ok())?
}

#[test]
fn runs_need_as_many_context_switches_as_the_heads_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut claims = 0;
    for entry in std::fs::read_dir(root.join("examples")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|ending| ending != "bp") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let Some(claimed) = claimed_switches(&text) else {
            continue;
        };
        let is_violated = |switches: u32| {
            let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
                .args(["check", "--quiet", "--trace", "none", "--contexts"])
                .arg(switches.to_string())
                .arg(&file)
                .output()
                .unwrap();
            String::from_utf8_lossy(&output.stdout).contains("VIOLATED")
        };
        assert!(is_violated(claimed), "{}", file.display());
        assert!(!is_violated(claimed - 1), "{}", file.display());
        claims += 1;
    }
    assert!(claims >= 5, "only {claims} claims were checked");
}

#[test]
fn the_questions_in_the_heads_of_the_examples_have_the_answers_given_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<_> = std::fs::read_dir(root.join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|e| e == "bp" || e == "gp" || e == "c")
        })
        .collect();
    files.sort();
    let mut asked = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let questions = questions(&text);
        assert!(!questions.is_empty(), "{} asks nothing", file.display());
        for (arguments, verdict) in questions {
            let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
                .current_dir(&root)
                .args(&arguments)
                .args(["--trace", "none"])
                .output()
                .unwrap();
            let answer = String::from_utf8_lossy(&output.stdout).into_owned();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            let words: Vec<&str> = answer
                .lines()
                .filter_map(|line| line.split_whitespace().next())
                // A summary is in lower case.
                .filter(|word| word.chars().all(char::is_uppercase))
                .collect();
            let is_as_said = words.contains(&verdict.as_str())
                && (verdict != "HOLDS" || words.iter().all(|word| *word == "HOLDS"));
            assert!(
                is_as_said,
                "{arguments:?}: not {verdict} but {answer}{errors}"
            );
            asked += 1;
        }
    }
    assert!(asked >= 20, "only {asked} questions were asked");
}
