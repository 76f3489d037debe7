//! Random expressions and parallel assignments in the style of predicate abstraction.
//!
//! `c2bp` writes an update of a predicate as `schoose[p, n]`: true where the theorem prover could
//! show the predicate, false where it could refute it, arbitrary elsewhere. The mix below
//! (constants, copies, disjunctions, `schoose`, plain choice) follows what SLAM's and Terminator's
//! programs contain. No expression here can block, which the families' reachability arguments rely
//! on.

use crate::rng::Rng;
use crate::source_text::SourceText;

/// A variable of `names`, negated in half of the cases.
pub(crate) fn literal(rng: &mut Rng, names: &[String]) -> String {
    let name = rng.pick(names);
    if rng.chance(50) {
        format!("!{name}")
    } else {
        name.clone()
    }
}

/// One to three literals over different variables, so that it can be satisfied.
pub(crate) fn conjunction(rng: &mut Rng, names: &[String]) -> String {
    let count = 1 + rng.below(3) as usize;
    let mut conjunction = String::new();
    for name in rng.sample(names, count) {
        if !conjunction.is_empty() {
            conjunction.push_str(" & ");
        }
        if rng.chance(50) {
            conjunction.push('!');
        }
        conjunction.push_str(name);
    }
    conjunction
}

/// The right-hand side of an update.
pub(crate) fn update(rng: &mut Rng, names: &[String]) -> String {
    match rng.below(20) {
        0 => rng.pick(&["0", "1"]).to_string(),
        1..=3 => literal(rng, names),
        4..=8 => format!(
            "({}) | ({})",
            conjunction(rng, names),
            conjunction(rng, names)
        ),
        9..=17 => format!(
            "schoose[{}, !({}) & {}]",
            conjunction(rng, names),
            conjunction(rng, names),
            literal(rng, names)
        ),
        _ => "schoose[F, F]".to_owned(),
    }
}

/// A parallel assignment of `width` random updates over `read` to different variables of `written`.
pub(crate) fn write_updates(
    text: &mut SourceText,
    rng: &mut Rng,
    written: &[String],
    read: &[String],
    width: usize,
) {
    let targets = comma_list(&rng.sample(written, width));
    let width = width.min(written.len());
    let sources: Vec<String> = (0..width).map(|_| update(rng, read)).collect();
    text.fmt(format_args!("{targets} := {};", comma_list(&sources)));
}

/// The items with commas between them.
pub(crate) fn comma_list<T: AsRef<str>>(items: &[T]) -> String {
    let mut list = String::new();
    for item in items {
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(item.as_ref());
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conjunction_never_names_a_variable_twice() {
        let names: Vec<String> = (0..4).map(|i| format!("x{i}")).collect();
        let mut rng = Rng::new(1);
        for _ in 0..200 {
            let conjunction = conjunction(&mut rng, &names);
            let mut used: Vec<&str> = conjunction
                .split(" & ")
                .map(|literal| literal.trim_start_matches('!'))
                .collect();
            let count = used.len();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), count, "{conjunction}");
        }
    }

    #[test]
    fn an_assignment_has_as_many_sources_as_targets() {
        let names: Vec<String> = (0..9).map(|i| format!("x{i}")).collect();
        let mut text = SourceText::with_capacity(64);
        write_updates(&mut text, &mut Rng::new(5), &names[..2], &names, 4);
        let line = text.finish();
        let (targets, sources) = line.split_once(" := ").expect("an assignment");
        assert_eq!(targets.split(", ").count(), 2);
        let outside_brackets = sources.replace("schoose[", "[");
        let mut depth = 0;
        let commas = outside_brackets
            .chars()
            .filter(|c| {
                depth += i32::from(*c == '[') - i32::from(*c == ']');
                *c == ',' && depth == 0
            })
            .count();
        assert_eq!(commas + 1, 2, "{line}");
    }
}
