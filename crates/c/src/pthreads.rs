//! The functions of POSIX threads: what each of them does to the objects of the library, in steps
//! that other threads cannot interrupt.
//!
//! A mutex is a Boolean and a semaphore its count. Whatever waits is one assignment with a
//! condition: it is taken only where the condition holds, and until then the other threads run. A
//! condition variable has no state: POSIX allows `pthread_cond_wait` to return at any time, so
//! waiting is to release the mutex and to take it again, and to signal is nothing. Calls do not
//! fail, except for those whose purpose it is to try. Threads themselves are in [`crate::starts`].

use crate::body::Spot;
use crate::library;
use crate::places::Place;
use crate::terms::{self, Sort, Term};
use crate::threads::{ATOMIC_BEGIN, ATOMIC_END};
use crate::types::{Field, Integer, Rank, Struct, Type};
use crate::unit::Unit;
use crate::values::Value;
use crate::variables::VarId;
use hardbop_syntax::ast::{BinaryOp, StmtKind, Target};
use hardbop_syntax::{Notation, Span};
use lang_c::ast as c;
use lang_c::span::Node;
use std::rc::Rc;

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
    pub fn pointed_at(&mut self, argument: &'a Node<c::Expression>) -> Place {
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
}

/// One step on the state of an object.
struct Change {
    value: Term,
    /// A temporary that gets a value in the same step.
    also: Option<(VarId, Term)>,
    /// What is waited for.
    wait: Option<Term>,
}

/// The result of a call that did what it should.
pub fn zero(span: Span) -> Value {
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
