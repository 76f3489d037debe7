//! `hardbop-lab soak --c`: random C programs against the C compiler of the system.
//!
//! Many programs are compiled into one, which prints what each of them computes. A program that
//! hardbop reads differently is made smaller by making it again from fewer and lower decisions, many
//! attempts in one compilation.

use super::{Lasting, SHRINKING};
use hardbop_cli::compiler::{COMPILER, Compiled, compile, execute};
use hardbop_cli::console::Console;
use hardbop_cli::exit::{Exit, Failure};
use hardbop_cli::files;
use hardbop_cli::interrupt::Patience;
use hardbop_cli::temporary::TemporaryFolder;
use hardbop_families::c::CKind;
use hardbop_outcome::{Event, Interrupt, Limit, Progress};
use hardbop_soak::{Agreement, CCase, Complaint};
use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

/// How long a batch of compiled programs may run.
const EXECUTION: Duration = Duration::from_mins(1);
/// Smaller programs that are compiled at once.
const ATTEMPTS: usize = 48;

/// Which programs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CPrograms {
    /// Large expressions
    Expressions,
    /// Statements, functions, arrays, structs and pointers
    Programs,
    /// Programs with inputs: every result must be reachable, every other number unreachable
    Inputs,
}

impl CPrograms {
    fn kind(self) -> CKind {
        match self {
            Self::Expressions => CKind::Expression,
            Self::Programs => CKind::Program,
            Self::Inputs => CKind::Inputs,
        }
    }

    /// How many are compiled at once.
    fn batch(self) -> u64 {
        match self {
            Self::Expressions => 500,
            Self::Programs => 100,
            Self::Inputs => 25,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Expressions => "expressions",
            Self::Programs => "programs",
            Self::Inputs => "programs with inputs",
        }
    }
}

/// Which cases are compared, and where those that differ are written.
pub struct Campaign<'a> {
    pub programs: CPrograms,
    pub seed: u64,
    pub cases: u64,
    pub save: &'a Path,
}

impl Campaign<'_> {
    /// Compares one batch after the other until a limit is reached.
    pub fn run(
        &self,
        console: &mut Console,
        meter: &mut dyn Progress,
        patience: &Lasting,
    ) -> Result<Exit, Failure> {
        let folder = TemporaryFolder::new("soak")?;
        let (mut compared, mut undecided, mut faults) = (0_u64, 0_u64, 0_u64);
        let mut crashes = 0_u64;
        while compared < self.cases && patience.check().is_none() {
            let count = self.programs.batch().min(self.cases - compared);
            let seeds = (0..count).map(|n| self.seed.wrapping_add(compared + n));
            let cases: Vec<CCase> = seeds.map(|s| CCase::of(self.programs.kind(), s)).collect();
            let lines = match compiled(&folder, &cases, patience) {
                Ok(lines) => lines,
                // A limit ends the campaign with its counts.
                Err(_) if patience.check().is_some() => break,
                Err(failure) => return Err(failure),
            };
            for (case, line) in cases.iter().zip(&lines) {
                if patience.check().is_some() {
                    break;
                }
                compared += 1;
                meter.event(Event::Count("programs", compared));
                let Some(line) = line else {
                    crashes += 1;
                    continue;
                };
                match case.compare(line, patience) {
                    Ok(Agreement::Same) => {}
                    Ok(Agreement::Undecided) => undecided += 1,
                    Err(complaint) => {
                        faults += 1;
                        self.report(console, &folder, case, line, complaint)?;
                    }
                }
            }
        }
        console.print(&format!("{compared:>9}  {}\n", self.programs.words()));
        console.print(&format!("{undecided:>9}  undecided\n"));
        console.print(&format!("{crashes:>9}  crashes of the compiler\n"));
        console.print(&format!("{faults:>9}  faults\n"));
        match (faults, patience.check()) {
            (0, Some(Limit::Interrupted | Limit::Memory)) => Ok(Exit::Unknown),
            (0, _) => Ok(Exit::Fine),
            _ => Ok(Exit::Internal),
        }
    }

    /// Writes a small program with the same fault, and says where.
    fn report(
        &self,
        console: &mut Console,
        folder: &TemporaryFolder,
        case: &CCase,
        line: &str,
        complaint: Complaint,
    ) -> Result<(), Failure> {
        let time = Patience::for_at_most(Some(SHRINKING));
        let (case, line, complaint) = shrunk(folder, case, line, complaint, &time);
        let Complaint { demand, what } = complaint;
        let words = what.lines().next().unwrap_or_default();
        let seed = case.seed;
        let kind = self
            .programs
            .words()
            .split(' ')
            .next_back()
            .unwrap_or_default();
        let text = format!(
            "// Not so that {demand}: {words}\n// hardbop-lab soak --c {kind} --cases 1 --seed {seed}\n{}",
            case.text(&line)
        );
        let file = self.save.join(format!("soak-{kind}-{seed}.c"));
        let file = file.to_string_lossy().into_owned();
        files::replace(&file, &text)?;
        console.print(&format!(
            "seed {seed}: not so that {demand}: {words} ({file})\n"
        ));
        console.flush();
        Ok(())
    }
}

/// A smaller case with the same complaint, the line for it and what is wrong with it.
fn shrunk(
    folder: &TemporaryFolder,
    case: &CCase,
    line: &str,
    complaint: Complaint,
    patience: &dyn Interrupt,
) -> (CCase, String, Complaint) {
    let mut best = (case.clone(), line.to_owned(), complaint);
    'smaller: loop {
        let attempts = best.0.smaller();
        for attempts in attempts.chunks(ATTEMPTS) {
            if patience.check().is_some() {
                return best;
            }
            let Ok(lines) = compiled(folder, attempts, patience) else {
                return best;
            };
            for (attempt, line) in attempts.iter().zip(lines) {
                let Some(line) = line else {
                    continue;
                };
                match attempt.compare(&line, patience) {
                    Err(complaint) if complaint.demand == best.2.demand => {
                        best = (attempt.clone(), line, complaint);
                        continue 'smaller;
                    }
                    _ => {}
                }
            }
        }
        return best;
    }
}

/// The line that each case prints when it is compiled; `None` where the compiler itself crashes.
fn compiled(
    folder: &TemporaryFolder,
    cases: &[CCase],
    patience: &dyn Interrupt,
) -> Result<Vec<Option<String>>, Failure> {
    let failed = |why: &dyn Display| {
        let why = format!("cannot compare with `{COMPILER}`: {why}");
        Failure::BadInput(why)
    };
    let text = CCase::compiled_together(cases);
    let built = compile(folder, &text, &[], || patience.check());
    let program = match built.map_err(|why| failed(&why))? {
        Compiled::Program(program) => program,
        Compiled::Refused(why) => return Err(failed(&why)),
        Compiled::Crashed if cases.len() < 2 => return Ok(vec![None; cases.len()]),
        // Some expressions crash compilers. The others of the batch are compared all the same.
        Compiled::Crashed => {
            let (some, others) = cases.split_at(cases.len() / 2);
            let mut lines = compiled(folder, some, patience)?;
            lines.extend(compiled(folder, others, patience)?);
            return Ok(lines);
        }
    };
    let run = execute(&program, &[], EXECUTION, || patience.check()).map_err(|why| failed(&why))?;
    let lines = String::from_utf8_lossy(&run.stdout);
    let lines: Vec<Option<String>> = lines.lines().map(|line| Some(line.to_owned())).collect();
    if !run.status.success() || lines.len() != cases.len() {
        let why = format!("the compiled program ends with {}", run.status);
        return Err(failed(&why));
    }
    Ok(lines)
}
