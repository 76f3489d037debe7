//! Why a formula is true or false, as a path of tuples: for `#wit` and `#cex` with `{show …}`.
//!
//! A tuple of a least fixed point is there because the body of its relation is true of it with the
//! tuples of earlier rounds; those that the body needs are the next steps, down to tuples whose
//! bodies need none. A tuple of a greatest fixed point is there because its body needs only tuples
//! that are there: the path comes back to one of them and goes on for ever. With negation it is the
//! other way round. These are the tableaux of Stirling and Walker, with the round in which a tuple
//! comes in to choose by, so a path through a relation with one application of itself is a shortest
//! one.
//!
//! [`rounds`] has the values of relations round by round, [`known`] evaluates formulas of which only
//! a part is known, [`lines`] writes a path down. **Each step is judged before it is shown**: with
//! nothing known of the relations on the path but the tuples of the next steps, the body must come
//! out as the step says, and rounds must fall.

mod goals;
mod known;
mod lines;
mod marks;
mod rounds;

use crate::encoding::model::{Model, Question, opened};
use crate::encoding::term::PredicateId;
use crate::evidence::tuples::{self, Binding};
use crate::limits::Stop;
use crate::search::iteration::Iteration;
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_formula::{FormulaId, RelationId, RelationKind, System, VariableId};
pub(crate) use known::Levels;
use known::{Evaluation, Input, Scope, Source, scope_of};
pub use lines::PathLine;
use marks::Marks;
use rounds::{Given, Rounds};
use std::collections::{BTreeMap, BTreeSet};

/// A path has at most this many tuples.
const MAX_TUPLES: usize = 10_000;

/// Why there is no path.
pub(crate) enum Trouble {
    /// A limit.
    Stop(Stop),
    /// A sentence without its end.
    Refused(String),
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        Trouble::Stop(stop)
    }
}

impl From<Exhausted> for Trouble {
    fn from(why: Exhausted) -> Self {
        Trouble::Stop(why.into())
    }
}

/// Fixed points that are being unfolded, from the outside in: a block, and the round whose values
/// hold there.
type Context = Vec<(usize, usize)>;

/// A tuple on a path.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    relation: RelationId,
    tuple: Vec<bool>,
    /// Whether it is in the relation; a path can also tell why it is not.
    holds: bool,
    /// The round in which it comes in (or is removed).
    round: Option<usize>,
    context: Context,
    /// Values of quantified variables that were chosen for it.
    chosen: BTreeMap<VariableId, Vec<bool>>,
    /// What it follows from.
    premises: Vec<usize>,
}

/// What tells two tuples on a path apart.
type Key = (RelationId, Vec<bool>, bool, Context);

/// A path, with the values that it starts from.
pub(crate) struct Path {
    pub values: Vec<Binding>,
    pub lines: Vec<PathLine>,
}

/// Finds the path of a question that has an answer; it has no lines if it meets no relation that is
/// to be shown.
pub(crate) fn path<'a>(
    system: &System,
    iteration: &mut Iteration<'a>,
    levels: &Levels,
    manager: &dyn Fn() -> Manager<'a>,
    question: Question,
    shows_all: bool,
) -> Result<Path, Trouble> {
    let marks = Marks::new(system, shows_all);
    let mut search = Search {
        system,
        levels,
        manager,
        rounds: Rounds::new(iteration),
        marks: &marks,
        nodes: Vec::new(),
        known: BTreeMap::new(),
    };
    let (values, lines) = search.find(question)?;
    let (variables, _) = opened(system, question);
    let bit = |variable, at: u32| values[&variable][at as usize] == Input::Constant(true);
    Ok(Path {
        values: tuples::bindings(system, &variables, bit),
        lines,
    })
}

struct Search<'s, 'a, 'm> {
    system: &'s System,
    levels: &'m Levels,
    manager: &'m dyn Fn() -> Manager<'a>,
    rounds: Rounds<'s, 'a>,
    marks: &'m Marks,
    nodes: Vec<Node>,
    known: BTreeMap<Key, usize>,
}

impl Search<'_, '_, '_> {
    fn find(&mut self, question: Question) -> Result<(Scope, Vec<PathLine>), Trouble> {
        let (variables, parts) = opened(self.system, question);
        let values = self.nearest(question, &variables)?;
        let premises = self.expand(&parts, &values, &Vec::new())?.premises;
        let mut next = 0;
        while next < self.nodes.len() {
            if self.nodes.len() > MAX_TUPLES {
                let why = format!("it would have more than {MAX_TUPLES} tuples");
                return Err(Trouble::Refused(why));
            }
            let node = &self.nodes[next];
            let inputs: Vec<Input> = node.tuple.iter().map(|&bit| Input::Constant(bit)).collect();
            let scope = scope_of(self.system, node.relation, &inputs);
            let body = self.system.relation(node.relation).body;
            let (holds, context) = (node.holds, node.context.clone());
            let found = self.expand(&[(body, holds)], &scope, &context)?;
            self.judge(&[(body, holds)], &scope, &found.premises, Some(next))?;
            self.nodes[next].premises = found.premises;
            self.nodes[next].chosen = found.chosen;
            next += 1;
        }
        self.judge(&parts, &values, &premises, None)?;
        let lines = lines::lines(self.system, &self.nodes, &premises, &self.marks.is_shown);
        Ok((values, lines))
    }

    /// Values of the variables of a question for which the path is short: those that are there after
    /// the fewest rounds.
    fn nearest(&mut self, question: Question, variables: &[VariableId]) -> Result<Scope, Trouble> {
        let predicate = self.rounds.iteration.model.questions[&question];
        let mut blocks = BTreeSet::new();
        for (read, sign) in self.rounds.reads(predicate) {
            let is_relation = (read.index()) < self.system.relations.len();
            if sign == crate::encoding::dependency::Sign::Positive
                && is_relation
                && self.marks.leads_on[read.index()]
            {
                blocks.insert(self.rounds.block(read, &Given::new())?);
            }
        }
        let mut value = self.rounds.final_value(predicate)?;
        let mut round = 0;
        while !blocks.is_empty() {
            let mut given = Given::new();
            let mut has_changed = false;
            for &block in &blocks {
                has_changed |= self.rounds.blocks[block].last() >= round;
                let block = &self.rounds.blocks[block];
                given.extend(block.values(round.min(block.last())));
            }
            let early = self.rounds.body(predicate, &given, 0)?;
            if !early.is_false() {
                value = early;
                break;
            }
            if !has_changed {
                break;
            }
            round += 1;
            for &block in &blocks {
                if self.rounds.blocks[block].last() < round {
                    self.rounds.advance(block, 0)?;
                }
            }
        }
        let manager = &self.rounds.iteration.evaluator.manager;
        let chosen = manager.pick(value).unwrap_or_default();
        let bit = |level: Option<u32>| {
            let known = chosen.iter().find(|(known, _)| Some(*known) == level);
            Input::Constant(known.is_some_and(|&(_, value)| value))
        };
        let bits = |&variable: &VariableId| {
            let bits = 0..self.system.variable(variable).bits;
            let bits = bits.map(|at| bit(self.levels.in_solver(variable, at)));
            (variable, bits.collect())
        };
        Ok(variables.iter().map(bits).collect())
    }

    /// The predicate of a relation, and whether it stands for the complement.
    fn predicate(&self, relation: RelationId) -> (PredicateId, bool) {
        let id = Model::of_relation(relation);
        let predicate = self.rounds.iteration.model.predicate(id);
        (id, predicate.is_complemented)
    }

    /// The values of fixed points that are being unfolded.
    fn given(&self, context: &Context) -> Given {
        let mut given = Given::new();
        for &(block, round) in context {
            given.extend(self.rounds.blocks[block].values(round));
        }
        given
    }

    /// What is known of a relation that is not on the path.
    fn beside(&mut self, relation: RelationId) -> Result<Source<'static>, Trouble> {
        let at = relation.0 as usize;
        let is_abbreviation = self.system.relation(relation).kind == RelationKind::Definition;
        let (id, is_negated) = self.predicate(relation);
        let is_there = self.rounds.iteration.is_final(id);
        if self.marks.leads_on[at] || is_abbreviation && !is_there {
            return Ok(Source::Body);
        }
        let value = self.rounds.final_value(id)?;
        Ok(Source::Value(value, is_negated))
    }

    /// What is known of a relation with the values of all relations in a context.
    fn exactly(&mut self, relation: RelationId, given: &Given) -> Result<Source<'static>, Trouble> {
        let is_fixed_point = self.system.relation(relation).kind != RelationKind::Definition;
        if !is_fixed_point || !self.marks.leads_on[relation.0 as usize] {
            return self.beside(relation);
        }
        let (id, is_negated) = self.predicate(relation);
        let value = self.rounds.value(id, given, 0)?;
        Ok(Source::Value(value, is_negated))
    }

    /// A tuple that is needed in a context.
    fn node(
        &mut self,
        relation: RelationId,
        tuple: Vec<bool>,
        holds: bool,
        context: &Context,
    ) -> Result<usize, Trouble> {
        let (context, round) = self.entered(relation, &tuple, holds, context)?;
        let key = (relation, tuple.clone(), holds, context.clone());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let number = self.nodes.len();
        self.known.insert(key, number);
        self.nodes.push(Node {
            relation,
            tuple,
            holds,
            round,
            context,
            chosen: BTreeMap::new(),
            premises: Vec::new(),
        });
        Ok(number)
    }

    /// The context in which the body of a relation is true or false of a tuple, and the round in
    /// which that comes in.
    fn entered(
        &mut self,
        relation: RelationId,
        tuple: &[bool],
        holds: bool,
        context: &Context,
    ) -> Result<(Context, Option<usize>), Trouble> {
        if self.system.relation(relation).kind == RelationKind::Definition {
            return Ok((context.clone(), None));
        }
        let (id, is_complemented) = self.predicate(relation);
        let is_open =
            |&(block, _): &(usize, usize)| self.rounds.blocks[block].members.contains(&id);
        let mut inside = context.clone();
        let block = match context.iter().position(is_open) {
            Some(at) => {
                inside.truncate(at);
                context[at].0
            }
            None => {
                let given = self.given(context);
                let reached = self.rounds.reached(id, &given);
                let blocks = &self.rounds.blocks;
                inside.retain(|&(block, _)| {
                    let mut members = blocks[block].members.iter();
                    members.any(|member| reached.contains(member))
                });
                self.rounds.block(id, &given)?
            }
        };
        if holds == is_complemented {
            self.rounds.complete(block, 0)?;
            inside.push((block, self.rounds.blocks[block].last()));
            return Ok((inside, None));
        }
        let mut round = 0;
        loop {
            if round > self.rounds.blocks[block].last() && !self.rounds.advance(block, 0)? {
                let why = "a tuple is in no round of its relation".to_owned();
                return Err(Trouble::Refused(why));
            }
            let value = self.rounds.blocks[block].value(id, round);
            if value.is_some_and(|value| self.has(relation, value, tuple)) {
                inside.push((block, round - 1));
                return Ok((inside, Some(round)));
            }
            round += 1;
        }
    }

    /// Whether a function of the parameters of a relation is true of a tuple.
    fn has(&self, relation: RelationId, value: Bdd, tuple: &[bool]) -> bool {
        let bits = known::parameters(self.system, relation);
        let bits = bits.map(|(variable, bit)| self.levels.in_solver(variable, bit));
        let bits: BTreeMap<Option<u32>, bool> = bits.zip(tuple.iter().copied()).collect();
        let manager = &self.rounds.iteration.evaluator.manager;
        manager.eval(value, |level| bits.get(&Some(level)) == Some(&true))
    }

    /// Whether formulas come out as wanted when nothing is known but some tuples; and whether these
    /// came in earlier, where rounds count.
    fn judge(
        &mut self,
        parts: &[(FormulaId, bool)],
        scope: &Scope,
        premises: &[usize],
        of: Option<usize>,
    ) -> Result<(), Trouble> {
        let nodes: Vec<Node> = premises.iter().map(|&at| self.nodes[at].clone()).collect();
        let mut is_right = true;
        if let Some(node) = of.map(|of| &self.nodes[of])
            && let (Some(round), Some(&(block, _))) = (node.round, node.context.last())
        {
            let inside = nodes.iter().filter(|premise| {
                let kept = premise.context.get(node.context.len() - 1);
                kept.is_some_and(|&(other, _)| other == block)
            });
            is_right &= inside.clone().all(|premise| match premise.round {
                Some(earlier) if premise.context.len() == node.context.len() => earlier < round,
                _ => premise.context[node.context.len() - 1].1 < round,
            });
        }
        let mut sources = BTreeMap::new();
        for &(formula, _) in parts {
            sources.extend(self.sources(formula, &Given::new())?);
        }
        let mut evaluation = Evaluation {
            system: self.system,
            levels: self.levels,
            manager: (self.manager)(),
        };
        let solver = &self.rounds.iteration.evaluator.manager;
        let is_step = &self.marks.is_step;
        for &(formula, wanted) in parts {
            let mut tell = |relation: RelationId| {
                if is_step[relation.0 as usize] {
                    return Ok(Source::Tuples(relation, &nodes));
                }
                Ok(sources.get(&relation).map_or(Source::Body, plain))
            };
            let known = evaluation.evaluate(formula, scope, solver, &mut tell, 0)?;
            is_right &= known[&formula].is(wanted);
        }
        debug_assert!(is_right, "a step does not follow from the next ones");
        if is_right {
            return Ok(());
        }
        let why = "a step of it does not follow from the next ones".to_owned();
        Err(Trouble::Refused(why))
    }
}

/// The same source for another reader.
fn plain<'n>(source: &Source<'static>) -> Source<'n> {
    match source {
        Source::Value(value, is_negated) => Source::Value(*value, *is_negated),
        _ => Source::Body,
    }
}
