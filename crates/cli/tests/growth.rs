//! A wide, flat program costs in proportion to its size, whatever is done with it.
//!
//! Each command is run on a program and on one four times as large. The larger one may take eight
//! times the processor time; anything quadratic takes sixteen times. Time on the clock would say
//! how busy the machine is. Where an engine counts its work, the counters are compared instead.

#![expect(clippy::print_stdout, reason = "figures are shown with `--nocapture`")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("growth")
        .join(name);
    fs::create_dir_all(&folder).expect("there is room for a folder");
    folder
}

/// The processor time of a command, at best. A shell knows it of its children.
fn time(folder: &Path, words: &str, attempts: u32) -> Duration {
    let script = r#""$@" > output 2>&1; code=$?; times; exit $code"#;
    let one = |_| {
        let output = Command::new("sh")
            .args(["-c", script, "sh", env!("CARGO_BIN_EXE_hardbop")])
            .current_dir(folder)
            .args(words.split(' '))
            .stdin(Stdio::null())
            .output()
            .expect("there is a shell");
        let code = output.status.code();
        let shown = || fs::read_to_string(folder.join("output"));
        assert!(matches!(code, Some(0 | 1)), "{words}: {:?}", shown());
        let text = String::from_utf8_lossy(&output.stdout);
        let times: Vec<Duration> = text.split_whitespace().map(minutes_and_seconds).collect();
        // Of the shell, user and system; then of the command.
        assert_eq!(times.len(), 4, "{text}");
        times[2] + times[3]
    };
    (0..attempts).map(one).min().unwrap_or_default()
}

/// A time as `1m2.3s`.
fn minutes_and_seconds(text: &str) -> Duration {
    let (minutes, seconds) = text.split_once('m').expect("minutes");
    let minutes: f64 = minutes.parse().expect("a number of minutes");
    let seconds = seconds.trim_end_matches('s').replace(',', ".");
    let seconds: f64 = seconds.parse().expect("a number of seconds");
    Duration::from_secs_f64(60.0 * minutes + seconds)
}

/// A counter of `check --stats`.
fn counter(text: &str, name: &str) -> u64 {
    let mut lines = text.lines().map(str::split_whitespace);
    let value = lines.find_map(|mut words| (words.next() == Some(name)).then(|| words.next()));
    let value = value.flatten().and_then(|value| value.parse().ok());
    value.unwrap_or_else(|| panic!("no {name} in {text}"))
}

/// Runs commands one after the other on a text and on a longer one.
fn grows_linearly(name: &str, size: usize, text: fn(usize) -> String, commands: &[&str]) {
    let folder = folder(name);
    let mut small = Vec::new();
    for (factor, attempts) in [(1, 3), (4, 2)] {
        fs::write(folder.join("program"), text(factor * size)).expect("there is room");
        for (number, words) in commands.iter().enumerate() {
            let took = time(&folder, words, attempts);
            println!("{name}, {}: {words}: {took:?}", factor * size);
            match small.get(number) {
                None => small.push(took),
                Some(&before) => {
                    let most = 8 * before.max(Duration::from_millis(10));
                    assert!(took < most, "{words}: {took:?} after {before:?}");
                }
            }
        }
    }
}

/// An exponent of at most 1.1, by what the solver of formulas counts.
#[test]
fn the_calculus_with_the_levels_of_bebops_example() {
    let folder = folder("levels");
    let work = |family: &str, levels: u32| {
        let text = hardbop_families::find(family).expect("a family");
        let text = text.generate(levels, 0).text;
        fs::write(folder.join("program.bp"), text).expect("there is room");
        let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
            .current_dir(&folder)
            .args(["check", "program.bp", "--reach", "reach", "--stats"])
            .args(["--engine", "calculus", "--trace", "none"])
            .stdin(Stdio::null())
            .output()
            .expect("the command was built");
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        ["rounds", "bdd-work", "bdd-peak"].map(|name| (name, counter(&text, name)))
    };
    for family in ["tn", "tn-safe"] {
        let (small, large) = (work(family, 50), work(family, 200));
        for ((name, before), (_, after)) in small.into_iter().zip(large) {
            println!("{family}: {name} {before}, {after}");
            assert!(
                after * 100 <= before * 459,
                "{family}: {name} {before}, {after}"
            );
        }
    }
}

#[test]
fn with_the_number_of_assertions() {
    let text = |count| {
        let assertions = "  assert(a);\n".repeat(count);
        format!("decl a;\nvoid main() begin\n  a := 1;\n{assertions}end\n")
    };
    let commands = [
        "check program --trace none --certificate proof.json",
        "validate program proof.json",
        "coverage program",
    ];
    grows_linearly("assertions", 8_000, text, &commands);
}

#[test]
fn with_the_number_of_labels() {
    let text = |count| {
        let mut text = "decl a;\nvoid main() begin\n  a := 0;\n".to_owned();
        for i in 0..count {
            let _ = writeln!(text, "  p{i}();");
        }
        text.push_str("end\n");
        for i in 0..count {
            let _ = writeln!(text, "void p{i}() begin if (a) then ERROR: skip; fi end");
        }
        text
    };
    let commands = [
        "check program --reach ERROR --certificate proof.json",
        "validate program proof.json --reach ERROR",
    ];
    grows_linearly("labels", 3_000, text, &commands);
}

/// A thread that calls procedures one after the other, beside one that writes what they read.
fn calls_of_a_thread(count: usize) -> String {
    let mut text = "decl a;\nthread t begin\nvoid main() begin a := 1;\n".to_owned();
    for i in 0..count {
        let _ = writeln!(text, "  p{i}();");
    }
    text.push_str("end\n");
    for i in 0..count {
        let _ = writeln!(
            text,
            "void p{i}() begin decl x; x := a; assert(x | !x); end"
        );
    }
    text + "end\nthread u begin void main() begin a := 1; end end\n"
}

#[test]
fn with_the_number_of_calls_of_a_thread() {
    let commands = ["check program --trace none"];
    grows_linearly("calls", 3_000, calls_of_a_thread, &commands);
}

/// The same, each calling the next.
fn depth_of_a_thread(count: usize) -> String {
    let mut text = "decl a;\nthread t begin\nvoid main() begin a := 1; p0(); end\n".to_owned();
    for i in 0..count {
        let next = i + 1;
        let _ = writeln!(
            text,
            "void p{i}() begin decl x; x := a; assert(x | !x); p{next}(); end"
        );
    }
    let _ = writeln!(text, "void p{count}() begin skip; end");
    text + "end\nthread u begin void main() begin a := 1; end end\n"
}

#[test]
fn with_the_depth_of_the_calls_of_a_thread() {
    let commands = ["check program --trace none"];
    grows_linearly("depth", 3_000, depth_of_a_thread, &commands);
}

#[test]
fn with_the_number_of_relations() {
    let text = |count| {
        let mut text = "enum Node {0..63};\nmu bool R0(Node s) s = 0;\n".to_owned();
        for i in 1..count {
            let _ = writeln!(text, "mu bool R{i}(Node s) R{}(s) | s = {};", i - 1, i % 64);
        }
        let _ = writeln!(text, "exists Node s. R{}(s);", count - 1);
        text
    };
    grows_linearly("relations", 4_000, text, &["solve program"]);
}
