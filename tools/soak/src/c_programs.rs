//! C programs against a compiler: what the compiled program has computed, the checked one must.
//!
//! Engines and judges share the front end for C, so neither of them notices what it misreads. Here a
//! [`CCase`] is compared with the line that its compiled form has printed. A program without inputs
//! is executed by the interpreter. Of one with inputs every result that was seen must be found
//! reachable, and every other number unreachable. The command that compiles is not part of this
//! crate: it is given the text ([`CCase::compiled_together`]) and brings back the lines.

use crate::Complaint;
use hardbop_families::c::{CKind, CProgram, Choices, compiled_together, smaller};
use hardbop_interpreter::{Chooser, End, StepOption, simulate};
use hardbop_machine::{Machine, Type, lower};
use hardbop_outcome::{Answer, Budget, Interrupt, Question, Silent, Target};
use hardbop_portfolio::{FewLooks, Portfolio, Refused};
use hardbop_program::Dialect;
use hardbop_syntax::Source;
use hardbop_syntax::diagnostic::has_errors;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The interpreter takes at most so many steps. Generated programs end long before.
const STEPS: u64 = 200_000;
/// Looks at the limits that a search may take: work, not time.
const LOOKS: u64 = 20_000;
/// Results that are asked about one by one; of more only the last bits are compared.
const FEW: usize = 24;

/// A C program and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CCase {
    /// The program.
    pub program: CProgram,
    /// Its seed.
    pub seed: u64,
}

/// What came of a case without a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both have computed the same.
    Same,
    /// A limit was reached first.
    Undecided,
}

/// What a compiled program has printed.
struct Printed {
    has_failed: bool,
    /// Bit `i` is set if a result has the last bits `i`.
    residues: u64,
    /// `None` if there are too many.
    results: Option<Vec<u64>>,
}

impl CCase {
    /// The case of a seed.
    pub fn of(kind: CKind, seed: u64) -> Self {
        let program = CProgram::of_seed(kind, seed);
        Self { program, seed }
    }

    /// Cases with smaller programs, those that are much smaller first.
    pub fn smaller(&self) -> Vec<Self> {
        let made = |choices: Vec<u32>| Self {
            program: CProgram::new(self.program.kind, Choices::of_list(choices)),
            seed: self.seed,
        };
        let size = |case: &Self| {
            let numbers = case.program.choices.iter();
            (
                case.program.choices.len(),
                numbers.map(|&n| u64::from(n)).sum::<u64>(),
            )
        };
        let mut cases: Vec<Self> = smaller(&self.program.choices)
            .into_iter()
            .map(made)
            .collect();
        // Decisions that were left out can lead to others, and so to a larger program.
        cases.retain(|case| size(case) < size(self));
        cases.dedup();
        cases
    }

    /// A C file that prints a line for each case.
    pub fn compiled_together(cases: &[Self]) -> String {
        let programs: Vec<CProgram> = cases.iter().map(|case| case.program.clone()).collect();
        compiled_together(&programs)
    }

    /// Compares the program with the line that its compiled form has printed.
    pub fn compare(&self, line: &str, interrupt: &dyn Interrupt) -> Result<Agreement, Complaint> {
        let compared = catch_unwind(AssertUnwindSafe(|| {
            let printed = Printed::read(line)?;
            match (self.program.kind, printed.results.as_deref()) {
                (CKind::Inputs, _) => self.search(&printed, interrupt),
                (_, Some([result])) => self.execute(*result),
                _ => Err(unreadable(line)),
            }
        }));
        compared.unwrap_or_else(|panic| Err(Complaint::of_panic(&*panic)))
    }

    /// The whole program, as it is checked.
    pub fn text(&self, line: &str) -> String {
        let text = self.program.for_checker();
        match (self.program.kind, Printed::read(line)) {
            (CKind::Inputs, Ok(printed)) => text + &printed.main(),
            _ => text + EXECUTED_MAIN,
        }
    }

    /// A program without inputs computes this number.
    fn execute(&self, expected: u64) -> Result<Agreement, Complaint> {
        let machine = machine(&(self.program.for_checker() + EXECUTED_MAIN))?;
        let simulation = simulate(&machine, &mut Zeros, STEPS, None);
        match simulation.end {
            End::Ended => {}
            End::StepLimit => return Ok(Agreement::Undecided),
            End::AssertionFailed { node, .. } => {
                let what = format!("line {}: {}", machine.line_of(node), machine.claim(node));
                return Err(Complaint::new(DEFINED, what));
            }
            other => {
                let what = format!("the execution ends otherwise: {other:?}");
                return Err(Complaint::new(SAME, what));
            }
        }
        let mut globals = machine.globals.iter().zip(&simulation.last.shared);
        let found = globals.find(|(global, _)| global.name == "result");
        match found {
            Some((_, &value)) if value == expected => Ok(Agreement::Same),
            Some((_, value)) => {
                let what = format!("hardbop computes {value:#x}, the compiler {expected:#x}");
                Err(Complaint::new(SAME, what))
            }
            None => Err(Complaint::new(SAME, "there is no result")),
        }
    }

    /// A program with inputs has these results and no others.
    fn search(&self, printed: &Printed, interrupt: &dyn Interrupt) -> Result<Agreement, Complaint> {
        let machine = machine(&(self.program.for_checker() + &printed.main()))?;
        let labels = ["other".to_owned()].into_iter();
        let labels = labels.chain((0..printed.questions().len()).map(|n| format!("seen_{n}")));
        let mut targets: Vec<Target> = labels.flat_map(|l| Target::labels(&machine, &l)).collect();
        targets.extend(Question::assertions(&machine).targets().iter().cloned());
        let few = FewLooks::new(interrupt, LOOKS);
        let budget = Budget {
            interrupt: &few,
            ..Budget::unlimited()
        };
        let question = Question::reach(targets);
        let said = Portfolio::default().check(&machine, &question, &budget, &mut Silent);
        let outcome = match said {
            Ok(outcome) => outcome,
            Err(Refused::Usage(why)) => return Err(Complaint::new(READ, why)),
            Err(Refused::Fault(fault)) => {
                return Err(Complaint::new(
                    "engines agree and prove it",
                    fault.to_string(),
                ));
            }
        };
        let mut agreement = Agreement::Same;
        for answer in &outcome.answers {
            if answer.verdict.is_unknown() {
                agreement = Agreement::Undecided;
            } else {
                printed.agrees(answer)?;
            }
        }
        Ok(agreement)
    }
}

/// What is demanded.
const SAME: &str = "checker and compiler compute the same";
const DEFINED: &str = "a program without undefined behaviour fails no check";
const READ: &str = "the front end reads generated C";

const EXECUTED_MAIN: &str = "unsigned long result;\nint main(void) { result = run(); return 0; }\n";

fn unreadable(line: &str) -> Complaint {
    Complaint::new("a compiled program prints its results", line)
}

impl Printed {
    fn read(line: &str) -> Result<Self, Complaint> {
        let mut words = line.split_whitespace();
        let mut number = || words.next()?.parse::<u64>().ok();
        let (Some(has_failed), Some(residues)) = (number(), number()) else {
            return Err(unreadable(line));
        };
        let results = words.map(str::parse).collect::<Result<Vec<u64>, _>>();
        Ok(Self {
            has_failed: has_failed != 0,
            residues,
            results: results.ok(),
        })
    }

    /// The numbers that are asked about, and what is compared with them.
    fn questions(&self) -> Vec<u64> {
        match &self.results {
            Some(results) if results.len() <= FEW => results.clone(),
            _ => (0..32)
                .filter(|bit| self.residues >> bit & 1 == 1)
                .collect(),
        }
    }

    fn compared(&self) -> &'static str {
        match &self.results {
            Some(results) if results.len() <= FEW => "run()",
            _ => "run() & 31",
        }
    }

    /// A `main` with a label for each result, and one for all others.
    fn main(&self) -> String {
        let mut text = format!(
            "int main(void) {{\n  unsigned long r = {};\n",
            self.compared()
        );
        let mut others = Vec::new();
        for (number, result) in self.questions().iter().enumerate() {
            let _ = writeln!(text, "  if (r == {result}ul) {{ seen_{number}: ; }}");
            others.push(format!("r != {result}ul"));
        }
        if others.is_empty() {
            others.push("1".to_owned());
        }
        let others = others.join(" && ");
        text + &format!("  if ({others}) {{ other: ; }}\n  return 0;\n}}\n")
    }

    /// Whether the verdict for a place of the program is right.
    fn agrees(&self, answer: &Answer) -> Result<(), Complaint> {
        let Some(target) = answer.target() else {
            return Ok(());
        };
        let text = target.to_string();
        let demand = if text.contains("seen_") || text.contains("other") {
            SAME
        } else if text.contains("__VERIFIER_assert") {
            "an assertion fails if the compiled one does"
        } else {
            DEFINED
        };
        let is_expected = match demand {
            SAME => text.contains("seen_"),
            DEFINED => false,
            _ => self.has_failed,
        };
        if answer.verdict.is_yes() == is_expected {
            return Ok(());
        }
        Err(Complaint::new(demand, format!("{} {text}", answer.word())))
    }
}

fn machine(text: &str) -> Result<Machine, Complaint> {
    let source = Source::new("program.c", text);
    let parsed = hardbop_c::parse_any(&source);
    let mut diagnostics = parsed.diagnostics;
    let checked = hardbop_program::check(parsed.ast, &source, Some(Dialect::Sequential));
    diagnostics.extend(checked.diagnostics);
    match checked.program {
        Some(program) if !has_errors(&diagnostics) => Ok(lower(program, &source)),
        _ => {
            let error = diagnostics.iter().find(|d| d.is_error());
            let what = error.map(|error| {
                let part = source.slice(error.primary.span);
                format!("{}: {part}", error.message)
            });
            Err(Complaint::new(READ, what.unwrap_or_default()))
        }
    }
}

/// Nothing is left open in a program without inputs.
struct Zeros;

impl Chooser for Zeros {
    fn step(&mut self, _: &[StepOption]) -> Option<usize> {
        Some(0)
    }

    fn inputs(&mut self, _: &str, _: &[Vec<u64>]) -> Option<usize> {
        Some(0)
    }

    fn value(&mut self, _: &str, _: Type) -> Option<u64> {
        Some(0)
    }
}
