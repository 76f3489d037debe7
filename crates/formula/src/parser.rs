//! Tokens to a tree: types, relations, queries and commands.
//!
//! Parsing never fails. What cannot be read is reported and skipped up to the next `;` or to a word
//! that starts something new, and reading goes on there. Expressions are read in [`expressions`].

mod expressions;

use crate::ast::{
    Ast, Command, CommandArgument, Declaration, EnumValues, HintItem, Ident, Item, LoadName, Need,
    NeedKind, RelationItem,
};
use crate::lexer::Lexer;
use crate::system::{HintKind, RelationKind};
use crate::token::{Token, TokenKind};
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span};

/// One file as it was read; its expressions are in the common [`Ast`].
pub(crate) struct ParsedFile {
    pub items: Vec<Item>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file whose first byte has the given address.
pub(crate) fn parse(text: &str, base: u32, ast: &mut Ast) -> ParsedFile {
    let mut lexer = Lexer::new(text, base);
    let current = lexer.next_token();
    let next = lexer.next_token();
    let mut parser = Parser {
        lexer,
        ast,
        current,
        next,
        previous: Span::new(base, base),
        quits: false,
        open_cases: 0,
    };
    let items = parser.items();
    ParsedFile {
        items,
        diagnostics: parser.lexer.diagnostics,
    }
}

/// The error has been reported; what is being read is given up.
struct GivenUp;

type Reading<T> = Result<T, GivenUp>;

struct Parser<'a> {
    lexer: Lexer<'a>,
    ast: &'a mut Ast,
    current: Token,
    next: Token,
    /// The token before the current one.
    previous: Span,
    /// `#quit` has been read: nothing after it is.
    quits: bool,
    /// How many `case` of the current item are not closed yet: their `;` does not end the item.
    open_cases: usize,
}

impl Parser<'_> {
    fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.current.kind != TokenKind::End && !self.quits {
            if self.take(TokenKind::Semicolon) {
                continue;
            }
            self.open_cases = 0;
            match self.item() {
                Ok(item) => items.extend(item),
                Err(GivenUp) => self.skip_item(),
            }
        }
        items
    }

    fn item(&mut self) -> Reading<Option<Item>> {
        match (self.current.kind, self.next.kind) {
            (TokenKind::Enum, _) => self.enumeration().map(Some),
            (TokenKind::Class, _) => self.class().map(Some),
            (TokenKind::Command, _) => self.command(),
            (TokenKind::Name, TokenKind::Name | TokenKind::Text) if self.text() == "load" => {
                let start = self.current.span;
                self.bump();
                self.load(start).map(Some)
            }
            (TokenKind::Name, TokenKind::Name) if self.text() == "needs" && self.is_need() => {
                self.needs().map(Some)
            }
            (TokenKind::Mu | TokenKind::Nu, _) | (TokenKind::Name, TokenKind::Name) => {
                self.relation().map(Some)
            }
            _ => {
                let formula = self.expression()?;
                self.end_item();
                Ok(Some(Item::Query(formula)))
            }
        }
    }

    fn enumeration(&mut self) -> Reading<Item> {
        self.bump();
        let name = self.name("the name of the enumeration")?;
        self.expect(TokenKind::LeftBrace)?;
        let values = if self.current.kind == TokenKind::Number {
            let (first, start) = self.number()?;
            self.expect(TokenKind::Dot)?;
            self.expect(TokenKind::Dot)?;
            self.take(TokenKind::Dot);
            let (last, end) = self.number()?;
            let span = start.to(end);
            EnumValues::Range { first, last, span }
        } else {
            let mut names = Vec::new();
            while self.current.kind != TokenKind::RightBrace {
                names.push(self.name("the name of a value, or a range such as `0..3`")?);
                if !self.take(TokenKind::Comma) {
                    break;
                }
            }
            EnumValues::Names(names)
        };
        self.expect(TokenKind::RightBrace)?;
        self.end_item();
        Ok(Item::Enum { name, values })
    }

    fn class(&mut self) -> Reading<Item> {
        self.bump();
        let name = self.name("the name of the structure")?;
        self.expect(TokenKind::LeftBrace)?;
        let mut fields = Vec::new();
        while self.current.kind != TokenKind::RightBrace {
            let ty = self.name("the type of a field, or `}`")?;
            self.declared_names(ty, &mut fields)?;
            self.expect(TokenKind::Semicolon)?;
        }
        self.bump();
        let hints = self.hints()?;
        self.end_item();
        Ok(Item::Class {
            name,
            fields,
            hints,
        })
    }

    /// `a, b[3]` after a type.
    fn declared_names(&mut self, ty: Ident, into: &mut Vec<Declaration>) -> Reading<()> {
        loop {
            into.push(self.declared_name(ty)?);
            if !self.take(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    fn declared_name(&mut self, ty: Ident) -> Reading<Declaration> {
        let name = self.name("a name")?;
        let length = if self.take(TokenKind::LeftBracket) {
            let length = self.number()?;
            self.expect(TokenKind::RightBracket)?;
            Some(length)
        } else {
            None
        };
        Ok(Declaration {
            ty,
            name,
            component: Vec::new(),
            length,
        })
    }

    /// `A a, B b, c`: a name without a type has that of the one before.
    fn declarations(&mut self) -> Reading<Vec<Declaration>> {
        let mut declarations: Vec<Declaration> = Vec::new();
        loop {
            let ty = match declarations.last() {
                Some(before) if self.next.kind != TokenKind::Name => before.ty,
                _ => self.name("the type of a variable")?,
            };
            let mut declaration = self.declared_name(ty)?;
            if let Some(end) = self.lexer.component_end(declaration.name.span.end) {
                declaration.component = self.steps(end)?;
            }
            declarations.push(declaration);
            if !self.take(TokenKind::Comma) {
                return Ok(declarations);
            }
        }
    }

    /// A relation, or variables, which start the same way.
    fn relation(&mut self) -> Reading<Item> {
        let kind = match self.current.kind {
            TokenKind::Mu => RelationKind::Least,
            TokenKind::Nu => RelationKind::Greatest,
            _ => RelationKind::Definition,
        };
        if kind != RelationKind::Definition {
            self.bump();
        }
        let result = self.name("`bool`")?;
        if kind == RelationKind::Definition && self.next.kind != TokenKind::LeftParen {
            let mut variables = Vec::new();
            self.declared_names(result, &mut variables)?;
            self.end_item();
            return Ok(Item::Variables(variables));
        }
        let name = self.name("the name of the relation")?;
        self.expect(TokenKind::LeftParen)?;
        let parameters = if self.current.kind == TokenKind::RightParen {
            Vec::new()
        } else {
            self.declarations()?
        };
        self.expect(TokenKind::RightParen)?;
        let hints = self.hints()?;
        let body = if self.current.kind == TokenKind::Semicolon {
            None
        } else {
            Some(self.expression()?)
        };
        self.end_item();
        Ok(Item::Relation(RelationItem {
            kind,
            result,
            name,
            parameters,
            hints,
            body,
        }))
    }

    /// Order hints, if any stand here. What follows a name decides: no formula goes on with `~+`,
    /// `~-`, `<` or `>`.
    fn hints(&mut self) -> Reading<Vec<HintItem>> {
        let mut hints = Vec::new();
        loop {
            let (left, kind) = match (hint_kind(self.current.kind), hint_kind(self.next.kind)) {
                (Some(kind), _) => (None, kind),
                (None, Some(kind)) if self.current.kind == TokenKind::Name => {
                    (Some(self.name("a variable")?), kind)
                }
                _ => return Ok(hints),
            };
            self.bump();
            let right = self.name("a variable")?;
            hints.push(HintItem { left, kind, right });
            if !self.take(TokenKind::Comma) {
                return Ok(hints);
            }
        }
    }

    fn command(&mut self) -> Reading<Option<Item>> {
        let start = self.current.span;
        let name = self.intern(self.lexer.slice(start).trim_start_matches('#'), start);
        self.bump();
        match self.ast.text(name) {
            "quit" => {
                self.quits = true;
                return Ok(Some(Item::Command(Command {
                    name,
                    arguments: Vec::new(),
                    span: start,
                })));
            }
            "load" => return self.load(start).map(Some),
            _ => {}
        }
        let mut arguments = Vec::new();
        while self.current.kind != TokenKind::Semicolon {
            if self.current.kind == TokenKind::Text {
                arguments.push(CommandArgument::Text(self.quoted()));
            } else {
                arguments.push(CommandArgument::Formula(self.expression()?));
            }
            if !self.take(TokenKind::Comma) {
                break;
            }
        }
        let span = start.to(self.previous);
        self.end_item();
        Ok(Some(Item::Command(Command {
            name,
            arguments,
            span,
        })))
    }

    /// The names after `load`.
    fn load(&mut self, start: Span) -> Reading<Item> {
        let mut names = Vec::new();
        loop {
            let span = self.current.span;
            let is_quoted = self.current.kind == TokenKind::Text;
            let text = if is_quoted {
                self.quoted()
            } else {
                let name = self.name("the name of a file")?;
                self.ast.text(name).to_owned()
            };
            names.push(LoadName {
                text,
                is_quoted,
                span,
            });
            if !self.take(TokenKind::Comma) {
                break;
            }
        }
        self.end_item();
        Ok(Item::Load(names, start.to(self.previous)))
    }

    /// Whether the word after `needs` is one of those that may stand there. Other words make it the
    /// name of a type.
    fn is_need(&self) -> bool {
        let word = self.lexer.slice(self.next.span);
        NeedKind::ALL.iter().any(|(known, _)| *known == word)
    }

    /// What stands after `needs`: a kind, and names of that kind.
    fn needs(&mut self) -> Reading<Item> {
        let start = self.current.span;
        self.bump();
        let word = self.text();
        let known = NeedKind::ALL.iter().find(|(known, _)| *known == word);
        let kind = known.map_or(NeedKind::Global, |(_, kind)| *kind);
        self.bump();
        let mut needs = Vec::new();
        loop {
            let first = self.name("the name of what is needed")?;
            let mut name = self.ast.text(first).to_owned();
            let mut span = first.span;
            while self.take(TokenKind::Dot) {
                let next = self.name("the rest of the name")?;
                name.push('.');
                name.push_str(self.ast.text(next));
                span = span.to(next.span);
            }
            let width = if self.take(TokenKind::LeftBracket) {
                let width = self.number()?;
                self.expect(TokenKind::RightBracket)?;
                Some(width)
            } else {
                None
            };
            needs.push(Need {
                kind,
                name,
                width,
                span,
            });
            if !self.take(TokenKind::Comma) {
                break;
            }
        }
        self.end_item();
        Ok(Item::Needs(needs, start.to(self.previous)))
    }

    /// The text between the quotes of the current token.
    fn quoted(&mut self) -> String {
        let text = self.text();
        let text = text.strip_prefix('"').unwrap_or(text);
        let text = text.strip_suffix('"').unwrap_or(text).to_owned();
        self.bump();
        text
    }

    fn text(&self) -> &str {
        self.lexer.slice(self.current.span)
    }

    fn bump(&mut self) {
        self.previous = self.current.span;
        self.current = self.next;
        self.next = self.lexer.next_token();
    }

    fn take(&mut self, kind: TokenKind) -> bool {
        let is_there = self.current.kind == kind;
        if is_there {
            self.bump();
        }
        is_there
    }

    fn expect(&mut self, kind: TokenKind) -> Reading<()> {
        if self.take(kind) {
            return Ok(());
        }
        Err(self.unexpected(kind.describe()))
    }

    fn name(&mut self, what: &str) -> Reading<Ident> {
        if self.current.kind != TokenKind::Name {
            return Err(self.unexpected(what));
        }
        let span = self.current.span;
        let name = self.intern(self.lexer.slice(span), span);
        self.bump();
        Ok(name)
    }

    fn intern(&mut self, text: &str, span: Span) -> Ident {
        let name = self.ast.names.intern(text);
        Ident { name, span }
    }

    fn number(&mut self) -> Reading<(u64, Span)> {
        if self.current.kind != TokenKind::Number {
            return Err(self.unexpected("a number"));
        }
        let span = self.current.span;
        let digits = self.lexer.slice(span);
        let number = digits.parse().unwrap_or_else(|_| {
            let message = "this number does not fit 64 bits";
            self.lexer
                .report(Diagnostic::new(codes::NUMBER_TOO_LARGE, span, message));
            0
        });
        self.bump();
        Ok((number, span))
    }

    /// Reports that something else was expected at the current token.
    fn unexpected(&mut self, expected: &str) -> GivenUp {
        let diagnostic = self.unexpected_here(expected);
        self.lexer.report(diagnostic);
        GivenUp
    }

    fn unexpected_here(&self, expected: &str) -> Diagnostic {
        let found = match self.current.kind {
            TokenKind::Name | TokenKind::Number | TokenKind::Command => {
                format!("`{}`", self.text())
            }
            kind => kind.describe().to_owned(),
        };
        let message = format!("expected {expected}, found {found}");
        Diagnostic::new(codes::EXPECTED, self.current.span, message)
    }

    /// The `;` at the end of an item. If it is missing and something new starts here, only the `;`
    /// is missing.
    fn end_item(&mut self) {
        if self.take(TokenKind::Semicolon) {
            return;
        }
        if self.starts_item() || self.current.kind == TokenKind::End {
            let place = self.previous.after();
            let message = "a `;` is missing here";
            self.lexer
                .report(Diagnostic::new(codes::EXPECTED, place, message));
        } else {
            let GivenUp = self.unexpected("an operator or `;`");
            self.skip_item();
        }
    }

    fn starts_item(&self) -> bool {
        match self.current.kind {
            TokenKind::Enum
            | TokenKind::Class
            | TokenKind::Mu
            | TokenKind::Nu
            | TokenKind::Command => true,
            TokenKind::Name => self.next.kind == TokenKind::Name,
            _ => false,
        }
    }

    /// Goes on after the next `;` that is not inside a `case`, or at a word that starts something
    /// new.
    fn skip_item(&mut self) {
        loop {
            match self.current.kind {
                TokenKind::End
                | TokenKind::Enum
                | TokenKind::Class
                | TokenKind::Mu
                | TokenKind::Nu
                | TokenKind::Command => return,
                TokenKind::Semicolon if self.open_cases == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::Case => self.open_cases += 1,
                TokenKind::Esac => self.open_cases = self.open_cases.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }
}

fn hint_kind(kind: TokenKind) -> Option<HintKind> {
    match kind {
        TokenKind::Interleaved => Some(HintKind::Interleaved),
        TokenKind::Backwards => Some(HintKind::Apart),
        TokenKind::Less => Some(HintKind::Above),
        TokenKind::Greater => Some(HintKind::Below),
        _ => None,
    }
}
