//! Labels of edges: Boolean expressions over the numbers of propositions, with explicit stacks.
//!
//! `!` binds tightest, then `&`, then `|`. They are made as formulas, which keep negation at the
//! propositions, and become guards when they are whole.

use super::lexer::TokenKind;
use super::reader::Reader;
use crate::condition::guard_of;
use crate::formula::{FormulaId, Formulas};
use crate::guard::Guard;
use hardbop_syntax::{Diagnostic, codes};

impl Reader<'_> {
    /// A label expression up to a token that cannot belong to it.
    pub(crate) fn label_expression(&mut self) -> Result<FormulaId, Diagnostic> {
        let mut operands: Vec<FormulaId> = Vec::new();
        let mut open: Vec<u8> = Vec::new();
        loop {
            while let TokenKind::Sign(sign @ (b'!' | b'(')) = self.current().kind {
                self.advance();
                open.push(sign);
            }
            operands.push(self.label_operand()?);
            loop {
                if self.at(b')') && open.contains(&b'(') {
                    self.complete(&mut operands, &mut open, 0);
                    open.pop();
                    self.advance();
                } else {
                    break;
                }
            }
            match self.current().kind {
                TokenKind::Sign(sign @ (b'&' | b'|')) => {
                    self.complete(&mut operands, &mut open, precedence(sign));
                    self.advance();
                    open.push(sign);
                }
                _ => break,
            }
        }
        self.complete(&mut operands, &mut open, 0);
        if !open.is_empty() {
            return Err(self.expected("`)`"));
        }
        Ok(operands
            .pop()
            .expect("every operator has found its operands, and one is left"))
    }

    fn label_operand(&mut self) -> Result<FormulaId, Diagnostic> {
        let token = self.current();
        let text = self.text(token);
        match token.kind {
            TokenKind::Word if text == "t" => {
                self.advance();
                Ok(Formulas::TRUE)
            }
            TokenKind::Word if text == "f" => {
                self.advance();
                Ok(Formulas::FALSE)
            }
            TokenKind::Number => {
                let number = self.number("a proposition")?;
                let known = self.propositions.get(number as usize).copied();
                known.ok_or_else(|| {
                    let message = format!("there is no proposition {number}");
                    Diagnostic::new(codes::HOA_SYNTAX, token.span, message)
                })
            }
            TokenKind::Alias => {
                self.advance();
                let found = self.aliases.iter().find(|(name, _)| *name == text);
                found.map(|&(_, label)| label).ok_or_else(|| {
                    let message = format!("there is no alias `{text}`");
                    Diagnostic::new(codes::HOA_SYNTAX, token.span, message)
                })
            }
            _ => Err(self.expected("a condition")),
        }
    }

    /// Gives operators that bind at least so tightly their operands, down to a parenthesis.
    fn complete(&mut self, operands: &mut Vec<FormulaId>, open: &mut Vec<u8>, least: u8) {
        let formulas = &mut self.resolver.formulas;
        while let Some(&sign) = open.last()
            && sign != b'('
            && precedence(sign) >= least
        {
            open.pop();
            let right = operands.pop().expect("an operand follows each operator");
            let result = if sign == b'!' {
                formulas.not(right)
            } else {
                let left = operands.pop().expect("an operand precedes each operator");
                if sign == b'&' {
                    formulas.and([left, right])
                } else {
                    formulas.or([left, right])
                }
            };
            operands.push(result);
        }
    }

    /// The guard of a whole label.
    pub(crate) fn guard(&self, label: FormulaId) -> Result<Guard, Diagnostic> {
        guard_of(&self.resolver.formulas, label).map_err(|error| {
            let span = self.current().span;
            Diagnostic::new(codes::PROPERTY_TOO_LARGE, span, error.to_string())
        })
    }
}

fn precedence(sign: u8) -> u8 {
    match sign {
        b'|' => 1,
        b'&' => 2,
        _ => 3,
    }
}
