//! Moped answers what hardbop answers, label by label.

use crate::programs::{examples, generated};
use crate::support::{Scratch, ask, has_moped, is_reached};
use hardbop_machine::from_text;
use hardbop_outcome::Target;
use hardbop_portfolio::EngineName;
use std::process::Command;

#[test]
fn moped_agrees_on_generated_programs_and_examples() {
    if !has_moped() {
        return;
    }
    let mut counts = [0, 0];
    for (name, machine, targets) in generated(0..12).into_iter().chain(examples()) {
        let Ok(program) = hardbop_export::moped(&machine, &targets) else {
            // Products of many bits are too long bit by bit.
            let is_expected = name == "quicksort.bp" || name.starts_with("words");
            assert!(is_expected, "{name} is refused");
            continue;
        };
        let file = Scratch::new("bp", &program.text);
        for (target, label) in targets.iter().zip(&program.labels) {
            let outcome = ask(&machine, vec![target.clone()], EngineName::Summary);
            let expected = is_reached(&outcome);
            let mut command = Command::new("moped");
            let command = command.args(["-b", "-r"]).arg(&file.path).arg(label);
            let output = command.output().expect("moped was there a moment ago");
            let text = String::from_utf8_lossy(&output.stdout);
            // It skips procedures that are never called, with their labels.
            if String::from_utf8_lossy(&output.stderr).contains("not found") {
                assert!(!expected, "{name} {label}");
                continue;
            }
            let answer = text
                .lines()
                .find(|line| line.starts_with("YES") || line.starts_with("NO"));
            let word = if expected { "YES." } else { "NO." };
            assert_eq!(
                answer,
                Some(word),
                "{name} {label}\n{text}\n{}",
                program.text
            );
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 8), "{counts:?}");
}

#[test]
fn what_is_too_long_bit_by_bit_is_refused_with_its_place() {
    let text = "decl int<32> x; void main() begin\n  x := x * x * x;\n  assert(x = x * x); end";
    let machine = from_text("t.bp", text).expect("the program is good");
    let refused = hardbop_export::moped(&machine, &Target::assertions(&machine)).unwrap_err();
    let expected = "t.bp:2:3: Moped has no integers, and this step is too long when written out \
                    bit by bit";
    assert_eq!(refused.to_string(), expected);
}

#[test]
fn threads_are_refused_by_all_with_a_sentence() {
    let text =
        "decl g; void main() begin\n  start_thread f(); assert(g); end void f() begin g := 1; end";
    let machine = from_text("t.bp", text);
    let machine = machine.unwrap_or_else(|errors| panic!("{errors:?}"));
    let targets = Target::assertions(&machine);
    let moped = hardbop_export::moped(&machine, &targets).map(|moped| moped.text);
    let all = [
        (hardbop_export::chc(&machine, &targets), "Horn clauses"),
        (hardbop_export::c(&machine, &targets), "C"),
        (moped, "a program of Moped"),
    ];
    for (written, language) in all {
        let expected = format!(
            "t.bp: line 2 starts a thread; only sequential programs can be written as {language}"
        );
        assert_eq!(written.unwrap_err().to_string(), expected);
    }
}
