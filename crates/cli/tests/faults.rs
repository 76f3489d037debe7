//! Faults at every look at the limits and at every write, over the examples: whatever fails, the
//! command ends with a documented exit code, no verdict changes but to UNKNOWN, and a file is there
//! whole or not at all.
//!
//! `HARDBOP_FAULT=KIND:K` disturbs the K-th look or write (`crates/cli/src/faults.rs`). Each
//! command is first run undisturbed to learn how many there are. The usual test tries a few numbers
//! of some commands; all of it, with the figures of `docs/reliability.md`, is
//! `cargo test --release -p hardbop-cli --test faults -- --ignored --nocapture`.

mod staged;

use hardbop_portfolio::EngineName;
use staged::{Case, Stage, case, questions, with};
use std::time::{Duration, Instant};

const LOOKS: [&str; 3] = ["time", "memory", "interrupt"];
const WRITES: [&str; 3] = ["full", "pipe", "device"];

/// Commands that take longer are left out.
const LONGEST: Duration = Duration::from_secs(2);

/// Questions about runs that never end.
fn properties() -> Vec<Case> {
    vec![
        case("check examples/quicksort.bp --terminates"),
        case("check examples/quicksort.bp --nonterminating"),
        case("check examples/double-lock.bp --ltl G(portOwner!=0->F(portOwner=0))"),
        case("check examples/double-lock.bp --monitor examples/double-lock.mon"),
        case("check examples/peterson-broken.bp --ltl G(F(rightsTurn))"),
    ]
}

/// Commands other than `check`, each with a file that it writes or with much text.
fn other_commands() -> Vec<Case> {
    vec![
        case("fmt out/file"),
        case("simulate examples/leino.gp --seed 3 --save out/file"),
        case("graph examples/leino.gp --format svg -o out/file"),
        case("generate doubling 3 -o out/file"),
        case("sequentialize examples/peterson.bp --rounds 2 -o out/file"),
        case("relations examples/calculus/flip.bp --reach DONE -o out/file"),
        case("solve examples/calculus/game.mu --model"),
        case("coverage examples/slam-driver.bp"),
        case("analyze examples/bebop-figure1.bp"),
        case("parse examples/bluetooth.bp"),
        case("validate examples/slam-driver.bp proof.json --reach SLIC_ERROR"),
        case("replay examples/tn.bp outcome.json"),
    ]
}

/// Numbers from 1 to a last one: all, or the first ones and then growing steps.
fn numbers(last: u64, most: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    let mut number = 1;
    while number < last {
        numbers.push(number);
        number += 1 + number / most;
    }
    numbers.extend((last > 0).then_some(last));
    numbers
}

/// Runs every command undisturbed and then with every kind of fault.
fn campaign(stage: &mut Stage, cases: &[Case], all: &[&str], most: u64) {
    for case in cases {
        let start = Instant::now();
        let quiet = stage.run(case, Some("memory:0"));
        assert!(matches!(quiet.code, Some(0..=3)), "{case:?}: {quiet:?}");
        let is_answer = matches!(quiet.code, Some(0 | 1));
        if !is_answer || start.elapsed() > LONGEST {
            let why = ["the engine declines or gives up", "long"][usize::from(is_answer)];
            stage.count("undisturbed", why);
            continue;
        }
        let (looks, writes) = quiet.opportunities();
        // One more: the last write is short, and its second half fails.
        for &kind in all {
            let is_write = WRITES.contains(&kind);
            for number in numbers(if is_write { writes + 1 } else { looks }, most) {
                let fault = format!("{kind}:{number}");
                let ran = stage.run(case, Some(&fault));
                let end = stage.judge(case, &fault, &quiet, &ran).end(is_write);
                stage.count(kind, end);
            }
        }
    }
}

#[test]
fn a_fault_anywhere_leaves_verdicts_and_files_whole() {
    let mut stage = Stage::new("faults");
    let asked = questions();
    let mut cases: Vec<Case> = asked.iter().step_by(2).map(|q| with(q, "--json")).collect();
    let proofs = asked.iter().skip(1).step_by(2);
    cases.extend(proofs.map(|q| with(q, "--certificate out/file")));
    cases.extend(properties());
    cases.extend(other_commands());
    campaign(&mut stage, &cases, &[LOOKS, WRITES].concat(), 3);
    stage.show();
    // Each kind has hit, and has been seen to do so.
    for kind in ["time", "interrupt"] {
        assert!(stage.counted(kind, "UNKNOWN") > 20, "{kind}");
    }
    for kind in ["full", "device"] {
        assert!(stage.counted(kind, "an error") > 20, "{kind}");
    }
}

#[test]
#[ignore = "takes many minutes"]
fn a_fault_everywhere_leaves_verdicts_and_files_whole() {
    let mut stage = Stage::new("faults-everywhere");
    let mut asked = questions();
    for (family, size) in [("driver", 5), ("driver-safe", 5), ("terminator-safe", 1)] {
        stage.generate(family, size);
        asked.push(case(&format!("check examples/{family}.bp")));
    }
    let mut cases = Vec::new();
    let mut by_engine = Vec::new();
    for question in asked {
        cases.push(with(&question, "--json"));
        cases.push(with(&question, "--certificate out/file"));
        for engine in EngineName::ALL {
            let words = format!("--trace none --time 20 --engine {}", engine.as_str());
            by_engine.push(with(&question, &words));
        }
    }
    cases.extend(properties());
    cases.extend(other_commands());
    campaign(&mut stage, &cases, &[LOOKS, WRITES].concat(), 8);
    campaign(&mut stage, &by_engine, &LOOKS, 8);
    stage.show();
}
