//! The start and the end of threads, and waiting for it.
//!
//! A thread that others wait for has a number and says at its end that it has ended. The number is
//! known where a `pthread_create` is executed once; those in loops count. A function that is only
//! started is the procedure of its threads; one that is called as well gets a procedure around it.

use crate::arithmetic::held;
use crate::body::{Body, Spot};
use crate::pthreads::zero;
use crate::terms::{self, Sort, Term};
use crate::threads::function_named;
use crate::types::{Integer, Rank, Type};
use crate::unit::{Entity, Unit};
use crate::values::Value;
use crate::variables::{ObjectId, VarId, Variable};
use hardbop_syntax::ast::{
    AssumeWord, BinaryOp, ExprId, Ident, Item, Procedure, ResultType, StmtId, StmtKind, Target,
};
use hardbop_syntax::{Check, Claim, Notation, Span};
use lang_c::ast as c;
use lang_c::span::Node;
use std::rc::Rc;

/// How many threads can be waited for that start in loops, all together. Engines stop at their limit
/// on threads before, unless it is raised.
const LOOPED: u64 = 32;

/// The bits of the number of a thread.
const NUMBER: u8 = 8;

/// The variables that record which threads have ended.
#[derive(Clone, Copy)]
pub struct Records {
    /// Which threads have ended.
    ended: VarId,
    /// The number of the thread that was started last in a loop.
    last: VarId,
    /// The largest number of a thread.
    most: u64,
}
impl<'a> Unit<'a> {
    /// The variables for threads that others wait for, before anything is translated.
    pub fn make_records(&mut self) {
        self.records = None;
        if !self.threads.exist() || !self.threads.has_joins {
            return;
        }
        let looped = if self.threads.have_loops() { LOOPED } else { 0 };
        let most = self.threads.numbered + looped;
        let mut make = |name: &str, sort, length: Option<u32>, initial: u64, order: u32| {
            let id = VarId(self.variables.len() as u32);
            self.variables.push(Variable {
                name: name.to_owned(),
                sort,
                length,
                owner: None,
                initial: vec![initial],
                span: Span::default(),
                notation: Notation::default(),
                order: (u32::MAX, order),
            });
            id
        };
        let ended = make("ended", Sort::Bool, Some(most as u32 + 1), 0, 0);
        let last = if looped > 0 {
            let first = self.threads.numbered;
            make("threads", Sort::Word(NUMBER), None, first, 1)
        } else {
            ended
        };
        self.records = Some(Records { ended, last, most });
    }

    /// `pthread_create(&t, attributes, f, argument)`. The new thread may run before `t` is written.
    pub fn create(&mut self, call: &'a c::CallExpression, span: Span) -> Value {
        let arguments = call.arguments.as_slice();
        let site = self.threads.starts.get(&call.callee.span.start).cloned();
        let named = function_named(&arguments[2].node);
        let function = match named.and_then(|name| self.lookup(name)) {
            Some(&Entity::Function(index)) => Some(index),
            _ => None,
        };
        let function = function.filter(|&index| self.functions[index].definition.is_some());
        let (Some(site), Some(index)) = (site, function) else {
            self.refuse(
                span,
                "`pthread_create` is supported with the name of a function that has a body only",
            );
            return Value::broken(span);
        };
        if self.effects_of(&arguments[1]).any {
            self.discard(&arguments[1]);
        }
        let place = self.pointed_at(&arguments[0]);
        let signature = Rc::clone(&self.functions[index].signature);
        let mut given: Vec<Term> = Vec::new();
        let value = self.value(&arguments[3]);
        match signature.parameters.as_slice() {
            [] => {}
            [ty] => {
                let value = self.converted(&value, ty, span);
                self.keep_private(ty, span);
                given.push(self.once(&held(&value)));
            }
            _ => self.wrong(span, "the function of a thread has one parameter"),
        }
        let name = self.functions[index].name.clone();
        let number = self.number_of_thread(site.number, span);
        if self.records.is_some() && self.threads.only_number(&name).is_none() {
            given.push(Rc::clone(&number));
        }
        let start = if self.threads.need_wrapper(&name) {
            wrapper_of(&name)
        } else {
            name
        };
        let callee = Ident {
            name: self.ast.names.intern(&start),
            span,
        };
        let given: Vec<ExprId> = given.iter().map(|term| self.emit_value(term)).collect();
        let arguments = given.into();
        self.push(StmtKind::StartThreadCall { callee, arguments }, span);
        let model = self.reading.data_model;
        let number = Value {
            term: number,
            ty: Type::Integer(Integer::new(Rank::Char, false, model)),
        };
        if place.ty != Type::Broken {
            self.store(&place, &number, false, span);
        }
        zero(span)
    }

    /// The number of a thread that is about to start.
    fn number_of_thread(&mut self, number: Option<u64>, span: Span) -> Term {
        let sort = Sort::Word(NUMBER);
        let Some(records) = self.records else {
            return terms::constant(number.unwrap_or(self.threads.numbered + 1), sort, span);
        };
        if let Some(number) = number {
            return terms::constant(number, sort, span);
        }
        let most = terms::constant(records.most, sort, span);
        let last = terms::variable(records.last, sort, span);
        let has_room = terms::compare(BinaryOp::Less, false, &last, &most);
        let claim = Claim {
            check: Check::Defined,
            text: Some(format!(
                "no more than {LOOPED} threads that are waited for start in loops"
            )),
        };
        self.check(&has_room, claim, span);
        let one = terms::constant(1, sort, span);
        let next = terms::binary(BinaryOp::Add, false, &last, &one);
        let id = self.temporary("pthread_create()", sort, Notation::default(), span);
        let targets = [id, records.last].map(|id| Target::Variable(self.ident(id, span)));
        let values = [self.emit(&next), self.emit(&next)];
        let kind = StmtKind::Assign {
            targets: targets.to_vec().into(),
            values: values.to_vec().into(),
            constrain: None,
        };
        self.push(kind, span);
        terms::variable(id, sort, span)
    }

    /// `pthread_join(t, NULL)` waits until the thread has ended.
    pub fn join(&mut self, arguments: &'a [Node<c::Expression>], span: Span) -> Value {
        let value = self.value(&arguments[0]);
        let result = self.unevaluated(|unit| unit.value(&arguments[1]).term.constant());
        if result.flatten() != Some(0) {
            let message = "`pthread_join` is supported without the result of the thread only: pass \
                           NULL as its second argument";
            self.refuse(span, message);
        }
        let Some(number) = self.integer_term(&value, span) else {
            return Value::broken(span);
        };
        let Some(records) = self.records else {
            // No thread is ever started.
            self.wait_until(&terms::boolean(false, span), span);
            return zero(span);
        };
        let number = self.once(&number);
        let mut has_ended = terms::boolean(false, span);
        for thread in 1..=records.most {
            let index = terms::constant(thread, Sort::Word(NUMBER), span);
            let is_it = terms::constant(thread, number.sort, span);
            let is_it = terms::compare(BinaryOp::Equal, false, &number, &is_it);
            let ended = terms::element(records.ended, index, Sort::Bool, span);
            has_ended = terms::or(&has_ended, &terms::and(&is_it, &ended));
        }
        self.wait_until(&has_ended, span);
        zero(span)
    }

    /// The thread continues as soon as a condition holds.
    fn wait_until(&mut self, condition: &Term, span: Span) {
        let condition = self.emit(condition);
        let word = AssumeWord::Assume;
        self.push(StmtKind::Assume { condition, word }, span);
    }

    pub fn exit_thread(&mut self, result: &'a Node<c::Expression>, span: Span) -> Value {
        self.discard(result);
        let name = self.functions[self.body.function].name.clone();
        if self.is_beginning(self.body.function) {
            self.end_of_thread(span);
            self.push(StmtKind::Return(Vec::new().into()), span);
        } else {
            if self.records.is_some() && name != "main" {
                let message = "`pthread_exit` is supported in `main` and in functions that are \
                               only started as threads";
                self.refuse(span, message);
            }
            if self.threads.exist() {
                self.push(StmtKind::EndThread, span);
            } else {
                self.assume(&terms::boolean(false, span), span);
            }
        }
        Value::void(span)
    }

    /// Whether threads begin in the procedure of a function itself.
    pub fn is_beginning(&self, function: usize) -> bool {
        let name = &self.functions[function].name;
        self.threads.begin_in(name) && !self.threads.need_wrapper(name)
    }

    /// The parameter in which a function gets the number of its thread.
    pub fn thread_parameter(&mut self, function: usize) -> Option<VarId> {
        self.body.thread = None;
        if !self.is_beginning(function) {
            return None;
        }
        self.parameter_for(function)
    }

    fn parameter_for(&mut self, function: usize) -> Option<VarId> {
        let name = &self.functions[function].name;
        if self.records.is_none() || self.threads.only_number(name).is_some() {
            return None;
        }
        let span = self.functions[function].span;
        let sort = Sort::Word(NUMBER);
        let id = self.temporary("thread", sort, Notation::default(), span);
        self.body.thread = Some(id);
        Some(id)
    }

    /// A started thread gets copies of its parent's own variables; in C they have their initial
    /// values.
    pub fn own_variables(&mut self, span: Span) {
        for index in 0..self.objects.len() {
            let id = ObjectId(index as u32);
            if !self.object(id).is_thread_local {
                continue;
            }
            if self.object(id).is_foreign {
                let message = "a variable of threads that is only declared is not supported";
                self.refuse(self.object(id).span, message);
            }
            let place = self.whole(id, span);
            for scalar in self.scalars(&place).unwrap_or_default() {
                let Some((_, location)) = scalar.cases.first() else {
                    continue;
                };
                let number = location.index.as_ref().and_then(|index| index.constant());
                let values = self.object(id).initial.get(&location.path);
                let value = values.and_then(|values| values.get(number.unwrap_or(0) as usize));
                let value = value.copied().unwrap_or(0);
                let sort = self.sort_of(&scalar.ty, span);
                self.write(&scalar, &terms::constant(value, sort, span), span);
            }
        }
    }

    /// Says that the thread has ended, where it begins in the function at hand.
    pub fn end_of_thread(&mut self, span: Span) {
        if self.is_beginning(self.body.function) {
            self.record_end(self.body.function, span);
        }
    }

    fn record_end(&mut self, function: usize, span: Span) {
        let Some(records) = self.records else { return };
        let name = &self.functions[function].name;
        let only = self.threads.only_number(name);
        let (numbers, own) = match (only, self.body.thread) {
            (Some(number), _) => (number..=number, None),
            (None, Some(id)) => (1..=records.most, Some(id)),
            (None, None) => return,
        };
        // One step, without an index that would have to be checked.
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        for number in numbers {
            let index = terms::constant(number, Sort::Word(NUMBER), span);
            let ended = terms::element(records.ended, Rc::clone(&index), Sort::Bool, span);
            let value = match own {
                None => terms::boolean(true, span),
                Some(id) => {
                    let own = terms::variable(id, Sort::Word(NUMBER), span);
                    terms::or(
                        &ended,
                        &terms::compare(BinaryOp::Equal, false, &own, &index),
                    )
                }
            };
            targets.push(self.target(&Spot::Element(records.ended, index), span, span));
            values.push(self.emit(&value));
        }
        let kind = StmtKind::Assign {
            targets: targets.into(),
            values: values.into(),
            constrain: None,
        };
        self.push(kind, span);
    }

    /// Procedures in which threads begin whose function is called as well.
    pub fn wrappers(&mut self) {
        for function in 0..self.functions.len() {
            let name = self.functions[function].name.clone();
            if self.threads.need_wrapper(&name) && self.functions[function].definition.is_some() {
                self.wrapper(function, &name);
            }
        }
    }

    fn wrapper(&mut self, function: usize, name: &str) {
        let span = self.functions[function].span;
        let signature = Rc::clone(&self.functions[function].signature);
        let first_stmt = StmtId(self.ast.stmts.len() as u32);
        let first_expr = ExprId(self.ast.exprs.len() as u32);
        self.body = Body::of(function);
        let mut parameters = Vec::new();
        for ty in &signature.parameters {
            let sort = self.sort_of(ty, span);
            let notation = self.notation_of_type(ty);
            parameters.push(self.temporary("argument", sort, notation, span));
        }
        let given = parameters.clone();
        parameters.extend(self.parameter_for(function));
        let body = self.block(span, |unit| {
            unit.own_variables(span);
            let is_atomic = unit.threads.is_atomic(name);
            if is_atomic {
                unit.push(StmtKind::AtomicBegin, span);
            }
            let terms: Vec<Term> = (given.iter())
                .map(|&id| terms::variable(id, unit.variable(id).sort, span))
                .collect();
            let arguments: Vec<ExprId> = terms.iter().map(|term| unit.emit(term)).collect();
            let callee = Ident {
                name: unit.ast.names.intern(name),
                span,
            };
            let kind = StmtKind::Call {
                targets: Vec::new().into(),
                callee,
                arguments: arguments.into(),
                keyword: false,
            };
            unit.push(kind, span);
            if is_atomic {
                unit.push(StmtKind::AtomicEnd, span);
            }
            unit.record_end(function, span);
        });
        let symbol = self.ast.names.intern(&wrapper_of(name));
        let parameters = parameters.iter().map(|&id| self.parameter(id)).collect();
        self.ast.items.push(Item::Procedure(Procedure {
            dfs: false,
            result: ResultType::Void,
            result_notation: Notation::default(),
            name: Ident { name: symbol, span },
            parameters,
            locals: Vec::new(),
            enforce: None,
            enforce_span: Span::default(),
            body,
            span,
            end_span: span.after(),
            first_stmt,
            first_expr,
        }));
    }
}

/// The procedure in which threads begin that run a function that is called as well.
fn wrapper_of(function: &str) -> String {
    format!("{function} (thread)")
}
