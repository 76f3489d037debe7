//! Small C programs with the verdicts that the meaning of C gives them.
//!
//! Each test is a table: the statements of `main`, and whether every assertion holds. Wrong
//! conversions are invisible to replays and certificates, since these judge the translated program.

mod library_and_labels;
mod threads;
mod values;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Declarations that every program may use.
const HEAD: &str = "_Bool __VERIFIER_nondet_bool(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned char __VERIFIER_nondet_uchar(void);
void __VERIFIER_assume(int);
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a directory for the test");
    folder
}

fn run(test: &str, text: &str, options: &[&str]) -> Output {
    let file = folder("c-meaning").join(format!("{test}.c"));
    std::fs::write(&file, text).expect("a file in the folder of the test");
    let command = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .arg("check")
        .arg(&file)
        .args(["--trace", "none", "--time", "60"])
        .args(options)
        .output();
    command.expect("the command is built")
}

fn said(output: &Output) -> String {
    let texts = [&output.stdout, &output.stderr];
    texts.map(|text| String::from_utf8_lossy(text)).concat()
}

/// Asserts the exit code of `check`: 0 if everything holds, 1 if something is violated, 2 for an
/// error in the program.
fn expect(test: &str, text: &str, options: &[&str], code: i32) {
    let output = run(test, text, options);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(code), "{text}\n{said}");
}

/// Programs before `main`, the statements of `main`, and whether all assertions hold.
fn table(test: &str, rows: &[(&str, &str, bool)]) {
    for (outside, statements, holds) in rows {
        let text = format!("{HEAD}{outside}\nint main(void) {{ {statements} return 0; }}\n");
        let text = text.replace("CHECK(", "__VERIFIER_assert(");
        expect(test, &text, &["--quiet"], i32::from(!holds));
    }
}
