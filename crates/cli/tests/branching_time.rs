//! The page of formulas for branching time, `examples/calculus/branching-time.mu`, says of generated
//! recursive programs what `hardbop check --ctl` says.

use hardbop_families::generate;
use hardbop_families::generator::{Knobs, StatementWeights};
use std::path::{Path, PathBuf};
use std::process::Command;

fn hardbop(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .current_dir(folder)
        .args(words)
        .output()
        .expect("the command was built");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0..=1)),
        "{words:?}: {errors}"
    );
    (output.status.code(), text)
}

/// Programs in which no way is blocked and nothing fails: the page knows neither.
fn knobs() -> Knobs {
    let knobs = Knobs::recursive();
    Knobs {
        enforce: 0,
        oddity: 0,
        initial: 100,
        int_width: 0,
        statement: StatementWeights {
            constrained: 0,
            assertion: 0,
            assume: 0,
            abort_if: 0,
            target: 4,
            ..knobs.statement
        },
        ..knobs
    }
}

#[test]
fn a_page_of_formulas_gives_the_verdicts_of_the_engine() {
    let folder = std::env::temp_dir().join(format!("hardbop-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = root.join("examples/calculus/branching-time.mu");
    let page = page.to_str().expect("the path is text");
    let (mut compared, mut met, mut avoided) = (0, 0, 0);
    for seed in 0..60 {
        let text = generate(seed, &knobs());
        if !text.contains("TARGET") || text.contains("assert") || text.contains("assume") {
            continue;
        }
        std::fs::write(folder.join("p.bp"), &text).expect("there is room");
        let relations = [
            "relations",
            "p.bp",
            "--reach",
            "TARGET",
            "--algorithm",
            page,
        ];
        let written = ["-o", "p.mu"];
        hardbop(&folder, &[&relations[..], &written[..]].concat());
        let (_, solved) = hardbop(&folder, &["solve", "p.mu"]);
        let found: Vec<bool> = solved
            .lines()
            .filter_map(|line| line.parse().ok())
            .collect();
        let holds = |formula| {
            let words = ["check", "p.bp", "--ctl", formula, "--trace", "none"];
            hardbop(&folder, &words).0 == Some(0)
        };
        // The queries ask about some state in which the program starts, the command about all.
        let expected = [!holds("AG !at(TARGET)"), !holds("AF at(TARGET)")];
        assert_eq!(found, expected, "seed {seed}\n{text}");
        compared += 1;
        met += usize::from(found[0]);
        avoided += usize::from(found[1]);
    }
    std::fs::remove_dir_all(folder).expect("the folder was made here");
    assert!(compared >= 15, "{compared}");
    assert!(met > 3 && avoided > 3, "{met} {avoided} of {compared}");
}
