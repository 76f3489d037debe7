//! Systems as text: formulas with the names, fields and values of their types put back.
//!
//! The bits of an enumeration or of a whole structure are gathered again where they stand together,
//! as they do when they come from a comparison: `s.pc = 3`, `t.c = s.d`. What the checker added to
//! keep quantifiers to meaningful values is left out. An explicit stack: formulas are as deep as
//! their text.

use hardbop_formula::{
    ArgumentBit, Cofactor, Formula, FormulaId, Leaf, RelationId, RelationKind, System, Values,
    VariableId,
};
use std::fmt::Write;
use std::ops::Range;

/// What is still to be written.
enum Piece {
    Text(&'static str),
    /// A formula in a place that wants at least such a tight operator.
    Formula(FormulaId, u8),
}

/// Quantifiers and `if`.
const LOOSE: u8 = 0;
const IFF: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
/// `!`, `=` and everything that needs no parentheses.
const TIGHT: u8 = 4;

/// A formula as text.
pub fn formula(system: &System, id: FormulaId) -> String {
    let mut out = String::new();
    let mut stack = vec![Piece::Formula(id, LOOSE)];
    while let Some(piece) = stack.pop() {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Formula(id, wanted) => write_formula(system, id, wanted, &mut out, &mut stack),
        }
    }
    out
}

/// A relation with its definition.
pub fn relation(system: &System, id: RelationId) -> String {
    let relation = system.relation(id);
    let fixed_point = match relation.kind {
        RelationKind::Definition => "",
        RelationKind::Least => "mu ",
        RelationKind::Greatest => "nu ",
    };
    let names = relation.parameters.iter();
    let names: Vec<&str> = names.map(|&v| system.variable(v).name.as_str()).collect();
    let body = formula(system, relation.body);
    format!(
        "{fixed_point}{}({}) = {body}",
        relation.name,
        names.join(", ")
    )
}

/// How the value with a code is written.
fn value_text(values: &Values, code: u64) -> String {
    match values {
        Values::Boolean => code.to_string(),
        Values::Numbers { first, .. } => first.wrapping_add(code).to_string(),
        Values::Names(names) => {
            let name = usize::try_from(code).ok().and_then(|code| names.get(code));
            name.map_or_else(|| format!("#{code}"), Clone::clone)
        }
    }
}

fn write_formula(
    system: &System,
    id: FormulaId,
    wanted: u8,
    out: &mut String,
    stack: &mut Vec<Piece>,
) {
    if let Some(comparison) = comparison(system, id) {
        out.push_str(&comparison);
        return;
    }
    let mut pieces = Vec::new();
    let tightness = match system.formula(id) {
        Formula::Constant(value) => {
            pieces.push(Piece::Text(if *value { "true" } else { "false" }));
            TIGHT
        }
        Formula::Bit(variable, bit) => {
            out.push_str(&bit_text(system, *variable, *bit));
            TIGHT
        }
        Formula::Not(of) => {
            pieces.push(Piece::Text("!"));
            // `!a = b` would be read as the negation of the comparison, which is meant, but not by
            // everyone.
            let is_comparison = comparison(system, *of).is_some();
            pieces.extend(is_comparison.then_some(Piece::Text("(")));
            pieces.push(Piece::Formula(*of, TIGHT));
            pieces.extend(is_comparison.then_some(Piece::Text(")")));
            TIGHT
        }
        Formula::And(all) => {
            separated(&mut pieces, all, " & ", AND + 1);
            AND
        }
        Formula::Or(all) => {
            separated(&mut pieces, all, " | ", OR + 1);
            OR
        }
        Formula::Iff(a, b) => {
            separated(&mut pieces, &[*a, *b], " <-> ", IFF + 1);
            IFF
        }
        Formula::Cofactor(kind, a, b) => {
            let operator = match kind {
                Cofactor::Constrain => " cofactor ",
                Cofactor::Restrict => " assume ",
            };
            separated(&mut pieces, &[*a, *b], operator, TIGHT);
            TIGHT
        }
        Formula::Ite(c, a, b) => {
            pieces.extend([
                Piece::Text("if ("),
                Piece::Formula(*c, LOOSE),
                Piece::Text(") "),
                // An `if` inside would take the `else`.
                Piece::Formula(*a, IFF),
                Piece::Text(" else "),
                Piece::Formula(*b, LOOSE),
            ]);
            LOOSE
        }
        Formula::Exists(variables, body) | Formula::Forall(variables, body) => {
            let is_exists = matches!(system.formula(id), Formula::Exists(..));
            let names = variables.iter();
            let names: Vec<&str> = names.map(|&v| system.variable(v).name.as_str()).collect();
            let word = if is_exists { "exists" } else { "forall" };
            if wanted > LOOSE {
                out.push('(');
            }
            let _ = write!(out, "{word} {}. ", names.join(", "));
            if wanted > LOOSE {
                stack.push(Piece::Text(")"));
            }
            let body = without_domains(system, variables, *body, is_exists);
            stack.push(Piece::Formula(body, LOOSE));
            return;
        }
        Formula::Apply(relation, bits) => {
            out.push_str(&application(system, *relation, bits));
            TIGHT
        }
    };
    if tightness < wanted {
        pieces.insert(0, Piece::Text("("));
        pieces.push(Piece::Text(")"));
    }
    stack.extend(pieces.into_iter().rev());
}

fn separated(pieces: &mut Vec<Piece>, all: &[FormulaId], between: &'static str, wanted: u8) {
    for (index, &operand) in all.iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::Text(between));
        }
        pieces.push(Piece::Formula(operand, wanted));
    }
}

/// The body of a quantifier without what restricts its variables to meaningful values.
fn without_domains(
    system: &System,
    variables: &[VariableId],
    body: FormulaId,
    is_exists: bool,
) -> FormulaId {
    let domains = variables.iter().filter_map(|&v| system.variable(v).domain);
    let domains: Vec<FormulaId> = domains.collect();
    let (operands, is_domain): (_, &dyn Fn(&FormulaId) -> bool) = match system.formula(body) {
        Formula::And(all) if is_exists => (all, &|id| domains.contains(id)),
        Formula::Or(all) if !is_exists => (
            all,
            &|id| matches!(system.formula(*id), Formula::Not(of) if domains.contains(of)),
        ),
        _ => return body,
    };
    let mut rest = operands.iter().filter(|&id| !is_domain(id));
    match (rest.next(), rest.next()) {
        (Some(&only), None) => only,
        _ => body,
    }
}

/// A comparison, if the formula is one.
fn comparison(system: &System, id: FormulaId) -> Option<String> {
    let single = [id];
    let parts = match system.formula(id) {
        Formula::And(all) => all.as_slice(),
        _ => &single,
    };
    value_comparison(system, parts).or_else(|| equality(system, parts))
}

/// `s.pc = 3`: literals of all bits of an enumeration.
fn value_comparison(system: &System, parts: &[FormulaId]) -> Option<String> {
    let literal = |id: FormulaId| match *system.formula(id) {
        Formula::Bit(variable, bit) => Some((variable, bit, true)),
        Formula::Not(of) => match *system.formula(of) {
            Formula::Bit(variable, bit) => Some((variable, bit, false)),
            _ => None,
        },
        _ => None,
    };
    let (variable, first, _) = literal(*parts.first()?)?;
    let leaf = leaf_at(system, variable, first)?;
    let is_whole = leaf.bits.start == first && leaf.bits.len() == parts.len();
    if !is_whole || leaf.values == Values::Boolean {
        return None;
    }
    let mut code = 0;
    for (part, expected) in parts.iter().zip(leaf.bits.clone()) {
        let (of, bit, value) = literal(*part)?;
        if (of, bit) != (variable, expected) {
            return None;
        }
        code = code << 1 | u64::from(value);
    }
    let name = &system.variable(variable).name;
    Some(format!(
        "{name}{} = {}",
        leaf.path,
        value_text(&leaf.values, code)
    ))
}

/// `t.c = s.d`: all bits of two places are equal.
fn equality(system: &System, parts: &[FormulaId]) -> Option<String> {
    let bit = |id: FormulaId| match *system.formula(id) {
        Formula::Bit(variable, bit) => Some((variable, bit)),
        _ => None,
    };
    let pair = |id: FormulaId| match *system.formula(id) {
        Formula::Iff(left, right) => bit(left).zip(bit(right)),
        _ => None,
    };
    let (left, right) = pair(*parts.first()?)?;
    for (part, offset) in parts.iter().zip(0..) {
        let found = pair(*part)?;
        let after = |(variable, bit): (VariableId, u32)| (variable, bit + offset);
        let expected = (after(left), after(right));
        // The two sides of `<->` are in order of their ids, which need not be that of the
        // comparison.
        if found != expected && (found.1, found.0) != expected {
            return None;
        }
    }
    let text = |(variable, first): (VariableId, u32)| {
        range_text(system, variable, &(first..first + parts.len() as u32))
    };
    Some(format!("{} = {}", text(left)?, text(right)?))
}

fn leaf_at(system: &System, variable: VariableId, bit: u32) -> Option<&Leaf> {
    let leaves = &system.variable(variable).leaves;
    let after = leaves.partition_point(|leaf| leaf.bits.end <= bit);
    leaves.get(after).filter(|leaf| leaf.bits.contains(&bit))
}

/// A single bit: a Boolean by its name, a bit of an enumeration with its place, the least
/// significant being 0.
fn bit_text(system: &System, variable: VariableId, bit: u32) -> String {
    let name = &system.variable(variable).name;
    match leaf_at(system, variable, bit) {
        Some(leaf) if leaf.values == Values::Boolean => format!("{name}{}", leaf.path),
        Some(leaf) => format!("{name}{}:{}", leaf.path, leaf.bits.end - 1 - bit),
        None => format!("{name}:{bit}"),
    }
}

/// The part of a variable that has exactly these bits.
fn range_text(system: &System, variable: VariableId, range: &Range<u32>) -> Option<String> {
    let of = system.variable(variable);
    let inside: Vec<&Leaf> = of
        .leaves
        .iter()
        .skip_while(|leaf| leaf.bits.end <= range.start)
        .take_while(|leaf| leaf.bits.end <= range.end)
        .filter(|leaf| !leaf.bits.is_empty())
        .collect();
    let (first, last) = (inside.first()?, inside.last()?);
    if first.bits.start != range.start || last.bits.end != range.end {
        return None;
    }
    if range.len() as u32 == of.bits {
        return Some(of.name.clone());
    }
    let common = common_path(&first.path, &last.path);
    let covered = of.leaves.iter().filter(|leaf| {
        let rest = leaf.path.strip_prefix(common);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            && !leaf.bits.is_empty()
    });
    (covered.count() == inside.len()).then(|| format!("{}{common}", of.name))
}

/// The path of the smallest part that has both leaves.
fn common_path<'a>(a: &'a str, b: &str) -> &'a str {
    if a == b {
        return a;
    }
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let cut = a[..same].rfind(['.', '[']).unwrap_or(0);
    &a[..cut]
}

fn application(system: &System, relation: RelationId, bits: &[ArgumentBit]) -> String {
    let relation = system.relation(relation);
    let mut rest = bits;
    let mut arguments = Vec::new();
    for &parameter in &relation.parameters {
        let count = system.variable(parameter).bits as usize;
        let (these, others) = rest.split_at(count.min(rest.len()));
        rest = others;
        arguments.push(argument(system, parameter, these));
    }
    format!("{}({})", relation.name, arguments.join(", "))
}

fn argument(system: &System, parameter: VariableId, bits: &[ArgumentBit]) -> String {
    if let Some(&ArgumentBit::Bit(variable, first)) = bits.first() {
        let mut places = bits.iter().zip(first..);
        let is_row = places.all(|(&bit, place)| bit == ArgumentBit::Bit(variable, place));
        let range = first..first + bits.len() as u32;
        if is_row && let Some(text) = range_text(system, variable, &range) {
            return text;
        }
    }
    let constants: Option<Vec<bool>> = bits
        .iter()
        .map(|bit| match bit {
            ArgumentBit::Constant(value) => Some(*value),
            ArgumentBit::Bit(..) => None,
        })
        .collect();
    if let (Some(values), [leaf]) = (constants, system.variable(parameter).leaves.as_slice()) {
        let code = values
            .iter()
            .fold(0, |code, &bit| code << 1 | u64::from(bit));
        return value_text(&leaf.values, code);
    }
    let texts = bits.iter().map(|bit| match *bit {
        ArgumentBit::Constant(value) => u8::from(value).to_string(),
        ArgumentBit::Bit(variable, bit) => bit_text(system, variable, bit),
    });
    format!("[{}]", texts.collect::<Vec<_>>().join(" "))
}
