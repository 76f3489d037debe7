//! Other tools, where they are installed; a test that cannot find its tool says that it is skipped.

use hardbop_machine::Machine;
use hardbop_outcome::{Budget, Outcome, Question, Silent, Target, Verdict};
use hardbop_portfolio::{Choice, EngineName, Portfolio};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Evaluates a script with the module of Python's package `z3-solver`.
const PYTHON: &str = "import sys, z3
print(z3.Z3_eval_smtlib2_string(z3.main_ctx().ref(), open(sys.argv[1]).read()))";

/// Whether a command can be started and succeeds.
fn works(command: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(command);
    let command = command.args(arguments).stdin(Stdio::null());
    let output = command.output();
    output.is_ok_and(|output| output.status.success())
}

/// Says on the terminal that a test is skipped. The harness swallows what the print macros write.
fn skipped(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("skipped: {test}: {why}\n");
    // A terminal that cannot be written to does not fail the test.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// A tool that answers the `check-sat` of a file.
pub struct SmtSolver {
    command: Vec<String>,
}

impl SmtSolver {
    /// `HARDBOP_Z3` if it is set, otherwise `z3`, otherwise Python with the module `z3`.
    pub fn find() -> Option<Self> {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let command = if let Ok(own) = std::env::var("HARDBOP_Z3") {
            own.split_whitespace().map(str::to_owned).collect()
        } else if works("z3", &["--version"]) {
            words(&["z3"])
        } else if works("python3", &["-c", "import z3"]) {
            words(&["python3", "-c", PYTHON])
        } else {
            skipped("neither HARDBOP_Z3 nor z3 nor the Python module z3 is there");
            return None;
        };
        Some(Self { command })
    }

    /// The answers to a script.
    pub fn answers(&self, script: &str) -> Vec<String> {
        let file = Scratch::new("smt2", script);
        let mut command = Command::new(&self.command[0]);
        let output = command.args(&self.command[1..]).arg(&file.path).output();
        let output = output.expect("the solver was there a moment ago");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!text.contains("error"), "{text}\n{script}");
        text.split_whitespace().map(str::to_owned).collect()
    }
}

/// The command `moped`.
pub fn has_moped() -> bool {
    // It has no option that does nothing: without a file it ends with its usage.
    let found = Command::new("moped").stdin(Stdio::null()).output().is_ok();
    if !found {
        skipped("moped is not there");
    }
    found
}

/// The C compiler.
pub fn has_cc() -> bool {
    let found = works("cc", &["--version"]);
    if !found {
        skipped("cc is not there");
    }
    found
}

/// A file that is removed at the end.
pub struct Scratch {
    pub path: PathBuf,
}

impl Scratch {
    /// A file with some text.
    pub fn new(extension: &str, text: &str) -> Self {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("hardbop-export-{}-{number}.{extension}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).expect("a file can be written");
        Self { path }
    }

    /// Runs a command with the file as its only argument.
    pub fn run(&self, command: &mut Command) -> Output {
        command
            .arg(&self.path)
            .output()
            .expect("the command can be started")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Where it cannot be removed it stays.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The answer of an engine to the question about some targets.
pub fn ask(machine: &Machine, targets: Vec<Target>, engine: EngineName) -> Outcome {
    let portfolio = Portfolio {
        choice: Choice::Engine(engine),
        ..Portfolio::default()
    };
    let question = Question::reach(targets);
    let outcome = portfolio.check(machine, &question, &Budget::unlimited(), &mut Silent);
    outcome.unwrap_or_else(|refused| panic!("{refused}"))
}

/// Whether some target is reached. Everything must be known.
pub fn is_reached(outcome: &Outcome) -> bool {
    let verdicts = || outcome.answers.iter().map(|answer| &answer.verdict);
    let is_known = |verdict: &Verdict| !verdict.is_unknown();
    assert!(verdicts().all(is_known));
    verdicts().any(|verdict| matches!(verdict, Verdict::Yes(_)))
}
