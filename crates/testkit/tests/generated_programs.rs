//! Generated programs are programs: the front end takes every one, printing one gives it back, and
//! together they use the whole language.

mod seeds;

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::Target;
use hardbop_syntax::{Source, format, parse};
use hardbop_testkit::{Knobs, generate};
use seeds::seeds;

fn machine(preset: &str, seed: u64, text: &str) -> Machine {
    from_text("generated.bp", text)
        .unwrap_or_else(|errors| panic!("preset {preset}, seed {seed}: {errors:#?}\n{text}"))
}

fn formatted(text: &str) -> String {
    let source = Source::new("generated.bp", text);
    format::format(&parse(&source).ast, &source)
}

fn for_each_program(usual: u64, mut test: impl FnMut(&str, u64, &str)) {
    for (preset, knobs) in Knobs::presets() {
        for seed in seeds(usual).0 {
            test(preset, seed, &generate(seed, &knobs));
        }
    }
}

#[test]
fn every_program_becomes_a_machine_with_a_question() {
    for_each_program(1500, |preset, seed, text| {
        let machine = machine(preset, seed, text);
        let questions = machine.assertions.len() + Target::labels(&machine, "TARGET").len();
        assert!(questions > 0, "preset {preset}, seed {seed}:\n{text}");
    });
}

#[test]
fn the_same_seed_gives_the_same_text() {
    for_each_program(50, |preset, seed, text| {
        let (_, knobs) = Knobs::presets()
            .into_iter()
            .find(|(name, _)| *name == preset)
            .expect("the preset is one of the list");
        assert_eq!(text, generate(seed, &knobs));
    });
}

#[test]
fn formatting_keeps_the_meaning_and_is_stable() {
    for_each_program(800, |preset, seed, text| {
        let once = formatted(text);
        assert_eq!(
            once,
            formatted(&once),
            "preset {preset}, seed {seed}:\n{text}"
        );
        let [before, after] =
            [text, &once].map(|text| machine(preset, seed, text).digest().to_owned());
        assert_eq!(
            before, after,
            "preset {preset}, seed {seed}:\n{text}\n{once}"
        );
    });
}

#[test]
fn the_presets_together_use_the_whole_language() {
    let mut all = String::new();
    for (_, knobs) in Knobs::presets() {
        for seed in 0..400 {
            all.push_str(&generate(seed, &knobs));
        }
    }
    for wanted in [
        "skip;",
        "print(",
        " := ",
        ", _ := ",
        "constrain '",
        "call f",
        "return;",
        "return ",
        "elsif",
        "else",
        "while ",
        "goto ",
        "assert(",
        "assume(",
        "constrain(",
        "abortif ",
        "dead ",
        "havoc ",
        "TARGET:",
        "enforce ",
        "choose[",
        "schoose[",
        " ? ",
        " <-> ",
        " => ",
        " -> ",
        " | ",
        " || ",
        " ^ ",
        " & ",
        " && ",
        " = ",
        " == ",
        " != ",
        " < ",
        " <= ",
        " > ",
        " >= ",
        " + ",
        " - ",
        " * ",
        "!",
        "~",
        "true",
        "false",
        "{g0==*p}",
        "g$0",
        "decl int<3> ",
        "int<2> f",
        "bool<3> f",
        "bool<1> f",
        "dfs ",
        "thread t0(2) begin",
        "decl mine",
        "void init(",
        "thread0()",
        "decl atomic",
        "atomic := T",
        "ASYNC_",
        "start_thread goto ",
        "start_thread f",
        "end_thread;",
        "atomic_begin;",
        "thread_local decl",
        "//",
        "fi;",
        "\n  1: ",
    ] {
        assert!(all.contains(wanted), "no program has {wanted:?}");
    }
}
