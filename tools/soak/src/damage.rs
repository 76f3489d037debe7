//! What is done to evidence and to programs: small damages that leave most of it as it was.

use hardbop_families::random::Random;
use serde_json::Value;

/// A random place in a document.
fn place<'v>(random: &mut Random, document: &'v mut Value) -> &'v mut Value {
    let mut here = document;
    loop {
        let children = match here {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        // An object that lacks a member is seldom read at all.
        let chance = if here.is_object() { 3 } else { 12 };
        if children == 0 || random.percent(chance) {
            return here;
        }
        let chosen = random.below(children);
        here = match here {
            Value::Array(items) => &mut items[chosen],
            Value::Object(members) => members.values_mut().nth(chosen).expect("it is below"),
            _ => unreachable!("it has children"),
        };
    }
}

fn damage(random: &mut Random, document: &mut Value) {
    let other = place(random, &mut document.clone()).clone();
    let nearby = random.below(7) as u64;
    let [percent, first, second] = [100, 1 << 20, 1 << 20].map(|bound| random.below(bound));
    let here = place(random, document);
    match here {
        _ if percent < 10 => *here = other,
        Value::Bool(value) => *value = !*value,
        Value::Number(number) => {
            let number = number.as_u64().unwrap_or_default();
            *here = number.wrapping_add(nearby).wrapping_sub(3).into();
        }
        Value::String(text) => {
            text.pop();
        }
        Value::Array(items) if !items.is_empty() => {
            let [first, second] = [first % items.len(), second % items.len()];
            match percent % 3 {
                0 => items.swap(first, second),
                1 => {
                    items.remove(first);
                }
                _ => items.insert(first, items[second].clone()),
            }
        }
        Value::Object(members) if !members.is_empty() => {
            let key = members.keys().nth(first % members.len()).cloned();
            members.remove(&key.expect("it is below"));
        }
        _ => *here = Value::from(nearby),
    }
}

/// A document with one to three damages.
pub fn damaged(random: &mut Random, original: &Value) -> Value {
    let mut document = original.clone();
    for _ in 0..=random.below(3) {
        damage(random, &mut document);
    }
    document
}

/// Words that may take the place of any other.
const WORDS: [&str; 9] = ["0", "1", "*", "!", "&", "|", "=", ";", "skip;"];

/// Names, numbers and single signs; white space is kept as words of its own.
fn words(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_part(first) {
            rest.find(|c| !is_part(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, behind) = rest.split_at(end);
        words.push(word);
        rest = behind;
    }
    words
}

/// A program with one or two words changed; it need not be one any more.
pub fn changed(random: &mut Random, text: &str) -> String {
    let mut words = words(text);
    for _ in 0..=random.below(2) {
        let count = words.len();
        let meant = |&at: &usize| !words[at].trim().is_empty();
        let Some(here) = (0..20).map(|_| random.below(count)).find(meant) else {
            break;
        };
        let there = random.below(count);
        match random.below(5) {
            0 => words[here] = "",
            1 => words[here] = words[there],
            2 => words.swap(here, there),
            3 => words.insert(here, "!"),
            _ => words[here] = WORDS[random.below(WORDS.len())],
        }
    }
    words.concat()
}
