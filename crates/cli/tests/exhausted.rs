//! Real limits, beside the injected ones of `faults.rs`: little memory, a full device, a limit on
//! the size of files.

#![cfg(target_os = "linux")]

mod staged;

use staged::{Ran, Stage, case, questions, with};

fn text_of(ran: &Ran) -> String {
    format!("{}{}", ran.stdout, ran.stderr)
}

#[test]
fn little_memory_makes_answers_unknown_and_never_wrong() {
    let mut stage = Stage::new("exhausted-memory");
    for question in questions().iter().step_by(3) {
        let question = with(question, "--certificate out/file");
        let quiet = stage.run(&question, None);
        if quiet.code == Some(2) {
            // A property has no certificate, so the option is refused.
            continue;
        }
        for megabytes in [0, 1, 2, 3, 4, 6, 8, 16, 32, 64] {
            let limited = with(&question, &format!("--memory {megabytes}"));
            let ran = stage.run(&limited, None);
            let judge = stage.judge(&limited, "memory", &quiet, &ran);
            let end = judge.end(false);
            stage.count("--memory", end);
        }
    }
    stage.show();
    assert!(stage.counted("--memory", "UNKNOWN") > 0);
    assert!(stage.counted("--memory", "as before") > 0);
}

/// An allocation that the system refuses ends a Rust process at once, so a verdict is missing, but
/// none that was printed is wrong and no file is half there.
#[test]
fn an_address_space_that_is_too_small_ends_the_command_and_leaves_no_half_file() {
    let mut stage = Stage::new("exhausted-addresses");
    stage.generate("driver-safe", 20);
    for program in ["examples/driver-safe.bp", "examples/bluetooth-2-1.bp"] {
        let question = case(&format!("check {program} --certificate out/file"));
        let quiet = stage.run(&question, None);
        for kilobytes in [24_000, 32_000, 48_000, 64_000, 128_000] {
            let ran = stage.run_in_shell(&question, &format!("ulimit -v {kilobytes}"), "");
            let judge = stage.judge(&question, "memory", &quiet, &ran);
            let end = judge.end_of_address_space();
            stage.count("ulimit -v", end);
        }
    }
    stage.show();
    assert!(stage.counted("ulimit -v", "as before") > 0);
    assert!(stage.counted("ulimit -v", "ended by the system") > 0);
}

#[test]
fn a_full_device_is_an_error_that_names_it() {
    let stage = Stage::new("exhausted-device");
    let check = "check examples/slam-driver.bp --reach SLIC_ERROR";
    let onto = stage.run_in_shell(&case(check), ":", "> /dev/full");
    assert_eq!(onto.code, Some(2), "{onto:?}");
    assert!(text_of(&onto).contains("cannot write to standard output: no space left"));
    let proof = stage.run(&with(&case(check), "--certificate /dev/full"), None);
    assert_eq!(proof.code, Some(2), "{proof:?}");
    assert!(
        proof
            .stderr
            .contains("cannot write /dev/full: no space left")
    );
    assert!(
        proof.stdout.starts_with("UNREACHABLE "),
        "the verdict stays"
    );
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_leaves_the_old_file() {
    let stage = Stage::new("exhausted-file");
    for words in [
        "fmt out/file",
        "generate doubling 40 -o out/file",
        "graph examples/slam-driver.bp --format svg -o out/file",
    ] {
        let command = case(words);
        let quiet = stage.run(&command, None);
        let ran = stage.run_in_shell(&command, "ulimit -f 0", "");
        let judge = stage.judge(&command, "ulimit -f 0", &quiet, &ran);
        assert_eq!(judge.end(true), "an error", "{ran:?}");
        assert!(ran.stderr.contains("cannot write out/file: "), "{ran:?}");
    }
}
