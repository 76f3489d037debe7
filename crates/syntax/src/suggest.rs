//! "Did you mean": the known name nearest to one that is not known.

/// Comparing two names costs the product of their lengths; nobody mistypes names longer than this
/// by hand.
const MAX_LENGTH: usize = 100;

/// The candidate with the smallest edit distance, if it is near enough to be a slip of the pen. Of
/// equals the first.
pub fn nearest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > MAX_LENGTH {
        return None;
    }
    let length = wanted.chars().count();
    // One slip in three characters, but always one. Any two names of one letter are that near, so
    // those say nothing.
    let limit = (length / 3).max(1);
    candidates
        .filter(|text| text.len().abs_diff(wanted.len()) <= 4 * limit)
        .map(|text| (distance(wanted, text), text))
        .filter(|&(distance, text)| distance <= limit && (length > 1 || text.len() > 1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, text)| text)
}

/// The number of edits between two names, if there are at most `limit` of them.
pub fn slips(wanted: &str, text: &str, limit: usize) -> Option<usize> {
    let is_comparable =
        wanted.len().max(text.len()) <= MAX_LENGTH && text.len().abs_diff(wanted.len()) <= limit;
    let slips = is_comparable.then(|| distance(wanted, text))?;
    (slips <= limit).then_some(slips)
}

/// Edits that turn one into the other; another case counts as one edit however long the name is.
fn distance(wanted: &str, text: &str) -> usize {
    if wanted.eq_ignore_ascii_case(text) {
        return 1;
    }
    strsim::osa_distance(wanted, text)
}

/// The help line for a suggestion.
pub fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggest(wanted: &str, names: &[&'static str]) -> Option<&'static str> {
        nearest(wanted, names.iter().copied())
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        assert_eq!(suggest("locked", &["lock", "lokced", "x"]), Some("lokced"));
        assert_eq!(suggest("Lock", &["lick", "lock"]), Some("lock"));
        assert_eq!(suggest("COUNT", &["count"]), Some("count"));
    }

    #[test]
    fn names_that_have_little_in_common_are_not_suggested() {
        assert_eq!(suggest("foo", &["bar", "main"]), None);
        assert_eq!(suggest("x", &["y"]), None);
    }
}
