//! Batches with the real command: their lines and exit codes, what a resumed one does again, and
//! that a killed one loses nothing.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const GOOD: &str = "decl g := 0; void main() begin assert(!g); end\n";
const BAD: &str = "decl g := 1; void main() begin ERROR: skip; assert(!g); assert(g); end\n";

/// A new folder with some files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("batch-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder for the test");
    for (name, text) in files {
        let file = path.join(name);
        fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("a folder");
        fs::write(file, text).expect("a file can be written");
    }
    path
}

fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    command
        .arg("check")
        .args(words.split_whitespace())
        .current_dir(folder);
    command
}

fn run(folder: &Path, words: &str) -> Output {
    let output = command(folder, words).output();
    output.expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn records(folder: &Path, file: &str) -> Vec<Value> {
    let lines = fs::read_to_string(folder.join(file)).expect("results are there");
    assert!(lines.ends_with('\n'));
    let lines = lines.lines().map(serde_json::from_str);
    lines.map(|line| line.expect("a line is JSON")).collect()
}

#[test]
fn lines_come_in_order_and_the_worst_file_decides() {
    let files = [
        ("a.bp", GOOD),
        ("b.bp", BAD),
        ("sub/c.bp", "oops"),
        ("sub/.hidden/d.bp", "oops"),
    ];
    let folder = folder("order", &files);
    let output = run(&folder, ". -j 3");
    let expected = "\
HOLDS        ./a.bp
VIOLATED     ./b.bp: 1 HOLDS, 1 VIOLATED
ERROR        ./sub/c.bp: error[HB005]: expected a declaration, a procedure or a thread, found `oops`
3 checks: 1 ERROR, 1 HOLDS, 1 VIOLATED
";
    assert_eq!(text(&output.stdout), expected);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(run(&folder, "a.bp b.bp").status.code(), Some(1));
    assert_eq!(run(&folder, "a.bp a.bp").status.code(), Some(0));
    assert_eq!(run(&folder, "a.bp missing.bp").status.code(), Some(2));
    let refused = run(&folder, "a.bp b.bp --json");
    assert!(text(&refused.stderr).contains("--json has no effect in a batch"));
}

#[test]
fn a_limit_holds_for_each_file_and_not_for_the_batch() {
    let hard = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .args(["generate", "factoring", "40"])
        .output()
        .expect("the command runs");
    let hard = text(&hard.stdout).replace("FACTORED: skip;", "assert(0);");
    let files = [
        ("a.bp", hard.as_str()),
        ("b.bp", hard.as_str()),
        ("c.bp", GOOD),
    ];
    let folder = folder("limits", &files);
    let output = run(&folder, "a.bp b.bp c.bp --time 1 --out r.jsonl");
    let shown = text(&output.stdout);
    let words: Vec<&str> = shown
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(words, ["UNKNOWN", "UNKNOWN", "HOLDS", "3"], "{shown}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_resumed_batch_checks_only_what_has_changed() {
    let folder = folder(
        "resume",
        &[("a.bp", GOOD), ("b.bp", BAD), ("m.mon", MONITOR)],
    );
    let count = || records(&folder, "r.jsonl").len();
    let first = run(&folder, "a.bp b.bp --out r.jsonl");
    assert_eq!(count(), 2);
    assert_eq!(
        run(&folder, "a.bp b.bp --out r.jsonl").status.code(),
        Some(2),
        "not overwritten"
    );
    let again = run(&folder, "a.bp b.bp --out r.jsonl --resume");
    assert_eq!((count(), again.status.code()), (2, Some(1)));
    assert_eq!(text(&again.stdout), text(&first.stdout));
    // Another content, another question, another file that the question names.
    fs::write(folder.join("a.bp"), BAD).expect("a file can be written");
    let changed = run(&folder, "a.bp b.bp --out r.jsonl --resume");
    assert!(text(&changed.stdout).starts_with("VIOLATED     a.bp"));
    assert_eq!(count(), 3);
    run(&folder, "b.bp --reach ERROR --out r.jsonl --resume");
    assert_eq!(count(), 4);
    run(&folder, "b.bp --monitor m.mon --out r.jsonl --resume");
    fs::write(folder.join("m.mon"), MONITOR.replace("!g", "g")).expect("a file can be written");
    run(&folder, "b.bp --monitor m.mon --out r.jsonl --resume");
    run(&folder, "b.bp --monitor m.mon --out r.jsonl --resume");
    assert_eq!(count(), 6);
}

const MONITOR: &str = "monitor M begin
  state a initial; state b target;
  from a: on !g goto b;
end
";

#[test]
fn a_line_without_an_end_is_dropped_and_a_foreign_file_left_alone() {
    let folder = folder("half", &[("a.bp", GOOD), ("b.bp", BAD)]);
    let whole = run(&folder, "a.bp b.bp --out r.jsonl");
    let bytes = fs::read(folder.join("r.jsonl")).expect("results are there");
    for length in [0, 1, 20, bytes.len() / 2, bytes.len() - 1] {
        fs::write(folder.join("r.jsonl"), &bytes[..length]).expect("a file can be written");
        let again = run(&folder, "a.bp b.bp --out r.jsonl --resume");
        assert_eq!(text(&again.stdout), text(&whole.stdout));
        assert_eq!(records(&folder, "r.jsonl").len(), 2, "cut at {length}");
    }
    for foreign in ["not results\n", "not results", "{\"a\": 1}\n{\"ha"] {
        fs::write(folder.join("notes.txt"), foreign).expect("a file can be written");
        let refused = run(&folder, "a.bp b.bp --out notes.txt --resume");
        assert_eq!(refused.status.code(), Some(2));
        let left = fs::read_to_string(folder.join("notes.txt")).expect("it is there");
        assert_eq!(left, foreign);
    }
}

#[test]
fn a_project_says_what_is_asked_about_which_file() {
    let project = "[defaults]
time = 20

[[check]]
files = [\"lib/*.bp\"]

[[check]]
files = [\"b.bp\"]
reach = [\"ERROR\", \"main:ERROR\"]
engine = \"summary\"
any-run = true

[[check]]
files = [\"b.bp\"]
monitor = [\"m.mon\"]
";
    let files = [
        ("p/hardbop.toml", project),
        ("p/lib/a.bp", GOOD),
        ("p/lib/deep/x.bp", "oops"),
        ("p/b.bp", BAD),
        ("p/m.mon", MONITOR),
    ];
    let folder = folder("project", &files);
    let expected = "\
HOLDS        lib/a.bp
REACHABLE    b.bp --time=20 --any-run --engine=summary --reach=ERROR --reach=main:ERROR
HOLDS        b.bp --time=20 --monitor=m.mon
3 checks: 2 HOLDS, 1 REACHABLE
";
    let output = run(&folder.join("p"), "");
    assert_eq!(text(&output.stdout), expected, "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
    // From elsewhere, and with an option of its own.
    let output = run(&folder, "p --time 30");
    let shown = text(&output.stdout);
    assert!(
        shown.contains("HOLDS        p/b.bp --monitor=p/m.mon --time=30"),
        "{shown}"
    );
    for (wrong, why) in [
        (
            "[[check]]\nfiles = [\"b.bp\"]\nreech = [\"X\"]\n",
            "hardbop.toml:3: unknown key `reech`; did you mean `reach`?",
        ),
        (
            "[[check]]\nfiles = [\"b.bp\"]\njson = true\n",
            "hardbop.toml:3: `json` concerns the output for a single file",
        ),
        (
            "[[check]]\nfiles = [\"b.bp\"]\n\ntime = true\n",
            "hardbop.toml:4: `time` takes a text or a number",
        ),
        (
            "[[check]]\nfiles = [\"nothing/*.bp\"]\n",
            "hardbop.toml:2: there is no program `nothing/*.bp`",
        ),
        (
            "[[check]]\ntime = 1\n",
            "hardbop.toml:1: this [[check]] has no `files`",
        ),
        ("[[chek]]\n", "hardbop.toml:1: unknown field `chek`"),
        ("[[check]\n", "hardbop.toml:1: "),
        (
            "[[check]]\nfiles = [\"b.bp\"]\nrounds = 2\ncontexts = 2\n",
            "hardbop.toml:1: the argument",
        ),
        (
            "[[check]]\nfiles = [\"b.bp\"]\nengine = \"magic\"\n",
            "hardbop.toml:1: invalid value 'magic'",
        ),
    ] {
        fs::write(folder.join("p/hardbop.toml"), wrong).expect("a file can be written");
        let output = run(&folder.join("p"), "");
        let errors = text(&output.stderr);
        assert!(errors.contains(why), "{wrong}: {errors}");
        assert_eq!(output.status.code(), Some(2));
    }
}

/// The parts of results that do not depend on the time.
fn table(folder: &Path, file: &str) -> BTreeMap<String, Value> {
    let mut table = BTreeMap::new();
    for mut record in records(folder, file) {
        let name = record["file"]
            .as_str()
            .expect("a result names its file")
            .to_owned();
        record
            .as_object_mut()
            .expect("a result is an object")
            .remove("seconds");
        assert_eq!(table.insert(name, record), None, "each file is there once");
    }
    table
}

/// `HARDBOP_KILLS` says how often.
#[test]
fn a_batch_that_is_killed_and_resumed_is_as_one_that_was_not() {
    let folder = folder("kill", &[]);
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in fs::read_dir(examples).expect("the examples are there") {
        let path = entry.expect("the folder is readable").path();
        if path.extension().is_some_and(|extension| extension == "bp") {
            let name = path.file_name().expect("a file has a name");
            fs::copy(&path, folder.join(name)).expect("a file can be copied");
        }
    }
    let start = Instant::now();
    let whole = run(&folder, ". -j 2 --out whole.jsonl");
    let duration = start.elapsed();
    let expected = table(&folder, "whole.jsonl");
    assert!(expected.len() > 10);
    let kills = std::env::var("HARDBOP_KILLS")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut interrupted = 0;
    for kill in 0..kills.unwrap_or(50) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let out = format!("{kill}.jsonl");
        let words = format!(". -j 2 --out {out} --resume");
        let mut batch = command(&folder, &words)
            .stdout(Stdio::null())
            .spawn()
            .expect("the command runs");
        let part = u32::try_from(random % 1000).expect("less than a thousand");
        std::thread::sleep(duration * part / 1000);
        batch.kill().expect("a process can be killed");
        batch.wait().expect("a process ends");
        let kept = fs::read_to_string(folder.join(&out)).unwrap_or_default();
        interrupted += usize::from(kept.lines().count() < expected.len());
        let resumed = run(&folder, &words);
        assert_eq!(text(&resumed.stdout), text(&whole.stdout));
        assert_eq!(resumed.status.code(), whole.status.code());
        assert_eq!(table(&folder, &out), expected);
    }
    assert!(interrupted > 0, "some kill came before the end");
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_batch_leaves_no_process_behind() {
    let hard = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .args(["generate", "factoring", "40", "-o", "very-hard.bp"])
        .current_dir(folder("orphans", &[]))
        .output()
        .expect("the command runs");
    assert!(hard.status.success());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("batch-orphans");
    let mut batch = command(&folder, "very-hard.bp --reach FACTORED -j 1")
        .stdout(Stdio::null())
        .spawn()
        .expect("the command runs");
    let children = || {
        let entries = fs::read_dir("/proc").expect("a Linux has it").flatten();
        let lines = entries.map(|entry| fs::read(entry.path().join("cmdline")).unwrap_or_default());
        lines
            .filter(|line| text(line).contains("--\0very-hard.bp"))
            .count()
    };
    let wait_for = |wanted: usize| {
        let start = Instant::now();
        while children() != wanted && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        children()
    };
    assert_eq!(wait_for(1), 1, "it is being checked");
    batch.kill().expect("a process can be killed");
    batch.wait().expect("a process ends");
    assert_eq!(wait_for(0), 0, "it went with the batch");
}

#[test]
fn damaged_projects_and_results_are_refused_or_read_and_never_a_fault() {
    let project = "[defaults]\ntime = 20\n\n[[check]]\nfiles = [\"*.bp\"]\nany-run = true\n";
    let folder = folder("damaged", &[("a.bp", GOOD), ("hardbop.toml", project)]);
    run(&folder, "--out whole.jsonl");
    let results = fs::read(folder.join("whole.jsonl")).expect("results are there");
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut read = 0;
    for number in 0..80 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let (name, whole) = if number % 2 == 0 {
            ("hardbop.toml", project.as_bytes())
        } else {
            ("r.jsonl", results.as_slice())
        };
        let mut bytes = whole.to_vec();
        let place = (random >> 16) as usize % bytes.len();
        match random % 3 {
            0 => bytes.truncate(place),
            1 => bytes[place] = (random >> 8) as u8,
            _ => drop(bytes.remove(place)),
        }
        fs::write(folder.join("hardbop.toml"), project).expect("a file can be written");
        fs::write(folder.join(name), &bytes).expect("a file can be written");
        let output = run(&folder, "--out r.jsonl --resume");
        let code = output.status.code();
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert!(matches!(code, Some(0 | 2)), "{}: {shown}", text(&bytes));
        read += usize::from(code == Some(0));
        if code == Some(0) {
            records(&folder, "r.jsonl");
        }
        let _ = fs::remove_file(folder.join("r.jsonl"));
    }
    assert!((5..75).contains(&read), "{read} of 80 were read");
}
