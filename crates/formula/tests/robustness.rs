//! Nothing breaks it: nesting, size, garbage.

mod support;

use hardbop_formula::{Checked, Formula, RelationId, System, load_text};
use hardbop_syntax::{Diagnostic, Source};
use std::fmt::Write;
use support::display;

fn check(text: &str) -> Checked {
    load_text(&Source::new("test.mu", text))
}

fn system(text: &str) -> System {
    let checked = check(text);
    let first = checked.diagnostics.first().map(|d| d.message.clone());
    checked.system.unwrap_or_else(|| panic!("{first:?}"))
}

#[test]
fn nesting_is_limited_by_memory_only() {
    let deep = 100_000;
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(deep), close.repeat(deep))
    };
    for body in [
        nested("(", "a", ")"),
        nested("!", "a", ""),
        nested("(a & ", "a", ")"),
        nested("(", "a", " | a)"),
        nested("if (a) ", "a", " else a"),
        nested("if (", "a", ") a"),
        nested("exists bool b. b & ", "a", ""),
        nested("case a : ", "a", "; esac"),
        nested("P(", "a", ")"),
        nested("a = (", "a", ")"),
    ] {
        let system = system(&format!("mu bool P(bool a) {body};"));
        let text = display::relation(&system, RelationId(0));
        assert!(text.starts_with("mu P(a) = "));
    }
    let mut classes = "class C0 { bool b; };\n".to_owned();
    for i in 0..50_000 {
        let _ = writeln!(classes, "class C{} {{ C{i} c; }};", i + 1);
    }
    assert!(check(&classes).system.is_some());
    // Each finds many similar names around it.
    let unknown = nested("exists bool b. bb & ", "a", "");
    let checked = check(&format!("bool P(bool a) {unknown};"));
    assert_eq!(checked.diagnostics.len(), deep);
    let unclosed = check(&format!("bool P(bool a) {}", "(!".repeat(deep)));
    assert_eq!(unclosed.diagnostics.len(), 1);
}

#[test]
fn a_large_relation_is_one_disjunction() {
    let count = 50_000;
    let mut text = "enum Pc {0..65535};\nbool Step(Pc p, Pc q, bool a)\n  false".to_owned();
    for i in 0..count {
        let _ = write!(text, "\n  | (p = {i} & q = {} & a)", i + 1);
    }
    text.push_str(";\nforall Pc p. exists Pc q. Step(p, q, 1);");
    let system = system(&text);
    let body = system.formula(system.relations[0].body);
    assert!(matches!(body, Formula::Or(all) if all.len() == count));
    // Each value of each variable once, and the disjunct.
    let limit = 3 * count + 200;
    assert!(system.formulas.len() < limit, "{}", system.formulas.len());
}

#[test]
fn operands_stand_before_their_users() {
    let system = system(
        "enum E {0..4}; mu bool P(E a, E b) a = b | (exists E c. P(a, c) & (P(c, b) assume (a = 1))) | \
         (if (a = 0) forall E c. P(a, c) else b = 3); P;",
    );
    for (index, formula) in system.formulas.iter().enumerate() {
        let operands: Vec<u32> = match formula {
            Formula::Constant(_) | Formula::Bit(..) | Formula::Apply(..) => Vec::new(),
            Formula::Not(a) | Formula::Exists(_, a) | Formula::Forall(_, a) => vec![a.0],
            Formula::And(all) | Formula::Or(all) => all.iter().map(|a| a.0).collect(),
            Formula::Iff(a, b) | Formula::Cofactor(_, a, b) => vec![a.0, b.0],
            Formula::Ite(a, b, c) => vec![a.0, b.0, c.0],
        };
        assert!(operands.iter().all(|&operand| (operand as usize) < index));
    }
}

/// A sequence of numbers without a pattern that the parser could know.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

const WORDS: [&str; 62] = [
    "bool",
    "enum",
    "class",
    "mu",
    "nu",
    "exists",
    "forall",
    "if",
    "else",
    "case",
    "esac",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ".",
    ":",
    "!",
    "&",
    "|",
    "=",
    "!=",
    "->",
    "<-",
    "<->",
    "<+>",
    "<",
    ">",
    "~+",
    "~-",
    "a",
    "b",
    "s",
    "t",
    "P",
    "Q",
    "State",
    "E",
    "0",
    "1",
    "7",
    "18446744073709551616",
    "..",
    "\"text\"",
    "#size",
    "#wit",
    "#print",
    "load",
    "assume",
    "cofactor",
    "true",
    "false",
    "show",
    "alloccs",
    "@",
    "/*",
    "//\n",
    "é",
];

#[test]
fn garbage_is_reported_and_never_panics() {
    let mut numbers = Numbers(0x5DEE_CE66_D1CE_4E5B);
    let frame = "enum E {0..4}; class State { E e; bool a; E f[3]; };\n";
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut text = frame.to_owned();
        for _ in 0..numbers.below(30) {
            text.push_str(WORDS[numbers.below(WORDS.len())]);
            text.push(' ');
        }
        let checked = check(&text);
        let has_errors = checked.diagnostics.iter().any(Diagnostic::is_error);
        assert_eq!(checked.system.is_none(), has_errors, "{text}");
        checked.sources.by_file(&checked.diagnostics);
        accepted += usize::from(!has_errors);
    }
    assert!(accepted > 0, "not even the empty text was accepted");
}

#[test]
fn mutated_files_never_panic() {
    let good = "enum E {0..4}; class State { E e; bool a; E f[3]; } e ~+ f;\n\
        bool Step(State s, State t) s ~+ t (s.e = 0 & t.e = 1 & s.f[1] = t.f[2] | s = t);\n\
        mu bool Reach(State s); mu bool Reach(State s)\n\
          case s.a : Step(s, s); s.e = 3 : if (s.a) 1 else 0; esac | (exists State t. Reach(t) & Step(t, s));\n\
        nu bool Always(State s) {show s} Reach(s) assume s.a <-> forall State t: Step(s, t) -> Always(t);\n\
        forall State s. Reach(s) -> Always(s); #wit Reach; #size Step;\n";
    let good = good.replace("{show s}", "");
    assert!(check(&good).system.is_some());
    let mut numbers = Numbers(0x1234_5678_9ABC_DEF1);
    let tokens: Vec<&str> = good.split_inclusive([' ', '.', '(', ')', ';']).collect();
    for _ in 0..20_000 {
        let mut tokens = tokens.clone();
        for _ in 0..=numbers.below(3) {
            let place = numbers.below(tokens.len());
            match numbers.below(3) {
                0 => tokens[place] = WORDS[numbers.below(WORDS.len())],
                1 => drop(tokens.remove(place)),
                _ => tokens.insert(place, tokens[numbers.below(tokens.len())]),
            }
        }
        let text = tokens.concat();
        let checked = check(&text);
        if let Some(system) = &checked.system {
            for relation in 0..system.relations.len() as u32 {
                display::relation(system, RelationId(relation));
            }
        }
    }
}

#[test]
fn huge_types_are_refused_quickly() {
    for text in [
        "class A { bool b[65537]; }; bool P(A a) a.b[0];",
        "class A { bool b[60000]; }; class B { A a[60000]; }; bool P(B b) 1;",
        "class A { }; bool P(A a[9999999999]) 1;",
        "enum One { one }; class A { One o[999999999]; }; bool P(A a) 1;",
        "enum All {0..18446744073709551615}; bool P(All a) 1;",
    ] {
        let checked = check(text);
        let codes: Vec<String> = checked
            .diagnostics
            .iter()
            .map(|d| d.code.to_string())
            .collect();
        assert_eq!(codes, ["HB112"], "{text}");
    }
}
