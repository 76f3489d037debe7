//! Every option either acts or is refused: all pairs of engine and option.

use hardbop_portfolio::{EngineName, EngineOption};
use std::path::PathBuf;
use std::process::{Command, Output};

const SEQUENTIAL: &str = "decl int<4> n := 0;
void main() begin
  while (n < 12) do n := n + 1; step(); od
  assert(n = 12);
end
void step() begin if (*) then step(); fi end
";

const THREADS: &str = "decl a := 0, b := 0;
thread one begin void main() begin a := 1; assume(b); assert(a); end end
thread two begin void main() begin assume(a); b := 1; start_thread more(); end end
void more() begin skip; end
";

/// Recursive threads, none of which starts another.
const RECURSIVE: &str = "decl a := 0, b := 0;
thread one begin void main() begin a := 1; if (*) then main(); fi assume(b); assert(a); end end
thread two begin void main() begin assume(a); b := 1; if (*) then main(); fi end end
";

/// A folder with the programs.
fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hardbop-options-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for two small files");
    std::fs::write(folder.join("sequential.bp"), SEQUENTIAL).expect("the folder is there");
    std::fs::write(folder.join("threads.bp"), THREADS).expect("the folder is there");
    std::fs::write(folder.join("recursive.bp"), RECURSIVE).expect("the folder is there");
    folder
}

fn hardbop(folder: &PathBuf, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .current_dir(folder)
        .args(["check", "--trace", "none", "--time", "20"])
        .args(words)
        .output()
        .expect("the command was built")
}

/// The option with a value that an engine notices.
fn words_of(option: EngineOption) -> Vec<&'static str> {
    match option {
        EngineOption::Order => vec!["--order", "declaration"],
        EngineOption::Algorithm => vec!["--algorithm", "entry-forward"],
        EngineOption::Relations => vec!["--relations", "full"],
        EngineOption::Unreduced => vec!["--unreduced"],
        EngineOption::Search => vec!["--search", "bfs"],
        EngineOption::Eager => vec!["--eager"],
        EngineOption::Split => vec!["--split", "always"],
        EngineOption::InlineDepth => vec!["--inline-depth", "32"],
        EngineOption::Track => vec!["--track", "all"],
        EngineOption::Jobs => vec!["--jobs", "2"],
        EngineOption::States => vec!["--states", "1"],
        EngineOption::Nodes => vec!["--nodes", "3"],
        EngineOption::Stack => vec!["--stack", "1"],
        EngineOption::Threads => vec!["--threads", "3"],
    }
}

/// A program, and the options of a question that the engine takes.
fn question_for(engine: EngineName) -> Vec<&'static str> {
    match engine {
        EngineName::Interleaving => vec!["threads.bp"],
        EngineName::Stacks => vec!["recursive.bp"],
        EngineName::Concurrent => vec!["threads.bp", "--contexts", "3"],
        EngineName::Sequentialized => vec!["threads.bp", "--rounds", "2"],
        EngineName::Branching => vec!["sequential.bp", "--ctl", "EF n = 12"],
        _ => vec!["sequential.bp"],
    }
}

#[test]
fn every_pair_of_engine_and_option_acts_or_is_refused() {
    let folder = folder();
    let mut refused = 0;
    for engine in EngineName::ALL {
        for option in EngineOption::ALL {
            let mut words = question_for(engine);
            if option == EngineOption::Threads && engine == EngineName::Calculus {
                words = vec!["threads.bp", "--contexts", "2"];
            }
            if option == EngineOption::Threads && engine == EngineName::BruteForce {
                words = vec!["threads.bp"];
            }
            words.extend(["--engine", engine.as_str()]);
            words.extend(words_of(option));
            let output = hardbop(&folder, &words);
            let messages = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            if option.engines().contains(&engine) {
                assert_ne!(code, Some(2), "{words:?}: {messages}");
                assert_ne!(code, Some(4), "{words:?}: {messages}");
            } else {
                assert_eq!(code, Some(2), "{words:?}: {messages}");
                let sentence = format!("{option} has no effect on engine {engine}");
                assert!(messages.contains(&sentence), "{words:?}: {messages}");
                refused += 1;
            }
        }
    }
    assert!(refused > 80, "{refused}");
    std::fs::remove_dir_all(folder).expect("the folder was made here");
}

#[test]
fn a_limit_that_is_obeyed_is_named_when_it_is_hit() {
    let folder = folder().join("limits");
    std::fs::create_dir_all(&folder).expect("there is room");
    std::fs::write(folder.join("sequential.bp"), SEQUENTIAL).expect("the folder is there");
    std::fs::write(folder.join("threads.bp"), THREADS).expect("the folder is there");
    std::fs::write(folder.join("recursive.bp"), RECURSIVE).expect("the folder is there");
    let failing = THREADS.replace("assert(a)", "assert(!a)");
    std::fs::write(folder.join("failing.bp"), failing).expect("the folder is there");
    for option in [EngineOption::States, EngineOption::Nodes] {
        for &engine in option.engines() {
            let mut words = question_for(engine);
            if (engine, option) == (EngineName::Interleaving, EngineOption::States) {
                // Proofs by views count no states.
                words = vec!["failing.bp"];
            }
            words.extend(["--engine", engine.as_str()]);
            words.extend(words_of(option));
            let output = hardbop(&folder, &words);
            let text = String::from_utf8_lossy(&output.stdout);
            if (engine, option) == (EngineName::Interleaving, EngineOption::Nodes) {
                // The search needs no nodes, only the certificate does.
                assert!(text.contains("not certified"), "{words:?}: {text}");
                continue;
            }
            assert_eq!(output.status.code(), Some(3), "{words:?}: {text}");
            let named = format!("{option} ");
            assert!(text.contains(&named), "{words:?}: {text}");
        }
    }
}

#[test]
fn passes_are_switched_off_by_name_or_the_name_is_refused() {
    let folder = folder().join("passes");
    std::fs::create_dir_all(&folder).expect("there is room");
    std::fs::write(folder.join("sequential.bp"), SEQUENTIAL).expect("the folder is there");
    let checked = |words: &[&str]| {
        let output = hardbop(&folder, &[&["sequential.bp"], words].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), text, messages)
    };
    let (code, plan, _) = checked(&["--explain-plan"]);
    assert_eq!(code, Some(0));
    assert!(
        plan.contains("[domains, refine(variables), summary]"),
        "{plan}"
    );
    let (_, plan, _) = checked(&["--explain-plan", "--without", "domains,variables"]);
    assert!(plan.contains(" [summary]"), "{plan}");
    let (code, text, _) = checked(&["--without", "domains", "--without", "variables"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, _, messages) = checked(&["--without", "sequentialize"]);
    assert_eq!(code, Some(2), "{messages}");
    assert!(
        messages.contains("no pipeline for this question"),
        "{messages}"
    );
    let (code, _, messages) = checked(&["--without", "magic"]);
    assert_eq!(code, Some(2), "{messages}");
    let safety = ["--ltl", "G n <= 12", "--engine", "summary"];
    let (code, text, _) = checked(&safety);
    assert_eq!(code, Some(0), "{text}");
    let (code, _, messages) = checked(&[&safety[..], &["--without", "product"]].concat());
    assert_eq!(code, Some(2), "{messages}");
}

#[test]
fn bounds_are_obeyed_by_every_engine_that_takes_them() {
    let folder = folder().join("bounds");
    std::fs::create_dir_all(&folder).expect("there is room");
    let text = "decl g := 0;
thread a begin void main() begin assume(g); assert(0); end end
thread b begin void main() begin g := 1; end end
";
    std::fs::write(folder.join("race.bp"), text).expect("the folder is there");
    let mut answers = 0;
    for (bound, holds) in [
        (["--contexts", "0"], true),
        (["--contexts", "1"], false),
        (["--rounds", "1"], true),
        (["--rounds", "2"], false),
    ] {
        for engine in EngineName::ALL {
            let mut words = vec!["race.bp", "--engine", engine.as_str()];
            words.extend(bound);
            let output = hardbop(&folder, &words);
            let messages = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(2) => assert!(
                    messages.contains("does not support"),
                    "{words:?}: {messages}"
                ),
                code => {
                    answers += 1;
                    let expected = if holds { Some(0) } else { Some(1) };
                    assert_eq!(code, expected, "{words:?}: {messages}");
                }
            }
        }
    }
    assert!(answers >= 14, "{answers}");
}
