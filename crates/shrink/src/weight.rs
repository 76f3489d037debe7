//! How heavy a program is. Fewer words are lighter; of equally many, the plainer ones are.

/// Words that nothing is simpler than.
const PLAIN: [&str; 6] = ["T", "F", "0", "1", "skip", "void"];

/// The weight of a text: two for each word or sign, one for the plainest.
pub(super) fn weight(text: &str) -> usize {
    let mut total = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '{' => rest.find('}').map_or(rest.len(), |at| at + 1),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        if !first.is_whitespace() {
            total += if PLAIN.contains(&word) { 1 } else { 2 };
        }
        rest = after;
    }
    total
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_the_length_of_names_weigh_nothing() {
        assert_eq!(weight("x := long_name;"), weight("x\n:=\n {x == y} ;"));
        assert!(weight("assert(T);") < weight("assert(x);"));
        assert!(weight("skip;") < weight("x := T;"));
    }
}
