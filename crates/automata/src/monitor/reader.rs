//! The text of a monitor: its states and transitions as written. After an error reading goes on
//! behind the next `;`.

use crate::text::expressions::Parser;
use crate::text::lexer::{Sign, TokenKind};
use crate::text::tree::{TreeId, TreeKind};
use hardbop_syntax::{Source, Span};

/// A state as declared.
pub(super) struct Declared {
    /// Its name.
    pub name: Span,
    /// Whether the monitor may start here.
    pub initial: bool,
    /// Whether entering it is an error.
    pub target: bool,
    /// Whether visiting it for ever is an error.
    pub accepting: bool,
}

/// What to do when a guard holds.
pub(super) enum Move {
    /// Go to one of these states.
    Goto(Vec<Span>),
    /// Stay.
    Stay,
    /// Observe this run no longer.
    Stop,
}

/// The transitions behind one `from`.
pub(super) struct From {
    /// The state they leave.
    pub state: Span,
    /// Guards and what to do where they hold.
    pub transitions: Vec<(TreeId, Move)>,
    /// What to do where none holds.
    pub otherwise: Option<Move>,
}

/// Reads the text of a monitor.
pub(super) struct Reader<'a> {
    /// The tokens and expressions.
    pub parser: Parser<'a>,
    /// The states, in order.
    pub states: Vec<Declared>,
    /// The transitions, in order.
    pub groups: Vec<From>,
}

impl<'a> Reader<'a> {
    /// A reader of a source.
    pub(super) fn new(source: &'a Source) -> Self {
        let whole = Span::new(0, source.text().len() as u32);
        Self {
            parser: Parser::new(source, whole),
            states: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// The whole file; gives the place of the monitor's name.
    pub(super) fn file(&mut self) -> Span {
        if !self.keyword("monitor") {
            return Span::default();
        }
        let Some(name) = self.name("the name of the monitor") else {
            return Span::default();
        };
        self.keyword("begin");
        loop {
            match self.parser.word() {
                Some("state") => self.state(),
                Some("from") => self.from(),
                Some("end") => {
                    self.parser.advance();
                    break;
                }
                _ if self.parser.current.kind == TokenKind::End => {
                    self.parser.expected("`end`");
                    return name;
                }
                _ => {
                    self.parser.expected("`state`, `from` or `end`");
                    self.parser.advance();
                    self.recover();
                }
            }
        }
        if self.parser.current.kind != TokenKind::End {
            self.parser.expected("the end of the file");
        }
        name
    }

    fn keyword(&mut self, word: &str) -> bool {
        let found = self.parser.accept_word(word).is_some();
        if !found {
            self.parser.expected(&format!("`{word}`"));
        }
        found
    }

    fn name(&mut self, what: &str) -> Option<Span> {
        if self.parser.word().is_some() {
            return Some(self.parser.advance().span);
        }
        self.parser.expected(what);
        None
    }

    /// Skips to behind the next `;`, or to a word that begins something.
    fn recover(&mut self) {
        while self.parser.current.kind != TokenKind::End
            && !matches!(
                self.parser.word(),
                Some("state" | "from" | "on" | "else" | "end")
            )
        {
            if self.parser.advance().kind == TokenKind::Sign(Sign::Semicolon) {
                return;
            }
        }
    }

    fn semicolon(&mut self) {
        if self.parser.expect_sign(Sign::Semicolon, "`;`").is_none() {
            self.recover();
        }
    }

    /// `state a initial, b accepting;`
    fn state(&mut self) {
        self.parser.advance();
        loop {
            let Some(name) = self.name("the name of a state") else {
                return self.recover();
            };
            let mut state = Declared {
                name,
                initial: false,
                target: false,
                accepting: false,
            };
            while let Some(word) = self.parser.word() {
                match word {
                    "initial" => state.initial = true,
                    "target" => state.target = true,
                    "accepting" => state.accepting = true,
                    _ => {
                        self.parser
                            .expected("`initial`, `target`, `accepting`, `,` or `;`");
                        self.states.push(state);
                        return self.recover();
                    }
                }
                self.parser.advance();
            }
            self.states.push(state);
            if self.parser.accept_sign(Sign::Comma).is_none() {
                return self.semicolon();
            }
        }
    }

    /// `from a: on … goto …; else …;`
    fn from(&mut self) {
        self.parser.advance();
        let Some(state) = self.name("the name of a state") else {
            return self.recover();
        };
        if self.parser.expect_sign(Sign::Colon, "`:`").is_none() {
            return self.recover();
        }
        let mut group = From {
            state,
            transitions: Vec::new(),
            otherwise: None,
        };
        loop {
            if self.parser.accept_word("on").is_some() {
                let condition = self.parser.expression();
                let is_error = matches!(self.parser.tree.node(condition).kind, TreeKind::Error);
                match (!is_error).then(|| self.movement()).flatten() {
                    Some(movement) => group.transitions.push((condition, movement)),
                    None => self.recover(),
                }
            } else if self.parser.accept_word("else").is_some() {
                match self.movement() {
                    Some(movement) => group.otherwise = Some(movement),
                    None => self.recover(),
                }
                break;
            } else {
                break;
            }
        }
        self.groups.push(group);
    }

    /// `goto a, b;`, `stay;` or `stop;`
    fn movement(&mut self) -> Option<Move> {
        let movement = if self.parser.accept_word("stay").is_some() {
            Move::Stay
        } else if self.parser.accept_word("stop").is_some() {
            Move::Stop
        } else if self.parser.accept_word("goto").is_some() {
            let mut targets = vec![self.name("the name of a state")?];
            while self.parser.accept_sign(Sign::Comma).is_some() {
                targets.push(self.name("the name of a state")?);
            }
            Move::Goto(targets)
        } else {
            self.parser
                .expected("an operator, or `goto`, `stay` or `stop`");
            return None;
        };
        self.semicolon();
        Some(movement)
    }
}
