//! A system as one text in plain words: without the names of a host, without `needs`, and with the
//! files that it loads in the place of the `load`. For solvers that know none of these.
//!
//! The text stays the author's. Only what names something of the host is replaced, by a code or by a
//! formula over the fields that the host's text declares.

use crate::sources::Sources;
use crate::system::{Formula, FormulaId, Variable};
use hardbop_syntax::Span;
use std::collections::BTreeMap;

/// What stands in the place of a part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    /// A text.
    Text(String),
    /// Other files, by number.
    Files(Vec<usize>),
    /// The same as a comment.
    Comment,
}

/// All replacements of a system, in the addresses of its sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replacements {
    at: BTreeMap<u32, (u32, Plain)>,
}

impl Replacements {
    /// Adds one; of two that overlap the longer one counts.
    pub(crate) fn add(&mut self, span: Span, plain: Plain) {
        let around = self.at.range(..=span.start).next_back();
        if around.is_some_and(|(_, (end, _))| span.end <= *end) {
            return;
        }
        let inside = self.at.range(span.start..span.end);
        let inside: Vec<u32> = inside.map(|(&start, _)| start).collect();
        for start in inside {
            self.at.remove(&start);
        }
        self.at.insert(span.start, (span.end, plain));
    }

    pub(crate) fn extend(&mut self, others: Replacements) {
        for (start, (end, plain)) in others.at {
            self.add(Span::new(start, end), plain);
        }
    }

    /// The text of a file.
    pub(crate) fn text(&self, sources: &Sources, file: usize) -> String {
        let mut written = String::new();
        let (start, end) = sources.range(file);
        let mut pending = vec![(start, end)];
        while let Some((start, end)) = pending.pop() {
            let next = self.at.range(start..end).next();
            let Some((&from, (to, plain))) = next else {
                written.push_str(sources.slice(start, end));
                continue;
            };
            written.push_str(sources.slice(start, from));
            pending.push((*to, end));
            match plain {
                Plain::Text(text) => written.push_str(text),
                Plain::Comment => {
                    let text = sources.slice(from, *to).replace("*/", "");
                    written.push_str(&["/* ", &text, " */"].concat());
                }
                Plain::Files(files) => {
                    pending.extend(files.iter().rev().map(|&file| sources.range(file)));
                }
            }
        }
        written
    }
}

/// A formula over bits as text, to stand anywhere.
pub(crate) fn formula_text(
    formulas: &[Formula],
    variables: &[Variable],
    root: FormulaId,
) -> String {
    let mut needed = std::collections::BTreeSet::new();
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        if !needed.insert(id) {
            continue;
        }
        match &formulas[id.0 as usize] {
            Formula::Not(a) => pending.push(*a),
            Formula::And(parts) | Formula::Or(parts) => pending.extend(parts),
            Formula::Iff(a, b) => pending.extend([*a, *b]),
            Formula::Ite(c, a, b) => pending.extend([*c, *a, *b]),
            _ => {}
        }
    }
    let mut texts: BTreeMap<FormulaId, String> = BTreeMap::new();
    for id in needed {
        let of = |operand: &FormulaId| texts[operand].as_str();
        let joined = |parts: &[FormulaId], operator: &str| {
            let parts: Vec<&str> = parts.iter().map(of).collect();
            format!("({})", parts.join(operator))
        };
        let text = match &formulas[id.0 as usize] {
            Formula::Constant(value) => u8::from(*value).to_string(),
            Formula::Bit(variable, bit) => bit_text(&variables[variable.0 as usize], *bit),
            Formula::Not(a) => format!("(!{})", of(a)),
            Formula::And(parts) => joined(parts, " & "),
            Formula::Or(parts) => joined(parts, " | "),
            Formula::Iff(a, b) => format!("({} <-> {})", of(a), of(b)),
            Formula::Ite(c, a, b) => {
                let (c, a, b) = (of(c), of(a), of(b));
                format!("({c} & {a} | (!{c}) & {b})")
            }
            // What names something has no quantifiers and no relations in it.
            _ => "0".to_owned(),
        };
        texts.insert(id, text);
    }
    texts.remove(&root).unwrap_or_default()
}

/// A bit of a variable; those of an enumeration are counted from the lowest.
fn bit_text(variable: &Variable, bit: u32) -> String {
    let leaf = variable.leaves.iter().find(|leaf| leaf.bits.contains(&bit));
    let Some(leaf) = leaf else {
        return variable.name.clone();
    };
    let place = format!("{}{}", variable.name, leaf.path);
    if leaf.enumeration.is_none() {
        return place;
    }
    format!("{place}[{}]", leaf.bits.end - 1 - bit)
}
