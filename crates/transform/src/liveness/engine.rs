//! An engine for places, asked about infinite runs: few variables are compared first, and those
//! that tell the heads of spurious hits apart join them.

use super::hit::Hit;
use super::{Compared, FairLoops};
use crate::product::Product;
use hardbop_automata::Property;
use hardbop_machine::Machine;
use hardbop_outcome::engine::takes_no_bound;
use hardbop_outcome::{
    Budget, Declined, Engine, Event, Evidence, Limit, Outcome, Prepared, Progress, Question,
    Statistics, Verdict, WantedRun,
};

/// An engine for places that is also asked about infinite runs.
pub struct WithLiveness {
    /// Asked about places as they are, and about fair loops.
    pub engine: Box<dyn Engine>,
}

impl Engine for WithLiveness {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        let Some(property) = question.as_property() else {
            return self.engine.prepare(machine, question, limits);
        };
        if !machine.is_sequential() || machine.threads.is_empty() {
            return Declined::because("concurrent programs");
        }
        if property.automaton.has_targets() {
            return Declined::because("safety properties of runs");
        }
        if question.wanted == WantedRun::Shortest {
            return Declined::because("`--shortest` for properties");
        }
        takes_no_bound(question)?;
        Ok(Prepared::new(move |budget, progress| {
            let asked = Asked {
                engine: self.engine.as_ref(),
                machine,
                question,
                property,
            };
            asked.search(budget, progress)
        }))
    }
}

struct Asked<'a> {
    engine: &'a dyn Engine,
    machine: &'a Machine,
    question: &'a Question,
    property: &'a Property,
}

impl Asked<'_> {
    fn search(&self, budget: &Budget<'_>, progress: &mut dyn Progress) -> Outcome {
        let mut statistics = Statistics::default();
        let verdict = self.verdict(budget, progress, &mut statistics);
        let mut outcome = Outcome::same(self.engine.name(), self.question, &verdict);
        outcome.statistics = statistics;
        outcome
    }

    fn verdict(
        &self,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
        statistics: &mut Statistics,
    ) -> Verdict {
        progress.event(Event::Phase("product"));
        let automaton = &self.property.automaton;
        let product = Product::new(self.machine, automaton);
        let mut compared = Compared::first(&product.machine, automaton);
        loop {
            if let Some(why) = budget.interrupt.check() {
                return Verdict::Unknown(why);
            }
            let loops = FairLoops::new(&product, automaton, &compared);
            let question = loops.question(self.question);
            let outcome = self
                .engine
                .check(loops.machine(), &question, budget, progress);
            statistics.join(outcome.statistics);
            statistics.add("fair-loop-questions", 1);
            statistics.raise("compared-variables", compared.len() as u64);
            let mut missing = Vec::new();
            let mut unknown = None;
            for answer in &outcome.answers {
                if let Verdict::Unknown(why) = &answer.verdict {
                    unknown = Some(why.clone());
                }
                let Some(trace) = answer.verdict.trace() else {
                    continue;
                };
                let hit = loops.try_hit(self.machine, self.property, &product, &compared, trace);
                match hit {
                    Hit::Real(lasso) => return Verdict::found(Evidence::Lasso(lasso)),
                    Hit::Spurious(different) => missing.extend(different),
                    Hit::Unknown(why) => unknown = Some(why),
                }
            }
            let mut is_finer = false;
            for (procedure, variable, comparison) in missing {
                is_finer |= compared.add(procedure, variable, comparison);
            }
            if is_finer {
                continue;
            }
            return match unknown {
                Some(why) => Verdict::Unknown(why),
                None if outcome
                    .answers
                    .iter()
                    .all(|a| a.verdict.is_no_for_all_runs()) =>
                {
                    Verdict::uncertified("its proof is about fair loops of the product")
                }
                None => Verdict::Unknown(Limit::Contradiction {
                    what: "a repeated head has neither been tried nor excluded".to_owned(),
                }),
            };
        }
    }
}
