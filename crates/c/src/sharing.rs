//! Which variables threads share, and where one thread can be interrupted by the others.
//!
//! A step of the program that is made is one statement or one condition. In C it is one access of a
//! shared variable. So an expression with several of them reads each into a temporary first, in the
//! order of evaluation; `x++` is read, then written. An expression with one access needs none, if
//! its value is used once. In atomic functions nothing is split.

use crate::types::Type;
use crate::unit::Unit;
use crate::variables::{ObjectId, VarId};
use hardbop_syntax::Span;
use hardbop_syntax::ast::StmtKind;
use lang_c::ast as c;
use lang_c::span::Node;

impl Unit<'_> {
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
        // The name of a `static` local follows that of its function, and a number may follow.
        let name = object.name.rsplit("::").next().unwrap_or("");
        let name = name.split('#').next().unwrap_or("");
        let is_local = object.owner.is_some() && !object.lifted;
        !is_local && (object.lifted || self.pointers.points_to(id) || self.threads.share_name(name))
    }

    /// Whether each thread has its own copy of an object that is no local of a procedure: it says so
    /// itself, or it is a local whose address is taken, of a function that several threads may run.
    pub fn is_per_thread(&self, id: ObjectId) -> bool {
        let object = self.object(id);
        let runs_together =
            |function: usize| self.threads.run_together(&self.functions[function].name);
        self.threads.exist()
            && (object.is_thread_local
                || (object.lifted && object.owner.is_some_and(runs_together)))
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

    /// `__VERIFIER_atomic_begin()` and its end. These sections do not nest.
    pub fn section(&mut self, is_begin: bool, span: Span) {
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

    /// Whether an expression has to read shared variables in separate steps: there is another
    /// access, or the value is used more than once.
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
