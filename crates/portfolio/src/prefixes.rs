//! Machines and questions that passes have made, each once, and the translation back.
//!
//! Pipelines of one plan often begin alike: they share what their common passes make. A pass is
//! identified by its name and by what it was applied to.

use crate::pipeline::{MadeByPass, Pass};
use hardbop_machine::Machine;
use hardbop_outcome::{Budget, Declined, Outcome, Question};

/// What passes have made of a machine and a question.
pub(crate) struct Prefixes<'m> {
    machine: &'m Machine,
    question: &'m Question,
    made: Vec<Prefix>,
}

/// What has been made by some passes; `None` is the machine that came from the text.
pub(crate) type PrefixId = Option<usize>;

struct Prefix {
    before: PrefixId,
    pass: Pass,
    made: Result<Option<MadeByPass>, Declined>,
}

impl<'m> Prefixes<'m> {
    /// Nothing is made yet.
    pub fn new(machine: &'m Machine, question: &'m Question) -> Self {
        Self {
            machine,
            question,
            made: Vec::new(),
        }
    }

    /// What the passes make of the original, one after the other. A pass that changes nothing is
    /// skipped.
    pub fn make(
        &mut self,
        passes: impl IntoIterator<Item = Pass>,
        budget: &Budget<'_>,
    ) -> Result<PrefixId, Declined> {
        let mut id = None;
        for pass in passes {
            let mut known = self.made.iter();
            let index = known.position(|prefix| (prefix.before, prefix.pass) == (id, pass));
            let index = index.unwrap_or_else(|| {
                let (machine, question) = self.at(id);
                let made = pass.make(machine, question, budget);
                let before = id;
                self.made.push(Prefix { before, pass, made });
                self.made.len() - 1
            });
            match &self.made[index].made {
                Ok(Some(_)) => id = Some(index),
                Ok(None) => {}
                Err(declined) => return Err(declined.clone()),
            }
        }
        Ok(id)
    }

    /// The passes that have changed nothing, in order and each once.
    pub fn idle(&self) -> Vec<Pass> {
        let idle = self.made.iter().filter(|p| matches!(p.made, Ok(None)));
        let mut idle: Vec<Pass> = idle.map(|prefix| prefix.pass).collect();
        idle.sort_unstable();
        idle.dedup();
        idle
    }

    /// The machine and the question that have been made.
    pub fn at(&self, id: PrefixId) -> (&Machine, &Question) {
        match self.transform(id) {
            Some((transform, _)) => (transform.machine(), transform.question()),
            None => (self.machine, self.question),
        }
    }

    /// The answers to that question as answers to the original one.
    pub fn outcome_back(&self, mut id: PrefixId, mut outcome: Outcome) -> Outcome {
        while let Some((transform, before)) = self.transform(id) {
            outcome = transform.outcome_back(self.at(before).0, outcome);
            id = before;
        }
        outcome
    }

    fn transform(&self, id: PrefixId) -> Option<(&MadeByPass, PrefixId)> {
        let prefix = &self.made[id?];
        let made = prefix.made.as_ref().ok()?.as_ref()?;
        Some((made, prefix.before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::from_text;

    #[test]
    fn what_two_pipelines_begin_with_is_made_once() {
        let text = "decl int<8> x; void main() begin x := *; assert(x != 7); end";
        let machine = from_text("t.bp", text).expect("a program");
        let question = Question::assertions(&machine);
        let mut prefixes = Prefixes::new(&machine, &question);
        let budget = Budget::unlimited();
        let one = prefixes.make([Pass::Domains], &budget).expect("it is made");
        let other = prefixes.make([Pass::Domains], &budget).expect("it is made");
        assert!(one.is_some());
        assert_eq!((one, prefixes.made.len()), (other, 1));
        let again = prefixes.make([Pass::Domains, Pass::Domains], &budget);
        assert_eq!(again, Ok(one));
        assert_eq!(prefixes.idle(), [Pass::Domains]);
        assert_eq!(prefixes.at(one).0.globals[0].ty.width(), 2);
        assert_eq!(prefixes.at(None).0.globals[0].ty.width(), 8);
    }
}
