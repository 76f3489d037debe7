//! Commands that are run on the examples while something goes wrong, and what they are held to.
//!
//! A [`Stage`] is a folder with a copy of the examples. A command that writes a file writes
//! `out/file`, where an older file stands. A [`Judge`] compares what a disturbed command did with
//! what the same command does undisturbed.

#![allow(dead_code, reason = "each test has its own copy and uses a part of it")]

use hardbop_outcome::{Certificate, NeverInterrupted, Trace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FOUND: [&str; 2] = ["VIOLATED", "REACHABLE"];
const EXCLUDED: [&str; 2] = ["HOLDS", "UNREACHABLE"];
const UNKNOWN: &str = "UNKNOWN";

/// What stands in `out/file` before a command replaces it: a program that `fmt` changes.
const OLD: &str = "decl x;void main() begin x:=1;end\n";

/// The exit code if a process has no room for the system's libraries.
const LOADER_FAILED: i32 = 127;

/// A command; its words name `out/file` if it writes one.
#[derive(Clone, Debug)]
pub struct Case {
    words: Vec<String>,
}

/// A command from its words.
pub fn case(words: &str) -> Case {
    let words = words.split_whitespace().map(str::to_owned).collect();
    Case { words }
}

/// The same command with more words.
pub fn with(case: &Case, more: &str) -> Case {
    let more = more.split(' ').map(str::to_owned);
    let words = case.words.iter().cloned().chain(more).collect();
    Case { words }
}

/// The questions in the heads of the examples.
pub fn questions() -> Vec<Case> {
    let text = |path: &PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let texts: Vec<String> = list(&examples()).iter().map(text).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let commands = lines.filter_map(|line| line.strip_prefix("//   hardbop "));
    let cases: Vec<Case> = commands.map(case).collect();
    assert!(cases.len() >= 20, "only {} questions", cases.len());
    cases
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    paths
}

impl Case {
    fn has_file(&self) -> bool {
        self.words.iter().any(|word| word == "out/file")
    }

    fn has_certificate(&self) -> bool {
        self.words.iter().any(|word| word == "--certificate")
    }

    /// Whether it takes an old file away before it begins.
    fn prepares_file(&self) -> bool {
        let reports = ["--html", "--sarif", "--junit"];
        let is_report = |word: &String| reports.contains(&word.as_str());
        self.has_certificate() || self.words.iter().any(is_report)
    }

    fn is_check(&self) -> bool {
        self.words[0] == "check"
    }

    fn program(&self) -> &str {
        &self.words[1]
    }
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; a process that was killed has none.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it said about it.
    pub stderr: String,
    /// The contents of `out/file`, if that is there.
    file: Option<String>,
}

impl Ran {
    /// How many looks and writes there were to disturb.
    pub fn opportunities(&self) -> (u64, u64) {
        let line = self.stderr.lines().last().unwrap_or_default();
        let number = |word: &str| word.parse().ok();
        let mut counts = line.split(' ').filter_map(number);
        let counts = (line.starts_with("faults: "), counts.next(), counts.next());
        let (true, Some(looks), Some(writes)) = counts else {
            panic!("no counts: {self:?}");
        };
        (looks, writes)
    }

    /// The verdict words that were printed, in order; only those on whole lines.
    fn verdicts(&self) -> Vec<String> {
        if let Ok(json) = serde_json::from_str::<Value>(&self.stdout) {
            let answers = json["answers"].as_array().cloned().unwrap_or_default();
            let word = |answer: &Value| answer["verdict"].as_str().map(str::to_owned);
            return answers.iter().filter_map(word).collect();
        }
        let whole = self.stdout.rsplit_once('\n').map_or("", |(lines, _)| lines);
        let first = whole.lines().filter_map(|line| line.split(' ').next());
        let is_verdict =
            |word: &&str| FOUND.contains(word) || EXCLUDED.contains(word) || *word == UNKNOWN;
        first.filter(is_verdict).map(str::to_owned).collect()
    }
}

/// A folder in which commands run.
pub struct Stage {
    folder: PathBuf,
    /// How often something came of a kind of fault.
    tally: BTreeMap<(String, &'static str), u64>,
}

impl Stage {
    /// A new folder with the examples, a certificate and an outcome.
    pub fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).expect("an earlier run's folder can go");
        }
        for (from, to) in [("", "examples"), ("calculus", "examples/calculus")] {
            let to = folder.join(to);
            std::fs::create_dir_all(&to).expect("there is room");
            for file in list(&examples().join(from)).iter().filter(|f| f.is_file()) {
                let copy = to.join(file.file_name().expect("it is a file"));
                std::fs::copy(file, copy).expect("there is room");
            }
        }
        let stage = Self {
            folder,
            tally: BTreeMap::new(),
        };
        let proof = "check examples/slam-driver.bp --reach SLIC_ERROR --certificate proof.json";
        assert_eq!(stage.run(&case(proof), None).code, Some(0));
        let outcome = stage.run(&case("check examples/tn.bp --reach reach --json"), None);
        std::fs::write(stage.folder.join("outcome.json"), outcome.stdout).expect("there is room");
        stage
    }

    /// Adds a member of a family to the examples.
    pub fn generate(&self, family: &str, size: u32) {
        let words = format!("generate {family} {size} -o examples/{family}.bp");
        assert_eq!(self.run(&case(&words), None).code, Some(0));
    }

    /// Runs a command, with a fault if one is named.
    pub fn run(&self, case: &Case, fault: Option<&str>) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
        command.args(&case.words);
        if let Some(fault) = fault {
            command.env("HARDBOP_FAULT", fault);
        }
        self.run_as(case, command)
    }

    /// Runs a command after some words of a shell, such as a limit that it sets.
    pub fn run_in_shell(&self, case: &Case, before: &str, after: &str) -> Ran {
        let mut command = Command::new("sh");
        let line = format!("ulimit -c 0; {before}; exec \"$0\" \"$@\" {after}");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_hardbop")]);
        command.args(&case.words);
        self.run_as(case, command)
    }

    fn run_as(&self, case: &Case, mut command: Command) -> Ran {
        let out = self.folder.join("out");
        if out.exists() {
            std::fs::remove_dir_all(&out).expect("it can go");
        }
        std::fs::create_dir(&out).expect("there is room");
        let file = out.join("file");
        if case.has_file() {
            std::fs::write(&file, OLD).expect("there is room");
        }
        command
            .current_dir(&self.folder)
            .env_remove("RUST_BACKTRACE");
        let output = command.output();
        let Output {
            status,
            stdout,
            stderr,
        } = output.expect("the command can be started");
        let ran = Ran {
            code: status.code(),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
            file: std::fs::read_to_string(&file).ok(),
        };
        let known = ["examples", "out", "proof.json", "outcome.json", "file"];
        let folders = [self.folder.clone(), out];
        let left = folders.iter().flat_map(|folder| list(folder));
        let is_known = |path: &PathBuf| known.iter().any(|name| path.ends_with(name));
        let left: Vec<PathBuf> = left.filter(|path| !is_known(path)).collect();
        assert!(left.is_empty(), "{case:?} left {left:?}: {ran:?}");
        ran
    }

    /// Compares what a disturbed command did with what it does undisturbed.
    pub fn judge<'a>(
        &'a self,
        case: &'a Case,
        fault: &'a str,
        quiet: &'a Ran,
        ran: &'a Ran,
    ) -> Judge<'a> {
        Judge {
            folder: &self.folder,
            case,
            fault,
            quiet,
            ran,
        }
    }

    /// Notes what came of a fault.
    pub fn count(&mut self, kind: &str, end: &'static str) {
        *self.tally.entry((kind.to_owned(), end)).or_default() += 1;
    }

    /// How often that came of it.
    pub fn counted(&self, kind: &str, end: &'static str) -> u64 {
        let key = (kind.to_owned(), end);
        self.tally.get(&key).copied().unwrap_or_default()
    }

    /// Prints what came of the faults.
    #[allow(clippy::print_stdout, reason = "figures for `docs/reliability.md`")]
    pub fn show(&self) {
        for ((kind, end), count) in &self.tally {
            println!("{kind:<12} {end:<12} {count:>6}");
        }
    }
}

/// Compares a disturbed command with the undisturbed one.
pub struct Judge<'a> {
    folder: &'a Path,
    case: &'a Case,
    /// What goes wrong: the word that a reason must have, and a number.
    fault: &'a str,
    quiet: &'a Ran,
    ran: &'a Ran,
}

impl Judge<'_> {
    fn demand(&self, holds: bool, what: &str) {
        let Self {
            case,
            fault,
            quiet,
            ran,
            ..
        } = self;
        let words = case.words.join(" ");
        assert!(
            holds,
            "{what}: {words} with {fault}\n{ran:#?}\ninstead of {quiet:#?}"
        );
    }

    /// What came of the fault, in words. Panics if that is not allowed. Faults `of_writing` may
    /// cost output and end in an error; others may cost answers.
    pub fn end(&self, of_writing: bool) -> &'static str {
        let Self { quiet, ran, .. } = self;
        let is_bug = ["internal error", "panicked"]
            .iter()
            .any(|t| ran.stderr.contains(t));
        self.demand(!is_bug, "a panic");
        self.verdicts_do_not_change();
        if of_writing {
            let is_documented = ran.code == quiet.code || ran.code == Some(2);
            self.demand(is_documented, "the exit code");
            self.demand(quiet.stdout.starts_with(&ran.stdout), "other output");
            self.files_are_whole(quiet.file.as_deref());
        } else {
            let is_documented = ran.code == quiet.code || ran.code == Some(3);
            self.demand(is_documented, "the exit code");
            if ran.code == Some(3) {
                self.the_reason_is_named();
            }
            if self.case.has_certificate() {
                self.certificates_are_true();
            } else {
                self.files_are_whole(quiet.file.as_deref());
            }
        }
        match ran.code {
            Some(2) => "an error",
            Some(3) => "UNKNOWN",
            _ => "as before",
        }
    }

    /// The same where the system may refuse memory: then the process is ended.
    pub fn end_of_address_space(&self) -> &'static str {
        if self.ran.code == Some(3) && self.ran.file.as_deref() == Some(OLD) {
            // It came to its end before it had prepared the file.
            self.verdicts_do_not_change();
            self.the_reason_is_named();
            return "UNKNOWN";
        }
        if self.ran.code.is_some() && self.ran.code != Some(LOADER_FAILED) {
            return self.end(false);
        }
        self.demand(self.ran.stdout.is_empty(), "a verdict before the end");
        let is_whole = matches!(self.ran.file.as_deref(), None | Some(OLD));
        self.demand(is_whole, "half a file");
        let reasons = ["memory allocation of", "loading shared libraries"];
        let is_clear = reasons.iter().any(|words| self.ran.stderr.contains(words));
        self.demand(is_clear, "no reason");
        "ended by the system"
    }

    /// Whoever reads that something is not known reads why.
    fn the_reason_is_named(&self) {
        let (kind, _) = self.fault.split_once(':').unwrap_or((self.fault, ""));
        let said = [&self.ran.stdout, &self.ran.stderr];
        self.demand(said.iter().any(|text| text.contains(kind)), "no reason");
    }

    /// An answer is as before or unknown, and the exit code fits the answers.
    fn verdicts_do_not_change(&self) {
        let [before, now] = [self.quiet, self.ran].map(Ran::verdicts);
        let mut pairs = before.iter().zip(&now);
        let is_kept = pairs.all(|(before, now)| before == now || now == UNKNOWN);
        self.demand(is_kept && now.len() <= before.len(), "another verdict");
        if self.case.is_check() && self.ran.code != Some(2) && now.len() == before.len() {
            let has = |words: &[&str]| now.iter().any(|word| words.contains(&&**word));
            let code = if has(&FOUND) {
                1
            } else if has(&[UNKNOWN]) {
                3
            } else {
                0
            };
            self.demand(
                self.ran.code == Some(code),
                "an exit code against the verdicts",
            );
        }
    }

    /// The new text, the old one, or (where the old one is taken away first) none; the new one if
    /// the command claims that it went well.
    fn files_are_whole(&self, expected: Option<&str>) {
        let file = self.ran.file.as_deref();
        if self.case.words[0] == "simulate" && self.ran.code == Some(3) {
            // The run so far is saved.
            let run = file.map(serde_json::from_str::<Trace>);
            self.demand(matches!(run, Some(Ok(_))), "half a run");
            return;
        }
        let is_whole =
            file == expected || file == Some(OLD) || (file.is_none() && self.case.prepares_file());
        self.demand(is_whole, "half a file");
        let is_there = self.ran.code == Some(2) || file == expected;
        self.demand(is_there, "a lost file");
    }

    /// A certificate that was written is one, whatever else is unknown.
    fn certificates_are_true(&self) {
        let Some(text) = &self.ran.file else {
            return;
        };
        let text = text.trim_end();
        let several: Result<Vec<Certificate>, _> = if text.starts_with('[') {
            serde_json::from_str(text)
        } else {
            serde_json::from_str(text).map(|one| vec![one])
        };
        self.demand(several.is_ok(), "half a certificate");
        let name = self.case.program();
        let program = std::fs::read_to_string(self.folder.join(name)).expect("an example");
        let machine = hardbop_machine::from_text(name, &program).expect("a program");
        for certificate in several.expect("it was read") {
            let judged = hardbop_checker::validate(&machine, &certificate, &NeverInterrupted);
            self.demand(judged.is_ok(), "a wrong certificate");
        }
    }
}
