//! Runs of the product with an automaton, as evidence.
//!
//! A loop of configurations with undetermined values need not close when its values are chosen, and
//! threads that were exchanged stand elsewhere after a round. But there are finitely many values
//! and orders, and they are chosen by one rule from the end. So going round often enough, and
//! looking where the very same configuration of the interpreter comes back, gives a loop that
//! closes.

use crate::exact::evidence::runs::ConcreteRun;
use crate::exact::evidence::witness::Witness;
use crate::exact::search::product::Accepted;
use crate::exact::search::transitions::Row;
use hardbop_interpreter::Configuration;
use hardbop_outcome::lasso::VERSION;
use hardbop_outcome::{Evidence, Limit, ThreadLasso};

/// A loop is gone round at most this often.
const MOST_ROUNDS: usize = 64;

/// The evidence of a run that was found, or why it cannot be written down.
pub(crate) fn evidence(
    witness: &mut Witness<'_, '_>,
    accepted: &Accepted,
) -> Result<Evidence, Limit> {
    let (stem, cycle) = match accepted {
        Accepted::Target(path) => {
            return Ok(Evidence::Run(witness.run_of(path)?.trace(None)?));
        }
        Accepted::Lasso { stem, cycle } => (stem, cycle),
    };
    if cycle.is_empty() {
        let run = witness.run_of(stem)?;
        return Ok(lasso(&run, run.steps.len(), run.steps.len()));
    }
    let mut rounds = 2;
    while rounds <= MOST_ROUNDS {
        let round = cycle.iter().cloned();
        let path: Vec<Row> = stem
            .iter()
            .cloned()
            .chain(std::iter::repeat_n(round, rounds).flatten())
            .collect();
        let run = witness.run_of(&path)?;
        let mut heads: Vec<(usize, Configuration)> = Vec::new();
        let (before, length) = (stem.len() - 1, cycle.len());
        run.recorded(run.steps.len(), |number, now| {
            if number >= before && (number - before).is_multiple_of(length) {
                heads.push((number, now.clone()));
            }
        });
        for (at, (number, head)) in heads.iter().enumerate() {
            let again = heads[at + 1..].iter().find(|(_, later)| later == head);
            if let Some(&(end, _)) = again {
                return Ok(lasso(&run, *number, end));
            }
        }
        rounds *= 2;
    }
    let what = "a loop that closes only after many rounds".to_owned();
    Err(Limit::Declined { what })
}

/// The first steps of a run, those after the stem repeated for ever.
fn lasso(run: &ConcreteRun<'_>, stem: usize, steps: usize) -> Evidence {
    Evidence::ThreadLasso(ThreadLasso {
        version: VERSION,
        property: None,
        stem: stem as u64,
        run: run.recorded(steps, |_, _| ()).finish().0,
    })
}
