//! Parts of a formula of branching time as text, for whoever says what holds at a state.
//!
//! A part is in negation normal form, so it need not stand in the formula as it was written: what
//! is left of `AG EF p` where it fails is `AG !p`.

use crate::ctl::{Ctl, PathFormula, StateFormula, StateId};

/// Longer texts are cut; parts that are shared would be written out again and again.
const MOST_CHARACTERS: usize = 200;

/// How tightly a text holds together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    /// It is one piece wherever it stands.
    Tight,
    /// It is a conjunction, a disjunction or a comparison.
    Loose,
}

impl Ctl {
    /// A part of the formula as text.
    pub fn text_of(&self, part: StateId) -> String {
        let mut texts: Vec<(String, Binding)> = Vec::new();
        // Operands stand before their users.
        for formula in self.formulas.iter().take(part + 1) {
            let (mut text, binding) = self.written(formula, &texts);
            if let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) {
                text.truncate(end);
                text.push('…');
            }
            texts.push((text, binding));
        }
        texts.pop().map(|(text, _)| text).unwrap_or_default()
    }

    fn written(&self, formula: &StateFormula, texts: &[(String, Binding)]) -> (String, Binding) {
        let whole = |id: StateId| match &texts[id] {
            (text, Binding::Tight) => text.clone(),
            (text, Binding::Loose) => format!("({text})"),
        };
        let list = |operands: &[StateId], operator: &str| {
            let operands: Vec<String> = operands.iter().map(|&id| whole(id)).collect();
            (operands.join(operator), Binding::Loose)
        };
        match formula {
            StateFormula::Constant(value) => (value.to_string(), Binding::Tight),
            StateFormula::Literal {
                proposition,
                positive,
            } => {
                let text = &self.propositions.list()[*proposition as usize].text;
                let is_tight = !text.contains([' ', '=', '<', '>', '&', '|', '!']);
                match (positive, is_tight) {
                    (true, true) => (text.clone(), Binding::Tight),
                    (true, false) => (text.clone(), Binding::Loose),
                    (false, true) => (format!("!{text}"), Binding::Tight),
                    (false, false) => (format!("!({text})"), Binding::Tight),
                }
            }
            StateFormula::And(operands) => list(operands, " & "),
            StateFormula::Or(operands) => list(operands, " | "),
            StateFormula::Runs { all, path } => {
                let quantifier = if *all { 'A' } else { 'E' };
                let is = |id: StateId, value| self.formulas[id] == StateFormula::Constant(value);
                let text = match *path {
                    PathFormula::Next(operand) => format!("{quantifier}X {}", whole(operand)),
                    PathFormula::Until(kept, goal) if is(kept, true) => {
                        format!("{quantifier}F {}", whole(goal))
                    }
                    PathFormula::Release(releasing, kept) if is(releasing, false) => {
                        format!("{quantifier}G {}", whole(kept))
                    }
                    PathFormula::Until(kept, goal) => {
                        format!("{quantifier}[{} U {}]", whole(kept), whole(goal))
                    }
                    PathFormula::Release(releasing, kept) => {
                        format!("{quantifier}[{} R {}]", whole(releasing), whole(kept))
                    }
                };
                (text, Binding::Tight)
            }
        }
    }
}
