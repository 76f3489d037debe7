//! An engine asked through a transform is an engine: it answers the original question with evidence
//! about the original machine.

use crate::product::product;
use crate::sequentialize::sequentialize;
use crate::slice::slice;
use crate::transform::Transform;
use hardbop_machine::Machine;
use hardbop_outcome::engine::{takes_no_branching, takes_only_reachability};
use hardbop_outcome::{Bound, Budget, Declined, Engine, Prepared, Question};

/// A transform, or what it does not take.
pub type Made = Result<Box<dyn Transform + Send>, Declined>;

/// Makes a transform of a machine and a question.
pub type Making = dyn Fn(&Machine, &Question, &Budget<'_>) -> Made + Send + Sync;

/// An engine and what it is asked through.
pub struct Through {
    name: &'static str,
    engine: Box<dyn Engine>,
    making: Box<Making>,
}

impl Through {
    /// An engine, asked through a transform of one's own.
    pub fn new(
        name: &'static str,
        engine: Box<dyn Engine>,
        making: impl Fn(&Machine, &Question, &Budget<'_>) -> Made + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            engine,
            making: Box::new(making),
        }
    }

    /// An engine for sequential programs, asked about what threads do in a number of rounds.
    pub fn sequentialized(engine: Box<dyn Engine>) -> Self {
        Self::new("sequentialized", engine, |machine, question, budget| {
            takes_no_branching(question)?;
            let Some(Bound::Rounds(rounds)) = question.bound else {
                return Declined::because("questions without a number of rounds");
            };
            match sequentialize(machine, question, rounds, budget.threads()) {
                Ok(sequential) => Ok(Box::new(sequential)),
                Err(refused) => Declined::because(refused.to_string()),
            }
        })
    }

    /// An engine for places, asked whether a safety property is violated.
    pub fn monitored(name: &'static str, engine: Box<dyn Engine>) -> Self {
        Self::new(name, engine, |machine, question, _| {
            Ok(Box::new(product(machine, question)?))
        })
    }

    /// An engine for places, asked about what can have to do with them.
    pub fn sliced(name: &'static str, engine: Box<dyn Engine>) -> Self {
        Self::new(name, engine, |machine, question, _| {
            takes_only_reachability(question)?;
            Ok(Box::new(slice(machine, question)))
        })
    }
}

impl Engine for Through {
    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        let transform = (self.making)(machine, question, limits)?;
        let asked = (transform.machine(), transform.question());
        drop(self.engine.prepare(asked.0, asked.1, limits)?);
        Ok(Prepared::new(move |budget, progress| {
            let asked = (transform.machine(), transform.question());
            let outcome = self.engine.check(asked.0, asked.1, budget, progress);
            let mut back = transform.outcome_back(machine, outcome);
            self.name.clone_into(&mut back.engine);
            back
        }))
    }
}
