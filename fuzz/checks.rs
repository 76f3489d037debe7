//! What every reader of files promises, whatever the bytes: an answer, never a panic, and nothing
//! false. The fuzz targets call these functions, and so does a test of the command
//! (`crates/cli/tests/hostile_files.rs`) with the seeds and with mutations of them.
//!
//! Evidence is about the two programs among the seeds, and is made to name them, so that the
//! judges get to see more than a wrong digest. Each function returns whether the bytes were read,
//! so that a test can tell that it tests something.

use hardbop_automata::{Property, PropertyText, write_hoa};
use hardbop_interpreter::replay;
use hardbop_machine::Machine;
use hardbop_outcome::{
    Asked, Certificate, Evidence, Interrupt, Lasso, Limit, Outcome, Question, Target, ThreadLasso,
    Trace,
};
use hardbop_portfolio::{Judgement, judge_evidence};
use hardbop_program::Dialect;
use hardbop_syntax::ast::Form;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::format::format;
use hardbop_syntax::source::CReading;
use hardbop_syntax::{Ast, Source, parse_as};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The assertions of the two programs that can fail. All others hold.
const FAILING: [&str; 2] = ["assert(x)", "assert(turn)"];

static SEQUENTIAL: LazyLock<Machine> =
    LazyLock::new(|| machine("sequential.bp", include_str!("seeds/sequential.bp")));
static THREADS: LazyLock<Machine> =
    LazyLock::new(|| machine("threads.bp", include_str!("seeds/threads.bp")));

/// Holds on all runs of the first program and of the second.
const TRUE: [&str; 2] = ["G (n = 3 -> G n = 3)", "G !(busy & turn)"];

fn machine(name: &str, text: &str) -> Machine {
    hardbop_machine::from_text(name, text).expect("the program of the seeds is valid")
}

/// Stops a judge after a while.
struct Looks(AtomicU32);

impl Interrupt for Looks {
    fn check(&self) -> Option<Limit> {
        let looks = self.0.fetch_add(1, Ordering::Relaxed);
        (looks > 1_000).then_some(Limit::Time)
    }
}

/// Any bytes become a machine or get an error, as procedures and as guarded blocks.
pub fn program(bytes: &[u8]) -> bool {
    let Ok(source) = Source::from_bytes("fuzzed.bp", bytes.to_vec()) else {
        return false;
    };
    let mut is_read = false;
    for form in [Form::Procedures, Form::GuardedBlocks] {
        let parsed = parse_as(&source, form);
        let is_parsed = !has_errors(&parsed.diagnostics);
        let checked = hardbop_program::check(parsed.ast, &source, None);
        let is_valid = is_parsed && !has_errors(&checked.diagnostics);
        let is_silent = is_valid && checked.program.is_none();
        assert!(
            !is_silent,
            "neither a program nor an error: {}",
            source.text()
        );
        if let Some(program) = checked.program.filter(|_| is_valid) {
            let procedures = program.procedures.len();
            let machine = hardbop_machine::lower(program, &source);
            assert_eq!(machine.procedures.len(), procedures);
            is_read = true;
        }
    }
    is_read
}

/// Any bytes become a machine or get an error, as C, with and without assertions about overflow.
pub fn c_program(bytes: &[u8]) -> bool {
    let Ok(source) = Source::from_bytes("fuzzed.c", bytes.to_vec()) else {
        return false;
    };
    let mut is_read = false;
    for overflow_checks in [false, true] {
        let source = source.as_c(CReading {
            overflow_checks,
            ..CReading::default()
        });
        let parsed = hardbop_c::parse_any(&source);
        let is_parsed = !has_errors(&parsed.diagnostics);
        let places = parsed.diagnostics.iter().map(|found| found.primary.span);
        for place in places {
            assert!(source.text().get(place.range()).is_some(), "{place:?}");
        }
        let dialect = Some(Dialect::Sequential);
        let checked = hardbop_program::check(parsed.ast, &source, dialect);
        let is_valid = is_parsed && !has_errors(&checked.diagnostics);
        let is_silent = is_valid && checked.program.is_none();
        assert!(
            !is_silent,
            "neither a program nor an error: {}",
            source.text()
        );
        if let Some(program) = checked.program.filter(|_| is_valid) {
            hardbop_machine::lower(program, &source);
            is_read = true;
        }
    }
    is_read
}

/// What is read without errors is formatted to the same tree with the same comments, and
/// formatting twice is formatting once.
pub fn formatting(bytes: &[u8]) -> bool {
    let Ok(source) = Source::from_bytes("fuzzed.bp", bytes.to_vec()) else {
        return false;
    };
    let mut is_read = false;
    for form in [Form::Procedures, Form::GuardedBlocks] {
        let first = parse_as(&source, form);
        if has_errors(&first.diagnostics) {
            continue;
        }
        is_read = true;
        let formatted = Source::new("formatted.bp", format(&first.ast, &source));
        let second = parse_as(&formatted, form);
        let texts = || {
            format!(
                "\n--- text\n{}\n--- formatted\n{}",
                source.text(),
                formatted.text()
            )
        };
        assert!(!has_errors(&second.diagnostics), "an error{}", texts());
        let is_same = first.ast.without_places() == second.ast.without_places();
        assert!(is_same, "another tree{}", texts());
        let [before, after] = [(&first.ast, &source), (&second.ast, &formatted)].map(comments);
        assert_eq!(before, after, "other comments{}", texts());
        let again = format(&second.ast, &formatted);
        assert!(
            formatted.text() == again,
            "formatted again: {again}{}",
            texts()
        );
    }
    is_read
}

fn comments((ast, source): (&Ast, &Source)) -> Vec<String> {
    let comments = ast.comments.iter();
    comments
        .map(|comment| source.slice(comment.span).to_owned())
        .collect()
}

/// A certificate is accepted only for assertions that hold.
pub fn certificate(bytes: &[u8]) -> bool {
    let Ok(read) = serde_json::from_slice::<Certificate>(bytes) else {
        return false;
    };
    for machine in [&*SEQUENTIAL, &THREADS] {
        let mut named = read.clone();
        machine.digest().clone_into(&mut named.program);
        let interrupt = Looks(AtomicU32::new(0));
        if hardbop_checker::validate(machine, &named, &interrupt).is_ok() {
            let is_false = |target: &&Target| FAILING.contains(&&*target.text);
            let wrong = named.targets.iter().find(is_false);
            assert!(wrong.is_none(), "accepted: {wrong:?}");
        }
    }
    true
}

/// A trace is replayed only to assertions that can fail.
pub fn trace(bytes: &[u8]) -> bool {
    let Ok(read) = serde_json::from_slice::<Trace>(bytes) else {
        return false;
    };
    for machine in [&*SEQUENTIAL, &THREADS] {
        let mut named = read.clone();
        machine.digest().clone_into(&mut named.program);
        if replay(machine, &named).is_ok()
            && let Some(target) = &named.target
        {
            assert!(FAILING.contains(&&*target.text), "a run to {target}");
        }
    }
    true
}

/// No lasso violates what holds on all runs.
pub fn lasso(bytes: &[u8]) -> bool {
    let mut found = Vec::new();
    found.extend(serde_json::from_slice::<Lasso>(bytes).map(Evidence::Lasso));
    found.extend(serde_json::from_slice::<ThreadLasso>(bytes).map(Evidence::ThreadLasso));
    for evidence in &found {
        for (machine, formula) in [&*SEQUENTIAL, &THREADS].into_iter().zip(TRUE) {
            let property = PropertyText::Ltl {
                formula: formula.to_owned(),
            };
            let property = Property::read(machine, property).expect("it is about the program");
            let question = Question::property(property);
            let asked = &question.asked()[0];
            let judged = judge_evidence(machine, &question, asked, &about(machine, evidence));
            assert_ne!(judged, Ok(Judgement::Confirmed), "{formula} is violated");
        }
    }
    !found.is_empty()
}

/// The same evidence, said to be about a program.
fn about(machine: &Machine, evidence: &Evidence) -> Evidence {
    let mut named = evidence.clone();
    match &mut named {
        Evidence::Run(trace) => machine.digest().clone_into(&mut trace.program),
        Evidence::Lasso(lasso) => machine.digest().clone_into(&mut lasso.program),
        Evidence::ThreadLasso(lasso) => machine.digest().clone_into(&mut lasso.run.program),
        Evidence::Strategy(strategy) => machine.digest().clone_into(&mut strategy.program),
    }
    named
}

/// An outcome is written as it was read, and no run in it shows that an assertion fails that holds.
pub fn outcome(bytes: &[u8]) -> bool {
    let Ok(read) = serde_json::from_slice::<Outcome>(bytes) else {
        return false;
    };
    let written = serde_json::to_vec(&read).expect("an outcome can be written");
    let again: Outcome = serde_json::from_slice(&written).expect("what was written is read");
    assert_eq!(again.answers, read.answers);
    for machine in [&*SEQUENTIAL, &THREADS] {
        for answer in &read.answers {
            let (true, Some(evidence)) = (answer.verdict.is_yes(), answer.verdict.evidence())
            else {
                continue;
            };
            let question = match &answer.asked {
                Asked::Target(target) => Question::reach(vec![target.clone()]),
                Asked::Property(text) => match Property::read(machine, text.clone()) {
                    Ok(property) => Question::property(property),
                    Err(_) => continue,
                },
            };
            let evidence = about(machine, evidence);
            let judged = judge_evidence(machine, &question, &answer.asked, &evidence);
            if let (Ok(_), Asked::Target(target)) = (judged, &answer.asked) {
                assert!(FAILING.contains(&&*target.text), "a run to {target}");
            }
        }
    }
    true
}

/// A formula about the first program, of linear or of branching time, read or refused.
pub fn ltl(bytes: &[u8]) -> bool {
    property(bytes, |formula| PropertyText::Ctl { formula });
    property(bytes, |formula| PropertyText::Ltl { formula })
}

/// A monitor of it.
pub fn monitor(bytes: &[u8]) -> bool {
    let file = "fuzzed.mon".to_owned();
    property(bytes, |text| PropertyText::Monitor { file, text })
}

/// An automaton in the HOA format.
pub fn hoa(bytes: &[u8]) -> bool {
    let file = "fuzzed.hoa".to_owned();
    property(bytes, |text| PropertyText::Hoa { file, text })
}

/// What was read becomes an automaton that can be written down and read once more.
fn property(bytes: &[u8], kind: impl FnOnce(String) -> PropertyText) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let Ok(property) = Property::read(&SEQUENTIAL, kind(text.to_owned())) else {
        return false;
    };
    let written = PropertyText::Hoa {
        file: "written.hoa".to_owned(),
        text: write_hoa(&property.automaton),
    };
    let again = Property::read(&SEQUENTIAL, written);
    assert!(again.is_ok(), "cannot be read again: {again:?}\n{text}");
    true
}

/// A system of equations, read or refused.
pub fn equations(bytes: &[u8]) -> bool {
    let Ok(source) = Source::from_bytes("fuzzed.mu", bytes.to_vec()) else {
        return false;
    };
    let checked = hardbop_formula::load_text(&source);
    let is_silent = checked.system.is_none() && !has_errors(&checked.diagnostics);
    assert!(
        !is_silent,
        "neither a system nor an error: {}",
        source.text()
    );
    checked.system.is_some()
}

/// A project, read or refused with one of its lines, in a message on one line.
pub fn project(bytes: &[u8]) -> bool {
    let Ok(source) = Source::from_bytes("hardbop.toml", bytes.to_vec()) else {
        return false;
    };
    let text = source.text();
    let Err(message) = hardbop_cli::read_project(text, Path::new("project")) else {
        return true;
    };
    if message != "project/hardbop.toml has no [[check]]" {
        let place = message.strip_prefix("project/hardbop.toml:");
        let (line, why) = place
            .and_then(|place| place.split_once(": "))
            .unwrap_or_else(|| panic!("no line: {message}"));
        let line: usize = line.parse().expect("a line is a number");
        let lines = 1 + text.matches('\n').count();
        assert!((1..=lines).contains(&line), "{lines} lines: {message}");
        assert!(!why.is_empty(), "no reason in line {line}:\n{text}");
        let is_one_line = !message.contains(|c: char| c != '\t' && c.is_control());
        assert!(is_one_line, "not on one line: {message:?}");
    }
    false
}
