//! SMT-LIB 2 text to a system of clauses, as the competition on Horn clauses writes it, and in the
//! older form of Z3's fixed-point engine (`declare-rel`, `rule`, `query`).
//!
//! The reader is our own: it is small, keeps `let` as sharing, and is limited in depth by memory
//! only, because the open lists and the open terms are on stacks.

mod clauses;
mod formulas;
mod operators;
mod sexpr;

use crate::system::{Predicate, System};
use crate::terms::{MAX_WIDTH, Op, PredicateId, Sort, TermId};
use formulas::Definition;
use rustc_hash::FxHashMap;
use sexpr::{SexprId, Tree};

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    /// Where, in bytes.
    pub offset: u32,
    /// What, in a sentence.
    pub message: String,
}

impl ReadError {
    pub(crate) fn new(offset: u32, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { offset, message }
    }
}

/// Reads a system of clauses.
pub fn read(text: &str) -> Result<System, ReadError> {
    if u32::try_from(text.len()).is_err() {
        return Err(ReadError::new(0, "the text is larger than 4 GB"));
    }
    let tree = Tree::read(text)?;
    let mut script = Script {
        tree: &tree,
        system: System::default(),
        names: FxHashMap::default(),
        asserted: Vec::new(),
        is_over: false,
    };
    for &command in &tree.roots {
        script.command(command)?;
    }
    let Script {
        mut system,
        asserted,
        ..
    } = script;
    for (offset, formula) in asserted {
        clauses::add(&mut system, offset, formula)
            .map_err(|message| ReadError::new(offset, message))?;
    }
    Ok(system)
}

/// What a global name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Named {
    Predicate(PredicateId),
    Definition(Definition),
    /// A variable of the fixed-point form, which is bound in every rule.
    Term(TermId),
}

/// The commands so far.
pub(crate) struct Script<'t> {
    pub tree: &'t Tree<'t>,
    pub system: System,
    pub names: FxHashMap<String, Named>,
    asserted: Vec<(u32, TermId)>,
    is_over: bool,
}

impl Script<'_> {
    pub fn error(&self, at: SexprId, message: impl Into<String>) -> ReadError {
        ReadError::new(self.tree.start(at), message)
    }

    fn command(&mut self, at: SexprId) -> Result<(), ReadError> {
        let tree = self.tree;
        let Some(members) = tree.list(at) else {
            return Err(self.error(at, "a command is a list, such as `(assert …)`"));
        };
        if self.is_over {
            return Ok(());
        }
        let Some(name) = members.first().and_then(|&first| tree.plain(first)) else {
            return Err(self.error(at, "a command begins with its name"));
        };
        match (name, &members[1..]) {
            ("set-logic", &[logic]) => match tree.atom(logic) {
                Some("HORN" | "ALL") => Ok(()),
                _ => Err(self.error(logic, "only the logic `HORN` is supported")),
            },
            ("set-info" | "set-option" | "get-model" | "get-info" | "echo", _)
            | ("check-sat", []) => Ok(()),
            ("exit", []) => {
                self.is_over = true;
                Ok(())
            }
            ("declare-fun", &[name, sorts, result]) => {
                let result = self.sort(result)?;
                let sorts = self.sorts(sorts)?;
                self.declare(name, sorts, result)
            }
            ("declare-const", &[name, sort]) => {
                let sort = self.sort(sort)?;
                self.declare(name, Vec::new(), sort)
            }
            ("declare-rel", &[name, sorts]) => {
                let sorts = self.sorts(sorts)?;
                self.declare(name, sorts, Sort::Bool)
            }
            ("declare-var", &[name, sort]) => {
                let sort = self.sort(sort)?;
                let text = self.symbol(name)?.to_owned();
                let variable = self.system.terms.variable(&text, sort);
                let term = self.system.terms.var(variable);
                self.bind(name, Named::Term(term))
            }
            ("define-fun", &[name, parameters, result, body]) => {
                self.define(name, Some(parameters), result, body)
            }
            ("define-const", &[name, result, body]) => self.define(name, None, result, body),
            ("assert" | "rule", &[formula]) => {
                let term = self.formula(formula)?;
                self.asserted.push((tree.start(at), term));
                Ok(())
            }
            ("query", &[formula, ..]) => {
                let term = self.formula(formula)?;
                let denied = self.system.terms.not(term);
                self.asserted.push((tree.start(at), denied));
                Ok(())
            }
            (
                "set-logic" | "check-sat" | "exit" | "declare-fun" | "declare-const"
                | "declare-rel" | "declare-var" | "define-fun" | "define-const" | "assert" | "rule"
                | "query",
                _,
            ) => Err(self.error(at, format!("`{name}` has other operands"))),
            _ => Err(self.error(at, format!("the command `{name}` is not supported"))),
        }
    }

    /// A formula that is asserted: a Boolean.
    fn formula(&mut self, at: SexprId) -> Result<TermId, ReadError> {
        let term = self.term(at, &[])?;
        if self.system.terms.sort(term) != Sort::Bool {
            return Err(self.error(at, "this is not a Boolean"));
        }
        Ok(term)
    }

    /// A symbol.
    pub fn symbol(&self, at: SexprId) -> Result<&str, ReadError> {
        let is_literal = |text: &str| {
            text.starts_with(['#', '"', ':']) || text.starts_with(|c: char| c.is_ascii_digit())
        };
        match (self.tree.atom(at), self.tree.plain(at)) {
            (Some(_), Some(plain)) if is_literal(plain) => {
                Err(self.error(at, "this is not a name"))
            }
            (Some(text), _) => Ok(text),
            (None, _) => Err(self.error(at, "this is not a name")),
        }
    }

    fn sorts(&self, at: SexprId) -> Result<Vec<Sort>, ReadError> {
        let Some(members) = self.tree.list(at) else {
            return Err(self.error(at, "this is not a list of sorts"));
        };
        members.iter().map(|&member| self.sort(member)).collect()
    }

    /// A sort.
    pub fn sort(&self, at: SexprId) -> Result<Sort, ReadError> {
        if self.tree.atom(at) == Some("Bool") {
            return Ok(Sort::Bool);
        }
        if let Some(&[underscore, word, width]) = self.tree.list(at)
            && self.tree.plain(underscore) == Some("_")
            && self.tree.plain(word) == Some("BitVec")
        {
            let width = self.tree.plain(width).and_then(|text| text.parse().ok());
            return match width {
                Some(width @ 1..=MAX_WIDTH) => Ok(Sort::Word(width as u8)),
                _ => Err(self.error(at, "words have 1 to 64 bits")),
            };
        }
        Err(self.error(at, "only `Bool` and words of up to 64 bits are supported"))
    }

    fn bind(&mut self, at: SexprId, named: Named) -> Result<(), ReadError> {
        let name = self.symbol(at)?.to_owned();
        if self.names.contains_key(&name) {
            return Err(self.error(at, format!("`{name}` is declared twice")));
        }
        self.names.insert(name, named);
        Ok(())
    }

    fn declare(&mut self, at: SexprId, sorts: Vec<Sort>, result: Sort) -> Result<(), ReadError> {
        if result != Sort::Bool {
            let message = "only predicates may be declared, with the result `Bool`";
            return Err(self.error(at, message));
        }
        let name = self.symbol(at)?.to_owned();
        let id = PredicateId(self.system.predicates.len() as u32);
        self.bind(at, Named::Predicate(id))?;
        self.system.predicates.push(Predicate { name, sorts });
        Ok(())
    }

    fn define(
        &mut self,
        at: SexprId,
        parameters: Option<SexprId>,
        result: SexprId,
        body: SexprId,
    ) -> Result<(), ReadError> {
        let parameters = match parameters {
            Some(parameters) => self.bindings(parameters)?,
            None => Vec::new(),
        };
        let result_sort = self.sort(result)?;
        let term = self.term(body, &parameters)?;
        if self.system.terms.sort(term) != result_sort {
            return Err(self.error(body, format!("this is not of the sort {result_sort}")));
        }
        let below = self.system.terms.below(&[term]);
        let is_quantifier = |id: &TermId| {
            let term = self.system.terms.get(*id);
            matches!(term, crate::terms::Term::Apply(Op::Forall | Op::Exists, _))
        };
        if below.iter().any(is_quantifier) {
            return Err(self.error(body, "a definition with quantifiers is not supported"));
        }
        let parameters = parameters
            .into_iter()
            .map(|(_, variable)| variable)
            .collect();
        let definition = Definition { parameters, term };
        self.bind(at, Named::Definition(definition))
    }
}
