//! What the text of a program says where a run makes a choice: each `*`, `?`, `schoose[…]`, `dead x`
//! and the labels of a `goto`, found again by the place of the statement.
//!
//! A machine numbers the choices of an edge in the order in which the lowering meets them, which is
//! the order in which their texts end. It keeps no places of them, so a procedure is parsed once
//! more when a report comes to it: that is cheaper than places in every machine that an engine works
//! on, and a run that is shown in part needs few procedures.

use hardbop_machine::{EdgeId, Machine, ProcId, Type};
use hardbop_syntax::ast::{ExprId, ExprKind, StmtKind, Target};
use hardbop_syntax::notation::Written as WrittenValues;
use hardbop_syntax::{Ast, Notation, Source, Span};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::number::Number;
use super::run::{Branch, Choice, StepKind};

/// The statements and choices of a program text, as far as somebody has asked for them.
pub(super) struct Written<'a> {
    machine: &'a Machine,
    /// Nothing stands for the whole text.
    procedures: RefCell<HashMap<Option<ProcId>, Rc<WrittenProcedure>>>,
    /// A function of C needs what is declared before it, and guarded blocks are one procedure
    /// without a head.
    is_read_whole: bool,
}

/// The statements and choices of a procedure. Places are counted from the start of what was parsed.
#[derive(Default)]
struct WrittenProcedure {
    /// Where that is in the text.
    base: u32,
    /// By the offset at which a statement, or the condition of an `elsif`, starts.
    statements: HashMap<u32, Statement>,
    /// In order of their ends.
    choices: Vec<WrittenChoice>,
}

/// What a statement is.
enum Statement {
    /// A condition with two ways on, the first where it holds.
    Condition(StepKind),
    /// `goto` with its labels.
    Goto(Vec<String>),
    Other(StepKind),
}

#[derive(Clone, Copy)]
struct WrittenChoice {
    span: Span,
    /// All of a condition: it has no input, the way that is taken is its value.
    is_condition: bool,
    /// How its values are written.
    notation: Notation,
}

impl WrittenProcedure {
    /// Parses a procedure, or the whole text where it is read only as a whole.
    fn new(machine: &Machine, procedure: Option<ProcId>) -> Self {
        let whole = &machine.source;
        let Some(procedure) = procedure else {
            return Self::of(&hardbop_c::parse_any(whole).ast, 0);
        };
        let span = machine.procedure(procedure).span;
        let source = Source::new(whole.name(), whole.slice(span));
        Self::of(&hardbop_syntax::parse(&source).ast, span.start)
    }

    /// What a tree says.
    fn of(ast: &Ast, base: u32) -> Self {
        let mut written = Self {
            base,
            ..Self::default()
        };
        let mut conditions = Vec::new();
        let mut discarded = Vec::new();
        for stmt in &ast.stmts {
            let mut condition = |id| conditions.push(inner(ast, id));
            let statement = match &stmt.kind {
                StmtKind::If { arms, .. } => {
                    for &(id, _) in arms {
                        condition(id);
                        let branch = Statement::Condition(StepKind::Branch);
                        let start = ast.expr(id).span.start;
                        written.statements.insert(start, branch);
                    }
                    Statement::Condition(StepKind::Branch)
                }
                StmtKind::While { condition: id, .. } => {
                    condition(*id);
                    Statement::Condition(StepKind::Branch)
                }
                StmtKind::Assert(id) => {
                    condition(*id);
                    Statement::Condition(StepKind::Assert)
                }
                StmtKind::Assume { condition: id, .. } | StmtKind::AbortIf(id) => {
                    condition(*id);
                    Statement::Other(StepKind::Assume)
                }
                StmtKind::Goto(labels) => {
                    let labels = labels.iter().map(|label| ast.text(label.name).to_owned());
                    Statement::Goto(labels.collect())
                }
                StmtKind::Dead { variables, .. } => {
                    let variables = variables.iter().map(|variable| WrittenChoice {
                        span: variable.span,
                        is_condition: false,
                        notation: Notation::default(),
                    });
                    written.choices.extend(variables);
                    Statement::Other(StepKind::Assign)
                }
                StmtKind::Assign {
                    targets, values, ..
                } => {
                    // A value that is thrown away, for another value of the same variable too, is
                    // not lowered.
                    let mut last = HashMap::new();
                    for (index, target) in targets.iter().enumerate() {
                        if let Target::Variable(name) = target {
                            last.insert(name.name, index);
                        }
                    }
                    let is_last = |(index, target): &(usize, &Target)| match target {
                        Target::Variable(name) => last[&name.name] == *index,
                        Target::Element(_) => true,
                        Target::Discard(_) => false,
                    };
                    let targets = targets.iter().enumerate().zip(values);
                    let thrown = targets.filter(|(target, _)| !is_last(target));
                    discarded.extend(thrown.map(|(_, &value)| ast.expr(value).span));
                    Statement::Other(StepKind::Assign)
                }
                _ => Statement::Other(StepKind::Skip),
            };
            written.statements.insert(stmt.span.start, statement);
        }
        conditions.sort_unstable();
        discarded.sort_unstable();
        for (index, expr) in (&ast.exprs).into_iter().enumerate() {
            let is_choice = matches!(expr.kind, ExprKind::Choice { .. } | ExprKind::Choose { .. });
            // Values of one assignment do not overlap, so the last that starts before is the one.
            let before = discarded.partition_point(|span| span.start <= expr.span.start);
            let is_thrown = before > 0 && expr.span.end <= discarded[before - 1].end;
            if is_choice && !is_thrown {
                written.choices.push(WrittenChoice {
                    span: expr.span,
                    is_condition: matches!(expr.kind, ExprKind::Choice { .. })
                        && conditions.binary_search(&expr.span).is_ok(),
                    notation: notation(ast, ExprId(index as u32)),
                });
            }
        }
        written.choices.sort_by_key(|choice| choice.span.end);
        written
    }
}

impl<'a> Written<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        Self {
            machine,
            procedures: RefCell::default(),
            is_read_whole: machine.source.c_reading().is_some() || machine.procedures.len() == 1,
        }
    }

    /// The procedure of an edge.
    fn procedure(&self, edge: EdgeId) -> Rc<WrittenProcedure> {
        let machine = self.machine;
        let id = machine.procedure_of(machine.edge(edge).from);
        let id = (!self.is_read_whole).then_some(id);
        let mut known = self.procedures.borrow_mut();
        let written = known
            .entry(id)
            .or_insert_with(|| Rc::new(WrittenProcedure::new(machine, id)));
        Rc::clone(written)
    }

    /// What kind of step it is to take an edge that is not a call, and which way it goes where
    /// there are several.
    pub(super) fn step(&self, edge: EdgeId) -> (StepKind, Option<Branch>) {
        if self.machine.checks_index(edge) {
            return (StepKind::Assert, None);
        }
        let from = self.machine.edge(edge).from;
        let node = self.machine.node(from);
        let position = (edge.0 - node.edges.start) as usize;
        let written = self.procedure(edge);
        let start = node.span.start.wrapping_sub(written.base);
        match written.statements.get(&start) {
            Some(Statement::Condition(kind)) => (*kind, Some(Branch::Condition(position == 0))),
            Some(Statement::Goto(labels)) => {
                let label = labels.get(position).filter(|_| labels.len() > 1);
                (StepKind::Goto, label.cloned().map(Branch::Label))
            }
            Some(Statement::Other(kind)) => (*kind, None),
            None => (StepKind::Skip, None),
        }
    }

    /// Where the text makes the choices that are inputs of an edge, in the order of the inputs.
    pub(super) fn input_places(&self, edge: EdgeId) -> Vec<u32> {
        let count = self.machine.edge(edge).inputs.len();
        let whole = self.machine.edge(edge).span.start;
        let written = self.procedure(edge);
        let mut places = Vec::new();
        self.each_choice(&written, edge, |choice| {
            if !choice.is_condition && places.len() < count {
                places.push(choice.span.start + written.base);
            }
        });
        places.resize(count, whole);
        places
    }

    /// Where the choice is that is all of the condition of an edge.
    pub(super) fn condition_place(&self, edge: EdgeId) -> Option<u32> {
        let written = self.procedure(edge);
        let mut place = None;
        self.each_choice(&written, edge, |choice| {
            if choice.is_condition {
                place = Some(choice.span.start + written.base);
            }
        });
        place
    }

    /// The choices in the text of an edge.
    fn each_choice(
        &self,
        written: &WrittenProcedure,
        edge: EdgeId,
        mut visit: impl FnMut(&WrittenChoice),
    ) {
        let whole = self.machine.edge(edge).span;
        let span = moved(whole, u32::checked_sub, written.base).unwrap_or_default();
        let first = (written.choices).partition_point(|c| c.span.end <= span.start);
        let here = written.choices[first..].iter();
        let here = here.take_while(|c| c.span.end <= span.end);
        for choice in here.filter(|c| c.span.start >= span.start) {
            visit(choice);
        }
    }

    /// What the choices of an edge came out as.
    pub(super) fn choices(
        &self,
        edge: EdgeId,
        inputs: &[u64],
        branch: Option<&Branch>,
    ) -> Vec<Choice> {
        let whole = self.machine.edge(edge).span;
        let written = self.procedure(edge);
        let span = moved(whole, u32::checked_sub, written.base).unwrap_or_default();
        let first = (written.choices).partition_point(|c| c.span.end <= span.start);
        let here = written.choices[first..].iter();
        let here = here.take_while(|c| c.span.end <= span.end);
        let types = &self.machine.edge(edge).inputs;
        let mut inputs = inputs.iter().zip(types);
        let mut choices = Vec::new();
        for choice in here.filter(|c| c.span.start >= span.start) {
            let value = if choice.is_condition {
                // `assume(*)` goes on where it holds.
                let holds = u64::from(branch != Some(&Branch::Condition(false)));
                Some((holds, Type::Bool))
            } else {
                inputs.next().map(|(&value, &ty)| (value, ty))
            };
            let place = moved(choice.span, u32::checked_add, written.base);
            let value = value.zip(place);
            choices.extend(value.map(|((value, ty), place)| {
                let written = (choice.notation).of_width(&self.machine.value_names, ty.width());
                self.choice(place, value, &written)
            }));
        }
        // What is left are choices that the statement does not name: those of `enforce`, or the
        // results of a procedure that ends without `return`.
        choices.extend(inputs.map(|(&value, ty)| {
            let written = Notation::default().of_width(&[], ty.width());
            self.choice(whole, value, &written)
        }));
        choices
    }

    fn choice(&self, span: Span, value: u64, written: &WrittenValues<'_>) -> Choice {
        let source = &self.machine.source;
        let (line, column) = source.line_column(span.start);
        Choice {
            text: super::run::statement_text(source.slice(span)),
            line,
            column,
            start: span.start,
            value: Number(written.number(value)),
            shown: written.name(value).map(str::to_owned),
        }
    }
}

/// How the values of a choice are written.
fn notation(ast: &Ast, choice: ExprId) -> Notation {
    ast.choice_notations
        .get(&choice)
        .copied()
        .unwrap_or_default()
}

/// A place counted from elsewhere.
fn moved(span: Span, by: fn(u32, u32) -> Option<u32>, base: u32) -> Option<Span> {
    Some(Span::new(by(span.start, base)?, by(span.end, base)?))
}

/// Which way each edge of a program goes, where there are several.
pub struct Branches<'a>(Written<'a>);

impl<'a> Branches<'a> {
    /// Reads the text of a program again.
    pub fn new(machine: &'a Machine) -> Self {
        Self(Written::new(machine))
    }

    /// The way of an edge.
    pub fn of(&self, edge: EdgeId) -> Option<Branch> {
        self.0.step(edge).1
    }
}

/// Where an expression stands without the parentheses around it.
fn inner(ast: &Ast, mut id: hardbop_syntax::ast::ExprId) -> Span {
    while let ExprKind::Paren(operand) = ast.expr(id).kind {
        id = operand;
    }
    ast.expr(id).span
}
