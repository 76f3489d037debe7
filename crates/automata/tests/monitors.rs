//! Monitors and HOA files: what they accept, and what is said about bad ones.

use expect_test::expect;
use hardbop_automata::{Automaton, Letter, read_hoa, read_ltl, read_monitor, write_hoa};
use hardbop_machine::Machine;
use hardbop_syntax::{Diagnostic, Source};
use std::fmt::Write as _;

fn machine() -> Machine {
    let text = "decl a, b;
decl int<4> n;
void main() begin
  L: skip;
  K: goto L;
end
";
    hardbop_machine::from_text("test.bp", text).expect("the test program is valid")
}

fn monitor(text: &str) -> Result<Automaton, Vec<Diagnostic>> {
    let source = Source::new("test.mon", text);
    read_monitor(&source, &machine()).map(|monitor| monitor.automaton)
}

fn hoa(text: &str) -> Result<Automaton, Vec<Diagnostic>> {
    read_hoa(&Source::new("test.hoa", text), &machine())
}

/// All words with stem and cycle of up to three letters over two propositions.
fn words() -> Vec<(Vec<Letter>, Vec<Letter>)> {
    let mut parts: Vec<Vec<Letter>> = vec![Vec::new()];
    let mut next = 0;
    while next < parts.len() {
        if parts[next].len() < 3 {
            for letter in 0..4 {
                let mut longer = parts[next].clone();
                longer.push(letter);
                parts.push(longer);
            }
        }
        next += 1;
    }
    let cycles: Vec<&Vec<Letter>> = parts.iter().filter(|part| !part.is_empty()).collect();
    let pair = |stem: &Vec<Letter>| {
        let cycles = cycles.iter().map(|cycle| (stem.clone(), (*cycle).clone()));
        cycles.collect::<Vec<_>>()
    };
    parts.iter().flat_map(pair).collect()
}

/// Whether an automaton accepts exactly the words that violate a formula; both number `a` before
/// `b`.
fn assert_finds_violations(automaton: &Automaton, formula: &str) {
    let ltl = read_ltl(&Source::new("formula", formula), &machine()).unwrap();
    let texts = |list: &[hardbop_automata::Proposition]| -> Vec<String> {
        list.iter().map(|p| p.text.clone()).collect()
    };
    assert_eq!(
        texts(automaton.propositions.list()),
        texts(ltl.propositions.list())
    );
    for (stem, cycle) in words() {
        assert_eq!(
            automaton.accepts(&stem, &cycle),
            !ltl.holds_on_lasso(&stem, &cycle),
            "{formula} on {stem:?} {cycle:?}"
        );
    }
}

/// What is written in the HOA format reads back as the same automaton.
fn assert_same_in_hoa(automaton: &Automaton) {
    let again = hoa(&write_hoa(automaton)).unwrap();
    for (stem, cycle) in words() {
        assert_eq!(
            automaton.accepts(&stem, &cycle),
            again.accepts(&stem, &cycle),
            "{stem:?} {cycle:?}"
        );
    }
}

#[test]
fn a_monitor_with_a_target_finds_bad_prefixes() {
    let automaton = monitor(
        "// Two a without a b between them.
monitor Double begin
  state free initial;
  state taken;
  state error target;
  from free:  on a & !b goto taken;
  from taken: on a & !b goto error;
              on b goto free;
end",
    )
    .unwrap();
    assert!(automaton.has_targets());
    let (none, only_a, only_b) = (0, 1, 2);
    let position = automaton.enters_target(&[only_a, none, only_b, only_a, none, only_a, only_b]);
    assert_eq!(position, Some(5));
    assert_eq!(automaton.enters_target(&[only_a, only_b, only_a]), None);
    assert_same_in_hoa(&automaton);
    assert_finds_violations(&automaton, "G (a & !b -> X (b R !(a & !b)))");
}

#[test]
fn a_monitor_with_accepting_states_finds_infinite_runs() {
    let automaton = monitor(
        "monitor Starving begin
  state idle initial, waiting accepting;
  from idle: on true stay; on a & !b goto waiting;
  from waiting: on !b stay; else stop;
end",
    )
    .unwrap();
    assert_finds_violations(&automaton, "G (a -> F b)");
}

#[test]
fn else_covers_what_no_guard_does_and_choices_are_free() {
    let automaton = monitor(
        "monitor m begin
  state s initial; state t accepting; state u accepting;
  from s: on a goto t, u; else goto s;
  from t: on a stay; else stop;
  from u: on b stay; else stop;
end",
    )
    .unwrap();
    assert_finds_violations(&automaton, "!(!a U (a & X (G a | G b)))");
    assert_same_in_hoa(&automaton);
}

#[test]
fn bad_monitors_are_told_everything_that_is_wrong() {
    let bad = "monitor m begin
  state s initial; state s;
  state t;
  from s: on a + 1 goto t;
          on G a goto v;
          on a goto;
          on b stay
  from x: on a stay;
  from t: on unknown stay; else stop;
  from t: on at(Q) goto t;
  nonsense here;
  state w accepting bright;
";
    let source = Source::new("test.mon", bad);
    let mut shown = String::new();
    for error in monitor(bad).unwrap_err() {
        let (line, column) = source.line_column(error.primary.span.start);
        writeln!(shown, "{line}:{column} {}: {}", error.code, error.message).unwrap();
    }
    for bad in [
        "",
        "monitor",
        "monitor m begin end",
        "x",
        "monitor m begin state s initial; end end",
    ] {
        for error in monitor(bad).unwrap_err() {
            writeln!(shown, "{bad:?} {}: {}", error.code, error.message).unwrap();
        }
    }
    expect![[r#"
        2:26 HB157: the state `s` is declared twice
        4:14 HB153: this operator needs integers
        5:14 HB155: temporal operators have no place in a condition on one state
        5:23 HB157: the monitor has no state `v`
        6:20 HB150: expected the name of a state, found `;`
        8:3 HB150: expected `;`, found `from`
        8:8 HB157: the monitor has no state `x`
        9:14 HB151: there is no variable `unknown`
        10:8 HB157: the transitions of `t` stand behind one `from`
        10:17 HB151: there is no label `Q`
        11:3 HB150: expected `state`, `from` or `end`, found `nonsense`
        12:21 HB150: expected `initial`, `target`, `accepting`, `,` or `;`, found `bright`
        12:28 HB150: expected `end`, found the end
        "" HB150: expected `monitor`, found the end
        "monitor" HB150: expected the name of the monitor, found the end
        "monitor m begin end" HB158: no state is `initial`
        "monitor m begin end" HB158: no state is `target` or `accepting`, so nothing is looked for
        "x" HB150: expected `monitor`, found `x`
        "monitor m begin state s initial; end end" HB150: expected the end of the file, found `end`
    "#]]
    .assert_eq(&shown);
}

const STATE_BASED: &str = r#"HOA: v1
name: "F(a & G!b)"
States: 2
Start: 0
AP: 2 "a" "b"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc
--BODY--
State: 0 "wait"
[t] 0
[0&!1] 1
State: 1 {0}
[!1] 1
--END--
"#;

#[test]
fn hoa_with_accepting_states() {
    let automaton = hoa(STATE_BASED).unwrap();
    assert_eq!(automaton.states[0].name, "wait");
    assert_finds_violations(&automaton, "G (a -> F b)");
}

#[test]
fn hoa_with_several_sets_on_edges_aliases_and_comments() {
    let automaton = hoa(r#"HOA: v1
States: 1
Start: 0
AP: 2 "a" "b"
Alias: @both 0 & 1
Acceptance: 3 Inf(0) & Inf(2)
--BODY--
State: 0 /* G F a & G F b /* nested */ */
[@both] 0 {0 2} [0 & !@both] 0 {0} [!0 & 1] 0 {2} [!(0 | 1)] 0 {1}
--END--
"#)
    .unwrap();
    assert_finds_violations(&automaton, "!(G F a & G F b)");
}

#[test]
fn hoa_with_implicit_labels_labels_on_states_and_several_initial_states() {
    let automaton = hoa(r#"HOA: v1
States: 3
Start: 0
Start: 2
AP: 2 "a" "b"
Acceptance: 0 t
--BODY--
State: 0 1 1 1 0
State: [0] 1 1
State: [1] 2 2
--END--
"#)
    .unwrap();
    assert_finds_violations(&automaton, "!((a & b) W (!(a & b) & X G a) | G b)");
}

#[test]
fn bad_hoa_is_told_what_is_wrong() {
    let edits = [
        ("HOA: v1", "HOA: v2"),
        ("HOA: v1", "digraph"),
        ("Start: 0\n", ""),
        ("Start: 0", "Start: 5"),
        ("Start: 0", "Start: 0&1"),
        ("Acceptance: 1 Inf(0)", "Acceptance: 1 Fin(0)"),
        ("Acceptance: 1 Inf(0)", "Acceptance: 2 Inf(0)|Inf(1)"),
        ("Acceptance: 1 Inf(0)", "Acceptance: 1 Inf(7)"),
        ("\"b\"", "\"c\""),
        ("\"b\"", "\"n\""),
        ("\"b\"", "\"F b\""),
        ("\"b\"", "\"b"),
        ("[!1] 1", "[!2] 1"),
        ("[!1] 1", "[!1 1"),
        ("[!1] 1", "[(!1] 1"),
        ("[!1] 1", "1"),
        ("[!1] 1", "[@x] 1"),
        ("[!1] 1", "[!1] 99999999999999999999999"),
        ("State: 1", "State: 0"),
        ("--END--", ""),
        ("--BODY--", "Controllable-AP: 0\n--BODY--"),
        ("States: 2", "States: 99999999"),
        ("[t] 0", "[t] 0 #"),
        ("--BODY--", "States: 1\n--BODY--"),
    ];
    let mut shown = String::new();
    for (old, new) in edits {
        let text = STATE_BASED.replacen(old, new, 1);
        assert_ne!(text, STATE_BASED);
        let source = Source::new("test.hoa", text.clone());
        for error in hoa(&text).unwrap_err() {
            let (line, column) = source.line_column(error.primary.span.start);
            writeln!(shown, "{line}:{column} {}: {}", error.code, error.message).unwrap();
        }
    }
    expect![[r#"
        1:6 HB159: only version v1 of the format is known
        1:1 HB159: expected `HOA:`, found `digraph`
        8:1 HB159: there is no line `Start:`
        4:8 HB159: there is no state 5
        4:9 HB160: alternating automata are not supported
        7:15 HB160: this acceptance condition is not a conjunction of `Inf(…)`
        7:21 HB160: this acceptance condition is not a conjunction of `Inf(…)`
        7:19 HB159: there is no acceptance set 7
        5:12 HB151: there is no variable `c`
        5:12 HB153: this is an integer where a condition is needed
        5:12 HB155: temporal operators have no place in a condition on one state
        10:15 HB159: this text is never closed
        14:3 HB159: there is no proposition 2
        14:5 HB159: expected `]`, found `1`
        14:5 HB159: expected `)`, found `]`
        13:1 HB159: without labels a state needs one edge for each of the 4 valuations
        14:2 HB159: there is no alias `@x`
        14:6 HB159: this number does not fit 64 bits
        13:8 HB159: the state 0 is defined twice
        16:1 HB159: expected `State:` or `--END--`, found the end of the file
        9:1 HB160: the header `Controllable-AP:` is not known
        3:9 HB156: automata may have at most 100000 states
        11:7 HB159: `#` is not part of the HOA format
        9:1 HB159: there is a second line `States:`
    "#]]
    .assert_eq(&shown);
}

#[test]
fn no_mutilated_file_makes_a_reader_panic() {
    let texts = [
        STATE_BASED,
        "monitor m begin state s initial; state t target; from s: on at(L) & n < 3 goto t; else stop; end",
        "G (a -> F (b U n + 1 = 2)) & at(main:L)",
    ];
    for text in texts {
        for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            for middle in ["", "(", "\"", "{", ":", "9", "é"] {
                let rest = text.get(cut + 1..).unwrap_or("");
                for text in [
                    text[..cut].to_owned() + middle,
                    text[..cut].to_owned() + middle + rest,
                ] {
                    let source = Source::new("mutilated", text);
                    drop(read_hoa(&source, &machine()));
                    drop(read_monitor(&source, &machine()));
                    drop(read_ltl(&source, &machine()));
                }
            }
        }
    }
}
