//! Do two different messages have the same hash? Rounds of shifts, products and sums of bits over
//! many free inputs.
//!
//! A state is two rows of `size` bits, `a` and `b`; a message is the first `a`, the first `b` is 0.
//! A round replaces `a, b` by `b ^ (a <<< 1 & a <<< 3) ^ (a <<< 2) ^ constant, a` (the shape of the
//! cipher Simon), with random constants. After a few rounds the states that can be reached look
//! random, and their set has no small BDD that anybody would find; a SAT solver never looks at the
//! set. The program mixes two messages, side by side.
//!
//! *Why the verdict.* There are `2^size` messages and half as many values of `size - 1` bits, so
//! two messages have the same. A round can be undone (`b` gives the old `a`, and that the old `b`),
//! so different messages differ somewhere in the `2 * size` bits of the state.

use crate::rng::Rng;
use crate::source_text::SourceText;

/// The label in question.
pub(crate) const LABEL: &str = "COLLISION";

/// How often a state is mixed.
const ROUNDS: u32 = 4;

/// The rows of both states.
const STATES: [[&str; 2]; 2] = [["a", "b"], ["c", "d"]];

/// Asks for states that agree in all but one bit of a row.
pub(crate) fn write_reachable(text: &mut SourceText, size: u32, seed: u64) {
    let agree: Vec<String> = (1..size).map(|bit| equal("a", "c", bit)).collect();
    write(text, size, seed, &agree);
}

/// Asks for equal states.
pub(crate) fn write_unreachable(text: &mut SourceText, size: u32, seed: u64) {
    let rows = [("a", "c"), ("b", "d")].into_iter();
    let agree = rows.flat_map(|(row, other)| (0..size).map(move |bit| equal(row, other, bit)));
    write(text, size, seed, &agree.collect::<Vec<_>>());
}

fn equal(row: &str, other: &str, bit: u32) -> String {
    format!("({row}{bit} = {other}{bit})")
}

fn write(text: &mut SourceText, size: u32, seed: u64, agree: &[String]) {
    let mut rng = Rng::new(seed);
    let each = |row: &str| -> Vec<String> { (0..size).map(|bit| format!("{row}{bit}")).collect() };
    for row in STATES.concat() {
        text.fmt(format_args!("decl {};", each(row).join(", ")));
    }
    text.procedure(format_args!("void main()"));
    let zeros = vec!["0"; size as usize].join(", ");
    for [_, second] in STATES {
        text.fmt(format_args!("{} := {zeros};", each(second).join(", ")));
    }
    let differ: Vec<String> = (0..size).map(|bit| format!("(a{bit} != c{bit})")).collect();
    text.fmt(format_args!("assume({});", differ.join(" | ")));
    for _ in 0..ROUNDS {
        let constants: Vec<bool> = (0..size).map(|_| rng.chance(50)).collect();
        for [first, second] in STATES {
            let old = |bit: u32| format!("{first}{}", bit % size);
            let mixed = (0..).zip(&constants).map(|(bit, &constant)| {
                let sign = if constant { "!" } else { "" };
                let (one, three, two) = (old(bit + 1), old(bit + 3), old(bit + 2));
                format!("{sign}({second}{bit} ^ ({one} & {three}) ^ {two})")
            });
            let values: Vec<String> = mixed.chain(each(first)).collect();
            let targets = [each(first), each(second)].concat().join(", ");
            text.fmt(format_args!("{targets} := {};", values.join(", ")));
        }
    }
    let agree = if agree.is_empty() {
        "T".to_owned()
    } else {
        agree.join(" & ")
    };
    text.fmt(format_args!("if ({agree}) then {LABEL}: skip; fi"));
    text.close("end");
}

#[cfg(test)]
mod tests {
    use crate::find;

    #[test]
    fn sisters_differ_in_the_question_only() {
        let text = |family| find(family).expect("in the table").generate(5, 7).text;
        let (reachable, safe) = (text("mixing"), text("mixing-safe"));
        let lines = reachable.lines().skip(3).zip(safe.lines().skip(3));
        let differing: Vec<_> = lines.filter(|(left, right)| left != right).collect();
        assert_eq!(differing.len(), 1);
        assert_eq!(differing[0].0.matches(" = ").count(), 4);
        assert_eq!(differing[0].1.matches(" = ").count(), 10);
    }
}
