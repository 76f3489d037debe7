//! Formulas of linear temporal logic as users write them.
//!
//! Operators, loosest first: `->` `<->`, `|`, `^`, `&`, then `U R W M` (all to the right except
//! `|`, `^`, `&`), then `! X F G`, then comparisons and arithmetic. That is Spot's order. `[]` is
//! `G`, `<>` is `F`, and the operators of programs have their other spellings too.
//!
//! Questions for a run are violations too: one that visits `L` again and again violates
//! `F G !at(L)`, one that never ends violates `F (terminated | failed)`, one that ends violates
//! `G !terminated`.

use crate::automaton::Automaton;
use crate::evaluate::holds_on_lasso;
use crate::formula::{FormulaId, Formulas};
use crate::guard::Letter;
use crate::propositions::Propositions;
use crate::text::expressions::Parser;
use crate::text::lexer::TokenKind;
use crate::text::resolve::Resolver;
use crate::translate::translate;
use hardbop_machine::Machine;
use hardbop_syntax::{Diagnostic, Source, Span, codes};

/// Formulas with more operators and operands are refused.
pub(crate) const MAX_PARTS: usize = 20_000;

/// A formula about one program whose automaton has not been made: that can take long.
#[derive(Clone, Debug)]
pub(crate) struct ParsedLtl {
    pub(crate) propositions: Propositions,
    pub(crate) formulas: Formulas,
    pub(crate) root: FormulaId,
    pub(crate) span: Span,
}

/// A formula about one program.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// What it speaks of.
    pub propositions: Propositions,
    formulas: Formulas,
    root: FormulaId,
    violations: crate::buchi::Buchi,
}

/// Reads a formula about a program. The text is a source of its own, to which the diagnostics
/// refer.
pub fn read_ltl(source: &Source, machine: &Machine) -> Result<Ltl, Vec<Diagnostic>> {
    parse_ltl(source, machine)?.translate()
}

/// The same without an automaton.
pub(crate) fn parse_ltl(source: &Source, machine: &Machine) -> Result<ParsedLtl, Vec<Diagnostic>> {
    let whole = Span::new(0, source.text().len() as u32);
    let mut parser = Parser::new(source, whole);
    let root = parser.expression();
    if parser.diagnostics.is_empty() && parser.current.kind != TokenKind::End {
        parser.expected("an operator");
    }
    if parser.tree.nodes.len() > MAX_PARTS {
        let message = format!("the formula has more than {MAX_PARTS} parts");
        return Err(too_large(whole, message));
    }
    let mut resolver = Resolver::new(machine, source);
    let values = resolver.resolve(&parser.tree, true);
    let formula = resolver.require_condition(&parser.tree, root, &values);
    let mut diagnostics = parser.diagnostics;
    diagnostics.append(&mut resolver.diagnostics);
    let (Some(root), true) = (formula, diagnostics.is_empty()) else {
        return Err(diagnostics);
    };
    Ok(ParsedLtl {
        propositions: resolver.propositions,
        formulas: resolver.formulas,
        root,
        span: whole,
    })
}

pub(crate) fn too_large(span: Span, message: String) -> Vec<Diagnostic> {
    vec![Diagnostic::new(codes::PROPERTY_TOO_LARGE, span, message)]
}

impl ParsedLtl {
    /// Makes the automaton.
    pub fn translate(mut self) -> Result<Ltl, Vec<Diagnostic>> {
        let negation = self.formulas.not(self.root);
        let violations = translate(&self.formulas, negation);
        Ok(Ltl {
            violations: violations.map_err(|error| too_large(self.span, error.to_string()))?,
            propositions: self.propositions,
            formulas: self.formulas,
            root: self.root,
        })
    }
}

impl Ltl {
    /// The automaton of all runs that violate the formula.
    pub fn violations(&self) -> Automaton {
        Automaton::from_buchi(
            self.violations.clone(),
            self.propositions.clone(),
            |index| (index.to_string(), false),
        )
    }

    /// Whether the infinite word `stem` `cycle` `cycle` … satisfies the formula, by the definition
    /// of the logic: no automaton is used, so this can judge a counterexample that was found with
    /// one.
    ///
    /// # Panics
    /// If the cycle is empty.
    pub fn holds_on_lasso(&self, stem: &[Letter], cycle: &[Letter]) -> bool {
        holds_on_lasso(&self.formulas, self.root, stem, cycle)
    }
}
