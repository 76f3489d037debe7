//! The operators of the theories of Booleans and bit-vectors, by their names.

use crate::terms::{MAX_WIDTH, Op, Sort, TermId, Terms};

/// The term of an operator, or what is wrong with it.
pub fn apply(
    terms: &mut Terms,
    name: &str,
    indices: &[u32],
    operands: &[TermId],
) -> Result<TermId, String> {
    let sorts: Vec<Sort> = operands.iter().map(|&id| terms.sort(id)).collect();
    if operands.is_empty() {
        return literal(terms, name, indices);
    }
    if !indices.is_empty() {
        return indexed(terms, name, indices, operands, &sorts);
    }
    let all_bool = sorts.iter().all(|&sort| sort == Sort::Bool);
    let one_sort = sorts.iter().all(|&sort| sort == sorts[0]);
    let is_word = sorts[0] != Sort::Bool;
    let wrong = || format!("the operands of `{name}` have other sorts");
    let chain = |terms: &mut Terms, op: Op| {
        let mut links = Vec::new();
        for pair in operands.windows(2) {
            links.push(terms.apply(op, pair, Sort::Bool));
        }
        terms.and(&links)
    };
    match name {
        "not" if all_bool && operands.len() == 1 => Ok(terms.not(operands[0])),
        "and" if all_bool => Ok(terms.and(operands)),
        "or" if all_bool => Ok(terms.or(operands)),
        "xor" if all_bool => {
            let mut value = operands[0];
            for &operand in &operands[1..] {
                value = terms.apply(Op::Xor, &[value, operand], Sort::Bool);
            }
            Ok(value)
        }
        "=>" if all_bool => {
            let (&last, premises) = operands.split_last().ok_or_else(wrong)?;
            let mut disjuncts: Vec<TermId> = premises.iter().map(|&p| terms.not(p)).collect();
            disjuncts.push(last);
            Ok(terms.or(&disjuncts))
        }
        "=" if one_sort && operands.len() > 1 => Ok(chain(terms, Op::Equal)),
        "distinct" if one_sort && operands.len() > 1 => {
            if operands.len() > 1000 {
                return Err("`distinct` of more than 1000 terms is not supported".to_owned());
            }
            let mut pairs = Vec::new();
            for (index, &a) in operands.iter().enumerate() {
                for &b in &operands[index + 1..] {
                    let equal = terms.equal(a, b);
                    pairs.push(terms.not(equal));
                }
            }
            Ok(terms.and(&pairs))
        }
        "ite" if operands.len() == 3 && sorts[0] == Sort::Bool && sorts[1] == sorts[2] => {
            Ok(terms.apply(Op::Ite, operands, sorts[1]))
        }
        "concat" if !sorts.contains(&Sort::Bool) => {
            let mut value = operands[0];
            for &operand in &operands[1..] {
                value = concat(terms, value, operand)?;
            }
            Ok(value)
        }
        "bvcomp" if one_sort && is_word && operands.len() == 2 => {
            let equal = terms.equal(operands[0], operands[1]);
            Ok(bit(terms, equal))
        }
        _ if one_sort && is_word => word_operator(terms, name, operands, sorts[0]),
        _ if is_known(name) => Err(wrong()),
        _ => Err(unknown(name)),
    }
}

/// Whether a name is an operator that only has the wrong operands here.
fn is_known(name: &str) -> bool {
    let logic = [
        "not", "and", "or", "xor", "=>", "=", "distinct", "ite", "concat", "bvcomp",
    ];
    logic.contains(&name) || binary(name).is_some() || comparison(name).is_some()
}

fn unknown(name: &str) -> String {
    let shown: String = name.chars().take(40).collect();
    format!("`{shown}` is not declared and not an operator of Booleans or bit-vectors")
}

fn bit(terms: &mut Terms, condition: TermId) -> TermId {
    let sort = Sort::Word(1);
    let (one, zero) = (terms.constant(1, sort), terms.constant(0, sort));
    terms.apply(Op::Ite, &[condition, one, zero], sort)
}

fn binary(name: &str) -> Option<Op> {
    Some(match name {
        "bvand" => Op::WordAnd,
        "bvor" => Op::WordOr,
        "bvxor" => Op::WordXor,
        "bvadd" => Op::Add,
        "bvsub" => Op::Subtract,
        "bvmul" => Op::Multiply,
        // Z3 writes `_i` where it has excluded division by zero.
        "bvudiv" | "bvudiv_i" => Op::Divide,
        "bvurem" | "bvurem_i" => Op::Remainder,
        "bvsdiv" | "bvsdiv_i" => Op::SignedDivide,
        "bvsrem" | "bvsrem_i" => Op::SignedRemainder,
        "bvsmod" | "bvsmod_i" => Op::SignedModulo,
        "bvshl" => Op::ShiftLeft,
        "bvlshr" => Op::ShiftRight,
        "bvashr" => Op::SignedShiftRight,
        _ => return None,
    })
}

/// An operator between words, and whether its operands are exchanged.
fn comparison(name: &str) -> Option<(Op, bool)> {
    Some(match name {
        "bvult" => (Op::Less, false),
        "bvule" => (Op::LessEqual, false),
        "bvugt" => (Op::Less, true),
        "bvuge" => (Op::LessEqual, true),
        "bvslt" => (Op::SignedLess, false),
        "bvsle" => (Op::SignedLessEqual, false),
        "bvsgt" => (Op::SignedLess, true),
        "bvsge" => (Op::SignedLessEqual, true),
        _ => return None,
    })
}

fn word_operator(
    terms: &mut Terms,
    name: &str,
    operands: &[TermId],
    sort: Sort,
) -> Result<TermId, String> {
    match (name, operands) {
        ("bvnot", &[a]) => return Ok(terms.apply(Op::WordNot, &[a], sort)),
        ("bvneg", &[a]) => return Ok(terms.apply(Op::Negate, &[a], sort)),
        ("bvnand" | "bvnor" | "bvxnor", &[a, b]) => {
            let op = match name {
                "bvnand" => Op::WordAnd,
                "bvnor" => Op::WordOr,
                _ => Op::WordXor,
            };
            let value = terms.apply(op, &[a, b], sort);
            return Ok(terms.apply(Op::WordNot, &[value], sort));
        }
        _ => {}
    }
    if let (Some((op, exchanged)), &[a, b]) = (comparison(name), operands) {
        let pair = if exchanged { [b, a] } else { [a, b] };
        return Ok(terms.apply(op, &pair, Sort::Bool));
    }
    let Some(op) = binary(name) else {
        return Err(if is_known(name) || name.starts_with("bvn") {
            format!("`{name}` has another number of operands")
        } else {
            unknown(name)
        });
    };
    let is_associative = matches!(
        op,
        Op::WordAnd | Op::WordOr | Op::WordXor | Op::Add | Op::Multiply
    );
    if operands.len() != 2 && !(is_associative && operands.len() > 2) {
        return Err(format!("`{name}` has another number of operands"));
    }
    let mut value = operands[0];
    for &operand in &operands[1..] {
        value = terms.apply(op, &[value, operand], sort);
    }
    Ok(value)
}

fn concat(terms: &mut Terms, a: TermId, b: TermId) -> Result<TermId, String> {
    let width = terms.sort(a).width() + terms.sort(b).width();
    Ok(terms.apply(Op::Concat, &[a, b], word(width)?))
}

fn word(width: u32) -> Result<Sort, String> {
    match width {
        1..=MAX_WIDTH => Ok(Sort::Word(width as u8)),
        _ => Err(format!(
            "this word has {width} bits; only 1 to 64 are supported"
        )),
    }
}

fn extract(terms: &mut Terms, operand: TermId, high: u32, low: u32) -> Result<TermId, String> {
    if low > high || high >= terms.sort(operand).width() {
        return Err("the bits of `extract` are not in the word".to_owned());
    }
    let sort = word(high - low + 1)?;
    Ok(terms.apply(Op::Extract(high as u8, low as u8), &[operand], sort))
}

fn indexed(
    terms: &mut Terms,
    name: &str,
    indices: &[u32],
    operands: &[TermId],
    sorts: &[Sort],
) -> Result<TermId, String> {
    let (&[operand], Sort::Word(width)) = (operands, sorts[0]) else {
        return Err(format!("`{name}` has other operands"));
    };
    let width = u32::from(width);
    match (name, indices) {
        ("extract", &[high, low]) => extract(terms, operand, high, low),
        ("zero_extend" | "sign_extend", &[0]) => Ok(operand),
        ("zero_extend", &[by]) => {
            let sort = word(width.saturating_add(by))?;
            Ok(terms.apply(Op::ZeroExtend, &[operand], sort))
        }
        ("sign_extend", &[by]) => {
            let sort = word(width.saturating_add(by))?;
            Ok(terms.apply(Op::SignExtend, &[operand], sort))
        }
        ("repeat", &[times]) => {
            word(width.saturating_mul(times))?;
            let mut value = operand;
            for _ in 1..times {
                value = concat(terms, value, operand)?;
            }
            Ok(value)
        }
        ("rotate_left" | "rotate_right", &[by]) => {
            let by = by % width;
            let left = if name == "rotate_left" {
                by
            } else {
                (width - by) % width
            };
            if left == 0 {
                return Ok(operand);
            }
            let upper = extract(terms, operand, width - left - 1, 0)?;
            let lower = extract(terms, operand, width - 1, width - left)?;
            concat(terms, upper, lower)
        }
        _ => Err(unknown(name)),
    }
}

/// A constant.
fn literal(terms: &mut Terms, name: &str, indices: &[u32]) -> Result<TermId, String> {
    if let (Some(digits), &[width]) = (name.strip_prefix("bv"), indices) {
        let sort = word(width)?;
        return match digits.parse::<u64>() {
            Ok(value) if sort.wrap(value) == value => Ok(terms.constant(value, sort)),
            _ => Err(format!("`{name}` is not a number of {width} bits")),
        };
    }
    match name {
        "true" => return Ok(terms.truth(true)),
        "false" => return Ok(terms.truth(false)),
        _ => {}
    }
    let (digits, radix, per_digit) = if let Some(digits) = name.strip_prefix("#x") {
        (digits, 16, 4)
    } else if let Some(digits) = name.strip_prefix("#b") {
        (digits, 2, 1)
    } else {
        return Err(unknown(name));
    };
    let width = u32::try_from(digits.len())
        .unwrap_or(u32::MAX)
        .saturating_mul(per_digit);
    let sort = word(width)?;
    match u64::from_str_radix(digits, radix) {
        Ok(value) if !digits.starts_with('+') => Ok(terms.constant(value, sort)),
        _ => Err(format!("`{name}` is not a number")),
    }
}
