//! What is in `contrib`, with the programs that it is for. `HARDBOP_PYTHON` names a Python that has
//! the packages `benchexec` and `hyperqueue`; where it has not, a test says so and is skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

fn contrib() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib")
}

/// A Python with a package, or nothing and a word about it.
fn python(package: &str) -> Option<Command> {
    let name = std::env::var("HARDBOP_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_it = Command::new(&name)
        .args(["-c", &format!("import {package}")])
        .output();
    if !has_it.is_ok_and(|output| output.status.success()) {
        #[expect(clippy::print_stderr, reason = "whoever runs the tests wants to know")]
        {
            eprintln!("skipped: {name} has no package {package}");
        }
        return None;
    }
    let mut command = Command::new(name);
    command
        .arg("-B")
        .env("HARDBOP", env!("CARGO_BIN_EXE_hardbop"));
    Some(command)
}

#[test]
fn benchexec_understands_the_results() {
    let Some(mut python) = python("benchexec") else {
        return;
    };
    let tests = python.args(["-m", "unittest", "test_hardbop"]);
    let output = tests.current_dir(contrib().join("benchexec")).output();
    let output = output.expect("Python has just been run");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("Ran 3 tests"), "{errors}");
}

#[test]
fn hyperqueue_checks_every_file_although_some_are_violated() {
    let Some(mut python) = python("hyperqueue") else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hyperqueue");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    for number in 0..6 {
        let text = format!(
            "decl g := {}; void main() begin assert(!g); end\n",
            number % 2
        );
        std::fs::write(folder.join(format!("{number}.bp")), text).expect("a file can be written");
    }
    let script = contrib().join("hyperqueue/check.py");
    let output = python
        .arg(script)
        .args([".", "results.jsonl", "--cores", "2", "--hardbop"])
        .arg(env!("CARGO_BIN_EXE_hardbop"))
        .current_dir(&folder)
        .output()
        .expect("Python has just been run");
    let (shown, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(errors.contains("6 new results"), "{errors}");
    assert!(
        shown.ends_with("6 checks: 3 HOLDS, 3 VIOLATED\n"),
        "{shown}"
    );
    assert_eq!(output.status.code(), Some(1));
}
