//! The front end for C against the C compiler, with `hardbop-lab soak --c`: thousands of expressions,
//! programs and programs with inputs, from fixed seeds.
//!
//! `HARDBOP_SEED` and `HARDBOP_PROGRAMS` say which programs and how many of each kind.

use hardbop_families::c::{CKind, CProgram, compiled_together};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Whether there is a compiler. Says so on the terminal itself if there is none: the harness
/// swallows what passing tests print.
fn has_compiler() -> bool {
    let is_there = Command::new("cc").arg("--version").output().is_ok();
    if !is_there {
        let line = "skipped: there is no C compiler `cc` to compare with\n";
        // A terminal that cannot be written to does not fail the test.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    is_there
}

fn soak(kind: &str, cases: &str, more: &[&str]) -> Output {
    let from = |name| std::env::var(name).ok();
    let seed = from("HARDBOP_SEED").unwrap_or_else(|| "1".to_owned());
    let cases = from("HARDBOP_PROGRAMS").unwrap_or_else(|| cases.to_owned());
    let command = Command::new(env!("CARGO_BIN_EXE_hardbop-lab"))
        .args(["soak", "--c", kind, "--cases", &cases, "--seed", &seed])
        .args(["--save", env!("CARGO_TARGET_TMPDIR")])
        .args(more)
        .output();
    command.expect("the command was built for its tests")
}

fn nothing_is_found(kind: &str, cases: &str) {
    if !has_compiler() {
        return;
    }
    let output = soak(kind, cases, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}{errors}");
    assert!(text.contains("        0  faults\n"), "{text}");
}

#[test]
fn expressions_have_the_values_that_the_compiler_gives_them() {
    nothing_is_found("expressions", "10000");
}

#[test]
fn programs_compute_what_the_compiled_ones_do() {
    nothing_is_found("programs", "500");
}

#[test]
fn programs_with_inputs_have_the_results_of_the_compiled_ones_and_no_others() {
    nothing_is_found("inputs", "200");
}

#[test]
fn the_same_seed_does_the_same() {
    if !has_compiler() {
        return;
    }
    let [one, other] = [(), ()].map(|()| soak("inputs", "10", &[]).stdout);
    assert_eq!(one, other);
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a directory for the test");
    folder
}

/// What the compiled programs print.
fn printed(folder: &Path, text: &str, options: &[&str]) -> String {
    let (file, program) = (folder.join("all.c"), folder.join("all"));
    std::fs::write(&file, text).expect("a file in the folder of the test");
    let mut command = Command::new("cc");
    command.args(["-std=gnu11", "-fwrapv", "-fsigned-char", "-w"]);
    let built = command.args(options).arg("-o").arg(&program).arg(&file);
    let built = built.output().expect("there is a compiler");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && said.is_empty(), "{said}");
    let run = Command::new(&program).output().expect("it was built");
    assert!(run.status.success(), "{}", run.status);
    String::from_utf8(run.stdout).expect("numbers")
}

/// Only then is a difference the fault of the checker.
#[test]
fn generated_programs_have_no_undefined_behaviour() {
    if !has_compiler() {
        return;
    }
    let folder = folder("c-undefined");
    for kind in [CKind::Expression, CKind::Program, CKind::Inputs] {
        let programs: Vec<CProgram> = (0..100).map(|s| CProgram::of_seed(kind, s)).collect();
        let text = compiled_together(&programs);
        let plain = printed(&folder, &text, &["-O0"]);
        let optimised = printed(&folder, &text, &["-O2", "-Wsequence-point"]);
        assert_eq!(plain, optimised);
        // A program that does what it must not stops at a trap. Left shifts of negative numbers are
        // defined by `-fwrapv`.
        let guarded = [
            "-fsanitize=undefined",
            "-fno-sanitize=shift-base",
            "-fsanitize-undefined-trap-on-error",
        ];
        assert_eq!(plain, printed(&folder, &text, &guarded));
    }
}
