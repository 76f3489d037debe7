//! The solver as others see it.

use crate::encoding::allocation::Allocation;
use crate::encoding::dependency::Dependencies;
use crate::encoding::instances;
use crate::encoding::meeting;
use crate::encoding::model::{Model, Question, opened};
use crate::encoding::opening;
use crate::encoding::term::PredicateId;
use crate::evidence::explain;
use crate::evidence::natural::Natural;
use crate::evidence::path::{self, PathLine, Trouble};
use crate::evidence::rounds::Observer;
use crate::evidence::tuples::{self, Binding};
use crate::limits::{Limits, Stop};
use crate::search::evaluator::Evaluator;
use crate::search::groups::Groups;
use crate::search::iteration::{Ended, Iteration};
use hardbop_bdd::{Bdd, Manager};
use hardbop_formula::{FormulaId, RelationId, System, VariableId};

/// How fixed points are found. The values are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// With everything that makes it faster.
    #[default]
    Fast,
    /// By the letter of `Evaluate` in section 3 of the Getafix paper: each relation from scratch
    /// whenever it is needed.
    Plain,
}

/// What is treated as a place, such as a program counter. That decides how fast values are found,
/// never which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Enumerations with more values than this are places; their bits come first in the order of
    /// the BDD variables.
    pub many_values: u64,
    /// News of more BDD nodes than this is propagated place by place.
    pub large_news: usize,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            many_values: 8,
            large_news: 256,
        }
    }
}

/// What a solver is asked for besides values.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// How fixed points are found.
    pub strategy: Strategy,
    /// What is treated as a place.
    pub places: Places,
    /// Closed formulas that will be asked about besides the queries of the system: BDD variables
    /// are chosen for all of them at once.
    pub questions: Vec<FormulaId>,
    /// Formulas whose witnesses (outermost `exists`) will be asked for besides those of the
    /// system's commands.
    pub witnesses: Vec<FormulaId>,
    /// Formulas whose counterexamples (outermost `forall`) will be asked for.
    pub counterexamples: Vec<FormulaId>,
    /// Told of each round.
    pub observer: Option<Observer<'a>>,
}

/// How an iteration with a condition ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The condition became true; the relation has the value it had then.
    True(Bdd),
    /// The relation has its final value, and the condition is false of it.
    False(Bdd),
}

/// How much was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// BDD variables.
    pub variables: u32,
    /// BDD nodes now, garbage included.
    pub nodes: usize,
    /// The most BDD nodes at any time.
    pub peak: usize,
    /// Steps of BDD operations.
    pub work: u64,
    /// Garbage collections.
    pub collections: u64,
    /// Relations that were evaluated, in order.
    pub relations: Vec<RelationStatistics>,
}

/// How much was done for one relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationStatistics {
    /// Its name.
    pub name: String,
    /// Rounds of all its evaluations; none for an abbreviation.
    pub rounds: u64,
    /// How often it was evaluated.
    pub evaluations: u64,
    /// Steps of BDD operations.
    pub work: u64,
    /// Nodes of its present value.
    pub nodes: usize,
}

/// Finds the values of the relations of a system.
///
/// A [`Bdd`] that a solver gives stays valid as long as the solver.
pub struct Solver<'a> {
    system: &'a System,
    allocation: Allocation,
    iteration: Iteration<'a>,
    limits: Limits<'a>,
}

/// Values that make a formula true or false, and how that follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The values.
    pub values: Vec<Binding>,
    /// The tuples that it follows from, or why they cannot be told (a sentence without its end).
    pub path: Result<Vec<PathLine>, String>,
}

impl<'a> Solver<'a> {
    /// Plans the evaluation; nothing is evaluated yet.
    pub fn new(system: &'a System, options: &Options<'a>, limits: &Limits<'a>) -> Self {
        let questions = options.questions.iter().map(|&id| Question::Holds(id));
        let witnesses = options.witnesses.iter().map(|&id| Question::Witness(id));
        let counterexamples = options.counterexamples.iter();
        let counterexamples = counterexamples.map(|&id| Question::Counterexample(id));
        let asked: Vec<Question> = questions.chain(witnesses).chain(counterexamples).collect();
        let mut model = Model::new(system, &asked);
        let mut dependencies = Dependencies::new(&model);
        if options.strategy == Strategy::Fast {
            if opening::open(&mut model, &dependencies) {
                dependencies = Dependencies::new(&model);
            }
            if meeting::split(&mut model, &dependencies) {
                dependencies = Dependencies::new(&model);
            }
        }
        let many_values = options.places.many_values;
        let mut allocation = Allocation::new(system, &model, &dependencies, many_values);
        if options.strategy == Strategy::Fast
            && instances::instantiate(&mut model, &dependencies, &allocation)
        {
            dependencies = Dependencies::new(&model);
            allocation = Allocation::new(system, &model, &dependencies, many_values);
        }
        let is_plain = options.strategy == Strategy::Plain;
        let groups = Groups::new(&model, &dependencies, is_plain);
        let mut manager = Manager::new(limits.nodes.unwrap_or(usize::MAX));
        if let Some(interrupt) = limits.interrupt {
            manager = manager.with_interrupt(interrupt);
        }
        let mut evaluator = Evaluator::new(&model, &dependencies, &allocation, manager);
        evaluator.is_forgetful = is_plain;
        let mut iteration = Iteration::new(model, dependencies, groups, evaluator);
        iteration.observer = options.observer;
        iteration.is_warm = !is_plain;
        iteration.control = allocation.control().to_vec();
        iteration.large_news = options.places.large_news;
        iteration.round_limit = limits.rounds.unwrap_or(u64::MAX);
        Self {
            system,
            allocation,
            iteration,
            limits: *limits,
        }
    }

    /// The value of a relation, asked for first (outermost), over the BDD variables of its
    /// parameters ([`Solver::level`]).
    pub fn value(&mut self, relation: RelationId) -> Result<Bdd, Stop> {
        let predicate = Model::of_relation(relation);
        self.iteration.run(predicate)?;
        Ok(self.answer(predicate))
    }

    fn answer(&mut self, predicate: PredicateId) -> Bdd {
        let value = self.iteration.evaluator.values[predicate.index()];
        if !self.iteration.answers.contains(&value) {
            self.iteration.answers.push(value);
        }
        if self.iteration.model.predicate(predicate).is_complemented {
            !value
        } else {
            value
        }
    }

    /// Whether a formula is true (of all meaningful values of its free variables). It must be among
    /// the queries of the system or the questions of the options.
    pub fn query(&mut self, formula: FormulaId) -> Result<bool, Stop> {
        let predicate = self.question(Question::Holds(formula));
        self.iteration.run(predicate)?;
        Ok(self.answer(predicate).is_true())
    }

    fn question(&self, question: Question) -> PredicateId {
        let known = self.iteration.model.questions.get(&question);
        *known.expect("questions are named when the solver is made")
    }

    /// Values of the outermost existential variables that make a formula true.
    pub fn witness(&mut self, formula: FormulaId) -> Result<Option<Vec<Binding>>, Stop> {
        self.tuple(Question::Witness(formula))
    }

    /// Values of the outermost universal variables that make a formula false.
    pub fn counterexample(&mut self, formula: FormulaId) -> Result<Option<Vec<Binding>>, Stop> {
        self.tuple(Question::Counterexample(formula))
    }

    /// A witness, with the tuples of relations that show it: of those with `{show …}`, or of all
    /// fixed points.
    pub fn witness_with_path(
        &mut self,
        formula: FormulaId,
        shows_all: bool,
    ) -> Result<Option<Proof>, Stop> {
        self.proof(Question::Witness(formula), shows_all)
    }

    /// The same for a counterexample.
    pub fn counterexample_with_path(
        &mut self,
        formula: FormulaId,
        shows_all: bool,
    ) -> Result<Option<Proof>, Stop> {
        self.proof(Question::Counterexample(formula), shows_all)
    }

    fn proof(&mut self, question: Question, shows_all: bool) -> Result<Option<Proof>, Stop> {
        let Some(values) = self.tuple(question)? else {
            return Ok(None);
        };
        let model = &self.iteration.model;
        let level = |variable, bit| self.allocation.find(model.bit(variable, bit));
        let levels = path::Levels::new(self.system, level);
        let limits = self.limits;
        let manager = || {
            let manager = Manager::new(limits.nodes.unwrap_or(usize::MAX));
            match limits.interrupt {
                Some(interrupt) => manager.with_interrupt(interrupt),
                None => manager,
            }
        };
        let found = path::path(
            self.system,
            &mut self.iteration,
            &levels,
            &manager,
            question,
            shows_all,
        );
        Ok(Some(match found {
            Ok(path) => Proof {
                values: path.values,
                path: Ok(path.lines),
            },
            Err(Trouble::Refused(why)) => Proof {
                values,
                path: Err(why),
            },
            Err(Trouble::Stop(stop)) => return Err(stop),
        }))
    }

    fn tuple(&mut self, question: Question) -> Result<Option<Vec<Binding>>, Stop> {
        let predicate = self.question(question);
        self.iteration.run(predicate)?;
        let value = self.answer(predicate);
        let (variables, _) = opened(self.system, question);
        Ok(self.pick(value, &variables))
    }

    /// Some values of variables that satisfy a function of them.
    fn pick(&self, value: Bdd, variables: &[VariableId]) -> Option<Vec<Binding>> {
        let chosen = self.manager().pick(value)?;
        let bit = |level| chosen.iter().any(|&(known, value)| known == level && value);
        debug_assert!(self.manager().eval(value, bit));
        let levels = |variable, at| bit(self.level(variable, at));
        Some(tuples::bindings(self.system, variables, levels))
    }

    /// How many tuples of meaningful values a relation has.
    pub fn count(&mut self, relation: RelationId) -> Result<Natural, Stop> {
        let (value, levels) = self.meaningful(relation)?;
        Ok(tuples::count(self.manager(), value, &levels))
    }

    /// The tuples of meaningful values of a relation, no more than `most`, in order of their codes
    /// as far as all are there.
    pub fn tuples(&mut self, relation: RelationId, most: usize) -> Result<Vec<Vec<Binding>>, Stop> {
        let (value, levels) = self.meaningful(relation)?;
        let parameters = &self.system.relation(relation).parameters;
        let found = tuples::assignments(self.manager(), value, &levels, most).into_iter();
        let found = found.map(|set| {
            let bit = |variable, at| set.contains(&self.level(variable, at));
            tuples::bindings(self.system, parameters, bit)
        });
        let mut found: Vec<Vec<Binding>> = found.collect();
        found.sort_by_cached_key(|tuple| tuple.iter().map(|b| b.code).collect::<Vec<u64>>());
        Ok(found)
    }

    /// The value of a relation for meaningful codes, and the BDD variables of its parameters in
    /// order.
    fn meaningful(&mut self, relation: RelationId) -> Result<(Bdd, Vec<u32>), Stop> {
        let tuples = self
            .iteration
            .model
            .questions
            .get(&Question::Tuples(relation));
        let value = match tuples.copied() {
            Some(predicate) => {
                self.iteration.run(predicate)?;
                self.answer(predicate)
            }
            // Every code has a meaning.
            None => self.value(relation)?,
        };
        let bits = &self
            .iteration
            .model
            .predicate(Model::of_relation(relation))
            .parameters;
        let mut levels: Vec<u32> = bits.iter().map(|&bit| self.allocation.level(bit)).collect();
        levels.sort_unstable();
        Ok((value, levels))
    }

    /// How many BDD nodes the value of a relation has.
    pub fn size(&mut self, relation: RelationId) -> Result<usize, Stop> {
        let value = self.value(relation)?;
        Ok(self.manager().size(value))
    }

    /// Iterates a relation until a formula becomes true, which is looked at after each round
    /// ("early termination" in the appendix of the Getafix paper). The formula must be among the
    /// questions.
    pub fn solve_until(&mut self, relation: RelationId, formula: FormulaId) -> Result<Until, Stop> {
        let predicate = Model::of_relation(relation);
        let condition = self.question(Question::Holds(formula));
        let ended = self.iteration.run_until(predicate, condition)?;
        let value = self.answer(predicate);
        Ok(match ended {
            Ended::Watched => Until::True(value),
            Ended::Finished => Until::False(value),
        })
    }

    /// The BDD variable of a bit of a parameter or of a variable of a question.
    pub fn level(&self, variable: VariableId, bit: u32) -> u32 {
        self.allocation
            .level(self.iteration.model.bit(variable, bit))
    }

    /// The BDDs.
    pub fn manager(&self) -> &Manager<'a> {
        &self.iteration.evaluator.manager
    }

    /// How much was done so far.
    pub fn statistics(&self) -> Statistics {
        let manager = self.manager();
        let evaluator = &self.iteration.evaluator;
        let relations = self
            .system
            .relations
            .iter()
            .zip(&self.iteration.efforts)
            .enumerate();
        Statistics {
            variables: self.allocation.count(),
            nodes: manager.node_count(),
            peak: manager.peak(),
            work: manager.work(),
            collections: self.iteration.collections,
            relations: relations
                .filter(|(_, (_, effort))| effort.evaluations > 0)
                .map(|(at, (relation, effort))| RelationStatistics {
                    name: relation.name.clone(),
                    rounds: effort.rounds,
                    evaluations: effort.evaluations,
                    work: effort.work,
                    nodes: manager.size(evaluator.values[at]),
                })
                .collect(),
        }
    }

    /// The plan in words: what is solved together and how, schedules, BDD variables.
    pub fn explain(&mut self) -> String {
        explain::explain(self.system, &self.allocation, &mut self.iteration)
    }
}
