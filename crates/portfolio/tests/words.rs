//! Words and arrays through everything that has to do with them: what every engine says about each
//! operator is what arithmetic says, with runs replayed and certificates checked, and everyone
//! agrees about generated programs.

use hardbop_families::generator::{Knobs, generate};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Outcome, Question, Silent};
use hardbop_portfolio::{Choice, Portfolio};

/// The value of an operation on two words, as unsigned numbers and in two's complement.
type Value = fn(Word, Word) -> i128;

#[derive(Clone, Copy)]
struct Word {
    width: u32,
    unsigned: i128,
    signed: i128,
}

impl Word {
    fn new(width: u32, unsigned: i128) -> Self {
        let is_negative = unsigned >> (width - 1) & 1 == 1;
        let signed = unsigned - (i128::from(is_negative) << width);
        Self {
            width,
            unsigned,
            signed,
        }
    }
}

/// Every operator that words have; `W` is the width and `V` a larger one. Values are modulo 2^W.
const OPERATORS: [(&str, Value); 26] = [
    ("a & b", |a, b| a.unsigned & b.unsigned),
    ("a | b", |a, b| a.unsigned | b.unsigned),
    ("a ^ b", |a, b| a.unsigned ^ b.unsigned),
    ("~a", |a, _| !a.unsigned),
    ("-a", |a, _| -a.unsigned),
    ("a + b", |a, b| a.unsigned + b.unsigned),
    ("a - b", |a, b| a.unsigned - b.unsigned),
    ("a * b", |a, b| a.unsigned * b.unsigned),
    ("a / b", |a, b| {
        a.unsigned.checked_div(b.unsigned).unwrap_or(-1)
    }),
    ("a % b", |a, b| {
        a.unsigned.checked_rem(b.unsigned).unwrap_or(a.unsigned)
    }),
    ("signed(a) / signed(b)", |a, b| {
        let by_zero = if a.signed < 0 { 1 } else { -1 };
        a.signed.checked_div(b.signed).unwrap_or(by_zero)
    }),
    ("signed(a) % signed(b)", |a, b| {
        a.signed.checked_rem(b.signed).unwrap_or(a.signed)
    }),
    ("a << b", |a, b| a.unsigned << b.unsigned),
    ("a >> b", |a, b| a.unsigned >> b.unsigned),
    ("signed(a) >> b", |a, b| a.signed >> b.unsigned),
    ("int<W>(a < b)", |a, b| i128::from(a.unsigned < b.unsigned)),
    ("int<W>(signed(a) < signed(b))", |a, b| {
        i128::from(a.signed < b.signed)
    }),
    ("int<W>(signed(a) <= signed(b))", |a, b| {
        i128::from(a.signed <= b.signed)
    }),
    ("int<W>(signed(a) > signed(b))", |a, b| {
        i128::from(a.signed > b.signed)
    }),
    ("int<W>(signed(a) >= signed(b))", |a, b| {
        i128::from(a.signed >= b.signed)
    }),
    ("int<W>(signed(a) < -1)", |a, _| i128::from(a.signed < -1)),
    ("int<W>(bool(a))", |a, _| i128::from(a.unsigned != 0)),
    ("int<W>(int<1>(a))", |a, _| a.unsigned & 1),
    ("int<W>(int<V>(a) >> 2)", |a, _| a.unsigned >> 2),
    ("int<W>(int<V>(signed(a)) >> 2)", |a, _| {
        (a.signed & ((1 << (a.width + 3)) - 1)) >> 2
    }),
    ("a < b ? a : (b & 1) = 1 ? ~b : -b", |a, b| {
        match (a.unsigned < b.unsigned, b.unsigned & 1) {
            (true, _) => a.unsigned,
            (false, 1) => !b.unsigned,
            (false, _) => -b.unsigned,
        }
    }),
];

fn machine(text: &str) -> Machine {
    from_text("words.bp", text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// What everyone agrees on.
fn answer(machine: &Machine) -> Outcome {
    let portfolio = Portfolio {
        choice: Choice::CrossCheck,
        ..Portfolio::default()
    };
    let question = Question::every_target(machine);
    let outcome = portfolio.check(machine, &question, &Budget::unlimited(), &mut Silent);
    outcome.unwrap_or_else(|refused| panic!("{refused}\n{}", machine.source.text()))
}

fn verdicts(text: &str) -> Vec<String> {
    let outcome = answer(&machine(text));
    let answers = outcome.answers.iter();
    answers.map(|answer| answer.word().to_string()).collect()
}

#[test]
fn every_operator_is_what_arithmetic_says_for_all_words_of_up_to_four_bits() {
    for (operator, value) in OPERATORS {
        for width in 1..=4 {
            let size: i128 = 1 << width;
            let mut rows = Vec::new();
            for (a, b) in (0..size).flat_map(|a| (0..size).map(move |b| (a, b))) {
                let result = value(Word::new(width, a), Word::new(width, b)) & (size - 1);
                rows.push(format!("(a = {a} & b = {b} => r = {result})"));
            }
            let expression = operator.replace('W', &width.to_string());
            let expression = expression.replace('V', &(width + 3).to_string());
            let (all, last) = (rows.join(" & "), &rows[rows.len() - 1]);
            let last = last.replace("=>", "&");
            let text = format!(
                "decl int<{width}> a, b, r;\n\
                 void main() begin r := {expression}; assert({all}); assert(!{last}); end"
            );
            assert_eq!(
                verdicts(&text),
                ["HOLDS", "VIOLATED"],
                "{operator} at {width}"
            );
        }
    }
}

#[test]
fn an_index_is_checked_where_it_is_evaluated_and_nowhere_else() {
    let of = |statements: &str| {
        verdicts(&format!(
            "decl int<2> a[3] := 1, i; decl b; void main() begin {statements} end"
        ))
    };
    assert_eq!(of("a[i] := 0;"), ["VIOLATED"]);
    assert_eq!(
        of("assume(i < 3); a[i] := 0; assert(a[i] = 0);"),
        ["HOLDS"; 3]
    );
    assert_eq!(
        of("b := i < 3 && a[i] = 1; assert(b | i = 3);"),
        ["HOLDS"; 2]
    );
    assert_eq!(of("b := i < 3 & a[i] = 1;"), ["VIOLATED"]);
    assert_eq!(of("b := i = 3 || a[i] = 1; assert(b);"), ["HOLDS"; 2]);
    assert_eq!(of("i := i < 3 ? a[i] : 1; assert(i = 1);"), ["HOLDS"; 2]);
    assert_eq!(of("i := i = 3 ? a[i] : 1;"), ["VIOLATED"]);
    assert_eq!(
        of("if a[*] = 1 then skip; else assert(0); fi"),
        ["VIOLATED", "HOLDS"]
    );
    // The last of equal elements counts, and the others keep their values.
    let twice = "assume(i < 3); a[i], a[1] := 2, 3; assert(a[1] = 3 & (i = 2) = (a[2] = 2));";
    assert_eq!(of(twice), ["HOLDS"; 2]);
    assert_eq!(
        of("a[a[0]], a[2] := 0, 3; assert(a[0] = 1 & a[1] = 0 & a[2] = 3);"),
        ["HOLDS"; 2]
    );
    assert_eq!(of("havoc a; assert(a[0] = a[1]);"), ["VIOLATED"]);
}

#[test]
fn no_thread_comes_between_an_index_and_its_check() {
    let threads = |second: &str| {
        verdicts(&format!(
            "decl a[2] := 0; decl int<2> i := 0;
             thread one begin void main() begin a[i] := 1; end end
             thread two begin void main() begin {second} end end"
        ))
    };
    assert_eq!(threads("i := 1; assert(!a[1]);"), ["HOLDS", "VIOLATED"]);
    assert_eq!(threads("i := 2;"), ["VIOLATED"]);
}

#[test]
fn everyone_agrees_with_everyone_about_generated_words() {
    for seed in 0..80 {
        let text = generate(seed, &Knobs::words());
        answer(&machine(&text));
    }
}
