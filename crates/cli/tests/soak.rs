//! `hardbop soak`: thousands of random programs and questions, with the command itself.

use std::process::{Command, Output};

fn soak(arguments: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .arg("soak")
        .args(["--save", env!("CARGO_TARGET_TMPDIR")])
        .args(arguments)
        .output();
    command.expect("the command was built for its tests")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Other programs: `HARDBOP_SEED=7 cargo test -p hardbop-cli --test soak`.
#[test]
fn nothing_is_found_in_thousands_of_programs() {
    let seed = std::env::var("HARDBOP_SEED").unwrap_or_else(|_| "0".to_owned());
    let output = soak(&["--cases", "4000", "--seed", &seed]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{}{errors}", text(&output));
    assert!(
        text(&output).contains("     4000  programs\n"),
        "{}",
        text(&output)
    );
}

#[test]
fn the_same_seed_does_the_same() {
    let [one, other] = [(), ()].map(|()| text(&soak(&["--cases", "30", "--seed", "5"])));
    assert_eq!(one, other);
}

#[test]
fn a_number_of_seconds_is_obeyed() {
    let before = std::time::Instant::now();
    let output = soak(&["--seconds", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(before.elapsed().as_secs() < 15);
}
