//! Statements. Branches and loops stay what they are where the tree has them; what it does not have
//! (`break`, `continue`, `do`, cases that fall through) becomes jumps.

use crate::arithmetic::{convert_term, held};
use crate::body::Exit;
use crate::questions::{ERROR, begins_with_error};
use crate::terms::{self, Term};
use crate::types::Type;
use crate::unit::{Entity, Unit};
use crate::values::Value;
use hardbop_syntax::ast::{BinaryOp, Block, ExprId, ExprKind, StmtKind};
use hardbop_syntax::{Check, Span, codes};
use lang_c::ast as c;
use lang_c::span::Node;

impl<'a> Unit<'a> {
    pub fn statement(&mut self, statement: &'a Node<c::Statement>) {
        let span = self.span(statement.span);
        match &statement.node {
            c::Statement::Labeled(labelled) => self.labelled(&labelled.node),
            c::Statement::Compound(items) => {
                self.enter();
                for item in items {
                    self.block_item(item);
                }
                self.leave();
            }
            c::Statement::Expression(None) => {}
            c::Statement::Expression(Some(expression)) => {
                self.full(expression, |unit| unit.discard(expression));
            }
            c::Statement::If(branch) => self.if_statement(&branch.node, span),
            c::Statement::While(repeat) => {
                let (condition, body) = (&repeat.node.expression, &repeat.node.statement);
                self.repeat(Some(condition), body, None, span);
            }
            c::Statement::DoWhile(repeat) => {
                self.do_while(&repeat.node, statement.span.start, span);
            }
            c::Statement::For(repeat) => self.for_statement(&repeat.node, span),
            c::Statement::Switch(switch) => self.switch(&switch.node, span),
            c::Statement::Goto(label) => self.goto(&label.node.name, span),
            c::Statement::Continue | c::Statement::Break => {
                let is_break = matches!(statement.node, c::Statement::Break);
                let exits = if is_break {
                    &mut self.body.breaks
                } else {
                    &mut self.body.continues
                };
                match exits.last_mut() {
                    Some(exit) => {
                        exit.is_used = true;
                        let label = exit.label.clone();
                        self.goto(&label, span);
                    }
                    None => self.wrong(span, "there is no loop around this statement"),
                }
            }
            c::Statement::Return(value) => self.return_statement(value.as_deref(), span),
            c::Statement::Asm(_) => self.refuse(span, "assembler is not supported"),
        }
    }

    pub fn block_item(&mut self, item: &'a Node<c::BlockItem>) {
        match &item.node {
            c::BlockItem::Statement(statement) => self.statement(statement),
            c::BlockItem::Declaration(declaration) => self.local_declaration(declaration),
            c::BlockItem::StaticAssert(assertion) => self.static_assertion(assertion),
        }
    }

    fn labelled(&mut self, labelled: &'a c::LabeledStatement) {
        let span = self.span(labelled.label.span);
        match &labelled.label.node {
            c::Label::Identifier(label) => {
                self.body.has_labels = true;
                let place = self.span(label.span);
                self.label(&label.node.name, place);
                if label.node.name == ERROR && self.asks_label {
                    let condition = self.emit(&terms::boolean(false, place));
                    let check = Check::NoLabel {
                        label: ERROR.to_owned(),
                    };
                    self.state(condition, check, ERROR.to_owned(), place);
                } else if label.node.name == ERROR && !begins_with_error(&labelled.statement.node) {
                    let message = "the label `ERROR` is not checked, since the program has \
                                   assertions or calls errors";
                    let help = "pass `--reach ERROR` to ask whether it can be reached";
                    self.report_with_help(codes::C_LABEL, place, message, help);
                }
            }
            c::Label::Case(value) => {
                let range = self.constant_of(value).map(|value| (value, value));
                self.case(range, span);
            }
            c::Label::CaseRange(range) => {
                let low = self.constant_of(&range.node.low);
                let high = self.constant_of(&range.node.high);
                self.case(low.zip(high), span);
            }
            c::Label::Default => self.default_case(span),
        }
        self.statement(&labelled.statement);
    }

    fn case(&mut self, range: Option<(i64, i64)>, span: Span) {
        let label = self.fresh_label("case");
        self.label(&label, span);
        match (range, self.body.switches.last_mut()) {
            (Some(range), Some(switch)) => switch.cases.push((range, label, span)),
            (None, _) => self.wrong(span, "the value of a `case` is not a constant"),
            (_, None) => self.wrong(span, "there is no `switch` around this `case`"),
        }
    }

    fn default_case(&mut self, span: Span) {
        let label = self.fresh_label("default");
        self.label(&label, span);
        match self.body.switches.last_mut() {
            Some(switch) => switch.default = Some(label),
            None => self.wrong(span, "there is no `switch` around this `default`"),
        }
    }

    /// A condition in its parentheses, whose place ends the head of a statement.
    pub fn head(&mut self, condition: &Term, expression: &Node<c::Expression>) -> ExprId {
        let inner = self.emit(condition);
        let end = expression.span.end;
        let rest = self.text.get(end..).unwrap_or("");
        let blanks = rest.len() - rest.trim_start().len();
        let is_closed = rest[blanks..].starts_with(')');
        let mut span = expression.span;
        if is_closed {
            span.end = end + blanks + 1;
        }
        let span = self.span(span);
        self.ast.add_expr(ExprKind::Paren(inner), span)
    }

    fn if_statement(&mut self, branch: &'a c::IfStatement, span: Span) {
        let condition = self.full(&branch.condition, |unit| unit.condition(&branch.condition));
        if self.is_library_assertion(branch) {
            let condition = self.emit(&condition);
            let text = format!("assert({})", self.expanded(branch.condition.span));
            self.state(condition, Check::Condition, text, span);
            return;
        }
        let labels = self.take_labels();
        let head = self.head(&condition, &branch.condition);
        let then = self.block(span, |unit| unit.statement(&branch.then_statement));
        let otherwise = branch.else_statement.as_ref();
        let otherwise = otherwise.map(|s| self.block(span, |unit| unit.statement(s)));
        let kind = StmtKind::If {
            arms: vec![(head, then)].into(),
            otherwise: otherwise.filter(|block| !is_empty(block)).map(Box::new),
        };
        self.push_labelled(labels, kind, span);
    }

    /// `while (condition) body`, with a step after the body.
    fn repeat(
        &mut self,
        condition: Option<&'a Node<c::Expression>>,
        body: &'a Node<c::Statement>,
        step: Option<&'a Node<c::Expression>>,
        span: Span,
    ) {
        self.body.loops += 1;
        let effects = condition.map(|condition| self.effects_of(condition));
        // What is done and asserted before the condition has to be done each time.
        let is_split = condition.is_some_and(|condition| self.must_split(condition));
        let is_step = is_split || effects.is_some_and(|effects| effects.any || effects.may_check);
        if let Some(condition) = condition.filter(|_| is_step) {
            let again = self.fresh_label("loop");
            self.label(&again, Span::new(span.start, span.start));
            let term = self.full(condition, |unit| unit.condition(condition));
            let labels = self.take_labels();
            let head = self.head(&term, condition);
            let (mut then, exit) = self.loop_body(body, step, span);
            // The way back is shown by the brace that ends the body.
            let end = self.span(body.span).end;
            let way_back = match &body.node {
                c::Statement::Compound(_) => Span::new(end.saturating_sub(1), end),
                _ => Span::new(span.start, span.start),
            };
            let back = self.block(span, |unit| unit.goto(&again, way_back));
            move_labels(&mut self.ast, &mut then, &back);
            then.stmts.extend(back.stmts);
            let kind = StmtKind::If {
                arms: vec![(head, then)].into(),
                otherwise: None,
            };
            self.push_labelled(labels, kind, span);
            self.end_loop(&exit, span);
        } else {
            let labels = self.take_labels();
            let head = match condition {
                Some(condition) => {
                    let term = self.full(condition, |unit| unit.condition(condition));
                    self.head(&term, condition)
                }
                None => {
                    let place = Span::new(span.start, span.start);
                    self.emit(&terms::boolean(true, place))
                }
            };
            let (body, exit) = self.loop_body(body, step, span);
            let kind = StmtKind::While {
                condition: head,
                body: Box::new(body),
            };
            self.push_labelled(labels, kind, span);
            self.end_loop(&exit, span);
        }
        self.body.loops -= 1;
    }

    /// The body of a loop with its step, and where `break` leads.
    fn loop_body(
        &mut self,
        body: &'a Node<c::Statement>,
        step: Option<&'a Node<c::Expression>>,
        span: Span,
    ) -> (Block, Exit) {
        for (exits, what) in [(true, "break"), (false, "continue")] {
            let label = self.fresh_label(what);
            let exit = Exit {
                label,
                is_used: false,
            };
            if exits {
                self.body.breaks.push(exit);
            } else {
                self.body.continues.push(exit);
            }
        }
        let block = self.block(span, |unit| {
            unit.statement(body);
            let next = unit.body.continues.pop().expect("it was pushed above");
            if next.is_used {
                unit.label(&next.label, span.after());
            }
            if let Some(step) = step {
                unit.full(step, |unit| unit.discard(step));
            }
        });
        let exit = self.body.breaks.pop().expect("it was pushed above");
        (block, exit)
    }

    fn end_loop(&mut self, exit: &Exit, span: Span) {
        if exit.is_used {
            self.label(&exit.label, span.after());
        }
    }

    fn do_while(&mut self, repeat: &'a c::DoWhileStatement, repeat_start: usize, span: Span) {
        self.body.loops += 1;
        let again = self.fresh_label("do");
        let is_once = !self.effects_of(&repeat.expression).any
            && self.constant_of(&repeat.expression) == Some(0);
        let start = self.keyword(repeat_start, "do");
        if !is_once {
            self.label(&again, start);
        }
        let (block, exit) = self.loop_body(&repeat.statement, None, span);
        self.append(block);
        if !is_once {
            let condition = &repeat.expression;
            let term = self.full(condition, |unit| unit.condition(condition));
            let labels = self.take_labels();
            let head = self.head(&term, &repeat.expression);
            let place = self.span(repeat.expression.span);
            let before = self.text.get(..repeat.expression.span.start);
            let word = before.and_then(|before| before.rfind("while"));
            let place = word.map_or(place, |word| self.lines.span(word, word + 5).to(place));
            let then = self.block(place, |unit| unit.goto(&again, start));
            let kind = StmtKind::If {
                arms: vec![(head, then)].into(),
                otherwise: None,
            };
            self.push_labelled(labels, kind, place);
        }
        self.end_loop(&exit, span);
        self.body.loops -= 1;
    }

    /// The keyword that a statement starts with.
    fn keyword(&self, start: usize, word: &str) -> Span {
        self.lines.span(start, start + word.len())
    }

    fn for_statement(&mut self, repeat: &'a c::ForStatement, span: Span) {
        self.enter();
        match &repeat.initializer.node {
            c::ForInitializer::Empty => {}
            c::ForInitializer::Expression(expression) => {
                self.full(expression, |unit| unit.discard(expression));
            }
            c::ForInitializer::Declaration(declaration) => self.local_declaration(declaration),
            c::ForInitializer::StaticAssert(assertion) => self.static_assertion(assertion),
        }
        self.repeat(
            repeat.condition.as_deref(),
            &repeat.statement,
            repeat.step.as_deref(),
            span,
        );
        self.leave();
    }

    fn switch(&mut self, switch: &'a c::SwitchStatement, span: Span) {
        let value = self.value(&switch.expression);
        let Type::Integer(ty) = value.ty else {
            self.no_number(&value, span);
            return;
        };
        let ty = ty.promoted();
        let term = convert_term(&value, ty);
        // Read in every case, while the first of them may be about to change it.
        let is_simple = match term.kind {
            terms::Kind::Variable(id) => !self.is_shared(id),
            terms::Kind::Constant(_) => true,
            _ => false,
        };
        let term = if is_simple { term } else { self.spill(&term) };
        let value = Value {
            term,
            ty: Type::Integer(ty),
        };
        let labels = self.take_labels();
        let end = self.fresh_label("break");
        self.body.breaks.push(Exit {
            label: end,
            is_used: false,
        });
        self.body.switches.push(Switch::default());
        // The cases, before it is known where they lead.
        let body = self.block(span, |unit| unit.statement(&switch.statement));
        let cases = self.body.switches.pop().expect("it was pushed above");
        let exit = self.body.breaks.pop().expect("it was pushed above");
        self.dispatch(&value, cases, body, exit, labels, switch, span);
    }

    #[expect(clippy::too_many_arguments)]
    fn dispatch(
        &mut self,
        value: &Value,
        cases: Switch,
        body: Block,
        mut exit: Exit,
        labels: Vec<hardbop_syntax::ast::Ident>,
        switch: &'a c::SwitchStatement,
        span: Span,
    ) {
        let Type::Integer(ty) = value.ty else { return };
        let mut arms = Vec::new();
        for ((low, high), label, place) in cases.cases {
            let number = |value: i64| terms::constant(value.cast_unsigned(), ty.sort(), place);
            let condition = if low == high {
                terms::compare(BinaryOp::Equal, false, &value.term, &number(low))
            } else {
                terms::and(
                    &terms::compare(BinaryOp::GreaterEqual, ty.signed, &value.term, &number(low)),
                    &terms::compare(BinaryOp::LessEqual, ty.signed, &value.term, &number(high)),
                )
            };
            let head = if arms.is_empty() {
                self.head(&condition, &switch.expression)
            } else {
                let inner = self.emit(&condition);
                self.ast.add_expr(ExprKind::Paren(inner), place)
            };
            let block = self.block(place, |unit| unit.goto(&label, place));
            arms.push((head, block));
        }
        let start = Span::new(span.start, span.start);
        let otherwise = match cases.default {
            Some(label) => self.block(start, |unit| unit.goto(&label, start)),
            None => {
                exit.is_used = true;
                self.block(start, |unit| unit.goto(&exit.label, start))
            }
        };
        if arms.is_empty() {
            self.restore_labels(labels);
            self.append(otherwise);
        } else {
            let (arms, otherwise) = (arms.into(), Some(Box::new(otherwise)));
            self.push_labelled(labels, StmtKind::If { arms, otherwise }, span);
        }
        self.append(body);
        self.end_loop(&exit, span);
    }

    fn return_statement(&mut self, value: Option<&'a Node<c::Expression>>, span: Span) {
        let function = &self.functions[self.body.function];
        let is_kept = self.has_result(self.body.function);
        let result = function.signature.result.clone();
        let values = match value {
            Some(expression) if is_kept => {
                let value = self.full(expression, |unit| unit.value(expression));
                let value = self.converted(&value, &result, span);
                let term = held(&value);
                vec![self.emit_value(&term)]
            }
            Some(expression) => {
                self.discard(expression);
                Vec::new()
            }
            None if is_kept => {
                let sort = self.sort_of(&result, span);
                self.declare_choice(&result, span);
                vec![self.emit_value(&terms::choice(sort, span))]
            }
            None => Vec::new(),
        };
        self.end_of_thread(span);
        self.push(StmtKind::Return(values.into()), span);
    }

    pub fn static_assertion(&mut self, assertion: &'a Node<c::StaticAssert>) {
        if self.constant_of(&assertion.node.expression) == Some(0) {
            let span = self.span(assertion.span);
            self.wrong(span, "the static assertion fails");
        }
    }

    /// `if (c) ; else __assert_fail(…);`, as the macro `assert` is defined.
    fn is_library_assertion(&self, branch: &c::IfStatement) -> bool {
        let is_skip = matches!(branch.then_statement.node, c::Statement::Expression(None));
        let call = match branch.else_statement.as_ref().map(|s| &s.node) {
            Some(c::Statement::Expression(Some(expression))) => &expression.node,
            _ => return false,
        };
        let c::Expression::Call(call) = call else {
            return false;
        };
        let c::Expression::Identifier(name) = &call.node.callee.node else {
            return false;
        };
        let has_body = match self.lookup(&name.node.name) {
            Some(&Entity::Function(index)) => self.functions[index].definition.is_some(),
            _ => false,
        };
        is_skip && name.node.name == "__assert_fail" && !has_body
    }

    /// Whether a procedure gives its result back.
    pub fn has_result(&self, index: usize) -> bool {
        let function = &self.functions[index];
        let is_start = function.name == "main" && !function.is_called;
        let is_start = is_start || self.is_beginning(index);
        !matches!(function.signature.result, Type::Void) && !is_start
    }
}

/// The cases of a `switch`.
#[derive(Default)]
pub struct Switch {
    cases: Vec<((i64, i64), String, Span)>,
    default: Option<String>,
}

fn is_empty(block: &Block) -> bool {
    block.stmts.is_empty() && block.end_labels.is_empty()
}

/// Labels at the end of one block go to the first statement of the next.
fn move_labels(ast: &mut hardbop_syntax::Ast, first: &mut Block, next: &Block) {
    if let Some(stmt) = next.stmts.first() {
        let labels = std::mem::take(&mut first.end_labels);
        let stmt = &mut ast.stmts[stmt.0 as usize];
        stmt.labels.splice(0..0, labels);
    }
}
