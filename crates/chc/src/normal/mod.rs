//! The normal form: clauses as rules that a machine can take step by step.
//!
//! Every argument of a body predicate is a variable of its own. Equations define the other
//! variables and are gone ([`solve`]), disjunctions that hide equations become several rules
//! ([`split`]), and predicates that only name a formula are inlined where a model can name it again
//! without quantifiers ([`inline`]). [`cone`] drops what cannot matter. A rule remembers the clauses
//! it was made of, so a step of the machine becomes a derivation from the clauses as read.

mod cone;
mod inline;
mod simplify;
mod solve;
mod split;

use crate::substitute::{Substitution, substitute};
use crate::system::{Atom, System};
use crate::terms::{PredicateId, TermId, Terms, VarId};
use rustc_hash::FxHashSet;

pub use cone::Fate;
pub use inline::Inlined;

/// A clause in normal form.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The predicates of the body; their arguments are distinct variables, the *slots*.
    pub body: Vec<Atom>,
    /// The constraint, a conjunction.
    pub guards: Vec<TermId>,
    /// The head; none for a query.
    pub head: Option<Atom>,
    /// The clauses it was made of; the first is the one with the head, and premises come behind.
    pub origins: Vec<Origin>,
}

/// One use of a clause within a rule.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The clause, an index into the system.
    pub clause: usize,
    /// Its variables in terms of those of the rule.
    pub values: Vec<(VarId, TermId)>,
    /// Where each predicate of its body comes from.
    pub premises: Vec<Premise>,
}

/// Where a predicate of a clause comes from.
#[derive(Clone, Copy, Debug)]
pub enum Premise {
    /// A body predicate of the rule.
    Body(usize),
    /// Another clause that was inlined.
    Origin(usize),
}

/// A system in normal form, with what connects it to the original.
#[derive(Clone, Debug)]
pub struct Normal {
    /// The rules.
    pub rules: Vec<Rule>,
    /// What became of each predicate.
    pub fates: Vec<Fate>,
    /// The inlined predicates, in the order in which they were.
    pub inlined: Vec<Inlined>,
}

/// The normal form of a system. Terms and variables are added to its table, clauses stay as they
/// are.
pub fn normal_form(system: &mut System) -> Normal {
    let mut rules: Vec<Rule> = Vec::new();
    for clause in 0..system.clauses.len() {
        rules.extend(Rule::new(system, clause));
    }
    let mut fates = vec![Fate::Kept; system.predicates.len()];
    cone::reduce(&mut rules, &mut fates);
    let inlined = inline::inline(system, &mut rules, &mut fates);
    cone::reduce(&mut rules, &mut fates);
    let rules = split::split(&mut system.terms, rules);
    Normal {
        rules,
        fates,
        inlined,
    }
}

impl Rule {
    /// The rule of a clause; nothing if its constraint cannot hold.
    fn new(system: &mut System, index: usize) -> Option<Self> {
        let clause = system.clauses[index].clone();
        let terms = &mut system.terms;
        let mut guards = clause.constraint.clone();
        let mut body = Vec::new();
        for atom in &clause.body {
            let mut arguments = Vec::new();
            for &argument in &atom.arguments {
                let sort = terms.sort(argument);
                let slot = terms.variable("slot", sort);
                let slot = terms.var(slot);
                guards.push(terms.equal(slot, argument));
                arguments.push(slot);
            }
            let predicate = atom.predicate;
            body.push(Atom {
                predicate,
                arguments,
            });
        }
        let variables = terms.variables_below(&clause.roots());
        let values = variables
            .into_iter()
            .map(|id| (id, terms.var(id)))
            .collect();
        let premises = (0..body.len()).map(Premise::Body).collect();
        let clause_index = index;
        let mut rule = Self {
            body,
            guards,
            head: clause.head,
            origins: vec![Origin {
                clause: clause_index,
                values,
                premises,
            }],
        };
        let known = rule.slots(terms);
        solve::solve(terms, &mut rule, &known).then_some(rule)
    }

    /// The variables that are arguments of the body.
    pub fn slots(&self, terms: &Terms) -> FxHashSet<VarId> {
        let arguments = self
            .body
            .iter()
            .flat_map(|atom| atom.arguments.iter().copied());
        let arguments: Vec<TermId> = arguments.collect();
        terms.variables_below(&arguments).into_iter().collect()
    }

    /// The terms of body, guards and head.
    pub fn roots(&self) -> Vec<TermId> {
        let atoms = self.body.iter().chain(&self.head);
        let arguments = atoms.flat_map(|atom| atom.arguments.iter().copied());
        arguments.chain(self.guards.iter().copied()).collect()
    }

    /// Replaces every term.
    fn map_terms(
        &mut self,
        terms: &mut Terms,
        map: impl FnOnce(&mut Terms, &[TermId]) -> Vec<TermId>,
    ) {
        let mut all = self.roots();
        let values = self.origins.iter().flat_map(|origin| &origin.values);
        all.extend(values.map(|&(_, term)| term));
        let mut mapped = map(terms, &all).into_iter();
        let mut next = || mapped.next().expect("as many terms as before");
        for atom in self.body.iter_mut().chain(&mut self.head) {
            atom.arguments.iter_mut().for_each(|term| *term = next());
        }
        self.guards.iter_mut().for_each(|term| *term = next());
        for origin in &mut self.origins {
            origin
                .values
                .iter_mut()
                .for_each(|(_, term)| *term = next());
        }
    }

    /// Replaces variables and simplifies.
    fn substitute(&mut self, terms: &mut Terms, values: &Substitution) {
        self.map_terms(terms, |terms, roots| {
            let replaced = substitute(terms, values, roots);
            simplify::simplify(terms, &replaced)
        });
    }

    /// The same rule with new variables.
    fn renamed(&self, terms: &mut Terms) -> Self {
        let mut rule = self.clone();
        let mut all = self.roots();
        let values = self.origins.iter().flat_map(|origin| &origin.values);
        all.extend(values.map(|&(_, term)| term));
        let mut fresh = Substitution::default();
        for variable in terms.variables_below(&all) {
            let old = terms.variables[variable.0 as usize].clone();
            let new = terms.variable(&old.name, old.sort);
            fresh.insert(variable, terms.var(new));
        }
        rule.map_terms(terms, |terms, roots| substitute(terms, &fresh, roots));
        rule
    }

    /// The predicate of its head.
    pub fn head_predicate(&self) -> Option<PredicateId> {
        self.head.as_ref().map(|head| head.predicate)
    }
}
