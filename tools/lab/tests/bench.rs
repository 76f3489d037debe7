//! `hardbop-lab bench` as users run it: peers that end, hang or lie, and verdicts that are wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop-lab"));
    command.arg("bench").arg("--quiet").args(arguments);
    command.output().expect("the command starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("tables are UTF-8")
}

/// The cells of the first line that begins with `start` and has `contender` in it.
fn cells(text: &str, start: &str, contender: &str) -> Vec<String> {
    let words =
        |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let found = text.lines().map(words).find(|words| {
        words.first().is_some_and(|first| first == start)
            && words.iter().any(|word| word == contender)
    });
    found.unwrap_or_else(|| panic!("no line of {contender} on {start} in:\n{text}"))
}

/// A file that is removed in the end.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("hardbop-bench-test-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).expect("temporary files can be written");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the name is UTF-8")
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const REACHABLE: &str = "void main() begin decl x; if (x) then L: skip; fi end\n";

#[test]
fn engines_and_peers_are_measured_and_judged() {
    let csv = TemporaryFile::new("runs.csv", "");
    let output = bench(&[
        "--family",
        "doubling",
        "--sizes",
        "4,2",
        "--seeds",
        "1",
        "--repeat",
        "2",
        "--peer",
        "idle=true {file}",
        "--peer",
        "yes=echo label {label} => label",
        "--csv",
        csv.path(),
    ]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let auto = cells(&text, "doubling", "auto");
    assert_eq!(auto[1..3], ["2", "1"], "sizes ascend: {text}");
    assert!(auto.contains(&"right".to_owned()), "{text}");
    assert!(
        cells(&text, "doubling", "yes").contains(&"right".to_owned()),
        "{text}"
    );
    assert!(
        !cells(&text, "doubling", "idle").contains(&"right".to_owned()),
        "{text}"
    );
    assert!(
        cells(&text, "doubling", "2-4").contains(&"auto".to_owned()),
        "growth: {text}"
    );
    let lines = std::fs::read_to_string(&csv.0).expect("the CSV file is there");
    let runs_of_auto = lines.lines().filter(|line| line.contains(",auto,")).count();
    assert_eq!(runs_of_auto, 4, "two sizes, twice:\n{lines}");
}

/// A program that plays a solver of Horn clauses.
fn fake_solver(name: &str, script: &str) -> TemporaryFile {
    use std::os::unix::fs::PermissionsExt as _;
    let file = TemporaryFile::new(name, &format!("#!/bin/sh\n{script}\n"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&file.0, executable).expect("its owner may");
    file
}

#[test]
fn a_known_peer_reads_the_exported_program_and_stands_in_the_page_with_its_ratio() {
    let script = r#"grep -q "set-logic HORN" "$2" && sleep 0.2 && echo unsat"#;
    let solver = fake_solver("z3", script);
    let page = TemporaryFile::new("page.html", "");
    let output = Command::new(env!("CARGO_BIN_EXE_hardbop-lab"))
        .args(["bench", "--quiet", "--family", "doubling", "--sizes", "2,4"])
        .args(["--engine", "summary", "--peers", "--html", page.path()])
        .env("HARDBOP_Z3", solver.path())
        .env("HARDBOP_CBMC", "/nowhere/cbmc")
        .output()
        .expect("the command starts");
    let text = stdout(&output);
    let z3 = cells(&text, "doubling", "z3");
    assert!(z3.contains(&"right".to_owned()), "{text}");
    assert!(
        text.contains("not measured: cbmc, no program `/nowhere/cbmc` was found"),
        "{text}"
    );
    let html = std::fs::read_to_string(&page.0).expect("the page is there");
    let row = html.lines().find(|line| {
        line.contains("<td>doubling</td>") && line.contains(">4</td><td>summary</td>")
    });
    let row = row.unwrap_or_else(|| panic!("no ratios in {html}"));
    assert!(row.contains("x</td>"), "{row}");
    assert!(html.contains("<svg ") && html.contains("Not measured: cbmc"));
    // Threads cannot be written as clauses.
    let threads = Command::new(env!("CARGO_BIN_EXE_hardbop-lab"))
        .args([
            "bench",
            "--family",
            "bluetooth",
            "--sizes",
            "1",
            "--peer",
            "z3",
        ])
        .env("HARDBOP_Z3", solver.path())
        .output()
        .expect("the command starts");
    assert!(stdout(&threads).contains("n/a"), "{threads:?}");
    let notes = String::from_utf8_lossy(&threads.stderr);
    assert!(notes.contains("not written as chc"), "{notes}");
}

/// The report on a small program that is safe, with a program that plays CBMC.
fn with_cbmc(script: &str) -> String {
    let cbmc = fake_solver("cbmc", script);
    let output = Command::new(env!("CARGO_BIN_EXE_hardbop-lab"))
        .args(["bench", "--quiet", "--family", "tn-safe", "--sizes", "2"])
        .args(["--engine", "summary", "--peer", "cbmc"])
        .env("HARDBOP_CBMC", cbmc.path())
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    stdout(&output)
}

#[test]
fn a_bounded_peer_is_run_with_growing_bounds_until_one_suffices() {
    let bounds = TemporaryFile::new("bounds", "");
    let unwound = "echo '[f.unwind.0] line 5 unwinding assertion loop 0: FAILURE'";
    let failed = "echo 'VERIFICATION FAILED'; exit 10";
    let log = format!(
        "echo $3 >> {}; grep -q reach_error $1 || exit 6",
        bounds.path()
    );
    let text = with_cbmc(&format!(
        "{log}; [ $3 -ge 4 ] && echo 'VERIFICATION SUCCESSFUL' && exit; {unwound}; {failed}"
    ));
    let right = cells(&text, "tn-safe", "cbmc");
    assert!(right.contains(&"right".to_owned()), "{text}");
    let tried = std::fs::read_to_string(&bounds.0).expect("the bounds are there");
    assert_eq!(tried, "1\n2\n4\n");
    let text = with_cbmc(&format!("{unwound}; {failed}"));
    assert!(text.contains("1 without an answer"), "{text}");
}

#[test]
fn an_answer_of_a_known_peer_that_has_failed_does_not_count() {
    let text = with_cbmc("echo 'VERIFICATION SUCCESSFUL'; exit 6");
    assert!(text.contains("cbmc ended with error 6"), "{text}");
    assert!(text.contains("1 right, 1 failed"), "{text}");
}

#[test]
fn clauses_that_leave_deep_calls_out_prove_nothing() {
    let solver = fake_solver("clasp", "echo s UNSATISFIABLE");
    let judged = |depth: u32| {
        let text = format!(
            "decl int<8> n;\nvoid main() begin n := {depth}; f(); R: skip; end\n\
             void f() begin if (n != 0) then n := n - 1; f(); fi end\n"
        );
        let program = TemporaryFile::new("deep.bp", &text);
        let output = Command::new(env!("CARGO_BIN_EXE_hardbop-lab"))
            .args(["bench", "--program", program.path(), "--reach", "R"])
            .args(["--expect", "reachable", "--peer", "clingo"])
            .env("HARDBOP_CLINGO", solver.path())
            .output()
            .expect("the command starts");
        stdout(&output).contains("WRONG")
    };
    // All of the calls are in the clauses, or some are missing.
    assert!(judged(20));
    assert!(!judged(200));
}

#[test]
fn what_got_slower_is_named_and_changes_the_exit_code() {
    let old = TemporaryFile::new("old.json", "");
    let arguments = [
        "--family", "doubling", "--sizes", "3", "--engine", "summary",
    ];
    let output = bench(&[&arguments[..], &["--json", old.path()]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let again = bench(&[&arguments[..], &["--against", old.path()]].concat());
    let text = stdout(&again);
    assert_eq!(again.status.code(), Some(0), "{text}");
    assert!(text.contains("1 compared: 0 slower"), "{text}");
    // An earlier version that took one visit of each ten.
    let mut run: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&old.0).expect("it was written")).expect("JSON");
    let work = run["records"][0]["samples"][0]["work"].as_array_mut();
    for counter in work.expect("an engine counts") {
        counter[1] = (counter[1].as_u64().expect("a count") / 10).into();
    }
    let leaner = TemporaryFile::new("leaner.json", &run.to_string());
    let page = TemporaryFile::new("page.md", "");
    let files = ["--from", old.path(), "--against", leaner.path()];
    let slower = bench(&[&files[..], &["--page", page.path()]].concat());
    let text = stdout(&slower);
    assert_eq!(slower.status.code(), Some(1), "{text}");
    assert!(text.contains("SLOWER"), "{text}");
    let page_text = std::fs::read_to_string(&page.0).expect("the page is there");
    assert!(page_text.starts_with("# Performance\n"), "{page_text}");
    let _ = std::fs::remove_dir_all(page.0.with_extension(""));
    let broken = TemporaryFile::new("broken.json", "{\"hardbop-bench\":9}");
    let refused = bench(&["--from", broken.path()]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn the_work_of_an_engine_is_shown_and_is_the_same_in_every_run() {
    let arguments = ["--family", "doubling", "--sizes", "3", "--repeat", "3"];
    let text = stdout(&bench(&arguments));
    assert!(text.contains("work"), "{text}");
    assert!(!text.contains("UNSTEADY"), "{text}");
}

#[test]
fn an_engine_is_measured_with_options_of_its_own() {
    let family = ["--family", "uninitialised-safe", "--sizes", "3"];
    let engines = ["--engine", "explicit", "--engine", "explicit --eager"];
    let text = stdout(&bench(&[family, engines].concat()));
    let states_of = |contender: &str| -> u64 {
        let mut rows = text
            .lines()
            .filter(|row| row.contains(&format!("  {contender}  ")));
        let row = rows.find(|row| row.contains("states ")).unwrap_or_default();
        let count = row
            .split("states ")
            .nth(1)
            .and_then(|rest| rest.split(',').next());
        let count = count.and_then(|count| count.parse().ok());
        count.unwrap_or_else(|| panic!("no states of {contender} in\n{text}"))
    };
    assert!(
        states_of("explicit") < states_of("explicit --eager"),
        "{text}"
    );
    let unknown = bench(&["--engine", "explicitly --eager"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn a_peer_that_hangs_is_stopped_with_its_children_and_larger_sizes_are_skipped() {
    let marker = TemporaryFile::new("late", "");
    // The subshell would outlive a shell that is killed alone.
    let peer = format!(
        "hangs=sh -c '(sleep 4; echo late > {}) & wait'",
        marker.path()
    );
    let start = Instant::now();
    let output = bench(&[
        "--family",
        "doubling",
        "--sizes",
        "2,4",
        "--timeout",
        "2",
        "--peer",
        &peer,
        "--peer",
        "sleeps=sleep 60",
    ]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for peer in ["hangs", "sleeps"] {
        assert!(
            cells(&text, "doubling", peer).contains(&"t/o".to_owned()),
            "{text}"
        );
    }
    assert!(text.contains("skipped"), "{text}");
    std::thread::sleep(Duration::from_secs(5).saturating_sub(start.elapsed()));
    let written = std::fs::read_to_string(&marker.0).expect("the marker is there");
    assert_eq!(written, "", "a child of the peer was left alive");
}

#[test]
fn a_wrong_verdict_is_loud_and_makes_the_command_fail() {
    let program = TemporaryFile::new("wrong.bp", REACHABLE);
    let ask = |expected: &str| {
        bench(&[
            "--program",
            program.path(),
            "--reach",
            "L",
            "--expect",
            expected,
        ])
    };
    let right = ask("reachable");
    assert_eq!(right.status.code(), Some(0), "{}", stdout(&right));
    let wrong = ask("unreachable");
    let text = stdout(&wrong);
    assert_eq!(wrong.status.code(), Some(1), "{text}");
    assert!(text.contains("\nWRONG: "), "{text}");
    assert!(
        text.contains("says reachable, but the answer is unreachable"),
        "{text}"
    );
}

#[test]
fn a_program_that_is_none_is_a_failure_of_the_run() {
    let program = TemporaryFile::new("bad.bp", "void main() begin x := ; end\n");
    let output = bench(&["--program", program.path()]);
    assert_eq!(output.status.code(), Some(4), "{}", stdout(&output));
    assert!(stdout(&output).contains("failed: "));
    let missing = bench(&["--program", "no-such-file.bp"]);
    assert_eq!(missing.status.code(), Some(2));
    let twice = bench(&["--family", "tn", "--peer", "auto=true"]);
    assert_eq!(twice.status.code(), Some(2));
}

#[test]
fn a_comparison_gives_ratios_to_the_first() {
    let text = stdout(&bench(&[
        "--family",
        "doubling",
        "--sizes",
        "2",
        "--peer",
        "idle=sleep 0.2",
        "--peer",
        "none=no-such-program",
        "--compare",
    ]));
    let header = text.lines().next().unwrap_or_default().to_owned();
    let names: Vec<&str> = header.split_whitespace().collect();
    assert_eq!(
        names,
        [
            "program", "size", "seed", "auto", "idle", "ratio", "none", "ratio"
        ]
    );
    let row = cells(&text, "doubling", "2");
    assert!(row[5].ends_with('x'), "{text}");
    assert!(
        text.contains("failed: doubling size 2 seed 1 by none"),
        "{text}"
    );
}

#[test]
fn the_front_end_is_measured_without_an_engine() {
    let output = bench(&["--frontend", "--sizes", "100,1000"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("front end") && text.contains("nodes 1.00"),
        "{text}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn too_much_memory_ends_a_run() {
    if !Path::new("/usr/bin/perl").exists() {
        return;
    }
    let greedy = r#"greedy=perl -e '$x = "y" x 400000000; sleep 20'"#;
    let output = bench(&[
        "--family", "doubling", "--sizes", "2", "--memory", "64", "--peer", greedy,
    ]);
    let text = stdout(&output);
    assert!(
        cells(&text, "doubling", "greedy").contains(&"m/o".to_owned()),
        "{text}"
    );
}

#[test]
fn questions_about_whole_runs_are_asked_of_those_who_can_answer() {
    let output = bench(&[
        "--family",
        "quicksort",
        "--family",
        "quicksort-safe",
        "--sizes",
        "2,3",
        "--engine",
        "explicit",
        "--engine",
        "summary",
        "--peer",
        "idle=true {file} => x",
    ]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for family in ["quicksort", "quicksort-safe"] {
        let explicit = cells(&text, family, "explicit");
        assert!(explicit.contains(&"right".to_owned()), "{text}");
        for other in ["summary", "idle"] {
            let skipped = cells(&text, family, other);
            assert!(skipped.contains(&"n/a".to_owned()), "{text}");
        }
    }
}

#[test]
fn the_tables_of_the_vera_paper_have_the_same_counts_for_every_width() {
    // A second is too short for the searches that enumerate all values; those are not looked at
    // here.
    let output = bench(&["--vera", "--timeout", "1"]);
    let text = stdout(&output);
    assert!([Some(0), Some(3)].contains(&output.status.code()), "{text}");
    let counts = |title: &str, column: usize| -> Vec<String> {
        let lines = text.lines().skip_while(|line| !line.starts_with(title));
        let rows = lines.skip(3).take_while(|line| !line.is_empty());
        rows.map(|row| {
            let mut cells = row.split_whitespace();
            cells.nth(column).unwrap_or_default().to_owned()
        })
        .collect()
    };
    let is_constant = |counts: &[String]| counts.windows(2).all(|pair| pair[0] == pair[1]);
    let (cycle, lock) = (counts("Buggy quicksort", 1), counts("Driver", 1));
    assert!(cycle.len() == 6 && is_constant(&cycle), "{text}");
    assert!(lock.len() == 4 && is_constant(&lock), "{text}");
    assert!(
        cycle[0].parse::<u32>().is_ok_and(|states| states < 100),
        "{text}"
    );
}

/// Figure 3 of the Getafix paper, as far as this is quick: the rest is in the tests of the two
/// engines.
#[test]
fn the_driver_fails_where_the_paper_says_by_either_engine() {
    let output = bench(&["--bluetooth", "4", "--timeout", "600"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let thresholds = text.split("\n\n").nth(1).unwrap_or_default();
    let rows = thresholds.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ")
    });
    let rows: Vec<String> = rows.skip(2).take(4).collect();
    let expected = [
        "1 1 holds up to 4 holds up to 4",
        "1 2 fails from 3 on fails from 3 on",
        "2 1 fails from 4 on fails from 4 on",
        "2 2 fails from 3 on fails from 3 on",
    ];
    assert_eq!(rows, expected, "{text}");
    let sizes = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut sizes = sizes.filter(|words| words.starts_with(&["2", "2", "3"]));
    let row = sizes.next().unwrap_or_default();
    assert!(
        row.get(8).is_some_and(|nodes| nodes.parse::<u64>().is_ok()),
        "{text}"
    );
}

#[test]
fn the_table_of_the_getafix_paper_has_all_rows_and_says_where_there_is_no_answer() {
    let output = bench(&["--getafix", "--timeout", "0.02"]);
    let text = stdout(&output);
    let has_row = |start: &str| text.lines().any(|line| line.starts_with(start));
    for name in [
        "regression, positive",
        "regression, negative",
        "drivers of 10,000 lines",
    ] {
        assert!(has_row(name), "{name} in:\n{text}");
    }
    for shape in ["Terminator-A", "Terminator-B", "Terminator-C"] {
        for dead in ["iterative", "schoose"] {
            assert!(has_row(&format!("{shape} ({dead})")), "{text}");
        }
    }
    assert!(text.contains(">20.0ms"), "{text}");
    assert!(!text.contains("WRONG"), "{text}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn the_table_of_leinos_paper_has_programs_of_its_sizes() {
    let output = bench(&["--leino", "--timeout", "0.02"]);
    let text = stdout(&output);
    for family in ["tn", "tn-safe", "driver", "driver-safe"] {
        let row = cells(&text, family, family);
        let blocks: u32 = row[2].parse().expect("a number");
        assert!((3900..9000).contains(&blocks), "{text}");
    }
}
