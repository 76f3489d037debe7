//! The functions of POSIX threads: what each of them does to the objects of the library, in steps
//! that other threads cannot interrupt.
//!
//! A mutex is a Boolean, a semaphore its count, and the name of a thread its number. Whatever waits
//! is one assignment with a condition: it is taken only where the condition holds, and until then
//! the other threads run. A condition variable has no state: POSIX allows `pthread_cond_wait` to
//! return at any time, so waiting is to release the mutex and to take it again, and to signal is
//! nothing. Calls do not fail, except for those whose purpose it is to try.
//!
//! A thread that others wait for says at its end that it has ended.

use crate::body::Spot;
use crate::library;
use crate::places::Place;
use crate::terms::{self, Sort, Term};
use crate::threads::{ATOMIC_BEGIN, ATOMIC_END, function_named};
use crate::types::{Field, Integer, Rank, Struct, Type};
use crate::unit::{Entity, Unit};
use crate::values::Value;
use crate::variables::{ObjectId, VarId, Variable};
use hardbop_syntax::ast::{
    BinaryOp, ExprId, Ident, Item, Procedure, ResultType, StmtId, StmtKind, Target,
};
use hardbop_syntax::{Check, Claim, Notation, Span};
use lang_c::ast as c;
use lang_c::span::Node;
use std::rc::Rc;

/// How many threads can be waited for that one `pthread_create` starts in a loop, all together.
const LOOPED: u64 = 16;

/// The bits of the number of a thread.
const NUMBER: u8 = 8;

/// `EBUSY`.
const BUSY: u64 = 16;

/// An object of the library.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gadget {
    Mutex,
    Condition,
    Semaphore,
    Attributes,
}

impl Gadget {
    const ALL: [Gadget; 4] = [
        Gadget::Mutex,
        Gadget::Condition,
        Gadget::Semaphore,
        Gadget::Attributes,
    ];

    fn of_type(name: &str) -> Option<Self> {
        Some(match name {
            "pthread_mutex_t" | "pthread_spinlock_t" => Gadget::Mutex,
            "pthread_cond_t" => Gadget::Condition,
            "sem_t" => Gadget::Semaphore,
            "pthread_attr_t" | "pthread_mutexattr_t" | "pthread_condattr_t" => Gadget::Attributes,
            _ => return None,
        })
    }

    fn member(self) -> Option<&'static str> {
        match self {
            Gadget::Mutex => Some("locked"),
            Gadget::Semaphore => Some("count"),
            Gadget::Condition | Gadget::Attributes => None,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Gadget::Mutex => "mutex",
            Gadget::Condition => "condition variable",
            Gadget::Semaphore => "semaphore",
            Gadget::Attributes => "object with attributes",
        }
    }
}

/// The variables behind the threads of a program.
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
    /// The type that hardbop has for a type of the library.
    pub fn library_type(&mut self, name: &str) -> Option<Type> {
        if self.threads.has_own_library {
            return None;
        }
        let model = self.reading.data_model;
        if name == "pthread_t" {
            return Some(Type::Integer(Integer::new(Rank::Char, false, model)));
        }
        let gadget = Gadget::of_type(name)?;
        Some(Type::Struct(self.gadget(gadget)))
    }

    /// The struct of an object of the library. No place of the text has its number.
    fn gadget(&mut self, gadget: Gadget) -> usize {
        let place = usize::MAX - gadget as usize;
        if let Some(&id) = self.structs_at.get(&place) {
            return id;
        }
        let model = self.reading.data_model;
        let ty = match gadget {
            Gadget::Semaphore => Integer::new(Rank::Int, false, model),
            _ => Integer::new(Rank::Bool, false, model),
        };
        let fields = gadget.member().map(|name| Field {
            name: name.to_owned(),
            ty: Type::Integer(ty),
        });
        self.structs.push(Struct {
            fields: Some(fields.into_iter().collect()),
        });
        let id = self.structs.len() - 1;
        self.structs_at.insert(place, id);
        id
    }

    /// Whether objects of a type belong to the library, so that their initialisers do too.
    pub fn is_gadget(&self, ty: &Type) -> bool {
        let Type::Struct(id) = ty else { return false };
        let mut all = Gadget::ALL.iter();
        all.any(|&gadget| self.structs_at.get(&(usize::MAX - gadget as usize)) == Some(id))
    }

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

    /// Whether several threads may use a variable.
    pub fn is_shared(&self, id: VarId) -> bool {
        let variable = self.variable(id);
        let (object, _) = variable.order;
        self.threads.exist()
            && variable.owner.is_none()
            && object != u32::MAX
            && self.is_shared_object(ObjectId(object))
    }

    /// The same for an object of C.
    pub fn is_shared_object(&self, id: ObjectId) -> bool {
        let object = self.object(id);
        if !self.threads.exist() || self.is_per_thread(id) {
            return false;
        }
        // The name of a `static` local has that of its function before it, and maybe a number behind.
        let name = object.name.rsplit("::").next().unwrap_or("");
        let name = name.split('#').next().unwrap_or("");
        let is_local = object.owner.is_some() && !object.lifted;
        !is_local && (object.lifted || self.pointers.points_to(id) || self.threads.share_name(name))
    }

    /// Whether each thread has its own copy of an object although its address is taken: a local of
    /// a function that several threads may run at the same time.
    pub fn is_per_thread(&self, id: ObjectId) -> bool {
        let object = self.object(id);
        object.lifted
            && object
                .owner
                .is_some_and(|function| self.threads.run_together(&self.functions[function].name))
    }

    /// Refuses to give an address to other threads that means something else there.
    pub fn keep_private(&mut self, ty: &Type, span: Span) {
        let Type::Pointer(pointee) = ty else { return };
        let targets = self.pointers.objects(pointee);
        let private = targets.into_iter().find(|&id| self.is_per_thread(id));
        if let Some(id) = private {
            let object = self.object(id);
            let function = object.owner.map(|f| self.functions[f].name.clone());
            let message = format!(
                "a pointer that other threads can read may point to `{}`, of which each thread \
                 that runs `{}` has its own; this is not supported",
                object.name,
                function.unwrap_or_default()
            );
            self.refuse(span, message);
        }
    }

    /// A call of a function for threads; `None` for all others.
    pub fn thread_call(
        &mut self,
        name: &str,
        call: &'a c::CallExpression,
        span: Span,
    ) -> Option<Value> {
        let arguments = call.arguments.as_slice();
        if name == ATOMIC_BEGIN || name == ATOMIC_END {
            self.section(name == ATOMIC_BEGIN, span);
            return Some(Value::void(span));
        }
        if !library::is_for_threads(name) {
            return None;
        }
        let known = library::THREADS.iter().find(|(known, _)| *known == name);
        let Some((_, count)) = known else {
            self.refuse(span, format!("`{name}` is not supported"));
            return Some(Value::broken(span));
        };
        if arguments.len() != *count {
            let message = format!("`{name}` is called with the wrong number of arguments");
            self.wrong(span, message);
            return Some(Value::broken(span));
        }
        let value = match name {
            "pthread_create" => self.create(call, span),
            "pthread_join" => self.join(arguments, span),
            "pthread_exit" => self.exit_thread(&arguments[0], span),
            "pthread_detach" => {
                self.discard(&arguments[0]);
                zero(span)
            }
            "pthread_yield" | "sched_yield" => zero(span),
            "sem_init" | "sem_wait" | "sem_trywait" | "sem_post" | "sem_destroy" => {
                self.semaphore(name, arguments, span)
            }
            "pthread_attr_init" | "pthread_attr_destroy" => {
                self.gadget_at(name, &arguments[0], Gadget::Attributes);
                zero(span)
            }
            _ if name.starts_with("pthread_cond") => self.condition_call(name, arguments, span),
            _ => self.mutex(name, arguments, span),
        };
        Some(value)
    }

    /// The object that an argument points to.
    fn pointed_at(&mut self, argument: &'a Node<c::Expression>) -> Place {
        let place = match &argument.node {
            c::Expression::UnaryOperator(unary)
                if unary.node.operator.node == c::UnaryOperator::Address =>
            {
                self.place(&unary.node.operand)
            }
            _ => {
                let span = self.span(argument.span);
                let pointer = self.value(argument);
                let text = self.expanded(argument.span);
                self.pointed_to(&pointer, &text, span)
            }
        };
        self.fixed_place(place)
    }

    /// The object of the library that an argument points to, or its member that has the state.
    fn gadget_at(
        &mut self,
        name: &str,
        argument: &'a Node<c::Expression>,
        gadget: Gadget,
    ) -> Option<Place> {
        let place = self.pointed_at(argument);
        let span = place.span;
        if place.ty == Type::Broken {
            return None;
        }
        if place.ty != Type::Struct(self.gadget(gadget)) {
            let message = format!("`{name}` needs the address of a {}", gadget.text());
            self.refuse(span, message);
            return None;
        }
        match gadget.member() {
            Some(member) => Some(self.member(place, member, span)),
            None => Some(place),
        }
    }

    /// In each case of a place, one step: `place := value` and maybe `also := …`, taken only where
    /// `wait` holds.
    fn step_on(&mut self, place: &Place, span: Span, step: &dyn Fn(&Term) -> Change) {
        let labels = self.take_labels();
        let mut arms = Vec::new();
        for (condition, location) in &place.cases {
            let condition = self.emit(condition);
            let block = self.block(span, |unit| {
                let (spot, sort) = unit.spot(location, place.span);
                let now = match &spot {
                    Spot::Variable(id) => terms::variable(*id, sort, span),
                    Spot::Element(id, index) => terms::element(*id, Rc::clone(index), sort, span),
                };
                let step = step(&now);
                let mut targets = vec![unit.target(&spot, place.span, span)];
                let mut values = vec![unit.emit_value(&step.value)];
                if let Some((id, value)) = step.also {
                    targets.push(Target::Variable(unit.ident(id, span)));
                    values.push(unit.emit_value(&value));
                }
                let constrain = step.wait.map(|wait| unit.emit(&wait));
                let kind = StmtKind::Assign {
                    targets: targets.into(),
                    values: values.into(),
                    constrain,
                };
                unit.push(kind, span);
            });
            arms.push((condition, block));
        }
        self.restore_labels(labels);
        if arms.len() <= 1 {
            if let Some((_, block)) = arms.pop() {
                self.append(block);
            }
            return;
        }
        let labels = self.take_labels();
        let otherwise = arms.pop().map(|(_, block)| Box::new(block));
        let arms = arms.into();
        self.push_labelled(labels, StmtKind::If { arms, otherwise }, span);
    }

    fn lock(&mut self, place: &Place, span: Span) {
        self.step_on(place, span, &|now| Change {
            value: terms::boolean(true, span),
            also: None,
            wait: Some(terms::not(now)),
        });
    }

    fn unlock(&mut self, place: &Place, span: Span) {
        self.step_on(place, span, &|_| Change {
            value: terms::boolean(false, span),
            also: None,
            wait: None,
        });
    }

    fn mutex(&mut self, name: &str, arguments: &'a [Node<c::Expression>], span: Span) -> Value {
        let Some(place) = self.gadget_at(name, &arguments[0], Gadget::Mutex) else {
            return Value::broken(span);
        };
        match name {
            "pthread_mutex_init" => {
                self.no_attributes(name, &arguments[1], span);
                self.unlock(&place, span);
            }
            "pthread_spin_init" => {
                self.discard(&arguments[1]);
                self.unlock(&place, span);
            }
            "pthread_mutex_lock" | "pthread_spin_lock" => self.lock(&place, span),
            "pthread_mutex_unlock" | "pthread_spin_unlock" => self.unlock(&place, span),
            "pthread_mutex_trylock" | "pthread_spin_trylock" => {
                let text = format!("{name}()");
                let was = self.temporary(&text, Sort::Bool, Notation::default(), span);
                self.step_on(&place, span, &|now| Change {
                    value: terms::boolean(true, span),
                    also: Some((was, Rc::clone(now))),
                    wait: None,
                });
                return failed_if(was, BUSY, span);
            }
            _ => {}
        }
        zero(span)
    }

    /// Only what is there without attributes is modelled.
    fn no_attributes(&mut self, name: &str, argument: &'a Node<c::Expression>, span: Span) {
        let is_null = match self.type_of_expression(argument) {
            Type::Integer(_) => self.constant_of(argument) == Some(0),
            _ => {
                let value = self.unevaluated(|unit| unit.value(argument).term.constant());
                value.flatten() == Some(0)
            }
        };
        if !is_null {
            self.refuse(span, format!("`{name}` with attributes is not supported"));
        }
    }

    fn condition_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<c::Expression>],
        span: Span,
    ) -> Value {
        if self
            .gadget_at(name, &arguments[0], Gadget::Condition)
            .is_none()
        {
            return Value::broken(span);
        }
        match name {
            "pthread_cond_init" => self.no_attributes(name, &arguments[1], span),
            "pthread_cond_wait" => {
                let Some(mutex) = self.gadget_at(name, &arguments[1], Gadget::Mutex) else {
                    return Value::broken(span);
                };
                self.unlock(&mutex, span);
                self.lock(&mutex, span);
            }
            _ => {}
        }
        zero(span)
    }

    fn semaphore(&mut self, name: &str, arguments: &'a [Node<c::Expression>], span: Span) -> Value {
        let Some(place) = self.gadget_at(name, &arguments[0], Gadget::Semaphore) else {
            return Value::broken(span);
        };
        let one = terms::constant(1, Sort::Word(32), span);
        let less = |now: &Term| terms::binary(BinaryOp::Subtract, false, now, &one);
        match name {
            "sem_init" => {
                self.discard(&arguments[1]);
                let value = self.value(&arguments[2]);
                let Some(term) = self.integer_term(&value, span) else {
                    return Value::broken(span);
                };
                let term = self.once(&terms::resize(&term, 32, false));
                self.step_on(&place, span, &|_| Change {
                    value: Rc::clone(&term),
                    also: None,
                    wait: None,
                });
            }
            "sem_wait" => self.step_on(&place, span, &|now| Change {
                value: less(now),
                also: None,
                wait: Some(terms::truth(now)),
            }),
            "sem_post" => self.step_on(&place, span, &|now| Change {
                value: terms::binary(BinaryOp::Add, false, now, &one),
                also: None,
                wait: None,
            }),
            "sem_trywait" => {
                let text = format!("{name}()");
                let was = self.temporary(&text, Sort::Bool, Notation::default(), span);
                self.step_on(&place, span, &|now| Change {
                    value: terms::conditional(&terms::truth(now), &less(now), now),
                    also: Some((was, terms::not(&terms::truth(now)))),
                    wait: None,
                });
                let result = failed_if(was, u64::from(u32::MAX), span);
                return result;
            }
            _ => {}
        }
        zero(span)
    }

    /// `pthread_create(&t, attributes, f, argument)`. The new thread may run before `t` is written.
    fn create(&mut self, call: &'a c::CallExpression, span: Span) -> Value {
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
                given.push(self.once(&crate::arithmetic::held(&value)));
            }
            _ => self.wrong(span, "the function of a thread has one parameter"),
        }
        let name = self.functions[index].name.clone();
        let number = self.number_of_thread(&site.number, span);
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
    fn number_of_thread(&mut self, number: &Option<u64>, span: Span) -> Term {
        let sort = Sort::Word(NUMBER);
        let Some(records) = self.records else {
            return terms::constant(number.unwrap_or(self.threads.numbered + 1), sort, span);
        };
        if let Some(number) = number {
            return terms::constant(*number, sort, span);
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
    fn join(&mut self, arguments: &'a [Node<c::Expression>], span: Span) -> Value {
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

    /// The thread goes on as soon as a condition holds.
    fn wait_until(&mut self, condition: &Term, span: Span) {
        let condition = self.emit(condition);
        let word = hardbop_syntax::ast::AssumeWord::Assume;
        self.push(StmtKind::Assume { condition, word }, span);
    }

    fn exit_thread(&mut self, result: &'a Node<c::Expression>, span: Span) -> Value {
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

    /// Says that the thread has ended, where it begins in the function at hand.
    pub fn end_of_thread(&mut self, span: Span) {
        if self.is_beginning(self.body.function) {
            self.record_end(self.body.function, span);
        }
    }

    fn record_end(&mut self, function: usize, span: Span) {
        let Some(records) = self.records else { return };
        let name = &self.functions[function].name;
        let sort = Sort::Word(NUMBER);
        let number = match (self.threads.only_number(name), self.body.thread) {
            (Some(number), _) => terms::constant(number, sort, span),
            (None, Some(id)) => terms::variable(id, sort, span),
            (None, None) => return,
        };
        let spot = Spot::Element(records.ended, number);
        self.assign(&spot, &terms::boolean(true, span), span);
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
        self.body = crate::body::Body::of(function);
        let mut parameters = Vec::new();
        for ty in &signature.parameters {
            let sort = self.sort_of(ty, span);
            let notation = self.notation_of_type(ty);
            parameters.push(self.temporary("argument", sort, notation, span));
        }
        let given = parameters.clone();
        parameters.extend(self.parameter_for(function));
        let body = self.block(span, |unit| {
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

    /// `__VERIFIER_atomic_begin()` and its end. These sections do not nest.
    fn section(&mut self, is_begin: bool, span: Span) {
        if !self.threads.exist() {
            return;
        }
        let name = &self.functions[self.body.function].name;
        if self.threads.is_maybe_inside(name) {
            let message = format!(
                "an atomic section in `{name}`, which is called by an atomic function, is not \
                 supported"
            );
            self.refuse(span, message);
        }
        let kind = if is_begin {
            StmtKind::AtomicBegin
        } else {
            StmtKind::AtomicEnd
        };
        self.push(kind, span);
    }

    /// Whether a call of a function has to be made atomic here.
    pub fn makes_atomic(&mut self, callee: &str, span: Span) -> bool {
        if !self.threads.is_atomic(callee) {
            return false;
        }
        let name = self.functions[self.body.function].name.clone();
        if self.threads.is_always_inside(&name) {
            return false;
        }
        if self.threads.is_maybe_inside(&name) || self.threads.begins_section(&name) {
            let message = format!(
                "the atomic function `{callee}` is called in `{name}`, which may be atomic itself; \
                 this is not supported"
            );
            self.refuse(span, message);
        }
        true
    }

    /// Whether reads of shared variables have to be steps of their own in an expression: there is
    /// another access beside, or the value is used more than once.
    pub fn must_split(&self, expression: &Node<c::Expression>) -> bool {
        if !self.body.is_interrupted {
            return false;
        }
        let effects = self.effects_of(expression);
        effects.accesses > 1 || (effects.accesses == 1 && effects.may_check)
    }

    /// The same, remembered until the next expression.
    pub fn set_split(&mut self, expression: &Node<c::Expression>) {
        self.body.splits = self.must_split(expression);
    }

    /// Translates an expression that is not part of another one.
    pub fn full<T>(
        &mut self,
        expression: &Node<c::Expression>,
        translate: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.body.splits;
        self.set_split(expression);
        let result = translate(self);
        self.body.splits = outer;
        result
    }
}

/// One step on the state of an object.
struct Change {
    value: Term,
    /// A temporary that gets a value in the same step.
    also: Option<(VarId, Term)>,
    /// What is waited for.
    wait: Option<Term>,
}

/// The procedure in which threads begin that run a function that is called as well.
fn wrapper_of(function: &str) -> String {
    format!("{function} (thread)")
}

fn zero(span: Span) -> Value {
    Value {
        term: terms::constant(0, Sort::Word(32), span),
        ty: Type::int(),
    }
}

/// An error number where a Boolean holds, otherwise 0.
fn failed_if(id: VarId, error: u64, span: Span) -> Value {
    let failed = terms::variable(id, Sort::Bool, span);
    let constant = |value| terms::constant(value, Sort::Word(32), span);
    Value {
        term: terms::conditional(&failed, &constant(error), &constant(0)),
        ty: Type::int(),
    }
}
