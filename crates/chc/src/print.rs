//! Answers as text: models as SMT-LIB writes them, derivations as lists of ground facts.

use crate::model::{Derivation, Interpretation, Model};
use crate::system::System;
use crate::terms::{Op, Sort, Term, TermId, Terms, VarId};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A symbol, between bars where it has to be.
pub fn symbol(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let starts_well = !name.starts_with(|c: char| c.is_ascii_digit());
    let is_reserved = matches!(
        name,
        "_" | "!" | "let" | "forall" | "exists" | "par" | "as" | "true" | "false"
    );
    if !name.is_empty() && starts_well && !is_reserved && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("|{name}|")
    }
}

/// A constant.
pub fn constant(value: u64, sort: Sort) -> String {
    match sort {
        Sort::Bool => (if value == 1 { "true" } else { "false" }).to_owned(),
        Sort::Word(width) if width % 4 == 0 => {
            format!("#x{value:0digits$x}", digits = usize::from(width / 4))
        }
        Sort::Word(width) => format!("#b{value:0digits$b}", digits = usize::from(width)),
    }
}

/// A model, in the form of `get-model`.
pub fn model(system: &System, model: &Model) -> String {
    let mut text = String::from("(\n");
    for (predicate, definition) in system.predicates.iter().zip(&model.definitions) {
        let _ = write!(text, "  (define-fun {} (", symbol(&predicate.name));
        for (index, sort) in predicate.sorts.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            let _ = write!(text, "{space}(x!{index} {sort})");
        }
        text.push_str(") Bool\n    ");
        text.push_str(&formula(&system.terms, definition));
        text.push_str(")\n");
    }
    text.push_str(")\n");
    text
}

/// A formula with `let` for parts that are used more than once, level by level.
fn formula(terms: &Terms, definition: &Interpretation) -> String {
    let names = definition.parameters.iter().enumerate();
    let names: FxHashMap<VarId, String> = names
        .map(|(index, &id)| (id, format!("x!{index}")))
        .collect();
    let below = terms.below(&[definition.formula]);
    let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
    for &id in &below {
        for &operand in terms.operands(id) {
            *uses.entry(operand).or_default() += 1;
        }
    }
    let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
    let mut levels: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut lets: Vec<Vec<String>> = Vec::new();
    let mut count = 0;
    for &id in &below {
        let operands = terms.operands(id);
        let level = operands
            .iter()
            .map(|operand| levels[operand])
            .max()
            .unwrap_or(0);
        let text = match terms.get(id) {
            Term::Constant(value) => constant(*value, terms.sort(id)),
            Term::Variable(variable) => names.get(variable).cloned().unwrap_or_default(),
            Term::Apply(op, operands) => {
                let mut text = format!("({}", operator(*op, terms, id, operands));
                for operand in operands {
                    text.push(' ');
                    text.push_str(&texts[operand]);
                }
                text.push(')');
                text
            }
        };
        let is_shared = uses.get(&id).is_some_and(|&uses| uses > 1) && !operands.is_empty();
        if is_shared || text.len() > 1000 && id != definition.formula {
            if lets.len() <= level {
                lets.resize(level + 1, Vec::new());
            }
            let name = format!("a!{count}");
            count += 1;
            lets[level].push(format!("({name} {text})"));
            texts.insert(id, name);
            levels.insert(id, level + 1);
        } else {
            texts.insert(id, text);
            levels.insert(id, level);
        }
    }
    let mut text = String::new();
    for level in &lets {
        let _ = write!(text, "(let ({})\n    ", level.join(" "));
    }
    text.push_str(&texts[&definition.formula]);
    text.push_str(&")".repeat(lets.len()));
    text
}

/// The name of an operator.
fn operator(op: Op, terms: &Terms, id: TermId, operands: &[TermId]) -> String {
    let by = || terms.sort(id).width() - terms.sort(operands[0]).width();
    match op {
        Op::Extract(high, low) => return format!("(_ extract {high} {low})"),
        Op::ZeroExtend => return format!("(_ zero_extend {})", by()),
        Op::SignExtend => return format!("(_ sign_extend {})", by()),
        _ => {}
    }
    let name = match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Xor => "xor",
        Op::Equal => "=",
        Op::Ite => "ite",
        Op::WordNot => "bvnot",
        Op::WordAnd => "bvand",
        Op::WordOr => "bvor",
        Op::WordXor => "bvxor",
        Op::Negate => "bvneg",
        Op::Add => "bvadd",
        Op::Subtract => "bvsub",
        Op::Multiply => "bvmul",
        Op::Divide => "bvudiv",
        Op::Remainder => "bvurem",
        Op::SignedDivide => "bvsdiv",
        Op::SignedRemainder => "bvsrem",
        Op::SignedModulo => "bvsmod",
        Op::ShiftLeft => "bvshl",
        Op::ShiftRight => "bvlshr",
        Op::SignedShiftRight => "bvashr",
        Op::Less => "bvult",
        Op::LessEqual => "bvule",
        Op::SignedLess => "bvslt",
        Op::SignedLessEqual => "bvsle",
        Op::Concat => "concat",
        _ => "",
    };
    name.to_owned()
}

/// A derivation: for each step its fact, its clause by number from 1, its premises by step and the
/// values of the clause's variables.
pub fn derivation(system: &System, derivation: &Derivation) -> String {
    let mut text = String::from("(\n");
    for (number, step) in derivation.steps.iter().enumerate() {
        let fact = match &step.fact {
            None => "false".to_owned(),
            Some((predicate, values)) => {
                let predicate = &system.predicates[predicate.index()];
                let name = symbol(&predicate.name);
                let values = values.iter().zip(&predicate.sorts);
                let values: Vec<String> = values
                    .map(|(&value, &sort)| constant(value, sort))
                    .collect();
                if values.is_empty() {
                    name
                } else {
                    format!("({name} {})", values.join(" "))
                }
            }
        };
        let _ = write!(text, "  (step {number} {fact} :clause {}", step.clause + 1);
        if !step.premises.is_empty() {
            let premises: Vec<String> = step.premises.iter().map(ToString::to_string).collect();
            let _ = write!(text, " :premises ({})", premises.join(" "));
        }
        if !step.values.is_empty() {
            let values = step.values.iter().map(|&(variable, value)| {
                let variable = &system.terms.variables[variable.0 as usize];
                format!(
                    "({} {})",
                    symbol(&variable.name),
                    constant(value, variable.sort)
                )
            });
            let _ = write!(text, " :values ({})", values.collect::<Vec<_>>().join(" "));
        }
        text.push_str(")\n");
    }
    text.push_str(")\n");
    text
}
