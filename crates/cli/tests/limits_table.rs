//! Do `--time` and `--memory` hold, whatever the command is doing?
//!
//! [`a_limit_holds_in_every_phase`] is a selection of a few seconds. The table in
//! `docs/reliability.md` comes from
//! `cargo test -p hardbop-cli --test limits_table -- --ignored --nocapture`.
//! Peak memory is `VmHWM` as last seen in `/proc`; elsewhere than on Linux nothing is measured.

#![expect(
    clippy::print_stdout,
    reason = "a table is printed, and what is skipped"
)]

use hardbop_cli::process_status;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A command that goes past every limit.
struct Case {
    name: &'static str,
    words: Vec<&'static str>,
}

/// What became of a command.
struct Measured {
    code: Option<i32>,
    seconds: f64,
    peak_mib: f64,
    output: String,
}

/// Where the programs are written and the commands run.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("there is room for a folder");
    folder
}

fn hardbop(folder: &Path, words: &[&str]) -> Measured {
    let (out, err) = (folder.join(".out"), folder.join(".err"));
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .current_dir(folder)
        .args(words)
        .stdin(Stdio::null())
        .stdout(File::create(&out).expect("a file for the output"))
        .stderr(File::create(&err).expect("a file for the messages"))
        .spawn()
        .expect("the command was built");
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak_kib: u64 = 0;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            break status;
        }
        let status = fs::read_to_string(&status_file).unwrap_or_default();
        let seen = process_status::memory(&status).map_or(0, |memory| memory.peak_kib);
        peak_kib = peak_kib.max(seen);
        std::thread::sleep(Duration::from_millis(1));
    };
    Measured {
        code: status.code(),
        seconds: start.elapsed().as_secs_f64(),
        peak_mib: f64::from(u32::try_from(peak_kib).unwrap_or(u32::MAX)) / 1024.0,
        output: fs::read_to_string(out).expect("output is text"),
    }
}

fn generate(folder: &Path, family: &str, size: &str) {
    let file = format!("{family}.bp");
    let made = hardbop(folder, &["generate", family, size, "-o", &file]);
    assert_eq!(made.code, Some(0), "{family} {size}");
}

fn write(folder: &Path, file: &str, text: &str) {
    fs::write(folder.join(file), text).expect("there is room for a program");
}

/// A text of about this many megabytes.
fn long_program(megabytes: usize) -> String {
    let line = "  a, b := b & !c | d, (a => c) & choose[a, b];\n";
    let lines = line.repeat(megabytes * 1_000_000 / line.len());
    format!("decl a, b, c, d;\nvoid main() begin\n{lines}  assert(a);\nend\n")
}

/// Procedures with a global each, to which they give a new value, called one after the other.
fn wide_program(procedures: usize, value: fn(usize) -> String) -> String {
    let names: Vec<String> = (0..procedures).map(|i| format!("g{i}")).collect();
    let mut text = format!("decl {};\nvoid main() begin\n", names.join(", "));
    for i in 0..procedures {
        let _ = writeln!(text, "  p{i}();");
    }
    text.push_str("end\n");
    for i in 0..procedures {
        let value = value(i);
        let _ = writeln!(text, "void p{i}() begin g{i} := {value}; assert(g{i}); end");
    }
    text
}

/// A formula whose automaton is exponential in the depth.
fn nested_equivalences(depth: usize) -> String {
    (1..=depth).fold("a".to_owned(), |inner, level| {
        let name = ["a", "b", "c", "d"][level % 4];
        format!("(F {name} <-> {inner})")
    })
}

/// Relations of which each needs the one before it.
fn many_relations(count: usize) -> String {
    let mut text = "enum Node {0..63};\nmu bool R0(Node s) s = 0;\n".to_owned();
    for i in 1..count {
        let _ = writeln!(text, "mu bool R{i}(Node s) R{}(s) | s = {};", i - 1, i % 64);
    }
    let _ = writeln!(text, "exists Node s. R{}(s);", count - 1);
    text
}

/// Four million frames on the stack.
const DEEP: &str = "decl int<24> n := 0;
void main() begin f(); assert(n = 0); end
void f() begin if (n < 4000000) then n := n + 1; f(); n := n - 1; fi end
";

/// Hard for decision diagrams and for satisfiability alike.
const ASSOCIATIVE: &str = "decl int<20> a, b, c;
void main() begin a, b, c := *, *, *; assert((a * b) * c = a * (b * c)); end
";

const LOOP: &str = "decl a, b, c, d;
void main() begin while (1) do a, b, c, d := *, a, b, c; od end
";

fn is_linux() -> bool {
    let is_linux = Path::new("/proc/self/status").exists();
    if !is_linux {
        println!("skipped: there is no /proc");
    }
    is_linux
}

/// Without the watchdog each of these goes on for several times its limit.
#[test]
fn a_limit_holds_in_every_phase() {
    if !is_linux() {
        return;
    }
    let folder = folder("limits");
    write(&folder, "long.bp", &long_program(40));
    write(&folder, "loop.bp", LOOP);
    write(&folder, "many.mu", &many_relations(60_000));
    generate(&folder, "counters-safe", "24");
    let formula = nested_equivalences(9);
    let cases: [&[&str]; 8] = [
        &["check", "long.bp", "--time", "0.5"],
        &["check", "long.bp", "--memory", "100"],
        &["check", "long.bp", "--memory", "100", "--json"],
        &["relations", "long.bp", "--memory", "100"],
        &["check", "loop.bp", "--ltl", &formula, "--time", "0.5"],
        &["coverage", "long.bp", "--json", "--time", "0.5"],
        &["solve", "many.mu", "--time", "0.5"],
        &[
            "check",
            "counters-safe.bp",
            "--reach",
            "HIT",
            "--engine",
            "explicit",
            "--jobs",
            "2",
            "--memory",
            "100",
        ],
    ];
    for words in cases {
        let measured = hardbop(&folder, words);
        let output = &measured.output;
        assert_eq!(measured.code, Some(3), "{words:?}: {output}");
        // A loaded machine gets a second more than is promised.
        assert!(
            measured.seconds < 2.5 || words.contains(&"--memory"),
            "{words:?}: {}",
            measured.seconds
        );
        assert!(
            measured.peak_mib < 120.0 || !words.contains(&"--memory"),
            "{words:?}: {}",
            measured.peak_mib
        );
        if words.contains(&"--json") {
            let value: serde_json::Value = serde_json::from_str(output).expect("whole JSON");
            let why = value["unknown"].as_str().unwrap_or_default();
            assert!(why.contains("was reached"), "{words:?}: {output}");
        } else if words[0] == "check" {
            assert!(output.starts_with("UNKNOWN "), "{words:?}: {output}");
            assert!(output.contains("was reached"), "{words:?}: {output}");
        }
    }
}

/// One procedure calls all others and so has all globals in scope, although few are live. What an
/// engine keeps for each call must not be as long as that list: here it took 1 GB.
#[test]
fn a_wide_flat_program_takes_linear_memory() {
    if !is_linux() {
        return;
    }
    let folder = folder("wide");
    let text = wide_program(8_000, |_| "1".to_owned());
    write(&folder, "wide.bp", &text);
    let words = ["check", "wide.bp", "-q", "--trace", "none", "--time", "60"];
    let measured = hardbop(&folder, &words);
    assert_eq!(measured.code, Some(0), "{}", measured.output);
    assert!(measured.peak_mib < 200.0, "{} MB", measured.peak_mib);
}

fn cases() -> Vec<Case> {
    let case = |name, words: &str| Case {
        name,
        words: words
            .split(' ')
            .map(|word| &*word.to_owned().leak())
            .collect(),
    };
    let formula = &*nested_equivalences(8).leak();
    let mut cases = vec![
        case("auto", "check associative.bp"),
        case("auto, two jobs", "check associative.bp --jobs 2"),
        case("summary", "check associative.bp --engine summary"),
        case("calculus", "check associative.bp --engine calculus"),
        case(
            "explicit",
            "check counters-safe.bp --reach HIT --engine explicit",
        ),
        case(
            "explicit, two jobs",
            "check counters-safe.bp --reach HIT --engine explicit --jobs 2",
        ),
        case(
            "explicit, deep recursion",
            "check deep.bp --engine explicit",
        ),
        case("sat", "check associative.bp --engine sat"),
        case("sat, wide terms", "check terminator-safe.bp --engine sat"),
        case("bmc", "check counters-safe.bp --reach HIT --bmc 1000000"),
        case(
            "interleaving",
            "check bluetooth-safe.bp --engine interleaving",
        ),
        case(
            "concurrent",
            "check bluetooth-safe.bp --engine concurrent --contexts 20",
        ),
        case(
            "sequentialized",
            "check bluetooth-safe.bp --engine sequentialized --rounds 8",
        ),
        case(
            "brute-force",
            "check bluetooth-safe.bp --engine brute-force",
        ),
        case("wide program", "check wide.bp"),
        case("liveness", "check quicksort-safe.bp --nonterminating"),
        case("reading, 100 MB", "check long.bp"),
        case("coverage", "coverage associative.bp"),
        case("coverage, 100 MB", "coverage long.bp"),
        case("relations, 100 MB", "relations long.bp"),
        case("validate", "validate driver-safe.bp certificate.json"),
        case("replay", "replay loop.bp trace.json"),
        case("solve, 100,000 relations", "solve many.mu"),
    ];
    cases.push(Case {
        name: "formula of depth 8",
        words: vec!["check", "loop.bp", "--ltl", formula],
    });
    cases
}

/// The second formula takes all the time; what is known of the first and of the places stays.
#[test]
fn answers_that_are_known_outlive_the_limit() {
    let folder = folder("known");
    write(&folder, "loop.bp", &LOOP.replace("od", "od skip;"));
    let formula = nested_equivalences(10);
    let words = [
        "check",
        "loop.bp",
        "--ltl",
        "G (a | !a)",
        "--ltl",
        &formula,
        "--terminates",
        "--time",
        "0.5",
    ];
    let text = hardbop(&folder, &words);
    assert_eq!(text.code, Some(3), "{}", text.output);
    let why = "--time 0.5 was reached";
    let expected = format!(
        "HOLDS        G (a | !a)\nUNKNOWN      {formula}: {why}\nUNKNOWN      a run that ends: {why}\n"
    );
    assert_eq!(text.output, expected);
    let json = hardbop(&folder, &[&words[..], &["--json"]].concat());
    assert_eq!(json.code, Some(3));
    let json: serde_json::Value = serde_json::from_str(&json.output).expect("it is JSON");
    let verdicts = json["answers"].as_array().expect("answers are a list");
    let verdicts: Vec<_> = verdicts.iter().map(|answer| &answer["verdict"]).collect();
    assert_eq!(verdicts, ["HOLDS", "UNKNOWN", "UNKNOWN"]);
    assert_eq!(json["unknown"], why);
    // What was found outweighs what is not known, and a proof that was found is kept.
    let words = [
        "check",
        "loop.bp",
        "--reach-line",
        "2",
        "--trace",
        "none",
        "--certificate",
        "proof.json",
        "--ltl",
        &formula,
        "--time",
        "2",
    ];
    let found = hardbop(&folder, &words);
    assert_eq!(found.code, Some(1), "{}", found.output);
    assert!(folder.join("proof.json").exists());
}

#[test]
#[ignore = "takes minutes; prints a table"]
fn table() {
    if !is_linux() {
        return;
    }
    let folder = folder("limits-table");
    for (family, size) in [
        ("counters-safe", "24"),
        ("terminator-safe", "40"),
        ("bluetooth-safe", "8"),
        ("quicksort-safe", "12"),
        ("driver-safe", "1500"),
    ] {
        generate(&folder, family, size);
    }
    write(&folder, "associative.bp", ASSOCIATIVE);
    write(&folder, "deep.bp", DEEP);
    write(&folder, "loop.bp", LOOP);
    write(
        &folder,
        "wide.bp",
        &wide_program(20_000, |i| format!("!g{i}")),
    );
    write(&folder, "long.bp", &long_program(100));
    write(&folder, "many.mu", &many_relations(100_000));
    let preparations: [&[&str]; 2] = [
        &[
            "simulate",
            "loop.bp",
            "--steps",
            "2000000",
            "--save",
            "trace.json",
        ],
        &[
            "check",
            "driver-safe.bp",
            "--engine",
            "summary",
            "--no-validate",
            "--certificate",
            "certificate.json",
        ],
    ];
    for words in preparations {
        hardbop(&folder, words);
    }
    println!("| | `--time 1` | `--time 2` | `--memory 100` | `--memory 500` |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut leaks = Vec::new();
    for case in cases() {
        let mut row = format!("| {} |", case.name);
        for seconds in [1.0, 2.0] {
            let limit = seconds.to_string();
            let words = [&case.words[..], &["-q", "--time", &limit]].concat();
            let measured = hardbop(&folder, &words);
            let over = measured.seconds - seconds;
            let _ = match measured.code {
                Some(3) if over < 0.0 => write!(row, " ended by itself |"),
                Some(3) => write!(row, " +{over:.2} s |"),
                _ => write!(row, " done in {:.2} s |", measured.seconds),
            };
            if over > 1.0 {
                leaks.push(format!("{words:?}: {over:.2} s too long"));
            }
        }
        for megabytes in [100.0, 500.0] {
            let limit = megabytes.to_string();
            let words = [&case.words[..], &["-q", "--time", "20", "--memory", &limit]].concat();
            let measured = hardbop(&folder, &words);
            let over = (measured.peak_mib / megabytes - 1.0) * 100.0;
            let _ = write!(row, " {:.0} MB", measured.peak_mib);
            let _ = match measured.code {
                Some(3) if measured.seconds < 20.0 => write!(row, " ({over:+.0} %) |"),
                Some(3) => write!(row, " in 20 s |"),
                _ => write!(row, ", done |"),
            };
            if over > 20.0 {
                leaks.push(format!("{words:?}: {over:.0} % too much"));
            }
        }
        println!("{row}");
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}
