//! Formulas as text: sizes of their automata, precedence, diagnostics.

use expect_test::expect;
use hardbop_automata::{Ltl, read_ltl};
use hardbop_machine::Machine;
use hardbop_syntax::Source;
use std::fmt::Write as _;

fn machine() -> Machine {
    let text = "decl a, b, c, d;
decl int<4> n, m;
void main() begin
  decl x;
  L: call p(x);
  K: goto L;
end
void p(x) begin
  decl y, int<3> k;
  L: skip;
end
";
    let text = text.replace("decl y, int<3> k;", "decl y; decl int<3> k;");
    hardbop_machine::from_text("test.bp", &text).expect("the test program is valid")
}

fn read(text: &str) -> Ltl {
    match read_ltl(&Source::new("formula", text), &machine()) {
        Ok(ltl) => ltl,
        Err(diagnostics) => panic!("{text}: {diagnostics:?}"),
    }
}

/// States of the automaton that accepts the words of a formula.
fn size(text: &str) -> usize {
    read(&format!("!({text})")).violations().states.len()
}

#[test]
fn automata_of_common_formulas_are_small() {
    // The first are the sizes that textbooks give; the others guard what the reductions have
    // reached.
    let known = [
        ("a", 2),
        ("X a", 3),
        ("F a", 2),
        ("G a", 1),
        ("G F a", 2),
        ("F G a", 2),
        ("a U b", 2),
        ("a W b", 2),
        ("a R b", 2),
        ("a U (b U c)", 3),
        ("(a U b) U c", 4),
        ("G (a -> X b)", 2),
        ("G (a -> F b)", 2),
        ("F (a & X F b)", 3),
        ("G F a & G F b", 3),
        ("G F a | G F b", 2),
        ("F G a | F G b", 3),
        ("G F a -> G F b", 5),
        ("G (a -> F b) & G F c", 4),
        ("G a | G b", 3),
        ("F a & F b", 4),
        ("!G (a -> F b)", 2),
        ("false", 0),
        ("true", 1),
        ("a & X !a & G (a <-> X X a)", 2),
    ];
    let found: Vec<(&str, usize)> = known.iter().map(|&(text, _)| (text, size(text))).collect();
    assert_eq!(found, known);
}

#[test]
fn operators_bind_as_in_spot() {
    let equal = [
        ("a -> b -> c", "a -> (b -> c)"),
        ("a | b & c", "a | (b & c)"),
        ("a | b ^ c", "a | (b ^ c)"),
        ("a ^ b & c", "a ^ (b & c)"),
        ("a & b U c", "a & (b U c)"),
        ("a U b U c", "a U (b U c)"),
        ("F a U b", "(F a) U b"),
        ("!a U b", "(!a) U b"),
        ("G n < 3 & a", "(G (n < 3)) & a"),
        ("n + 1 = m * 2 | a", "((n + 1) = (m * 2)) | a"),
        ("[] <> a", "G F a"),
        ("a => b", "a -> b"),
        ("a M b", "b U (a & b)"),
        ("a W b", "b R (a | b)"),
        ("a = b", "a <-> b"),
        ("a != 0", "a"),
        ("n > m", "m < n"),
        ("var(a)", "a"),
    ];
    for (short, long) in equal {
        // Equal formulas make one formula, and with its opposite nothing.
        let automaton = read(&format!("({short}) <-> ({long})")).violations();
        assert!(automaton.states.is_empty(), "{short} is not {long}");
    }
}

#[test]
fn names_mean_globals_first_and_then_the_only_local() {
    let ltl = read("y & p:x & main:x & at(L) & at(p:L) & in(p) & terminated & failed & p:k < 3");
    let texts: Vec<&str> = ltl
        .propositions
        .list()
        .iter()
        .map(|p| p.text.as_str())
        .collect();
    assert_eq!(
        texts,
        [
            "y",
            "p:x",
            "main:x",
            "at(L)",
            "at(p:L)",
            "in(p)",
            "terminated",
            "failed",
            "p:k < 3"
        ]
    );
    let shared = read("n<3 & F (n < 3) & 3 > n");
    assert_eq!(shared.propositions.len(), 1);
}

#[test]
fn wrong_formulas_are_told_what_is_wrong() {
    let texts = [
        "G (a -> )",
        "G (a -> b",
        "a b",
        "",
        "a @ b",
        "GFa",
        "F lokc | F aa",
        "at(M)",
        "at(q:L)",
        "in(q)",
        "x",
        "n",
        "G n",
        "n = 16",
        "n = p:k",
        "p:k = main:x",
        "a + b = n",
        "a < b",
        "a -> b <-> c",
        "p:z",
        "99999999999999999999 = n",
        "T U a",
        "a U",
        "G {a",
    ];
    let mut shown = String::new();
    for text in texts {
        let errors = read_ltl(&Source::new("formula", text), &machine()).unwrap_err();
        for error in errors {
            let span = error.primary.span;
            let help = error
                .help
                .map_or_else(String::new, |help| format!(" ({help})"));
            writeln!(
                shown,
                "{text:16} {} {}..{}: {}{help}",
                error.code, span.start, span.end, error.message
            )
            .unwrap();
        }
    }
    expect![[r#"
        G (a -> )        HB150 8..9: expected a condition, found `)`
        G (a -> b        HB150 9..9: expected `)`, found the end
        a b              HB150 2..3: expected an operator, found `b`
                         HB150 0..0: expected a condition, found the end
        a @ b            HB150 2..3: `@` is not part of a property
        GFa              HB151 0..3: there is no variable `GFa` (put blanks between operators: `G F a`)
        F lokc | F aa    HB151 2..6: there is no variable `lokc`
        F lokc | F aa    HB151 11..13: there is no variable `aa` (did you mean `a`?)
        at(M)            HB151 3..4: there is no label `M`
        at(q:L)          HB151 3..4: there is no procedure `q`
        in(q)            HB151 3..4: there is no procedure `q`
        x                HB152 0..1: `x` could be several variables (write one of `main:x`, `p:x`)
        n                HB153 0..1: this is an integer where a condition is needed
        G n              HB153 2..3: this is an integer where a condition is needed
        n = 16           HB153 0..6: 16 is not a value of type int<4>
        n = p:k          HB153 0..7: the two sides have different types, int<4> and int<3>
        p:k = main:x     HB153 0..12: a Boolean is compared with an integer
        a + b = n        HB153 0..5: this operator needs integers
        a < b            HB153 0..5: this operator needs integers
        a -> b <-> c     HB154 5..12: `->` and `<->` stand side by side without parentheses
        p:z              HB151 2..3: `p` has no local variable `z`
        99999999999999999999 = n HB153 0..20: this number does not fit 64 bits
        T U a            HB151 0..1: there is no variable `T` (the constant is `true`)
        a U              HB150 3..3: expected a condition, found the end
        G {a             HB150 2..3: `{` is not part of a property
    "#]].assert_eq(&shown);
}

#[test]
fn deep_and_large_formulas_are_refused_or_read_but_never_crash() {
    let machine = machine();
    let parse = |text: String| read_ltl(&Source::new("formula", text), &machine);
    assert!(parse("(".repeat(100_000) + "a" + &")".repeat(100_000)).is_ok());
    assert!(parse("!".repeat(19_000) + "a").is_ok());
    assert!(parse("!".repeat(100_000) + "a").is_err());
    assert!(parse("G (a & ".repeat(100_000) + "b" + &")".repeat(100_000)).is_err());
    assert!(parse("F G ".repeat(90) + "a").is_ok());
    assert!(parse("(".repeat(100_000)).is_err());
    let many: Vec<String> = (0..100)
        .map(|i| format!("n = {} + m * {i}", i % 16))
        .collect();
    assert!(parse(many.join(" | ")).is_err());
}
