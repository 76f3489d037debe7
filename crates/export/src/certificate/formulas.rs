//! Formulas of a certificate as definitions of SMT-LIB.

use hardbop_evidence::certificate::Formula;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Defines a formula with all its parts, which get names that begin with `role`; gives its term.
/// `leaf` has the terms of bits and may declare what they need, in the same text.
pub(super) fn define(
    text: &mut String,
    formulas: &[Formula],
    root: u32,
    role: &str,
    mut leaf: impl FnMut(&mut String, &Formula) -> String,
) -> String {
    let mut terms: BTreeMap<u32, String> = BTreeMap::new();
    for index in cone(formulas, root) {
        let of = |operand: &u32| terms[operand].as_str();
        let list = |operator: &str, operands: &[u32], neutral: &str| match operands {
            [] => neutral.to_owned(),
            [only] => of(only).to_owned(),
            several => {
                let several: Vec<&str> = several.iter().map(of).collect();
                format!("({operator} {})", several.join(" "))
            }
        };
        let value = match &formulas[index as usize] {
            Formula::Constant(value) => value.to_string(),
            bit @ (Formula::Entry(_) | Formula::Now(_) | Formula::Exit(_) | Formula::Thread(_)) => {
                let term = leaf(text, bit);
                terms.insert(index, term);
                continue;
            }
            Formula::Not(a) => format!("(not {})", of(a)),
            Formula::And(operands) => list("and", operands, "true"),
            Formula::Or(operands) => list("or", operands, "false"),
            Formula::Ite(c, a, b) => format!("(ite {} {} {})", of(c), of(a), of(b)),
        };
        let name = format!("{role}.{index}");
        writeln!(text, "(define-fun {name} () Bool {value})").expect("a string can be written to");
        terms.insert(index, name);
    }
    terms.remove(&root).expect("the root is in its own cone")
}

/// A formula and all that it is made of, operands before their users.
fn cone(formulas: &[Formula], root: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::from([root]);
    let mut pending = vec![root];
    while let Some(index) = pending.pop() {
        let operands: &[u32] = match &formulas[index as usize] {
            Formula::Not(a) => &[*a],
            Formula::And(operands) | Formula::Or(operands) => operands,
            Formula::Ite(c, a, b) => &[*c, *a, *b],
            _ => &[],
        };
        pending.extend(operands.iter().filter(|&&operand| found.insert(operand)));
    }
    found
}
