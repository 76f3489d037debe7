//! `hardbop-lab table` on a folder with right, wrong and unknown verdicts, and with another tool.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HOLDS: &str = "decl g; void main() begin g := 0; assert(!g); end\n";
const FAILS: &str = "decl g; void main() begin g := *; assert(!g); end\n";

/// A folder with two programs and their verdicts.
fn folder(name: &str, verdicts: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(folder.join("small")).expect("a folder for the test");
    for (file, text) in [
        ("small/holds.bp", HOLDS),
        ("small/fails.bp", FAILS),
        ("verdicts.tsv", verdicts),
    ] {
        std::fs::write(folder.join(file), text).expect("a file in the folder");
    }
    folder
}

fn table(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let command = Command::new(env!("CARGO_BIN_EXE_hardbop-lab"))
        .args(["table", "--quiet"])
        .arg(folder)
        .args(more)
        .output();
    let Output { status, stdout, .. } = command.expect("the command starts");
    let text = String::from_utf8(stdout).expect("tables are UTF-8");
    (status.code(), text)
}

/// The figures of a contender on a group: tasks, right, decided, unknown, refused, wrong, failed.
fn figures(text: &str, contender: &str) -> Vec<usize> {
    let mut lines = text.lines().filter(|line| line.starts_with(contender));
    let line = lines.find(|line| line.contains("small"));
    let line = line.unwrap_or_else(|| panic!("no line of {contender} in\n{text}"));
    let words = line.split_whitespace().skip(2).take(7);
    words.map(|word| word.parse().expect("a figure")).collect()
}

#[test]
fn right_verdicts_are_counted_by_group() {
    let verdicts = "small/holds.bp\ttrue\nsmall/fails.bp\tfalse\nsmall/holds.bp\t?\n";
    let folder = folder("table-right", verdicts);
    let rows = folder.join("rows.tsv");
    let (code, text) = table(&folder, &["--rows", rows.to_str().expect("UTF-8")]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(figures(&text, "hardbop"), [3, 2, 1, 0, 0, 0, 0]);
    let rows = std::fs::read_to_string(rows).expect("rows were written");
    assert_eq!(rows.lines().count(), 3);
}

#[test]
fn a_wrong_verdict_is_named_and_ends_with_another_exit_code() {
    let folder = folder("table-wrong", "small/fails.bp\tsafe\n");
    let (code, text) = table(&folder, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert_eq!(figures(&text, "hardbop"), [1, 0, 0, 0, 0, 1, 0]);
    assert!(text.contains("small/fails.bp\t-\tWRONG"), "{text}");
}

#[test]
fn what_cannot_be_read_is_refused_with_the_reason() {
    let folder = folder(
        "table-refused",
        "small/nothing.bp\ttrue\nsmall/holds.bp\tltl\ttrue\n",
    );
    let (code, text) = table(&folder, &[]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(figures(&text, "hardbop"), [2, 0, 0, 0, 2, 0, 0]);
    assert!(
        text.contains("there is no file for the property ltl"),
        "{text}"
    );
}

#[test]
fn options_reach_every_run_and_limits_are_counted_as_unknown() {
    let folder = folder("table-limit", "small/holds.bp\ttrue\n");
    let (_, text) = table(&folder, &["--", "--engine", "explicit", "--states", "1"]);
    assert_eq!(figures(&text, "hardbop"), [1, 0, 0, 1, 0, 0, 0]);
}

#[test]
#[cfg(unix)]
fn another_tool_is_judged_like_hardbop_and_stopped_at_its_cpu_time() {
    let folder = folder("table-peer", "small/holds.bp\ttrue\n");
    let (code, text) = table(
        &folder,
        &["--peer", "liar=echo found {file} => found => fine"],
    );
    assert_eq!(code, Some(1), "{text}");
    assert_eq!(figures(&text, "liar"), [1, 0, 0, 0, 0, 1, 0]);
    let busy = "busy=sh -c 'while true; do true; done' => found => fine";
    let (code, text) = table(&folder, &["--peer", busy, "--cpu", "1"]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(figures(&text, "busy"), [1, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn a_list_with_mistakes_is_bad_input() {
    let folder = folder("table-mistake", "small/holds.bp\tperhaps\n");
    assert_eq!(table(&folder, &[]).0, Some(2));
    assert_eq!(table(&folder.join("small"), &[]).0, Some(2));
}
