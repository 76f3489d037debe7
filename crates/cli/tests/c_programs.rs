//! C programs against a C compiler, and against the verdicts of a public collection.
//!
//! Random programs without inputs compute a number. What the compiled program prints must be what
//! hardbop proves: that the number is this one holds, that it is another one is violated.
//! `HARDBOP_SEED` and `HARDBOP_PROGRAMS` say which programs and how many.

#[path = "c_programs/generator.rs"]
mod generator;

use hardbop_families::random::Random;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Says so on the terminal itself: the harness swallows what passing tests print.
fn skipped(why: &str) {
    let line = format!("skipped: {why}\n");
    // A terminal that cannot be written to does not fail the test.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| text.parse().expect("a number"))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a directory for the test");
    folder
}

fn hardbop(file: &Path, seconds: &str, options: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .arg("check")
        .arg(file)
        .args(["--trace", "none", "--time", seconds])
        .args(options)
        .output();
    command.expect("the command is built")
}

/// What `check` says: whether everything holds.
fn holds(folder: &Path, text: &str, options: &[&str]) -> bool {
    let file = folder.join("program.c");
    std::fs::write(&file, text).expect("a file in the folder of the test");
    let output = hardbop(&file, "60", options);
    match output.status.code() {
        Some(0) => true,
        Some(1) => false,
        code => panic!(
            "exit {code:?}: {}{}\n{text}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

/// The lines that a compiled program prints; `None` where there is no compiler.
fn compiled(folder: &Path, text: &str) -> Option<Vec<String>> {
    let file = folder.join("all.c");
    std::fs::write(&file, text).expect("a file in the folder of the test");
    let program = folder.join("all");
    let built = Command::new("cc")
        .args(["-fwrapv", "-fsigned-char", "-w", "-o"])
        .arg(&program)
        .arg(&file)
        .output();
    let Ok(built) = built else {
        skipped("there is no C compiler `cc`");
        return None;
    };
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}\n{text}");
    let run = Command::new(&program).output().expect("it was built");
    assert!(run.status.success());
    let text = String::from_utf8(run.stdout).expect("numbers");
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn compiled_and_checked_programs_compute_the_same() {
    let folder = folder("c-differential");
    let (seed, count) = (number("HARDBOP_SEED", 1), number("HARDBOP_PROGRAMS", 24));
    let programs: Vec<String> = (0..count)
        .map(|index| generator::program(&mut Random::new(seed + index), index))
        .collect();
    let calls = (0..count).map(|i| format!("  printf(\"%lu\\n\", (unsigned long)run{i}());\n"));
    let all = format!(
        "int printf(const char *, ...);\n{}int main(void) {{\n{}  return 0;\n}}\n",
        programs.concat(),
        calls.collect::<String>()
    );
    let Some(printed) = compiled(&folder, &all) else {
        return;
    };
    assert_eq!(printed.len() as u64, count);
    for (index, (program, value)) in programs.iter().zip(&printed).enumerate() {
        let value: u64 = value.parse().expect("a number");
        let with = |value: u64| {
            format!(
                "void __VERIFIER_assert(int c);\n{program}int main(void) {{\n  \
                 __VERIFIER_assert(run{index}() == {value}u);\n  return 0;\n}}\n"
            )
        };
        assert!(holds(&folder, &with(value), &[]), "{}", with(value));
        let other = (value + 1) & 0xFFFF_FFFF;
        assert!(!holds(&folder, &with(other), &[]), "{}", with(other));
    }
}

/// A program that asserts something that holds: without an assertion there is nothing to check.
const HEAD: &str = "void __VERIFIER_assert(int c);\nint main(void) { __VERIFIER_assert(1); ";

#[test]
fn signed_overflow_is_an_assertion_on_request() {
    let folder = folder("c-overflow");
    let numbers = [
        0i64,
        1,
        -1,
        7,
        46_341,
        0x7FFF_FFFF,
        -0x8000_0000,
        0x4000_0000,
    ];
    let mut checked = 0;
    for (index, &a) in numbers.iter().enumerate() {
        // Every pair once would take long; each number meets three others and itself.
        for &b in numbers.iter().cycle().skip(index).take(4) {
            for (operator, exact) in [("+", a + b), ("-", a - b), ("*", a * b)] {
                let text =
                    format!("{HEAD}int a = {a}, b = {b}, c; c = a {operator} b; return c; }}");
                let fits = i32::try_from(exact).is_ok();
                let is_safe = holds(&folder, &text, &["--overflow-checks"]);
                assert_eq!(is_safe, fits, "{text}");
                assert!(holds(&folder, &text, &[]), "{text}");
                checked += 1;
            }
        }
    }
    assert!(checked > 90);
    let corners = [
        ("int a = -2147483647 - 1, b = -1, c; c = a / b;", false),
        ("int a = -2147483647 - 1, c; c = -a;", false),
        ("int a = 1 << 30, c; c = a << 1;", false),
        ("unsigned a = 4000000000u, c; c = a + a;", true),
        ("signed char a = 127; a++;", true),
    ];
    for (text, is_safe) in corners {
        let text = format!("{HEAD}{text} return 0; }}");
        assert_eq!(
            holds(&folder, &text, &["--overflow-checks"]),
            is_safe,
            "{text}"
        );
    }
}

#[test]
fn the_data_model_says_how_wide_long_is() {
    let folder = folder("c-model");
    let text = "void __VERIFIER_assert(int c);\nint main(void) { unsigned long x = 4294967295u; \
                x++; __VERIFIER_assert((x == 0) == (sizeof(long) == 4)); \
                __VERIFIER_assert(sizeof(int *) == sizeof(long)); return 0; }";
    for model in ["ilp32", "lp64"] {
        assert!(holds(&folder, text, &["--data-model", model]), "{model}");
    }
}

/// The headers of the system mean what they mean for 32 bits, wherever they come from.
#[test]
fn headers_have_the_types_of_the_data_model() {
    let compiler = Command::new("cc")
        .args(["-m32", "-E", "-x", "c", "/dev/null"])
        .output();
    if !compiler.is_ok_and(|output| output.status.success()) {
        return skipped("there is no C compiler `cc` that knows 32 bits");
    }
    let folder = folder("c-headers");
    let text = "#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int is_small = sizeof(long) == 4;
  assert(is_small == SMALL);
  assert(sizeof(size_t) == sizeof(long) && sizeof(intptr_t) == sizeof(long));
  assert(sizeof(ptrdiff_t) == sizeof(long));
  assert(sizeof(int64_t) == 8 && sizeof(uint32_t) == 4 && sizeof(intmax_t) == 8);
  assert((LONG_MAX == INT_MAX) == is_small && (ULONG_MAX == UINT_MAX) == is_small);
  assert((SIZE_MAX == 4294967295u) == is_small);
  assert(INT64_MAX == 9223372036854775807LL && INT_MAX == 2147483647);
  size_t s = 0;
  s = s - 1;
  assert((s == 4294967295u) == is_small);
  return 0;
}
";
    for (model, small) in [("ilp32", "1"), ("lp64", "0")] {
        let text = text.replace("SMALL", small);
        assert!(holds(&folder, &text, &["--data-model", model]), "{model}");
    }
}

/// Programs of the TACAS 2012 competition: whatever is decided in a few seconds is right.
#[test]
fn verdicts_of_the_collection_are_right() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/c");
    let mut files = Vec::new();
    for group in ["locks", "ssh-simplified", "systemc"] {
        let Ok(entries) = std::fs::read_dir(corpus.join(group)) else {
            skipped(&format!("{} is not there", corpus.display()));
            return;
        };
        files.extend(entries.map(|entry| entry.expect("a readable directory").path()));
    }
    files.sort();
    let mut decided = 0;
    for file in &files {
        let output = hardbop(file, "2", &[]);
        let name = file.to_string_lossy();
        let expected = i32::from(name.contains("BUG"));
        match output.status.code() {
            Some(3) => {}
            code => {
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(code, Some(expected), "{name}: {said}");
                decided += 1;
            }
        }
    }
    assert!(
        decided >= 10,
        "only {decided} of {} are decided",
        files.len()
    );
}

#[test]
fn a_folder_and_a_project_may_have_c_programs() {
    let folder = folder("c-batch");
    let program = "void reach_error(void);\nint main(void) { reach_error(); return 0; }\n";
    std::fs::write(folder.join("wrong.c"), program).expect("a file in the folder of the test");
    let project = "[[check]]\nfiles = [\"*.c\"]\n";
    for settings in [None, Some(project)] {
        let file = folder.join("hardbop.toml");
        match settings {
            Some(settings) => std::fs::write(&file, settings).expect("a file of settings"),
            None => drop(std::fs::remove_file(&file)),
        }
        let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
            .arg("check")
            .arg(&folder)
            .output();
        let output = output.expect("the command is built");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(said.contains("1 check: 1 VIOLATED"), "{said}");
    }
}

#[test]
fn what_macros_make_is_named_as_it_is_written() {
    let compiler = Command::new("cc").arg("--version").output();
    if compiler.is_err() {
        return skipped("there is no C compiler `cc` to expand macros with");
    }
    let folder = folder("c-macros");
    let header = "void fail(void);
#define CHECK(c) ((void)({ if (c) ; else __VERIFIER_error(); }))
#define MOST 4
";
    std::fs::write(folder.join("check.h"), header).expect("a file in the folder of the test");
    let text = "#include \"check.h\"
void __VERIFIER_error(void);
int top, stack[MOST];
int pop(void) { CHECK(top > 0); CHECK(top < MOST); return stack[--top]; } // MOST
int main(void) {
  top = MOST; return pop() / (MOST - 4);
}
";
    let file = folder.join("macros.c");
    std::fs::write(&file, text).expect("a file in the folder of the test");
    let output = hardbop(&file, "60", &["--quiet"]);
    let said = String::from_utf8_lossy(&output.stdout);
    let named: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split_once("macros.c:").map(|(_, rest)| rest))
        .collect();
    assert_eq!(
        named,
        [
            "4:33 pop: CHECK(top < MOST)",
            "4:17 pop: CHECK(top > 0)",
            "4:59 pop: stack[--top]: index in range, vacuously: it is never reached",
            "6:22 main: MOST - 4 is not zero",
        ],
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
