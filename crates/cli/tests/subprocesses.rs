//! The preprocessor under hardbop's limits: whatever ends the command ends `cc -E` too.
//!
//! Each command gets a mark in its environment, which everything that it starts inherits. `/proc`
//! then says which marked processes are left, and how much memory they use.

#![cfg(target_os = "linux")]

mod lsp_client;

use lsp_client::Client;
use rustix::process::{Pid, Signal, kill_process};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Reading it takes all memory.
const ENDLESS: &str = "#include \"/dev/zero\"\nint main(void) { return 0; }\n";
/// Opening it takes all time.
const STUCK: &str = "#include \"stuck.h\"\nint main(void) { return 0; }\n";

const MARK: &str = "HARDBOP_TEST_MARK";

/// Says so on the terminal itself: the harness swallows what passing tests print.
fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok();
    if !found {
        let _ = std::io::stderr().write_all(b"skipped: there is no `cc`\n");
    }
    found
}

/// A folder with both programs, and a header that is a pipe without a writer.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a directory for the test");
    std::fs::write(folder.join("endless.c"), ENDLESS).expect("there is room");
    std::fs::write(folder.join("stuck.c"), STUCK).expect("there is room");
    let pipe = Command::new("mkfifo").arg(folder.join("stuck.h")).status();
    assert!(pipe.expect("every Unix has mkfifo").success());
    folder
}

/// Starts a command in the folder; everything it starts can be found by the mark.
fn start(folder: &Path, mark: &str, words: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .args(words.split_ascii_whitespace())
        .current_dir(folder)
        .env(MARK, mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command is built")
}

/// The marked processes that are the compiler, with their resident memory in KiB.
fn compilers(mark: &str) -> Vec<(String, u64)> {
    let wanted = format!("{MARK}={mark}");
    let is_marked = |folder: &Path| {
        let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        variables.any(|variable| variable == wanted.as_bytes())
    };
    let resident = |folder: &Path| {
        let status = std::fs::read_to_string(folder.join("status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    };
    let all = std::fs::read_dir("/proc")
        .expect("there is /proc")
        .flatten();
    let marked = all.map(|entry| entry.path()).filter(|path| is_marked(path));
    marked
        .filter_map(|path| {
            let name = std::fs::read_to_string(path.join("comm")).ok()?;
            let name = name.trim().to_owned();
            (name != "hardbop").then(|| (name, resident(&path).unwrap_or(0)))
        })
        .collect()
}

/// Waits until a compiler runs.
fn wait_for_compiler(mark: &str) {
    let start = Instant::now();
    while !compilers(mark)
        .iter()
        .any(|(name, _)| name.starts_with("cc1"))
    {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "no compiler starts"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until no compiler runs. A process that was killed takes a moment to disappear.
fn nothing_is_left(mark: &str) {
    let start = Instant::now();
    while !compilers(mark).is_empty() {
        let left = compilers(mark);
        assert!(start.elapsed() < Duration::from_secs(20), "left: {left:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, signal: Signal) {
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    kill_process(process.expect("a process"), signal).expect("it is ours");
}

fn text(output: &Output) -> String {
    let [out, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{out}{errors}")
}

#[test]
fn memory_of_the_preprocessor_counts() {
    if !has_compiler() {
        return;
    }
    let folder = folder("subprocesses-memory");
    let mut child = start(&folder, "memory", "check endless.c --time 60 --memory 300");
    let mut most = 0;
    while matches!(child.try_wait(), Ok(None)) {
        let now = compilers("memory").iter().map(|(_, kib)| kib).sum();
        most = most.max(now);
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().expect("it has ended");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("--memory 300 was reached"), "{said}");
    assert!(most < 600 << 10, "{most} KiB");
    nothing_is_left("memory");
}

#[test]
fn time_ends_the_preprocessor() {
    if !has_compiler() {
        return;
    }
    let folder = folder("subprocesses-time");
    for json in ["", " --json"] {
        let words = format!("check stuck.c --time 1{json}");
        let child = start(&folder, "time", &words);
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("--time 1 was reached"), "{said}");
        nothing_is_left("time");
    }
}

/// With limits a signal makes the answer UNKNOWN; without, it ends the process as usual.
#[test]
fn signals_end_the_preprocessor() {
    if !has_compiler() {
        return;
    }
    let folder = folder("subprocesses-signals");
    for (number, words, code) in [
        (1, "check stuck.c", Some(3)),
        (2, "check stuck.c --time 100", Some(3)),
        (3, "parse stuck.c", None),
        (4, "graph stuck.c", None),
    ] {
        for with in [Signal::INT, Signal::TERM] {
            let mark = format!("signal-{number}-{}", with.as_raw());
            let child = start(&folder, &mark, words);
            wait_for_compiler(&mark);
            signal(&child, with);
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(output.status.code(), code, "{words}: {}", text(&output));
            nothing_is_left(&mark);
        }
    }
}

#[test]
fn the_language_server_limits_the_preprocessor() {
    if !has_compiler() {
        return;
    }
    let mark = ["server", "server-stuck"];
    let folder = folder("subprocesses-server");
    let uri = |name: &str| format!("file://{}/{name}", folder.display());
    let environment = |mark: &str| vec![(MARK.to_owned(), mark.to_owned())];
    let mut client = Client::start_as(&["--memory", "300"], &environment(mark[0]));
    client.open(&uri("endless.c"), ENDLESS);
    let said = client.diagnostics(&uri("endless.c")).to_string();
    assert!(said.contains("MB of memory"), "{said}");
    nothing_is_left(mark[0]);
    // The server is still there, and a signal ends it together with what it waits for.
    client.open(&uri("fine.c"), "int main(void) { return 0; }\n");
    assert_eq!(client.diagnostics(&uri("fine.c")).to_string(), "[]");
    let mut client = Client::start_as(&[], &environment(mark[1]));
    client.open(&uri("stuck.c"), STUCK);
    wait_for_compiler(mark[1]);
    signal(client.process(), Signal::TERM);
    nothing_is_left(mark[1]);
}
