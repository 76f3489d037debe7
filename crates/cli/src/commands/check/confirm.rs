//! `check --confirm`: a second opinion from the C compiler.
//!
//! The front end for C is part of every answer, and engines and judges share it. So a program in
//! which an assertion fails is compiled with the inputs of the execution, and must fail at that line.
//! A program that holds is compiled and executed on random inputs for a second. What cannot be forced
//! or noticed is not confirmed, and why is said; a compiled program that does something else, without
//! such a reason, is an internal error, and its harness is kept.

use crate::compiler::{COMPILER, Compiled, compile, execute};
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::interrupt::Patience;
use crate::subprocess::{Captured, Failed};
use crate::temporary::TemporaryFolder;
use hardbop_harness::{FAILED, FAILS, Harness, of_random_inputs, of_trace};
use hardbop_machine::Machine;
use hardbop_outcome::{Answer, Evidence, Interrupt, Outcome, Target, TargetKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a compiled execution may take.
const EXECUTION: Duration = Duration::from_secs(10);
/// How long random inputs are tried, and how long one execution may take.
const TRIALS: Duration = Duration::from_secs(1);
const TRIAL: Duration = Duration::from_millis(300);

/// What sanitizers notice of what hardbop checks by itself. Programs need none to be executed.
const SANITIZERS: [&str; 2] = [
    "-fsanitize=bounds,integer-divide-by-zero,shift-exponent,null,unreachable",
    "-fno-sanitize-recover=all",
];

/// Compares an outcome with the compiled program. A disagreement is a failure.
pub fn confirm(
    console: &mut Console,
    patience: &Patience,
    machine: &Machine,
    outcome: &Outcome,
) -> Result<(), Failure> {
    if !machine.is_sequential() {
        // A compiled program chooses when its threads run, so what it does contradicts nothing.
        console.print("not confirmed: the order in which threads run cannot be forced\n");
        return Ok(());
    }
    let folder = TemporaryFolder::new("confirm")?;
    let confirmation = Confirmation {
        machine,
        folder,
        patience,
    };
    let mut disagreements = Vec::new();
    for answer in &outcome.answers {
        let Some(target) = answer.target() else {
            console.note("not confirmed: only answers about assertions and labels are compiled");
            continue;
        };
        if let Some(Evidence::Run(trace)) = answer.verdict.evidence() {
            let harness = of_trace(machine, trace);
            let said = harness.map_err(|why| Said::NotConfirmed(why.to_string()));
            let said = said.and_then(|harness| confirmation.of_violation(target, &harness));
            say(console, target, said, &mut disagreements);
        }
    }
    let held: Vec<&Target> = held(&outcome.answers);
    if !held.is_empty() {
        let harness = of_random_inputs(machine);
        let said = harness.map_err(|why| Said::NotConfirmed(why.to_string()));
        match said.and_then(|harness| confirmation.of_proof(&held, &harness)) {
            Ok(count) => console.print(&format!(
                "confirmed: nothing that holds has failed in {count} executions of the compiled \
                 program on random inputs\n"
            )),
            Err(Said::NotConfirmed(why)) => {
                console.print(&format!("not confirmed: what holds: {why}\n"));
            }
            Err(Said::Disagreement(why, harness)) => disagreements.push((why, harness)),
        }
    }
    match disagreements.into_iter().next() {
        None => Ok(()),
        Some((why, harness)) => {
            let file = saved_as(machine);
            files::replace(&file, &harness)?;
            Err(Failure::Internal(format!(
                "the compiled program disagrees: {why}\nthe harness that shows it is in {file}"
            )))
        }
    }
}

/// What the comparison with the compiled program has shown, if it does not confirm the answer.
enum Said {
    NotConfirmed(String),
    /// What the compiled program does, and the harness in which it does it.
    Disagreement(String, String),
}

impl From<Failed> for Said {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::NotFound => Self::NotConfirmed(format!("there is no C compiler `{COMPILER}`")),
            other => Self::NotConfirmed(other.to_string()),
        }
    }
}

fn held(answers: &[Answer]) -> Vec<&Target> {
    let is_held = |answer: &&Answer| answer.verdict.is_no_for_all_runs();
    answers
        .iter()
        .filter(is_held)
        .filter_map(Answer::target)
        .collect()
}

fn say(
    console: &mut Console,
    target: &Target,
    said: Result<(), Said>,
    disagreements: &mut Vec<(String, String)>,
) {
    let line = target.line;
    match said {
        Ok(()) => console.print(&format!(
            "confirmed: the compiled program fails at line {line}\n"
        )),
        Err(Said::NotConfirmed(why)) => {
            console.print(&format!("not confirmed: line {line}: {why}\n"));
        }
        Err(Said::Disagreement(why, harness)) => disagreements.push((why, harness)),
    }
}

/// The file that a harness is kept in, in the current folder.
fn saved_as(machine: &Machine) -> String {
    let stem = Path::new(machine.source.name()).file_stem();
    let stem = stem.map_or("program".into(), |stem| stem.to_string_lossy());
    format!("{stem}.harness.c")
}

struct Confirmation<'a> {
    machine: &'a Machine,
    folder: TemporaryFolder,
    patience: &'a Patience,
}

impl Confirmation<'_> {
    /// The compiled execution must fail at the line of the target.
    fn of_violation(&self, target: &Target, harness: &Harness) -> Result<(), Said> {
        if target.kind != TargetKind::Assertion {
            let why = "only assertions and errors are noticed in compiled programs";
            return Err(Said::NotConfirmed(why.to_owned()));
        }
        let (program, is_guarded) = self.compiled(&harness.text)?;
        let run = match execute(&program, &[], EXECUTION, || self.patience.check()) {
            Err(Failed::Time(_)) => None,
            run => Some(run?),
        };
        let failure = run.as_ref().and_then(|run| failure_line(self.machine, run));
        if failure == Some(target.line) {
            return Ok(());
        }
        if let Some(doubt) = harness.doubts.first() {
            return Err(Said::NotConfirmed(doubt.clone()));
        }
        if !is_written(target) {
            let why = if is_guarded {
                "the sanitizers of the compiler do not notice it"
            } else {
                "the compiler has no sanitizers that would notice it"
            };
            return Err(Said::NotConfirmed(why.to_owned()));
        }
        let what = match (failure, run) {
            (Some(line), _) => format!("it fails at line {line}"),
            (None, None) => "it does not end".to_owned(),
            (None, Some(run)) => match said_line(&run, "hardbop: ") {
                Some(said) => said,
                None => "it ends without a failure".to_owned(),
            },
        };
        let why = format!("line {} should fail, but {what}", target.line);
        Err(Said::Disagreement(why, harness.text.clone()))
    }

    /// On random inputs nothing may fail that holds. Returns the number of executions.
    fn of_proof(&self, held: &[&Target], harness: &Harness) -> Result<u64, Said> {
        let (program, _) = self.compiled(&harness.text)?;
        let start = Instant::now();
        let mut count = 0;
        while start.elapsed() < TRIALS {
            let seed = count.to_string();
            let run = execute(&program, &[&seed], TRIAL, || self.patience.check());
            let run = match run {
                Err(Failed::Time(_)) => {
                    count += 1;
                    continue;
                }
                run => run?,
            };
            let failure = failure_line(self.machine, &run);
            let is_held = |line: u32| held.iter().any(|target| target.line == line);
            if let Some(line) = failure
                && is_held(line)
                && !self.has_other_targets(line, held)
            {
                if let Some(doubt) = harness.doubts.first() {
                    return Err(Said::NotConfirmed(doubt.clone()));
                }
                let why = format!("line {line} should hold, but fails with the argument {seed}");
                return Err(Said::Disagreement(why, harness.text.clone()));
            }
            count += 1;
        }
        Ok(count)
    }

    /// Whether something on the line is not known to hold.
    fn has_other_targets(&self, line: u32, held: &[&Target]) -> bool {
        let all = hardbop_outcome::Question::assertions(self.machine);
        let mut on_line = all.targets().iter().filter(|target| target.line == line);
        on_line.any(|target| !held.contains(&target))
    }

    /// The program of a harness, and whether it has sanitizers.
    fn compiled(&self, text: &str) -> Result<(PathBuf, bool), Said> {
        let reading = self.machine.source.c_reading().unwrap_or_default();
        let mut options = vec!["-fno-builtin"];
        if reading.data_model == hardbop_syntax::source::DataModel::Ilp32 {
            options.push("-m32");
        }
        let folder = Path::new(self.machine.source.name()).parent();
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder
            .unwrap_or(Path::new("."))
            .to_string_lossy()
            .into_owned();
        options.extend(["-iquote", &folder]);
        let guarded: Vec<&str> = options.iter().copied().chain(SANITIZERS).collect();
        for (options, is_guarded) in [(&guarded, true), (&options, false)] {
            match compile(&self.folder, text, options, || self.patience.check())? {
                Compiled::Program(program) => return Ok((program, is_guarded)),
                Compiled::Refused(_) | Compiled::Crashed if is_guarded => {}
                Compiled::Refused(why) => return Err(Said::NotConfirmed(why)),
                Compiled::Crashed => {
                    let why = format!("`{COMPILER}` crashes");
                    return Err(Said::NotConfirmed(why));
                }
            }
        }
        let why = format!("`{COMPILER}` makes no program");
        Err(Said::NotConfirmed(why))
    }
}

/// Whether an assertion or an error is written in the program; hardbop checks others by itself.
fn is_written(target: &Target) -> bool {
    ["assert", "error", "ERROR", "assume", "fail"]
        .iter()
        .any(|word| target.text.contains(word))
}

/// The line at which a compiled program has failed.
fn failure_line(machine: &Machine, run: &Captured) -> Option<u32> {
    if run.status.code() == Some(FAILED) {
        let said = said_line(run, FAILS)?;
        return said.strip_prefix(FAILS)?.trim().parse().ok();
    }
    // Sanitizers say `FILE:LINE:COLUMN: runtime error: …`.
    let said = String::from_utf8_lossy(&run.stderr);
    let line = said.lines().find(|line| line.contains("runtime error"))?;
    let rest = line
        .strip_prefix(machine.source.name())?
        .strip_prefix(':')?;
    rest.split(':').next()?.parse().ok()
}

/// The first line of its output that begins like this.
fn said_line(run: &Captured, start: &str) -> Option<String> {
    let said = String::from_utf8_lossy(&run.stdout);
    let mut lines = said.lines();
    lines
        .find(|line| line.starts_with(start))
        .map(str::to_owned)
}
