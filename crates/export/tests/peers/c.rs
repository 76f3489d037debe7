//! The exported C, compiled and run: random choices reach the error only if hardbop says that it
//! can be reached, and the choices of hardbop's own run reach it.

use crate::programs::{examples, generated};
use crate::support::{Scratch, ask, has_cc, is_reached};
use hardbop_interpreter::{Walk, WalkedKind, replay};
use hardbop_machine::{EdgeId, Expr, Machine, UnaryOp};
use hardbop_outcome::{Outcome, Trace};
use hardbop_portfolio::EngineName;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Choices from a file named by CHOICES, or made from SEED. Endless runs end.
const DRIVER: &str = r#"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static unsigned long long next(void) {
    static FILE *file;
    static unsigned long long state, count;
    if (count++ == 0) {
        ualarm(100000, 0);
        if (getenv("CHOICES")) file = fopen(getenv("CHOICES"), "r");
        else state = strtoull(getenv("SEED"), NULL, 10) * 2654435761u + 88172645463325252ull;
    }
    if (count > 5000 && !file) exit(0);
    unsigned long long value;
    if (file) {
        if (fscanf(file, "%llu", &value) != 1) exit(3);
        return value;
    }
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    return state >> 5;
}
bool __VERIFIER_nondet_bool(void) { return next() & 1; }
unsigned int __VERIFIER_nondet_uint(void) { return next(); }
unsigned long long __VERIFIER_nondet_ulonglong(void) { return next(); }
"#;

fn compile(text: &str, driver: &Path) -> Scratch {
    let source = Scratch::new("c", text);
    let program = Scratch::new("out", "");
    let mut command = Command::new("cc");
    let command = command.args([
        "-std=gnu99",
        "-Wall",
        "-Wno-unused",
        "-Wno-infinite-recursion",
        "-Wno-tautological-compare",
        "-o",
    ]);
    let output = source.run(command.arg(&program.path).arg(driver));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && messages.is_empty(),
        "{messages}\n{text}"
    );
    program
}

/// Whether a run of the program ends in the failed assertion of `reach_error`.
fn reaches_error(program: &Scratch, variable: &str, value: &str) -> bool {
    let mut command = Command::new(&program.path);
    let output = command
        .env(variable, value)
        .output()
        .expect("it was compiled");
    String::from_utf8_lossy(&output.stderr).contains("a target is reached")
}

/// Whether two edges are written as `if` and `else`.
fn are_opposite(machine: &Machine, edges: &[EdgeId]) -> bool {
    let &[yes, no] = edges else { return false };
    let negation = machine.edge(no).guard.map(|guard| machine.exprs.get(guard));
    let is_opposite = match (machine.edge(yes).guard, negation) {
        (Some(guard), Some(&Expr::Unary(UnaryOp::Not, inner))) => guard == inner,
        _ => false,
    };
    is_opposite && machine.edge(yes).inputs.is_empty()
}

/// Longer runs are not written out.
const MOST_STEPS: u128 = 100_000;

/// The choices of a run in the order in which the C program asks for them.
fn choices(machine: &Machine, trace: &Trace) -> Option<String> {
    let replayed = replay(machine, trace).expect("hardbop's run replays");
    if replayed.flat_steps > MOST_STEPS {
        return None;
    }
    let mut values: Vec<u64> = Vec::new();
    for (global, &value) in machine.globals.iter().zip(&trace.globals) {
        values.extend(global.initial.is_none().then_some(value));
    }
    values.extend(&trace.threads[0].locals);
    let mut walk = Walk::expanded(machine, trace).expect("hardbop's run replays");
    while let Some(step) = walk.next() {
        let step = step.expect("hardbop's run replays");
        let edge = match step.kind {
            WalkedKind::Edge(edge) | WalkedKind::Enter(edge) => edge,
            WalkedKind::Return => continue,
            WalkedKind::Call { .. } => return None,
        };
        let edges: Vec<EdgeId> = machine.edges_from(step.node).collect();
        if edges.len() > 1 && !are_opposite(machine, &edges) {
            values.push(u64::from(edge.0 - edges[0].0));
        }
        values.extend(&step.inputs);
        if let WalkedKind::Enter(_) = step.kind {
            let frame = walk.configuration().top(0).expect("a frame was entered");
            let procedure = machine.procedure(machine.procedure_of(frame.node));
            values.extend(&frame.locals[procedure.parameter_count as usize..]);
        }
    }
    let mut text = String::new();
    for value in values {
        writeln!(text, "{value}").expect("a string can be written to");
    }
    Some(text)
}

fn runs(outcome: &Outcome) -> impl Iterator<Item = &Trace> {
    let evidence = outcome
        .answers
        .iter()
        .filter_map(|answer| answer.verdict.evidence());
    evidence.filter_map(|evidence| evidence.run())
}

#[test]
fn runs_of_the_c_program_are_runs_of_the_program() {
    if !has_cc() {
        return;
    }
    let driver = Scratch::new("c", DRIVER);
    let [mut safe, mut found, mut replayed] = [0, 0, 0];
    for (name, machine, targets) in generated(0..8).into_iter().chain(examples()) {
        let text = hardbop_export::c(&machine, &targets).expect("it is sequential");
        let program = compile(&text, &driver.path);
        let outcome = ask(&machine, targets, EngineName::Summary);
        let is_reached = is_reached(&outcome);
        for seed in 1..12 {
            if reaches_error(&program, "SEED", &seed.to_string()) {
                assert!(
                    is_reached,
                    "{name}, seed {seed}\n{}\n{text}",
                    machine.source.text()
                );
                found += 1;
            }
        }
        safe += u32::from(!is_reached);
        for trace in runs(&outcome) {
            let Some(choices) = choices(&machine, trace) else {
                continue;
            };
            let file = Scratch::new("choices", &choices);
            let path = file
                .path
                .to_str()
                .expect("the folder of scratch files has a plain name");
            let reached = reaches_error(&program, "CHOICES", path);
            assert!(
                reached,
                "{name}\n{choices}\n{}\n{text}",
                machine.source.text()
            );
            replayed += 1;
        }
    }
    assert!(
        safe > 5 && found > 20 && replayed > 20,
        "{safe} {found} {replayed}"
    );
}

/// What the writer says about variables that a reader of C would wonder about.
#[test]
fn names_of_the_source_are_kept_where_they_are_legal() {
    let text = "decl int1, exit, {x==0}; void main() begin decl g, while1; exit := {x==0}; assert(exit); end";
    let machine = hardbop_machine::from_text("t.bp", text).expect("the program is good");
    let text = hardbop_export::c(&machine, &hardbop_outcome::Target::assertions(&machine)).unwrap();
    for line in [
        "static bool int1;",
        "    exit_2 = x__0;",
        "static void main_2(void) {",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
