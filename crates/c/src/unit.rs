//! A translation unit on its way: what is declared, what was found out, and what is made.
//!
//! Everything is translated several times, until nothing new is found out about pointers: which
//! objects have their address taken, and so what a pointer of a type may point to, is known only
//! at the end. Objects and structs keep their numbers over the passes; they are found again by the
//! place of their declaration. Only what the last pass makes and reports is kept.

use crate::body::Body;
use crate::claims::Stated;
use crate::lines::Lines;
use crate::notations::ValueTables;
use crate::order::Access;
use crate::pointers::Pointers;
use crate::sites::{Site, SiteKind};
use crate::starts::Records;
use crate::terms::Sort;
use crate::threads::Threads;
use crate::types::{Integer, Signature, Struct, Type};
use crate::variables::{Object, ObjectId, VarId, Variable};
use hardbop_syntax::ast::{Ast, Form};
use hardbop_syntax::source::CReading;
use hardbop_syntax::{Code, Diagnostic, Span, codes};
use lang_c::ast as c;
use lang_c::span::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a name means.
#[derive(Clone, Debug)]
pub enum Entity {
    Object(ObjectId),
    /// By its number in the table of functions.
    Function(usize),
    Enumerator(i64, Integer),
    Typedef(Type),
}

/// A function.
#[expect(clippy::struct_excessive_bools, reason = "each is found by itself")]
pub struct Function<'a> {
    pub name: String,
    pub signature: Rc<Signature>,
    pub definition: Option<&'a Node<c::FunctionDefinition>>,
    pub span: Span,
    pub is_declared: bool,
    /// Its declaration says that it does not return.
    pub is_noreturn: bool,
    /// `main` can come to it.
    pub is_reachable: bool,
    /// It can call itself, through others or not.
    pub is_recursive: bool,
    pub is_called: bool,
}

/// Everything about a translation unit.
pub struct Unit<'a> {
    /// The text that was parsed.
    pub text: &'a str,
    /// The text that spans are about.
    pub source_text: &'a str,
    pub lines: Lines<'a>,
    pub reading: &'a CReading,
    pub scopes: Vec<BTreeMap<String, Entity>>,
    pub tags: Vec<BTreeMap<String, Type>>,
    pub structs: Vec<Struct>,
    pub structs_at: BTreeMap<usize, usize>,
    pub functions: Vec<Function<'a>>,
    pub objects: Vec<Object>,
    pub objects_at: BTreeMap<usize, ObjectId>,
    pub names: ValueTables,
    pub variables: Vec<Variable>,
    pub pointers: Pointers,
    pub ast: Ast,
    pub diagnostics: Vec<Diagnostic>,
    /// Places and codes of what was reported: once is enough.
    reported: BTreeSet<(Span, String)>,
    pub body: Body,
    /// Assertions that the text states, with the text that was parsed.
    pub stated: Vec<Stated>,
    /// The label `ERROR` is an error to reach.
    pub asks_label: bool,
    /// Where the program meets what is outside of it.
    pub sites: BTreeSet<Site>,
    /// The globals that each function reads and writes, itself or through others.
    pub accesses: Vec<Access>,
    /// Where the text has `__thread`.
    pub thread_words: BTreeSet<usize>,
    /// Who runs what.
    pub threads: Threads,
    /// What threads that end say.
    pub records: Option<Records>,
}

impl<'a> Unit<'a> {
    pub fn new(
        text: &'a str,
        source_text: &'a str,
        lines: Lines<'a>,
        reading: &'a CReading,
    ) -> Self {
        Self {
            text,
            source_text,
            lines,
            reading,
            scopes: vec![BTreeMap::new()],
            tags: vec![BTreeMap::new()],
            structs: Vec::new(),
            structs_at: BTreeMap::new(),
            functions: Vec::new(),
            objects: Vec::new(),
            objects_at: BTreeMap::new(),
            names: ValueTables::default(),
            variables: Vec::new(),
            pointers: Pointers::default(),
            ast: Ast::default(),
            diagnostics: Vec::new(),
            reported: BTreeSet::new(),
            body: Body::default(),
            stated: Vec::new(),
            asks_label: false,
            sites: BTreeSet::new(),
            accesses: Vec::new(),
            thread_words: BTreeSet::new(),
            threads: Threads::default(),
            records: None,
        }
    }

    /// The place in the source of a place in the text that was parsed.
    pub fn span(&self, span: lang_c::span::Span) -> Span {
        self.lines.span(span.start, span.end)
    }

    /// Remembers a place where the program meets what is outside of it.
    pub fn meets(&mut self, span: Span, kind: SiteKind) {
        self.sites.insert(Site { span, kind });
    }

    /// Reports an error, once.
    pub fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        let message = message.into();
        if self.reported.insert((span, message.clone())) {
            self.diagnostics.push(Diagnostic::new(code, span, message));
        }
    }

    /// Reports an error or a warning with what to do about it, once.
    pub fn report_with_help(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let message = message.into();
        if self.reported.insert((span, message.clone())) {
            let diagnostic = Diagnostic::new(code, span, message);
            self.diagnostics.push(diagnostic.help(help));
        }
    }

    /// Refuses something that has a meaning in C.
    pub fn refuse(&mut self, span: Span, message: impl Into<String>) {
        self.report(codes::C_UNSUPPORTED, span, message);
    }

    /// Reports something that has no meaning in C.
    pub fn wrong(&mut self, span: Span, message: impl Into<String>) {
        self.report(codes::C_MEANING, span, message);
    }

    /// Forgets what the last pass made and reported.
    pub fn restart(&mut self) {
        self.diagnostics.clear();
        self.reported.clear();
        self.variables.clear();
        for object in &mut self.objects {
            object.leaves.clear();
        }
        self.functions.clear();
        self.scopes = vec![BTreeMap::new()];
        self.tags = vec![BTreeMap::new()];
        self.ast = Ast {
            form: Form::C,
            ..Ast::default()
        };
        self.body = Body::default();
        self.stated.clear();
        self.names.restart();
        self.pointers.has_changed = false;
        let list = Entity::Typedef(Type::Refused("va_list"));
        self.declare("__builtin_va_list", list);
    }

    pub fn lookup(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    pub fn declare(&mut self, name: &str, entity: Entity) {
        let scope = self.scopes.last_mut().expect("the outermost scope stays");
        scope.insert(name.to_owned(), entity);
    }

    pub fn enter(&mut self) {
        self.scopes.push(BTreeMap::new());
        self.tags.push(BTreeMap::new());
    }

    pub fn leave(&mut self) {
        self.scopes.pop();
        self.tags.pop();
    }

    /// The object that is declared at an offset of the text, made on the first pass.
    pub fn object_at(&mut self, offset: usize, make: impl FnOnce() -> Object) -> ObjectId {
        if let Some(&id) = self.objects_at.get(&offset) {
            return id;
        }
        let id = ObjectId(self.objects.len() as u32);
        self.objects.push(make());
        self.objects_at.insert(offset, id);
        id
    }

    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// How values of a scalar type are held; an error is reported for other types.
    pub fn sort_of(&mut self, ty: &Type, span: Span) -> Sort {
        match ty {
            Type::Integer(integer) => integer.sort(),
            Type::Pointer(target) => self.pointers.sort(target),
            Type::Broken => Sort::Word(32),
            other => {
                let text = other.text();
                self.refuse(
                    span,
                    format!("a value of type {text} is not supported here"),
                );
                Sort::Word(32)
            }
        }
    }

    /// The variable of a leaf of an object, made on first use.
    pub fn leaf(
        &mut self,
        id: ObjectId,
        path: &str,
        ty: &Type,
        length: Option<u32>,
        span: Span,
    ) -> VarId {
        if let Some(&variable) = self.object(id).leaves.get(path) {
            return variable;
        }
        let sort = self.sort_of(ty, span);
        let notation = self.notation_of_type(ty);
        if length.is_some_and(|length| u64::from(length) > hardbop_syntax::ast::MAX_LENGTH) {
            let largest = hardbop_syntax::ast::MAX_LENGTH;
            let message = format!("arrays of more than {largest} elements are not supported");
            self.refuse(self.object(id).span, message);
        }
        let object = self.object(id);
        let owner = object.owner.filter(|_| !object.lifted);
        let name = match object.owner {
            Some(function) if object.lifted => {
                format!("{}::{}{path}", self.functions[function].name, object.name)
            }
            _ => format!("{}{path}", object.name),
        };
        let is_global = object.owner.is_none();
        let initial = match object.initial.get(path) {
            Some(values) => values.clone(),
            None if is_global && !object.is_foreign => vec![0],
            None => Vec::new(),
        };
        let variable = Variable {
            name,
            sort,
            length,
            owner,
            initial,
            span: object.span,
            notation,
            order: (id.0, object.leaves.len() as u32),
        };
        let made = VarId(self.variables.len() as u32);
        self.variables.push(variable);
        self.objects[id.0 as usize]
            .leaves
            .insert(path.to_owned(), made);
        made
    }

    /// Takes back the variables that were made since there were `count` of them.
    pub fn forget_variables(&mut self, count: usize) {
        for variable in self.variables.drain(count..) {
            let object = self.objects.get_mut(variable.order.0 as usize);
            if let Some(object) = object {
                object.leaves.retain(|_, id| (id.0 as usize) < count);
            }
        }
    }

    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }
}
