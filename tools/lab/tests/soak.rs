//! `hardbop-lab soak`: random programs and questions, with the command itself.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

fn soak(arguments: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_hardbop-lab"))
        .arg("soak")
        .args(["--save", env!("CARGO_TARGET_TMPDIR")])
        .args(arguments)
        .output();
    command.expect("the command was built for its tests")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Other programs: `HARDBOP_SEED=7 cargo test -p hardbop-lab --test soak`.
#[test]
fn nothing_is_found_in_more_than_a_thousand_programs() {
    let seed = std::env::var("HARDBOP_SEED").unwrap_or_else(|_| "0".to_owned());
    let output = soak(&["--cases", "1500", "--seed", &seed]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{}{errors}", text(&output));
    assert!(
        text(&output).contains("     1500  programs\n"),
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

#[test]
fn counts_are_printed_when_it_is_asked_to_stop() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop-lab"));
    let command = command.args(["soak", "--cases", "1000000000", "--progress", "lines"]);
    let command = command.args(["--save", env!("CARGO_TARGET_TMPDIR")]);
    let mut process = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built for its tests");
    // Once there is a line about programs that were examined, there is something to count.
    let lines = BufReader::new(process.stderr.take().expect("it is piped")).lines();
    let mut lines = lines.map(|line| line.expect("it is text"));
    assert!(lines.any(|line| line.contains("programs")));
    let kill = Command::new("kill").arg(process.id().to_string()).status();
    assert!(kill.expect("kill can be run").success());
    let rest = std::thread::spawn(move || lines.count());
    let output = process.wait_with_output().expect("it ends");
    rest.join().expect("it reads to the end");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(!text(&output).contains("        0  programs"));
    assert!(text(&output).ends_with("        0  faults\n"));
}

#[test]
fn a_limit_of_memory_ends_it_with_counts() {
    let output = soak(&["--cases", "1000000000", "--memory", "2"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).ends_with("        0  faults\n"));
}

#[test]
fn the_page_shows_what_the_command_prints() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lab.md");
    let page = std::fs::read_to_string(page).expect("the page is in the project");
    let printed = text(&soak(&["--cases", "20", "--seed", "5"]));
    assert!(
        page.contains(&printed),
        "the page should contain\n{printed}"
    );
}
