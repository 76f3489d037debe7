//! A system made ready for solving: predicates over bits with terms as bodies.
//!
//! **Greatest fixed points become least ones.** `nu R = B` is the complement of
//! `mu R' = !B[R := !R']`: both iterations of section 3 of the Getafix paper, from the full set and
//! from the empty set, go through the same values up to complement, whether `B` is monotone or not.
//! So there is one kind of fixed point to solve, and alternation shows as negation.
//!
//! Questions (queries, witnesses, conditions for stopping) become predicates without recursion, so
//! that one mechanism evaluates, schedules and allocates everything.

use crate::encoding::scope;
use crate::encoding::term::{Argument, BitId, PredicateId, TermId, Terms};
use hardbop_formula::{
    ActionKind, ArgumentBit, Formula, FormulaId, RelationId, RelationKind, System, VariableId,
};
use std::collections::BTreeMap;

/// What is asked about a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    /// Whether it is true of all meaningful values of its free variables.
    Holds(FormulaId),
    /// Values of its outermost existential and its free variables that make it true.
    Witness(FormulaId),
    /// Values of its outermost universal and its free variables that make it false.
    Counterexample(FormulaId),
    /// The tuples of a relation that have a meaning.
    Tuples(RelationId),
}

impl Question {
    /// What it is called in explanations.
    fn name(self, number: usize) -> String {
        let kind = match self {
            Question::Holds(_) => "query",
            Question::Witness(_) => "witness",
            Question::Counterexample(_) => "counterexample",
            Question::Tuples(_) => "tuples",
        };
        format!("{kind} {number}")
    }
}

/// A relation or a question.
pub(crate) struct Predicate {
    pub name: String,
    pub parameters: Vec<BitId>,
    pub body: TermId,
    /// Whether it is iterated; otherwise it is an abbreviation.
    pub is_fixed_point: bool,
    /// Whether it stands for the complement of what it is named after.
    pub is_complemented: bool,
}

/// Everything that is solved.
pub(crate) struct Model {
    pub terms: Terms,
    /// Relations in the order of the system, then questions.
    pub predicates: Vec<Predicate>,
    pub questions: BTreeMap<Question, PredicateId>,
    /// The bodies as they were before some applications became instances
    /// ([`crate::encoding::instances`]); empty if none did.
    pub bodies_before: Vec<TermId>,
    /// The number of the first bit of each variable, and the number of all at the end.
    first_bits: Vec<u32>,
}

impl Model {
    pub(crate) fn new(system: &System, extra: &[Question]) -> Self {
        let mut questions = extra.to_vec();
        for action in &system.actions {
            match action.kind {
                ActionKind::Query(id) => questions.push(Question::Holds(id)),
                ActionKind::Witness(id) => questions.push(Question::Witness(id)),
                ActionKind::Counterexample(id) => questions.push(Question::Counterexample(id)),
                _ => {}
            }
        }
        for (at, relation) in system.relations.iter().enumerate() {
            let mut parameters = relation.parameters.iter();
            if parameters.any(|&parameter| system.variable(parameter).domain.is_some()) {
                questions.push(Question::Tuples(RelationId(at as u32)));
            }
        }
        questions.sort_unstable();
        questions.dedup();
        build(system, &questions)
    }

    pub(crate) fn bit(&self, variable: VariableId, bit: u32) -> BitId {
        BitId(self.first_bits[variable.0 as usize] + bit)
    }

    pub(crate) fn bits(&self, variable: VariableId) -> impl Iterator<Item = BitId> + use<> {
        let at = variable.0 as usize;
        (self.first_bits[at]..self.first_bits[at + 1]).map(BitId)
    }

    pub(crate) fn bit_count(&self) -> usize {
        self.first_bits.last().map_or(0, |&count| count as usize)
    }

    /// The variable a bit belongs to, and its place there.
    pub(crate) fn owner(&self, bit: BitId) -> (VariableId, u32) {
        let after = self.first_bits.partition_point(|&first| first <= bit.0);
        let at = after - 1;
        (VariableId(at as u32), bit.0 - self.first_bits[at])
    }

    pub(crate) fn predicate(&self, id: PredicateId) -> &Predicate {
        &self.predicates[id.index()]
    }

    pub(crate) fn predicate_ids(&self) -> impl Iterator<Item = PredicateId> + use<> {
        (0..self.predicates.len() as u32).map(PredicateId)
    }

    /// The bodies that say which bits belong together: those of instances would only say it again,
    /// of other bits.
    pub(crate) fn bodies_for_order(&self) -> Vec<TermId> {
        if self.bodies_before.is_empty() {
            return self.predicates.iter().map(|p| p.body).collect();
        }
        self.bodies_before.clone()
    }

    /// Whether a predicate only serves to count tuples.
    pub(crate) fn is_for_counting(&self, predicate: PredicateId) -> bool {
        let mut questions = self.questions.iter();
        questions.any(|(question, &id)| id == predicate && matches!(question, Question::Tuples(_)))
    }

    pub(crate) fn of_relation(relation: RelationId) -> PredicateId {
        PredicateId(relation.0)
    }
}

/// The variables whose values are asked for, and the formulas that they should make true (with
/// `true`) or false; none if it is the application of a relation to them.
///
/// The variables are those of all quantifiers that a value can be chosen for: below conjunctions,
/// where the formula should be true, and below negations.
pub(crate) fn opened(
    system: &System,
    question: Question,
) -> (Vec<VariableId>, Vec<(FormulaId, bool)>) {
    let (root, wanted) = match question {
        Question::Holds(id) => return (free_variables(system, id), vec![(id, true)]),
        Question::Tuples(relation) => {
            return (system.relation(relation).parameters.clone(), Vec::new());
        }
        Question::Witness(id) => (id, true),
        Question::Counterexample(id) => (id, false),
    };
    let mut variables = free_variables(system, root);
    let mut parts = Vec::new();
    let mut pending = vec![(root, wanted)];
    while let Some((at, wanted)) = pending.pop() {
        match (system.formula(at), wanted) {
            (Formula::Exists(bound, inner), true) | (Formula::Forall(bound, inner), false) => {
                let new = bound.iter().filter(|bound| !variables.contains(bound));
                let new: Vec<VariableId> = new.copied().collect();
                variables.extend(new);
                pending.push((*inner, wanted));
            }
            (Formula::Not(inner), _) => pending.push((*inner, !wanted)),
            (Formula::And(operands), true) | (Formula::Or(operands), false) => {
                pending.extend(operands.iter().rev().map(|&operand| (operand, wanted)));
            }
            _ => parts.push((at, wanted)),
        }
    }
    (variables, parts)
}

/// The variables that occur and are not bound, in order.
fn free_variables(system: &System, root: FormulaId) -> Vec<VariableId> {
    let mut is_bound = vec![false; system.variables.len()];
    let mut occurs = vec![false; system.variables.len()];
    for id in reachable(system, &[root]) {
        match system.formula(id) {
            Formula::Bit(variable, _) => occurs[variable.0 as usize] = true,
            Formula::Apply(_, arguments) => {
                for argument in arguments {
                    if let ArgumentBit::Bit(variable, _) = argument {
                        occurs[variable.0 as usize] = true;
                    }
                }
            }
            Formula::Exists(bound, _) | Formula::Forall(bound, _) => {
                for variable in bound {
                    is_bound[variable.0 as usize] = true;
                }
            }
            _ => {}
        }
    }
    (0..system.variables.len())
        .filter(|&at| occurs[at] && !is_bound[at])
        .map(|at| VariableId(at as u32))
        .collect()
}

pub(crate) fn each_operand(formula: &Formula, mut visit: impl FnMut(FormulaId)) {
    match formula {
        Formula::Constant(_) | Formula::Bit(..) | Formula::Apply(..) => {}
        Formula::Not(a) | Formula::Exists(_, a) | Formula::Forall(_, a) => visit(*a),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().copied().for_each(visit),
        Formula::Iff(a, b) | Formula::Cofactor(_, a, b) => {
            [*a, *b].into_iter().for_each(visit);
        }
        Formula::Ite(c, a, b) => [*c, *a, *b].into_iter().for_each(visit),
    }
}

/// All formulas below the roots, operands first.
pub(crate) fn reachable(system: &System, roots: &[FormulaId]) -> Vec<FormulaId> {
    let mut seen = std::collections::BTreeSet::new();
    let mut pending = roots.to_vec();
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            each_operand(system.formula(id), |operand| pending.push(operand));
        }
    }
    seen.into_iter().collect()
}

fn build(system: &System, questions: &[Question]) -> Model {
    let mut first_bits = vec![0];
    for variable in &system.variables {
        let last = first_bits[first_bits.len() - 1];
        first_bits.push(last + variable.bits);
    }
    let mut model = Model {
        terms: Terms::default(),
        predicates: Vec::new(),
        questions: BTreeMap::new(),
        bodies_before: Vec::new(),
        first_bits,
    };
    let mut translation = Translation {
        system,
        known: vec![[None; 2]; system.formulas.len()],
        needed: vec![[false; 2]; system.formulas.len()],
    };
    for relation in &system.relations {
        let is_complemented = relation.kind == RelationKind::Greatest;
        let body = translation.term(&mut model, relation.body, !is_complemented);
        let parameters = relation
            .parameters
            .iter()
            .flat_map(|&v| model.bits(v))
            .collect();
        model.predicates.push(Predicate {
            name: relation.name.clone(),
            parameters,
            body,
            is_fixed_point: relation.kind != RelationKind::Definition,
            is_complemented,
        });
    }
    for &question in questions {
        let (variables, parts) = opened(system, question);
        let domains: Vec<FormulaId> = variables
            .iter()
            .filter_map(|&v| system.variable(v).domain)
            .collect();
        let body = match question {
            Question::Tuples(relation) => whole(system, &mut model, relation),
            _ => {
                let parts = parts.into_iter();
                let parts: Vec<TermId> = parts
                    .map(|(formula, wanted)| translation.term(&mut model, formula, wanted))
                    .collect();
                model.terms.and(parts)
            }
        };
        let is_holds = matches!(question, Question::Holds(_));
        let domains: Vec<TermId> = domains
            .iter()
            .map(|&domain| translation.term(&mut model, domain, !is_holds))
            .collect();
        let body = if is_holds {
            model.terms.or(domains.into_iter().chain([body]))
        } else {
            model.terms.and(domains.into_iter().chain([body]))
        };
        let id = PredicateId(model.predicates.len() as u32);
        let parameters = variables.iter().flat_map(|&v| model.bits(v)).collect();
        model.predicates.push(Predicate {
            name: question.name(model.questions.len() + 1),
            parameters,
            body,
            is_fixed_point: false,
            is_complemented: false,
        });
        model.questions.insert(question, id);
    }
    model
}

/// A relation applied to its own parameters.
fn whole(system: &System, model: &mut Model, relation: RelationId) -> TermId {
    let predicate = Model::of_relation(relation);
    let parameters = model.predicate(predicate).parameters.iter();
    let arguments = parameters.map(|&bit| Argument::Bit(bit)).collect();
    let term = model.terms.apply(predicate, arguments);
    let kind = system.relation(relation).kind;
    signed(model, term, kind != RelationKind::Greatest)
}

struct Translation<'a> {
    system: &'a System,
    /// Per formula the term of its negation and its own.
    known: Vec<[Option<TermId>; 2]>,
    /// The same for whether it has been asked for.
    needed: Vec<[bool; 2]>,
}

impl Translation<'_> {
    /// The term of a formula, or of its negation.
    fn term(&mut self, model: &mut Model, root: FormulaId, positive: bool) -> TermId {
        // Which terms are needed is known from the top, they are made from the bottom.
        let mut found: Vec<(FormulaId, bool)> = Vec::new();
        let mut next = 0;
        let needed = &mut self.needed;
        let mut need = |found: &mut Vec<_>, operand: FormulaId, positive: bool| {
            let entry = &mut needed[operand.0 as usize][usize::from(positive)];
            if !std::mem::replace(entry, true) {
                found.push((operand, positive));
            }
        };
        need(&mut found, root, positive);
        while let Some(&(id, positive)) = found.get(next) {
            next += 1;
            let mut need = |operand: FormulaId, positive: bool| need(&mut found, operand, positive);
            match self.system.formula(id) {
                Formula::Not(a) => need(*a, !positive),
                Formula::Forall(_, a) => need(*a, false),
                Formula::Exists(_, a) => need(*a, true),
                Formula::Cofactor(_, a, care) => {
                    need(*a, true);
                    need(*care, true);
                }
                Formula::Iff(a, b) => {
                    need(*a, positive);
                    need(*b, true);
                }
                Formula::Ite(c, a, b) => {
                    need(*c, true);
                    need(*a, positive);
                    need(*b, positive);
                }
                formula => each_operand(formula, |operand| need(operand, positive)),
            }
        }
        found.sort_unstable();
        for (id, positive) in found {
            let term = self.make(model, id, positive);
            self.known[id.0 as usize][usize::from(positive)] = Some(term);
        }
        self.get(root, positive)
    }

    fn get(&self, id: FormulaId, positive: bool) -> TermId {
        self.known[id.0 as usize][usize::from(positive)].expect("operands stand before their users")
    }

    fn make(&self, model: &mut Model, id: FormulaId, positive: bool) -> TermId {
        match self.system.formula(id) {
            Formula::Constant(value) => model.terms.constant(*value == positive),
            Formula::Bit(variable, bit) => {
                let bit = model.bit(*variable, *bit);
                let term = model.terms.bit(bit);
                signed(model, term, positive)
            }
            Formula::Not(a) => self.get(*a, !positive),
            Formula::And(parts) | Formula::Or(parts) => {
                let is_and = matches!(self.system.formula(id), Formula::And(_));
                let parts: Vec<TermId> = parts.iter().map(|&p| self.get(p, positive)).collect();
                if is_and == positive {
                    model.terms.and(parts)
                } else {
                    model.terms.or(parts)
                }
            }
            Formula::Iff(a, b) => model.terms.iff(self.get(*a, positive), self.get(*b, true)),
            Formula::Ite(c, a, b) => {
                let (a, b) = (self.get(*a, positive), self.get(*b, positive));
                model.terms.ite(self.get(*c, true), a, b)
            }
            Formula::Exists(variables, a) => {
                let term = quantified(model, variables, self.get(*a, true));
                signed(model, term, positive)
            }
            Formula::Forall(variables, a) => {
                let term = quantified(model, variables, self.get(*a, false));
                signed(model, term, !positive)
            }
            Formula::Apply(relation, arguments) => {
                let arguments = arguments.iter().map(|argument| match *argument {
                    ArgumentBit::Bit(variable, bit) => Argument::Bit(model.bit(variable, bit)),
                    ArgumentBit::Constant(value) => Argument::Constant(value),
                });
                let arguments = arguments.collect();
                let term = model.terms.apply(Model::of_relation(*relation), arguments);
                let kind = self.system.relation(*relation).kind;
                signed(model, term, positive != (kind == RelationKind::Greatest))
            }
            Formula::Cofactor(kind, a, care) => {
                let (a, care) = (self.get(*a, true), self.get(*care, true));
                let term = model.terms.cofactor(*kind, a, care);
                signed(model, term, positive)
            }
        }
    }
}

fn signed(model: &mut Model, term: TermId, positive: bool) -> TermId {
    if positive {
        term
    } else {
        model.terms.negate(term)
    }
}

fn quantified(model: &mut Model, variables: &[VariableId], a: TermId) -> TermId {
    let mut bits: Vec<BitId> = variables.iter().flat_map(|&v| model.bits(v)).collect();
    bits.sort_unstable();
    scope::exists(&mut model.terms, &bits, a)
}
