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

/// An allocation that the system refuses ends a Rust process at once. The work is done in a second
/// process, so that the first one can say UNKNOWN. Where there is not even room for that one, a
/// verdict is missing, but none that was printed is wrong and no file is half there.
#[test]
fn an_address_space_that_is_too_small_makes_answers_unknown_and_leaves_no_half_file() {
    /// From here on the command can be loaded, however it was built.
    const ROOM_TO_START: u32 = 300_000;
    let mut stage = Stage::new("exhausted-addresses");
    stage.generate("driver-safe", 20);
    for program in ["examples/driver-safe.bp", "examples/bluetooth-2-1.bp"] {
        let question = case(&format!("check {program} --certificate out/file"));
        let quiet = stage.run(&question, None);
        for kilobytes in [
            24_000, 48_000, 96_000, 128_000, 160_000, 200_000, 300_000, 2_000_000,
        ] {
            let ran = stage.run_in_shell(&question, &format!("ulimit -v {kilobytes}"), "");
            let judge = stage.judge(&question, "memory", &quiet, &ran);
            let end = judge.end_of_address_space();
            assert!(
                kilobytes < ROOM_TO_START || end != "ended by the system",
                "{ran:?}"
            );
            stage.count("ulimit -v", end);
        }
    }
    stage.show();
    assert!(stage.counted("ulimit -v", "as before") > 0);
}

/// Tables that outgrow the address space.
#[test]
fn a_search_that_outgrows_its_address_space_is_unknown() {
    let stage = Stage::new("exhausted-search");
    stage.generate("counters-safe", 14);
    for (kilobytes, options) in [
        (300_000, ""),
        (400_000, ""),
        (400_000, " --memory 100000"),
        (400_000, " --json"),
    ] {
        let words = "check examples/counters-safe.bp --reach HIT --engine explicit";
        let question = case(&format!("{words}{options}"));
        let ran = stage.run_in_shell(&question, &format!("ulimit -v {kilobytes}"), "");
        assert_eq!(ran.code, Some(3), "{ran:?}");
        let reason = format!("the limit on memory (ulimit -v {kilobytes}) was reached");
        let is_json = options.contains("json");
        assert!(is_json || ran.stdout.contains(&reason), "{ran:?}");
    }
    // What the user asks for comes first where it is less.
    let words = "check examples/counters-safe.bp --reach HIT --engine explicit --memory 40";
    let ran = stage.run_in_shell(&case(words), "ulimit -v 2000000", "");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(text_of(&ran).contains("--memory 40 was reached"), "{ran:?}");
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
