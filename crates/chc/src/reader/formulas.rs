//! One term of the text, with an explicit stack of what is still to be done.

use super::{Named, ReadError, Script, operators};
use crate::reader::sexpr::SexprId;
use crate::substitute::substitute;
use crate::terms::{Op, Sort, TermId, VarId};
use rustc_hash::FxHashMap;

/// A defined function.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub parameters: Vec<VarId>,
    pub term: TermId,
}

/// What is still to be done, last first.
enum Task<'s> {
    /// Reads a term and pushes it.
    Open(SexprId),
    /// Pops this many terms and pushes what an operator makes of them.
    Apply(SexprId, usize),
    /// Pops the values of these names and binds them.
    Bind(Vec<&'s str>),
    /// Ends the binding of these names.
    Unbind(Vec<&'s str>),
    /// Pops a formula and pushes it under a quantifier.
    Quantify(SexprId, Op),
}

/// Where local names get their meaning.
type Scopes<'s> = FxHashMap<&'s str, Vec<TermId>>;

impl<'t> Script<'t> {
    /// `((x Sort) …)`, with a new variable for each name.
    pub fn bindings(&mut self, at: SexprId) -> Result<Vec<(&'t str, VarId)>, ReadError> {
        let tree = self.tree;
        let Some(members) = tree.list(at) else {
            return Err(self.error(at, "this is not a list of variables"));
        };
        let mut bound = Vec::new();
        for &member in members {
            let Some(&[name, sort]) = tree.list(member) else {
                return Err(self.error(member, "a variable is written `(name Sort)`"));
            };
            self.symbol(name)?;
            let text = tree.atom(name).unwrap_or_default();
            let sort = self.sort(sort)?;
            bound.push((text, self.system.terms.variable(text, sort)));
        }
        Ok(bound)
    }

    /// A term over these variables.
    pub fn term(&mut self, root: SexprId, bound: &[(&'t str, VarId)]) -> Result<TermId, ReadError> {
        let tree = self.tree;
        let mut scopes: Scopes<'t> = FxHashMap::default();
        for &(name, variable) in bound {
            let term = self.system.terms.var(variable);
            scopes.entry(name).or_default().push(term);
        }
        let mut values: Vec<TermId> = Vec::new();
        let mut tasks = vec![Task::Open(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Open(at) => self.open(at, &mut scopes, &mut tasks, &mut values)?,
                Task::Apply(at, count) => {
                    let operands = values.split_off(values.len() - count);
                    values.push(self.apply(at, &operands)?);
                }
                Task::Bind(names) => {
                    let first = values.len() - names.len();
                    for (name, value) in names.into_iter().zip(values.drain(first..)) {
                        scopes.entry(name).or_default().push(value);
                    }
                }
                Task::Unbind(names) => {
                    for name in names {
                        scopes.entry(name).or_default().pop();
                    }
                }
                Task::Quantify(at, op) => {
                    let body = values.pop().expect("the body was read");
                    if self.system.terms.sort(body) != Sort::Bool {
                        return Err(self.error(at, "a quantifier is about a Boolean"));
                    }
                    values.push(self.system.terms.apply(op, &[body], Sort::Bool));
                }
            }
        }
        debug_assert!(values.len() == 1 && tree.start(root) < u32::MAX);
        Ok(values[0])
    }

    fn open(
        &mut self,
        at: SexprId,
        scopes: &mut Scopes<'t>,
        tasks: &mut Vec<Task<'t>>,
        values: &mut Vec<TermId>,
    ) -> Result<(), ReadError> {
        let tree = self.tree;
        let Some(members) = tree.list(at) else {
            let local = tree
                .atom(at)
                .and_then(|name| scopes.get(name)?.last().copied());
            let is_symbol = self.symbol(at).is_ok();
            values.push(match local {
                Some(term) if is_symbol => term,
                _ => self.apply(at, &[])?,
            });
            return Ok(());
        };
        let Some(&head) = members.first() else {
            return Err(self.error(at, "a term is not empty"));
        };
        match (tree.plain(head), members) {
            (Some("let"), &[_, bindings, body]) => {
                let Some(bindings) = tree.list(bindings) else {
                    return Err(self.error(bindings, "this is not a list of bindings"));
                };
                let mut names = Vec::new();
                let mut terms = Vec::new();
                for &binding in bindings {
                    let Some(&[name, term]) = tree.list(binding) else {
                        return Err(self.error(binding, "a binding is written `(name term)`"));
                    };
                    self.symbol(name)?;
                    names.push(tree.atom(name).unwrap_or_default());
                    terms.push(Task::Open(term));
                }
                tasks.push(Task::Unbind(names.clone()));
                tasks.push(Task::Open(body));
                tasks.push(Task::Bind(names));
                tasks.extend(terms.into_iter().rev());
            }
            (Some("forall" | "exists"), &[quantifier, bindings, body]) => {
                let bound = self.bindings(bindings)?;
                let mut names = Vec::new();
                for (name, variable) in bound {
                    let term = self.system.terms.var(variable);
                    scopes.entry(name).or_default().push(term);
                    names.push(name);
                }
                let is_forall = tree.plain(quantifier) == Some("forall");
                let op = if is_forall { Op::Forall } else { Op::Exists };
                tasks.push(Task::Unbind(names));
                tasks.push(Task::Quantify(at, op));
                tasks.push(Task::Open(body));
            }
            (Some("!"), &[_, term, ..]) => tasks.push(Task::Open(term)),
            (Some("_"), _) => values.push(self.apply(at, &[])?),
            (Some("let" | "forall" | "exists" | "!"), _) => {
                return Err(self.error(at, "this has other operands"));
            }
            _ => {
                tasks.push(Task::Apply(head, members.len() - 1));
                tasks.extend(members[1..].iter().rev().map(|&member| Task::Open(member)));
            }
        }
        Ok(())
    }

    /// An operator, a predicate or a defined function; without operands also a constant.
    fn apply(&mut self, at: SexprId, operands: &[TermId]) -> Result<TermId, ReadError> {
        let tree = self.tree;
        let named = tree.atom(at).filter(|_| self.symbol(at).is_ok());
        let terms = &mut self.system.terms;
        match named.and_then(|name| self.names.get(name)) {
            Some(&Named::Term(term)) if operands.is_empty() => return Ok(term),
            Some(&Named::Predicate(predicate)) => {
                let sorts = &self.system.predicates[predicate.index()].sorts;
                let fits = operands.iter().map(|&operand| terms.sort(operand));
                if !fits.eq(sorts.iter().copied()) {
                    return Err(self.error(at, "the arguments do not fit the declaration"));
                }
                return Ok(terms.apply(Op::Predicate(predicate), operands, Sort::Bool));
            }
            Some(Named::Definition(definition)) => {
                let sort_of = |&variable: &VarId| terms.variables[variable.0 as usize].sort;
                let sorts = definition.parameters.iter().map(sort_of);
                if !sorts.eq(operands.iter().map(|&operand| terms.sort(operand))) {
                    return Err(self.error(at, "the arguments do not fit the definition"));
                }
                let values = definition.parameters.iter().copied();
                let values = values.zip(operands.iter().copied()).collect();
                return Ok(substitute(terms, &values, &[definition.term])[0]);
            }
            _ => {}
        }
        let (name, indices) = match tree.list(at) {
            None => (tree.atom(at).unwrap_or_default(), Vec::new()),
            Some([underscore, name, indices @ ..]) if tree.plain(*underscore) == Some("_") => {
                let name = tree.atom(*name).unwrap_or_default();
                let read = |&index: &SexprId| tree.plain(index)?.parse::<u32>().ok();
                let Some(indices) = indices.iter().map(read).collect::<Option<Vec<u32>>>() else {
                    return Err(self.error(at, "an index is a number"));
                };
                (name, indices)
            }
            Some(_) => return Err(self.error(at, "this is not an operator")),
        };
        operators::apply(terms, name, &indices, operands).map_err(|message| self.error(at, message))
    }
}
