//! Progress: a live line on a terminal, silence in a pipe, JSON for tools.

#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const HARDBOP: &str = env!("CARGO_BIN_EXE_hardbop");

/// A program that takes every engine longer than the tests wait.
fn hard_program(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hardbop-progress-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let file = folder.join(name);
    let made = Command::new(HARDBOP)
        .args(["generate", "mixing-safe", "64", "-o"])
        .arg(&file)
        .status();
    assert!(made.expect("hardbop starts").success());
    file
}

fn check(file: &PathBuf, options: &[&str]) -> Output {
    let mut command = Command::new(HARDBOP);
    command
        .arg("check")
        .arg(file)
        .args(options)
        .args(["--reach", "COLLISION", "--time", "3"]);
    command
        .stdin(Stdio::null())
        .output()
        .expect("hardbop starts")
}

#[test]
fn a_pipe_stays_silent() {
    let output = check(&hard_program("pipe.bp"), &["--quiet"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("work"), "{text}");
}

#[test]
fn json_is_an_object_on_each_line_for_every_engine() {
    let file = hard_program("json.bp");
    for engine in ["summary", "calculus", "sat", "explicit", "auto"] {
        let output = check(
            &file,
            &["--quiet", "--progress", "json", "--engine", engine],
        );
        let text = String::from_utf8_lossy(&output.stderr);
        let lines = text
            .lines()
            .filter(|line| line.starts_with("{\"progress\""));
        let lines: Vec<serde_json::Value> = lines
            .map(|line| serde_json::from_str(line).expect("each line is JSON"))
            .collect();
        assert!(lines.len() >= 2, "{engine}: {text}");
        let (first, last) = (&lines[0]["progress"], &lines[lines.len() - 1]["progress"]);
        let name = first["engine"].as_str().expect("an engine searches");
        assert!(
            engine == "auto" && !name.is_empty() || name == engine,
            "{text}"
        );
        assert!(last["work"].as_u64() > first["work"].as_u64(), "{text}");
        assert!(last["seconds"].as_f64() > Some(1.0), "{text}");
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_terminal_has_a_live_line_that_goes_away() {
    let file = hard_program("terminal.bp");
    let line = format!(
        "{HARDBOP} check {} --reach COLLISION --time 3",
        file.display()
    );
    let run = |line: &str, term: &str| {
        let mut script = Command::new("script");
        script.args(["-qec", line, "/dev/null"]);
        script.env("TERM", term).env("COLUMNS", "100");
        script.stdin(Stdio::null()).output()
    };
    let Ok(output) = run(&line, "xterm") else {
        eprintln!("skipped: there is no `script` to make a terminal with");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(", work ") && text.contains(" MB, "), "{text}");
    assert!(text.contains("UNKNOWN"), "{text}");
    let rest = text.rsplit(", work ").next().unwrap_or_default();
    assert!(rest.contains("\u{1b}[2K"), "the line is cleared: {text:?}");
    for (line, term) in [(format!("{line} --quiet"), "xterm"), (line, "dumb")] {
        let output = run(&line, term).expect("script starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!text.contains(", work "), "{text}");
    }
}
