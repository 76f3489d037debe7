//! Expressions of properties, by operator precedence with explicit stacks: nesting is limited by
//! memory only.

use super::lexer::{Lexer, Sign, Token, TokenKind};
use super::tree::{BinaryOp, Name, Tree, TreeId, TreeKind, UNARY_PRECEDENCE, UnaryOp};
use hardbop_syntax::{Diagnostic, Source, Span, codes};

/// Reads expressions, and lends its tokens to the parser of monitors.
pub(crate) struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token at hand.
    pub current: Token,
    /// The end of the last token that was taken.
    pub last_end: u32,
    /// What was wrong so far.
    pub diagnostics: Vec<Diagnostic>,
    /// All expressions read so far.
    pub tree: Tree,
    /// Whether `A` and `E` are path quantifiers, and brackets parentheses.
    branching: bool,
}

/// What waits for an operand.
#[derive(Clone, Copy)]
enum Open {
    Unary(UnaryOp, Span),
    Binary(BinaryOp),
    /// What opened it, and the sign that closes it.
    Paren(Span, Sign),
}

impl<'a> Parser<'a> {
    /// A parser of the part of a source that a span names.
    pub(crate) fn new(source: &'a Source, part: Span) -> Self {
        let mut parser = Self {
            lexer: Lexer::new(source, part),
            current: Token {
                kind: TokenKind::End,
                span: part,
            },
            last_end: part.start,
            diagnostics: Vec::new(),
            tree: Tree::default(),
            branching: false,
        };
        parser.advance();
        parser.last_end = part.start;
        parser
    }

    /// A parser of a whole formula of branching time.
    pub(crate) fn branching(source: &'a Source, part: Span) -> Self {
        Self {
            branching: true,
            ..Self::new(source, part)
        }
    }

    /// Takes the current token.
    pub(crate) fn advance(&mut self) -> Token {
        let token = self.current;
        self.last_end = token.span.end;
        self.current = self.lexer.next_token(&mut self.diagnostics);
        token
    }

    /// The text of a span.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.lexer.slice(span)
    }

    /// Whether the current token is this sign.
    fn at_sign(&self, sign: Sign) -> bool {
        self.current.kind == TokenKind::Sign(sign)
    }

    /// The current token's text if it is a word.
    pub(crate) fn word(&self) -> Option<&'a str> {
        (self.current.kind == TokenKind::Word).then(|| self.slice(self.current.span))
    }

    /// Takes the current token if it is this sign.
    pub(crate) fn accept_sign(&mut self, sign: Sign) -> Option<Token> {
        self.at_sign(sign).then(|| self.advance())
    }

    /// Takes the current token if it is this word.
    pub(crate) fn accept_word(&mut self, word: &str) -> Option<Token> {
        (self.word() == Some(word)).then(|| self.advance())
    }

    /// Takes a sign, or reports that it is missing.
    pub(crate) fn expect_sign(&mut self, sign: Sign, what: &str) -> Option<Token> {
        let token = self.accept_sign(sign);
        if token.is_none() {
            self.expected(what);
        }
        token
    }

    /// Reports that something else should stand here.
    pub(crate) fn expected(&mut self, what: &str) {
        let (span, found) = match self.current.kind {
            TokenKind::End => (
                Span::new(self.last_end, self.last_end),
                "the end".to_owned(),
            ),
            _ => {
                let text: String = self.slice(self.current.span).chars().take(40).collect();
                (self.current.span, format!("`{}`", text.escape_debug()))
            }
        };
        let message = format!("expected {what}, found {found}");
        self.diagnostics.push(
            Diagnostic::new(codes::PROPERTY_SYNTAX, span, message).at(format!("expected {what}")),
        );
    }

    /// An expression. If it cannot be read, a diagnostic is reported and its tree is an `Error`.
    pub(crate) fn expression(&mut self) -> TreeId {
        let mut operands: Vec<TreeId> = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.prefixes(&mut open);
            let Some(operand) = self.operand() else {
                return self.error();
            };
            operands.push(operand);
            loop {
                if let Some(opening) = self.close_paren(&mut operands, &mut open) {
                    let closing = self.advance();
                    let top = operands.last().expect("parentheses have an expression");
                    let node = &mut self.tree.nodes[top.0 as usize];
                    node.in_parentheses = true;
                    node.span = opening.to(closing.span);
                    continue;
                }
                break;
            }
            let Some(op) = self.binary_operator() else {
                if self.joined_operators(&mut operands, &mut open) {
                    continue;
                }
                break;
            };
            self.reduce(&mut operands, &mut open, |waiting| {
                waiting > op.precedence()
                    || (waiting == op.precedence() && !op.is_right_associative())
            });
            self.advance();
            open.push(Open::Binary(op));
        }
        self.reduce(&mut operands, &mut open, |_| true);
        if let Some(&Open::Paren(opening, closing)) = open.last() {
            self.expected(if closing == Sign::RightParen {
                "`)`"
            } else {
                "`]`"
            });
            if let Some(last) = self.diagnostics.last_mut() {
                *last = last.clone().also(opening, "opened here");
            }
            return self.error();
        }
        operands
            .pop()
            .expect("every operator has found its operands, and one is left")
    }

    /// Whether the last operand was meant as operators before another operand: `GF g`. No text with
    /// two operands side by side can be read otherwise.
    fn joined_operators(&mut self, operands: &mut Vec<TreeId>, open: &mut Vec<Open>) -> bool {
        let starts_operand = matches!(
            self.current.kind,
            TokenKind::Word
                | TokenKind::Number
                | TokenKind::Sign(Sign::LeftParen | Sign::Not | Sign::Always | Sign::Eventually)
        );
        let Some(&last) = operands.last().filter(|_| starts_operand) else {
            return false;
        };
        let span = self.tree.nodes[last.0 as usize].span;
        let text = self.slice(span);
        let branching = self.branching;
        let unary = |letter| match letter {
            'E' if branching => Some(Open::Unary(UnaryOp::Exists, span)),
            'A' if branching => Some(Open::Unary(UnaryOp::Forall, span)),
            'X' => Some(Open::Unary(UnaryOp::Next, span)),
            'F' => Some(Open::Unary(UnaryOp::Finally, span)),
            'G' => Some(Open::Unary(UnaryOp::Globally, span)),
            _ => None,
        };
        let Some(operators) = text.chars().map(unary).collect::<Option<Vec<Open>>>() else {
            return false;
        };
        self.tree.nodes[last.0 as usize].kind = TreeKind::Error;
        operands.pop();
        open.extend(operators);
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let message = format!("expected an operator, found `{text}`");
        let help = format!("put blanks between operators: `{}`", letters.join(" "));
        self.diagnostics
            .push(Diagnostic::new(codes::PROPERTY_SYNTAX, span, message).help(help));
        true
    }

    fn error(&mut self) -> TreeId {
        self.tree.add(TreeKind::Error, self.current.span)
    }

    /// Takes what may stand before an operand.
    fn prefixes(&mut self, open: &mut Vec<Open>) {
        loop {
            let span = self.current.span;
            let waiting = match self.current.kind {
                TokenKind::Sign(Sign::LeftParen) => Open::Paren(span, Sign::RightParen),
                TokenKind::Sign(Sign::LeftBracket) if self.branching => {
                    Open::Paren(span, Sign::RightBracket)
                }
                TokenKind::Sign(Sign::Not) => Open::Unary(UnaryOp::Not, span),
                TokenKind::Sign(Sign::Always) => Open::Unary(UnaryOp::Globally, span),
                TokenKind::Sign(Sign::Eventually) => Open::Unary(UnaryOp::Finally, span),
                TokenKind::Word => match self.slice(span) {
                    "X" => Open::Unary(UnaryOp::Next, span),
                    "F" => Open::Unary(UnaryOp::Finally, span),
                    "G" => Open::Unary(UnaryOp::Globally, span),
                    word if self.branching => {
                        let Some((quantifier, operator)) = quantified(word) else {
                            return;
                        };
                        open.push(Open::Unary(quantifier, span));
                        match operator {
                            Some(operator) => Open::Unary(operator, span),
                            None => {
                                self.advance();
                                continue;
                            }
                        }
                    }
                    _ => return,
                },
                _ => return,
            };
            open.push(waiting);
            self.advance();
        }
    }

    /// Takes an operand; reports if there is none.
    fn operand(&mut self) -> Option<TreeId> {
        let start = self.current.span;
        let kind = match self.current.kind {
            TokenKind::Number => {
                self.advance();
                match self.slice(start).parse() {
                    Ok(value) => TreeKind::Number(value),
                    Err(_) => {
                        let message = "this number does not fit 64 bits";
                        self.diagnostics.push(Diagnostic::new(
                            codes::PROPERTY_TYPE,
                            start,
                            message,
                        ));
                        TreeKind::Error
                    }
                }
            }
            TokenKind::Word => match self.slice(start) {
                "true" => self.constant(TreeKind::Constant(true)),
                "false" => self.constant(TreeKind::Constant(false)),
                "terminated" => self.constant(TreeKind::Terminated),
                "failed" => self.constant(TreeKind::Failed),
                "at" => TreeKind::At(self.name_in_parentheses("a label")?),
                "var" => TreeKind::Variable(self.name_in_parentheses("a variable")?),
                "in" => TreeKind::In(self.name_in_parentheses("a procedure")?.name),
                // Both may also be the name of a variable: `return` is that of a result.
                "call" if self.is_before_parenthesis() => {
                    TreeKind::Call(self.name_in_parentheses("a procedure")?.name)
                }
                "return" if self.is_before_parenthesis() => {
                    TreeKind::Return(self.name_in_parentheses("a procedure")?.name)
                }
                "U" | "R" | "W" | "M" => {
                    self.expected("a condition");
                    return None;
                }
                _ => TreeKind::Variable(self.name("a variable")?),
            },
            _ => {
                self.expected("a condition");
                return None;
            }
        };
        let span = Span::new(start.start, self.last_end);
        Some(self.tree.add(kind, span))
    }

    fn constant(&mut self, kind: TreeKind) -> TreeKind {
        self.advance();
        kind
    }

    /// Whether the word that is current is followed by an opening parenthesis.
    fn is_before_parenthesis(&self) -> bool {
        self.lexer.rest().trim_start().starts_with('(')
    }

    fn name_in_parentheses(&mut self, what: &str) -> Option<Name> {
        self.advance();
        self.expect_sign(Sign::LeftParen, "`(`")?;
        let name = self.name(what)?;
        self.expect_sign(Sign::RightParen, "`)`")?;
        Some(name)
    }

    /// `name` or `procedure:name`; labels may be numbers.
    fn name(&mut self, what: &str) -> Option<Name> {
        let first = self.simple_name(what)?;
        if self.accept_sign(Sign::Colon).is_none() {
            return Some(Name {
                procedure: None,
                name: first,
            });
        }
        Some(Name {
            procedure: Some(first),
            name: self.simple_name(what)?,
        })
    }

    fn simple_name(&mut self, what: &str) -> Option<Span> {
        if matches!(self.current.kind, TokenKind::Word | TokenKind::Number) {
            return Some(self.advance().span);
        }
        self.expected(&format!("the name of {what}"));
        None
    }

    fn binary_operator(&self) -> Option<BinaryOp> {
        use BinaryOp as B;
        Some(match self.current.kind {
            TokenKind::Sign(sign) => match sign {
                Sign::And => B::And,
                Sign::Or => B::Or,
                Sign::Xor => B::Xor,
                Sign::Implies => B::Implies,
                Sign::Iff => B::Iff,
                Sign::Equal => B::Equal,
                Sign::NotEqual => B::NotEqual,
                Sign::Less => B::Less,
                Sign::LessEqual => B::LessEqual,
                Sign::Greater => B::Greater,
                Sign::GreaterEqual => B::GreaterEqual,
                Sign::Plus => B::Add,
                Sign::Minus => B::Subtract,
                Sign::Times => B::Multiply,
                _ => return None,
            },
            TokenKind::Word => match self.slice(self.current.span) {
                "U" => B::Until,
                "R" => B::Release,
                "W" => B::WeakUntil,
                "M" => B::StrongRelease,
                _ => return None,
            },
            TokenKind::Number | TokenKind::End => return None,
        })
    }

    /// Gives operators on top of the stack their operands, down to a parenthesis or the first that
    /// should wait.
    fn reduce(
        &mut self,
        operands: &mut Vec<TreeId>,
        open: &mut Vec<Open>,
        is_complete: impl Fn(u8) -> bool,
    ) {
        loop {
            let node = match open.last() {
                Some(&Open::Unary(op, span)) if is_complete(UNARY_PRECEDENCE) => {
                    let operand = operands.pop().expect("an operand follows each prefix");
                    let span = span.to(self.tree.node(operand).span);
                    self.tree.add(TreeKind::Unary(op, operand), span)
                }
                Some(&Open::Binary(op)) if is_complete(op.precedence()) => {
                    let right = operands.pop().expect("an operand follows each operator");
                    let left = operands.pop().expect("an operand precedes each operator");
                    self.check_readings(op, [left, right]);
                    let span = self.tree.node(left).span.to(self.tree.node(right).span);
                    self.tree.add(TreeKind::Binary(op, left, right), span)
                }
                _ => return,
            };
            open.pop();
            operands.push(node);
        }
    }

    /// Completes the innermost parenthesis, if there is one; gives its opening.
    fn close_paren(&mut self, operands: &mut Vec<TreeId>, open: &mut Vec<Open>) -> Option<Span> {
        if !self.at_sign(Sign::RightParen) && !self.at_sign(Sign::RightBracket) {
            return None;
        }
        self.reduce(operands, open, |_| true);
        match open.last() {
            Some(&Open::Paren(opening, closing)) if self.at_sign(closing) => {
                open.pop();
                Some(opening)
            }
            _ => None,
        }
    }

    /// `->` and `<->` side by side are read differently by different tools.
    fn check_readings(&mut self, op: BinaryOp, operands: [TreeId; 2]) {
        for operand in operands {
            let node = *self.tree.node(operand);
            if let TreeKind::Binary(inner, ..) = node.kind
                && op.precedence() == 1
                && inner.precedence() == 1
                && inner != op
                && !node.in_parentheses
            {
                let message = "`->` and `<->` stand side by side without parentheses";
                self.diagnostics.push(
                    Diagnostic::new(codes::PROPERTY_READINGS, node.span, message)
                        .at("put this part in parentheses, or the other"),
                );
            }
        }
    }
}

/// The path quantifier that a word begins with, and the temporal operator behind it: `AG`, `E`.
fn quantified(word: &str) -> Option<(UnaryOp, Option<UnaryOp>)> {
    let mut letters = word.chars();
    let quantifier = match letters.next()? {
        'A' => UnaryOp::Forall,
        'E' => UnaryOp::Exists,
        _ => return None,
    };
    let operator = match letters.as_str() {
        "" => None,
        "X" => Some(UnaryOp::Next),
        "F" => Some(UnaryOp::Finally),
        "G" => Some(UnaryOp::Globally),
        _ => return None,
    };
    Some((quantifier, operator))
}
