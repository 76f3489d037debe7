//! The body of the function at hand: its blocks and labels, the temporaries it needs, and how terms
//! become expressions of the tree.

use crate::statements::Switch;
use crate::terms::{self, Kind, Sort, Term};
use crate::unit::Unit;
use crate::variables::{VarId, Variable};
use hardbop_syntax::ast::{
    AssumeWord, BinaryOp, Block, DeadWord, ExprId, ExprKind, Ident, Stmt, StmtId, StmtKind, Target,
};
use hardbop_syntax::{Claim, Notation, Span};
use std::collections::BTreeMap;

/// The function at hand.
#[derive(Default)]
pub struct Body {
    /// Its number in the table of functions.
    pub function: usize,
    /// The open blocks, from outside to inside.
    blocks: Vec<Vec<StmtId>>,
    /// Labels before the next statement.
    labels: Vec<Ident>,
    /// Under which conditions the expression at hand is evaluated.
    pub guards: Vec<Term>,
    /// Where `break` and `continue` lead.
    pub breaks: Vec<Exit>,
    pub continues: Vec<Exit>,
    pub switches: Vec<Switch>,
    /// How many loops are open.
    pub loops: u32,
    /// A label stands before: a jump can lead back there.
    pub has_labels: bool,
    /// How often something is translated only to be thrown away, one in the other.
    pub depth: u32,
    next_label: u32,
    next_object: u32,
    /// How often a name of a temporary was used.
    temporaries: BTreeMap<String, u32>,
    /// Other threads may run between any two steps of this function.
    pub is_interrupted: bool,
    /// In the expression at hand, each read of a shared variable is a separate step.
    pub splits: bool,
    /// The number of the thread that begins in this function.
    pub thread: Option<VarId>,
    /// Names of locals that are taken.
    pub names: BTreeMap<String, u32>,
}

impl Body {
    /// The body of a function, before its first statement.
    pub fn of(function: usize) -> Self {
        Self {
            function,
            ..Self::default()
        }
    }
}

/// A place that a jump leads to, and whether one does.
pub struct Exit {
    pub label: String,
    pub is_used: bool,
}

/// Where an assignment writes.
#[derive(Clone)]
pub enum Spot {
    Variable(VarId),
    Element(VarId, Term),
}

impl Unit<'_> {
    /// Adds a statement with the labels before it.
    pub fn push(&mut self, kind: StmtKind, span: Span) {
        let labels = self.take_labels();
        self.push_labelled(labels, kind, span);
    }

    pub fn take_labels(&mut self) -> Vec<Ident> {
        std::mem::take(&mut self.body.labels)
    }

    /// Puts labels back before the next statement.
    pub fn restore_labels(&mut self, labels: Vec<Ident>) {
        self.body.labels = labels;
    }

    pub fn push_labelled(&mut self, labels: Vec<Ident>, kind: StmtKind, span: Span) {
        let labels = labels.into();
        let id = self.ast.add_stmt(Stmt { labels, kind, span });
        let block = self.body.blocks.last_mut().expect("a body is a block");
        block.push(id);
    }

    /// Adds the statements of a block.
    pub fn append(&mut self, block: Block) {
        if let Some(first) = block.stmts.first() {
            let labels = std::mem::take(&mut self.body.labels);
            let first = &mut self.ast.stmts[first.0 as usize];
            first.labels.splice(0..0, labels);
        }
        let open = self.body.blocks.last_mut().expect("a body is a block");
        open.extend(block.stmts);
        self.body.labels.extend(block.end_labels);
    }

    /// A label before the next statement.
    pub fn label(&mut self, name: &str, span: Span) {
        let name = self.ast.names.intern(name);
        self.body.labels.push(Ident { name, span });
    }

    /// The statements that `fill` adds, as a block.
    pub fn block(&mut self, span: Span, fill: impl FnOnce(&mut Self)) -> Block {
        self.body.blocks.push(Vec::new());
        fill(self);
        let end_labels = self.take_labels();
        let stmts = self.body.blocks.pop().expect("it was opened above");
        Block {
            opening: Span::new(span.start, span.start),
            closing: span.after(),
            stmts: stmts.into(),
            end_labels: end_labels.into(),
        }
    }

    /// A label that no name of C is like.
    pub fn fresh_label(&mut self, what: &str) -> String {
        self.body.next_label += 1;
        format!("{what}.{}", self.body.next_label)
    }

    pub fn goto(&mut self, name: &str, span: Span) {
        let name = self.ast.names.intern(name);
        self.push(StmtKind::Goto(vec![Ident { name, span }].into()), span);
    }

    /// A new local variable.
    pub fn temporary(&mut self, name: &str, sort: Sort, notation: Notation, span: Span) -> VarId {
        let count = self.body.temporaries.entry(name.to_owned()).or_insert(0);
        *count += 1;
        let name = match count {
            1 => name.to_owned(),
            count => format!("{name}#{count}"),
        };
        self.body.next_object += 1;
        let id = VarId(self.variables.len() as u32);
        self.variables.push(Variable {
            name,
            sort,
            length: None,
            owner: Some(self.body.function),
            initial: Vec::new(),
            span,
            notation,
            order: (u32::MAX, self.body.next_object),
        });
        id
    }

    /// Keeps a value in a temporary.
    pub fn spill(&mut self, term: &Term) -> Term {
        if term.constant().is_some() {
            return Term::clone(term);
        }
        let name = shown(self.lines_text(term.span));
        let notation = self.notation_of(term);
        let id = self.temporary(&name, term.sort, notation, term.span);
        self.assign(&Spot::Variable(id), term, term.span);
        terms::variable(id, term.sort, term.span)
    }

    /// A term that can be evaluated twice.
    pub fn once(&mut self, term: &Term) -> Term {
        if term.has_choice() {
            self.spill(term)
        } else {
            Term::clone(term)
        }
    }

    /// `spot := term`
    pub fn assign(&mut self, spot: &Spot, term: &Term, span: Span) {
        self.assign_to(spot, span, term, span);
    }

    /// The same where the text of the spot is known.
    pub fn assign_to(&mut self, spot: &Spot, place: Span, term: &Term, span: Span) {
        let target = self.target(spot, place, span);
        let value = self.emit_value(term);
        let kind = StmtKind::Assign {
            targets: vec![target].into(),
            values: vec![value].into(),
            constrain: None,
        };
        self.push(kind, span);
    }

    /// What an assignment writes.
    pub fn target(&mut self, spot: &Spot, place: Span, span: Span) -> Target {
        match spot {
            Spot::Variable(id) => Target::Variable(self.ident(*id, span)),
            Spot::Element(id, index) => Target::Element(self.element(*id, index, place)),
        }
    }

    /// Gives a variable an arbitrary value.
    pub fn havoc(&mut self, id: VarId, span: Span) {
        let variables = vec![self.ident(id, span)].into();
        let word = DeadWord::Havoc;
        self.push(StmtKind::Dead { variables, word }, span);
    }

    /// Asserts what must hold where the expression at hand is evaluated.
    pub fn check(&mut self, condition: &Term, claim: Claim, span: Span) {
        if condition.constant() == Some(1) {
            return;
        }
        let mut guarded = Term::clone(condition);
        for guard in self.body.guards.clone().iter().rev() {
            guarded = terms::or(&terms::not(guard), &guarded);
        }
        let condition = self.emit(&guarded);
        self.claim(condition, claim, span);
    }

    /// The execution ends here where a condition does not hold. Elsewhere it is enough that the
    /// thread waits: what the others do later they could have done before. In an atomic section the
    /// others must not see what the thread has done so far. There it loops, and they never run again.
    pub fn assume(&mut self, condition: &Term, span: Span) {
        if self
            .threads
            .may_stop_all(&self.functions[self.body.function].name)
        {
            if condition.constant() != Some(1) {
                let label = self.fresh_label("stop");
                let fill = |unit: &mut Self| {
                    unit.label(&label, span);
                    unit.goto(&label, span);
                };
                self.branch(&terms::not(condition), span, fill, |_| {});
            }
            return;
        }
        let condition = self.emit(condition);
        let word = AssumeWord::Assume;
        self.push(StmtKind::Assume { condition, word }, span);
    }

    pub fn ident(&mut self, id: VarId, span: Span) -> Ident {
        let name = &self.variables[id.0 as usize].name;
        let name = self.ast.names.intern(name);
        Ident { name, span }
    }

    fn element(&mut self, id: VarId, index: &Term, span: Span) -> ExprId {
        let name = self.ident(id, span).name;
        let array = self.ast.add_expr(ExprKind::Name(name), span);
        let index = self.emit(index);
        self.ast.add_expr(ExprKind::Index { array, index }, span)
    }

    /// A term that is assigned, passed or returned as a whole.
    pub fn emit_value(&mut self, term: &Term) -> ExprId {
        match term.kind {
            Kind::Choice => {
                let kind = ExprKind::Choice { question: false };
                let choice = self.ast.add_expr(kind, term.span);
                self.note_choice(choice, term);
                choice
            }
            _ => self.emit(term),
        }
    }

    /// Writes a term into the tree. Its depth is bounded, see [`crate::text`].
    pub fn emit(&mut self, term: &Term) -> ExprId {
        let span = term.span;
        let kind = match &term.kind {
            Kind::Constant(value) => match term.sort {
                Sort::Bool => ExprKind::Bool {
                    value: *value != 0,
                    word: true,
                },
                Sort::Word(_) => ExprKind::Number {
                    value: *value,
                    hexadecimal: false,
                },
            },
            Kind::Variable(id) => ExprKind::Name(self.ident(*id, span).name),
            Kind::Element(id, index) => return self.element(*id, index, span),
            Kind::Choice => {
                let choice = self
                    .ast
                    .add_expr(ExprKind::Choice { question: false }, span);
                self.note_choice(choice, term);
                match term.sort {
                    Sort::Bool => return choice,
                    Sort::Word(width) => to_int(width, choice),
                }
            }
            Kind::Not(a) => ExprKind::Not {
                operand: self.emit(a),
                tilde: false,
            },
            Kind::And(a, b) => self.connective(BinaryOp::And, a, b),
            Kind::Or(a, b) => self.connective(BinaryOp::Or, a, b),
            Kind::Compare(op, signed, a, b) | Kind::Binary(op, signed, a, b) => {
                return self.operation(*op, *signed, a, b, span);
            }
            Kind::Resize(a, signed) => {
                let mut operand = self.emit(a);
                if *signed && term.sort.width() > a.sort.width() {
                    operand = self.ast.add_expr(ExprKind::Signed(operand), span);
                }
                to_int(term.sort.width(), operand)
            }
            Kind::FromBool(a) => {
                let mut operand = self.emit(a);
                if is_open(a) {
                    operand = self.ast.add_expr(ExprKind::ToBool(operand), span);
                }
                to_int(term.sort.width(), operand)
            }
            Kind::Conditional(condition, then, otherwise) => {
                let condition = self.emit(condition);
                let then = self.typed(then);
                let otherwise = self.typed(otherwise);
                ExprKind::Conditional {
                    condition,
                    then,
                    otherwise,
                }
            }
        };
        self.ast.add_expr(kind, span)
    }

    fn connective(&mut self, op: BinaryOp, a: &Term, b: &Term) -> ExprKind {
        let (left, right) = (self.emit(a), self.emit(b));
        ExprKind::Binary {
            op,
            alternative: true,
            left,
            right,
        }
    }

    /// A term whose type does not depend on its place.
    fn typed(&mut self, term: &Term) -> ExprId {
        let id = self.emit(term);
        match (term.constant(), term.sort) {
            (Some(_), Sort::Word(width)) => self.ast.add_expr(to_int(width, id), term.span),
            _ => id,
        }
    }

    fn operation(&mut self, op: BinaryOp, signed: bool, a: &Term, b: &Term, span: Span) -> ExprId {
        let all = Sort::wrap(a.sort, u64::MAX);
        let kind = match (op, a.constant(), b.constant()) {
            (BinaryOp::Subtract, Some(0), _) => ExprKind::Negate(self.emit(b)),
            (BinaryOp::Xor, _, Some(value)) if value == all => ExprKind::Not {
                operand: self.emit(a),
                tilde: true,
            },
            _ => {
                let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
                // Of two numbers one has to have a type, and the sign of what is shifted is its own.
                let is_typed = b.constant().is_some() || (is_shift && signed);
                let left = self.operand(a, signed, is_typed);
                let right = self.operand(b, signed && !is_shift, false);
                ExprKind::Binary {
                    op,
                    alternative: false,
                    left,
                    right,
                }
            }
        };
        self.ast.add_expr(kind, span)
    }

    fn operand(&mut self, term: &Term, signed: bool, typed: bool) -> ExprId {
        if let (Some(value), false, true) = (term.constant(), typed, signed) {
            let negative = term.sort.signed(value);
            let kind = ExprKind::Number {
                value: negative.unsigned_abs(),
                hexadecimal: false,
            };
            let number = self.ast.add_expr(kind, term.span);
            return match negative {
                0.. => number,
                _ => self.ast.add_expr(ExprKind::Negate(number), term.span),
            };
        }
        let id = if typed {
            self.typed(term)
        } else {
            self.emit(term)
        };
        if signed {
            self.ast.add_expr(ExprKind::Signed(id), term.span)
        } else {
            id
        }
    }

    fn lines_text(&self, span: Span) -> &str {
        self.source_text.get(span.range()).unwrap_or("")
    }
}

/// Whether a Boolean term is nothing but choices: beside an integer these would be any integer.
fn is_open(term: &Term) -> bool {
    match &term.kind {
        Kind::Choice => true,
        Kind::Conditional(_, then, otherwise) => is_open(then) && is_open(otherwise),
        _ => false,
    }
}

fn to_int(width: u8, operand: ExprId) -> ExprKind {
    ExprKind::ToInt {
        width: u32::from(width),
        operand,
    }
}

/// A text of the source as the name of a temporary.
fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    if text.chars().count() > 24 {
        let start: String = text.chars().take(22).collect();
        format!("({start}…)")
    } else {
        format!("({text})")
    }
}
