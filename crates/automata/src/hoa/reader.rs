//! Header and body of a file in the HOA format.

use super::lexer::{Token, TokenKind};
use crate::formula::{FormulaId, Formulas};
use crate::generalised::GeneralisedEdge;
use crate::guard::Guard;
use crate::text::expressions::Parser;
use crate::text::resolve::Resolver;
use hardbop_syntax::{Diagnostic, Source, Span, codes};

/// More states than this are refused.
const MAX_STATES: u64 = 100_000;

/// Without labels an edge stands for each valuation of the propositions; more propositions than
/// this are refused.
const MAX_IMPLICIT: usize = 10;

/// Reads the tokens of a file; the first error ends it.
pub(super) struct Reader<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    position: usize,
    /// Gives meaning to propositions, and keeps the formulas of labels.
    pub resolver: Resolver<'a>,
    /// The propositions of the file, as conditions on states of the program.
    pub propositions: Vec<FormulaId>,
    /// Named labels.
    pub aliases: Vec<(&'a str, FormulaId)>,
    /// Names, edges and acceptance of the states.
    pub states: Vec<FileState>,
    /// Initial states.
    pub initial: Vec<u32>,
    /// The acceptance sets that runs have to meet again and again.
    pub sets: Vec<u64>,
    /// The headers so far that may stand there once only.
    headers: Vec<&'a str>,
}

/// A state of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileState {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The sets that the state itself belongs to, as bits.
    pub sets: u64,
    /// Its edges; `fulfilled` has the sets of the edge alone.
    pub edges: Vec<GeneralisedEdge>,
    is_defined: bool,
}

impl<'a> Reader<'a> {
    /// A reader of tokens.
    pub(super) fn new(source: &'a Source, tokens: Vec<Token>, resolver: Resolver<'a>) -> Self {
        Self {
            source,
            tokens,
            position: 0,
            resolver,
            propositions: Vec::new(),
            aliases: Vec::new(),
            states: Vec::new(),
            initial: Vec::new(),
            sets: Vec::new(),
            headers: Vec::new(),
        }
    }

    /// The token at hand.
    pub(super) fn current(&self) -> Token {
        self.tokens[self.position]
    }

    /// Takes the token at hand.
    pub(super) fn advance(&mut self) -> Token {
        let token = self.current();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    /// Whether a sign is at hand.
    pub(super) fn at(&self, sign: u8) -> bool {
        self.current().kind == TokenKind::Sign(sign)
    }

    /// The text of a token.
    pub(super) fn text(&self, token: Token) -> &'a str {
        &self.source.text()[token.span.range()]
    }

    /// The error that something else should stand here.
    pub(crate) fn expected(&self, what: &str) -> Diagnostic {
        let token = self.current();
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text(token).escape_debug()),
        };
        let message = format!("expected {what}, found {found}");
        Diagnostic::new(codes::HOA_SYNTAX, token.span, message).at(format!("expected {what}"))
    }

    /// Takes a number.
    pub(super) fn number(&mut self, what: &str) -> Result<u64, Diagnostic> {
        let token = self.current();
        if token.kind != TokenKind::Number {
            return Err(self.expected(what));
        }
        self.advance();
        self.text(token).parse().map_err(|_| {
            Diagnostic::new(
                codes::HOA_SYNTAX,
                token.span,
                "this number does not fit 64 bits",
            )
        })
    }

    fn sign(&mut self, sign: u8) -> Result<Token, Diagnostic> {
        if self.at(sign) {
            return Ok(self.advance());
        }
        Err(self.expected(&format!("`{}`", sign as char)))
    }

    /// The whole file.
    pub(super) fn file(&mut self) -> Result<(), Diagnostic> {
        let first = self.current();
        if self.text(first) != "HOA:" {
            return Err(self.expected("`HOA:`"));
        }
        self.advance();
        let version = self.advance();
        if self.text(version) != "v1" {
            let message = "only version v1 of the format is known";
            return Err(Diagnostic::new(codes::HOA_SYNTAX, version.span, message));
        }
        while self.current().kind == TokenKind::Header {
            self.header()?;
        }
        let body = self.current();
        if self.text(body) != "--BODY--" {
            return Err(self.expected("`--BODY--`"));
        }
        for (header, is_missing) in [
            ("Start:", self.initial.is_empty()),
            ("Acceptance:", !self.headers.contains(&"Acceptance:")),
        ] {
            if is_missing {
                let message = format!("there is no line `{header}`");
                return Err(Diagnostic::new(codes::HOA_SYNTAX, body.span, message));
            }
        }
        self.advance();
        while self.current().kind == TokenKind::Header {
            self.state()?;
        }
        let end = self.current();
        if self.text(end) != "--END--" {
            return Err(self.expected("`State:` or `--END--`"));
        }
        self.advance();
        if self.current().kind != TokenKind::End {
            let message = "a second automaton in the same file is not read";
            return Err(unsupported(self.current().span, message));
        }
        Ok(())
    }

    fn header(&mut self) -> Result<(), Diagnostic> {
        let header = self.advance();
        let name = self.text(header);
        if matches!(name, "States:" | "AP:" | "Acceptance:") {
            if self.headers.contains(&name) {
                let message = format!("there is a second line `{name}`");
                return Err(Diagnostic::new(codes::HOA_SYNTAX, header.span, message));
            }
            self.headers.push(name);
        }
        match name {
            "States:" => {
                let token = self.current();
                let count = self.number("the number of states")?;
                self.check_state(count.saturating_sub(1), token.span, true)?;
                self.states.resize(count as usize, FileState::default());
            }
            "Start:" => {
                let state = self.state_number()?;
                self.initial.push(state);
            }
            "AP:" => self.atomic_propositions()?,
            "Alias:" => {
                let name = self.advance();
                if name.kind != TokenKind::Alias {
                    return Err(self.expected("a name that begins with `@`"));
                }
                let label = self.label_expression()?;
                self.aliases.push((self.text(name), label));
            }
            "Acceptance:" => self.acceptance()?,
            // Only names that begin with a capital change what the automaton means.
            name if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let message = format!("the header `{name}` is not known");
                return Err(unsupported(header.span, message));
            }
            _ => {
                while !matches!(
                    self.current().kind,
                    TokenKind::Header | TokenKind::Mark | TokenKind::End
                ) {
                    self.advance();
                }
            }
        }
        Ok(())
    }

    /// `AP: 2 "lock" "n < 3"`: each text is a condition on a state of the program.
    fn atomic_propositions(&mut self) -> Result<(), Diagnostic> {
        let count = self.number("the number of propositions")?;
        for _ in 0..count {
            let token = self.current();
            if token.kind != TokenKind::Text {
                return Err(self.expected("a proposition in quotes"));
            }
            self.advance();
            let inside = Span::new(token.span.start + 1, token.span.end - 1);
            let mut parser = Parser::new(self.source, inside);
            let root = parser.expression();
            if parser.diagnostics.is_empty() && parser.current.span.start < inside.end {
                parser.expected("an operator");
            }
            if let Some(first) = parser.diagnostics.into_iter().next() {
                return Err(first);
            }
            let values = self.resolver.resolve(&parser.tree, false);
            let formula = self.resolver.require_condition(&parser.tree, root, &values);
            let Some(formula) = formula else {
                let first = self.resolver.diagnostics.drain(..).next();
                return Err(first.unwrap_or_else(|| self.expected("a condition")));
            };
            self.propositions.push(formula);
        }
        Ok(())
    }

    /// `Acceptance: 2 Inf(0)&Inf(1)`, or `t`.
    fn acceptance(&mut self) -> Result<(), Diagnostic> {
        let count = self.number("the number of acceptance sets")?;
        loop {
            let token = self.advance();
            match self.text(token) {
                "t" => {}
                "Inf" => {
                    self.sign(b'(')?;
                    let set_token = self.current();
                    if self.at(b'!') {
                        let message = "complemented acceptance sets are not supported";
                        return Err(unsupported(set_token.span, message));
                    }
                    let set = self.number("the number of a set")?;
                    if set >= count || set >= 64 {
                        let message = format!("there is no acceptance set {set}");
                        return Err(Diagnostic::new(codes::HOA_SYNTAX, set_token.span, message));
                    }
                    self.sign(b')')?;
                    if !self.sets.contains(&set) {
                        self.sets.push(set);
                    }
                }
                _ => {
                    let message = "this acceptance condition is not a conjunction of `Inf(…)`";
                    return Err(unsupported(token.span, message));
                }
            }
            if !self.at(b'&') {
                break;
            }
            self.advance();
        }
        if let TokenKind::Sign(_) = self.current().kind {
            let message = "this acceptance condition is not a conjunction of `Inf(…)`";
            return Err(unsupported(self.current().span, message));
        }
        Ok(())
    }

    /// A state number below the limit; without a line `States:` the table grows.
    fn check_state(&mut self, number: u64, span: Span, may_grow: bool) -> Result<(), Diagnostic> {
        if number >= MAX_STATES {
            let message = format!("automata may have at most {MAX_STATES} states");
            return Err(Diagnostic::new(codes::PROPERTY_TOO_LARGE, span, message));
        }
        if !may_grow && number >= self.states.len() as u64 {
            let message = format!("there is no state {number}");
            return Err(Diagnostic::new(codes::HOA_SYNTAX, span, message));
        }
        Ok(())
    }

    fn state_number(&mut self) -> Result<u32, Diagnostic> {
        let token = self.current();
        let number = self.number("the number of a state")?;
        if self.states.is_empty() {
            let message = "the number of states must be given first, in a line `States:`";
            return Err(Diagnostic::new(codes::HOA_SYNTAX, token.span, message));
        }
        self.check_state(number, token.span, false)?;
        if self.at(b'&') {
            let message = "alternating automata are not supported";
            return Err(unsupported(self.current().span, message));
        }
        Ok(number as u32)
    }

    /// `[label]`, if there is one.
    fn optional_label(&mut self) -> Result<Option<Guard>, Diagnostic> {
        if !self.at(b'[') {
            return Ok(None);
        }
        self.advance();
        let label = self.label_expression()?;
        self.sign(b']')?;
        self.guard(label).map(Some)
    }

    /// `{0 1}` as bits, if there is one.
    fn optional_sets(&mut self) -> Result<u64, Diagnostic> {
        let mut sets = 0;
        if self.at(b'{') {
            self.advance();
            while !self.at(b'}') {
                let set = self.number("the number of an acceptance set or `}`")?;
                // Sets that the condition does not name do not matter.
                if let Some(bit) = self.sets.iter().position(|&known| known == set) {
                    sets |= 1 << bit;
                }
            }
            self.advance();
        }
        Ok(sets)
    }

    /// `State: [label] 0 "name" {0}` and its edges.
    fn state(&mut self) -> Result<(), Diagnostic> {
        let header = self.advance();
        if self.text(header) != "State:" {
            let message = format!("expected `State:`, found `{}`", self.text(header));
            return Err(Diagnostic::new(codes::HOA_SYNTAX, header.span, message));
        }
        let state_label = self.optional_label()?;
        let number_token = self.current();
        let number = self.state_number()?;
        let mut state = FileState {
            is_defined: true,
            ..FileState::default()
        };
        if self.current().kind == TokenKind::Text {
            let name = self.advance();
            state.name = Some(self.text(name).trim_matches('"').to_owned());
        }
        state.sets = self.optional_sets()?;
        let mut implicit = 0;
        while self.at(b'[') || self.current().kind == TokenKind::Number {
            let label = self.optional_label()?.or_else(|| state_label.clone());
            let guard = match label {
                Some(guard) => guard,
                None => {
                    implicit += 1;
                    self.implicit_label(implicit - 1)?
                }
            };
            let to = self.state_number()?;
            let fulfilled = self.optional_sets()?;
            state.edges.push(GeneralisedEdge {
                guard,
                to,
                fulfilled,
            });
        }
        if implicit > 0 && implicit != 1 << self.propositions.len() {
            let message = format!(
                "without labels a state needs one edge for each of the {} valuations",
                1_u64 << self.propositions.len()
            );
            return Err(Diagnostic::new(codes::HOA_SYNTAX, header.span, message));
        }
        let entry = &mut self.states[number as usize];
        if entry.is_defined {
            let message = format!("the state {number} is defined twice");
            let span = number_token.span;
            return Err(Diagnostic::new(codes::HOA_SYNTAX, span, message));
        }
        *entry = state;
        Ok(())
    }

    /// The label of an edge that has none: the binary digits of its place say which propositions
    /// hold.
    fn implicit_label(&mut self, place: u64) -> Result<Guard, Diagnostic> {
        let span = self.current().span;
        if self.propositions.len() > MAX_IMPLICIT {
            let message = "edges without labels are not supported for so many propositions";
            return Err(unsupported(span, message));
        }
        if place >> self.propositions.len() > 0 {
            let message = "this state has more edges without labels than there are valuations";
            return Err(Diagnostic::new(codes::HOA_SYNTAX, span, message));
        }
        let formulas = &mut self.resolver.formulas;
        let mut label = Formulas::TRUE;
        for (index, &proposition) in self.propositions.iter().enumerate() {
            let literal = if place >> index & 1 == 1 {
                proposition
            } else {
                formulas.not(proposition)
            };
            label = formulas.and([label, literal]);
        }
        self.guard(label)
    }
}

fn unsupported(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(codes::HOA_UNSUPPORTED, span, message)
        .help("Spot makes a Büchi automaton of it: `autfilt -B`")
}
